"""``Tasks``: MCP's tasks extension. A job is a task, and its id the task's (SPEC §19.1, SEP-2663).

A client that declares the extension on a job call gets a task in place of the result, unless the
job ends at once; asks for it with ``tasks/get``, and finds the call's result inlined at the end.
Only requests of the envelope era can.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any, Callable, Mapping, Optional

from unity_bridge.base.clock import Clock, rfc3339
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.calls import Progress
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.mcp.client_calls import ClientCalls, Ended, RunningCall
from unity_bridge.mcp.envelope import (
    TASK_METHODS,
    TASKS,
    client_name,
    declares_tasks,
    wants_text_only,
)
from unity_bridge.mcp.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_CAPABILITY,
    Request,
    RpcError,
)
from unity_bridge.mcp.tool_result import tool_result
from unity_bridge.text.json_types import JsonDict, JsonObject

_POLL_MS = 1000
# How long a call that names no ``wait_ms`` waits for its job before it becomes a task. Claude Code
# 2.1.330 moves every task to the background, and the model hears of its end one turn later: most
# commands end before that is worth it.
_SHORT_MS = 2000
# A run takes half an hour at most, and is kept for half an hour after (SPEC §5.4).
_KEPT_MS = 3_600_000
# Beyond so many, a task is only known by its id, and said to be as old as the first question.
_REMEMBERED = 256
_CANCELLED, _WORKING = "cancelled", ("queued", "running")

_Answer = Callable[[bytes], None]
_Render = Callable[[Request, Ended], bytes]


class _Task:
    """What ``tasks/get`` reports and no job knows. ``tool`` is the one that was called, where we
    were asked to.
    """

    def __init__(self, tool: Optional[Tool], created_at: str, state: str) -> None:
        self.tool = tool
        self.created_at = self.changed_at = created_at
        self.state = state


class Tasks:
    """``begin`` takes what ``takes`` says; ``render`` makes the answer of a call that is no task.
    Any thread.
    """

    def __init__(
        self,
        catalogue: Mapping[str, Tool],
        stamp: JsonObject,
        render: _Render,
        clock: Clock,
        most_bytes: int,
    ) -> None:
        self._catalogue = catalogue
        self._stamp = stamp
        self._render = render
        self._clock = clock
        self._most_bytes = most_bytes
        self._known: OrderedDict[str, _Task] = OrderedDict()

    def takes(self, request: Request) -> bool:
        """Whether a request of the envelope era is about a task, or becomes one. Its envelope is
        plain.
        """
        return request.method in TASK_METHODS or (
            declares_tasks(request.params or {}) and self._job_tool(request) is not None
        )

    def begin(self, request: Request, calls: ClientCalls, answer: _Answer) -> Optional[RunningCall]:
        """``answer`` is called once with the line, unless the call that this returns is abandoned
        first.
        """
        if request.method == "tools/call":
            return self._create(request, calls, answer)
        if not declares_tasks(request.params or {}):
            data: JsonDict = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            answer(
                RpcError(
                    request.id, MISSING_CAPABILITY, f"Declare the extension {TASKS}.", data
                ).line()
            )
            return None
        task_id = (request.params or {}).get("taskId")
        tool = "cancel_job" if request.method == "tasks/cancel" else "get_job_status"
        sent = {"name": tool, "arguments": {"job_id": task_id}}
        on_end = lambda end: answer(self._task_line(request, task_id, end))  # noqa: E731
        return calls.begin(sent, on_end, client_name=client_name(request))

    # --- a task for a job ---

    def _create(
        self, request: Request, calls: ClientCalls, answer: _Answer
    ) -> Optional[RunningCall]:
        sent, tool = dict(request.params or {}), self._job_tool(request)
        assert tool is not None
        if "wait_ms" in tool.input_schema["properties"]:
            sent["arguments"] = _waiting_shortly(sent.get("arguments"))

        def on_ended(end: Ended) -> None:
            job = end.outcome.value if isinstance(end.outcome, Ok) else {}
            if job.get("state") in _WORKING and isinstance(job.get("job_id"), str):
                answer(
                    self._line(
                        request, {**self._task(job["job_id"], job, tool), "resultType": "task"}
                    )
                )
            else:
                answer(self._render(request, end))

        return calls.begin(sent, on_ended, is_task=True, client_name=client_name(request))

    def _job_tool(self, request: Request) -> Optional[Tool]:
        name = (request.params or {}).get("name")
        tool = self._catalogue.get(name) if isinstance(name, str) else None
        if tool is not None and tool.mode is Mode.JOB:
            return tool
        return None

    # --- what becomes of it ---

    def _task_line(self, request: Request, task_id: Any, end: Ended) -> bytes:
        """On the executor's thread, mostly."""
        if isinstance(end.outcome, Err):
            error = end.outcome.error
            is_unknown = error.code in (ErrorCode.JOB_NOT_FOUND, ErrorCode.INVALID_PARAMS)
            code = INVALID_PARAMS if is_unknown else INTERNAL_ERROR
            return RpcError(request.id, code, error.error.message, error.as_json()).line()
        if request.method != "tasks/get":
            # Nothing was ever asked of the client, so an update has nothing to bring.
            return self._line(request, {})
        job = end.outcome.value
        task = self._task(task_id, job, None)
        if task["status"] == "completed":
            tool = self._tool_of(task_id, job)
            text_only = wants_text_only(client_name(request))
            gives_way = () if tool is None else tool.gives_way
            inlined = Ended(Ok(job), tool, gives_way=gives_way)
            result = json.loads(
                b"".join(tool_result(inlined, self._most_bytes, text_only=text_only))
            )
            task["result"] = {**result, "resultType": "complete"}
        return self._line(request, task)

    def _task(self, task_id: str, job: JsonObject, tool: Optional[Tool]) -> JsonDict:
        state, now = str(job.get("state")), rfc3339(self._clock.utc())
        record = self._known.get(task_id)
        if record is None:
            record = self._known[task_id] = _Task(tool, now, state)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        elif record.state != state:
            record.state, record.changed_at = state, now
        if state in _WORKING:
            status = "working"
        elif state == _CANCELLED:
            status = _CANCELLED
        else:
            status = "completed"
        task = {
            "taskId": task_id,
            "status": status,
            "createdAt": record.created_at,
            "lastUpdatedAt": record.changed_at,
            "ttlMs": _KEPT_MS,
            "pollIntervalMs": _POLL_MS,
        }
        message = _message(job.get("progress"))
        if message is None:
            return task
        return {**task, "statusMessage": message}

    def _tool_of(self, task_id: str, job: JsonObject) -> Optional[Tool]:
        tool = self._catalogue.get(str(job.get("tool")))
        task = self._known.get(task_id)
        if tool is not None or task is None:
            return tool
        return task.tool

    def _line(self, request: Request, result: JsonObject) -> bytes:
        answer = {"jsonrpc": "2.0", "id": request.id, "result": {**self._stamp, **result}}
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _waiting_shortly(arguments: Any) -> Any:
    """Return the arguments with a short wait: a call that waits longer is answered as a task."""
    params = {} if arguments is None else arguments
    if not isinstance(params, dict):
        return params
    requested_ms = params.get("wait_ms")
    # What is no number of milliseconds is for the validation to refuse.
    if requested_ms is None:
        wait_ms = _SHORT_MS
    elif type(requested_ms) is int:
        wait_ms = min(requested_ms, _SHORT_MS)
    else:
        wait_ms = requested_ms
    return {**params, "wait_ms": wait_ms}


def _message(progress: Any) -> Optional[str]:
    report = Progress.of(progress)
    if report is None or report.completed is None:
        if report is None:
            return None
        return report.message
    return f"{report.completed} of {report.total}"
