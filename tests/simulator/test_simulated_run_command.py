"""``run_command`` in the simulated editor: a handful of commands, and what ends each (SPEC §16.5)."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from tests.simulator.manual_editor import SCRIPT, ManualEditor
from unity_bridge.simulator.project import Entry, PretendTest, Project

PROJECT = Project(
    "Game", "/Game", (PretendTest("A.B.C", duration_s=5.0),), compile_s=1.0, compile_reload_s=1.0
)


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor(PROJECT)


def run(editor: ManualEditor, name: str, job_id: str = "J", **arguments: Any) -> Dict[str, Any]:
    return editor.ends("run_command", job_id, name=name, arguments=arguments)


def test_without_a_name_it_lists_them(editor: ManualEditor) -> None:
    commands = {one["name"]: one for one in editor.ends("run_command")["result"]["commands"]}
    assert (
        commands["spawn_wave"]["signature"]
        == "spawn_wave(enemy: bat|slime|knight = slime, size: int = 3)"
    )
    assert (commands["ping"]["write"], commands["build_player"]["write"]) == (False, True)
    assert editor.events.of("command_started") == []


def test_a_query_searches_names_and_descriptions(editor: ManualEditor) -> None:
    found = editor.ends("run_command", query="ENEMIES wave")["result"]["commands"]
    assert [one["name"] for one in found] == ["spawn_wave"]
    assert editor.ends("run_command", "K", query="no such words")["result"] == {"commands": []}
    error = editor.ends("run_command", "L", name="ping", query="wave")["error"]
    assert error["code"] == "ERR_INVALID_PARAMS" and "query" in error["message"]


def test_a_command_runs_with_its_arguments_and_says_so(editor: ManualEditor) -> None:
    status = run(editor, "spawn_wave", enemy="bat")
    assert (status["state"], status["result"]) == (
        "succeeded",
        {"value": {"spawned": 3, "enemy": "bat"}},
    )
    assert editor.heard("command_started", "name") == ["spawn_wave"]
    assert [one.entry.message for one in editor.process.console.read().kept] == [
        "A wave comes: 3 x bat"
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("spawn_waves", {}, "The nearest is spawn_wave("),
        ("list_scens", {}, "The nearest is list_scenes()"),
        ("xyzzy", {}, "There is no command xyzzy. Without a name"),
        ("open_scene", {}, "path is missing. It is open_scene("),
        ("spawn_wave", {"enemy": "cat"}, 'enemy must be bat|slime|knight, not "cat"'),
        ("spawn_wave", {"enemy": "bat", "size": True}, "size must be int, not true"),
        ("ping", {"size": 1}, "takes no argument size"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(
    editor: ManualEditor, name: str, arguments: Dict[str, Any], why: str
) -> None:
    error = run(editor, name, **arguments)["error"]
    assert (error["code"], error["details"]["execution_guarantee"]) == (
        "ERR_INVALID_PARAMS",
        "not_executed",
    )
    assert why in error["message"]
    assert editor.events.of("command_started") == []


def test_a_command_that_is_not_simulated_does_not_start(editor: ManualEditor) -> None:
    assert run(editor, "bake_lighting")["error"]["details"]["reason"] == "not_simulated"
    assert editor.events.of("command_started") == []


def test_an_exception_is_reported_with_its_stack(editor: ManualEditor) -> None:
    error = run(editor, "check_references")["error"]
    assert (error["details"]["reason"], error["details"]["execution_guarantee"]) == (
        "exception",
        "completed_error",
    )
    assert "NullReferenceException" in error["message"] and len(error["details"]["stack"]) == 2


def test_a_reload_in_the_midst_ends_it_as_unknown(editor: ManualEditor) -> None:
    status = run(editor, "generate_items")
    assert status["error"]["details"] == {
        "reason": "reloaded_while_running",
        "execution_guarantee": "unknown",
    }
    assert editor.heard("command_started", "name") == ["generate_items"]


def test_a_read_runs_during_tests_and_overtakes_nothing(editor: ManualEditor) -> None:
    editor.begins("run_tests", "tests")
    editor.begins("run_command", "looks", name="ping")
    assert (editor.job_status("looks")["state"], editor.job_status("tests")["state"]) == (
        "succeeded",
        "running",
    )
    editor.begins("run_command", "writes", name="spawn_wave", arguments={"enemy": "bat"})
    editor.begins("run_command", "after", name="ping")
    assert (editor.job_status("writes")["state"], editor.job_status("after")["state"]) == (
        "queued",
        "queued",
    )
    editor.end("after")
    assert editor.heard("command_started", "job_id") == ["looks", "writes", "after"]
    assert editor.job_status("tests")["state"] == "succeeded"


# What the package's commands do


def test_the_scene_and_the_selection_can_be_changed(editor: ManualEditor) -> None:
    assert run(editor, "create_object", "create", kind="cube")["state"] == "succeeded"
    chosen = run(editor, "select", "select", paths=["Main/Cube"])["result"]["value"]
    assert [one["path"] for one in chosen["objects"]] == ["Main/Cube"]
    refused = run(editor, "open_scene", "open", path="Assets/Scenes/Cellar.unity")["error"][
        "details"
    ]
    assert (refused["reason"], refused["scenes"]) == (
        "unsaved_scenes",
        ["Assets/Scenes/Main.unity"],
    )
    assert run(editor, "save_all", "save")["result"]["value"]["saved"] == [
        "Assets/Scenes/Main.unity"
    ]
    assert (
        run(editor, "open_scene", "again", path="Assets/Scenes/Cellar.unity")["result"]["value"][
            "name"
        ]
        == "Cellar"
    )
    scenes = run(editor, "list_scenes", "scenes")["result"]["value"]
    assert [scene["name"] for scene in scenes["open"]] == ["Cellar"] and len(scenes["build"]) == 2
    assert run(editor, "get_selection", "nothing")["result"]["value"]["total"] == 0


def test_assets_are_found_and_a_folder_that_is_not_there_is_refused(editor: ManualEditor) -> None:
    found = run(editor, "list_assets", query="t:Item", limit=1)["result"]["value"]
    assert (found["total"], len(found["assets"])) == (2, 1)
    assert (
        "no folder" in run(editor, "list_assets", "no", folder="Assets/Nowhere")["error"]["message"]
    )


@pytest.mark.parametrize("name", ["save_all", "save_scene"])
def test_commands_for_edit_mode_are_refused_while_the_game_plays(
    editor: ManualEditor, name: str
) -> None:
    editor.process.player.enter()
    editor.main.run(5)
    assert run(editor, name)["error"]["details"]["reason"] == "playing"
    assert editor.events.of("command_started") == []


def test_clearing_the_console_leaves_what_the_compiler_said(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 1, "no")
    editor.ends("compile", "C")
    editor.process.log(Entry("log", "hello"))
    assert run(editor, "clear_console")["result"] == {"value": None}
    assert [one.entry.message for one in editor.process.console.read().kept] == [
        f"{SCRIPT}(40,17): error CS0103: no"
    ]
