"""JSON with comments and trailing commas, as editors write it: set or remove one member, keep
everything else.

Users edit clients' settings by hand, so their comments and layout must stay. No maintained library for Python 3.8 keeps
both, is pure Python, and is fast on files of megabytes. So comments are replaced by blanks in a copy of equal length,
the standard library parses that copy, and its offsets are valid in the original.
"""

from __future__ import annotations

import json
import re
from typing import Any, List, Mapping, Match, NamedTuple, Optional

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.file_format import Edit, FileFormat, Path, edited, line_end
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonObject

# A string or comment that never ends matches to the end of the text and stays, so that nothing is
# scanned twice.
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


# Reading places


class _Member(NamedTuple):
    """``"key": value`` in the text, from ``start`` to ``value_end``."""

    key: str
    value: Any
    start: int
    value_start: int
    value_end: int


class _Object(NamedTuple):
    """An object from ``start`` (its opening brace) to ``close`` (the closing one)."""

    start: int
    close: int
    members: List[_Member]

    def find(self, key: str) -> Optional[_Member]:
        """Return the member with this key. If a key occurs twice, the last one counts, as in
        parsing.
        """
        return next((member for member in reversed(self.members) if member.key == key), None)


def _blanked(match: Match[str]) -> str:
    if match["stays"]:
        return match[0]
    return _NO_LINE_END.sub(" ", match[0])


def _without_comments(text: str) -> str:
    plain = text
    if text.startswith("\ufeff"):
        plain = text.replace("\ufeff", " ", 1)
    return _COMMENT.sub(_blanked, plain)


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
        value, value_end = _DECODER.raw_decode(plain, value_start)
        members.append(_Member(key, value, offset, value_start, value_end))
        offset = _skip(plain, value_end)
        if plain[offset] == ",":
            offset = _skip(plain, offset + 1)
    return _Object(start, offset, members)


# Writing


def _set(text: str, path: Path, values: Mapping[str, Any], _expected: Any) -> str:
    plain = _plain(text)
    inside = _object(plain, _skip(plain, 0))
    unit = _indent_unit(text, inside)
    for depth, key in enumerate(path):
        member = inside.find(key)
        if member is None:
            for name in reversed(path[depth:]):
                values = {name: values}
            break
        inside = _object(plain, member.value_start)
    edits, new = [], {}
    for key, value in values.items():
        member = inside.find(key)
        if member is None:
            new[key] = value
        elif member.value != value:
            dumped = _dumped(value, unit, line_end(text) + _line_indent(text, member.start))
            edits.append(Edit(member.value_start, member.value_end, dumped))
    if new:
        edits += _inserted(text, inside, new, unit)
    return edited(text, edits)


def _inserted(text: str, inside: _Object, values: JsonObject, unit: str) -> List[Edit]:
    newline = line_end(text)
    outer = newline + _line_indent(text, inside.start)
    begin = outer + unit
    if inside.members and _starts_its_line(text, inside.members[0].start):
        begin = newline + _line_indent(text, inside.members[0].start)
    # After the last comment too: it belongs to the member before it.
    end = len(text[: inside.close].rstrip(_WHITESPACE))
    has_line_end = "\n" in text[end : inside.close]
    new = (
        f"{begin}{json.dumps(key, ensure_ascii=False)}: {_dumped(member, unit, begin)}"
        for key, member in values.items()
    )
    members = ",".join(new)
    edits = [Edit(end, end, members)]
    if not has_line_end:
        edits = [Edit(end, inside.close, members + outer)]
    if inside.members and not _comma_after(text, inside.members[-1].value_end):
        last_end = inside.members[-1].value_end
        edits.append(Edit(last_end, last_end, ","))
    return edits


def _removed(text: str, path: Path, _expected: Any) -> str:
    plain = _plain(text)
    inside, member = _object(plain, _skip(plain, 0)), None
    for key in path:
        inside = inside if member is None else _object(plain, member.value_start)
        member = inside.find(key)
    assert member is not None
    start = len(text[: member.start].rstrip(_WHITESPACE))
    comma = _comma_after(text, member.value_end)
    if comma:
        return text[:start] + text[comma:]
    before = inside.members[inside.members.index(member) - 1] if len(inside.members) > 1 else None
    if before is not None:
        comma = _comma_after(text, before.value_end)
        return text[: comma - 1] + text[comma:start] + text[member.value_end :]
    remainder = text[inside.start + 1 : start] + text[member.value_end : inside.close]
    return (
        text[: inside.start + 1]
        + (remainder if remainder.strip(_WHITESPACE) else "")
        + text[inside.close :]
    )


def _comma_after(text: str, offset: int) -> int:
    """Return the offset after the comma that follows, also a trailing one; 0 if there is none."""
    bare = _without_comments(text)
    comma = _skip(bare, offset)
    if bare[comma : comma + 1] == ",":
        return comma + 1
    return 0


def _dumped(value: Any, unit: str, line_start: str) -> str:
    return line_start.join(json.dumps(value, indent=unit, ensure_ascii=False).split("\n"))


def _indent_unit(text: str, top: _Object) -> str:
    if top.members and _starts_its_line(text, top.members[0].start):
        return _line_indent(text, top.members[0].start) or _DEFAULT_INDENT
    return _DEFAULT_INDENT


def _line_indent(text: str, offset: int) -> str:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _starts_its_line(text: str, offset: int) -> bool:
    line_start = text.rfind("\n", 0, offset) + 1
    return line_start > 0 and not text[line_start:offset].strip(" \t")


def _is_empty(text: str) -> bool:
    return not _without_comments(text).strip(_WHITESPACE)


JSON = FileFormat("an object", "{}\n", parse, _set, _removed, _is_empty)
