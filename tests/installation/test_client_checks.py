"""Each broken configuration of a client is made, and the check must name it and what mends it."""

from __future__ import annotations

import json
import sys
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List, Optional

import pytest

from tests.installation.unity_projects import make_project
from unity_bridge.installation.client_checks import clients
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Machine, Scope
from unity_bridge.installation.findings import Finding, Verdict


def bad(findings: List[Finding]) -> List[Finding]:
    return [finding for finding in findings if finding.verdict is Verdict.BAD]


def only(findings: List[Finding]) -> Finding:
    assert len(findings) == 1, findings
    return findings[0]


class Configured:
    """Client configurations in a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.machine = Machine("linux", Path("/home/me"), {})
        self.configs = [ClientConfig(CLIENTS[name], Scope.USER, folder / name) for name in ("cursor", "gemini")]

    def write(self, client: str, command: str = sys.executable, port: Optional[int] = None) -> None:
        args = ["-I", "-m", "unity_bridge", *([] if port is None else ["--port", str(port)])]
        self.put(client, json.dumps({"mcpServers": {"unity-bridge": {"command": command, "args": args}}}))

    def put(self, client: str, text: str) -> None:
        (self._folder / client).write_text(text)

    def findings(self, wanted_port: int = 8091, default_port: int = 8091) -> List[Finding]:
        return clients(self.configs, wanted_port, default_port, machine=self.machine)


@pytest.fixture
def configured(tmp_path: Path) -> Configured:
    return Configured(tmp_path)


def test_no_client_is_no_fault(configured: Configured) -> None:
    assert only(configured.findings()).verdict is Verdict.NOTE


def test_a_client_that_starts_us(configured: Configured) -> None:
    configured.write("cursor")

    assert only(configured.findings()).verdict is Verdict.OK


def test_a_client_that_starts_what_has_moved(configured: Configured) -> None:
    configured.write("cursor", "/moved/unity-bridge", 8092)

    finding = only(bad(configured.findings()))

    assert "/moved/unity-bridge" in finding.message
    assert (finding.remedy or "").endswith("unity-bridge client add cursor --port 8092")


def test_a_client_that_uses_another_port_than_the_editor(configured: Configured) -> None:
    configured.write("cursor", port=8092)
    configured.write("gemini")

    finding = only(bad(configured.findings()))
    assert "cursor uses port 8092, not 8091" in finding.message
    assert (finding.remedy or "").endswith("unity-bridge client add cursor --port auto")
    assert "client add gemini --port 8092" in str(only(bad(configured.findings(wanted_port=8092))).remedy)


def test_an_entry_without_a_port_uses_the_configured_one(configured: Configured) -> None:
    configured.write("gemini")

    assert bad(configured.findings(wanted_port=9000, default_port=9000)) == []


def for_project(project: Path) -> str:
    words = ["-I", "-m", "unity_bridge", "--project", str(project)]
    return json.dumps({"mcpServers": {"unity-bridge": {"command": sys.executable, "args": words}}})


def test_an_entry_for_a_project_uses_the_port_of_that_project(configured: Configured, tmp_path: Path) -> None:
    game = make_project(tmp_path / "Game")
    configured.put("cursor", for_project(game))
    assert bad(configured.findings()) == []

    (game / "ProjectSettings" / "UnityBridge.json").write_text('{"port": 9000}')
    assert "cursor uses port 9000, not 8091" in only(bad(configured.findings())).message
    assert bad(configured.findings(wanted_port=9000)) == []


def test_an_entry_for_another_project_stays_and_this_one_gets_its_own(configured: Configured, tmp_path: Path) -> None:
    other, game = make_project(tmp_path / "Other"), make_project(tmp_path / "Game")
    (other / "ProjectSettings" / "UnityBridge.json").write_text('{"port": 9000}')
    configured.put("cursor", for_project(other))

    finding = only(bad(clients(configured.configs, 8091, 8091, game)))

    assert f"cursor starts it for {other}, not for this project" in finding.message
    assert (finding.remedy or "").endswith(f"client add cursor --project {game} --as unity-bridge-Game")


def test_an_entry_for_a_project_that_is_gone(configured: Configured, tmp_path: Path) -> None:
    configured.put("cursor", for_project(tmp_path / "gone"))

    finding = only(bad(configured.findings()))

    assert "is for" in finding.message and "which is not a Unity project" in finding.message
    assert (finding.remedy or "").endswith("client add cursor --project PATH")


HOME_STATE = "/home/me/.local/state/unity-bridge"


def entry_with(environ: Dict[str, str]) -> str:
    entry = {"command": sys.executable, "args": ["-I", "-m", "unity_bridge"], "env": environ}
    return json.dumps({"mcpServers": {"unity-bridge": entry}})


class TestTheFolderOfTheSecret:
    """Servers and commands that look in two folders distrust each other."""

    def findings(self, configured: Configured, entrys: Dict[str, str], terminals: Dict[str, str]) -> List[Finding]:
        configured.put("cursor", entry_with(entrys))
        home: Any = PurePosixPath("/home/me")  # also where the tests run on Windows
        configured.machine = Machine("linux", home, terminals)
        return configured.findings()

    @pytest.mark.parametrize(
        "entrys, terminals",
        [
            ({"LANG": "C"}, {"XDG_STATE_HOME": "/home/me/.local/state"}),
            ({"XDG_STATE_HOME": "/var/me"}, {"XDG_STATE_HOME": "/var/me"}),
            ({"UNITY_BRIDGE_STATE_DIR": "/var/me/unity-bridge"}, {"XDG_STATE_HOME": "/var/me"}),
            ({"XDG_STATE_HOME": "${XDG_STATE_HOME}"}, {"XDG_STATE_HOME": "/var/me"}),
            ({"UNITY_BRIDGE_STATE_DIR": "%HOME%/state"}, {}),
        ],
    )
    def test_is_one(self, configured: Configured, entrys: Dict[str, str], terminals: Dict[str, str]) -> None:
        assert only(self.findings(configured, entrys, terminals)).verdict is Verdict.OK

    def test_may_be_another_where_the_client_drops_a_variable(self, configured: Configured) -> None:
        fine, finding = self.findings(configured, {}, {"XDG_STATE_HOME": "/var/me"})

        assert (fine.verdict, finding.verdict) == (Verdict.OK, Verdict.NOTE)
        assert f"the secret in {HOME_STATE}, and not in /var/me/unity-bridge, unless the client hands on" in (
            finding.message
        )
        assert finding.message.endswith(" XDG_STATE_HOME")
        assert (finding.remedy or "").endswith("client add cursor")

    @pytest.mark.parametrize("entrys", [{"XDG_STATE_HOME": "/old"}, {"XDG_STATE_HOME": ""}])
    def test_is_another_where_the_terminals_has_changed(self, configured: Configured, entrys: Dict[str, str]) -> None:
        finding = only(bad(self.findings(configured, entrys, {"XDG_STATE_HOME": "/var/me"})))

        assert "this terminal in /var/me/unity-bridge" in finding.message
        assert (finding.remedy or "").endswith("client add cursor")

    def test_is_another_where_only_the_entry_moves_it(self, configured: Configured) -> None:
        finding = only(bad(self.findings(configured, {"UNITY_BRIDGE_STATE_DIR": "/mine"}, {})))

        assert f"the secret in /mine, this terminal in {HOME_STATE}" in finding.message
        assert (finding.remedy or "").startswith("Set UNITY_BRIDGE_STATE_DIR for this terminal and for Unity too")


def test_a_broken_file_is_bad_only_if_it_is_about_us(configured: Configured) -> None:
    configured.put("cursor", '{"mcpServers": {"other": ')
    assert bad(configured.findings()) == []

    configured.put("cursor", '{"mcpServers": {"unity-bridge": ')
    assert "not valid JSON" in only(bad(configured.findings())).message


def test_an_entry_that_runs_the_workspaces_code_is_to_be_written_anew(configured: Configured) -> None:
    entry = {"command": sys.executable, "args": ["-m", "unity_bridge", "--port", "8091"]}
    configured.put("cursor", json.dumps({"mcpServers": {"unity-bridge": entry}}))

    finding = only(bad(configured.findings()))

    assert "runs modules of the folder" in finding.message
    assert (finding.remedy or "").endswith("unity-bridge client add cursor")


class TestClaudeCodesLocalScope:
    """It stands in the user's file, is for one project, and wins over the project's file and the user's servers."""

    def findings(self, folder: Path, local_port: int, project: Path) -> List[Finding]:
        def entry(port: int) -> object:
            return {"unity-bridge": {"command": sys.executable, "args": ["-I", "-m", "unity_bridge", f"--port={port}"]}}

        user = ClientConfig(CLIENTS["claude-code"], Scope.USER, folder / ".claude.json")
        shared = ClientConfig(CLIENTS["claude-code"], Scope.PROJECT, project / ".mcp.json")
        local = {str(folder / "game"): {"mcpServers": entry(local_port)}}
        user.path.write_text(json.dumps({"mcpServers": entry(8091), "projects": local}))
        project.mkdir(exist_ok=True)
        shared.path.write_text(json.dumps({"mcpServers": entry(8091)}))
        return clients([user, shared], 8091, 8091, project)

    def test_wins_over_what_is_right(self, tmp_path: Path) -> None:
        findings = self.findings(tmp_path, 9000, tmp_path / "game")

        finding = only(bad(findings))
        assert "claude-code uses port 9000, not 8091" in finding.message
        assert (finding.remedy or "").startswith("claude mcp remove --scope local unity-bridge in ")
        assert sum("is hidden by" in one.message for one in findings) == 2

    def test_of_another_project_does_not_count(self, tmp_path: Path) -> None:
        findings = self.findings(tmp_path, 9000, tmp_path / "other")

        assert bad(findings) == []
        assert sum("is hidden by" in one.message for one in findings) == 1
