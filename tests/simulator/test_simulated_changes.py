"""The commands that change what ``inspect`` shows, in the simulated editor (SPEC §16.5)."""

from __future__ import annotations

import itertools
import json
from typing import Any, Dict, List, Tuple

import pytest

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.plugin_commands import ALL
from unity_bridge.simulator.change import COMMANDS
from unity_bridge.simulator.job import filled_in
from unity_bridge.simulator.project import default_project
from unity_bridge.simulator.tools.inspect import Inspect

Json = Dict[str, Any]

# Another value for every field that inspect prints.
OTHER_VALUES: Json = {
    "m_LocalRotation": {"x": 1, "w": 0},
    "m_LocalPosition": {"x": 7},
    "m_LocalScale": {"x": 2, "y": 2, "z": 2},
    "speed": 5,
    "coyoteTime": 0.2,
    "carries": "Assets/Items/Torch.asset",
    "steps": [{"x": 1, "y": 2, "z": 3}],
    "near clip plane": 0.1,
    "far clip plane": 500,
    "field of view": 45,
    "orthographic": True,
    "m_Depth": 2,
    "m_Type": 1,
    "m_Color": {"g": 0.5},
    "m_SpotAngle": 45,
    "m_Intensity": 3,
    "m_Range": 1.5,
    "price": 13,
    "weight": 0.5,
}
KEPT_BY_UNITY = {"m_Script"}

_ids = itertools.count(1)


class Project:
    """The pretend project with its commands."""

    def __init__(self) -> None:
        self.editor = ManualEditor(default_project())

    def status(self, command: str, **arguments: Any) -> Json:
        return self.editor.ends(
            "run_command", f"job-{next(_ids)}", name=command, arguments=arguments
        )

    def run(self, command: str, **arguments: Any) -> Json:
        status = self.status(command, **arguments)
        assert status["state"] == "succeeded", status
        return dict(status["result"]["value"])

    def refused(self, command: str, **arguments: Any) -> str:
        before = self.everything()
        status = self.status(command, **arguments)
        assert status["state"] == "failed" and status["error"]["code"] == "ERR_INVALID_PARAMS", (
            status
        )
        assert self.everything() == before
        return str(status["error"]["message"])

    def inspect(self, what: str, **asked: Any) -> List[Json]:
        params = filled_in(Inspect.parameters, {"what": what, "limit": 1000, **asked})
        answer = Inspect(self.editor.process).answer(params)
        assert isinstance(answer, Ok), answer
        return list(answer.value["items"])

    def fields(self) -> List[Tuple[str, str, Any]]:
        """Path, key and value of everything that has one."""
        paths = [
            item["path"] for item in self.inspect("hierarchy", depth=40) if "scene" not in item
        ]
        paths += [
            item["path"] for item in self.inspect("assets") if item["path"].endswith(".asset")
        ]
        found = []
        for path in paths:
            for item in self.inspect("object", path=path):
                if "field" in item:
                    found.append((path, f"{item['component']}.{item['field']}", item["value"]))
                elif "enabled" in item:
                    found.append((path, f"{item['component']}.enabled", item["enabled"]))
        assert found
        return found

    def everything(self) -> str:
        return json.dumps(
            [self.fields(), self.inspect("hierarchy", depth=40), self.inspect("scenes")]
        )


@pytest.fixture
def project() -> Project:
    return Project()


def test_every_value_that_inspect_prints_can_be_sent_back_and_changes_nothing(
    project: Project,
) -> None:
    before = project.everything()
    for path, key, value in project.fields():
        assert project.run("set_fields", path=path, values={key: value}) == {
            "changed": [],
            "undo": True,
        }
    assert project.everything() == before


