"""``unity-bridge serve``: Serve MCP over stdin and stdout (the same as no command)."""

from __future__ import annotations

import os
from typing import Any, Mapping

import click

from unity_bridge.commands.options import USAGE, serving_options, serving_settings
from unity_bridge.commands.output import note
from unity_bridge.log import logger
from unity_bridge.mcp.guarded_stdio import Stdio, take_stdio
from unity_bridge.system.terminal import is_terminal_descriptor

# For the last lines of the log, which say why it ends: a traceback takes a while on a busy machine. Only a stderr that
# nobody reads costs all of it.
_LAST_LINES_S = 0.5

_NO_CLIENT = """\
unity-bridge serves MCP on this terminal's input and output; it is meant to be started by an MCP client.
To connect one:          {add}   (claude-code, cursor, vscode, codex, ...)
To see their names:      {list}
To see the whole thing:  {demo}
To end this:             Ctrl-C"""


@click.command("serve", epilog="Example: unity-bridge serve --port 8091 --log-file bridge.log")
@serving_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Serve MCP over stdin and stdout (the same as no command)."""
    context.exit(serve(context, options))


def serve(context: click.Context, options: Mapping[str, Any]) -> int:
    """Serve until the client or a signal ends it; returns only an exit status for not having served at all."""
    settings = serving_settings(context, options)
    config = settings.config
    stdio: Stdio = context.find_object(Stdio) or take_stdio()
    try:
        writer = logger.configure(config.log_level, config.log_format, config.log_file)
    except OSError as error:
        note(f"ERR_CONFIG_VALIDATION: log_file = {config.log_file}: {error.strerror or error}")
        return USAGE
    for remark in settings.remarks:
        logger.Logger("config").warning(remark)
    if is_terminal_descriptor(stdio.fd_in):
        from unity_bridge.installation.command_line import ours

        message = _NO_CLIENT.format(add=ours("client", "add", "NAME"), list=ours("client", "list"), demo=ours("demo"))
        note(message)
    from unity_bridge.catalogue import catalogue_for
    from unity_bridge.serve.server import Server, StartedBridge

    def start_bridge() -> StartedBridge:
        from unity_bridge.serve.app import Bridge

        bridge = Bridge(config, settings.project)
        bridge.start()
        return bridge

    def exit_now(status: int) -> None:
        writer.close(_LAST_LINES_S)
        # Threads that block on pipes cannot be ended from here, and the interpreter would wait for some of them.
        os._exit(status)

    server = Server(stdio, catalogue_for(config.job_default_timeout_ms, config.job_max_timeout_ms), start_bridge)
    server.end_on_signals()
    exit_now(server.run(exit_now))
    return 0
