"""The pretend project's scenes and assets as data: what ``inspect`` shows and commands change."""

from __future__ import annotations

import copy
import hashlib
import pickle
import re
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.text.spelling import nearest

Fields = Dict[str, Tuple[str, Any]]

KEPT = "DontDestroyOnLoad"
OBJECT, SCENE = "GameObject", "Scene"
MISSING_SCRIPT = "(missing script)"
# Those that every project has.
TAGS = ("Untagged", "Respawn", "Finish", "EditorOnly", "MainCamera", "Player", "GameController")
# The names of fields that do not follow from Unity's names for them; those of an object need no
# component before them.
OWN_FIELDS = {
    "active": "m_IsActive",
    "active_self": "m_IsActive",
    "tag": "m_TagString",
    "static": "m_StaticEditorFlags",
    "name": "m_Name",
    "layer": "m_Layer",
}


@dataclass(eq=False)
class Thing:
    """A scene, an object, a component or an asset, by its ``type``; a component of type "" is a
    missing script.

    ``path``: of a scene's or an asset's file. ``fields``: by Unity's names, their type and their value as JSON.
    ``parts``: an object's components. ``below``: the objects below it.
    """

    type: str
    path: str = ""
    fields: Fields = field(default_factory=dict)
    parts: List[Thing] = field(default_factory=list)
    below: List[Thing] = field(default_factory=list)
    is_open: bool = True

    @property
    def name(self) -> str:
        if self.type == OBJECT and not self.path:
            return str(self.value("m_Name"))
        return file_name(self.path).rsplit(".", 1)[0] or "Untitled"

    @property
    def id(self) -> str:
        """An asset's; that of an object follows from its path."""
        return f"GlobalObjectId_V1-1-{guid_of(self.path)}-11400000-0"

    def field_named(self, spelled: str) -> Optional[str]:
        """Return Unity's name of the field that code spells so; None if there is none."""
        own = OWN_FIELDS.get(spelled) if self.type == OBJECT else None
        if (self.type, spelled) == ("Material", "color"):
            own = "_Color"
        candidates = (own, spelled, f"m_{spelled[:1].upper()}{spelled[1:]}")
        return next((name for name in candidates if name in self.fields), None)

    def value(self, name: str) -> Any:
        return self.fields[name][1]

    def put(self, name: str, value: Any) -> None:
        self.fields[name] = (self.fields[name][0], value)

    def as_json(self) -> JsonDict:
        """Return an asset as lists show it."""
        return {"path": self.path, "type": self.type, "guid": guid_of(self.path)}

    def reference(self) -> JsonDict:
        """Return an asset as a value refers to it."""
        return {"type": self.type, "name": self.name, "path": self.path, "id": self.id}

    @property
    def types(self) -> List[str]:
        """Of an object's components."""
        return [part.type or MISSING_SCRIPT for part in self.parts]

    def named_parts(self) -> List[Tuple[str, Thing]]:
        """Return what has the fields: components with distinct names (``Light``, ``Light[1]``), or
        the asset itself.
        """
        if self.type != OBJECT:
            return [(self.type, self)]
        before: Dict[str, int] = {}
        pairs = []
        for part, name in zip(self.parts, self.types):
            count = before[name] = before.get(name, -1) + 1
            pairs.append((f"{name}[{count}]" if count else name, part))
        return pairs


class Node(NamedTuple):
    """An object in the hierarchy, or a scene, whose ``siblings`` are empty."""

    path: str
    depth: int
    scene: Thing
    thing: Thing
    siblings: List[Thing]
    is_active: bool

    @property
    def is_scene(self) -> bool:
        return self.depth == 0

    @property
    def id(self) -> str:
        number = int(hashlib.sha256(self.path.encode()).hexdigest()[:12], 16) % 10**9
        return f"GlobalObjectId_V1-2-{guid_of(self.scene.path)}-{number}-0"

    def reference(self) -> JsonDict:
        """As a value refers to it. A scene has none."""
        return {"type": OBJECT, "name": self.thing.name, "path": self.path, "id": self.id}


