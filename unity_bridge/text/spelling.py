"""Which known name was meant by one that is not known."""

from __future__ import annotations

import os
from typing import Iterable, Optional

# What was sent may be megabytes.
_COMPARED_CHARACTERS = 64
_ALIKE = 0.6


def nearest(name: str, known: Iterable[str]) -> Optional[str]:
    """Return the known name that ``name`` resembles most, or ``None`` if it resembles none."""
    asked = name[:_COMPARED_CHARACTERS].lower()
    if not asked:
        return None
    likeness = {candidate: _likeness(asked, candidate.lower()) for candidate in known}
    best = max(likeness, key=lambda candidate: likeness[candidate], default=None)
    return best if best is not None and likeness[best] >= _ALIKE else None


def _likeness(asked: str, candidate: str) -> float:
    """From 0 to 1. A part of a name is like it, however short."""
    import difflib  # only when something is wrong

    ratio = difflib.SequenceMatcher(None, asked, candidate).ratio()
    return max(ratio, _ALIKE) if asked in candidate or candidate in asked else ratio


def is_slip(asked: str, candidate: str) -> bool:
    """Whether ``asked`` is ``candidate`` with at most one slip of a finger in each word; short
    words have none.
    """
    ours, theirs = (name[:_COMPARED_CHARACTERS].lower().split("_") for name in (asked, candidate))
    if len(ours) != len(theirs):
        return _is_slip("".join(ours), "".join(theirs))
    return all(
        one == other or (len(other) > 3 and _is_slip(one, other))
        for one, other in zip(ours, theirs)
    )


def _is_slip(one: str, other: str) -> bool:
    """Whether one letter is added, left out or wrong, or two have changed places."""
    start = len(os.path.commonprefix([one, other]))
    one, other = one[start:], other[start:]
    end = len(os.path.commonprefix([one[::-1], other[::-1]]))
    one, other = one[: len(one) - end], other[: len(other) - end]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])
