"""Make each broken configuration of a client; the check must name it and its fix."""

from __future__ import annotations

import functools
import json
import os
import shlex
import sys
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List, Optional

import pytest
from click.testing import CliRunner

from tests.installation.findings import bad, only
from tests.installation.unity_projects import make_project
from unity_bridge import cli
from unity_bridge.installation.client_checks import clients
from unity_bridge.installation.client_configs import ClientConfig, all_configs, configs_around
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Machine, Scope
from unity_bridge.installation.command_line import ours
from unity_bridge.installation.findings import Finding, Verdict
from unity_bridge.projects.port_files import automatic


class Configured:
    """Client configurations in a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.machine = Machine("linux", Path("/home/me"), {})
        self.configs = [
            ClientConfig(CLIENTS[name], Scope.USER, folder / name) for name in ("copilot", "gemini")
        ]

    def write(self, client: str, command: str = sys.executable, port: Optional[int] = None) -> None:
        args = ["-I", "-m", "unity_bridge", *([] if port is None else ["--port", str(port)])]
        self.put(
            client, json.dumps({"mcpServers": {"unity-bridge": {"command": command, "args": args}}})
        )

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
    configured.write("copilot")

    assert only(configured.findings()).verdict is Verdict.OK


def test_variables_that_load_code_are_named_in_an_entry_that_works(configured: Configured) -> None:
    entry = {
        "command": sys.executable,
        "args": ["-I", "-m", "unity_bridge"],
        "env": {"LD_PRELOAD": "x", "PATH": "y"},
    }
    configured.put("copilot", json.dumps({"mcpServers": {"unity-bridge": entry}}))

    finding = only(configured.findings())

    assert (
        finding.verdict is Verdict.OK
        and "it sets LD_PRELOAD, PATH, which may load code" in finding.message
    )


@pytest.mark.parametrize(
    "words, via",
    [
        (["/mnt/c/Python311/python.exe", "-I", "-m", "unity_bridge"], "wsl"),
        (["/opt/gone/docker", "exec", "-i", "dev", "unity-bridge"], "COMMAND"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="paths of Linux")
def test_a_border_whose_program_is_gone_is_broken(
    configured: Configured, words: List[str], via: str
) -> None:
    configured.put(
        "copilot", json.dumps({"mcpServers": {"mine": {"command": words[0], "args": words[1:]}}})
    )
    finding = only(bad(configured.findings()))
    assert f"mine starts {words[0]}, which does not exist" in finding.message
    assert (finding.remedy or "").endswith(
        ours("client", "add", "copilot", "--as", "mine", "--via", via)
    )


def test_an_entry_across_a_border_hides_one_of_the_same_name(
    configured: Configured, tmp_path: Path
) -> None:
    configured.write("copilot", port=9000)
    border = json.dumps(
        {
            "mcpServers": {
                "unity-bridge": {"command": sys.executable, "args": ["ssh", "far", "unity-bridge"]}
            }
        }
    )
    configured.put("of-the-project", border)
    shared = ClientConfig(CLIENTS["copilot"], Scope.PROJECT, tmp_path / "of-the-project")

    hidden, elsewhere = clients(
        [*configured.configs, shared], 8091, 8091, machine=configured.machine
    )

    assert "unity-bridge is hidden by" in hidden.message, "its port is of no account"
    assert "starts a server elsewhere with ssh far" in elsewhere.message


def test_a_client_that_starts_what_has_moved(configured: Configured) -> None:
    configured.write("copilot", "/moved/unity-bridge", 8092)

    finding = only(bad(configured.findings()))

    assert "/moved/unity-bridge" in finding.message
    assert (finding.remedy or "").endswith(ours("client", "add", "copilot", "--port", "auto")), (
        "the old port is not wanted"
    )
    configured.write("copilot", "/moved/unity-bridge")
    assert (only(bad(configured.findings())).remedy or "").endswith(
        ours("client", "add", "copilot")
    )


def test_a_client_that_uses_another_port_than_the_editor(configured: Configured) -> None:
    configured.write("copilot", port=8092)
    configured.write("gemini")

    finding = only(bad(configured.findings()))
    assert "copilot uses port 8092, not 8091" in finding.message
    assert (finding.remedy or "").endswith(ours("client", "add", "copilot", "--port", "auto"))
    assert "client add gemini --port 8092" in str(
        only(bad(configured.findings(wanted_port=8092))).remedy
    )


def test_an_entry_without_a_port_uses_the_configured_one(configured: Configured) -> None:
    configured.write("gemini")

    assert bad(configured.findings(wanted_port=9000, default_port=9000)) == []


def for_project(project: Path) -> str:
    words = ["-I", "-m", "unity_bridge", "--project", str(project)]
    return json.dumps({"mcpServers": {"unity-bridge": {"command": sys.executable, "args": words}}})


def test_an_entry_for_a_project_uses_the_port_of_that_project(
    configured: Configured, tmp_path: Path
) -> None:
    game = make_project(tmp_path / "Game")
    configured.put("copilot", for_project(game))
    assert bad(configured.findings()) == []

    (game / "ProjectSettings" / "UnityBridge.json").write_text('{"port": 9000}')
    assert bad(configured.findings(wanted_port=9000)) == []
    assert bad(configured.findings()) == [], (
        "no project is known here, and the entry's has a port of its own"
    )


def test_an_entry_for_another_project_stays_and_this_one_gets_its_own(
    configured: Configured, tmp_path: Path
) -> None:
    other, game = make_project(tmp_path / "Other"), make_project(tmp_path / "Game")
    (other / "ProjectSettings" / "UnityBridge.json").write_text('{"port": 9000}')
    configured.put("copilot", for_project(other))

    finding = only(bad(clients(configured.configs, 8091, 8091, game)))

    assert f"copilot starts it for {other}, not for this project" in finding.message
    assert (finding.remedy or "").endswith(
        f"client add copilot --project {game} --as unity-bridge-Game"
    )


def test_an_entry_for_this_project_on_another_port_is_not_called_another_projects(
    configured: Configured, tmp_path: Path
) -> None:
    game = make_project(tmp_path / "Game")
    configured.put("copilot", for_project(game))

    finding = only(bad(clients(configured.configs, 9000, 8091, game)))

    assert finding.message.endswith("copilot uses port 8091, not 9000")
    assert (finding.remedy or "").endswith(ours("client", "add", "copilot", "--port", "9000"))


def test_an_entry_for_a_project_that_is_gone(configured: Configured, tmp_path: Path) -> None:
    configured.put("copilot", for_project(tmp_path / "gone"))

    finding = only(bad(configured.findings()))

    assert "is for" in finding.message and "which is not a Unity project" in finding.message
    assert (finding.remedy or "").endswith("client add copilot --project PATH")


HOME_STATE = "/home/me/.local/state/unity-bridge"


def entry_with(environ: Dict[str, str]) -> str:
    entry = {"command": sys.executable, "args": ["-I", "-m", "unity_bridge"], "env": environ}
    return json.dumps({"mcpServers": {"unity-bridge": entry}})


class TestTheFolderOfTheSecret:
    """Servers and commands that look in two folders distrust each other."""

    def findings(
        self, configured: Configured, entrys: Dict[str, str], terminals: Dict[str, str]
    ) -> List[Finding]:
        configured.put("copilot", entry_with(entrys))
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
    def test_is_one(
        self, configured: Configured, entrys: Dict[str, str], terminals: Dict[str, str]
    ) -> None:
        assert only(self.findings(configured, entrys, terminals)).verdict is Verdict.OK

    def test_may_be_another_where_the_client_drops_a_variable(self, configured: Configured) -> None:
        fine, finding = self.findings(configured, {}, {"XDG_STATE_HOME": "/var/me"})

        assert (fine.verdict, finding.verdict) == (Verdict.OK, Verdict.NOTE)
        assert (
            f"the secret in {HOME_STATE}, and not in /var/me/unity-bridge, unless the client hands on"
            in (finding.message)
        )
        assert finding.message.endswith(" XDG_STATE_HOME")
        assert (finding.remedy or "").endswith("client add copilot")

    @pytest.mark.parametrize("entrys", [{"XDG_STATE_HOME": "/old"}, {"XDG_STATE_HOME": ""}])
    def test_is_another_where_the_terminals_has_changed(
        self, configured: Configured, entrys: Dict[str, str]
    ) -> None:
        finding = only(bad(self.findings(configured, entrys, {"XDG_STATE_HOME": "/var/me"})))

        assert "this terminal in /var/me/unity-bridge" in finding.message
        assert (finding.remedy or "").endswith("client add copilot")

    def test_is_another_where_only_the_entry_moves_it(self, configured: Configured) -> None:
        finding = only(bad(self.findings(configured, {"UNITY_BRIDGE_STATE_DIR": "/mine"}, {})))

        assert f"the secret in /mine, this terminal in {HOME_STATE}" in finding.message
        assert (finding.remedy or "").startswith(
            "Set UNITY_BRIDGE_STATE_DIR for this terminal and for Unity too"
        )


@pytest.mark.parametrize("text", ['{"mcpServers": {', '{"mcpServers": {"unity-bridge": '])
def test_a_file_that_cannot_be_read_is_bad(configured: Configured, text: str) -> None:
    configured.put("copilot", text)

    assert "not valid JSON" in only(bad(configured.findings())).message


def carry_out(finding: Finding) -> None:
    """Run the command that doctor prints."""
    words = shlex.split(finding.remedy or "")
    begin = words.index("client")
    done = CliRunner().invoke(cli.cli, words[begin:])
    assert done.exit_code == 0, done.output


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own, with a project whose port follows from its path."""
    monkeypatch.setattr(Machine, "__init__", functools.partialmethod(_machine_at, tmp_path))
    game = make_project(tmp_path / "My Game")
    (game / "ProjectSettings" / "UnityBridge.json").write_text('{"port": "auto"}')
    monkeypatch.chdir(game)
    return game


