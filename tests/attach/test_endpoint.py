"""The owner's attach endpoint: who is let in, and what becomes of the calls that are forwarded to
it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable, Dict, List, Optional, Tuple

import pytest

from tests.fakes import ManualClock
from tests.tool_results import CONSOLE
from unity_bridge.attach.owner_endpoint import AttachEndpoint
from unity_bridge.attach.owner_events import ClientAttached, ClientLeft
from unity_bridge.attach.protocol import VERSION, Reassembly, encode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.calls import Call, OnJob, OnOutcome, OnProgress, Progress
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.log.logger import Logger
from unity_bridge.trust.proof import ATTACHED, OWNER, Ends, proof

SECRET = b"s" * 32
PORT = 8091
MINE = "abcdef0123456789"


class RecordingCallService:
    """Takes calls and lets the test end them."""

    def __init__(self) -> None:
        self.calls: List[Tuple[str, Call, OnOutcome, Optional[OnProgress], Optional[OnJob]]] = []
        self.abandoned: List[str] = []
        self.at_once: Optional[Any] = None

    def submit(
        self,
        call: Call,
        on_outcome: OnOutcome,
        on_progress: Optional[OnProgress] = None,
        on_job: Optional[OnJob] = None,
    ) -> str:
        request_id = f"req-{len(self.calls) + 1}"
        self.calls.append((request_id, call, on_outcome, on_progress, on_job))
        if self.at_once is not None:
            on_outcome(self.at_once)
        return request_id

    def abandon(self, request_id: str) -> None:
        self.abandoned.append(request_id)

    def refused(self) -> None:
        raise AssertionError("the attached server has counted it")


class Visitor:
    """One peer at the endpoint, seen from its own side."""

    def __init__(self, endpoint: AttachEndpoint, id: int) -> None:
        self.id = id
        self.path = "/attach"
        self.ends = Ends(f"127.0.0.1:{50000 + id}", f"127.0.0.1:{PORT}")
        self.heard: List[Dict[str, Any]] = []
        self.closed_with: Optional[int] = None
        self.may_stay = False
        self._endpoint = endpoint
        self._reassembly = Reassembly()
        endpoint.peer_opened(self)

    def send(self, text: str) -> bool:
        taken = self._reassembly.take(text)
        assert isinstance(taken, Ok)
        if taken.value is not None:
            self.heard.append(taken.value)
        return self.closed_with is None

    def close(self, code: int, reason: str) -> None:
        self.closed_with = code

    def abort(self) -> None:
        self.closed_with = 1006

    def introduced(self) -> None:
        self.may_stay = True

    def says(self, type: str, **fields: Any) -> None:
        for piece in encode(type, **fields):
            self._endpoint.peer_said(self, piece)

    def attaches(
        self, secret: bytes = SECRET, version: Any = "0.1.0", ends: Optional[Ends] = None
    ) -> Visitor:
        theirs = str(self.heard[0]["nonce"])
        self.says(
            "attach",
            protocol=VERSION,
            nonce=MINE,
            proof=proof(secret, ATTACHED, ends or self.ends, theirs, MINE),
            version=version,
        )
        return self

    def leaves(self) -> None:
        self._endpoint.peer_closed(self, 1000, "")

    def last(self, type: str) -> Dict[str, Any]:
        return [message for message in self.heard if message["type"] == type][-1]


class Warnings(Logger):
    """Keeps what is warned of."""

    def __init__(self) -> None:
        super().__init__("test.attach")
        self.written: List[str] = []

    def warning(self, text: str, **values: Any) -> None:
        self.written.append(f"{text} {values}")


class Owner:
    def __init__(self, secret: Callable[[], Result[bytes, str]] = lambda: Ok(SECRET)) -> None:
        self.call_service = RecordingCallService()
        self.events: List[Any] = []
        self.on_event: Callable[[Any], object] = lambda event: None
        self.log = Warnings()
        self.endpoint = AttachEndpoint(
            self.call_service,
            RequestValidator(),
            secret,
            "0.1.0",
            self._take,
            ManualClock(),
            self.log,
        )
        self._visitors = 0

    def _take(self, event: Any) -> None:
        self.events.append(event)
        self.on_event(event)

    def visitor(self) -> Visitor:
        self._visitors += 1
        return Visitor(self.endpoint, self._visitors)


@pytest.fixture
def owner() -> Owner:
    return Owner()


def test_a_peer_with_the_secret_is_let_in_and_gets_our_proof(owner: Owner) -> None:
    visitor = owner.visitor().attaches()
    answer = visitor.last("attached")
    assert answer["proof"] == proof(SECRET, OWNER, visitor.ends, MINE, visitor.heard[0]["nonce"])
    assert owner.events == [ClientAttached(1, "0.1.0")] and visitor.may_stay


def test_a_new_peer_gets_the_answer_before_the_editors_state(owner: Owner) -> None:
    """The executor sends each new peer the editor's state, perhaps before the thread that accepted
    the peer is done.
    """
    owner.on_event = lambda event: owner.endpoint.notify("editor", event.peer_id, state="ready")
    visitor = owner.visitor().attaches()
    assert [message["type"] for message in visitor.heard] == ["challenge", "attached", "editor"]


def test_a_peer_without_the_secret_is_refused_and_learns_nothing(owner: Owner) -> None:
    visitor = owner.visitor().attaches(secret=b"guess")
    assert visitor.closed_with == 1008
    assert visitor.last("refused")["code"] == "proof"
    assert "proof" not in visitor.last("refused")
    assert owner.events == [] and not visitor.may_stay


def test_every_peer_is_refused_if_we_have_no_secret() -> None:
    owner = Owner(secret=lambda: Err("no home"))
    visitor = owner.visitor().attaches()
    assert visitor.closed_with == 1008 and owner.events == []


@pytest.mark.parametrize(
    "words",
    [
        {"type": "call", "id": "1", "tool": "read_console", "arguments": {}},
        {"type": "attach"},
        {"type": "attach", "protocol": VERSION + 1, "nonce": MINE, "proof": "x"},
        {"type": "attach", "protocol": VERSION, "nonce": None, "proof": None},
        {"type": "attach", "protocol": VERSION, "nonce": MINE, "proof": None},
        {"type": "attach", "protocol": VERSION, "nonce": MINE, "proof": ["x"]},
        {"type": "attach", "protocol": VERSION, "nonce": MINE, "proof": "\ud800"},
        {"type": "attach", "protocol": VERSION, "nonce": "\ud800" * 16, "proof": "x"},
        {"type": "attach", "protocol": VERSION, "nonce": "f" * 129, "proof": "x"},
        {"type": "hello", "plugin_version": "0.1.0", "state": "ready"},
    ],
)
def test_an_unproven_peer_gets_nothing_whatever_it_sends(
    owner: Owner, words: Dict[str, Any]
) -> None:
    visitor = owner.visitor()
    visitor.says(**words)
    assert visitor.closed_with == 1008
    assert owner.call_service.calls == [] and owner.events == []
    assert len(owner.log.written) == 1 and not visitor.may_stay


def test_garbage_is_refused(owner: Owner) -> None:
    visitor = owner.visitor()
    owner.endpoint.peer_said(visitor, "hello?")
    assert visitor.closed_with == 1008


def test_one_proof_does_not_fit_another_visitor(owner: Owner) -> None:
    first, second = owner.visitor(), owner.visitor()
    stolen = proof(SECRET, ATTACHED, first.ends, first.heard[0]["nonce"], MINE)
    second.says("attach", protocol=VERSION, nonce=MINE, proof=stolen, version="0.1.0")
    assert second.closed_with == 1008


@pytest.mark.parametrize("other", [{"client": "127.0.0.1:1"}, {"server": "127.0.0.1:1"}])
def test_a_proof_for_another_connection_is_refused(owner: Owner, other: Dict[str, str]) -> None:
    """A program in between can pass everything on, but its connection has other ends."""
    visitor = owner.visitor()
    visitor.attaches(ends=replace(visitor.ends, **other))
    assert visitor.closed_with == 1008 and owner.events == []


def test_a_server_of_another_protocol_is_refused_by_code(owner: Owner) -> None:
    visitor = owner.visitor()
    visitor.says("attach", protocol=1, nonce="0123456789abcdef", proof="x", version="1.0.0")
    assert visitor.last("refused")["code"] == "protocol"
    assert visitor.closed_with == 1008


def test_an_invalid_version_is_not_repeated(owner: Owner) -> None:
    owner.visitor().attaches(version="1.0\x1b[2J" + "x" * 3000)
    owner.visitor().attaches(version=["\ud800"])
    assert {event.version for event in owner.events} == {"of an unknown version"}
    assert owner.log.written and all(
        "\x1b" not in line and len(line) < 300 for line in owner.log.written
    )


def test_a_thousand_unproven_peers_cause_only_a_few_log_lines(owner: Owner) -> None:
    for _ in range(1000):
        visitor = owner.visitor()
        visitor.says("attach", protocol=VERSION, nonce="\ud800", proof="x")
        visitor.leaves()
    assert len(owner.log.written) == 1


def test_more_servers_than_there_is_room_for_are_refused(owner: Owner) -> None:
    visitors = [owner.visitor().attaches() for _ in range(65)]
    assert visitors[-1].last("refused")["code"] == "full"
    assert [visitor.closed_with for visitor in visitors] == [None] * 64 + [1008]
    visitors[0].leaves()
    assert owner.visitor().attaches().closed_with is None


def test_unproven_peers_do_not_pile_up(owner: Owner) -> None:
    guest = owner.visitor().attaches()
    unproven_peers = [owner.visitor() for _ in range(68)]
    assert [unproven.closed_with for unproven in unproven_peers[:4]] == [1008] * 4
    assert unproven_peers[-1].closed_with is None and guest.closed_with is None


def test_a_call_goes_through_the_door_and_its_outcome_back(owner: Owner) -> None:
    visitor = owner.visitor().attaches()
    visitor.says(
        "call",
        id="theirs-1",
        tool="read_console",
        arguments={"max_entries": 5, "timeout_ms": 700, "client_request_id": "me"},
    )
    ((_, call, on_outcome, on_progress, _),) = owner.call_service.calls
    assert (call.params["max_entries"], call.timeout_ms, call.client_request_id) == (5, 700, "me")
    assert on_progress is None
    on_outcome(Ok(CONSOLE))
    assert visitor.last("ended") == {
        "type": "ended",
        "id": "theirs-1",
        "result": CONSOLE,
    }


def test_progress_goes_back_if_it_is_wanted(owner: Owner) -> None:
    visitor = owner.visitor().attaches()
    visitor.says(
        "call",
        id="1",
        tool="get_job_status",
        arguments={"job_id": "j", "wait_ms": 100},
        wants_progress=True,
    )
    ((_, _, _, on_progress, _),) = owner.call_service.calls
    assert on_progress is not None
    on_progress(Progress(1, 2, "A"))
    assert visitor.last("progress") == {
        "type": "progress",
        "id": "1",
        "completed": 1,
        "total": 2,
        "current_test": "A",
    }


def test_progress_in_steps_goes_back_as_such(owner: Owner) -> None:
    visitor = owner.visitor().attaches()
    visitor.says("call", id="1", tool="compile", arguments={}, wants_progress=True)
    ((_, _, _, on_progress, _),) = owner.call_service.calls
    assert on_progress is not None
    on_progress(Progress(step="compiling", for_ms=1500))
    assert visitor.last("progress") == {
        "type": "progress",
        "id": "1",
        "step": "compiling",
        "for_ms": 1500,
    }


@pytest.mark.parametrize(
    "said, known_as", [("claude 7", "claude 7"), (None, "attached-1"), ("\n", "attached-1")]
)
def test_a_call_is_its_clients(owner: Owner, said: Optional[str], known_as: str) -> None:
    visitor = owner.visitor().attaches()
    visitor.says("call", id="1", tool="compile", arguments={}, client={"id": said, "name": "agent"})
    ((_, call, _, _, on_job),) = owner.call_service.calls
    assert call.client == known_as
    assert on_job is not None
    on_job("job-7")
    assert visitor.last("accepted") == {"type": "accepted", "id": "1", "job_id": "job-7"}


def test_attached_servers_get_the_editors_changes_and_unproven_peers_do_not(owner: Owner) -> None:
    first, second, unproven = (
        owner.visitor().attaches(),
        owner.visitor().attaches(),
        owner.visitor(),
    )
    owner.endpoint.notify("editor", state="compiling")
    owner.endpoint.notify("editor", second.id, state="ready")
    assert (
        first.last("editor")["state"] == "compiling" and second.last("editor")["state"] == "ready"
    )
    assert [message["type"] for message in unproven.heard] == ["challenge"]


def test_a_call_that_this_version_does_not_take_is_answered(owner: Owner) -> None:
    visitor = owner.visitor().attaches()
    visitor.says("call", id="1", tool="bake_lighting", arguments={})
    visitor.says("call", id="2", tool="read_console", arguments={"max_entries": -1})
    assert [
        message["error"]["code"] for message in visitor.heard if message["type"] == "ended"
    ] == [
        "ERR_UNKNOWN_COMMAND",
        "ERR_INVALID_PARAMS",
    ]
    assert owner.call_service.calls == []


def test_an_abandoned_call_is_abandoned_and_an_ended_one_is_not(owner: Owner) -> None:
    visitor = owner.visitor().attaches()
    visitor.says("call", id="1", tool="read_console", arguments={})
    visitor.says("abandon", id="1")
    visitor.says("call", id="2", tool="read_console", arguments={})
    owner.call_service.calls[1][2](Ok({}))
    visitor.says("abandon", id="2")
    visitor.says("abandon", id="never")
    assert owner.call_service.abandoned == ["req-1"]


def test_a_server_that_detaches_cancels_its_calls(owner: Owner) -> None:
    owner.call_service.at_once = Ok({})
    visitor = owner.visitor().attaches()
    visitor.says("call", id="ended", tool="read_console", arguments={})
    owner.call_service.at_once = None
    visitor.says("call", id="open", tool="read_console", arguments={})
    visitor.leaves()
    assert owner.call_service.abandoned == ["req-2"]
    assert owner.events[-1] == ClientLeft(1)
    visitor.leaves()
    assert owner.events.count(ClientLeft(1)) == 1
    owner.endpoint.peer_said(visitor, ".{}")


def test_an_unproven_peer_leaves_no_trace_when_it_disconnects(owner: Owner) -> None:
    owner.visitor().leaves()
    assert owner.events == []


def test_a_ping_is_answered(owner: Owner) -> None:
    visitor = owner.visitor().attaches()
    visitor.says("ping")
    assert visitor.heard[-1] == {"type": "pong"}
