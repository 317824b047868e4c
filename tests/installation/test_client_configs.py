"""What a client's file says of our server, and how an entry comes into it and out again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, List

import pytest

from unity_bridge.installation.client_configs import ClientConfig, Entry, all_configs, snippet
from unity_bridge.installation.clients import CLIENTS, ENTRY, Launch, Machine, Scope
from unity_bridge.installation.json_comments import parse
from unity_bridge.result import Err, Ok

LAUNCH = Launch.of(["/opt/python", "/opt/unity-bridge/bin/unity-bridge"], 8092)


def config(path: Path, name: str = "claude-code") -> ClientConfig:
    return ClientConfig(CLIENTS[name], Scope.USER, path)


def add(to: ClientConfig, launch: Launch = LAUNCH, name: str = ENTRY) -> None:
    edit = to.adding(name, launch)
    assert isinstance(edit, Ok), edit
    assert isinstance(edit.value.apply(), Ok)


def entries(of: ClientConfig) -> List[Entry]:
    found = of.entries()
    assert isinstance(found, Ok), found
    return found.value


@pytest.mark.parametrize("name", CLIENTS)
def test_every_clients_file_takes_an_entry_gives_it_back_and_lets_it_go(tmp_path: Path, name: str) -> None:
    file = config(tmp_path / "folder" / "config", name)
    assert entries(file) == []

    add(file)
    assert entries(file) == [Entry(ENTRY, LAUNCH.command, LAUNCH.args, 8092)]
    again = file.adding(ENTRY, LAUNCH)
    assert isinstance(again, Ok) and not again.value.changes

    removal = file.removing(ENTRY)
    assert isinstance(removal, Ok) and isinstance(removal.value.apply(), Ok)
    assert entries(file) == []
    nothing_left = file.removing(ENTRY)
    assert isinstance(nothing_left, Ok) and not nothing_left.value.changes


@pytest.mark.parametrize("name", CLIENTS)
def test_the_snippet_is_what_an_empty_file_would_hold(tmp_path: Path, name: str) -> None:
    file = config(tmp_path / "config", name)
    add(file)

    assert snippet(CLIENTS[name], ENTRY, LAUNCH) == file.path.read_text(encoding="utf-8")


def test_what_the_user_added_to_our_entry_stays(tmp_path: Path) -> None:
    file = config(tmp_path / "mcp.json", "cursor")
    file.path.write_text(
        '{"mcpServers": {"unity-bridge": {"command": "/old", "env": {"A": "1"}, /* mine */ "disabled": true}}}'
    )

    add(file)

    text = file.path.read_text()
    parsed = parse(text)
    assert isinstance(parsed, Ok)
    assert parsed.value["mcpServers"][ENTRY] == {
        "type": "stdio",
        "command": LAUNCH.command,
        "args": list(LAUNCH.args),
        "env": {"A": "1"},
        "disabled": True,
    }
    assert "/* mine */" in text


def test_a_second_editor_gets_an_entry_of_its_own(tmp_path: Path) -> None:
    file = config(tmp_path / "mcp.json")
    add(file)
    add(file, Launch.of(["/opt/python", "/opt/unity-bridge/bin/unity-bridge"], 8093), "other-game")

    assert [(entry.name, entry.port) for entry in entries(file)] == [(ENTRY, 8092), ("other-game", 8093)]


@pytest.mark.parametrize(
    "entry, port",
    [
        ({"command": "/x/unity-bridge"}, None),
        ({"command": "C:\\Python\\Scripts\\unity-bridge.exe", "args": ["--port=8092"]}, 8092),
        ({"command": "python", "args": ["-m", "unity_bridge", "--port", "8093"]}, 8093),
        ({"command": "python", "args": ["/x/bin/unity-bridge"], "env": {"UNITY_BRIDGE_PORT": "8094"}}, 8094),
        ({"command": "unity-bridge", "args": ["--port", "\u00b2"]}, None),
        ({"command": "unity-bridge", "args": ["--port", "9" * 5000]}, None),
        ({"command": "unity-bridge", "env": {"UNITY_BRIDGE_PORT": True}}, None),
        ({"command": "python", "args": ["/x/bin/unity-bridge", "--port"]}, None),
    ],
)
def test_our_server_is_known_by_what_it_starts(tmp_path: Path, entry: Any, port: Any) -> None:
    file = config(tmp_path / "mcp.json")
    file.path.write_text(json.dumps({"mcpServers": {"any name": entry, "other": {"command": "npx", "args": ["x"]}}}))

    assert [(found.name, found.port) for found in entries(file)] == [("any name", port)]


@pytest.mark.parametrize("content", ['{"mcpServers": []}', '{"mcpServers": {"a": 1, "b": {"command": 2}}}', "[]", ""])
def test_odd_shapes_hold_no_server_of_ours(tmp_path: Path, content: str) -> None:
    file = config(tmp_path / "mcp.json")
    file.path.write_text(content)

    assert entries(file) == []


def test_servers_that_claude_code_keeps_for_one_project_are_seen(tmp_path: Path) -> None:
    file = config(tmp_path / ".claude.json")
    local = {"mcpServers": {ENTRY: {"command": "/x/unity-bridge"}}}
    file.path.write_text(json.dumps({"projects": {"/game": local, "/other": {}, "/odd": 3}}))

    assert [entry.command for entry in entries(file)] == ["/x/unity-bridge"]


@pytest.mark.parametrize("name, content", [("vscode", '{"servers": {'), ("codex", "[mcp_servers")])
def test_a_file_that_cannot_be_parsed_is_told_and_left_alone(tmp_path: Path, name: str, content: str) -> None:
    file = config(tmp_path / "config", name)
    file.path.write_text(content)

    assert isinstance(file.entries(), Err)
    assert isinstance(file.adding(ENTRY, LAUNCH), Err)
    assert isinstance(file.removing(ENTRY), Err)
    assert file.path.read_text() == content


def test_a_missing_path_is_found(tmp_path: Path) -> None:
    script = tmp_path / "unity-bridge"
    gone, there = str(tmp_path / "gone" / "unity-bridge"), str(script)
    script.write_text("")

    assert Entry("a", sys.executable, (there,), None).missing_path() is None
    assert Entry("a", sys.executable, (gone,), None).missing_path() == gone
    assert Entry("a", gone, (), None).missing_path() == gone
    assert Entry("a", "no-such-command-anywhere", (), None).missing_path() == "no-such-command-anywhere"
    assert Entry("a", sys.executable, ("-m", "unity_bridge"), None).missing_path() is None


def test_all_files_of_all_clients_are_looked_at(tmp_path: Path) -> None:
    configs = all_configs(Machine("linux", tmp_path, {}), tmp_path / "game")

    assert {found.client.name for found in configs} == set(CLIENTS)
    assert len(configs) == len({found.path for found in configs}) == 12
