"""``screenshot``: a recorded picture, which says that it is one (SPEC §16.3)."""

from __future__ import annotations

import base64
from pathlib import Path

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Parameters, Refusal, not_simulated
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.text.json_types import JsonDict, JsonObject

_PICTURES = Path(__file__).resolve().parents[1] / "pictures"
# The widths that are recorded: one for every max_size.
_SMALL, _LARGE = 64, 512
_RECORDED = "This is a recorded picture. The simulated editor renders nothing."


class Screenshot:
    """The tool."""

    name = "screenshot"
    parameters: Parameters = {
        "view": "game",
        "max_size": 1024,
        "format": "jpg",
        "frames": 1,
        "every_ms": 250,
    }

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def answer(self, params: JsonObject) -> Result[JsonDict, Refusal]:
        """Return the picture; ``fresh`` is false, as for every picture that was not rendered for
        the call.
        """
        if params["frames"] > 1:
            return Err(
                not_simulated(
                    "The simulated editor has one picture for each view, and no moving ones."
                )
            )
        view, width = params["view"], _LARGE if params["max_size"] >= _LARGE else _SMALL
        player = self._editor.player
        self._editor.emit("screenshot", view=view, frame=player.frame)
        data = (_PICTURES / f"{view}_{width}.{params['format']}").read_bytes()
        answer: JsonDict = {
            "image": base64.b64encode(data).decode("ascii"),
            "format": params["format"],
        }
        answer.update(
            width=width,
            height=width * 9 // 16,
            view=view,
            playing=player.is_playing,
            frame=player.frame,
        )
        return Ok({**answer, "fresh": False, "uniform": False, "reason": _RECORDED})


TOOL = Screenshot
