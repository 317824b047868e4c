"""Two editors: on one port, where the first keeps its place, and each with its own agent (SPEC
§7.3, §18.1).
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.port_files import automatic_port

if TYPE_CHECKING:
    from tests.unity_headless.mcp_agent import Agent

REFUSED = "another Unity editor session is already active"


def test_a_long_reload_does_not_hand_the_agent_to_another_project(
    port: int, agent: Agent, agents_editor: HeadlessEditor
) -> None:
    first = agents_editor
    first.arrange("log log of the first")
    with HeadlessEditor(port) as second:
        second.arrange("log log of the second")
        while not any(REFUSED in line for line in second.history):
            second.wait_until_idle()
        first.command("reload 4000")
        first.wait_for("unloading")
        # Parked until the first one is back: no other editor is asked.
        answer = agent.call("read_console", contains="of the")
        assert [entry["message"] for entry in answer["entries"]] == ["of the first"]
        first.wait_for("reloaded 2")
        assert agent.wait_for_editor()["editor"]["project_path"] == str(first.project)
        refusals = [line for line in second.history if REFUSED in line]
        assert (
            len(refusals) == 1
            and str(first.project) in refusals[0]
            and str(second.project) in refusals[0]
        )
        # An editor that closes frees the session slot.
        first.command("quit")
        while (agent.call("get_editor_state")["editor"] or {}).get("project_path") != str(
            second.project
        ):
            agent.result("read_console", max_entries=1)
        assert second.violations() == []


def worktree(folder: Path) -> Path:
    """What version control has of a project: the port's setting, too."""
    settings = folder / "ProjectSettings"
    settings.mkdir(parents=True)
    (folder / "Assets").mkdir()
    (settings / "ProjectVersion.txt").write_text("m_EditorVersion: 2021.3.0f1\n", encoding="utf-8")
    (settings / "UnityBridge.json").write_text(json.dumps({"port": "auto"}), encoding="utf-8")
    return folder


def test_each_worktree_has_its_editor_and_its_agent_without_a_number(tmp_path: Path) -> None:
    from tests.unity_headless.mcp_agent import Agent

    folders = [worktree(tmp_path / "Game"), worktree(tmp_path / "Game feature")]
    with ExitStack() as opened:
        agents = [opened.enter_context(Agent(None, folder=folder / "Assets")) for folder in folders]
        editors = [opened.enter_context(HeadlessEditor(None, project=folder)) for folder in folders]
        for folder, agent, editor in zip(folders, agents, editors):
            state = agent.wait_for_editor()
            assert state["editor"]["project_path"] == str(folder)
            assert state["port"] == automatic_port(canonical_path(folder))
            assert agent.call("compile")["state"] == "succeeded"
            assert f"Port <{state['port']}>" in editor.draw_settings()
            assert editor.violations() == []
