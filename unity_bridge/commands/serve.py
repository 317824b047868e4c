"""``unity-bridge serve``: Serve MCP over stdin and stdout (the same as no command)."""

from __future__ import annotations

from typing import Any, Mapping

import click

from unity_bridge.commands.shared.options import ScriptCommand, serving_options, with_those_before
from unity_bridge.mcp.guarded_stdio import Stdio, take_stdio
from unity_bridge.scripting.output import note


@click.command(
    "serve",
    cls=ScriptCommand,
    epilog="Example: unity-bridge serve --port 8091 --log-file bridge.log",
)
@serving_options
def command(**options: Any) -> int:
    """Serve MCP over stdin and stdout (the same as no command)."""
    return serve_with(options)


def serve_with(options: Mapping[str, Any]) -> int:
    """Serve with the options of the command line, and return the exit status."""
    from unity_bridge.serve.entry import serve

    stdio: Stdio = click.get_current_context().find_object(Stdio) or take_stdio()
    return serve(with_those_before(options), stdio, note)
