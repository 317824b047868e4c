"""The package's commands that change what ``inspect`` shows, on the pretend project (SPEC §16.5).

A field is ``(type, value)`` with the value as JSON, so a new value fits if it has the form of the present one.
"""

from __future__ import annotations

import copy
import math
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.commands import Value
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.scene import (
    Asset,
    Component,
    Content,
    GameObject,
    Node,
    Scene,
    components_of,
    file_name,
    placed,
    same_names,
    short,
)
from unity_bridge.simulator.unity_api import UnityApi

_TRANSFORM = "Transform"
_ELEMENT = re.compile(r"\[(\d+)\]$")
_LOST = "The editor is in play mode: Unity discards changes of scene objects when play mode ends."
# The fields that the Inspector shows and nobody sets.
_UNITYS = ("m_Script",)
# What an object has itself, by Unity's names, and the names that a key may have.
_UNITYS_NAMES = {"name": "m_Name", "active": "m_IsActive", "tag": "m_TagString"}
_OF_OBJECT = {**{one: one for one in _UNITYS_NAMES}, "active_self": "active"}
_OF_OBJECT.update({unitys: one for one, unitys in _UNITYS_NAMES.items()})


class _Refused(Exception):
    """Why nothing is changed."""


def set_fields(editor: UnityApi, path: str, values: Mapping[str, Any]) -> Value:
    """Check and convert all values, then set them."""

    def change(report: _Report) -> None:
        target = _found(editor, path)
        if not values:
            raise _Refused('values names at least one field, as in {"Light.intensity": 2}.')
        settings = [_setting(editor, target, key, value) for key, value in values.items()]
        names = [setting.name for setting in settings]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise _Refused(f"{twice[0]} is given twice.")
        changed = [setting for setting in settings if setting.before != setting.after]
        for setting in changed:
            setting.put(setting.after)
        for setting in changed:
            report.add(target, setting.name, setting.before, setting.after)

    return _in_one_undo_group(editor, f"Set fields of {path.rsplit('/', 1)[-1]}", change, path)


def create_object(
    editor: UnityApi,
    parent: Optional[str],
    name: Optional[str],
    kind: Optional[str],
    prefab: Optional[str],
    copy_of: Optional[str],
    components: Optional[Sequence[str]],
    values: Optional[Mapping[str, Any]],
    position: Any,
    rotation: Any,
    scale: Any,
) -> Value:
    """Create an object, with components or out of a prefab."""
    others = {"kind": kind, "copy_of": copy_of, "values": values, "position": position, "rotation": rotation}
    given = [one for one, value in {**others, "scale": scale}.items() if value is not None]
    if given:
        message = f"The simulated editor cannot do this ({', '.join(given)}). Use a real editor."
        return Err(refused("not_simulated", message))

    def change(report: _Report) -> None:
        above = _parent(editor, parent or "/")
        made = GameObject(name or "", [placed(0, 0, 0)])
        if prefab:
            asset = _found(editor, prefab)
            if not isinstance(asset, Asset) or asset.type != "GameObject":
                raise _Refused(f"{prefab} is no prefab. Give its file, as in Assets/Prefabs/Lamp.prefab.")
            made.name = name or file_name(asset.path).rsplit(".", 1)[0]
        if not made.name:
            raise _Refused("name is a text that is not empty.")
        made.components += [_new_component(editor, one) for one in components or ()]
        _children(above).append(made)
        report.add(made, "path", None, report.path_of(made))
        report.add(made, "components", None, [component.type for component in made.components])

    return _in_one_undo_group(editor, f"Create {name}", change)


def delete_object(editor: UnityApi, path: str) -> Value:
    """Delete an object with all below it."""

    def change(report: _Report) -> None:
        node = _object(editor, path)
        report.add(node.owner, "path", node.path, None)
        below = sum(1 for one in editor.content.nodes(editor.is_playing) if one.startswith(node.path + "/"))
        if below:
            report.remarks.append(
                "One object below it was deleted with it."
                if below == 1
                else f"{below} objects below it were deleted with it."
            )
        siblings = _siblings(editor.content, node, editor.is_playing)
        siblings.pop(_position(siblings, node.owner))

    return _in_one_undo_group(editor, f"Delete {path.rsplit('/', 1)[-1]}", change, path)