@pytest.mark.slow
def test_another_value_of_every_field_is_seen_and_undone_by_one_undo(project: Project) -> None:
    for path, key, value in project.fields():
        name = key.rpartition(".")[2]
        if name in KEPT_BY_UNITY:
            assert "cannot" in project.refused(
                "set_fields", path=path, values={key: "Assets/Items/Torch.asset"}
            )
            continue
        before = project.fields()
        other = (not value) if name == "enabled" else OTHER_VALUES[name]
        (row,) = project.run("set_fields", path=path, values={key: other})["changed"]
        seen = {(one, field): now for one, field, now in project.fields()}
        assert row["before"] == value and row["after"] == seen[path, key] != value
        assert project.status("menu", path="Edit/Undo")["state"] == "succeeded"
        assert project.fields() == before


def test_names_of_code_lead_to_unitys_fields(project: Project) -> None:
    answer = project.run(
        "set_fields", path="/Lanterns/Lantern", values={"Light.intensity": 2, "name": "Torch"}
    )
    assert answer["remarks"][0].startswith("/Lanterns/Lantern can mean several objects")
    assert answer["changed"] == [
        {"path": "Main/Lanterns/Torch", "field": "Light.m_Intensity", "before": 1.2, "after": 2},
        {
            "path": "Main/Lanterns/Torch",
            "field": "GameObject.m_Name",
            "before": "Lantern",
            "after": "Torch",
        },
    ]
    assert project.inspect("scenes")[0]["dirty"] is True


@pytest.mark.parametrize(
    ("path", "values", "why"),
    [
        (
            "Main/Player",
            {"PlayerMovement.speed": "fast"},
            'cannot be "fast". It is of type float and is 4.2',
        ),
        ("Main/Player", {"PlayerMovement.sped": 1}, "has no field 'sped'"),
        ("Main/Player", {"Light.intensity": 1}, "No component fits 'Light.intensity'"),
        ("Main/Player", {"PlayerMovement.carries": "Main/Player"}, "It is of type Item"),
        (
            "Main/Player",
            {"PlayerMovement.carries": "Assets/None.asset"},
            "There is no asset 'Assets/None.asset'",
        ),
        ("Main/Player", {"PlayerMovement.steps": [{"q": 1}]}, "It is of type Vector3"),
        ("Main/Player", {"Transform.m_LocalPosition": {"q": 1}}, "It is of type Vector3"),
        ("Main/Player", {"Transform.localPosition.x": "1"}, "It is of type float"),
        ("Main/Player", {"Transform.localPosition.q": 1}, "has no part 'q'"),
        ("Main/Player", {"PlayerMovement.speed": 9, "name": 9}, "GameObject.m_Name cannot be 9"),
        ("Assets/Items/Torch.asset", {"price": 1.5}, "It is of type int"),
        ("Main", {"name": "x"}, "this is a scene"),
        ("Main/Nobody", {"name": "x"}, "There is no 'Nobody'"),
        ("Main/Player", {}, "values names at least one field"),
    ],
)
def test_a_value_that_does_not_fit_refuses_the_whole_call(
    project: Project, path: str, values: Json, why: str
) -> None:
    message = project.refused("set_fields", path=path, values=values)
    assert why in message and message.endswith("Nothing was changed.")


def test_objects_come_go_and_move_and_each_call_is_one_undo(project: Project) -> None:
    before = project.inspect("hierarchy", depth=40)
    made = project.run("create_object", parent="/", name="Lamp", components=["Light"])
    assert [row["after"] for row in made["changed"]] == ["Main/Lamp", ["Transform", "Light"]]
    moved = project.run("move_object", path="/Lamp", parent="Main/Lanterns", index=0)
    assert [row["field"] for row in moved["changed"]] == ["path", "index"]
    project.run("add_component", path="/Lanterns/Lamp", component="BoxCollider")
    removed = project.run("remove_component", path="/Lanterns/Lamp", component="Light")
    assert removed["changed"][0]["after"] == ["Transform", "BoxCollider"]
    gone = project.run("delete_object", path="Main/Lanterns")
    assert gone["remarks"] == ["Deleted with it: 4 below it."]
    instance = project.run(
        "create_object", parent="Main", name="", prefab="Assets/Prefabs/Lantern.prefab"
    )
    assert instance["changed"][0]["after"] == "Main/Lantern"
    for _ in range(6):
        assert project.status("menu", path="Edit/Undo")["state"] == "succeeded"
    assert project.inspect("hierarchy", depth=40) == before
    assert project.status("menu", path="Edit/Undo")["state"] == "failed"


