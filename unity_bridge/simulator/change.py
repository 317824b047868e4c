"""One change of the pretend project: a list of operations, all or nothing, whose answer is the difference they made."""

from __future__ import annotations

import copy
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.values import Step, Unfit, converted, kind_of_part, part_of, turned, with_part
from unity_bridge.simulator.world import OBJECT, RECORDED, SCENE, Node, Thing, made_of, same_names, short

# A method of ``Change`` and its arguments: ``(Change.move, "Main/Player", "/", None)``.
Operation = Tuple[Any, ...]

_LOST = "The editor is in play mode: Unity discards changes of scene objects when play mode ends."
_NO_UNDO = "Undo does not take back what was done to the files in written."
# The fields that the Inspector shows and nobody sets.
_UNITYS = ("m_Script",)
# The names of fields that do not follow from Unity's names for them; those of an object need no component before them.
_OWN = {"active": "m_IsActive", "active_self": "m_IsActive", "tag": "m_TagString", "static": "m_StaticEditorFlags"}
_OWN.update({"name": "m_Name", "layer": "m_Layer"})
_OTHER_NAMES = {**{(OBJECT, name): field for name, field in _OWN.items()}, ("Material", "color"): "_Color"}
_ELEMENT = re.compile(r"\[(\d+)\]")


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
    name: str
    part: Thing
    field: str
    steps: Sequence[Step]
    before: Any
    after: Any


