"""The ledger: one writer, any number of readers, and nothing called out while its lock is held."""

from __future__ import annotations

import threading
from dataclasses import FrozenInstanceError
from enum import Enum
from typing import Any, List, Tuple

import pytest

from unity_bridge.core.ledger.ledger import Ledger
from unity_bridge.core.ledger.machines import (
    EditorEvent,
    EditorState,
    JobEvent,
    JobState,
    ServerEvent,
    ServerState,
    SessionState,
)
from unity_bridge.core.ledger.records import (
    EDITOR_ID,
    SERVER_ID,
    EditorRecord,
    JobRecord,
    Record,
    SessionRecord,
    Trust,
    VersionRecord,
)

HANG_S = 20
# Of a wait that a change must end, and not its own time.
MUCH_LONGER_S = 10 * HANG_S


class RecordingObserver(List[Tuple[str, Any, Enum, Record]]):
    """An observer that keeps the transitions it gets."""

    def __call__(self, machine: str, before: Any, event: Enum, record: Record) -> None:
        self.append((machine, before, event, record))


def test_a_new_ledger_has_a_server_and_an_editor_and_nothing_else() -> None:
    stores = Ledger("1.2.3")
    server, editor = stores.server.get(SERVER_ID), stores.editor.get(EDITOR_ID)
    assert server is not None and server.state is ServerState.BOOTING
    assert editor is not None and editor.state is EditorState.UNKNOWN
    assert stores.jobs.all() == [] and (stores.turns, stores.in_flight) == ((), None)
    assert (stores.version.value.server, stores.version.value.plugin) == ("1.2.3", None)


def test_a_transition_moves_the_record_and_sets_what_changes_with_it() -> None:
    stores = Ledger("1")
    stores.jobs.add(JobRecord("job-1", JobState.QUEUED))
    moved = stores.jobs.transition("job-1", JobEvent.SUBMITTED, request_id="req-1")
    assert moved is not None
    assert (moved.state, moved.request_id) == (JobState.RUNNING, "req-1")
    assert stores.jobs.get("job-1") is moved


def test_a_transition_outside_the_table_is_refused_and_changes_nothing() -> None:
    observer = RecordingObserver()
    stores = Ledger("1", observer)
    ended = stores.jobs.add(JobRecord("job-1", JobState.SUCCEEDED))
    assert stores.jobs.transition("job-1", JobEvent.FAILED, request_id="late") is None
    assert (
        stores.jobs.stays("job-1", JobEvent.FAILED)
        == "job job-1 is succeeded: 'Unity: failed' moves nothing"
    )
    assert stores.jobs.get("job-1") is ended
    assert stores.jobs.has_ended(ended)
    assert observer == [], "nobody hears of what did not happen"


def test_an_unknown_life_cannot_move() -> None:
    jobs = Ledger("1").jobs
    assert jobs.transition("job-9", JobEvent.SUBMITTED) is None
    assert (
        jobs.stays("job-9", JobEvent.SUBMITTED)
        == "job job-9 is not known: 'submitted' moves nothing"
    )


def test_an_amendment_calls_no_observer_and_forgetting_is_final() -> None:
    observer = RecordingObserver()
    stores = Ledger("1", observer)
    stores.jobs.add(JobRecord("job-1", JobState.QUEUED))
    assert stores.jobs.amend("job-1", unity_id="u-1").accepted
    assert observer == []
    stores.jobs.forget("job-1")
    stores.jobs.forget("job-1")
    assert stores.jobs.get("job-1") is None


def test_records_are_frozen_so_that_a_readers_copy_never_changes() -> None:
    stores = Ledger("1")
    before = stores.jobs.add(JobRecord("job-1", JobState.QUEUED))
    stores.jobs.transition("job-1", JobEvent.SUBMITTED)
    assert before.state is JobState.QUEUED
    with pytest.raises(FrozenInstanceError):
        before.state = JobState.FAILED  # type: ignore[misc]


def test_the_observer_is_called_after_the_lock_was_released() -> None:
    held: List[bool] = []

    def observe(machine: str, before: Any, event: Enum, record: Record) -> None:
        def try_to_take() -> None:
            taken = stores.lock.acquire(blocking=False)
            held.append(not taken)
            if taken:
                stores.lock.release()

        # From another thread, because the lock lets its owner in again.
        other = threading.Thread(target=try_to_take, name="reader")
        other.start()
        other.join(HANG_S)

    stores = Ledger("1", observe)
    stores.server.transition(SERVER_ID, ServerEvent.STARTED)
    assert held == [False]


