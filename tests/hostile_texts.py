"""Texts of any size that a project from elsewhere may have: each makes some reader slow, deep or
large.
"""

from __future__ import annotations

from typing import Callable, Dict

Text = Callable[[int], str]


def _times(piece: str, begin: str = "", end: str = "") -> Text:
    return lambda size: begin + piece * (size // len(piece)) + end


def _numbered(line: str, begin: str = "", end: str = "") -> Text:
    def text(size: int) -> str:
        count = size // len(line % 99_999)
        return begin + "".join(line % number for number in range(count)) + end

    return text


JSON: Dict[str, Text] = {
    "a string of quotes that never ends": _times('\\"', '{"a": "'),
    "escaped quotes outside of strings": _times('\\"', "{"),
    "a comment that never ends": _times("/* ", "{"),
    "comments": _times("/**/", "{", "}"),
    "comments of lines": _times("//\n", "{", "}"),
    "commas": _times(", ", "["),
    "commas and blanks": _times("," + " " * 999, "[1"),
    "brackets": _times("["),
    "braces": _times('{"a":'),
    "empty lists": _times("[],", "[", "1]"),
    "lists of 98 levels": _times("[" * 98 + "]" * 98 + ",", "[", "1]"),
    "digits": _times("1", "[", "]"),
    "decimals": _times("1", "[0.", "]"),
    "names": _numbered('"%d":0,', "{", "}"),
    "escapes": _times("\\u0041", '["', '"]'),
    "slashes": _times("/"),
    "blanks": _times(" ", "{"),
    "line ends": _times("\n", "{"),
}

TOML: Dict[str, Text] = {
    "tables": _numbered("[a%d]\n"),
    "tables of servers": _numbered("[mcp_servers.a%d]\n"),
    "tables out of order": _numbered("[a.b%d]\n[c.d]\n".replace("[c.d]", "[[c]]")),
    "keys": _numbered("a%d=1\n"),
    "dotted keys": _numbered("a.b%d=1\n"),
    "dotted keys of 16 parts": _numbered("a." * 15 + "b%d=1\n"),
    "a table of 16 parts": _numbered("b%d=1\n", "[" + "a." * 15 + "a]\n"),
    "a key of many parts": _times("a.", end="a=1"),
    "a header of many parts": _times('"a".', "[", "a]"),
    "comments": _times("#\n"),
    "line ends": _times("\n"),
    "lists of tables": _times("[[a]]\n[a.b]\n"),
    "a list": _times("1,", "a=[", "]"),
    "lists of 98 levels": _times("[" * 98 + "]" * 98 + ",", "a=[", "]"),
    "brackets": _times("[", "a="),
    "an inline table": _numbered("a%d=1,", "a={", "b=1}"),
    "inline tables": _times("{a=", "a="),
    "a string that never ends": _times('\\"', 'a="'),
    "a string of lines that never ends": _times('""\\"', 'a="""'),
    "quotes": _times('"'),
    "apostrophes": _times("'"),
    "escapes": _times("\\u0041", 'a="', '"'),
    "digits": _times("1", "a="),
    "digits of base 16": _times("f", "a=0x"),
    "equals signs": _times("="),
}
