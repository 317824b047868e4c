"""The entry point: ``python -m unity_bridge`` and the installed ``unity-bridge``."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, Callable, Optional, Sequence

from unity_bridge.commands import ALIASES, COMMANDS, EXPLAINED, known_as
from unity_bridge.mcp.guarded_stdio import Stdio, take_stdio
from unity_bridge.system.terminal import write_utf8_to_programs

# With one of these words stdout belongs to the user and not to MCP.
_NOT_SERVING = {"--help", "-h", "--version", *COMMANDS} - {"serve"}

_INTERRUPTED = 130

_LACKS_A_PACKAGE = "unity-bridge: {} lacks the package {}.\n{}\n"
_MADE_ANEW = "Its environment is damaged. The next start makes a new one."
_START_THE_LAUNCHER = "Start {} instead, which installs its packages by itself."


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line. Returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Before anything is imported that could print (SPEC §12.2).
    stdio = take_stdio() if serves(given) else None
    write_utf8_to_programs()
    if stdio is not None:
        _end_on_signals()
    try:
        from unity_bridge import cli

        return cli.run(given, stdio)
    except KeyboardInterrupt:  # while importing; cli.run handles the others
        return _INTERRUPTED
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.split(".")[0] == "unity_bridge":
            raise
        sys.stderr.write(_LACKS_A_PACKAGE.format(sys.executable, missing.name, _remedy()))
        return 1


def _remedy() -> str:
    """The message for an installation that lacks a package. Imports nothing that might be missing too."""
    from unity_bridge.installation.command_line import quoted
    from unity_bridge.installation.this_installation import Kind, this_installation
    from unity_bridge.launch import environment, launcher

    if launcher.distrust():
        return _MADE_ANEW
    installation = this_installation()
    if installation.kind is Kind.CLONE:
        script = os.path.join(environment.ROOT, "bin", "unity-bridge")
        return _START_THE_LAUNCHER.format(script if os.name == "posix" else quoted([sys.executable, script]))
    return f"Fix it with: {quoted(installation.repair([installation.source]))}"


def serves(arguments: Sequence[str]) -> bool:
    """Whether stdin and stdout carry MCP, decided by the arguments alone."""
    if "_UNITY_BRIDGE_COMPLETE" in os.environ or any(word in _NOT_SERVING for word in arguments):
        return False
    # Folders and files are called `log` and `build` too: behind an option such a word is its value.
    before = ["", *arguments]
    return not any(
        known_as(word) in (*ALIASES, *EXPLAINED, *_NOT_SERVING) and not before[place].startswith("-")
        for place, word in enumerate(arguments)
    )


def _end_on_signals() -> None:
    """Exit at once on a signal (SPEC §3.4). The server installs its own handlers once there is something to end."""

    def ends_with(status: int) -> Callable[[int, Any], None]:
        return lambda number, frame: os._exit(status)

    for name, status in (("SIGINT", _INTERRUPTED), ("SIGBREAK", _INTERRUPTED), ("SIGTERM", 143)):
        number = getattr(signal, name, None)  # SIGBREAK: Windows
        if number is not None:
            signal.signal(number, ends_with(status))


__all__ = ["Stdio", "main", "serves"]

if __name__ == "__main__":
    # `python -m` has put the working directory first. Nothing that is imported from here on comes from it (SPEC §20.8).
    _root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != os.path.realpath(".")] + [_root]
    sys.exit(main())
