"""The commands that make things, in the plugin: objects, assets, scenes, batches (SPEC §16.7)."""

from __future__ import annotations

import itertools
import re
from typing import Any, Dict, Iterator, List

import pytest

from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

PROJECT = (
    "asset Assets|Folder",
    "object root|Assets/Main.unity|Root",
    "object lamp|root|Lamp|Light",
    "object bulb|lamp|Bulb|BoxCollider",
    "object broken|Assets/Main.unity|Broken|missing",
    "asset Assets/Data.asset|Data",
    "asset Assets/Icon.png|Data",
    "field Assets/Data.asset|0|price|Integer|int|12",
    "prefab Assets/Tank.prefab|Tank",
    "object barrel|Assets/Tank.prefab|Barrel|Light",
)
_ids = itertools.count(1)


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port, held=["quirk ugui", "quirk like-urp"]) as headless:
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
    editor.wait_until_idle()
    return server.ready_session()


def status_of(session: Session, command: str, arguments: Json) -> Json:
    job_id = f"make-{next(_ids)}"
    answer = session.submit(job_id, tool="run_command", name=command, arguments=arguments)
    if answer["status"] != "accepted":
        return {"state": "failed", "error": answer["error"]}
    while True:
        status = session.job(job_id)
        if status["state"] not in ("queued", "running"):
            return dict(status)


def run(session: Session, command: str, /, **arguments: Any) -> Json:
    status = status_of(session, command, arguments)
    assert status["state"] == "succeeded", status["error"]
    return dict(status["result"]["value"])


def error(session: Session, command: str, /, **arguments: Any) -> Json:
    status = status_of(session, command, arguments)
    assert status["state"] == "failed", status
    return dict(status["error"])


def tree(session: Session) -> List[str]:
    params = {"what": "hierarchy", "depth": 40, "limit": 1000}
    answer = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)
    return [item["path"] for item in answer["result"]["items"]]


def fields(session: Session, path: str) -> Json:
    params = {"what": "object", "path": path, "depth": 6, "limit": 1000}
    answer = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)
    items = answer["result"]["items"]
    return {
        f"{item['component']}.{item['field']}": item["value"] for item in items if "field" in item
    }


def files(editor: HeadlessEditor) -> List[str]:
    assets = editor.project / "Assets"
    return sorted(
        str(one.relative_to(editor.project))
        for one in assets.rglob("*")
        if one.suffix not in (".cs", ".meta")
    )


def undo(editor: HeadlessEditor) -> str:
    editor.command("undo")
    return editor.wait_for(r"undone (.*?)( \(bridge \d+\))?$").group(1)


def is_dirty(session: Session) -> bool:
    return any(one["dirty"] for one in run(session, "list_scenes")["open"])


# Objects.


