"""Editing a file of another program: set or remove values, and keep everything else as it is
written.

What JSON and TOML have in common. Every edit is checked before it is returned: the parsed new text must equal the old
data with the change.
"""

from __future__ import annotations

from operator import eq
from typing import Any, Callable, Mapping, NamedTuple, Sequence, Tuple

from unity_bridge.base.result import Err, Ok, Result

Path = Tuple[str, ...]


class FileFormat(NamedTuple):
    """``table``: its word for values with names. ``empty``: the least that a file holds. ``parse``:
    returns the data, or what is wrong and in which line.

    ``set`` returns the text with values in the table at a path, and ``remove`` the text without what is at a path. Both
    get a text that has been parsed, and the data that are to come of it. ``is_empty``: whether a text has no value,
    only space and comments. ``is_same``: whether the data that were to come did.
    """

    table: str
    empty: str
    parse: Callable[[str], Result[Any, str]]
    set: Callable[[str, Path, Mapping[str, Any], Any], str]
    remove: Callable[[str, Path, Any], str]
    is_empty: Callable[[str], bool]
    is_same: Callable[[Any, Any], bool] = eq

    def with_values(
        self, text: str, path: Sequence[str], values: Mapping[str, Any]
    ) -> Result[str, str]:
        """Return the text with ``values`` in the table at ``path``, which is made if need be; its
        other values stay.
        """
        if self.is_empty(text):
            # Below comments, in a line of its own.
            begin = "\n" if text.strip() and not text.endswith("\n") else ""
            text += (begin + self.empty).replace("\n", line_end(text))
        parsed = self.parse(text)
        if isinstance(parsed, Err):
            return parsed
        table = expected = parsed.value
        for key in path:
            table = table.setdefault(key, {}) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            return Err(f"does not hold {self.table} at {'.'.join(path) or 'the top'}")
        if all(key in table and table[key] == value for key, value in values.items()):
            return Ok(text)
        table.update(values)
        return self._proved(self.set(text, tuple(path), values, expected), expected)

    def without(self, text: str, path: Sequence[str]) -> Result[str, str]:
        """Return the text without the value at ``path``; the same text if there is none."""
        if self.is_empty(text):
            return Ok(text)
        parsed = self.parse(text)
        if isinstance(parsed, Err):
            return parsed
        table = at(parsed.value, path[:-1])
        if not isinstance(table, dict) or path[-1] not in table:
            return Ok(text)
        del table[path[-1]]
        return self._proved(self.remove(text, tuple(path), parsed.value), parsed.value)

    def _proved(self, text: str, expected: Any) -> Result[str, str]:
        result = self.parse(text)
        if isinstance(result, Ok) and self.is_same(result.value, expected):
            return Ok(text)
        return Err(
            "is laid out in a way that cannot be edited safely (a key may stand there twice, or with escapes)"
        )


def at(data: Any, path: Sequence[str]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


class Edit(NamedTuple):
    """What replaces the text from ``start`` to ``end``."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with all the edits; of two at one place, the later one comes first."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def line_end(text: str) -> str:
    if "\r\n" in text:
        return "\r\n"
    return "\n"
