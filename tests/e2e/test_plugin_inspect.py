"""inspect, as the plugin answers it: one editor with one project for the whole file."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.scripted_server import ScriptedServer, Session
from tests.simulator.manual_editor import ManualEditor
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.result import Ok
from unity_bridge.simulator.job import filled_in
from unity_bridge.simulator.project import default_project
from unity_bridge.simulator.tools.inspect import Inspect
from unity_bridge.text.foreign_text import escaped

Json = Dict[str, Any]

PROJECT = (
    "object root|Assets/Main.unity|Root|Light",
    "object first|root|Child",
    "object enemy|root|Child|Enemy,missing,BoxCollider,BoxCollider",
    "object odd|enemy|a/b[1] 50%",
    "object plain|root|Cube[1]",
    "inactive enemy",
    "asset Assets/Data.asset|Data",
    "field Assets/Data.asset|0|price|Integer|int|12",
    "prefab Assets/Gun.prefab|Gun",
    "object barrel|Assets/Gun.prefab|Barrel",
    "asset Assets/Closed.unity|Scene",
    "asset Assets/Art|Folder",
    "assets Assets/Art|5|Data",
    "select enemy,Assets/Data.asset",
    "build Assets/Main.unity|true",
    "build Assets/Off.unity|false",
    "build Assets/Other.unity|true",
    "field enemy|1|speed|Float|float|0.1",
    "field enemy|1|exact|Float|double|0.1000000000000000055",
    "field enemy|1|nan|Float|float|NaN",
    "field enemy|1|big|Integer|long|9007199254740993",
    "field enemy|1|huge|Integer|ulong|18446744073709551615",
    "field enemy|1|words|String|string|long 3000",
    "field enemy|1|target|ObjectReference|PPtr<$GameObject>|first",
    "field enemy|1|data|ObjectReference|PPtr<$Data>|Assets/Data.asset",
    *("field enemy|1|abyss" + ".inner" * level + "|Generic|Abyss|" for level in range(60)),
    "field enemy|1|stats|Generic|Stats|",
    "field enemy|1|stats.hp|Integer|int|7",
    "field enemy|1|stats.more|Generic|More|",
    "field enemy|1|stats.more.deep|Generic|Deep|",
    "field enemy|1|stats.more.deep.last|Integer|int|1",
    "field enemy|1|points|Array|int|1000000",
    "field enemy|1|mode|Enum|Enum|1;Red,Green",
    "field enemy|1|flags|Enum|Enum|6;A,B",
    "field enemy|1|curve|AnimationCurve|AnimationCurve|",
    "field enemy|1|ramp|Gradient|Gradient|",
    "field enemy|1|layers|RenderingLayerMask|RenderingLayerMask|-1",
    "field enemy|1|entity|EntityId|EntityId|first",
    "field enemy|1|nobody|EntityId|EntityId|",
    "field enemy|1|gone|EntityId|EntityId|a removed object",
    "field enemy|1|guid|GUID|GUID|0123456789abcdef0123456789abcdef",
    "field enemy|1|loaded|LoadableObjectId|LoadableObjectId|",
    "field enemy|1|none|ManagedReference|managedReference<Spell>|",
    "field enemy|1|lost|ManagedReference|managedReference<Spell>|9 ",
    "field enemy|1|spell|ManagedReference|managedReference<Spell>|7 Game Game.Spell",
    "field enemy|1|spell.power|Integer|int|3",
    "field enemy|1|spell.next|ManagedReference|managedReference<Spell>|7 Game Game.Spell",
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port, held=["scene Assets/Main.unity"]) as headless:
        world(headless, *PROJECT)
        server.ready_session()
        yield headless
        headless.command("serialized")
        assert headless.wait_for(r"serialized (\d+)").group(1) == "0"
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    return server.open_session()


def world(editor: HeadlessEditor, *lines: str) -> None:
    # They happen in the next update.
    editor.arrange(*(f"world {line}" for line in lines))
    editor.wait_until_idle()


def read(session: Session, what: str, **params: Any) -> Json:
    answer = session.ask(
        "execute", tool_name="inspect", params={"what": what, **params}, timeout_ms=30_000
    )
    assert answer["type"] == "result" and answer["status"] == "ok", answer
    assert len(json.dumps(answer).encode()) < 1024 * 1024
    return dict(answer["result"])


def refusal(session: Session, **params: Any) -> str:
    answer = session.ask("execute", tool_name="inspect", params=params, timeout_ms=30_000)
    assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS", answer
    return str(answer["error"]["message"])


def all_pages(session: Session, what: str, **params: Any) -> List[Json]:
    items: List[Json] = []
    page = read(session, what, **params)
    while "next_cursor" in page:
        items += page["items"]
        page = read(session, what, cursor=page["next_cursor"], **params)
    return [*items, *page["items"]]


def test_a_page_ends_at_its_bytes_and_the_next_one_continues(session: Session) -> None:
    whole = all_pages(session, "object", path="Main/Root/Child[1]", limit=1000)
    pages = all_pages(session, "object", path="Main/Root/Child[1]", limit=1000, max_bytes=4000)
    assert pages == whole
    page = read(session, "object", path="Main/Root/Child[1]", limit=1000, max_bytes=4000)
    assert (
        len(page["items"]) < len(whole)
        and len(json.dumps(page, separators=(",", ":")).encode()) <= 4000
    )
    assert len(read(session, "object", path="Main/Root/Child[1]", max_bytes=1)["items"]) == 1


def test_a_page_counts_the_characters_that_nobody_sees_as_a_client_gets_them(
    session: Session, editor: HeadlessEditor
) -> None:
    unseen = "\u202e" * 9
    fields = (f"field unseen|1|f{n}|String|string|{unseen}" for n in range(50))
    world(editor, "object unseen|Assets/Main.unity|Unseen|Enemy", *fields)
    page = read(session, "object", path="Main/Unseen", limit=1000, max_bytes=4000)
    world(editor, "destroy unseen")
    assert (
        len(json.dumps(escaped(page), ensure_ascii=False, separators=(",", ":")).encode()) <= 4000
    )
    assert "next_cursor" in page


def paths(items: List[Json]) -> List[str]:
    return [item["path"] for item in items]


def fields(session: Session, depth: int = 2) -> Json:
    items = read(session, "object", path="Main/Root/Child[1]", query="Enemy", depth=depth)["items"]
    return {item["field"]: item["value"] for item in items if "field" in item}


def test_scenes_are_those_open_and_those_of_the_build(session: Session) -> None:
    main, clean, off, other = read(session, "scenes")["items"]
    assert main["path"] == "Main" and main["file"] == "Assets/Main.unity"
    assert (main["active"], main["dirty"], main["roots"], main["build_index"]) == (True, True, 1, 0)
    assert (clean["path"], clean["kind"], "in_build" in clean) == ("Clean", "scene", False)
    assert off == {"file": "Assets/Off.unity", "kind": "build", "loaded": False, "in_build": False}
    assert (other["loaded"], other["build_index"]) == (False, 1)


def test_a_hierarchy_shows_parents_before_children_and_counts_what_it_leaves_out(
    session: Session,
) -> None:
    page = read(session, "hierarchy")
    assert paths(page["items"]) == [
        "Main",
        "Main/Root",
        "Main/Root/Child",
        "Main/Root/Child[1]",
        "Main/Root/Cube%5B1]",
        "Clean",
    ]
    assert page["total"] == 6
    enemy = page["items"][3]
    assert enemy["components"] == [
        "Transform",
        "Game.Enemy",
        "(missing script)",
        "BoxCollider",
        "BoxCollider",
    ]
    assert (enemy["active"], enemy["depth"], enemy["children_not_shown"]) == (False, 2, 1)
    deeper = read(session, "hierarchy", path="Main/Root/Child[1]", depth=40)["items"]
    assert deeper[1]["path"] == "Main/Root/Child[1]/a%2Fb%5B1] 50%25"
    assert (deeper[1]["active"], deeper[1]["active_self"]) == (False, True)


def test_every_returned_path_leads_back_to_its_object(session: Session) -> None:
    for path in paths(read(session, "hierarchy", depth=40)["items"]):
        (start,) = read(session, "hierarchy", path=path, depth=0)["items"]
        assert start["path"] == path


def test_objects_are_found_by_name_and_by_component(session: Session) -> None:
    assert paths(read(session, "hierarchy", query="t:behaviour", depth=40)["items"]) == [
        "Main/Root",
        "Main/Root/Child[1]",
    ]
    page = read(session, "hierarchy", query="CHILD t:Game.Enemy", depth=40)
    assert (paths(page["items"]), page["total"]) == (["Main/Root/Child[1]"], 1)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_give_everything_once(session: Session, limit: int) -> None:
    questions: List[Tuple[str, Json]] = [
        ("scenes", {}),
        ("hierarchy", {"depth": 40}),
        ("hierarchy", {"depth": 40, "query": "c"}),
        ("object", {"path": "Main/Root/Child[1]"}),
        ("object", {"path": "Main/Root/Child[1]", "query": "Game.Enemy.stats"}),
        ("assets", {"query": "t:Data"}),
        ("selection", {}),
    ]
    for what, params in questions:
        whole = read(session, what, **params)
        assert "next_cursor" not in whole and whole["total"] == len(whole["items"])
        assert all_pages(session, what, limit=limit, **params) == whole["items"]


def test_an_object_is_shown_with_its_components_and_fields(session: Session) -> None:
    items = read(session, "object", path="Main/Root/Child[1]")["items"]
    assert (
        items[0]["path"] == "Main/Root/Child[1]"
        and items[0]["tag"] == "Untagged"
        and items[0]["layer"] == "Default"
    )
    assert items[0]["id"].startswith("GlobalObjectId_V1-2-")
    parts = [item for item in items if set(item) <= {"component", "enabled", "missing"}]
    assert parts == [
        {"component": "Transform"},
        {"component": "Game.Enemy", "enabled": True},
        {"component": "(missing script)", "missing": True},
        {"component": "BoxCollider"},
        {"component": "BoxCollider[1]"},
    ]
    position = next(item for item in items if item.get("field") == "m_LocalPosition")
    assert position["type"] == "Vector3" and position["value"] == {"x": 0.1, "y": 0, "z": -16777216}


def test_values_have_every_digit_and_long_ones_are_cut(session: Session) -> None:
    values = fields(session)
    assert (values["speed"], values["exact"], values["nan"]) == (0.1, 0.1, "NaN")
    assert (values["big"], values["huge"]) == ("9007199254740993", "18446744073709551615")
    assert values["words"] == "x" * 2000 + "... (1000 more characters)"
    assert values["target"] == {"type": "GameObject", "name": "Child", "path": "Main/Root/Child"}
    assert values["data"]["path"] == "Assets/Data.asset"
    assert values["points"] == {"size": 1_000_000, "first": list(range(20))}
    assert (values["mode"], values["flags"], values["m_Script"]) == ("Green", 6, None)
    assert values["curve"][0] == {"time": 0, "value": 0.5, "in_tangent": 0, "out_tangent": 0}
    assert values["stats"] == {"hp": 7, "more": {"not_shown": True}} or values["stats"]["more"] == {
        "deep": {"not_shown": True}
    }
    assert fields(session, depth=5)["stats"] == {"hp": 7, "more": {"deep": {"last": 1}}}


def test_a_value_of_sixty_levels_is_cut_and_costs_no_answer(session: Session) -> None:
    (deep,) = [value for name, value in fields(session, depth=40).items() if name == "abyss"]
    levels = 0
    while "inner" in deep:
        deep, levels = deep["inner"], levels + 1
    assert (levels, deep) == (40, {"not_shown": True})


def test_fields_of_newer_unitys_have_their_values(session: Session) -> None:
    items = read(session, "object", path="Main/Root/Child[1]", query="Enemy", depth=5)["items"]
    types = {item["field"]: item["type"] for item in items if "field" in item}
    values = fields(session)
    assert (types["layers"], values["layers"]) == ("RenderingLayerMask", 2**32 - 1)
    assert values["entity"] == {"type": "GameObject", "name": "Child", "path": "Main/Root/Child"}
    assert values["nobody"] is None and values["gone"] == {"missing": True}
    assert values["guid"] == "0123456789abcdef0123456789abcdef"
    assert values["ramp"] == {
        "mode": "Blend",
        "colors": [{"time": 0, "color": {"r": 1, "g": 0.5, "b": 0, "a": 1}}],
        "alphas": [{"time": 1, "alpha": 0.25}],
    }
    assert values["loaded"] == {"$type": "LoadableObjectId", "not_shown": True}, (
        "a kind that Unity has no reading of"
    )
    assert values["lost"] == {"missing": True, "$id": 9}


def test_each_page_of_a_wide_level_costs_the_same(session: Session, editor: HeadlessEditor) -> None:
    world(
        editor, "object wide|Assets/Main.unity|Wide", "object kid|wide|Item", "many wide|Item|2999"
    )
    asked: Json = {"path": "Main/Wide", "limit": 300}
    costs: List[int] = []
    paths: List[str] = []
    cursor: Json = {}
    while True:
        before = all_reads(editor)
        page = read(session, "hierarchy", **asked, **cursor)
        costs.append(all_reads(editor) - before)
        paths += [item["path"] for item in page["items"]]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert paths == [
        "Main/Wide",
        "Main/Wide/Item",
        *(f"Main/Wide/Item[{number}]" for number in range(1, 3000)),
    ]
    # The first page counts, and the last one has less on it.
    assert max(costs[1:]) < 1.2 * min(costs[1:-1])
    # A page that is asked for again is the same, and costs the walk to it.
    assert read(session, "hierarchy", **asked, **cursor) == page
    first = read(session, "hierarchy", **asked)
    world(editor, "rename kid|Other")
    assert "outdated" in refusal(session, what="hierarchy", cursor=first["next_cursor"], **asked)
    world(editor, "destroy wide")


def all_reads(editor: HeadlessEditor) -> int:
    editor.command("all-reads")
    return int(editor.wait_for(r"all-reads (\d+)").group(1))


def test_objects_with_a_missing_script_are_found(session: Session) -> None:
    found = read(session, "hierarchy", query="t:missing")
    assert (found["total"], [item["path"] for item in found["items"]]) == (
        1,
        ["Main/Root/Child[1]"],
    )
    assert read(session, "hierarchy", query="t:Missing t:Enemy")["total"] == 1


def test_a_managed_reference_that_leads_to_itself_ends(session: Session) -> None:
    values = fields(session, depth=40)
    assert values["none"] is None
    inner = {"$type": "Game.Spell", "$id": 7}
    assert values["spell"] == {**inner, "power": 3, "next": inner}


def test_the_elements_of_a_field_have_pages_of_their_own(session: Session) -> None:
    asked = {"path": "Main/Root/Child[1]", "query": "Enemy.points", "limit": 2}
    page = read(session, "object", **asked)
    assert [(item["field"], item["value"]) for item in page["items"]] == [
        ("points[0]", 0),
        ("points[1]", 1),
    ]
    assert page["total"] == 1_000_000
    again = read(session, "object", cursor=page["next_cursor"], **asked)
    assert [item["field"] for item in again["items"]] == ["points[2]", "points[3]"]
    one = read(session, "object", path="Main/Root/Child[1]", query="Game.Enemy.points[999999]")
    assert (one["total"], one["items"][0]["value"]) == (1, 999_999)


def test_assets_are_found_by_unitys_query_in_a_folder(session: Session) -> None:
    page = read(session, "assets", path="Assets/Art", query="t:Data 3")
    (asset,) = page["items"]
    assert (asset["path"], asset["type"], len(asset["guid"])) == (
        "Assets/Art/Data 3.asset",
        "Game.Data",
        32,
    )
    assert "no folder" in refusal(session, what="assets", path="Assets/Nowhere")


def test_assets_and_what_is_in_a_prefab_are_objects(session: Session) -> None:
    head, script, price = read(session, "object", path="Assets/Data.asset")["items"]
    assert (head["path"], head["type"], price["field"], price["value"]) == (
        "Assets/Data.asset",
        "Game.Data",
        "price",
        12,
    )
    assert read(session, "object", path="Assets/Data.asset", query="price")["items"] == [price]
    assert paths(read(session, "hierarchy", path="Assets/Gun.prefab")["items"]) == [
        "Assets/Gun.prefab",
        "Assets/Gun.prefab/Barrel",
    ]
    assert read(session, "object", path="Assets/Gun.prefab/Barrel")["items"][0]["name"] == "Barrel"
    assert paths(read(session, "hierarchy", path="Assets/Main.unity/Root", depth=0)["items"]) == [
        "Main/Root"
    ]
    assert "no hierarchy" in refusal(session, what="hierarchy", path="Assets/Data.asset")
    assert "not open" in refusal(session, what="hierarchy", path="Assets/Closed.unity")


def test_the_selection_has_ids_that_lead_to_its_objects(session: Session) -> None:
    enemy, asset = read(session, "selection")["items"]
    assert (enemy["path"], enemy["active"], asset["path"]) == (
        "Main/Root/Child[1]",
        True,
        "Assets/Data.asset",
    )
    for one in (enemy, asset):
        assert read(session, "object", path=one["id"])["items"][0]["path"] == one["path"]


@pytest.mark.parametrize(
    ("what", "ours", "theirs"),
    [
        ("scenes", {}, {}),
        ("hierarchy", {"depth": 40}, {"depth": 40}),
        ("hierarchy", {"depth": 1}, {"depth": 1}),
        ("object", {"path": "Main/Root/Child[1]"}, {"path": "Main/Old Gate"}),
        ("object", {"path": "Assets/Data.asset"}, {"path": "Assets/Items/Torch.asset"}),
        ("assets", {}, {}),
        ("selection", {}, {}),
    ],
)
def test_the_simulated_editor_returns_the_same_fields_for_everything(
    session: Session, what: str, ours: Json, theirs: Json
) -> None:
    asked = filled_in(Inspect.parameters, {"what": what, **theirs})
    simulated = Inspect(ManualEditor(default_project()).process).answer(asked)
    assert isinstance(simulated, Ok)
    shown = [set(item) for item in read(session, what, **ours)["items"]]
    for item in simulated.value["items"]:
        assert any(set(item) <= one for one in shown), (
            f"the plugin returns no item with {sorted(item)}"
        )


def test_the_open_prefab_and_what_no_load_destroys_have_hierarchies(
    editor: HeadlessEditor, session: Session
) -> None:
    world(editor, "object part|Assets/Tank.prefab|Tank", "object kept|DontDestroyOnLoad|Kept")
    assert "Tank" not in paths(read(session, "hierarchy")["items"])
    editor.arrange("prefab Assets/Tank.prefab", "enter-play-without-reload")
    editor.command("play on")
    editor.wait_for("play on")
    try:
        kinds = {
            scene["path"]: scene["kind"]
            for scene in read(session, "scenes")["items"]
            if "path" in scene
        }
        assert (kinds["Tank"], kinds["DontDestroyOnLoad"]) == ("prefab", "dont_destroy_on_load")
        assert {"Tank/Tank", "DontDestroyOnLoad/Kept"} < set(
            paths(read(session, "hierarchy")["items"])
        )
        assert read(session, "object", path="DontDestroyOnLoad/Kept")["items"][0]["name"] == "Kept"
    finally:
        editor.command("play off")
        editor.wait_for("play off")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "what is one of"),
        ({"what": "everything"}, "what is one of"),
        ({"what": "object"}, "needs a path"),
        ({"what": "object", "path": "Main"}, "is a scene"),
        ({"what": "object", "path": "Nowhere"}, "'Main', 'Clean'"),
        ({"what": "object", "path": "Main/Rot"}, "There is 'Root'"),
        (
            {"what": "object", "path": "Main/Root/Child[2]"},
            "no object 'Main/Root/Child[2]' there. There is 'Main/Root/Child', 'Main/Root/Child[1]'",
        ),
        ({"what": "object", "path": "Main/Root/Child (1)"}, "There is 'Child', 'Child[1]'"),
        (
            {"what": "object", "path": "Assets/Data"},
            "There is no asset 'Assets/Data'. There is 'Assets/Data.asset'.",
        ),
        ({"what": "object", "path": "Assets/Nothing.asset"}, "what: assets finds one by a query"),
        ({"what": "object", "path": 'Assets/<a|"b">*?.asset'}, "what: assets finds one by a query"),
        (
            {"what": "object", "path": "Main/Root/Child[1]", "query": "Enemy.WORDS"},
            "'WORDS'. The nearest are words, ",
        ),
        (
            {"what": "object", "path": "Assets/Data.asset", "query": "cost"},
            "'cost'. The nearest are price, m_Script.",
        ),
        ({"what": "object", "path": "GlobalObjectId_V1-nonsense"}, "no GlobalObjectId"),
        (
            {"what": "object", "path": "GlobalObjectId_V1-2-" + "0" * 32 + "-1-0"},
            "Nothing has this",
        ),
        ({"what": "object", "path": "Main/Root", "query": "Camera"}, "Transform, Light"),
        (
            {"what": "object", "path": "Main/Root", "query": "Light.x"},
            "has no field 'x'. The nearest are m_Intensity.",
        ),
        ({"what": "object", "path": "Main/Root/Child[1]", "query": "(missing script).x"}, "script"),
        (
            {"what": "assets", "path": "Assets/art/"},
            "There is no folder 'Assets/art/'. There is 'Assets/Art'.",
        ),
        ({"what": "assets", "path": "Assets/Nowhere/Deep"}, "There is 'Assets/Art'"),
        (
            {"what": "assets", "path": "Assets/Art/Deep"},
            "'Assets/Art' has no folders; query searches in it.",
        ),
        ({"what": "scenes", "query": "x"}, "do not go with"),
        ({"what": "hierarchy", "path": 7}, "texts"),
        ({"what": "hierarchy", "depth": 41}, "0 to 40"),
        ({"what": "hierarchy", "depth": "2"}, "0 to 40"),
        ({"what": "hierarchy", "limit": 0}, "1 to 1000"),
        ({"what": "hierarchy", "cursor": "nonsense"}, "next_cursor"),
        ({"what": "hierarchy", "cursor": "a.1.b.99999999999"}, "next_cursor"),
        ({"what": "hierarchy", "cursor": "a.1.b.1"}, "another question"),
    ],
)
def test_an_unanswerable_question_is_refused_with_what_to_do(
    session: Session, params: Json, words: str
) -> None:
    assert words in refusal(session, **params)


def test_an_object_of_an_equal_name_says_which_others_there_are(session: Session) -> None:
    def others(path: str) -> Any:
        return read(session, "object", path=path)["items"][0].get("equal_names")

    assert others("Main/Root/Child") == others("/Main/Root/Child") == ["Main/Root/Child[1]"]
    assert [others(path) for path in ("Main/Root/Child[0]", "Main/Root/Child[1]", "Main/Root")] == [
        None
    ] * 3


@pytest.mark.parametrize(
    ("params", "hint"),
    [
        ({"query": "Light"}, "t:Light would find 1."),
        ({"query": "root light"}, "root t:light would find 1."),
        ({"query": "t:Root"}, "Root would find 1."),
        ({"query": "Child", "depth": 1}, "Child with depth: 40 would find 2."),
        ({"query": "Roo*"}, "Roo would find 1."),
        ({"query": "t:Enemy", "depth": 1}, "t:Enemy with depth: 40 would find 1."),
    ],
)
def test_a_query_without_a_hit_says_what_would_find_something(
    session: Session, params: Json, hint: str
) -> None:
    page = read(session, "hierarchy", path="Main", **params)
    assert (page["items"], page["total"]) == ([], 0)
    assert page["hint"] == "No object to this depth matches. " + hint


def test_without_a_hint_none_is_given(session: Session) -> None:
    assert "hint" not in read(session, "hierarchy", query="Root")
    assert "t:missing" in read(session, "hierarchy", query="nothing of this kind")["hint"]
    assert "t:Type" in read(session, "assets", query="nothing of this kind")["hint"]
    assert read(session, "object", path="Root")["remarks"] == ["Root was taken as Main/Root."]


def test_a_query_for_assets_with_a_wildcard_says_what_a_query_is(session: Session) -> None:
    assert "no wildcards and no extensions" in read(session, "assets", query="*.nothing")["hint"]


def test_a_cursor_is_bound_to_its_question_and_to_what_it_points_to(
    editor: HeadlessEditor, session: Session
) -> None:
    world(editor, "object list|Assets/Clean.unity|List", "many list|Item #|5")
    world(editor, "object gone|list|Gone", "many list|More #|5")
    asked = {"path": "Clean/List", "limit": 7}
    cursor = read(session, "hierarchy", **asked)["next_cursor"]
    assert "without cursor" in refusal(session, what="hierarchy", path="Clean", cursor=cursor)
    assert "without cursor" in refusal(
        session, what="hierarchy", path="Clean/List", depth=3, cursor=cursor
    )
    world(editor, "object elsewhere|root|Elsewhere")
    assert (
        read(session, "hierarchy", cursor=cursor, **asked)["items"][0]["path"]
        == "Clean/List/More 0"
    )
    world(editor, "rename gone|Other")
    assert "outdated" in refusal(session, what="hierarchy", cursor=cursor, **asked)


def test_a_stalled_editor_is_reported_and_delays_nothing(
    editor: HeadlessEditor, session: Session
) -> None:
    editor.command("stall 60000")
    editor.wait_for("stalling")
    first = session.ask(
        "execute", tool_name="inspect", params={"what": "scenes"}, timeout_ms=30_000
    )
    again = session.ask(
        "execute", tool_name="inspect", params={"what": "scenes"}, timeout_ms=30_000
    )
    assert editor.history[-1].startswith("stalling"), "it was answered after the stall"
    assert [answer["error"]["code"] for answer in (first, again)] == ["ERR_EDITOR_NOT_READY"] * 2
    assert session.read_console()["count"] == 0
    editor.release()
    editor.wait_for("stalled")


def test_a_cursor_outlives_a_reload() -> None:
    with ScriptedServer() as server, HeadlessEditor(server.port) as other:
        world(other, "object root|Assets/Clean.unity|Root", "many root|Item #|50")
        page = read(server.ready_session(), "hierarchy", limit=10)
        other.reload()
        world(other)
        again = read(server.ready_session(), "hierarchy", limit=10, cursor=page["next_cursor"])
        assert again["items"][0]["path"] == "Clean/Root/Item 8"
        assert other.violations() == []


@pytest.fixture(scope="module")
def large(editor: HeadlessEditor) -> None:
    world(
        editor,
        "object crowd|Assets/Clean.unity|Crowd|Enemy",
        "many crowd|Man|100000",
        "fields crowd|1|1000",
        "asset Assets/Many|Folder",
        "assets Assets/Many|50000|Data",
    )


@pytest.mark.usefixtures("large")
class TestLargeProject:
    """What there is much of is read in small steps: so many reads of Unity's in an update, whatever
    the machine.
    """

    # Every fifth read takes a millisecond: the budget of 5 ms is spent after 25, and the step at
    # hand is finished.
    MOST_READS = 80

    @pytest.mark.parametrize(
        ("what", "params", "total"),
        [
            ("hierarchy", {"path": "Clean/Crowd", "depth": 1}, 100_001),
            ("object", {"path": "Clean/Crowd"}, 1007),
            ("assets", {"path": "Assets/Many"}, 50_000),
        ],
    )
    def test_a_page_takes_little_of_every_update(
        self, editor: HeadlessEditor, session: Session, what: str, params: Json, total: int
    ) -> None:
        editor.arrange("reads", "quirk slow-reads")
        page = read(session, what, limit=20, **params)
        editor.arrange("no-quirk slow-reads")
        editor.wait_until_idle()
        editor.pass_over()
        editor.command("reads")
        most, updates = map(int, editor.wait_for(r"reads (\d+) (\d+)").groups())
        assert page["total"] == total and len(page["items"]) == 20
        assert most <= self.MOST_READS and updates >= 2

    def test_every_object_is_found_by_pages_and_looked_at_in_many_updates(
        self, editor: HeadlessEditor, session: Session
    ) -> None:
        page = read(session, "hierarchy", path="Clean/Crowd", limit=1000)
        assert page["items"][-1]["path"] == "Clean/Crowd/Man[998]"
        editor.arrange("reads")
        editor.pass_over()
        assert read(session, "hierarchy", query="t:Light", depth=40)["total"] == 1
        editor.command("reads")
        most, updates = map(int, editor.wait_for(r"reads (\d+) (\d+)").groups())
        assert updates > 5 and most < 500_000

    def test_further_pages_of_assets_search_only_once(
        self, editor: HeadlessEditor, session: Session
    ) -> None:
        start = len(editor.history)
        page = read(session, "assets", path="Assets/Many", query="Data", limit=50)
        for _ in range(3):
            page = read(
                session,
                "assets",
                path="Assets/Many",
                query="Data",
                limit=50,
                cursor=page["next_cursor"],
            )
        assert len([line for line in editor.history[start:] if line.startswith("find-assets")]) == 1
        world(editor, "asset Assets/New.asset|Data")
        read(
            session,
            "assets",
            path="Assets/Many",
            query="Data",
            limit=50,
            cursor=page["next_cursor"],
        )
        assert len([line for line in editor.history[start:] if line.startswith("find-assets")]) == 2

    def test_a_page_stays_below_the_limit_of_a_message(
        self, editor: HeadlessEditor, session: Session
    ) -> None:
        world(
            editor,
            *(f"field crowd|1|text{number}|String|string|long 1999" for number in range(600)),
        )
        page = read(session, "object", path="Clean/Crowd", limit=1000, cursor=None)
        rest = read(session, "object", path="Clean/Crowd", limit=1000, cursor=page["next_cursor"])
        assert len(page["items"]) == 1000 and "next_cursor" in rest
        assert 800_000 < len(json.dumps(rest, separators=(",", ":"))) < 900_000

    def test_an_object_destroyed_during_the_read_is_passed_over(
        self, editor: HeadlessEditor, session: Session
    ) -> None:
        for what in ("hierarchy", "object"):
            world(
                editor,
                "object doomed|Assets/Main.unity|Doomed|Enemy",
                "fields doomed|1|2000",
                "many doomed|Kid|2000",
            )
            editor.arrange("reads", "quirk slow-reads")
            request = f"req-doomed-{what}"
            session.send(
                "execute",
                request_id=request,
                tool_name="inspect",
                params={"what": what, "path": "Main/Doomed"},
                timeout_ms=30_000,
            )
            reads = 0
            while reads == 0:
                editor.command("reads")
                reads = int(editor.wait_for(r"reads (\d+)").group(1))
            world(editor, "destroy doomed")
            editor.arrange("no-quirk slow-reads")
            answer = session.expect_that(
                lambda heard: heard.get("request_id") == request,  # noqa: B023
                "an answer",
            )
            gone = "was destroyed while it was read" in str(answer.get("error"))
            assert answer.get("status") == "ok" or (what == "object" and gone), answer

    def test_a_read_ends_when_it_is_cancelled_or_its_time_is_up(
        self, editor: HeadlessEditor, session: Session
    ) -> None:
        editor.arrange("quirk slow-reads")
        asked: Json = {
            "tool_name": "inspect",
            "params": {"what": "hierarchy", "query": "x", "depth": 40},
        }
        session.send("execute", request_id="req-cancelled", timeout_ms=60_000, **asked)
        late = session.ask("execute", timeout_ms=200, **asked)
        assert late["type"] == "result" and late["error"]["code"] == "ERR_UNITY_EXECUTION"
        answer = session.ask("cancel", target_request_id="req-cancelled")
        assert answer["status"] == "cancel_requested"
        assert session.ask("cancel", target_request_id="req-cancelled")["status"] == "rejected"
        editor.arrange("no-quirk slow-reads")
        editor.wait_until_idle()
        editor.arrange("reads")
        editor.wait_until_idle()
        editor.pass_over()
        editor.command("reads")
        assert editor.wait_for(r"reads (\d+) (\d+)").groups() == ("0", "0")
        assert read(session, "scenes")["total"] > 0

    def test_a_failure_of_unitys_is_answered(
        self, editor: HeadlessEditor, session: Session
    ) -> None:
        world(editor, "object bad|root|Bad", "broken bad")
        answer = session.ask(
            "execute",
            tool_name="inspect",
            params={"what": "hierarchy", "path": "Main/Root"},
            timeout_ms=30_000,
        )
        assert (answer["status"], answer["error"]["message"]) == (
            "error",
            "inspect failed: broken for the test",
        )