def test_a_cube_at_the_origin_with_a_component_is_one_call_and_one_undo(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = run(
        session, "create_object", kind="cube", components=["Rigidbody"], position=[1, 2, 3]
    )
    assert answer["changed"][0] == {
        "path": "Main/Cube",
        "field": "path",
        "before": None,
        "after": "Main/Cube",
    }
    assert answer["changed"][1]["after"] == [
        "Transform",
        "MeshFilter",
        "MeshRenderer",
        "BoxCollider",
        "Rigidbody",
    ]
    assert answer["undo"] is True and "written" not in answer
    assert fields(session, "Main/Cube")["Transform.m_LocalPosition"] == {"x": 1, "y": 2, "z": 3}
    assert run(session, "create_object", primitive="cube")["changed"][0]["path"] == "Main/Cube (1)"
    assert (
        run(session, "create_object", name="Cube", kind="sphere")["changed"][0]["path"]
        == "Main/Cube[1]"
    )
    for _ in range(3):
        undo(editor)
    assert "Main/Cube" not in tree(session)


def test_arguments_that_can_mean_one_thing_only_are_taken_with_a_remark(
    session: Session, editor: HeadlessEditor
) -> None:
    def taken(command: str, /, **arguments: Any) -> Json:
        status = status_of(session, command, arguments)
        assert status["state"] == "succeeded", status
        return dict(status["result"])

    made = taken(
        "create_object", name="Guess", components="Light", Scale=[2, 2, 2], primitiveType="cube"
    )
    assert made["remarks"] == [
        "Scale was taken as scale.",
        "primitiveType was taken as kind.",
        "components was taken as a list of one.",
    ]
    # A path without its scene, a vector as a list, a property for its field.
    values = {"Transform.localPosition": [1, 2, 3]}
    changed = taken("set_fields", gameObject="Guess", properties=values)
    assert changed["remarks"] == [
        "gameObject was taken as path.",
        "properties was taken as values.",
        "Guess was taken as Main/Guess.",
    ]
    assert fields(session, "Main/Guess")["Transform.m_LocalPosition"] == {"x": 1, "y": 2, "z": 3}
    assert taken("select", path="/Guess")["value"]["total"] == 1
    steps = [
        {"name": "create_object", "as": "lamp", "arguments": {"name": "New", "component": "Light"}},
        {"name": "set_fields", "arguments": {"target": "$lamp", "fields": {"name": "Lamp"}}},
        {"name": "move_object", "arguments": {"object": "Lamp", "new_parent": "Guess"}},
    ]
    assert taken("batch", steps=steps)["value"]["steps"][0]["path"] == "Main/Guess/Lamp"
    # Two objects have it, and what is given under its own name stays.
    for _ in range(2):
        run(session, "create_object", name="Twin")
    assert "Main/Twin[0], Main/Twin[1]." in error(session, "delete_object", path="Twin")["message"]
    assert (
        "takes no argument fields"
        in error(session, "set_fields", path="/Guess", values={}, fields={})["message"]
    )
    # A project's own command gets what was sent.
    assert "takes no argument target" in error(session, "count", target="x")["message"]
    taken("delete_object", path="Guess")


def test_every_kind_can_be_made_and_taken_back(session: Session, editor: HeadlessEditor) -> None:
    before = tree(session)
    kinds = (
        *(
            "cube",
            "sphere",
            "capsule",
            "cylinder",
            "plane",
            "quad",
            "camera",
            "directional_light",
            "point_light",
        ),
        *(
            "spot_light",
            "particle_system",
            "audio_source",
            "sprite",
            "canvas",
            "panel",
            "text",
            "image",
            "button",
        ),
        *("input_field", "toggle", "slider", "event_system"),
    )
    for kind in kinds:
        answer = run(session, "create_object", kind=kind)
        for row in answer["changed"]:
            assert row["path"] in tree(session), (kind, row)
        undo(editor)
        assert tree(session) == before, kind


def test_a_control_gets_a_canvas_and_an_event_system_once(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = run(session, "create_object", kind="button", name="Play", values={"text": "Play now"})
    made = [row["path"] for row in answer["changed"] if row["field"] == "path"]
    assert made == ["Main/Canvas", "Main/EventSystem", "Main/Canvas/Play"]
    assert fields(session, "Main/Canvas/Play/Text (Legacy)")["UI.Text.m_Text"] == "Play now"
    second = run(session, "create_object", kind="button", parent="Main/Canvas")
    assert [row["path"] for row in second["changed"] if row["field"] == "path"] == [
        "Main/Canvas/Button"
    ]


def test_a_copy_is_next_to_its_original_and_leaves_the_selection_alone(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "select", paths=["Main/Root"])
    answer = run(session, "create_object", copy_of="Main/Root/Lamp")
    assert answer["changed"][0]["path"] == "Main/Root/Lamp (1)"
    assert "Main/Root/Lamp (1)/Bulb" in tree(session)
    assert [one["name"] for one in run(session, "get_selection")["objects"]] == ["Root"]


def test_a_new_object_is_where_it_was_asked_for_whatever_the_default_parent_is(
    session: Session, editor: HeadlessEditor
) -> None:
    run(
        session,
        "set_fields",
        path="Main/Root",
        values={"Transform.m_LocalScale": {"x": 2, "y": 2, "z": 2}},
    )
    editor.arrange("world default-parent root")
    before = set(tree(session))
    for arguments, path in (
        ({"kind": "cube"}, "Main/Cube"),
        ({"name": "Empty"}, "Main/Empty"),
        ({"kind": "camera", "parent": "Main/Root/Lamp"}, "Main/Root/Lamp/Camera"),
        ({"kind": "sphere", "parent": "Main/Root"}, "Main/Root/Sphere"),
        ({"kind": "button"}, "Main/Canvas/Button"),
    ):
        assert run(session, "create_object", **arguments)["changed"][-2]["path"] == path
        scales = [
            value
            for name, value in fields(session, path).items()
            if name.endswith("Transform.m_LocalScale")
        ]
        assert scales in ([], [{"x": 1, "y": 1, "z": 1}]), path
    made = set(tree(session)) - before
    assert {path for path in made if path.startswith("Main/Root/")} == {
        "Main/Root/Lamp/Camera",
        "Main/Root/Sphere",
    }
    assert "Main/EventSystem" in made


def test_a_project_without_a_built_in_package_gets_what_unitys_menu_gives(
    session: Session, editor: HeadlessEditor
) -> None:
    (editor.project / "Packages").mkdir(exist_ok=True)
    (editor.project / "Packages" / "manifest.json").write_text(
        '{"dependencies": {"com.unity.modules.ui": "1.0.0"}}'
    )
    for kind in ("camera", "cube"):
        made = run(session, "create_object", kind=kind)["changed"][1]["after"]
        assert made == (
            ["Transform", "Camera"]
            if kind == "camera"
            else ["Transform", "MeshFilter", "MeshRenderer"]
        )
    before = tree(session)
    message = error(session, "create_object", kind="audio_source")["message"]
    assert "Unity did not add AudioSource. The console says why (read_console)." in message
    assert tree(session) == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"kind": "cubee"}, "The nearest are cube"),
        ({"kind": "cube", "prefab": "Assets/Tank.prefab"}, "exclude each other"),
        ({}, "name is a text that is not empty"),
        ({"kind": "cube", "values": {"MeshRenderer.nothing": 1}}, "has no field 'nothing'"),
        ({"kind": "cube", "position": [1, 2]}, "must be [x, y, z]"),
        ({"kind": "cube", "components": ["Rigidboddy"]}, "The nearest are Rigidbody"),
        ({"kind": "cube", "colour": "red"}, "No component fits 'colour'"),
    ],
)
def test_a_call_that_does_not_fit_leaves_nothing_behind(
    session: Session, editor: HeadlessEditor, arguments: Json, why: str
) -> None:
    before = tree(session)
    assert why in error(session, "create_object", **arguments)["message"]
    assert tree(session) == before and not is_dirty(session)
    assert undo(editor) == "nothing"


