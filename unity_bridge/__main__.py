"""The entry point: ``python -m unity_bridge`` and the installed ``unity-bridge``."""

from __future__ import annotations

import os
import sys
from typing import Optional, Sequence

from unity_bridge.commands import COMMANDS
from unity_bridge.mcp_endpoint.guarded_stdio import Stdio, take_stdio

# Words that mean stdout belongs to the user and not to MCP.
_NOT_SERVING = {"--help", "-h", "--version", *COMMANDS} - {"serve"}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line; the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # First of all, before anything is imported that could print (SPEC 12.2).
    stdio = take_stdio() if serves(given) else None
    from unity_bridge import cli

    return cli.run(given, stdio)


def serves(arguments: Sequence[str]) -> bool:
    """Whether stdin and stdout are MCP's, as far as the bare words tell."""
    return "_UNITY_BRIDGE_COMPLETE" not in os.environ and not any(word in _NOT_SERVING for word in arguments)


__all__ = ["Stdio", "main", "serves"]

if __name__ == "__main__":
    sys.exit(main())