@pytest.mark.parametrize(
    ("command", "arguments", "why"),
    [
        ("create_object", {"parent": "Main", "name": ""}, "name is a text"),
        (
            "create_object",
            {"parent": "Main", "name": "x", "prefab": "Assets/Items/Torch.asset"},
            "is no prefab",
        ),
        (
            "create_object",
            {"parent": "Assets/Items/Torch.asset", "name": "x"},
            "has no objects below it",
        ),
        ("delete_object", {"path": "Assets/Items/Torch.asset"}, "not an object of a scene"),
        ("move_object", {"path": "Main/Player", "parent": "Main/Player/Hand"}, "below itself"),
        (
            "remove_component",
            {"path": "Main/Player", "component": "Transform"},
            "no component 'Transform' that can",
        ),
        (
            "remove_component",
            {"path": "Main/Player", "component": "Light"},
            "no component 'Light' that can be removed",
        ),
    ],
)
def test_a_refused_command_changes_nothing(
    project: Project, command: str, arguments: Json, why: str
) -> None:
    assert why in project.refused(command, **arguments)


def test_what_was_made_is_there_and_one_undo_takes_it_back(project: Project) -> None:
    before = project.inspect("hierarchy", depth=40)
    project.run(
        "create_object",
        kind="cube",
        components=["Rigidbody"],
        position=[1, 2, 3],
        rotation=[0, 90, 0],
    )
    assert project.inspect("hierarchy", query="t:Rigidbody")[0]["path"] == "Main/Cube"
    fields = {
        item["field"]: item["value"]
        for item in project.inspect("object", path="/Cube")
        if "field" in item
    }
    assert fields["m_LocalPosition"] == {"x": 1, "y": 2, "z": 3}
    assert fields["m_LocalRotation"] == {"x": 0, "y": 0.7071068, "z": 0, "w": 0.7071068}
    assert project.run("create_object", kind="cube")["changed"][0]["path"] == "Main/Cube (1)"
    assert (
        project.run("create_object", copy_of="Main/Player")["changed"][0]["path"]
        == "Main/Player (1)"
    )
    light = project.run("create_object", kind="spot_light", values={"Light.intensity": 3})[
        "changed"
    ][-1]
    assert (light["field"], light["before"], light["after"]) == ("Light.m_Intensity", 1, 3)
    for _ in range(4):
        assert project.status("menu", path="Edit/Undo")["state"] == "succeeded"
    assert project.inspect("hierarchy", depth=40) == before


def test_an_asset_is_made_and_no_undo_reaches_it(project: Project) -> None:
    answer = project.run(
        "create_asset", path="Assets/New/Red.mat", values={"color": {"g": 0, "b": 0}}
    )
    assert (answer["written"], answer["undo"]) == (["Assets/New", "Assets/New/Red.mat"], False)
    assert (
        project.inspect("object", path="Assets/New/Red.mat", query="_Color")[0]["value"]["g"] == 0
    )
    assert (
        project.status("create_asset", path="Assets/New/red.mat")["error"]["details"]["reason"]
        == "exists"
    )
    for path in ("Elsewhere/Red.mat", "Assets/../Red.mat"):
        assert "no path of such an asset" in project.refused("create_asset", path=path)


