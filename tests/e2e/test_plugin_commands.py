"""The commands of the package (SPEC §16.5): what each does, and what each refuses. One editor for
all of them.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, Iterator

import pytest

from tests.leaks import Here, left_since
from tests.scripted_server import Message, ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.result import Ok
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.simulator.package_commands import all_commands
from unity_bridge.trust import consent

QUIRKS = (
    "no-code-editor",
    "build-fails",
    "build-without-report",
    "bake-refused",
    "bake-ms 600000",
    "navmesh-surface",
    "new-scene",
    "import-throws",
    "reload-before-answer",
    "unsavable-prefab",
    "verify-saving-assets",
)


class Commands:
    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self._jobs = (f"job-{number}" for number in itertools.count(1))

    def begin(self, name: str, timeout_ms: int = 60_000, **arguments: Any) -> str:
        job = next(self._jobs)
        params = {"name": name, "arguments": arguments}
        assert (
            self.server.open_session().submit(job, timeout_ms, tool="run_command", **params)[
                "status"
            ]
            == "accepted"
        )
        return job

    def end(self, job: str) -> Message:
        return ended(self.server, self.server.latest, job)

    def value(self, name: str, **arguments: Any) -> Any:
        status = self.end(self.begin(name, **arguments))
        assert status["state"] == "succeeded", str(status)
        return status["result"]["value"]

    def error(self, name: str, **arguments: Any) -> Any:
        status = self.end(self.begin(name, **arguments))
        assert status["state"] == "failed" and status["result"] is None, status
        return status["error"]

    def refusal(self, name: str, **arguments: Any) -> Any:
        """The reason of a command that has done nothing."""
        error = self.error(name, **arguments)
        if error["code"] == "ERR_INVALID_PARAMS":
            return error["message"]
        assert error["details"]["execution_guarantee"] == "not_executed", error
        return error["details"]["reason"]

    def allow_csharp(self, is_allowed: bool = True) -> None:
        assert consent.allow(canonical_path(self.editor.project), is_allowed) == Ok(None)

    def cancel(self, job: str) -> Message:
        self.server.latest.ask("cancel", target_job_id=job)
        return self.end(job)


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """A reload leaves another connection to the next test. The file as a whole leaves nothing."""


@pytest.fixture(scope="module")
def arranged() -> Iterator[Commands]:
    before = Here.now()
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        (editor.project / "Assets" / "Scenes").mkdir(parents=True)
        for path in ("Scenes/Main.unity", "Clean.unity", "Door.png", "Door.prefab"):
            (editor.project / "Assets" / path).touch()
        editor.arrange(
            "world asset Assets/Door.png|Data", "world object 1|Assets/Clean.unity|Player"
        )
        server.ready_session()
        yield Commands(server, editor)
        assert editor.violations() == []
    assert left_since(before) == []


@pytest.fixture
def commands(arranged: Commands) -> Iterator[Commands]:
    arranged.editor.pass_over()
    yield arranged
    arranged.allow_csharp(False)
    quirks = (f"no-quirk {quirk}" for quirk in QUIRKS)
    arranged.editor.arrange(*quirks, "save-scenes", "compilation-failed false", "building off")


def test_they_are_listed_as_the_simulated_editor_lists_them(commands: Commands) -> None:
    job = "list"
    commands.server.latest.submit(job, tool="run_command")
    # The package's own are listed without their source.
    listed = [one for one in commands.end(job)["result"]["commands"] if "source" not in one]
    simulated = [command.as_json() for command in all_commands().values() if not command.is_hidden]
    simulated = [one for one in simulated if "UnityBridge" in one["source"]]
    assert len(listed) >= 15 and [without_options(one) for one in listed] == [
        without_options(one) for one in simulated
    ]


def without_options(command: Message) -> Message:
    """The names of ``BuildOptions`` are Unity's: the stubs have a few of them, and a signature
    shows twelve at most.
    """
    shown = {key: value for key, value in command.items() if key != "source"}
    return {**shown, "signature": re.sub(r"\(None\|[\w|.]+\)", "(...)", command["signature"])}


def test_neither_a_script_that_throws_in_each_update_nor_a_shy_asset_database_stops_it(
    commands: Commands,
) -> None:
    commands.editor.arrange("quirk broken-tool", "quirk asset-database-refuses", "reload")
    commands.server.ready_session()
    assert commands.value("ping")["pong"] is True
    commands.editor.arrange("no-quirk broken-tool", "no-quirk asset-database-refuses", "reload")
    commands.server.ready_session()


def test_a_scene_is_opened_and_what_is_not_saved_is_kept_saved_or_lost_as_asked(
    commands: Commands,
) -> None:
    opened = commands.value("open_scene", path="Assets/Scenes/Main.unity")
    assert opened == {"path": "Assets/Scenes/Main.unity", "name": "Main"}
    # One that is open is not opened again.
    commands.editor.arrange("open-scenes Assets/Level.unity", "scene Assets/Level.unity")
    assert commands.refusal("open_scene", path="Assets/Clean.unity") == "unsaved_scenes"
    commands.value("open_scene", path="Assets/Clean.unity", additive=True)
    commands.value("open_scene", path="Assets/Clean.unity", unsaved="save")
    assert "lost Assets/Level.unity" not in commands.editor.history
    commands.editor.arrange("scene Assets/Level.unity", "prefab Assets/Door.prefab")
    commands.value("open_scene", path="Assets/Clean.unity", unsaved="discard")
    assert "lost Assets/Level.unity" in commands.editor.history
    # One that is open is not opened again.
    commands.editor.arrange("open-scenes Assets/Level.unity", "scene Untitled")
    assert (
        commands.refusal("open_scene", path="Assets/Clean.unity", unsaved="save")
        == "unsaved_scenes"
    )
    commands.editor.arrange("save-scenes")
    assert "There is no scene" in commands.refusal("open_scene", path="Assets/Door.png")
    commands.editor.arrange("open-scenes Assets/Clean.unity")


def test_an_open_prefab_is_left_by_whatever_opens_a_scene(commands: Commands) -> None:
    def open_additively(**unsaved: Any) -> Any:
        return commands.value("open_scene", path="Assets/Clean.unity", additive=True, **unsaved)

    level = ("open-scenes Assets/Level.unity", "scene Assets/Level.unity")
    commands.editor.arrange(*level, "prefab Assets/Door.prefab")
    error = commands.error("open_scene", path="Assets/Clean.unity", additive=True)
    assert error["details"]["reason"] == "unsaved_scenes"
    assert error["details"]["scenes"] == ["Assets/Door.prefab"]
    open_additively(unsaved="save")
    commands.editor.wait_for("save-prefab Assets/Door.prefab")
    commands.editor.arrange("prefab Assets/Door.prefab")
    open_additively(unsaved="discard")
    commands.editor.arrange(*level)
    assert commands.refusal("open_scene", path="Assets/Clean.unity") == "unsaved_scenes"
    commands.editor.arrange("save-scenes", "open-scenes Assets/Clean.unity")


def test_a_question_that_unity_would_ask_on_saving_is_reported(commands: Commands) -> None:
    commands.editor.arrange("prefab Assets/Door.prefab", "quirk unsavable-prefab")
    assert commands.value("save_all") == {"saved": [], "unsaved": ["Assets/Door.prefab"]}
    assert (
        commands.refusal("open_scene", path="Assets/Clean.unity", unsaved="save")
        == "unsaved_scenes"
    )
    commands.editor.arrange("no-quirk unsavable-prefab", "quirk verify-saving-assets")
    assert commands.refusal("save_all") == "would_ask"
    commands.editor.arrange("no-quirk verify-saving-assets")
    assert commands.value("save_all") == {"saved": ["Assets/Door.prefab"], "unsaved": []}


def test_everything_is_saved_but_a_scene_without_a_name(commands: Commands) -> None:
    commands.editor.arrange("scene Assets/Level.unity", "scene Untitled")
    details = commands.error("save_all")["details"]
    assert (details["reason"], details["scenes"]) == ("unsaved_scenes", ["Untitled"])
    assert details["execution_guarantee"] == "completed_error"
    commands.editor.wait_for("save-assets")
    commands.editor.arrange("prefab Assets/Door.prefab", "quirk unsavable-prefab")
    assert "nor could Unity save Assets/Door.prefab" in commands.error("save_all")["message"]
    commands.editor.arrange("no-quirk unsavable-prefab", "prefab-clean", "save-scenes")


def test_a_menu_entry_runs_or_is_not_there(commands: Commands) -> None:
    assert commands.value("menu", path="Tools/Build Levels") == {"executed": "Tools/Build Levels"}
    # Listed nowhere, and Unity can run it.
    assert "cannot be used now" in commands.refusal("menu", path="Tools/Greyed Out")
    assert commands.value("menu", path="Tools/Unlisted") == {"executed": "Tools/Unlisted"}
    for path, nearest in (
        ("Tools/Build", "the nearest are Tools/Build Levels"),
        ("Tools/Bild Levels", "the nearest are Tools/Build Levels"),
        ("Cube", "the nearest are GameObject/3D Object/Cube"),
        ("Nothing/There", "has no menu entry Nothing/There"),
    ):
        assert nearest in commands.refusal("menu", path=path)
    assert "cannot be used now" in commands.refusal("menu", path="File/Save")
    # Unity was not asked for what is not there, so it has put no error into the user's console.
    page = commands.server.latest.ask(
        "execute", tool_name="read_console", params={"types": ["error"]}, timeout_ms=30_000
    )
    assert [one for one in page["result"]["entries"] if "ExecuteMenuItem" in one["message"]] == []


def test_assets_are_imported_in_one_go_or_none_of_them(commands: Commands) -> None:
    answer = commands.value(
        "import_assets_bulk", paths=["Assets/Door.png", "Assets/Scenes"], force=True
    )
    assert answer == {"imported": 2, "compiling": False}
    commands.editor.wait_for("import Assets/Door.png ForceUpdate$")
    commands.editor.wait_for("import Assets/Scenes ForceUpdate, ImportRecursive$")
    commands.editor.wait_for("refresh")
    error = commands.error(
        "import_assets_bulk", paths=["Assets/Door.png", "Assets/no.png", "Assets/../x", "/etc"]
    )
    assert error["details"]["missing"] == ["Assets/no.png", "Assets/../x", "/etc"]
    assert "at least one" in commands.refusal("import_assets_bulk", paths=[])
    error = commands.error(
        "import_assets_bulk", paths=["Assets/Door.png", "Packages/com.nobody/No.png"]
    )
    assert error["details"]["reason"] == "not_imported" and "com.nobody" in error["message"]


def test_an_import_that_throws_does_not_keep_the_editor_from_importing(commands: Commands) -> None:
    commands.editor.arrange("quirk import-throws", "edit Game|edited before an import that throws")
    assert "thrown" in commands.error("import_assets_bulk", paths=["Assets/Door.png"])["message"]
    commands.editor.wait_for("reloaded")


def test_project_files_are_written_where_an_editor_is_chosen(commands: Commands) -> None:
    assert commands.value("generate_code_project_wide")["files"]
    # Files that an editor has left behind are not this one's.
    commands.editor.arrange("quirk no-code-editor")
    error = commands.error("generate_code_project_wide")
    assert (error["details"]["reason"], error["details"]["execution_guarantee"]) == (
        "no_code_editor",
        "completed_error",
    )
    commands.editor.arrange("no-quirk no-code-editor")
    answer = commands.value("generate_code_project_wide")
    assert answer == {
        "files": ["Assembly-CSharp.csproj", "Game.sln"],
        "editor": "VisualStudioEditor",
    }


def test_a_player_is_built_and_its_report_returned(commands: Commands) -> None:
    answer = commands.value(
        "build_player", path="Builds/Game", options=["Development", "AllowDebugging"]
    )
    assert answer == {
        "result": "Succeeded",
        "target": "StandaloneLinux64",
        "output_path": str(commands.editor.project / "Builds" / "Game"),
        "total_size": 1234567890123,
        "duration_ms": 1500,
        "errors": 0,
        "warnings": 2,
    }
    commands.editor.wait_for(
        "build StandaloneLinux64 .*/Builds/Game Development, AllowDebugging Assets/Clean.unity$"
    )
    answer = commands.value("build_player", path="Builds/Game", target="StandaloneWindows64")
    assert answer["output_path"].endswith("Game.exe")
    commands.editor.arrange("quirk build-fails")
    error = commands.error("build_player", path="Builds/Game", target="android")
    details = error["details"]
    assert (details["reason"], details["execution_guarantee"]) == (
        "build_failed",
        "completed_error",
    )
    assert details["errors"] == ["Assets/Player.cs(3,1): error CS0246: no 'UnityEditor'"]
    assert details["summary"]["target"] == "Android"
    commands.editor.arrange("no-quirk build-fails", "quirk build-without-report")
    error = commands.error("build_player", path="Builds/Game")
    assert (error["details"]["reason"], error["details"]["errors"]) == ("build_failed", [])


def test_a_platform_is_switched_and_answered_for_after_the_reload(commands: Commands) -> None:
    assert "no build target" in commands.refusal("switch_platform", target="Dreamcast")
    missing = commands.error("switch_platform", target="iOS")
    assert missing["details"]["reason"] == "package_missing"
    assert missing["details"]["package"] == "iOS Build Support"
    assert "Installed are" in missing["message"] and "NoTarget" not in missing["message"]
    commands.editor.arrange("scene Assets/Main.unity")
    assert commands.refusal("switch_platform", target="Android") == "unsaved_scenes"
    commands.editor.arrange("save-scenes", "play on")
    assert commands.refusal("switch_platform", target="Android") == "playing"
    commands.editor.arrange("play off")
    commands.editor.forget_history()
    expected = {"target": "Android", "before": "StandaloneLinux64", "compiles": True}
    assert commands.value("switch_platform", target="android") == expected
    history = commands.editor.history
    reloads = [place for place, line in enumerate(history) if line.startswith("loaded")]
    assert reloads and history.index("switched-platform Android") < reloads[0]
    again = commands.value("switch_platform", target="Android")
    assert "already" in again.pop("remarks")[0] and again["before"] == "Android"
    assert commands.value("switch_platform", target="Linux")["target"] == "StandaloneLinux64"


def test_a_platform_that_does_not_compile_is_active_all_the_same(commands: Commands) -> None:
    error = "Assets/Door.cs(3,1): error CS0103: no such name"
    commands.editor.arrange(f"edit Game|other|{error}", "import")
    answer = commands.value("switch_platform", target="WebGL")
    assert (answer["target"], answer["compiles"]) == ("WebGL", False)
    assert "compile shows" in answer["remarks"][0]
    commands.editor.arrange("edit Game|fixed", "import")
    assert commands.value("switch_platform", target="StandaloneLinux64")["compiles"] is True
    commands.editor.arrange("quirk switch-forgotten")
    error = commands.error("switch_platform", target="Web")
    assert "did not switch" in error["message"]
    commands.editor.arrange("no-quirk switch-forgotten")


def test_a_build_is_refused_where_it_could_only_go_wrong(commands: Commands) -> None:
    assert "no build target" in commands.refusal("build_player", path="B/G", target="Dreamcast")
    assert commands.refusal("build_player", path="B/G", target="iOS") == "package_missing"
    assert "are not there" in commands.refusal(
        "build_player", path="B/G", scenes=["Assets/No.unity"]
    )
    for path in (
        "Assets/Game",
        ".",
        "",
        "Library/x",
        "Temp/x",
        "logs/x",
        ".git/hooks/post-checkout",
        "Builds/.x/Game",
    ):
        assert "path is where" in commands.refusal("build_player", path=path)
    # Unity throws for options that do not go together, and its words are the answer's.
    refused = commands.error("build_player", path="B/G", options=["AllowDebugging"])
    assert "cannot allow debugging" in refused["message"]
    for path in ("/tmp/Game", "../Game2", "Builds/../../../outside/Game"):
        assert "leads out of the project" in commands.refusal("build_player", path=path)
    commands.allow_csharp()
    assert commands.value("build_player", path="../Game2/Game")["output_path"].endswith(
        "/Game2/Game"
    )
    commands.editor.forget_history()
    commands.editor.arrange("scene Assets/Level.unity")
    assert commands.refusal("build_player", path="B/G") == "unsaved_scenes"
    commands.editor.arrange("compilation-failed true")
    assert commands.refusal("build_player", path="B/G") == "compile_errors"
    commands.editor.arrange("building on")
    assert commands.refusal("build_player", path="B/G") == "building"
    assert not [line for line in commands.editor.history if line.startswith("build B")]


def test_lighting_is_baked_cancelled_and_reported_with_its_progress(commands: Commands) -> None:
    assert commands.value("bake_lighting")["completed"] is True
    commands.editor.arrange("quirk bake-ms 600000")
    job = commands.begin("bake_lighting")
    while (commands.server.latest.job(job)["progress"] or {}).get("completed") != 50:
        pass
    assert commands.cancel(job)["state"] == "cancelled"
    commands.editor.wait_for("bake-cancelled")
    commands.editor.arrange("quirk bake-refused")
    assert commands.error("bake_lighting")["details"]["reason"] == "not_started"
    for untitled in ("scene Untitled", "quirk new-scene"):
        commands.editor.arrange("save-scenes", untitled)
        assert commands.refusal("bake_lighting") == "unsaved_scenes"


def test_a_navmesh_is_baked_with_the_package_and_without(commands: Commands) -> None:
    assert commands.value("bake_navmesh")["surfaces"] == 0
    commands.editor.wait_for("bake-navmesh scenes")
    commands.editor.arrange("quirk navmesh-surface")
    assert commands.value("bake_navmesh")["surfaces"] == 1
    commands.editor.wait_for("bake-navmesh surfaces 1")
    commands.editor.arrange("quirk bake-ms 600000")
    job = commands.begin("bake_navmesh")
    commands.editor.wait_for("bake-navmesh surfaces 1")
    assert commands.cancel(job)["state"] == "cancelled"
    commands.editor.wait_for("bake-cancelled")


def test_packages_are_listed_added_and_removed_over_the_reload(commands: Commands) -> None:
    def names(answer: Any) -> Any:
        return [package["name"] for package in answer["packages"]]

    assert names(commands.value("packages")) == ["com.unity.test-framework"]
    commands.editor.forget_history()
    added = commands.value("packages", action="add", packages=["com.unity.cinemachine@3.1.0"])
    assert names(added) == ["com.unity.test-framework", "com.unity.cinemachine"]
    assert [line for line in commands.editor.history if line.startswith("loaded")]
    assert commands.editor.history.count("packages +com.unity.cinemachine@3.1.0 -") == 1
    commands.editor.arrange("quirk reload-before-answer")
    removed = commands.value("packages", action="remove", packages=["com.unity.cinemachine"])
    assert names(removed) == ["com.unity.test-framework"]
    commands.editor.arrange("no-quirk reload-before-answer")
    error = commands.error("packages", action="add", packages=["com.nobody.knows"])
    assert error["details"]["reason"] == "package_manager" and "cannot be found" in error["message"]
    assert "at least one" in commands.refusal("packages", action="add")


def test_a_package_of_no_registry_needs_the_consent_to_csharp(commands: Commands) -> None:
    urls = [
        "https://evil/x.git",
        "file:/opt/evil",
        "git+ssh://git@host/x.git",
        "/opt/evil",
        "com.x@file:../x",
        "../x",
    ]
    commands.editor.forget_history()
    for url in urls:
        assert (
            commands.refusal("packages", action="add", packages=["com.unity.cinemachine", url])
            == "not_allowed"
        )
    assert not [line for line in commands.editor.history if line.startswith("packages")]
    commands.allow_csharp()
    commands.value("packages", action="add", packages=urls[:1])
    assert commands.editor.history.count(f"packages +{urls[0]} -") == 1


def test_assets_and_the_selection(commands: Commands) -> None:
    assert [asset["path"] for asset in commands.value("list_assets", query="door")["assets"]] == [
        "Assets/Door.png"
    ]
    assert commands.value("list_assets", limit=0) == {"assets": [], "total": 1}
    assert "no folder" in commands.refusal("list_assets", folder="Assets/No")
    selected = commands.value("select", paths=["Assets/Door.png", "Clean/Player"])
    assert [target["name"] for target in selected["objects"]] == ["Door", "Player"]
    assert commands.value("get_selection") == selected
    assert "Nothing was selected" in commands.refusal(
        "select", paths=["Assets/Door.png", "Clean/Nobody"]
    )
    assert commands.value("select", paths=[]) == {"objects": [], "total": 0}


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("open_scene", {"path": "Assets/Clean.unity"}),
        ("save_all", {}),
        ("import_assets_bulk", {"paths": ["Assets/Door.png"]}),
        ("generate_code_project_wide", {}),
        ("build_player", {"path": "B/G"}),
        ("bake_lighting", {}),
        ("bake_navmesh", {}),
        ("packages", {"action": "add", "packages": ["a"]}),
    ],
)
def test_commands_for_edit_mode_are_refused_in_play_mode(
    commands: Commands, name: str, arguments: Any
) -> None:
    commands.editor.arrange("enter-play-without-reload", "play on")
    commands.editor.wait_until_idle()
    assert commands.refusal(name, **arguments) == "playing"
