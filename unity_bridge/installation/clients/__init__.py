"""The supported MCP clients, one file each. To add one: a file here, a row below and a page in docs."""

from __future__ import annotations

from typing import Mapping

from unity_bridge.installation.clients import (
    antigravity,
    claude_code,
    claude_desktop,
    cline,
    codex,
    copilot,
    cursor,
    devin,
    gemini,
    junie,
    kiro,
    opencode,
    visual_studio,
    vscode,
    windsurf,
    zed,
)
from unity_bridge.installation.clients.client import Client

CLIENTS: Mapping[str, Client] = {
    module.CLIENT.name: module.CLIENT
    for module in (
        claude_code,
        claude_desktop,
        cursor,
        vscode,
        visual_studio,
        junie,
        codex,
        copilot,
        gemini,
        antigravity,
        devin,
        windsurf,
        cline,
        opencode,
        zed,
        kiro,
    )
}
