"""Pictures in the terminals that can show them, as the escape sequence that draws one. Pure."""

from __future__ import annotations

import base64
from typing import Mapping, Optional

_CHUNK = 4096
# Those that speak iTerm2's protocol of inline images, by what they call themselves.
_LIKE_ITERM = ("iTerm.app", "WezTerm")
_LIKE_KITTY = ("ghostty",)


class Protocol:
    """How a terminal takes a picture. Kitty's protocol knows PNG and no JPEG."""

    KITTY = "kitty"
    ITERM = "iterm"


def protocol_of(environment: Mapping[str, str]) -> Optional[str]:
    """How the terminal takes a picture; None if it does not, or if nobody can know."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if (
        term.startswith(("screen", "tmux", "dumb"))
        or environment.get("TMUX")
        or environment.get("STY")
    ):
        return None  # what is in between would have to let the sequence through
    if (
        environment.get("KITTY_WINDOW_ID")
        or term in ("xterm-kitty", "xterm-ghostty")
        or program in _LIKE_KITTY
    ):
        return Protocol.KITTY
    if program in _LIKE_ITERM or environment.get("LC_TERMINAL") == "iTerm2":
        return Protocol.ITERM
    return None


def sequence(protocol: str, picture: bytes) -> str:
    """Return what to write. ``picture`` is a file; for kitty a PNG."""
    text = base64.b64encode(picture).decode("ascii")
    if protocol == Protocol.ITERM:
        return f"\x1b]1337;File=inline=1;size={len(picture)}:{text}\x07"
    chunks = [text[place : place + _CHUNK] for place in range(0, len(text), _CHUNK)]
    parts = []
    for number, chunk in enumerate(chunks):
        continues = 0 if number == len(chunks) - 1 else 1
        format_keys = ""
        if number == 0:
            format_keys = "a=T,f=100,"
        parts.append(f"\x1b_G{format_keys}m={continues};{chunk}\x1b\\")
    return "".join(parts)