# Assets.


def test_assets_of_each_kind_are_on_disk_with_their_values(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = run(
        session, "create_asset", path="Assets/Art/New/Red.mat", values={"color": "#FF0000"}
    )
    assert answer["written"] == ["Assets/Art", "Assets/Art/New", "Assets/Art/New/Red.mat"]
    assert answer["undo"] is False and "Undo does not take back" in answer["remarks"][-1]
    row = answer["changed"][3]
    assert (row["path"], row["field"], row["after"]) == (
        "Assets/Art/New/Red.mat",
        "Material._Color",
        {"r": 1, "g": 0, "b": 0, "a": 1},
    )
    run(session, "create_asset", path="Assets/Sword.asset", type="Data")
    run(session, "create_asset", path="Assets/Empty")
    assert files(editor) == [
        "Assets/Art",
        "Assets/Art/New",
        "Assets/Art/New/Red.mat",
        "Assets/Empty",
        "Assets/Sword.asset",
    ]


def test_a_prefab_is_made_from_an_object_which_becomes_its_instance(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = run(session, "create_asset", path="Assets/Lamp.prefab", **{"from": "Main/Root/Lamp"})
    assert answer["written"] == ["Assets/Lamp.prefab"] and answer["undo"] is False
    assert "Undo takes that back; the file stays." in answer["remarks"][0]
    variant = run(
        session, "create_asset", path="Assets/Big.prefab", **{"from": "Assets/Lamp.prefab"}
    )
    assert variant["written"] == ["Assets/Big.prefab"]
    assert (
        "missing"
        in error(session, "create_asset", path="Assets/B.prefab", **{"from": "Main/Broken"})[
            "message"
        ]
    )


def test_null_is_as_if_the_argument_were_left_out(session: Session) -> None:
    for command, argument in (
        ("open_scene", "path"),
        ("close_scene", "scene"),
        ("select", "paths"),
        ("add_component", "path"),
    ):
        assert (
            f"{command}: {argument} is missing"
            in error(session, command, **{argument: None})["message"]
        )
    assert run(session, "list_assets", query="t:Nothing", folder=None, limit=None)["assets"] == []
    refused = error(session, "create_object", name="New", components=["Light", None])
    assert (
        "components has a null" in refused["message"]
        and refused["details"]["reason"] == "arguments"
    )


@pytest.mark.parametrize("there", ["Assets/There.mat", "Assets/There.mat.meta", "Assets/THERE.MAT"])
def test_a_file_that_is_there_and_not_imported_is_never_overwritten(
    session: Session, editor: HeadlessEditor, there: str
) -> None:
    (editor.project / there).write_text("mine")
    refused = error(session, "create_asset", path="Assets/There.mat")
    assert (
        refused["details"]["reason"] == "exists" and (editor.project / there).read_text() == "mine"
    )
    run(session, "create_asset", path="Assets/Other.mat")
    for command in ("copy_asset", "move_asset"):
        refused = error(session, command, path="Assets/Other.mat", to="Assets/There.mat")
        assert refused["details"]["reason"] == "exists"
    assert (editor.project / there).read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"path": "../Out.mat"}, "is no path of an asset"),
        ({"path": "Assets/../Out.mat"}, "is no path of an asset"),
        ({"path": "Assets/.hidden/Out.mat"}, "is no path of an asset"),
        ({"path": "Packages/fixed/Out.mat"}, "no package of this project"),
        ({"path": f"Assets/{'x' * 251}.mat"}, "is no path of an asset"),
        ({"path": "Assets/New.cs"}, "yourself, and call compile"),
        ({"path": "Assets/New.asset", "type": "Dat"}, "The nearest are Game.Data"),
        ({"path": "Assets/New.mat", "type": "Texture2D"}, "A .mat file is a UnityEngine.Material"),
        ({"path": "Assets/New.mat", "values": {"shader": "Standart"}}, "The nearest are Standard"),
        ({"path": "Assets/Art/New.mat", "values": {"_Colour": 1}}, "has no field '_Colour'"),
    ],
)
def test_an_asset_that_does_not_fit_leaves_no_file_and_no_folder(
    session: Session, editor: HeadlessEditor, arguments: Json, why: str
) -> None:
    assert why in error(session, "create_asset", **arguments)["message"]
    assert files(editor) == []


