"""How long a call is worth keeping for each editor there is or was (SPEC §3.2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes import InMemoryBridge
from unity_bridge.base.errors import ErrorCode
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.ledger.machines import EditorState
from unity_bridge.core.ledger.records import EDITOR_ID, EditorRecord

GONE = EditorRecord(EDITOR_ID, EditorState.UNKNOWN)
READY = EditorRecord(EDITOR_ID, EditorState.READY)
COMPILING = EditorRecord(EDITOR_ID, EditorState.COMPILING, busy_seen_at=1000.0)
RELOADING = EditorRecord(EDITOR_ID, EditorState.RELOADING, busy_seen_at=1000.0)


class Waiting:
    """The limits of a bridge, for an editor that is as the test says."""

    def __init__(self, editor: EditorRecord, connected: bool) -> None:
        self.bridge = InMemoryBridge()
        if connected:
            self.bridge.editor.connects()
        self.bridge.stores.editor.add(editor)
        self.limits: Editor = self.bridge.parts.editor


@pytest.mark.parametrize(
    "connected, editor, since, until, code, reason",
    [
        (False, GONE, 1000.0, 1002.5, ErrorCode.EDITOR_NOT_READY, "disconnected"),
        (False, COMPILING, 1000.0, 1060.0, ErrorCode.COMPILE_TIMEOUT, "compiling"),
        (False, RELOADING, 1059.0, 1060.0, ErrorCode.COMPILE_TIMEOUT, "reloading"),
        (True, COMPILING, 1030.0, 1090.0, ErrorCode.COMPILE_TIMEOUT, "compiling"),
        (True, RELOADING, 1030.0, 1090.0, ErrorCode.COMPILE_TIMEOUT, "reloading"),
    ],
)
def test_how_long_a_call_waits(
    connected: bool, editor: EditorRecord, since: float, until: float, code: ErrorCode, reason: str
) -> None:
    parked = Waiting(editor, connected).limits.parked(since)
    assert (parked.since, parked.deadline, parked.code, parked.reason) == (
        since,
        until,
        code,
        reason,
    )


def test_when_the_reason_changes_the_longer_window_counts() -> None:
    short = Waiting(GONE, connected=False).limits.parked(1000.0)
    long = Waiting(COMPILING, connected=True).limits.parked(1000.0, short)
    assert long.code is ErrorCode.COMPILE_TIMEOUT
    again = Waiting(GONE, connected=False).limits.parked(1000.0, long)
    assert again is long, "it was worth waiting for, and may come back"


def test_of_two_equal_windows_the_present_one_is_reported() -> None:
    before = Waiting(COMPILING, connected=True).limits.parked(1000.0)
    now = Waiting(RELOADING, connected=True).limits.parked(1000.0, before)
    assert now == replace(before, reason="reloading")


@pytest.mark.parametrize(
    "editor, window_s", [(GONE, 2.5), (READY, 2.5), (COMPILING, 60.0), (RELOADING, 60.0)]
)
def test_how_long_a_call_in_flight_waits_for_the_connection(
    editor: EditorRecord, window_s: float
) -> None:
    assert Waiting(editor, connected=False).limits.back_within_s() == window_s
