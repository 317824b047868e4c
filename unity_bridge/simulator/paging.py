"""Pages of an answer: how many rows one has, and where the next begins (SPEC §8.7)."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Dict, Optional, Sequence, Tuple

# For what a page has besides its rows.
_ENVELOPE_BYTES = 1_000


def page_of(
    rows: Sequence[Any], question: object, cursor: str, most: int, max_bytes: int
) -> Optional[Tuple[Sequence[Any], Dict[str, str]]]:
    """Return the rows of one page, and its ``next_cursor`` if there are more; None if the cursor
    does not fit.
    """
    mark = sha256(f"{question} {rows}".encode("utf-8", "replace")).hexdigest()[:16]
    cursor_mark, _, place = cursor.partition(".") if cursor else (mark, "", "0")
    if cursor_mark != mark or not place.isdecimal() or int(place) > len(rows):
        return None
    start = int(place)
    end = start + rows_that_fit(rows[start : start + most], max_bytes)
    return rows[start:end], {"next_cursor": f"{mark}.{end}"} if end < len(rows) else {}


def rows_that_fit(rows: Sequence[Any], max_bytes: int) -> int:
    """Return how many of the rows fit into a page of ``max_bytes``, as they are sent; at least one."""
    room = max_bytes - _ENVELOPE_BYTES
    for number, row in enumerate(rows):
        room -= len(json.dumps(row)) + 2
        if room < 0 and number:
            return number
    return len(rows)
