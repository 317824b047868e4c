"""The two files of a project that may name its port: which one counts, and what a broken one means
(SPEC §18.1).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.port_files import (
    TEAM_FILE,
    USER_FILE,
    PortFiles,
    automatic_port,
    port_of_project,
)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    folder = tmp_path / "game"
    for parts in (USER_FILE, TEAM_FILE):
        folder.joinpath(*parts).parent.mkdir(parents=True)
    return folder


def say(game: Path, user: str = "", team: str = "") -> PortFiles:
    for parts, content in ((USER_FILE, user), (TEAM_FILE, team)):
        if content:
            game.joinpath(*parts).write_text(content, encoding="utf-8")
    return port_of_project(str(game))


def test_a_project_without_files_says_nothing(game: Path, tmp_path: Path) -> None:
    assert say(game) == PortFiles(None, ())
    assert port_of_project(str(tmp_path / "nowhere")) == PortFiles(None, ())


def test_the_users_file_counts_more_than_the_teams(game: Path) -> None:
    found = say(game, user='{"port": 9001}', team='{"port": 9000}').given
    assert found is not None and (found.value, found.source) == (
        9001,
        str(game.joinpath(*USER_FILE)),
    )


def test_the_teams_counts_where_the_users_names_no_port(game: Path) -> None:
    found, broken = say(game, user='{"allow_csharp": true}', team='\ufeff{"port": 9000}')
    assert found is not None and (found.value, found.source) == (
        9000,
        str(game.joinpath(*TEAM_FILE)),
    )
    assert broken == ()


def test_auto_is_the_port_of_the_path(game: Path, tmp_path: Path) -> None:
    found = say(game, team='{"port": "auto"}').given
    assert found is not None and found.value == automatic_port(canonical_path(game))


@pytest.mark.parametrize(
    "content, said",
    [
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is larger than"),
        ("[" * 50_000, "is not valid JSON"),
        ("[]", "does not hold a JSON object"),
        ('{"port": 0}', "neither a number from 1 to 65535"),
        ('{"port": 65536}', "neither a number"),
        ('{"port": true}', "neither a number"),
        ('{"port": "8091"}', "neither a number"),
        ('{"port": null}', "neither a number"),
        ('{"port": []}', "neither a number"),
    ],
)
def test_a_broken_file_is_named_in_a_sentence_and_the_next_one_counts(
    game: Path, content: str, said: str
) -> None:
    found, broken = say(game, user=content, team='{"port": 9000}')
    assert found is not None and found.value == 9000
    (sentence,) = broken
    assert sentence.startswith(str(game.joinpath(*USER_FILE)) + " ") and said in sentence
    assert len(sentence) < len(str(game)) + 150 and "\n" not in sentence


def test_both_may_be_broken(game: Path) -> None:
    assert say(game, user="{", team="}").given is None
    assert len(port_of_project(str(game)).broken) == 2


def test_a_port_file_that_is_binary_or_a_folder_is_broken_too(game: Path) -> None:
    game.joinpath(*USER_FILE).write_bytes(b'{"port": \xff}')
    game.joinpath(*TEAM_FILE).mkdir()
    user, team = port_of_project(str(game)).broken
    assert "is not UTF-8 text" in user and "is not a file" in team


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_a_pipe_does_not_hold_the_start_up(game: Path) -> None:
    os.mkfifo(str(game.joinpath(*USER_FILE)))
    assert "is not a file" in port_of_project(str(game)).broken[0]


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="rights bind neither Windows nor root in this way"
)
def test_a_file_that_must_not_be_read_is_broken(game: Path) -> None:
    game.joinpath(*USER_FILE).write_text("{}")
    game.joinpath(*USER_FILE).chmod(0)
    assert "cannot be read" in port_of_project(str(game)).broken[0]
