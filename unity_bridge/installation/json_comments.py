"""JSON with comments and trailing commas, as editors write it: set or remove one member, keep everything else.

Users edit clients' settings by hand, so their comments and layout must stay. No maintained library for Python 3.8 keeps
both, is pure Python, and is fast on files of megabytes. So comments are replaced by blanks in a copy of equal length,
the standard library parses that copy, and its offsets are valid in the original. Every edit is checked before it is
returned: the parsed new text must equal the old data with the change.
"""

from __future__ import annotations

import json
import re
from typing import Any, List, Match, NamedTuple, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.text import json_reader

# A string or comment that never ends matches to the end of the text and stays, so that nothing is scanned twice.
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"?'
_COMMENT = re.compile(rf"//[^\r\n]*|/\*.*?\*/|(?P<stays>{_STRING}|/\*.*)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"(?P<stays>{_STRING})|,(?=[ \t\r\n]*[}}\]])", re.DOTALL)
_NO_LINE_END = re.compile(r"[^\r\n]")
_SPACE = re.compile(r"[ \t\r\n]*")
_WHITESPACE = " \t\r\n"
_DEFAULT_INDENT = "  "
_DECODER = json.JSONDecoder()
_MOST_LEVELS = 100


def parse(text: str) -> Result[Any, str]:
    """Return the data, or what is wrong and in which line."""
    plain = _plain(text)
    if json_reader.is_deep(plain, _MOST_LEVELS):
        return Err(f"is nested too deeply: more than {_MOST_LEVELS} levels")
    try:
        return Ok(json_reader.loads(plain))
    except ValueError as error:
        return Err(f"is not valid JSON: {error}")


def with_member(text: str, path: Sequence[str], value: Any) -> Result[str, str]:
    """Return the text with ``value`` at ``path`` (keys from the top); missing objects on the way are created."""
    text = text if text.strip(f"\ufeff{_WHITESPACE}") else "{}\n"
    parsed = parse(text)
    if isinstance(parsed, Err):
        return parsed
    holder = expected = parsed.value
    for key in path[:-1]:
        if not isinstance(holder, dict):
            break
        holder = holder.setdefault(key, {})
    if not isinstance(holder, dict):
        return Err(f"does not hold an object at {_shown(path[:-1])}")
    if path[-1] in holder and holder[path[-1]] == value:
        return Ok(text)
    holder[path[-1]] = value
    return _proved(_set(text, path, value), expected)


def without_member(text: str, path: Sequence[str]) -> Result[str, str]:
    """Return the text without the member at ``path``; the same text if there is none."""
    parsed = parse(text)
    if isinstance(parsed, Err):
        return parsed
    holder = expected = parsed.value
    for key in path[:-1]:
        holder = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or path[-1] not in holder:
        return Ok(text)
    del holder[path[-1]]
    return _proved(_removed(text, path), expected)


def _proved(text: str, expected: Any) -> Result[str, str]:
    result = parse(text)
    if isinstance(result, Ok) and result.value == expected:
        return Ok(text)
    return Err("is laid out in a way that cannot be edited safely (perhaps a key stands there twice)")


def _shown(path: Sequence[str]) -> str:
    return ".".join(path) or "the top"


# Reading places


class _Member(NamedTuple):
    """The offsets of ``"key": value`` in the text."""

    key: str
    start: int
    value_start: int
    value_end: int


class _Object(NamedTuple):
    """An object from ``start`` (its opening brace) to ``close`` (the closing one)."""

    start: int
    close: int
    members: List[_Member]

    def find(self, key: str) -> List[_Member]:
        """Return the member in a list, or an empty list. If a key occurs twice, the last one counts, as in parsing."""
        return [member for member in self.members if member.key == key][-1:]


def _blanked(match: Match[str]) -> str:
    return match[0] if match["stays"] else _NO_LINE_END.sub(" ", match[0])


def _without_comments(text: str) -> str:
    return _COMMENT.sub(_blanked, text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text)


def _plain(text: str) -> str:
    """Return strict JSON of equal length, each character at its offset."""
    return _TRAILING_COMMA.sub(_blanked, _without_comments(text))


def _skip(plain: str, offset: int) -> int:
    match = _SPACE.match(plain, offset)
    assert match is not None
    return match.end()


