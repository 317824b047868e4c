"""The measures of the source have ceilings that only fall, and a new file is at the goal from its
first day.

If a test fails because a figure has become better than its ceiling, lower the ceiling in the same commit.
"""

from __future__ import annotations

from pathlib import Path
from typing import List, Mapping, NamedTuple, Set

import pytest

from tests import measures
from tests.measures import PythonMeasures, measure_python

# Files that were written before there was a goal for each. The list gets shorter: `python -m
# tests.test_measures`.
OLD_FILES = Path(__file__).with_name("old_files.txt")


class Ceiling(NamedTuple):
    """A figure's ceiling, its goal, and how far the figure may fall before the ceiling has to
    follow.
    """

    ceiling: float
    goal: float
    slack: float


CEILINGS: Mapping[str, Ceiling] = {
    "vague names, percent": Ceiling(2.0, 2.0, 0.4),
    "conditional expressions in 1000 lines": Ceiling(15, 15, 2),
    "conditions in an argument or over a line's end": Ceiling(0, 0, 12),
    "Python lines over 100 columns in 1000": Ceiling(20, 20, 6),
    "C# lines over 120 columns in 1000": Ceiling(5, 20, 6),
    "C# methods Of and lambdas one =>": Ceiling(0, 0, 10),
    "C# files in one circle": Ceiling(7, 7, 7),
    "Python tokens": Ceiling(304_500, 290_000, 3_000),
    "C# tokens": Ceiling(239_800, 214_000, 4_000),
}


@pytest.fixture(scope="module")
def figures() -> Mapping[str, float]:
    python = measures.total(measures.python_files())
    csharp = measures.measure_csharp(measures.csharp_files())
    return {
        "vague names, percent": python.vague_percent,
        "conditional expressions in 1000 lines": python.per_thousand(
            python.conditional_expressions
        ),
        "conditions in an argument or over a line's end": python.hidden_conditions,
        "Python lines over 100 columns in 1000": python.per_thousand(python.long_lines),
        "C# lines over 120 columns in 1000": 1000 * csharp.long_lines / csharp.lines,
        "C# methods Of and lambdas one =>": csharp.vague_names,
        "C# files in one circle": csharp.largest_circle,
        "Python tokens": python.tokens,
        "C# tokens": measures.csharp_tokens(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", CEILINGS)
def test_a_figure_stays_below_its_ceiling(figures: Mapping[str, float], name: str) -> None:
    assert figures[name] <= CEILINGS[name].ceiling


@pytest.mark.slow
@pytest.mark.parametrize("name", CEILINGS)
def test_a_ceiling_follows_its_figure(figures: Mapping[str, float], name: str) -> None:
    ceiling = CEILINGS[name]
    is_at_goal = ceiling.ceiling <= ceiling.goal
    assert is_at_goal or ceiling.ceiling - figures[name] <= ceiling.slack, "lower the ceiling"


def faults_of_python(text: str) -> List[str]:
    """Return what keeps a Python file from the goal."""
    figures = measure_python(text)
    faults = []
    if figures.vague_names > 1 and figures.vague_percent > 2:
        faults.append(f"{figures.vague_names} names say nothing (tests/measures.py, VAGUE_NAMES)")
    if (
        figures.conditional_expressions > 1
        and figures.per_thousand(figures.conditional_expressions) > 15
    ):
        faults.append(f"{figures.conditional_expressions} conditional expressions")
    if figures.hidden_conditions:
        faults.append(f"{figures.hidden_conditions} conditions in an argument or over a line's end")
    return faults


def faults_of_csharp(text: str) -> List[str]:
    """Return what keeps a C# file from the goal."""
    figures = measures.measure_csharp({"A.cs": text})
    faults = []
    if figures.vague_names:
        faults.append(f"{figures.vague_names} methods Of or lambdas one =>")
    if figures.long_lines:
        faults.append(f"{figures.long_lines} lines over {measures.CSHARP_COLUMNS} columns")
    return faults


def files_above_the_goal() -> Mapping[str, List[str]]:
    faults = {path: faults_of_python(text) for path, text in measures.python_files().items()}
    faults.update({path: faults_of_csharp(text) for path, text in measures.csharp_files().items()})
    return {path: sentences for path, sentences in faults.items() if sentences}


def old_files() -> Set[str]:
    return set(OLD_FILES.read_text(encoding="utf-8").split("\n")) - {""}


@pytest.mark.slow
def test_a_new_file_is_at_the_goal() -> None:
    faults = {
        path: sentences
        for path, sentences in files_above_the_goal().items()
        if path not in old_files()
    }
    assert not faults, (
        "bring it to the goal; an old file that has moved keeps its line in old_files.txt, with its path"
    )


@pytest.mark.parametrize(
    "text, fault",
    [
        ("for one in clients:\n    found = one\n", "2 names"),
        ("a = 1 if b else 2\nc = 1 if d else 2\n", "2 conditional expressions"),
        ("print(1 if b else 2)\n", "1 conditions"),
        ("print(f'{1 if b else 2}')\n", "1 conditions"),
        ("a = (\n    1\n    if b\n    else 2\n)\n", "1 conditions"),
        ("a = 1 if b else (2 if c else 3)\n", "1 conditions"),
    ],
)
def test_a_fault_of_a_python_file_is_detected(text: str, fault: str) -> None:
    assert any(sentence.startswith(fault) for sentence in faults_of_python(text))


@pytest.mark.parametrize(
    "text, fault",
    [
        ("internal static string Of(Type type) => type.Name;", "1 methods Of"),
        ("var names = types.Select(one => one.Name);", "1 methods Of"),
        ("// " + "x" * 120, "1 lines"),
    ],
)
def test_a_fault_of_a_csharp_file_is_detected(text: str, fault: str) -> None:
    assert any(sentence.startswith(fault) for sentence in faults_of_csharp(text))


def test_what_is_plain_has_no_fault() -> None:
    plain = "for client in clients:\n    name = client.name if client else None\n"
    assert not faults_of_python(plain)
    assert not faults_of_csharp("internal static string NameOf(Type type) => type.Name;")


def test_a_text_counts_once_on_every_python() -> None:
    assert measure_python("a = f'{b} {c:>{d}} {f\"{e}\"}'\n") == PythonMeasures(
        lines=1, tokens=3, names=1
    )


def test_a_circle_of_files_is_detected() -> None:
    template = "namespace Rooms\n{\n    class TYPE\n    {\n        OTHER field;\n    }\n}\n"
    uses = {"Job": "Queue", "Queue": "Job", "Ledger": "Job"}
    files = {
        f"{name}.cs": template.replace("TYPE", name).replace("OTHER", other)
        for name, other in uses.items()
    }
    assert measures.circles(measures.references(files)) == [{"Job.cs", "Queue.cs"}]


if __name__ == "__main__":
    OLD_FILES.write_text(
        "".join(f"{path}\n" for path in sorted(old_files() & set(files_above_the_goal())))
    )
