"""Calls as models and users of other bridges guess them, through a server to the package (SPEC §12.6, §16.5).

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

PROJECT = (
    "asset Assets|Folder",
    "object root|Assets/Main.unity|Root",
    "object lamp|root|Lamp|Light",
    "object bulb|lamp|Bulb|BoxCollider",
    "asset Assets/Data.asset|Data",
)


class Guess(NamedTuple):
    """``taught``: words of the refusal, which are enough to get the next call right; empty if the call runs."""

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
    Guess("create_object", {"name": "J", "rotation": "0,90,0"}, "rotation must be [x, y, z]"),
    Guess("create_object", {"name": "K", "scale": 2}, "scale must be [x, y, z]"),
    Guess("create_object", {"object_name": "L"}, "It is create_object(parent?, name?, kind?"),
    Guess("create_object", {"kind": "cubee"}, "The nearest are cube"),
    Guess("set_fields", {"path": "Root/Lamp", "values": {"Transform.localPosition": [1, 2, 3]}}),
    Guess("set_fields", {"target": "/Root/Lamp", "fields": {"active": False}}),
    Guess("set_fields", {"gameObject": "Root/Lamp", "properties": {"active": True}}),
    Guess("set_fields", {"object_path": "Main/Root/Lamp", "values": {"name": "Lamp"}}),
    Guess("set_fields", {"path": "A", "values": {"Transform.localScale": {"x": 2}}}),
    Guess("set_fields", {"path": "A", "values": {"Transform.position": [0, 0, 0]}}, "localPosition"),
    Guess("set_fields", {"path": "A", "values": {"localPosition": [0, 0, 0]}}, "A key is Component.field"),
    Guess("set_fields", {"path": "A", "field": "active", "value": True}, "set_fields(path, values)"),
    Guess("move_object", {"object": "Root/Lamp/Bulb", "new_parent": "Root"}),
    Guess("move_object", {"path": "Root/Bulb", "parent": "Root/Lamp"}),
    Guess("add_component", {"gameObject": "Root", "type": "BoxCollider"}),
    Guess("add_component", {"path": "Root", "componentType": "Light"}),
    Guess("add_component", {"path": "Root", "component": "Rigidboddy"}, "The nearest are Rigidbody"),
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
    Guess("open_scene", {"name": "Main"}, "It is open_scene(path"),
    Guess("menu", {"menu_path": "Tools/Build Levels"}),
    Guess("menu", {"menuItem": "Tools/Build Levels"}),
    Guess("menu", {"path": "Build Levels"}, "the nearest are Tools/Build Levels"),
    Guess("menu", {"path": "3D Object/Cube"}, "the nearest are GameObject/3D Object/Cube"),
    Guess("build_scenes", {"action": "List"}),
    Guess("list_assets", {"filter": "t:Material"}, "It is list_assets(query"),
    Guess("delete_object", {"target": "B"}),
    Guess("delete_object", {"name": "C"}, "It is delete_object(path)"),
    Guess("delete_object", {"path": "C"}),
)


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    port = free_port()
    with Agent(port) as client, HeadlessEditor(port) as editor:
        editor.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        (editor.project / "Assets").mkdir(exist_ok=True)
        client.wait_for_editor()
        yield client
        assert editor.violations() == []


def answered(agent: Agent, name: str, arguments: Dict[str, Any]) -> str:
    """The text of the refusal; empty if the command has run."""
    error = (agent.result("run_command", name=name, arguments=arguments).structured_content or {}).get("error")
    return "" if error is None else str(error["message"])


def test_guessed_arguments_run_as_meant_or_are_answered_with_the_right_ones(agent: Agent) -> None:
    wrong: List[Tuple[Guess, str]] = []
    for guess in GUESSES:
        said = answered(agent, guess.command, guess.arguments)
        if not (guess.taught in said if guess.taught else said == ""):
            wrong.append((guess, said))
    taken = sum(not guess.taught for guess in GUESSES)
    sys.stdout.write(f"{len(GUESSES)} calls with guessed arguments, {taken} meant to run; otherwise: {len(wrong)}\n")
    assert wrong == []


def test_guessed_commands_are_answered_with_the_right_one_and_never_with_a_wrong_one(agent: Agent) -> None:
    listed = agent.call("run_command", query="", max_bytes=1_000_000)["result"]["commands"]
    own = {command["name"] for command in listed} - set(COMMANDS_OF_THE_PLUGIN)
    guesses = {guess: means for guess, means in GUESSED_NAMES.items() if guess not in own}
    right, wrong = 0, []
    for guess, means in guesses.items():
        error = (agent.result("run_command", name=guess).structured_content or {})["error"]
        assert error["details"].get("unity", {}).get("reason") == "unknown_command", (guess, error)
        # The server's words, or else the package's own.
        named = error["details"].get("instead") or re.findall(r"[. ]([a-z_]+)\(", error["message"])
        wrong += [] if set(named) <= set(means) else [(guess, error["message"])]
        right += bool(named) == bool(means)
    sys.stdout.write(f"{right} of {len(guesses)} guessed names are answered rightly, {len(wrong)} wrongly\n")
    assert not wrong and right >= 0.8 * len(guesses) >= 0.8 * 120
