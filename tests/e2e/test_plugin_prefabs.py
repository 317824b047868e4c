"""Prefabs in the plugin: their files by path, prefab mode, and overrides of instances (SPEC §16.7)."""

from __future__ import annotations

from typing import Iterator, List

import pytest

from tests.e2e.test_plugin_make import Json, error, fields, run, step, tree, undo
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

PROJECT = (
    "asset Assets|Folder",
    "object lamp|Assets/Main.unity|Lamp",
    "object bulb|lamp|Bulb|BoxCollider",
    "object wire|lamp|Wire|Light",
    "object other|Assets/Main.unity|Other",
    "prefab Assets/Model.fbx|Model",
    "prefab Assets/Broken.prefab|Broken",
)
LAMP = "Assets/Lamp.prefab"


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port, held=["quirk ugui"]) as headless:
        headless.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        (headless.project / "Assets").mkdir(exist_ok=True)
        yield headless
        headless.command("serialized")
        assert headless.wait_for(r"serialized (\d+)").group(1) == "0", (
            "each serialized object was disposed of"
        )
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    """A project with a prefab, whose instance is in the scene."""
    editor.wait_until_idle()
    session = server.ready_session()
    run(session, "create_asset", path=LAMP, **{"from": "Main/Lamp"})
    return session


def contents(session: Session, path: str = LAMP) -> List[str]:
    params = {"what": "hierarchy", "path": path, "depth": 40, "limit": 1000}
    answer = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)
    return [item["path"] for item in answer["result"]["items"]][1:]


def head(session: Session, path: str) -> Json:
    params = {"what": "object", "path": path}
    answer = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)
    return dict(answer["result"]["items"][0])


# The file.


def test_a_child_is_added_to_a_prefabs_file_and_undo_puts_the_file_back(
    session: Session, editor: HeadlessEditor
) -> None:
    before = (editor.project / LAMP).read_text()
    answer = run(
        session,
        "create_object",
        parent=LAMP,
        name="Muzzle",
        components=["Light"],
        values={"tag": "Player"},
    )
    assert answer["written"] == [LAMP] and answer["undo"] is True and "remarks" not in answer
    assert answer["changed"][0] == {
        "path": f"{LAMP}/Muzzle",
        "field": "path",
        "before": None,
        "after": f"{LAMP}/Muzzle",
    }
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire", f"{LAMP}/Muzzle"]
    assert (editor.project / LAMP).read_text() != before
    undo(editor)
    assert (editor.project / LAMP).read_text() == before
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire"]


