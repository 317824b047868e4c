"""How many rows a page may have (SPEC §8.7)."""

from __future__ import annotations

import json
from typing import Any, Sequence

# For what a page has besides its rows.
_ENVELOPE_BYTES = 1_000


def rows_that_fit(rows: Sequence[Any], max_bytes: int) -> int:
    """Return how many of the rows fit into a page of ``max_bytes``, as they are sent; at least one."""
    room = max_bytes - _ENVELOPE_BYTES
    for number, row in enumerate(rows):
        room -= len(json.dumps(row)) + 2
        if room < 0 and number:
            return number
    return len(rows)
