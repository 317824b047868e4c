"""SPEC §14: a server that is attached to the owner of the port, and what it does when the owner is
lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Mapping, Optional, Tuple

import pytest

from tests.fakes import PORT, InMemoryBridge, PendingCall
from tests.tool_results import COMPILED, CONSOLE
from unity_bridge.attach.owner_events import (
    ClientAttached,
    ClientLeft,
    OwnerAccepted,
    OwnerAnswered,
    OwnerFound,
    OwnerLost,
    OwnerProgressed,
    OwnerSawEditor,
    OwnerStopping,
)
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.calls import Progress
from unity_bridge.config import Config
from unity_bridge.unity.bridge_client import ListenerLost

JOB = {"job_id": "job-1", "tool": "compile", "state": "running", "client": "other"}


class Owner:
    """The server that has the port, played by the test: what was forwarded to it, and what it says."""

    def __init__(self) -> None:
        self.bridge: InMemoryBridge
        self.is_there = True
        self.connection_id = 1
        self.calls: List[Tuple[str, str, Dict[str, Any], bool]] = []
        self.clients: List[str] = []
        self.bounded: List[bool] = []
        self.abandoned: List[str] = []

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
        is_taken = self.is_there and connection_id == self.connection_id
        if is_taken:
            self.calls.append((request_id, tool, dict(arguments), wants_progress))
            self.clients.append(client["id"])
            self.bounded.append(is_bounded)
        return is_taken

    def abandon(self, request_id: str) -> None:
        self.abandoned.append(request_id)

    def is_found(self) -> Owner:
        self.bridge.inbox.put(OwnerFound(PORT, "0.1.0", self.connection_id))
        self.bridge.drain()
        return self

    def answers(self, call: PendingCall, **fields: Any) -> None:
        self.bridge.inbox.put(
            OwnerAnswered(call.request_id, {"type": "ended", "id": call.request_id, **fields})
        )
        self.bridge.drain()

    def fails(self, call: PendingCall, code: str, guarantee: str, **details: Any) -> None:
        error = {
            "code": code,
            "message": "no",
            "details": details,
            "execution_guarantee": guarantee,
        }
        self.answers(call, error=error, request_id="req-owner-7")

    def accepts(self, call: PendingCall, job_id: str) -> None:
        self.bridge.inbox.put(OwnerAccepted(call.request_id, job_id))
        self.bridge.drain()

    def sees(self, state: str, **who: Any) -> None:
        self.bridge.inbox.put(OwnerSawEditor(state, **who))
        self.bridge.drain()

    def is_stopping(self) -> None:
        self.bridge.inbox.put(OwnerStopping())
        self.bridge.drain()

    def is_lost(self) -> None:
        self.is_there = False
        self.bridge.inbox.put(OwnerLost("gone"))
        self.bridge.drain()


class AttachedServersOfRecord:
    """Keeps the messages from the owner."""

    def __init__(self) -> None:
        self.notices: List[Tuple[str, Optional[int], Dict[str, Any]]] = []

    def notify(self, type: str, peer_id: Optional[int] = None, **fields: Any) -> None:
        self.notices.append((type, peer_id, fields))


@pytest.fixture
def owner() -> Owner:
    owner = Owner()
    owner.bridge = InMemoryBridge(listening=False, link=owner)
    return owner.is_found()


def test_calls_are_forwarded_with_all_that_belongs_to_them(owner: Owner) -> None:
    call = owner.bridge.agent.calls(
        "read_console", max_entries=7, timeout_ms=900, client_request_id="me"
    )
    ((request_id, tool, arguments, wants_progress),) = owner.calls
    assert (request_id, tool, wants_progress) == (call.request_id, "read_console", True)
    assert (arguments["max_entries"], arguments["timeout_ms"], arguments["client_request_id"]) == (
        7,
        900,
        "me",
    )
    owner.answers(call, result=CONSOLE)
    assert call.answer == CONSOLE


def test_an_error_of_the_owner_is_passed_on_whole(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.fails(call, "ERR_QUEUE_FULL", "not_executed", queue_max_size=32)
    assert (call.code, call.guarantee, call.error["retryable"]) == (
        "ERR_QUEUE_FULL",
        "not_executed",
        True,
    )
    assert call.error["details"]["request_id"] == "req-owner-7"
    assert call.error["details"]["queue_max_size"] == 32


def test_the_state_is_the_owners_but_the_role_is_ours(owner: Owner) -> None:
    call = owner.bridge.agent.calls("get_editor_state")
    owner.answers(call, result={"editor_state": "ready", "role": "owner", "clients": 3})
    assert call.answer == {"editor_state": "ready", "role": "attached", "clients": 3}


def test_progress_passes_through(owner: Owner) -> None:
    call = owner.bridge.agent.calls("get_job_status", job_id="job-1", wait_ms=1000)
    owner.bridge.inbox.put(OwnerProgressed(call.request_id, Progress(1, 2, "A")))
    owner.bridge.drain()
    assert call.progress == [Progress(1, 2, "A")]


def test_a_call_that_its_client_gives_up_is_given_up_there_too(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.bridge.agent.gives_up(call)
    assert owner.abandoned == [call.request_id]
    owner.answers(call, result=CONSOLE)
    assert not call.is_answered


def test_calls_that_waited_before_the_owner_was_found_are_forwarded(owner: Owner) -> None:
    bridge = InMemoryBridge(listening=False, link=owner)
    owner.bridge = bridge
    first, second = bridge.agent.calls("read_console"), bridge.agent.calls("run_tests", wait_ms=0)
    owner.is_found()
    assert [call[0] for call in owner.calls] == [first.request_id, second.request_id]
    bridge.advance(5)
    assert not first.is_answered, "how long it is parked is the owner's business now"
    owner.answers(first, result=CONSOLE)
    owner.answers(second, result={"job_id": "job-1", "state": "queued"})
    assert second.answer["job_id"] == "job-1"


def test_a_read_outlives_the_owner_when_another_server_takes_the_port(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.is_lost()
    assert not call.is_answered
    owner.is_there = True
    owner.is_found()
    assert [forwarded[0] for forwarded in owner.calls] == [call.request_id, call.request_id]
    owner.answers(call, result=CONSOLE)
    assert call.answer == CONSOLE


def test_a_read_outlives_the_owner_when_we_take_the_port(owner: Owner) -> None:
    bridge = owner.bridge
    first, second = (
        bridge.agent.calls("read_console", max_entries=1),
        bridge.agent.calls("read_console", max_entries=2),
    )
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.editor.connects()
    assert bridge.editor.last("execute")["params"]["max_entries"] == 1, "in the order they came"
    bridge.editor.answers(CONSOLE)
    bridge.editor.answers(CONSOLE)
    assert first.is_answered and second.is_answered


def test_if_no_server_takes_the_port_the_read_may_have_run(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.is_lost()
    owner.bridge.advance(2.5)
    assert (call.code, call.guarantee, call.error["retryable"]) == (
        "ERR_RECONNECT_TIMEOUT",
        "unknown",
        True,
    )
    assert call.error["details"]["not_repeated"] == "ERR_EDITOR_NOT_READY"
    assert "Nothing was run" not in call.error["message"]


def test_the_next_owner_has_no_word_on_what_the_last_one_did_with_a_read(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.is_lost()
    owner.is_there = True
    owner.is_found()
    owner.fails(call, "ERR_QUEUE_FULL", "not_executed", queue_max_size=32)
    assert (call.code, call.guarantee) == ("ERR_RECONNECT_TIMEOUT", "unknown")


def test_a_frozen_owner_that_keeps_the_port_may_run_the_read_when_it_thaws(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.is_lost()
    owner.bridge.port_is_taken()
    assert (call.code, call.guarantee) == ("ERR_RECONNECT_TIMEOUT", "unknown")


def test_the_queue_has_its_bound_for_what_comes_back_too(owner: Owner) -> None:
    calls = [owner.bridge.agent.calls("read_console") for _ in range(34)]
    owner.is_lost()
    assert [call.is_answered for call in calls] == [False] * 32 + [True] * 2
    assert (calls[-1].code, calls[-1].guarantee) == ("ERR_RECONNECT_TIMEOUT", "unknown")
    assert calls[-1].error["details"]["not_repeated"] == "ERR_QUEUE_FULL"


def test_a_call_that_the_owner_handed_back_has_not_run(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.fails(call, "ERR_EDITOR_NOT_READY", "not_executed", reason="stopping")
    owner.is_lost()
    owner.bridge.advance(2.5)
    assert (call.code, call.guarantee) == ("ERR_EDITOR_NOT_READY", "not_executed")


@pytest.mark.parametrize(
    ("tool", "arguments"), [("run_tests", {}), ("cancel_job", {"job_id": "job-1"})]
)
def test_a_call_that_is_not_a_read_gets_what_is_known(
    owner: Owner, tool: str, arguments: Dict[str, Any]
) -> None:
    call = owner.bridge.agent.calls(tool, **arguments)
    owner.is_lost()
    assert (call.code, call.guarantee, call.error["retryable"]) == (
        "ERR_RECONNECT_TIMEOUT",
        "unknown",
        False,
    )
    owner.bridge.port_is_free_again()
    owner.bridge.editor.connects()
    assert owner.bridge.editor.heard("submit_job") == []


def test_a_question_about_a_job_can_be_asked_again(owner: Owner) -> None:
    call = owner.bridge.agent.asks("job-1")
    owner.is_lost()
    assert (call.code, call.error["retryable"]) == ("ERR_EDITOR_NOT_READY", True)
    bridge = owner.bridge
    bridge.port_is_free_again()
    bridge.editor.connects(jobs=["job-1"])
    again = bridge.agent.asks("job-1")
    bridge.editor.reports_job("running")
    assert again.answer["state"] == "running"


@pytest.mark.parametrize("ours", [None, "/mnt/c/Game"])
@pytest.mark.parametrize("owners", [None, "/home/ada/far"])
def test_each_server_says_where_its_own_client_sees_the_project(
    ours: Optional[str], owners: Optional[str]
) -> None:
    """Two clients of one editor may see its project in different places."""
    expected = {} if ours is None else {"client_project_path": ours}
    owner = Owner()
    owner.bridge = InMemoryBridge(Config(client_project=ours), listening=False, link=owner)
    owner.is_found()
    asked = owner.bridge.agent.calls("get_editor_state")
    of_the_owner = (
        InMemoryBridge(Config(client_project=owners)).agent.calls("get_editor_state").answer
    )
    assert of_the_owner.get("client_project_path") == owners
    owner.answers(asked, result=of_the_owner)
    again = owner.bridge.agent.calls("get_editor_state")
    owner.bridge.advance(0.5)
    for answer in (asked.answer, again.answer):
        assert {name: answer[name] for name in answer if name == "client_project_path"} == expected
        assert (
            owner.bridge.validator.check_result(
                owner.bridge.validator.catalogue["get_editor_state"], answer
            )
            is None
        )
    assert again.answer["stale"] is True


def test_a_remaining_server_reports_the_state(owner: Owner) -> None:
    call = owner.bridge.agent.calls("get_editor_state")
    owner.is_lost()
    assert (call.answer["role"], call.answer["connected"]) == ("none", False)


def test_an_owner_that_is_stuck_does_not_keep_the_state_from_anyone(owner: Owner) -> None:
    call = owner.bridge.agent.calls("get_editor_state")
    owner.bridge.advance(0.4)
    assert not call.is_answered
    owner.bridge.advance(0.1)
    assert (call.answer["role"], call.answer["connected"]) == ("attached", False)
    assert "does not answer" in call.answer["listener"]["remark"] and call.answer["stale"] is True
    assert owner.abandoned == [call.request_id]


def test_the_last_state_of_a_stuck_owner_is_marked_as_stale(owner: Owner) -> None:
    """Not what this server knows by itself: to it no editor is connected, and that is no news of
    the editor.
    """
    bridge = owner.bridge
    first = bridge.agent.calls("get_editor_state")
    alone = InMemoryBridge().agent.calls("get_editor_state").answer
    said = {**alone, "connected": True, "editor_state": "compiling", "running_jobs": [JOB]}
    owner.answers(first, result=said)
    assert "stale" not in first.answer
    second = bridge.agent.calls("get_editor_state")
    bridge.advance(0.5)
    state = second.answer
    assert (state["connected"], state["editor_state"], state["running_jobs"]) == (
        True,
        "compiling",
        [JOB],
    )
    assert (state["role"], state["stale"]) == ("attached", True)
    assert "said last" in state["listener"]["remark"]
    assert (
        bridge.validator.check_result(bridge.validator.catalogue["get_editor_state"], state) is None
    )
    owner.is_lost()
    third = bridge.agent.calls("get_editor_state")
    assert "stale" not in third.answer and third.answer["connected"] is False


def test_a_job_that_the_owner_reported_is_known_after_the_owner_is_gone(owner: Owner) -> None:
    bridge = owner.bridge
    run = bridge.agent.calls("run_tests", wait_ms=0)
    owner.answers(run, result={"job_id": "job-1", "state": "queued"})
    status = bridge.agent.asks("job-1")
    owner.answers(
        status, result={"job_id": "job-1", "state": "running", "progress": None, "result": None}
    )
    owner.is_lost()
    bridge.port_is_free_again()
    state = bridge.agent.asks("job-1").answer
    assert (state["state"], state["stale"]) == ("running", True)
    waiting = bridge.agent.asks("job-1", wait_ms=5000)
    assert not waiting.is_answered, "it waits for the plugin to come to us"
    bridge.editor.connects(jobs=["job-1"])
    bridge.editor.reports_job("cancelled")
    assert waiting.answer["state"] == "cancelled"


def test_a_jobs_end_that_the_owner_reported_outlives_the_owner(owner: Owner) -> None:
    status = owner.bridge.agent.asks("job-1")
    owner.answers(
        status, result={"job_id": "job-1", "state": "failed", "progress": None, "result": None}
    )
    owner.is_lost()
    assert owner.bridge.agent.asks("job-1").answer["state"] == "failed"


def test_a_job_that_the_owner_reported_is_not_lost_while_another_follows_it(owner: Owner) -> None:
    run = owner.bridge.agent.calls("run_tests", wait_ms=0)
    owner.answers(run, result={"job_id": "job-1", "state": "queued"})
    owner.is_lost()
    owner.is_there = True
    owner.is_found()
    owner.bridge.advance(120)
    assert owner.bridge.job("job-1").state.value == "running"
    owner.is_lost()
    owner.bridge.advance(60)
    assert owner.bridge.job("job-1").state.value == "failed"


def test_a_job_whose_client_never_asks_for_its_end_is_forgotten_as_the_owner_forgets_it(
    owner: Owner,
) -> None:
    # SPEC §5.4: it ends after job_max_timeout_ms at the latest, and the owner keeps it for half an
    # hour after that.
    bridge = owner.bridge
    for number in range(3):
        run = bridge.agent.calls(
            "run_command", name=f"build-{number}", wait_ms=0, client_request_id=f"key-{number}"
        )
        owner.answers(
            run, result={"job_id": f"job-{number}", "tool": "run_command", "state": "running"}
        )
        bridge.advance(1800)
    bridge.advance(1)
    last = bridge.agent.calls("run_command", name="build-3", wait_ms=0)
    owner.answers(last, result={"job_id": "job-3", "tool": "run_command", "state": "running"})
    assert [job.id for job in bridge.stores.jobs.all()] == ["job-2", "job-3"]
    bridge.agent.calls("run_command", name="build-0", wait_ms=0, client_request_id="key-0")
    _, tool, arguments, _ = owner.calls[-1]
    assert (tool, arguments["client_request_id"]) == ("run_command", "key-0"), (
        "the owner decides whether it has run"
    )
    again = bridge.agent.asks("job-0")
    owner.answers(
        again,
        result={"job_id": "job-0", "tool": "run_command", "state": "succeeded", "result": None},
    )
    assert (again.answer["state"], bridge.job("job-0").state.value) == ("succeeded", "succeeded")


def test_an_owner_that_is_stopped_hands_back_what_never_ran(owner: Owner) -> None:
    bridge = owner.bridge
    run = bridge.agent.calls("run_tests", wait_ms=0)
    read = bridge.agent.calls("read_console")
    owner.fails(run, "ERR_EDITOR_NOT_READY", "not_executed", reason="stopping")
    owner.fails(read, "ERR_RECONNECT_TIMEOUT", "unknown", reason="stopping")
    owner.is_lost()
    assert not run.is_answered and not read.is_answered
    bridge.port_is_free_again()
    bridge.editor.connects()
    assert run.answer["state"] == "queued"
    bridge.editor.accepts_job()
    bridge.editor.answers(CONSOLE)
    assert read.answer == CONSOLE


def test_a_call_is_accepted_before_its_job_is_submitted(bridge: InMemoryBridge) -> None:
    """An attached server counts on it: what was not accepted when the owner began to stop was never
    submitted.
    """
    call, submitted = bridge.validator.validate("run_command", {"name": "build"}), []
    assert isinstance(call, Ok)
    for _ in ("parked", "at once"):
        now = lambda _: submitted.append(len(bridge.editor.heard("submit_job")))  # noqa: E731
        bridge.call_service.submit(
            replace(call.value, client=str(len(submitted))), lambda _: None, None, now
        )
        bridge.drain()
        if not submitted:
            bridge.editor.connects(tools=["run_command"])
        bridge.editor.accepts_job()
    assert submitted == [0, 1]


def test_a_job_call_that_an_ending_owner_has_neither_accepted_nor_answered_runs_here(
    owner: Owner,
) -> None:
    """It says that it has accepted a call before it submits its job, and submits nothing after it
    says that it ends.
    """
    run = owner.bridge.agent.calls("run_command", name="build", wait_ms=1000)
    accepted = owner.bridge.agent.calls("run_command", name="bake", wait_ms=1000)
    owner.accepts(accepted, "job-1")
    owner.is_stopping()
    owner.is_lost()
    assert not run.is_answered
    owner.bridge.port_is_free_again()
    owner.bridge.editor.connects(tools=["run_command"])
    assert [job["params"]["name"] for job in owner.bridge.editor.heard("submit_job")] == ["build"]


@pytest.mark.parametrize("key", [None, "key-1"])
def test_a_job_that_never_left_the_queue_of_an_ending_owner_is_a_new_one_here(
    owner: Owner, key: Optional[str]
) -> None:
    call = owner.bridge.agent.calls(
        "run_command", name="build", wait_ms=1000, client_request_id=key
    )
    owner.accepts(call, "job-1")
    owner.is_stopping()
    details = {"reason": "stopping", "execution_guarantee": "not_executed"}
    stopped = {"code": "ERR_EDITOR_NOT_READY", "message": "m", "details": details}
    result = {
        "job_id": "job-1",
        "tool": "run_command",
        "state": "failed",
        "result": None,
        "error": stopped,
    }
    owner.answers(call, result=result)
    owner.is_lost()
    assert not call.is_answered
    owner.bridge.port_is_free_again()
    owner.bridge.editor.connects(tools=["run_command"]).accepts_job()
    (submitted,) = owner.bridge.editor.heard("submit_job")
    assert submitted["job_id"] != "job-1" and submitted.get("client_request_id") == key
    owner.bridge.editor.reports_job("succeeded", result={"value": 7})
    assert (call.answer["state"], call.answer["result"]["value"]) == ("succeeded", 7)


def test_a_job_call_that_ran_at_a_stopped_owner_has_an_unknown_end(owner: Owner) -> None:
    run = owner.bridge.agent.calls("run_tests", wait_ms=0)
    owner.fails(run, "ERR_RECONNECT_TIMEOUT", "unknown", reason="stopping")
    assert (run.code, run.guarantee) == ("ERR_RECONNECT_TIMEOUT", "unknown")


def test_a_call_that_no_longer_reaches_the_owner_waits_and_runs_here(owner: Owner) -> None:
    owner.is_there = False
    call = owner.bridge.agent.calls("read_console")
    owner.is_lost()
    owner.bridge.port_is_free_again()
    owner.bridge.editor.connects()
    owner.bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_a_call_is_not_handed_to_the_next_owner_before_the_end_of_the_last_one_was_heard(
    owner: Owner,
) -> None:
    """Otherwise it would be lost with the last owner, and a run that continues there would be
    reported as unknown.
    """
    owner.connection_id = 2
    call = owner.bridge.agent.calls("run_tests", wait_ms=0)
    assert not owner.calls and not call.is_answered
    owner.bridge.inbox.put(OwnerLost("gone"))
    owner.bridge.drain()
    owner.is_found()
    assert [name for _, name, _, _ in owner.calls] == ["run_tests"]
    owner.answers(call, result={"job_id": "job-1", "state": "queued"})
    assert call.answer["job_id"] == "job-1"


def test_first_come_is_first_served_also_when_the_owner_was_gone_before_we_knew_it(
    owner: Owner,
) -> None:
    bridge = owner.bridge
    forwarded = [bridge.agent.calls("read_console", max_entries=entries) for entries in (1, 2)]
    owner.is_there = False
    kept = bridge.agent.calls("read_console", max_entries=3)
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.editor.connects()
    for _ in range(3):
        bridge.editor.answers(CONSOLE)
    assert [message["params"]["max_entries"] for message in bridge.editor.heard("execute")] == [
        1,
        2,
        3,
    ]
    assert all(call.is_answered for call in (*forwarded, kept))


def test_a_stop_ends_forwarded_calls_as_unknown(owner: Owner) -> None:
    read, run = (
        owner.bridge.agent.calls("read_console"),
        owner.bridge.agent.calls("run_tests", wait_ms=0),
    )
    owner.bridge.stop()
    assert (read.code, run.code) == ("ERR_RECONNECT_TIMEOUT", "ERR_RECONNECT_TIMEOUT")
    assert (read.guarantee, run.guarantee) == ("unknown", "unknown")


def test_a_late_answer_moves_nothing(owner: Owner) -> None:
    call = owner.bridge.agent.calls("read_console")
    owner.answers(call, result=CONSOLE)
    owner.answers(call, result=CONSOLE)
    assert call.answer == CONSOLE


def test_the_owner_counts_its_clients(bridge: InMemoryBridge) -> None:
    bridge.inbox.put(ClientAttached(5, "0.1.0"))
    bridge.inbox.put(ClientAttached(6, "0.1.0"))
    bridge.drain()
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["role"], state["clients"]) == ("owner", 3)
    bridge.inbox.put(ClientLeft(5))
    bridge.drain()
    assert bridge.agent.calls("get_editor_state").answer["clients"] == 2


def test_a_server_that_does_not_share_is_named_with_its_reason(bridge: InMemoryBridge) -> None:
    blocked = InMemoryBridge(listening=False)
    blocked.port_is_taken("pid 7 (unity-bridge)", remark="it belongs to another user")
    call = blocked.agent.calls("read_console")
    assert "pid 7 (unity-bridge) (it belongs to another user)" in call.error["message"]
    assert (
        blocked.agent.calls("get_editor_state").answer["listener"]["remark"]
        == "it belongs to another user"
    )


# A call that waits for a job outlives the owner (SPEC §15.4).


def test_a_waiting_call_is_forwarded_with_its_wait_and_its_client(owner: Owner) -> None:
    call = owner.bridge.agent.compiles(client_request_id="k", as_client="me")
    ((_, tool, arguments, _),) = owner.calls
    assert (tool, arguments["wait_ms"], arguments["client_request_id"]) == ("compile", 50000, "k")
    assert owner.clients == ["me"]
    owner.answers(
        call,
        result={"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": {"ok": True}},
    )
    assert call.answer["result"] == {"ok": True}
    assert owner.bridge.job("job-1").result_dropped, "an attached server keeps states, not results"


def test_a_call_that_waits_goes_on_waiting_when_we_take_the_port(owner: Owner) -> None:
    bridge = owner.bridge
    call = bridge.agent.compiles()
    owner.accepts(call, "job-1")
    bridge.advance(10)
    owner.is_lost()
    assert not call.is_answered
    bridge.port_is_free_again()
    bridge.editor.connects(jobs=["job-1"])
    bridge.editor.reports_job("running", tool_name="compile", remaining_ms=200000)
    bridge.advance(1)
    bridge.editor.reports_job("succeeded", tool_name="compile", result=COMPILED)
    assert (call.answer["state"], call.answer["result"]) == ("succeeded", COMPILED)
    assert bridge.editor.heard("submit_job") == []


def outlives_the_owner(owner: Owner, call: PendingCall, after_s: float) -> None:
    """The owner ends during a reload, and the editor comes back to us, so long afterwards, with the
    result.
    """
    bridge = owner.bridge
    owner.sees("reloading")
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.advance(after_s)
    assert not call.is_answered
    bridge.editor.connects(jobs=["job-1"])
    bridge.editor.reports_job("succeeded", tool_name="compile", result=COMPILED)
    assert call.answer["result"] == COMPILED


def test_a_job_call_goes_on_waiting_over_a_reload_that_only_the_owner_saw(owner: Owner) -> None:
    call = owner.bridge.agent.compiles()
    owner.accepts(call, "job-1")
    outlives_the_owner(owner, call, 30)


def test_a_question_about_a_job_that_only_the_editor_knows_outlives_the_owner(owner: Owner) -> None:
    outlives_the_owner(owner, owner.bridge.agent.asks("job-1", wait_ms=40_000), 20)


def test_a_job_keeps_its_deadline_when_we_take_the_port(owner: Owner) -> None:
    call = owner.bridge.agent.calls("run_tests", timeout_ms=60_000)
    owner.accepts(call, "job-7")
    owner.is_lost()
    owner.bridge.port_is_free_again()
    owner.bridge.editor.connects(jobs=["job-7"])
    owner.bridge.editor.reports_job("running", tool_name="run_tests", remaining_ms=4000)
    owner.bridge.advance(4)
    assert (call.answer["state"], call.answer["error"]["code"]) == (
        "timeout",
        "ERR_REQUEST_TIMEOUT",
    )


def test_a_command_that_is_called_again_runs_once_when_we_take_the_port(owner: Owner) -> None:
    # SPEC §15.7 without a key: what this server has forwarded it recognises.
    bridge = owner.bridge
    first = bridge.agent.calls("run_command", name="build_player")
    owner.accepts(first, "job-7")
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.editor.connects(jobs=["job-7"])
    bridge.editor.reports_job("running", tool_name="run_command")
    again = bridge.agent.calls("run_command", name="build_player")
    for _ in range(3):
        bridge.editor.reports_job("running", tool_name="run_command")
        bridge.advance(1)
    bridge.editor.reports_job("succeeded", tool_name="run_command", result={"value": 7})
    assert bridge.editor.heard("submit_job") == []
    assert first.answer["result"] == again.answer["result"] == {"value": 7}
    assert again.answer["joined"] is True and again.answer["job_id"] == "job-7"


def test_a_call_that_waits_goes_on_waiting_at_the_next_owner(owner: Owner) -> None:
    call = owner.bridge.agent.compiles(client_request_id="k")
    owner.accepts(call, "job-1")
    owner.bridge.advance(10)
    owner.is_lost()
    owner.is_there = True
    owner.is_found()
    request_id, tool, arguments, _ = owner.calls[-1]
    assert (request_id, tool, arguments) == (
        call.request_id,
        "get_job_status",
        {"job_id": "job-1", "wait_ms": 40000},
    )
    owner.answers(
        call,
        result={"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": {"ok": True}},
    )
    assert call.answer["result"] == {"ok": True} and "joined" not in call.answer


def test_a_call_that_waits_in_vain_for_the_next_owner_gets_what_is_known(owner: Owner) -> None:
    call = owner.bridge.agent.compiles(wait_ms=20000)
    owner.accepts(call, "job-1")
    owner.is_lost()
    owner.bridge.advance(20)
    assert (call.answer["job_id"], call.answer["state"], call.answer["stale"]) == (
        "job-1",
        "running",
        True,
    )


def test_a_waiting_call_ends_as_unknown_if_the_editor_does_not_know_its_job(owner: Owner) -> None:
    bridge = owner.bridge
    call = bridge.agent.compiles()
    owner.accepts(call, "job-1")
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.editor.connects(jobs=[])
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    error = call.answer["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_RECONNECT_TIMEOUT",
        "unknown",
    )


def test_a_job_that_is_still_queued_here_is_not_asked_of_an_owner(owner: Owner) -> None:
    """The port was ours, and another server has taken it over from under us."""
    bridge = InMemoryBridge(link=owner)
    owner.bridge = bridge
    bridge.editor.connects()
    bridge.agent.calls("read_console")
    call = bridge.agent.compiles()
    bridge.inbox.put(ListenerLost())
    owner.is_found()
    assert owner.calls == [] and not call.is_answered
    bridge.stop()


def test_a_job_status_from_an_ending_owner_does_not_answer_a_waiting_call(owner: Owner) -> None:
    call = owner.bridge.agent.compiles()
    owner.accepts(call, "job-1")
    owner.is_stopping()
    owner.answers(
        call, result={"job_id": "job-1", "tool": "compile", "state": "running", "result": None}
    )
    owner.is_lost()
    assert not call.is_answered
    owner.is_there = True
    owner.is_found()
    owner.answers(
        call, result={"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": None}
    )
    assert call.answer["state"] == "succeeded"


def test_a_jobs_end_from_an_ending_owner_counts(owner: Owner) -> None:
    call = owner.bridge.agent.compiles()
    owner.accepts(call, "job-1")
    owner.is_stopping()
    owner.answers(
        call,
        result={"job_id": "job-1", "tool": "compile", "state": "failed", "result": {"ok": False}},
    )
    assert call.answer["state"] == "failed"


def test_a_waiting_question_gets_the_ledgers_state_when_its_owner_is_killed(owner: Owner) -> None:
    known = owner.bridge.agent.asks("job-1")
    owner.answers(
        known, result={"job_id": "job-1", "state": "running", "progress": None, "result": None}
    )
    waiting, at_once = (
        owner.bridge.agent.asks("job-1", wait_ms=5000),
        owner.bridge.agent.asks("job-1"),
    )
    owner.is_lost()
    assert (at_once.answer["state"], at_once.answer["stale"]) == ("running", True)
    owner.bridge.advance(5)
    assert (waiting.answer["state"], waiting.answer["stale"]) == ("running", True)


def test_an_attached_server_remembers_its_own_keys(owner: Owner) -> None:
    agent = owner.bridge.agent
    first = agent.calls("run_command", name="build", client_request_id="k")
    owner.answers(
        first, result={"job_id": "job-1", "tool": "run_command", "state": "failed", "result": {}}
    )
    owner.is_lost()
    owner.is_there = True
    owner.is_found()
    again = agent.calls("run_command", name="build", client_request_id="k", timeout_ms=5)
    assert owner.calls[-1][1:3] == ("get_job_status", {"job_id": "job-1", "wait_ms": 50000})
    owner.answers(
        again, result={"job_id": "job-1", "tool": "run_command", "state": "failed", "result": {}}
    )
    assert again.answer["joined"] is True
    other = agent.calls("run_command", name="bake", client_request_id="k")
    assert (other.code, other.guarantee) == ("ERR_INVALID_REQUEST", "not_executed")


def test_an_attached_server_forwards_a_spent_key_as_a_new_one(owner: Owner) -> None:
    agent, ended = (
        owner.bridge.agent,
        {"tool": "compile", "state": "succeeded", "result": {"ok": True}},
    )
    for n in (1, 2):
        owner.answers(agent.compiles(client_request_id="k"), result={"job_id": f"job-{n}", **ended})
    last = agent.compiles(client_request_id="k", force=True)
    sent = [
        arguments["client_request_id"] for _, tool, arguments, _ in owner.calls if tool == "compile"
    ]
    assert sent[0] == "k" and len(set(sent)) == 3
    owner.accepts(last, "job-3")
    repeated = agent.compiles(client_request_id="k", force=True)
    assert owner.calls[-1][1:3] == ("get_job_status", {"job_id": "job-3", "wait_ms": 50000}), (
        "it is not spent yet"
    )
    owner.answers(repeated, result={"job_id": "job-3", **ended})
    assert repeated.answer["joined"] is True


def test_two_calls_under_a_key_that_was_spent_are_forwarded_under_the_same_new_one(
    owner: Owner,
) -> None:
    agent = owner.bridge.agent
    first = agent.compiles(client_request_id="k")
    owner.answers(
        first, result={"job_id": "job-1", "tool": "compile", "state": "failed", "result": {}}
    )
    agent.compiles(client_request_id="k")
    agent.compiles(client_request_id="k")
    _, second, third = (arguments["client_request_id"] for _, _, arguments, _ in owner.calls)
    assert second == third != "k", "the owner joins the second to the first"


def test_a_new_key_of_our_making_is_found_again_after_a_takeover(owner: Owner) -> None:
    """The owner is lost before it says which job it has started, so only the plugin knows the job,
    by that key.
    """
    bridge = owner.bridge
    first = bridge.agent.compiles(client_request_id="k")
    owner.answers(
        first,
        result={"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": {"ok": True}},
    )
    lost = bridge.agent.compiles(client_request_id="k")
    key = owner.calls[-1][2]["client_request_id"]
    owner.is_lost()
    assert lost.guarantee == "unknown"
    bridge.port_is_free_again()
    keys = {"job-1": ["client-test", "k"], "job-2": ["client-test", key]}
    bridge.editor.connects(jobs=list(keys), job_keys=keys)
    again = bridge.agent.compiles(client_request_id="k")
    assert bridge.editor.last("get_job_status")["job_id"] == "job-2"
    bridge.editor.reports_job("succeeded", tool_name="compile", result=COMPILED)
    assert (again.answer["job_id"], again.answer["joined"]) == ("job-2", True)
    new = bridge.agent.compiles(client_request_id="k")
    assert not new.is_answered and bridge.editor.last("submit_job")["client_request_id"] not in (
        "k",
        key,
    )


def test_an_attached_server_spends_no_key_with_an_answer_about_a_cancel(owner: Owner) -> None:
    agent = owner.bridge.agent
    first = agent.calls("run_tests", client_request_id="k", wait_ms=0)
    owner.answers(
        first, result={"job_id": "job-1", "tool": "run_tests", "state": "running", "result": None}
    )
    owner.answers(
        agent.calls("cancel_job", job_id="job-1"),
        result={"job_id": "job-1", "status": "cancel_requested"},
    )
    agent.calls("run_tests", client_request_id="k")
    assert owner.calls[-1][1] == "get_job_status"


def test_the_owner_decides_whether_a_cancelled_job_still_has_its_key(owner: Owner) -> None:
    agent = owner.bridge.agent
    first = agent.calls("run_command", name="build", client_request_id="k")
    owner.answers(
        first,
        result={"job_id": "job-1", "tool": "run_command", "state": "cancelled", "result": None},
    )
    agent.calls("run_command", name="build", client_request_id="k")
    _, tool, arguments, _ = owner.calls[-1]
    assert (tool, arguments["client_request_id"]) == ("run_command", "k")


def test_a_key_whose_job_only_this_server_knows_is_answered_from_its_records(owner: Owner) -> None:
    agent = owner.bridge.agent
    first = agent.calls("run_command", name="build", client_request_id="k")
    owner.answers(
        first, result={"job_id": "job-1", "tool": "run_command", "state": "failed", "result": {}}
    )
    again = agent.calls("run_command", name="build", client_request_id="k")
    owner.fails(again, "ERR_JOB_NOT_FOUND", "not_executed")
    assert (again.answer["state"], again.answer["result_dropped"], again.answer["joined"]) == (
        "failed",
        True,
        True,
    )


def test_an_owner_that_never_heard_of_the_job_that_a_call_waits_for(owner: Owner) -> None:
    call = owner.bridge.agent.compiles()
    owner.accepts(call, "job-1")
    owner.is_lost()
    owner.is_there = True
    owner.is_found()
    owner.fails(call, "ERR_JOB_NOT_FOUND", "not_executed")
    assert (call.answer["state"], call.answer["error"]["code"]) == (
        "failed",
        "ERR_RECONNECT_TIMEOUT",
    )


def test_a_next_owner_that_cannot_ask_unity_now_says_nothing_of_the_job_that_a_call_waits_for(
    owner: Owner,
) -> None:
    call = owner.bridge.agent.compiles()
    owner.accepts(call, "job-1")
    owner.is_lost()
    owner.is_there = True
    owner.is_found()
    owner.fails(call, "ERR_EDITOR_NOT_READY", "not_executed")
    assert (call.answer["job_id"], call.answer["state"], call.answer["stale"]) == (
        "job-1",
        "running",
        True,
    )


def test_a_result_that_this_server_did_not_keep_is_asked_for_again(owner: Owner) -> None:
    bridge = owner.bridge
    call = bridge.agent.compiles()
    state = {"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": COMPILED}
    owner.answers(call, result=state)
    owner.is_lost()
    bridge.port_is_free_again()
    away = bridge.agent.asks("job-1").answer
    assert (away["state"], away["result"], away["result_dropped"]) == ("succeeded", None, True)
    bridge.editor.connects(jobs=["job-1"])
    here = bridge.agent.asks("job-1")
    bridge.editor.reports_job("succeeded", result=COMPILED)
    assert here.answer["result"] == COMPILED and "result_dropped" not in here.answer
    assert bridge.agent.asks("job-1").answer["result"] == COMPILED, "and is kept now"


def test_a_result_that_no_server_kept_stays_dropped(owner: Owner) -> None:
    bridge = owner.bridge
    call = bridge.agent.compiles()
    owner.answers(
        call,
        result={"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": COMPILED},
    )
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.editor.connects(jobs=[])
    asked = bridge.agent.asks("job-1")
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert (asked.answer["state"], asked.answer["result_dropped"]) == ("succeeded", True)
    emptied = bridge.agent.asks("job-1")
    bridge.editor.reports_job("succeeded", result=None)
    assert emptied.answer["result_dropped"] is True


def test_a_dropped_result_that_unity_has_lost_too_stays_dropped(owner: Owner) -> None:
    bridge = owner.bridge
    call = bridge.agent.calls("run_command", name="build")
    owner.answers(
        call,
        result={
            "job_id": "job-1",
            "tool": "run_command",
            "state": "failed",
            "result": {"value": 1},
        },
    )
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.editor.connects(jobs=["job-1"])
    asked = bridge.agent.asks("job-1")
    bridge.editor.reports_job(
        "failed", error={"code": "ERR_UNITY_EXECUTION", "message": "no", "details": {}}
    )
    assert (asked.answer["state"], asked.answer["result_dropped"]) == ("failed", True)


def test_the_time_of_a_call_that_went_to_an_owner_is_the_owners(owner: Owner) -> None:
    owner.is_lost()
    bridge = owner.bridge
    call = bridge.agent.calls_for_wait_ms("compile", wait_ms=1000)
    owner.is_there = True
    owner.is_found()
    bridge.advance(5)
    assert not call.is_answered
    owner.answers(
        call,
        result={"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": COMPILED},
    )
    assert call.answer["state"] == "succeeded"


def test_news_of_a_job_for_a_call_that_has_ended_is_no_news(owner: Owner) -> None:
    call = owner.bridge.agent.compiles()
    owner.answers(
        call, result={"job_id": "job-1", "tool": "compile", "state": "succeeded", "result": None}
    )
    owner.accepts(call, "job-2")
    assert owner.bridge.stores.jobs.get("job-2") is None
    broken = owner.bridge.agent.compiles()
    owner.answers(broken, result={"job_id": 7, "state": "dreaming"})
    unclear = owner.bridge.agent.compiles()
    owner.answers(unclear, result={"job_id": "job-3", "state": "dreaming"})
    assert owner.bridge.stores.jobs.get("job-3") is None


# What the owner's editor was last seen to do (SPEC §14.2).


def test_a_read_waits_for_a_reload_that_only_the_owner_saw(owner: Owner) -> None:
    bridge = owner.bridge
    owner.sees("ready")
    call = bridge.agent.calls("read_console")
    owner.sees("reloading")
    owner.is_lost()
    bridge.port_is_free_again()
    bridge.advance(20)
    assert not call.is_answered
    bridge.editor.connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_an_editor_that_only_the_owner_saw_is_not_waited_for_for_ever(owner: Owner) -> None:
    owner.sees("compiling")
    call = owner.bridge.agent.calls("read_console")
    owner.is_lost()
    owner.bridge.advance(61)
    assert call.code == "ERR_RECONNECT_TIMEOUT"
    assert owner.bridge.agent.calls("get_editor_state").answer["editor_state"] == "unknown"


@pytest.mark.parametrize("before", ["compiling", "ready", "unknown"])
def test_an_editor_that_the_owner_lost_is_lost_here_too(owner: Owner, before: str) -> None:
    owner.sees(before)
    owner.sees("unknown")
    call = owner.bridge.agent.calls("read_console")
    owner.is_lost()
    owner.bridge.advance(2.5)
    assert call.is_answered


def test_attached_servers_get_the_editors_state_and_the_end_of_the_owner() -> None:
    attached = AttachedServersOfRecord()
    bridge = InMemoryBridge(attached=attached)
    bridge.inbox.put(ClientAttached(5, "0.1.0"))
    bridge.editor.connects()
    bridge.editor.becomes("compiling")
    bridge.editor.becomes("compiling")
    bridge.inbox.put(ClientAttached(6, "0.1.0"))
    call = bridge.agent.compiles()
    bridge.stop()
    game = {"instance_id": "editor-1", "project_path": "/home/me/Game"}
    assert attached.notices == [
        ("editor", 5, {"state": "unknown"}),
        ("editor", None, {"state": "ready", **game, "trusted": False}),
        ("editor", None, {"state": "ready", **game, "trusted": True}),
        ("editor", None, {"state": "compiling", **game, "trusted": True}),
        ("editor", 6, {"state": "compiling", **game, "trusted": True}),
        ("stopping", None, {}),
    ]
    assert call.is_answered


@pytest.mark.parametrize("state, window_s", [("ready", 2.5), ("reloading", 60.0)])
def test_the_next_owner_keeps_the_place_of_the_former_owners_editor(
    owner: Owner, state: str, window_s: float
) -> None:
    owner.sees(state, instance_id="editor-1", project_path="/home/me/Game", is_trusted=True)
    owner.is_lost()
    owner.bridge.port_is_free_again()
    other = owner.bridge.another_editor(project="/home/me/Other").connects()
    impostor = owner.bridge.another_editor("editor-1")
    impostor.secret = None
    impostor.connects()
    assert other.peer is not None and impostor.peer is not None
    assert not other.peer.is_open and not impostor.peer.is_open
    owner.bridge.advance(window_s - 0.1)
    owner.bridge.editor.connects()
    assert owner.bridge.agent.calls("get_editor_state").answer["trusted"] is True


def test_an_owner_that_saw_no_editor_leaves_the_place_to_the_one_before(owner: Owner) -> None:
    owner.sees("reloading", instance_id="editor-1", project_path="/home/me/Game", is_trusted=True)
    owner.is_lost()
    owner.is_found().is_lost()
    owner.bridge.port_is_free_again()
    other = owner.bridge.another_editor(project="/home/me/Other").connects()
    assert other.peer is not None and not other.peer.is_open
    owner.bridge.advance(60.0)
    late = owner.bridge.another_editor(project="/home/me/Other").connects()
    assert late.peer is not None and late.peer.is_open


def test_no_place_is_kept_for_an_editor_that_the_former_owner_did_not_have(owner: Owner) -> None:
    owner.sees("reloading", instance_id="editor-1", project_path="/home/me/Game", is_trusted=True)
    owner.sees("unknown")
    owner.is_lost()
    owner.bridge.port_is_free_again()
    other = owner.bridge.another_editor(project="/home/me/Other").connects()
    assert other.peer is not None and other.peer.is_open


def test_a_call_for_an_attached_server_reports_its_job_at_once(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.compiles()
    assert call.jobs == [bridge.editor.last("submit_job")["job_id"]] and not call.is_answered


def test_an_editor_that_the_next_owner_follows_is_not_forgotten(owner: Owner) -> None:
    """The former owner was lost while the editor compiled. The editor came back to the next one,
    and compiles again.
    """
    owner.sees("compiling", instance_id="editor-1", project_path="/home/me/Game")
    owner.is_lost()
    owner.is_there = True
    owner.is_found().sees("ready", instance_id="editor-1", project_path="/home/me/Game")
    owner.bridge.advance(55)
    owner.sees("compiling", instance_id="editor-1", project_path="/home/me/Game")
    owner.bridge.advance(10)
    owner.is_lost()
    call = owner.bridge.agent.calls("read_console")
    owner.bridge.advance(40)
    assert not call.is_answered, "a compilation is waited for"


@pytest.mark.parametrize("status", ["rejected", "cancelled"])
def test_a_cancelled_job_of_another_server_is_not_known_to_run(owner: Owner, status: str) -> None:
    call = owner.bridge.agent.calls("cancel_job", job_id="job-9")
    owner.answers(call, result={"job_id": "job-9", "status": status})
    owner.is_lost()
    assert owner.bridge.agent.asks("job-9").code == "ERR_EDITOR_NOT_READY"


def test_a_failed_job_has_the_owners_error_after_the_owner_is_gone(owner: Owner) -> None:
    details = {
        "execution_guarantee": "completed_error",
        "recovery": "read_the_message",
        "request_id": "req-9",
    }
    details.update(reason="exception", exception="NullReferenceException")
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": 'Unity says: "it threw"',
        "retryable": False,
        "details": details,
    }
    status = {
        "job_id": "job-1",
        "tool": "run_csharp",
        "state": "failed",
        "progress": None,
        "result": None,
    }
    call = owner.bridge.agent.calls("run_csharp", code="1")
    owner.accepts(call, "job-1")
    owner.answers(call, result={**status, "error": error})
    owner.is_lost()
    assert owner.bridge.agent.asks("job-1").answer == {**status, "error": error}


@pytest.mark.parametrize(
    "error", [7, {"code": "ERR_NEW"}, {"code": "ERR_UNITY_EXECUTION", "details": {}}]
)
def test_an_error_of_a_job_that_cannot_be_read_is_marked_as_such(owner: Owner, error: Any) -> None:
    call = owner.bridge.agent.calls("run_csharp", code="1")
    owner.answers(call, result={"job_id": "job-1", "state": "failed", "error": error})
    owner.is_lost()
    assert owner.bridge.agent.asks("job-1").answer["error"]["code"] == "ERR_INVALID_RESPONSE"


def test_the_time_that_is_left_goes_along_with_a_call(owner: Owner) -> None:
    owner.is_lost()
    bridge = owner.bridge
    bridge.agent.calls("read_console", timeout_ms=5000)
    bridge.agent.calls_for_wait_ms("compile", wait_ms=4000)
    bridge.agent.calls("read_console", contains="x")
    bridge.advance(1)
    owner.is_there = True
    owner.is_found()
    sent = [
        (arguments.get("timeout_ms"), arguments.get("wait_ms"))
        for _, _, arguments, _ in owner.calls[-3:]
    ]
    assert sent == [(4000, None), (300_000, 3000), (None, None)]
    assert owner.bounded[-3:] == [False, True, False]
