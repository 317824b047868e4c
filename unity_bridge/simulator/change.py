"""One change of the pretend project, all or nothing, whose answer is the difference it made (SPEC
§16.5, §16.7).
"""

from __future__ import annotations

import copy
import json
import math
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.job import Refusal, not_simulated, refused
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
    game_object,
    made_of,
    same_names,
    short,
)
from unity_bridge.text.json_types import JsonDict, JsonObject

_LOST = "The editor is in play mode: Unity discards changes of scene objects when play mode ends."
_NO_UNDO = "Undo does not take back what was done to the files in written."
_PLAIN: Mapping[str, Tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "string": (str,),
}
_EXTENSIONS: Mapping[str, str] = {
    "mat": "Material",
    "controller": "Animations.AnimatorController",
    "renderTexture": "RenderTexture",
    "physicMaterial": "PhysicMaterial",
    "physicsMaterial2D": "PhysicsMaterial2D",
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
    """A field that was set, by its name with the component's."""

    name: str
    before: Any
    after: Any


class Change:
    """The commands that change something, and what they did. ``named``: what earlier steps of a
    batch have made, by their names.
    """

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._world = editor.content
        self._rows: List[JsonDict] = []
        self._remarks: List[str] = []
        self._written: List[str] = []
        self.is_batch = False
        self.named: Dict[str, Thing] = {}

    def carry_out(self, name: str, arguments: JsonObject) -> Optional[Thing]:
        """Carry out a command, and return what it made. Raises ``NotDone``; the caller restores the
        world then.
        """
        rows = len(self._rows)
        remark = self._other_objects(arguments.get("path"))
        made = COMMANDS[name](self, **arguments)
        if remark and len(self._rows) > rows:
            self._remarks.insert(0, remark)
        return made

    def as_json(self) -> JsonDict:
        if self._written:
            self._remark(_NO_UNDO)
        members = {"written": self._written, "remarks": self._remarks}
        return {
            "changed": self._rows,
            "undo": not self._written,
            **{name: member for name, member in members.items() if member},
        }

    # The commands.

    def create_object(
        self,
        parent: Optional[str],
        name: Optional[str],
        kind: Optional[str],
        prefab: Optional[str],
        copy_of: Optional[str],
        components: Optional[List[str]],
        values: Optional[JsonObject],
        position: Any,
        rotation: Any,
        scale: Any,
        look_at: Any,
    ) -> Thing:
        _require_no_direction(look_at)
        if sum(1 for word in (kind, prefab, copy_of) if word) > 1:
            raise wrong("kind, prefab and copy_of exclude each other.")
        recipe = RECORDED["kinds"].get((kind or "").lower(), {})
        if kind and not recipe:
            raise _beyond(f"makes no {kind}")
        above = parent or "/"
        source = game_object(**{"name": "", **recipe})
        if prefab:
            source = self._prefab(prefab)
        elif copy_of:
            original = self._object(copy_of)
            source = original.thing
            above = parent or original.path.rpartition("/")[0]
        called = name or source.name
        if not called:
            raise wrong(
                "name is a text that is not empty, unless kind, prefab or copy_of give one."
            )
        thing = copy.deepcopy(source)
        thing.path = ""
        thing.put("m_Name", called)
        thing.parts += [_component(type_name) for type_name in components or ()]
        turned = rotation or recipe.get("turned")
        _place(thing, {"position": position, "rotation": turned, "scale": scale})
        siblings = self._parent(above).thing.below
        if not name and not prefab:
            _number(thing, {sibling.name for sibling in siblings})
        siblings.append(thing)
        self._differs(thing, "path", None, self._world.path_of(thing))
        if components or not self.is_batch:
            self._differs(thing, "components", None, thing.types)
        self._set_all(thing, values or {})
        return thing

    def create_asset(
        self, path: str, type: Optional[str], from_: Optional[str], values: Optional[JsonObject]
    ) -> Thing:
        kind = _kind_of_asset(path, type)
        if from_ or not kind:
            kinds = f"folders, .asset of a type of this project, .{', .'.join(_EXTENSIONS)}"
            raise not_possible(
                "not_simulated",
                f"The simulated editor makes {kinds}, and nothing out of something else.",
            )
        asset = made_of(kind, {}, path)
        self._add_file(asset)
        self._set_all(asset, values or {})
        return asset

    def create_scene(self, path: str, template: str, additive: bool, unsaved: str) -> Thing:
        self.leave(additive, unsaved)
        file = Thing("SceneAsset", path)
        self._add_file(file)
        recipes = [] if template == "empty" else RECORDED["new_scene"]
        roots = [game_object(**recipe) for recipe in recipes]
        self.open(Thing(SCENE, path, below=roots), additive)
        return file

    def save_scene(self, scene: Optional[str], path: Optional[str]) -> Optional[Thing]:
        scenes = self._world.open_scenes
        matches = [known for known in scenes if scene in (None, "", known.path, known.name)]
        if not matches:
            names = ", ".join(known.path or known.name for known in scenes)
            raise wrong(f"No open scene is {scene}. Open are {names}.")
        saved = matches[0]
        if path and path != saved.path:
            file = Thing("SceneAsset", path)
            self._add_file(file)
            below = copy.deepcopy(saved.below)
            self._world.scenes.append(Thing(SCENE, path, below=below, is_open=False))
            return file
        self._written.append(saved.path)
        unsaved = self._world.unsaved
        unsaved[:] = [unsaved_path for unsaved_path in unsaved if unsaved_path != saved.path]
        return None

    def set_fields(self, path: str, values: Optional[JsonObject], look_at: Any) -> None:
        _require_no_direction(look_at)
        if not values:
            raise wrong('values names at least one field, as in {"Light.intensity": 2}.')
        target = self._found(path)
        thing = target.thing if isinstance(target, Node) else target
        self._set_all(thing, values)

    def delete_object(self, path: str) -> None:
        node = self._object(path)
        below = sum(other.startswith(node.path + "/") for other in self._world.nodes())
        node.siblings.remove(node.thing)
        self._world.mark_unsaved(node.scene)
        self._differs(node.thing, "path", node.path, None)
        if below:
            self._remark(f"Deleted with it: {below} below it.")

    def move_object(self, path: str, parent: str, index: Optional[int]) -> None:
        node, above = self._object(path), self._parent(parent or "/")
        if (above.path + "/").startswith(node.path + "/"):
            raise wrong(f"{node.path} cannot be moved below itself.")
        before, after = node.siblings, above.thing.below
        old = before.index(node.thing)
        if before is not after or index is not None:
            before.pop(old)
            position = len(after)
            if index is not None:
                position = max(0, index)
            after.insert(position, node.thing)
        self._differs(node.thing, "path", node.path, self._world.path_of(node.thing))
        self._differs(node.thing, "index", old, after.index(node.thing))

    def add_component(self, path: str, component: str, values: Optional[JsonObject]) -> None:
        owner = self._object(path).thing
        before = owner.types
        owner.parts.append(_component(component))
        self._differs(owner, "components", before, owner.types)
        self._set_all(owner, values or {})

    def remove_component(self, path: str, component: str) -> None:
        owner = self._object(path).thing
        before, parts = owner.types, owner.named_parts()
        matches = [part for name, part in parts[1:] if component in (name, short(name))]
        if not matches:
            there = ", ".join(name for name, _ in parts)
            raise wrong(f"There is no component '{component}' that can be removed. It has {there}.")
        owner.parts.remove(matches[0])
        self._differs(owner, "components", before, owner.types)

    # Files and scenes.

    def _add_file(self, thing: Thing) -> None:
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
            self._add_file(Thing("Folder", above))
        self._world.assets.append(thing)
        self._written.append(path)
        self._row(path, "path", None, path)

    def leave(self, additive: bool, unsaved: str) -> None:
        """Save, discard or refuse unsaved changes, before another scene is opened in place of those
        that are.
        """
        if additive:
            return
        if unsaved == "save":
            self._editor.save_scenes()
        scenes = list(self._world.unsaved)
        if scenes and unsaved != "discard":
            message = f"There are unsaved changes ({', '.join(scenes)}). Save them with save_all."
            raise not_possible("unsaved_scenes", message, scenes=scenes)
        self._world.unsaved.clear()

    def open(self, scene: Thing, additive: bool) -> None:
        is_new = scene not in self._world.scenes
        self._world.scenes += [scene] if is_new else []
        for known_scene in self._world.scenes:
            known_scene.is_open = known_scene is scene or (additive and known_scene.is_open)
        for root in scene.below if is_new else ():
            self._row(str(self._world.path_of(root)), "path", None, self._world.path_of(root))

    # What they are about.

    def _found(self, path: str) -> Found:
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

    def _object(self, path: str) -> Node:
        node = self._found(path)
        if not isinstance(node, Node):
            raise wrong(f"{node.path} is a {node.type}, not an object of a scene.")
        return node

    def _parent(self, path: str) -> Node:
        node = self._world.find(self.resolved(path))
        if isinstance(node, Err):
            raise wrong(f"The parent {path}: {node.error}")
        if not isinstance(node.value, Node):
            raise wrong(f"The parent {path} is a {node.value.type}, which has no objects below it.")
        return node.value

    def _prefab(self, path: str) -> Thing:
        node = self._found(path)
        if not isinstance(node, Thing) or node.type != OBJECT:
            raise wrong(f"{path} is no prefab. Give its file, as in Assets/Prefabs/Lamp.prefab.")
        return node

    # Fields.

    def _set_all(self, thing: Thing, values: JsonObject) -> None:
        settings = [self._set(thing, key, value) for key, value in values.items()]
        for setting in settings:
            self._differs(thing, *setting)

    def _set(self, thing: Thing, key: str, value: Any) -> _Setting:
        """Set a field of a component, or an axis of it."""
        (owner, part), spelled = _address(thing, key)
        spelled, _, axis = spelled.partition(".")
        field = part.field_named(spelled)
        if field is None:
            fields = ", ".join(part.fields) or "none"
            raise wrong(f"{owner} has no field '{spelled}'. Its fields are {fields}.")
        name = f"{owner}.{field}"
        kind, before = part.fields[field]
        if not axis:
            after = self._converted(name, kind, before, value)
            part.put(field, after)
            return _Setting(name, before, after)
        if not isinstance(before, dict) or axis not in before:
            raise wrong(f"{name} has no part '{axis}'.")
        name = f"{name}.{axis}"
        number = self._converted(name, "float", before[axis], value)
        part.put(field, {**before, axis: number})
        return _Setting(name, before[axis], number)

    def _converted(self, name: str, kind: str, now: Any, value: Any) -> Any:
        """Return the value in the form of the present one. Nothing is guessed or rounded."""
        if _is_same(value, now):
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
        self._rows.append({"path": path, "field": field, "before": before, "after": after})

    def _differs(self, thing: Thing, field: str, before: Any, after: Any) -> None:
        """If something is another one now, it is a row of the answer, and remarks say what comes of
        it.
        """
        if _is_same(before, after):
            return
        self._row(
            self._world.path_of(thing) or before, field, copy.deepcopy(before), copy.deepcopy(after)
        )
        if thing.path:
            if thing.path not in self._written:
                self._remark(f"{thing.path} has unsaved changes. save_all saves it.")
            return
        node = self._world.node_of(thing)
        if node is not None:
            self._world.mark_unsaved(node.scene)
        if self._world.is_playing:
            self._remark(_LOST)

    def _remark(self, sentence: str) -> None:
        if sentence not in self._remarks:
            self._remarks.append(sentence)

    def _other_objects(self, path: Optional[str]) -> str:
        """Which other objects the path of a change may mean."""
        node = self._world.find(path or "")
        if not isinstance(node, Ok) or not isinstance(node.value, Node):
            return ""
        namesakes = ", ".join(same_names(path or "", node.value, self._world.nodes()))
        if namesakes:
            return f"{path} can mean several objects: the first was changed, and not {namesakes}."
        return ""


COMMANDS: Mapping[str, Callable[..., Optional[Thing]]] = {
    "create_object": Change.create_object,
    "create_asset": Change.create_asset,
    "create_scene": Change.create_scene,
    "save_scene": Change.save_scene,
    "set_fields": Change.set_fields,
    "delete_object": Change.delete_object,
    "move_object": Change.move_object,
    "add_component": Change.add_component,
    "remove_component": Change.remove_component,
}


def _beyond(subject: str) -> NotDone:
    return NotDone(not_simulated(f"The simulated editor {subject}."))


def _require_no_direction(look_at: Any) -> None:
    if look_at is not None:
        raise _beyond("turns no object")


def _component(type_name: str) -> Thing:
    """Return a new component, of a type that is recorded."""
    kinds = [kind for kind in RECORDED["components"] if type_name in (kind, short(kind))]
    if not kinds or kinds[0] == "Transform":
        there = ", ".join(RECORDED["components"])
        raise not_possible(
            "not_simulated", f"The simulated editor adds no {type_name}. It has {there}."
        )
    return made_of(kinds[0], {})


def _kind_of_asset(path: str, type_name: Optional[str]) -> str:
    """Return the type of the asset at a path, by its extension; empty if it is not simulated."""
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    if not dot:
        return "Folder"
    if extension != "asset":
        return _EXTENSIONS.get(extension, "")
    kinds = [kind for kind in RECORDED["assets"] if type_name in (kind, short(kind))]
    return "".join(kinds[:1])


def _place(thing: Thing, arguments: JsonObject) -> None:
    for name, value in arguments.items():
        if value is not None:
            numbers = dict(zip("xyz", value)) if isinstance(value, list) else value
            if name == "rotation":
                numbers = _turned(numbers)
            thing.parts[0].put(f"m_Local{name.capitalize()}", numbers)


def _number(thing: Thing, names: Set[str]) -> None:
    """Name it as Unity names a copy: Cube (1)."""
    name, count = thing.name, 0
    while thing.name in names:
        count += 1
        thing.put("m_Name", f"{name} ({count})")


def _address(thing: Thing, key: str) -> Tuple[Tuple[str, Thing], str]:
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
    raise wrong(f"No component fits '{key}'. A key is Component.field; the components are {there}.")


def _is_same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _turned(degrees: Mapping[str, float]) -> Dict[str, float]:
    """Return the rotation about the axes z, x and y, in this order, as a quaternion."""
    half = [math.radians(degrees[axis]) / 2 for axis in "xyz"]
    (sx, sy, sz), (cx, cy, cz) = map(math.sin, half), map(math.cos, half)
    xyz = (cy * sx * cz + sy * cx * sz, sy * cx * cz - cy * sx * sz, cy * cx * sz - sy * sx * cz)
    return dict(zip("xyzw", [round(number, 7) for number in (*xyz, cy * cx * cz + sy * sx * sz)]))