def _machine_at(machine: Machine, home: Path) -> None:
    for name, value in (("platform", "linux"), ("home", home), ("environ", {})):
        object.__setattr__(machine, name, value)


def of_home(game: Path) -> List[Finding]:
    port = automatic(str(game))
    return clients(
        [*all_configs(Machine(), game), *configs_around(Machine(), game)],
        port,
        port,
        game,
        Machine(),
    )


def write_entry(
    file: Path, *args: str, command: str = sys.executable, table: str = "mcpServers"
) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    entry = {"command": command, "args": ["-I", "-m", "unity_bridge", *args]}
    file.write_text(json.dumps({table: {"unity-bridge": entry}}))


def test_one_command_fixes_an_entry_with_an_old_port_and_no_python(at_home: Path) -> None:
    write_entry(at_home.parent / ".claude.json", "--port", "21001", command="/gone/python")

    carry_out(only(bad(of_home(at_home))))

    assert bad(of_home(at_home)) == []


def test_clients_with_one_remedy_share_a_finding_that_says_what_it_takes_away(
    at_home: Path,
) -> None:
    for file in (".claude.json", ".gemini/settings.json"):
        write_entry(at_home.parent / file, "--port", "21001")

    findings = of_home(at_home)
    finding = only(bad(findings))

    assert "claude-code uses port 21001; gemini uses port 21001" in finding.message
    assert (
        "another project that relies on it then needs" in finding.message
        and "--port 21001" in finding.message
    )
    assert not [one for one in findings if one.verdict is Verdict.OK], (
        "no entry is called ok and bad at once"
    )
    carry_out(finding)
    assert bad(of_home(at_home)) == []


