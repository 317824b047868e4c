"""``find_references`` and ``find_missing``: exact in what is open, by text in files (SPEC §16.8)."""

from __future__ import annotations

import hashlib
from typing import Any, Dict, Iterator, List

import pytest

from tests.e2e.test_plugin_make import error, run
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

PROJECT = (
    "asset Assets|Folder",
    "asset Assets/Data.asset|Data",
    "part Assets/Data.asset|Inner",
    "asset Assets/Other.asset|Data",
    "asset Assets/Level.unity|Scene",
    "prefab Assets/Tank.prefab|Tank",
    "object root|Assets/Main.unity|Root",
    "object lamp|root|Lamp|Light",
    "object enemy|root|Enemy|Enemy,missing",
    "inactive lamp",
    "field enemy|1|target|ObjectReference|PPtr<$GameObject>|lamp",
    "field enemy|1|data|ObjectReference|PPtr<$Data>|Assets/Data.asset",
    "field enemy|1|inner|ObjectReference|PPtr<$Data>|Assets/Data.asset Inner",
    "field enemy|1|gone|ObjectReference|PPtr<$GameObject>|deleted",
    "field enemy|1|nothing|ObjectReference|PPtr<$GameObject>|",
    "field enemy|1|friends|Items|PPtr<$GameObject>|ObjectReference:root,lamp",
    "field enemy|1|numbers|Array|int|30000",
    "field enemy|1|spell|ManagedReference|managedReference<Spell>|7 UnityEngine Game.Spell",
    "field enemy|1|spell.next|ManagedReference|managedReference<Spell>|7 UnityEngine Game.Spell",
    "field enemy|1|spell.owner|ObjectReference|PPtr<$GameObject>|lamp",
    "instance tank|Assets/Main.unity|Assets/Tank.prefab",
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        headless.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        (headless.project / "Assets").mkdir(exist_ok=True)
        write_files(headless)
        yield headless
        headless.command("serialized")
        assert headless.wait_for(r"serialized (\d+)").group(1) == "0", (
            "each serialized object was disposed of"
        )
        assert headless.violations() == []


@pytest.fixture(scope="module")
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    return server.ready_session()


def guid(path: str) -> str:
    return hashlib.md5(path.encode()).hexdigest()


def write_files(editor: HeadlessEditor) -> None:
    data, lost = guid("Assets/Data.asset"), "0123456789abcdef0123456789abcdef"
    level = (
        "%YAML 1.1\n--- !u!114 &1\nMonoBehaviour:\n"
        f"  m_Script: {{fileID: 11500000, guid: {lost}, type: 3}}\n"
        f"  data: {{fileID: 11400000, guid: {data}, type: 2}}\n"
        f"  m_Materials:\n  - {{fileID: 2100000, guid: {data}, type: 2}}\n"
        "  m_Mesh: {fileID: 10202, guid: 0000000000000000e000000000000000, type: 0}\n"
        "--- !u!1 &2\nGameObject:\n  m_Layer: 4\n  m_TagString: Player\n"
    )
    tank = f"fileFormatVersion: 2\nguid: {guid('Assets/Tank.prefab')}\n  externalObjects: {{guid: {data}}}\n"
    texts = {
        "Assets/Level.unity": level,
        "Assets/Data.asset": f"%YAML 1.1\n  self: {{fileID: 1, guid: {data}, type: 2}}\n",
        "Assets/Other.asset": "binary\0",
        "Assets/Tank.prefab": "%YAML 1.1\n",
        "Assets/Tank.prefab.meta": tank,
    }
    for path, text in texts.items():
        (editor.project / path).write_text(text)


def rows(answer: Json) -> List[tuple]:  # type: ignore[type-arg]
    return [(row["path"], row.get("component"), row.get("field")) for row in answer["items"]]


def test_an_object_of_a_scene_is_found_in_fields_lists_and_managed_references(
    session: Session,
) -> None:
    answer = run(session, "find_references", path="Main/Root/Lamp")
    enemy = ("Main/Root/Enemy", "Game.Enemy")
    assert rows(answer) == [(*enemy, "target"), (*enemy, "friends[1]"), (*enemy, "spell.owner")]
    assert answer["total"] == 3 and answer["complete"] is True and "Main" in answer["sources"][0]
    assert rows(run(session, "find_references", path="Main/Root")) == [(*enemy, "friends[0]")]


def test_an_asset_is_found_with_its_parts_and_a_prefab_by_its_instances(session: Session) -> None:
    enemy = ("Main/Root/Enemy", "Game.Enemy")
    answer = run(session, "find_references", path="Assets/Data.asset")
    assert rows(answer) == [(*enemy, "data"), (*enemy, "inner")]
    assert rows(run(session, "find_references", path="Assets/Tank.prefab")) == [
        ("Main/Tank", None, "prefab")
    ]
    assert rows(run(session, "find_references", path="Assets/Other.asset")) == []


def test_a_missing_reference_is_no_null_that_was_never_set(session: Session) -> None:
    answer = run(session, "find_missing")
    missing = [
        ("Main/Root/Enemy", "Game.Enemy", "gone"),
        ("Main/Root/Enemy", "(missing script)", None),
    ]
    assert sorted(rows(answer), key=str) == sorted(missing, key=str) and answer["complete"] is True


def test_pages_are_of_one_search(session: Session) -> None:
    first = run(session, "find_references", path="Main/Root/Lamp", limit=2)
    assert len(first["items"]) == 2 and first["total"] == 3
    rest = run(
        session, "find_references", path="Main/Root/Lamp", limit=2, cursor=first["next_cursor"]
    )
    assert (
        rows(rest) == [("Main/Root/Enemy", "Game.Enemy", "spell.owner")]
        and "next_cursor" not in rest
    )
    # Another question came between: it is asked again.
    run(session, "find_missing")
    again = run(
        session, "find_references", path="Main/Root/Lamp", limit=2, cursor=first["next_cursor"]
    )
    assert rows(again) == rows(rest)


def test_files_are_searched_by_the_guid_of_an_asset(session: Session) -> None:
    answer = run(session, "find_references", path="Assets/Data.asset", **{"in": "project"})
    assert sorted(rows(answer)) == [
        ("Assets/Level.unity", None, "data"),
        ("Assets/Level.unity", None, "m_Materials"),
        ("Assets/Tank.prefab", None, "externalObjects"),
    ]
    assert answer["complete"] is False and any(
        "Assets/Other.asset" in remark for remark in answer["remarks"]
    )
    assert any("by name" in remark for remark in answer["remarks"])
    tagged = run(session, "find_references", path="tag:Player", **{"in": "project"})
    assert rows(tagged) == [("Assets/Level.unity", None, "m_TagString")]
    layered = run(session, "find_references", path="layer:Water", **{"in": "project"})
    assert rows(layered) == [("Assets/Level.unity", None, "m_Layer")]


def test_files_with_what_is_not_there(session: Session) -> None:
    answer = run(session, "find_missing", **{"in": "project"})
    assert rows(answer) == [("Assets/Level.unity", None, "m_Script")]


def test_tags_and_layers_of_open_objects(session: Session, editor: HeadlessEditor) -> None:
    run(session, "set_fields", path="Main/Root/Lamp", values={"tag": "Player", "layer": "Water"})
    assert rows(run(session, "find_references", path="tag:Player")) == [
        ("Main/Root/Lamp", None, "tag")
    ]
    assert rows(run(session, "find_references", path="layer:Water")) == [
        ("Main/Root/Lamp", None, "layer")
    ]
    editor.arrange("undo")


def test_what_cannot_be_searched_is_refused(session: Session) -> None:
    assert (
        "in: open"
        in error(session, "find_references", path="Main/Root/Lamp", **{"in": "project"})["message"]
    )
    assert "is a scene" in error(session, "find_references", path="Main")["message"]
    assert "Nobody" in error(session, "find_references", path="Main/Nobody")["message"]
    for limit in (0, 1001):
        assert "limit" in error(session, "find_missing", limit=limit)["message"]
    assert "cursor" in error(session, "find_missing", cursor="x")["message"]


def test_no_update_is_held_up(session: Session, editor: HeadlessEditor) -> None:
    """As for ``inspect``: every fifth read takes a millisecond, and an update has a budget of five."""
    editor.arrange(
        "world many Assets/Main.unity|Crowd #|300|Enemy,BoxCollider", "reads", "quirk slow-reads"
    )
    for command, arguments in (
        ("find_missing", {}),
        ("find_references", {"path": "Assets/Data.asset"}),
    ):
        run(session, command, **arguments)
    for command, arguments in (
        ("find_missing", {}),
        ("find_references", {"path": "Assets/Data.asset"}),
    ):
        run(session, command, **arguments, **{"in": "project"})
    editor.arrange("no-quirk slow-reads")
    editor.wait_until_idle()
    editor.pass_over()
    editor.command("reads")
    most, updates = map(int, editor.wait_for(r"reads (\d+) (\d+)").groups())
    assert most <= 80 and updates > 10
