"""A pretend project from a JSON file, or under the name of a Unity project."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple

from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.editor_life.versions import project_version
from unity_bridge.simulator.parameters import Parameter, Parameters, checked, choice, needed, text, texts
from unity_bridge.simulator.project import LOG_TYPES, MODES, OUTCOMES, Entry, PretendTest, Project
from unity_bridge.text import json_reader


def _seconds(default: float) -> Parameter:
    def fits(value: Any) -> bool:
        return type(value) in (int, float) and 0 <= value < 1e6

    return Parameter("a number of seconds", fits, default)


_ROWS = Parameter("a list", lambda value: isinstance(value, list), [])
_ENTRY: Parameters = {"type": choice(*LOG_TYPES), "message": needed(text()), "stack_trace": text()}
_TEST: Parameters = {
    "name": needed(text()),
    "mode": choice(*MODES),
    "categories": texts(),
    "duration_s": _seconds(0.1),
    "outcome": choice(*OUTCOMES),
    "message": text(),
    "stack_trace": text(),
    "logs": _ROWS,
    "assembly": text(),
}
_PROJECT: Parameters = {
    "name": text("Untitled"),
    "path": text("/Projects/Untitled"),
    "unity_version": text("2022.3.20f1"),
    "import_s": _seconds(0.1),
    "compile_s": _seconds(2.0),
    "compile_reload_s": _seconds(1.0),
    "play_reload_s": _seconds(0.8),
    "tests": _ROWS,
    "console": _ROWS,
}


def load_project(path: str) -> Result[Project, str]:
    """Return a project from a JSON file with the fields of ``_PROJECT``, of which only a test's ``name`` and an entry's
    ``message`` are needed; ``Err`` is one sentence that names the file and the field.
    """
    try:
        with open(path, encoding="utf-8-sig") as file:
            return Ok(_project(json_reader.loads(file.read())))
    except OSError as error:
        return Err(f"{path}: cannot be read: {error.strerror or error}")
    except _BadField as error:
        return Err(f"{path}: {error}")
    except ValueError as error:
        return Err(f"{path}: not JSON: {error}")


def opened(project: Project, folder: str) -> Project:
    """``project`` with the name, path and version of the Unity project in ``folder``, as the plugin reports them."""
    path = os.path.realpath(folder).replace(os.sep, "/")
    version = project_version(folder)
    known = version.value if isinstance(version, Ok) else project.unity_version
    return changed(project, name=os.path.basename(path), path=path, unity_version=known)


class _BadField(Exception):
    """Where the file is wrong; never leaves this module."""


def _fields(parameters: Parameters, value: object, where: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise _BadField(f"{where} must be an object")
    unknown = set(value) - set(parameters)
    if unknown:
        raise _BadField(f"{where} has an unknown field '{min(unknown)}'")
    fields = checked(parameters, value)
    if isinstance(fields, Err):
        raise _BadField(f"{where}: {fields.error.message}")
    return fields.value


def _project(value: object) -> Project:
    fields = _fields(_PROJECT, value, "the project")
    tests = tuple(_test(row, f"test {n}") for n, row in enumerate(fields["tests"], 1))
    return Project(**{**fields, "tests": tests, "console": _entries(fields["console"], "console entry")})


def _test(row: object, where: str) -> PretendTest:
    fields = _fields(_TEST, row, where)
    logs = _entries(fields["logs"], f"{where}, log")
    return PretendTest(**{**fields, "categories": tuple(fields["categories"]), "logs": logs})


def _entries(rows: List[Any], what: str) -> Tuple[Entry, ...]:
    return tuple(Entry(**_fields(_ENTRY, row, f"{what} {n}")) for n, row in enumerate(rows, 1))
