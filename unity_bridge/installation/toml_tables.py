"""TOML: set or remove one table; ``tomlkit`` keeps comments, order and layout of everything else."""

from __future__ import annotations

import copy
import re
from typing import Any, Callable, Mapping, Sequence

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from unity_bridge.base.result import Err, Ok, Result

# Notepad and Windows PowerShell write it first; tomlkit would read it as part of the first key.
_MARK = "\ufeff"


def parse(text: str) -> Result[Any, str]:
    """Return the data, or what is wrong and in which line."""
    try:
        return Ok(tomlkit.parse(text.lstrip(_MARK)).unwrap())
    except (TOMLKitError, ValueError) as error:
        return Err(f"is not valid TOML: {error}")


def with_table(text: str, path: Sequence[str], values: Mapping[str, Any]) -> Result[str, str]:
    """Return the text with ``values`` set in the table at ``path``; the table's other keys stay."""
    return _edited(text, lambda plain: _with_table(plain, path, values))


def without_table(text: str, path: Sequence[str]) -> Result[str, str]:
    """Return the text without the table at ``path``; the same text if there is none."""
    return _edited(text, lambda plain: _without_table(plain, path))


def _edited(text: str, edit: Callable[[str], Result[str, str]]) -> Result[str, str]:
    """Edit the text after a byte-order mark, which stays."""
    plain = text.lstrip(_MARK)
    try:
        edited = edit(plain)
    except TOMLKitError as error:
        return Err(f"cannot be edited: {error}")
    return Ok(text[: len(text) - len(plain)] + edited.value) if isinstance(edited, Ok) else edited


def _with_table(text: str, path: Sequence[str], values: Mapping[str, Any]) -> Result[str, str]:
    parsed = parse(text)
    if isinstance(parsed, Err):
        return parsed
    expected = copy.deepcopy(parsed.value)
    table: Any = expected
    for key in path:
        table = table.setdefault(key, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        return Err(f"does not hold a table at {'.'.join(path)}")
    if all(key in table and table[key] == value for key, value in values.items()):
        return Ok(text)
    table.update(values)
    return _proved(text, _set(text, path, values), expected)


def _without_table(text: str, path: Sequence[str]) -> Result[str, str]:
    parsed = parse(text)
    if isinstance(parsed, Err):
        return parsed
    expected: Any = copy.deepcopy(parsed.value)
    document: Any = tomlkit.parse(text)
    table, place = expected, document
    for key in path[:-1]:
        if not isinstance(table, dict) or key not in table:
            return Ok(text)
        table, place = table[key], place[key]
    if not isinstance(table, dict) or path[-1] not in table:
        return Ok(text)
    del table[path[-1]]
    del place[path[-1]]
    return _proved(text, tomlkit.dumps(document), expected)


def _set(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    document = tomlkit.parse(text)
    place: Any = document
    for depth, key in enumerate(path):
        if key not in place:
            place[key] = _new_table(place, is_innermost=depth == len(path) - 1)
        place = place[key]
    is_new = not place
    for key, value in values.items():
        if key not in place or place[key] != value:
            place[key] = value
    if is_new and isinstance(place, Table) and path[0] != list(document)[-1]:
        place.add(tomlkit.nl())
    return tomlkit.dumps(document)


def _new_table(place: Any, is_innermost: bool) -> Any:
    if isinstance(place, InlineTable):
        return tomlkit.inline_table()
    # Only the innermost table gets a header of its own: [mcp_servers.unity-bridge].
    return tomlkit.table(is_super_table=not is_innermost)


def _proved(text: str, edited: str, expected: Any) -> Result[str, str]:
    if "\r\n" in text:
        edited = re.sub(r"(?<!\r)\n", "\r\n", edited)
    result = parse(edited)
    # An empty table may have had no line of its own, and may already be gone.
    if isinstance(result, Ok) and _without_empty(result.value) == _without_empty(expected):
        return Ok(edited)
    return Err("is laid out in a way that cannot be edited safely")


def _without_empty(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    kept = {key: _without_empty(value) for key, value in data.items()}
    return {key: value for key, value in kept.items() if value != {}}