# What a path or an id leads to: an object or scene, or an asset.
Found = Union[Node, Thing]


class Saved(NamedTuple):
    """A world at one moment. Each of ``scenes`` is the scene without its objects, then each root."""

    scenes: List[List[bytes]]
    assets: List[bytes]
    unsaved: List[str]
    selection: List[str]

    @property
    def blobs(self) -> List[bytes]:
        return [*chain(*self.scenes), *self.assets]


def _scene_of(blobs: Sequence[bytes]) -> Thing:
    scene: Thing = pickle.loads(blobs[0])
    scene.below = list(map(pickle.loads, blobs[1:]))
    return scene


@dataclass
class World:
    """``kept`` is the scene DontDestroyOnLoad, there while the game plays. Main thread.

    ``unsaved`` and ``in_build`` are paths of scenes, ``selection`` has ids, and ``undo`` what was before a change.
    """

    scenes: List[Thing] = field(default_factory=list)
    kept: Thing = field(default_factory=lambda: Thing(SCENE, KEPT))
    assets: List[Thing] = field(default_factory=list)
    in_build: List[str] = field(default_factory=list)
    selection: List[str] = field(default_factory=list)
    unsaved: List[str] = field(default_factory=list)
    undo: List[Saved] = field(default_factory=list)
    before_play: Optional[Saved] = None

    def copy(self) -> World:
        return copy.deepcopy(self)

    @property
    def is_playing(self) -> bool:
        return self.before_play is not None

    def begin_play(self) -> None:
        self.before_play = self.before_play or self.saved()

    def end_play(self) -> None:
        """Restore the scenes as they were before; assets stay as they are."""
        if self.before_play is not None:
            assets = self.assets
            self.restore(self.before_play)
            self.assets, self.before_play = assets, None

    def saved(self) -> Saved:
        """Return the world as it is. What is as in the last step of Undo is the same bytes."""
        last = self.undo[-1].blobs if self.undo else ()
        shared = {blob: blob for blob in last}

        def blob_of(thing: Thing) -> bytes:
            blob = pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
            return shared.get(blob, blob)

        scenes = [
            [blob_of(replace(scene, below=[])), *map(blob_of, scene.below)]
            for scene in (*self.scenes, self.kept)
        ]
        assets = list(map(blob_of, self.assets))
        return Saved(scenes, assets, list(self.unsaved), list(self.selection))

    def restore(self, saved: Saved) -> None:
        # Which scenes are open is no part of what is undone.
        opened = {scene.path: scene.is_open for scene in self.scenes}
        *self.scenes, self.kept = map(_scene_of, saved.scenes)
        self.assets = list(map(pickle.loads, saved.assets))
        self.unsaved[:], self.selection[:] = saved.unsaved, saved.selection
        for scene in self.scenes:
            scene.is_open = opened.get(scene.path, scene.is_open)

    def undo_last(self) -> bool:
        """As the menu entry Edit/Undo does; whether there was something to undo."""
        if not self.undo:
            return False
        unsaved = list(self.unsaved)
        self.restore(self.undo.pop())
        self.unsaved[:] = unsaved
        return True

    @property
    def open_scenes(self) -> List[Thing]:
        return [scene for scene in self.scenes if scene.is_open] + (
            [self.kept] if self.is_playing else []
        )

    def mark_unsaved(self, scene: Thing) -> None:
        if not self.is_playing and scene.path not in self.unsaved:
            self.unsaved.append(scene.path)

    def nodes(self) -> Dict[str, Node]:
        """Every open scene and its objects by path, parents first."""
        return {node.path: node for scene in self.open_scenes for node in _walk(scene)}

    def node_of(self, thing: Thing) -> Optional[Node]:
        return next((node for node in self.nodes().values() if node.thing is thing), None)

    def path_of(self, thing: Thing) -> Optional[str]:
        """None if it is gone."""
        if thing.path:
            if any(other_thing is thing for other_thing in (*self.assets, *self.scenes)):
                return thing.path
            return None
        node = self.node_of(thing)
        if node is None:
            return None
        return node.path

    @property
    def folders(self) -> List[str]:
        files = [asset.path.split("/") for asset in self.assets]
        folders = {"/".join(file[:n]) for file in files for n in range(1, len(file))}
        return sorted(folders | {asset.path for asset in self.assets if asset.type == "Folder"})

    def search(self, folder: str, query: str) -> Optional[List[Thing]]:
        """Return the assets in a folder ("": anywhere) that fit a query; None if there is no such
        folder.
        """
        folder = folder.rstrip("/")
        if folder and folder not in self.folders:
            return None
        inside = [
            asset for asset in self.assets if not folder or asset.path.startswith(folder + "/")
        ]
        return [asset for asset in inside if fits(query, file_name(asset.path), [asset.type])]

    def selected(self) -> List[Found]:
        """Return what is selected and still there, nodes and assets."""
        return [node.value for node in map(self.find, self.selection) if isinstance(node, Ok)]

    def find(self, path: str) -> Result[Found, str]:
        """Return the node or asset at a path or with a ``GlobalObjectId``; ``Err`` says what is
        there instead.
        """
        for asset in self.assets:
            if path in (asset.path, asset.id) and not asset.path.endswith(".unity"):
                return Ok(asset)
        nodes = self.nodes()
        if path.startswith("GlobalObjectId_V1-"):
            match = next((node for node in nodes.values() if node.id == path), None)
            if match is None:
                return Err("Nothing has this GlobalObjectId now.")
            return Ok(match)
        for scene in self.open_scenes:
            if (path + "/").startswith(scene.path + "/"):
                path = scene.name + path[len(scene.path) :]
        if path.startswith(("Assets/", "Packages/")):
            near = nearest(path, [known_asset.path for known_asset in self.assets])
            return Err(
                f"There is no asset '{path}'." + (f" The nearest is '{near}'." if near else "")
            )
        path = self._from_root(path.strip("/"), nodes) if path.startswith("/") else path
        # The first of equal names may be written with its number.
        path = re.sub(r"\[0\](?=/|$)", "", path)
        if path in nodes:
            return Ok(nodes[path])
        parent = ""
        for segment in path.split("/"):
            child = f"{parent}/{segment}" if parent else segment
            if child not in nodes:
                break
            parent = child
        return Err(_not_found(segment, nodes.get(parent), nodes))

    def _from_root(self, path: str, nodes: Mapping[str, Node]) -> str:
        """Return the path after a leading slash: one with its scene, or one from the objects of the
        active scene.
        """
        current = self.open_scenes[0].name
        root_name, *segments = path.split("/")
        has_scene = root_name in nodes and (
            not segments
            or f"{root_name}/{segments[0]}" in nodes
            or f"{current}/{root_name}" not in nodes
        )
        if not path:
            return current
        if has_scene:
            return path
        return f"{current}/{path}"


