"""Consent to run_csharp is kept outside every project, in a file of the user's own (SPEC §16.6)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.trust import consent
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state" / consent.FILE


def test_it_is_given_and_taken_back_for_one_project(file: Path) -> None:
    assert consent.allowed_projects() == Ok([])
    for project in ("/b", "/a", "/b"):
        assert consent.allow(project, True) == Ok(None)
    assert consent.allowed_projects() == Ok(["/a", "/b"])
    assert consent.allow("/b", False) == consent.allow("/never", False) == Ok(None)
    assert consent.allowed_projects() == Ok(["/a"]) and left_in(file.parent) == [consent.FILE]
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"csharp": "/a"}', '{"csharp": ["/a",, ]}', "\ufeff\x00"]
)
def test_a_file_that_cannot_be_read_is_left_as_it_is(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    assert isinstance(consent.allowed_projects(), Err) and isinstance(
        consent.allow("/a", True), Err
    )
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.skipif(os.name == "nt", reason="modes, links and pipes")
@pytest.mark.parametrize(
    "found", ["others can read it", "a link", "a pipe", "a folder", "too large", "UTF-16"]
)
def test_only_a_private_ordinary_file_counts(file: Path, found: str) -> None:
    file.parent.mkdir()
    text = json.dumps({"csharp": ["/a"]})
    if found == "a link":
        (file.parent / "elsewhere").write_text(text, encoding="utf-8")
        (file.parent / "elsewhere").chmod(0o600)
        file.symlink_to("elsewhere")
    elif found == "a pipe":
        os.mkfifo(str(file), 0o600)
    elif found == "a folder":
        file.mkdir(0o700)
    else:
        file.write_text(
            text + " " * 70_000 * (found == "too large"), "utf-16" if found == "UTF-16" else "utf-8"
        )
        file.chmod(0o644 if found == "others can read it" else 0o600)
    assert isinstance(consent.allowed_projects(), Err)
    assert isinstance(consent.allow("/b", True), Err)


def test_a_full_disk_leaves_the_file_whole(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert consent.allow("/a", True) == Ok(None)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert consent.allow("/b", True) == Err(f"{file} cannot be written: No space left on device")
    assert consent.allowed_projects() == Ok(["/a"]) and left_in(file.parent) == [consent.FILE]


_ADDING = """
import sys
from unity_bridge.base.result import Ok
from unity_bridge.trust import consent
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
for number in range(40):
    assert consent.allow(f"/{sys.argv[1]}/{number}", True) == Ok(None)
"""


@pytest.mark.slow
def test_two_writers_at_once_lose_nothing(file: Path) -> None:
    """Without the lock both read, and the slower one puts its list in the place of the other's."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _ADDING, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for name in "ab"
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline().strip() == b"ready"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=60)[0] for writer in writers] == [b"", b""]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert consent.allowed_projects() == Ok(
        sorted(f"/{name}/{number}" for name in "ab" for number in range(40))
    )


def left_in(folder: Path) -> List[str]:
    """The files next to the lock."""
    return sorted({path.name for path in folder.iterdir()} - {f"{consent.FILE}.lock"})


def test_a_project_whose_path_is_no_text_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    done = consent.allow("/game\udcff", True)
    assert isinstance(done, Err) and "cannot be written" in done.error
    assert consent.allowed_projects() == Ok([])