@pytest.mark.slow
def test_a_client_that_is_not_started_in_the_project_gets_its_path(at_home: Path) -> None:
    file = at_home.parent / ".config" / "Claude" / "claude_desktop_config.json"
    write_entry(file)

    finding = only(of_home(at_home))

    assert finding.verdict is Verdict.BAD and "waits on port 8091, not" in finding.message
    carry_out(finding)
    assert only(of_home(at_home)).verdict is Verdict.OK


@pytest.mark.slow
def test_an_entry_without_a_project_is_reported_where_the_client_starts_elsewhere(
    at_home: Path,
) -> None:
    (at_home / "ProjectSettings" / "UnityBridge.json").unlink()
    write_entry(at_home.parent / ".cursor" / "mcp.json")

    finding = only(clients([*all_configs(Machine(), at_home)], 8091, 8091, at_home, Machine()))

    assert (
        finding.verdict is Verdict.NOTE
        and "names no project, and is started in a folder that is" in finding.message
    )
    carry_out(finding)
    assert (
        only(clients([*all_configs(Machine(), at_home)], 8091, 8091, at_home, Machine())).verdict
        is Verdict.OK
    )


def test_the_name_of_an_entry_for_a_project_is_valid_for_clients(at_home: Path) -> None:
    other = make_project(at_home.parent / "Other")
    write_entry(at_home.parent / ".claude.json", "--project", str(other))

    finding = only(bad(of_home(at_home)))

    assert "--as unity-bridge-My-Game" in str(finding.remedy)
    carry_out(finding)
    assert bad(of_home(at_home)) == []


