"""The entry point: ``python -m unity_bridge`` and the installed ``unity-bridge``."""

from __future__ import annotations

import os
import signal
import sys
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence

if __name__ == "__main__":
    # A signal that comes while the rest is imported ends the process with the same status as later
    # (SPEC §3.4).
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(143))

from unity_bridge.base.program_command import set_own_command
from unity_bridge.mcp.guarded_stdio import Stdio, take_stdio
from unity_bridge.serve.plain_options import plain_options
from unity_bridge.system.collector import kept
from unity_bridge.system.terminal import write_utf8_to_programs

if TYPE_CHECKING:
    from unity_bridge.launch.first_start import FirstStart

_INTERRUPTED = 130
# Set by a shell that completes a command line.
_COMPLETES = "_UNITY_BRIDGE_COMPLETE"


def main(
    arguments: Optional[Sequence[str]] = None, first_start: Optional[FirstStart] = None
) -> int:
    """Run the command line. Returns the exit status, or ends the process with it if its own
    arguments were run.

    ``first_start``: a server's, which makes the environment while it serves.
    """
    if arguments is not None:
        return _run(list(arguments), first_start)
    status = _run(sys.argv[1:], first_start)
    _end(status)
    return status


def _end(status: int) -> None:
    """End the process. To take the interpreter apart is a tenth of a command, and nothing is left
    in it.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return  # which the interpreter reports at its own end
    os._exit(status)


def _run(arguments: List[str], first_start: Optional[FirstStart] = None) -> int:
    try:
        set_own_command(_own_command)
        options = None if _COMPLETES in os.environ else plain_options(arguments)
        # Before anything is imported that could print (SPEC §12.2).
        stdio = take_stdio() if options is not None or serves(arguments) else None
        write_utf8_to_programs()
        if stdio is not None:
            _end_on_signals()
        if options is not None and stdio is not None and first_start is not None:
            from unity_bridge.launch.say import say
            from unity_bridge.serve.entry import serve

            return serve(options, stdio, say, first_start)
        # A Python that lacks click lacks the other packages too: then its import, below, is the one
        # that fails.
        if options is not None and stdio is not None and find_spec("click") is not None:
            with kept():
                from unity_bridge.serve.entry import serve
            return serve(options, stdio, _note)
        with kept():
            from unity_bridge import cli
        return cli.run(arguments, stdio)
    except KeyboardInterrupt:  # while importing; cli.run handles the others
        return _INTERRUPTED
    except ModuleNotFoundError as missing:
        from unity_bridge.installation.missing_package import lacked_package

        lacked = lacked_package(missing)
        if lacked is None:
            raise
        sys.stderr.write(f"unity-bridge: {lacked}\n")
        return 1


def _note(text: str) -> None:
    from unity_bridge.scripting.output import note  # imports click

    note(text)


def serves(arguments: Sequence[str]) -> bool:
    """Whether stdin and stdout carry MCP, decided by the arguments alone."""
    from unity_bridge.commands import ALIASES, COMMANDS, EXPLAINED, REWORDED, known_as

    # With one of these words stdout belongs to the user and not to MCP.
    not_serving = {"--help", "-h", "--version", "--json", *COMMANDS} - {"serve"}
    if _COMPLETES in os.environ or any(word in not_serving for word in arguments):
        return False
    # Folders and files are called `log` and `build` too: behind an option such a word is its value.
    before = ["", *arguments]
    names = (*ALIASES, *EXPLAINED, *REWORDED, *not_serving)
    return not any(
        known_as(word) in names and not before[place].startswith("-")
        for place, word in enumerate(arguments)
    )


@lru_cache(maxsize=None)
def _own_command() -> str:
    from unity_bridge.installation.command_line import (
        ours,
    )  # only for a message that names a command

    return ours()


def _end_on_signals() -> None:
    """Exit at once on a signal (SPEC §3.4). The server installs its own handlers once there is
    something to end.
    """

    def ends_with(status: int) -> Callable[[int, Any], None]:
        return lambda number, frame: os._exit(status)

    for name, status in (("SIGINT", _INTERRUPTED), ("SIGBREAK", _INTERRUPTED), ("SIGTERM", 143)):
        number = getattr(signal, name, None)  # SIGBREAK: Windows
        if number is not None:
            signal.signal(number, ends_with(status))


__all__ = ["Stdio", "main", "serves"]

if __name__ == "__main__":
    # `python -m` has put the working directory first. Nothing that is imported from here on comes
    # from it (SPEC §20.8).
    _root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != os.path.realpath(".")] + [
        _root
    ]
    sys.exit(main())
