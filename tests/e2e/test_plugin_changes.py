"""The commands that change what ``inspect`` shows, in the plugin: one editor with one project for
the whole file.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Dict, Iterator, List, Optional

import pytest

from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

ENEMY = "Main/Root/Enemy"

PROJECT = (
    "object root|Assets/Main.unity|Root|Light",
    "object first|root|Child|BoxCollider",
    "object enemy|root|Enemy|Enemy,missing,BoxCollider,BoxCollider",
    "object other|Assets/Clean.unity|Elsewhere",
    "asset Assets/Data.asset|Data",
    "asset Assets/More.asset|Data",
    "part Assets/More.asset|Inner",
    "asset Packages/fixed/Data.asset|Data",
    "asset Assets/Picture.png|Data",
    "field Assets/Data.asset|0|price|Integer|int|12",
    "field Assets/Data.asset|0|owner|ObjectReference|PPtr<$GameObject>|",
    "field Assets/Data.asset|0|m_TargetAssemblyTypeName|String|string|Game.Enemy, Game",
    "field Packages/fixed/Data.asset|0|price|Integer|int|12",
    "field Assets/Picture.png|0|width|Integer|int|12",
    "field enemy|1|speed|Float|float|0.1",
    "field enemy|1|exact|Float|double|0.1000000000000000055",
    "field enemy|1|nan|Float|float|NaN",
    "field enemy|1|endless|Float|float|Infinity",
    "field enemy|1|small|Integer|byte|7",
    "field enemy|1|count|Integer|int|7",
    "field enemy|1|big|Integer|long|9007199254740993",
    "field enemy|1|huge|Integer|ulong|18446744073709551615",
    "field enemy|1|mask|LayerMask|LayerMask|5",
    "field enemy|1|angry|Boolean|bool|true",
    "field enemy|1|title|String|string|Orc",
    "field enemy|1|words|String|string|long 3000",
    "field enemy|1|letter|Character|char|x",
    "field enemy|1|mode|Enum|Enum|1;Red,Green",
    "field enemy|1|flags|Enum|Enum|6;A=2,B=4,C=8",
    "field enemy|1|target|ObjectReference|PPtr<$GameObject>|first",
    "field enemy|1|data|ObjectReference|PPtr<$Data>|Assets/Data.asset",
    "field enemy|1|inner|ObjectReference|PPtr<$Data>|Assets/More.asset Inner",
    "field enemy|1|nothing|ObjectReference|PPtr<$Data>|",
    "field enemy|1|gone|ObjectReference|PPtr<$GameObject>|deleted",
    "field enemy|1|box|ObjectReference|PPtr<$BoxCollider>|",
    "field enemy|1|tint|Color|Color|1,0.5,0,1",
    "field enemy|1|two|Vector2|Vector2|1,2",
    "field enemy|1|three|Vector3|Vector3|1,2,3",
    "field enemy|1|four|Vector4|Vector4|1,2,3,4",
    "field enemy|1|turn|Quaternion|Quaternion|0,0,0,1",
    "field enemy|1|rect|Rect|Rect|1,2,3,4",
    "field enemy|1|bounds|Bounds|Bounds|1,2,3,4,5,6",
    "field enemy|1|whole2|Vector2Int|Vector2Int|1,2",
    "field enemy|1|whole3|Vector3Int|Vector3Int|1,2,3",
    "field enemy|1|wholeRect|RectInt|RectInt|1,2,3,4",
    "field enemy|1|wholeBounds|BoundsInt|BoundsInt|1,2,3,4,5,6",
    "field enemy|1|hash|Hash128|Hash128|0123456789abcdef0123456789abcdef",
    "field enemy|1|curve|AnimationCurve|AnimationCurve|",
    "field enemy|1|long|AnimationCurve|AnimationCurve|30",
    "field enemy|1|ramp|Gradient|Gradient|",
    "field enemy|1|layers|RenderingLayerMask|RenderingLayerMask|-1",
    "field enemy|1|entity|EntityId|EntityId|first",
    "field enemy|1|nobody|EntityId|EntityId|",
    "field enemy|1|guid|GUID|GUID|0123456789abcdef0123456789abcdef",
    "field enemy|1|loaded|LoadableObjectId|LoadableObjectId|",
    "field enemy|1|stats|Generic|Stats|",
    "field enemy|1|stats.hp|Integer|int|7",
    "field enemy|1|stats.more|Generic|More|",
    "field enemy|1|stats.more.deep|Generic|Deep|",
    "field enemy|1|stats.more.deep.last|Integer|int|1",
    "field enemy|1|points|Array|int|30",
    "field enemy|1|names|Items|string|String:a,b",
    "field enemy|1|drops|Items|Drop|Generic:2:hp=Integer int 3;name=String string gold",
    "field enemy|1|friends|Items|PPtr<$GameObject>|ObjectReference:first,",
    "field enemy|1|none|ManagedReference|managedReference<Spell>|",
    "field enemy|1|anything|ManagedReference|managedReference<object>|",
    "field enemy|1|lost|ManagedReference|managedReference<Spell>|9 ",
    "field enemy|1|spell|ManagedReference|managedReference<Spell>|7 UnityEngine Game.Spell",
    "field enemy|1|spell.power|Integer|int|3",
    "field enemy|1|spell.next|ManagedReference|managedReference<Spell>|7 UnityEngine Game.Spell",
    "field enemy|1|book|Items|managedReference<Spell>|ManagedReference:7 UnityEngine Game.Spell",
    "field enemy|1|orders|Items|Order|Generic:1:cost=Integer int 3"
    ";effect=ManagedReference managedReference<Spell> 8 UnityEngine Game.Spell"
    ";more.deep=ManagedReference managedReference<Spell> 8 UnityEngine Game.Spell",
    "field enemy|1|secret|Integer|int|1",
    "mark enemy|1|secret|hidden",
    "field enemy|1|fixed|Integer|int|1",
    "mark enemy|1|fixed|readonly",
    "field enemy|1|clamped|Float|float|1",
    "mark enemy|1|clamped|most 5",
    "prefab Assets/Tank.prefab|Tank",
    "object barrel|Assets/Tank.prefab|Barrel|Light",
    "field barrel|1|caliber|Integer|int|88",
    "field barrel|1|serial|Integer|int|1",
    "mark barrel|1|serial|locked",
    "instance tank|Assets/Main.unity|Assets/Tank.prefab",
    "prefab Assets/Model.fbx|Model",
    "field Assets/Model.fbx|0|scale|Integer|int|1",
)

# For every field that inspect prints of the enemy: another value of its type.
OTHER_VALUES: Json = {
    "speed": 2.5,
    "exact": 0.25,
    "nan": 1,
    "endless": "-Infinity",
    "small": 255,
    "count": -3,
    "big": "9007199254740995",
    "huge": 5,
    "mask": 2**32 - 1,
    "angry": False,
    "title": "",
    "words": "short",
    "letter": "é",
    "mode": "Red",
    "flags": 10,
    "target": {"path": "Main/Root"},
    "data": {"path": "Assets/More.asset"},
    "inner": "Assets/Data.asset",
    "nothing": "Assets/Data.asset",
    "gone": None,
    "box": "Main/Root/Child",
    "tint": {"a": 0.5},
    "two": {"x": 7, "y": 8},
    "three": {"x": 7, "y": 8, "z": 9},
    "four": {"w": 7},
    "turn": {"x": 1, "w": 0},
    "rect": {"width": 30},
    "bounds": {"extents": {"z": 9}},
    "whole2": {"x": 9},
    "whole3": {"z": -9},
    "wholeRect": {"height": 9},
    "wholeBounds": {"size": {"x": 9}},
    "hash": "ff" * 16,
    "curve": [{"time": 0, "value": 3}],
    "long": [{"time": 1, "value": 2, "in_tangent": 1, "out_tangent": -1}, {"time": 2, "value": 0}],
    "ramp": {"mode": "Fixed", "alphas": [{"time": 0, "alpha": 1}, {"time": 1, "alpha": 0}]},
    "layers": 3,
    "entity": None,
    "nobody": "Main/Root/Child",
    "guid": "fe" * 16,
    "stats": {"hp": 8, "more": {"deep": {"last": 2}}},
    "points": [5, 6],
    "names": ["a", "c", "d"],
    "drops": [{"hp": 4}],
    "friends": [None, "Main/Root"],
    "none": {"$type": "Game.Fireball", "power": 9, "heat": 2.5},
    "anything": {"$type": "Game.Potion"},
    "lost": None,
    "spell": {"power": 4},
    "book": [{"$id": 7}, {"$type": "Game.Fireball"}],
    "orders": [{"cost": 4}, {"effect": {"$type": "Game.Fireball", "power": 9}}],
    "clamped": 4,
}
# What cannot be set: a person cannot, either.
NOT_TO_BE_SET = {"m_Script", "fixed", "loaded"}

_ids = itertools.count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port, held=["scene Assets/Main.unity"]) as headless:
        (headless.project / "Assets").mkdir(exist_ok=True)
        (headless.project / "Assets/Tank.prefab").write_text("%YAML")
        world(headless, *PROJECT)
        server.ready_session()
        yield headless
        headless.command("serialized")
        assert headless.wait_for(r"serialized (\d+)").group(1) == "0", (
            "each serialized object was disposed of"
        )
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    editor.forget_history()
    return server.open_session()


def world(editor: HeadlessEditor, *lines: str) -> None:
    # They happen in the next update.
    editor.arrange(*(f"world {line}" for line in lines))
    editor.wait_until_idle()


def status_of(session: Session, command: str, arguments: Json) -> Json:
    job_id = f"change-{next(_ids)}"
    answer = session.submit(job_id, tool="run_command", name=command, arguments=arguments)
    assert answer["status"] == "accepted"
    (server,) = (session,)
    while True:
        status = server.job(job_id)
        if status["state"] not in ("queued", "running"):
            return dict(status)


def run(session: Session, command: str, **arguments: Any) -> Json:
    status = status_of(session, command, arguments)
    assert status["state"] == "succeeded", status["error"]
    return dict(status["result"]["value"])


def refusal(session: Session, command: str, **arguments: Any) -> str:
    """Why nothing was changed; and nothing was."""
    before = everything(session)
    status = status_of(session, command, arguments)
    assert status["state"] == "failed", status
    assert status["error"]["code"] == "ERR_INVALID_PARAMS"
    assert everything(session) == before
    return str(status["error"]["message"])


def set_fields(session: Session, path: str, values: Json) -> Json:
    return run(session, "set_fields", path=path, values=values)


def changed(answer: Json) -> Dict[str, Any]:
    return {row["field"]: (row["before"], row["after"]) for row in answer["changed"]}


def read(session: Session, what: str, **params: Any) -> List[Json]:
    answer = session.ask(
        "execute", tool_name="inspect", params={"what": what, **params}, timeout_ms=30_000
    )
    assert answer["type"] == "result" and answer["status"] == "ok", answer
    return list(answer["result"]["items"])


def shown(session: Session, path: str, query: Optional[str] = None, depth: int = 6) -> Json:
    """The fields of an object by ``Component.field``, and its head."""
    asked = {
        "path": path,
        "depth": depth,
        "limit": 1000,
        **({} if query is None else {"query": query}),
    }
    items = read(session, "object", **asked)
    fields = {
        f"{item['component']}.{item['field']}": item["value"] for item in items if "field" in item
    }
    return {**fields, **(items[0] if "name" in items[0] else {})}


def everything(session: Session) -> str:
    """All that can be seen of the project."""
    items = read(session, "hierarchy", depth=40, limit=1000)
    objects = [shown(session, item["path"]) for item in items if "scene" not in item]
    assets = [
        shown(session, path)
        for path in ("Assets/Data.asset", "Assets/Tank.prefab", "Assets/Tank.prefab/Barrel")
    ]
    return json.dumps([items, objects, assets])


def undo(editor: HeadlessEditor, name: str) -> None:
    editor.command("undo")
    assert editor.wait_for(r"undone (.*?)( \(bridge \d+\))?$").group(1) == name


# Fields.


def test_every_field_that_inspect_prints_can_be_sent_back_and_changes_nothing(
    session: Session,
) -> None:
    before = everything(session)
    for depth in (0, 1, 2, 6):
        for path in (
            ENEMY,
            "Main/Root",
            "Main/Tank/Barrel",
            "Assets/Data.asset",
            "Assets/Tank.prefab/Barrel",
        ):
            for item in read(session, "object", path=path, depth=depth, limit=1000):
                if "field" in item:
                    answer = set_fields(
                        session, path, {f"{item['component']}.{item['field']}": item["value"]}
                    )
                    assert answer == {"changed": [], "undo": True}, item
    assert everything(session) == before


def test_the_head_of_an_object_can_be_sent_back_and_changes_nothing(session: Session) -> None:
    head = read(session, "object", path=ENEMY)[0]
    values = {name: head[name] for name in ("name", "active", "tag", "layer", "static")}
    assert set_fields(session, ENEMY, values) == {"changed": [], "undo": True}
    assert set_fields(session, ENEMY, {"Enemy.enabled": True}) == {"changed": [], "undo": True}


def test_the_values_of_this_test_are_those_of_every_field(session: Session) -> None:
    fields = {
        item["field"]
        for item in read(session, "object", path=ENEMY, query="Game.Enemy")
        if "field" in item
    }
    assert fields == set(OTHER_VALUES) | NOT_TO_BE_SET


@pytest.mark.parametrize("field", OTHER_VALUES)
def test_another_value_is_seen_by_inspect_and_undone_by_one_undo(
    session: Session, editor: HeadlessEditor, field: str
) -> None:
    before = shown(session, ENEMY)
    answer = set_fields(session, ENEMY, {f"Enemy.{field}": OTHER_VALUES[field]})
    after = shown(session, ENEMY)
    name = f"Game.Enemy.{field}"
    assert [row["field"] for row in answer["changed"]] == [name]
    assert changed(answer)[name] == (before[name], after[name]) and before[name] != after[name]
    others = {key for key in before if before[key] != after[key]} - {name}
    # The book and the spells share one object, which every reference to it shows.
    assert others <= (
        {f"Game.Enemy.{one}" for one in ("spell", "book")} if field in ("spell", "book") else set()
    )
    assert set_fields(session, ENEMY, {f"Enemy.{field}": after[name]}) == {
        "changed": [],
        "undo": True,
    }, "what it shows now fits too"
    undo(editor, "Set fields of Enemy")
    assert shown(session, ENEMY) == before


def test_names_of_code_lead_to_unitys_fields_and_the_answer_has_unitys(
    session: Session, editor: HeadlessEditor
) -> None:
    values = {"Light.intensity": 2, "Light.enabled": False, "Transform.localPosition": {"x": 1}}
    answer = set_fields(session, "/Root", values)
    assert [row["field"] for row in answer["changed"]] == [
        "Light.m_Intensity",
        "Light.m_Enabled",
        "Transform.m_LocalPosition",
    ]
    assert answer["changed"][0] == {
        "path": "Main/Root",
        "field": "Light.m_Intensity",
        "before": 1.5,
        "after": 2,
    }
    assert "remarks" not in answer
    undo(editor, "Set fields of Root")
    assert shown(session, "Main/Root", "Light")["Light.m_Intensity"] == 1.5


def test_one_number_of_a_vector_or_color_is_set(session: Session, editor: HeadlessEditor) -> None:
    answer = set_fields(session, ENEMY, {"Transform.localPosition.x": 9, "Enemy.tint.a": 0.5})
    assert changed(answer) == {
        "Transform.m_LocalPosition.x": (0.1, 9),
        "Game.Enemy.tint.a": (1, 0.5),
    }
    assert "remarks" not in answer, "they are as visible as the vector"
    assert shown(session, ENEMY, "Transform")["Transform.m_LocalPosition"] == {
        "x": 9,
        "y": 0,
        "z": -16777216,
    }
    undo(editor, "Set fields of Enemy")


def test_an_object_is_renamed_tagged_and_switched_off(
    session: Session, editor: HeadlessEditor
) -> None:
    values = {
        "name": "Orc",
        "active": False,
        "tag": "Player",
        "GameObject.layer": "Water",
        "static": True,
    }
    answer = set_fields(session, ENEMY, values)
    assert {row["path"] for row in answer["changed"]} == {"Main/Root/Orc"} and len(
        answer["changed"]
    ) == 5
    head = read(session, "object", path="Main/Root/Orc")[0]
    assert (head["name"], head["active"], head["tag"], head["static"]) == (
        "Orc",
        False,
        "Player",
        True,
    )
    assert head["layer"] == "Water"
    undo(editor, "Set fields of Enemy")
    head = read(session, "object", path=ENEMY)[0]
    assert (head["active"], head["tag"], head["layer"], head["static"]) == (
        True,
        "Untagged",
        "Default",
        False,
    )


def test_an_object_is_found_by_its_id_and_a_part_of_a_field_by_its_path(
    session: Session, editor: HeadlessEditor
) -> None:
    one = read(session, "object", path=ENEMY)[0]["id"]
    other = read(session, "object", path="Main/Root/Child")[0]["id"]
    values = {
        "Enemy.points[3]": 99,
        "Enemy.drops[1].hp": 8,
        "Enemy.spell.power": 5,
        "Enemy.target": {"id": other},
    }
    answer = set_fields(session, one, values)
    assert changed(answer) == {
        "Game.Enemy.points[3]": (3, 99),
        "Game.Enemy.drops[1].hp": (3, 8),
        "Game.Enemy.spell.power": (3, 5),
    }, "the reference was the same already"
    undo(editor, "Set fields of Enemy")
    assert shown(session, ENEMY, "Enemy.points[3]") == {"Game.Enemy.points[3]": 3}


def test_a_component_that_is_meant_among_several_is_named(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = set_fields(session, "Main/Root", {"Light.intensity": 3})
    undo(editor, "Set fields of Root")
    world(
        editor,
        "object twins|root|Twins|Enemy,Rival.Enemy,Enemy",
        "field twins|1|speed|Float|float|1",
    )
    assert "can mean several components: Game.Enemy, Rival.Enemy" in refusal(
        session, "set_fields", path="Main/Root/Twins", values={"Enemy.enabled": False}
    )
    answer = set_fields(
        session, "Main/Root/Twins", {"Game.Enemy[1].enabled": False, "Rival.Enemy.enabled": False}
    )
    assert set(changed(answer)) == {"Game.Enemy[1].m_Enabled", "Rival.Enemy.m_Enabled"}
    world(editor, "destroy twins")


def test_a_path_that_can_mean_several_objects_means_the_first_and_says_so(
    session: Session, editor: HeadlessEditor
) -> None:
    world(editor, "object one|root|Twin", "object two|root|Twin")
    said = [
        "Main/Root/Twin can mean several objects: the first was changed, and not Main/Root/Twin[1]."
    ]
    assert set_fields(session, "Main/Root/Twin", {"tag": "Player"})["remarks"] == said
    assert "remarks" not in set_fields(session, "Main/Root/Twin[0]", {"tag": "Untagged"})
    assert set_fields(session, "Main/Root/Twin", {"tag": "Untagged"}) == {
        "changed": [],
        "undo": True,
    }
    several = "Main/Root/Twin can mean Main/Root/Twin[0], Main/Root/Twin[1]."
    assert several in refusal(session, "delete_object", path="Main/Root/Twin")
    run(session, "delete_object", path="Main/Root/Twin[0]")
    for name in ("Delete Twin", "Set fields of Twin", "Set fields of Twin"):
        undo(editor, name)
    world(editor, "destroy one", "destroy two")


def test_a_field_that_refers_to_a_component_takes_the_object_that_has_it(
    session: Session, editor: HeadlessEditor
) -> None:
    first = set_fields(session, ENEMY, {"Enemy.box": {"path": ENEMY}})
    assert changed(first)["Game.Enemy.box"][1] == {
        "type": "BoxCollider",
        "name": "Enemy",
        "path": ENEMY,
    }
    second = set_fields(session, ENEMY, {"Enemy.box": {"path": ENEMY, "type": "BoxCollider[1]"}})
    assert len(second["changed"]) == 1
    assert set_fields(session, ENEMY, {"Enemy.box": {"path": ENEMY, "type": "BoxCollider[1]"}}) == {
        "changed": [],
        "undo": True,
    }
    undo(editor, "Set fields of Enemy")
    undo(editor, "Set fields of Enemy")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (
            {"Enemy.speed": "fast"},
            'Game.Enemy.speed must be a number, not "fast". It is of type float and is 0.1 now.',
        ),
        ({"Enemy.speed": 1e300}, "a number that a float can hold"),
        ({"Enemy.speed": None}, "must be a number, not null"),
        (
            {"Enemy.small": 256},
            "must be a whole number from 0 to 255, not 256. It is of type byte and is 7 now.",
        ),
        ({"Enemy.count": 1.5}, "not 1.5"),
        ({"Enemy.count": "7,5"}, 'not "7,5"'),
        ({"Enemy.huge": -1}, "from 0 to 18446744073709551615"),
        (
            {"Enemy.angry": 1},
            "must be true or false, not 1. It is of type Boolean and is true now.",
        ),
        ({"Enemy.title": 3}, "must be a text, not 3"),
        ({"Enemy.letter": "xy"}, "one character"),
        (
            {"Enemy.mode": "Blue"},
            'must be one of Red, Green, not "Blue". It is of type Enum and is "Green" now.',
        ),
        ({"Enemy.mode": 7}, "or a number made of their values"),
        ({"Enemy.flags": 16}, "or a number made of their values"),
        ({"Enemy.tint": {"q": 1}}, "has no part 'q'; it has r, g, b, a"),
        ({"Enemy.three": [1, 2]}, "must be [x, y, z], not [1,2]"),
        ({"Enemy.three": [1, 2, "c"]}, 'Game.Enemy.three.z must be a number, not "c"'),
        ({"Enemy.three": {"x": "1,5"}}, 'Game.Enemy.three.x must be a number, not "1,5"'),
        ({"Enemy.whole2": {"x": 1.5}}, "whole2.x must be a whole number"),
        ({"Enemy.hash": "xyz"}, "32 hexadecimal digits"),
        ({"Enemy.guid": 1}, "32 hexadecimal digits"),
        (
            {"Enemy.curve": [{"time": 1, "value": 1}, {"time": 0, "value": 1}]},
            "curve[1].time must be later",
        ),
        ({"Enemy.curve": {}}, "must be a list of keys"),
        ({"Enemy.ramp": {"mode": "Zebra"}}, "ramp.mode must be one of Blend"),
        ({"Enemy.ramp": {"alphas": []}}, "1 to 8 keys"),
        ({"Enemy.stats": {"mp": 1}}, "has no part 'mp'; it has hp, more"),
        ({"Enemy.stats": 3}, "must be an object, not 3"),
        ({"Enemy.stats.hp": {}}, "stats.hp must be a whole number"),
        ({"Enemy.points": 3}, "must be a list"),
        ({"Enemy.points": [1, "x"]}, "points[1] must be a whole number"),
        (
            {"Enemy.points[30]": 1},
            "Game.Enemy.points has 30 elements; [30] is not one of them. Set the whole list",
        ),
        ({"Enemy.names[2]": "x"}, "has 2 elements"),
        ({"Enemy.spel": None}, "has no field 'spel'. The nearest are spell"),
        ({"Enemy.stats.mp": 1}, "Game.Enemy.stats has no field 'mp'. The nearest are hp"),
        ({"Camera.fov": 1}, "No component fits 'Camera.fov'"),
        ({"Enemy": 1}, "A key is Component.field"),
        ({"(missing script).x": 1}, "The script of this component of Main/Root/Enemy is missing"),
        (
            {"Enemy.m_Script": {"path": "Assets/Data.asset"}},
            "Game.Enemy.m_Script must refer to a MonoScript",
        ),
        ({"Enemy.fixed": 2}, "Game.Enemy.fixed is read-only"),
        ({"Enemy.loaded": 2}, "Unity gives no access to fields of this type"),
        ({"Enemy.target": "Main/Nobody"}, "There is no 'Nobody' in 'Main'"),
        ({"Enemy.target": "Main"}, "Main is a scene, which nothing refers to"),
        ({"Enemy.target": {"name": "Nobody"}}, "There is no object 'Nobody'"),
        (
            {"Enemy.target": {"name": "A", "at": 1}},
            "a path or id, or an object with path or id, of a GameObject",
        ),
        ({"Enemy.target": {"missing": True}}, "a path or id"),
        (
            {"Enemy.target": "Assets/Data.asset"},
            "must refer to a GameObject; Assets/Data.asset is a Game.Data",
        ),
        (
            {"Enemy.box": "Main/Root"},
            "must refer to a BoxCollider; Main/Root is a GameObject with Transform, Light",
        ),
        (
            {"Enemy.target": "Clean/Elsewhere"},
            "it is in another scene, and Unity saves no references between scenes",
        ),
        ({"Enemy.friends": ["Clean/Elsewhere"]}, "friends[0] cannot refer to Clean/Elsewhere"),
        ({"Enemy.spell": {"$type": "Game.Potion"}}, "a [Serializable] class that fits Game.Spell"),
        ({"Enemy.spell": {"$type": "Game.Nothing"}}, "a [Serializable] class that fits Game.Spell"),
        (
            {"Enemy.anything": {"$type": "System.Text.StringBuilder"}},
            "a [Serializable] class that fits System.Object",
        ),
        (
            {"Enemy.anything": {"$type": "Game.Unmarked"}},
            "a [Serializable] class that fits System.Object",
        ),
        (
            {"Enemy.anything": {"$type": "System.Exception"}},
            "a [Serializable] class that fits System.Object",
        ),
        (
            {"Enemy.anything": {"$type": "System.Diagnostics.Process"}},
            "a [Serializable] class that fits System.Object",
        ),
        ({"Enemy.spell": {"$id": 99}}, "cannot share $id 99"),
        (
            {"Enemy.spell": {"$id": 7, "$type": "Game.Fireball"}},
            "Leave out $id to make a new object of another class",
        ),
        ({"Enemy.none": {"power": 1}}, "an object with $type"),
        ({"Enemy.count": 8, "Enemy.speed": "fast"}, "Nothing was changed."),
        ({"Enemy.stats": {"hp": 1}, "Enemy.stats.hp": 2}, "is given twice"),
        ({"Enemy.enabled": False, "Enemy.m_Enabled": True}, "is given twice"),
        ({"name": ""}, "must be a text that is not empty"),
        ({"tag": "Boss"}, "Untagged, Respawn"),
        ({"layer": "Lava"}, "must be the name of a layer of the project"),
        ({}, "values names at least one field"),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_values_that_do_not_fit_refuse_the_whole_call(
    session: Session, values: Json, why: str
) -> None:
    message = refusal(session, "set_fields", path=ENEMY, values=values)
    assert why in message
    assert len(message.encode()) <= 600 or "components are" in message


def test_a_refusal_names_all_values_that_do_not_fit(session: Session) -> None:
    values = {"Enemy.speed": "fast", "Enemy.title": 3, "Enemy.count": 8}
    message = refusal(session, "set_fields", path=ENEMY, values=values)
    assert "Enemy.speed must be a number" in message and "Enemy.title must be a text" in message
    assert message.count("Nothing was changed.") == 1
    many = {f"Enemy.nothing{number}": 1 for number in range(30)}
    message = refusal(session, "set_fields", path=ENEMY, values=many)
    assert len(message) <= 500 and "more do not fit" in message


def test_a_colour_in_a_structure_is_bounded_by_its_own_attribute(
    session: Session, editor: HeadlessEditor
) -> None:
    palette = (
        "|Generic|Palette|",
        ".dim|Color|ColorRGBA|0,0,0,1",
        ".bright|Color|ColorRGBA|0,0,0,1",
    )
    fields = (f"field painter|1|palette{field}" for field in palette)
    world(editor, "object painter|root|Painter|Game.Painter", *fields)
    path, bright = "Main/Root/Painter", [4, 2, 0, 1]
    set_fields(session, path, {"Painter.palette": {"bright": bright}})
    message = refusal(session, "set_fields", path=path, values={"Painter.palette": {"dim": bright}})
    assert "numbers from 0 to 1" in message
    undo(editor, "Set fields of Painter")
    world(editor, "destroy painter")


def test_a_class_in_an_edited_script_is_known_not_to_be_compiled(
    session: Session, editor: HeadlessEditor
) -> None:
    script = editor.project / "Assets" / "Game.cs"
    before = script.read_text()
    script.write_text(before + "\npublic class Ladder : MonoBehaviour { }\n")
    ended = status_of(session, "add_component", {"path": ENEMY, "component": "Ladder"})["error"]
    assert ended["details"]["reason"] == "stale_code"
    assert "Assets/Game.cs is on disk and not compiled yet. Call compile" in ended["message"]
    assert "no component Ladde" in refusal(session, "add_component", path=ENEMY, component="Ladde")
    script.write_text(before)


@pytest.mark.parametrize(
    ("path", "key", "why"),
    [
        ("Main", "x", "this is a scene"),
        ("Main/Rot", "x", "There is 'Root'"),
        ("", "x", "path names an object"),
        ("Packages/fixed/Data.asset", "price", "its package cannot be changed"),
        ("Assets/Picture.png", "width", "an importer makes it"),
        ("Assets/Model.fbx", "Transform.m_LocalScale", "an importer makes it"),
        ("Assets/Data.asset", "name", "is that of its file"),
    ],
)
def test_a_read_only_or_missing_field_is_refused_by_name(
    session: Session, path: str, key: str, why: str
) -> None:
    value: Any = {"x": 9} if "Scale" in key else "Other" if key == "name" else 9
    message = refusal(session, "set_fields", path=path, values={key: value})
    assert why in message and message.endswith("Nothing was changed.")


def test_a_text_that_is_cut_within_a_pair_of_code_units_changes_nothing_when_it_is_sent_back(
    session: Session, editor: HeadlessEditor
) -> None:
    text = "x" * 1999 + "\N{GRINNING FACE}" * 5
    run(session, "set_fields", path=ENEMY, values={"Enemy.words": text})
    cut = shown(session, ENEMY)["Game.Enemy.words"]
    assert cut == "x" * 1999 + "... (10 more characters)"
    assert run(session, "set_fields", path=ENEMY, values={"Enemy.words": cut})["changed"] == []
    undo(editor, "Set fields of Enemy")


def test_no_event_is_made_to_call_any_static_method(session: Session) -> None:
    """Consent to run_csharp would be worth nothing. What inspect prints can be sent back all the
    same.
    """
    name, asset = "m_TargetAssemblyTypeName", "Assets/Data.asset"
    message = refusal(
        session, "set_fields", path=asset, values={name: "System.Diagnostics.Process, System"}
    )
    assert "cannot be set, because an event could then call any static method" in message
    assert set_fields(session, asset, {name: "Game.Enemy, Game"}) == {"changed": [], "undo": True}


def test_objects_that_unity_keeps_from_editing_are_refused(
    session: Session, editor: HeadlessEditor
) -> None:
    world(editor, "object stone|root|Stone|Light,Enemy", "hide stone|1|NotEditable")
    values = {"Enemy.enabled": False, "Light.intensity": 9}
    assert "Light of Main/Root/Stone is read-only (HideFlags.NotEditable)" in refusal(
        session, "set_fields", path="Main/Root/Stone", values=values
    )
    world(editor, "hide stone|self|NotEditable")
    for command, more in (
        ("delete_object", {}),
        ("add_component", {"component": "Light"}),
        ("move_object", {"parent": "/"}),
    ):
        assert "Main/Root/Stone is read-only" in refusal(
            session, command, path="Main/Root/Stone", **more
        )
    world(editor, "destroy stone")


def test_a_hidden_field_is_set_with_a_remark(session: Session, editor: HeadlessEditor) -> None:
    answer = set_fields(session, ENEMY, {"Enemy.secret": 2, "Enemy.count": 8})
    assert answer["remarks"] == ["Game.Enemy.secret is hidden in the Inspector."]
    undo(editor, "Set fields of Enemy")


def test_the_answer_has_the_value_that_the_script_made_of_it(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = set_fields(session, ENEMY, {"Enemy.clamped": 99})
    assert changed(answer) == {"Game.Enemy.clamped": (1, 5)}
    assert answer["remarks"] == [
        "Game.Enemy.clamped was set, and then changed by the component itself (OnValidate)."
    ]
    undo(editor, "Set fields of Enemy")


def test_an_asset_is_changed_and_stays_unsaved(session: Session, editor: HeadlessEditor) -> None:
    answer = set_fields(session, "Assets/Data.asset", {"price": 13})
    assert answer["changed"] == [
        {"path": "Assets/Data.asset", "field": "Game.Data.price", "before": 12, "after": 13}
    ]
    assert answer["remarks"] == ["Assets/Data.asset has unsaved changes. save_all saves it."]
    assert "dirty-asset Assets/Data.asset" in editor.history and "save-assets" not in editor.history
    assert "an asset cannot refer to an object of a scene" in refusal(
        session, "set_fields", path="Assets/Data.asset", values={"Data.owner": "Main/Root"}
    )
    undo(editor, "Set fields of Data")


def test_a_changed_scene_is_dirty_and_not_saved(session: Session, editor: HeadlessEditor) -> None:
    def dirty() -> Any:
        return next(
            item["dirty"] for item in read(session, "scenes") if item.get("path") == "Clean"
        )

    assert not dirty()
    set_fields(session, "Clean/Elsewhere", {"active": True})
    assert not dirty(), "nothing has changed"
    set_fields(session, "Clean/Elsewhere", {"active": False})
    assert dirty()
    undo(editor, "Set fields of Elsewhere")


def test_an_exception_of_unitys_leaves_nothing_half_done(
    session: Session, editor: HeadlessEditor
) -> None:
    before = everything(session)
    editor.arrange("quirk apply-throws")
    status = status_of(session, "set_fields", {"path": ENEMY, "values": {"Enemy.count": 1}})
    editor.arrange("no-quirk apply-throws")
    assert status["state"] == "failed" and status["error"]["details"]["reason"] == "exception"
    assert everything(session) == before


# Prefabs.


def test_a_field_of_an_instance_becomes_an_override(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = set_fields(session, "Main/Tank/Barrel", {"Light.caliber": 120})
    assert answer["remarks"] == [
        "Light.caliber is an override of the prefab's instance. The prefab Assets/Tank.prefab is unchanged."
    ]
    assert shown(session, "Assets/Tank.prefab/Barrel")["Light.caliber"] == 88
    undo(editor, "Set fields of Barrel")
    moved = set_fields(session, "Main/Tank", {"Transform.localPosition": {"x": 5}})
    assert "remarks" not in moved, "where an instance stands is its own affair"
    undo(editor, "Set fields of Tank")


def test_a_field_that_an_instance_cannot_override_is_refused(session: Session) -> None:
    message = refusal(
        session,
        "set_fields",
        path="Main/Tank/Barrel",
        values={"Light.caliber": 1, "Light.serial": 2},
    )
    assert (
        "Light.serial cannot be set: Unity did not keep the value. An instance of a prefab cannot override it"
        in message
    )


def test_a_field_of_a_prefab_is_changed_in_its_file(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = set_fields(session, "Assets/Tank.prefab/Barrel", {"Light.caliber": 90})
    assert answer["written"] == ["Assets/Tank.prefab"] and answer["undo"] is True
    undo(editor, "Set fields of Barrel")


def test_objects_of_a_prefab_instance_stay_in_their_place(
    session: Session, editor: HeadlessEditor
) -> None:
    message = refusal(session, "move_object", path="Main/Tank/Barrel", parent="Main/Root")
    assert "belongs to an instance of Assets/Tank.prefab" in message
    answer = run(session, "create_object", parent="Main/Tank", name="Flag")
    assert answer["remarks"] == [
        "Main/Tank/Flag is an override of the prefab's instance. The prefab Assets/Tank.prefab is unchanged."
    ]
    run(session, "move_object", path="Main/Tank/Flag", parent="Main")
    run(session, "delete_object", path="Main/Flag")
    for name in ("Delete Flag", "Move Flag", "Create Flag"):
        undo(editor, name)


def test_the_open_prefab_is_changed_in_its_stage(session: Session, editor: HeadlessEditor) -> None:
    world(editor, "root stage|Assets/Tank.prefab|Tank", "object staged|stage|Barrel|Light")
    editor.arrange("open-prefab Assets/Tank.prefab")
    try:
        answer = set_fields(session, "/Tank/Barrel", {"Light.intensity": 4})
        assert [row["path"] for row in answer["changed"]] == ["Tank/Tank/Barrel"]
        created = run(session, "create_object", parent="/", name="Flag")
        assert created["changed"][0]["after"] == "Tank/Tank/Flag", "an open prefab has one root"
        # Its own path means the open one.
        answer = set_fields(session, "Assets/Tank.prefab/Barrel", {"Light.intensity": 5})
        assert [row["path"] for row in answer["changed"]] == ["Tank/Tank/Barrel"] and answer[
            "undo"
        ] is True
        undo(editor, "Set fields of Barrel")
        assert "is the root of its prefab" in refusal(session, "delete_object", path="Tank/Tank")
        assert "cannot contain itself" in refusal(
            session, "create_object", parent="/", name="", prefab="Assets/Tank.prefab"
        )
        undo(editor, "Create Flag")
        undo(editor, "Set fields of Barrel")
    finally:
        world(editor, "destroy stage")
        editor.arrange("open-prefab", "prefab-clean")


def test_a_new_element_shares_no_object_with_the_one_before(
    session: Session, editor: HeadlessEditor
) -> None:
    """Unity fills a longer list with copies of the last element, references to the same objects
    included.
    """
    set_fields(
        session, ENEMY, {"Enemy.orders": [{}, {"effect": {"$type": "Game.Spell", "power": 9}}, {}]}
    )
    first, second, third = shown(session, ENEMY)["Game.Enemy.orders"]
    assert (first["effect"]["$id"], second["effect"]["power"], third["effect"]) == (8, 9, None)
    assert second["effect"]["$id"] != 8
    # Also in a part of it.
    assert [one["more"]["deep"] is None for one in (first, second, third)] == [False, True, True]
    undo(editor, "Set fields of Enemy")
    # The same of a list that only gets another size.
    for size in ("orders.size", "orders.Array.size", "orders"):
        set_fields(session, ENEMY, {f"Enemy.{size}": {"size": 3} if size == "orders" else 3})
        assert [one["effect"] is None for one in shown(session, ENEMY)["Game.Enemy.orders"]] == [
            False,
            True,
            True,
        ]
        undo(editor, "Set fields of Enemy")


# Objects and components.


def test_an_object_is_created_with_components_and_undone_as_one(
    session: Session, editor: HeadlessEditor
) -> None:
    before = everything(session)
    answer = run(
        session,
        "create_object",
        parent="Main/Root",
        name="Cart",
        components=["Wheel", "UnityEngine.Light"],
    )
    assert answer == {
        "changed": [
            {"path": "Main/Root/Cart", "field": "path", "before": None, "after": "Main/Root/Cart"},
            {
                "path": "Main/Root/Cart",
                "field": "components",
                "before": None,
                "after": ["Transform", "BoxCollider", "Game.Wheel", "Light"],
            },
        ],
        "undo": True,
    }
    assert shown(session, "Main/Root/Cart")["name"] == "Cart"
    undo(editor, "Create Cart")
    assert everything(session) == before


def test_an_object_is_created_at_the_root_of_a_scene_and_below_a_rect(
    session: Session, editor: HeadlessEditor
) -> None:
    world(editor, "object panel|Assets/Main.unity|Panel|RectTransform")
    set_fields(session, "Main/Panel", {"layer": 4})
    run(session, "create_object", parent="/Panel", name="Button")
    head = read(session, "object", path="Main/Panel/Button")[0]
    assert head["components"] == ["RectTransform"] and head["layer"] == "Water"
    assert (
        run(session, "create_object", parent="Clean", name="Camp")["changed"][0]["after"]
        == "Clean/Camp"
    )
    again = run(session, "create_object", parent="Clean", name="Camp")
    assert again["changed"][0]["path"] == "Clean/Camp[1]"
    for name in ("Create Camp", "Create Camp", "Create Button", "Set fields of Panel"):
        undo(editor, name)
    world(editor, "destroy panel")


def test_an_instance_of_a_prefab_is_created(session: Session, editor: HeadlessEditor) -> None:
    before = everything(session)
    answer = run(
        session, "create_object", parent="Main/Root", name="Scout", prefab="Assets/Tank.prefab"
    )
    assert answer["changed"][0]["after"] == "Main/Root/Scout"
    assert shown(session, "Main/Root/Scout/Barrel")["Light.caliber"] == 88
    undo(editor, "Create Scout")
    assert everything(session) == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"parent": "Main/Nobody", "name": "x"}, "There is no 'Nobody'"),
        ({"parent": "Assets/Data.asset", "name": "x"}, "which has no objects below it"),
        ({"parent": "Main", "name": ""}, "name is a text"),
        (
            {"parent": "Main", "name": "x", "components": ["Lamp"]},
            "There is no component Lamp. The nearest are ",
        ),
        (
            {"parent": "Main", "name": "x", "components": ["Enemy"]},
            "several components are named Enemy: Game.Enemy (",
        ),
        (
            {"parent": "Main", "name": "x", "components": ["Vehicle"]},
            "Game.Vehicle cannot be added",
        ),
        ({"parent": "Main", "name": "x", "components": ["Transform"]}, "Transform cannot be added"),
        (
            {"parent": "Main", "name": "x", "components": ["Wheel", "Wheel"]},
            "has a Game.Wheel already",
        ),
        ({"parent": "Main", "name": "x", "prefab": "Assets/Data.asset"}, "is no prefab"),
        ({"parent": "Main", "name": "x", "prefab": "Assets/Tank.prefab/Barrel"}, "is no prefab"),
    ],
)
def test_an_object_that_cannot_be_created_is_not(
    session: Session, arguments: Json, why: str
) -> None:
    assert why in refusal(session, "create_object", **arguments)


def test_a_creation_that_unity_breaks_off_leaves_nothing(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk adds-nothing")
    message = refusal(session, "create_object", parent="Main", name="Cart", components=["Light"])
    editor.arrange("no-quirk adds-nothing")
    assert "Unity did not add Light. The console says why" in message


def test_components_are_added_and_removed(session: Session, editor: HeadlessEditor) -> None:
    before = everything(session)
    added = run(session, "add_component", path="Main/Root", component="Wheel")
    assert changed(added) == {
        "components": (["Transform", "Light"], ["Transform", "Light", "BoxCollider", "Game.Wheel"])
    }
    assert "can have only one" in refusal(
        session, "add_component", path="Main/Root", component="Game.Wheel"
    )
    assert (
        "Game.Wheel of the same object needs this BoxCollider. Remove that one first."
        in refusal(session, "remove_component", path="Main/Root", component="BoxCollider")
    )
    removed = run(session, "remove_component", path="Main/Root", component="Wheel")
    assert changed(removed)["components"][1] == ["Transform", "Light", "BoxCollider"]
    undo(editor, "Remove Game.Wheel")
    undo(editor, "Add Game.Wheel")
    assert everything(session) == before


@pytest.mark.parametrize(
    ("component", "why"),
    [
        ("Transform", "Every object has a Transform"),
        (
            "Camera",
            "There is no component 'Camera'. Main/Root/Enemy has Transform, Game.Enemy, (missing script)",
        ),
        ("(missing script)", "Unity removes such components only all together"),
        ("BoxCollider[2]", "There is no component"),
        ("", "There is no component"),
    ],
)
def test_a_component_that_cannot_be_removed_stays(
    session: Session, component: str, why: str
) -> None:
    assert why in refusal(session, "remove_component", path=ENEMY, component=component)


def test_the_second_of_equal_components_is_removed(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = run(session, "remove_component", path=ENEMY, component="BoxCollider[1]")
    assert changed(answer)["components"][1] == [
        "Transform",
        "Game.Enemy",
        "(missing script)",
        "BoxCollider",
    ]
    undo(editor, "Remove BoxCollider[1]")


def test_an_object_is_deleted_with_all_below_it(session: Session, editor: HeadlessEditor) -> None:
    before = everything(session)
    answer = run(session, "delete_object", path="Main/Root")
    assert answer["changed"] == [
        {"path": "Main/Root", "field": "path", "before": "Main/Root", "after": None}
    ]
    assert answer["remarks"] == ["2 objects below it were deleted with it."]
    assert "Main/Root" not in everything(session)
    undo(editor, "Delete Root")
    assert everything(session) == before


def test_objects_are_moved_and_put_in_order(session: Session, editor: HeadlessEditor) -> None:
    before = everything(session)
    answer = run(session, "move_object", path="Main/Root/Child", parent=ENEMY)
    assert changed(answer) == {"path": ("Main/Root/Child", "Main/Root/Enemy/Child")}
    undo(editor, "Move Child")
    answer = run(session, "move_object", path="Main/Root/Child", parent="Main/Root", index=1)
    assert changed(answer) == {"index": (0, 1)}
    undo(editor, "Move Child")
    answer = run(session, "move_object", path="Main/Root/Child", parent="Clean", index=0)
    assert changed(answer)["path"] == ("Main/Root/Child", "Clean/Child")
    undo(editor, "Move Child")
    answer = run(session, "move_object", path="Main/Tank", parent="Main", index=0)
    assert changed(answer) == {"index": (1, 0)}
    undo(editor, "Move Tank")
    assert run(session, "move_object", path="Main/Root/Child", parent="Main/Root") == {
        "changed": [],
        "undo": True,
    }
    assert everything(session) == before
    assert "cannot be moved below itself" in refusal(
        session, "move_object", path="Main/Root", parent=ENEMY
    )
    assert "it goes from 0 to 1" in refusal(
        session, "move_object", path="Main/Root/Child", parent="Main/Root", index=2
    )


def test_in_play_mode_changes_are_made_and_said_to_be_lost(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("enter-play-without-reload")
    editor.command("play on")
    editor.wait_for("play on")
    try:
        lost = "The editor is in play mode: Unity discards changes of scene objects when play mode ends."
        assert set_fields(session, ENEMY, {"Enemy.count": 70})["remarks"] == [lost]
        assert run(session, "create_object", parent="Main", name="Smoke")["remarks"] == [lost]
        assert set_fields(session, "Assets/Data.asset", {"price": 14})["remarks"] == [
            "Assets/Data.asset has unsaved changes. save_all saves it."
        ]
        assert set_fields(session, ENEMY, {"Enemy.target": "Clean/Elsewhere"})["changed"], (
            "allowed while it plays"
        )
        for name in (
            "Set fields of Enemy",
            "Set fields of Data",
            "Create Smoke",
            "Set fields of Enemy",
        ):
            undo(editor, name)
    finally:
        editor.command("play off")
        editor.wait_for("play off")


def test_the_list_has_the_commands_with_their_signatures(session: Session) -> None:
    job_id = f"change-{next(_ids)}"
    session.submit(job_id, tool="run_command", query="undo step")
    while session.job(job_id)["state"] in ("queued", "running"):
        pass
    listed = {one["name"]: one["signature"] for one in session.job(job_id)["result"]["commands"]}
    assert listed == {
        "set_fields": "set_fields(path: string, values: object = null, look_at: any = null)",
        "create_object": "create_object(parent: string = null, name: string = null, kind: string = null, "
        "prefab: string = null, copy_of: string = null, components: string[] = null, values: object = null, "
        "position: vector? = null, rotation: vector? = null, scale: vector? = null, look_at: any = null)",
        "batch": "batch(steps: object[])",
        "apply_overrides": "apply_overrides(path: string)",
        "add_listener": "add_listener(path: string, event: string, target: string, method: string, "
        "argument: any = null)",
        "revert_overrides": "revert_overrides(path: string)",
        "add_component": "add_component(path: string, component: string, values: object = null)",
        "unpack_prefab": "unpack_prefab(path: string, completely: bool = false)",
        "remove_component": "remove_component(path: string, component: string)",
        "delete_object": "delete_object(path: string)",
        "move_object": "move_object(path: string, parent: string, index: int? = null)",
        "undo": "undo(steps: int = 1, force: bool = false)",
    }
    assert "values must be object, not" in refusal(session, "set_fields", path=ENEMY, values=[1])
    assert "values names at least one field" in refusal(session, "set_fields", path=ENEMY)


ODD: List[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    1e300,
    2**64,
    "",
    "x",
    "NaN",
    "/Nobody",
    [],
    [None],
    {},
    {"x": None},
]
ODD += [
    {"size": -1},
    {"size": 10**9},
    {"$id": 1},
    {"$type": "System.Object"},
    {"path": 3},
    {"first": []},
]


@pytest.mark.parametrize("field", [*OTHER_VALUES, *sorted(NOT_TO_BE_SET)])
def test_no_value_makes_the_plugin_throw(
    session: Session, editor: HeadlessEditor, field: str
) -> None:
    before = shown(session, ENEMY)
    for odd in ODD:
        status = status_of(
            session, "set_fields", {"path": ENEMY, "values": {f"Enemy.{field}": odd}}
        )
        if status["state"] == "succeeded":
            for _ in status["result"]["value"]["changed"]:
                undo(editor, "Set fields of Enemy")
        else:
            assert status["error"]["code"] == "ERR_INVALID_PARAMS", (odd, status["error"])
    assert shown(session, ENEMY) == before


# As the server shows it, what was sent, what is stored.
UNSEEN = [
    ("\\u{202E}x", "\u202ex"),
    ("\\u{5C}u{202E}", "\\u{202E}"),
    ("\\u{E0041}\\u{1B}", "\U000e0041\x1b"),
    ("\\u{41} \\u{zz} \\u{202e}", "\\u{41} \\u{zz} \\u{202e}"),
]


@pytest.mark.parametrize("shown_as, stored", UNSEEN)
def test_a_text_that_was_shown_with_escapes_is_the_text_that_was_there(
    session: Session, shown_as: str, stored: str
) -> None:
    set_fields(session, ENEMY, {"Enemy.title": shown_as})
    items = read(session, "object", path=ENEMY, query="Enemy.title")
    assert [item["value"] for item in items] == [stored]
