"""Each noun of Unity's menus finds the commands that serve it (SPEC §16.5).

``nouns.txt`` has a noun a line, with the commands, or ``none``. A command that is not there yet does not count.
"""

from __future__ import annotations

import json
import re
from typing import Dict, Set

import pytest

from tests.first_calls import HERE
from unity_bridge.catalogue.plugin_commands import ALL, COMMANDS_OF_THE_PLUGIN, searched_texts
from unity_bridge.text.search import has_words


def nouns() -> Dict[str, Set[str]]:
    rows = (
        re.split(r"\s+", line.strip())
        for line in (HERE / "nouns.txt").read_text(encoding="utf-8").splitlines()
    )
    return {noun: set(commands) - {"none"} for noun, *commands in rows}


def matches(noun: str) -> Set[str]:
    commands = (ALL[name] for name in COMMANDS_OF_THE_PLUGIN)
    return {
        row.name for row in commands if has_words(noun, *searched_texts(row.name, row.description))
    }


@pytest.mark.parametrize("noun", nouns())
def test_a_noun_finds_the_commands_that_serve_it(noun: str) -> None:
    missing = nouns()[noun] & set(COMMANDS_OF_THE_PLUGIN) - matches(noun)
    assert not missing


@pytest.mark.parametrize("word", ["ui", "layer", "tag", "animation", "clip"])
def test_a_word_is_not_found_within_another(word: str) -> None:
    assert not matches(word) & {"build_player", "build_scenes", "list_scenes"}


def test_the_list_of_the_packages_own_commands_is_short() -> None:
    rows = [
        {
            "name": row.name,
            "description": row.description,
            "signature": row.signature,
            "write": row.writes,
        }
        for row in (ALL[name] for name in COMMANDS_OF_THE_PLUGIN)
    ]
    assert len(json.dumps(rows, separators=(",", ":")).encode()) <= 13_000
