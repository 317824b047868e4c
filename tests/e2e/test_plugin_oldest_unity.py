"""What Unity 2021.3 lacks and 2022.2 brought: objects, lists and files are changed all the same
(SPEC §16.7).
"""

from __future__ import annotations

from typing import Iterator

import pytest

from tests.e2e.test_plugin_make import error, fields, run, tree, undo
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

PROJECT = (
    "asset Assets|Folder",
    "object lamp|Assets/Main.unity|Lamp",
    "object bulb|lamp|Bulb|Light",
    "object wire|lamp|Wire",
    "object other|Assets/Main.unity|Other",
    "object pair|Assets/Main.unity|Pair",
    "object first|pair|First",
    "object second|pair|Second",
)
LAMP = "Assets/Lamp.prefab"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port, profile="1.1.31") as headless:
        headless.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        (headless.project / "Assets").mkdir(exist_ok=True)
        yield headless
        assert headless.violations() == []


@pytest.fixture(scope="module")
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    session = server.ready_session()
    run(session, "create_asset", path=LAMP, **{"from": "Main/Lamp"})
    return session


def test_a_prefabs_file_is_changed_without_undo(session: Session, editor: HeadlessEditor) -> None:
    answer = run(session, "set_fields", path=f"{LAMP}/Bulb", values={"Light.intensity": 7})
    assert (answer["written"], answer["undo"]) == ([LAMP], False)
    assert fields(session, f"{LAMP}/Bulb")["Light.m_Intensity"] == 7
    steps = [
        {
            "name": "set_fields",
            "arguments": {"path": f"{LAMP}/Bulb", "values": {"Light.intensity": 8}},
        }
    ]
    steps.append({"name": "delete_object", "arguments": {"path": "Main/Nobody"}})
    assert error(session, "batch", steps=steps)["details"]["batch"]["stays"] == []
    assert fields(session, f"{LAMP}/Bulb")["Light.m_Intensity"] == 7


def test_an_instance_keeps_the_objects_of_its_prefab(session: Session) -> None:
    message = error(session, "delete_object", path="Main/Lamp/Bulb")["message"]
    assert f"belongs to an instance of {LAMP}, so it cannot be deleted" in message


def test_an_order_is_changed_and_undone(session: Session, editor: HeadlessEditor) -> None:
    before = tree(session)
    for path, parent in (("Main/Other", "Main"), ("Main/Pair/Second", "Main/Pair")):
        answer = run(session, "move_object", path=path, parent=parent, index=0)
        assert answer["undo"] is True and [row["field"] for row in answer["changed"]] == ["index"]
        assert tree(session) != before
        undo(editor)
        assert tree(session) == before


def test_no_default_parent_is_used(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("world default-parent lamp")
    assert run(session, "create_object", kind="cube")["changed"][0]["path"] == "Main/Cube"
