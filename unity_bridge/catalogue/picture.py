"""The picture in a result: whether it is one, and how it leaves the result's JSON (SPEC §16.3,
§16.12, §20.3).
"""

from __future__ import annotations

import base64
import binascii
from typing import NamedTuple, Optional, Tuple

from unity_bridge.catalogue.picture_size import Size, picture_size
from unity_bridge.text.json_types import JsonDict, JsonObject

# What clients and models take; the plugin makes the picture smaller until it fits.
_MOST_CHARACTERS = 700_000
_KINDS = {"image/jpeg": "jpg", "image/png": "png"}


class Picture(NamedTuple):
    """``data`` is base64."""

    data: str
    mime_type: str


def fault_of_picture(kind: str, image: str, size: Size, most: int) -> Optional[str]:
    """Why it is no picture, which would spoil the client's whole conversation; None if it is one.

    ``size``: as the plugin says; ``most``: pixels of the longer side.
    """
    if len(image) >= _MOST_CHARACTERS:
        return f"the picture has {len(image)} characters of base64, more than a client takes"
    try:
        data = base64.b64decode(image, validate=True)
    except (binascii.Error, ValueError):
        return "the picture is not base64"
    real_size = picture_size(kind, data)
    if real_size is None:
        return f"the picture is not a complete {kind}"
    if real_size != size or max(real_size) > most:
        return f"the picture has {real_size[0]}x{real_size[1]} pixels"
    return None


def fault_of_image(image: JsonObject, most: int) -> Optional[str]:
    """Why the ``image`` of a job's result, ``{data, mime_type, width, height}``, is no picture."""
    size = (image["width"], image["height"])
    return fault_of_picture(_KINDS[image["mime_type"]], image["data"], size, most)


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
