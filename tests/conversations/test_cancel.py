"""SPEC §6: a client gives its call up (``notifications/cancelled``): what that means wherever the
call is.
"""

from __future__ import annotations

from tests.fakes import InMemoryBridge
from tests.tool_results import CONSOLE


def test_a_queued_call_is_never_sent(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    bridge.agent.calls("read_console", max_entries=1)
    given_up = bridge.agent.calls("read_console", max_entries=2)
    last = bridge.agent.calls("read_console", max_entries=3)
    bridge.agent.gives_up(given_up)
    assert bridge.request(given_up).state.value == "cancelled"
    bridge.editor.answers(CONSOLE)
    assert [m["params"]["max_entries"] for m in bridge.editor.heard("execute")] == [1, 3]
    bridge.editor.answers(CONSOLE)
    assert last.is_answered and not given_up.is_answered


def test_a_parked_call_neither_runs_nor_expires(bridge: InMemoryBridge) -> None:
    given_up = bridge.agent.calls("run_tests", wait_ms=0)
    bridge.agent.gives_up(given_up)
    bridge.advance(3)
    bridge.editor.connects()
    assert bridge.request(given_up).state.value == "cancelled"
    assert bridge.editor.heard("submit_job") == [] and not given_up.is_answered
    assert bridge.stores.jobs.all() == [], "no job was issued"


def test_a_running_calls_result_is_dropped_and_the_queue_is_free_after_the_round_trip(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    given_up = bridge.agent.calls("read_console", max_entries=1)
    following = bridge.agent.calls("read_console", max_entries=2)
    bridge.agent.gives_up(given_up)
    assert bridge.request(given_up).state.value == "running"
    assert len(bridge.editor.heard("execute")) == 1, "one round trip at a time, wanted or not"
    assert bridge.editor.heard("cancel") == [], "the protocol cancels jobs; a read ends by itself"
    bridge.editor.answers(CONSOLE)
    assert bridge.editor.last("execute")["params"]["max_entries"] == 2
    bridge.editor.answers(CONSOLE)
    assert following.is_answered and not given_up.is_answered


def test_a_running_call_that_is_never_answered_frees_the_queue_at_its_deadline(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    given_up = bridge.agent.calls("read_console", timeout_ms=1000)
    following = bridge.agent.calls("read_console")
    bridge.agent.gives_up(given_up)
    bridge.advance(1)
    assert bridge.request(given_up).state.value == "timeout"
    bridge.editor.answers(CONSOLE)
    assert following.is_answered and not given_up.is_answered


def test_an_ended_call_stays_as_it_ended(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    bridge.agent.gives_up(call)
    bridge.agent.gives_up(call)
    assert call.answer == CONSOLE and bridge.request(call).state.value == "succeeded"


def test_giving_up_run_tests_after_its_answer_leaves_the_job_alone(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("run_tests", wait_ms=0)
    bridge.agent.gives_up(call)
    bridge.editor.accepts_job()
    assert bridge.job(call.answer["job_id"]).state.value == "running"
    assert bridge.editor.heard("cancel") == []


def test_a_cancel_of_an_unknown_call_does_nothing(bridge: InMemoryBridge) -> None:
    bridge.call_service.abandon("req-of-somebody-else")
    bridge.drain()
    assert bridge.agent.calls("get_editor_state").is_answered


def test_a_question_in_the_queue_is_given_up(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.agent.calls("read_console")
    question = bridge.agent.asks(job)
    bridge.agent.gives_up(question)
    bridge.editor.answers(CONSOLE)
    assert bridge.editor.heard("get_job_status") == []
    assert bridge.request(question).state.value == "cancelled" and not question.is_answered


def test_a_question_in_flight_is_given_up_and_what_it_learns_is_kept(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    question = bridge.agent.asks(job, wait_ms=5000)
    bridge.agent.gives_up(question)
    bridge.editor.reports_job("running", progress={"completed": 1, "total": 2})
    assert bridge.job(job).progress == {"completed": 1, "total": 2}
    assert not question.is_answered and bridge.open_requests == []


def test_a_wish_to_cancel_stands_though_its_client_no_longer_waits(bridge: InMemoryBridge) -> None:
    bridge.editor.connects(jobs=["job-before"])
    wish = bridge.agent.calls("cancel_job", job_id="job-before")
    bridge.agent.gives_up(wish)
    bridge.editor.reports_job("running")
    assert bridge.editor.last("cancel")["target_job_id"] == "job-before"
    assert not wish.is_answered


def test_no_cancel_goes_after_a_job_that_unity_refused(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "cancel_requested"
    bridge.editor.refuses("submit_job", "ERR_UNITY_EXECUTION")
    assert bridge.editor.heard("cancel") == []
    assert bridge.job(job).state.value == "failed"


def test_a_job_that_is_cancelled_before_unity_took_it_is_cancelled_there(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.accepts_job()
    cancel = bridge.editor.last("cancel")
    assert (cancel["target_job_id"], cancel["target_request_id"]) == (
        job,
        bridge.editor.last("submit_job")["request_id"],
    )


def test_a_job_of_a_plugin_with_its_own_ids_is_cancelled_by_that_id(bridge: InMemoryBridge) -> None:
    bridge.editor.instance_id = None
    bridge.editor.connects(jobs=None)
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job("job-1001")
    bridge.agent.calls("cancel_job", job_id=job)
    assert bridge.editor.last("cancel")["target_job_id"] == "job-1001"


def test_a_cancel_that_cannot_be_sent_is_sent_on_the_next_connection(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    assert bridge.editor.peer is not None
    bridge.editor.peer.is_open = False  # the listener knows already, the executor not yet
    bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[job])
    assert bridge.editor.last("cancel")["target_job_id"] == job


def test_the_cancel_of_a_job_that_timed_out_on_a_dead_connection_is_sent_on_the_next(
    bridge: InMemoryBridge,
) -> None:
    """Its answer said that Unity was asked to stop it."""
    bridge.editor.connects()
    job = bridge.agent.runs_tests(timeout_ms=500)
    bridge.editor.accepts_job().fades()
    bridge.advance(0.6)
    assert bridge.job(job).state.value == "timeout"
    bridge.editor.vanishes().connects(jobs=[job])
    assert bridge.editor.last("cancel")["target_job_id"] == job
