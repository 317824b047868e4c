"""The picture in a result: whether it is one, and how it leaves the result's JSON (SPEC §16.3,
§16.12, §20.3).
"""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple, Optional, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.picture_size import Size, picture_size
from unity_bridge.text.json_types import JsonDict, JsonObject

# What clients and models take; the plugin makes the picture smaller until it fits.
_MOST_CHARACTERS = 700_000
_KINDS = {"image/jpeg": "jpg", "image/png": "png"}


class Picture(NamedTuple):
    """``data`` is base64."""

    data: str
    mime_type: str


def checked_size(kind: str, image: str, size: Size, most: int) -> Result[Size, str]:
    """Return the picture's width and height; ``Err`` if it is none, which would spoil the client's
    whole conversation.

    ``size``: as the plugin says; ``most``: pixels of the longer side.
    """
    if len(image) >= _MOST_CHARACTERS:
        return Err(f"the picture has {len(image)} characters of base64, more than a client takes")
    try:
        data = base64.b64decode(image, validate=True)
    except (binascii.Error, ValueError):
        return Err("the picture is not base64")
    real_size = picture_size(kind, data)
    if real_size is None:
        return Err(f"the picture is not a complete {kind}")
    if real_size != size or max(real_size) > most:
        return Err(f"the picture has {real_size[0]}x{real_size[1]} pixels")
    return Ok(real_size)


def checked_image(image: JsonObject, most: int) -> Result[Size, str]:
    """Return the size of the ``image`` of a job's result: ``{data, mime_type, width, height}``."""
    size = (image["width"], image["height"])
    return checked_size(_KINDS[image["mime_type"]], image["data"], size, most)


def without_picture(payload: JsonDict) -> Tuple[Optional[Picture], JsonDict]:
    """Take the picture out of the status of a job of ``run_command``, if its result has one."""
    result = payload.get("result")
    image = result.get("image") if isinstance(result, dict) else None
    is_checked = payload.get("tool", "run_command") == "run_command"
    if not (is_checked and isinstance(image, dict) and isinstance(image.get("data"), str)):
        return None, payload
    size = {name: image[name] for name in ("width", "height")}
    picture = Picture(image["data"], image["mime_type"])
    return picture, {**payload, "result": {**payload["result"], "image": size}}
