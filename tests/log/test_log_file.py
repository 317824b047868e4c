"""The file that gets the log: rotated where the system allows it, written to in any case (SPEC
§10).
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Iterator, List

import pytest

from tests.fakes import ManualClock
from tests.full_disk import full_disk
from unity_bridge.log.log_file import RotatingLogFile

LINES_PER_FILE = 4
LIMIT = 210  # four lines of 49 characters with their line end, which has two on Windows


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[RotatingLogFile]:
    handler = opened(tmp_path, clock)
    yield handler
    handler.close()


def opened(folder: Path, clock: ManualClock) -> RotatingLogFile:
    return RotatingLogFile(str(folder / "bridge.log"), LIMIT, 3, clock)


def say(log: logging.Handler, *texts: str) -> None:
    for text in texts:
        log.handle(logging.LogRecord("x", logging.INFO, "", 0, text, (), None))


def lines(folder: Path) -> List[str]:
    """What is in all the files, the oldest line first."""
    oldest_first = sorted(folder.iterdir(), key=lambda path: path.name, reverse=True)
    return [line for path in oldest_first for line in path.read_text(encoding="utf-8").splitlines()]


def names(folder: Path) -> List[str]:
    return sorted(path.name for path in folder.iterdir())


def texts(begin: int, end: int) -> List[str]:
    return [f"{n:>49}" for n in range(begin, end)]


def refuse(monkeypatch: pytest.MonkeyPatch, source: str = "bridge.log") -> None:
    """Renaming that file fails as on Windows where another program has it open."""
    rename = os.replace

    def replace(old: str, new: str) -> None:
        if os.path.basename(old) == source:
            raise PermissionError(13, "The process cannot access the file", old)
        rename(old, new)

    monkeypatch.setattr("unity_bridge.log.log_file.os.replace", replace)


def test_a_full_file_makes_room_and_three_old_ones_are_kept(
    log: RotatingLogFile, tmp_path: Path
) -> None:
    say(log, *texts(0, 22))
    assert names(tmp_path) == ["bridge.log", "bridge.log.1", "bridge.log.2", "bridge.log.3"]
    assert lines(tmp_path) == texts(22 - 3 * LINES_PER_FILE - 22 % LINES_PER_FILE, 22)
    assert all(path.stat().st_size <= LIMIT for path in tmp_path.iterdir())


def test_while_a_rotation_is_refused_lines_are_appended(
    log: RotatingLogFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch)
    say(log, *texts(0, 30))
    assert lines(tmp_path) == texts(0, 30)
    assert names(tmp_path) == ["bridge.log"]


def test_a_refused_rotation_is_tried_again(
    log: RotatingLogFile, tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        refuse(patched)
        say(log, *texts(0, 30))
    say(log, *texts(30, 31))
    assert names(tmp_path) == ["bridge.log"], "not at every line: somebody is reading"
    clock.advance(60.0)
    say(log, *texts(31, 32))
    assert names(tmp_path) == ["bridge.log", "bridge.log.1"]
    assert lines(tmp_path) == texts(0, 32)


def test_refused_rotations_push_no_old_file_out(
    log: RotatingLogFile, tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(log, *texts(0, 12))
    before = lines(tmp_path)
    with monkeypatch.context() as patched:
        refuse(patched)
        for n in range(12, 32):
            say(log, *texts(n, n + 1))
            clock.advance(60.0)
    assert lines(tmp_path)[-20 - len(before) :] == [*before, *texts(12, 32)]


def test_an_old_file_that_cannot_be_moved_stops_no_line(
    log: RotatingLogFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, "bridge.log.1")
    say(log, *texts(0, 30))
    assert lines(tmp_path) == texts(0, 30)


def test_two_servers_share_a_file_and_no_line_is_lost(
    log: RotatingLogFile, tmp_path: Path, clock: ManualClock
) -> None:
    other = opened(tmp_path, clock)
    try:
        for n in range(0, 10, 2):
            say(log, *texts(n, n + 1))
            say(other, *texts(n + 1, n + 2))
    finally:
        other.close()
    assert sorted(lines(tmp_path)) == sorted(texts(0, 10))
    assert len(names(tmp_path)) == 3, (
        "one server's rotation is not followed by another's of a nearly empty file"
    )


def test_two_servers_go_on_in_one_file_after_either_has_rotated_it(
    log: RotatingLogFile, tmp_path: Path, clock: ManualClock
) -> None:
    other = opened(tmp_path, clock)
    try:
        say(log, *texts(0, LINES_PER_FILE + 1))
        say(other, *texts(5, 6))
        say(log, *texts(6, 7))
    finally:
        other.close()
    assert (tmp_path / "bridge.log").read_text(encoding="utf-8").splitlines() == texts(4, 7)


def test_a_full_disk_and_its_end_are_reported_once(log: RotatingLogFile, tmp_path: Path) -> None:
    say(log, "first")
    assert log.news() is None
    with full_disk(20):  # the second line begins, and does not end
        say(log, "second, which is long", "third", "fourth")
    message = log.news()
    assert (
        message is not None
        and str(tmp_path / "bridge.log") in message
        and "cannot be written to" in message
    )
    assert log.news() is None
    say(log, "fifth")
    message = log.news()
    assert message is not None and "3 lines are missing" in message
    assert lines(tmp_path) == ["first", "second, which ", "fifth"], (
        "a torn line is not continued by another"
    )
    assert log.news() is None


def test_a_missing_folder_is_reported_too(tmp_path: Path, clock: ManualClock) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = opened(folder, clock)
    try:
        if sys.platform != "win32":
            (folder / "bridge.log").unlink()
            folder.rmdir()
            say(log, "lost")
            message = log.news()
            assert message is not None and "No such file" in message
            folder.mkdir()
        say(log, "kept")
    finally:
        log.close()
    assert lines(folder) == ["kept"]


def test_a_deleted_file_is_made_again(log: RotatingLogFile, tmp_path: Path) -> None:
    if sys.platform == "win32":
        os.replace(
            str(tmp_path / "bridge.log"), str(tmp_path / "deleted")
        )  # it would vanish only with its last handle
        (tmp_path / "elsewhere").mkdir()
        os.replace(str(tmp_path / "deleted"), str(tmp_path / "elsewhere" / "deleted"))
    else:
        (tmp_path / "bridge.log").unlink()
    say(log, *texts(0, 1))
    assert (tmp_path / "bridge.log").read_text(encoding="utf-8").splitlines() == texts(0, 1)


def test_a_line_that_cannot_be_written_is_no_reason_to_fail(
    log: RotatingLogFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    log.handle(logging.LogRecord("x", logging.INFO, "", 0, "%d", ("no number",), None))
    say(log, "half \ud83d")
    assert lines(tmp_path) == ["half \\ud83d"]


def test_a_viewer_on_windows_that_forbids_renaming(
    log: RotatingLogFile, tmp_path: Path, clock: ManualClock
) -> None:
    with open(str(tmp_path / "bridge.log"), encoding="utf-8"):
        say(log, *texts(0, 10))
    clock.advance(60.0)
    say(log, *texts(10, 11))
    assert lines(tmp_path)[-11:] == texts(0, 11)
    assert len(names(tmp_path)) > 1
