"""A file of somebody else's is changed in one step, after a backup, or not at all."""

from __future__ import annotations

import itertools
import os
import stat
import threading
from pathlib import Path
from typing import Set

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.safe_files import read_text


def test_a_file_is_changed_and_its_old_state_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"old\r\n")

    applied = FileEdit(file, "old\r\n", "new\r\n").apply()

    assert isinstance(applied, Ok) and applied.value is not None
    assert file.read_bytes() == b"new\r\n"
    assert applied.value.read_bytes() == b"old\r\n"
    assert {path.name for path in tmp_path.iterdir()} == {file.name, applied.value.name}


def test_no_backup_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("one")
    first = FileEdit(file, "one", "two").apply()
    second = FileEdit(file, "two", "three").apply()

    assert isinstance(first, Ok) and isinstance(second, Ok)
    assert first.value is not None and second.value is not None
    assert (first.value.read_text(), second.value.read_text()) == ("one", "two")


def test_a_new_file_comes_with_its_folders_and_without_a_backup(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "settings.json"

    assert FileEdit(file, None, "new").apply() == Ok(None)
    assert file.read_text() == "new"


def test_a_change_by_another_program_during_the_edit_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("theirs")

    applied = FileEdit(file, "as we read it", "ours").apply()

    assert isinstance(applied, Err) and "changed by another program" in applied.error
    assert file.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(os.name == "nt", reason="there an open file keeps others from replacing it")
def test_a_client_that_rewrites_its_file_at_the_same_moment_sees_whole_states_only(
    tmp_path: Path,
) -> None:
    """The last writer wins; neither ever reads or leaves half of a file."""
    file, draft = tmp_path / "settings.json", tmp_path / "draft"
    states = {"A" * 100_000, "B" * 100_000, "ours" * 50_000}
    file.write_text("A" * 100_000)
    ended = threading.Event()
    seen: Set[str] = set()

    def client() -> None:
        for letter in itertools.cycle("AB"):
            seen.add(file.read_text())
            draft.write_text(letter * 100_000)
            os.replace(draft, file)
            if ended.is_set():
                return

    (tmp_path / "Library").mkdir()
    rewriting = threading.Thread(target=client, name="client")
    rewriting.start()
    outcomes = []
    try:
        for _ in range(50):
            outcomes.append(
                FileEdit(file, file.read_text(), "ours" * 50_000, within=tmp_path).apply()
            )
    finally:
        ended.set()
        rewriting.join()
    assert seen <= states and file.read_text() in states
    assert all(isinstance(one, Ok) or "changed by another program" in one.error for one in outcomes)
    backups = list(tmp_path.glob("Library/UnityBridge/backups/*"))
    assert len(backups) == sum(isinstance(one, Ok) for one in outcomes)
    assert {backup.read_text() for backup in backups} <= states


@pytest.mark.skipif(os.name == "nt", reason="rights of this kind are POSIX's")
def test_rights_stay_and_the_backup_is_no_wider(tmp_path: Path) -> None:
    file = tmp_path / "secret.json"
    file.write_text("old")
    file.chmod(0o600)

    applied = FileEdit(file, "old", "new").apply()

    assert isinstance(applied, Ok) and applied.value is not None
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, applied.value)] == [0o600, 0o600]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    target.write_text("old")
    link.symlink_to(target)

    FileEdit(link, "old", "new").apply()

    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_path_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    applied = FileEdit(tmp_path / "file" / "settings.json", None, "new").apply()

    assert isinstance(applied, Err)


def test_a_binary_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"\xff\xfe{\x00")

    assert read_text(file) == Err("is not UTF-8 text")
    assert read_text(tmp_path / "none") == Ok(None)


def test_the_diff_shows_the_change() -> None:
    diff = FileEdit(Path("s.json"), "a\nb\n", "a\nc").diff()

    assert (
        diff
        == "--- s.json\n+++ s.json\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"
    )
    assert FileEdit(Path("s.json"), "a", "a").diff() == ""
