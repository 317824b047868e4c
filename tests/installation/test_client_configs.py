"""What a client's file says of our server, and how an entry comes into it and out again."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, List, Optional, Sequence

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.client_configs import ClientConfig, all_configs, config_of
from unity_bridge.installation.client_plan import (
    EntryPlan,
    Wanted,
    plan_addition,
    plan_removal,
    snippet,
)
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import ENTRY, Launch, Machine, Scope
from unity_bridge.installation.entries import ClientEntry, NewEntry
from unity_bridge.installation.json_comments import parse

PROGRAM = ["/opt/python", "/opt/unity-bridge/bin/unity-bridge"]
LAUNCH = Launch.of([*PROGRAM, "--port", "8092"])


def config(path: Path, name: str = "claude-code") -> ClientConfig:
    """A file whose servers start in the project, so that no entry has to name one."""
    return ClientConfig(CLIENTS[name], Scope.PROJECT, path)


def add(
    to: ClientConfig,
    port: Optional[int] = 8092,
    name: str = ENTRY,
    program: Sequence[str] = PROGRAM,
) -> List[str]:
    """Add the entry; return the sentences about the change."""
    plan = addition(to, NewEntry(program, port), name)
    assert plan.refusal is None and isinstance(plan.edit.apply(), Ok)
    return list(plan.sentences)


def addition(to: ClientConfig, new: NewEntry, name: str = ENTRY) -> EntryPlan:
    return plan_addition(to, Wanted(name, new), to.read())


def removal(of: ClientConfig) -> EntryPlan:
    return plan_removal(of, ENTRY, of.read())


def entries(of: ClientConfig) -> List[ClientEntry]:
    content = of.read()
    assert content.fault is None, content
    return of.entries_in(content)


@pytest.mark.parametrize("name", CLIENTS)
def test_every_clients_file_takes_an_entry_gives_it_back_and_lets_it_go(
    tmp_path: Path, name: str
) -> None:
    file = config(tmp_path / "folder" / "config", name)
    assert entries(file) == []

    add(file)
    assert entries(file) == [ClientEntry(ENTRY, LAUNCH)]
    assert not addition(file, NewEntry(PROGRAM, 8092)).edit.changes

    assert isinstance(removal(file).edit.apply(), Ok)
    assert entries(file) == []
    nothing_left = removal(file)
    assert nothing_left.refusal is None and not nothing_left.edit.changes


@pytest.mark.parametrize("name", CLIENTS)
def test_the_snippet_is_what_an_empty_file_would_hold(tmp_path: Path, name: str) -> None:
    file = config(tmp_path / "config", name)
    add(file)

    assert snippet(CLIENTS[name], ENTRY, LAUNCH) == file.path.read_text(encoding="utf-8")


def test_fields_that_the_user_added_to_our_entry_stay(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("name", CLIENTS)
def test_the_flags_that_the_user_set_stay(tmp_path: Path, name: str) -> None:
    file = config(tmp_path / "config", name)
    add(file, None, program=[*PROGRAM, "--port", "9000", "--log-level", "debug"])

    assert add(file, None) == ["Kept: --port 9000 --log-level debug"]
    assert [entry.port for entry in entries(file)] == [9000]
    assert add(file, 9100) == ["Its port was 9000; now 9100.", "Kept: --log-level debug"]
    assert entries(file)[0].launch.args == (PROGRAM[1], "--log-level", "debug", "--port", "9100")


def test_another_program_under_the_same_name_is_named(tmp_path: Path) -> None:
    file = config(tmp_path / "mcp.json", "cursor")
    file.path.write_text(
        '{"mcpServers": {"unity-bridge": {"command": "npx", "args": ["other", "--x"]}}}'
    )
    assert add(file) == ["It started npx other --x, which is no longer in it."]

    file.path.write_text('{"mcpServers": {"unity-bridge": {"url": "http://127.0.0.1:9/mcp"}}}')
    assert add(file) == ["Its url is no longer in it: http://127.0.0.1:9/mcp"]
    assert "url" not in json.loads(file.path.read_text())["mcpServers"]["unity-bridge"]


def test_an_entry_of_another_installation_keeps_its_flags_and_reports_its_changes(
    tmp_path: Path,
) -> None:
    file = config(tmp_path / "mcp.json", "cursor")
    old = {"command": "python3", "args": ["-m", "unity_bridge", "--log-file", "x.log"]}
    file.path.write_text(json.dumps({"mcpServers": {ENTRY: old}}))

    program = " ".join(PROGRAM)
    assert add(file, None) == [
        f"It started python3 -m unity_bridge; now {program}.",
        "Kept: --log-file x.log",
    ]


def test_a_preference_is_written_once_and_is_the_users_from_then_on(tmp_path: Path) -> None:
    file = config(tmp_path / ".claude.json")
    add(file)
    assert json.loads(file.path.read_text())["mcpServers"][ENTRY]["alwaysLoad"] is True

    file.path.write_text(file.path.read_text().replace('"alwaysLoad": true', '"alwaysLoad": false'))
    add(file, 9000)
    assert json.loads(file.path.read_text())["mcpServers"][ENTRY]["alwaysLoad"] is False


def test_a_second_editor_gets_its_own_entry(tmp_path: Path) -> None:
    file = config(tmp_path / "mcp.json")
    add(file)
    add(file, 8093, "other-game")

    assert [(entry.name, entry.port) for entry in entries(file)] == [
        (ENTRY, 8092),
        ("other-game", 8093),
    ]


@pytest.mark.parametrize(
    "entry, port",
    [
        ({"command": "/x/unity-bridge"}, None),
        ({"command": "C:\\Python\\Scripts\\unity-bridge.exe", "args": ["--port=8092"]}, 8092),
        ({"command": "python", "args": ["-m", "unity_bridge", "--port", "8093"]}, 8093),
        (
            {
                "command": "python",
                "args": ["/x/bin/unity-bridge"],
                "env": {"UNITY_BRIDGE_PORT": "8094"},
            },
            8094,
        ),
        ({"command": "unity-bridge", "args": ["--port", "\u00b2"]}, None),
        ({"command": "unity-bridge", "args": ["--port", "9" * 5000]}, None),
        ({"command": "unity-bridge", "env": {"UNITY_BRIDGE_PORT": True}}, None),
        ({"command": "python", "args": ["/x/bin/unity-bridge", "--port"]}, None),
        (
            {
                "command": "/x/bin/uvx",
                "args": ["--from", "unity-bridge==1.1", "unity-bridge", "--port", "8095"],
            },
            8095,
        ),
        ({"command": "uvx", "args": ["unity-bridge@1.1.0"]}, None),
        ({"command": "cmd", "args": ["/c", "pipx", "run", "unity-bridge", "--port=8096"]}, 8096),
        (
            {
                "command": "python",
                "args": ["/x/launch/run_module.py", "unity_bridge", "--port", "8097"],
            },
            8097,
        ),
    ],
)
def test_our_server_is_known_by_what_it_starts(tmp_path: Path, entry: Any, port: Any) -> None:
    file = config(tmp_path / "mcp.json")
    file.path.write_text(
        json.dumps({"mcpServers": {"any name": entry, "other": {"command": "npx", "args": ["x"]}}})
    )

    assert [(found.name, found.port) for found in entries(file)] == [("any name", port)]


@pytest.mark.parametrize(
    "words",
    [
        ["npx", "mcp-remote", "https://example.org/unity-bridge"],
        ["uv", "run", "--directory", "/home/me/unity-bridge", "server"],
        ["node", "server.js", "--log", "/var/log/unity-bridge"],
        ["uvx", "--from", "unity-bridge", "something-else"],
    ],
)
def test_another_server_that_only_names_ours_is_not_taken_for_it(words: List[str]) -> None:
    assert not ClientEntry("unity", Launch.of(words)).is_ours


@pytest.mark.parametrize(
    "content", ['{"mcpServers": []}', '{"mcpServers": {"a": 1, "b": {"command": 2}}}', "[]", ""]
)
def test_odd_shapes_hold_no_server_of_ours(tmp_path: Path, content: str) -> None:
    file = config(tmp_path / "mcp.json")
    file.path.write_text(content)

    assert entries(file) == []


def test_servers_that_claude_code_keeps_for_one_project_are_seen(tmp_path: Path) -> None:
    file = config(tmp_path / ".claude.json")
    local = {"mcpServers": {ENTRY: {"command": "/x/unity-bridge"}}}
    file.path.write_text(json.dumps({"projects": {"/game": local, "/other": {}, "/odd": 3}}))

    assert [(entry.launch.command, entry.folder) for entry in entries(file)] == [
        ("/x/unity-bridge", "/game")
    ]


@pytest.mark.parametrize("name, content", [("vscode", '{"servers": {'), ("codex", "[mcp_servers")])
def test_a_file_that_cannot_be_parsed_is_reported_and_left_alone(
    tmp_path: Path, name: str, content: str
) -> None:
    file = config(tmp_path / "config", name)
    file.path.write_text(content)

    assert file.read().fault is not None
    for plan in (addition(file, NewEntry(PROGRAM)), removal(file)):
        assert plan.refusal is not None and plan.is_file_at_fault and not plan.edit.changes
    assert file.path.read_text() == content


def test_a_missing_path_is_found(tmp_path: Path) -> None:
    script = tmp_path / "unity-bridge"
    gone, there = str(tmp_path / "gone" / "unity-bridge"), str(script)
    script.write_text("")

    assert ClientEntry("a", Launch(sys.executable, (there,))).missing_path() is None
    assert ClientEntry("a", Launch(sys.executable, (gone,))).missing_path() == gone
    assert ClientEntry("a", Launch(gone, ())).missing_path() == gone
    assert (
        ClientEntry("a", Launch("no-such-command-anywhere", ())).missing_path()
        == "no-such-command-anywhere"
    )
    assert ClientEntry("a", Launch(sys.executable, ("-m", "unity_bridge"))).missing_path() is None


def test_all_files_of_all_clients_are_looked_at(tmp_path: Path) -> None:
    configs = all_configs(Machine("linux", tmp_path, {}), tmp_path / "game")

    assert {found.client.name for found in configs} == set(CLIENTS)
    at_home = all_configs(Machine("linux", tmp_path, {}), tmp_path)
    assert [found.scope for found in at_home if found.client.name == "codex"] == [Scope.USER]
    assert {found.path.name for found in configs if found.scope is Scope.PROJECT} >= {
        ".mcp.json",
        "opencode.json",
    }


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_projects_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    game, outside = tmp_path / "game", tmp_path / "outside"
    game.mkdir()
    outside.mkdir()
    (game / ".vscode").symlink_to(outside)

    file = config_of(CLIENTS["vscode"], Scope.PROJECT, game / ".vscode" / "mcp.json", game)

    assert isinstance(addition(file, NewEntry(PROGRAM)).edit.apply(), Err)
    assert list(outside.iterdir()) == []


def test_the_backup_of_a_unity_projects_file_is_not_in_version_control(tmp_path: Path) -> None:
    (tmp_path / "Library").mkdir()
    (tmp_path / ".mcp.json").write_text("{}")

    file = config_of(CLIENTS["claude-code"], Scope.PROJECT, tmp_path / ".mcp.json", tmp_path)

    backup = addition(file, NewEntry(PROGRAM)).edit.apply()
    assert isinstance(backup, Ok) and backup.value is not None
    assert backup.value.parent == tmp_path / "Library" / "UnityBridge" / "backups"
