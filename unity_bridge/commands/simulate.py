"""``unity-bridge simulate``: Run a simulated Unity Editor, to try a real client without Unity."""

from __future__ import annotations

import os
from typing import Any, Optional

import click


@click.command("simulate", epilog="Example: unity-bridge simulate --port 8091")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="N",
    help="The server's port (default: the project's, else 8091).",
)
@click.option(
    "--project",
    metavar="PATH",
    help="A Unity project, whose editor it says it is (default: the one around the working directory, if any).",
)
@click.option(
    "--speed",
    type=float,
    metavar="N",
    default=1.0,
    show_default=True,
    help="10: ten simulated seconds pass in one.",
)
@click.option(
    "--events", is_flag=True, default=False, help="Report what happens as JSON lines on stdout."
)
@click.option(
    "--stdin-controls/--no-stdin-controls",
    default=None,
    hidden=True,
    help="Read orders from stdin.",
)
# Unity's own options, as `open --unity simulate` gives them.
@click.option("-projectPath", "unity_project", hidden=True)
@click.option("-logFile", "log_file", hidden=True)
@click.option("-unityBridgePort", "unity_port", type=click.IntRange(1, 65535), hidden=True)
@click.option("-batchmode", "batch_mode", is_flag=True, hidden=True, expose_value=False)
def command(
    project: Optional[str],
    unity_project: Optional[str],
    unity_port: Optional[int],
    log_file: Optional[str],
    **options: Any,
) -> None:
    """Run a simulated Unity Editor that connects to a port, to try a real client without Unity.

    It has a small pretend project: scripts, tests, a scene. It compiles, reloads, tests, plays and changes the scene;
    what it does not do, such as keys and the game's user interface, it answers with not_simulated. With --project it
    reports the name, path, version and port of a Unity project, and reads no other file of it.
    """
    from unity_bridge.log import logger
    from unity_bridge.projects.unity_folder import project_here
    from unity_bridge.simulator.program import simulate

    logger.configure(level="warning")
    if unity_project is not None:
        options = {
            **options,
            "port": unity_port,
            "log_file": log_file or os.devnull,
            "stdin_controls": False,
        }
    raise SystemExit(simulate(project=unity_project or project or project_here(), **options))
