"""``close_scene``, ``open_scene`` of a scene that is open, and the list of menu entries (SPEC
§16.8).
"""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from tests.e2e.test_plugin_make import error, run
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]
MAIN, SECOND = "Assets/Main.unity", "Assets/Second.unity"


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        (headless.project / "Assets").mkdir(exist_ok=True)
        for path in (MAIN, SECOND):
            (headless.project / path).write_text("%YAML")
        objects = (f"world object root|{MAIN}|Root", f"world object other|{SECOND}|Other")
        headless.arrange(f"open-scenes {MAIN};{SECOND}", *objects)
        yield headless
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    return server.ready_session()


def scenes(session: Session) -> Dict[str, Json]:
    answer = session.ask(
        "execute", tool_name="inspect", params={"what": "scenes"}, timeout_ms=30_000
    )
    return {item["file"]: item for item in answer["result"]["items"] if item["loaded"]}


def test_a_scene_is_closed_by_name_or_path_and_another_one_is_active(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "open_scene", path=SECOND, additive=True)
    assert run(session, "close_scene", scene="Second") == {"closed": SECOND, "active": MAIN}
    assert set(scenes(session)) == {MAIN}
    assert "keeps one scene loaded" in error(session, "close_scene", scene=MAIN)["message"]
    assert "No open scene" in error(session, "close_scene", scene="Nowhere")["message"]


def test_unsaved_changes_are_refused_saved_or_discarded(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_object", parent="Second/Other", name="New")
    refused = error(session, "close_scene", scene="Second")["details"]
    assert refused["reason"] == "unsaved_scenes" and refused["scenes"] == [SECOND]
    run(session, "close_scene", scene="Second", unsaved="save")
    assert not [line for line in editor.history if line.startswith("lost ")]
    editor.arrange(f"open-scenes {MAIN};{SECOND}")
    run(session, "create_object", parent="Second/Other", name="New")
    assert "discarded" in run(session, "close_scene", scene=SECOND, unsaved="discard")["remarks"][0]
    editor.wait_for(f"lost {SECOND}")


def test_references_between_scenes_are_named(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("quirk cross-scene-references")
    assert "find_missing" in run(session, "close_scene", scene="Second")["remarks"][0]


def test_open_scene_of_an_open_one_makes_it_active_and_loses_nothing(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_object", parent="Main/Root", name="New")
    answer = run(session, "open_scene", path=SECOND)
    assert answer["path"] == SECOND and "active scene now" in answer["remarks"][0]
    assert scenes(session)[SECOND]["active"] is True and scenes(session)[MAIN]["dirty"] is True
    assert not [line for line in editor.history if line.startswith("open-scene")]
    # Alone and without changes, it is opened again as before.
    run(session, "close_scene", scene="Main", unsaved="discard")
    assert "remarks" not in run(session, "open_scene", path=SECOND)


def test_entries_are_listed_with_what_is_known_without_code_of_the_project(
    session: Session, editor: HeadlessEditor
) -> None:
    listed = run(session, "menu", query="validated")
    assert listed == {"entries": [{"path": "Game/Validated"}], "total": 1}
    assert "validated" not in editor.history
    below = run(session, "menu", path="GameObject")
    assert [entry["path"] for entry in below["entries"]] == [
        "GameObject/Create Empty",
        "GameObject/3D Object/Cube",
    ]
    everything = {entry["path"]: entry.get("enabled") for entry in run(session, "menu")["entries"]}
    assert everything["Tools/Build Levels"] is True and everything["Tools/Greyed Out"] is False
    assert everything["File/Save"] is False and everything["Game/Plain"] is True
    assert run(session, "menu", query="3d cube")["total"] == 1
    assert run(session, "menu", path="Tools/Build Levels") == {"executed": "Tools/Build Levels"}
    assert (
        "query goes without"
        in error(session, "menu", path="Tools/Build Levels", query="x")["message"]
    )
