"""Errors as a shell shows them: options in its spelling, and what the lists of ``details`` name."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from unity_bridge.commands.shared.error_words import named_in, spelled

_CHANGED = "Call {} with changed_scenes: disk (discards the editor's changes) or editor."
_UNSAVED = "Save or discard them, or call {} with unsaved: save"


@pytest.mark.parametrize(
    ("tool", "params", "text", "shown"),
    [
        (
            "compile",
            {},
            _CHANGED.format("compile"),
            "Call `unity-bridge compile` with --changed-scenes disk (discards",
        ),
        (
            "run_tests",
            {},
            _CHANGED.format("run_tests"),
            "Call `unity-bridge test` with --changed-scenes disk (discards",
        ),
        ("run_tests", {}, _UNSAVED.format("run_tests"), "call `unity-bridge test` with --save"),
        (
            "run_command",
            {"name": "open_scene"},
            _UNSAVED.format("open_scene"),
            "call open_scene with unsaved=save",
        ),
        ("run_command", {"name": "of_the_project"}, "unsaved: save", "unsaved: save"),
        (
            "run_command",
            {"name": "open_scene"},
            "The file at path: it is gone.",
            "The file at path: it is gone.",
        ),
    ],
)
def test_arguments_are_spelled_as_options(
    tool: str, params: Dict[str, Any], text: str, shown: str
) -> None:
    assert shown in spelled(text, tool, params)


def test_each_entry_of_a_list_has_a_line() -> None:
    details = {
        "scenes": ["Assets/A.unity"],
        "assets": ["Assets/\x1b.mat"],
        "unity": {"errors": [{"file": "A.cs"}]},
    }
    assert named_in({"details": details}) == [
        "  Assets/A.unity",
        "  Assets/\\x1b.mat",
        '  {"file": "A.cs"}',
    ]


def test_an_error_without_lists_has_no_lines() -> None:
    assert (
        named_in(None) == named_in({"message": "x"}) == named_in({"details": {"scenes": 3}}) == []
    )
