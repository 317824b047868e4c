"""Calls as models and users of other bridges guess them, through a server to the package (SPEC
§12.6, §16.5).

Names alone are asked without an editor too: ``tests/catalogue/test_synonyms.py``.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import pytest

pytest.importorskip("mcp_types", reason="the mcp package needs Python 3.10")

from tests.catalogue.guessed_names import GUESSED_NAMES
from tests.ports import free_port
from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.catalogue.plugin_commands import COMMANDS_OF_THE_PLUGIN
from unity_bridge.installation.package_copy import shipped_package

_ROWS = (shipped_package() / "Editor" / "Framework" / "NeighbourName.cs").read_text(
    encoding="utf-8"
)
# What the package carries out under another bridge's name.
CARRIED: Dict[str, str] = {
    name: command
    for command, names in re.findall(r'"(\w+)[^":]*: ([\w ]+)"', _ROWS)
    for name in names.split(" ")
}
PROJECT = (
    "asset Assets|Folder",
    "object root|Assets/Main.unity|Root",
    "object lamp|root|Lamp|Light",
    "object bulb|lamp|Bulb|BoxCollider",
    "asset Assets/Data.asset|Data",
)


def _spelt(name: str) -> str:
    """As the package reads a name of a command."""
    return re.sub("^unity_", "", re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_"))


class Guess(NamedTuple):
    """``taught``: words of the refusal, which are enough to get the next call right; empty if the
    call runs.
    """

    command: str
    arguments: Dict[str, Any]
    taught: str = ""


# In this order, in one editor.
GUESSES: Tuple[Guess, ...] = (
    Guess("create_object", {"name": "A", "primitive": "cube"}),
    Guess("create_object", {"name": "B", "primitiveType": "sphere"}),
    Guess("create_object", {"name": "C", "components": "Rigidbody"}),
    Guess("create_object", {"name": "D", "component": "Light"}),
    Guess("create_object", {"name": "E", "position": [1, 2, 3]}),
    Guess("create_object", {"name": "F", "position": {"x": 1, "y": 2, "z": 3}}),
    Guess("create_object", {"name": "G", "parent": "Root"}),
    Guess("create_object", {"name": "H", "parentPath": "Root/Lamp"}),
    Guess("create_object", {"name": "I", "Position": [0, 1, 0], "Scale": [2, 2, 2]}),
    Guess("create_object", {"name": "J", "rotation": "0,90,0"}),
    Guess("create_object", {"name": "J1", "rotation": "0,90"}, "rotation must be [x, y, z]"),
    Guess("create_object", {"name": "K", "scale": 2}, "scale must be [x, y, z]"),
    Guess("create_object", {"object_name": "L"}),
    Guess("create_object", {"nmae": "L"}, "The nearest is name"),
    Guess("create_object", {"kind": "cubee"}, "The nearest are cube"),
    Guess("create_object", {"kind": "terrain"}, "run_csharp"),
    Guess("create_object", {"kind": "Directional Light", "name": "Sun"}),
    Guess("create_object", {"path": "/Root/Lamp/M", "kind": "cube"}),
    Guess("create_object", {"path": "/Nobody/M", "kind": "cube"}, "Nobody"),
    Guess("create_object", {"name": "N", "look_at": [0, 0, 5]}),
    Guess("create_object", {"name": "O", "look_at": "Nobody"}, "Nobody"),
    Guess("create_object", {"kind": "cube", "name": "P", "size": [2, 2, 2]}, "size may be scale"),
    Guess(
        "create_object", {"kind": "cube", "name": "P", "coler": "red"}, "coler was taken as one of"
    ),
    Guess("create_object", {"name": "P", "components": {"Light": {"intensity": 2}}}),
    Guess(
        "create_object",
        {
            "components": [{"type": "Rigidbody", "properties": {"mass": 2}}, "Light"],
            "values": {"Light.intensity": 2},
            "name": "P1",
        },
    ),
    Guess(
        "create_object",
        {"components": [{"type": "Light", "range": 2}], "values": {"Light": {"range": 3}}},
        "components[0] must be string",
    ),
    Guess("create_object", {"name": "P2", "components": {"Light": False}}, "must be string"),
    Guess("set_fields", {"path": "Root/Lamp", "values": {"Transform.localPosition": [1, 2, 3]}}),
    Guess("set_fields", {"target": "/Root/Lamp", "fields": {"active": False}}),
    Guess("set_fields", {"gameObject": "Root/Lamp", "properties": {"active": True}}),
    Guess("set_fields", {"object_path": "Main/Root/Lamp", "values": {"name": "Lamp"}}),
    Guess("set_fields", {"path": "A", "values": {"Transform.localScale": {"x": 2}}}),
    Guess("set_fields", {"path": "A", "values": {"Transform.position": [0, 0, 0]}}),
    Guess("set_fields", {"path": "A", "values": {"localPosition": [0, 0, 1]}}),
    Guess("set_fields", {"path": "A", "values": {"Transform": {"localPosition": [0, 0, 0]}}}),
    Guess(
        "set_fields",
        {"path": "A", "values": {"Transform": {"nothing": 1}}},
        "has no field 'nothing'",
    ),
    Guess("set_fields", {"path": "A", "values": {"enabled": False}}, "Write one of"),
    Guess("set_fields", {"path": "A", "values": {"Collider.enabled": False}}),
    Guess("set_fields", {"path": "A", "field": "active", "value": True}),
    Guess("set_fields", {"path": "A", "position": [1, 1, 1], "active": True}),
    Guess("set_fields", {"path": "A", "values": {"rotation": [0, 0, 0, 1]}}),
    Guess("set_fields", {"path": "A", "values": {"rotation": [0, 0]}}, "[x, y, z, w]"),
    Guess(
        "set_fields",
        {"path": "A", "values": {"forward": [0, 0, 0]}},
        "not all of its numbers are 0",
    ),
    Guess("set_fields", {"path": "A", "values": {"layer": "Water"}}),
    Guess("set_fields", {"path": "A", "values": {"layer": "Lava"}}, "a layer of the project"),
    Guess("set_fields", {"path": "A", "values": {"tag": "Lava"}}, "tags action=add"),
    Guess("set_fields", {"path": "A", "values": {"colour": "red"}}, "No component fits 'colour'"),
    Guess("set_fields", {"path": "A", "values": {"color": "red"}}, "Renderer.sharedMaterial"),
    Guess("set_fields", {"path": "Bulb", "values": {"active": True}}),
    Guess(
        "set_fields",
        {"path": "/Bulb", "values": {"active": True}},
        "There is 'Main/Root/Lamp/Bulb'",
    ),
    Guess(
        "set_fields", {"path": "bulb", "values": {"active": True}}, "There is 'Main/Root/Lamp/Bulb'"
    ),
    Guess("set_fields", {"path": "InputManager", "values": {"fog": True}}, "run_csharp"),
    Guess("move_object", {"object": "Root/Lamp/Bulb", "new_parent": "Root"}),
    Guess("move_object", {"path": "Root/Bulb", "parent": "Root/Lamp"}),
    Guess("add_component", {"gameObject": "Root", "type": "BoxCollider"}),
    Guess("add_component", {"path": "Root", "componentType": "Light"}),
    Guess(
        "add_component", {"path": "Root", "component": "Rigidboddy"}, "The nearest are Rigidbody"
    ),
    Guess("remove_component", {"target": "Root", "component_name": "Light"}),
    Guess("select", {"paths": "Root"}),
    Guess("select", {"path": "/Root"}),
    Guess("select", {"gameObject": "Root"}),
    Guess("create_asset", {"path": "Assets/Red.mat"}),
    Guess("create_asset", {"asset_path": "Assets/Blue.mat"}),
    Guess("create_asset", {"path": "Assets/New"}),
    Guess("create_asset", {"path": "Assets/Root.prefab", "source": "/Root"}),
    Guess("create_asset", {"path": "Assets/A.prefab", "gameObject": "A"}),
    Guess("create_asset", {"path": "Materials/Green.mat"}, "Assets"),
    Guess("copy_asset", {"source": "Assets/Data.asset", "destination": "Assets/Data2.asset"}),
    Guess("move_asset", {"path": "Assets/Data2.asset", "newPath": "Assets/Data3.asset"}),
    Guess("delete_asset", {"asset": "Assets/Data3.asset"}),
    Guess("open_scene", {"name": "Main"}, "There is no scene Main"),
    Guess("menu", {"menu_path": "Tools/Build Levels"}),
    Guess("menu", {"menuItem": "Tools/Build Levels"}),
    Guess("menu", {"path": "Build Levels"}, "the nearest are Tools/Build Levels"),
    Guess("menu", {"path": "3D Object/Cube"}, "the nearest are GameObject/3D Object/Cube"),
    Guess("build_scenes", {"action": "List"}),
    Guess("list_assets", {"filter": "t:Material"}),
    Guess("copy_asset", {"path": "Assets/Data.asset", "to": "Assets/New/"}),
    Guess(
        "copy_asset",
        {"path": "Assets/Data.asset", "to": "Assets/New"},
        "There is Assets/New already",
    ),
    Guess(
        "add_component",
        {"path": "Root", "component": "Rigidbody", "values": {"nothing": 1}},
        "No component fits",
    ),
    Guess("delete_object", {"target": "B"}),
    Guess("delete_object", {"name": "C"}),
    Guess("delete_object", {"path": "C"}, "There is no object 'C'"),
    Guess("delete_object", {"path": "Bulb"}, "There is 'Main/Root/Lamp/Bulb'"),
    Guess("delete_asset", {"path": "Data"}, "Assets/Data.asset"),
    Guess("wait_for", {"path": "A", "field": "BoxCollider.enabled"}, "value is missing"),
    Guess("unpack_prefab", {"path": "Root/Lamp"}, "is a part of an instance. Unpack its root"),
)

# Another bridge's name of a command, its arguments there, and words of the refusal if they do not
# fit.
CARRIED_OUT: Tuple[Guess, ...] = (
    Guess("unity_create_gameobject", {"name": "N1", "parent": "Root"}),
    Guess("unity_create_primitive", {"type": "Cube", "name": "N2"}),
    Guess("unity_clone_gameobject", {"name": "N2", "newName": "N3"}),
    Guess("unity_create_light", {"name": "N4"}),
    Guess("unity_create_camera", {"name": "N5", "position": {"x": 0, "y": 5, "z": -10}}),
    Guess("unity_create_canvas", {"name": "N6"}),
    Guess(
        "unity_create_ui_element", {"type": "Button", "name": "N7", "parent": "N6", "text": "Play"}
    ),
    Guess("unity_create_particle_system", {"name": "N8"}),
    Guess(
        "unity_instantiate_prefab",
        {"path": "Assets/Root.prefab", "position": {"x": 5, "y": 0, "z": 0}},
    ),
    Guess("unity_set_gameobject_transform", {"name": "N2", "position": {"x": 0, "y": 1, "z": 0}}),
    Guess("unity_set_gameobject_active", {"name": "N2", "active": False}),
    Guess("unity_set_gameobject_tag", {"name": "N2", "tag": "Player"}),
    Guess("unity_set_gameobject_layer", {"name": "N2", "layer": "Water"}),
    Guess(
        "unity_set_component_property",
        {"gameObject": "N4", "component": "Light", "property": "intensity", "value": 2},
    ),
    Guess("unity_set_rect_transform", {"name": "N2", "anchorMin": {"x": 0}}, "anchorMin"),
    Guess("unity_configure_rigidbody", {"gameObject": "N2", "mass": 1}, "mass"),
    Guess("unity_configure_camera", {"name": "N5", "nearClipPlane": 1}),
    Guess(
        "set_transform",
        {"path": "N2", "position": [0, 0, 0], "rotation": [0, 90, 0], "scale": [2, 2, 2]},
    ),
    Guess("scale_gameobject", {"path": "N2", "scale": [1, 1, 1]}),
    Guess("update_gameobject", {"path": "N2", "tag": "Player", "active": True}),
    Guess("duplicate_gameobject", {"path": "N2"}),
    Guess("select_gameobject", {"path": "N2"}),
    Guess("gameobject-create", {"name": "N9"}),
    Guess("gameobject-component-add", {"path": "N9", "component": "Light"}),
    Guess("editor-selection-get", {}),
    Guess("console-clear-logs", {}),
    Guess("batch_execute", {"commands": [{"tool": "create_object", "params": {"name": "N10"}}]}),
    Guess("set_active", {"target": "N10", "value": True}),
    Guess("set_layer", {"path": "N10", "layer": "Water"}),
    Guess("set_tag", {"path": "N10", "tag": "Player"}),
    Guess("set_property", {"path": "N9", "component": "Light", "property": "range", "value": 3}),
    Guess("rename_object", {"path": "N10", "new_name": "N11"}),
    Guess("set_parent", {"child": "N11", "parent": "N9"}),
    Guess("reparent_gameobject", {"objectPath": "N9/N11", "newParent": "/"}),
    Guess(
        "gameobject-set-parent",
        {"path": "N11", "parent": "N9", "worldPositionStays": True},
        "it takes no argument worldPositionStays",
    ),
    Guess("assign_material", {"objectPath": "N2", "materialPath": "Assets/Red.mat"}),
    Guess("set_material", {"target": "N2", "material": "Assets/Blue.mat"}),
    Guess(
        "set_reference",
        {
            "target": "N2",
            "component_type": "MeshRenderer",
            "property": "sharedMaterial",
            "reference_asset_path": "Assets/Red.mat",
        },
    ),
    Guess("duplicate_object", {"path": "N2", "new_name": "N12"}),
    Guess("duplicate_object", {"path": "N2", "count": 3}, "batch makes several"),
    Guess("click_button", {"path": "N7"}, "not in play mode"),
    Guess("click_ui_element", {"path": "N7"}, "not in play mode"),
)


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    port = free_port()
    with Agent(port) as client, HeadlessEditor(
        port, held=["quirk ugui", "quirk unity-fields"]
    ) as editor:
        editor.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        (editor.project / "Assets").mkdir(exist_ok=True)
        client.wait_for_editor()
        yield client
        assert editor.violations() == []


def answered(agent: Agent, name: str, arguments: Dict[str, Any]) -> str:
    """The text of the refusal; empty if the command has run."""
    error = (
        agent.result("run_command", name=name, arguments=arguments).structured_content or {}
    ).get("error")
    return "" if error is None else str(error["message"])


def test_guessed_arguments_run_as_meant_or_are_answered_with_the_right_ones(agent: Agent) -> None:
    wrong: List[Tuple[Guess, str]] = []
    for guess in GUESSES:
        said = answered(agent, guess.command, guess.arguments)
        if not (guess.taught in said if guess.taught else said == ""):
            wrong.append((guess, said))
    taken = sum(not guess.taught for guess in GUESSES)
    sys.stdout.write(
        f"{len(GUESSES)} calls with guessed arguments, {taken} meant to run; otherwise: {len(wrong)}\n"
    )
    assert wrong == []


def test_other_bridges_names_are_carried_out_and_listed_no_further_than_here(agent: Agent) -> None:
    wrong = []
    for guess in CARRIED_OUT:
        said = answered(agent, guess.command, guess.arguments)
        if not (guess.taught in said if guess.taught else said == ""):
            wrong.append((guess, said))
    assert wrong == []
    tried = {_spelt(guess.command) for guess in CARRIED_OUT}
    assert tried == set(CARRIED)


def test_guessed_commands_are_answered_with_the_right_one_and_never_with_a_wrong_one(
    agent: Agent,
) -> None:
    listed = agent.call("run_command", query="", max_bytes=1_000_000)["result"]["commands"]
    own = {command["name"] for command in listed} - set(COMMANDS_OF_THE_PLUGIN)
    guesses = {
        guess: means
        for guess, means in GUESSED_NAMES.items()
        if guess not in own | set(COMMANDS_OF_THE_PLUGIN)
    }
    right, wrong = 0, []
    for guess, means in guesses.items():
        error = (agent.result("run_command", name=guess).structured_content or {}).get("error") or {
            "details": {}
        }
        carried = CARRIED.get(_spelt(guess))
        if carried is not None:
            wrong += [] if carried in means else [(guess, carried)]
            right += 1
            continue
        assert error["details"].get("unity", {}).get("reason") == "unknown_command", (guess, error)
        # The server's words, or else the package's own.
        named = error["details"].get("instead") or re.findall(r"[. ]([a-z_]+)\(", error["message"])
        wrong += [] if set(named) <= set(means) else [(guess, error["message"])]
        right += bool(named) == bool(means)
    sys.stdout.write(
        f"{right} of {len(guesses)} guessed names are answered rightly, {len(wrong)} wrongly\n"
    )
    assert not wrong and right >= 0.8 * len(guesses) >= 0.8 * 120
