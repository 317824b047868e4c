"""The simulated editor and the package answer the same calls with the same members and the same
names of fields.

``tests/simulator/test_twins.py`` compares their arguments.
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, Mapping, Set, Tuple

import pytest

from tests.scripted_server import ScriptedServer
from tests.simulator.manual_editor import ManualEditor, answer_of
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.result import Err
from unity_bridge.simulator.project import default_project
from unity_bridge.simulator.tools import JOBS, READS

Json = Dict[str, Any]
Call = Tuple[str, Json]

MAIN = "Assets/Scenes/Main.unity"
# What the pretend project has, as far as the calls look at it.
PROJECT = (
    "asset Assets|Folder",
    "asset Assets/Items|Folder",
    f"object camera|{MAIN}|Main Camera|Camera",
    f"object player|{MAIN}|Player|BoxCollider",
    "object hand|player|Hand",
    f"object lanterns|{MAIN}|Lanterns",
    *(f"object lantern{n}|lanterns|Lantern|Light" for n in range(3)),
    *(
        f"field lantern0|1|{field}"
        for field in (
            "m_Type|Integer|int|2",
            "m_Color|Color|Color|1,1,1,1",
            "m_Range|Float|float|6.5",
            "m_SpotAngle|Float|float|30",
        )
    ),
    "inactive lantern1",
    f"object gate|{MAIN}|Old Gate|missing",
    "prefab Assets/Prefabs/Lantern.prefab|Lantern",
    "asset Assets/Items/Lantern.asset|Data",
    "field Assets/Items/Lantern.asset|0|price|Integer|int|12",
    "field Assets/Items/Lantern.asset|0|weight|Float|float|0.45",
    f"build {MAIN}|true",
    "select player",
)


def command(name: str, /, **arguments: Any) -> Call:
    return "run_command", {"name": name, "arguments": arguments}


def step(name: str, as_: str = "", /, **arguments: Any) -> Json:
    return {"name": name, "arguments": arguments, **({"as": as_} if as_ else {})}


def inspect(what: str, **asked: Any) -> Call:
    return "inspect", {"what": what, **asked}


# By tool, what only the simulator says: its picture is none of this moment, which it gives as the
# reason.
SIMULATORS: Mapping[str, Set[str]] = {"screenshot": {"result.reason"}}
# The type of the same asset, in the pretend project and in the stub of Unity.
ITEM = ("Keep.Items.Item.", "Game.Data.")
LANTERN = "Main/Lanterns/Lantern"
CALLS: Tuple[Call, ...] = (
    inspect("scenes"),
    inspect("hierarchy", depth=4),
    inspect("hierarchy", query="t:Light", limit=1, depth=4),
    inspect("hierarchy", query="Light"),
    inspect("object", path=LANTERN, query="Light"),
    inspect("object", path=LANTERN, query="Light.m_Intensity"),
    inspect("object", path="Main/Old Gate"),
    inspect("object", path="Assets/Items/Lantern.asset"),
    inspect("object", path="Main/Nobody"),
    inspect("assets", path="Assets/Items"),
    inspect("assets", query="*.png"),
    inspect("selection"),
    ("run_command", {"query": "delete_object"}),
    command("no_such_command"),
    command("ping"),
    command("ping", loud=True),
    command("list_scenes"),
    command("list_assets", query="Lantern", limit=1),
    command("get_selection"),
    command("select", paths=[LANTERN, "Assets/Items/Lantern.asset"]),
    command("select", paths=["Main/Nobody"]),
    inspect("selection"),
    command(
        "set_fields", path=LANTERN, values={"GameObject.active": False, "GameObject.tag": "Player"}
    ),
    command(
        "set_fields", path=LANTERN, values={"Light.intensity": 2, "Transform.localPosition.x": 9}
    ),
    command(
        "set_fields",
        path="Main/Lanterns/Lantern[1]",
        values={"GameObject.name": "Lamp", "Light.enabled": False},
    ),
    command("set_fields", path="Assets/Items/Lantern.asset", values={"price": 13}),
    command("set_fields", path=LANTERN, values={"Light.intensity": "much"}),
    command("set_fields", path="Main/Player", values={"GameObject.active": True}),
    command("create_object", parent="Main/Player", name="Sword", components=["BoxCollider"]),
    command("create_object", parent="Main/Player", prefab="Assets/Prefabs/Lantern.prefab"),
    command("add_component", path="Main/Player/Sword", component="Light"),
    command("remove_component", path="Main/Player/Sword", component="BoxCollider"),
    command("remove_component", path="Main/Player", component="Transform"),
    command("move_object", path="Main/Player/Sword", parent="/", index=0),
    command("move_object", path="Main/Player", parent="Main/Player/Hand"),
    command("delete_object", path="Main/Lanterns"),
    inspect("hierarchy", depth=4),
    command("create_object", kind="cube", components=["Rigidbody"], position=[1, 2, 3]),
    command(
        "create_object",
        kind="Cube",
        values={"name": "Box", "Transform.localScale.x": 2},
        rotation=[0, 90, 0],
    ),
    command("create_object", copy_of="Main/Player"),
    command("create_object", kind="cube", prefab="Assets/Prefabs/Lantern.prefab"),
    command("create_object", parent="Main"),
    command("create_asset", path="Assets/New/Deep"),
    command(
        "create_asset",
        path="Assets/New/Red.mat",
        values={"color": {"r": 1, "g": 0, "b": 0, "a": 1}},
    ),
    command("create_asset", path="Assets/New/Red.mat"),
    command(
        "batch",
        steps=[
            step("create_object", "box", kind="cube"),
            step("set_fields", path="$box", values={"name": "A"}),
        ],
    ),
    command(
        "batch",
        steps=[step("create_object", kind="cube"), step("delete_object", path="Main/Nobody")],
    ),
    command("batch", steps=[step("delete_object", path="$nobody")]),
    command("batch", steps=[step("ping")]),
    command("batch", steps=[]),
    command("save_scene", path="Assets/Scenes/Copy.unity"),
    command("save_scene"),
    command("create_scene", path="Assets/Scenes/Next.unity", additive=True),
    command("build_scenes"),
    command("open_scene", path="Assets/Scenes/Nowhere.unity"),
    command("list_scenes"),
    command("save_all"),
    command("menu", path="Assets/Nothing"),
    ("read_console", {}),
    command("clear_console"),
    command("list_tests"),
    ("screenshot", {"max_size": 64}),
    ("play_mode", {"action": "resume"}),
    ("compile", {}),
)


class Simulated:
    """The pretend project."""

    def __init__(self) -> None:
        self._editor = ManualEditor(default_project())
        self._ids = itertools.count(1)

    def call(self, tool: str, params: Json) -> Json:
        if tool in JOBS:
            return self._editor.ends(tool, f"J{next(self._ids)}", **params)
        answer = answer_of(READS[tool](self._editor.process), params)
        return (
            {"error": answer.error.as_json()}
            if isinstance(answer, Err)
            else {"result": answer.value}
        )


class Package:
    """The package in a headless editor."""

    def __init__(self, server: ScriptedServer) -> None:
        self._session = server.ready_session()
        self._ids = itertools.count(1)

    def call(self, tool: str, params: Json) -> Json:
        if tool in READS:
            return dict(
                self._session.ask("execute", tool_name=tool, params=params, timeout_ms=30_000)
            )
        job_id = f"twin-{next(self._ids)}"
        answer = self._session.submit(job_id, tool=tool, **params)
        assert answer["status"] == "accepted", answer
        while True:
            status = self._session.job(job_id)
            if status["state"] not in ("queued", "running"):
                return dict(status)


@pytest.fixture(scope="module")
def package() -> Iterator[Package]:
    with ScriptedServer() as server, HeadlessEditor(server.port, held=["quirk ugui"]) as editor:
        (editor.project / MAIN).parent.mkdir(parents=True)
        editor.arrange(
            "log warning careful", f"open-scenes {MAIN}", *(f"world {line}" for line in PROJECT)
        )
        editor.wait_until_idle()
        yield Package(server)


def members(value: Any, at: str = "") -> Set[str]:
    """Return the places of all members, and the names of fields. The values of fields are the
    project's.
    """
    if isinstance(value, list):
        return set().union(*(members(one, at + "[]") for one in value))
    if not isinstance(value, dict):
        return set()
    here = {f"{at}.{name}" for name in value}
    if "field" in value:
        return here | {f"{at}: {value.get('path', '')} {value['field'].replace(*ITEM)}"}
    return here.union(*(members(one, f"{at}.{name}") for name, one in value.items()))


def shape(answer: Json) -> Set[str]:
    error = answer.get("error") or {}
    return (
        members(answer.get("result"), "result")
        | members(error.get("details"), "details")
        | {str(error.get("code"))}
    )


def test_answers_have_the_same_members(package: Package) -> None:
    simulated, differences = Simulated(), []
    for tool, params in CALLS:
        ours, theirs = shape(simulated.call(tool, params)), shape(package.call(tool, params))
        if ours - SIMULATORS.get(tool, set()) != theirs:
            only = f"only the simulator has {sorted(ours - theirs)}, only the package {sorted(theirs - ours)}"
            differences.append(f"{tool} {params}: {only}")
    assert not differences, "\n".join(differences)
