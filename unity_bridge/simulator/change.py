"""One change of the pretend project: a list of operations, all or nothing, whose answer is the
difference they made.
"""

from __future__ import annotations

import copy
import json
import math
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import (
    OBJECT,
    OWN_FIELDS,
    RECORDED,
    SCENE,
    TAGS,
    Found,
    Node,
    Thing,
    made_of,
    same_names,
    short,
)
from unity_bridge.text.json_types import JsonDict, JsonObject

# A method of ``Change`` and its arguments: ``(Change.move, "Main/Player", "/", None)``.
Operation = Tuple[Any, ...]

_LOST = "The editor is in play mode: Unity discards changes of scene objects when play mode ends."
_NO_UNDO = "Undo does not take back what was done to the files in written."
_PLAIN: Mapping[str, Tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "string": (str,),
}
_AXES = {
    "Vector2": "xy",
    "Vector3": "xyz",
    "Vector4": "xyzw",
    "Quaternion": "xyzw",
    "Color": "rgba",
}


class NotDone(Exception):
    """Why nothing is changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def wrong(message: str) -> NotDone:
    """Return the refusal of arguments of the right type that make no sense."""
    return NotDone(Refusal(ErrorCode.INVALID_PARAMS, f"{message} Nothing was changed."))


def not_possible(reason: str, message: str, **details: Any) -> NotDone:
    return NotDone(refused(reason, message, **details))


class _Setting(NamedTuple):
    """A field of a component, or with ``member`` an axis of it."""

    name: str
    part: Thing
    field: str
    member: str
    before: Any
    after: Any


class Change:
    """The operations, and what they did. ``named``: what earlier steps of a batch have made, by
    their names.
    """

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._world = editor.content
        self.rows: List[JsonDict] = []
        self.remarks: List[str] = []
        self.written: List[str] = []
        self.is_batch = False
        self.made: Optional[Thing] = None
        self.named: Dict[str, Thing] = {}

    def carry(self, operations: Sequence[Operation]) -> None:
        """Carry out the operations. Raises ``NotDone``; the caller restores the world then."""
        rows = len(self.rows)
        remark = self._other_objects(operations)
        for operation, *arguments in operations:
            operation(self, *arguments)
        if remark and len(self.rows) > rows:
            self.remarks.insert(0, remark)

    def as_json(self) -> JsonDict:
        if self.written:
            self._remark(_NO_UNDO)
        members = {"written": self.written, "remarks": self.remarks}
        return {
            "changed": self.rows,
            "undo": not self.written,
            **{name: member for name, member in members.items() if member},
        }

    # The operations.

    def add(
        self, parent: str, thing: Thing, is_numbered: bool, has_row_of_components: bool = True
    ) -> None:
        """``is_numbered``: as Unity names a copy, Cube (1)."""
        siblings = self._parent(parent).thing.below
        names, name, count = {sibling.name for sibling in siblings}, thing.name, 0
        while is_numbered and thing.name in names:
            count += 1
            thing.put("m_Name", f"{name} ({count})")
        siblings.append(thing)
        self.made = thing
        self._differs(thing, "path", None, self._world.path_of(thing))
        if has_row_of_components:
            self._differs(thing, "components", None, thing.types)

    def part(self, path: str, component: str) -> None:
        owner = self.object(path).thing
        before = owner.types
        owner.parts.append(self.component(component))
        self._differs(owner, "components", before, owner.types)

    def component(self, component: str) -> Thing:
        """Return a new component, of a type that is recorded."""
        kinds = [kind for kind in RECORDED["components"] if component in (kind, short(kind))]
        if not kinds or kinds[0] == "Transform":
            there = ", ".join(RECORDED["components"])
            raise not_possible(
                "not_simulated", f"The simulated editor adds no {component}. It has {there}."
            )
        return made_of(kinds[0], {})

    def remove_part(self, path: str, component: str) -> None:
        owner = self.object(path).thing
        before, parts = owner.types, owner.named_parts()
        matches = [part for name, part in parts[1:] if component in (name, short(name))]
        if not matches:
            there = ", ".join(name for name, _ in parts)
            raise wrong(f"There is no component '{component}' that can be removed. It has {there}.")
        owner.parts.remove(matches[0])
        self._differs(owner, "components", before, owner.types)

    def remove(self, path: str) -> None:
        node = self.object(path)
        below = sum(
            1 for path_below in self._world.nodes() if path_below.startswith(node.path + "/")
        )
        node.siblings.remove(node.thing)
        self._world.mark_unsaved(node.scene)
        self._differs(node.thing, "path", node.path, None)
        if below:
            self._remark(f"Deleted with it: {below} below it.")

    def move(self, path: str, parent: str, index: Optional[int]) -> None:
        node, above = self.object(path), self._parent(parent)
        if (above.path + "/").startswith(node.path + "/"):
            raise wrong(f"{node.path} cannot be moved below itself.")
        before, after = node.siblings, above.thing.below
        old = before.index(node.thing)
        if before is not after or index is not None:
            before.pop(old)
            if index is None:
                position = len(after)
            else:
                position = max(0, index)
            after.insert(position, node.thing)
        self._differs(node.thing, "path", node.path, self._world.path_of(node.thing))
        self._differs(node.thing, "index", old, after.index(node.thing))

    def place(self, thing: Thing, arguments: JsonObject) -> None:
        for name, value in arguments.items():
            if value is not None:
                numbers = dict(zip("xyz", value)) if isinstance(value, list) else value
                field_numbers = numbers
                if name == "rotation":
                    field_numbers = _turned(numbers)
                thing.parts[0].put(
                    f"m_Local{name.capitalize()}",
                    field_numbers,
                )

    def set(self, path: Union[str, Thing], values: JsonObject) -> None:
        """Check and convert all values, then set them."""
        target = self._found(path)
        thing = target.thing if isinstance(target, Node) else target
        settings = [self._setting(thing, key, value) for key, value in values.items()]
        for setting in settings:
            if setting.member:
                whole = {**setting.part.value(setting.field), setting.member: setting.after}
            else:
                whole = setting.after
            setting.part.put(setting.field, whole)
        for setting in settings:
            self._differs(thing, setting.name, setting.before, setting.after)

    def file(self, thing: Thing) -> None:
        """Add a new asset, and the folders above it that are missing."""
        path = thing.path
        is_one = path.startswith("Assets/") and not {"", ".", ".."} & set(path.split("/"))
        if not is_one or (thing.type == "SceneAsset") != path.endswith(".unity"):
            raise wrong(
                f"{path} is no path of such an asset. It begins with Assets/; a scene's ends with .unity."
            )
        paths = [*self._world.folders, *(asset.path for asset in self._world.assets)]
        if path.lower() in (known_path.lower() for known_path in paths):
            raise not_possible(
                "exists", f"There is {path} already. Choose another name, or change what is there."
            )
        above = path.rpartition("/")[0]
        if above not in self._world.folders:
            self.file(Thing("Folder", above))
        self._world.assets.append(thing)
        self.made = thing
        self.written.append(path)
        self._row(path, "path", None, path)

    def leave(self, additive: bool, unsaved: str) -> None:
        """Save, discard or refuse unsaved changes, before another scene is opened in place of those
        that are.
        """
        if unsaved == "save" and not additive:
            self._editor.save_scenes()
        scenes = list(self._world.unsaved)
        if scenes and not additive and unsaved != "discard":
            message = f"There are unsaved changes ({', '.join(scenes)}). Save them with save_all."
            raise not_possible("unsaved_scenes", message, scenes=scenes)
        if not additive:
            self._world.unsaved.clear()

    def open(self, scene: Thing, additive: bool) -> None:
        is_new = scene not in self._world.scenes
        self._world.scenes += [scene] if is_new else []
        for known_scene in self._world.scenes:
            known_scene.is_open = known_scene is scene or (additive and known_scene.is_open)
        for root in scene.below if is_new else ():
            self._row(str(self._world.path_of(root)), "path", None, self._world.path_of(root))

    def save(self, name: Optional[str], path: Optional[str]) -> None:
        scenes = self._world.open_scenes
        scene = next(
            (
                open_scene
                for open_scene in scenes
                if name in (None, "", open_scene.path, open_scene.name)
            ),
            None,
        )
        if scene is None:
            names = ", ".join(open_scene.path or open_scene.name for open_scene in scenes)
            raise wrong(f"No open scene is {name}. Open are {names}.")
        if path and path != scene.path:
            self.file(Thing("SceneAsset", path))
            self._world.scenes.append(
                Thing(SCENE, path, below=copy.deepcopy(scene.below), is_open=False)
            )
            return
        self.written.append(scene.path)
        self._world.unsaved[:] = [
            open_scene for open_scene in self._world.unsaved if open_scene != scene.path
        ]

    # What operations are about.

    def _found(self, path: Union[str, Thing]) -> Found:
        if isinstance(path, Thing):
            return self._world.node_of(path) or path
        node = self._world.find(self.resolved(path))
        if isinstance(node, Err):
            raise wrong(f"{path}: {node.error}")
        if isinstance(node.value, Node) and node.value.is_scene:
            raise wrong(f"{path}: this is a scene. Name an object, as in Main/Player.")
        return node.value

    def resolved(self, path: str) -> str:
        """Return a path that begins with the name of a step of a batch, as it is by now."""
        name, slash, tail = path[1:].partition("/")
        if not path.startswith("$") or name not in self.named:
            return path
        now = self._world.path_of(self.named[name])
        if now is None:
            raise wrong(f"${name} was deleted by an earlier step.")
        return now + slash + tail

    def object(self, path: str) -> Node:
        node = self._found(path)
        if not isinstance(node, Node):
            raise wrong(f"{node.path} is a {node.type}, not an object of a scene.")
        return node

    def _parent(self, path: str) -> Node:
        node = self._world.find(self.resolved(path or "/"))
        if isinstance(node, Err):
            raise wrong(f"The parent {path}: {node.error}")
        if not isinstance(node.value, Node):
            raise wrong(f"The parent {path} is a {node.value.type}, which has no objects below it.")
        return node.value

    def prefab(self, path: str) -> Thing:
        node = self._found(path)
        if not isinstance(node, Thing) or node.type != OBJECT:
            raise wrong(f"{path} is no prefab. Give its file, as in Assets/Prefabs/Lamp.prefab.")
        return node

    # Fields.

    def _setting(self, thing: Thing, key: str, value: Any) -> _Setting:
        field = self._field(thing, key)
        kind = "float" if field.member else field.part.fields[field.field][0]
        return field._replace(after=self._converted(field.name, kind, field.before, value))

    def _field(self, thing: Thing, key: str) -> _Setting:
        (owner, part), spelled = self._address(thing, key)
        spelled, _, member = spelled.partition(".")
        field_name = part.field_named(spelled)
        if field_name is None:
            raise wrong(
                f"{owner} has no field '{spelled}'. Its fields are {', '.join(part.fields) or 'none'}."
            )
        before = part.value(field_name)
        if member and not (isinstance(before, dict) and member in before):
            raise wrong(f"{owner}.{field_name} has no part '{member}'.")
        name = f"{owner}.{field_name}" + (f".{member}" if member else "")
        before = before[member] if member else before
        return _Setting(name, part, field_name, member, before, before)

    def _address(self, thing: Thing, key: str) -> Tuple[Tuple[str, Thing], str]:
        """Return the component that a key is of, with its name, and the rest of the key."""
        parts = thing.named_parts()
        if thing.type != OBJECT:
            return parts[0], key[len(thing.type) + 1 :] if key.startswith(thing.type + ".") else key
        for name, part in [*parts, (OBJECT, thing)]:
            for spelled in (name, short(name)):
                if key.startswith(spelled + "."):
                    return (name, part), key[len(spelled) + 1 :]
        if key in OWN_FIELDS:
            return (OBJECT, thing), key
        there = ", ".join(name for name, _ in parts)
        raise wrong(
            f"No component fits '{key}'. A key is Component.field; the components are {there}."
        )

    def _converted(self, name: str, kind: str, now: Any, value: Any) -> Any:
        """Return the value in the form of the present one. Nothing is guessed or rounded."""
        if value == now and isinstance(value, bool) == isinstance(now, bool):
            return now
        if name == f"{OBJECT}.m_TagString" and value not in TAGS:
            raise wrong(f"{name} can only be a tag that the project has: {', '.join(TAGS)}.")
        if kind.endswith("[]") and isinstance(value, list):
            empty = dict.fromkeys(_AXES[kind[:-2]], 0) if kind[:-2] in _AXES else None
            old = [*(now or []), *[empty] * len(value)]
            return [
                self._converted(f"{name}[{n}]", kind[:-2], old[n], item)
                for n, item in enumerate(value)
            ]
        if kind in _PLAIN and type(value) in _PLAIN[kind]:
            return value
        if (
            kind == "Quaternion"
            and isinstance(value, list)
            and len(value) == 3
            and {*map(type, value)} <= {int, float}
        ):
            value = _turned(dict(zip("xyz", value)))
        if (
            kind == "Color"
            and isinstance(value, str)
            and re.fullmatch("#([0-9A-Fa-f]{2}){3,4}", value)
        ):
            value = [round(number / 255, 7) for number in bytes.fromhex(f"{value[1:]}FF"[:8])]
        if (
            kind in _AXES
            and isinstance(value, list)
            and len(value) in (len(now), 3 if "a" in now else len(now))
        ):
            value = dict(zip(now, value))
        if kind in _AXES and isinstance(value, dict) and set(value) <= set(now):
            return {
                **now,
                **{
                    item: self._converted(f"{name}.{item}", "float", now[item], value[item])
                    for item in value
                },
            }
        if kind not in _PLAIN and kind not in _AXES and not kind.endswith("[]"):
            path = value.get("id") or value.get("path") if isinstance(value, dict) else value
            reference, types = self._reference(path) if isinstance(path, str) else (None, [kind])
            if kind in types and (reference is not None or value is None):
                if reference and reference["type"] == OBJECT:
                    return {**reference, "type": kind}
                return reference
        text, present = json.dumps(value)[:200], json.dumps(now)[:200]
        raise wrong(f"{name} cannot be {text}. It is of type {kind} and is {present} now.")

    def _reference(self, path: str) -> Tuple[JsonDict, List[str]]:
        """As a field refers to it, and the types that it can be taken for."""
        node = self._found(path)
        reference = {name: member for name, member in node.reference().items() if name != "id"}
        types = [OBJECT, *node.thing.types] if isinstance(node, Node) else [node.type]
        return reference, [*types, *map(short, types)]

    # The difference.

    def _row(self, path: str, field: str, before: Any, after: Any) -> None:
        self.rows.append({"path": path, "field": field, "before": before, "after": after})

    def _differs(self, thing: Thing, field: str, before: Any, after: Any) -> None:
        """If something is another one now, it is a row of the answer, and remarks say what comes of
        it.
        """
        if before == after and isinstance(before, bool) == isinstance(after, bool):
            return
        self._row(
            self._world.path_of(thing) or before, field, copy.deepcopy(before), copy.deepcopy(after)
        )
        if thing.path:
            if thing.path not in self.written:
                self._remark(f"{thing.path} has unsaved changes. save_all saves it.")
            return
        node = self._world.node_of(thing)
        if node is not None:
            self._world.mark_unsaved(node.scene)
        if self._world.is_playing:
            self._remark(_LOST)

    def _remark(self, sentence: str) -> None:
        self.remarks += [] if sentence in self.remarks else [sentence]

    def _other_objects(self, operations: Sequence[Operation]) -> str:
        """Which other objects the path of a change may mean."""
        path = operations[0][1]
        node = None
        if isinstance(path, str) and operations[0][0] is not Change.add:
            node = self._world.find(path)
        if not isinstance(node, Ok) or not isinstance(node.value, Node):
            return ""
        namesakes = ", ".join(same_names(path, node.value, self._world.nodes()))
        if namesakes:
            return f"{path} can mean several objects: the first was changed, and not {namesakes}."
        return ""


def _turned(degrees: Mapping[str, float]) -> Dict[str, float]:
    """Return the rotation about the axes z, x and y, in this order, as a quaternion."""
    half = [math.radians(degrees[axis]) / 2 for axis in "xyz"]
    (sx, sy, sz), (cx, cy, cz) = map(math.sin, half), map(math.cos, half)
    xyz = (cy * sx * cz + sy * cx * sz, sy * cx * cz - cy * sx * sz, cy * cx * sz - sy * sx * cz)
    return dict(zip("xyzw", [round(number, 7) for number in (*xyz, cy * cx * cz + sy * sx * sz)]))
