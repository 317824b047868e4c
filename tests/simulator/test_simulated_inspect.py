"""``inspect`` in the simulated editor: the shapes are those of the plugin (SPEC §16.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List

import pytest

from tests.simulator.manual_editor import ManualEditor, answer_of
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.project import default_project
from unity_bridge.simulator.tools.inspect import Inspect
from unity_bridge.simulator.world import SCENE, Thing, World, game_object

PLAYER = "Main/Player"


def tool(content: Any = None) -> Inspect:
    project = default_project()
    return Inspect(
        ManualEditor(project if content is None else replace(project, content=content)).process
    )


def read(what: str, content: Any = None, **params: Any) -> Dict[str, Any]:
    answer = answer_of(tool(content), {"what": what, **params})
    assert isinstance(answer, Ok), answer
    return answer.value


def refused(**params: Any) -> str:
    answer = answer_of(tool(), params)
    assert isinstance(answer, Err)
    assert answer.error.code is ErrorCode.INVALID_PARAMS
    return answer.error.message


def paths(page: Dict[str, Any]) -> List[str]:
    return [item["path"] for item in page["items"]]


def test_scenes_are_those_open_and_those_of_the_build() -> None:
    main, cellar = read("scenes")["items"]
    assert (main["path"], main["active"], main["build_index"]) == ("Main", True, 0)
    assert cellar == {
        "file": "Assets/Scenes/Cellar.unity",
        "kind": "build",
        "loaded": False,
        "in_build": True,
        "build_index": 1,
    }


def test_objects_that_no_load_destroys_are_there_while_the_game_plays() -> None:
    editor = ManualEditor(default_project())
    editor.process.player.enter()
    editor.main.run(5)
    answer = answer_of(Inspect(editor.process), {"what": "hierarchy", "depth": 1})
    assert isinstance(answer, Ok) and "DontDestroyOnLoad/Music" in paths(answer.value)


def test_a_hierarchy_has_parents_before_children_and_numbers_equal_names() -> None:
    page = read("hierarchy")
    assert page["total"] == len(page["items"]) == 9
    lantern = page["items"][6]
    assert lantern == {
        "path": "Main/Lanterns/Lantern[1]",
        "depth": 2,
        "active": False,
        "components": ["Transform", "Light"],
    }
    assert page["items"][-1]["components"] == ["Transform", "(missing script)"]
    assert read("hierarchy", depth=1)["items"][2]["children_not_shown"] == 1
    assert read("hierarchy", depth=0)["items"][0]["children_not_shown"] == 4


def test_every_path_leads_back_to_its_object() -> None:
    odd = World(
        [
            Thing(
                SCENE,
                "Assets/A.unity",
                below=[game_object(name) for name in ("a/b[0] 5%", "x", "x")],
            )
        ]
    )
    assert paths(read("hierarchy", odd)) == ["A", "A/a%2Fb%5B0] 5%25", "A/x", "A/x[1]"]
    for path in paths(read("hierarchy", odd)):
        assert paths(read("hierarchy", odd, path=path, depth=0)) == [path]
    assert paths(read("hierarchy", odd, path="A/x[0]")) == ["A/x"]


def test_a_hierarchy_is_narrowed_by_name_and_component() -> None:
    assert paths(read("hierarchy", query="t:light lantern[")) == []
    assert len(read("hierarchy", query="t:light lantern")["items"]) == 3
    assert paths(read("hierarchy", query="t:PlayerMovement")) == [PLAYER]


def test_an_object_has_its_components_and_their_fields() -> None:
    items = read("object", path=PLAYER)["items"]
    assert (
        items[0]["components"] == ["Transform", "Keep.PlayerMovement"] and items[0]["children"] == 1
    )
    assert {"component": "Keep.PlayerMovement", "enabled": True} in items
    assert {
        "component": "Keep.PlayerMovement",
        "field": "speed",
        "type": "float",
        "value": 4.2,
    } in items
    assert read("object", path=items[0]["id"])["items"] == items
    assert "has no serialized field 'Speed'" in refused(
        what="object", path=PLAYER, query="PlayerMovement.Speed"
    )
    (speed,) = read("object", path=PLAYER, query="PlayerMovement.speed")["items"]
    assert speed["value"] == 4.2
    (position,) = read("object", path=PLAYER, query="Transform.localPosition")["items"]
    assert position["field"] == "m_LocalPosition"
    assert (
        read("object", path="Main/Old Gate", query="(missing script)")["items"][0]["missing"]
        is True
    )


def test_assets_and_the_selection() -> None:
    assert paths(read("assets", query="t:Item lan")) == ["Assets/Items/Lantern.asset"]
    assert read("assets", path="Assets/Items")["total"] == 2
    assert read("object", path="Assets/Items/Torch.asset")["items"][-1]["value"] == 0.3
    (player,) = read("selection")["items"]
    assert (player["path"], player["active"]) == (PLAYER, True)


@pytest.mark.parametrize(
    ("what", "params"),
    [("hierarchy", {"depth": 9}), ("object", {"path": PLAYER}), ("assets", {}), ("scenes", {})],
)
def test_pages_give_everything_once(what: str, params: Dict[str, Any]) -> None:
    whole = read(what, **params)
    items: List[Any] = []
    page = read(what, limit=1, **params)
    while "next_cursor" in page:
        items += page["items"]
        page = read(what, limit=1, cursor=page["next_cursor"], **params)
    assert items + page["items"] == whole["items"] and page["total"] == whole["total"]


def test_a_cursor_is_bound_to_its_question_and_its_item() -> None:
    cursor = read("hierarchy", limit=2)["next_cursor"]
    assert "another question" in refused(what="hierarchy", depth=1, cursor=cursor)
    assert "another question" in refused(
        what="hierarchy", cursor=f"elsewhere.{cursor.partition('.')[2]}"
    )


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"what": "object"}, "needs a path"),
        ({"what": "object", "path": "Main"}, "is a scene"),
        ({"what": "object", "path": "Cellar"}, "'Main'"),
        ({"what": "object", "path": "Main/Plyer"}, "'Player'"),
        ({"what": "object", "path": PLAYER, "query": "Camera"}, "Keep.PlayerMovement"),
        ({"what": "object", "path": "GlobalObjectId_V1-2-0-0-0"}, "Nothing has this"),
        ({"what": "hierarchy", "path": "Assets/Items/Torch.asset"}, "no hierarchy"),
        ({"what": "assets", "path": "Assets/Nowhere"}, "no folder"),
        ({"what": "scenes", "path": "x"}, "do not go with"),
        ({"what": "hierarchy", "cursor": "nonsense"}, "Ask again without it"),
    ],
)
def test_an_unanswerable_question_says_what_to_do(params: Dict[str, Any], words: str) -> None:
    assert words in refused(**params)


def test_equal_names_are_listed_with_their_addresses() -> None:
    lanterns = "Main/Lanterns/Lantern"
    assert "The nearest is 'Lantern" in refused(what="object", path=f"{lanterns} (1)")
    (head, *_) = read("object", path=lanterns)["items"]
    assert head["equal_names"] == [f"{lanterns}[1]", f"{lanterns}[2]"]
    for path in (f"{lanterns}[0]", f"{lanterns}[1]", head["id"], "Main/Player"):
        assert "equal_names" not in read("object", path=path)["items"][0]


def test_a_path_may_have_a_slash_before_it() -> None:
    assert read("object", path=f"/{PLAYER}")["items"][0]["path"] == PLAYER


def test_a_query_without_a_hit_says_what_a_query_is() -> None:
    page = read("hierarchy", query="Light")
    assert page["items"] == [] and "t:Type" in page["hint"]
    assert "hint" not in read("hierarchy", query="Player")


def test_the_user_interface_is_not_simulated() -> None:
    answer = answer_of(tool(), {"what": "ui"})
    assert isinstance(answer, Err) and answer.error.details["reason"] == "not_simulated"
