"""Text that others wrote: shown without obeying it, and quoted without lending it our voice (SPEC
§20.2).

A terminal takes C0 and C1 characters as commands, direction characters mislead a reader, and a model
reads what nobody sees. Such characters are spelled out (``\\x1b``, ``\\u202e``) wherever text of others is printed, and
left out of sentences that quote it.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, Match, Optional

QUOTED_CHARACTERS = 200

# C0, DEL and C1; marks, embeddings and isolates of direction; line and paragraph separators;
# characters of no width but the joiners that emoji and Indic scripts need; half surrogate pairs;
# tags, which spell text that no font shows.
_COMMANDS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff"
)
# Compiled when a text first needs them, which takes a millisecond for each.
_UNSAFE = f"[{_COMMANDS}]"
_UNSAFE_OR_BREAK = f"[{_COMMANDS}\t\n]"
_UNSAFE_OR_SPACE = rf"[{_COMMANDS}\s]+"


def is_name(value: Any) -> bool:
    """Whether it is a text of 1 to 128 printable ASCII characters, as clients, keys and ids have."""
    return (
        isinstance(value, str)
        and 1 <= len(value) <= 128
        and value.isascii()
        and value.isprintable()
    )


def visible(text: str) -> str:
    """``text`` with every character spelled out that a terminal or a reader would obey; lines and
    tabs are kept.
    """
    return _replaced(_UNSAFE, _spelled_out, text.replace("\r\n", "\n"))


def visible_line(text: str) -> str:
    """Return ``visible`` text as one line: line feeds and tabs are spelled out too."""
    return _replaced(_UNSAFE_OR_BREAK, _spelled_out, text)


def quoted(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """``text`` as part of a sentence of ours: one line of at most ``limit`` characters, nothing in
    it to obey.

    A text that had to be cut ends in ``...``. Quotation marks are the caller's.
    """
    # Four times the limit is enough to find that much of it in, however long it is.
    line = re.sub(_UNSAFE_OR_SPACE, " ", text[: 4 * limit]).strip()
    if len(line) <= limit and len(text) <= 4 * limit:
        return line
    beginning = line[: limit - 3]
    # At a word, unless the last one is most of what is kept.
    words = beginning
    if len(line) > len(beginning) and line[len(beginning)] != " ":
        words = beginning.rpartition(" ")[0]
    return (words if len(words) >= len(beginning) // 2 else beginning).rstrip() + "..."


def quoted_end(path: str, limit: int = 72) -> str:
    """Return ``quoted`` text of a path's end, which distinguishes one from another."""
    if len(path) <= limit:
        text = path
    else:
        text = "..." + path[3 - limit :]
    return quoted(text)


# Characters that a client's model reads and no person sees: controls but tab and line feed, marks,
# embeddings and isolates of direction, characters of no width, separators of lines, selectors of
# variants, and tags.
_UNSEEN = (
    "\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
# The tags of a flag spell a country and its part, as ISO 3166-2 does.
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,4}\U000e007f"
# Between letters of scripts that join, and between emoji, a joiner changes what a person sees.
_LETTERS = "\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefe"
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_JOINER = rf"(?<=[{_LETTERS}])[\u200c\u200d](?=[{_LETTERS}])|(?<=[{_EMOJI}\ufe0f])[\u200c\u200d](?=[{_EMOJI}])"
# As a text, or as a picture: one such selector says it, and a second one nothing.
_SELECTOR = "(?<![\ufe0e\ufe0f])[\ufe0e\ufe0f]"
_ESCAPED = rf"({_FLAG}|{_JOINER}|{_SELECTOR})|[\x00-\x08\x0b-\x1f{_UNSEEN}]|\\(?=u\{{)"
# These belong to the character before them; longer than this no sequence of them is.
_BELONG_TO_BEFORE = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_LONGEST_SEQUENCE = 32
# JSON spells the other controls with a backslash. Other texts with such a backslash are only looked
# at in vain.
_BACKSLASHED = r"\\[bfru]"
_IN_JSON = rf"[{_UNSEEN}]|{_BACKSLASHED}"


def needs_escapes(json: str) -> bool:
    """Whether ``escaped`` may change a value with this JSON."""
    is_plain = json.isascii() and json.isprintable()
    pattern = _IN_JSON
    if is_plain:
        pattern = _BACKSLASHED
    return re.search(pattern, json) is not None


def escaped(value: Any) -> Any:
    """Return a JSON value with each invisible character as ``\\u{202E}``, and ``\\u{`` itself as
    ``\\u{5C}u{``.
    """
    if isinstance(value, str):
        return re.sub(_ESCAPED, _in_braces, value)
    if isinstance(value, list):
        return [escaped(item) for item in value]
    if isinstance(value, dict):
        return {escaped(name): escaped(member) for name, member in value.items()}
    return value


def whole_until(text: str, end: int) -> int:
    """Return the last place up to ``end`` at which a cut leaves no half of a flag, a family or a
    selected variant.
    """
    for place in range(end, max(0, end - _LONGEST_SEQUENCE), -1):
        is_inside = place < len(text) and _BELONG_TO_BEFORE.match(text[place]) is not None
        if not is_inside and text[place - 1] != "\u200d":
            return place
    return end


def _in_braces(match: Match[str]) -> str:
    if match.group(1):
        return match.group()
    return f"\\u{{{ord(match.group()):X}}}"


def as_json(
    value: Any,
    ascii_only: bool = True,
    indent: Optional[int] = None,
    default: Optional[Callable[[Any], Any]] = None,
) -> str:
    """``value`` as JSON that can be printed; what would have to be spelled out is spelled as JSON
    does.
    """
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, default=default)
    return _replaced(_UNSAFE, _escaped, text)


def _replaced(unsafe: str, replacement: Callable[[Match[str]], str], text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return re.sub(unsafe, replacement, text)


def _escaped(match: Match[str]) -> str:
    character = match.group()
    if character == "\x7f":
        return "\\u007f"
    return json.dumps(character)[1:-1]


def _spelled_out(match: Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")
