"""``unity-bridge demo``: Show a whole session without Unity."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import click

from unity_bridge.commands.shared.envelope import LinesCommand
from unity_bridge.scripting.output import note

_SDK_NEEDS = (3, 10)


@click.command("demo", cls=LinesCommand, epilog="Example: unity-bridge demo")
def command() -> int:
    """Show a whole session without Unity: server, simulated editor and a client session, step by
    step.
    """
    if not _has_a_client():
        return 1
    from unity_bridge.commands.shared.demo_story import run

    return run()


def _has_a_client() -> bool:
    """Return whether the MCP package is installed, whose client the demo uses. If not, say so on
    stderr.
    """
    if find_spec("mcp_types") is not None:
        return True
    if sys.version_info < _SDK_NEEDS:
        have, need = (
            ".".join(str(part) for part in version)
            for version in (sys.version_info[:2], _SDK_NEEDS)
        )
        note(
            f"unity-bridge: 'demo' needs Python {need} or newer for the MCP package; this is Python {have} "
            f"({sys.executable}). Start it with a newer Python; everything else works here.",
        )
    else:
        note(
            f"unity-bridge: 'demo' needs the package mcp, which this Python ({sys.executable}) does not have. "
            "Install unity-bridge with this Python again (pip install .), or start bin/unity-bridge of a clone, which "
            "brings what it needs; everything else works here.",
        )
    return False