def guid_of(path: str) -> str:
    """Return the GUID that Unity gave a file; here it follows from its path."""
    return hashlib.sha256(path.encode()).hexdigest()[:32]


def file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def short(type_name: str) -> str:
    return type_name.rsplit(".", 1)[-1]


def fits(query: str, name: str, types: Sequence[str]) -> bool:
    """Whether every word of the query is in the name, or a type for ``t:``."""
    spellings = {
        spelling.lower() for type_name in types for spelling in (type_name, short(type_name))
    }
    for word in query.lower().split():
        is_type = word.startswith("t:")
        if is_type and word[2:] not in spellings or not is_type and word not in name.lower():
            return False
    return True


def _walk(scene: Thing) -> Iterator[Node]:
    top = Node(scene.name, 0, scene, scene, [], True)
    yield top
    yield from _below(top)


def _below(parent: Node) -> Iterator[Node]:
    counts: Dict[str, int] = {}
    for child in parent.thing.below:
        count = counts[child.name] = counts.get(child.name, -1) + 1
        path = f"{parent.path}/{escaped(child.name)}" + (f"[{count}]" if count else "")
        is_active = parent.is_active and child.value("m_IsActive")
        node = Node(path, parent.depth + 1, parent.scene, child, parent.thing.below, is_active)
        yield node
        yield from _below(node)