def test_a_link_is_not_followed(session: Session, editor: HeadlessEditor) -> None:
    outside = editor.project / "Outside"
    outside.mkdir()
    (editor.project / "Assets" / "Link").symlink_to(outside)
    assert (
        "leads through a link"
        in error(session, "create_asset", path="Assets/Link/New.mat")["message"]
    )
    assert list(outside.iterdir()) == []


def test_the_default_shader_is_that_of_the_pipeline_and_others_get_a_remark(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk universal")
    answer = run(session, "create_asset", path="Assets/A.mat", values={"color": {"r": 0}})
    assert answer["changed"][-1]["field"] == "Material._BaseColor"
    other = run(
        session,
        "create_asset",
        path="Assets/B.mat",
        values={"shader": "Standard", "color": "#00ff0080"},
    )
    assert other["changed"][-1]["field"] == "Material._Color"
    assert any("another render pipeline" in remark for remark in other["remarks"])


def test_a_material_is_changed_with_undo_and_saved_by_save_all(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path="Assets/A.mat")
    answer = run(
        session, "set_fields", path="Assets/A.mat", values={"color": "#000000", "renderQueue": 3000}
    )
    assert [row["field"] for row in answer["changed"]] == [
        "Material._Color",
        "Material.renderQueue",
    ]
    assert answer["undo"] is True and "save_all" in answer["remarks"][0]
    undo(editor)
    again = run(
        session, "set_fields", path="Assets/A.mat", values={"color": "#000000", "renderQueue": 3000}
    )
    assert again["changed"] == answer["changed"], "one Undo took both back"


def test_assets_are_copied_moved_and_put_into_the_trash(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path="Assets/A.mat")
    run(session, "copy_asset", path="Assets/A.mat", to="Assets/Sub/B.mat")
    moved = run(session, "move_asset", path="Assets/A.mat", to="Assets/C.mat")
    assert moved["changed"][-1] == {
        "path": "Assets/C.mat",
        "field": "path",
        "before": "Assets/A.mat",
        "after": "Assets/C.mat",
    }
    gone = run(session, "delete_asset", path="Assets/C.mat")
    assert gone["undo"] is False and gone["written"] == ["Assets/C.mat"]
    assert files(editor) == ["Assets/Sub", "Assets/Sub/B.mat"]
    run(session, "set_fields", path="Assets/Sub/B.mat", values={"renderQueue": 1})
    refused = error(session, "delete_asset", path="Assets/Sub")
    assert refused["details"]["reason"] == "unsaved_scenes" and refused["details"]["assets"] == [
        "Assets/Sub/B.mat"
    ]
    run(session, "save_all")
    editor.arrange("quirk no-trash")
    assert "no trash" in error(session, "delete_asset", path="Assets/Sub")["message"]
    assert files(editor) == ["Assets/Sub", "Assets/Sub/B.mat"]


def test_a_material_is_inspected_by_the_names_of_its_shader(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path="Assets/A.mat", values={"color": "#FF0000"})
    shown = fields(session, "Assets/A.mat")
    assert shown["Material.shader"] == "Standard" and shown["Material._Color"] == {
        "r": 1,
        "g": 0,
        "b": 0,
        "a": 1,
    }
    assert {f"Material.{name}" for name in ("renderQueue", "enableInstancing", "_MainTex")} <= set(
        shown
    )
    for query, field in (
        ("_Metallic", "_Metallic"),
        ("color", "_Color"),
        ("Material.color", "_Color"),
    ):
        params = {"what": "object", "path": "Assets/A.mat", "query": query}
        items = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)[
            "result"
        ]["items"]
        assert [item["field"] for item in items] == [field]
    refused = error(session, "set_fields", path="Assets/A.mat", values={"colour": "#FF0000"})
    assert "has no field 'colour'. The nearest are _Color, " in refused["message"]


# Import settings.

ICON = "Assets/Icon.png"


