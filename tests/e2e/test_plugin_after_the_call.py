"""What Unity and packages do because of a call, also after it has returned: nothing of a person's
is lost by it.

The table is docs/after-the-call.md. The stubs do what it says, and a dialog or a loss is a violation.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.declared_commands import declared
from tests.e2e.test_plugin_make import PROJECT, error, fields, run, step, tree, undo
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

TANK = "Assets/Tank.prefab"
BARREL = "/Tank/Barrel"
PROFILE = "Assets/Settings/Build Profiles/Windows.asset"


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port, held=["quirk ugui", "quirk no-auto-save"]) as headless:
        headless.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        (headless.project / "Assets").mkdir(exist_ok=True)
        (headless.project / TANK).write_text("%YAML first", encoding="utf-8")
        yield headless
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    return server.ready_session()


def intensity(session: Session) -> float:
    return float(fields(session, BARREL)["Light.m_Intensity"])


def changed_barrel(session: Session) -> None:
    run(session, "open_prefab", path=TANK)
    run(session, "set_fields", path=BARREL, values={"Light.intensity": 5})


def close(server: ScriptedServer, editor: HeadlessEditor, **arguments: bool) -> Message:
    """The end of the job; an editor that closes has ended, and all that it did on its way out is in
    its history.
    """
    params = {"name": "close_editor", "arguments": arguments}
    server.latest.submit("close", tool="run_command", timeout_ms=60_000, **params)
    status = ended(server, server.latest, "close")
    if status["state"] == "succeeded":
        editor.process.wait(60)
    return status


# Quitting.


def test_closing_counts_windows_import_settings_and_settings(
    server: ScriptedServer, session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange(
        "unsaved-window Shader Graph",
        "dirty-importer Assets/Icon.png",
        "dirty-settings ProjectSettings/TagManager.asset",
    )
    for save in (False, True):
        refusal = close(server, editor, save=save)["error"]
        details = refusal["details"]
        assert (details["reason"], details["windows"], details["assets"], details["settings"]) == (
            "unsaved_scenes",
            ["Shader Graph"],
            ["Assets/Icon.png"],
            ["ProjectSettings/TagManager.asset"],
        )
        assert "--discard" in refusal["message"] and "with --save" not in refusal["message"]
    assert "save-assets" not in editor.history, "nothing was saved before it was refused"


def test_discarding_leaves_nothing_that_asks_or_saves_on_the_way_out(
    server: ScriptedServer, session: Session, editor: HeadlessEditor
) -> None:
    changed_barrel(session)
    editor.arrange(
        "unsaved-window Shader Graph",
        "dirty-importer Assets/Icon.png",
        "dirty-assets Assets/Data.asset",
    )
    value = close(server, editor, discard=True)["result"]["value"]
    assert value["discarded"] == [TANK, "Assets/Data.asset", "Assets/Icon.png", "Shader Graph"]
    assert editor.history[-1] == "exit 0" and f"save-prefab {TANK}" not in editor.history


def test_saving_writes_the_settings_too(
    server: ScriptedServer, session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("dirty-settings ProjectSettings/TagManager.asset")
    assert close(server, editor, save=True)["result"]["value"]["saved"] == [
        "ProjectSettings/TagManager.asset"
    ]


def test_a_window_that_keeps_its_changes_keeps_the_editor_open(
    server: ScriptedServer, session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange(
        "unsaved-window Shader Graph",
        "quirk window-keeps-changes",
        "dirty-assets Assets/Data.asset",
    )
    details = close(server, editor, discard=True)["error"]["details"]
    assert (details["reason"], details["discarded"]) == ("would_ask", ["Assets/Data.asset"])
    assert run(session, "list_scenes")["open"]


# The open prefab.


def test_discarding_the_open_prefab_means_its_files_content_again(
    session: Session, editor: HeadlessEditor
) -> None:
    changed_barrel(session)
    answer = run(session, "open_prefab", path=TANK, unsaved="discard")
    assert (
        answer["remarks"] == [f"Unsaved changes were discarded: {TANK}."]
        and intensity(session) == 1.5
    )
    run(session, "set_fields", path=BARREL, values={"Light.intensity": 5})
    run(session, "close_prefab", unsaved="discard")
    run(session, "open_prefab", path=TANK)
    assert intensity(session) == 1.5
    run(session, "set_fields", path=BARREL, values={"Light.intensity": 5})
    (editor.project / TANK).unlink()
    for command in ("open_prefab", "close_prefab"):
        arguments = {"path": TANK} if command == "open_prefab" else {}
        assert (
            error(session, command, unsaved="discard", **arguments)["details"]["reason"]
            == "scene_changed_on_disk"
        )
    assert intensity(session) == 5


def test_the_open_prefab_is_renamed_with_its_file(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("no-quirk no-auto-save")
    run(session, "open_prefab", path=TANK)
    wagon = "Assets/Wagon.prefab"
    rows = [
        (row["field"], row["after"])
        for row in run(session, "move_asset", path=TANK, to=wagon)["changed"]
    ]
    assert rows == [("path", wagon), ("GameObject.m_Name", "Wagon")]
    answer = run(session, "set_fields", path="/Wagon/Barrel", values={"Light.intensity": 4})
    assert answer["written"] == [wagon] and not (editor.project / TANK).exists()
    # As where a person has moved it.
    run(session, "batch", steps=[step("move_asset", path=wagon, to=TANK)])
    error(
        session,
        "batch",
        steps=[step("move_asset", path=TANK, to=wagon), step("delete_object", path="/Nobody")],
    )
    run(session, "set_fields", path=BARREL, values={"Light.intensity": 6})


def test_no_change_of_the_open_prefab_in_play_mode(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("enter-play-without-reload")
    run(session, "open_prefab", path=TANK)
    editor.command("play on")
    editor.wait_for("play on")
    refusal = error(session, "set_fields", path=BARREL, values={"Light.intensity": 6})
    assert refusal["details"]["reason"] == "playing"


def test_a_prefab_is_not_put_into_one_that_it_contains(session: Session) -> None:
    run(session, "create_asset", path="Assets/Lamp.prefab", **{"from": "Main/Root/Lamp"})
    run(session, "create_object", parent=TANK, prefab="Assets/Lamp.prefab")
    refusal = error(session, "create_object", parent="Assets/Lamp.prefab", prefab=TANK)
    assert "contains Assets/Lamp.prefab" in refusal["message"]


def test_instances_follow_what_is_not_an_override(session: Session) -> None:
    lamp = "Assets/Lamp.prefab"
    run(session, "create_asset", path=lamp, **{"from": "Main/Root/Lamp"})
    run(session, "create_object", prefab=lamp, name="Own")
    run(session, "set_fields", path="/Own", values={"Light.intensity": 9})
    run(session, "create_object", parent=lamp, name="Muzzle", components=["Light"])
    run(session, "set_fields", path=lamp, values={"Light.intensity": 3})
    assert {"Main/Root/Lamp/Muzzle", "Main/Own/Muzzle"} <= set(tree(session))
    assert fields(session, "Main/Root/Lamp")["Light.m_Intensity"] == 3
    assert fields(session, "Main/Own")["Light.m_Intensity"] == 9
    made = run(session, "create_asset", path="Assets/Other.prefab", **{"from": "Main/Own"})
    assert f"Assets/Other.prefab is a variant of {lamp}." in made["remarks"]
    run(session, "delete_object", path=f"{lamp}/Muzzle")
    assert "Main/Root/Lamp/Muzzle" not in tree(session)


# Materials, and a package as URP is.


def test_a_new_material_is_saved_with_what_the_pipeline_adds(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk like-urp", "dirty-assets Assets/Data.asset", "tick 200")
    answer = run(
        session,
        "create_asset",
        path="Assets/Red.mat",
        values={"color": "#FF0000", "renderQueue": 2450},
    )
    queue = [row for row in answer["changed"] if row["field"] == "Material.renderQueue"]
    assert queue == [
        {"path": "Assets/Red.mat", "field": "Material.renderQueue", "before": -1, "after": 2000}
    ]
    assert answer["remarks"] == [
        "Material.renderQueue was set, and then changed by a package or a script, as the file was imported.",
        "The render pipeline saves all changed assets in the next update, because the material is new. It writes these "
        "too: Assets/Data.asset.",
        "Undo does not take back what was done to the files in written.",
    ]
    editor.wait_for("pipeline saves all assets")
    steps = [
        step("create_asset", path="Assets/Two.mat"),
        step("copy_asset", path="Assets/Two.mat", to="Assets/Three.mat"),
        step("move_asset", path="Assets/Two.mat", to="Assets/Four.mat"),
    ]
    assert run(session, "batch", steps=steps)["written"][-1] == "Assets/Four.mat"


def test_in_play_mode_the_pipelines_save_writes_nothing_of_ours(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk like-urp", "enter-play-without-reload", "focus off")
    editor.command("play on")
    editor.wait_for("play on")
    run(session, "list_scenes")
    editor.wait_for("run-in-background on")
    run(session, "create_asset", path="Assets/Red.mat")
    editor.wait_for("run-in-background off")
    editor.wait_for("pipeline saves all assets")
    editor.wait_for("run-in-background on")
    editor.command("focus on")


def test_a_materials_keywords_are_set_with_its_values(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path="Assets/Red.mat")
    answer = run(session, "set_fields", path="Assets/Red.mat", values={"_EmissionColor": "#FF0000"})
    rows = {row["field"]: row["after"] for row in answer["changed"]}
    assert rows["Material.keywords"] == ["_EMISSION"] and answer["undo"] is True
    # A shader without a GUI of its own, whose property has a drawer: [Toggle(_RIM_ON)].
    values = {"shader": "Game/Toggled", "_Rim": 1}
    answer = run(session, "set_fields", path="Assets/Red.mat", values=values)
    rows = {row["field"]: row["after"] for row in answer["changed"]}
    assert "_RIM_ON" in rows["Material.keywords"]


def test_an_obsolete_property_of_a_shader_means_its_partner(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk universal")
    values = {"_Color": "#FF0000", "_MainTex": None}
    answer = run(session, "create_asset", path="Assets/Red.mat", values=values)
    assert [row["field"] for row in answer["changed"]] == ["path", "Material._BaseColor"]
    assert answer["remarks"][0].startswith(
        "Material._Color was taken as _BaseColor: the shader keeps _Color"
    )


def test_particles_have_the_material_of_the_pipeline_in_use(
    session: Session, editor: HeadlessEditor
) -> None:
    def material(name: str) -> Json:
        run(session, "create_object", kind="particle_system", name=name)
        return dict(fields(session, f"Main/{name}")["ParticleSystemRenderer.m_Materials"][0])

    assert material("Sparks")["path"] == "Resources/unity_builtin_extra"
    editor.arrange("quirk universal")
    assert material("Smoke")["path"] == "Packages/com.unity.universal/ParticlesUnlit.mat"


# A setter that Unity's own page follows with a mark, a record or a save.


def test_a_sprite_sheet_stays_one(session: Session) -> None:
    sheet = {"importer.textureType": "Sprite", "importer.spriteImportMode": "Multiple"}
    run(session, "set_fields", path="Assets/Icon.png", values=sheet)
    values = {"importer.textureType": "Sprite", "importer.maxTextureSize": 512}
    answer = run(session, "set_fields", path="Assets/Icon.png", values=values)
    assert [row["field"] for row in answer["changed"]] == [
        "importer.maxTextureSize"
    ] and "remarks" not in answer
    assert fields(session, "Assets/Icon.png")["importer.spriteImportMode"] == "Multiple"
    # All that the type changes has a row.
    answer = run(
        session, "set_fields", path="Assets/Icon.png", values={"importer.textureType": "Default"}
    )
    rows = {row["field"]: row["after"] for row in answer["changed"]}
    assert rows == {
        "importer.textureType": "Default",
        "importer.spriteImportMode": "None",
        "importer.mipmapEnabled": True,
    }


def test_import_settings_that_a_person_has_not_applied_are_left_alone(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("dirty-importer Assets/Icon.png")
    for command, arguments in (
        ("set_fields", {"path": "Assets/Icon.png", "values": {"importer.maxTextureSize": 512}}),
        ("move_asset", {"path": "Assets/Icon.png", "to": "Assets/Other.png"}),
        ("delete_asset", {"path": "Assets/Icon.png"}),
    ):
        details = error(session, command, **arguments)["details"]
        assert (details["reason"], details["assets"]) == ("unsaved_scenes", ["Assets/Icon.png"]), (
            command
        )


def test_the_scenes_of_a_build_profile_are_written(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk build-profile", "world asset Assets/Main.unity|Scene")
    editor.wait_until_idle()
    answer = run(session, "build_scenes", action="add", path="Assets/Main.unity")
    assert (answer["written"], answer["undo"]) == ([PROFILE], True)
    assert answer["remarks"] == [f"The list is that of the build profile {PROFILE}."]
    editor.wait_for(f"wrote {PROFILE}")
    undo(editor)
    assert run(session, "build_scenes")["scenes"] == []
    # What a person has not saved there is not saved by us.
    editor.arrange(f"dirty-assets {PROFILE}")
    answer = run(session, "build_scenes", action="add", path="Assets/Main.unity")
    assert (
        "written" not in answer
        and f"{PROFILE} has unsaved changes. save_all saves it." in answer["remarks"]
    )


def test_the_projects_own_list_of_scenes_is_written(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("world asset Assets/Main.unity|Scene", "dirty-assets Assets/Data.asset")
    editor.wait_until_idle()
    answer = run(session, "build_scenes", action="add", path="Assets/Main.unity")
    assert (answer["written"], answer["undo"]) == (
        ["ProjectSettings/EditorBuildSettings.asset"],
        False,
    )
    assert "wrote Assets/Data.asset" not in editor.history


def test_what_is_made_outside_undo_leaves_no_step_in_it(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("world asset Assets/Main.unity|Scene")
    editor.wait_until_idle()
    for command, arguments in (
        ("create_asset", {"path": "Assets/Walk.controller"}),
        ("create_asset", {"path": "Assets/Red.mat", "values": {"color": "#FF0000"}}),
        ("create_asset", {"path": "Assets/View.renderTexture"}),
        ("copy_asset", {"path": "Assets/Red.mat", "to": "Assets/Blue.mat"}),
        ("move_asset", {"path": "Assets/Blue.mat", "to": "Assets/Green.mat"}),
        ("delete_asset", {"path": "Assets/Green.mat"}),
        ("build_scenes", {"action": "add", "path": "Assets/Main.unity"}),
    ):
        assert run(session, command, **arguments)["undo"] is False
        assert undo(editor) == "nothing", command


# Where Unity would ask.


def test_what_unity_would_ask_about_is_refused_with_the_question(
    session: Session, editor: HeadlessEditor
) -> None:
    def title(command: str, /, **arguments: Any) -> str:
        refusal = error(session, command, **arguments)
        assert refusal["details"]["reason"] == "would_ask", refusal
        return re.search('Unity would ask "([^"]+)"', refusal["message"]).group(1)  # type: ignore[union-attr]

    editor.arrange(
        "dirty-importer Assets/Icon.png", "quirk version-control", "world asset Assets/Art|Folder"
    )
    (editor.project / "Assets" / "Art").mkdir()
    editor.wait_until_idle()
    asked = "Unapplied import settings"
    assert title("select", paths=["Main/Root"]) == asked
    assert title("open_prefab", path=TANK) == asked
    assert title("batch", steps=[step("select", paths=["Main/Root"])]) == asked
    # The selection is put back in the same update, so the Inspector never shows another one.
    run(session, "create_object", copy_of="Main/Root")
    assert (
        title("move_asset", path="Assets/Art", to="Assets/Pictures")
        == "Confirm version control operation"
    )
    editor.arrange("quirk verify-saving-assets")
    assert title("save_all") == "Save Assets"


def test_play_mode_is_not_entered_over_a_question(
    server: ScriptedServer, session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk unapplied-order")
    editor.tests("play|A.B.First|pass")
    calls: List[Json] = [
        {"tool": "play_mode", "action": "enter"},
        {"tool": "run_tests", "mode": "play"},
    ]
    for number, call in enumerate(calls):
        session.submit(f"question-{number}", **call)
        details = ended(server, session, f"question-{number}")["error"]
        assert (
            details["details"]["reason"] == "would_ask"
            and "Unapplied execution order" in details["message"]
        )


def test_a_text_of_textmesh_pro_without_its_resources_is_refused(session: Session) -> None:
    refusal = error(session, "create_object", name="Score", components=["TextMeshProUGUI"])
    assert refusal["details"]["reason"] == "would_ask" and "kind=text" in refusal["message"]


# Controls.


def test_a_control_without_a_parent_goes_on_the_canvas_that_is_there(session: Session) -> None:
    run(session, "create_object", kind="canvas", name="Menu")
    answer = run(session, "create_object", kind="panel")
    assert answer["changed"][0]["path"] == "Main/Menu/Panel"
    assert answer["remarks"][0] == (
        "It is below Main/Menu, the first Canvas of the scene. parent=/ gives it one of its own."
    )
    assert (
        run(session, "create_object", kind="image", parent="/")["changed"][0]["path"]
        == "Main/Canvas"
    )
    assert (
        run(session, "create_object", kind="canvas", name="Other")["changed"][0]["path"]
        == "Main/Other"
    )


def test_a_control_below_the_root_of_a_ui_prefab_gets_no_canvas(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("world object panel|Assets/Main.unity|Panel|RectTransform")
    editor.wait_until_idle()
    run(session, "create_asset", path="Assets/Panel.prefab", **{"from": "Main/Panel"})
    answer = run(session, "create_object", kind="button", parent="Assets/Panel.prefab", name="Play")
    assert answer["changed"][0]["path"] == "Assets/Panel.prefab/Play"
    run(session, "open_prefab", path="Assets/Panel.prefab")
    assert run(session, "create_object", kind="image")["changed"][0]["path"].endswith("Panel/Image")


# Names.


def test_a_property_of_textmesh_pro_is_the_field_that_is_drawn(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange(
        "world object score|Assets/Main.unity|Score|RectTransform,TMPro.TextMeshProUGUI",
        *(f"world field score|1|{name}|Color|Color|1,1,1,1" for name in ("m_Color", "m_fontColor")),
    )
    editor.wait_until_idle()
    for key in ("color", "m_Color"):
        value = "#FF0000" if key == "color" else "#00FF00"
        rows = run(
            session, "set_fields", path="Main/Score", values={f"TextMeshProUGUI.{key}": value}
        )["changed"]
        assert [row["field"] for row in rows] == ["TMPro.TextMeshProUGUI.m_fontColor"]


# Which of Unity's sources maps each row of the table of names.
SOURCES: Dict[str, Tuple[str, ...]] = {
    "Light.bindings.cs (native m_Shadows)": ("Light.shadows", "Light.shadowStrength"),
    "Camera.bindings.cs (native m_BackGroundColor)": ("Camera.backgroundColor",),
    "GraphicsRenderers.bindings.cs (native m_Materials, m_CastShadows)": (
        *(
            "Renderer.sharedMaterials",
            "Renderer.sharedMaterial",
            "Renderer.material",
            "Renderer.shadowCastingMode",
        ),
    ),
    "Mesh filters and colliders (native m_Mesh, m_Material)": (
        *("MeshFilter.sharedMesh", "MeshCollider.sharedMesh", "Collider.sharedMaterial"),
    ),
    "Animator.bindings.cs (native m_Controller)": ("Animator.runtimeAnimatorController",),
    "AudioSource.bindings.cs (native m_audioClip)": ("AudioSource.clip",),
    "Canvas (native m_Camera)": ("Canvas.worldCamera",),
    "TransformInspector.cs (native m_LocalScale)": ("Transform.scale",),
    "RigidbodyEditor.cs (m_Drag, m_AngularDrag; since 6000.0 m_LinearDamping, m_AngularDamping)": (
        *("Rigidbody.drag", "Rigidbody.linearDamping"),
        *("Rigidbody.angularDrag", "Rigidbody.angularDamping"),
    ),
    "InitialModuleUI.cs, EmissionModuleUI.cs, ShapeModuleUI.cs (names of the modules)": (
        *("ParticleSystem.main", "ParticleSystem.emission", "ParticleSystem.shape"),
    ),
    "com.unity.ugui Text.cs (FontData)": (
        "Text.fontSize",
        "Text.alignment",
        "Text.font",
        "Text.fontStyle",
    ),
    "com.unity.textmeshpro TMP_Text.cs: color, font, fontSharedMaterial, richText; material overrides Graphic's": (
        *("TMP_Text.color", "TMP_Text.m_Color", "TMP_Text.material", "TMP_Text.m_Material"),
        *(
            "TMP_Text.fontSharedMaterial",
            "TMP_Text.fontMaterial",
            "TMP_Text.font",
            "TMP_Text.richText",
        ),
    ),
}


REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "unity_bridge" / "unity_package" / "Editor"


def test_the_page_has_each_row_of_the_table_and_no_other() -> None:
    text = (PACKAGE / "EditorLife" / "Reactions.cs").read_text(encoding="utf-8")
    page = (REPOSITORY / "docs" / "after-the-call.md").read_text(encoding="utf-8")
    refused = page.split("## Done")[0]
    titles = re.findall(r'new Reaction\(Effect[^"]+"([^"]+)"', text)
    assert sorted(titles) == sorted(re.findall(r"^\|[^|]+\| `([^`]+)` \|", refused, re.M))
    # Each has its sources next to it.
    assert len(re.findall(r"^            // \w+\.cs", text, re.M)) >= len(titles) - 1


def test_each_command_of_the_table_is_one_of_the_package() -> None:
    text = (PACKAGE / "EditorLife" / "Reactions.cs").read_text(encoding="utf-8")
    commands = re.findall(r'\{ "(\w+)", Effect\.', text)
    assert commands and set(commands) <= {command["name"] for command in declared()}


def test_each_row_of_the_table_of_names_has_a_source() -> None:
    text = (PACKAGE / "Changes" / "PropertyNames.cs").read_text(encoding="utf-8")
    names = re.findall(r'"\S+: ([\w. ]+)"', text)
    rows = [name for line in names for name in line.split(" ") if name.count(".") == 1]
    named: List[str] = [name for names in SOURCES.values() for name in names]
    assert sorted(rows) == sorted(named)
