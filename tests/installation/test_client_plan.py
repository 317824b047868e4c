"""A plan for a client's file changes our entry and nothing else: not a comment, a line end, a tab
or a last newline.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List, Optional, Tuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unity_bridge.base.result import Ok
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.client_plan import EntryPlan, Wanted, plan_addition, plan_removal
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import ENTRY, Scope
from unity_bridge.installation.entries import NewEntry
from unity_bridge.installation.json_comments import JSON
from unity_bridge.installation.toml_tables import TOML

PROGRAM = ["/opt/python", "-I", "/opt/unity-bridge/bin/unity-bridge"]
each_client = pytest.mark.parametrize("name", CLIENTS)


def config(folder: Path, name: str) -> ClientConfig:
    return ClientConfig(CLIENTS[name], Scope.PROJECT, folder / "settings")


def planned(to: ClientConfig, text: Optional[str], port: int = 8092) -> EntryPlan:
    """Write the text and plan our entry in it."""
    if text is not None:
        to.path.write_bytes(text.encode("utf-8"))
    plan = plan_addition(to, Wanted(ENTRY, NewEntry(PROGRAM, port)), to.read())
    assert plan.refusal is None, plan.refusal
    return plan


def removed(of: ClientConfig, text: str) -> EntryPlan:
    of.path.write_bytes(text.encode("utf-8"))
    plan = plan_removal(of, ENTRY, of.read())
    assert plan.refusal is None, plan.refusal
    return plan


def is_within(part: str, whole: str) -> bool:
    """Whether all of the characters of ``part`` are in ``whole``, in their order: nothing was taken
    away.
    """
    characters = iter(whole)
    return all(character in characters for character in part)


REMARKS = st.text(st.sampled_from("ab{}[],:\"'#=/* \t"), max_size=12).map(
    lambda text: text.replace("*/", "")
)


@st.composite
def layouts(draw: Any, name: str) -> str:
    """A file of the client with another server, as people and editors write it."""
    client, remarks = CLIENTS[name], [draw(REMARKS) for _ in range(3)]
    if client.form is TOML:
        head = f'# {remarks[0]}\nmodel = "m" # {remarks[1]}\n'
        body = f'[{".".join(client.table)}.other]\ncommand = "x" # {remarks[2]}\nargs = [ "a", # b\n  "c" ]\n'
        text = head + draw(
            st.sampled_from([body, f"\n{body}", f'{body}\n[tui]\n\ttheme = "dark"\n'])
        )
    else:
        servers: Any = {"other": {"command": "x", "args": ["a", "b"]}}
        for key in reversed(client.table):
            servers = {key: servers}
        text = json.dumps(
            {"theme": "dark", **servers}, indent=draw(st.sampled_from([None, 2, 4, "\t"]))
        )
        comma = draw(st.sampled_from(["", ","]))
        text = f"{text[:1]} // {remarks[0]}\n{text[1:-1]}{comma} /* {remarks[1]} */{text[-1]}\n// {remarks[2]}\n"
    if draw(st.booleans()):
        text = text.rstrip("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    mark: str = draw(st.sampled_from(["", "\ufeff"]))
    return f"{mark}{text}"


@pytest.mark.slow
@each_client
@given(data=st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_only_our_entry_comes_and_goes(tmp_path: Path, name: str, data: Any) -> None:
    text = data.draw(layouts(name))
    file = config(tmp_path, name)

    added = planned(file, text).edit.after

    assert is_within(text, added)
    assert added.startswith("\ufeff") == text.startswith("\ufeff")
    if "\r\n" in text:
        assert added.count("\n") == added.count("\r\n")
    assert not planned(file, added).edit.changes
    back = removed(file, added).edit.after
    assert is_within(text, back)
    # A file in one line gets lines of its own for the entry, and TOML ends its last line.
    assert "".join(back.split()) == "".join(text.split())


@pytest.mark.slow
@each_client
@given(data=st.data())
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_another_port_changes_the_arguments_alone(tmp_path: Path, name: str, data: Any) -> None:
    file = config(tmp_path, name)
    added = planned(file, data.draw(layouts(name))).edit.after

    assert planned(file, added, 8093).edit.after == added.replace("8092", "8093")


@pytest.mark.parametrize(
    "text",
    ["// mine\n", "\ufeff/* mine */", "// one\r\n\r\n// two\r\n", " \n"],
    ids=["a line", "no last newline", "of Windows", "space"],
)
def test_a_file_of_nothing_but_comments_gets_the_entry_below_them(
    tmp_path: Path, text: str
) -> None:
    """Clients take such a file as empty."""
    file = config(tmp_path, "cursor")
    assert file.read().fault is None

    added = planned(file, text).edit.after

    assert added.startswith(text)
    parsed = JSON.parse(added)
    assert isinstance(parsed, Ok) and list(parsed.value["mcpServers"]) == [ENTRY]
    assert ("\r\n" in text) == (added.count("\n") == added.count("\r\n"))
    assert removed(file, text).edit.after == text


OTHER: List[Tuple[Any, str]] = [
    (
        {"command": "npx", "args": ["-y", "@someone/other-server"]},
        "starts npx -y @someone/other-server",
    ),
    ({"url": "http://127.0.0.1:9/mcp"}, "starts no program"),
    ("text", "starts no program"),
]


@each_client
@pytest.mark.parametrize("entry, description", OTHER)
def test_an_entry_of_another_program_stays_and_is_named(
    tmp_path: Path, name: str, entry: Any, description: str
) -> None:
    client, file = CLIENTS[name], config(tmp_path, name)
    if client.command_holds_arguments and isinstance(entry, dict) and "command" in entry:
        entry = {"command": [entry["command"], *entry["args"]]}
    edited = client.form.with_values("", client.table, {ENTRY: entry})
    assert isinstance(edited, Ok)

    plan = removed(file, edited.value)

    assert not plan.edit.changes
    (sentence,) = plan.sentences
    assert sentence == f"{ENTRY} in {file.path} {description}, which is not unity-bridge: it stays."


OURS = {"type": "local", "command": ["python3", "/old/bin/unity-bridge"]}


def test_a_file_of_opencode_2_gets_the_entry_where_that_version_reads_it(tmp_path: Path) -> None:
    file = config(tmp_path, "opencode")
    newer = {"mcp": {"servers": {"other": {"type": "local", "command": ["x"]}, ENTRY: OURS}}}

    plan = planned(file, json.dumps(newer))

    mcp = json.loads(plan.edit.after)["mcp"]
    assert list(mcp) == ["servers"] and mcp["servers"][ENTRY]["command"] == [
        *PROGRAM,
        "--port",
        "8092",
    ]
    assert "enabled" not in mcp["servers"][ENTRY], "version 2 has no such member"
    assert [entry.name for entry in file.entries()] == [ENTRY]


def test_both_forms_of_our_entry_are_seen_and_removed(tmp_path: Path) -> None:
    file = config(tmp_path, "opencode")
    plan = removed(file, json.dumps({"mcp": {ENTRY: OURS, "servers": {ENTRY: OURS}}}))
    assert json.loads(plan.edit.after) == {"mcp": {"servers": {}}}


def test_a_server_of_opencode_1_that_is_called_servers_is_no_table(tmp_path: Path) -> None:
    plan = planned(
        config(tmp_path, "opencode"),
        json.dumps({"mcp": {"servers": {"type": "local", "command": ["x"]}}}),
    )
    assert sorted(json.loads(plan.edit.after)["mcp"]) == ["servers", ENTRY]