def test_the_observer_hears_of_the_move() -> None:
    observer = RecordingObserver()
    stores = Ledger("1", observer)
    stores.editor.transition(EDITOR_ID, EditorEvent.SAID_READY, seq=4)
    record = EditorRecord(EDITOR_ID, EditorState.READY, seq=4)
    assert observer == [("editor", EditorState.UNKNOWN, EditorEvent.SAID_READY, record)]


def test_the_editor_is_ready_only_with_a_session_and_its_word() -> None:
    stores = Ledger("1")
    stores.editor.transition(EDITOR_ID, EditorEvent.SAID_READY)
    assert not stores.editor_is_ready(), "nobody is connected"
    stores.sessions.add(SessionRecord(1, SessionState.ACTIVE, trust=Trust.AWAITED))
    stores.active_id.put(1)
    assert not stores.editor_is_ready(), "its proof may still come"
    stores.sessions.amend(1, trust=Trust.NO_PROOF)
    assert stores.editor_is_ready()
    stores.editor.transition(EDITOR_ID, EditorEvent.SAID_COMPILING)
    assert not stores.editor_is_ready()


def test_waiting_ends_with_the_change_that_was_waited_for() -> None:
    stores = Ledger("1")
    stores.jobs.add(JobRecord("job-1", JobState.QUEUED))
    looked = threading.Event()

    def has_ended() -> bool:
        looked.set()
        job = stores.jobs.get("job-1")
        return job is not None and stores.jobs.has_ended(job)

    answers: List[bool] = []
    waiting = threading.Thread(
        target=lambda: answers.append(stores.wait_until(has_ended, MUCH_LONGER_S)),
        name="script",
        daemon=True,
    )
    waiting.start()
    assert looked.wait(HANG_S)
    stores.jobs.transition("job-1", JobEvent.SUBMITTED)
    stores.jobs.transition("job-1", JobEvent.SUCCEEDED)
    waiting.join(HANG_S)
    assert answers == [True]


@pytest.mark.parametrize("change", ["add", "amend", "put"])
def test_every_kind_of_write_wakes_waiting_threads(change: str) -> None:
    stores = Ledger("1")
    looked, seen = threading.Event(), threading.Event()

    def is_there() -> bool:
        looked.set()
        known = stores.jobs.get("job-1") or stores.jobs.get("job-2")
        editor = stores.editor.get(EDITOR_ID)
        return (
            known is not None
            or stores.version.value.plugin is not None
            or (editor is not None and editor.seq == 7)
        )

    def wait() -> None:
        if stores.wait_until(is_there, MUCH_LONGER_S):
            seen.set()

    waiting = threading.Thread(target=wait, name="script", daemon=True)
    waiting.start()
    assert looked.wait(HANG_S)
    if change == "add":
        stores.jobs.add(JobRecord("job-1", JobState.QUEUED))
    elif change == "amend":
        stores.editor.amend(EDITOR_ID, seq=7)
    else:
        stores.version.put(VersionRecord("1", "2"))
    assert seen.wait(HANG_S)
    waiting.join(HANG_S)


def test_waiting_in_vain_is_over_when_the_time_is() -> None:
    assert Ledger("1").wait_until(lambda: False, timeout_s=0) is False


def test_readers_see_whole_records_while_the_writer_writes() -> None:
    """``seq`` and ``compile_errors`` are always written as a pair: no reader may ever see half of
    one.
    """
    stores = Ledger("1")
    stop, torn = threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            editor = stores.editor.get(EDITOR_ID)
            assert editor is not None
            if editor.seq != editor.compile_errors:
                torn.append(editor)
            stores.jobs.all()

    readers = [threading.Thread(target=read, name=f"reader-{n}") for n in range(3)]
    for reader in readers:
        reader.start()
    for n in range(2000):
        stores.editor.amend(EDITOR_ID, seq=n, compile_errors=n)
        stores.jobs.add(JobRecord(f"job-{n % 50}", JobState.QUEUED))
        stores.jobs.forget(f"job-{(n + 25) % 50}")
    stop.set()
    for reader in readers:
        reader.join(HANG_S)
    assert torn == []
