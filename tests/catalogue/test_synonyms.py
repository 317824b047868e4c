"""SPEC §12.6: what a name means here that is none of ours, and that nobody is sent to a wrong
neighbour.
"""

from __future__ import annotations

import re
import sys

import pytest

from tests.catalogue.guessed_names import GUESSED_NAMES
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.plugin_commands import ALL, COMMANDS_OF_THE_PLUGIN
from unity_bridge.catalogue.synonyms import _key, listed, meant, name_of, table
from unity_bridge.text.spelling import is_slip

ROWS = [
    (source, name, calls.split(", "))
    for source, rows in table().items()
    for name, calls in rows.items()
]


def test_every_name_of_the_table_leads_to_a_tool_or_a_command_with_arguments_that_it_has() -> None:
    for _, name, calls in ROWS:
        for call in calls:
            target, hint = name_of(call), re.search(r"\((\w+)(=(\w+))?\)$", call)
            assert target in CATALOGUE or target in COMMANDS_OF_THE_PLUGIN, (name, call)
            takes = (
                CATALOGUE[target].input_schema["properties"]
                if target in CATALOGUE
                else {one: {} for one, _, _ in ALL[target].parameters}
            )
            assert hint is None or hint[1] in takes, (name, call)
            assert (
                hint is None or hint[3] is None or hint[3] in takes[hint[1]].get("enum", (hint[3],))
            ), (name, call)


def test_no_two_rows_contradict_each_other_and_none_hides_a_command() -> None:
    said = {_key(name): [name] for name in COMMANDS_OF_THE_PLUGIN}
    ours = dict(said)
    for _, name, calls in ROWS:
        key = _key(name)
        assert key and key != {""}, name
        names = [name_of(call) for call in calls]
        assert set(ours.get(key, ())) <= set(names), name
        if key not in ours:
            assert said.setdefault(key, calls) == calls, name


def test_each_row_has_its_source_and_the_tools_are_those_of_the_catalogue() -> None:
    assert all(
        re.search(r"/.*@[0-9a-f]{7}$|\d\.\d| ", source) for source in table() if source != "tools"
    )
    assert set(table()["tools"]) == set(CATALOGUE)
    assert all(meant(name) == (name,) for name in (*CATALOGUE, *COMMANDS_OF_THE_PLUGIN))


def test_guessed_names_are_answered_with_the_right_one_and_never_with_a_wrong_one() -> None:
    answers = {guess: {name_of(call) for call in meant(guess)} for guess in GUESSED_NAMES}
    wrong = {
        guess: found for guess, found in answers.items() if not found <= set(GUESSED_NAMES[guess])
    }
    right = [guess for guess, found in answers.items() if found or not GUESSED_NAMES[guess]]
    figure = f"{len(right)} of {len(GUESSED_NAMES)} guessed names are answered rightly, {len(wrong)} wrongly"
    sys.stdout.write(f"{figure}\n")
    assert not wrong, (figure, wrong)
    assert len(GUESSED_NAMES) >= 120 and len(right) >= 0.8 * len(GUESSED_NAMES), figure


@pytest.mark.parametrize(
    "name, action, calls",
    [
        ("manage_scene", "save", ("save_scene",)),
        ("manage_scene", "get_hierarchy", ("inspect(what=hierarchy)",)),
        ("manage_gameobject", "create", ("create_object",)),
        ("manage_editor", "play", ("play_mode(action=enter)",)),
        ("manage_asset", "duplicate", ("copy_asset",)),
        # An action that says nothing leaves the name.
        ("manage_packages", "x" * 100_000, ("packages",)),
        ("manage_packages", ["add"], ("packages",)),
        ("x" * 1_000_000, None, ()),
        ("---", None, ()),
    ],
)
def test_an_action_says_more_than_the_name(name: str, action: object, calls: object) -> None:
    assert meant(name, action) == calls


def test_a_sentence_has_the_signature_of_one_command_and_the_names_of_several() -> None:
    assert listed(("create_asset(from)",), of_commands="run ").startswith(
        "run create_asset (from), which is create_asset(path:"
    )
    assert (
        listed(("set_fields", "run_tests", "copy_asset"), of_tools="the tool ")
        == "set_fields, copy_asset or the tool run_tests"
    )


@pytest.mark.parametrize(
    "asked, candidate, fits",
    [
        ("clear_consol", "clear_console", True),
        ("opne_scene", "open_scene", True),
        ("Save_All", "save_all", True),
        ("createobject", "create_object", True),
        ("crate_objcet", "create_object", True),
        ("move_scene", "save_scene", False),
        ("copy_object", "move_object", False),
        ("get_fields", "set_fields", False),
        ("remove_object", "move_object", False),
        ("scene", "open_scene", False),
        ("", "ping", False),
    ],
)
def test_a_slip_is_one_letter_a_word(asked: str, candidate: str, fits: bool) -> None:
    assert is_slip(asked, candidate) is fits
