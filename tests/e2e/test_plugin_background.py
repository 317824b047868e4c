"""An editor in the background: what a job costs it, and what goes on without the focus (SPEC
§15.6).
"""

from __future__ import annotations

import threading
from typing import Iterator

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.scripted_server import Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor


@pytest.fixture(autouse=True)
def nothing_is_left(shared: SharedEditor) -> Iterator[None]:
    """The file as a whole leaves nothing, and no test does what Unity would not bear."""
    yield
    assert shared.editor.violations() == []


@pytest.fixture
def editor(shared: SharedEditor) -> Iterator[HeadlessEditor]:
    shared.reset()
    # By itself it makes no update: all that are counted, the plugin has asked for.
    shared.editor.arrange("tick 60000", "focus off")
    shared.editor.counts()
    yield shared.editor
    shared.editor.arrange("tick 10", "focus on")


@pytest.fixture
def session(shared: SharedEditor, editor: HeadlessEditor) -> Session:
    return shared.session()


def test_a_compilation_asks_for_no_frames_and_for_few_updates(
    shared: SharedEditor, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange("compile-ms 2000", f"edit Game|{job}")
    editor.counts()
    session.submit(job, tool="compile")
    editor.wait_for("compiled ok")
    ms, updates, player_loops = editor.counts()
    assert player_loops == 0
    # One in 10 ms, and not one in the 4 ms for which Unity rests between two.
    assert updates < ms / 8, f"{updates} updates in {ms} ms"
    ended(shared.server, session, job)


def test_a_job_that_waits_hardly_wakes_the_editor(
    shared: SharedEditor, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange("updating true")
    session.submit(job, tool="compile")
    editor.counts()
    for _ in range(10):
        assert session.job(job)["state"] == "queued"
        editor.command("ping x")
        editor.wait_for("pong x")
    measure()
    ms, updates, player_loops = editor.counts()
    # One in 200 ms, and each command is an update too.
    assert player_loops == 0 and updates < ms / 50, f"{updates} updates in {ms} ms"
    editor.command("updating false")
    ended(shared.server, session, job)


def test_nothing_wakes_an_editor_without_jobs(editor: HeadlessEditor, session: Session) -> None:
    for _ in range(5):
        session.read_console(max_entries=1)
    editor.counts()
    measure()
    _, updates, player_loops = editor.counts()
    assert player_loops == 0 and updates <= 3


def measure() -> None:
    """Lets the time pass in which the editor's updates are counted."""
    threading.Event().wait(2)


def test_delayed_calls_run_while_a_job_runs_and_unity_has_no_focus(
    shared: SharedEditor, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange("delay-call before")
    for _ in range(5):
        editor.wait_until_idle()
    # It is the job that needs them; else Unity's own rule stays.
    assert "delayed before" not in editor.history
    editor.tests("edit|A.B.C|pass|300")
    session.submit(job, mode="edit")
    assert ended(shared.server, session, job)["state"] == "succeeded"
    assert "delayed before" in editor.history
    # One that throws takes no other with it, and is logged.
    assert any("thrown in delayCall" in line for line in editor.history)