def move_object(editor: UnityApi, path: str, parent: str, index: Optional[int]) -> Value:
    """Move an object below another one, or to another place among its siblings."""

    def change(report: _Report) -> None:
        node, above = _object(editor, path), _parent(editor, parent)
        if (above.path + "/").startswith(node.path + "/"):
            raise _Refused(f"{node.path} cannot be moved below itself.")
        before, after = _siblings(editor.content, node, editor.is_playing), _children(above)
        most = len(after) - (1 if before is after else 0)
        if index is not None and not 0 <= index <= most:
            raise _Refused(f"index {index} is past the end: it goes from 0 to {most}.")
        old = _position(before, node.owner)
        if before is after and index is None:
            return
        before.pop(old)
        after.insert(most if index is None else index, node.owner)
        new_path, new = report.path_of(node.owner), _position(after, node.owner)
        if new_path != node.path:
            report.add(node.owner, "path", node.path, new_path)
        if new != old:
            report.add(node.owner, "index", old, new)

    return _in_one_undo_group(editor, f"Move {path.rsplit('/', 1)[-1]}", change, path)


def add_component(editor: UnityApi, path: str, component: str) -> Value:
    """Add a component of a type that the pretend project knows."""

    def change(report: _Report) -> None:
        owner = _object(editor, path).owner
        before = [one.type for one in owner.components]
        owner.components.append(_new_component(editor, component))
        report.add(owner, "components", before, [one.type for one in owner.components])

    return _in_one_undo_group(editor, f"Add {component}", change, path)


def remove_component(editor: UnityApi, path: str, component: str) -> Value:
    """Remove a component by the name that ``inspect`` prints."""

    def change(report: _Report) -> None:
        owner = _object(editor, path).owner
        found = [one for name, one in components_of(owner) if component in (name, short(name))]
        if not found:
            there = ", ".join(name for name, _ in components_of(owner))
            raise _Refused(f"There is no component '{component}'. It has {there}.")
        if not found[0].type:
            raise _Refused("The script of this component is missing.")
        if found[0].type.endswith(_TRANSFORM):
            raise _Refused(f"Every object has a {found[0].type}, which goes only with it (delete_object).")
        before = [one.type for one in owner.components]
        owner.components[:] = [one for one in owner.components if one is not found[0]]
        report.add(owner, "components", before, [one.type for one in owner.components])

    return _in_one_undo_group(editor, f"Remove {component}", change, path)


def undo(editor: UnityApi) -> bool:
    """Undo the last change, as ``menu`` with ``Edit/Undo`` does; whether there was one."""
    if not editor.content.undo:
        return False
    _, before = editor.content.undo.pop()
    _restore(editor.content, before)
    return True


# One call.


class _Report:
    """The rows of an answer. Changes mark the scene as unsaved; an asset is named in a remark."""

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._rows: List[Dict[str, Any]] = []
        self.remarks: List[str] = []

    def add(self, target: Any, field: str, before: Any, after: Any) -> None:
        where = target if isinstance(target, (GameObject, Asset)) else target.owner
        path = before if field == "path" and after is None else self.path_of(where)
        self._rows.append({"path": path, "field": field, "before": before, "after": after})
        if isinstance(where, Asset):
            remark = f"{where.path} has unsaved changes. save_all saves it."
        else:
            remark = _LOST if self._editor.is_playing else ""
            self._mark_dirty(path)
        if remark and remark not in self.remarks:
            self.remarks.append(remark)

    def path_of(self, target: Union[GameObject, Asset]) -> str:
        if isinstance(target, Asset):
            return target.path
        nodes = self._editor.content.nodes(self._editor.is_playing).values()
        return next(node.path for node in nodes if node.owner is target)

    def as_json(self, first: str) -> Dict[str, Any]:
        remarks = [*([first] if first and self._rows else []), *self.remarks]
        return {"changed": self._rows, "undo": True, **({"remarks": remarks} if remarks else {})}

    def _mark_dirty(self, path: str) -> None:
        name = path.split("/", 1)[0]
        scene = next((one for one in self._editor.content.scenes if one.is_open and one.name == name), None)
        if scene is not None and not self._editor.is_playing and scene.file not in self._editor.unsaved_scenes:
            self._editor.unsaved_scenes.append(scene.file)


