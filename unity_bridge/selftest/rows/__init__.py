"""The rows of the self-test, one module for each group, in the order in which they run.

A new row is one more ``_row(...)`` in its group's ``ROWS``; ``short_forms`` has the usual steps. It may rely on the
files of ``project/`` and on an open scene ``Assets/Scratch.unity`` without changes; what it changes is put back after
it. It expects no default that a version of Unity may have differently.
"""

from __future__ import annotations

from importlib import import_module
from typing import Dict, Sequence, Tuple

from unity_bridge.selftest.row import GROUPS, Row


def rows_of(groups: Sequence[str]) -> Tuple[Row, ...]:
    """Return the rows of these groups; of all groups if none is named."""
    by_group: Dict[str, Tuple[Row, ...]] = {
        name: import_module(f"{__name__}.{name}").ROWS
        for name in GROUPS
        if not groups or name in groups
    }
    return tuple(row for rows in by_group.values() for row in rows)
