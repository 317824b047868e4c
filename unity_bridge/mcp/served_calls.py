"""``ServedCalls``: tool calls and tasks of one client, as lines that answer them.

Apart from the endpoint, because it imports the whole catalogue: ``initialize`` is answered before
that.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Mapping

from unity_bridge.base.clock import Clock
from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err
from unity_bridge.catalogue.calls import Failure
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.client_calls import ClientCalls, Ended, is_unknown_tool
from unity_bridge.mcp.envelope import Era, client_name, progress_token, wants_text_only
from unity_bridge.mcp.json_rpc import INVALID_PARAMS, Request, RpcError
from unity_bridge.mcp.owed_requests import Owed, OwedRequests
from unity_bridge.mcp.progress import ProgressReport
from unity_bridge.mcp.static_answers import StaticAnswers, answer_line
from unity_bridge.mcp.tasks import Tasks
from unity_bridge.mcp.tool_result import tool_result


class ServedCalls:
    """Begins the calls that are ``owed``, and answers each when it has ended. Safe from any thread."""

    def __init__(
        self,
        calls: ClientCalls,
        owed: OwedRequests,
        send: Callable[[bytes], None],
        static: StaticAnswers,
        clock: Clock,
        log: Logger,
        most_bytes: int,
    ) -> None:
        self._calls = calls
        self._owed = owed
        self._send = send
        self._stamp = static.stamp
        self._clock = clock
        self._log = log
        self._most_bytes = most_bytes
        # All requests about tasks are of the envelope era.
        self._tasks = Tasks(
            static.catalogue(),
            static.stamp,
            lambda request, end: self._rendered(
                request, end, static.stamp, wants_text_only(client_name(request))
            ),
            clock,
            most_bytes,
        )

    def begin(self, owed: Owed) -> None:
        if owed.is_closed:
            return  # cancelled while it waited: it must not run
        if owed.era is Era.ENVELOPE and self._tasks.takes(owed.request):
            running = self._tasks.begin(owed.request, self._calls, partial(self._owed.answer, owed))
        else:
            params = owed.request.params or {}
            token = progress_token(params)
            if token is None:
                on_progress = None
            else:
                on_progress = ProgressReport(owed, token, self._send, self._clock).report
            end = partial(self._ended, owed)
            running = self._calls.begin(
                params,
                end,
                on_progress,
                client_name=owed.client,
                waited_ms=owed.waited_ms(self._clock.now()),
            )
        if running is not None:
            owed.has_begun(lambda: self._calls.abandon(running))

    def give_up(self) -> None:
        """End every call that nobody has ended: the process is about to."""
        self._calls.give_up()

    def _ended(self, owed: Owed, end: Ended) -> None:
        """On the thread that knows the end."""
        stamp = self._stamp if owed.era is Era.ENVELOPE else {}
        text_only = wants_text_only(owed.client)
        self._owed.answer(owed, self._rendered(owed.request, end, stamp, text_only))

    def _rendered(
        self, request: Request, end: Ended, stamp: Mapping[str, Any], text_only: bool
    ) -> bytes:
        if is_unknown_tool(end):
            assert isinstance(end.outcome, Err)
            failure = end.outcome.error
            return RpcError(
                request.id, INVALID_PARAMS, failure.error.message, failure.as_json()
            ).line()
        try:
            return answer_line(request.id, *tool_result(end, self._most_bytes, stamp, text_only))
        except ValueError:
            self._log.exception("a bug: a result is not JSON", mcp_id=request.id)
            message = "unity-bridge could not write this call's result; its log says why."
            failed = Failure(ToolError(ErrorCode.INVALID_RESPONSE, message), None, end.tool)
            error_end = end._replace(outcome=Err(failed))
            return answer_line(request.id, *tool_result(error_end, self._most_bytes, stamp))
