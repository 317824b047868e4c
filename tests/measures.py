"""Measures of the source: its size, and how easily it is read. ``python -m tests.measures`` prints
them.

``tests/test_measures.py`` holds them. Sizes are counted in tokens, which shorter lines and shorter names do not change.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Set

REPOSITORY = Path(__file__).resolve().parent.parent
PRODUCT = REPOSITORY / "unity_bridge"
EDITOR = PRODUCT / "unity_package" / "Editor"

# Pronouns, participles and adjectives: as the name of a value they do not say what it is.
_VAGUE_NAMES = """
    said given asked known seen one ones those some other others own ours theirs found made told these what rest more
    done wanted mine it them both each first last left taken kept named read shown meant lost changed started ended
"""
VAGUE_NAMES = frozenset(_VAGUE_NAMES.split())
PYTHON_COLUMNS = 100
CSHARP_COLUMNS = 120

Files = Mapping[str, str]
_LAYOUT = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
)
# Since Python 3.12 the parts of an f-string are tokens of their own; here it is one, on every
# Python.
_TEXT_BEGINS = getattr(tokenize, "FSTRING_START", None)
_TEXT_ENDS = getattr(tokenize, "FSTRING_END", None)
_CSHARP_TEXT = r'"(?:\\.|[^"\\])*"'
_CSHARP_TYPE = re.compile(
    r"^ {4}(?:\[[^\]]*\]\s*)?(?:(?:public|internal|static|sealed|abstract|partial|readonly)\s+)*"
    r"(?:class|struct|enum|interface|delegate\s+\w+)\s+(\w+)",
    re.M,
)


class PythonMeasures(NamedTuple):
    """Counts in Python files; ``lines`` are those that are not blank."""

    lines: int = 0
    tokens: int = 0
    names: int = 0
    vague_names: int = 0
    conditional_expressions: int = 0
    hidden_conditions: int = 0
    long_lines: int = 0

    def plus(self, other: PythonMeasures) -> PythonMeasures:
        return PythonMeasures(*(count + further for count, further in zip(self, other)))

    @property
    def vague_percent(self) -> float:
        return 100 * self.vague_names / max(1, self.names)

    def per_thousand(self, count: int) -> float:
        return 1000 * count / max(1, self.lines)


class CSharpMeasures(NamedTuple):
    """Counts in C# files; ``largest_circle`` is the number of files that need each other to be
    understood.
    """

    lines: int
    long_lines: int
    vague_names: int
    largest_circle: int


def python_files() -> Files:
    """Return the product's Python by its path in the repository."""
    return _texts(PRODUCT.rglob("*.py"))


def csharp_files() -> Files:
    """Return the sources of the Unity package's editor part by their path in the repository."""
    return _texts(EDITOR.rglob("*.cs"))


def csharp_tokens() -> int:
    """Return the size of all C#, with the package's own tests and samples."""
    return sum(map(_csharp_tokens, _texts(PRODUCT.rglob("*.cs")).values()))


def _texts(paths: Iterator[Path]) -> Files:
    return {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8-sig")
        for path in sorted(paths)
    }


def measure_python(text: str) -> PythonMeasures:
    tree = ast.parse(text)
    names = list(_local_names(tree))
    conditions = [node for node in ast.walk(tree) if isinstance(node, ast.IfExp)]
    lines = text.split("\n")
    return PythonMeasures(
        lines=sum(bool(line.strip()) for line in lines),
        tokens=_python_tokens(text),
        names=len(names),
        vague_names=sum(name in VAGUE_NAMES for name in names),
        conditional_expressions=len(conditions),
        hidden_conditions=len(_hidden_conditions(tree)),
        long_lines=sum(len(line) > PYTHON_COLUMNS for line in lines),
    )


def _python_tokens(text: str) -> int:
    count = 0
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == _TEXT_BEGINS:
            depth += 1
        if token.type == _TEXT_ENDS:
            depth -= 1
        if depth == 0 and token.type not in _LAYOUT:
            count += 1
    return count


def _local_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        name = ""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        if name and name not in ("self", "cls", "_"):
            yield name.strip("_")


def _hidden_conditions(tree: ast.AST) -> Set[ast.IfExp]:
    """Return the conditional expressions in an argument, in another one, or over a line's end."""
    hidden = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp) and node.lineno != node.end_lineno:
            hidden.add(node)
        inner: List[ast.AST] = []
        if isinstance(node, ast.Call):
            inner = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, (ast.IfExp, ast.JoinedStr)):
            inner = list(ast.iter_child_nodes(node))
        for part in inner:
            value = getattr(part, "value", None)
            hidden.update(child for child in (part, value) if isinstance(child, ast.IfExp))
    return hidden


