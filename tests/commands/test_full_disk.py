"""A full disk while a command writes: what was there stays whole, nothing half is left, and the
command says why.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import List

import click
import pytest

from tests.commands.runner import runner
from tests.full_disk import full_disk
from unity_bridge.base.result import Err, Ok
from unity_bridge.commands import client
from unity_bridge.commands.shared import client_request
from unity_bridge.commands.shared.junit_report import write_report
from unity_bridge.commands.shot import written

FULL = os.strerror(27)  # what a limit on a file's size says in place of "No space left on device"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(
        client_request, "first_that_starts", lambda programs, entrys: Ok(programs[0])
    )
    return tmp_path


def files(folder: Path) -> List[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


# More fits than nothing: the backup is written and the file is not.
@pytest.mark.parametrize("room", [0, 10, 100])
@pytest.mark.parametrize(
    "content", [None, {"theme": "dark", "mcpServers": {"other": {"command": "x"}}}]
)
def test_client_add_leaves_the_file_whole(home: Path, room: int, content: object) -> None:
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir()
    before = None if content is None else json.dumps(content)
    if before is not None:
        file.write_text(before, encoding="utf-8")
    with full_disk(room):
        added = runner().invoke(client.command, ["add", "copilot"])
    assert added.exit_code == 1 and f"{file} cannot be written: {FULL}" in added.stderr
    assert files(home) == ([] if before is None else [file])
    assert before is None or file.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("room", [0, 100])
def test_no_half_junit_report_is_left(tmp_path: Path, room: int) -> None:
    report = tmp_path / "unity.xml"
    with full_disk(room):
        refused = write_report(report, b"<testsuites/>" * 100)
    assert refused == Err(f"{report} could not be written: {FULL}")
    assert files(tmp_path) == []


@pytest.mark.parametrize("room", [0, 100])
@pytest.mark.parametrize("was_there", [False, True])
def test_a_named_picture_keeps_the_earlier_one(tmp_path: Path, room: int, was_there: bool) -> None:
    picture = tmp_path / "game.png"
    if was_there:
        picture.write_bytes(b"the earlier one")
    with full_disk(room), pytest.raises(click.ClickException) as refused:
        written(b"\x89PNG" * 100, str(picture), "png")
    assert refused.value.message == f"the picture could not be written to {picture}: {FULL}"
    assert files(tmp_path) == ([picture] if was_there else [])
    assert not was_there or picture.read_bytes() == b"the earlier one"


def test_a_picture_that_is_not_named_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with full_disk(), pytest.raises(click.ClickException) as refused:
        written(b"\x89PNG", None, "png")
    assert (
        refused.value.message == f"the picture could not be written to the temporary folder: {FULL}"
    )
    assert list(tmp_path.iterdir()) == []
