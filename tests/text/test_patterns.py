"""No regular expression of the product goes back: hostile texts cost time in proportion to their
length (SPEC §20.2).

Each pattern is found in the sources, with the methods that it is used by, and tried with texts that are made of its own
characters. The measure is the growth of processor time from one length to the next, which no load of a machine changes.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

import pytest

import unity_bridge

pytest.importorskip("mcp_types", reason="the demo, whose patterns are read too, needs Python 3.10")

# The standard library's own parser of patterns, which has another name since Python 3.11.
sre_parse: Any = importlib.import_module(
    "re._parser" if sys.version_info >= (3, 11) else "sre_parse"
)

ROOT = Path(unity_bridge.__file__).resolve().parent
LENGTHS = [4**power for power in range(5, 10)] + [2**20]
# Four times the length takes four times as long; what goes back takes sixteen times.
MOST_GROWTH = 9
# Below this the clock's own steps and the machine's caches show.
LEAST_S = 0.02
# One mebibyte takes a hundredth of it.
MOST_S = 20.0
METHODS = {"match", "fullmatch", "search", "sub", "split", "findall", "finditer"}
_NOT_READ = ("unity_bridge.simulator", "unity_bridge.__main__", "unity_bridge.unity_package")
# Of arguments that the user typed, or of the product's own texts and files.
OWN_TEXTS = {"cli", "config", "selftest.scratch"}


def modules() -> Iterator[str]:
    for module in pkgutil.walk_packages([str(ROOT)], "unity_bridge."):
        if not module.name.startswith(_NOT_READ):
            yield module.name


def methods_of(tree: ast.AST, name: str) -> Set[str]:
    """How a compiled pattern of this name is used in a module: ``NAME.search``, called or handed
    on.
    """
    uses = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )
    return {node.attr for node in uses if node.value.id == name and node.attr in METHODS}  # type: ignore[attr-defined]


def patterns_of(module: str) -> Iterator[Tuple[str, Any, Set[str]]]:
    """Name, pattern and methods: compiled ones, and texts that are given to a function of ``re``."""
    loaded = importlib.import_module(module)
    tree = ast.parse(Path(str(loaded.__file__)).read_text(encoding="utf-8"))
    for name, value in vars(loaded).items():
        if isinstance(value, re.Pattern):
            yield name, value, methods_of(tree, name)
    for node in ast.walk(tree):
        if (
            not isinstance(node, ast.Call)
            or not isinstance(node.func, ast.Attribute)
            or node.func.attr not in METHODS
        ):
            continue
        if not isinstance(node.func.value, ast.Name) or node.func.value.id != "re":
            continue
        text = node.args[0]
        value = text.value if isinstance(text, ast.Constant) else None
        value = vars(loaded).get(text.id) if isinstance(text, ast.Name) else value
        if isinstance(value, (str, bytes)):
            yield f"line {node.lineno}", re.compile(value), {node.func.attr}


def all_patterns() -> Dict[str, Tuple[Any, Set[str]]]:
    patterns: Dict[str, Tuple[Any, Set[str]]] = {}
    for module in modules():
        short = module[len("unity_bridge.") :]
        if short in OWN_TEXTS:
            continue
        for name, pattern, methods in patterns_of(module):
            patterns[f"{short}: {name}"] = (pattern, methods)
    return {name: entry for name, entry in patterns.items() if entry[1]}


PATTERNS = all_patterns()
_EXAMPLES = {
    "CATEGORY_DIGIT": "1",
    "CATEGORY_SPACE": " ",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_SPACE": "x",
}


def sample_of(parsed: Any) -> str:
    """A text that the pattern mostly matches, each repetition once or twice."""
    pieces: List[str] = []
    for operation, argument in parsed:
        kind = str(operation)
        if kind == "LITERAL":
            pieces.append(chr(argument))
        elif kind == "NOT_LITERAL":
            pieces.append("x")
        elif kind == "ANY":
            pieces.append("y")
        elif kind == "IN":
            pieces.append(one_of(argument))
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            pieces.append(sample_of(argument[2]) * max(1, min(2, argument[1])))
        elif kind == "SUBPATTERN":
            pieces.append(sample_of(argument[-1]))
        elif kind == "BRANCH":
            pieces.append(sample_of(argument[1][0]))
        elif kind in ("ASSERT", "ASSERT_NOT") and argument[0] >= 0:
            pieces.append(sample_of(argument[1]) if kind == "ASSERT" else "")
    return "".join(pieces)


def one_of(members: Any) -> str:
    for kind, argument in members:
        if str(kind) == "NEGATE":
            return "x"
        if str(kind) == "LITERAL":
            return chr(argument)
        if str(kind) == "RANGE":
            return chr(argument[0])
        if str(kind) == "CATEGORY":
            return _EXAMPLES.get(str(argument), "z")
    return "x"


def hostile_pieces(pattern: Any) -> List[Tuple[str, str]]:
    """What a text begins with, and what it repeats. It ends with what nothing matches."""
    text = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    )
    sample = sample_of(sre_parse.parse(text, pattern.flags & ~re.UNICODE & ~re.DEBUG)) or "x"
    characters = sorted(set(sample) | set(' \n"a1/\\:.,('))
    repeated = [
        *characters,
        sample,
        sample[:-1] or "x",
        " " + sample[:-1],
        *(c + " " for c in sample[:6]),
    ]
    begun = ["", sample[: len(sample) // 2], sample[:-1]]
    return [(begin, piece) for begin in dict.fromkeys(begun) for piece in dict.fromkeys(repeated)]


def seconds(use: Callable[[], object]) -> float:
    before = time.process_time()
    use()
    return time.process_time() - before


def use_of(pattern: Any, method: str, text: str) -> Callable[[], object]:
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")
    if method == "sub":
        return lambda: pattern.sub(b"" if isinstance(subject, bytes) else "", subject)
    if method == "finditer":
        return lambda: sum(1 for _ in pattern.finditer(subject))
    return lambda: getattr(pattern, method)(subject)


def grows_too_fast(pattern: Any, method: str, begin: str, piece: str) -> bool:
    """Whether the time grows so twice in a row. Once, a text may only have outgrown a cache of the
    machine.
    """
    earlier, grown = 0.0, 0
    for length in LENGTHS:
        use = use_of(pattern, method, begin + piece * (length // len(piece)) + "\x00")
        took = seconds(use)
        has_grown = took > LEAST_S and took / max(earlier, LEAST_S / MOST_GROWTH) > MOST_GROWTH
        grown = grown + 1 if has_grown else 0
        if grown > 1 or took > MOST_S:
            return True
        earlier = took
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_a_hostile_text_costs_time_in_proportion_to_its_length(name: str) -> None:
    pattern, methods = PATTERNS[name]
    for method in sorted(methods):
        for begin, piece in hostile_pieces(pattern):
            assert not grows_too_fast(pattern, method, begin, piece), (
                pattern.pattern,
                method,
                begin,
                piece,
            )


def test_the_search_finds_the_patterns_and_sees_one_that_goes_back() -> None:
    assert len(PATTERNS) > 60
    assert "commands.shared.error_lines: _COMPILER" in PATTERNS
    old_frame = re.compile(
        r"\s*(?:at )?(.*?)\s*(?:\bin|\(at)\s([^<>]+?):(?:line )?(\d{1,9})\)?\s*$"
    )
    assert any(
        grows_too_fast(old_frame, "match", begin, piece)
        for begin, piece in hostile_pieces(old_frame)
    )
