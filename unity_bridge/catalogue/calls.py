"""A call and what becomes of it: the values that travel from the client's side to the executor and
back.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Protocol, Tuple

from unity_bridge.base.errors import ErrorCode, ToolError, error_object
from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Result
from unity_bridge.catalogue.tool import Effect, Tool
from unity_bridge.text.foreign_text import quoted
from unity_bridge.text.json_types import JsonDict, JsonObject

# Characters of a client's name that are kept (SPEC §15.7).
MOST_NAME = 64


@frozen
class Call:
    """A tool call that passed validation.

    ``params`` are the tool's own arguments as JSON values, defaults filled in, without those that every tool takes
    (``timeout_ms``, ``client_request_id``, ``wait_ms``). ``timeout_ms`` counts from the moment the call runs,
    ``wait_ms`` from its arrival. ``client`` identifies the caller: one MCP session, one command; ``client_name`` is
    its name for people (SPEC §15.7). A ``client_request_id`` is a key among the jobs of that client. ``project``:
    the canonical path of the Unity project that the caller is for, where that may be another one than ours (SPEC
    §18.2). ``remarks`` say which arguments were taken for something else (SPEC §12.6); a client gets them with the
    answer. ``is_bounded``: the client hears of the call when its own time is over, also while it is parked:
    ``wait_ms`` of a job call, ``timeout_ms`` of a read, which then counts from its arrival too (SPEC §15.2).
    ``is_over_mcp``: the caller is an MCP client, who hears once what its changes mean for ``run_tests`` (SPEC §16.5).
    """

    tool: Tool
    params: JsonObject
    timeout_ms: int
    client_request_id: Optional[str] = None
    wait_ms: int = 0
    client: Optional[str] = None
    client_name: str = ""
    project: Optional[str] = None
    remarks: Tuple[str, ...] = ()
    is_bounded: bool = False
    is_over_mcp: bool = False


def client_of(call: Call) -> Dict[str, str]:
    """Return who calls, for Unity and for the owner of the port (SPEC §15.7)."""
    return {"id": call.client or "unknown", "name": call.client_name[:MOST_NAME]}


@frozen
class Progress:
    """How far a job is: ``completed`` of ``total`` tests and the one that runs now, how many have ``failed`` and the
    newest of these; or, where nothing is counted, the ``step`` that it is at and since when, and for a job that waits
    in Unity for what (SPEC §15.2)."""

    completed: Optional[int] = None
    total: Optional[int] = None
    current_test: Optional[str] = None
    step: Optional[str] = None
    for_ms: int = 0
    failed: int = 0
    failed_test: Optional[str] = None
    waits_for: Optional[JsonObject] = None

    @property
    def message(self) -> Optional[str]:
        """For people: ``compiling, 12 s``, or the test that runs."""
        if self.step is None:
            return self.current_test
        awaited = named_wait(self.waits_for)
        purpose = ""
        if awaited:
            purpose = f" for {awaited}"
        return f"{self.step.replace('_', ' ')}{purpose}, {self.for_ms // 1000} s"

    @staticmethod
    def of(report: Any) -> Optional[Progress]:
        """``progress`` as Unity and the attach protocol send it; ``None`` if it is none."""
        if not isinstance(report, Mapping):
            return None

        def of_kind(name: str, kind: type) -> Any:
            if type(report.get(name)) is kind:
                return report[name]
            return None

        completed, total = of_kind("completed", int), of_kind("total", int)
        if completed is not None and total is not None:
            failed, failed_test = of_kind("failed", int) or 0, of_kind("failed_test", str)
            return Progress(
                completed,
                total,
                of_kind("current_test", str),
                failed=failed,
                failed_test=failed_test,
            )
        step, for_ms = of_kind("step", str), of_kind("for_ms", int)
        if step is None or for_ms is None:
            return None
        return Progress(step=step, for_ms=for_ms, waits_for=of_kind("waits_for", dict))

    def as_json(self) -> JsonDict:
        if self.step is not None:
            waits = {} if self.waits_for is None else {"waits_for": dict(self.waits_for)}
            return {"step": self.step, "for_ms": self.for_ms, **waits}
        counts = {
            "completed": self.completed,
            "total": self.total,
            "current_test": self.current_test,
        }
        if self.failed:
            return {**counts, "failed": self.failed, "failed_test": self.failed_test}
        return counts


_REASONS = {
    "test_run": "a test run that a person started",
    "compiling": "a compilation",
    "importing": "an import",
}


def named_wait(waits_for: Optional[JsonObject]) -> Optional[str]:
    """Return what a job waits for, for people: another job by its tool and name, or what Unity does
    (SPEC §15.3).
    """
    if waits_for is None:
        return None
    if "tool" not in waits_for:
        return _REASONS.get(str(waits_for.get("reason")))
    names = (str(waits_for[name]) for name in ("tool", "name") if name in waits_for)
    job_id = f" ({waits_for['job_id']})" if "job_id" in waits_for else ""
    return quoted(" ".join(names)) + quoted(job_id)


@frozen
class Failure:
    """Why a call failed, with all that a client needs to decide what to do."""

    error: ToolError
    request_id: Optional[str] = None
    tool: Optional[Tool] = None

    @property
    def code(self) -> ErrorCode:
        return self.error.code

    def as_json(self) -> JsonDict:
        """Return the error object of SPEC §8."""
        return error_object(
            self.error,
            is_read=self.tool is not None and self.tool.kind is Effect.READ,
            request_id=self.request_id,
        )


# A tool's structured result, or why there is none.
Outcome = Result[Dict[str, Any], Failure]

OnOutcome = Callable[[Outcome], None]
OnProgress = Callable[[Progress], None]
# Takes the job_id.
OnJob = Callable[[str], None]


class CallService(Protocol):
    """The executor, as the client's side sees it. Any thread but the executor's.

    Every method returns at once, or within moments where the executor has much to do: so a client that calls without
    end is read no faster than its calls are handled.
    """

    def submit(
        self,
        call: Call,
        on_outcome: OnOutcome,
        on_progress: Optional[OnProgress] = None,
        on_job: Optional[OnJob] = None,
    ) -> str:
        """Hand a call over; returns its ``request_id``.

        ``on_outcome`` is called exactly once, on the executor thread, with no lock held - unless the call is
        abandoned before it ended. ``on_progress`` is called zero or more times before it, never after, and ``on_job``
        as soon as there is a job that the call waits for.
        """

    def abandon(self, request_id: str) -> None:
        """Cancel a call for its client (MCP ``notifications/cancelled``, SPEC §6): no outcome is
        owed any more.
        """

    def refused(self) -> None:
        """Count a call that was refused before it was handed over."""
