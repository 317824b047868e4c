"""The user interface of the pretend game, and its two commands (SPEC §16.4, §16.5).

While the game plays it has a title screen of uGUI and a document of UI Toolkit. *Start* closes the curtain in front of
the shop, goes away itself, and lets the game be continued.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.commands import Behaviour, Value
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.views import Views
from unity_bridge.simulator.world import KEPT, fits

# A picture of the default size.
WIDTH, HEIGHT = 1024, 576

_CANVAS, _DOCUMENT = f"{KEPT}/Canvas", f"{KEPT}/Hud"
_NO_VIEW = "No Game view is open. Open one with Window > General > Game."
_TO_DO = {
    "not_playing": "The editor is not in play mode. Enter it, then",
    "paused": "The game is paused. Resume it, then",
}


@frozen
class ScreenControl:
    """Something on the screen; ``rect`` is left, top, width and height in a picture of the default size."""

    path: str
    kind: str
    label: str
    rect: Tuple[int, int, int, int]
    interactable: bool = True
    covered_by: Optional[str] = None
    takes_text: bool = False

    def as_json(self) -> Dict[str, Any]:
        item: Dict[str, Any] = {"path": self.path, "kind": self.kind, "label": self.label}
        item.update(interactable=self.interactable, rect=list(self.rect))
        return {**item, "covered_by": self.covered_by} if self.covered_by else item

    def has(self, x: float, y: float) -> bool:
        left, top, width, height = self.rect
        return left <= x < left + width and top <= y < top + height


# The control, and where it is hit.
_Found = Result[Tuple[ScreenControl, float, float], Refusal]

_CURTAIN = ScreenControl(f"{_CANVAS}/Curtain", "Image", "Curtain", (640, 380, 300, 160))


def controls(editor: UnityApi) -> List[ScreenControl]:
    """Return what is on the screen now, what lies in front last. What the player has done is in the scene."""
    nodes = editor.content.nodes()
    active = {path for path, node in nodes.items() if node.is_active}
    cover = _CURTAIN.path if _CURTAIN.path in active else None
    name = nodes[f"{_CANVAS}/Name"].thing.parts[1].value("m_Text") if f"{_CANVAS}/Name" in nodes else ""
    there = [
        ScreenControl(f"{_CANVAS}/Start", "Button", "Start", (448, 256, 128, 64)),
        ScreenControl(f"{_CANVAS}/Name", "InputField", name or "Your name", (448, 200, 128, 32), takes_text=True),
        ScreenControl(f"{_CANVAS}/Continue", "Button", "Continue", (448, 340, 128, 64), interactable=cover is None),
        ScreenControl(f"{_CANVAS}/Shop", "Button", "Shop", (700, 420, 128, 64), covered_by=cover),
        ScreenControl(f"{_DOCUMENT}#pause", "Button", "Pause", (900, 20, 100, 40)),
        ScreenControl(f"{_DOCUMENT}#seed", "IntegerField", "Seed", (20, 20, 160, 40), takes_text=True),
    ]
    return [one for one in there if one.path.partition("#")[0] in active]


def listed(editor: UnityApi, path: str, query: str) -> Result[List[Dict[str, Any]], Refusal]:
    """Return the items of ``inspect what: ui``."""
    refusal = _not_seen(editor)
    if refusal is not None:
        return Err(refusal)
    found = controls(editor)
    if path and not any((one.path + "/").startswith((path + "/", path + "#")) for one in found):
        return Err(_invalid(_nothing_at(editor, path)))
    below = [one for one in found if not path or (one.path + "/").startswith((path + "/", path + "#"))]
    return Ok([one.as_json() for one in below if fits(query, one.label, [one.kind])])


def _not_seen(editor: UnityApi) -> Optional[Refusal]:
    if not editor.is_playing:
        return refused("not_playing", f"{_TO_DO['not_playing']} look at its user interface.")
    return refused("no_view", _NO_VIEW) if editor.views is Views.CLOSED else None


def _runs(editor: UnityApi) -> Optional[Refusal]:
    reason = "paused" if editor.is_playing and editor.player.is_paused else ""
    return refused(reason, f"{_TO_DO[reason]} run the command again.") if reason else _not_seen(editor)


def _invalid(message: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PARAMS, message)


def _nothing_at(editor: UnityApi, path: str) -> str:
    found = editor.content.find(path.partition("#")[0])
    if isinstance(found, Err):
        return f"{path}: {found.error} Nothing was done."
    return f"{path} is not an element of a user interface. inspect what: ui lists those that can be used."


def _click(
    editor: UnityApi, path: str, x: Optional[float], y: Optional[float], width: Optional[int], height: Optional[int]
) -> Value:
    by_place = x is not None and y is not None and (width is None) == (height is None)
    if not (by_place if not path else (x, y, width, height) == (None, None, None, None)):
        return Err(_invalid("ui_click takes a path, or x and y in a picture of the Game view. Nothing was clicked."))
    found = _named(editor, path) if path else _at(editor, x or 0, y or 0, width or WIDTH, height or HEIGHT)
    return found if isinstance(found, Err) else Ok(_press(editor, *found.value))


def _text(editor: UnityApi, path: str, text: str) -> Value:
    found = _named(editor, path, takes_text=True)
    if isinstance(found, Err):
        return found
    control = found.value[0]
    if control.kind == "IntegerField" and not text.lstrip("-").isdecimal():
        return Err(_invalid(f"{path} is an IntegerField, and '{text}' is no value for it. Nothing was changed."))
    answer = _press(editor, *found.value)
    node = editor.content.nodes().get(control.path)
    if node is not None:
        node.thing.parts[1].put("m_Text", text)
    editor.log(Entry("log", f"{control.path.rpartition('/')[2]}: {text}"))
    return Ok({**answer, "text": text})


def _named(editor: UnityApi, path: str, takes_text: bool = False) -> _Found:
    control = next((one for one in controls(editor) if one.path == path), None)
    if control is None:
        return Err(_invalid(_nothing_at(editor, path)))
    if takes_text and not control.takes_text:
        return Err(_invalid(f"{path} is a {control.kind}, which takes no text. Nothing was changed."))
    if control.covered_by:
        message = f"{path} is covered by {control.covered_by}, which would get the click. Nothing was done."
        return Err(refused("covered", message, covered_by=control.covered_by))
    left, top, across, down = control.rect
    return _usable(control, left + across / 2, top + down / 2)


def _at(editor: UnityApi, x: float, y: float, width: int, height: int) -> _Found:
    if abs(width * HEIGHT / WIDTH - height) > 1:
        return Err(refused("view_changed", "The picture has another shape than the Game view. Take a new picture."))
    if not (0 <= x < width and 0 <= y < height):
        return Err(_invalid(f"x and y are pixels of a picture of {width} x {height}. Nothing was clicked."))
    place = (x * WIDTH / width, y * HEIGHT / height)
    shown = controls(editor)
    in_front = [*shown, _CURTAIN] if any(one.covered_by for one in shown) else shown
    hit = [one for one in in_front if one.has(*place)]
    return (
        _usable(hit[-1], *place)
        if hit
        else Err(refused("nothing_there", "Nothing at that position takes part in pointer events."))
    )


def _usable(control: ScreenControl, x: float, y: float) -> _Found:
    if control.interactable:
        return Ok((control, x, y))
    return Err(refused("not_interactable", f"{control.path} is switched off by the game. Nothing was done."))


def _press(editor: UnityApi, control: ScreenControl, x: float, y: float) -> Dict[str, Any]:
    editor.emit("ui_used", path=control.path)
    answer: Dict[str, Any] = {"hit": {"path": control.path, "kind": control.kind, "label": control.label}}
    answer.update(handled=control is not _CURTAIN, at=[round(x), round(y)])
    if control.path == f"{_CANVAS}/Start":
        for path, node in editor.content.nodes().items():
            if path in (control.path, _CURTAIN.path):
                node.thing.put("m_IsActive", False)
        editor.log(Entry("log", "The game has started"))
        answer["gone"] = True
    return answer


COMMANDS: Mapping[str, Behaviour] = {
    "ui_click": Behaviour(_click, needs=(_runs,)),
    "ui_text": Behaviour(_text, needs=(_runs,)),
}
