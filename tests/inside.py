"""``Inside``: the private parts of a bridge that the model, its mutants and the tests of recovery
reach into.

They use the names of this page only, so a change of the layout of the product changes this page and no test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    from tests.fakes import InMemoryBridge


class Inside:
    """Parts of ``bridge`` by name. ``replace`` puts something else in the place of one method of
    one of them.
    """

    def __init__(self, bridge: InMemoryBridge) -> None:
        wiring: Any = bridge.wiring
        self._wiring = wiring
        self._core: Any = bridge.core
        self.ledger: Any = bridge.core.ledger
        self.recovery: Any = wiring.recovery
        self.port: Any = wiring.port
        self.status: Any = wiring.editor.status
        self.sessions: Any = wiring.editor.sessions
        self.slot: Any = wiring.editor.sessions.slot
        self.proofs: Any = wiring.editor.sessions.proofs
        self.incoming: Any = wiring.editor.incoming
        self.editor: Any = wiring.editor.editor
        self.round_trips: Any = wiring.round_trips
        self.jobs: Any = wiring.jobs.jobs
        self.results: Any = wiring.jobs.results
        self.submissions: Any = wiring.jobs.submissions
        self.resolutions: Any = wiring.jobs.resolutions
        self.polls: Any = wiring.jobs.polls
        self.cancels: Any = wiring.jobs.cancels
        self.calls: Any = wiring.calls
        self.requests: Any = wiring.calls.requests
        self.admission: Any = wiring.calls.admission
        self.joins: Any = wiring.calls.admission._joins
        self.reads: Any = wiring.calls.reads
        self.questions: Any = wiring.calls.questions
        self.waits: Any = wiring.calls.waits
        self.forwarding: Any = wiring.forwarding
        self.owner_answers: Any = wiring.owner_answers
        self.checkers: List[Any] = [self.reads, self.results]  # each has a ``_check_result``

    def replace(self, part: Any, name: str, instead: Any) -> None:
        """Put ``instead`` in the place of the method ``name`` of ``part``, in the tables of the
        wiring too.
        """
        former = getattr(part, name)
        setattr(part, name, instead)
        for table in (self._wiring.on_event, self._core.hears):
            for heard, handlers in table.items():
                table[heard] = [instead if handler == former else handler for handler in handlers]
        for due, handler in self._wiring.on_deadline.items():
            if handler == former:
                self._wiring.on_deadline = {**self._wiring.on_deadline, due: instead}

    @property
    def owed(self) -> Dict[str, Any]:
        """The calls that are owed an answer, by request id: where it goes."""
        return {
            record.id: record.caller
            for record in self.ledger.requests.all()
            if record.caller is not None
        }

    @property
    def polls_wanted(self) -> List[str]:
        """The jobs that are asked for as soon as the queue is empty."""
        return list(self.polls._wanted)
