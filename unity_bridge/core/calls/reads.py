"""``Reads``: calls that are executed in Unity at once; one that loses its connection is sent again
(SPEC §4.4).

Anything that changes something is a job, and goes through ``jobs/submission.py`` (SPEC §15.1).
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

from unity_bridge.base.errors import ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.calls import Call, client_of
from unity_bridge.core import errors
from unity_bridge.core.calls.requests import Requests
from unity_bridge.core.context import Core, is_disconnected
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import RequestEvent
from unity_bridge.core.ledger.records import (
    EditorIdentity,
    LostWith,
    Purpose,
    RequestRecord,
    RoundTrip,
)
from unity_bridge.core.unity_errors import (
    Answer,
    Overflow,
    fault_of,
    ran_and_failed,
    refused,
    unity_error,
)
from unity_bridge.unity.bridge_client import Sent
from unity_bridge.unity.messages import ErrorMessage, Execute, ToolResult

# Far more than the editors of one user.
_TOO_WIDE_KEPT = 64


class Reads:
    """The ``Exchange`` of EXECUTE; its subject is the request. For the executor thread alone."""

    def __init__(self, core: Core, editor: Editor, requests: Requests) -> None:
        self._core = core
        self._check_result = core.check_result
        self._editor = editor
        self._requests = requests
        # Editors whose answer to a wider question was over the size limit, by what they say of
        # themselves, the oldest first. The session itself cannot remember it: such an answer ends
        # it.
        self._too_wide_for: Dict[Tuple[Optional[str], Optional[str]], None] = {}

    def begin(self, subject: str) -> Optional[ToolError]:
        request = self._requests.open(subject)
        error = self._editor.refuses(request.call)
        error = error or self._core.ask(
            Purpose.EXECUTE, subject, self._execute(request), self._left_ms(request)
        )
        if is_disconnected(error):
            self._core.ledger.join_first(Purpose.EXECUTE, subject)
        elif error is not None:
            self._requests.fail(subject, RequestEvent.SEND_FAILED, error)
        else:
            self._requests.move(subject, RequestEvent.DEQUEUED)
            # The deadline of the round trip takes its place.
            self._core.deadlines.clear(Due.OVER, subject)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        call = self._requests.open(trip.request_id).call
        if isinstance(answer, Overflow) and self._asked_for(call) != call.params:
            self._ask_for_less(trip)
            return
        name, is_proven = call.tool.name, self._core.ledger.is_plugin_proven
        if isinstance(answer, ToolResult) and answer.status == "ok":
            asked_for = self._check_result(call.tool, call.params, answer.result)
            if isinstance(asked_for, Ok):
                value = asked_for.value if is_proven else {**asked_for.value, "untrusted": True}
                self._requests.succeed(trip.request_id, RequestEvent.RESULT_OK, value)
            else:
                self._requests.fail(
                    trip.request_id, RequestEvent.MALFORMED, errors.malformed(name, asked_for.error)
                )
        elif isinstance(answer, ToolResult):
            # Our plugin puts the error next to the result, others put it into the result (SPEC
            # §7.8).
            payload = answer.error or answer.result
            if isinstance(payload, dict):
                report = payload
            else:
                report = {"message": payload}
            error = unity_error(report, is_proven)
            self._requests.fail(trip.request_id, RequestEvent.RESULT_ERROR, ran_and_failed(error))
        elif isinstance(answer, ErrorMessage):
            self._requests.fail(
                trip.request_id,
                RequestEvent.PLUGIN_ERROR,
                refused(unity_error(answer.error, is_proven)),
            )
        else:
            self._requests.fail(
                trip.request_id, RequestEvent.MALFORMED, errors.malformed(name, fault_of(answer))
            )

    def timed_out(self, trip: RoundTrip) -> None:
        call = self._requests.open(trip.request_id).call
        error = errors.timed_out(call.tool.name, call.timeout_ms, is_read=True)
        self._requests.fail(trip.request_id, RequestEvent.DEADLINE, error)

    def interrupted(self, trip: RoundTrip) -> None:
        """Keep the round trip, without a session: it keeps its id and its deadline, and nothing
        overtakes it while it waits to be sent again.
        """
        request = self._requests.open(trip.request_id)
        if request.abandoned:
            error = errors.not_reconnected(request.call.tool.name)
            self._requests.fail(trip.request_id, RequestEvent.RECONNECT_WINDOW_OVER, error)
            return
        self._requests.remember(request.id, lost_with=request.lost_with or LostWith.CONNECTION)
        self._core.ledger.depart(changed(trip, session_id=None))
        self._core.deadlines.set(Due.ROUND_TRIP, trip.request_id, trip.deadline)

    def resume(self, trip: RoundTrip) -> None:
        """Send an interrupted read again, under the same id, because the editor is ready."""
        session = self._core.ledger.session
        assert session is not None  # an editor that is ready is connected
        request = self._requests.open(trip.request_id)
        error = self._editor.refuses(request.call)
        if error is not None:
            # The plugin that came back is another one, or is not trusted with it.
            self._core.end_round_trip(trip)
            self._requests.fail(trip.request_id, RequestEvent.NOT_ASKED, error)
        elif self._core.send(session.id, self._execute(request)) is Sent.HANDED_OVER:
            self._core.ledger.depart(changed(trip, session_id=session.id))
            self._core.log.info("read sent again after the reconnect", request_id=trip.request_id)

    def reconnect_window_over(self, request_id: str) -> None:
        """End an interrupted read, because it may not wait for a connection any longer."""
        trip = self._core.ledger.in_flight
        if trip is not None and trip.request_id == request_id and trip.session_id is None:
            self._core.end_round_trip(trip)
            error = errors.not_reconnected(self._requests.open(request_id).call.tool.name)
            self._requests.fail(request_id, RequestEvent.RECONNECT_WINDOW_OVER, error)

    def editor_ended(self, _: object) -> None:
        """End the interrupted read, because the editor that was expected back for it is gone."""
        trip = self._core.ledger.in_flight
        if trip is not None and trip.session_id is None:
            self.reconnect_window_over(trip.request_id)

    def _execute(self, request: RequestRecord) -> Execute:
        return Execute(
            request_id=request.id,
            tool_name=request.call.tool.name,
            params=self._core.as_sent(request.call.tool.name, self._asked_for(request.call)),
            timeout_ms=self._left_ms(request),
            client_request_id=request.call.client_request_id,
            client=client_of(request.call),
        )

    def _left_ms(self, request: RequestRecord) -> int:
        """Return what is left of the client's own ``timeout_ms``; the default counts from now."""
        ends_at = request.ends_at
        if ends_at is None:
            return request.call.timeout_ms
        return max(1, round((ends_at - self._core.now()) * 1000))

    def _asked_for(self, call: Call) -> Mapping[str, Any]:
        """Return the parameters for the plugin in session.

        A plugin that does not list its tools may not filter: it is asked for more, and the server
        filters (SPEC §20.3).
        """
        identity, unfiltered = self._core.ledger.identity, call.tool.unfiltered
        if unfiltered is None or identity is None or identity.tools is not None:
            return call.params
        if _who(identity) in self._too_wide_for:
            return call.params
        return unfiltered(call.params)

    def _ask_for_less(self, trip: RoundTrip) -> None:
        """Ask the client's own, narrower question when the editor is back, and from now on.

        The answer to the wider question was too large, and has ended the session.
        """
        identity = self._core.ledger.identity
        assert identity is not None  # its answer came in this session
        self._core.log.info(
            "the unfiltered answer is too large; asking for less", request_id=trip.request_id
        )
        self._too_wide_for[_who(identity)] = None
        if len(self._too_wide_for) > _TOO_WIDE_KEPT:
            del self._too_wide_for[next(iter(self._too_wide_for))]
        self.interrupted(trip)


def _who(identity: EditorIdentity) -> Tuple[Optional[str], Optional[str]]:
    return identity.instance_id, identity.project_path
