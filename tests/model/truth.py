"""What really happened on the editor's side: the record against which everything the server says is
held.

An ``EditorProcess`` lives through connections; a ``Connection`` is one of them. What the server sends lies there until
the editor reads it, and is lost with the connection; what the editor owes as an answer may leave whenever it likes, in
any shape, on the connection that is open at that time.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from tests.fakes import SECRET, FakePeer, InMemoryBridge
from tests.tool_results import COMPILED
from unity_bridge.trust.proof import PLUGIN, proof

Message = Dict[str, Any]

RESULTS: Dict[str, Message] = {
    "run_tests": {
        "summary": {"total": 1, "passed": 1, "failed": 0, "skipped": 0, "duration_ms": 5},
        "failed_tests": [],
    },
    "compile": COMPILED,
    "run_command": {"value": 5},
}
OLD_KEY = ("client-test", "of an earlier server")
ENDED = ("succeeded", "failed", "cancelled", "timeout")
NONCE = "0123456789abcdef"
PROOFS = ("at once", "late", "wrongly", "never")
ROUND_TRIPS = ("execute", "submit_job", "get_job_status", "cancel")


class Truth:
    """What the editors of this world have done, by the ids under which they were asked to."""

    def __init__(self) -> None:
        self.executions: Dict[str, int] = {}  # request id of an execute -> how often it ran
        self.payloads: Dict[str, Set[int]] = {}  # request id -> the results it ran to
        self.refusals: Set[str] = set()  # request ids that an editor would not run
        self.runs: Dict[str, int] = {}  # our job id -> how often an editor began what it is for
        self.keyed_runs: Dict[
            Tuple[int, str, str], int
        ] = {}  # by process, client and key: how often it began that
        self.sent: Set[str] = set()  # request ids that left the server
        self.forwarded: Set[str] = (
            set()
        )  # request ids that went to another server, which owned the port
        self.submitted: Set[str] = set()  # job ids that left the server
        self.fresh: Dict[
            str, Optional[bool]
        ] = {}  # our job id of a test run -> whether it ran on the newest code
        self.never_begun: Set[str] = (
            set()
        )  # job ids of runs that were taken, and failed before their first test
        self._numbers = itertools.count(1)

    def number(self) -> int:
        """One that nothing else has: ids of editors and results of reads never meet by chance."""
        return next(self._numbers)


class Run:
    """A job inside an editor. ``ours`` is the id that the server gave it, ``key`` whose it is and
    which.
    """

    def __init__(
        self, unity_id: str, ours: str, tool: str, key: Optional[Tuple[str, str]] = None
    ) -> None:
        self.unity_id = unity_id
        self.ours = ours
        self.tool = tool
        self.key = key
        self.state = "queued"
        self.error: Optional[Message] = None
        self.is_fresh: Optional[bool] = (
            None  # whether its tests ran on the newest code, as the plugin says
        )


class EditorProcess:
    """One editor process with a plugin in it; ``adopts`` our job ids, or is one of the first, which
    give their own.

    ``proves``: how it proves that it runs as the same user, one of ``PROOFS``.
    """

    def __init__(
        self, truth: Truth, instance_id: Optional[str], adopts: bool, project: str = "/Game"
    ) -> None:
        self.truth = truth
        self.instance_id = instance_id
        self.project = None if instance_id is None else project
        self.proves = "at once"
        self.adopts = adopts
        self.state = "ready"
        self.has_stale_code = False  # something was compiled and not loaded; a reload ends it
        self.number = truth.number()
        self.runs: Dict[str, Run] = {}
        self.owed: List[Message] = []  # answers, as they should be

    def hello(self) -> Message:
        said: Message = {"plugin_version": "0.1.0", "state": self.state}
        if self.instance_id is not None:
            said["editor_instance_id"] = self.instance_id
            said["project_path"] = self.project
        if self.proves != "never":
            said["nonce"] = NONCE
        if self.adopts:
            said["jobs"] = list(self.runs)
            said["job_keys"] = {
                id: list(run.key) for id, run in self.runs.items() if run.key is not None
            }
            said["tools"] = ["read_console", *RESULTS]
            said.update(self.code())
        return said

    def code(self) -> Message:
        """What it says of its loaded code (SPEC §11.7)."""
        return (
            {"code": "pending", "pending_reason": "playing"}
            if self.has_stale_code
            else {"code": "loaded"}
        )

    def comes_back(self, state: str) -> None:
        """It connects again, in ``state``. If it was reloading, that is over, and the newest code
        is loaded.
        """
        self.has_stale_code = self.has_stale_code and self.state != "reloading"
        self.state = state

    def has_run_before(self, job_id: str) -> None:
        """It has a run from the time of an earlier server."""
        self.runs[job_id] = Run(job_id, job_id, "run_tests", OLD_KEY)

    def forgets(self, is_over: Callable[[str], bool]) -> None:
        """Its plugin loses its runs, but none whose acceptance is still to be reported: SPEC 5.2
        rests on that.
        """
        self.runs = {id: run for id, run in self.runs.items() if not is_over(run.ours)}
        for begun in [begun for begun in self.truth.keyed_runs if begun[0] == self.number]:
            del self.truth.keyed_runs[begun]

    def finishes(self, state: str, was_begun: bool) -> None:
        """Its oldest open run comes to an end; one that ``was_begun`` not says so, as our own
        plugin does.
        """
        run = next((run for run in self.runs.values() if run.state not in ENDED), None)
        if run is None:
            return
        if was_begun or run.state != "queued":
            run.state = state
            # A plugin by the founding records does not say.
            run.is_fresh = self.truth.fresh[run.ours] = (
                not self.has_stale_code if self.adopts else None
            )
        else:
            run.state = "failed"
            self.truth.never_begun.add(run.ours)
            details = {"execution_guarantee": "not_executed"}
            run.error = {
                "code": "ERR_UNITY_EXECUTION",
                "message": "scripts do not compile",
                "details": details,
            }

    # Reading one message from the server; ``willing`` is whether it does what it is asked to.

    def reads(self, message: Message, willing: bool) -> None:
        read: Dict[str, Callable[[Message, bool], None]] = {
            "execute": self._reads_execute,
            "submit_job": self._reads_submission,
            "get_job_status": self._reads_question,
            "cancel": self._reads_cancel,
        }
        read[message["type"]](message, willing)

    def _reads_execute(self, message: Message, willing: bool) -> None:
        id, number = message["request_id"], self.truth.number()
        if not willing:
            self.truth.refusals.add(id)
            self._refuses(message, "ERR_RECONFIG_IN_PROGRESS")
            return
        self.truth.executions[id] = self.truth.executions.get(id, 0) + 1
        self.truth.payloads.setdefault(id, set()).add(number)
        result = {"entries": [], "count": number, "truncated": False}
        self.owed.append({"type": "result", "request_id": id, "status": "ok", "result": result})

    def _reads_submission(self, message: Message, willing: bool) -> None:
        ours = message["job_id"]
        run = self.runs.get(ours) if self.adopts else None
        if run is None and not willing:
            self._refuses(message, "ERR_EDITOR_NOT_READY")
            return
        if run is None:
            key = (
                (message["client"]["id"], message["client_request_id"])
                if "client_request_id" in message
                else None
            )
            unity_id = ours if self.adopts else f"unity-{self.truth.number()}"
            run = self.begins(Run(unity_id, ours, message["tool_name"], key))
        answer = {
            "type": "submit_job_result",
            "request_id": message["request_id"],
            "status": "accepted",
        }
        self.owed.append({**answer, "job_id": run.unity_id})

    def begins(self, run: Run) -> Run:
        self.truth.runs[run.ours] = self.truth.runs.get(run.ours, 0) + 1
        if run.key is not None:
            begun = (self.number, *run.key)
            self.truth.keyed_runs[begun] = self.truth.keyed_runs.get(begun, 0) + 1
        self.runs[run.unity_id] = run
        return run

    def _reads_question(self, message: Message, willing: bool) -> None:
        run = self.runs.get(message["job_id"])
        if run is None:
            self._refuses(message, "ERR_JOB_NOT_FOUND")
            return
        if run.state == "queued":
            run.state = "running"
        reply: Message = {
            "type": "job_status",
            "request_id": message["request_id"],
            "job_id": run.unity_id,
        }
        reply["state"] = run.state
        if self.adopts:
            reply["tool_name"] = run.tool
            if run.key is not None:
                reply["client"], reply["client_request_id"] = run.key
            if run.state not in ENDED:
                reply["remaining_ms"] = 100_000
        if run.error is not None:
            reply["error"] = run.error
        elif run.state in ("succeeded", "failed"):
            reply["result"] = dict(RESULTS[run.tool])
            if run.tool == "run_tests" and self.adopts:
                reply["result"]["code_fresh"] = run.is_fresh
        self.owed.append(reply)

    def _reads_cancel(self, message: Message, willing: bool) -> None:
        run = self.runs.get(message["target_job_id"])
        if run is None:
            self._refuses(message, "ERR_JOB_NOT_FOUND")
            return
        status = "rejected" if run.state in ENDED or not willing else "cancel_requested"
        if status == "cancel_requested":
            run.state = "cancelled"
        self.owed.append(
            {"type": "cancel_result", "request_id": message["request_id"], "status": status}
        )

    def _refuses(self, message: Message, code: str) -> None:
        error = {"code": code, "message": "no", "retryable": False, "details": {}}
        self.owed.append({"type": "error", "request_id": message["request_id"], "error": error})


class Connection:
    """One connection of an editor process, or of an unknown peer (``process`` None)."""

    def __init__(
        self,
        bridge: InMemoryBridge,
        process: Optional[EditorProcess],
        heard: Callable[[Connection, Message], None],
    ) -> None:
        self._bridge = bridge
        self._heard = heard
        self.process = process
        self.unread: List[Message] = []
        self.seq = 0
        self.is_attentive = True  # answers pings
        self.is_broken = False  # from this side; the server may not know it yet
        self.has_reported_its_close = False  # that the connection is closed
        self.asked: Optional[str] = None  # the nonce for which a proof is owed
        self.has_proved = False
        self.peer: FakePeer = bridge.open_peer("/unity", self._hear)
        bridge.drain()

    @property
    def is_open(self) -> bool:
        return self.peer.is_open and not self.is_broken

    @property
    def can_speak(self) -> bool:
        """What was said before the server closed it may still be on its way."""
        return not self.is_broken and not self.has_reported_its_close

    def says(self, message: Message) -> None:
        self.says_text(json.dumps({"protocol_version": 1, **message}))

    def says_text(self, text: str) -> None:
        self._bridge.unity.peer_said(self.peer, text)
        self._bridge.drain()

    def says_too_much(self) -> None:
        """A message over the limit: the listener reports it, closes with 1009, and the close is
        reported later.
        """
        self._bridge.unity.peer_overflowed(self.peer)
        self.peer.is_open = False
        self._bridge.drain()

    def reports(self, state: str) -> None:
        self.seq += 1
        self.says({"type": "editor_status", "state": state, "seq": self.seq})

    def reports_its_code(self) -> None:
        assert self.process is not None
        self.says({"type": "pong", **self.process.code()})

    def proves(self, rightly: bool = True) -> None:
        """Says what the server's hello asked for."""
        assert self.asked is not None
        secret = SECRET if rightly else b"x" * 32
        said = {
            "type": "pong",
            "protocol_version": 1,
            "proof": proof(secret, PLUGIN, self.peer.ends, self.asked, NONCE),
        }
        self.asked, self.has_proved = None, rightly
        self._bridge.unity.peer_said(self.peer, json.dumps(said))

    def breaks(self, silently: bool) -> None:
        """The connection is gone, with all that lay on it; ``silently``: the server goes on sending
        into the void.
        """
        self.unread.clear()
        self.is_broken = True
        self.peer.is_open = self.peer.is_open and silently

    def reports_its_close(self) -> None:
        """The server hears of the end of the connection."""
        self.has_reported_its_close = True
        self.peer.is_open = False
        self._bridge.unity.peer_closed(self.peer, 1006, "")
        self._bridge.drain()

    def _hear(self, peer: FakePeer, message: Message) -> None:
        self._heard(self, message)
        if self.is_broken:
            return
        if message["type"] == "ping" and self.is_attentive:
            self._bridge.unity.peer_said(peer, json.dumps({"type": "pong", "protocol_version": 1}))
        elif message["type"] == "hello" and "nonce" in message and self.process is not None:
            self.asked = message["nonce"]
            if self.process.proves != "late":
                self.proves(rightly=self.process.proves == "at once")
        elif message["type"] in ROUND_TRIPS:
            self.unread.append(message)


# The shapes in which an answer can come: text, and whether it names its request.
def misshapen(answer: Message, how: str) -> Tuple[str, bool]:
    """The answer spoilt in one of several ways; return whether it still names its request."""
    whole = {"protocol_version": 1, **answer}
    if how == "wrong values":
        return json.dumps({**whole, "status": 17, "state": [], "result": "?", "job_id": {}}), True
    if how == "wrong result":
        return json.dumps({**whole, "result": {"entries": "none", "summary": 5}}), True
    if how == "wrong kind":
        kind = "cancel_result" if answer["type"] != "cancel_result" else "result"
        return json.dumps(
            {**whole, "type": kind, "status": "rejected" if kind == "cancel_result" else "ok"}
        ), True
    if how == "cut short":
        return json.dumps(whole)[:-2], True
    if how == "without id":
        return json.dumps({**whole, "request_id": None}), False
    return json.dumps({**whole, "request_id": "req-nobody-1"}), False


MISSHAPEN = ("wrong values", "wrong result", "wrong kind", "cut short", "without id", "wrong id")
