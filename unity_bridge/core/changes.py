"""What a room announces to the rooms above it. ``wiring.py`` says who hears what, and in which
order.

Handled at once, and never queued (see ``Core.announce``). Besides these and the other tables of
``wiring.py``, each call of a room to another one leads down.
"""

from __future__ import annotations

from typing import Optional, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.core.ledger.records import EditorIdentity, JobRecord
from unity_bridge.core.unity_errors import Answer


@frozen
class AnswerCame:
    """The editor sent ``answer``, which names ``request_id`` as the message it answers."""

    session_id: int
    request_id: Optional[str]
    answer: Answer


@frozen
class MessageOverflowed:
    """The editor sent a message over the size limit: it can only have been an answer (SPEC §7.7)."""

    session_id: int


@frozen
class JobMoved:
    """A job moved, or something new is known of it; the ledger has it."""

    job: JobRecord


@frozen
class SessionOpened:
    """An editor has become the active session."""

    identity: EditorIdentity


@frozen
class SessionLost:
    """There is no active session any more, or it is another one. ``back_within_s``: how long to
    wait for the editor.
    """

    back_within_s: float


@frozen
class EditorEnded:
    """The process of the editor that was connected is gone. ``last_lines``: why, by its log."""

    last_lines: Tuple[str, ...]


@frozen
class ReadinessChanged:
    """Whether the editor is ready may have changed, or why it is not."""
