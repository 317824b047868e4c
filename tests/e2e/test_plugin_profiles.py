"""run_tests where versions of Unity's test framework differ: how a run is cancelled, how it is
known to be over.
"""

from __future__ import annotations

from typing import Iterator, List

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.scripted_server import Message, ended

# In this order, so that tests that need fewer of them take the first ones, and each editor is
# started once. 1.3.1 differs from 1.1.31 in nothing that the plugin uses, and 1.3.9 from 1.4.6 only
# in how play mode ends.
PROFILES = ("1.1.31", "1.6", "1.4.6", "2.0.1", "1.3.9")
REPORT_NO_ACTIVE_RUN = PROFILES[:2]
DIFFER_IN_EDIT_RUNS = PROFILES[:4]


def on(*profiles: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("shared", profiles, indirect=True, scope="module")


@pytest.fixture(autouse=True)
def nothing_is_left(shared: SharedEditor) -> Iterator[None]:
    """The file as a whole leaves nothing, and no test does what Unity would not bear."""
    yield
    assert shared.editor.violations() == []


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[SharedEditor]:
    with SharedEditor.started(request.param) as started:
        yield started


def counts(status: Message) -> List[int]:
    summary = status["result"]["summary"]
    return [summary[name] for name in ("total", "passed", "failed", "skipped")]


def executions(shared: SharedEditor) -> List[str]:
    return [line for line in shared.editor.history if line.startswith("execute")]


@on(*DIFFER_IN_EDIT_RUNS)
def test_a_reload_in_the_middle_starts_nothing_twice_and_loses_no_result(
    shared: SharedEditor, job: str
) -> None:
    shared.reset()
    server, editor = shared.server, shared.editor
    editor.tests(
        *[f"play|A.B.T{number}|{'fail' if number == 3 else 'pass'}|40" for number in range(12)]
    )
    shared.session().submit(job, mode="play")
    for test in ("T2", "T5", "T9"):
        editor.wait_for(f"test A.B.{test}$")
        editor.reload()
    status = ended(server, server.ready_session(), job)
    assert counts(status) == [12, 11, 1, 0]
    # A filter that matches nothing is an error, and the framework never hears of it.
    server.latest.submit(f"{job}-2", mode="all", filter="Nothing.Like.It")
    status = ended(server, server.latest, f"{job}-2")
    assert status["error"]["details"]["reason"] == "no_tests_matched"
    assert executions(shared) == ["execute PlayMode all"]


def cancelled_in_the_middle(
    shared: SharedEditor, job: str, mode: str, ends: bool = False
) -> Message:
    """Its last status. The way is free for the next run then."""
    shared.reset()
    server, editor = shared.server, shared.editor
    editor.tests(
        f"{mode}|A.B.First|pass", f"{mode}|A.B.Second|pass|60000", f"{mode}|A.B.Third|pass|10"
    )
    session = shared.session()
    session.submit(job, mode=mode)
    editor.wait_for("test A.B.Second")
    session = server.ready_session() if mode == "play" else session
    assert session.ask("cancel", target_job_id=job)["status"] == "cancel_requested"
    if ends:
        editor.command("quirk tests-end")
    status = ended(server, session, job)
    editor.wait_until_idle()
    editor.command("forget-tests")
    editor.tests("edit|A.B.Fourth|pass")
    session.submit(f"{job}-2", mode="edit")
    assert ended(server, session, f"{job}-2")["state"] == "succeeded"
    return status


@on(*DIFFER_IN_EDIT_RUNS)
def test_cancel_of_an_edit_mode_run_reports_the_truth(shared: SharedEditor, job: str) -> None:
    if shared.profile == "1.1.31":
        # This version cannot stop an edit-mode run: it finishes, and that is reported.
        status = cancelled_in_the_middle(shared, job, "edit", ends=True)
        assert status["state"] == "succeeded" and counts(status) == [3, 3, 0, 0]
    else:
        status = cancelled_in_the_middle(shared, job, "edit")
        assert status["state"] == "cancelled" and counts(status) == [3, 1, 0, 0]
        assert "test A.B.Third" not in shared.editor.history


@on(*PROFILES)
def test_cancel_of_a_play_mode_run_reports_the_truth(shared: SharedEditor, job: str) -> None:
    status = cancelled_in_the_middle(shared, job, "play")
    assert status["state"] == "cancelled" and counts(status) == [3, 1, 0, 0]
    assert "test A.B.Third" not in shared.editor.history


@on(*REPORT_NO_ACTIVE_RUN)
def test_a_step_that_blocks_the_main_thread_is_not_silence(shared: SharedEditor, job: str) -> None:
    # A play-mode run that prepares for longer than the silence after which a run counts as dropped.
    shared.reset()
    shared.editor.tests("play|A.B.C|pass")
    shared.editor.arrange("quirk prebuild 60000", "quirk entering 3")
    shared.session().submit(job, mode="play")
    shared.editor.wait_for("prebuild")
    shared.editor.command("clock 12000")
    shared.editor.release()
    status = ended(shared.server, shared.server.latest, job)
    assert status["state"] == "succeeded" and counts(status) == [1, 1, 0, 0]


def runs_after_a_person(shared: SharedEditor, job: str, mode: str) -> None:
    shared.reset()
    server, editor = shared.server, shared.editor
    editor.tests(f"{mode}|A.B.Persons|pass|60000", "edit|A.B.Ours|pass|10")
    session = shared.session()
    editor.command(f"person-runs {mode}")
    editor.wait_for("test A.B.Persons")
    session = server.ready_session() if mode == "play" else session
    session.submit(job, mode="edit", filter="A.B.Ours")
    editor.wait_until_idle()
    assert session.job(job)["state"] == "queued"
    editor.command("quirk tests-end")
    status = ended(server, session, job)
    assert status["state"] == "succeeded" and counts(status) == [1, 1, 0, 0]
    assert len(executions(shared)) == 2


@on(*DIFFER_IN_EDIT_RUNS)
def test_an_edit_mode_run_that_a_person_started_is_waited_for(
    shared: SharedEditor, job: str
) -> None:
    runs_after_a_person(shared, job, "edit")


@on(*REPORT_NO_ACTIVE_RUN)
def test_a_play_mode_run_that_a_person_started_is_waited_for(
    shared: SharedEditor, job: str
) -> None:
    runs_after_a_person(shared, job, "play")
