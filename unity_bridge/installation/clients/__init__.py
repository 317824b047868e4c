"""The supported MCP clients, as a table. To add one: a row below, and a page in docs, which says
how it was checked.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Callable, List, Mapping

from unity_bridge.installation.clients.client import (
    OF_NAME,
    OF_PROJECT,
    Client,
    Launch,
    Listed,
    Machine,
    Scope,
    StartsIn,
    Switch,
)
from unity_bridge.installation.toml_tables import TOML

# The tool search of Claude Code hides the tools of a server without this until they are searched
# for.
_LOADED = {"alwaysLoad": True}
_CLINES_FILE = "cline_mcp_settings.json"
_CLINES_EXTENSION = "Code/User/globalStorage/saoudrizwan.claude-dev"


def _assigned(option: str, launch: Launch) -> List[str]:
    return [word for assignment in launch.assignments for word in (option, assignment)]


def _of_claude_desktop(machine: Machine) -> List[Path]:
    plain = machine.settings / "Claude" / "claude_desktop_config.json"
    if machine.platform != "win32":
        return [plain]
    # The installer packages the app (MSIX), and Windows then shows it a settings folder of its own.
    packages = machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
    app_folders = [
        folder / "LocalCache" / "Roaming" / "Claude" for folder in sorted(packages.glob("Claude_*"))
    ]
    packaged = [folder / plain.name for folder in app_folders if os.path.isdir(folder)]
    if os.path.exists(plain) or not packaged:
        return [*packaged, plain]
    return packaged


def _with_code(name: str, launch: Launch, scope: Scope) -> List[str]:
    environ = {"env": dict(launch.environ)} if launch.environ else {}
    server = {"name": name, "command": launch.command, "args": list(launch.args), **environ}
    return ["code", "--add-mcp", json.dumps(server)]


def _of_cline(machine: Machine) -> List[Path]:
    shared = machine.folder(
        "CLINE_MCP_SETTINGS_PATH", machine.home / ".cline" / "data" / "settings" / _CLINES_FILE
    )
    extension = machine.settings / _CLINES_EXTENSION
    if not os.path.isdir(extension):
        return [shared]
    settings = extension / "settings" / _CLINES_FILE
    if os.path.isdir(machine.home / ".cline"):
        return [settings, shared]
    return [settings]


def _of_opencode(machine: Machine) -> List[Path]:
    folder = machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"
    with_comments = folder / "opencode.jsonc"
    return [with_comments if os.path.exists(with_comments) else folder / "opencode.json"]


# A variable that moves a folder, and where the folder is without it, below the home.
_MOVED = {
    "local": ("LOCALAPPDATA", "AppData/Local"),
    "claude": ("CLAUDE_CONFIG_DIR", ".claude"),
    "above claude": ("CLAUDE_CONFIG_DIR", ""),
    "codex": ("CODEX_HOME", ".codex"),
    "copilot": ("COPILOT_HOME", ".copilot"),
    "above gemini": ("GEMINI_CLI_HOME", ""),
}


def _places(*places: str) -> Callable[..., List[Path]]:
    """Return a function of the machine and the project that returns these paths. Each begins with
    the name of a folder.
    """

    def paths(machine: Machine, project: Path = Path()) -> List[Path]:
        folders = {
            name: machine.folder(variable, machine.home / default)
            for name, (variable, default) in _MOVED.items()
        }
        folders.update(home=machine.home, settings=machine.settings)
        folders.update(config=machine.config, project=project)
        parts = (place.partition("/") for place in places)
        return [folders[name] / inside for name, _, inside in parts]

    return paths


_file_of_claude_code = _places("above claude/.claude.json")
_settings_of_claude_code = _places(
    "claude/settings.json",
    "project/.claude/settings.json",
    "project/.claude/settings.local.json",
)
_settings_of_gemini = _places("above gemini/.gemini/settings.json", "project/.gemini/settings.json")


def _flag(name: str, off: bool, on: str) -> Switch:
    return Switch((name,), off, on)


_ALL = (
    # It keeps servers of one project in the user's file too, and those have priority
    # (``client_configs``).
    Client(
        name="claude-code",
        title="Claude Code",
        documentation="https://code.claude.com/docs/en/mcp",
        user_files=_file_of_claude_code,
        project_file=".mcp.json",
        transport={"type": "stdio"},
        preferences=_LOADED,
        own_command=lambda name, launch, scope: [
            *("claude", "mcp", "add-json", "--scope", scope.value, name),
            json.dumps({**CLIENTS["claude-code"].entry(launch), **_LOADED}),
        ],
        signs=_places("home/.claude"),
        program="claude",
        writes_its_file_back=True,
        skills=".claude/skills",
        user_skills=lambda machine: (
            machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude") / "skills"
        ),
        # anthropics/claude-code#44845, #16402; a `disabled` in an entry is not read (#33958).
        switches=(
            Switch(
                ("projects", OF_PROJECT, "disabledMcpServers"),
                Listed.IN,
                "/mcp in a session in that folder",
                _file_of_claude_code,
            ),
            Switch(
                ("projects", OF_PROJECT, "disabledMcpjsonServers"),
                Listed.IN,
                "`claude mcp reset-project-choices` in that folder",
                _file_of_claude_code,
                Scope.PROJECT,
            ),
            # In any settings file, by code.claude.com/docs/en/mcp.
            Switch(
                ("disabledMcpjsonServers",),
                Listed.IN,
                "take its name out of that list",
                _settings_of_claude_code,
                Scope.PROJECT,
            ),
        ),
        apply="Start a new session.",
        success="`claude mcp list` shows unity-bridge as connected; in a session, /mcp lists its tools.",
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        documentation="https://modelcontextprotocol.io/docs/develop/connect-local-servers",
        user_files=_of_claude_desktop,
        skills=None,
        starts_in=StartsIn.ROOT,  # on macOS; its documentation calls the folder undefined
        apply="Quit Claude Desktop completely (not only its window) and start it again.",
        success="Settings > Developer shows unity-bridge as running; its tools stand in the chat's tool menu.",
    ),
    Client(
        name="cursor",
        title="Cursor",
        documentation="https://cursor.com/docs/mcp",
        user_files=_places("home/.cursor/mcp.json"),
        project_file=".cursor/mcp.json",
        transport={"type": "stdio"},
        signs=_places("home/.cursor", "settings/Cursor"),
        starts_in=StartsIn.UNKNOWN,
        apply="Cursor notices the change; if not, switch the server off and on in its settings.",
        success="MCPs under Customize in the sidebar (before: Settings > Tools & MCP) shows unity-bridge with its "
        "tools.",
    ),
    # With GitHub Copilot.
    Client(
        name="vscode",
        title="VS Code",
        documentation="https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        table=("servers",),
        user_files=_places("settings/Code/User/mcp.json"),
        project_file=".vscode/mcp.json",
        transport={"type": "stdio"},
        own_command=_with_code,
        own_command_knows_projects=False,
        signs=_places("settings/Code"),
        program="code",
        starts_in=StartsIn.HOME,  # microsoft/vscode#250078
        apply="Run `MCP: List Servers` from the Command Palette, choose unity-bridge, then Start.",
        success="`MCP: List Servers` shows unity-bridge as running; agent mode lists its tools.",
    ),
    # With GitHub Copilot; on Windows only.
    Client(
        name="visual-studio",
        title="Visual Studio",
        documentation="https://learn.microsoft.com/visualstudio/ide/mcp-servers",
        table=("servers",),
        user_files=lambda machine: (
            [machine.home / ".mcp.json"] if machine.platform == "win32" else []
        ),
        # Next to the solution, at the top of the project. Claude Code reads the same file under
        # another key.
        project_file=".mcp.json",
        transport={"type": "stdio"},
        skills=None,
        signs=_places("local/Microsoft/VisualStudio"),
        starts_in=StartsIn.UNKNOWN,
        apply="Open the tools list of Copilot's agent mode; Visual Studio reads the file when it changes.",
        success="The tools list of Copilot's agent mode shows unity-bridge.",
    ),
    # JetBrains' agent, in Rider and in the terminal.
    Client(
        name="junie",
        title="Rider (Junie)",
        documentation="https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html",
        user_files=_places("home/.junie/mcp/mcp.json"),
        project_file=".junie/mcp/mcp.json",
        signs=_places("home/.junie"),
        skills=".junie/skills",
        starts_in=StartsIn.UNKNOWN,
        apply="Rider reads the file when it changes; in the terminal, start a new session.",
        success="Settings > Tools > Junie > MCP Settings shows unity-bridge as connected.",
    ),
    # The terminal, the desktop app and the editors' extension share one file.
    Client(
        name="codex",
        title="Codex",
        documentation="https://developers.openai.com/codex/mcp",
        table=("mcp_servers",),
        user_files=_places("codex/config.toml"),
        project_file=".codex/config.toml",
        form=TOML,
        own_command=lambda name, launch, scope: [
            *("codex", "mcp", "add", name, *_assigned("--env", launch), "--", *launch.words)
        ],
        own_command_knows_projects=False,
        switches=(_flag("enabled", False, "set it to true"),),  # openai/codex#4917
        apply="Start a new session.",
        success="`codex mcp list` shows unity-bridge as enabled; in a session, /mcp lists its tools.",
    ),
    Client(
        name="copilot",
        title="Copilot CLI",
        documentation="https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
        user_files=_places("copilot/mcp-config.json"),
        project_file=".github/mcp.json",
        transport={"type": "stdio"},
        preferences={"tools": ["*"]},
        own_command=lambda name, launch, scope: [
            "copilot",
            "mcp",
            "add",
            name,
            "--",
            *launch.words,
        ],
        own_command_knows_projects=False,
        own_command_sets_variables=False,
        # github/app#290; a `disabled` in an entry is not read (github/copilot-cli#3582).
        switches=(
            Switch(
                ("disabledMcpServers",),
                Listed.IN,
                "/mcp enable in a session",
                _places("copilot/settings.json"),
            ),
        ),
        apply="Start a new session.",
        success="In a session, /mcp show lists unity-bridge with its tools.",
    ),
    # For individuals, Antigravity has replaced it.
    Client(
        name="gemini",
        title="Gemini CLI",
        documentation="https://geminicli.com/docs/tools/mcp-server",
        user_files=_places("above gemini/.gemini/settings.json"),
        signs=_places(),  # Antigravity's files are in the same folder
        project_file=".gemini/settings.json",
        own_command=lambda name, launch, scope: [
            *(
                "gemini",
                "mcp",
                "add",
                "--scope",
                scope.value,
                *_assigned("-e", launch),
                name,
                *launch.words,
            )
        ],
        own_command_sets_empty_ones=False,  # packages/cli/src/commands/mcp/add.ts drops a variable without a value
        # packages/cli/src/config/mcp/mcpServerEnablement.ts; the lists are of
        # google-gemini/gemini-cli#21148.
        switches=(
            Switch(
                (OF_NAME, "enabled"),
                False,
                "`gemini mcp enable` with its name",
                _places("above gemini/.gemini/mcp-server-enablement.json"),
            ),
            Switch(
                ("mcp", "excluded"),
                Listed.IN,
                "take its name out of that list",
                _settings_of_gemini,
            ),
            Switch(
                ("mcp", "allowed"), Listed.NOT_IN, "add its name to that list", _settings_of_gemini
            ),
        ),
        apply="Start a new session in a folder that Gemini CLI trusts.",
        success="`gemini mcp list` shows unity-bridge as connected; in a session, /mcp lists its tools.",
    ),
    # The app, the editor and the terminal (``agy``) share one file, which must be strict JSON.
    Client(
        name="antigravity",
        title="Antigravity",
        documentation="https://antigravity.google/docs/mcp",
        user_files=_places("home/.gemini/config/mcp_config.json"),
        project_file=".agents/mcp_config.json",
        signs=_places(
            "home/.gemini/config", "home/.gemini/antigravity", "home/.gemini/antigravity-cli"
        ),
        program="agy",
        user_skills=lambda machine: machine.home / ".gemini" / "skills",
        starts_in=StartsIn.HOME,  # google-antigravity/antigravity-cli#918
        # google-antigravity/antigravity-cli#182
        switches=(
            _flag("disabled", True, "take it out, or press Enable under Manage MCP Servers"),
        ),
        apply="Press Refresh under Manage MCP Servers, or start a new session of `agy`.",
        success="Manage MCP Servers shows unity-bridge with its tools.",
    ),
    # The successor of Windsurf.
    Client(
        name="devin",
        title="Devin Desktop",
        documentation="https://docs.devin.ai/desktop/mcp",
        user_files=_places("config/devin/mcp_config.json"),
        project_file=".devin/mcp_config.json",
        own_command=lambda name, launch, scope: [
            *("devin", "mcp", "add", "-s", scope.value, name, "--", *launch.words)
        ],
        own_command_sets_variables=False,
        starts_in=StartsIn.UNKNOWN,
        apply="Press the refresh button of the MCP list, or restart Devin Desktop.",
        success="The MCP list shows unity-bridge with its tools.",
    ),
    # Before it became Devin Desktop.
    Client(
        name="windsurf",
        title="Windsurf",
        documentation="https://docs.devin.ai/desktop/cascade/mcp",
        user_files=_places("home/.codeium/windsurf/mcp_config.json"),
        starts_in=StartsIn.UNKNOWN,
        switches=(_flag("disabled", True, "take it out, or use its switch among the MCP servers"),),
        apply="Press the refresh button in Windsurf Settings > Cascade > MCP Servers.",
        success="Windsurf Settings > Cascade > MCP Servers shows unity-bridge with its tools.",
    ),
    # The extension of VS Code keeps its own file, the terminal and the other editors share another.
    Client(
        name="cline",
        title="Cline",
        documentation="https://docs.cline.bot/mcp/configuring-mcp-servers",
        user_files=_of_cline,
        signs=_places("home/.cline", f"settings/{_CLINES_EXTENSION}"),
        skills=".cline/skills",
        starts_in=StartsIn.ROOT,  # cline/cline#9950
        switches=(
            _flag("disabled", True, "take it out, or use its switch under MCP Servers"),
        ),  # its documentation
        apply="Cline reads the file when it changes; in the terminal, start it again.",
        success="MCP Servers > Configure shows unity-bridge with a green dot and its tools; so does "
        "`cline config mcp`.",
    ),
    # Its version 2 keeps servers in ``mcp.servers`` (anomalyco/opencode#50807); entries have the
    # same form.
    Client(
        name="opencode",
        title="OpenCode",
        documentation="https://opencode.ai/docs/mcp-servers",
        table=("mcp",),
        newer_table=("mcp", "servers"),
        user_files=_of_opencode,
        project_file="opencode.json",
        transport={"type": "local"},
        preferences={"enabled": True},
        command_holds_arguments=True,
        environment_key="environment",
        # anomalyco/opencode#513; in version 2 `disabled`, by its specs/v2/config.md.
        switches=(
            _flag("enabled", False, "set it to true"),
            _flag("disabled", True, "set it to false"),
        ),
        apply="Start it again.",
        success="`opencode mcp list` shows unity-bridge as connected.",
    ),
    Client(
        name="zed",
        title="Zed",
        documentation="https://zed.dev/docs/ai/mcp",
        table=("context_servers",),
        user_files=lambda machine: [
            machine.config / ("Zed" if machine.platform == "win32" else "zed") / "settings.json"
        ],
        project_file=".zed/settings.json",
        starts_in=StartsIn.UNKNOWN,  # `/` or the home when the Dock started it, zed-industries/zed#60879
        # zed-industries/zed#32994
        switches=(
            _flag(
                "enabled",
                False,
                "set it to true, or use its switch in the settings of the Agent Panel",
            ),
        ),
        apply="Zed reads the file when it changes.",
        success="The settings of the Agent Panel show unity-bridge with a green dot.",
    ),
    # The editor and the terminal share these files.
    Client(
        name="kiro",
        title="Kiro",
        documentation="https://kiro.dev/docs/mcp/configuration",
        user_files=_places("home/.kiro/settings/mcp.json"),
        project_file=".kiro/settings/mcp.json",
        signs=_places("home/.kiro"),
        skills=".kiro/skills",
        starts_in=StartsIn.UNKNOWN,  # since 1.0 the editor's own folder, kirodotdev/Kiro#10486
        switches=(
            _flag("disabled", True, "set it to false, or press Enable in the Kiro panel"),
        ),  # its documentation
        apply="Kiro reads the file when it changes.",
        success="The Kiro panel shows unity-bridge as connected under MCP Servers.",
    ),
)

CLIENTS: Mapping[str, Client] = {client.name: client for client in _ALL}
