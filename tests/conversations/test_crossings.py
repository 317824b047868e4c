"""Two things at once: what crosses on the wire, in the queue, or at a deadline."""

from __future__ import annotations

from tests.fakes import PORT, InMemoryBridge
from tests.tool_results import CONSOLE
from unity_bridge.attach.owner_events import OwnerFound, OwnerLost


def test_a_job_past_its_deadline_is_cancelled_once_its_submission_is_answered(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests(timeout_ms=1000)
    bridge.advance(1)
    assert bridge.job(job).state.value == "timeout"
    assert bridge.editor.heard("cancel") == [], "the queue is still the submission's"
    bridge.editor.accepts_job()
    assert len(bridge.editor.heard("cancel")) == 1
    assert bridge.job(job).state.value == "timeout"
    bridge.editor.answers_cancel()
    bridge.advance(10)
    assert bridge.editor.heard("get_job_status") == [], "nobody asks for a job that has ended"


def test_a_refusal_after_the_deadline_leaves_the_job_timed_out(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests(timeout_ms=1000)
    bridge.advance(1)
    bridge.editor.refuses("submit_job", "ERR_UNITY_EXECUTION")
    assert bridge.job(job).state.value == "timeout"


def test_a_job_past_its_deadline_is_cancelled_once_though_its_submission_is_never_answered(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.agent.runs_tests(timeout_ms=1000)
    bridge.advance(30)
    assert len(bridge.editor.heard("cancel")) == 1
    bridge.editor.answers_cancel()
    assert len(bridge.editor.heard("cancel")) == 1, "it is asked for once"


def test_a_job_past_its_deadline_is_cancelled_and_not_submitted_after_a_reconnect(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests(timeout_ms=1000)
    bridge.advance(1)
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[])
    assert bridge.editor.heard("submit_job") == [] and bridge.editor.heard("get_job_status") == []
    assert bridge.editor.last("cancel")["target_job_id"] == job, (
        "so that the editor is freed if it did arrive"
    )


def test_a_job_whose_deadline_passes_during_the_question_is_not_submitted_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    bridge.agent.runs_tests(timeout_ms=1000)
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[])
    bridge.advance(1)
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert bridge.editor.heard("submit_job") == [], "an ended job is not submitted"


def test_the_question_whether_it_arrived_is_not_asked_after_the_end(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests(timeout_ms=1000)
    bridge.editor.vanishes()
    bridge.editor.connects("compiling", jobs=[])
    bridge.advance(1)
    assert bridge.job(job).state.value == "timeout"
    bridge.editor.becomes("ready")
    assert bridge.editor.heard("get_job_status") == []


def test_the_question_whether_a_job_arrived_is_asked_again_if_unanswered(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[])
    bridge.advance(6)
    assert len(bridge.editor.heard("get_job_status")) == 2
    bridge.editor.reports_job("running")
    assert bridge.job(job).accepted


def test_a_question_whether_a_job_arrived_that_cannot_be_sent_is_asked_after_the_reconnect(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects("compiling", jobs=[])
    bridge.editor.fades()
    bridge.editor.becomes("ready").vanishes()
    bridge.editor.connects(jobs=[])  # and is asked it before anything else
    bridge.editor.reports_job("running")
    assert bridge.job(job).accepted


def test_a_client_learns_that_a_job_arrived_before_the_server_has_asked_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[job])
    bridge.editor.refuses(
        "get_job_status", "ERR_UNITY_EXECUTION"
    )  # the server's own question; again in a second
    status = bridge.agent.asks(job)
    bridge.editor.reports_job("running")
    assert status.answer["state"] == "running" and bridge.job(job).accepted


def test_a_client_learns_that_a_job_did_not_arrive_before_the_server_has_asked_again(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects()
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION")
    status = bridge.agent.asks(job)
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert status.answer["state"] == "running", "it is not lost: it is submitted again"
    bridge.advance(1)
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert bridge.editor.last("submit_job")["job_id"] == job


def test_a_job_that_did_not_arrive_is_cancelled_once_it_has(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects()
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION")
    assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "cancel_requested"
    bridge.editor.refuses("cancel", "ERR_JOB_NOT_FOUND")
    bridge.advance(1)
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.reports_job("running")
    bridge.editor.answers_cancel()
    assert len(bridge.editor.heard("cancel")) == 2
    bridge.editor.reports_job("cancelled")
    assert bridge.job(job).state.value == "cancelled"


def test_a_job_is_cancelled_before_it_is_known_whether_it_arrived(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.editor.connects(jobs=[job])
    bridge.editor.refuses("get_job_status", "ERR_UNITY_EXECUTION")
    bridge.agent.calls("cancel_job", job_id=job)
    bridge.editor.answers_cancel()
    bridge.advance(1)
    bridge.editor.reports_job("cancelled")
    assert bridge.job(job).state.value == "cancelled"


def test_a_job_of_an_earlier_server_is_learnt_by_one_call_while_another_wants_it_cancelled(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects(jobs=["job-before"])
    bridge.agent.asks("job-before")
    wish = bridge.agent.calls("cancel_job", job_id="job-before")
    bridge.editor.reports_job("running")
    bridge.editor.vanishes()
    assert wish.answer["status"] == "cancel_requested"
    bridge.editor.connects(jobs=["job-before"])
    assert bridge.editor.last("cancel")["target_job_id"] == "job-before"


def test_a_job_that_ended_while_a_question_about_it_waited_in_the_queue(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    first, second = bridge.agent.asks(job), bridge.agent.asks(job)
    bridge.editor.reports_job("succeeded")
    assert first.answer["state"] == second.answer["state"] == "succeeded"
    assert len(bridge.editor.heard("get_job_status")) == 1


def test_a_question_that_cannot_be_sent_is_answered_from_the_ledger(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.editor.fades()
    assert bridge.agent.asks(job).answer["stale"] is True
    bridge.advance(1)
    assert bridge.job(job).state.value == "running"


def test_a_question_that_cannot_be_sent_about_a_job_that_the_ledger_does_not_know(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects().fades()
    call = bridge.agent.asks("job-before")
    assert (call.code, call.guarantee) == ("ERR_UNITY_DISCONNECTED", "not_executed")


def test_the_servers_own_question_that_cannot_be_sent_is_asked_when_the_editor_is_back(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job()
    bridge.editor.fades()
    bridge.advance(1)
    assert bridge.job(job).state.value == "running"
    bridge.editor.connects(jobs=[job])
    assert bridge.editor.last("get_job_status")["job_id"] == job


def test_a_word_on_the_port_that_comes_late_ends_no_call(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console")
    bridge.port_is_taken()  # said by a listener that has the port already
    assert not call.is_answered
    bridge.editor.connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_an_owner_of_the_port_that_is_gone_again_before_a_waiting_call_reaches_it() -> None:
    class Gone:
        def call(self, *call: object) -> bool:
            return False

        def abandon(self, request_id: str) -> None:
            raise AssertionError("nothing was forwarded")

    bridge = InMemoryBridge(listening=False, link=Gone())
    call = bridge.agent.calls("read_console")
    bridge.inbox.put(OwnerFound(PORT, "0.1.0", 1))
    bridge.drain()
    assert not call.is_answered, "it waits on"
    bridge.inbox.put(OwnerLost("gone"))
    bridge.port_is_free_again()
    bridge.editor.connects()
    bridge.editor.answers(CONSOLE)
    assert call.answer == CONSOLE


def test_a_read_that_is_refused_when_it_is_sent_again_may_have_run_the_first_time(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.vanishes()
    bridge.editor.connects()
    bridge.editor.refuses("execute", "ERR_RECONFIG_IN_PROGRESS")
    assert (call.code, call.guarantee) == ("ERR_RECONFIG_IN_PROGRESS", "unknown")
