"""One change of the pretend project, all or nothing, whose answer is the difference it made (SPEC
§16.5, §16.7).
"""

from __future__ import annotations

import copy
import json
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.job import Refusal, not_simulated
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import (
    OBJECT,
    OWN_FIELDS,
    RECORDED,
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
_WITH_AXES = ("Vector3", "Quaternion", "Color")


class NotDone(Exception):
    """Why nothing is changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def wrong(message: str) -> NotDone:
    """Return the refusal of arguments of the right type that make no sense."""
    return NotDone(Refusal(ErrorCode.INVALID_PARAMS, f"{message} Nothing was changed."))


def _beyond(subject: str) -> NotDone:
    return NotDone(not_simulated(f"The simulated editor {subject}."))


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
        if copy_of or rotation is not None or look_at is not None:
            raise _beyond("copies no object and turns none")
        if kind and prefab:
            raise wrong("kind, prefab and copy_of exclude each other.")
        thing = self._new_object(kind, prefab)
        if name:
            thing.put("m_Name", name)
        if not thing.name:
            raise wrong(
                "name is a text that is not empty, unless kind, prefab or copy_of give one."
            )
        thing.parts += [_component(type_name) for type_name in components or ()]
        for field, value in (("m_LocalPosition", position), ("m_LocalScale", scale)):
            if value is not None:
                self._set(thing, f"Transform.{field}", value)
        siblings = self._parent(parent or "/").thing.below
        if not name and not prefab:
            _number(thing, {sibling.name for sibling in siblings})
        siblings.append(thing)
        self._differs(thing, "path", None, self._world.path_of(thing))
        if components or not self.is_batch:
            self._differs(thing, "components", None, thing.types)
        self._set_all(thing, values or {})
        return thing

    def set_fields(self, path: str, values: Optional[JsonObject], look_at: Any) -> None:
        if look_at is not None:
            raise _beyond("turns no object")
        if not values:
            raise wrong('values names at least one field, as in {"Light.intensity": 2}.')
        target = self._found(path)
        thing = target.thing if isinstance(target, Node) else target
        self._set_all(thing, values)

    def add_component(self, path: str, component: str, values: Optional[JsonObject]) -> None:
        owner = self._object(path).thing
        before = owner.types
        owner.parts.append(_component(component))
        self._differs(owner, "components", before, owner.types)
        self._set_all(owner, values or {})

    def delete_object(self, path: str) -> None:
        node = self._object(path)
        below = sum(other.startswith(node.path + "/") for other in self._world.nodes())
        node.siblings.remove(node.thing)
        self._world.mark_unsaved(node.scene)
        self._differs(node.thing, "path", node.path, None)
        if below:
            self._remark(f"Deleted with it: {below} below it.")

    def save_scene(self, scene: Optional[str], path: Optional[str]) -> None:
        if path:
            raise _beyond("saves a scene under its own path alone")
        scenes = self._world.open_scenes
        matches = [known for known in scenes if scene in (None, "", known.path, known.name)]
        if not matches:
            names = ", ".join(known.path for known in scenes)
            raise wrong(f"No open scene is {scene}. Open are {names}.")
        saved = matches[0].path
        self._written.append(saved)
        self._world.unsaved[:] = [unsaved for unsaved in self._world.unsaved if unsaved != saved]

    # What they are about.

    def _new_object(self, kind: Optional[str], prefab: Optional[str]) -> Thing:
        if prefab:
            source = self._found(prefab)
            if not isinstance(source, Thing) or source.type != OBJECT:
                raise wrong(
                    f"{prefab} is no prefab. Give its file, as in Assets/Prefabs/Lamp.prefab."
                )
            thing = copy.deepcopy(source)
            thing.path = ""
            return thing
        if not kind:
            return game_object("")
        if kind.lower() not in RECORDED["kinds"]:
            raise _beyond(f"makes no {kind}")
        return game_object(**RECORDED["kinds"][kind.lower()])

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
            after = _converted(name, kind, before, value)
            part.put(field, after)
            return _Setting(name, before, after)
        if not isinstance(before, dict) or axis not in before:
            raise wrong(f"{name} has no part '{axis}'.")
        name = f"{name}.{axis}"
        number = _converted(name, "float", before[axis], value)
        part.put(field, {**before, axis: number})
        return _Setting(name, before[axis], number)

    # The difference.

    def _differs(self, thing: Thing, field: str, before: Any, after: Any) -> None:
        """If something is another one now, it is a row of the answer, and remarks say what comes of
        it.
        """
        if _is_same(before, after):
            return
        path = self._world.path_of(thing) or before
        self._rows.append({"path": path, "field": field, "before": before, "after": after})
        if thing.path:
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
    "set_fields": Change.set_fields,
    "add_component": Change.add_component,
    "delete_object": Change.delete_object,
    "save_scene": Change.save_scene,
}


def _component(type_name: str) -> Thing:
    """Return a new component, of a type that is recorded."""
    kinds = [kind for kind in RECORDED["components"] if type_name in (kind, short(kind))]
    if not kinds or kinds[0] == "Transform":
        raise _beyond(f"adds no {type_name}, but {', '.join(RECORDED['components'])}")
    return made_of(kinds[0], {})


def _number(thing: Thing, names: Set[str]) -> None:
    """Name it as Unity names a copy: Cube (1)."""
    name, count = thing.name, 0
    while thing.name in names:
        count += 1
        thing.put("m_Name", f"{name} ({count})")


def _address(thing: Thing, key: str) -> Tuple[Tuple[str, Thing], str]:
    """Return the component that a key is of, with its name, and the rest of the key."""
    parts = thing.named_parts()
    if thing.path and thing.type != OBJECT:
        prefix = f"{thing.type}."
        return parts[0], key[len(prefix) :] if key.startswith(prefix) else key
    for name, part in [*parts, (OBJECT, thing)]:
        for spelled in (name, short(name)):
            if key.startswith(spelled + "."):
                return (name, part), key[len(spelled) + 1 :]
    if key in OWN_FIELDS:
        return (OBJECT, thing), key
    there = ", ".join(name for name, _ in parts)
    raise wrong(f"No component fits '{key}'. A key is Component.field; the components are {there}.")


def _converted(name: str, kind: str, now: Any, value: Any) -> Any:
    """Return the value in the form of the present one. Nothing is guessed or rounded."""
    if _is_same(value, now):
        return now
    if name == f"{OBJECT}.m_TagString" and value not in TAGS:
        raise wrong(f"{name} can only be a tag that the project has: {', '.join(TAGS)}.")
    if type(value) in _PLAIN.get(kind, ()):
        return value
    if kind not in _PLAIN and kind not in _WITH_AXES:
        raise _beyond(f"sets no field of type {kind}")
    if kind in _WITH_AXES and isinstance(value, list) and len(value) == len(now):
        value = dict(zip(now, value))
    if kind in _WITH_AXES and isinstance(value, dict) and set(value) <= set(now):
        numbers = {
            axis: _converted(f"{name}.{axis}", "float", now[axis], value[axis]) for axis in value
        }
        return {**now, **numbers}
    text, present = json.dumps(value)[:200], json.dumps(now)[:200]
    raise wrong(f"{name} cannot be {text}. It is of type {kind} and is {present} now.")


def _is_same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)