class Change:
    """The operations, and what they did. ``named``: what earlier steps of a batch have made, by their names."""

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._world = editor.content
        self.rows: List[Dict[str, Any]] = []
        self.remarks: List[str] = []
        self.written: List[str] = []
        self.is_batch = False
        self.made: Optional[Thing] = None
        self.named: Dict[str, Thing] = {}

    def carry(self, operations: Sequence[Operation]) -> None:
        """Carry out the operations. Raises ``NotDone``; the caller restores the world then."""
        rows = len(self.rows)
        first = self._other_objects(operations)
        for operation, *arguments in operations:
            operation(self, *arguments)
        if first and len(self.rows) > rows:
            self.remarks.insert(0, first)

    def as_json(self) -> Dict[str, Any]:
        if self.written:
            self._remark(_NO_UNDO)
        answer: Dict[str, Any] = {"changed": self.rows, "undo": not self.written}
        answer.update({"written": self.written} if self.written else {})
        return {**answer, "remarks": self.remarks} if self.remarks else answer

    # The operations.

    def add(
        self, parent: Union[str, Thing], thing: Thing, is_numbered: bool, has_row_of_components: bool = True
    ) -> None:
        """``is_numbered``: as Unity names a copy, Cube (1)."""
        siblings = self._parent(parent).thing.below
        taken, name, count = {one.name for one in siblings}, thing.name, 0
        while is_numbered and thing.name in taken:
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
        known = [kind for kind in RECORDED["components"] if component in (kind, short(kind))]
        if len(known) != 1 or known[0].endswith("Transform"):
            there = ", ".join(RECORDED["components"])
            raise wrong(f"There is no component {component} that can be added. There are {there}.")
        return made_of(known[0], {})

    def remove_part(self, path: str, component: str) -> None:
        owner = self.object(path).thing
        before, parts = owner.types, owner.named_parts()
        found = [one for name, one in parts if component in (name, short(name))]
        if not found:
            there = ", ".join(name for name, _ in parts)
            raise wrong(f"There is no component '{component}'. It has {there}.")
        if not found[0].type:
            raise wrong("The script of this component is missing.")
        if found[0].type.endswith("Transform"):
            raise wrong(f"Every object has a {found[0].type}, which goes only with it (delete_object).")
        owner.parts.remove(found[0])
        self._differs(owner, "components", before, owner.types)

    def remove(self, path: str) -> None:
        node = self.object(path)
        below = sum(1 for one in self._world.nodes() if one.startswith(node.path + "/"))
        node.siblings.remove(node.thing)
        self._world.mark_unsaved(node.scene)
        self._differs(node.thing, "path", node.path, None)
        if below:
            several = f"{below} objects below it were"
            self._remark(f"{'One object below it was' if below == 1 else several} deleted with it.")

    def move(self, path: str, parent: str, index: Optional[int]) -> None:
        node, above = self.object(path), self._parent(parent)
        if (above.path + "/").startswith(node.path + "/"):
            raise wrong(f"{node.path} cannot be moved below itself.")
        before, after = node.siblings, above.thing.below
        most = len(after) - (1 if before is after else 0)
        if index is not None and not 0 <= index <= most:
            raise wrong(f"index {index} is past the end: it goes from 0 to {most}.")
        old = before.index(node.thing)
        if before is not after or index is not None:
            before.pop(old)
            after.insert(most if index is None else index, node.thing)
        self._differs(node.thing, "path", node.path, self._world.path_of(node.thing))
        self._differs(node.thing, "index", old, after.index(node.thing))

    def place(self, thing: Thing, position: Any, rotation: Any, scale: Any) -> None:
        given = {"m_LocalPosition": position, "m_LocalRotation": rotation, "m_LocalScale": scale}
        for name, value in given.items():
            if value is not None:
                numbers = dict(zip("xyz", value)) if isinstance(value, list) else value
                thing.parts[0].put(name, turned(numbers) if name == "m_LocalRotation" else numbers)

    def set(self, path: Union[str, Thing], values: Mapping[str, Any]) -> None:
        """Check and convert all values, then set them."""
        target = self._found(path)
        thing = target.thing if isinstance(target, Node) else target
        settings = [self._setting(thing, key, value) for key, value in values.items()]
        names = [setting.name for setting in settings]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise wrong(f"{twice[0]} is given twice.")
        for one in settings:
            one.part.put(one.field, with_part(one.part.value(one.field), one.steps, one.after))
        for one in settings:
            self._differs(thing, one.name, one.before, one.after)

    def file(self, thing: Thing) -> None:
        """Add a new asset, as an operation of its own or before others."""
        self._take(thing.path)
        self._world.assets.append(thing)
        self.made = thing

    def copy_file(self, path: str, to: str) -> None:
        copies = copy.deepcopy(self._files(path, to, "copied"))
        self._take(to)
        self._world.assets += copies
        self._move_files(copies, path, to)

    def move_file(self, path: str, to: str) -> None:
        files = self._files(path, to, "moved")
        self.written.append(path)
        self._take(to, path)
        self._move_files(files, path, to)

    def _move_files(self, files: List[Thing], path: str, to: str) -> None:
        for asset in files:
            asset.path = to + asset.path[len(path) :]
        self.made = self._world.asset(to)

    def _take(self, path: str, before: Optional[str] = None) -> None:
        """Make a path an asset's from now on, and add the folders above it that are missing."""
        self._require_free(path)
        above = path.rpartition("/")[0]
        if above not in self._world.folders:
            self.file(Thing("Folder", above))
        self.written.append(path)
        self._row(path, "path", before, path)

    def delete_file(self, path: str) -> None:
        opened = [one.path for one in self._world.open_scenes if (one.path + "/").startswith(path + "/")]
        if opened:
            raise not_possible("unsaved_scenes", f"{opened[0]} is open. Open another scene first.", scenes=opened)
        for asset in self._files(path, "", "deleted"):
            self._world.assets.remove(asset)
            self._world.in_build[:] = [one for one in self._world.in_build if one != asset.path]
        self._world.scenes[:] = [one for one in self._world.scenes if not (one.path + "/").startswith(path + "/")]
        self.written.append(path)
        self._row(path, "path", path, None)
        self._remark(f"{path} is in the system's trash.")

    def leave(self, additive: bool, unsaved: str) -> None:
        """Save, discard or refuse unsaved changes, before another scene is opened in place of those that are."""
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
        for one in self._world.scenes:
            one.is_open = one is scene or (additive and one.is_open)
        for root in scene.below if is_new else ():
            self._row(str(self._world.path_of(root)), "path", None, self._world.path_of(root))
        self._editor.scene_files.note(scene.path)

    def save(self, name: Optional[str], path: Optional[str]) -> None:
        scenes = self._world.open_scenes
        scene = next((one for one in scenes if name in (None, "", one.path, one.name)), None)
        if scene is None:
            raise wrong(f"No open scene is {name}. Open are {', '.join(one.path or one.name for one in scenes)}.")
        if not scene.path and not path:
            raise wrong("The scene has no file yet. Give its path: save_scene path=Assets/Scenes/Name.unity.")
        if path and path != scene.path:
            self.file(Thing("SceneAsset", path))
            if scene.path:
                self._world.scenes.append(Thing(SCENE, path, below=copy.deepcopy(scene.below), is_open=False))
                return
        else:
            self.written.append(scene.path)
        self._world.unsaved[:] = [one for one in self._world.unsaved if one != scene.path]
        scene.path = path or scene.path
        self._editor.scene_files.note(scene.path)

    # What operations are about.

    def _found(self, path: Union[str, Thing]) -> Any:
        if isinstance(path, Thing):
            return self._world.node_of(path) or path
        found = self._world.find(self.resolved(path))
        if isinstance(found, Err):
            raise wrong(f"{path}: {found.error}")
        if isinstance(found.value, Node) and found.value.is_scene:
            raise wrong(f"{path}: this is a scene. Name an object, as in Main/Player.")
        return found.value

    def resolved(self, path: str) -> str:
        """Return a path that begins with the name of a step of a batch, as it is by now."""
        name, slash, rest = path[1:].partition("/")
        if not path.startswith("$") or name not in self.named:
            return path
        now = self._world.path_of(self.named[name])
        if now is None:
            raise wrong(f"${name} was deleted by an earlier step.")
        return now + slash + rest

    def object(self, path: str) -> Node:
        found = self._found(path)
        if not isinstance(found, Node):
            raise wrong(f"{found.path} is a {found.type}, not an object of a scene.")
        return found

    def _parent(self, path: Union[str, Thing]) -> Node:
        if isinstance(path, Thing):
            return self._found(path)  # type: ignore[no-any-return]
        found = self._world.find(self.resolved(path or "/"))
        if isinstance(found, Err):
            raise wrong(f"The parent {path}: {found.error}")
        if not isinstance(found.value, Node):
            raise wrong(f"The parent {path} is a {found.value.type}, which has no objects below it.")
        return found.value

    def prefab(self, path: str) -> Thing:
        found = self._found(path)
        if not isinstance(found, Thing) or found.type != OBJECT:
            raise wrong(f"{path} is no prefab. Give its file, as in Assets/Prefabs/Lamp.prefab.")
        return found

    def source(self, path: str) -> Thing:
        """Return an object or a prefab, to make a prefab of."""
        found = self._found(path)
        return found.thing if isinstance(found, Node) else self.prefab(path)

    def _files(self, path: str, to: str, what: str) -> List[Thing]:
        """Return the asset at a path, or the folder and all in it."""
        path = self.resolved(path)
        found = [one for one in self._world.assets if (one.path + "/").startswith(path + "/")]
        if not found or path == "Assets":
            raise wrong(f"There is no asset {path} that can be {what}.")
        if (to + "/").startswith(path + "/") and to != path:
            raise wrong(f"{path} cannot be {what} into itself.")
        if to and path not in self._world.folders and path.rpartition(".")[2] != to.rpartition(".")[2]:
            raise wrong(f"{to} must end with .{path.rpartition('.')[2]}, as {path} does.")
        self._require_sound(to or path)
        if to:
            self._require_free(to)
        return found

    def _require_free(self, path: str) -> None:
        self._require_sound(path)
        known = [*self._world.folders, *(asset.path for asset in self._world.assets)]
        there = next((one for one in known if one.lower() == path.lower()), None)
        if there is not None:
            message = f"There is {there} already. Choose another name, or change what is there."
            raise not_possible("exists", message)

    def _require_sound(self, path: str) -> None:
        unsound = [one for one in path.split("/") if not one or one[0] == "." or one[-1] in "~. "]
        if not path.startswith("Assets/") or unsound:
            raise wrong(f"{path} is no path of an asset. It begins with Assets/ and has / between the names.")
        if self._world.is_playing and path.endswith((".unity", ".prefab")):
            raise not_possible("playing", "The editor is in play mode, where files of scenes and prefabs stay.")

    # Fields.

    def read(self, path: str, key: str) -> Any:
        """Return a field's value."""
        target = self._found(path)
        return self._field(target.thing if isinstance(target, Node) else target, key).before

    def _setting(self, thing: Thing, key: str, value: Any) -> _Setting:
        field = self._field(thing, key)
        kind = kind_of_part(field.part.fields[field.field][0], field.before, field.steps)
        try:
            after = converted(field.name, kind, field.before, value, self._reference)
        except Unfit as why:
            raise wrong(str(why)) from None
        if field.field in _UNITYS and after != field.before:
            raise wrong(f"{field.name} must stay: it is read-only, and Unity keeps it itself.")
        return field._replace(after=after)

    def _field(self, thing: Thing, key: str) -> _Setting:
        (owner, part), field = self._address(thing, key)
        if not part.type:
            raise wrong(f"The script of this component is missing: {owner} has no fields to set.")
        first, *rest = field.split(".")
        element = _ELEMENT.search(first)
        spelled = first[: element.start()] if element else first
        candidates = (_OTHER_NAMES.get((part.type, spelled)), spelled, f"m_{spelled[:1].upper()}{spelled[1:]}")
        known = next((one for one in candidates if one in part.fields), None)
        if known is None:
            raise wrong(f"{owner} has no field '{field}'. Its fields are {', '.join(part.fields) or 'none'}.")
        steps: List[Step] = [*([int(element.group(1))] if element else []), *rest]
        try:
            before = part_of(f"{owner}.{known}", part.value(known), steps)
        except Unfit as why:
            raise wrong(str(why)) from None
        name = f"{owner}.{known}" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        return _Setting(name, part, known, steps, before, before)

    def _address(self, thing: Thing, key: str) -> Tuple[Tuple[str, Thing], str]:
        parts = thing.named_parts()
        if thing.type != OBJECT:
            return parts[0], key[len(thing.type) + 1 :] if key.startswith(thing.type + ".") else key
        for name, part in [*parts, (OBJECT, thing)]:
            for spelled in (name, short(name)):
                if key.startswith(spelled + "."):
                    return (name, part), key[len(spelled) + 1 :]
        if key in _OWN:
            return (OBJECT, thing), key
        there = ", ".join(name for name, _ in parts)
        raise wrong(f"No component fits '{key}'. A key is Component.field; the components are {there}.")

    def _reference(self, path: str) -> Tuple[Dict[str, Any], List[str]]:
        """As a field refers to it, and the types that it can be taken for."""
        found = self._found(path)
        reference = {name: one for name, one in found.reference().items() if name != "id"}
        types = [OBJECT, *found.thing.types] if isinstance(found, Node) else [found.type]
        return reference, [*types, *map(short, types)]

    # The difference.

    def _row(self, path: str, field: str, before: Any, after: Any) -> None:
        self.rows.append({"path": path, "field": field, "before": before, "after": after})

    def _differs(self, thing: Thing, field: str, before: Any, after: Any) -> None:
        """If something is another one now, it is a row of the answer, and remarks say what comes of it."""
        if before == after and isinstance(before, bool) == isinstance(after, bool):
            return
        self._row(self._world.path_of(thing) or before, field, copy.deepcopy(before), copy.deepcopy(after))
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
        if sentence not in self.remarks:
            self.remarks.append(sentence)

    def _other_objects(self, operations: Sequence[Operation]) -> str:
        """Which other objects the path of a change may mean."""
        if operations[0][0] is Change.add or not isinstance(operations[0][1], str):
            return ""
        path = operations[0][1]
        found = self._world.find(path)
        if isinstance(found, Err) or not isinstance(found.value, Node):
            return ""
        others = ", ".join(same_names(path, found.value, self._world.nodes()))
        return f"{path} can mean several objects: the first was changed, and not {others}." if others else ""