def escaped(name: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "/%[\x7f" or c < " " else c for c in name)


def _not_found(segment: str, parent: Optional[Node], nodes: Mapping[str, Node]) -> str:
    if parent is None:
        names = ", ".join(f"'{path}'" for path, node in nodes.items() if node.is_scene)
        return f"No scene '{segment}' is open. A path begins with an open scene, which is {names}, or with Assets/."
    below = [
        node.path.rpartition("/")[2] for node in _below(parent) if node.depth == parent.depth + 1
    ]
    near = nearest(segment, below)
    hint = f"The nearest is '{near}'." if near else f"There is {', '.join(below) or 'nothing'}."
    return f"There is no '{segment}' in '{parent.path}'. {hint}"


def same_names(path_given: str, node: Node, nodes: Mapping[str, Node]) -> List[str]:
    """Return the siblings' addresses with a name that ``path_given``, a path to ``node``, has
    unnumbered, at any level.
    """
    names: List[str] = []
    segments, words = node.path.split("/"), path_given.split("/")
    for n in range(1, len(segments)):
        if path_given != node.id and not words[n - len(segments)].endswith("]"):
            path = re.escape("/".join(segments[: n + 1]))
            names += [
                node_path for node_path in nodes if re.fullmatch(path + r"\[\d+\]", node_path)
            ]
    return names[:5]


# The pretend game, which a file of data describes: its fields are those that Unity's Inspector
# shows.

RECORDED: JsonObject = json_reader.loads(
    (Path(__file__).resolve().parent / "pretend_game.json").read_text(encoding="utf-8")
)


def made_of(type_name: str, values: JsonObject, path: str = "") -> Thing:
    """Return a component, or with a path an asset, with the recorded fields of its type."""
    recorded = RECORDED["assets" if path else "components"].get(type_name, {})
    thing = Thing(
        type_name,
        path,
        {name: (kind, copy.deepcopy(value)) for name, (kind, value) in recorded.items()},
    )
    for name, value in values.items():
        thing.put(name, value)
    return thing


def game_object(name: str, parts: Sequence[Any] = (), path: str = "", **members: Any) -> Thing:
    """Return an object with a transform and these components: each a type, or a type with values.

    ``path``: it is a prefab's.

    ``members``: its ``tag``, whether it is ``active``, ``at`` which place it is, and the objects ``below`` it.
    """
    fields: Fields = {
        "m_Name": ("string", name),
        "m_IsActive": ("bool", members.get("active", True)),
    }
    fields.update(m_TagString=("string", members.get("tag", "Untagged")), m_Layer=("int", 0))
    fields["m_StaticEditorFlags"] = ("bool", False)
    thing = Thing(OBJECT, path, fields, [made_of("Transform", {})])
    if "at" in members:
        thing.parts[0].put("m_LocalPosition", dict(zip("xyz", members["at"])))
    for part in parts:
        ((kind, values),) = ({part: {}} if isinstance(part, str) else part).items()
        thing.parts.append(made_of(kind, values))
    thing.below = [game_object(**member) for member in members.get("below", ())]
    return thing


def _asset(path: str, recorded: Any) -> Thing:
    ((kind, values),) = ({recorded: {}} if isinstance(recorded, str) else recorded).items()
    if kind == OBJECT:
        return game_object(path=path, **values)
    return made_of(kind, values, path)


def default_world() -> World:
    """Return what the small game has. Its first scene is open."""
    game = RECORDED["game"]
    scenes = [
        Thing(SCENE, path, below=[game_object(**recipe) for recipe in roots], is_open=number == 0)
        for number, (path, roots) in enumerate(game["scenes"].items())
    ]
    kept_scene = Thing(SCENE, KEPT, below=[game_object(**recipe) for recipe in game["kept"]])
    assets = [_asset(path, recipe) for path, recipe in game["assets"].items()]
    world = World(scenes, kept_scene, assets, list(game["scenes"]))
    world.selection.append(world.nodes()["Main/Player"].id)
    return world
