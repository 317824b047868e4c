"""What becomes of the calls that models get wrong."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.catalogue.wrong_calls import PROJECT, WRONG_CALLS, WrongCall
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator

VALIDATOR = RequestValidator(project_folders=lambda: ["C:\\Games\\My Game", PROJECT])


@pytest.mark.parametrize(
    "wrong", WRONG_CALLS, ids=lambda wrong: f"{wrong.tool} {json.dumps(wrong.arguments)}"
)
def test_a_wrong_call_runs_as_meant_or_is_answered_with_the_right_one(wrong: WrongCall) -> None:
    outcome = VALIDATOR.validate(wrong.tool, wrong.arguments)
    if wrong.taken is not None:
        assert isinstance(outcome, Ok), outcome
        assert {name: outcome.value.params[name] for name in wrong.taken} == wrong.taken
        # 12.0 is 12: nothing was taken for something else.
        assert outcome.value.remarks or any(
            isinstance(value, float) for value in wrong.arguments.values()
        )
    else:
        assert isinstance(outcome, Err)
        message = outcome.error.error.message
        assert all(words in message for words in wrong.taught), message
        assert len(message) < 600


def test_one_of_a_hundred_wrong_calls_gets_no_help() -> None:
    assert len(WRONG_CALLS) >= 100
    assert sum(wrong.taken is not None for wrong in WRONG_CALLS) >= 46
    assert [wrong.tool for wrong in WRONG_CALLS if wrong.taken is None and not wrong.taught] == [
        "think"
    ]


def test_a_call_that_is_right_has_no_remarks() -> None:
    right = {"max_entries": 20, "types": ["error"], "contains": "[1]", "include_stack_trace": True}
    outcome = VALIDATOR.validate("read_console", right)
    assert isinstance(outcome, Ok)
    assert outcome.value.remarks == ()


def test_each_guess_that_was_taken_is_remarked() -> None:
    outcome = VALIDATOR.validate("read_console", {"maxEntries": "12", "types": "Error,warning"})
    assert isinstance(outcome, Ok)
    assert outcome.value.remarks == (
        "maxEntries was taken as max_entries.",
        'max_entries "12" was taken as 12.',
        'types "Error,warning" was taken as ["error", "warning"].',
    )


def test_a_refused_call_says_what_it_took_too() -> None:
    outcome = VALIDATOR.validate("read_console", {"maxEntries": 12, "types": ["fatal"]})
    assert isinstance(outcome, Err)
    assert outcome.error.error.details["remarks"] == ["maxEntries was taken as max_entries."]


@pytest.mark.parametrize(
    "path, meant",
    [
        ("Packages\\com.x\\A.asset", "Packages/com.x/A.asset"),
        ("c:\\games\\my game\\Assets\\Items", "Assets/Items"),
        ("C:/Games/My Game/Assets/Items", "Assets/Items"),
        (f"{PROJECT}/Packages/com.x", "Packages/com.x"),
    ],
)
def test_a_path_of_an_asset_begins_with_its_folder(path: str, meant: str) -> None:
    outcome = VALIDATOR.validate("inspect", {"what": "assets", "path": path})
    assert isinstance(outcome, Ok)
    assert outcome.value.params["path"] == meant


# A name in a scene may have backslashes, and other projects have files too.
@pytest.mark.parametrize(
    "path", ["Main/A\\B", "Assets", PROJECT, f"{PROJECT} 2/Assets/A", "/home/ME/My Game/Assets/A"]
)
def test_any_other_path_stays_as_it_is(path: str) -> None:
    outcome = VALIDATOR.validate("inspect", {"what": "object", "path": path})
    assert isinstance(outcome, Ok)
    assert (outcome.value.params["path"], outcome.value.remarks) == (path, ())


@given(st.text())
def test_text_for_unity_is_never_changed(text: str) -> None:
    code = VALIDATOR.validate("run_csharp", {"code": text or "1"})
    sent = {"Path": "Assets\\A", "maxEntries": text, "flag": "True"}
    command = VALIDATOR.validate("run_command", {"name": "x", "arguments": sent})
    assert isinstance(code, Ok) and isinstance(command, Ok)
    assert (code.value.params["code"], code.value.remarks) == (text or "1", ())
    assert (command.value.params["arguments"], command.value.remarks) == (sent, ())


@pytest.mark.parametrize("tool", CATALOGUE.values(), ids=lambda tool: tool.name)
def test_every_guess_leads_to_something_that_exists(tool) -> None:  # type: ignore[no-untyped-def]
    properties = tool.input_schema["properties"]
    assert set(tool.other_names.values()) <= set(properties)
    assert not set(tool.other_names) & set(properties)
    assert set(tool.asset_paths) <= set(properties)
    for name, words in tool.other_words.items():
        enum = properties[name].get("enum") or properties[name]["items"]["enum"]
        assert set(words.values()) <= set(enum)
        assert not set(words) & set(enum)
