"""Which known name was meant by one that is not known."""

from __future__ import annotations

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
