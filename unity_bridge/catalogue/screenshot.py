"""``screenshot``: what the Game view or the Scene view shows (SPEC §16.3)."""

from __future__ import annotations

from unity_bridge.base.program_command import with_own_command
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.picture import fault_of_picture
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    list_of,
    object_of,
    one_of,
    whole,
)
from unity_bridge.catalogue.tool import named, read_tool
from unity_bridge.text.json_types import JsonDict, JsonObject

# Claude's API refuses larger pictures where a request has many.
MOST_SIZE = 2000
MOST_FRAMES = 4
LEAST_EVERY_MS, MOST_EVERY_MS, EVERY_MS = 50, 1000, 250

_SHOT = object_of(
    {
        "frame": NUMBER,
        "fresh": FLAG,
        "uniform": FLAG,
        "changed": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
    },
    ("frame", "fresh", "uniform", "changed"),
)
_OLDER = "The plugin is older and knows no frames, so this is one picture. Update it: `unity-bridge plugin update`."
_RESULT = object_of(
    {
        "image": TEXT,
        "format": {"enum": ["jpg", "png"]},
        "width": COUNT,
        "height": COUNT,
        "view": {"enum": ["game", "scene"]},
        "playing": FLAG,
        "frame": NUMBER,
        "fresh": FLAG,
        "uniform": FLAG,
        "reason": TEXT,
        "shots": list_of(_SHOT),
    },
    ("image", "format", "width", "height", "view", "playing", "frame", "fresh", "uniform"),
)


def as_asked(params: JsonObject, result: JsonDict) -> Result[JsonDict, str]:
    """Return the result; ``Err`` if its picture is none.

    Members that the contract does not name are a plugin's own words, and are dropped (SPEC §16.3).
    """
    size = (result["width"], result["height"])
    most = params.get("max_size", MOST_SIZE)
    fault = fault_of_picture(result["format"], result["image"], size, most)
    if fault is not None:
        return Err(fault)
    if result["view"] != params.get("view", result["view"]):
        return Err(
            f"the picture is of the {result['view']} view, and the {params['view']} view was asked for"
        )
    frames = params.get("frames", 1)
    members = {*_RESULT["properties"], "remarks"}
    shot = {name: value for name, value in result.items() if name in members}
    if frames == 1:
        shot.pop("shots", None)
    elif "shots" not in shot:
        shot["reason"] = " ".join(filter(None, [with_own_command(_OLDER), shot.get("reason")]))
    elif len(shot["shots"]) != frames:
        return Err(f"the picture has {len(shot['shots'])} frames, and {frames} were asked for")
    else:
        shot["shots"] = [_named_members(picture) for picture in shot["shots"]]
    return Ok(shot)


def _named_members(picture: JsonObject) -> JsonDict:
    return {name: picture[name] for name in _SHOT["properties"] if name in picture}


def _longer_ms(params: JsonObject) -> int:
    return int((params["frames"] - 1) * params["every_ms"])


TOOL = read_tool(
    name="screenshot",
    rank=7,
    other_names=named(
        frames=("count", "shots", "burst", "n"),
        every_ms=("interval", "interval_ms", "delay_ms"),
        max_size=("width", "height", "size"),
        view=("camera",),
        format=("type",),
    ),
    other_words={"format": {"jpeg": "jpg"}, "view": {"gameview": "game", "sceneview": "scene"}},
    title="Unity screenshot",
    description=(
        "Takes a picture of the Game or Scene view, rendered for this call. Believe it only if fresh; uniform: one "
        "colour all over. frames: a grid of several, left to right; changed: what share of it moved."
    ),
    idempotent=False,
    arguments={
        "view": one_of(["game", "scene"], "Whose picture.", "game"),
        "max_size": whole(64, MOST_SIZE, "Pixels of the longer side.", 1024),
        "format": one_of(["jpg", "png"], "Of the file.", "jpg"),
        "frames": whole(1, MOST_FRAMES, "In one picture.", 1),
        "every_ms": whole(LEAST_EVERY_MS, MOST_EVERY_MS, "Between frames.", EVERY_MS),
    },
    longer_ms=_longer_ms,
    output_schema=_RESULT,
    as_asked=as_asked,
    reading=ReadingRules(
        verdicts={"fresh": False, "shots": [], "shots[].fresh": False},
        must_fit=("image", "format", "width", "height", "view"),
    ),
    shows_image=True,
)
