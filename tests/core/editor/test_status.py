"""What Unity last said of itself (SPEC §7.6), and what is still believed of it once it is gone
(SPEC §3.2).
"""

from __future__ import annotations

from typing import Optional

import pytest

from tests.fakes import ManualClock, lone_core
from unity_bridge.core.editor.status import StatusTracker
from unity_bridge.core.ledger.machines import EditorState
from unity_bridge.unity.messages import Hello, Pong

STATES = ["ready", "compiling", "reloading"]


class Editor:
    """A tracker, its clock and its store."""

    def __init__(self) -> None:
        core = lone_core()
        assert isinstance(core.clock, ManualClock)
        self.clock, self.stores = core.clock, core.ledger
        self.tracker = StatusTracker(core)

    def says_hello(self, state: str = "ready") -> Editor:
        self.tracker.session_opened(state, Hello(plugin_version="1.0", state=state))
        return self

    @property
    def state(self) -> str:
        return self.tracker.editor.state.value

    @property
    def busy_for(self) -> Optional[float]:
        seen = self.tracker.editor.busy_seen_at
        return None if seen is None else self.clock.now() - seen


@pytest.mark.parametrize("before", STATES)
@pytest.mark.parametrize("after", STATES)
def test_any_state_may_follow_any_other(before: str, after: str) -> None:
    editor = Editor().says_hello(before)
    editor.tracker.heard(Pong(editor_state=after, seq=1))
    assert editor.state == after
    assert editor.tracker.editor.is_busy is (after != "ready")
    assert editor.busy_for == (None if after == "ready" else 0)


@pytest.mark.parametrize("busy", ["compiling", "reloading"])
def test_being_busy_is_remembered_from_its_last_sign(busy: str) -> None:
    editor = Editor().says_hello(busy)
    editor.clock.move_to(1010)
    editor.tracker.heard(Pong(editor_state=busy, seq=2))
    editor.clock.move_to(1015)
    assert editor.busy_for == 5
    editor.tracker.session_lost()
    assert (editor.state, editor.busy_for) == (busy, 0), (
        "it left busy: from now on it is expected back"
    )
    editor.tracker.forget()
    assert editor.state == "unknown" and editor.busy_for is None


def test_a_lost_editor_that_was_ready_is_unknown() -> None:
    editor = Editor().says_hello()
    editor.tracker.heard(Pong(seq=4, main_thread_stalled_ms=900, compile_errors=1))
    editor.tracker.session_lost()
    assert (editor.state, editor.busy_for, editor.tracker.editor.stalled_ms) == (
        "unknown",
        None,
        None,
    )


def test_hello_sets_the_state_and_restarts_the_sequence_numbers() -> None:
    editor = Editor().says_hello("compiling")
    editor.tracker.heard(
        Pong(editor_state="compiling", seq=99, main_thread_stalled_ms=5, compile_errors=2)
    )
    editor.says_hello("ready")
    now = editor.tracker.editor
    assert (now.state, now.seq, now.stalled_ms, now.compile_errors) == (
        EditorState.READY,
        None,
        None,
        None,
    )
    editor.tracker.heard(Pong(editor_state="reloading", seq=1))
    assert (editor.state, editor.tracker.editor.seq) == ("reloading", 1)


@pytest.mark.parametrize("seq, is_taken", [(6, False), (7, True), (8, True), (None, True)])
def test_only_a_smaller_number_is_older(seq: Optional[int], is_taken: bool) -> None:
    editor = Editor().says_hello()
    editor.tracker.heard(
        Pong(editor_state="ready", seq=7, main_thread_stalled_ms=1, compile_errors=1)
    )
    editor.tracker.heard(
        Pong(editor_state="compiling", seq=seq, main_thread_stalled_ms=2, compile_errors=2)
    )
    now = editor.tracker.editor
    assert (now.state.value, now.stalled_ms, now.compile_errors) == (
        ("compiling", 2, 2) if is_taken else ("ready", 1, 1)
    )
    assert now.seq == max(7, seq or 0)


def test_a_pong_without_a_state_changes_none() -> None:
    editor = Editor().says_hello("compiling")
    editor.tracker.heard(Pong())
    assert editor.state == "compiling"


def test_versions_are_kept() -> None:
    editor = Editor()
    assert editor.stores.version.value.plugin is None
    editor.tracker.session_opened("ready", Hello(plugin_version="0.9", state="ready"))
    versions = editor.stores.version.value
    assert (versions.server, versions.plugin) == ("1.0", "0.9")
