"""Which terminals show pictures, and what is written to them; what ``shot`` says of one."""

from __future__ import annotations

import base64
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Dict, Optional

import click
import pytest

from unity_bridge.commands.shot import Protocol, about, protocol_of, sequence, written

SHOT: Dict[str, Any] = {
    "view": "game",
    "width": 64,
    "height": 36,
    "playing": True,
    "frame": 9,
    "fresh": True,
}


@pytest.mark.parametrize(
    "environment, protocol",
    [
        ({"TERM": "xterm-kitty"}, Protocol.KITTY),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, Protocol.KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, Protocol.KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, Protocol.ITERM),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, Protocol.ITERM),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, None),
        ({"TERM": "xterm-256color"}, None),
        ({}, None),
    ],
)
def test_a_terminal_is_known_by_what_it_says(
    environment: Dict[str, str], protocol: Optional[str]
) -> None:
    assert protocol_of(environment) == protocol


@pytest.mark.parametrize("size", [1, 3072, 3073, 20_000])
def test_kitty_takes_a_picture_in_chunks_of_which_only_the_last_is_the_last(size: int) -> None:
    picture = bytes(range(256)) * (size // 256 + 1)
    parts = re.findall("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\", sequence(Protocol.KITTY, picture))
    assert base64.b64decode("".join(data for _, data in parts)) == picture
    assert all(len(data) <= 4096 for _, data in parts)
    assert [keys[-3:] for keys, _ in parts] == ["m=1"] * (len(parts) - 1) + ["m=0"]
    assert parts[0][0].startswith("a=T,f=100,") and not any("a=T" in keys for keys, _ in parts[1:])


def test_iterm_takes_it_whole() -> None:
    assert sequence(Protocol.ITERM, b"abc") == "\x1b]1337;File=inline=1;size=3:YWJj\x07"


def test_the_facts_of_a_picture_are_one_line() -> None:
    assert about({**SHOT, "uniform": False}) == "game view, 64x36, playing, frame 9"
    old = {
        **SHOT,
        "playing": False,
        "fresh": False,
        "uniform": True,
        "reason": "No camera rendered.",
    }
    assert about(old) == (
        "game view, 64x36, edit mode. Not rendered for this call: No camera rendered. The whole picture has one colour."
    )
    shots = [{**SHOT, "changed": changed} for changed in (None, 0.0425)]
    assert about({**SHOT, "uniform": False, "shots": shots}).endswith(
        ", 2 frames: 9 (first), 9 (4.2 % changed)"
    )


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_picture_replaces_a_link_and_is_not_written_through_it(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    for target in (theirs, tmp_path / "nowhere"):
        link = tmp_path / "game.jpg"
        link.symlink_to(target)
        assert written(b"a picture", str(link), "jpg") == str(link)
        assert (link.is_symlink(), link.read_bytes()) == (False, b"a picture")
        link.unlink()
    assert theirs.read_text() == "theirs" and not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("output", ["game.jpg", None])
def test_a_picture_is_whole_or_not_there(
    output: Optional[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "game.jpg").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        click.ClickException, match="could not be written to .*: No space left on device"
    ):
        written(b"new", output, "jpg")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("game.jpg", b"old")]


@pytest.mark.parametrize(
    ("name", "kind"), [("game.jpg", "png"), ("game.JPEG", "png"), ("game.png", "jpg")]
)
def test_a_file_is_never_named_after_another_format(name: str, kind: str, tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match=f"the editor sent a {kind} picture"):
        written(b"picture", str(tmp_path / name), kind)
    assert list(tmp_path.iterdir()) == []


def test_a_name_without_a_known_ending_is_written_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert written(b"picture", str(tmp_path / "game"), "png") == str(tmp_path / "game")
    assert "The picture is a png" in capsys.readouterr().err
