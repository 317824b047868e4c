"""What a soak needs of its editors, simulated or on Mono: faults of their own, and a ledger of what
they did.
"""

from __future__ import annotations

import os
import signal
from typing import Any, Callable, Dict, Mapping, Optional, Protocol, Sequence

from tests.soak.ledgers import EditorLedger, Message
from tests.soak.proxy import Record

START_S = 60.0

Wait = Callable[[float], Any]


class Editors(Protocol):
    """One editor at a time; ``faults`` are what can be done to it, by one thread."""

    @property
    def faults(self) -> Mapping[str, Callable[[], None]]: ...

    @property
    def pid(self) -> int: ...

    @property
    def phases(self) -> Sequence[str]:
        """Of a compile, in order; ``reaches`` waits for one."""
        ...

    @property
    def accidents(self) -> Dict[str, int]:
        """What went wrong besides, and how often."""
        ...

    def a_run(self) -> Message:
        """Arguments for one more call of ``run_tests``."""
        ...

    def a_play(self) -> Optional[Message]:
        """Arguments for one more call of ``play_mode``; None if its changes cannot be distinguished
        from others'.
        """
        ...

    def a_snippet(self) -> Message:
        """Arguments for one more call of ``run_csharp``."""
        ...

    def a_command(self) -> Optional[Message]:
        """Arguments for one more call of ``run_command``; None if no record shows how often a
        command ran.
        """
        ...

    def reaches(self, phase: str, timeout_s: float) -> bool:
        """Whether a compile has come to this phase in time."""
        ...

    def fix_scripts(self) -> None:
        """From here on nothing goes wrong."""
        ...

    def close(self) -> None: ...

    def ledger(self, record: Record) -> EditorLedger: ...


def freeze(pid: int, wait: Callable[[], Any]) -> None:
    os.kill(pid, signal.SIGSTOP)
    wait()
    os.kill(pid, signal.SIGCONT)
