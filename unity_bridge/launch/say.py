"""Lines to the user, before the program has a log. Stdout is the MCP wire."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    pass_on(f"unity-bridge: {text}\n")


def pass_on(text: str) -> None:
    """Write it as it is. Nobody may read it any more: that ends nothing."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass
