"""The scene, assets and selection of the pretend project: what ``inspect`` shows and commands change."""

from __future__ import annotations

import copy
import hashlib
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from unity_bridge.base.result import Err, Ok, Result

KEPT = "DontDestroyOnLoad"
# The user interface of the game, which lives there.
CANVAS, DOCUMENT = "Canvas", "Hud"
MISSING_SCRIPT = "(missing script)"


@dataclass
class Component:
    """``fields``: by name, ``(type, value)`` with the value as JSON. A ``type`` of "" is a missing script."""

    type: str
    fields: Dict[str, Tuple[str, Any]] = field(default_factory=dict)
    enabled: bool = True


@dataclass
class GameObject:
    """An object of a scene, with its children."""

    name: str
    components: List[Component] = field(default_factory=list)
    children: List[GameObject] = field(default_factory=list)
    active: bool = True
    tag: str = "Untagged"


@dataclass
class Scene:
    """A scene of the project, which is also in the build. ``is_open``: it is in the Hierarchy window."""

    file: str
    roots: List[GameObject] = field(default_factory=list)
    is_open: bool = True

    @property
    def name(self) -> str:
        return file_name(self.file).rsplit(".", 1)[0] or "Untitled"


@dataclass
class Asset:
    """A file of the project that Unity has imported."""

    path: str
    type: str
    fields: Dict[str, Tuple[str, Any]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"GlobalObjectId_V1-1-{guid_of(self.path)}-11400000-0"

    def as_json(self) -> Dict[str, Any]:
        return {"path": self.path, "type": self.type, "guid": guid_of(self.path)}

    def reference(self) -> Dict[str, Any]:
        """As a value refers to it."""
        name = file_name(self.path).rsplit(".", 1)[0]
        return {"type": self.type, "name": name, "path": self.path, "id": self.id}


class Node(NamedTuple):
    """A scene (``owner`` is None) or an object in the hierarchy, with its path."""

    path: str
    depth: int
    scene: Scene
    owner: Optional[GameObject]
    children: Sequence[GameObject]
    is_active: bool

    @property
    def id(self) -> str:
        number = int(hashlib.sha256(self.path.encode()).hexdigest()[:12], 16) % 10**9
        return f"GlobalObjectId_V1-2-{guid_of(self.scene.file)}-{number}-0"

    def reference(self) -> Dict[str, Any]:
        """As a value refers to it. A scene has none."""
        assert self.owner is not None
        return {"type": "GameObject", "name": self.owner.name, "path": self.path, "id": self.id}


@dataclass
class GameUi:
    """What the player has done in one game. ``entries``: how often play mode had been entered when it began."""

    entries: int = 0
    is_started: bool = False
    texts: Dict[str, str] = field(default_factory=dict)


@dataclass
class Content:
    """``kept`` lives in the scene DontDestroyOnLoad while the game plays; ``selection`` has ids. Main thread."""

    scenes: List[Scene] = field(default_factory=list)
    kept: List[GameObject] = field(default_factory=list)
    assets: List[Asset] = field(default_factory=list)
    selection: List[str] = field(default_factory=list)
    ui: GameUi = field(default_factory=GameUi)
    # What commands have changed: a name, and scenes and assets as they were before.
    undo: List[Tuple[str, Tuple[Any, ...]]] = field(default_factory=list)

    def copy(self) -> Content:
        return copy.deepcopy(self)

    @property
    def in_build(self) -> List[Scene]:
        return [scene for scene in self.scenes if scene.file]

    def open_scenes(self, is_playing: bool) -> List[Scene]:
        return [scene for scene in self.scenes if scene.is_open] + ([Scene(KEPT, self.kept)] if is_playing else [])

    def nodes(self, is_playing: bool) -> Dict[str, Node]:
        """Every open scene and its objects by path, parents first."""
        found: Dict[str, Node] = {}
        for scene in self.open_scenes(is_playing):
            found[scene.name] = Node(scene.name, 0, scene, None, scene.roots, True)
            found.update((node.path, node) for node in _below(found[scene.name]))
        return found

    def search(self, folder: str, query: str) -> Optional[List[Asset]]:
        """The assets in a folder ("": anywhere) that fit a query; None if there is no such folder."""
        inside = [asset for asset in self.assets if not folder or asset.path.startswith(folder.rstrip("/") + "/")]
        if folder and not inside:
            return None
        return [asset for asset in inside if fits(query, file_name(asset.path), [asset.type])]

    def folders_near(self, path: str) -> str:
        """Those in the nearest folder that there is; if only the letter case is wrong, that one alone."""
        files = [asset.path.split("/")[:-1] for asset in self.assets]
        folders = {"/".join(file[:n]) for file in files for n in range(1, len(file) + 1)}
        parent = path
        while True:
            parent = parent.rpartition("/")[0] or "Assets"
            if parent in folders or parent == "Assets":
                break
        near = sorted(
            one for one in folders if one.startswith(parent + "/") and one.count("/") == parent.count("/") + 1
        )
        same = [one for one in near if one.lower() == path.lower()]
        if not near:
            return f"'{parent}' has no folders; query searches in it."
        there = ", ".join(f"'{one}'" for one in same or near[:5])
        return f"There is {there}." if same or len(near) <= 5 else f"There is {there}, ..."

    def selected(self, is_playing: bool) -> List[Union[Node, Asset]]:
        """What is selected and still there."""
        found = [self.find(one, is_playing) for one in self.selection]
        return [one.value for one in found if isinstance(one, Ok)]

    def find(self, path: str, is_playing: bool) -> Result[Union[Node, Asset], str]:
        """The scene, object or asset at a path or with a ``GlobalObjectId``; ``Err`` says what is there instead."""
        for asset in self.assets:
            if path in (asset.path, asset.id) and not asset.path.endswith(".unity"):
                return Ok(asset)
        nodes = self.nodes(is_playing)
        if path.startswith("GlobalObjectId_V1-"):
            known = next((node for node in nodes.values() if node.id == path), None)
            return Err("Nothing has this GlobalObjectId now.") if known is None else Ok(known)
        for scene in self.open_scenes(is_playing):
            if (path + "/").startswith(scene.file + "/"):
                path = scene.name + path[len(scene.file) :]
        if path.startswith(("Assets/", "Packages/")):
            return Err(self._no_asset(path))
        # As GameObject.Find takes it.
        path = self._from_root(path.strip("/"), nodes, is_playing) if path.startswith("/") else path
        # The first of equal names may be written with its number.
        path = re.sub(r"\[0\](?=/|$)", "", path)
        parent = ""
        for segment in path.split("/"):
            wanted = f"{parent}/{segment}" if parent else segment
            if wanted not in nodes:
                return Err(_not_found(segment, nodes.get(parent), nodes))
            parent = wanted
        return Ok(nodes[path])

    def _no_asset(self, path: str) -> str:
        if any(asset.path == path for asset in self.assets):
            return "This scene is not open. Its objects can be read once it is."
        name = file_name(path).rsplit(".", 1)[0].lower()
        alike = [asset.path for asset in self.assets if file_name(asset.path).rsplit(".", 1)[0].lower() == name]
        there = ", ".join(f"'{one}'" for one in alike[:5])
        return f"There is no asset '{path}'. " + (
            f"There is {there}." if alike else "what: assets finds one by a query."
        )

    def _from_root(self, path: str, nodes: Dict[str, Node], is_playing: bool) -> str:
        """The path after a leading slash: one with its scene, or one from the objects of the active scene."""
        current = self.open_scenes(is_playing)[0].name
        first, *rest = path.split("/")
        has_scene = first in nodes and (not rest or f"{first}/{rest[0]}" in nodes or f"{current}/{first}" not in nodes)
        return current if not path else path if has_scene else f"{current}/{path}"


def guid_of(path: str) -> str:
    """The GUID that Unity gave a file; here it follows from its path."""
    return hashlib.sha256(path.encode()).hexdigest()[:32]


def file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def short(type_name: str) -> str:
    return type_name.rsplit(".", 1)[-1]


def fits(query: str, name: str, types: Sequence[str]) -> bool:
    """Whether every word of the query is in the name, or a type for ``t:``."""
    return all(
        any(word[2:].lower() in (one.lower(), short(one).lower()) for one in types)
        if word.startswith("t:")
        else word.lower() in name.lower()
        for word in query.split()
    )


def _below(parent: Node) -> Iterator[Node]:
    seen: Dict[str, int] = {}
    for child in parent.children:
        before = seen.get(child.name, 0)
        seen[child.name] = before + 1
        path = f"{parent.path}/{escaped(child.name)}" + (f"[{before}]" if before else "")
        is_active = parent.is_active and child.active
        node = Node(path, parent.depth + 1, parent.scene, child, child.children, is_active)
        yield node
        yield from _below(node)


def components_of(owner: GameObject) -> Iterator[Tuple[str, Component]]:
    """The components with their distinct names: ``Light``, ``Light[1]``."""
    seen: Dict[str, int] = {}
    for component in owner.components:
        name = component.type or MISSING_SCRIPT
        before = seen.get(name, 0)
        seen[name] = before + 1
        yield (f"{name}[{before}]" if before else name), component


def escaped(name: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "/%[\x7f" or c < " " else c for c in name)


def _not_found(segment: str, parent: Optional[Node], nodes: Mapping[str, Node]) -> str:
    if parent is None:
        names = ", ".join(f"'{path}'" for path, node in nodes.items() if node.owner is None)
        root = next((path for path, node in nodes.items() if node.depth == 1 and path.endswith(f"/{segment}")), None)
        hint = "" if root is None else f" There is '{root}'."
        return f"No scene '{segment}' is open, and no asset is there. A path begins with an open scene: {names}.{hint}"
    # Those of the same name first: a number was wrong, or is written as Unity names a copy, "Lantern (1)".
    wanted = re.sub(r"\[\d+\]$", "", segment).split(" (")[0].lower()
    below = {node.path.rpartition("/")[2]: node for node in _below(parent) if node.depth == parent.depth + 1}
    alike = [address for address, node in below.items() if node.owner and node.owner.name.lower() == wanted]
    names = ", ".join(f"'{address}'" for address in alike or below) or "nothing"
    return f"There is no '{segment}' in '{parent.path}'. There is {names}."


def same_names(given: str, node: Node, nodes: Mapping[str, Node]) -> List[str]:
    """The addresses of siblings with a name that ``given``, a path to ``node``, has without a number, at any level."""
    found: List[str] = []
    segments, words = node.path.split("/"), given.split("/")
    for n in range(1, len(segments)):
        if not words[n - len(segments)].endswith("]"):
            path = re.escape("/".join(segments[: n + 1]))
            found += [other for other in nodes if re.fullmatch(path + r"\[\d+\]", other)]
    return found[:5]


def placed(x: float, y: float, z: float) -> Component:
    """A transform."""
    return Component(
        "Transform",
        {
            "m_LocalRotation": ("Quaternion", {"x": 0, "y": 0, "z": 0, "w": 1}),
            "m_LocalPosition": ("Vector3", {"x": x, "y": y, "z": z}),
            "m_LocalScale": ("Vector3", {"x": 1, "y": 1, "z": 1}),
        },
    )


def _canvas() -> GameObject:
    kinds = {"Start": "Button", "Name": "InputField", "Continue": "Button", "Shop": "Button", "Curtain": "Image"}
    children = [GameObject(name, [Component("RectTransform"), Component(f"UI.{kind}")]) for name, kind in kinds.items()]
    return GameObject(CANVAS, [Component(one) for one in ("RectTransform", "Canvas", "UI.GraphicRaycaster")], children)


def _document() -> GameObject:
    return GameObject(DOCUMENT, [placed(0, 0, 0), Component("UIElements.UIDocument")])


def _item(name: str, price: int, weight: float) -> Asset:
    script = {"type": "MonoScript", "name": "Item", "path": "Assets/Items/Item.cs"}
    fields = {"m_Script": ("MonoScript", script), "price": ("int", price), "weight": ("float", weight)}
    return Asset(f"Assets/Items/{name}.asset", "Keep.Items.Item", fields)


def default_content() -> Content:
    """What the small game has."""
    script = {"type": "MonoScript", "name": "PlayerMovement", "path": "Assets/Player/PlayerMovement.cs"}
    movement = Component(
        "Keep.PlayerMovement",
        {
            "m_Script": ("MonoScript", script),
            "speed": ("float", 4.2),
            "coyoteTime": ("float", 0.1),
            "carries": ("Item", {"type": "Keep.Items.Item", "name": "Lantern", "path": "Assets/Items/Lantern.asset"}),
            "steps": ("Vector3[]", []),
        },
    )
    light = {"m_Intensity": ("float", 1.2), "m_Range": ("float", 6.5)}
    lanterns = [
        GameObject("Lantern", [placed(4.0 * n, 2.2, 0), Component("Light", dict(light))], active=n != 1)
        for n in range(3)
    ]
    main = Scene(
        "Assets/Scenes/Main.unity",
        [
            GameObject("Main Camera", [placed(0, 1.7, -10), Component("Camera")], tag="MainCamera"),
            GameObject("Player", [placed(0.1, 0, 2.5), movement], [GameObject("Hand", [placed(0.3, 1.1, 0)])]),
            GameObject("Lanterns", [placed(0, 0, 0)], lanterns),
            GameObject("Old Gate", [placed(9, 0, 0), Component("")]),
        ],
    )
    content = Content(
        [main, Scene("Assets/Scenes/Cellar.unity", is_open=False)],
        [GameObject("Music", [placed(0, 0, 0), Component("AudioSource")]), _canvas(), _document()],
        [
            _item("Lantern", 12, 0.45),
            _item("Torch", 3, 0.3),
            Asset("Assets/Materials/Stone.mat", "Material"),
            Asset("Assets/Player/PlayerMovement.cs", "MonoScript"),
            Asset("Assets/Prefabs/Lantern.prefab", "GameObject"),
            Asset("Assets/Scenes/Cellar.unity", "SceneAsset"),
            Asset(main.file, "SceneAsset"),
        ],
    )
    content.selection.append(content.nodes(is_playing=False)["Main/Player"].id)
    return content
