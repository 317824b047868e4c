"""How this program is started here: messages name its commands as they can be run."""

from __future__ import annotations

import re
from typing import Callable, List

# Between backquotes, as every message writes a command.
_BY_NAME = re.compile(r"`unity-bridge(?= [a-z-])")
_found: List[Callable[[], str]] = []


def set_own_command(find: Callable[[], str]) -> None:
    """``find`` returns how a shell starts this program; it is called for the first message that
    names a command.
    """
    _found[:] = [find]


def own_command() -> str:
    """Return how a shell starts this program, quoted for it; its name without ``set_own_command``."""
    if _found:
        return _found[0]()
    return "unity-bridge"


def with_own_command(text: str) -> str:
    """Return ``text`` with the commands of this program as a user of this installation can run
    them.

    A clone has no ``unity-bridge`` on PATH.
    """
    return _BY_NAME.sub(lambda _: f"`{own_command()}", text)