def _in_one_undo_group(editor: UnityApi, name: str, change: Callable[[_Report], None], path: str = "") -> Value:
    before = _state(editor.content)
    dirty = list(editor.unsaved_scenes)
    report = _Report(editor)
    said = _other_objects(editor, path)
    try:
        change(report)
    except _Refused as refused:
        _restore(editor.content, before)
        editor.unsaved_scenes[:] = dirty
        return Err(Refusal(ErrorCode.INVALID_PARAMS, f"{refused} Nothing was changed."))
    answer = report.as_json(said)
    if answer["changed"]:
        editor.content.undo.append((name, before))
    return Ok(answer)


def _other_objects(editor: UnityApi, path: str) -> str:
    """Which other objects a path may mean."""
    found = editor.content.find(path, editor.is_playing) if path else Err("")
    if isinstance(found, Err) or isinstance(found.value, Asset) or path == found.value.id:
        return ""
    others = same_names(path, found.value, editor.content.nodes(editor.is_playing))
    return f"{path} can mean several objects: the first was changed, and not {', '.join(others)}." if others else ""


def _state(content: Content) -> Tuple[Any, ...]:
    return copy.deepcopy((content.scenes, content.kept, content.assets))


def _restore(content: Content, state: Tuple[Any, ...]) -> None:
    scenes, kept, assets = copy.deepcopy(state)
    # Which scenes are open is no part of what is undone.
    opened = {scene.file: scene.is_open for scene in content.scenes}
    for scene in scenes:
        scene.is_open = opened.get(scene.file, scene.is_open)
    content.scenes[:], content.kept[:], content.assets[:] = scenes, kept, assets


# What a call is about.


def _found(editor: UnityApi, path: str) -> Union[Node, Asset]:
    found = editor.content.find(path, editor.is_playing)
    if isinstance(found, Err):
        raise _Refused(f"{path}: {found.error}")
    if isinstance(found.value, Node) and found.value.owner is None:
        raise _Refused(f"{path}: this is a scene. Name an object, as in Main/Player.")
    return found.value


class _Object(NamedTuple):
    path: str
    owner: GameObject


def _object(editor: UnityApi, path: str) -> _Object:
    found = _found(editor, path)
    if isinstance(found, Asset):
        raise _Refused(f"{found.path} is a {found.type}, not an object of a scene.")
    assert found.owner is not None
    return _Object(found.path, found.owner)


def _parent(editor: UnityApi, path: str) -> Node:
    found = editor.content.find(path or "/", editor.is_playing)
    if isinstance(found, Err):
        raise _Refused(f"The parent {path}: {found.error}")
    if isinstance(found.value, Asset):
        raise _Refused(f"The parent {path} is a {found.value.type}, which has no objects below it.")
    return found.value


def _children(node: Node) -> List[GameObject]:
    scene: Scene = node.scene
    return scene.roots if node.owner is None else node.owner.children


def _siblings(content: Content, node: _Object, is_playing: bool) -> List[GameObject]:
    for above in content.nodes(is_playing).values():
        if any(child is node.owner for child in _children(above)):
            return _children(above)
    raise AssertionError("every object is below another one or a scene")


def _position(siblings: Sequence[GameObject], wanted: GameObject) -> int:
    return next(place for place, one in enumerate(siblings) if one is wanted)


