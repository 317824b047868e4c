"""``screenshot``: stored pictures of the pretend game, as JPEG and as PNG (SPEC §16.3)."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Dict, Mapping

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.parameters import Parameters, choice, whole
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.views import Views

_PICTURES = Path(__file__).resolve().parent.parent / "pictures"
# The widths that are stored, the largest first; every picture is 16:9.
_WIDTHS = (1024, 512, 256, 64)
_HIDDEN = "No camera rendered: the view is hidden. This is the last picture of it."


class Screenshot:
    """The tool."""

    name = "screenshot"
    parameters: Parameters = {
        "view": choice("game", "scene"),
        "max_size": whole(1024, 64, 2048),
        "format": choice("jpg", "png"),
    }

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def answer(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]:
        view, max_size, kind = params["view"], params["max_size"], params["format"]
        views, player = self._editor.views, self._editor.player
        if views is Views.CLOSED:
            return Err(refused("no_view", f"No {view} view is open. Open one with Window > General > {view.title()}."))
        is_black = views is Views.BLACK
        width = 64 if is_black else next(width for width in _WIDTHS if width <= max_size)
        picture = _PICTURES / f"{'black' if is_black else view}-{width}.{kind}"
        shot: Dict[str, Any] = {
            "image": base64.b64encode(picture.read_bytes()).decode("ascii"),
            "format": kind,
            "width": width,
            "height": width * 9 // 16,
            "view": view,
            "playing": player.is_playing,
            "frame": player.frame,
            "fresh": views is not Views.HIDDEN,
            "uniform": is_black,
        }
        self._editor.emit("screenshot", view=view, frame=player.frame)
        return Ok(shot if shot["fresh"] else {**shot, "reason": _HIDDEN})


TOOL = Screenshot