def test_an_entry_in_the_repository_around_the_project_counts(
    at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = at_home.parent
    (repository / "home").mkdir()
    (repository / ".git").mkdir()
    monkeypatch.setattr(
        Machine, "__init__", functools.partialmethod(_machine_at, repository / "home")
    )
    write_entry(repository / ".vscode" / "mcp.json", "--project", str(at_home), table="servers")
    assert only(of_home(at_home)).verdict is Verdict.OK

    write_entry(repository / ".vscode" / "mcp.json", table="servers")
    finding = only(of_home(at_home))

    assert (
        finding.verdict is Verdict.BAD
        and "does not start the server in the project" in finding.message
    )
    carry_out(finding)
    assert only(of_home(at_home)).verdict is Verdict.OK


def test_without_a_project_no_command_names_the_folder_as_one(
    configured: Configured, tmp_path: Path
) -> None:
    game = make_project(tmp_path / "Game")
    (game / "ProjectSettings" / "UnityBridge.json").write_text('{"port": 9000}')
    configured.put("copilot", for_project(game))

    assert (
        only(clients(configured.configs, 8091, 8091, tmp_path, configured.machine)).verdict
        is Verdict.OK
    )


def test_an_entry_that_runs_the_workspaces_code_is_to_be_written_again(
    configured: Configured,
) -> None:
    entry = {"command": sys.executable, "args": ["-m", "unity_bridge", "--port", "8091"]}
    configured.put("copilot", json.dumps({"mcpServers": {"unity-bridge": entry}}))

    finding = only(bad(configured.findings()))

    assert "runs modules of the folder" in finding.message
    assert (finding.remedy or "").endswith(ours("client", "add", "copilot"))


class TestClaudeCodesLocalScope:
    """It stands in the user's file, is for one project, and wins over the project's file and the
    user's servers.
    """

    def findings(self, folder: Path, local_port: int, project: Path) -> List[Finding]:
        def entry(port: int) -> object:
            return {
                "unity-bridge": {
                    "command": sys.executable,
                    "args": ["-I", "-m", "unity_bridge", f"--port={port}"],
                }
            }

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

    def test_an_entry_for_another_project_does_not_count(self, tmp_path: Path) -> None:
        findings = self.findings(tmp_path, 9000, tmp_path / "other")

        assert bad(findings) == []
        assert sum("is hidden by" in one.message for one in findings) == 1


def test_a_folder_that_no_system_has_holds_no_project(tmp_path: Path) -> None:
    server = {"command": sys.executable, "args": ["-I", "-m", "unity_bridge"]}
    file = tmp_path / ".claude.json"
    file.write_text(json.dumps({"projects": {"a\0b": {"mcpServers": {"unity-bridge": server}}}}))
    config = ClientConfig(CLIENTS["claude-code"], Scope.USER, file)
    finding = only(
        clients(
            [config], 8091, 8091, make_project(tmp_path / "game"), Machine("linux", tmp_path, {})
        )
    )
    assert "no MCP client is configured" in finding.message
