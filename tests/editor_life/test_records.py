"""A record of a started editor that somebody edited, or that a full disk cut, is no record (SPEC
§22.2).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from unity_bridge.base.frozen import changed
from unity_bridge.editor_life.probing import started_with
from unity_bridge.editor_life.records import EditorRecords, StartedEditor

EDITOR = StartedEditor(
    "/game", "/unity", "2022.3.10f1", "Unity Hub", "/log", "2026", port=8092, pid=4242
)


@pytest.fixture
def records(tmp_path: Path) -> EditorRecords:
    made = EditorRecords(tmp_path)
    made.write("/game", EDITOR)
    return made


def test_a_record_is_read_as_it_was_written(records: EditorRecords) -> None:
    assert records.read("/game") == EDITOR and records.all() == [EDITOR]


@pytest.mark.parametrize(
    "member, value",
    [
        ("project", ["/game"]),
        ("log", None),
        ("headless", "yes"),
        ("port", "8092"),
        ("port", True),
        ("port", 99_999),
        ("pid", -1),
        ("pid", 2**70),
        ("process_start", 3.5),
    ],
)
def test_a_record_with_a_member_of_another_kind_is_none(
    records: EditorRecords, tmp_path: Path, member: str, value: Any
) -> None:
    (path,) = tmp_path.glob("*.json")
    path.write_text(json.dumps({**vars(EDITOR), member: value}))
    assert records.read("/game") is None and records.all() == []


@pytest.mark.parametrize("length", [0, 1, 40, -3])
def test_a_record_that_was_cut_is_none(records: EditorRecords, tmp_path: Path, length: int) -> None:
    (path,) = tmp_path.glob("*.json")
    path.write_bytes(path.read_bytes()[:length])
    assert records.read("/game") is None and records.all() == []


@pytest.mark.parametrize("word", ["99999", "0", "²", "80 91"])
def test_a_command_line_with_a_port_that_is_none_says_nothing(
    monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setattr("unity_bridge.editor_life.probing.holder", lambda project: 4242)
    monkeypatch.setattr("unity_bridge.editor_life.processes.argument_of", lambda pid, name: word)
    assert started_with("/game", None) is None
    assert started_with("/game", changed(EDITOR, pid=1)) == 8092


if sys.platform == "win32":
    pytestmark = pytest.mark.skip(reason="/game is no absolute path there")
