"""Settings as objects: what can be read, what can be set, and that nothing else can (SPEC §16.8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.e2e.test_plugin_make import error, run
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

PROJECT = (
    "asset Assets|Folder",
    "asset Assets/Data.asset|Data",
    "object root|Assets/Main.unity|Root",
    "object sun|root|Sun|Light",
)
# Of each page the class of its object, and what can be set, by the names of code and by the
# serialized ones.
OFFERED: Dict[str, Tuple[str, str]] = {
    "Player": (
        "PlayerSettings",
        "companyName productName bundleVersion defaultCursor cursorHotspot fullScreenMode fullscreenMode"
        " defaultIsNativeResolution defaultScreenWidth defaultScreenHeight runInBackground captureSingleScreen"
        " usePlayerLog resizableWindow visibleInBackground allowFullscreenSwitch forceSingleInstance"
        " muteOtherAudioSources icon",
    ),
    "Physics": (
        "PhysicsManager",
        "gravity m_Gravity bounceThreshold m_BounceThreshold sleepThreshold m_SleepThreshold defaultContactOffset"
        " m_DefaultContactOffset defaultSolverIterations m_DefaultSolverIterations defaultSolverVelocityIterations"
        " m_DefaultSolverVelocityIterations queriesHitBackfaces m_QueriesHitBackfaces queriesHitTriggers"
        " m_QueriesHitTriggers clothGravity m_ClothGravity layerCollisions",
    ),
    "Physics 2D": (
        "Physics2DSettings",
        "gravity m_Gravity velocityIterations m_VelocityIterations positionIterations m_PositionIterations"
        " queriesHitTriggers m_QueriesHitTriggers queriesStartInColliders m_QueriesStartInColliders",
    ),
    "Time": (
        "TimeManager",
        "fixedDeltaTime maximumDeltaTime timeScale m_TimeScale maximumParticleDeltaTime Fixed Timestep",
    ),
    "Quality": (
        "QualitySettings",
        "pixelLightCount shadows shadowResolution shadowDistance shadowCascades shadowNearPlaneOffset vSyncCount"
        " antiAliasing anisotropicFiltering softParticles realtimeReflectionProbes lodBias maximumLODLevel"
        " particleRaycastBudget",
    ),
    "Graphics": (
        "GraphicsSettings",
        "transparencySortMode m_TransparencySortMode transparencySortAxis m_TransparencySortAxis",
    ),
    "Audio": ("AudioManager", "volume m_Volume rolloffScale dopplerFactor"),
    "Editor": (
        "EditorSettings",
        "enterPlayModeOptionsEnabled m_EnterPlayModeOptionsEnabled enterPlayModeOptions m_EnterPlayModeOptions"
        " gameObjectNamingDigits m_GameObjectNamingDigits",
    ),
    "RenderSettings": (
        "RenderSettings",
        "skybox m_SkyboxMaterial sun m_Sun fog m_Fog fogColor m_FogColor fogMode m_FogMode fogDensity m_FogDensity"
        " fogStartDistance m_LinearFogStart fogEndDistance m_LinearFogEnd ambientMode m_AmbientMode ambientLight"
        " ambientSkyColor m_AmbientSkyColor ambientEquatorColor m_AmbientEquatorColor ambientGroundColor"
        " m_AmbientGroundColor ambientIntensity m_AmbientIntensity reflectionIntensity m_ReflectionIntensity"
        " haloStrength m_HaloStrength flareStrength m_FlareStrength",
    ),
}
WITH_BLANKS = {
    "Fixed Timestep",
    "Maximum Allowed Timestep",
    "Maximum Particle Timestep",
    "Rolloff Scale",
    "Doppler Factor",
}
WOULD = {
    "would_compile": (
        "additionalCompilerArguments",
        "scriptingDefineSymbols",
        "allowUnsafeCode",
        "scriptingBackend",
    ),
    "would_reimport": (
        "m_ActiveColorSpace",
        "m_SerializationMode",
        "serializationMode",
        "m_SpritePackerMode",
    ),
    "would_ask": ("activeInputHandler", "gcIncremental"),
    "not_offered": (
        "cacheServerEndpoint",
        "m_CacheServerEndpoint",
        "externalVersionControl",
        "preloadedAssets",
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


def started(server: ScriptedServer, profile: str = "1.4.6") -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port, profile=profile) as headless:
        headless.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        headless.arrange("dirty-assets Assets/Data.asset")
        (headless.project / "Assets").mkdir(exist_ok=True)
        yield headless
        headless.command("serialized")
        assert headless.wait_for(r"serialized (\d+)").group(1) == "0", (
            "each serialized object was disposed of"
        )
        assert headless.violations() == []


@pytest.fixture(scope="module")
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    yield from started(server)


@pytest.fixture(scope="module")
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    return server.ready_session()


def shown(session: Session, path: str, **params: Any) -> List[Json]:
    asked = {"what": "object", "path": path, "limit": 1000, **params}
    answer = session.ask("execute", tool_name="inspect", params=asked, timeout_ms=30_000)
    assert answer["type"] == "result" and answer["status"] == "ok", answer.get("error")
    return list(answer["result"]["items"])


def value(session: Session, path: str, field: str) -> Any:
    return next(
        item["value"] for item in shown(session, path, query=field) if item.get("field") == field
    )


def changed(answer: Json) -> Dict[str, Any]:
    return {row["field"]: row["after"] for row in answer["changed"]}


def test_members_are_set_by_the_names_of_code_and_the_file_alone_is_written(
    session: Session, editor: HeadlessEditor
) -> None:
    file = "ProjectSettings/ProjectSettings.asset"
    answer = run(
        session,
        "set_fields",
        path=file,
        values={"companyName": "Acme", "PlayerSettings.productName": "Orc"},
    )
    assert changed(answer) == {
        "PlayerSettings.companyName": "Acme",
        "PlayerSettings.productName": "Orc",
    }
    assert (answer["written"], answer["undo"]) == ([file], False)
    assert "Acme" in (editor.project / file).read_text()
    assert not [line for line in editor.history if "save-assets" in line], (
        "other unsaved assets stay as they are"
    )
    run(session, "set_fields", path="ProjectSettings/Player", values={"fullScreenMode": "Windowed"})
    assert value(session, "ProjectSettings/Player", "fullScreenMode") == "Windowed"
    assert value(session, "PlayerSettings", "companyName") == "Acme"
    run(
        session,
        "set_fields",
        path="ProjectSettings/Physics",
        values={"Physics.gravity": [0, -20, 0]},
    )
    assert value(session, "ProjectSettings/DynamicsManager.asset", "gravity") == {
        "x": 0,
        "y": -20,
        "z": 0,
    }
    run(
        session,
        "set_fields",
        path="ProjectSettings/Quality",
        values={"QualitySettings.vSyncCount": 1},
    )
    assert value(session, "ProjectSettings/Quality", "vSyncCount") == 1
    run(
        session,
        "set_fields",
        path="ProjectSettings/Audio",
        values={"volume": 0.5, "Doppler Factor": 2},
    )
    run(
        session,
        "set_fields",
        path="ProjectSettings/Navigation",
        values={"m_Settings[0].agentRadius": 0.3},
    )
    assert not [line for line in editor.history if "save-assets" in line]


def test_a_time_step_is_in_seconds_in_every_version(session: Session) -> None:
    assert value(session, "ProjectSettings/Time", "fixedDeltaTime") == 0.02
    run(session, "set_fields", path="ProjectSettings/Time", values={"fixedDeltaTime": 0.01})
    assert value(session, "ProjectSettings/Time", "fixedDeltaTime") == 0.01
    with ScriptedServer() as server:
        for _ in started(server, "1.1.31"):
            older = server.ready_session()
            run(
                older,
                "set_fields",
                path="ProjectSettings/Time",
                values={"Time.fixedDeltaTime": 0.01},
            )
            assert value(older, "ProjectSettings/Time", "fixedDeltaTime") == 0.01


def test_layers_that_do_not_collide(session: Session) -> None:
    values = {"layerCollisions": {"Water": {"UI": False}}}
    answer = run(session, "set_fields", path="ProjectSettings/Physics", values=values)
    assert (
        changed(answer) == {"Physics.layerCollisions Water/UI": False} and answer["undo"] is False
    )
    assert (
        run(session, "set_fields", path="ProjectSettings/Physics", values=values)["changed"] == []
    )
    for wrong in ({"Water": {"Lava": False}}, {"Water": False}, {}, "Water"):
        refused = error(
            session, "set_fields", path="ProjectSettings/Physics", values={"layerCollisions": wrong}
        )
        assert "two layers" in refused["message"]


def test_light_of_the_active_scene_is_set_with_undo_and_seen(
    session: Session, editor: HeadlessEditor
) -> None:
    values = {
        "fog": True,
        "fogColor": "#808080",
        "fogMode": "Linear",
        "sun": "Main/Root/Sun",
        "ambientLight": "#404040",
    }
    answer = run(session, "set_fields", path="RenderSettings", values=values)
    assert {row["path"] for row in answer["changed"]} == {"RenderSettings"} and answer[
        "undo"
    ] is True
    assert any("Main" in remark and "unsaved" in remark for remark in answer["remarks"])
    assert any("ambientMode: Flat" in remark for remark in answer["remarks"])
    editor.wait_for("environment-updated")
    assert [item["dirty"] for item in inspect_scenes(session)] == [True]
    assert "remarks" in run(
        session, "set_fields", path="RenderSettings", values={"ambientMode": "Flat"}
    )
    assert value(session, "RenderSettings", "ambientMode") == "Flat"
    assert (
        "one of Skybox"
        in error(session, "set_fields", path="RenderSettings", values={"ambientMode": "Dark"})[
            "message"
        ]
    )
    editor.arrange("undo", "undo")
    assert value(session, "RenderSettings", "fog") is False
    editor.arrange("open-prefab Assets/Tank.prefab")
    assert (
        "close_prefab"
        in error(session, "set_fields", path="RenderSettings", values={"fog": True})["message"]
    )
    editor.arrange("open-prefab ", "save-scenes", "open-scenes Assets/Main.unity")
    assert (
        "C#"
        in error(session, "set_fields", path="LightingSettings", values={"bounces": 1})["message"]
    )


def test_the_icon_of_the_product_is_a_texture(session: Session, editor: HeadlessEditor) -> None:
    icon = "Assets/Icon.png"
    editor.arrange(f"world asset {icon}|Texture")
    answer = run(session, "set_fields", path="PlayerSettings", values={"icon": icon})
    assert changed(answer)["PlayerSettings.icon"]["path"] == icon
    file = "ProjectSettings/ProjectSettings.asset"
    assert answer["written"] == [file] and icon in (editor.project / file).read_text()
    for wrong in ("Assets/Data.asset", "Assets/Nothing.png", 7, None):
        refused = error(session, "set_fields", path="PlayerSettings", values={"icon": wrong})
        assert "the path of a texture" in refused["message"]


def test_wait_for_compares_a_member_of_settings(session: Session) -> None:
    run(session, "set_fields", path="ProjectSettings/Audio", values={"volume": 0.25})
    met = {"path": "ProjectSettings/Audio", "field": "volume", "value": 0.25, "within_ms": 2000}
    assert run(session, "wait_for", **met)["met"] is True
    never = {**met, "value": 1, "within_ms": 200}
    assert run(session, "wait_for", **never)["met"] is False


def test_a_scene_without_lighting_settings_has_none_to_read_or_set(session: Session) -> None:
    refused = error(session, "set_fields", path="LightingSettings", values={"lightmapper": 1})
    assert "no lighting settings of its own" in refused["message"] and "C#" in refused["message"]
    params = {"what": "object", "path": "LightingSettings"}
    answer = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)
    assert "no lighting settings of its own" in answer["error"]["message"]


def test_the_own_settings_of_a_build_profile_are_meant(
    session: Session, editor: HeadlessEditor
) -> None:
    profile = "Assets/Settings/Build Profiles/Windows.asset"
    before = value(session, "PlayerSettings", "companyName")
    editor.arrange("quirk build-profile", "quirk profile-settings")
    answer = run(session, "set_fields", path="PlayerSettings", values={"companyName": "Own"})
    editor.wait_for("settings-in-profile")
    assert any(f"build profile {profile} has its own" in remark for remark in answer["remarks"])
    assert value(session, "PlayerSettings", "companyName") == "Own"
    editor.arrange("no-quirk profile-settings")
    assert value(session, "PlayerSettings", "companyName") == before
    editor.arrange("no-quirk build-profile")


def test_a_member_that_is_near_is_named_only_if_it_can_be_set(session: Session) -> None:
    page = "ProjectSettings/Graphics"
    asset = {"renderPipelineAsset": "Assets/Data.asset"}
    refused = error(session, "set_fields", path=page, values=asset)
    assert refused["details"]["reason"] == "not_offered" and "run_csharp" in refused["message"]
    message = error(session, "set_fields", path=page, values={"renderPipeline": 1})["message"]
    assert "transparencySortMode" in message and "m_CustomRenderPipeline" not in message


def inspect_scenes(session: Session) -> List[Json]:
    answer = session.ask(
        "execute", tool_name="inspect", params={"what": "scenes"}, timeout_ms=30_000
    )
    return [item for item in answer["result"]["items"] if item["loaded"]]


@pytest.mark.parametrize(
    ("reason", "name"), [(reason, name) for reason, names in WOULD.items() for name in names]
)
def test_what_is_no_plain_value_is_refused_by_name_whatever_its_value(
    session: Session, editor: HeadlessEditor, reason: str, name: str
) -> None:
    page = (
        "Editor"
        if name.startswith(("m_S", "s", "cache", "m_Cache", "ext")) and "scripting" not in name
        else "Player"
    )
    editor.arrange(f"settings-field {OFFERED[page][0]}|{name}|String|string|as before")
    refused = error(
        session, "set_fields", path=f"ProjectSettings/{page}", values={name: {"no": "value"}}
    )
    assert refused["details"]["reason"] == reason and refused["details"]["field"].endswith(name)
    assert "C#" in refused["message"] and len(refused["message"]) <= 500


def test_nothing_else_that_unitys_sources_name_can_be_set(
    session: Session, editor: HeadlessEditor
) -> None:
    rows = [
        line.split("\t") for line in MEMBERS.read_text().splitlines() if not line.startswith("#")
    ]
    for page, name in rows:
        if name not in offered(page) and "." not in name:
            editor.command(f"settings-field {OFFERED[page][0]}|{name}|String|string|as before")
    editor.wait_until_idle()
    before = {page: json.dumps(shown(session, path_of(page), depth=6)) for page in OFFERED}
    editor.forget_history()
    refused = 0
    for page, name in rows:
        if name in offered(page):
            continue
        code = error(session, "set_fields", path=path_of(page), values={name: "another"})
        assert code["code"] in ("ERR_INVALID_PARAMS", "ERR_UNITY_EXECUTION"), (page, name, code)
        if "reason" in code["details"]:
            assert code["details"]["reason"] in WOULD, (page, name, code)
            refused += 1
    assert refused > 1000
    assert {page: json.dumps(shown(session, path_of(page), depth=6)) for page in OFFERED} == before
    assert not [line for line in editor.history if line.startswith(("dirty-settings", "wrote "))]


def offered(page: str) -> List[str]:
    return [*OFFERED[page][1].split(), *WITH_BLANKS]


def path_of(page: str) -> str:
    return page if page == "RenderSettings" else f"ProjectSettings/{page}"


MEMBERS = Path(__file__).with_name("settings_members.tsv")


def test_every_offered_member_is_one_that_unitys_sources_name() -> None:
    named = {tuple(line.split("\t")) for line in MEMBERS.read_text().splitlines()}
    ours = {
        "layerCollisions",
        "icon",
        "volume",
        "rolloffScale",
        "dopplerFactor",
        "haloStrength",
        "anisotropicFiltering",
    }
    # The page draws all fields of the object, so it names none.
    ours |= {name for name in OFFERED["Physics 2D"][1].split() if name.startswith("m_")}
    for page, (_, names) in OFFERED.items():
        known = (
            {name for listed, name in (row for row in named if len(row) == 2) if listed == page}
            | WITH_BLANKS
            | ours
        )
        assert [
            name
            for name in names.split()
            if name not in known and name not in ("Fixed", "Timestep")
        ] == []


def test_in_play_mode_only_the_speed_of_the_game_is_set_and_put_back(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("enter-play-without-reload")
    editor.command("play on")
    editor.wait_for("play on")
    refused = error(
        session, "set_fields", path="ProjectSettings/Physics", values={"gravity": [0, 0, 0]}
    )
    assert refused["details"]["reason"] == "playing"
    answer = run(session, "set_fields", path="ProjectSettings/Time", values={"timeScale": 0.25})
    assert (
        changed(answer) == {"Time.timeScale": 0.25}
        and "put back" in answer["remarks"][0]
        and "written" not in answer
    )
    run(session, "set_fields", path="ProjectSettings/Time", values={"timeScale": 0.5})
    editor.wait_for("time-scale 0.5")
    editor.command("play off")
    editor.wait_for("time-scale 1")


def test_a_page_that_is_not_there_names_those_that_are_and_tags_have_their_command(
    session: Session,
) -> None:
    message = error(session, "set_fields", path="ProjectSettings/Grafics", values={"x": 1})[
        "message"
    ]
    assert "ProjectSettings/Graphics" in message and "RenderSettings" in message
    message = error(
        session, "set_fields", path="ProjectSettings/TagManager", values={"layers[8]": "x"}
    )["message"]
    assert "tags adds" in message
    assert any(
        item.get("field") == "layers" for item in shown(session, "ProjectSettings/Tags and Layers")
    )


def test_what_unity_did_not_write_is_said_and_what_asks_is_refused(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk settings-not-saved-alone")
    answer = run(
        session, "set_fields", path="ProjectSettings/Time", values={"maximumDeltaTime": 0.1}
    )
    assert (
        "written" not in answer and answer["undo"] is False and "save_all" in answer["remarks"][0]
    )
    editor.arrange("no-quirk settings-not-saved-alone")
    for quirk in ("not-checked-out", "verify-saving-assets"):
        editor.arrange(f"quirk {quirk}")
        refused = error(
            session, "set_fields", path="ProjectSettings/Time", values={"maximumDeltaTime": 0.2}
        )
        assert refused["details"]["reason"] == "would_ask"
        editor.arrange(f"no-quirk {quirk}")


def test_a_batch_sets_no_settings_because_it_could_not_take_them_back(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "set_fields", path="ProjectSettings/Player", values={"companyName": "Before"})
    values = {"companyName": "Meanwhile"}
    steps = [
        {"name": "set_fields", "arguments": {"path": "ProjectSettings/Player", "values": values}}
    ]
    assert "a call of their own" in error(session, "batch", steps=steps)["message"]
    assert value(session, "ProjectSettings/Player", "companyName") == "Before"
    assert "Before" in (editor.project / "ProjectSettings" / "ProjectSettings.asset").read_text()
