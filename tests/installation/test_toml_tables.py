"""A TOML file that a person wrote is edited: the change is made, and nothing else is."""

from __future__ import annotations

from typing import Any, Tuple

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.toml_tables import TOML, parse

PATH = ("mcp_servers", "unity-bridge")
ENTRY = {"command": r"C:\Python\python.exe", "args": ["bridge", "--port", "8092"]}

COMMENTED = """\
# my settings
model = "some-model"   # the quick one

[mcp_servers.other]
command = 'npx'

[tui]
notifications = true
"""

ADDED = """\
[mcp_servers.unity-bridge]
command = "C:\\\\Python\\\\python.exe"
args = ["bridge", "--port", "8092"]

"""


def added(text: str) -> str:
    result = TOML.with_values(text, PATH, ENTRY)
    assert isinstance(result, Ok), result
    return result.value


def test_everything_else_stays_as_it_was_written() -> None:
    assert added(COMMENTED) == COMMENTED.replace("[tui]", ADDED + "[tui]")


def test_a_new_file_holds_the_table_alone() -> None:
    assert added("") == ADDED.rstrip("\n") + "\n"


def test_a_second_time_changes_nothing() -> None:
    once = added(COMMENTED)

    assert added(once) == once


def test_an_added_entry_can_be_removed_again() -> None:
    assert TOML.without(added(COMMENTED), PATH) == Ok(COMMENTED)


def test_removing_what_is_not_there_changes_nothing() -> None:
    assert TOML.without(COMMENTED, PATH) == Ok(COMMENTED)
    assert TOML.without("", PATH) == Ok("")


def test_other_settings_of_the_entry_stay() -> None:
    edited = added(
        '[mcp_servers.unity-bridge]\ncommand = "old"\nstartup_timeout_sec = 20 # slow disk\n'
    )

    assert "startup_timeout_sec = 20 # slow disk" in edited
    assert "old" not in edited


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "npx" } }\n',
        "[mcp_servers]\n",
        "[mcp_servers.other]\r\nx = 1\r\n",
    ],
)
def test_every_way_of_writing_tables_is_understood(text: str) -> None:
    edited = added(text)

    before, after = parse(text), parse(edited)
    assert isinstance(before, Ok) and isinstance(after, Ok)
    assert after.value == {"mcp_servers": {**before.value["mcp_servers"], "unity-bridge": ENTRY}}
    assert ("\r\n" in text) == ("\r\n" in edited)


@pytest.mark.parametrize(
    "text, path, left",
    [
        (
            "[mcp_servers.unity-bridge.env]\nA = '1'\nB = '2' # b\n[z]\n",
            ("env", "A"),
            {"env": {"B": "2"}},
        ),
        (
            "mcp_servers.unity-bridge.command = 'x'\nmcp_servers.unity-bridge.url = 'y'\n",
            ("url",),
            {"command": "x"},
        ),
        (
            '[mcp_servers]\nunity-bridge = {command = "x", env = {A = "1", B = "2"}}\n',
            ("env", "A"),
            None,
        ),
        ('[mcp_servers]\nother = 1\nunity-bridge = {command = "x"} # ours\n', (), {}),
    ],
)
def test_a_variable_or_an_entry_is_removed_wherever_it_stands(
    text: str, path: Tuple[str, ...], left: Any
) -> None:
    removed = TOML.without(text, PATH + path)

    assert isinstance(removed, Ok), removed
    data = parse(removed.value)
    assert isinstance(data, Ok)
    expected = {"command": "x", "env": {"B": "2"}} if left is None else left
    assert data.value["mcp_servers"].get("unity-bridge", {}) == expected


@pytest.mark.parametrize(
    "text, why", [("a = ]", "line 1"), ('mcp_servers = "none"', "does not hold a table")]
)
def test_text_that_cannot_be_parsed_is_refused_with_the_reason(text: str, why: str) -> None:
    result = TOML.with_values(text, PATH, ENTRY)

    assert isinstance(result, Err)
    assert why in result.error


def test_an_edit_that_would_change_anything_else_is_not_made() -> None:
    broken = TOML._replace(set=lambda *_: 'model = "another"\n')

    result = broken.with_values(COMMENTED, PATH, ENTRY)

    assert isinstance(result, Err) and "cannot be edited safely" in result.error
