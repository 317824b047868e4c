"""Scenes and prefabs that change on disk while they are open (SPEC §16.1): no dialog, and nothing
lost unasked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, List, Optional

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.scripted_server import Message, ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor

LEVEL, CAVE, TOWN = "Assets/Level.unity", "Assets/Cave.unity", "Assets/Town.unity"
DOOR = "Assets/Door.prefab"


@pytest.fixture(autouse=True)
def nothing_is_left(shared: SharedEditor) -> Iterator[None]:
    """The file as a whole leaves nothing, and no test does what Unity would not bear."""
    yield
    assert shared.editor.violations() == []


class Scenes:
    """The files of the project, and what the tools say of them."""

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor, job: str) -> None:
        self.server, self.editor = server, editor
        self._job = job
        self._jobs = 0

    def write(self, path: str, content: str = "%YAML by git checkout") -> None:
        file = self.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")

    def file(self, path: str) -> Path:
        return self.editor.project / path

    def open(self, *paths: str) -> None:
        for path in paths:
            self.write(path, "%YAML first")
        self.editor.arrange("open-scenes " + ";".join(paths))
        self.editor.wait_until_idle()

    def calls(self, tool: str = "compile", **params: Any) -> Message:
        self._jobs += 1
        job = f"{self._job}-{self._jobs}"
        session = self.server.latest
        assert session.submit(job, tool=tool, **params)["status"] == "accepted"
        return ended(self.server, session, job)

    def refused(self, tool: str = "compile", **params: Any) -> List[str]:
        begun = len(self.editor.history)
        error = self.calls(tool, **params)["error"]
        assert error["code"] == "ERR_UNITY_EXECUTION"
        assert error["details"]["reason"] == "scene_changed_on_disk"
        assert error["details"]["execution_guarantee"] == "not_executed"
        assert "refresh" not in self.editor.history[begun:]
        paths: List[str] = error["details"]["scenes"]
        assert all(path in error["message"] for path in paths)
        return paths

    def done(self) -> List[str]:
        """What was done to scenes and prefabs."""
        words = (
            "open-scene",
            "close-scene",
            "restore-setup",
            "new-scene",
            "open-prefab",
            "leave-prefab",
            "reload-prefab",
            "lost",
            "refresh",
        )
        return [
            line
            for line in self.editor.history
            if line.startswith(words) and not line.startswith("refresh-of")
        ]


@pytest.fixture
def scenes(shared: SharedEditor, job: str) -> Iterator[Scenes]:
    shared.reset()
    shared.session()
    scenes = Scenes(shared.server, shared.editor, job)
    yield scenes
    shared.editor.arrange(
        "save-scenes", "open-prefab", "prefab-clean", "open-scenes Assets/Clean.unity"
    )


def test_a_clean_scene_that_changed_is_opened_again_in_its_place(scenes: Scenes) -> None:
    scenes.open(LEVEL, CAVE, TOWN)
    scenes.write(CAVE)
    result = scenes.calls()["result"]
    assert (result["ok"], result["scenes_reloaded"]) == (True, [CAVE])
    assert scenes.done() == [f"close-scene {CAVE} kept", f"open-scene {CAVE} Additive", "refresh"]
    assert "scenes_reloaded" not in scenes.calls()["result"]


def test_the_only_scene_is_opened_again(scenes: Scenes) -> None:
    scenes.open(LEVEL)
    scenes.write(LEVEL)
    tested = scenes.calls("run_tests", mode="edit", refresh=True)
    assert tested["result"]["compile"]["scenes_reloaded"] == [LEVEL]
    assert scenes.done() == [f"open-scene {LEVEL} Single", "refresh"]


def test_a_file_that_is_written_again_as_it_was_has_not_changed(scenes: Scenes) -> None:
    scenes.open(LEVEL)
    scenes.write(LEVEL, "%YAML first")
    assert "scenes_reloaded" not in scenes.calls()["result"]
    assert scenes.done() == ["refresh"]


def test_unsaved_changes_are_never_lost_unasked(scenes: Scenes) -> None:
    scenes.open(LEVEL, CAVE)
    scenes.editor.arrange(f"scene {CAVE}")
    scenes.write(CAVE)
    scenes.write(LEVEL)
    assert scenes.refused() == [CAVE]
    assert scenes.refused("run_tests", refresh=True) == [CAVE]
    assert scenes.done() == []
    # A run that refreshes nothing is refused for what is not saved, as ever.
    assert (
        scenes.calls("run_tests", refresh=False)["error"]["details"]["reason"] == "unsaved_scenes"
    )
    result = scenes.calls(changed_scenes="disk")["result"]
    assert sorted(result["scenes_reloaded"]) == [CAVE, LEVEL]
    assert f"lost {CAVE}" in scenes.done()


def test_the_editors_changes_are_saved_over_the_file_where_that_is_chosen(scenes: Scenes) -> None:
    scenes.open(LEVEL, CAVE)
    scenes.editor.arrange(f"scene {CAVE}")
    scenes.write(CAVE)
    result = scenes.calls("run_tests", mode="edit", refresh=True, changed_scenes="editor")["result"]
    assert "scenes_reloaded" not in result["compile"]
    assert scenes.done() == ["refresh"]
    assert scenes.file(CAVE).read_text(encoding="utf-8") == "%YAML saved by the editor"


@pytest.mark.parametrize("content", [None, "<<<<<<< garbage"], ids=["deleted", "garbage"])
def test_a_file_that_cannot_be_opened_closes_no_scene_unasked(
    scenes: Scenes, content: Optional[str]
) -> None:
    scenes.open(LEVEL, CAVE)
    if content is None:
        scenes.file(CAVE).unlink()
    else:
        scenes.write(CAVE, content)
    assert scenes.refused() == [CAVE]
    assert scenes.done() == []
    scenes.calls(changed_scenes="disk")
    assert scenes.done() == [f"close-scene {CAVE} removed", "refresh"]


def test_an_open_prefab_is_looked_after_as_well(scenes: Scenes) -> None:
    scenes.open(LEVEL)
    scenes.write(DOOR, "%YAML first")
    scenes.editor.arrange(f"open-prefab {DOOR}")
    scenes.write(DOOR)
    # Without unsaved changes it is Unity's to load again, which it does in an update after the
    # import.
    assert "scenes_reloaded" not in scenes.calls()["result"]
    scenes.editor.wait_for(f"reload-prefab {DOOR}")
    assert scenes.done() == ["refresh", f"reload-prefab {DOOR}"]
    scenes.editor.arrange(f"prefab {DOOR}")
    # What Unity has loaded again is no change on disk.
    assert "scenes_reloaded" not in scenes.calls()["result"]
    scenes.write(DOOR, "%YAML once more")
    assert scenes.refused() == [DOOR]
    assert scenes.calls(changed_scenes="disk")["result"]["scenes_reloaded"] == [DOOR]
    scenes.editor.wait_for(f"reload-prefab {DOOR}")
    assert f"leave-prefab {DOOR}" not in scenes.done()


def test_a_scene_and_the_open_prefab_may_change_at_once(scenes: Scenes) -> None:
    scenes.open(LEVEL)
    scenes.write(DOOR, "%YAML first")
    scenes.editor.arrange(f"open-prefab {DOOR}", f"prefab {DOOR}")
    scenes.write(DOOR)
    scenes.write(LEVEL)
    assert sorted(scenes.calls(changed_scenes="disk")["result"]["scenes_reloaded"]) == [DOOR, LEVEL]
    # A prefab that did not change is open as before.
    scenes.write(LEVEL, "%YAML once more")
    scenes.editor.forget_history()
    assert scenes.calls()["result"]["scenes_reloaded"] == [LEVEL]
    assert scenes.done() == [f"open-scene {LEVEL} Single", "refresh", f"open-prefab {DOOR}"]


def test_an_operation_that_would_lose_changes_of_an_open_prefab_is_refused(scenes: Scenes) -> None:
    scenes.open(LEVEL)
    scenes.write(DOOR, "%YAML first")
    scenes.editor.arrange(f"open-prefab {DOOR}", f"prefab {DOOR}")
    scenes.write(LEVEL)
    assert scenes.refused() == [LEVEL]
    assert scenes.refused(changed_scenes="disk") == [LEVEL]


def test_it_is_remembered_over_a_reload(scenes: Scenes) -> None:
    scenes.open(LEVEL)
    scenes.write(LEVEL)
    scenes.editor.reload()
    scenes.server.ready_session()
    assert scenes.calls()["result"]["scenes_reloaded"] == [LEVEL]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("generate_code_project_wide", {}),
        ("import_assets_bulk", {"paths": [LEVEL]}),
        ("packages", {"action": "add", "packages": ["com.unity.a"]}),
    ],
)
def test_commands_that_import_only_refuse(scenes: Scenes, name: str, arguments: Any) -> None:
    scenes.open(LEVEL)
    scenes.write(LEVEL)
    assert scenes.refused("run_command", name=name, arguments=arguments) == [LEVEL]


def test_the_game_comes_first(scenes: Scenes) -> None:
    scenes.open(LEVEL)
    scenes.editor.arrange("enter-play-without-reload", "play on")
    scenes.editor.wait_until_idle()
    scenes.write(LEVEL)
    assert scenes.calls()["error"]["details"]["reason"] == "playing"
    refused = scenes.server.latest.ask(
        "submit_job", job_id="x", tool_name="compile", params={"changed_scenes": "both"}
    )
    assert refused["error"]["code"] == "ERR_INVALID_PARAMS"
