"""find_api: the real API for a name, also for a made-up one (SPEC §16.5), from the metadata of the
headless editor.
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, Tuple

import pytest

from tests.leaks import Here, left_since
from tests.scripted_server import Message, ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor

_NUMBERS = itertools.count(1)

# What models make up, or what Unity has renamed, and the real name, which is among the first three.
MADE_UP = {
    "AssetDatabase.RefreshAssets": "AssetDatabase.Refresh",
    "AssetDatabase.ImportAllAssets": "AssetDatabase.ImportAsset",
    "AssetDatabase.GetAssetAtPath": "AssetDatabase.LoadAssetAtPath",
    "AssetDatabase.RemoveAsset": "AssetDatabase.DeleteAsset",
    "Application.runsInBackground": "Application.runInBackground",
    "Application.isEditorPlaying": "Application.isPlaying",
    "GameObject.FindComponent": "GameObject.GetComponent",
    "GameObject.isActive": "GameObject.activeSelf",
    "Transform.childs": "Transform.GetChild",
    "Transform.localPos": "Transform.localPosition",
    "Transform.parentTransform": "Transform.parent",
    "SceneManager.currentScene": "SceneManager.GetActiveScene",
    "EditorSceneManager.SaveAllScenes": "EditorSceneManager.SaveScene",
    "EditorApplication.paused": "EditorApplication.isPaused",
    "EditorApplication.playing": "EditorApplication.isPlaying",
    "EditorApplication.onUpdate": "EditorApplication.update",
    "EditorApplication.playmodeStateChanged": "EditorApplication.playModeStateChanged",
    "EditorUtils": "EditorUtility",
    "PrefabUtils.SavePrefab": "PrefabUtility.SaveAsPrefabAsset",
    "Undo.RecordChange": "Undo.RecordObject",
    "Undo.RegisterCreatedObject": "Undo.RegisterCreatedObjectUndo",
    "SerializedObject.GetProperty": "SerializedObject.FindProperty",
    "SerializedObject.ApplyChanges": "SerializedObject.ApplyModifiedProperties",
    "Time.frameNumber": "Time.frameCount",
    "Debug.LogWarn": "Debug.LogWarning",
    "Selection.selectedObject": "Selection.activeObject",
    "EventSystem.instance": "EventSystem.current",
    "Button.onClicked": "Button.onClick",
    "Renderer.mat": "Renderer.sharedMaterial",
    "Resources.FindAll": "Resources.FindObjectsOfTypeAll",
    "EditorWindow.Redraw": "EditorWindow",
}
RENAMED = {
    "Rigidbody.velocity": "linearVelocity",
    "Rigidbody.drag": "linearDamping",
    "PhysicMaterial": "PhysicsMaterial",
    "Object.FindObjectsOfType": "FindObjectsByType",
}


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """Each reload leaves another connection to the next test. The file as a whole leaves nothing."""


@pytest.fixture(scope="module")
def editor() -> Iterator[Tuple[ScriptedServer, HeadlessEditor]]:
    before = Here.now()
    held = ["quirk ugui", "quirk input-system", "enter-play-without-reload"]
    with ScriptedServer() as server, HeadlessEditor(server.port, held=held) as editor:
        server.ready_session()
        yield server, editor
        assert editor.violations() == []
    assert left_since(before) == []


class Asker:
    """Asks one editor."""

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor

    def status(self, **arguments: Any) -> Message:
        session, job = self.server.open_session(), f"find-{next(_NUMBERS)}"
        session.submit(job, tool="run_command", name="find_api", arguments=arguments)
        return ended(self.server, session, job)

    def finds(self, query: str, **more: Any) -> Dict[str, Any]:
        status = self.status(query=query, **more)
        assert status["state"] == "succeeded", status
        return dict(status["result"]["value"])


@pytest.fixture
def asker(editor: Tuple[ScriptedServer, HeadlessEditor]) -> Asker:
    return Asker(*editor)


def test_a_made_up_name_is_answered_with_the_real_one(asker: Asker) -> None:
    wrong = {}
    for name, real in MADE_UP.items():
        names = [match["name"] for match in asker.finds(name)["matches"]]
        if not any(("." + one).endswith("." + real) for one in dict.fromkeys(names[:3])):
            wrong[name] = names[:5]
    assert len(MADE_UP) >= 30 and wrong == {}


@pytest.mark.parametrize(("name", "real"), RENAMED.items())
def test_a_name_that_unity_has_renamed_says_so(asker: Asker, name: str, real: str) -> None:
    (match,) = asker.finds(name)["matches"]
    assert real in match["obsolete"]


def test_a_type_has_its_members_with_whole_signatures(asker: Asker) -> None:
    found = asker.finds("GameData", limit=200)
    assert found["matches"] == [
        {
            "name": "Game.Editor.GameData",
            "kind": "class",
            "signature": "public class GameData : ScriptableObject",
            "assembly": "Game.Editor",
        }
    ]
    signatures = [member["signature"] for member in found["members"]]
    assert (
        "T Find<T>(string name, ref int at, GameData.Loot fallback = default, params int[] more)"
        in signatures
    )
    assert {"int Price { get; }", "const int Most", "static int Count"} <= set(signatures)
    assert found["total"] == len(signatures)
    # Its own members first; the names that set_fields takes.
    firsts = ["from" in member for member in found["members"]]
    assert firsts == sorted(firsts)
    assert found["fields"] == [
        "price: int",
        "loot: List<GameData.Loot>",
        "places: Vector3[]",
        "prefab: GameObject",
        "title: string",
    ]


def test_a_member_has_all_its_overloads(asker: Asker) -> None:
    found = asker.finds("UnityEngine.GameObject.getcomponents")
    assert (found["total"], {match["kind"] for match in found["matches"]}) == (2, {"method"})


def test_words_find_what_has_all_of_them(asker: Asker) -> None:
    names = [match["name"] for match in asker.finds("save scene")["matches"]]
    assert "UnityEditor.SceneManagement.EditorSceneManager.SaveScene" in names[:5]
    assert asker.finds("save scene", limit=1)["total"] > 1
    nothing = asker.finds("zzz")
    assert (nothing["matches"], nothing["total"], nothing["nearest"]) == ([], 0, True)


def test_it_runs_next_to_other_jobs_and_in_play_mode(asker: Asker) -> None:
    session = asker.server.open_session()
    asker.editor.command("play on")
    asker.editor.wait_for("play on")
    session.submit("deaf", tool="run_command", name="forever")
    assert asker.finds("Transform")["total"] > 5
    session.ask("cancel", target_job_id="deaf")
    assert ended(asker.server, session, "deaf")["state"] == "cancelled"
    asker.editor.arrange("play off")


def test_a_reload_in_between_loses_nothing(asker: Asker) -> None:
    session = asker.server.open_session()
    session.submit("over", tool="run_command", name="find_api", arguments={"query": "GameData"})
    asker.editor.reload()
    session = asker.server.ready_session()
    assert ended(asker.server, session, "over")["result"]["value"]["total"] > 5


@pytest.mark.parametrize(
    "arguments", [{"query": " "}, {"query": "x" * 201}, {"query": "a", "limit": 0}]
)
def test_what_is_no_query_is_refused(asker: Asker, arguments: Dict[str, Any]) -> None:
    assert asker.status(**arguments)["error"]["code"] == "ERR_INVALID_PARAMS"


def test_two_searches_that_begin_together_read_each_assembly_once(
    editor: Tuple[ScriptedServer, HeadlessEditor],
) -> None:
    server, headless = editor
    headless.reload()
    session = server.ready_session()
    jobs = [f"twin-{number}" for number in (1, 2)]
    for job in jobs:
        session.submit(
            job,
            tool="run_command",
            name="find_api",
            arguments={"query": "object scene", "limit": 200},
        )
    ends = [ended(server, session, job) for job in jobs]
    assert [end["state"] for end in ends] == ["succeeded"] * 2, ends
    answers = [end["result"]["value"] for end in ends]
    found = [
        [match["name"] + match["signature"] for match in answer["matches"]] for answer in answers
    ]
    assert len(set(found[0])) == len(found[0]) and found[0] == found[1]
