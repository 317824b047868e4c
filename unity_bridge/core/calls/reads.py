"""``ToolCalls``: reads, executed in Unity; one that loses its connection is sent again (SPEC §4.4).

Whatever changes something is a job and goes through ``submissions`` (SPEC §15.1).
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.tool import Tool
from unity_bridge.core import answers
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.exchange import Answer, fault_of
from unity_bridge.core.ledger.machines import RequestEvent
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import LostWith, Purpose, RequestRecord, RoundTrip
from unity_bridge.core.round_trip import RoundTrips, is_disconnected
from unity_bridge.core.unity_errors import ran_and_failed, refused, unity_error
from unity_bridge.unity.messages import ErrorMessage, Execute, ToolResult


class ToolCalls:
    """An ``Exchange``; its subject is the request."""

    expects = ToolResult

    def __init__(
        self, context: ExecutionContext, scheduler: RequestScheduler, replies: Replies, trips: RoundTrips
    ) -> None:
        self._check_result = context.check_result
        self._log = context.log
        self._scheduler = scheduler
        self._replies = replies
        self._trips = trips

    def begin(self, subject: str) -> Optional[ToolError]:
        request = self._scheduler.open_request(subject)
        trip = RoundTrip(subject, Purpose.EXECUTE, subject)
        error = self._trips.send(trip, _execute(request), request.call.timeout_ms, request.call.tool)
        if is_disconnected(error):
            self._scheduler.join_first(Purpose.EXECUTE, subject)
        elif error is not None:
            self._replies.fail(subject, RequestEvent.SEND_FAILED, error)
        else:
            self._scheduler.move(subject, RequestEvent.DEQUEUED)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        call = self._scheduler.open_request(trip.request_id).call
        name = call.tool.name
        if isinstance(answer, ToolResult) and answer.status == "ok":
            asked_for = self._check_result(call.tool, call.params, answer.result)
            if isinstance(asked_for, Ok):
                self._replies.succeed(trip.request_id, RequestEvent.RESULT_OK, asked_for.value)
            else:
                self._replies.fail(trip.request_id, RequestEvent.MALFORMED, answers.malformed(name, asked_for.error))
        elif isinstance(answer, ToolResult):
            # Our plugin puts the error beside the result, others put it in there (SPEC §7.8).
            said = answer.error or answer.result
            error = unity_error(said if isinstance(said, dict) else {"message": said})
            self._replies.fail(trip.request_id, RequestEvent.RESULT_ERROR, ran_and_failed(error))
        elif isinstance(answer, ErrorMessage):
            self._replies.fail(trip.request_id, RequestEvent.PLUGIN_ERROR, refused(unity_error(answer.error)))
        else:
            self._replies.fail(trip.request_id, RequestEvent.MALFORMED, answers.malformed(name, fault_of(answer)))

    def timed_out(self, trip: RoundTrip) -> None:
        call = self._scheduler.open_request(trip.request_id).call
        error = answers.timed_out(call.tool.name, call.timeout_ms, is_read=True)
        self._replies.fail(trip.request_id, RequestEvent.DEADLINE, error)

    def interrupted(self, trip: RoundTrip) -> None:
        request = self._scheduler.open_request(trip.request_id)
        if request.abandoned:
            error = answers.not_reconnected(request.call.tool.name)
            self._replies.fail(trip.request_id, RequestEvent.RECONNECT_WINDOW_OVER, error)
        else:
            self._scheduler.remember(request.id, lost_with=request.lost_with or LostWith.CONNECTION)
            # Nobody may overtake it while it waits to be sent again.
            self._trips.keep(trip)

    def resume(self) -> None:
        """The editor is ready: send an interrupted read again, under the same id."""
        trip = self._trips.in_flight
        if trip is None or trip.session_id is not None:
            return
        error = self._trips.lacks(self._tool_of(trip))
        if error is not None:
            # Who came back is another plugin, or is not trusted with it.
            self._trips.end(trip)
            self._replies.fail(trip.request_id, RequestEvent.NOT_ASKED, error)
        elif self._trips.send_again(trip, _execute(self._scheduler.open_request(trip.request_id))):
            self._log.info("read sent again after the reconnect", request_id=trip.request_id)

    def reconnect_window_over(self, request_id: str) -> None:
        """A read that was interrupted is no longer to wait for a connection."""
        trip = self._trips.in_flight
        if trip is not None and trip.request_id == request_id and trip.session_id is None:
            self._trips.end(trip)
            error = answers.not_reconnected(self._tool_of(trip).name)
            self._replies.fail(request_id, RequestEvent.RECONNECT_WINDOW_OVER, error)

    def _tool_of(self, trip: RoundTrip) -> Tool:
        return self._scheduler.open_request(trip.request_id).call.tool


def _execute(request: RequestRecord) -> Execute:
    return Execute(
        request_id=request.id,
        tool_name=request.call.tool.name,
        params=dict(request.call.params),
        timeout_ms=request.call.timeout_ms,
        client_request_id=request.call.client_request_id,
    )
