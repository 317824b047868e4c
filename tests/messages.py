"""Lists every text that a user or an agent can see, with its place: ``python -m tests.messages``.

Python: each string of four words or more in ``unity_bridge`` that is no docstring, and the help of each command. C#:
each literal of four words or more in the Unity package; literals that are joined by ``+`` count as one. Values between
the parts of a text are shown as ``{}``.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Iterator, NamedTuple, Set, Tuple

import click

from unity_bridge import cli

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ROOT / "unity_bridge"
CSHARP = PYTHON / "unity_package"
_FEWEST_WORDS = 4

_WORD = re.compile(r"[A-Za-z]{2,}")
_CSHARP_COMMENT = re.compile(r"^\s*//.*$", re.M)
_CSHARP_LITERAL = r'\$?@?"(?:[^"\\\n]|\\.)*"'
# Literals, and what is put between them, up to the end of the expression.
_CSHARP_TEXT = re.compile(rf"{_CSHARP_LITERAL}(?:\s*\+\s*(?:{_CSHARP_LITERAL}|[\w.()]+))*")


class Message(NamedTuple):
    place: str
    text: str


@lru_cache(maxsize=None)
def messages() -> Tuple[Message, ...]:
    """All of them, by place. Read once, since it takes two seconds."""
    return (*_of_python(), *_of_commands(), *_of_csharp())


def _of_python() -> Iterator[Message]:
    for path in sorted(PYTHON.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        seen: Set[int] = _docstrings(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [
                    part.value if isinstance(part, ast.Constant) else "{}" for part in node.values
                ]
                seen.update(id(part) for part in node.values)
                text = "".join(str(part) for part in parts)
            elif (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in seen
            ):
                text = node.value
            else:
                continue
            yield from _message(path, node.lineno, text)


def _docstrings(tree: ast.AST) -> Set[int]:
    """The strings that stand alone as a statement."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _of_commands() -> Iterator[Message]:
    def visit(name: str, command: click.Command) -> Iterator[Message]:
        yield Message(name, " ".join((command.help or "").split()))
        if isinstance(command, click.Group):
            for each in command.list_commands(click.Context(command)):
                found = command.get_command(click.Context(command), each)
                assert found is not None
                yield from visit(f"{name} {each}", found)

    return visit("unity-bridge", cli.cli)


def _of_csharp() -> Iterator[Message]:
    for path in sorted(CSHARP.rglob("*.cs")):
        source = _CSHARP_COMMENT.sub("", path.read_text(encoding="utf-8"))
        for found in _CSHARP_TEXT.finditer(source):
            parts = re.split(rf"({_CSHARP_LITERAL})", found[0])
            text = "".join(
                part[part.index('"') + 1 : -1] if '"' in part else "{}" * bool(part.strip(" \n+"))
                for part in parts
            )
            yield from _message(path, source.count("\n", 0, found.start()) + 1, text)


def _message(path: Path, line: int, text: str) -> Iterator[Message]:
    if len(_WORD.findall(text)) >= _FEWEST_WORDS and " " in text.strip():
        yield Message(f"{path.relative_to(ROOT).as_posix()}:{line}", text)


if __name__ == "__main__":
    for place, text in messages():
        sys.stdout.write(f"{place}: {' '.join(text.split())}\n")
