"""Which known name was meant by one that is not known."""

from __future__ import annotations

import os
from typing import Iterable, Optional

# What was sent may be megabytes.
_COMPARED_CHARACTERS = 64
_ALIKE = 0.6


def nearest(name: str, candidates: Iterable[str]) -> Optional[str]:
    """Return the known name that ``name`` resembles most, or ``None`` if it resembles none."""
    word = name[:_COMPARED_CHARACTERS].lower()
    if not word:
        return None
    likeness = {candidate: _likeness(word, candidate.lower()) for candidate in candidates}
    best = max(likeness, key=lambda candidate: likeness[candidate], default=None)
    if best is not None and likeness[best] >= _ALIKE:
        return best
    return None


def _likeness(word: str, candidate: str) -> float:
    """From 0 to 1. A part of a name is like it, however short."""
    import difflib  # only when something is wrong

    ratio = difflib.SequenceMatcher(None, word, candidate).ratio()
    if word in candidate or candidate in word:
        return max(ratio, _ALIKE)
    return ratio


def is_slip(word: str, candidate: str) -> bool:
    """Whether ``word`` is ``candidate`` with at most one slip of a finger in each word; short
    words have none.
    """
    word_parts, candidate_parts = (
        name[:_COMPARED_CHARACTERS].lower().split("_") for name in (word, candidate)
    )
    if len(word_parts) != len(candidate_parts):
        return _is_slip("".join(word_parts), "".join(candidate_parts))
    return all(
        part == candidate_part or (len(candidate_part) > 3 and _is_slip(part, candidate_part))
        for part, candidate_part in zip(word_parts, candidate_parts)
    )


def _is_slip(part: str, candidate: str) -> bool:
    """Whether one letter is added, left out or wrong, or two have changed places."""
    start = len(os.path.commonprefix([part, candidate]))
    part, candidate = part[start:], candidate[start:]
    end = len(os.path.commonprefix([part[::-1], candidate[::-1]]))
    part, candidate = part[: len(part) - end], candidate[: len(candidate) - end]
    return max(len(part), len(candidate)) <= 1 or (len(part) == 2 and part == candidate[::-1])
