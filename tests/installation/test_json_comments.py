"""A settings file that a person wrote is edited: the change is made, and nothing else is."""

from __future__ import annotations

import json
from typing import Any, Dict, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.file_format import FileFormat
from unity_bridge.installation.json_comments import JSON, parse

PATH = ("servers", "unity-bridge")
ENTRY = {"command": "python", "args": ["bridge"]}

COMMENTED = """\
{
    // my settings
    "theme": "dark", /* not "light" */
    "servers": {
        "other": { "command": "npx", }, // needed for work
    },
    "url": "http://example.com/*not a comment*/",
}
"""


def with_member(
    text: str, path: Sequence[str], value: Any, notation: FileFormat = JSON
) -> Result[str, str]:
    return notation.with_values(text, path[:-1], {path[-1]: value})


def added(text: str, entry: Any = ENTRY) -> str:
    result = with_member(text, PATH, entry)
    assert isinstance(result, Ok), result
    return result.value


def data(text: str) -> Any:
    result = parse(text)
    assert isinstance(result, Ok), result
    return result.value


def test_a_new_file_is_plain_json() -> None:
    assert json.loads(added("")) == {"servers": {"unity-bridge": ENTRY}}


def test_comments_layout_and_trailing_commas_stay() -> None:
    edited = added(COMMENTED)

    assert data(edited)["servers"] == {"other": {"command": "npx"}, "unity-bridge": ENTRY}
    inserted = """
        "unity-bridge": {
            "command": "python",
            "args": [
                "bridge"
            ]
        }"""
    assert edited == COMMENTED.replace("// needed for work", "// needed for work" + inserted)


def test_a_second_time_changes_nothing() -> None:
    once = added(COMMENTED)

    assert added(once) == once


def test_a_changed_value_is_replaced_where_it_stands() -> None:
    text = (
        '{\n  "servers": {\n    "unity-bridge": {"command": "old"}, // mine\n    "z": {}\n  }\n}\n'
    )

    edited = added(text, {"command": "new"})

    assert data(edited)["servers"]["unity-bridge"] == {"command": "new"}
    assert "}, // mine\n" in edited


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{\n}",
        "{ /* nothing yet */ }",
        '{"a": 1}',
        '{"a": 1,}',
        '{"a": 1 // last\n}',
        '{"servers": {}}',
        '\ufeff{"a": 1}',
        '{\r\n\t"a": 1\r\n}\r\n',
        '{"a": "\\"}, // \\\\"}',
    ],
)
def test_an_added_entry_can_be_removed_again(text: str) -> None:
    edited = added(text)
    assert data(edited) == {**data(text), "servers": {"unity-bridge": ENTRY}}

    removed = JSON.without(edited, PATH)

    assert isinstance(removed, Ok)
    assert data(removed.value) == {**data(text), "servers": {}}


def test_line_ends_of_windows_stay() -> None:
    edited = added('{\r\n  "a": 1\r\n}\r\n')

    assert edited.count("\r\n") == edited.count("\n") > 3


@pytest.mark.parametrize("which", ["first", "middle", "last"])
def test_a_member_is_removed_wherever_it_stands(which: str) -> None:
    text = '{\n  "first": 1,\n  "middle": 2,\n  "last": 3\n}\n'

    removed = JSON.without(text, (which,))

    assert isinstance(removed, Ok)
    lines = [line for line in text.split("\n") if which not in line]
    assert removed.value.split("\n") == [
        line.rstrip(",") if line == lines[-3] else line for line in lines
    ]


def test_removing_what_is_not_there_changes_nothing() -> None:
    assert JSON.without(COMMENTED, PATH) == Ok(COMMENTED)


@pytest.mark.parametrize(
    "text, why",
    [
        ('{\n  "a": 1\n  "b": 2\n}', "line 3"),
        ('{"a": "unterminated}', "not valid JSON"),
        ("{ /* never closed", "not valid JSON"),
        ("[1, 2]", "does not hold an object"),
        ('{"servers": "none"}', "does not hold an object at servers"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_text_that_cannot_be_parsed_is_refused_with_the_reason(text: str, why: str) -> None:
    result = with_member(text, PATH, ENTRY)

    assert isinstance(result, Err)
    assert why in result.error


def test_a_key_that_stands_there_twice_is_edited_where_it_counts() -> None:
    edited = added('{"servers": {"a": 1}, "servers": {"b": 2}}')

    assert data(edited) == {"servers": {"b": 2, "unity-bridge": ENTRY}}


@pytest.mark.parametrize("spoiled", ["", "{}", '{"servers": {"unity-bridge": 1}}'])
def test_an_edit_that_would_change_anything_else_is_not_made(spoiled: str) -> None:
    """No layout is known that leads there; the proof is for the one that is not known."""
    broken = JSON._replace(set=lambda *_: spoiled, remove=lambda *_: spoiled)

    for result in (
        with_member(COMMENTED, PATH, ENTRY, broken),
        broken.without(COMMENTED, ("theme",)),
    ):
        assert isinstance(result, Err) and "cannot be edited safely" in result.error


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.slow
@given(
    st.dictionaries(st.text(), VALUES, max_size=4),
    st.sampled_from([None, 2, "\t"]),
    st.text(st.sampled_from('{}[],:"/* ')),
)
def test_any_settings_keep_all_that_they_hold(
    settings: Dict[str, Any], indent: Any, remark: str
) -> None:
    text = json.dumps(settings, indent=indent)
    text = text[:1] + f" // {remark}\n" + text[1:]
    settings["servers"] = {}

    edited = with_member(text, ("servers",), {})
    assert isinstance(edited, Ok) and data(edited.value) == settings

    grown = added(edited.value)
    assert data(grown) == {**settings, "servers": {"unity-bridge": ENTRY}}
    assert f"// {remark}".rstrip() in grown