def test_what_would_ask_which_assets_to_save_is_refused(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk verify-saving-assets")
    for command, arguments in (
        ("set_fields", {"path": ICON, "values": {"importer.maxTextureSize": 512}}),
        ("create_asset", {"path": "Assets/New/Walk.controller"}),
        ("create_asset", {"path": "Assets/New.mat"}),
    ):
        assert error(session, command, **arguments)["details"]["reason"] == "would_ask"
    assert files(editor) == []
    assert run(session, "create_asset", path="Assets/New.renderTexture")["written"] == [
        "Assets/New.renderTexture"
    ]


def imports(editor: HeadlessEditor) -> int:
    return len([line for line in editor.history if line == f"import {ICON}"])


def test_a_texture_becomes_a_sprite_by_one_import_and_one_undo(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("world asset Assets/Lib.dll|Data")
    editor.wait_until_idle()
    values = {
        "importer.maxTextureSize": 512,
        "importer.textureType": "sprite",
        "importer.spritePivot": {"x": 1},
    }
    answer = run(session, "set_fields", path=ICON, values=values)
    assert answer["changed"][:2] == [
        {"path": ICON, "field": "importer.maxTextureSize", "before": 2048, "after": 512},
        {"path": ICON, "field": "importer.textureType", "before": "Default", "after": "Sprite"},
    ]
    assert answer["written"] == [f"{ICON}.meta"] and answer["undo"] is True
    assert answer["remarks"] == ["spriteImportMode is Single: the texture is one sprite."]
    assert (editor.project / f"{ICON}.meta").read_text() == "Sprite Single 512 False" and imports(
        editor
    ) == 1
    shown = fields(session, ICON)
    assert (
        shown["importer.spriteImportMode"] == "Single"
        and "importer.spritePixelsToUnits" not in shown
    )
    assert "importer.userData" not in shown
    undo(editor)
    assert fields(session, ICON)["importer.textureType"] == "Default" and imports(editor) == 2
    assert run(session, "set_fields", path=ICON, values={"importer.maxTextureSize": 2048}) == {
        "changed": [],
        "undo": True,
    }


@pytest.mark.parametrize(
    ("path", "values", "why"),
    [
        (ICON, {"importer.textureTyp": "Sprite"}, "The nearest are textureType"),
        (
            ICON,
            {"importer.textureType": "Picture"},
            "must be one of Default, NormalMap, GUI, Sprite",
        ),
        (
            ICON,
            {"importer.maxTextureSize": "big", "importer.textureType": "Sprite"},
            "importer.maxTextureSize must be",
        ),
        ("Assets/Lib.dll", {"importer.isPreloaded": True}, "makes Unity compile scripts"),
        ("Main/Root", {"importer.textureType": "Sprite"}, "No component fits"),
    ],
)
def test_an_import_setting_that_does_not_fit_changes_nothing(
    session: Session, editor: HeadlessEditor, path: str, values: Json, why: str
) -> None:
    editor.arrange("world asset Assets/Lib.dll|Data")
    editor.wait_until_idle()
    assert why in error(session, "set_fields", path=path, values=values)["message"]
    assert files(editor) == []


# Listeners.


def test_a_button_gets_listeners_and_undo_takes_them_back(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("world object menu|Assets/Main.unity|Menu|Enemy,AudioSource,MeshRenderer")
    editor.wait_until_idle()
    run(session, "create_object", kind="button", name="Play")
    play = "Main/Canvas/Play"
    answer = run(
        session,
        "add_listener",
        path=play,
        event="onClick",
        target="/Menu",
        method="Enemy.Hurt",
        argument=5,
    )
    assert answer["undo"] is True and answer["changed"] == [
        {
            "path": play,
            "field": "UI.Button.m_OnClick",
            "before": None,
            "after": {"target": "Main/Menu", "method": "Game.Enemy.Hurt", "argument": 5},
        }
    ]
    add(session, target="/Menu", method="Roar")
    add(session, target="/Menu", method="SetActive", argument=False)
    add(session, target="/Menu", method="AudioSource.enabled", argument=True)
    add(session, target="/Menu", method="Follow", argument="Main/Root")
    add(session, target="/Menu", method="MeshRenderer.enabled", argument=False)
    calls = [one["m_MethodName"] for one in calls_of(session)]
    assert calls == ["Hurt", "Roar", "SetActive", "set_enabled", "Follow", "set_enabled"]
    assert (
        calls_of(session)[0]["m_Target"]["type"] == "Game.Enemy"
        and calls_of(session)[0]["m_Mode"] == "Int"
    )
    assert calls_of(session)[1]["m_Arguments"]["m_ObjectArgument"] is None
    for _ in range(6):
        undo(editor)
    assert calls_of(session) == []


def add(session: Session, **arguments: Any) -> Json:
    return run(
        session, "add_listener", path="Main/Canvas/Play", event="Button.onClick", **arguments
    )


def calls_of(session: Session) -> List[Json]:
    return list(
        fields(session, "Main/Canvas/Play")["UI.Button.m_OnClick"]["m_PersistentCalls"]["m_Calls"]
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"method": "Wipe"}, "GameObject.SetActive(bool)"),
        ({"method": "Many"}, "has no method Many"),
        ({"method": "SendMessage"}, "has no method SendMessage"),
        ({"method": "Hurt"}, "needs an argument"),
        ({"method": "Roar", "argument": 1}, "takes no argument"),
        ({"method": "Hurt", "argument": "x"}, "argument must be a whole number"),
        (
            {"method": "Roar", "event": "onHover"},
            "There is no event onHover. Main/Canvas/Play has UI.Button.m_OnClick.",
        ),
        ({"method": "Roar", "target": "Assets/Tank.prefab"}, "no object of the scene or prefab"),
    ],
)
def test_a_listener_that_does_not_fit_is_refused(
    session: Session, editor: HeadlessEditor, arguments: Json, why: str
) -> None:
    editor.arrange("world object menu|Assets/Main.unity|Menu|Enemy")
    editor.wait_until_idle()
    run(session, "create_object", kind="button", name="Play")
    whole = {"path": "Main/Canvas/Play", "event": "onClick", "target": "/Menu", **arguments}
    assert why in error(session, "add_listener", **whole)["message"]
    assert calls_of(session) == []


