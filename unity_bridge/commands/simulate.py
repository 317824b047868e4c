"""``unity-bridge simulate``: Be a simulated Unity Editor, to try a real client without Unity."""

from __future__ import annotations

from typing import Any, Optional

import click

from unity_bridge.commands.output import note
from unity_bridge.simulator.dialects import DIALECTS


@click.command("simulate", epilog="Example: unity-bridge simulate --port 8091")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="N",
    default=None,
    help="The server's port (default: the project's, else 8091).",
)
@click.option(
    "--project",
    "project_file",
    metavar="PATH",
    default=None,
    help="A pretend project as JSON, or a Unity project (default: the one around the working directory, if any).",
)
@click.option(
    "--tests", type=click.IntRange(0), metavar="N", default=None, help="A generated project with so many tests."
)
@click.option("--console-entries", type=click.IntRange(0), metavar="N", default=0, help="And so many console entries.")
@click.option("--test-seconds", type=float, metavar="SECONDS", default=0.0, help="How long each generated test takes.")
@click.option(
    "--speed",
    type=float,
    metavar="N",
    default=1.0,
    show_default=True,
    help="10: ten seconds of the project pass in one.",
)
@click.option(
    "--dialect",
    type=click.Choice(list(DIALECTS)),
    default="own",
    hidden=True,
    help="Which plugin to be like: our own, its first release, or another maker's.",
)
@click.option(
    "--fault", "faults", multiple=True, metavar="KIND[:TYPE[:ARG]][*TIMES]", hidden=True, help="Misbehave, for tests."
)
@click.option("--events", is_flag=True, default=False, help="Tell what happens as JSON lines on stdout.")
@click.option("--stdin-controls/--no-stdin-controls", default=None, hidden=True, help="Take orders from stdin.")
def command(project_file: Optional[str], **options: Any) -> None:
    """Be a simulated Unity Editor that connects to a port, to try a real client without Unity."""
    from unity_bridge.log import logger
    from unity_bridge.projects.unity_folder import is_project, project_here
    from unity_bridge.simulator.program import simulate

    logger.configure(level="warning")
    project = project_file or project_here()
    if project is not None and is_project(project):
        note(
            f"This editor plays the game LanternKeep under the path {project}; the files of that project are not read."
        )
        if options["tests"] is not None or options["console_entries"]:
            note("--tests and --console-entries do not count with a Unity project: give --port, outside of a project.")
    raise SystemExit(simulate(project_file=project, **options))
