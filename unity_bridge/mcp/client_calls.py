"""``ClientCalls``: turns a client's ``tools/call`` into a call, and its end into the client's
answer.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Set, Tuple

from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.answer_limits import Step
from unity_bridge.catalogue.calls import Call, CallService, Failure, OnProgress, Outcome
from unity_bridge.catalogue.request_validator import RequestValidator, client_request_id_in
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.refusals import new_refusal_id


class Ended(NamedTuple):
    """How a call ended, and what of it the answer needs. Without a tool it was refused before one
    was found.

    ``gives_way``: of the tool, or of the one whose job was asked for (SPEC §8.7).
    """

    outcome: Outcome
    tool: Optional[Tool] = None
    client_request_id: Optional[str] = None
    params: Mapping[str, Any] = {}
    gives_way: Tuple[Step, ...] = ()


OnEnded = Callable[[Ended], None]


class RunningCall:
    """A call that was handed over and has not ended."""

    __slots__ = ("call", "ended", "on_ended", "request_id")

    def __init__(self, call: Call, on_ended: OnEnded) -> None:
        self.call = call
        self.on_ended = on_ended
        self.request_id: Optional[str] = None
        self.ended = False


class ClientCalls:
    """Safe from any thread. ``call_service`` and ``validator`` are those of the bridge, once it is
    there. ``page_bytes``: how long a page of a tool with pages may be.
    """

    def __init__(
        self,
        call_service: CallService,
        validator: RequestValidator,
        log: Logger,
        page_bytes: Optional[int] = None,
    ) -> None:
        self._call_service = call_service
        self._validator = validator
        self._log = log
        self._page_bytes = page_bytes
        self._lock = threading.Lock()  # guards what follows, and ``ended`` of every call
        self._running: Set[RunningCall] = set()

    def begin(
        self,
        params: Mapping[str, Any],
        on_ended: OnEnded,
        on_progress: Optional[OnProgress] = None,
        is_task: bool = False,
        client_name: str = "",
        waited_ms: int = 0,
    ) -> Optional[RunningCall]:
        """Validate and hand over; ``None`` if it has ended at once.

        ``on_ended`` is called once, on this thread or the executor's, unless the call is abandoned
        first. ``on_progress`` never after it. ``is_task``: the client asks for the end later;
        ``wait_ms`` bounds no parking. ``waited_ms``: how long ago the call arrived.
        """
        running: Optional[RunningCall] = None
        call: Optional[Call] = None
        try:
            caller = {"client_name": client_name, "is_over_mcp": True}
            validated = self._validator.validate(
                params.get("name"), params.get("arguments"), **caller
            )
            if isinstance(validated, Err):
                on_ended(
                    self._refused(validated.error, client_request_id_in(params.get("arguments")))
                )
                return None
            call = self._with_page(validated.value)
            if call.tool.mode is Mode.JOB and not is_task:
                call = changed(call, is_bounded=True)
            call = _with_time_left(call, waited_ms)
            running = RunningCall(call, on_ended)
            with self._lock:
                self._running.add(running)
            running.request_id = self._call_service.submit(
                call, partial(self._end, running), on_progress
            )
        except Exception:
            failed = self._failed_on_a_bug(call)
            if running is None or self._claim(running):
                on_ended(failed)
            return None
        if running.ended:
            return None
        return running

    def _with_page(self, call: Call) -> Call:
        """Return the same call, with what a page of its result may have (SPEC §8.7)."""
        if self._page_bytes is None or "max_bytes" not in call.tool.input_schema["properties"]:
            return call
        return changed(call, params={"max_bytes": self._page_bytes, **call.params})

    def abandon(self, running: RunningCall) -> None:
        """Abandon a call that the client cancelled."""
        if self._claim(running) and running.request_id is not None:
            self._call_service.abandon(running.request_id)

    def give_up(self) -> None:
        """End every call that nobody has ended: the process is about to."""
        with self._lock:
            unfinished = list(self._running)
        for running in unfinished:
            if not self._claim(running):
                continue
            if running.request_id is not None:
                self._call_service.abandon(running.request_id)
            message = "unity-bridge was stopped before this call ended. Check what ran before you repeat it."
            error = ToolError(ErrorCode.RECONNECT_TIMEOUT, message)
            self._log.warning(
                f"call failed: {message}",
                tool=running.call.tool.name,
                code=error.code.value,
                execution_guarantee=error.guarantee.value,
                request_id=running.request_id,
                client_request_id=running.call.client_request_id,
            )
            self._deliver(running, Err(Failure(error, running.request_id, running.call.tool)))

    def _end(self, running: RunningCall, outcome: Outcome) -> None:
        if self._claim(running):
            self._deliver(running, outcome)

    def _claim(self, running: RunningCall) -> bool:
        """Whether the caller is the one to end it."""
        with self._lock:
            if running.ended:
                return False
            running.ended = True
            self._running.discard(running)
            return True

    def _deliver(self, running: RunningCall, outcome: Outcome) -> None:
        call = running.call
        if call.remarks:
            outcome = _with_remarks(outcome, list(call.remarks))
        of_job = outcome.value.get("tool") if isinstance(outcome, Ok) else None
        if isinstance(of_job, str):
            of = self._validator.catalogue.get(of_job, call.tool)
        else:
            of = call.tool
        running.on_ended(
            Ended(outcome, call.tool, call.client_request_id, call.params, of.gives_way)
        )

    def _refused(self, failure: Failure, client_request_id: Optional[str]) -> Ended:
        request_id = new_refusal_id()
        self._log.info(
            "call refused",
            code=failure.code.value,
            reason=failure.error.message,
            request_id=request_id,
            client_request_id=client_request_id,
        )
        self._call_service.refused()
        return Ended(Err(changed(failure, request_id=request_id)), failure.tool, client_request_id)

    def _failed_on_a_bug(self, call: Optional[Call]) -> Ended:
        """Report a bug of ours as such, and never as the client's fault (SPEC §8).

        ``call``: what was handed over; a call that failed before that has not run.
        """
        if call is None:
            self._log.exception("a bug: a call could not be checked")
            message = "unity-bridge could not check this call; its log says why. Nothing was run."
            error = ToolError(
                ErrorCode.UNITY_EXECUTION, message, known_guarantee=Guarantee.NOT_EXECUTED
            )
            return Ended(Err(Failure(error)))
        tool, client_request_id = call.tool, call.client_request_id
        self._log.exception(
            "a bug: a call failed", tool=tool.name, client_request_id=client_request_id
        )
        message = "unity-bridge failed on this call; its log says why. Check what ran before you repeat it."
        error = ToolError(ErrorCode.INVALID_RESPONSE, message)
        return Ended(Err(Failure(error, None, tool)), tool, client_request_id)


def _with_remarks(outcome: Outcome, remarks: List[str]) -> Outcome:
    """Return the same outcome, with what was taken for what (SPEC §12.6)."""
    if isinstance(outcome, Ok):
        return Ok({**outcome.value, "remarks": [*remarks, *outcome.value.get("remarks", ())]})
    error = outcome.error.error
    return Err(
        changed(outcome.error, error=changed(error, details={**error.details, "remarks": remarks}))
    )


def is_unknown_tool(end: Ended) -> bool:
    """Such a call is a protocol error, and not a result (SPEC §8)."""
    return (
        isinstance(end.outcome, Err)
        and end.tool is None
        and end.outcome.error.code is ErrorCode.UNKNOWN_COMMAND
    )


def _with_time_left(call: Call, waited_ms: int) -> Call:
    """Return the same call, whose client has waited for it so long already (SPEC §15.2)."""
    timeout_ms = call.timeout_ms
    if call.is_bounded and call.tool.mode is Mode.SYNC:
        timeout_ms = max(1, timeout_ms - waited_ms)
    return changed(call, wait_ms=max(0, call.wait_ms - waited_ms), timeout_ms=timeout_ms)
