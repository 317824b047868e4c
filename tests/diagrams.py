"""The tables as state diagrams, in the form that ARCHITECTURE.md shows (Mermaid).

``python -m tests.diagrams ARCHITECTURE.md`` draws every block between ``<!-- diagram: NAME -->`` and
``<!-- /diagram -->`` again; ``NAME`` is a machine of ``MACHINES``.
"""

from __future__ import annotations

import re
import sys
from enum import Enum
from pathlib import Path
from typing import Any, Dict, List, Match, Tuple

from unity_bridge.core.ledger import machines
from unity_bridge.core.ledger.machines import (
    EditorState,
    JobState,
    ListenerState,
    RequestState,
    ServerState,
    SessionState,
    Table,
)

# Name, table and first state of every machine, for the diagrams and for the tests that try every
# pair.
MACHINES: Tuple[Tuple[str, Table, Enum], ...] = (
    ("server", machines.SERVER, ServerState.BOOTING),
    ("listener", machines.LISTENER, ListenerState.CLOSED),
    ("session", machines.SESSION, SessionState.PENDING),
    ("editor", machines.EDITOR, EditorState.UNKNOWN),
    ("request", machines.REQUEST, RequestState.RECEIVED),
    ("job", machines.JOB, JobState.QUEUED),
)

_BLOCK = re.compile(r"(<!-- diagram: (\w+) -->\n).*?(<!-- /diagram -->)", re.DOTALL)


def diagram(table: Table, first: Enum) -> str:
    """Return the table as a Mermaid state diagram, with one arrow for all events from one state to
    another.
    """
    lines = ["stateDiagram-v2", f"    [*] --> {first.value}"]
    for state, row in table.items():
        lines += [
            f"    {state.value} --> {after}: {', '.join(events)}"
            for after, events in _arrows(row).items()
        ]
    lines += [f"    {state.value} --> [*]" for state in table if not table[state]]
    return "\n".join(lines) + "\n"


def redrawn(text: str) -> str:
    """``text`` with every marked block drawn from its table. Raises ``KeyError`` for a machine that
    does not exist.
    """
    drawn = {name: diagram(table, first) for name, table, first in MACHINES}

    def block(found: Match[str]) -> str:
        return f"{found[1]}```mermaid\n{drawn[found[2]]}```\n{found[3]}"

    return _BLOCK.sub(block, text)


def _arrows(row: Any) -> Dict[str, List[str]]:
    arrows: Dict[str, List[str]] = {}
    for event, after in row.items():
        # A colon would end the label.
        arrows.setdefault(after.value, []).append(event.value.replace(":", ""))
    return arrows


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(redrawn(path.read_text(encoding="utf-8")), encoding="utf-8")
