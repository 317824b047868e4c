"""``unity-bridge demo``: the whole thing without Unity."""

from __future__ import annotations

import click

from unity_bridge.commands.serve import can_serve


@click.command("demo", epilog="Example: unity-bridge demo")
def command() -> None:
    """Show the whole thing without Unity: server, simulated editor, a client session told step by step."""
    if not can_serve("demo"):
        raise SystemExit(1)
    from unity_bridge.demo import run

    raise SystemExit(run())
