"""Projects in folders of odd names, from the installation of the plugin to the end of the editor."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Iterator

import pytest

from tests.editor_life.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.clean()


@pytest.mark.skipif(os.name != "posix", reason="no folder of Windows is called so")
@pytest.mark.parametrize(
    "name", ['it\'s a "game"', "$(touch made)`id`", "Größe; rm & <x>", "back\\slash"]
)
def test_a_project_in_a_folder_of_any_name_is_used_from_end_to_end(desk: Desk, name: str) -> None:
    desk.project = desk.project.rename(desk.project.parent / name)
    (desk.project / "Packages" / "com.unitybridge.editor").rmdir()
    here = ("--project", str(desk.project))
    status, answer, stderr = desk.run("plugin", "install", str(desk.project), "--port", "auto")
    assert status == 0, (answer, stderr)
    assert desk.run("client", "add", "cursor", *here)[0] == 0
    entry = json.loads((desk.home / ".cursor" / "mcp.json").read_text(encoding="utf-8"))
    assert entry["mcpServers"]["unity-bridge"]["args"][-1] == str(desk.project)
    assert desk.run("open", str(desk.project), "--unity", "simulate")[0] == 0
    try:
        state = desk.run("status", *here)[1]["result"]
        assert state["project"] == state["editor"]["project_path"] == str(desk.project)
        assert desk.run("doctor", *here)[0] == 0
    finally:
        assert desk.run("close", str(desk.project))[0] == 0
    assert desk.run("plugin", "remove", str(desk.project))[0] == 0
    assert not list(Path(desk.home).rglob("made"))
