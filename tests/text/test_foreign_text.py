"""Text of others: nothing in it reaches a terminal, a reader or a model as a command (SPEC §20.2)."""

from __future__ import annotations

import re
import unicodedata

import pytest

from unity_bridge.text import foreign_text
from unity_bridge.text.foreign_text import QUOTED_CHARACTERS, quoted, visible, visible_line

COMMANDS_OF_DIRECTION = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain, grüße, 日本, e\u0301", "plain, grüße, 日本, e\u0301"),
        ("two\n\tlines\r\n", "two\n\tlines\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]8;;http://example\x07link", "\\x1b]8;;http://example\\x07link"),
        ("\x9b31mred", "\\x9b31mred"),
        ("over\rwritten", "over\\rwritten"),
        ("ab\u202egnp.exe", "ab\\u202egnp.exe"),
        ("half \ud83d", "half \\ud83d"),
        ("a\U000e0041b", "a\\U000e0041b"),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469"),
    ],
)
def test_commands_are_spelled_out_and_words_are_not(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_has_no_break_in_it() -> None:
    assert visible_line("two\nlines\tand a tab\u2028") == "two\\nlines\\tand a tab\\u2028"


def test_every_character_of_a_kind_is_seen_to() -> None:
    for number in (*range(0x3000), *range(0xD800, 0xE000), *range(0xF900, 0x10000), *range(0xE0000, 0xE0100)):
        character = chr(number)
        is_command = (
            unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
            or unicodedata.bidirectional(character) in COMMANDS_OF_DIRECTION
        )
        if is_command:
            assert visible_line(character).startswith("\\"), hex(number)


def test_a_quotation_is_one_short_line_with_nothing_to_obey() -> None:
    assert quoted("  two\r\nlines\x1b[2J \u202eback ") == "two lines [2J back"
    assert quoted("x" * QUOTED_CHARACTERS) == "x" * QUOTED_CHARACTERS
    assert quoted("x" * 201) == "x" * 197 + "..."
    assert quoted("x" * 10**6) == quoted("x" * 201)
    assert quoted("\x00" * 10**6) == "..."
    assert quoted("abcdef", limit=5) == "ab..."
    assert quoted("") == ""


def test_what_a_model_reads_and_nobody_sees_is_never_printable() -> None:
    for number in range(0x110000):
        character = chr(number)
        if re.match(foreign_text._IN_JSON, character):
            assert not character.isprintable(), hex(number)
    assert foreign_text.needs_escapes('"a\u202eb"') and foreign_text.needs_escapes('"日本\\u001b"')
    assert not foreign_text.needs_escapes('"日本\\n\U000e0100"')
