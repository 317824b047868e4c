"""Whether an editor is open on this machine: simulated ones by their mark, Unity by its process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List

import psutil
import pytest

from tests.projects.named_process import running_as
from unity_bridge.projects import open_editors
from unity_bridge.projects.open_editors import SimulatorMark, is_any_editor_open
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(folder))
    return folder


@pytest.fixture
def no_unity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_editors, "_is_unity_running", lambda: False)


@pytest.mark.usefixtures("no_unity")
def test_a_simulated_editor_is_seen_for_as_long_as_it_lives() -> None:
    assert is_any_editor_open() is False
    with SimulatorMark():
        with SimulatorMark():
            assert is_any_editor_open() is True
        assert is_any_editor_open() is True
    assert is_any_editor_open() is False


@pytest.mark.usefixtures("no_unity")
def test_more_simulated_editors_than_marks() -> None:
    marks: List[SimulatorMark] = [SimulatorMark() for _ in range(open_editors._SLOTS + 2)]
    for mark in marks:
        mark.__enter__()
    assert is_any_editor_open() is True
    for mark in marks:
        mark.__exit__(None, None, None)
    assert is_any_editor_open() is False


@pytest.mark.usefixtures("no_unity")
def test_a_folder_that_cannot_be_written_to_keeps_no_editor_from_living(state_folder: Path) -> None:
    state_folder.write_text("a file")
    with SimulatorMark():
        assert is_any_editor_open() is False


def test_an_unlistable_process_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> bool:
        raise PermissionError

    monkeypatch.setattr(open_editors, "_is_unity_running", fails)
    assert is_any_editor_open() is None


def test_this_machine_can_be_asked() -> None:
    """On every system: whatever runs here, asking works."""
    assert open_editors._is_unity_running() in (True, False, None)


@pytest.mark.skipif(
    sys.platform != "linux", reason="a process gets its name from its file's on Linux"
)
def test_a_process_called_unity_is_seen_and_its_hub_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ours alone: other programs on this machine are none of the test's business.
    ours: List[int] = []
    monkeypatch.setattr(psutil, "pids", lambda: ours)
    alone = open_editors._is_unity_running()
    assert alone is not True
    for name, is_seen in (("unityhub", alone), ("Unity", True)):
        with running_as(name, tmp_path) as pid:
            ours[:] = [pid]
            assert open_editors._is_unity_running() is is_seen
