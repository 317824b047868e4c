"""``inspect``: scenes, objects, assets, the selection and the game's controls, by pages (SPEC
§16.4, ADR-0029).
"""

from __future__ import annotations

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.answer_limits import Fitting, leave_out
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import (
    COUNT,
    PAGE_BYTES,
    TEXT,
    list_of,
    object_of,
    one_of,
    text,
    whole,
)
from unity_bridge.catalogue.tool import read_tool
from unity_bridge.text.json_types import JsonDict, JsonObject

_DEFAULT_LIMIT = 100


def as_asked(params: JsonObject, result: JsonDict) -> Result[JsonDict, str]:
    """At most as many items as were asked for, of what was asked, whatever the plugin sent.

    Where items are cut off, the plugin's cursor points behind them, so that it goes with them.
    """
    answered = result.get("what", params["what"])
    if answered != params["what"]:
        return Err("the plugin answered another question")
    items = result["items"]
    limit = int(params.get("limit", _DEFAULT_LIMIT))
    total = max(result["total"], len(items))
    if len(items) > limit:
        page = {name: value for name, value in result.items() if name != "next_cursor"}
        return Ok({**page, "items": items[:limit], "total": total, "truncated": True})
    return Ok({**result, "what": answered, "total": total})


def _some_items(fitting: Fitting) -> None:
    """Keep whole items from the beginning. The plugin's cursor points behind the others, so that it
    goes with them.
    """
    items = fitting.rows("items")
    if len(items) > 1:
        fitting.result = {
            name: value for name, value in fitting.result.items() if name != "next_cursor"
        }
        advice = "Not all items of this page are here: ask again with a limit of {}."
        leave_out(
            fitting,
            "items",
            len(items),
            lambda count: {"items": items[:count], "truncated": True},
            advice.format(len(items)),
        )
        fitting.remarks["items"] = advice.format(len(fitting.rows("items")))


TOOL = read_tool(
    name="inspect",
    rank=5,
    other_names={
        "type": "what",
        "target": "path",
        "name": "query",
        "object": "path",
        "filter": "query",
        "search": "query",
        "max_depth": "depth",
        "count": "limit",
        "max_results": "limit",
        "page": "cursor",
    },
    other_words={
        "what": {
            "scene": "scenes",
            "gameobject": "object",
            "asset": "assets",
            "canvas": "ui",
            "controls": "ui",
        },
    },
    asset_paths=("path",),
    title="Inspect",
    description=(
        "Looks at scenes, a hierarchy, an object's fields, assets (query as in Unity), the selection, the game's ui."
    ),
    arguments={
        "what": one_of(
            ["scenes", "hierarchy", "object", "assets", "selection", "ui"], "What to list."
        ),
        "path": text("As in Main/Player/Hand, or Assets/Items"),
        "query": text("Part of a name, t:Light, or of an object Light.intensity"),
        "depth": whole(0, 40, "Levels below.", 2),
        "limit": whole(1, 1000, "Items a page.", _DEFAULT_LIMIT),
        "cursor": text("next_cursor of the page before."),
        "max_bytes": PAGE_BYTES,
    },
    # What the page may have, which the server that answers the client knows (SPEC §8.7).
    unpublished=("max_bytes",),
    required=("what",),
    # The list has no room to repeat what every answer shows.
    output_schema=object_of({"items": {"type": "array"}, "next_cursor": TEXT}),
    result_schema=object_of(
        {
            "items": list_of({"type": "object"}),
            "total": COUNT,
            "next_cursor": TEXT,
            "width": COUNT,
            "height": COUNT,
        },
        ("items", "total"),
    ),
    as_asked=as_asked,
    reading=ReadingRules(verdicts={"items": []}, counts={"total": "items"}),
    gives_way=(_some_items,),
)
