"""How the items of ``inspect`` look on a terminal: trees of names, an object as the Inspector
window shows it.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

import click

from unity_bridge.text.foreign_text import as_json, visible_line
from unity_bridge.text.json_types import JsonObject

_INDENT = "  "

Item = Mapping[str, Any]


def shown(page: JsonObject, question: JsonObject) -> List[str]:
    """Return the lines of a page. ``question``: what was asked, which says how much of a path is
    news.
    """
    return [line for item in page["items"] for line in _SHOWN[question["what"]](item, question)]


def _scene(item: Item, question: Item) -> List[str]:
    remarks = []
    if item.get("kind") == "build":
        remarks.append("not open")
    elif item.get("kind") == "prefab":
        remarks.append("open prefab")
    elif item.get("loaded") is False:
        remarks.append("not loaded")
    remarks += [
        word
        for word, is_so in (("active", item.get("active")), ("unsaved", item.get("dirty")))
        if is_so
    ]
    if item.get("build_index") is not None:
        remarks.append(f"build index {_text(item['build_index'])}")
    elif item.get("in_build") is False:
        remarks.append("switched off in the build")
    name = _text(item.get("path") or item.get("file"))
    file = f"  {_dim(_text(item['file']))}" if item.get("path") and item.get("file") else ""
    title = name
    if item.get("active"):
        title = click.style(name, bold=True)
    return [f"{title}{file}{_in_brackets(remarks)}"]


def _object_of_a_tree(item: Item, question: Item) -> List[str]:
    path = _text(item.get("path"))
    # Of what was searched for, the way there is what matters.
    name = path if question.get("query") or not item.get("depth") else path.rsplit("/", 1)[-1]
    indent = "" if question.get("query") else _INDENT * _number(item.get("depth"))
    if "scene" in item:
        remarks = [] if item.get("loaded", True) else ["not loaded"]
        return [indent + click.style(name, bold=True) + _in_brackets([*remarks, *_hidden(item)])]
    components = [
        _text(component) for component in _list(item.get("components")) if component != "Transform"
    ]
    suffix = f"  {_dim(', '.join(components))}" if components else ""
    is_off = item.get("active") is False
    off = ["inactive"] if is_off and not item.get("active_self") else []
    return [
        indent + (_dim(name) if is_off else name) + suffix + _in_brackets([*off, *_hidden(item)])
    ]


def _hidden(item: Item) -> List[str]:
    count = item.get("children_not_shown")
    if count:
        return [f"{_text(count)} below"]
    return []


def _part(item: Item, question: Item) -> List[str]:
    if "field" in item:
        kind = _dim(f"  {_text(item.get('type'))}")
        return [f"{_INDENT}{_text(item['field'])}: {short_value(item.get('value'))}{kind}"]
    if "component" in item:
        off = ["off"] if item.get("enabled") is False else []
        if item.get("missing"):
            off = ["missing"]
        return [click.style(_text(item["component"]), bold=True) + _in_brackets(off)]
    head = [click.style(_text(item.get("path")), bold=True)]
    names = [name for name in item if name not in ("path", "components")]
    return head + [f"{_INDENT}{_text(name)}: {short_value(item[name])}" for name in names]


def _asset(item: Item, question: Item) -> List[str]:
    return [
        f"{_text(item.get('path'))}  {_dim(f'{_text(item.get(_TYPE))}  {_text(item.get(_GUID))}')}"
    ]


def _selected(item: Item, question: Item) -> List[str]:
    name = _text(item.get("path") or item.get("name"))
    active = ["active"] if item.get("active") else []
    return [f"{name}  {_dim(_text(item.get(_TYPE)))}{_in_brackets(active)}"]


def _control(item: Item, question: Item) -> List[str]:
    remarks = [] if item.get("interactable") else ["off"]
    remarks += [f"covered by {_text(item['covered_by'])}"] if item.get("covered_by") else []
    place = _dim(f"{_text(item.get('kind'))}  at {as_json(item.get('rect'), ascii_only=False)}")
    return [
        f"{_text(item.get('path'))}  {click.style(_text(item.get('label')), bold=True)}  {place}{_in_brackets(remarks)}"
    ]


_TYPE, _GUID = "type", "guid"
_SHOWN: Dict[str, Callable[[Item, Item], List[str]]] = {
    "scenes": _scene,
    "hierarchy": _object_of_a_tree,
    "object": _part,
    "assets": _asset,
    "selection": _selected,
    "ui": _control,
}


def short_value(value: Any) -> str:
    """Return a value in a line: vectors and references short, everything else as JSON."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        short = _vector(value) or _reference(value)
        if short is not None:
            return short
    return as_json(value, ascii_only=False)


def _vector(value: JsonObject) -> Optional[str]:
    for names in (("x", "y"), ("x", "y", "z"), ("x", "y", "z", "w"), ("r", "g", "b", "a")):
        if tuple(value) == names:
            return f"({', '.join(_text(value[name]) for name in names)})"
    return None


def _reference(value: JsonObject) -> Optional[str]:
    if value == {"missing": True}:
        return "(missing)"
    if not {"type", "name"} <= set(value) <= {"type", "name", "path", "id"}:
        return None
    return _text(value.get("path") or value["name"])


def _in_brackets(remarks: List[str]) -> str:
    if remarks:
        return f"  ({', '.join(remarks)})"
    return ""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        value = as_json(value, ascii_only=False)
    return visible_line(value)


def _dim(text: str) -> str:
    return click.style(text, dim=True)


def _number(value: Any) -> int:
    """How deep a plugin says that it is, which is no size of ours before it is bounded."""
    if isinstance(value, int):
        return min(max(value, 0), 100)
    return 0


def _list(value: Any) -> List[Any]:
    if isinstance(value, list):
        return value
    return []