@pytest.mark.parametrize(
    ("color", "value"),
    [
        ("#FF0080", {"r": 1, "g": 0, "b": 0.5019608, "a": 1}),
        ("#ff008000", {"r": 1, "g": 0, "b": 0.5019608, "a": 0}),
        ([0, 1, 0], {"r": 0, "g": 1, "b": 0, "a": 1}),
    ],
)
def test_a_colour_may_be_text(project: Project, color: object, value: Json) -> None:
    project.run("create_asset", path="Assets/Red.mat", values={"color": color})
    assert project.inspect("object", path="Assets/Red.mat", query="_Color")[0]["value"] == value


def test_a_rotation_may_be_in_degrees(project: Project) -> None:
    project.run("set_fields", path="Main/Player", values={"Transform.localRotation": [0, 90, 0]})
    shown = project.inspect("object", path="Main/Player", query="Transform.m_LocalRotation")[0][
        "value"
    ]
    assert shown == {"x": 0, "y": 0.7071068, "z": 0, "w": 0.7071068}
    assert "cannot be" in project.refused(
        "set_fields", path="Main/Player", values={"Transform.localRotation": [0, "90", 0]}
    )


@pytest.mark.parametrize("color", ["red", "#FF00", "FF0000", "#FF00GG"])
def test_other_text_is_no_colour(project: Project, color: str) -> None:
    assert "cannot be" in project.refused(
        "create_asset", path="Assets/Red.mat", values={"color": color}
    )


def step(name: str, as_: str = "", /, **arguments: Any) -> Json:
    return {"name": name, "arguments": arguments, **({"as": as_} if as_ else {})}


def test_a_tag_is_one_of_the_project(project: Project) -> None:
    path, refused = (
        "Main/Player",
        project.status("set_fields", path="Main/Player", values={"tag": "Enemy"}),
    )
    assert "MainCamera" in refused["error"]["message"], refused
    assert project.run("set_fields", path=path, values={"tag": "Finish"})["changed"]


def test_a_step_of_undo_keeps_only_what_it_changed(project: Project) -> None:
    for number in range(20):
        project.run("create_object", name=f"Crate {number}", kind="cube")
    steps = project.editor.process.content.undo[-20:]
    kept = {id(blob): len(blob) for step in steps for blob in step.blobs}
    assert sum(kept.values()) < 2 * sum(map(len, steps[-1].blobs))


def test_a_batch_is_one_undo_and_refers_to_what_it_has_made(project: Project) -> None:
    before = project.inspect("hierarchy", depth=40)
    steps = [
        step("create_object", "shelf", name="Shelf"),
        step("move_object", path="$shelf", parent="Main/Lanterns"),
        step("create_object", "lamp", kind="point_light", parent="$shelf"),
        step("create_asset", "red", path="Assets/Red.asset", type="Item"),
        step("set_fields", path="Main/Player", values={"PlayerMovement.carries": {"$": "red"}}),
        step("select", paths=["$shelf", "$red"]),
    ]
    answer = project.run("batch", steps=steps)
    made = [
        {"as": "shelf", "path": "Main/Lanterns/Shelf"},
        {},
        {"as": "lamp", "path": "Main/Lanterns/Shelf/Point Light"},
    ]
    assert answer["steps"][:3] == made and answer["undo"] is False
    assert answer["changed"][-1]["after"]["path"] == "Assets/Red.asset"
    selected = [one["path"] for one in project.run("get_selection")["objects"]]
    assert selected == ["Main/Lanterns/Shelf", "Assets/Red.asset"]
    project.run("batch", steps=steps[:3])
    assert project.status("menu", path="Edit/Undo")["state"] == "succeeded"
    project.run("delete_object", path="Main/Lanterns/Shelf")
    assert project.inspect("hierarchy", depth=40) == before