def _object(plain: str, start: int) -> _Object:
    """Return the object whose brace is at ``start``. The text has been parsed before, so its grammar is not checked
    again."""
    members = []
    offset = _skip(plain, start + 1)
    while plain[offset] != "}":
        key, key_end = _DECODER.raw_decode(plain, offset)
        value_start = _skip(plain, _skip(plain, key_end) + 1)
        value_end = _DECODER.raw_decode(plain, value_start)[1]
        members.append(_Member(key, offset, value_start, value_end))
        offset = _skip(plain, value_end)
        if plain[offset] == ",":
            offset = _skip(plain, offset + 1)
    return _Object(start, offset, members)


# Writing


def _set(text: str, path: Sequence[str], value: Any) -> str:
    plain = _plain(text)
    inside = _object(plain, _skip(plain, 0))
    unit = _indent_unit(text, inside)
    for depth, key in enumerate(path):
        found = inside.find(key)
        if not found:
            for name in reversed(path[depth + 1 :]):
                value = {name: value}
            return _inserted(text, inside, key, value, unit)
        member = found[0]
        if depth == len(path) - 1:
            return text[: member.value_start] + _formatted(text, member.start, value, unit) + text[member.value_end :]
        inside = _object(plain, member.value_start)
    raise AssertionError("a path has at least one key")


def _inserted(text: str, inside: _Object, key: str, value: Any, unit: str) -> str:
    newline = _newline(text)
    outer = _line_indent(text, inside.start)
    indent = outer + unit
    if inside.members and _starts_its_line(text, inside.members[0].start):
        indent = _line_indent(text, inside.members[0].start)
    # After the last comment too: it belongs to the member before it.
    end = len(text[: inside.close].rstrip(_WHITESPACE))
    member = f"{newline}{indent}{json.dumps(key, ensure_ascii=False)}: {_dumped(value, unit, newline + indent)}"
    rest = text[end:] if "\n" in text[end : inside.close] else f"{newline}{outer}{text[inside.close :]}"
    head = text[:end]
    if inside.members and not _comma_after(text, inside.members[-1].value_end):
        last = inside.members[-1].value_end
        head = f"{text[:last]},{text[last:end]}"
    return head + member + rest


def _removed(text: str, path: Sequence[str]) -> str:
    plain = _plain(text)
    inside = _object(plain, _skip(plain, 0))
    for key in path[:-1]:
        inside = _object(plain, inside.find(key)[0].value_start)
    member = inside.find(path[-1])[0]
    start = len(text[: member.start].rstrip(_WHITESPACE))
    comma = _comma_after(text, member.value_end)
    if comma:
        return text[:start] + text[comma:]
    before = inside.members[inside.members.index(member) - 1] if len(inside.members) > 1 else None
    if before is not None:
        comma = _comma_after(text, before.value_end)
        return text[: comma - 1] + text[comma:start] + text[member.value_end :]
    left = text[inside.start + 1 : start] + text[member.value_end : inside.close]
    return text[: inside.start + 1] + (left if left.strip(_WHITESPACE) else "") + text[inside.close :]


def _comma_after(text: str, offset: int) -> int:
    """Return the offset after the comma that follows, also a trailing one; 0 if there is none."""
    bare = _without_comments(text)
    comma = _skip(bare, offset)
    return comma + 1 if bare[comma : comma + 1] == "," else 0


def _formatted(text: str, member_start: int, value: Any, unit: str) -> str:
    return _dumped(value, unit, _newline(text) + _line_indent(text, member_start))


def _dumped(value: Any, unit: str, line_start: str) -> str:
    return line_start.join(json.dumps(value, indent=unit, ensure_ascii=False).split("\n"))


def _indent_unit(text: str, top: _Object) -> str:
    if top.members and _starts_its_line(text, top.members[0].start):
        return _line_indent(text, top.members[0].start) or _DEFAULT_INDENT
    return _DEFAULT_INDENT


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_indent(text: str, offset: int) -> str:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _starts_its_line(text: str, offset: int) -> bool:
    line_start = text.rfind("\n", 0, offset) + 1
    return line_start > 0 and not text[line_start:offset].strip(" \t")
