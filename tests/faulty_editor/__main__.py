"""The faulty editor as a program: ``simulate`` with more options, events on stdout and orders on
stdin.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Optional

from tests.faulty_editor.dialects import DIALECTS
from tests.faulty_editor.editor import ORDERS, FaultyEditor
from tests.faulty_editor.faults import parse_fault
from tests.faulty_editor.project_file import generated_project, load_project
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.projects.unity_folder import is_project
from unity_bridge.simulator.program import run, setup_of
from unity_bridge.simulator.project import Project, default_project


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int)
    options.add_argument("--project", help="a JSON file, or the folder of a Unity project")
    options.add_argument("--tests", type=int)
    options.add_argument("--console-entries", type=int, default=0)
    options.add_argument("--test-seconds", type=float, default=0.0)
    options.add_argument("--speed", type=float, default=1.0)
    options.add_argument("--dialect", choices=DIALECTS, default="own")
    options.add_argument("--fault", action="append", default=[])
    options.add_argument("--no-stdin", action="store_true")
    given = options.parse_args()
    project = project_of(given.project, given.tests, given.console_entries, given.test_seconds)
    if isinstance(project, Err):
        options.error(project.error)
    faults = [parse_fault(rule) for rule in given.fault]
    planned = [one.value for one in faults if isinstance(one, Ok)]
    if len(planned) < len(faults):
        options.error(next(one.error for one in faults if isinstance(one, Err)))
    folder = given.project if given.project and is_project(given.project) else None
    editor = partial(FaultyEditor, dialect=DIALECTS[given.dialect], faults=planned)
    setup = setup_of(given.port, folder, project.value, given.speed)
    return run(setup, True, not given.no_stdin, open_editor=editor, controls=ORDERS)


def project_of(
    path: Optional[str], tests: Optional[int], console_entries: int, test_seconds: float
) -> Result[Project, str]:
    if path is not None and not is_project(path):
        return load_project(path)
    is_generated = tests is not None or console_entries > 0
    return Ok(
        generated_project(tests or 0, console_entries, test_seconds)
        if is_generated
        else default_project()
    )


if __name__ == "__main__":
    raise SystemExit(main())
