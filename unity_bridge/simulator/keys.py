"""``press`` in the pretend game: W, A, S, D and the arrows walk, as long as they are held (SPEC §16.5)."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.player import FRAMES_PER_SECOND
from unity_bridge.simulator.unity_api import UnityApi

_PLAYER = "Main/Player"
_MOST_KEYS, _MOST_MS = 8, 10_000
_STEP_S = 1 / FRAMES_PER_SECOND
# In the session state: which keys are held.
_HELD = "keys"

_KEYS = (
    *"abcdefghijklmnopqrstuvwxyz0123456789",
    *("space", "enter", "tab", "escape", "backspace", "delete", "upArrow", "downArrow", "leftArrow", "rightArrow"),
    *("leftShift", "rightShift", "leftCtrl", "rightCtrl", "leftAlt", "rightAlt", "leftMeta", "rightMeta"),
)
_NAMES = {name.lower(): key for key in _KEYS for name in ((key, f"digit{key}") if key.isdigit() else (key,))}
_WALKS = {
    **dict.fromkeys(("w", "upArrow"), ("z", 1)),
    **dict.fromkeys(("s", "downArrow"), ("z", -1)),
    **dict.fromkeys(("a", "leftArrow"), ("x", -1)),
    **dict.fromkeys(("d", "rightArrow"), ("x", 1)),
}


def press(editor: UnityApi, keys: Optional[List[str]], for_ms: int) -> Result[Dict[str, Any], Refusal]:
    """Return what is answered once the time is over. Until then the player walks, frame by frame."""
    if not keys or len(keys) > _MOST_KEYS:
        return _invalid(f"keys names 1 to {_MOST_KEYS} keys, as in w, space, leftShift.")
    if not 1 <= for_ms <= _MOST_MS:
        return _invalid(f"for_ms is a whole number from 1 to {_MOST_MS}.")
    unknown = [name for name in keys if name.lower() not in _NAMES]
    if unknown:
        message = f"The Input System has no key {unknown[0][:60]}. Keys are places on a US keyboard"
        return _invalid(f"{message}, as in w, space, leftShift, upArrow, 1.")
    held = list(dict.fromkeys(_NAMES[name.lower()] for name in keys))
    editor.session_state[_HELD] = json.dumps(held)
    until = editor.now() + editor.paced(for_ms / 1000)
    editor.later(_STEP_S, lambda: _walk(editor, held, until))
    actions = sorted(
        {"Player/Move" for key in held if key in _WALKS} | {"Player/Jump" for key in held if key == "space"}
    )
    value = {
        "hit": {"device": "Keyboard", "keys": [{"key": key} for key in held]},
        "pressed": held,
        "updates": max(1, round(for_ms / 1000 * FRAMES_PER_SECOND)),
        "held_ms": for_ms,
        "held_game_ms": for_ms,
        **editor.player.moment(),
        "released": True,
        "actions": actions,
        "handled": True if actions else None,
    }
    return Ok(value)


def why_not(editor: UnityApi) -> Optional[Refusal]:
    """Why nothing can be pressed now, or be held any longer."""
    if not editor.is_playing:
        return refused(
            "not_playing", "The editor is not in play mode. Enter it with play_mode enter, then press again."
        )
    if editor.player.is_paused:
        message = "The game is paused, so nothing would react. Resume it with play_mode resume, then press again."
        return refused("paused", message)
    return None


def release(editor: UnityApi) -> None:
    """All keys are up. Can be called again."""
    editor.session_state.pop(_HELD, None)


def _walk(editor: UnityApi, held: Sequence[str], until: float) -> None:
    place = _place(editor)
    if editor.session_state.get(_HELD) != json.dumps(held) or why_not(editor) is not None or place is None:
        return
    for key in held:
        axis, sign = _WALKS.get(key, ("x", 0))
        place[axis] = round(place[axis] + sign * _speed(editor) * _STEP_S, 4)
    if editor.now() + editor.paced(_STEP_S) <= until:
        editor.later(_STEP_S, lambda: _walk(editor, held, until))


def _place(editor: UnityApi) -> Optional[Dict[str, float]]:
    place = _field(editor, "Transform", "m_LocalPosition")
    return place if isinstance(place, dict) else None


def _speed(editor: UnityApi) -> float:
    speed = _field(editor, "Keep.PlayerMovement", "speed")
    return float(speed) if isinstance(speed, (int, float)) else 0.0


def _field(editor: UnityApi, component: str, name: str) -> Any:
    """None if the object, the component or the field is gone."""
    node = editor.content.nodes().get(_PLAYER)
    found = None if node is None else next((one for one in node.thing.parts if one.type == component), None)
    return None if found is None or name not in found.fields else found.value(name)


def _invalid(message: str) -> Err[Refusal]:
    return Err(Refusal(ErrorCode.INVALID_PARAMS, message))
