"""The value of ``run`` on a terminal: a line for each change, a table for rows, else members."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import click

from unity_bridge.commands.shared.inspect_view import short_value
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonObject

_GAP = "  "
_INDENT = "  "
_CHANGE = {"path", "field", "before", "after"}


def value_lines(value: Any, columns: int) -> Iterator[str]:
    """Yield the lines of a value. Nothing is cut; rows that fit into ``columns`` are a table."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _member(visible_line(name), member, columns)
    elif _are_rows(value):
        yield from _rows(value, columns)
    elif isinstance(value, list):
        yield from map(short_value, value)
    else:
        yield short_value(value)


def _member(name: str, value: Any, columns: int) -> Iterator[str]:
    if name == "changed" and _are_rows(value):
        yield from _rows(value, columns)
        return
    is_short = not isinstance(value, (dict, list)) or not short_value(value).startswith(("{", "["))
    if value == []:
        yield f"{name}: none"
    elif is_short or not value:
        yield f"{name}: {short_value(value)}"
    elif isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
        yield f"{name}: {', '.join(map(short_value, value))}"
    else:
        yield f"{name}:"
        for line in value_lines(value, columns - len(_INDENT)):
            yield _INDENT + line


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _rows(rows: Sequence[JsonObject], columns: int) -> Iterator[str]:
    if all(row.keys() >= _CHANGE for row in rows):
        yield from map(_change, rows)
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_cell(row.get(name, "")) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells)]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > columns:
        yield from _blocks(names, cells)
        return
    for number, line in enumerate([list(map(visible_line, names)), *cells]):
        text = _GAP.join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
        if not number:
            text = click.style(text, dim=True)
        yield text


def _blocks(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows that are too wide for a table: the first member, and the others below it."""
    for head, *members in rows:
        yield click.style(head, bold=True)
        for name, cell in zip(names[1:], members):
            if cell:
                yield f"{_INDENT}{visible_line(name)}: {cell}"


def _change(row: JsonObject) -> str:
    """Return a change in a line: what was made, deleted, or set from one value to another."""
    path, change = short_value(row["path"]), _cell(row["after"])
    if row["field"] == "path" and row["before"] is None:
        return f"made {path}"
    if row["field"] == "path" and row["after"] is None:
        return f"deleted {path}"
    if row["before"] is not None:
        change = f"{_cell(row['before'])} -> {change}"
    return f"{path}{_GAP}{short_value(row['field'])}: {change}"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(short_value, value))
    return short_value(value)