def _new_component(editor: UnityApi, name: str) -> Component:
    """A component of a type that is in the project already: the pretend project has no others."""
    nodes = editor.content.nodes(editor.is_playing).values()
    known = {one.type: one for node in nodes if node.owner is not None for one in node.owner.components if one.type}
    known.setdefault("BoxCollider", Component("BoxCollider"))
    fitting = [kind for kind in known if name in (kind, short(kind))]
    if len(fitting) != 1 or fitting[0].endswith(_TRANSFORM):
        raise _Refused(f"There is no component {name} that can be added. There are {', '.join(sorted(known))}.")
    return copy.deepcopy(known[fitting[0]])


# One field.


class _Setting(NamedTuple):
    name: str
    before: Any
    after: Any
    put: Callable[[Any], None]


def _setting(editor: UnityApi, target: Union[Node, Asset], key: str, value: Any) -> _Setting:
    if isinstance(target, Asset):
        name = key[len(target.type) + 1 :] if key.startswith(target.type + ".") else key
        return _of_fields(editor, target.type, target.fields, name, value)
    owner = target.owner
    assert owner is not None
    head = key[len("GameObject.") :] if key.startswith("GameObject.") else key
    if head in _OF_OBJECT:
        member, field = _OF_OBJECT[head], f"GameObject.{_UNITYS_NAMES[_OF_OBJECT[head]]}"
        now = getattr(owner, member)
        new = _converted(editor, field, "Boolean" if member == "active" else "String", now, value)
        return _Setting(field, now, new, lambda after: setattr(owner, member, after))
    for name, component in components_of(owner):
        for spelled in (name, short(name)):
            if key.startswith(spelled + "."):
                return _of_component(editor, name, component, key[len(spelled) + 1 :], value)
    there = ", ".join(name for name, _ in components_of(owner))
    raise _Refused(f"No component fits '{key}'. A key is Component.field; the components are {there}.")


def _of_component(editor: UnityApi, name: str, component: Component, field: str, value: Any) -> _Setting:
    if not component.type:
        raise _Refused(f"The script of this component is missing: {name} has no fields to set.")
    if field in ("enabled", "m_Enabled"):
        new = _converted(editor, f"{name}.m_Enabled", "Boolean", component.enabled, value)
        return _Setting(f"{name}.m_Enabled", component.enabled, new, lambda after: setattr(component, "enabled", after))
    return _of_fields(editor, name, component.fields, field, value)


def _of_fields(editor: UnityApi, owner: str, fields: Dict[str, Tuple[str, Any]], field: str, value: Any) -> _Setting:
    """``field`` is a name that ``inspect`` prints, or the one that code uses; ``points[2].x`` is a part of one."""
    first, *rest = field.split(".")
    element = _ELEMENT.search(first)
    spelled = first[: element.start()] if element else first
    candidates = (spelled, f"m_{spelled[:1].upper()}{spelled[1:]}")
    known = next((name for name in candidates if name in fields), None)
    if known is None:
        raise _Refused(f"{owner} has no field '{field}'. Its fields are {', '.join(fields) or 'none'}.")
    kind, now = fields[known]
    steps: List[Union[int, str]] = [*([int(element.group(1))] if element else []), *rest]
    part: Any = now
    for step in steps:
        if isinstance(step, int) and isinstance(part, list) and step >= len(part):
            raise _Refused(f"{owner}.{known} has {len(part)} elements; [{step}] is not one of them.")
        if not (isinstance(part, list) if isinstance(step, int) else isinstance(part, dict) and step in part):
            raise _Refused(f"{owner}.{known} has no part '{step}'.")
        part = part[step]
    name = f"{owner}.{known}" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    inner = kind if not steps else kind[:-2] if kind.endswith("[]") and len(steps) == 1 else _kind_of(part)
    after = _converted(editor, name, inner, part, value)
    if known in _UNITYS and after != part:
        raise _Refused(f"{name} is read-only: Unity keeps it itself.")

    def put(new: Any) -> None:
        whole = copy.deepcopy(now)
        if not steps:
            whole = new
        else:
            at = whole
            for step in steps[:-1]:
                at = at[step]
            at[steps[-1]] = new
        fields[known] = (kind, whole)

    return _Setting(name, part, after, put)