# Names of properties, and what is not serialized.


def test_property_names_stand_for_their_fields(session: Session, editor: HeadlessEditor) -> None:
    run(session, "create_object", kind="camera", name="Eye")
    run(session, "create_object", kind="cube")
    run(session, "create_asset", path="Assets/A.mat")
    run(session, "set_fields", path="/Eye", values={"Camera.nearClipPlane": 0.1})
    run(session, "set_fields", path="/Cube", values={"MeshRenderer.materials": ["Assets/A.mat"]})
    run(session, "set_fields", path="/Cube", values={"MeshRenderer.sharedMaterial": None})
    params = {"what": "object", "path": "/Eye", "query": "Camera.nearClipPlane"}
    items = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)["result"][
        "items"
    ]
    assert [(item["field"], item["value"]) for item in items] == [("near clip plane", 0.1)]
    moved = run(session, "set_fields", path="/Eye", values={"Transform.position": {"x": 1}})[
        "changed"
    ][0]
    assert moved["field"] == "Transform.m_LocalPosition" and moved["after"]["x"] == 1
    refused = error(session, "set_fields", path="/Eye", values={"Transform.lossyScale": [2, 2, 2]})
    assert "Set Transform.localScale." in refused["message"]


def test_a_rotation_may_be_in_degrees(session: Session, editor: HeadlessEditor) -> None:
    rotation = {"Transform.localRotation": [0, 90, 0]}
    run(session, "set_fields", path="/Root", values=rotation)
    turned = fields(session, "Main/Root")["Transform.m_LocalRotation"]
    assert turned == pytest.approx({"x": 0, "y": 0.7071068, "z": 0, "w": 0.7071068}, abs=1e-6)
    assert run(session, "set_fields", path="/Root", values=rotation)["changed"] == []
    for name in ("rotation", "eulerAngles", "localEulerAngles"):
        assert (
            run(session, "set_fields", path="/Root", values={f"Transform.{name}": [0, 90, 0]})[
                "changed"
            ]
            == []
        )


def test_a_field_that_is_not_serialized_is_read_in_play_mode_alone(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("world object foe|Assets/Main.unity|Foe|Enemy", "enter-play-without-reload")
    editor.wait_until_idle()

    def read(name: str) -> Json:
        params = {"what": "object", "path": "/Foe", "query": f"Enemy.{name}"}
        answer = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)
        return dict(answer["result"]["items"][0] if "result" in answer else answer["error"])

    assert "is not serialized" in read("_rage")["message"]
    editor.arrange("play on")
    editor.wait_until_idle()
    rage = {
        "component": "Game.Enemy",
        "field": "_rage",
        "type": "System.Int32",
        "value": 7,
        "serialized": False,
    }
    assert read("_rage") == rage
    assert read("Armor")["value"] == 3 and read("_wounds")["value"] == [1, 2]
    assert read("_lazy")["value"] == "Game.Enemy+Lazy"
    assert "has no field 'Rage'" in read("Rage")["message"]
    refused = error(session, "set_fields", path="/Foe", values={"Enemy._rage": 1})
    assert "_rage is not serialized" in refused["message"]


# Scenes.


