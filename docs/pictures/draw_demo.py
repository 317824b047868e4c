#!/usr/bin/env python3
"""Draws ``demo.svg``: what ``unity-bridge demo`` prints on a terminal, from a real run of it.

    python docs/pictures/draw_demo.py

It needs a system with pseudo-terminals (Linux, macOS) and about 20 s. ``tests/test_documents.py`` says when the demo
tells other steps than the picture.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple
from xml.sax.saxutils import escape

REPOSITORY = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).resolve().with_name("demo.svg")

COLUMNS = 116
FONT_PX, CELL_PX, LINE_PX, MARGIN_PX, TITLE_PX = 13, 7.83, 19, 20, 34
BACKGROUND, TITLE, PLAIN, QUIET, STRONG = "#0f172a", "#1e293b", "#cbd5e1", "#64748b", "#f8fafc"
# What click and the terminal call red, green, yellow, blue, magenta, cyan.
COLOURS = {31: "#f87171", 32: "#4ade80", 33: "#fbbf24", 34: "#60a5fa", 35: "#e879f9", 36: "#22d3ee"}
MARKS = {">": "#60a5fa", "<": "#4ade80", "!": "#fbbf24"}

_ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
_MARK = re.compile(r"   ([<>!]) ")


class Span(NamedTuple):
    """A piece of a line in one style."""

    text: str
    colour: str
    is_bold: bool


def main() -> int:
    lines = printed_by([sys.executable, str(REPOSITORY / "bin" / "unity-bridge"), "demo"])
    with PICTURE.open("w", encoding="utf-8", newline="\n") as file:
        file.write(svg([row for line in lines for row in wrapped(line)]))
    sys.stderr.write(f"{PICTURE}: {len(lines)} lines\n")
    return 0


def printed_by(command: List[str]) -> List[str]:
    """The lines that ``command`` prints on a terminal, with their colours. Raises if it fails."""
    import pty

    ours, its = pty.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    with subprocess.Popen(
        command, cwd=str(REPOSITORY), env=environ, stdin=its, stdout=its, stderr=its
    ) as process:
        os.close(its)
        said = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # what Linux says when the other end is closed
                break
            if not chunk:
                break
            said += chunk
        os.close(ours)
    text = said.decode("utf-8").replace("\r\n", "\n")
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}:\n{text}")
    return text.strip("\n").split("\n")


def svg(lines: List[str]) -> str:
    """The lines as a picture of a terminal."""
    width = round(COLUMNS * CELL_PX + 2 * MARGIN_PX)
    height = TITLE_PX + 2 * MARGIN_PX + LINE_PX * len(lines)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="What unity-bridge demo prints on a terminal">',
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
        f'<path d="M0 {TITLE_PX}V8a8 8 0 0 1 8-8h{width - 16}a8 8 0 0 1 8 8v{TITLE_PX - 8}z" fill="{TITLE}"/>',
        f'<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="{FONT_PX}" fill="{PLAIN}">',
        f'<text x="{width / 2:g}" y="22" text-anchor="middle" fill="{QUIET}">bin/unity-bridge demo</text>',
    ]
    for number, line in enumerate(lines, 1):
        spans = "".join(_tspan(span) for span in styled(line))
        if spans:
            y = TITLE_PX + MARGIN_PX + LINE_PX * number - 5
            out.append(f'<text x="{MARGIN_PX}" y="{y}" xml:space="preserve">{spans}</text>')
    return "\n".join([*out, "</g>", "</svg>", ""])


def wrapped(line: str) -> List[str]:
    """What fits, or the plain text on several lines."""
    plain = _ESCAPE.sub("", line)
    return (
        [line]
        if len(plain) <= COLUMNS
        else textwrap.wrap(plain, COLUMNS, subsequent_indent="     ")
    )


def styled(line: str) -> Iterator[Span]:
    """The line in pieces of one style each. The mark at its beginning gets the colour of who
    speaks.
    """
    colour, is_bold = PLAIN, False
    mark = _MARK.match(line)
    if mark is not None:
        yield Span(mark[0], MARKS[mark[1]], True)
        line = line[mark.end() :]
    for text, codes in _pieces(line):
        if text:
            yield Span(text, colour, is_bold)
        for code in codes:
            is_bold = code == 1 or (is_bold and code != 0)
            colour = PLAIN if code == 0 else STRONG if code == 1 else COLOURS.get(code, colour)


def _pieces(line: str) -> Iterator[Tuple[str, List[int]]]:
    """Each text with the codes that follow it."""
    at = 0
    for found in _ESCAPE.finditer(line):
        yield line[at : found.start()], [int(code or 0) for code in found[1].split(";")]
        at = found.end()
    yield line[at:], []


def _tspan(span: Span) -> str:
    weight = ' font-weight="bold"' if span.is_bold else ""
    fill = "" if span.colour == PLAIN else f' fill="{span.colour}"'
    return (
        f"<tspan{fill}{weight}>{escape(span.text)}</tspan>" if fill or weight else escape(span.text)
    )


if __name__ == "__main__":
    sys.exit(main())
