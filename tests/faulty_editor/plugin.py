"""A plugin whose answers go wrong as planned, and that speaks as other makers' plugins do."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any, Dict, Mapping, Optional, Tuple

from tests.faulty_editor.dialects import MINIMAL_TOOLS, Dialect, Proves
from tests.faulty_editor.faults import FaultKind, Faults, PlannedFault
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.frozen import changed
from unity_bridge.simulator.connection import Session
from unity_bridge.simulator.job import Refusal, Submission
from unity_bridge.simulator.plugin import Message, Plugin, Reply, error
from unity_bridge.simulator.status import SimulatedStatus
from unity_bridge.simulator.trust import ServerProof

_OVER_THE_LIMIT = 1_048_576
# What the founding records know of a job.
_MINIMAL_PARAMS = ("mode", "filter")
_MINIMAL_STATUS = ("type", "request_id", "job_id", "state", "progress", "result", "error")
_MINIMAL_RESULT = ("summary", "failed_tests", "omitted")
_MINIMAL_PROGRESS = {"completed", "total", "current_test"}
_MINIMAL_HELLO = ("plugin_version", "state", "nonce")


class FaultyPlugin(Plugin):
    """The product's plugin, with a dialect and planned faults."""

    def __init__(self, dialect: Dialect, faults: Faults, *parts: Any) -> None:
        super().__init__(*parts)
        self._dialect = dialect
        self._faults = faults
        self._session: Optional[Session] = None

    def hello(self) -> Message:
        hello = super().hello()
        return (
            {name: hello[name] for name in _MINIMAL_HELLO if name in hello}
            if self._dialect.is_minimal
            else hello
        )

    def opened(self, session: Session, hello: Message) -> None:
        self._session = session
        if not self._dialect.versions_every_message:
            session.send = lambda message: session.send_text(json.dumps(message))  # type: ignore[method-assign]
        super().opened(session, hello)

    def received(self, session: Session, message: Message) -> None:
        kind = message["type"]
        planned = self._faults.take(kind)
        if planned is not None:
            self._emit(
                "fault",
                message_type=kind,
                fault=planned.fault.value,
                request_id=message.get("request_id"),
            )
        if planned is not None and planned.fault is FaultKind.DROP_BEFORE:
            session.cut()
            return
        reply = self._reply(session, planned)
        if planned is not None and planned.fault is FaultKind.REFUSE:
            reply(error(message, planned.code, "refused by a planned fault"))
        elif planned is not None and planned.fault is FaultKind.FAIL and kind == "execute":
            reply(self._failed(message))
        else:
            self.answer(message, reply)

    def answer(self, message: Message, reply: Reply) -> None:
        tool, params = message.get("tool_name"), message.get("params")
        if not self._dialect.is_minimal:
            if not self._dialect.filters_console and tool == "read_console":
                message = {**message, "params": {"max_entries": (params or {}).get("max_entries")}}
            super().answer(message, reply)
        elif message["type"] == "ping":
            self.unknown(message, reply)
        elif message["type"] in ("execute", "submit_job") and tool not in MINIMAL_TOOLS:
            self._refuse(
                message, reply, Refusal(ErrorCode.UNKNOWN_COMMAND, f"there is no tool {tool}")
            )
        else:
            super().answer(message, lambda answer: reply(_in_minimal_words(answer)))

    def submission(self, message: Message) -> Submission:
        given = super().submission(message)
        if not self._dialect.is_minimal:
            return given
        params = {name: value for name, value in given.params.items() if name in _MINIMAL_PARAMS}
        return changed(given, job_id=None, params=params)

    def _error_received(self, message: Message, reply: Reply) -> None:
        super()._error_received(message, reply)
        if self._dialect.answers_errors and self._session is not None:
            given = message.get("error")
            said = given.get("message") if isinstance(given, dict) else None
            answer = error({}, ErrorCode.INVALID_REQUEST.value, f"did not expect: {said}")
            self._session.send_text(json.dumps(answer))  # without a protocol_version

    def _reply(self, session: Session, planned: Optional[PlannedFault]) -> Reply:
        """How an answer leaves: on the session that asked, unless a fault has other plans for it."""
        if planned is None:
            return session.send
        fault, seconds = planned.fault, planned.seconds

        def late(answer: Message) -> None:
            self._main.post(lambda: self._send_now(answer), seconds)

        def twice(answer: Message) -> None:
            session.send(answer)
            session.send(answer)

        ways: Mapping[FaultKind, Reply] = {
            FaultKind.LATE: late,
            FaultKind.TWICE: twice,
            FaultKind.LOSE: lambda answer: None,
            FaultKind.DROP_AFTER: lambda answer: session.cut(),
            FaultKind.MALFORMED: lambda answer: session.send(
                {**answer, "status": 17, "state": [], "result": "?"}
            ),
            FaultKind.GARBAGE: lambda answer: session.send_text(json.dumps(answer)[:-2]),
            FaultKind.OVERSIZE: lambda answer: session.send(
                {**answer, "padding": "x" * _OVER_THE_LIMIT}
            ),
        }
        return ways.get(fault, session.send)

    def _send_now(self, answer: Message) -> None:
        """On the session that is open by now, whichever asked."""
        if self._session is not None:
            self._session.send(answer)

    def _failed(self, message: Message) -> Message:
        failure = {
            "code": ErrorCode.UNITY_EXECUTION.value,
            "message": "failed by a planned fault",
            "details": {},
        }
        place = "result" if self._dialect.is_minimal else "error"
        return {
            "type": "result",
            "request_id": message.get("request_id"),
            "status": "error",
            place: failure,
        }


def _in_minimal_words(answer: Message) -> Message:
    if answer["type"] != "job_status":
        return answer
    fields = {name: value for name, value in answer.items() if name in _MINIMAL_STATUS}
    if fields.get("progress") is not None and set(fields["progress"]) != _MINIMAL_PROGRESS:
        fields["progress"] = None
    if "result" in fields:
        fields["result"] = {
            name: value for name, value in fields["result"].items() if name in _MINIMAL_RESULT
        }
    return fields


class FaultyStatus(SimulatedStatus):
    """Of a plugin of the founding records: it reports neither play mode nor pending code, and
    repeats itself.
    """

    def repeat(self) -> None:
        """Send the same status again, as some plugins do every few seconds."""
        with self._sending:
            self._send()

    def _health(self) -> Dict[str, Any]:
        health = super()._health()
        return {name: health[name] for name in ("main_thread_stalled_ms", "compile_errors")}

    def _newer_fields(self) -> Dict[str, Any]:
        return {}


class FaultyProof(ServerProof):
    """Proves who it is in another way than our plugin."""

    def __init__(self, proves: Proves) -> None:
        super().__init__()
        self._proves = proves
        self.can_prove = proves is not Proves.CANNOT

    def hello(self) -> Message:
        hello = super().hello()
        return {} if self._proves is Proves.CANNOT else hello

    def greeted(self, hello: Message, ends: Tuple[str, str]) -> Message:
        if self._proves is Proves.CANNOT:
            return {}
        proof = super().greeted(hello, ends)
        if self._proves is Proves.RIGHTLY or not isinstance(hello.get("nonce"), str):
            return proof
        if self._proves is Proves.NOT:
            return {}
        return {"proof": hmac.new(b"another user's", b"plugin", hashlib.sha256).hexdigest()}

    def refusal(
        self, tool: object, params: Optional[Mapping[str, Any]] = None
    ) -> Optional[Refusal]:
        return None if self._proves is Proves.CANNOT else super().refusal(tool, params)