def measure_csharp(files: Files) -> CSharpMeasures:
    lines = [line for text in files.values() for line in text.split("\n")]
    return CSharpMeasures(
        lines=sum(bool(line.strip()) for line in lines),
        long_lines=sum(len(line) > CSHARP_COLUMNS for line in lines),
        vague_names=sum(len(_vague_csharp(text)) for text in files.values()),
        largest_circle=max(map(len, circles(references(files))), default=0),
    )


def _csharp_tokens(text: str) -> int:
    code = re.sub(r"/\*.*?\*/", "", re.sub(r"//[^\n]*", "", text), flags=re.S)
    return len(re.findall(rf"{_CSHARP_TEXT}|\w+|[^\s\w]", code))


def _vague_csharp(text: str) -> List[str]:
    """Return the methods ``Of`` and the lambdas ``one =>``."""
    return re.findall(r"static [\w<>\[\], ]+ Of\(|\bone =>", text)


def references(files: Files) -> Dict[str, Set[str]]:
    """Return for each file the files whose types it names, where its namespace or its usings reach
    them.
    """
    namespaces: Dict[str, str] = {}
    usings: Dict[str, List[str]] = {}
    owners: Dict[str, str] = {}
    code: Dict[str, str] = {}
    for path, text in files.items():
        usings[path] = re.findall(r"using (?:static |\w+ = )?([\w.]+);", text)
        namespaces[path] = next(iter(re.findall(r"^namespace ([\w.]+)", text, re.M)), "")
        code[path] = re.sub(_CSHARP_TEXT, '""', re.sub(r"//[^\n]*", "", text))
        for name in _CSHARP_TYPE.findall(code[path]):
            owners.setdefault(name, path)
    graph: Dict[str, Set[str]] = {path: set() for path in files}
    for path, text in code.items():
        types = re.sub(r"\.\s*[A-Z]\w+", "", text)
        for word in set(re.findall(r"\b[A-Z]\w+\b(?!\s*(?:=[^=>]|\{ get|=>|;\s*$))", types)):
            owner = owners.get(word, path)
            reaches = [namespaces[path], *usings[path]]
            if owner != path and any(_is_within(space, namespaces[owner]) for space in reaches):
                graph[path].add(owner)
    return graph


def _is_within(space: str, owner: str) -> bool:
    return space == owner or space.startswith(owner + ".")


def circles(graph: Mapping[str, Set[str]]) -> List[Set[str]]:
    """Return the groups of two or more nodes of which each reaches every other."""
    reached = {node: _reachable(node, graph) for node in graph}
    groups: List[Set[str]] = []
    grouped: Set[str] = set()
    for node in graph:
        if node in grouped or node not in reached[node]:
            continue
        group = {node, *(other for other in reached[node] if node in reached[other])}
        grouped |= group
        groups.append(group)
    return groups


def _reachable(start: str, graph: Mapping[str, Set[str]]) -> Set[str]:
    reached: Set[str] = set()
    waiting = list(graph[start])
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting.extend(graph[node])
    return reached


def total(
    files: Files, measure: Callable[[str], PythonMeasures] = measure_python
) -> PythonMeasures:
    result = PythonMeasures()
    for text in files.values():
        result = result.plus(measure(text))
    return result


def main() -> None:
    python = total(python_files())
    csharp = measure_csharp(csharp_files())
    rooms: Counter[str] = Counter()
    for path, text in python_files().items():
        parts = path.split("/")
        rooms[parts[1] if len(parts) > 2 else "top"] += measure_python(text).tokens
    lines = [
        f"Python: {python.tokens} tokens, {python.lines} lines",
        f"  vague names {python.vague_percent:.1f} %",
        f"  conditional expressions {python.per_thousand(python.conditional_expressions):.1f} in 1000 lines,"
        f" {python.hidden_conditions} in an argument or over a line's end",
        f"  lines over {PYTHON_COLUMNS} columns {python.per_thousand(python.long_lines):.1f} in 1000",
        f"C#: {csharp_tokens()} tokens, {csharp.lines} lines",
        f"  lines over {CSHARP_COLUMNS} columns {1000 * csharp.long_lines / csharp.lines:.1f} in 1000",
        f"  methods Of, lambdas one => {csharp.vague_names}; largest circle of files {csharp.largest_circle}",
        "Python by package: "
        + ", ".join(f"{room} {tokens}" for room, tokens in rooms.most_common()),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