def test_each_command_that_changes_objects_takes_a_path_in_the_file(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_object", parent=f"{LAMP}/Bulb", kind="cube", position=[1, 2, 3])
    assert f"{LAMP}/Bulb/Cube" in contents(session)
    answer = run(
        session, "set_fields", path=f"{LAMP}/Wire", values={"Light.intensity": 7, "name": "Cord"}
    )
    assert answer["written"] == [LAMP] and answer["undo"] is True
    assert fields(session, f"{LAMP}/Cord")["Light.m_Intensity"] == 7
    run(session, "add_component", path=f"{LAMP}/Cord", component="Wheel")
    assert head(session, f"{LAMP}/Cord")["components"] == [
        "Transform",
        "Light",
        "BoxCollider",
        "Game.Wheel",
    ]
    run(session, "remove_component", path=f"{LAMP}/Cord", component="Game.Wheel")
    run(session, "move_object", path=f"{LAMP}/Bulb/Cube", parent=LAMP, index=0)
    run(session, "delete_object", path=f"{LAMP}/Bulb")
    assert contents(session) == [f"{LAMP}/Cube", f"{LAMP}/Cord"]
    run(session, "create_object", parent=f"{LAMP}/Cord", kind="button", name="Switch")
    assert f"{LAMP}/Cord/Canvas/Switch" in contents(session)
    for _ in range(7):
        undo(editor)
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire"]
    assert run(session, "set_fields", path=LAMP, values={"active": True}) == {
        "changed": [],
        "undo": True,
    }


def test_an_object_of_a_prefab_becomes_a_prefab_of_its_own(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = run(session, "create_asset", path="Assets/Bulb.prefab", **{"from": f"{LAMP}/Bulb"})
    assert answer["written"] == ["Assets/Bulb.prefab", LAMP] and answer["undo"] is False
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire"]


@pytest.mark.parametrize(
    ("command", "arguments", "why"),
    [
        ("create_object", {"parent": "Assets/Model.fbx", "name": "A"}, "an importer makes it"),
        ("create_object", {"parent": LAMP, "prefab": LAMP}, "cannot contain itself"),
        (
            "create_object",
            {"parent": LAMP, "copy_of": "Main/Other"},
            "copy_of copies within the scenes",
        ),
        ("create_object", {"parent": f"{LAMP}/Nobody", "name": "A"}, "There is no 'Nobody'"),
        ("delete_object", {"path": LAMP}, "root of its prefab"),
        ("move_object", {"path": f"{LAMP}/Bulb", "parent": "/"}, "takes no new objects"),
        ("move_object", {"path": "Main/Other", "parent": LAMP}, "one prefab's file"),
        ("move_object", {"path": f"{LAMP}/Bulb", "parent": "Main/Other"}, "one prefab's file"),
        ("set_fields", {"path": LAMP, "values": {"name": "Torch"}}, "is that of its file"),
        ("add_component", {"path": "Assets/Broken.prefab", "component": "Light"}, "is missing"),
    ],
)
def test_what_cannot_be_changed_in_a_file_is_refused_and_leaves_it_alone(
    session: Session, editor: HeadlessEditor, command: str, arguments: Json, why: str
) -> None:
    editor.arrange("world object gap|Assets/Broken.prefab|Gap|missing")
    (editor.project / "Assets/Broken.prefab").write_text("%YAML")
    before = (editor.project / LAMP).read_text()
    assert why in error(session, command, **arguments)["message"]
    assert (editor.project / LAMP).read_text() == before
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire"]


def test_a_save_that_fails_changes_nothing(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("quirk unsavable-prefab")
    before = (editor.project / LAMP).read_text()
    failed = error(session, "create_object", parent=LAMP, name="A")
    assert failed["details"] == {"reason": "exception", "execution_guarantee": "completed_error"}
    assert (editor.project / LAMP).read_text() == before and contents(session) == [
        f"{LAMP}/Bulb",
        f"{LAMP}/Wire",
    ]


def test_a_file_is_not_changed_in_play_mode(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("enter-play-without-reload", "play on")
    editor.wait_until_idle()
    assert error(session, "create_object", parent=LAMP, name="A")["details"]["reason"] == "playing"


def test_a_batch_changes_a_file_and_takes_it_back(session: Session, editor: HeadlessEditor) -> None:
    before = (editor.project / LAMP).read_text()
    steps = [
        step("create_object", "a", parent=LAMP, name="A"),
        step("create_object", parent="$a", name="B", kind="sphere"),
        step("set_fields", path="$a/B", values={"Transform.localPosition": {"x": 1}}),
    ]
    failed = error(session, "batch", steps=[*steps, step("delete_object", path="Main/Nobody")])
    assert (
        failed["details"]["batch"]["stays"] == [] and (editor.project / LAMP).read_text() == before
    )
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire"]
    answer = run(session, "batch", steps=steps)
    assert answer["steps"][0] == {"as": "a", "path": f"{LAMP}/A"}
    assert answer["written"] == [LAMP] and answer["undo"] is True
    assert fields(session, f"{LAMP}/A/B")["Transform.m_LocalPosition"]["x"] == 1
    undo(editor)
    assert (editor.project / LAMP).read_text() == before


def of_file(editor: HeadlessEditor, path: str = LAMP) -> List[str]:
    """What Unity did with a prefab's file since the history was forgotten."""
    kinds = ("load-contents", "save-prefab", "unload-contents", "import")
    return [
        line.split(" ")[0]
        for line in editor.history
        if line.endswith(f" {path}") and line.startswith(kinds)
    ]


def test_steps_in_one_file_load_and_save_it_once(session: Session, editor: HeadlessEditor) -> None:
    editor.forget_history()
    steps = [
        step("delete_object", path=f"{LAMP}/Bulb"),
        step("set_fields", path=f"{LAMP}/Wire", values={"name": "Cord"}),
        step("create_object", "a", parent=LAMP, name="A"),
        step("create_object", "b", parent=f"{LAMP}/A", kind="cube", name="B"),
        step("move_object", path="$b", parent=LAMP, index=0),
        step("add_component", path=f"{LAMP}/Cord", component="Wheel"),
        *(step("create_object", parent="$a", name=f"N{number}") for number in range(20)),
    ]
    answer = run(session, "batch", steps=steps)
    assert of_file(editor) == ["load-contents", "save-prefab", "unload-contents"]
    assert [answer["steps"][place]["path"] for place in (2, 3)] == [f"{LAMP}/A", f"{LAMP}/B"]
    assert answer["written"] == [LAMP] and answer["undo"] is True
    assert (
        contents(session)[:3] == [f"{LAMP}/B", f"{LAMP}/Cord", f"{LAMP}/A"]
        and len(contents(session)) == 23
    )
    undo(editor)
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire"]


def test_a_step_that_needs_the_file_finds_it_saved(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.forget_history()
    steps = [
        step("create_object", "a", parent=LAMP, name="A"),
        step("copy_asset", path=LAMP, to="Assets/Copy.prefab"),
        step("create_object", parent="$a", name="B"),
        step("create_object", "c", parent=LAMP, name="C"),
        step("create_asset", path="Assets/A.prefab", **{"from": "$a"}),
        step("create_object", prefab=LAMP),
    ]
    run(session, "batch", steps=steps)
    assert of_file(editor).count("save-prefab") == 3
    assert contents(session) == [
        f"{LAMP}/Bulb",
        f"{LAMP}/Wire",
        f"{LAMP}/A",
        f"{LAMP}/A/B",
        f"{LAMP}/C",
    ]


def test_a_save_that_fails_is_the_failure_of_the_last_step_in_the_file(
    session: Session, editor: HeadlessEditor
) -> None:
    before = (editor.project / LAMP).read_text()
    editor.arrange("quirk unsavable-prefab")
    steps = [step("create_object", parent=LAMP, name=name) for name in "AB"]
    failed = error(session, "batch", steps=[*steps, step("create_object", name="C")])
    assert failed["details"]["batch"]["step"] == 1 and failed["message"].startswith(
        "Step 1 (create_object) failed"
    )
    assert (editor.project / LAMP).read_text() == before and contents(session) == [
        f"{LAMP}/Bulb",
        f"{LAMP}/Wire",
    ]


# Prefab mode.


def test_a_path_into_the_open_prefab_means_the_open_one(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk no-auto-save")
    answer = run(session, "open_prefab", path=LAMP)
    assert answer == {"path": LAMP, "root": "Lamp/Lamp"}
    made = run(session, "create_object", parent=LAMP, name="Muzzle")
    assert made["changed"][0]["path"] == "Lamp/Lamp/Muzzle" and made["undo"] is True
    assert f"{LAMP}/Muzzle" not in tree(session) and "Lamp/Lamp/Muzzle" in tree(session)
    run(session, "create_object", parent="Main/Other", prefab=LAMP)
    refused = error(session, "close_prefab")
    assert (
        refused["details"]["reason"] == "unsaved_scenes"
        and refused["details"]["scenes"][-1] == LAMP
    )
    closed = run(session, "close_prefab", unsaved="discard")
    assert closed == {"path": LAMP, "remarks": [f"Unsaved changes were discarded: {LAMP}."]}
    assert contents(session) == [f"{LAMP}/Bulb", f"{LAMP}/Wire"]
    assert "No prefab is open" in error(session, "close_prefab")["message"]


def test_closing_can_save(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("quirk no-auto-save")
    run(session, "open_prefab", path=LAMP)
    run(session, "create_object", parent=LAMP, name="Muzzle")
    assert run(session, "close_prefab", unsaved="save") == {"path": LAMP, "written": [LAMP]}
    assert "no prefab" in error(session, "open_prefab", path="Assets/None.prefab")["message"]


# Overrides.


def overrides(session: Session) -> List[Json]:
    return list(head(session, "Main/Lamp").get("overrides", []))


def change_the_instance(session: Session) -> None:
    run(session, "set_fields", path="Main/Lamp/Wire", values={"Light.intensity": 9})
    run(session, "create_object", parent="Main/Lamp", name="Extra")
    run(session, "add_component", path="Main/Lamp/Bulb", component="Light")
    run(session, "remove_component", path="Main/Lamp/Bulb", component="BoxCollider")


OVERRIDES = [
    {"path": "Main/Lamp/Wire", "field": "Light.m_Intensity"},
    {"path": "Main/Lamp/Bulb", "added": "Light"},
    {"path": "Main/Lamp/Extra", "added": "GameObject"},
    {"path": "Main/Lamp/Bulb", "removed": "BoxCollider"},
]


def test_an_instance_shows_its_overrides(session: Session, editor: HeadlessEditor) -> None:
    assert overrides(session) == []
    change_the_instance(session)
    assert overrides(session) == OVERRIDES


def test_overrides_are_reverted_with_undo(session: Session, editor: HeadlessEditor) -> None:
    change_the_instance(session)
    answer = run(session, "revert_overrides", path="Main/Lamp/Wire")
    keys = ("path", "field", "added", "removed")
    assert [{key: row[key] for key in row if key in keys} for row in answer["changed"]] == OVERRIDES
    assert answer["changed"][0]["before"] == 9 and answer["changed"][0]["after"] == 1.5
    assert answer["undo"] is True and "written" not in answer
    assert fields(session, "Main/Lamp/Wire")["Light.m_Intensity"] == 1.5
    undo(editor)
    assert fields(session, "Main/Lamp/Wire")["Light.m_Intensity"] == 9


def test_an_object_that_an_instance_lost_is_an_override(
    session: Session, editor: HeadlessEditor
) -> None:
    lost = [{"path": "Main/Lamp", "removed": "Bulb"}]
    for take_back in ("undo", "revert_overrides", "apply_overrides"):
        answer = run(session, "delete_object", path="Main/Lamp/Bulb")
        said = "That Main/Lamp/Bulb is gone is an override of the prefab's instance. The prefab {} is unchanged."
        assert answer["remarks"] == [said.format(LAMP)]
        assert overrides(session) == lost and f"{LAMP}/Bulb" in contents(session)
        if take_back == "undo":
            undo(editor)
        else:
            assert run(session, take_back, path="Main/Lamp")["changed"] == lost
        assert overrides(session) == []
        assert ("Main/Lamp/Bulb" in tree(session)) is (take_back != "apply_overrides")
    assert f"{LAMP}/Bulb" not in contents(session)


def test_overrides_are_applied_to_the_file(session: Session, editor: HeadlessEditor) -> None:
    run(session, "set_fields", path="Main/Lamp/Wire", values={"Light.intensity": 9})
    answer = run(session, "apply_overrides", path="Main/Lamp")
    assert answer["written"] == [LAMP] and answer["undo"] is True
    assert answer["changed"] == [
        {"path": "Main/Lamp/Wire", "field": "Light.m_Intensity", "before": 1.5, "after": 9}
    ]
    assert fields(session, f"{LAMP}/Wire")["Light.m_Intensity"] == 9 and overrides(session) == []
    undo(editor)
    assert fields(session, f"{LAMP}/Wire")["Light.m_Intensity"] == 1.5


def test_overrides_of_what_is_no_instance_or_is_open_with_changes_are_refused(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk no-auto-save")
    assert (
        "no instance of a prefab" in error(session, "apply_overrides", path="Main/Other")["message"]
    )
    assert "has no overrides" in error(session, "revert_overrides", path="Main/Lamp")["message"]
    run(session, "set_fields", path="Main/Lamp/Wire", values={"Light.intensity": 9})
    run(session, "open_prefab", path=LAMP)
    run(session, "create_object", parent=LAMP, name="Muzzle")
    assert (
        error(session, "apply_overrides", path="Main/Lamp")["details"]["reason"] == "unsaved_scenes"
    )
    run(session, "close_prefab", unsaved="discard")
