"""``serve``: from the options to the exit status. The command line calls it, with ``click`` or
without.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, Mapping, Optional

from unity_bridge.base.result import Err
from unity_bridge.config import ConfigLoader
from unity_bridge.log import logger
from unity_bridge.mcp.guarded_stdio import Stdio
from unity_bridge.serve.server import Server
from unity_bridge.serve.settings import Options, load, meant_project
from unity_bridge.system.terminal import is_terminal_descriptor

if TYPE_CHECKING:
    from unity_bridge.catalogue.tool import Tool
    from unity_bridge.launch.first_start import FirstStart
    from unity_bridge.serve.app import Bridge

_USAGE = 2
# For the last lines of the log, which say why it ends: a traceback takes a while on a busy machine.
# Only a stderr that nobody reads costs all of it.
_LAST_LINES_S = 0.5
# How often calls that wait for the environment are looked at.
_LOOKS_S = 0.25

_NO_CLIENT = """\
unity-bridge serves MCP on this terminal's input and output; it is meant to be started by an MCP client.
To connect one:          {add}   (claude-code, cursor, vscode, codex, ...)
To see their names:      {list}
To see the whole thing:  {demo}
To end this:             Ctrl-C"""


def serve(
    options: Options,
    stdio: Stdio,
    note: Callable[[str], None],
    first_start: Optional[FirstStart] = None,
) -> int:
    """Serve until the client or a signal ends it; returns only an exit status for not having served
    at all.

    ``note`` writes a line to stderr. ``first_start`` makes what the bridge needs, which calls wait
    for.
    """
    project = meant_project(options.get("project"))
    if isinstance(project, Err):
        note(project.error)
        return _USAGE
    settings = load(options, project.value)
    if isinstance(settings, Err):
        note(settings.error)
        return _USAGE
    config = settings.value.config
    try:
        writer = logger.configure(config.log_level, config.log_format, config.log_file)
    except OSError as error:
        note(f"ERR_CONFIG_VALIDATION: log_file = {config.log_file}: {error.strerror or error}")
        return _USAGE
    for remark in (*settings.value.broken, ConfigLoader().remark()):
        if remark is not None:
            logger.Logger("config").warning(remark)
    if is_terminal_descriptor(stdio.fd_in):
        from unity_bridge.installation.command_line import ours

        note(
            _NO_CLIENT.format(
                add=ours("client", "add", "NAME"), list=ours("client", "list"), demo=ours("demo")
            )
        )

    def catalogue() -> Mapping[str, Tool]:
        from unity_bridge.catalogue import catalogue_for

        return catalogue_for(config.job_default_timeout_ms, config.job_max_timeout_ms)

    def start_bridge() -> Bridge:
        # The package before its modules, as `catalogue` imports it on the thread of the client: in
        # another order each of the two threads could wait for the other's lock, which Python ends
        # with an error in one of them.
        import unity_bridge.catalogue  # noqa: F401
        from unity_bridge.serve.app import Bridge
        from unity_bridge.serve.server_command_file import note_command

        # The listener imports this when it has the port; a server that lacks a package must end
        # before that.
        from unity_bridge.unity import connection_server  # noqa: F401

        bridge = Bridge(config, project.value)
        bridge.start()
        note_command()
        return bridge

    def exit_now(status: int) -> None:
        if first_start is not None and status != 0:
            first_start.end()
        writer.finish(_LAST_LINES_S)
        # Threads that block on pipes cannot be ended from here, and the interpreter would wait for
        # some of them.
        os._exit(status)

    def await_environment() -> Optional[str]:
        if first_start is None:
            return None
        first_start.begin()
        while not first_start.wait(_LOOKS_S):
            server.endpoint.refuse_overdue(config.compile_grace_timeout_ms)
        return first_start.failure

    server = Server(stdio, catalogue, start_bridge, config.client_project, await_environment)
    if first_start is not None:
        server.endpoint.most_waiting = config.queue_max_size
    server.end_on_signals()
    exit_now(server.run(exit_now))
    return 0
