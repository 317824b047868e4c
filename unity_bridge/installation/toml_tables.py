"""TOML: set or remove one table, and keep everything else as it is written.

The standard library reads TOML and writes none, and the library that keeps comments takes minutes for a hostile
megabyte. So the text is edited at the offsets of its statements.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.file_format import Edit, FileFormat, Path, at, edited, line_end

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Notepad and Windows PowerShell write it first; it is no part of the first key.
_MARK = "\ufeff"
_MOST_LEVELS = 100
_MOST_KEY_PARTS = 16
_MOST_WORD_CHARACTERS = 1000
# A string that never ends matches to the end of its line or of the text, so that nothing is scanned
# twice.
_TOKEN = re.compile(
    r'"""[^"\\]*(?:(?:\\.|""?(?!"))[^"\\]*)*(?:"{3,5})?'
    r"|'''[^']*(?:''?(?!')[^']*)*(?:'{3,5})?"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
    r"|'[^'\n]*'?"
    r"|\#[^\n]*|[][{}=,\n]"
    r"""|[^][{}=,\#"'\s]+""",
    re.DOTALL,
)
_KEY_PART = re.compile(r""""[^"]*"|'[^']*'|[A-Za-z0-9_-]+""")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# The rest of a statement's line, and the comment lines right under it.
_REST = re.compile(r"[^\n]*\n?(?:[ \t]*#[^\n]*\n?)*")


def parse(text: str) -> Result[Any, str]:
    """Return the data, or what is wrong and in which line."""
    plain = text.lstrip(_MARK).replace("\r\n", "\n")
    too_much = _too_much(plain)
    if too_much is not None:
        return Err(too_much)
    try:
        return Ok(tomllib.loads(plain))
    except ValueError as error:
        return Err(f"is not valid TOML: {error}")


def _too_much(text: str) -> Optional[str]:
    """Return what makes the text more than its parser, which is recursive and slow with long keys,
    reads in time.
    """
    depth = dots = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        opening = token[0]
        if opening in "[{":
            depth, dots = depth + 1, 0
            if depth > _MOST_LEVELS:
                return f"is nested too deeply: more than {_MOST_LEVELS} levels"
        elif opening in "]}":
            depth -= 1
        elif opening in "=,\n":
            dots = 0
        elif opening not in "\"'#":
            dots += token.count(".")
            if dots >= _MOST_KEY_PARTS:
                return f"is nested too deeply: a key has more than {_MOST_KEY_PARTS} parts"
            if len(token) > _MOST_WORD_CHARACTERS:
                return f"has a number or name of more than {_MOST_WORD_CHARACTERS} characters"
    return None


def _is_same(old: Any, new: Any) -> bool:
    # An empty table may have had no line of its own, and may already be gone.
    return bool(_without_empty(old) == _without_empty(new))


