"""A soak can fail: everything that must not happen is planted in the ledgers, and found."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Dict, List, Optional

import pytest

from tests.faulty_editor.event_ledger import EventLedger
from tests.soak.ledgers import Made, Message, Moment, Referee, Verdict
from tests.soak.mono_editors import MonoLedger
from tests.soak.proxy import Record, digest
from tests.soak.simulated_ledger import SimulatedLedger

CONSOLE: Message = {"entries": [], "count": 1}
RESULT: Message = {"summary": {"total": 1}, "code_fresh": True}
ENDED: Message = {"job_id": "job-1", "state": "succeeded", "result": RESULT}


class Editors:
    """One run, ``job-1`` of call ``w:2``, that began once and succeeded; no read was executed but
    those on the wire.
    """

    def __init__(self) -> None:
        self.ran: List[str] = []
        self.taken: Dict[str, List[str]] = {"w:2": ["job-1"]}
        self.lives = 1
        self.is_begun = True
        self.is_handed_over = False
        self.twice: List[str] = []
        self.end = "succeeded"
        self.is_fresh: Optional[bool] = True
        self.known = True
        self.oks = {True}
        self.moments: Dict[str, Moment] = {}

    def executed(self, mark: str) -> bool:
        return mark in self.ran

    def jobs(self) -> List[str]:
        return [job_id for taken in self.taken.values() for job_id in taken]

    def tool_of(self, job_id: str) -> str:
        return "run_tests"

    def jobs_of(self, mark: str) -> List[str]:
        return self.taken.get(mark, [])

    def was_taken_twice(self, mark: str, may_be_forgotten: bool) -> bool:
        return len(self.jobs_of(mark)) > (self.lives if may_be_forgotten else 1)

    def begun(self, job_id: str) -> int:
        return int(self.is_begun and job_id == "job-1")

    def was_handed_over(self, job_id: str) -> bool:
        return self.is_handed_over

    def repeated(self, job_id: str) -> List[str]:
        return self.twice

    def may_have_ended(self, job_id: str, state: str) -> bool:
        return state == self.end or (state == "cancelled" and job_id not in self.jobs())

    def tested_todays_code(self, job_id: str) -> Optional[bool]:
        return self.is_fresh

    def loaded_todays_code(self, job_id: str) -> Optional[bool]:
        return self.is_fresh

    def may_be_ok(self, job_id: str, ok: bool) -> bool:
        return ok in self.oks

    def moment_of(self, job_id: str) -> Optional[Moment]:
        return self.moments.get(job_id)

    def names_of(self, job_id: str) -> List[str]:
        return [job_id]

    def is_known(self, job_id: str) -> bool:
        return self.known

    def faults(self) -> List[str]:
        return []


class Story:
    """A window with a read, a run, a question about it and a second read: all as it should be."""

    def __init__(self) -> None:
        self.window: Any = SimpleNamespace(
            name="w",
            calls=[],
            was_killed=False,
            last_call=None,
            status=0,
            expected_status=0,
            noise=[],
            bugs=[],
            log=[],
        )
        self.record = Record()
        self.editors = Editors()
        self.read = self.calls("read_console", CONSOLE)
        self.run = self.calls("run_tests", {"job_id": "job-1", "state": "queued"})
        self.question = self.calls("get_job_status", dict(ENDED), job_id="job-1")
        self.later = self.calls("read_console", {**CONSOLE, "count": 2})
        for made in (self.read, self.run, self.later):
            self.goes_to_unity(made)
        self.record.plugin_said({"type": "job_status", "request_id": "req-q", **ENDED})

    def calls(self, tool: str, result: Message, **arguments: Any) -> Made:
        number = len(self.window.calls) + 1
        made = Made(self.window, number, tool, f"w:{number}", arguments)
        made.answers.append({"result": {"structuredContent": result}})
        self.window.calls.append(made)
        return made

    def goes_to_unity(self, made: Made) -> None:
        id = f"req-{made.number}-{len(self.record.sends)}"
        if made.tool == "run_tests":
            submission = {
                "type": "submit_job",
                "request_id": id,
                "client_request_id": made.mark,
                "job_id": "job-1",
            }
            self.record.server_sent(submission)
            return
        self.record.server_sent(
            {"type": "execute", "request_id": id, "client_request_id": made.mark}
        )
        self.record.plugin_said(
            {"type": "result", "request_id": id, "status": "ok", "result": made.result}
        )

    def sends(self, *marks: str) -> None:
        """Instead of what went to Unity so far."""
        self.record.sends[:] = [(mark, "req-any") for mark in marks]

    def receives_error(self, made: Made, guarantee: str, code: str = "ERR_ANY") -> None:
        error = {"code": code, "details": {"execution_guarantee": guarantee}}
        made.answers[:] = [{"result": {"isError": True, "structuredContent": {"error": error}}}]

    def verdict(self, last: Optional[Made] = None, is_shared: bool = False) -> Verdict:
        return Referee([self.window], self.record, self.editors, is_shared).verdict(
            {"job-1": last or self.question}, {}, {}
        )


@pytest.fixture
def story() -> Story:
    return Story()


def test_a_story_without_a_fault_is_good(story: Story) -> None:
    assert story.verdict().is_good, story.verdict().table()
    assert story.record.results["w:1"] == {digest(CONSOLE)}


def test_a_call_without_an_answer_is_lost_unless_its_server_was_killed(story: Story) -> None:
    story.read.answers.clear()
    assert len(story.verdict().lost) == 1
    story.window.was_killed = True
    assert story.verdict().is_good


def test_a_call_after_the_order_to_end_may_go_unread(story: Story) -> None:
    story.later.answers.clear()
    story.window.last_call = 3
    assert story.verdict().is_good
    story.window.last_call = 4
    assert len(story.verdict().lost) == 1


def test_a_server_that_ends_by_itself_is_lost(story: Story) -> None:
    story.window.status = 1
    assert len(story.verdict().lost) == 1


def test_a_run_without_a_reported_end_is_lost(story: Story) -> None:
    running = story.calls("get_job_status", {"job_id": "job-1", "state": "running"}, job_id="job-1")
    assert len(story.verdict(running).lost) == 1
    story.receives_error(running, "not_executed", "ERR_JOB_NOT_FOUND")
    assert len(story.verdict(running).lost) == 1


def test_two_answers_or_two_runs_are_doubled(story: Story) -> None:
    story.read.answers *= 2
    assert len(story.verdict().doubled) == 1
    story.editors.twice = ["tests_started"]
    assert len(story.verdict().doubled) == 2
    story.editors.taken["w:2"] = ["job-1", "job-2"]
    assert len(story.verdict().doubled) == 4


def again(story: Story, result: Message, tool: str = "run_tests") -> Made:
    """The call for the run once more, with its key."""
    made = Made(story.window, 5, tool, story.run.mark, {}, is_repeated=True)
    made.answers.append({"result": {"structuredContent": result}})
    story.window.calls.append(made)
    return made


def test_a_call_with_the_key_of_an_earlier_one_is_answered_with_its_job(story: Story) -> None:
    again(story, {**ENDED, "joined": True})
    assert story.verdict().is_good, story.verdict().table()
    story.record.job_results["job-2"] = story.record.job_results["job-1"]
    again(story, {**ENDED, "job_id": "job-2"}, "run_command")
    assert len(story.verdict().untrue) == 1


def test_only_a_spent_key_has_a_new_job(story: Story) -> None:
    story.record.job_results["job-2"] = story.record.job_results["job-1"]
    again(story, {**ENDED, "job_id": "job-2"})
    assert story.verdict().is_good, "the question was answered with the end of job-1"
    story.question.answers[0]["result"]["structuredContent"]["state"] = "running"
    assert len(story.verdict().untrue) == 1


def test_a_call_that_was_refused_may_be_made_again_with_its_key(story: Story) -> None:
    story.receives_error(story.run, "not_executed")
    assert len(story.verdict().untrue) == 1
    again(story, ENDED)
    assert story.verdict().is_good


def test_a_key_whose_job_was_cancelled_before_it_was_sent_has_a_new_job(story: Story) -> None:
    status = {"job_id": "job-0", "state": "cancelled"}
    story.run.answers[0]["result"]["structuredContent"] = status
    assert len(story.verdict().untrue) == 1, "no other call has this key"
    again(story, ENDED)
    assert story.verdict().is_good, story.verdict().table()
    status["state"] = "running"
    assert len(story.verdict().untrue) == 1


def test_a_key_may_start_again_only_after_its_server_and_its_editor_are_gone(story: Story) -> None:
    again(story, ENDED)
    story.editors.taken["w:2"] = ["job-1", "job-2"]
    assert len(story.verdict().doubled) == 1
    story.editors.lives = 2
    assert len(story.verdict().doubled) == 1, "the server was there all the time"


def test_a_result_that_no_editor_said_is_untrue(story: Story) -> None:
    story.question.answers[0]["result"]["structuredContent"]["result"] = {
        **RESULT,
        "code_fresh": False,
    }
    assert len(story.verdict().untrue) == 1


def test_old_code_reported_as_new_is_untrue(story: Story) -> None:
    story.editors.is_fresh = None  # unknown
    assert story.verdict().is_good
    story.editors.is_fresh = False
    assert len(story.verdict().untrue) == 1


@pytest.mark.parametrize(
    ("compiled", "untrue"),
    [
        ({"ok": True, "loaded": True}, 1),
        ({"ok": True, "loaded": False}, 0),
        ({"ok": True}, 0),
        ({"ok": False, "loaded": False}, 1),
        ({"ok": False, "loaded": True}, 3),
    ],
)
def test_a_compile_result_is_checked_against_the_disk(
    story: Story, compiled: Message, untrue: int
) -> None:
    """Everything on disk compiled, and none of it was loaded."""
    story.editors.is_fresh = False
    result = {"summary": {"total": 1}, "code_fresh": False, "compile": compiled}
    status = story.question.answers[0]["result"]["structuredContent"]
    status["result"] = result
    story.record.plugin_said(
        {"type": "job_status", "request_id": "req-q", **ENDED, "result": result}
    )
    assert len(story.verdict().untrue) == untrue


def another_run(story: Story, fresh: bool, moment: Moment) -> None:
    """``job-2``, which ended like ``job-1``."""
    result = {**RESULT, "code_fresh": fresh}
    ended = {"job_id": "job-2", "state": "succeeded", "result": result}
    story.calls("get_job_status", ended, job_id="job-2")
    story.record.plugin_said({"type": "job_status", "request_id": "req-r", **ended})
    story.editors.moments["job-2"] = moment


@pytest.mark.parametrize(
    ("moment", "untrue"),
    [
        (Moment(1, 0, 4), 1),  # before it, in the same domain
        (Moment(1, 0, 6), 0),  # old code came after new code
        (Moment(1, 1, 6), 0),
        (Moment(2, 0, 4), 0),
    ],
)
def test_old_code_becomes_new_by_a_reload_only(story: Story, moment: Moment, untrue: int) -> None:
    story.editors.moments["job-1"] = Moment(1, 0, 5)
    another_run(story, False, moment)
    assert len(story.verdict().untrue) == untrue


def test_the_server_may_report_null_if_the_plugin_reports_nothing_of_the_code(story: Story) -> None:
    said = {"summary": {"total": 1}}
    story.record.job_results.clear()
    story.record.plugin_said({"type": "job_status", "request_id": "req-q", **ENDED, "result": said})
    story.question.answers[0]["result"]["structuredContent"]["result"] = {
        **said,
        "code_fresh": None,
    }
    assert story.verdict().is_good
    story.question.answers[0]["result"]["structuredContent"]["result"] = {
        **said,
        "code_fresh": True,
    }
    assert len(story.verdict().untrue) == 1


def test_a_simulated_editor_keeps_account_of_disk_and_loaded_code() -> None:
    events = EventLedger()
    events("disk", digest="A", compiles=True)
    for job_id, loaded in (("job-1", "A"), ("job-2", "A")):
        events(
            "job_accepted",
            job_id=job_id,
            known_as=job_id,
            tool_name="compile",
            client_request_id=None,
        )
        events("refresh_started", job_id=job_id)
        events("refresh_ended", job_id=job_id, loaded=loaded)
        events("job_finished", job_id=job_id, state="succeeded")
        events("disk", digest="B", compiles=False)
    editor: Any = SimpleNamespace(ledger=events)
    ledger = SimulatedLedger([editor])
    assert [ledger.loaded_todays_code(job_id) for job_id in ("job-1", "job-2")] == [True, False]
    assert [ledger.may_be_ok(job_id, True) for job_id in ("job-1", "job-2")] == [True, False]


def test_a_job_that_could_not_be_carried_out_is_the_error_of_its_call(story: Story) -> None:
    error = {"code": "ERR_UNITY_EXECUTION", "details": {"execution_guarantee": "not_executed"}}
    content = {"job_id": "job-1", "state": "failed", "result": None, "error": error}
    story.run.answers[:] = [{"result": {"isError": True, "structuredContent": content}}]
    story.question.answers[0]["result"]["structuredContent"] = content
    assert len(story.verdict().untrue) == 2, "it was begun"
    story.editors.is_begun = False
    assert story.verdict().is_good


def test_a_read_that_overtakes_is_out_of_order(story: Story) -> None:
    story.sends("w:4", "w:2", "w:1")
    assert len(story.verdict().disordered) == 2
    story.sends("w:4", "w:1", "w:2", "w:4")  # the first one a frozen owner's
    assert story.verdict().is_good
    story.sends("w:2", "w:1", "w:4")
    assert len(story.verdict().disordered) == 1
    assert story.verdict(
        is_shared=True
    ).is_good  # the read was taken back from an owner, the run was not
    story.sends("w:4", "w:1")
    assert len(story.verdict(is_shared=True).disordered) == 1
    story.sends("w:1", "w:4", "w:2")  # a submission that had to be asked about first
    assert story.verdict().is_good


def test_a_result_that_no_editor_gave_is_untrue(story: Story) -> None:
    story.read.answers[0]["result"]["structuredContent"] = {**CONSOLE, "count": 7}
    assert len(story.verdict().untrue) == 1


@pytest.mark.parametrize(
    ("guarantee", "untrue"), [("not_executed", 1), ("completed_error", 1), ("unknown", 0)]
)
def test_the_error_of_a_read_is_checked_against_its_executions(
    story: Story, guarantee: str, untrue: int
) -> None:
    story.receives_error(story.read, guarantee)
    assert len(story.verdict().untrue) == untrue


@pytest.mark.parametrize(
    ("guarantee", "untrue"), [("not_executed", 1), ("completed_error", 1), ("unknown", 0)]
)
def test_the_error_of_a_run_is_checked_against_its_executions(
    story: Story, guarantee: str, untrue: int
) -> None:
    story.receives_error(story.run, guarantee)
    assert len(story.verdict().untrue) == untrue


def test_an_end_that_is_not_the_runs_is_untrue(story: Story) -> None:
    story.editors.end = "failed"
    assert len(story.verdict().untrue) == 1


@pytest.mark.parametrize(
    ("guarantee", "begun", "handed_over", "untrue"),
    [
        ("not_executed", True, True, 1),
        ("not_executed", False, True, 1),
        ("not_executed", False, False, 0),
        ("completed_error", False, False, 1),
        ("completed_error", False, True, 0),
        ("unknown", True, True, 0),
    ],
)
def test_the_error_of_a_run_that_could_not_be_carried_out_is_checked(
    story: Story, guarantee: str, begun: bool, handed_over: bool, untrue: int
) -> None:
    story.editors.is_begun, story.editors.is_handed_over = begun, handed_over
    result = story.question.result
    assert result is not None
    result.update(state="failed", error={"details": {"execution_guarantee": guarantee}})
    assert len(story.verdict().untrue) == untrue


def test_a_cancel_that_did_not_hold_is_untrue(story: Story) -> None:
    story.calls("cancel_job", {"job_id": "job-1", "status": "cancelled"}, job_id="job-1")
    assert len(story.verdict().untrue) == 1


def test_lines_outside_mcp_and_bugs_are_reported(story: Story) -> None:
    story.window.noise.append(b"hello")
    story.window.bugs.append("a bug")
    assert len(story.verdict().untrue) == 2


def test_a_change_of_play_mode_that_is_asked_for_twice_is_found() -> None:
    events = EventLedger()
    job = {
        "job_id": "job-1",
        "known_as": "job-1",
        "tool_name": "play_mode",
        "client_request_id": "w:1",
    }
    events("job_accepted", **job)
    for _ in range(2):
        events("play_mode_requested", job_id="job-1", action="step")
    editor: Any = SimpleNamespace(ledger=events)
    ledger = SimulatedLedger([editor])
    assert (ledger.begun("job-1"), ledger.repeated("job-1")) == (2, ["play_mode_requested"])


def test_a_command_that_runs_twice_is_found() -> None:
    events = EventLedger()
    job = {
        "job_id": "job-1",
        "known_as": "job-1",
        "tool_name": "run_command",
        "client_request_id": "w:1",
    }
    events("job_accepted", **job)
    for _ in range(2):
        events("command_started", job_id="job-1", name="build_player")
    editor: Any = SimpleNamespace(ledger=events)
    ledger = SimulatedLedger([editor])
    assert (ledger.begun("job-1"), ledger.repeated("job-1")) == (2, ["command_started"])


def test_a_read_that_every_editor_refused_was_not_executed() -> None:
    """As a screenshot without a view is."""
    events = EventLedger()
    call = {
        "request_id": "req-1",
        "client_request_id": "w:1",
        "tool_name": "screenshot",
        "params": {},
    }
    editor: Any = SimpleNamespace(ledger=events)

    events("execute", **call)
    assert SimulatedLedger([editor]).executed("w:1")
    events(
        "call_refused",
        request_id="req-1",
        code="ERR_UNITY_EXECUTION",
        message="No scene view is open.",
    )
    assert not SimulatedLedger([editor]).executed("w:1")
    events("execute", **call)
    assert SimulatedLedger([editor]).executed("w:1")


def test_a_picture_is_held_against_what_the_editor_sent() -> None:
    shot: Message = {"image": "/9j/", "format": "jpg", "frame": 3}
    made = Made(Story().window, 1, "screenshot", "w:9", {})
    image = {"type": "image", "data": "/9j/", "mimeType": "image/jpeg"}
    made.answers.append(
        {"result": {"isError": False, "content": [image, {"type": "text", "text": '{"frame": 3}'}]}}
    )
    assert made.result is not None and digest(made.result) == digest(shot)


def test_the_record_of_a_mono_editor_decides_about_its_jobs() -> None:
    said = """
        on-disk one, runs one, refresh-of job-1, test-of job-1,
        on-disk two, refresh-of job-2, runs two, test-of job-2, on-disk three|broken, refresh-of job-3,
        on-disk four, refresh-of job-4, test-of job-4
    """
    history = [line.strip() for line in said.replace("\n", " ").split(",")]
    record: Any = SimpleNamespace(
        accepted=set(),
        jobs={
            f"job-{n}": {"tool_name": "run_tests", "params": {"filter": f"T{n}"}}
            for n in (1, 2, 3, 4)
        },
    )
    editor: Any = SimpleNamespace(history=history, violations=list)
    ledger = MonoLedger([editor], record)
    jobs = list(record.jobs)
    assert [ledger.begun(job_id) for job_id in jobs] == [1, 1, 0, 1]
    assert [ledger.tested_todays_code(job_id) for job_id in jobs] == [True, True, None, False]
    assert [ledger.loaded_todays_code(job_id) for job_id in jobs] == [True, True, False, False]
    assert [ledger.may_be_ok(job_id, True) for job_id in jobs] == [True, True, True, True]
    assert [ledger.may_be_ok(job_id, False) for job_id in jobs] == [False, True, True, False]
