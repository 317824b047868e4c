"""The state of the editor's windows, as far as pictures depend on it."""

from __future__ import annotations

from enum import Enum


class Views(str, Enum):
    """The Game view and the Scene view together."""

    OPEN = "open"
    CLOSED = "closed"
    # Behind another tab: nothing is rendered, and the last picture is still there.
    HIDDEN = "hidden"
    # Rendered, with nothing to see.
    BLACK = "black"
