"""Where each client keeps its servers, on each system, as its documentation says."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest

from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Launch, Machine, Scope
from unity_bridge.installation.command_line import Shell, quoted

WINDOWS = {"APPDATA": "AppData/Roaming", "LOCALAPPDATA": "AppData/Local"}

USER_FILES = [
    ("claude-code", "linux", ".claude.json"),
    ("claude-code", "win32", ".claude.json"),
    ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json"),
    ("claude-desktop", "darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
    ("claude-desktop", "win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
    ("cursor", "darwin", ".cursor/mcp.json"),
    ("vscode", "linux", ".config/Code/User/mcp.json"),
    ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json"),
    ("vscode", "win32", "AppData/Roaming/Code/User/mcp.json"),
    ("codex", "linux", ".codex/config.toml"),
    ("gemini", "win32", ".gemini/settings.json"),
    ("windsurf", "linux", ".codeium/windsurf/mcp_config.json"),
    ("devin", "darwin", ".config/devin/mcp_config.json"),
    ("devin", "win32", "AppData/Roaming/devin/mcp_config.json"),
    ("antigravity", "linux", ".gemini/config/mcp_config.json"),
    ("copilot", "win32", ".copilot/mcp-config.json"),
    ("visual-studio", "win32", ".mcp.json"),
    ("junie", "darwin", ".junie/mcp/mcp.json"),
    ("cline", "linux", ".cline/data/settings/cline_mcp_settings.json"),
    ("opencode", "darwin", ".config/opencode/opencode.json"),
    ("zed", "darwin", ".config/zed/settings.json"),
    ("zed", "win32", "AppData/Roaming/Zed/settings.json"),
    ("kiro", "linux", ".kiro/settings/mcp.json"),
]

PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "antigravity": ".agents/mcp_config.json",
    "copilot": ".github/mcp.json",
    "devin": ".devin/mcp_config.json",
    "junie": ".junie/mcp/mcp.json",
    "kiro": ".kiro/settings/mcp.json",
    "opencode": "opencode.json",
    "visual-studio": ".mcp.json",
    "zed": ".zed/settings.json",
}


def machine(platform: str, home: Path, **environ: str) -> Machine:
    folders: Dict[str, str] = {name: str(home / place) for name, place in WINDOWS.items()}
    return Machine(platform, home, {**(folders if platform == "win32" else {}), **environ})


@pytest.mark.parametrize("name, platform, file", USER_FILES)
def test_the_users_own_file(tmp_path: Path, name: str, platform: str, file: str) -> None:
    assert CLIENTS[name].files(Scope.USER, machine(platform, tmp_path), tmp_path) == [
        tmp_path / file
    ]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_projects_file(tmp_path: Path, name: str) -> None:
    files = CLIENTS[name].files(Scope.PROJECT, Machine("linux", tmp_path, {}), tmp_path / "game")

    assert files == ([tmp_path / "game" / PROJECT_FILES[name]] if name in PROJECT_FILES else [])


@pytest.mark.parametrize(
    "name, variable, file",
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("claude-desktop", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json"),
        ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("copilot", "COPILOT_HOME", "mcp-config.json"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
    ],
)
def test_a_folder_moved_by_an_environment_variable(
    tmp_path: Path, name: str, variable: str, file: str
) -> None:
    moved = tmp_path / "moved"

    files = CLIENTS[name].files(
        Scope.USER, machine("linux", tmp_path, **{variable: str(moved)}), tmp_path
    )
    unmoved = CLIENTS[name].files(
        Scope.USER, machine("linux", tmp_path, **{variable: ""}), tmp_path
    )

    assert files == [moved / file]
    assert unmoved == CLIENTS[name].files(Scope.USER, machine("linux", tmp_path), tmp_path)


def test_the_packaged_claude_desktop_reads_a_file_that_windows_moved(tmp_path: Path) -> None:
    packaged = tmp_path / "AppData/Local/Packages/Claude_abc/LocalCache/Roaming/Claude"
    packaged.mkdir(parents=True)
    plain = tmp_path / "AppData/Roaming/Claude/claude_desktop_config.json"
    desktop = CLIENTS["claude-desktop"]

    assert desktop.files(Scope.USER, machine("win32", tmp_path), tmp_path) == [
        packaged / plain.name
    ]

    # An installation of the older kind may be in use next to it.
    plain.parent.mkdir(parents=True)
    plain.write_text("{}")
    assert desktop.files(Scope.USER, machine("win32", tmp_path), tmp_path) == [
        packaged / plain.name,
        plain,
    ]


def test_clines_extension_has_its_own_file(tmp_path: Path) -> None:
    own = tmp_path / ".config/Code/User/globalStorage/saoudrizwan.claude-dev"
    own.mkdir(parents=True)
    extension, cline = own / "settings" / "cline_mcp_settings.json", CLIENTS["cline"]
    assert cline.files(Scope.USER, machine("linux", tmp_path), tmp_path) == [extension]

    shared = tmp_path / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    (tmp_path / ".cline").mkdir()
    assert cline.files(Scope.USER, machine("linux", tmp_path), tmp_path) == [extension, shared]


def test_opencode_uses_the_file_with_comments_where_there_is_one(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "opencode" / "opencode.jsonc"
    file.parent.mkdir(parents=True)
    file.write_text("{}")

    assert CLIENTS["opencode"].files(Scope.USER, machine("linux", tmp_path), tmp_path) == [file]


def test_own_commands() -> None:
    launch = Launch.of(["/opt/my python", "/opt/bridge", "--port", "8092"])

    own = {
        name: quoted(client.own_command("unity-bridge", launch, Scope.USER), Shell.POSIX)
        for name, client in CLIENTS.items()
        if client.own_command is not None
    }

    assert own == {
        "claude-code": """claude mcp add-json --scope user unity-bridge '{"type": "stdio", """
        """"command": "/opt/my python", "args": ["/opt/bridge", "--port", "8092"], "alwaysLoad": true}'""",
        "copilot": "copilot mcp add unity-bridge -- '/opt/my python' /opt/bridge --port 8092",
        "devin": "devin mcp add -s user unity-bridge -- '/opt/my python' /opt/bridge --port 8092",
        "codex": "codex mcp add unity-bridge -- '/opt/my python' /opt/bridge --port 8092",
        "gemini": "gemini mcp add --scope user unity-bridge '/opt/my python' /opt/bridge --port 8092",
        "vscode": """code --add-mcp '{"name": "unity-bridge", "command": "/opt/my python", """
        """"args": ["/opt/bridge", "--port", "8092"]}'""",
    }
