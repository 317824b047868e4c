"""The command line: arguments to a ``Config``, and each command to the part that does it (SPEC §13).

Exit status: 0 done, 1 it failed, 2 usage or configuration, 130 interrupted. Only MCP goes to stdout while serving.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Optional, Sequence, Tuple

import click

from unity_bridge import logger
from unity_bridge.config import Config, ConfigLoader
from unity_bridge.mcp_endpoint.guarded_stdio import Stdio
from unity_bridge.result import Err
from unity_bridge.version import __version__

_SERVING_NEEDS = (3, 10)
_USAGE = 2

_port = click.option("--port", type=int, default=None, help="Port on which Unity is awaited (default 8091, 0 = any).")
_config = click.option(
    "--config", "config_file", metavar="FILE", default=None, help="Configuration file (default conf/unity-bridge.json)."
)
_log_level = click.option("--log-level", type=click.Choice(logger.LEVELS), default=None, help="Default: info.")
_log_format = click.option("--log-format", type=click.Choice(logger.FORMATS), default=None, help="Default: text.")
_log_file = click.option("--log-file", metavar="FILE", default=None, help="Write the log to this file as well.")


def _serving_options(command: Any) -> Any:
    for option in (_log_file, _log_format, _log_level, _config, _port):
        command = option(command)
    return command


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example, as an MCP client starts it: unity-bridge --port 8091",
)
@click.version_option(__version__, prog_name="unity-bridge", message="%(prog)s %(version)s")
@_serving_options
@click.pass_context
def cli(context: click.Context, /, **options: Any) -> None:
    """Lets AI coding agents and scripts work with a running Unity Editor.

    Without a command it serves MCP over stdin and stdout: this is what an MCP client starts.
    """
    if context.invoked_subcommand is None:
        context.exit(_serve(context, options))


@cli.command(epilog="Example: unity-bridge serve --port 8091 --log-file bridge.log")
@_serving_options
@click.pass_context
def serve(context: click.Context, /, **options: Any) -> None:
    """Serve MCP over stdin and stdout (the same as no command)."""
    parent = context.parent.params if context.parent is not None else {}
    context.exit(
        _serve(context, {name: parent.get(name) if value is None else value for name, value in options.items()})
    )


@cli.command(epilog="Example: unity-bridge demo")
def demo() -> None:
    """Show the whole thing without Unity: server, simulated editor, a client session told step by step."""
    if not _can_serve("demo"):
        raise SystemExit(1)
    from unity_bridge.demo import run

    raise SystemExit(run())


@cli.command(epilog="Example: unity-bridge simulate --port 8091")
@click.option("--port", type=click.IntRange(1, 65535), default=8091, show_default=True, help="The server's port.")
@click.option("--project", "project_file", metavar="FILE", default=None, help="The pretend project, as JSON.")
@click.option("--tests", type=click.IntRange(0), default=None, help="A generated project with so many tests.")
@click.option("--console-entries", type=click.IntRange(0), default=0, help="And so many console entries.")
@click.option("--test-seconds", type=float, default=0.0, help="How long each generated test takes.")
@click.option("--speed", type=float, default=1.0, show_default=True, help="10: ten seconds of the project pass in one.")
@click.option(
    "--dialect", type=click.Choice(["own", "minimal"]), default="own", help="minimal: another maker's plugin."
)
@click.option("--fault", "faults", multiple=True, metavar="KIND[:TYPE[:ARG]][*TIMES]", help="Misbehave, for tests.")
@click.option("--events", is_flag=True, default=False, help="Tell what happens as JSON lines on stdout.")
@click.option("--stdin-controls/--no-stdin-controls", default=None, help="Take orders from stdin.")
def simulate(**options: Any) -> None:
    """Be a simulated Unity Editor that connects to a port, to try a real client without Unity."""
    from unity_bridge.simulator.program import simulate as run

    logger.configure(level="warning")
    raise SystemExit(run(**options))


def run(arguments: Sequence[str], stdio: Optional[Stdio]) -> int:
    """Run ``arguments``; the exit status. ``stdio`` is where MCP goes, if it was taken already."""
    try:
        status = cli.main(list(arguments), prog_name="unity-bridge", standalone_mode=False, obj=stdio)
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        return 130
    except click.ClickException as error:
        error.show(file=sys.stderr)
        return error.exit_code
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1


def _serve(context: click.Context, options: Any) -> int:
    if not _can_serve("serve"):
        return 1
    loaded = _load(options)
    if isinstance(loaded, str):
        click.echo(loaded, err=True)
        return _USAGE
    from unity_bridge.mcp_endpoint.guarded_stdio import take_stdio

    stdio: Stdio = context.find_object(Stdio) or take_stdio()
    try:
        writer = logger.configure(loaded.log_level, loaded.log_format, loaded.log_file)
    except OSError as error:
        click.echo(f"ERR_CONFIG_VALIDATION: log_file = {loaded.log_file}: {error.strerror or error}", err=True)
        return _USAGE
    if os.isatty(stdio.fd_in):
        click.echo(_NO_CLIENT.format(python=sys.executable), err=True)
    from unity_bridge.app import Server

    def exit_now(status: int) -> None:
        writer.close(0.05)
        # Threads that block on pipes cannot be ended from here, and the interpreter would wait for some of them.
        os._exit(status)

    exit_now(Server(loaded, stdio).run(exit_now))
    return 0


_NO_CLIENT = """\
unity-bridge serves MCP on this terminal's input and output; it is meant to be started by an MCP client.
Add it to your client's configuration with the command shown in README.md, try it with `unity-bridge demo`,
or press Ctrl-C to end it."""


def _load(options: Any) -> Config | str:
    """The configuration, or the one line that says what is wrong with it."""
    given = {
        "unity_ws_port": options["port"],
        "log_level": options["log_level"],
        "log_format": options["log_format"],
        "log_file": options["log_file"],
    }
    loaded = ConfigLoader().load(given, options["config_file"])
    return str(loaded.error) if isinstance(loaded, Err) else loaded.value


def _can_serve(command: str) -> bool:
    if sys.version_info >= _SERVING_NEEDS:
        return True
    have, need = (_dotted(version) for version in (sys.version_info[:2], _SERVING_NEEDS))
    click.echo(
        f"unity-bridge: '{command}' needs Python {need} or newer for the MCP package; this is Python {have} "
        f"({sys.executable}). Start it with a newer Python; the other commands work here.",
        err=True,
    )
    return False


def _dotted(version: Tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