def _kind_of(part: Any) -> str:
    return {bool: "Boolean", int: "float", float: "float", str: "string"}.get(type(part), "")


def _converted(editor: UnityApi, name: str, kind: str, now: Any, value: Any) -> Any:
    """The value in the form of the present one. Nothing is guessed or rounded."""
    fitted = _fitted(editor, name, kind, now, value)
    if isinstance(fitted, Err):
        raise _Refused(f"{name} must be {fitted.error}. It is of type {kind} and is {_shown(now)} now.")
    return fitted.value


def _fitted(editor: UnityApi, name: str, kind: str, now: Any, value: Any) -> Result[Any, str]:
    if value == now and isinstance(value, bool) == isinstance(now, bool):
        return Ok(now)
    if kind.endswith("[]"):
        if not isinstance(value, list):
            return Err(f"a list, not {_shown(value)}")
        old = now if isinstance(now, list) else []
        pattern = _empty_of(kind[:-2])
        items = []
        for place, one in enumerate(value):
            present = old[place] if place < len(old) else pattern
            items.append(_converted(editor, f"{name}[{place}]", kind[:-2], present, one))
        return Ok(items)
    if kind in ("int", "float", "Float", "Integer"):
        return _number(kind, value)
    if kind in ("Boolean", "bool"):
        return Ok(value) if isinstance(value, bool) else Err(f"true or false, not {_shown(value)}")
    if kind in ("String", "string"):
        fits = isinstance(value, str) and (value or not name.startswith("GameObject."))
        return Ok(value) if fits else Err(f"a text, not {_shown(value)}")
    members = now if isinstance(now, dict) else {}
    if members and "path" not in members:
        if not isinstance(value, dict) or not set(value) <= set(members):
            return Err(f"an object with {', '.join(members)}, not {_shown(value)}")
        return Ok(
            {
                **members,
                **{one: _converted(editor, f"{name}.{one}", "float", members[one], value[one]) for one in value},
            }
        )
    return _reference(editor, kind, value)


def _empty_of(kind: str) -> Any:
    axes = {"Vector2": "xy", "Vector3": "xyz", "Vector4": "xyzw", "Quaternion": "xyzw", "Color": "rgba"}
    return dict.fromkeys(axes[kind], 0) if kind in axes else None


def _number(kind: str, value: Any) -> Result[Any, str]:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return Err(f"a number, not {_shown(value)}")
    if kind in ("int", "Integer"):
        return Ok(int(value)) if float(value).is_integer() and abs(value) < 2**31 else Err("a whole number")
    return Ok(value)


def _reference(editor: UnityApi, kind: str, value: Any) -> Result[Any, str]:
    if value is None:
        return Ok(None)
    path = (
        value if isinstance(value, str) else value.get("id") or value.get("path") if isinstance(value, dict) else None
    )
    if not isinstance(path, str):
        return Err(f"null, a path or id, or an object with path or id, of a {kind}, not {_shown(value)}")
    found = _found(editor, path)
    if isinstance(found, Asset):
        shown = {name: one for name, one in found.reference().items() if name != "id"}
        return Ok(shown) if kind in (found.type, short(found.type)) else Err(f"a reference to a {kind}, not {path}")
    assert found.owner is not None
    types = ["GameObject", *(one.type for one in found.owner.components)]
    if kind not in [*types, *map(short, types)]:
        return Err(f"a reference to a {kind}, not {path}")
    return Ok({"type": kind, "name": found.owner.name, "path": found.path})


def _shown(value: Any) -> str:
    import json  # only when something is wrong

    return json.dumps(value)[:200]