def _without_empty(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    filled = {key: _without_empty(value) for key, value in data.items()}
    return {key: value for key, value in filled.items() if value != {}}


# Reading places


class _Statement(NamedTuple):
    """A header or an assignment of a text that has been parsed before.

    ``table``: the header's keys, of this one or of the last one before it. ``key``: empty for a header. ``value``: the
    offset after the equals sign. ``end``: the offset after the last character that is no space or comment.
    """

    table: Path
    key: Path
    start: int
    value: int
    end: int

    @property
    def path(self) -> Path:
        return self.table + self.key


def _statements(text: str) -> Iterator[_Statement]:
    table: Path = ()
    depth, start, equals, end = 0, -1, -1, -1
    for match in _TOKEN.finditer(text + "\n"):
        token = match.group()
        if token == "\n":
            if depth == 0 and start >= 0:
                if equals < 0:
                    table = _keys(text[start:end])
                yield _Statement(
                    table, _keys(text[start : max(equals, start)]), start, equals + 1, end
                )
                start = equals = -1
        elif token[0] != "#":
            start = match.start() if start < 0 else start
            end = match.end()
            depth += (token in "[{") - (token in "]}")
            equals = match.start() if token == "=" and equals < 0 else equals


def _keys(text: str) -> Path:
    """Return the parts of a dotted key. One with escapes differs from every name of ours, so it is
    never edited.
    """
    return tuple(part.strip("\"'") for part in _KEY_PART.findall(text))


# Writing


def _set(text: str, path: Path, values: Mapping[str, Any], expected: Any) -> str:
    statements = list(_statements(text))
    inline = _inline_around(text, statements, path, expected)
    if inline is not None:
        return inline
    members = {
        statement.path[-1]: statement
        for statement in statements
        if statement.key and statement.path[:-1] == path
    }
    section = [statement for statement in statements if statement.table == path] or list(
        members.values()
    )
    lines = [(key, value) for key, value in values.items() if key not in members]
    if not section:
        return _with_section(text, statements, path, lines)
    edits = [
        Edit(statement.value, statement.end, f" {_dumped(values[key])}")
        for key, statement in members.items()
        if key in values
    ]
    end_statement = section[-1]
    before = text[text.rfind("\n", 0, end_statement.start) + 1 : end_statement.start]
    added = [
        f"{before}{_dotted((*path[len(end_statement.table) :], key))} = {_dumped(value)}"
        for key, value in lines
    ]
    if added:
        edits.append(_inserted(text, end_statement.end, added))
    return edited(text, edits)


def _with_section(
    text: str, statements: List[_Statement], path: Path, lines: Sequence[Tuple[str, Any]]
) -> str:
    """Return the text with a new section, after the one that shares most of its path or at the end."""
    new = [f"[{_dotted(path)}]", *(f"{_dotted((key,))} = {_dumped(value)}" for key, value in lines)]
    shared = range(len(path) - 1, 0, -1)
    near = next(
        (
            statement
            for n in shared
            for statement in reversed(statements)
            if statement.table[:n] == path[:n]
        ),
        None,
    )
    end = len(text.rstrip()) if near is None else near.end
    if near is None and not end:
        block = new
    else:
        block = ["", *new]
    return edited(text, [_inserted(text, end, block)])


def _removed(text: str, path: Path, expected: Any) -> str:
    statements = list(_statements(text))
    inline = _inline_around(text, statements, path[:-1], expected)
    if inline is not None:
        return inline
    edits: List[Edit] = []
    is_in_run = False
    for statement in statements:
        is_ours = statement.path[: len(path)] == path
        if is_ours and is_in_run:
            edits[-1] = edits[-1]._replace(end=_line_end(text, statement.end))
        elif is_ours:
            start = text.rfind("\n", 0, statement.start) + 1
            content = len(text[:start].rstrip("\r\n \t"))
            if not statement.key:  # the blank lines before a header go with it
                start = _line_end(text, content) if content else 0
            edits.append(Edit(start, _line_end(text, statement.end), ""))
        is_in_run = is_ours
    return edited(text, edits)


def _inserted(text: str, end: int, lines: Sequence[str]) -> Edit:
    """Return the edit that adds lines after the statement that ends at ``end`` and the comments
    under it.
    """
    newline = line_end(text)
    match = _REST.match(text, end)
    place = match.end() if match is not None else end
    begin = newline if place and not text[:place].endswith("\n") else ""
    return Edit(place, place, begin + "".join(line + newline for line in lines))


def _line_end(text: str, offset: int) -> int:
    return (text.find("\n", offset) + 1) or len(text)


def _inline_around(
    text: str, statements: Sequence[_Statement], path: Path, expected: Any
) -> Optional[str]:
    """Return the text with the inline table that contains ``path`` written again; None if there is
    none.
    """
    for statement in statements:
        if statement.key and statement.path == path[: len(statement.path)]:
            table = f" {_dumped(at(expected, statement.path))}"
            return edited(text, [Edit(statement.value, statement.end, table)])
    return None


def _dotted(path: Sequence[str]) -> str:
    return ".".join(key if _BARE_KEY.fullmatch(key) else _dumped(key) for key in path)


def _dumped(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{_dotted((key,))} = {_dumped(inner)}" for key, inner in value.items())
            + "}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_dumped, value))}]"
    if isinstance(value, (str, bool)):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return repr(value)


def _is_empty(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


TOML = FileFormat("a table", "", parse, _set, _removed, _is_empty, _is_same)