def test_a_scene_is_made_saved_and_put_into_the_build_list(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = run(session, "create_scene", path="Assets/Scenes/Menu.unity")
    assert answer["written"] == ["Assets/Scenes", "Assets/Scenes/Menu.unity"]
    assert "Menu/Main Camera" in tree(session) and not is_dirty(session)
    added = run(session, "build_scenes", action="add", path="Assets/Scenes/Menu.unity")
    assert added["changed"][0]["field"] == "build_index" and added["undo"] is False
    listed = run(session, "build_scenes")["scenes"]
    assert listed[-1] == {"index": 1, "path": "Assets/Scenes/Menu.unity", "enabled": True}
    again = error(session, "build_scenes", action="add", path="Assets/Scenes/Menu.unity")
    assert again["details"]["reason"] == "exists"
    run(session, "build_scenes", action="remove", path="Assets/Scenes/Menu.unity")
    assert len(run(session, "build_scenes")["scenes"]) == 1


def test_unsaved_changes_are_in_the_way_of_a_new_scene(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_object", name="Mine")
    refused = error(session, "create_scene", path="Assets/New.unity")
    assert refused["details"]["reason"] == "unsaved_scenes" and files(editor) == []
    assert "Main/Mine" in tree(session)
    answer = run(
        session, "create_scene", path="Assets/New.unity", unsaved="discard", template="empty"
    )
    assert answer["remarks"][0] == "Unsaved changes were discarded: Assets/Main.unity."
    assert not any(path.startswith("Main") for path in tree(session))


def test_a_scene_is_saved_by_itself_or_as_a_copy_and_overwrites_nothing(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_scene", path="Assets/One.unity")
    run(session, "create_object", name="Mine")
    assert run(session, "save_scene")["written"] == ["Assets/One.unity"]
    assert not is_dirty(session)
    (editor.project / "Assets/Two.unity").write_text("mine")
    refused = error(session, "save_scene", path="Assets/Two.unity")
    assert refused["details"]["reason"] == "exists", refused
    assert (editor.project / "Assets/Two.unity").read_text() == "mine"
    assert run(session, "save_scene", path="Assets/Three.unity")["written"] == [
        "Assets/Three.unity"
    ]
    assert [one["path"] for one in run(session, "list_scenes")["open"]] == ["Assets/One.unity"]
    (editor.project / "Assets/One.unity").write_text("somebody else's")
    refused = error(session, "save_scene")
    assert refused["details"]["reason"] == "scene_changed_on_disk"
    assert (editor.project / "Assets/One.unity").read_text() == "somebody else's"
    run(session, "save_scene", path="Assets/Four.unity")


# Batches.


def step(command: str, called: str = "", /, **arguments: Any) -> Json:
    return {"name": command, "arguments": arguments, **({"as": called} if called else {})}


def test_a_batch_is_one_undo_and_its_steps_refer_to_each_other(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_object", name="Persons own")
    answer = run(
        session,
        "batch",
        steps=[
            step("create_object", "lamp", name="Lamp"),
            step("create_object", name="Bulb", parent="$lamp", kind="cube"),
            step("move_object", path="$lamp", parent="Main/Root"),
            step("add_component", path="$lamp/Bulb", component="Light"),
            step("set_fields", path="$lamp/Bulb", values={"Light.intensity": 3}),
            step("select", paths=["Main/Root"]),
        ],
    )
    assert (
        answer["steps"][0] == {"as": "lamp", "path": "Main/Root/Lamp[1]"} and answer["undo"] is True
    )
    assert "Main/Root/Lamp[1]/Bulb" in tree(session)
    undo(editor)
    assert "Main/Root/Lamp[1]" not in tree(session) and "Main/Persons own" in tree(session)


def test_a_batch_makes_an_asset_and_puts_it_on(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("world field Assets/Data.asset|0|skin|ObjectReference|PPtr<$Material>|")
    answer = run(
        session,
        "batch",
        steps=[
            step("create_asset", "red", path="Assets/Red.mat", values={"color": "#FF0000"}),
            step("set_fields", path="Assets/Data.asset", values={"skin": {"$": "red"}}),
            step("move_asset", path="$red", to="Assets/Art/Red.mat"),
        ],
    )
    assert answer["steps"][0]["path"] == "Assets/Art/Red.mat" and answer["undo"] is False
    assert fields(session, "Assets/Data.asset")["Game.Data.skin"]["path"] == "Assets/Art/Red.mat"


def test_a_batch_whose_first_step_is_refused_by_its_own_check_has_not_run(session: Session) -> None:
    failed = error(
        session, "batch", steps=[step("delete_object", path="Main/Nobody"), step("create_object")]
    )
    assert (failed["code"], failed["details"]["execution_guarantee"]) == (
        "ERR_UNITY_EXECUTION",
        "not_executed",
    )
    assert failed["message"].startswith(
        "Nothing was done, because step 0 (delete_object) was refused. "
    )


@pytest.mark.parametrize(
    "steps",
    [
        [step("create_object", name="A")],
        [step("create_object", name="A", kind="button")],
        [step("create_object", name="A", copy_of="Main/Root/Lamp")],
        [step("create_object", name="A", prefab="Assets/Tank.prefab")],
        [step("create_asset", path="Assets/New/A.mat")],
        [step("create_asset", path="Assets/A.prefab", **{"from": "Main/Root/Lamp"})],
        [
            step("create_asset", "a", path="Assets/A.mat"),
            step("copy_asset", path="$a", to="Assets/Sub/B.mat"),
        ],
        [
            step("create_asset", "a", path="Assets/A.mat"),
            step("move_asset", path="$a", to="Assets/Sub/B.mat"),
        ],
        [step("set_fields", path="Main/Root/Lamp", values={"Light.intensity": 7})],
        [step("set_fields", path="Assets/Data.asset", values={"price": 7})],
        [step("set_fields", path="Assets/Icon.png", values={"importer.textureType": "Sprite"})],
        [step("move_object", path="Main/Root/Lamp", parent="/")],
        [step("delete_object", path="Main/Root/Lamp")],
        [step("add_component", path="Main/Root", component="Light")],
        [
            step("create_object", "b", kind="button"),
            step(
                "add_listener",
                path="$b",
                event="onClick",
                target="$b",
                method="SetActive",
                argument=True,
            ),
        ],
        [step("remove_component", path="Main/Root/Lamp", component="Light")],
    ],
    ids=lambda steps: "+".join(str(one["name"]) for one in steps),
)
def test_a_failure_in_the_middle_of_a_batch_takes_everything_back(
    session: Session, editor: HeadlessEditor, steps: List[Json]
) -> None:
    before = tree(session), fields(session, "Main/Root/Lamp"), fields(session, "Assets/Data.asset")
    failed = error(session, "batch", steps=[*steps, step("delete_object", path="Main/Nobody")])
    assert failed["code"] == "ERR_UNITY_EXECUTION" and failed["details"]["reason"] == "arguments"
    assert failed["details"]["execution_guarantee"] == "completed_error"
    assert failed["details"]["batch"] == {
        "step": len(steps),
        "name": "delete_object",
        "taken_back": len(steps),
        "stays": [],
    }
    assert (
        tree(session),
        fields(session, "Main/Root/Lamp"),
        fields(session, "Assets/Data.asset"),
    ) == before
    assert files(editor) == [] and not is_dirty(session)


def test_a_batch_that_fails_takes_nothing_of_a_persons_back(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path="Assets/A.mat")
    status_of(session, "person_changes", {"path": "Assets/A.mat", "value": 0.5})
    steps = [
        step("create_object", name="A"),
        step("set_fields", path="Assets/A.mat", values={"_Metallic": 0.75}),
    ]
    error(session, "batch", steps=[*steps, step("delete_object", path="Main/Nobody")])
    assert fields(session, "Assets/A.mat")["Material._Metallic"] == 0.5
    undo(editor)
    assert fields(session, "Assets/A.mat")["Material._Metallic"] == 0, (
        "the step is the person's own"
    )


def test_what_is_made_in_play_mode_goes_with_it_and_files_of_scenes_are_not_changed(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("enter-play-without-reload", "play on")
    editor.wait_until_idle()
    remarks = run(session, "create_object", kind="cube")["remarks"]
    assert remarks == [
        "The editor is in play mode: Unity discards changes of scene objects when play mode ends."
    ]
    run(session, "create_asset", path="Assets/A.mat")
    for command, arguments in (
        ("create_asset", {"path": "Assets/B.prefab", "from": "Main/Root"}),
        ("create_scene", {"path": "Assets/B.unity"}),
        ("save_scene", {}),
        ("build_scenes", {"action": "remove", "path": "Assets/Main.unity"}),
        ("open_prefab", {"path": "Assets/Tank.prefab"}),
    ):
        assert error(session, command, **arguments)["details"]["reason"] == "playing", command
    assert files(editor) == ["Assets/A.mat"]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([], "1 to 200 steps"),
        ([step("save_all")], "Step 0 is save_all. Call it by itself"),
        ([step("batch", steps=[])], "Step 0 is batch. Call it by itself, before or after"),
        ([step("create_objct")], "Step 0 is create_objct. The nearest is create_object. A step is"),
        ([step("paint_fence")], "Step 0 is paint_fence. A step is one of add_component, "),
        ([{"name": "create_object", "with": {}}], "must be an object with name"),
        (
            [step("select", paths=["$later"]), step("create_object", "later", name="B")],
            "no earlier step",
        ),
        (
            [
                step("create_object", name="A", parent="$later"),
                step("create_object", "later", name="B"),
            ],
            "no earlier step",
        ),
        (
            [step("create_object", "a", name="A"), step("create_object", "a", name="B")],
            "no name of its own",
        ),
        (
            [step("create_object", name="A"), step("create_object", nome="B")],
            "takes no argument nome",
        ),
    ],
)
def test_a_batch_that_does_not_fit_is_refused_before_its_first_step(
    session: Session, editor: HeadlessEditor, steps: List[Json], why: str
) -> None:
    before = tree(session)
    refused = error(session, "batch", steps=steps)
    assert refused["code"] == "ERR_INVALID_PARAMS" and why in refused["message"]
    assert tree(session) == before and undo(editor) == "nothing"


def test_a_batch_selects_what_it_made(session: Session, editor: HeadlessEditor) -> None:
    made = [step("create_object", "a", name="A"), step("create_asset", "b", path="Assets/B.mat")]
    run(session, "batch", steps=[*made, step("select", paths=["$a", "$b"])])
    assert [one["path"] for one in run(session, "get_selection")["objects"]] == [
        "Main/A",
        "Assets/B.mat",
    ]


@pytest.mark.parametrize(
    "last",
    [
        step("set_fields", path="$a", values={"name": "B"}),
        step("select", paths=["$a", "Main/Root"]),
    ],
)
def test_a_deleted_step_cannot_be_referred_to(
    session: Session, editor: HeadlessEditor, last: Json
) -> None:
    steps = [step("create_object", "a", name="A"), step("delete_object", path="$a"), last]
    assert "was deleted by an earlier step" in error(session, "batch", steps=steps)["message"]


def test_fifty_objects_are_one_batch(session: Session, editor: HeadlessEditor) -> None:
    steps = [step("create_object", kind="cube", position=[x, 0, 0]) for x in range(50)]
    answer = run(session, "batch", steps=steps)
    assert [one["path"] for one in answer["steps"]][-1] == "Main/Cube (49)"
    undo(editor)
    assert not [path for path in tree(session) if re.match("Main/Cube", path)]
