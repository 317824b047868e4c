"""``unity-bridge serve``: Serve MCP over stdin and stdout (the same as no command)."""

from __future__ import annotations

from typing import Any, Mapping

import click

from unity_bridge.commands.shared.options import serving_options, with_those_before
from unity_bridge.mcp.guarded_stdio import Stdio, take_stdio
from unity_bridge.scripting.output import note


@click.command("serve", epilog="Example: unity-bridge serve --port 8091 --log-file bridge.log")
@serving_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Serve MCP over stdin and stdout (the same as no command)."""
    serve_with(context, options)


def serve_with(context: click.Context, options: Mapping[str, Any]) -> None:
    """Serve with the options of the command line, and exit with the status."""
    from unity_bridge.serve.entry import serve

    stdio: Stdio = context.find_object(Stdio) or take_stdio()
    context.exit(serve(with_those_before(context, options), stdio, note))
