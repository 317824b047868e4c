"""The MCP clients that can be configured: where each keeps its servers, in which form, and its own command for it.

Everything a client is, is a row of ``CLIENTS``. Places and forms are those of the clients' documentation, which each
row names; a ``Machine`` is passed in, so that the places of every system can be told on any.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

ENTRY = "unity-bridge"


class Scope(str, Enum):
    """For whom a configuration counts."""

    USER = "user"
    PROJECT = "project"


class Form(Enum):
    """How a configuration file is written."""

    JSON = "json"
    TOML = "toml"


@dataclass(frozen=True)
class Machine:
    """The system (``sys.platform``), the user's home, and the environment variables that move folders."""

    platform: str = sys.platform
    home: Path = field(default_factory=lambda: Path(os.path.expanduser("~")))
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def folder(self, variable: str, default: Path) -> Path:
        """What the environment variable names, or the default. A variable that is set but empty counts as not set."""
        named = self.environ.get(variable)
        return Path(named) if named else default

    @property
    def settings(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.platform == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")


@dataclass(frozen=True)
class Launch:
    """What a client is to start: absolute paths, because desktop programs have another PATH than terminals."""

    command: str
    args: Tuple[str, ...]

    @staticmethod
    def of(words: Sequence[str], port: Optional[int] = None) -> Launch:
        """``words`` start the program; ``port`` only if it is not the configured one."""
        return Launch(words[0], (*words[1:], *(() if port is None else ("--port", str(port)))))

    @property
    def words(self) -> List[str]:
        return [self.command, *self.args]


OwnCommand = Callable[[str, Launch, Scope], List[str]]


@dataclass(frozen=True)
class Client:
    """One client. ``table`` is the path in its file under which servers stand by name.

    ``own_command`` builds the words of the command with which the client configures itself; ``success`` is how one
    sees in the client that it works, ``apply`` what it takes for a change to count.
    """

    name: str
    title: str
    documentation: str
    table: Tuple[str, ...]
    user_files: Callable[[Machine], List[Path]]
    success: str
    apply: str
    form: Form = Form.JSON
    project_file: Optional[str] = None
    names_its_transport: bool = False
    own_command: Optional[OwnCommand] = None

    def files(self, scope: Scope, machine: Machine, project: Path) -> List[Path]:
        """The files of a scope, whether they exist or not; none if the client has no such scope."""
        if scope is Scope.USER:
            return self.user_files(machine)
        return [] if self.project_file is None else [project / self.project_file]

    def entry(self, launch: Launch) -> Dict[str, Any]:
        """The server's entry, as the client's file holds it."""
        transport = {"type": "stdio"} if self.names_its_transport else {}
        return {**transport, "command": launch.command, "args": list(launch.args)}


def _claude_code(machine: Machine) -> List[Path]:
    return [machine.folder("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json"]


def _claude_desktop(machine: Machine) -> List[Path]:
    plain = machine.settings / "Claude" / "claude_desktop_config.json"
    if machine.platform != "win32":
        return [plain]
    # The installer packages the app (MSIX), and Windows then shows it a settings folder of its own.
    packages = machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
    own = [folder / "LocalCache" / "Roaming" / "Claude" for folder in sorted(packages.glob("Claude_*"))]
    packaged = [folder / plain.name for folder in own if folder.is_dir()]
    return [*packaged, plain] if plain.exists() or not packaged else packaged


def _with_claude(name: str, launch: Launch, scope: Scope) -> List[str]:
    return ["claude", "mcp", "add", "--scope", scope.value, name, "--", *launch.words]


def _with_code(name: str, launch: Launch, scope: Scope) -> List[str]:
    return ["code", "--add-mcp", json.dumps({"name": name, "command": launch.command, "args": list(launch.args)})]


def _with_codex(name: str, launch: Launch, scope: Scope) -> List[str]:
    return ["codex", "mcp", "add", name, "--", *launch.words]


def _with_gemini(name: str, launch: Launch, scope: Scope) -> List[str]:
    return ["gemini", "mcp", "add", "--scope", scope.value, name, *launch.words]


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude-code",
            title="Claude Code",
            documentation="https://code.claude.com/docs/en/mcp",
            table=("mcpServers",),
            user_files=_claude_code,
            project_file=".mcp.json",
            names_its_transport=True,
            own_command=_with_claude,
            apply="Start a new session.",
            success="`claude mcp list` shows unity-bridge as connected; in a session, /mcp lists its five tools.",
        ),
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            documentation="https://modelcontextprotocol.io/docs/develop/connect-local-servers",
            table=("mcpServers",),
            user_files=_claude_desktop,
            apply="Quit Claude Desktop completely (not only its window) and start it again.",
            success="Settings > Developer shows unity-bridge as running; its tools stand in the chat's tool menu.",
        ),
        Client(
            name="cursor",
            title="Cursor",
            documentation="https://cursor.com/docs/context/mcp",
            table=("mcpServers",),
            user_files=lambda machine: [machine.home / ".cursor" / "mcp.json"],
            project_file=".cursor/mcp.json",
            names_its_transport=True,
            apply="Cursor notices the change; if not, switch the server off and on in its settings.",
            success="Cursor Settings > Tools & MCP shows unity-bridge with a green dot and five tools.",
        ),
        Client(
            name="vscode",
            title="VS Code",
            documentation="https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
            table=("servers",),
            user_files=lambda machine: [machine.settings / "Code" / "User" / "mcp.json"],
            project_file=".vscode/mcp.json",
            names_its_transport=True,
            own_command=_with_code,
            apply="Run `MCP: List Servers` from the Command Palette, choose unity-bridge, then Start.",
            success="`MCP: List Servers` shows unity-bridge as running; agent mode lists its five tools.",
        ),
        Client(
            name="codex",
            title="Codex",
            documentation="https://developers.openai.com/codex/mcp",
            table=("mcp_servers",),
            user_files=lambda machine: [machine.folder("CODEX_HOME", machine.home / ".codex") / "config.toml"],
            project_file=".codex/config.toml",
            form=Form.TOML,
            own_command=_with_codex,
            apply="Start a new session.",
            success="`codex mcp list` shows unity-bridge as enabled; in a session, /mcp lists its five tools.",
        ),
        Client(
            name="gemini",
            title="Gemini CLI",
            documentation="https://geminicli.com/docs/tools/mcp-server",
            table=("mcpServers",),
            user_files=lambda machine: [machine.folder("GEMINI_CLI_HOME", machine.home) / ".gemini" / "settings.json"],
            project_file=".gemini/settings.json",
            own_command=_with_gemini,
            apply="Start a new session in a folder that Gemini CLI trusts.",
            success="`gemini mcp list` shows unity-bridge as connected; in a session, /mcp lists its five tools.",
        ),
        Client(
            name="windsurf",
            title="Windsurf",
            documentation="https://docs.windsurf.com/windsurf/cascade/mcp",
            table=("mcpServers",),
            user_files=lambda machine: [machine.home / ".codeium" / "windsurf" / "mcp_config.json"],
            apply="Press the refresh button in Windsurf Settings > Cascade > MCP Servers.",
            success="Windsurf Settings > Cascade > MCP Servers shows unity-bridge with five tools.",
        ),
    )
}
