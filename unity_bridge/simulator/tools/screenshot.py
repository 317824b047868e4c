"""``screenshot``: the editor's state as a picture (SPEC §16.3). It is always a PNG, and says so."""

from __future__ import annotations

import base64
from typing import Any, Dict, Mapping, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.courtyard import Moment, drawn
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.picture import Canvas
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.views import Views

_SIZES: Mapping[str, Tuple[int, int]] = {"game": (1280, 720), "scene": (960, 640)}
_HIDDEN = "No camera rendered: the Game view is hidden. This is the last picture of it."


class Screenshot:
    """The tool."""

    name = "screenshot"

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def answer(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]:
        view, max_size = params.get("view", "game"), params.get("max_size", 1024)
        if view not in _SIZES or params.get("format", "jpg") not in ("jpg", "png"):
            return Err(Refusal(ErrorCode.INVALID_PARAMS, "view must be game or scene, format jpg or png"))
        if type(max_size) is not int or not 64 <= max_size <= 2048:
            return Err(Refusal(ErrorCode.INVALID_PARAMS, "max_size must be a whole number from 64 to 2048"))
        if self._editor.views is Views.CLOSED:
            return Err(refused("no_view", f"No {view} view is open. Open one with Window > General > {view.title()}."))
        return Ok(self._shot(view, max_size))

    def _shot(self, view: str, max_size: int) -> Dict[str, Any]:
        player = self._editor.player
        width, height = _SIZES[view]
        scale = min(1.0, max_size / max(width, height))
        width, height = round(width * scale), round(height * scale)
        is_fresh = self._editor.views is not Views.HIDDEN
        moment = Moment(
            view, player.is_playing, player.is_paused, player.frame if is_fresh else 0, len(self._editor.unsaved_scenes)
        )
        canvas = Canvas(width, height) if self._editor.views is Views.BLACK else drawn(moment, width, height)
        told: Dict[str, Any] = {
            "image": base64.b64encode(canvas.png()).decode("ascii"),
            "format": "png",
            "width": width,
            "height": height,
            "view": view,
            "playing": player.is_playing,
            "frame": player.frame,
            "fresh": is_fresh,
            "uniform": canvas.is_uniform(),
        }
        self._editor.emit("screenshot", view=view, frame=player.frame)
        return told if is_fresh else {**told, "reason": _HIDDEN}
