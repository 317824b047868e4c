"""What `client add` writes, read by the agents' own programs, which need no login to list their
servers.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Dict, List

import pytest

from tests.e2e.agents_programs import StandInCodex, StandInGemini, StandInModel, program
from tests.faulty_editor.process import SimulatorProcess
from tests.ports import free_port
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.launch import environment
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE
from unity_bridge.version import __version__

GUARD_S = 60.0


class User:
    """Somebody with a home of their own, and a client in it that is configured."""

    def __init__(self, home: Path, client: str, *options: str) -> None:
        moved = (
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "GEMINI_CLI_HOME",
            "COPILOT_HOME",
            "XDG_CONFIG_HOME",
        )
        self.home = home
        self.environ: Dict[str, str] = {
            name: value for name, value in os.environ.items() if name not in moved
        }
        self.environ.update(HOME=str(home), USERPROFILE=str(home), NO_COLOR="1")
        self.environ.update(APPDATA=str(home / "Roaming"), LOCALAPPDATA=str(home / "Local"))
        with_us = {**self.environ, "PYTHONPATH": environment.ROOT}
        subprocess.run(
            [*isolated(), "client", "add", client, *options],
            env=with_us,
            check=True,
            capture_output=True,
        )

    def runs(self, words: List[str], **environ: str) -> str:
        ran = subprocess.run(
            words,
            env={**self.environ, **environ},
            cwd=str(self.home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=GUARD_S,
        )
        return ran.stdout + ran.stderr


@pytest.mark.parametrize(
    "name, client, says",
    [
        ("claude", "claude-code", "Connected"),
        ("opencode", "opencode", "connected"),
        ("copilot", "copilot", "unity-bridge"),
        ("gemini", "gemini", "unity-bridge"),
    ],
)
def test_a_client_reads_what_we_write(tmp_path: Path, name: str, client: str, says: str) -> None:
    words = [program(name), "mcp", "list"]

    said = User(tmp_path, client, "--port", str(free_port())).runs(words)

    assert "unity-bridge" in said and says in said


def test_codex_reads_what_we_write(tmp_path: Path) -> None:
    words = [program("codex"), "mcp", "get", "unity-bridge", "--json"]

    said = User(tmp_path, "codex", "--port", "9000").runs(words)

    entry, _ = json.JSONDecoder().raw_decode(said[said.index("{") :])  # a warning may follow
    assert entry["transport"]["args"][-2:] == ["--port", "9000"]


def test_claude_code_loads_every_tool_and_calls_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``alwaysLoad`` keeps them out of its tool search."""
    claude, port = program("claude"), free_port()
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    user = User(tmp_path, "claude-code", "--port", str(port))
    with SimulatorProcess(port), StandInModel("__compile", {}) as model:
        user.runs(
            [claude, "-p", "compile", "--allowedTools", "mcp__unity-bridge__compile"],
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )

    assert {name for name in model.tools if "unity-bridge" in name} == {
        f"mcp__unity-bridge__{name}" for name in CATALOGUE
    }
    assert model.result is not None and '\\"state\\":\\"succeeded\\"' in model.result
    assert "job_id" not in model.result  # the text, not the structure


def test_copilot_calls_a_tool(tmp_path: Path) -> None:
    copilot = program("copilot")
    user = User(tmp_path, "copilot", "--port", str(free_port()))
    with StandInModel("get_editor_state", {}) as model:
        user.runs(
            [copilot, "-p", "state", "--allow-all-tools"],
            COPILOT_OFFLINE="true",
            COPILOT_PROVIDER_BASE_URL=model.url,
            COPILOT_PROVIDER_TYPE="anthropic",
            COPILOT_PROVIDER_API_KEY="none",
            COPILOT_MODEL="claude-sonnet-4.5",
        )

    assert model.result is not None and "running_jobs" in model.result


def test_codex_loads_every_tool_and_calls_one(tmp_path: Path) -> None:
    codex = program("codex")
    user = User(tmp_path, "codex", "--port", str(free_port()))
    with StandInCodex("get_editor_state", {}) as model:
        provider = f'{{name="stand-in",base_url="{model.url}",wire_api="responses",env_key="STAND_IN_KEY"}}'
        words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        settings = ["-c", "model_provider=stand-in", "-c", f"model_providers.stand-in={provider}"]
        user.runs([codex, *words, *settings, "-m", "gpt-5", "state"], STAND_IN_KEY="none")

    assert set(CATALOGUE) <= set(model.tools)
    assert model.result is not None and "running_jobs" in model.result


def test_gemini_loads_every_tool_and_calls_one(tmp_path: Path) -> None:
    gemini = program("gemini")
    user = User(tmp_path, "gemini", "--port", str(free_port()))
    settings = tmp_path / ".gemini" / "settings.json"
    wanted = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "security": wanted}))
    with StandInGemini("get_editor_state", {}) as model:
        words = [gemini, "-p", "state", "--yolo", "-m", "gemini-2.5-pro"]
        user.runs(words, GOOGLE_GEMINI_BASE_URL=model.url, GEMINI_API_KEY="none")

    assert {f"mcp_unity-bridge_{name}" for name in CATALOGUE} <= set(model.tools)
    assert model.result is not None and "running_jobs" in model.result


@pytest.mark.parametrize(
    "name, commands, says",
    [
        ("gemini", [["extensions", "validate", "{plugin}"]], "successfully validated"),
        (
            "codex",
            [
                ["plugin", "marketplace", "add", "{clone}"],
                ["plugin", "add", "unity-bridge@unity-bridge"],
                ["mcp", "list"],
            ],
            f"@v{__version__} unity-bridge",
        ),
        (
            "copilot",
            [
                ["plugin", "marketplace", "add", "{clone}"],
                ["plugin", "install", "unity-bridge@unity-bridge"],
                ["mcp", "list"],
            ],
            "unity-bridge (local)",
        ),
    ],
)
def test_an_agent_takes_its_plugin(
    tmp_path: Path, name: str, commands: List[List[str]], says: str
) -> None:
    found, home, said = program(name), str(tmp_path), ""
    for words in commands:
        filled = [
            word.format(plugin=f"{environment.ROOT}/plugins/agents", clone=environment.ROOT)
            for word in words
        ]
        environ = {
            **os.environ,
            "HOME": home,
            "CODEX_HOME": f"{home}/.codex",
            "COPILOT_HOME": f"{home}/.copilot",
        }
        Path(environ["CODEX_HOME"]).mkdir(exist_ok=True)
        done = subprocess.run(
            [found, *filled],
            cwd=home,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
    assert says in said
