"""``Exchange``: what a round trip to Unity is for, and what each way that it can end means (SPEC §4, §5).

One class for each purpose of a turn: ``ToolCalls``, ``Submissions``, ``Resolutions``, ``Polls``, ``JobCalls`` and
``CancelManager``.
"""

from __future__ import annotations

from typing import Optional, Protocol, Type, Union

from unity_bridge.base.errors import ERRORS, ErrorCode, Retry, ToolError
from unity_bridge.core.ledger.records import RoundTrip
from unity_bridge.core.unity_errors import unity_error
from unity_bridge.unity.messages import ErrorMessage, Fault, Message

# What a round trip can be answered with: a message of the kind it expects, a refusal, or what is neither.
Answer = Union[Message, Fault]


class Overflow(Fault):
    """The answer is over the size limit, and will be at the next try (SPEC §20.5)."""


class Exchange(Protocol):
    """For the executor thread alone. Whoever calls one of the last three has ended the round trip."""

    @property
    def expects(self) -> Type[Message]:
        """The kind of message that answers it."""
        ...

    def begin(self, subject: str) -> Optional[ToolError]:
        """Its turn has come. It may come to nothing, if what it was for has ended meanwhile.

        Returns why nothing left this process. If the connection is gone, what must be done all the same is in its old
        place again, for whoever connects next; everything else has been seen to.
        """
        ...

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        """``answer`` is what it ``expects``, an ``ErrorMessage``, or a ``Fault``."""
        ...

    def timed_out(self, trip: RoundTrip) -> None:
        """No answer came within its budget."""
        ...

    def interrupted(self, trip: RoundTrip) -> None:
        """The connection was lost."""
        ...


def is_job_not_found(answer: Answer) -> bool:
    return isinstance(answer, ErrorMessage) and answer.error.get("code") == ErrorCode.JOB_NOT_FOUND.value


def is_refusal_for_now(answer: Answer) -> bool:
    """Whether Unity would rather be asked again later."""
    if not isinstance(answer, ErrorMessage):
        return False
    return ERRORS[unity_error(answer.error).code].retry is Retry.YES


def fault_of(answer: Answer) -> str:
    """What is wrong with an answer that is none, or what Unity refused with."""
    if isinstance(answer, ErrorMessage):
        return unity_error(answer.error).message
    assert isinstance(answer, Fault)  # what is of another kind became one when it came
    return answer.message
