"""A second Unity on the same port, with another project open: it knocks, and must never be asked
for anything.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import List

from tests.faulty_editor.process import SimulatorProcess
from tests.soak.editors import START_S, Wait

_LET_IN = ("connected", "execute", "job_accepted")


class AnotherProject:
    """``port`` is the servers' own: what it says passes no proxy, so no record of theirs has it."""

    def __init__(self, port: int, folder: Path) -> None:
        self._port = port
        self._project = folder / "another.json"
        self._project.write_text(
            json.dumps({"name": "Another", "path": "/Projects/Another"}), encoding="utf-8"
        )
        self._asked: List[str] = []
        self.refusals = 0

    def knock(self, seconds: float, wait: Wait) -> None:
        """Its editor is there for a while."""
        with SimulatorProcess(
            self._port, project_file=str(self._project), python=sys.executable
        ) as editor:
            editor.wait_for("started", START_S)
            wait(seconds)
        self._asked += [
            f"{event.kind} {event.values}" for kind in _LET_IN for event in editor.events(kind)
        ]
        self.refusals += len(editor.events("refused"))

    def untrue(self) -> List[str]:
        return [f"another project's editor was let in: {asked}" for asked in self._asked]
