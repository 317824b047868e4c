"""Another server that owns the port, and to which ours is attached (SPEC §14): played by the rules,
not real.

What it does in Unity for our calls goes into the ``Truth`` under our request ids. It may go on doing so after we have
lost it: a frozen one thaws, and finds the calls that lay on its connection.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from tests.fakes import PORT, InMemoryBridge
from tests.model.places import Places
from tests.model.promises import Promises
from tests.model.truth import RESULTS, EditorProcess, Message, Run, Truth
from tests.tool_results import CONSOLE
from unity_bridge.attach.owner_events import (
    OwnerAccepted,
    OwnerAnswered,
    OwnerFound,
    OwnerLost,
    OwnerSawEditor,
    OwnerStopping,
)
from unity_bridge.base.errors import STOPPING

STATE: Message = InMemoryBridge().agent.calls("get_editor_state").answer
_NEEDS_UNITY = ("read_console", *RESULTS)


class Owner:
    """One owner, and the editor that is connected to it. ``most``: how many calls may wait there."""

    def __init__(self, truth: Truth, process: EditorProcess, most: int) -> None:
        self._truth = truth
        self._most = most
        self.process = process
        self.is_there = True
        self.unread: List[Message] = []  # calls it has not begun
        self.owed: Dict[str, Message] = {}  # our request id -> what it is to say of it
        self.accepted: Dict[str, str] = {}  # our request id -> the job that the call waits for
        self.last_number = 0

    def takes(self, call: Message) -> None:
        waiting = [one for one in self.unread if one["tool"] in _NEEDS_UNITY]
        if call["tool"] in _NEEDS_UNITY and len(waiting) > self._most:
            self.owed[call["id"]] = _error("ERR_QUEUE_FULL", "not_executed")
        else:
            self.unread.append(call)

    def drops(self, request_id: str) -> None:
        self.unread = [call for call in self.unread if call["id"] != request_id]
        self.owed.pop(request_id, None)

    def works(self, is_willing: bool) -> None:
        """Its oldest call is carried out in Unity, or refused there."""
        call = self.unread.pop(0)
        if call["tool"] in _NEEDS_UNITY and not is_willing:
            self.owed[call["id"]] = _error("ERR_EDITOR_NOT_READY", "not_executed")
        else:
            self.owed[call["id"]] = self._carries_out(call)

    def hands_back(self) -> None:
        """It is stopped, and says of every call what it knows (SPEC §3.4)."""
        for call in self.unread:
            needs_unity = call["tool"] in _NEEDS_UNITY
            self.owed[call["id"]] = _error("ERR_EDITOR_NOT_READY", "not_executed", reason=STOPPING)
            if not needs_unity:
                self.owed[call["id"]] = _error("ERR_RECONNECT_TIMEOUT", "unknown", reason=STOPPING)
        self.unread.clear()

    def _carries_out(self, call: Message) -> Message:
        id, tool, arguments = call["id"], call["tool"], call["arguments"]
        if tool == "get_editor_state":
            return {"result": STATE}
        if tool in _NEEDS_UNITY:
            self._truth.executions[id] = self._truth.executions.get(id, 0) + 1
        if tool == "read_console":
            number = self._truth.number()
            self._truth.payloads.setdefault(id, set()).add(number)
            return {"result": {**CONSOLE, "count": number}}
        if tool in RESULTS:
            return {"result": self._starts(call)}
        run = self.process.runs.get(arguments["job_id"])
        if tool == "cancel_job":
            return {
                "result": {
                    "job_id": arguments["job_id"],
                    "status": "cancel_requested" if run else "rejected",
                }
            }
        if run is None:
            return _error("ERR_JOB_NOT_FOUND", "not_executed")
        return {"result": _status(run, "running" if run.state == "queued" else run.state)}

    def _starts(self, call: Message) -> Message:
        job_id = f"job-owner-{self._truth.number()}"
        self._truth.runs[job_id] = 1
        self._truth.submitted.add(job_id)
        run = self.process.runs[job_id] = Run(job_id, job_id, call["tool"])
        if call["arguments"]["wait_ms"]:
            self.accepted[call["id"]] = job_id
        return _status(run, "queued")


class AttachLink:
    """The way from our server to the owner (``Link``). ``owners``: all there ever were, the latest
    last.
    """

    def __init__(self) -> None:
        self.owners: List[Owner] = []
        self.is_attached = False  # as far as our server knows
        self.bridge: InMemoryBridge
        self.promises: Promises
        self.places: Places
        self._has_editor = False  # as far as our server knows

    @property
    def owner(self) -> Optional[Owner]:
        return self.owners[-1] if self.is_attached else None

    # What our server does.

    def call(
        self,
        connection_id: int,
        request_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        wants_progress: bool,
        client: Mapping[str, str],
        is_bounded: bool = False,
        is_over_mcp: bool = False,
    ) -> bool:
        owner = self.owner
        if owner is None or not owner.is_there or connection_id != len(self.owners):
            return False
        self.promises.forwarded(request_id, tool, owner.last_number)
        owner.last_number = max(owner.last_number, self.promises.number_of(request_id))
        owner.takes({"id": request_id, "tool": tool, "arguments": dict(arguments)})
        return True

    def abandon(self, request_id: str) -> None:
        if self.owner is not None:
            self.owner.drops(request_id)

    # What happens to it.

    def is_found(self, owner: Owner) -> None:
        self.owners.append(owner)
        self.is_attached = True
        self._has_editor = False
        self._happens(OwnerFound(PORT, "0.1.0", len(self.owners)))

    def says(self, request_id: str, fields: Message) -> None:
        self._happens(OwnerAnswered(request_id, {"type": "ended", "id": request_id, **fields}))

    def accepts(self, owner: Owner) -> None:
        """Report the jobs that calls wait for now."""
        for request_id, job_id in list(owner.accepted.items()):
            del owner.accepted[request_id]
            self._happens(OwnerAccepted(request_id, job_id))

    def sees(self, state: str) -> None:
        self._has_editor = state != "unknown"
        process = self.owners[-1].process
        who = (process.instance_id, process.project, True) if self._has_editor else ()
        self._happens(OwnerSawEditor(state, *who))

    def is_stopping(self) -> None:
        self._happens(OwnerStopping())

    def is_lost(self) -> None:
        self.owners[-1].is_there = False
        self.is_attached = False
        self._happens(OwnerLost("gone"))
        if self._has_editor:
            self.places.inherits(self.owners[-1].process)

    def _happens(self, event: Any) -> None:
        self.bridge.inbox.put(event)
        self.bridge.drain()


def _status(run: Run, state: str) -> Message:
    ended = state in ("succeeded", "failed")
    result = dict(RESULTS[run.tool]) if ended else None
    if result is not None and run.tool == "run_tests":
        result["code_fresh"] = run.is_fresh  # null where the plugin does not say: the owner adds it
    return {
        "job_id": run.ours,
        "tool": run.tool,
        "state": state,
        "progress": None,
        "result": result,
    }


def _error(code: str, guarantee: str, **details: Any) -> Message:
    error = {"code": code, "message": "no", "details": details, "execution_guarantee": guarantee}
    return {"error": error, "request_id": "req-owner-1"}
