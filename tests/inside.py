"""``Inside``: the private parts of a bridge that the model, its mutants and the tests of recovery reach into.

They use the names of this page only, so a change of the layout of the product changes this page and no test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    from tests.fakes import InMemoryBridge


class Inside:
    """Parts of ``bridge`` by name. ``replace`` puts something else in the place of one method of one of them."""

    def __init__(self, bridge: InMemoryBridge) -> None:
        parts: Any = bridge.wired
        self._coordinator: Any = bridge.coordinator
        self.recovery: Any = bridge.coordinator
        self.life: Any = parts.life
        self.scheduler: Any = parts.scheduler
        self.tracker: Any = parts.tracker
        self.reconnect: Any = parts.reconnect
        self.slot: Any = parts.reconnect._place
        self.proofs: Any = parts.reconnect._proofs
        self.sessions: Any = parts.sessions
        self.parking_limits: Any = parts.policy._parking_limits
        self.round_trips: Any = parts.tool_calls._trips
        self.exchanges: Any = parts.exchanges
        self.jobs: Any = parts.jobs
        self.submissions: Any = parts.submissions
        self.resolutions: Any = parts.resolutions
        self.polls: Any = parts.polls
        self.cancels: Any = parts.cancels
        self.policy: Any = parts.policy
        self.joins: Any = parts.policy._joins
        self.tool_calls: Any = parts.tool_calls
        self.job_calls: Any = parts.job_calls
        self.waits: Any = parts.waits
        self.replies: Any = parts.replies
        self.forwarding: Any = parts.forwarding
        self.checkers: List[Any] = [parts.tool_calls, parts.jobs]  # each has a ``_check_result``

    @property
    def owed(self) -> Dict[str, Any]:
        """The calls that are owed an answer, by request id."""
        return dict(self.replies._replies)

    @property
    def polls_wanted(self) -> List[str]:
        """The jobs that are asked for as soon as the queue is empty."""
        return list(self.polls._wanted)

    def handles(self, event: Any, handler: Any) -> None:
        """Let ``handler`` take the events of this type."""
        self._coordinator._on = {**self._coordinator._on, event: handler}
