"""A call and what becomes of it: the words that travel from the agent's door to the executor and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Protocol

from unity_bridge.catalogue.tool import Kind, Tool
from unity_bridge.errors import ErrorCode, ToolError, error_object
from unity_bridge.result import Result


@dataclass(frozen=True)
class Call:
    """A tool call that passed validation.

    ``params`` are the tool's own arguments (``timeout_ms`` and ``client_request_id`` taken out), as JSON values,
    defaults filled in. ``timeout_ms`` counts from the moment the call runs.
    """

    tool: Tool
    params: Mapping[str, Any]
    timeout_ms: int
    client_request_id: Optional[str] = None


@dataclass(frozen=True)
class Progress:
    """How far a job is: ``completed`` of ``total`` tests, and the one that runs now."""

    completed: int
    total: int
    current_test: Optional[str] = None


@dataclass(frozen=True)
class Failure:
    """A call's bad end, with all that a client needs to judge it."""

    error: ToolError
    request_id: Optional[str] = None
    tool: Optional[Tool] = None

    @property
    def code(self) -> ErrorCode:
        return self.error.code

    def as_json(self) -> Dict[str, Any]:
        """The error object of SPEC §8."""
        return error_object(
            self.error,
            is_read=self.tool is not None and self.tool.kind is Kind.READ,
            execution_error_retryable=self.tool is not None and self.tool.execution_error_retryable,
            request_id=self.request_id,
        )


# A tool's structured result, or why there is none.
Outcome = Result[Dict[str, Any], Failure]

OnOutcome = Callable[[Outcome], None]
OnProgress = Callable[[Progress], None]


class Door(Protocol):
    """The executor's door, as the agent's side sees it. Any thread but the executor's.

    Every method returns at once, or within moments where the executor has much to do: so a client that calls without
    end is read no faster than its calls are handled.
    """

    def submit(self, call: Call, on_outcome: OnOutcome, on_progress: Optional[OnProgress] = None) -> str:
        """Hand a call over; returns its ``request_id``.

        ``on_outcome`` is called exactly once, on the executor thread, with no lock held - unless the call is
        abandoned before it ended. ``on_progress`` is called zero or more times before it, never after.
        """
        ...

    def abandon(self, request_id: str) -> None:
        """The client gave the call up (MCP ``notifications/cancelled``, SPEC §6): no outcome is owed any more."""
        ...

    def refused(self) -> None:
        """A call was refused before it was handed over; it is counted."""
        ...
