"""``SimulatorProcess``: the faulty editor as a child process, with the orders of the tests as
methods.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, List, Optional, Sequence

from tests.faulty_editor.event_ledger import EventLedger
from unity_bridge.launch import environment
from unity_bridge.simulator import process

_START = Path(__file__).resolve().with_name("start.py")


def command(python: str = sys.executable) -> List[str]:
    """The words that start the faulty editor with the ``unity_bridge`` that is installed, or
    copied.
    """
    return [python, str(_START), environment.ROOT]


class SimulatorProcess(process.SimulatorProcess):
    """The editor lives inside the ``with``, and never longer than this process."""

    def __init__(
        self,
        port: Optional[int],
        *,
        project_file: Optional[str] = None,
        speed: float = 1.0,
        faults: Sequence[str] = (),
        python: str = sys.executable,
        **options: Any,
    ) -> None:
        """``options``: ``tests``, ``console_entries``, ``test_seconds``, ``dialect``."""
        super().__init__(port or 0, speed)
        self.log = self.ledger = EventLedger()
        self.command = command(python)
        given = {"port": port, "project": project_file, "speed": speed, **options}
        for name, value in given.items():
            self.command += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
        for fault in faults:
            self.command += ["--fault", fault]
        self.folder = None if project_file else self.folder

    def __enter__(self) -> SimulatorProcess:
        self.start()
        return self

    def kill(self) -> None:
        """Kill the process; the editor cannot close the connection."""
        running = self._running()
        running.kill()
        self._over(running)

    @property
    def pid(self) -> int:
        return self._running().pid

    def compile(self, seconds: float = 2.0, errors: int = 0) -> None:
        self.order(f"compile {seconds} {errors}")

    def reload(self, seconds: float = 1.0) -> None:
        self.order(f"reload {seconds}")

    def stall(self, seconds: float) -> None:
        self.order(f"stall {seconds}")

    def write_log(self, kind: str, message: str) -> None:
        self.order(f"log {kind} {message}")

    def drop(self) -> None:
        self.order("drop")

    def crash(self) -> None:
        self.order("crash")

    def restart(self, seconds: float = 1.0) -> None:
        self.order(f"restart {seconds}")

    def fault(self, rule: str) -> None:
        self.order(f"fault {rule}")
