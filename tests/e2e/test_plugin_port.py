"""Where the plugin takes its port from, and the port that a project has of itself (SPEC §18.1)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Iterator

import pytest

from tests.ports import free_port
from tests.scripted_server import ScriptedServer
from tests.unity_headless.headless_editor import HeadlessEditor, require_mono
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.port_files import automatic_port, port_of_project

TABLE = Path(__file__).resolve().parent.parent.parent / "protocol" / "project_paths.json"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeadlessEditor]:
    """An editor of a project behind a link, without a server."""
    require_mono()  # before the link, which Windows may refuse
    folder = tmp_path_factory.mktemp("projects")
    (folder / "Höhle").mkdir()
    (folder / "link").symlink_to(folder / "Höhle", target_is_directory=True)
    with HeadlessEditor(free_port(), project=folder / "link") as headless:
        yield headless
        assert headless.violations() == []


def write(editor: HeadlessEditor, folder: str, text: str) -> None:
    (editor.project / folder).mkdir(exist_ok=True)
    (editor.project / folder / "UnityBridge.json").write_text(text, encoding="utf-8")


def test_the_plugin_and_the_server_agree_on_every_path_of_the_table(shared: HeadlessEditor) -> None:
    for case in json.loads(TABLE.read_text(encoding="utf-8")):
        assert shared.canonical(case["path"], case["platform"]) == (
            case["canonical"],
            case["port"],
        ), case["about"]


def test_the_plugin_and_the_server_agree_on_this_machines_paths(shared: HeadlessEditor) -> None:
    write(shared, "UserSettings", '{"port": "auto", "allow_csharp": false}')
    shared.reload()
    page = shared.draw_settings()
    assert f"Port <{automatic_port(canonical_path(shared.project))}>" in page
    assert "Port set by: UserSettings/UnityBridge.json (auto)" in page


def test_a_broken_file_is_named_once_and_the_next_one_counts(shared: HeadlessEditor) -> None:
    write(shared, "UserSettings", "{")
    write(shared, "ProjectSettings", '{"port": 8123}')
    for _ in range(2):
        shared.reload()
        page = shared.draw_settings()
        assert "Port <8123>" in page and "Port set by: ProjectSettings/UnityBridge.json" in page
    warnings = [line for line in shared.history if "does not count for the port" in line]
    assert len(warnings) == 1 and "UserSettings/UnityBridge.json" in warnings[0]


@pytest.mark.skipif(os.name == "nt", reason="pipes and links")
@pytest.mark.parametrize("found", ["a pipe", "a link", "a link to a device"])
def test_only_an_ordinary_file_is_read_and_nothing_is_waited_for(
    shared: HeadlessEditor, found: str
) -> None:
    write(shared, "ProjectSettings", '{"port": 8124}')
    file = shared.project / "UserSettings" / "UnityBridge.json"
    file.parent.mkdir(exist_ok=True)
    if os.path.lexists(file):
        file.unlink()
    if found == "a pipe":
        os.mkfifo(str(file))
    elif found == "a link":
        (shared.project / "elsewhere.json").write_text('{"port": 8125}', encoding="utf-8")
        file.symlink_to("../elsewhere.json")
    else:
        file.symlink_to("/dev/zero")
    try:
        shared.reload()
        assert "Port <8124>" in shared.draw_settings()
        given = port_of_project(str(shared.project)).given
        assert given is not None and given.value == 8124, "the server reads it as the plugin does"
    finally:
        file.unlink()


def test_the_command_line_comes_first_and_cannot_be_changed_on_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNITY_BRIDGE_PORT", "8124")
    with ScriptedServer() as server:
        with HeadlessEditor(8125, options=["-unityBridgePort", str(server.port)]) as editor:
            session = server.ready_session()
            page = "\n".join(editor.draw_settings(port=8126, click="Apply"))
            assert "The port of this editor comes from the command line (-unityBridgePort)." in page
            assert not session.is_closed
            assert editor.violations() == []


def test_a_project_takes_its_own_port_on_a_click(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    server.ready_session()
    with ScriptedServer(automatic_port(canonical_path(editor.project))) as own:
        editor.draw_settings(click="Use the project's own port (auto)")
        own.ready_session()
        while "Port set by: ProjectSettings/UnityBridge.json (auto)" not in editor.draw_settings():
            pass
    kept = (editor.project / "ProjectSettings" / "UnityBridge.json").read_text(encoding="utf-8")
    assert json.loads(kept) == {"port": "auto"}
