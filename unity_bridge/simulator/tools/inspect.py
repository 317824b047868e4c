"""``inspect``: what is in the pretend project (SPEC §16.4)."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Parameters, Refusal, not_simulated
from unity_bridge.simulator.paging import page_of
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.simulator.world import OBJECT, Node, Thing, World, fits, same_names, short

Item = Dict[str, Any]


class _Query(NamedTuple):
    what: str
    path: str
    query: str
    depth: int
    limit: int
    cursor: str
    max_bytes: int


class Inspect:
    """The tool."""

    name = "inspect"
    parameters: Parameters = {
        "what": "",
        "path": "",
        "query": "",
        "depth": 2,
        "limit": 100,
        "cursor": "",
        "max_bytes": 1_000_000,
    }

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def answer(self, params: Mapping[str, Any]) -> Result[Item, Refusal]:
        """Return ``{what, items, total, next_cursor?}``; ``Err`` says what is wrong with the
        question.
        """
        query = _Query(**params)
        if query.what == "ui":
            return Err(not_simulated("The simulated editor shows no user interface."))
        items = self._items(query)
        page = items if isinstance(items, Err) else _page(query, items.value)
        if isinstance(page, Err):
            return Err(Refusal(ErrorCode.INVALID_PARAMS, page.error))
        return page

    @property
    def _content(self) -> World:
        return self._editor.content

    def _items(self, query: _Query) -> Result[List[Item], str]:
        if query.what in ("scenes", "selection") and (query.path or query.query):
            return Err(f"path and query do not go with '{query.what}'.")
        if query.what == "object" and not query.path:
            return Err(
                "object needs a path, such as Main/Player, Assets/Data.asset or a GlobalObjectId."
            )
        if query.what == "scenes":
            return Ok(self._scenes())
        if query.what == "selection":
            return Ok(self._selection())
        if query.what == "assets":
            return self._assets(query)
        if query.what == "hierarchy":
            return self._hierarchy(query)
        return self._object(query)

    def _scenes(self) -> List[Item]:
        world = self._content
        items: List[Item] = []
        for number, scene in enumerate(world.open_scenes):
            item: Item = {"path": scene.name, "file": scene.path, "kind": "scene", "loaded": True}
            if scene is world.kept:
                item["kind"] = "dont_destroy_on_load"
            else:
                item["active"] = number == 0
            items.append({**item, "dirty": scene.path in world.unsaved, "roots": len(scene.below)})
        opened = [item["file"] for item in items]
        closed = [path for path in world.in_build if path not in opened]
        items += [{"file": path, "kind": "build", "loaded": False} for path in closed]
        for item in items:
            if item["file"] in world.in_build:
                item.update(in_build=True, build_index=world.in_build.index(item["file"]))
        return items

    def _hierarchy(self, query: _Query) -> Result[List[Item], str]:
        start: Optional[Node] = None
        if query.path:
            match = self._content.find(query.path)
            if isinstance(match, Err):
                return match
            if isinstance(match.value, Thing):
                return Err("This asset has no hierarchy. what: object shows it.")
            start = match.value
        items = []
        for node in self._content.nodes().values():
            depth = node.depth - (start.depth if start is not None else 0)
            is_below = start is None or (node.path + "/").startswith(start.path + "/")
            if is_below and depth <= query.depth and _matches(query.query, node):
                items.append(_in_hierarchy(node, depth, is_last=depth == query.depth))
        return Ok(items)

    def _object(self, query: _Query) -> Result[List[Item], str]:
        match = self._content.find(query.path)
        if isinstance(match, Err):
            return match
        if isinstance(match.value, Thing):
            asset = match.value
            head: Item = {
                "path": asset.path,
                "name": asset.name,
                "type": asset.type,
                "id": asset.id,
            }
            if asset.type == OBJECT:
                return _parts(head, asset, query.query)
            fields = _fields(asset.type, asset)
            if not query.query:
                rows = [head, *fields]
            else:
                rows = _named(fields, query.query)
            return Ok(rows)
        node = match.value
        if node.is_scene:
            return Err("This is a scene. what: hierarchy shows it.")
        namesakes = same_names(query.path, node, self._content.nodes())
        head = {name: node.reference()[name] for name in ("path", "name", "type", "id")}
        remarks = {}
        if namesakes:
            remarks = {"equal_names": namesakes}
        head.update(remarks, **_activity(node))
        tag, static = node.thing.value("m_TagString"), node.thing.value("m_StaticEditorFlags")
        head.update(tag=tag, layer="Default", static=static)
        head.update(components=node.thing.types, children=len(node.thing.below))
        return _parts(head, node.thing, query.query)

    def _assets(self, query: _Query) -> Result[List[Item], str]:
        assets = self._content.search(query.path, query.query)
        if assets is None:
            return Err(
                f"There is no folder '{query.path}'. There is {', '.join(self._content.folders)}."
            )
        return Ok([asset.as_json() for asset in assets])

    def _selection(self) -> List[Item]:
        items = []
        for number, thing in enumerate(self._content.selected()):
            item = thing.reference()
            if not isinstance(thing, Thing):
                item = {**item, "active": number == 0}
            items.append(item)
        return items


def _matches(query: str, node: Node) -> bool:
    if node.is_scene:
        return not query
    return fits(query, node.thing.name, node.thing.types)


def _in_hierarchy(node: Node, depth: int, is_last: bool) -> Item:
    item: Item = {"path": node.path, "depth": depth}
    if node.is_scene:
        item.update(scene=node.scene.path, loaded=True)
    else:
        item.update(_activity(node), components=node.thing.types)
    if is_last and node.thing.below:
        item["children_not_shown"] = len(node.thing.below)
    return item


def _parts(head: Item, owner: Thing, query: str) -> Result[List[Item], str]:
    items: List[Item] = []
    component, _, field = query.rpartition(".")
    for name, part in owner.named_parts():
        if query in ("", name, short(name)):
            item: Item = {"component": name}
            if not part.type:
                item["missing"] = True
            elif "m_Enabled" in part.fields:
                item["enabled"] = part.value("m_Enabled")
            items += [item, *_fields(name, part)]
        elif component in (name, short(name)):
            row = _named(_fields(name, part), part.field_named(field) or field)
            field_names = ", ".join(part.fields)
            if row:
                return Ok(row)
            return Err(f"{name} has no serialized field '{field}'. Its fields are {field_names}.")
    if not items:
        names = ", ".join(name for name, _ in owner.named_parts())
        return Err(
            f"There is no component '{query}'. A query is Component or Component.field; it has {names}."
        )
    if query:
        rows = items
    else:
        rows = [head, *items]
    return Ok(rows)


def _fields(component: str, part: Thing) -> List[Item]:
    return [
        {"component": component, "field": name, "type": kind, "value": value}
        for name, (kind, value) in part.fields.items()
        if name != "m_Enabled"
    ]


def _named(fields: List[Item], name: str) -> List[Item]:
    return [row for row in fields if row["field"] == name]


def _activity(node: Node) -> Item:
    is_active = node.thing.value("m_IsActive")
    if is_active == node.is_active:
        return {"active": node.is_active}
    return {"active": node.is_active, "active_self": is_active}


def _page(query: _Query, items: List[Item]) -> Result[Item, str]:
    question = (query.what, query.path, query.query, query.depth)
    page = page_of(items, question, query.cursor, query.limit, query.max_bytes)
    if page is None:
        return Err(
            "The cursor is of another question, or what it points to has changed. Ask again without it."
        )
    rows, members = page
    answer: Item = {"what": query.what, "items": rows, "total": len(items), **members}
    if query.query and not items:
        answer["hint"] = (
            "Nothing matches. A query has words of a name, and t:Type; no wildcards and no extensions."
        )
    return Ok(answer)


TOOL = Inspect
