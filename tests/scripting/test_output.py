"""Printed text never commands the terminal, no matter which program wrote it (SPEC §20.2)."""

from __future__ import annotations

import io
import json
import sys
from contextlib import contextmanager
from typing import Iterator, List, Tuple, Type

import click
import pytest

from unity_bridge.cli import run
from unity_bridge.scripting.output import note, put, put_json

COMMANDS = (
    "\x1b[2J \x1b]8;;http://example\x07 \x1b[30m \x1b[8m \x9b31m "
    "\x7f \r \u202e \u2066 \u2028 \u200b \ud800 \U000e0041"
)


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def printing(stream: Type[io.StringIO]) -> Iterator[Tuple[io.StringIO, io.StringIO]]:
    """The text written to stdout and stderr inside the block. No fixture: pytest changes its
    streams in each phase.
    """
    out, err, before = stream(), stream(), (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = out, err
    try:
        yield out, err
    finally:
        sys.stdout, sys.stderr = before


def is_harmless(text: str) -> bool:
    return all(character.isprintable() for character in text.replace("\n", ""))


def test_a_line_for_stdout() -> None:
    with printing(Screen) as (out, _):
        put(f"said {COMMANDS}")
    assert out.getvalue() and is_harmless(out.getvalue()), repr(out.getvalue())


def test_a_line_for_stderr() -> None:
    with printing(Screen) as (_, err):
        note(f"said {COMMANDS} \x1b[31m")
    assert err.getvalue() and is_harmless(err.getvalue()), repr(err.getvalue())


def test_our_own_styles_reach_the_terminal() -> None:
    styled = click.style("bad", fg="red", bold=True) + click.style("dim", dim=True)
    with printing(Screen) as (out, _):
        put(styled)
    assert out.getvalue() == styled + "\n"


def test_no_style_reaches_a_file() -> None:
    with printing(io.StringIO) as (out, _):
        put(click.style("bad", fg="red"))
    assert out.getvalue() == "bad\n"


def test_json_on_a_terminal_can_still_be_read_as_json() -> None:
    value = {"message": COMMANDS, "日本": ["grüße"]}
    with printing(Screen) as (out, _):
        put_json(value)
    assert is_harmless(out.getvalue()), repr(out.getvalue())
    assert json.loads(out.getvalue()) == value and "grüße" in out.getvalue()


def test_json_in_a_pipe_can_still_be_read_as_json() -> None:
    with printing(io.StringIO) as (out, _):
        put_json({"message": COMMANDS})
    assert is_harmless(out.getvalue()) and json.loads(out.getvalue()) == {"message": COMMANDS}


@pytest.mark.parametrize(
    "arguments",
    [
        [COMMANDS],
        ["call", COMMANDS],
        ["call", "read_console", COMMANDS],
        ["call", "read_console", f"{COMMANDS}=1"],
        ["call", "read_console", "--args", COMMANDS],
        ["--config", COMMANDS, "status"],
        ["--port", COMMANDS, "status"],
        ["plugin", "status", COMMANDS],
        ["doctor", COMMANDS],
    ],
)
def test_an_error_may_quote_what_was_given(arguments: List[str]) -> None:
    with printing(Screen) as (out, err):
        assert run([argument.replace("\ud800", "") for argument in arguments], None) != 0
    written = out.getvalue() + err.getvalue()
    assert written and is_harmless(written), repr(written)
