"""``inspect``: scenes, hierarchies, objects, assets and the selection of the pretend project (SPEC §16.4)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import Asset, Component, GameObject, Scene, World, guid_of

Item = Dict[str, Any]

_WHAT = ("scenes", "hierarchy", "object", "assets", "selection")
_MISSING = "(missing script)"
_KEPT = "DontDestroyOnLoad"
_NUMBERS = {"depth": (2, 0, 100), "limit": (100, 1, 1000)}


@dataclass(frozen=True)
class _Query:
    what: str
    path: str
    query: str
    depth: int
    limit: int
    cursor: str

    @property
    def question(self) -> str:
        """What a cursor is bound to."""
        return _hash("\n".join((self.what, self.path, self.query, str(self.depth))))


@dataclass(frozen=True)
class _Placed:
    """An object with its path."""

    path: str
    object: GameObject
    is_in_active: bool

    @property
    def is_active(self) -> bool:
        return self.is_in_active and self.object.active

    def children(self) -> Iterator[_Placed]:
        return _placed(self.path, self.object.children, self.is_active)


class Inspect:
    """The tool."""

    name = "inspect"

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def answer(self, params: Mapping[str, Any]) -> Result[Item, Refusal]:
        """``{what, items, total, next_cursor?}``; ``Err`` says what is wrong with the question."""
        asked = _query(params)
        if isinstance(asked, Err):
            return Err(Refusal(ErrorCode.INVALID_PARAMS, asked.error))
        items = self._items(asked.value)
        page = items if isinstance(items, Err) else _page(asked.value, items.value)
        return Err(Refusal(ErrorCode.INVALID_PARAMS, page.error)) if isinstance(page, Err) else page

    def _items(self, query: _Query) -> Result[List[Item], str]:
        if query.what == "scenes":
            return Ok(self._scenes())
        if query.what == "selection":
            return Ok(self._selection())
        if query.what == "assets":
            return self._assets(query)
        return self._hierarchy(query) if query.what == "hierarchy" else self._object(query)

    @property
    def _world(self) -> World:
        return self._editor.project.world

    def _open(self) -> List[Scene]:
        kept = [Scene(_KEPT, self._world.kept)] if self._editor.is_playing else []
        return [scene for scene in self._world.scenes if scene.is_open] + kept

    def _scenes(self) -> List[Item]:
        listed = [scene.file for scene in self._world.scenes if scene.is_in_build]
        items: List[Item] = []
        opened = self._open()
        for number, scene in enumerate(opened):
            item: Item = {"path": scene.name, "file": scene.file, "kind": "scene", "loaded": True}
            if scene.name == _KEPT:
                item["kind"] = "dont_destroy_on_load"
            else:
                item["active"] = number == 0
            item.update(dirty=scene.file in self._editor.unsaved_scenes, roots=len(scene.roots))
            items.append(item)
        closed = [scene for scene in self._world.scenes if scene not in opened and scene.is_in_build]
        items += [{"file": scene.file, "kind": "build", "loaded": False} for scene in closed]
        for item in items:
            if item["file"] in listed:
                item.update(in_build=True, build_index=listed.index(item["file"]))
        return items

    def _hierarchy(self, query: _Query) -> Result[List[Item], str]:
        if not query.path:
            return Ok([item for scene in self._open() for item in _scene_items(scene, query)])
        found = self._find(query.path)
        if isinstance(found, Err):
            return found
        if isinstance(found.value, Scene):
            return Ok(_scene_items(found.value, query))
        if isinstance(found.value, Asset):
            return Err("This asset has no hierarchy. what: object shows it.")
        return Ok(_below(found.value, 0, query))

    def _object(self, query: _Query) -> Result[List[Item], str]:
        found = self._find(query.path)
        if isinstance(found, Err):
            return found
        if isinstance(found.value, Scene):
            return Err("This is a scene. what: hierarchy shows it.")
        if isinstance(found.value, Asset):
            asset = found.value
            head = {"path": asset.path, "name": asset.name, "type": asset.type, "id": _asset_id(asset)}
            fields = _fields(asset.type, asset.fields)
            return Ok([head, *fields] if not query.query else [one for one in fields if one["field"] == query.query])
        return _parts(self._head(found.value), found.value.object, query.query)

    def _head(self, found: _Placed) -> Item:
        head: Item = {"path": found.path, "name": found.object.name, "type": "GameObject", "id": self._id(found)}
        head.update(_activity(found), tag=found.object.tag, layer="Default", static=False)
        return {**head, "components": _names(found.object), "children": len(found.object.children)}

    def _assets(self, query: _Query) -> Result[List[Item], str]:
        folder = query.path.rstrip("/") + "/"
        found = [asset for asset in self._world.assets if not query.path or asset.path.startswith(folder)]
        if query.path and not found:
            return Err(f"There is no folder '{query.path}'. path is a folder such as Assets/Art.")
        return Ok(
            [
                {"path": asset.path, "type": asset.type, "guid": guid_of(asset.path)}
                for asset in found
                if _fits(query.query, asset.path.rsplit("/", 1)[-1], [asset.type])
            ]
        )

    def _selection(self) -> List[Item]:
        selected = [one for one in self._everything() if one.object.name in self._world.selection]
        return [
            {
                "type": "GameObject",
                "name": one.object.name,
                "path": one.path,
                "id": self._id(one),
                "active": number == 0,
            }
            for number, one in enumerate(selected)
        ]

    def _everything(self) -> Iterator[_Placed]:
        for scene in self._open():
            for root in _placed(scene.name, scene.roots, True):
                yield from _all_below(root)

    def _id(self, found: _Placed) -> str:
        scene = next(scene for scene in self._open() if scene.name == found.path.split("/", 1)[0])
        number = int(_hash(found.path), 16) % 10**9
        return f"GlobalObjectId_V1-2-{guid_of(scene.file)}-{number}-0"

    def _find(self, path: str) -> Result[Any, str]:
        """A scene, an asset, or an object with its path."""
        for asset in self._world.assets:
            if path in (asset.path, _asset_id(asset)) and not asset.path.endswith(".unity"):
                return Ok(asset)
        if path.startswith("GlobalObjectId_V1-"):
            known = next((one for one in self._everything() if self._id(one) == path), None)
            return Err("Nothing has this GlobalObjectId now.") if known is None else Ok(known)
        opened = self._open()
        for scene in opened:
            if path == scene.file or path.startswith(scene.file + "/"):
                path = scene.name + path[len(scene.file) :]
        first, *rest = path.split("/")
        start = next((scene for scene in opened if _escaped(scene.name) == first), None)
        if start is None:
            names = ", ".join(f"'{scene.name}'" for scene in opened)
            return Err(f"No scene '{first}' is open, and no asset is there. A path begins with an open scene: {names}.")
        return _descend(start, rest)


def _descend(scene: Scene, segments: Sequence[str]) -> Result[Any, str]:
    at: Any = scene
    below = list(_placed(scene.name, scene.roots, True))
    path = scene.name
    for segment in segments:
        wanted = f"{path}/{segment[:-3] if segment.endswith('[0]') else segment}"
        at = next((one for one in below if one.path == wanted), None)
        if at is None:
            there = ", ".join(f"'{_escaped(one.object.name)}'" for one in below) or "nothing"
            return Err(f"There is no '{segment}' in '{path}'. There is {there}.")
        below, path = list(at.children()), at.path
    return Ok(at)


def _scene_items(scene: Scene, query: _Query) -> List[Item]:
    head: Item = {"path": scene.name, "depth": 0, "scene": scene.file, "loaded": True}
    if query.depth == 0 and scene.roots:
        head["children_not_shown"] = len(scene.roots)
    items = [] if query.query else [head]
    if query.depth > 0:
        for root in _placed(scene.name, scene.roots, True):
            items += _below(root, 1, query)
    return items


def _below(start: _Placed, depth: int, query: _Query) -> List[Item]:
    item: Item = {"path": start.path, "depth": depth, **_activity(start), "components": _names(start.object)}
    if depth == query.depth and start.object.children:
        item["children_not_shown"] = len(start.object.children)
    items = [item] if _fits(query.query, start.object.name, item["components"]) else []
    if depth < query.depth:
        for child in start.children():
            items += _below(child, depth + 1, query)
    return items


def _parts(head: Item, owner: GameObject, query: str) -> Result[List[Item], str]:
    items: List[Item] = []
    for name, component in _components(owner):
        if query in ("", name, _short(name)):
            part: Item = {"component": name}
            if not component.type:
                part["missing"] = True
            elif not component.type.endswith("Transform"):
                part["enabled"] = component.enabled
            items += [part, *_fields(name, component.fields)]
        else:
            for field in _fields(name, component.fields):
                if query in (f"{name}.{field['field']}", f"{_short(name)}.{field['field']}"):
                    return Ok(_inside(field))
    if not items:
        names = ", ".join(name for name, _ in _components(owner))
        return Err(f"There is no component '{query}'. A query is Component or Component.field; it has {names}.")
    return Ok(items if query else [head, *items])


def _inside(field: Item) -> List[Item]:
    value = field["value"]
    if isinstance(value, list):
        return [
            {**field, "field": f"{field['field']}[{number}]", "type": field["type"][:-2], "value": element}
            for number, element in enumerate(value)
        ]
    return [field]


def _components(owner: GameObject) -> Iterator[Tuple[str, Component]]:
    seen: Dict[str, int] = {}
    for component in owner.components:
        name = component.type or _MISSING
        before = seen.get(name, 0)
        seen[name] = before + 1
        yield (f"{name}[{before}]" if before else name), component


def _names(owner: GameObject) -> List[str]:
    return [component.type or _MISSING for component in owner.components]


def _fields(component: str, fields: Mapping[str, Tuple[str, Any]]) -> List[Item]:
    return [
        {"component": component, "field": name, "type": kind, "value": value} for name, (kind, value) in fields.items()
    ]


def _activity(found: _Placed) -> Item:
    told: Item = {"active": found.is_active}
    if found.object.active != found.is_active:
        told["active_self"] = found.object.active
    return told


def _placed(path: str, objects: Sequence[GameObject], is_in_active: bool) -> Iterator[_Placed]:
    seen: Dict[str, int] = {}
    for one in objects:
        before = seen.get(one.name, 0)
        seen[one.name] = before + 1
        number = f"[{before}]" if before else ""
        yield _Placed(f"{path}/{_escaped(one.name)}{number}", one, is_in_active)


def _all_below(start: _Placed) -> Iterator[_Placed]:
    yield start
    for child in start.children():
        yield from _all_below(child)


def _escaped(name: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "/%[\x7f" or c < " " else c for c in name)


def _short(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _fits(query: str, name: str, types: Sequence[str]) -> bool:
    """Whether every word of the query is in the name, or a type for ``t:``."""
    for word in query.split():
        if word.startswith("t:"):
            if not any(word[2:].lower() in (one.lower(), _short(one).lower()) for one in types):
                return False
        elif word.lower() not in name.lower():
            return False
    return True


def _asset_id(asset: Asset) -> str:
    return f"GlobalObjectId_V1-1-{guid_of(asset.path)}-11400000-0"


def _page(query: _Query, items: List[Item]) -> Result[Item, str]:
    start = 0
    if query.cursor:
        question, _, rest = query.cursor.partition(".")
        mark, _, place = rest.partition(".")
        if not place.isdecimal():
            return Err("cursor is the next_cursor of an earlier answer, unchanged.")
        if question != query.question:
            return Err("This cursor belongs to another question. Ask again without cursor.")
        start = int(place)
        if not 0 < start <= len(items) or _mark(items[start - 1]) != mark:
            return Err("The cursor is outdated: what it points to has changed. Ask again without cursor.")
    end = start + query.limit
    answer: Item = {"what": query.what, "items": items[start:end], "total": len(items)}
    if end < len(items):
        answer["next_cursor"] = f"{query.question}.{_mark(items[end - 1])}.{end}"
    return Ok(answer)


def _mark(item: Item) -> str:
    return _hash(str([item.get(name) for name in ("path", "file", "component", "field", "guid")]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _query(params: Mapping[str, Any]) -> Result[_Query, str]:
    what = params.get("what")
    if what not in _WHAT:
        return Err(f"what is one of {', '.join(_WHAT)}.")
    texts = {name: params.get(name) or "" for name in ("path", "query", "cursor")}
    if not all(isinstance(text, str) for text in texts.values()):
        return Err("path, query and cursor are texts.")
    numbers: Dict[str, int] = {}
    for name, (default, least, most) in _NUMBERS.items():
        number = _whole(params.get(name, default))
        if number is None or not least <= number <= most:
            return Err(f"{name} is a whole number from {least} to {most}.")
        numbers[name] = number
    if what in ("scenes", "selection") and (texts["path"] or texts["query"]):
        return Err(f"path and query do not go with '{what}'.")
    if what == "object" and not texts["path"]:
        return Err("object needs a path, such as Main/Player, Assets/Data.asset or a GlobalObjectId.")
    return Ok(_Query(what, texts["path"], texts["query"], numbers["depth"], numbers["limit"], texts["cursor"]))


def _whole(value: object) -> Optional[int]:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
