"""What the simulated plugin sends on the connection: hello, and an answer to every message (SPEC
§7, §15).
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Mapping, Optional

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err
from unity_bridge.catalogue.plugin_commands import ALL
from unity_bridge.simulator.connection import Session
from unity_bridge.simulator.editor_process import EditorProcess
from unity_bridge.simulator.event_log import Emit
from unity_bridge.simulator.job import Refusal, Submission, filled_in
from unity_bridge.simulator.main_thread import MainThread
from unity_bridge.simulator.project import Project
from unity_bridge.simulator.status import SimulatedStatus
from unity_bridge.simulator.tools import JOBS, READS
from unity_bridge.simulator.trust import ServerProof
from unity_bridge.text.json_types import JsonObject
from unity_bridge.version import __version__

Message = Dict[str, Any]
Reply = Callable[[Message], object]

_DEFAULT_TIMEOUT_MS = 300_000


class Plugin:
    """Answers on the link's thread what a stalled main thread may not delay, and the rest on the
    main thread.
    """

    def __init__(
        self,
        project: Project,
        process: Callable[[], EditorProcess],
        status: SimulatedStatus,
        main_thread: MainThread,
        trust: ServerProof,
        emit: Emit,
    ) -> None:
        self._project = project
        self._process = process
        self._status = status
        self._main = main_thread
        self.trust = trust
        self._emit = emit
        self._handlers: Mapping[str, Callable[[Message, Reply], None]] = {
            "capability": self._capability,
            "error": self._error_received,
            "ping": self._ping,
            "execute": self._execute,
            "submit_job": self._submit_job,
            "get_job_status": self._get_job_status,
            "cancel": self._cancel,
        }

    def hello(self) -> Message:
        hello: Message = {
            "plugin_version": __version__,
            **self._status.hello(),
            **self.trust.hello(),
        }
        process = self._process()
        hello.update(
            editor_instance_id=process.instance_id,
            unity_version=self._project.unity_version,
            project_name=self._project.name,
            project_path=self._project.path,
            jobs=process.jobs.listed(),
            job_keys=process.jobs.keys(),
            tools=sorted((*READS, *JOBS)),
            joins=tuple(name for name, command in ALL.items() if command.is_joined),
            process_id=os.getpid(),
        )
        return hello

    def opened(self, session: Session, hello: Message) -> None:
        self._status.opened(session, self.trust.greeted(hello, session.ends))

    def disown(self) -> None:
        self._process().jobs.disown()

    def received(self, session: Session, message: Message) -> None:
        self.answer(message, session.send)

    def answer(self, message: Message, reply: Reply) -> None:
        self._handlers.get(message["type"], self.unknown)(message, reply)

    def _capability(self, message: Message, reply: Reply) -> None:
        self._emit("capability", tools=[tool["name"] for tool in message["tools"]])

    def _error_received(self, message: Message, reply: Reply) -> None:
        self._emit(
            "error_received",
            code=message["error"].get("code"),
            message=message["error"].get("message"),
        )

    def unknown(self, message: Message, reply: Reply) -> None:
        reply(
            error(
                message, ErrorCode.UNKNOWN_COMMAND.value, f"unknown message type {message['type']}"
            )
        )

    def _ping(self, message: Message, reply: Reply) -> None:
        reply({"type": "pong", **self._status.pong()})

    def _execute(self, message: Message, reply: Reply) -> None:
        tool = message.get("tool_name")
        self._emit(
            "execute",
            request_id=message.get("request_id"),
            client_request_id=message.get("client_request_id"),
            tool_name=tool,
            params=message.get("params"),
        )
        untrusted = self.trust.refusal(tool, _params(message))
        if untrusted is not None:
            self._refuse(message, reply, untrusted)
        elif tool in READS:
            self._main.post(lambda: self._read(message, reply))
        else:
            self._refuse(
                message,
                reply,
                Refusal(ErrorCode.UNKNOWN_COMMAND, f"there is no tool {tool} to execute"),
            )

    def _read(self, message: Message, reply: Reply) -> None:
        tool = self._process().tools.reads[message["tool_name"]]
        answer = tool.answer(filled_in(tool.parameters, _params(message)))
        if isinstance(answer, Err):
            return self._refuse(message, reply, answer.error)
        reply(_answer(message, "result", status="ok", result=answer.value))

    def _submit_job(self, message: Message, reply: Reply) -> None:
        process, tool, submission = (
            self._process(),
            message.get("tool_name"),
            self.submission(message),
        )
        is_known = submission.job_id is not None and process.jobs.knows(submission.job_id)
        names = {
            "request_id": message.get("request_id"),
            "job_id": message.get("job_id"),
            "tool_name": tool,
        }
        self._emit("submit", **names, known=is_known)
        untrusted = self.trust.refusal(tool, _params(message))
        if untrusted is not None:
            return self._refuse(message, reply, untrusted)
        outcome = process.jobs.submit(submission)
        if isinstance(outcome, Err):
            return self._refuse(message, reply, outcome.error)
        if not is_known:
            mark = message.get("client_request_id")
            self._emit("job_accepted", **names, known_as=outcome.value, client_request_id=mark)
        # Known from here on, so that a cancel that overtakes the main thread still finds it (SPEC
        # §5).
        self._main.post(lambda: self._accept(message, outcome.value, process, reply))

    def submission(self, message: Message) -> Submission:
        return Submission(
            tool_name=message["tool_name"],
            params=_params(message),
            job_id=message.get("job_id"),
            request_id=message.get("request_id"),
            client=(message.get("client") or {}).get("id"),
            key=message.get("client_request_id") or None,
            timeout_s=message.get("timeout_ms", _DEFAULT_TIMEOUT_MS) / 1000,
            is_untrusted=not self.trust.is_server_trusted,
        )

    def _accept(self, message: Message, job_id: str, process: EditorProcess, reply: Reply) -> None:
        reply(_answer(message, "submit_job_result", status="accepted", job_id=job_id))
        process.jobs.resume()

    def _get_job_status(self, message: Message, reply: Reply) -> None:
        job_id = str(message.get("job_id"))
        self._emit("status_requested", request_id=message.get("request_id"), job_id=job_id)
        jobs = self._process().jobs
        untrusted = self.trust.refusal_of_job(jobs.is_untrusted(job_id))
        if untrusted is not None:
            return self._refuse(message, reply, untrusted)
        status = jobs.status(job_id)
        if status is None:
            return self._no_such_job(message, job_id, reply)
        reply(_answer(message, "job_status", job_id=job_id, **status))

    def _cancel(self, message: Message, reply: Reply) -> None:
        jobs = self._process().jobs
        job_id = message.get("target_job_id") or jobs.job_of(message.get("target_request_id"))
        if "target_job_id" not in message and "target_request_id" not in message:
            reason = "a cancel names the target_job_id of a job, or its target_request_id"
            return self._refuse(message, reply, Refusal(ErrorCode.INVALID_REQUEST, reason))
        if not isinstance(job_id, str):
            reason = "a cancel names the target_job_id of a job, or the request that began it"
            return self._refuse(message, reply, Refusal(ErrorCode.CANCEL_NOT_SUPPORTED, reason))
        untrusted = self.trust.refusal_of_job(jobs.is_untrusted(job_id))
        if untrusted is not None:
            return self._refuse(message, reply, untrusted)
        status = jobs.cancel(job_id)
        self._emit("cancel", request_id=message.get("request_id"), job_id=job_id, status=status)
        if status is None:
            return self._no_such_job(message, job_id, reply)
        reply(_answer(message, "cancel_result", status=status))

    def _no_such_job(self, message: Message, job_id: str, reply: Reply) -> None:
        self._refuse(
            message,
            reply,
            Refusal(ErrorCode.JOB_NOT_FOUND, f"this editor never took in a job {job_id}"),
        )

    def _refuse(self, message: Message, reply: Reply, refusal: Refusal) -> None:
        self._emit(
            "call_refused",
            request_id=message.get("request_id"),
            code=refusal.code.value,
            message=refusal.message,
        )
        reply(error(message, refusal.code.value, refusal.message, refusal.details))


def _answer(message: Message, kind: str, **members: Any) -> Message:
    return {"type": kind, "request_id": message.get("request_id"), **members}


def _params(message: Message) -> JsonObject:
    params: JsonObject = message.get("params") or {}
    return params


def error(message: Message, code: str, text: str, details: Optional[JsonObject] = None) -> Message:
    refused: Message = {
        "type": "error",
        "error": {"code": code, "message": text, "details": dict(details or {})},
    }
    if "request_id" in message:
        refused["request_id"] = message["request_id"]
    return refused