def test_a_batch_that_fails_takes_everything_back(project: Project) -> None:
    before = project.everything()
    error = project.status(
        "batch", steps=[step("create_object", kind="cube"), step("delete_object", path="Main/X")]
    )
    details = error["error"]["details"]
    assert details["batch"] == {"step": 1, "name": "delete_object", "taken_back": 1, "stays": []}
    assert (details["execution_guarantee"], details["reason"]) == ("completed_error", "arguments")
    for steps, why in (
        ([], "1 to 200 steps"),
        ([step("ping")], "Step 0 is ping. A step is one of add_component, "),
        ([step("select", paths=["Main/Player", "$lamp"])], "no earlier step"),
        ([step("delete_object")], "path is missing"),
        ([step("delete_object", path="$lamp")], "no earlier step"),
    ):
        assert why in project.refused("batch", steps=steps)
    assert project.everything() == before


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("create_object", {"kind": "button"}),
        ("add_component", {"path": "Main/Player", "component": "Lamp"}),
        ("create_asset", {"path": "Assets/Hand.prefab", "from": "Main/Player"}),
        ("move_asset", {"path": "Assets/Items", "to": "Assets/Things"}),
        ("build_scenes", {"action": "add", "path": "Assets/Scenes/Cellar.unity"}),
        ("packages", {"action": "add", "packages": ["com.unity.ai.navigation"]}),
        ("press", {"keys": ["w"]}),
        ("profile", {}),
    ],
)
def test_what_the_table_does_not_have_is_not_simulated(
    project: Project, command: str, arguments: Json
) -> None:
    assert project.status(command, **arguments)["error"]["details"]["reason"] == "not_simulated"


def test_a_scene_is_created_saved_and_left(project: Project) -> None:
    project.run("create_object", kind="cube")
    refused = project.status("create_scene", path="Assets/Scenes/Next.unity")["error"]["details"]
    assert refused["reason"] == "unsaved_scenes"
    made = project.run("create_scene", path="Assets/Scenes/Next.unity", unsaved="save")
    assert [row["path"] for row in made["changed"][1:]] == [
        "Next/Main Camera",
        "Next/Directional Light",
    ]
    assert [item["path"] for item in project.inspect("hierarchy", depth=0)] == ["Next"]
    for path in ("Assets/Copy", "Assets/Copy.asset"):
        assert "a scene's ends with .unity" in project.refused("save_scene", path=path)
    project.run("save_scene", path="Assets/Scenes/Copy.unity")
    project.run("open_scene", path="Assets/Scenes/Copy.unity")
    assert "Copy/Main Camera" in [item["path"] for item in project.inspect("hierarchy")]


def test_what_the_game_changes_goes_with_play_mode(project: Project) -> None:
    before = project.inspect("hierarchy", depth=40)
    project.editor.process.player.enter()
    project.editor.main.run(5.0)
    project.run("delete_object", path="Main/Player")
    error = project.status("create_scene", path="Assets/Scenes/Next.unity")["error"]
    assert error["details"]["reason"] == "playing"
    project.editor.process.leave_play_mode()
    assert project.inspect("hierarchy", depth=40) == before


def test_an_asset_stays_unsaved_and_play_mode_is_remarked(project: Project) -> None:
    message = project.run("set_fields", path="Assets/Items/Torch.asset", values={"price": 4})
    assert message["remarks"] == [
        "Assets/Items/Torch.asset has unsaved changes. save_all saves it."
    ]
    project.editor.process.player.enter()
    project.editor.main.run(5.0)
    assert project.editor.process.player.is_playing
    message = project.run("set_fields", path="Main/Player", values={"active": False})
    assert "discards changes of scene objects when play mode ends" in message["remarks"][0]
    assert not project.inspect("scenes")[0]["dirty"]


def test_a_command_that_changes_something_is_never_joined() -> None:
    changing = {
        "press",
        "ui_click",
        "ui_text",
        "batch",
        *COMMANDS,
        *(n for n, one in ALL.items() if "Step" in one.flags),
    }
    assert {name for name in changing if ALL[name].is_joined} == {"select"}
