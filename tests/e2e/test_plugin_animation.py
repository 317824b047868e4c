"""Animator controllers and clips: made, changed and shown in one set of words (SPEC §16.9)."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List

import pytest

from tests.e2e.test_plugin_make import error, run, status_of
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

CONTROLLER = "Assets/Hero.controller"
CLIP = "Assets/Walk.anim"
GRAPH: Json = {
    "transitions": [
        {"from": "Idle", "to": "Walk", "conditions": [["Speed", ">", 0.1]]},
        {"from": "Walk", "to": "Idle", "conditions": [["Speed", "<", 0.1]], "duration": 0},
        {"from": "Any State", "to": "Jump", "conditions": ["Jump"]},
        {"from": "Jump", "to": "Exit"},
    ],
    "states": [
        {"name": "Idle"},
        {"name": "Walk", "motion": "Walk", "speed": 1.5},
        {"name": "Jump"},
    ],
    "parameters": [
        {"name": "Speed", "type": "float", "default": 0.5},
        {"name": "Jump", "type": "Trigger"},
    ],
    "default_state": "Walk",
}


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        headless.arrange(
            "world asset Assets|Folder",
            "world asset Assets/Data.asset|Data",
            "world asset Assets/Hero.png|Data",
            "dirty-assets Assets/Data.asset",
        )
        (headless.project / "Assets").mkdir(exist_ok=True)
        yield headless
        headless.command("serialized")
        assert headless.wait_for(r"serialized (\d+)").group(1) == "0"
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    return server.ready_session()


def shown(session: Session, path: str) -> Json:
    params = {"what": "object", "path": path, "page_size": 100}
    answer = session.ask("execute", tool_name="inspect", params=params)
    rows: List[Json] = answer["result"]["items"]
    return {row["field"]: row["value"] for row in rows if "field" in row}


def text_of(editor: HeadlessEditor, path: str) -> List[str]:
    return (editor.project / path).read_text().splitlines()


def undo_stack(editor: HeadlessEditor) -> str:
    editor.command("undo-stack")
    return editor.wait_for(r"undo-stack (\d+)").group(1)


def test_a_controller_is_made_whole_with_every_part_in_its_file(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path=CLIP)
    editor.forget_history()
    result = status_of(session, "create_asset", {"path": CONTROLLER, "values": GRAPH})["result"]
    answer = result["value"]
    assert answer["undo"] is False and answer["written"] == [CONTROLLER]
    assert undo_stack(editor) == "0", "no Undo step takes parts out of the file"
    assert "Walk was taken as Assets/Walk.anim." in result["remarks"]
    assert not [line for line in editor.history if "save-assets" in line]
    written = text_of(editor, CONTROLLER)
    assert not [line for line in written if "fileID: 0" in line and " to exit" not in line]
    parts = [line for line in written if line.startswith("part ")]
    assert len(parts) == 1 + 3 + 4 and all("HideInHierarchy" in part for part in parts)
    graph = shown(session, CONTROLLER)
    assert graph["parameters"] == [
        {"name": "Speed", "type": "Float", "default": 0.5},
        {"name": "Jump", "type": "Trigger"},
    ]
    assert [(state["name"], state["speed"]) for state in graph["states"]] == [
        ("Idle", 1),
        ("Walk", 1.5),
        ("Jump", 1),
    ]
    assert graph["states"][1]["motion"]["path"] == CLIP
    assert graph["default_state"] == "Walk"
    by_name = {f"{row['from']} -> {row['to']}": row for row in graph["transitions"]}
    assert by_name["Any State -> Jump"]["conditions"] == [["Jump", "trigger"]]
    assert by_name["Jump -> Exit"]["has_exit_time"] is True
    assert by_name["Idle -> Walk"]["conditions"] == [["Speed", ">", 0.1]]
    assert (by_name["Walk -> Idle"]["duration"], by_name["Idle -> Walk"]["duration"]) == (0, 0.25)
    # What is shown is taken again, and changes nothing.
    assert run(session, "set_fields", path=CONTROLLER, values=graph)["changed"] == []


def test_names_that_are_there_are_changed_and_null_removes_with_all_that_leads_there(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path=CONTROLLER)
    states: Json = {"Idle": {}, "Walk": {}, "Jump": {}}
    run(session, "set_fields", path=CONTROLLER, values={**GRAPH, "states": states})
    before = [line for line in text_of(editor, CONTROLLER) if line.startswith("state Walk")]
    answer = run(session, "set_fields", path=CONTROLLER, values={"states": {"Walk": {"speed": 2}}})
    assert [row["field"] for row in answer["changed"]] == ["states Walk"]
    assert answer["changed"][0]["after"]["speed"] == 2
    after = [line for line in text_of(editor, CONTROLLER) if line.startswith("state Walk")]
    assert before == after, "the same part, so nothing that refers to it breaks"
    removed = run(session, "set_fields", path=CONTROLLER, values={"states": {"Walk": None}})
    assert {row["field"] for row in removed["changed"]} == {
        "states Walk",
        "default_state",
        "transitions Idle -> Walk",
        "transitions Walk -> Idle",
    }
    graph = shown(session, CONTROLLER)
    assert graph["default_state"] == "Idle" and len(graph["states"]) == 2
    parts = [line for line in text_of(editor, CONTROLLER) if line.startswith("part ")]
    assert len(parts) == 1 + 2 + 2, "no part is left that nothing refers to"
    run(
        session,
        "set_fields",
        path=CONTROLLER,
        values={"transitions": {"from": "Any State", "to": "Jump", "remove": True}},
    )
    names = [row["from"] for row in shown(session, CONTROLLER)["transitions"]]
    assert names == ["Jump"]


def test_a_state_in_a_new_layer_makes_the_layer(session: Session, editor: HeadlessEditor) -> None:
    run(session, "create_asset", path=CONTROLLER, values={"states": {"Idle": {}}})
    states = [{"name": "Wave", "layer": "Arms"}, {"name": "Rest", "layer": "Arms"}]
    arguments = {"path": CONTROLLER, "values": {"states": states}}
    remarks = status_of(session, "set_fields", arguments)["result"]["remarks"]
    assert remarks == ["The layer Arms is new, with weight 1."]
    run(
        session,
        "set_fields",
        path=CONTROLLER,
        values={"transitions": [{"from": "Wave", "to": "Rest"}]},
    )
    assert shown(session, CONTROLLER)["transitions"][0]["layer"] == "Arms"
    assert not [line for line in text_of(editor, CONTROLLER) if "fileID: 0" in line]


@pytest.mark.parametrize(
    "values, words",
    [
        ({"states": [{"name": "A"}, {"name": "A"}]}, "A twice"),
        ({"states": [{"name": "A.b"}]}, "no dot or slash"),
        ({"states": [{"name": "A", "motion": "Assets/None.anim"}]}, "motion"),
        ({"states": [{"name": "A", "spede": 1}]}, "no part 'spede'"),
        ({"states": {"Gone": None}}, "is not there. There are Idle, Run"),
        ({"parameters": [{"name": "X"}]}, "must have a type"),
        ({"parameters": [{"name": "X", "type": "Vector"}]}, "one of Float, Int, Bool, Trigger"),
        ({"parameters": {"Speed": None}}, "parameter Speed, which is not there"),
        ({"parameters": {"Speed": "Bool"}}, "in a way that Bool does not have"),
        ({"default_state": "Fly"}, "state Fly, which is not there"),
        ({"transitions": [{"from": "Idle", "to": "Fly"}]}, "Fly, which is not there"),
        (
            {"transitions": [{"from": "Run", "to": "Idle", "conditions": [["Jump", ">", 1]]}]},
            "parameter Jump, which is not there",
        ),
        (
            {"transitions": [{"from": "Run", "to": "Idle", "conditions": [["Speed", "true"]]}]},
            "in a way that Float does not have",
        ),
        (
            {"transitions": [{"from": "Run", "to": "Idle", "conditions": [["Speed", "?", 1]]}]},
            "[parameter, sign, value]",
        ),
        (
            {"transitions": [{"from": "Run", "to": "Idle", "has_exit_time": False}]},
            "needs conditions or has_exit_time",
        ),
        ({"transitions": [{"from": "Entry", "to": "Run", "duration": 1}]}, "conditions alone"),
    ],
)
def test_everything_is_checked_before_the_first_change(
    refusals: Session, values: Json, words: str
) -> None:
    before = shown(refusals, CONTROLLER)
    refusal = error(refusals, "set_fields", path=CONTROLLER, values=values)
    assert words in refusal["message"] and refusal["message"].endswith("Nothing was changed.")
    assert shown(refusals, CONTROLLER) == before


@pytest.fixture(scope="module")
def refusals() -> Iterator[Session]:
    """One editor for all that changes nothing."""
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        editor.arrange("world asset Assets|Folder")
        (editor.project / "Assets").mkdir(exist_ok=True)
        editor.wait_until_idle()
        session = server.ready_session()
        values = {
            "parameters": {"Speed": "Float"},
            "states": {"Idle": {}, "Run": {}},
            "transitions": [{"from": "Idle", "to": "Run", "conditions": [["Speed", ">", 1]]}],
        }
        run(session, "create_asset", path=CONTROLLER, values=values)
        run(session, "create_asset", path=CLIP)
        yield session


def test_a_clip_has_curves_and_sprites_that_were_checked(
    session: Session, editor: HeadlessEditor
) -> None:
    values: Json = {
        "frame_rate": 12,
        "loop": True,
        "curves": [
            {"path": "Body", "field": "localPosition.y", "keys": [[0, 0], [0.5, 1], [1, 0]]},
            {"field": "localEulerAngles.z", "keys": [[0, 0], [1, 360]]},
            {"component": "SpriteRenderer", "field": "color.a", "keys": [[0, 1], [1, 0]]},
            {"component": "GameObject", "field": "active", "keys": [[0, True], [1, False]]},
        ],
    }
    editor.command("kept-objects")
    kept = editor.wait_for(r"kept-objects (-?\d+)").group(1)
    answer = run(session, "create_asset", path=CLIP, values=values)
    assert answer["undo"] is False and answer["written"] == [CLIP]
    clip = shown(session, CLIP)
    assert (clip["frame_rate"], clip["loop"]) == (12, True)
    assert [
        (row["path"], row["component"], row["field"], len(row["keys"])) for row in clip["curves"]
    ] == [
        ("Body", "Transform", "m_LocalPosition.y", 3),
        ("", "Transform", "localEulerAnglesRaw.z", 2),
        ("", "SpriteRenderer", "m_Color.a", 2),
        ("", "GameObject", "m_IsActive", 2),
    ]
    assert "Body|Transform|m_LocalPosition.y" in text_of(editor, CLIP)
    assert run(session, "set_fields", path=CLIP, values=clip)["changed"] == []
    removed = run(
        session,
        "set_fields",
        path=CLIP,
        values={"curves": {"field": "m_Color.a", "component": "SpriteRenderer", "remove": True}},
    )
    assert [row["after"] for row in removed["changed"]] == [None]
    assert undo_stack(editor) == "0"
    editor.forget_history()
    editor.command("kept-objects")
    assert editor.wait_for(r"kept-objects (-?\d+)").group(1) == kept, "the probe is gone"


@pytest.mark.parametrize(
    "values, words",
    [
        ({"curves": [{"field": "hight", "keys": [[0, 0]]}]}, "m_LocalPosition"),
        ({"curves": [{"field": "localScale.x", "keys": [[1, 0], [0, 1]]}]}, "each later"),
        ({"curves": [{"field": "localScale.x", "keys": []}]}, "each later"),
        ({"curves": [{"component": "Nothing", "field": "x", "keys": [[0, 0]]}]}, "no component"),
        ({"frame_rate": 0}, "more than 0"),
        ({"sprites": {"frames": [[0, "Assets/None.png"]]}}, "sprites"),
    ],
)
def test_a_clip_takes_nothing_that_unity_would_show_as_missing(
    refusals: Session, values: Json, words: str
) -> None:
    before = shown(refusals, CLIP)
    refusal = error(refusals, "set_fields", path=CLIP, values=values)
    assert words in refusal["message"] and refusal["message"].endswith("Nothing was changed.")
    assert shown(refusals, CLIP) == before


def test_a_clip_that_is_recorded_or_legacy_is_left_alone(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path=CLIP)
    editor.arrange("quirk animation-mode")
    assert "previews" in error(session, "set_fields", path=CLIP, values={"loop": True})["message"]
    editor.arrange("no-quirk animation-mode", "quirk legacy-clips")
    assert "legacy" in error(session, "set_fields", path=CLIP, values={"loop": True})["message"]
    refusal = error(
        session,
        "create_asset",
        path=CONTROLLER,
        values={"states": {"Walk": CLIP}},
    )
    assert "legacy" in refusal["message"] and not (editor.project / CONTROLLER).exists()


def test_a_batch_that_fails_takes_a_controller_back(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path=CONTROLLER, values={"states": {"Idle": {}}})
    before = text_of(editor, CONTROLLER)
    editor.arrange(f"person-animates blends {CONTROLLER}")
    steps = [
        {
            "name": "set_fields",
            "arguments": {"path": CONTROLLER, "values": {"states": {"Run": {}}}},
        },
        {"name": "delete_object", "arguments": {"path": "Nothing"}},
    ]
    error(session, "batch", steps=steps)
    (idle,) = (line for line in text_of(editor, CONTROLLER) if line.startswith("state"))
    assert idle.endswith("plays Blend"), "what a person had not saved yet is there"
    assert len(text_of(editor, CONTROLLER)) == len(before) + 1


def test_what_a_call_does_not_name_stays_as_a_person_left_it(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path=CLIP)
    states: Json = {"Idle": {}, "Walk": {"motion": CLIP}}
    parameters = {"Speed": "Float"}
    values: Json = {"states": states, "parameters": parameters}
    run(session, "create_asset", path=CONTROLLER, values=values)
    editor.arrange(f"person-animates nests {CONTROLLER}")
    run(session, "delete_asset", path=CLIP)
    graph = shown(session, CONTROLLER)
    assert (graph["default_state"], graph["states"][1]["motion"]) == ("Deep", None)
    answer = run(
        session,
        "set_fields",
        path=CONTROLLER,
        values={"states": [{"name": "Idle", "speed": 2}, graph["states"][1]]},
    )
    assert [row["field"] for row in answer["changed"]] == ["states Idle"]
    assert shown(session, CONTROLLER)["default_state"] == "Deep", "it is in a machine below"
    (walk,) = (line for line in text_of(editor, CONTROLLER) if line.startswith("state Walk"))
    assert walk.endswith("plays Walk"), "a clip that is missing may come back"


def test_a_parameter_that_a_blend_tree_reads_is_not_removed(
    session: Session, editor: HeadlessEditor
) -> None:
    values: Json = {"states": {"Move": {}, "Idle": {}}, "parameters": {"Speed": "Float"}}
    run(session, "create_asset", path=CONTROLLER, values=values)
    editor.arrange(f"person-animates blends {CONTROLLER}")
    for parameter in (None, "Int"):
        removal = {"parameters": {"Speed": parameter}}
        refusal = error(session, "set_fields", path=CONTROLLER, values=removal)
        assert "BlendTree Blend" in refusal["message"]
    tree = {"path": CONTROLLER, "name": "Blend"}
    run(session, "set_fields", path=CONTROLLER, values={"states": {"Idle": {"motion": tree}}})
    run(session, "set_fields", path=CONTROLLER, values={"states": {"Move": None}})
    assert shown(session, CONTROLLER)["states"][0]["motion"]["name"] == "Blend", "both play it"
    run(session, "set_fields", path=CONTROLLER, values={"states": {"Idle": None}})
    run(session, "set_fields", path=CONTROLLER, values={"parameters": {"Speed": None}})
    assert shown(session, CONTROLLER)["parameters"] == []


def test_a_key_that_is_there_keeps_the_tangents_of_a_person(
    session: Session, editor: HeadlessEditor
) -> None:
    keys = [[0, 0], [0.5, 1], [1, 0]]
    curve = {"path": "Body", "field": "localPosition.y", "keys": keys}
    run(session, "create_asset", path=CLIP, values={"curves": [curve]})
    assert "key 0 0 in 0 out 2" in text_of(editor, CLIP), "linear"
    editor.arrange(f"person-animates eases {CLIP}")
    clip = shown(session, CLIP)
    assert run(session, "set_fields", path=CLIP, values=clip)["changed"] == []
    assert text_of(editor, CLIP).count("key 0.5 1 in 2 out 3") == 1
    clip["curves"][0]["keys"][2] = [1, 4]
    run(session, "set_fields", path=CLIP, values={"curves": clip["curves"]})
    written = [line for line in text_of(editor, CLIP) if line.startswith("key")]
    assert written == ["key 0 0 in 2 out 3", "key 0.5 1 in 2 out 3", "key 1 4 in 6 out 0"]
