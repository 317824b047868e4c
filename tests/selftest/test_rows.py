"""The rows of the self-test as data: each can be carried out, and each cites a paragraph that there
is (SPEC §25.2).
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterator, Tuple

import pytest

from tests.contract_tables import paragraphs
from unity_bridge.base.result import Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.selftest.row import (
    GROUPS,
    Begin,
    CallTool,
    KeptValue,
    Replace,
    Requirement,
    Row,
    Until,
    Write,
)
from unity_bridge.selftest.rows import rows_of
from unity_bridge.selftest.scratch import FILES, numbers

ROWS = rows_of([])
# Only in a project of one's own: a tool that changes something, and a step that edits.
LOOKS = {"read_console", "inspect", "screenshot", "get_editor_state"}
READS = {"ping"}


def calls(row: Row) -> Iterator[Tuple[str, Any]]:
    for step in row.steps:
        if isinstance(step, (CallTool, Begin)):
            yield step.tool, step.arguments


def test_each_group_has_rows_and_no_name_stands_twice() -> None:
    assert {row.group for row in ROWS} == set(GROUPS)
    assert [name for name, count in Counter(row.name for row in ROWS).items() if count > 1] == []


def test_the_rows_of_a_group_are_chosen_in_order() -> None:
    assert {row.group for row in rows_of(["console", "play"])} == {"console", "play"}
    assert rows_of(["play", "console"]) == rows_of(["console", "play"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_cites_paragraphs_of_the_contract(row: Row) -> None:
    assert {paragraph[1:] for paragraph in row.proves.split(", ")} <= set(paragraphs())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_calls_of_a_row_are_valid(row: Row) -> None:
    validator = RequestValidator(CATALOGUE, list)
    for tool, arguments in calls(row):
        filled_in = {
            name: "kept" if isinstance(value, KeptValue) else value
            for name, value in arguments.items()
        }
        assert isinstance(validator.validate(tool, filled_in), Ok), (tool, arguments)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_for_a_users_project_changes_nothing(row: Row) -> None:
    if Requirement.SCRATCH in row.needs:
        return
    assert all(isinstance(step, (CallTool, Until)) for step in row.steps)
    for tool, arguments in calls(row):
        is_list = tool == "run_command" and not arguments.get("name")
        assert (
            tool in LOOKS
            or is_list
            or (tool == "run_command" and arguments["name"] in {*READS, "pingg"})
        )


def test_edits_fit_the_files_of_the_scratch_project() -> None:
    first = {path.relative_to(FILES).as_posix() for path in FILES.rglob("*") if path.is_file()}
    for row in ROWS:
        for step in row.steps:
            if isinstance(step, (Write, Replace)):
                assert step.path.startswith("Assets/")
            if isinstance(step, Replace):
                assert step.path in first, step.path


def test_the_evidence_says_of_each_group_what_it_rests_on() -> None:
    page = (FILES.parents[2] / "docs" / "evidence.md").read_text(encoding="utf-8")
    table = page.partition("## What the rows of the self-test rest on")[2].partition("## ")[0]
    named = [
        cell
        for line in table.splitlines()
        if line.startswith("| `")
        for cell in line.split("|")[1].split("`")
    ]
    assert sorted(name for name in named if name.strip(" ,")) == sorted(GROUPS)
    # Until a real Unity has run one, the page and the list both say so.
    assert ("None has run in a real Unity yet" in page) == all(not row.seen_in for row in ROWS)


def test_every_requirement_has_its_sentence() -> None:
    assert all(need.value and not need.value.endswith(".") for need in Requirement)


def test_versions_of_unity_are_compared_by_number() -> None:
    assert numbers("6000.0.1f1") > numbers("2021.3.58f1") > numbers("2021.3")
    assert numbers("unknown") == ()
