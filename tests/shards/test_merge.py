"""The reports of all shards as one: whole, or what is wrong, by name (SPEC §24.4)."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.base.result import Err, Ok
from unity_bridge.shards.junit_file import THE_FIXTURE, THE_RUN, Case, Mark, NotNamed, Suite
from unity_bridge.shards.merge import ReadFile, merged
from unity_bridge.shards.plan import plan_of
from unity_bridge.shards.test_list import Fixture, ListedTest

TESTS = [
    ListedTest(f"Game.F{n}.T{k}", mode, f"Game.F{n}", "Game.Tests")
    for n, mode in enumerate(["edit", "edit", "play", "edit", "play", "edit", "edit", "edit"])
    for k in range(3)
]
BROKEN = Mark("failure", "expected 1")


def report(
    number: int,
    shards: int,
    tests: Sequence[ListedTest] = TESTS,
    durations: Optional[Dict[Fixture, int]] = None,
) -> ReadFile:
    """What `test --shard` writes for that shard."""
    plan = plan_of(tests, shards, durations)
    mine = [test for test in tests if test.key in plan.fixtures[number - 1]]
    of_the_shard = {
        "shard": str(number),
        "shards": str(shards),
        "tests_in_list": str(len(tests)),
        "tests_in_shard": str(len(mine)),
        "list_digest": plan.list_digest,
        "plan_digest": plan.plan_digest,
    }
    suites = []
    for mode, assembly in sorted({(test.mode, test.assembly) for test in mine}):
        cases = [
            Case(test.fixture, test.name.rpartition(".")[2], 2000)
            for test in mine
            if test.mode == mode
        ]
        properties = {
            "mode": mode,
            "assembly": assembly,
            "project_path": f"/home/{number}",
            **of_the_shard,
        }
        suites.append(
            Suite(f"{assembly} ({mode})", properties, cases, 5000, f"2026-01-0{number}T00:00:00")
        )
    return f"{number}.xml", suites or [Suite("Game", {"mode": "all", **of_the_shard}, [])]


def reports(shards: int, **more: Any) -> List[ReadFile]:
    return [report(number, shards, **more) for number in range(1, shards + 1)]


def faults(files: Sequence[ReadFile]) -> List[str]:
    result = merged(files)
    assert isinstance(result, Err)
    return result.error


def without_case(file: ReadFile) -> ReadFile:
    path, (suite, *rest) = file
    return path, [suite._replace(cases=suite.cases[1:]), *rest]


@given(st.integers(1, 30), st.randoms(use_true_random=False), st.booleans())
def test_all_shards_in_any_order_are_the_whole(shards: int, dice: Any, timed: bool) -> None:
    files = reports(shards, durations={TESTS[0].key: 9_000_000} if timed else None)
    dice.shuffle(files)
    result = merged(files)
    assert isinstance(result, Ok)
    found = [
        (one.properties["mode"], one.properties["assembly"], case)
        for one in result.value
        for case in one.cases
    ]
    assert sorted(found) == sorted(
        (test.mode, test.assembly, Case(test.fixture, test.name.rpartition(".")[2], 2000))
        for test in TESTS
    )
    assert [suite.name for suite in result.value] == ["Game.Tests (edit)", "Game.Tests (play)"]


def test_the_sum_has_the_properties_that_all_shards_have_alike() -> None:
    result = merged(reports(3))
    assert isinstance(result, Ok)
    edit = result.value[0]
    assert {"mode", "assembly", "shards", "tests_in_list", "list_digest", "plan_digest"} == set(
        edit.properties
    )
    assert (edit.time_us, edit.timestamp) == (
        5000 * len([one for one in reports(3) if one[1]]),
        "2026-01-01T00:00:00",
    )


def test_a_sum_without_tests_is_a_sum() -> None:
    result = merged(reports(3, tests=[]))
    assert isinstance(result, Ok)
    assert [list(suite.cases) for suite in result.value] == [[]]


def test_failed_tests_and_errors_are_no_fault() -> None:
    (path, suites), *rest = reports(2)
    suites = [
        suite._replace(cases=[one._replace(marks=(BROKEN,)) for one in suite.cases])
        for suite in suites
    ]
    suites[0] = suites[0]._replace(
        cases=[*suites[0].cases, Case("Game", THE_RUN, None, (Mark("error", "old code"),))]
    )
    assert isinstance(merged([(path, suites), *rest]), Ok)


def test_missing_shards_are_named() -> None:
    assert faults(reports(3)[1:]) == ["Shard 1 of 3 is missing."]
    assert faults(reports(8)[1:6:2]) == ["Shards 1, 3, 5, 7, 8 of 8 are missing."]
    assert merged([]) == Ok([])


def test_a_number_that_a_file_merely_claims_makes_no_list() -> None:
    path, suites = report(1, 1)
    suites = [
        suite._replace(properties={**suite.properties, "shards": "999999999"}) for suite in suites
    ]
    assert faults([(path, suites)])[-1].endswith(
        "20, 21 and 999999978 more of 999999999 are missing."
    )


def test_a_shard_that_is_given_twice_is_named_with_both_files() -> None:
    first, second = reports(2)
    found = faults([first, second, ("again.xml", second[1])])
    assert found == ["Shard 2 of 2 is given twice: 2.xml, again.xml."]


@pytest.mark.parametrize(
    "other, why",
    [
        (
            report(2, 3, TESTS[1:]),
            "2.xml (shard 2 of 3) was made of another list of tests than 1.xml (shard 1 of 3).",
        ),
        (
            report(2, 3, durations={TESTS[0].key: 7}),
            "2.xml (shard 2 of 3) was divided by other durations than 1.xml (shard 1 of 3).",
        ),
        (
            report(2, 4),
            "2.xml (shard 2 of 4) is of another number of shards than 1.xml (shard 1 of 3).",
        ),
    ],
)
def test_a_shard_of_another_plan_is_named(other: ReadFile, why: str) -> None:
    first, _, third = reports(3)
    assert why in faults([first, other, third])


def test_a_shard_with_fewer_or_more_cases_than_it_had_tests_is_named_with_its_reason() -> None:
    first, second = reports(2)
    (found,) = faults([without_case(first), second])
    count = sum(len(suite.cases) for suite in first[1])
    assert (
        found
        == f"1.xml (shard 1 of 2) has fewer test cases than it had tests: {count - 1} of {count}."
    )

    path, (suite, *rest) = without_case(first)
    stopped = Case("Game", THE_RUN, None, (Mark("error", "It was cancelled."),))
    (found,) = faults([(path, [suite._replace(cases=[*suite.cases, stopped]), *rest]), second])
    assert found.endswith("It says: It was cancelled.")

    more = suite._replace(cases=[*first[1][0].cases, Case("Game.New", "T")])
    assert "has more test cases than it had tests" in faults([(path, [more, *rest]), second])[0]


def test_a_test_that_stands_twice_is_named() -> None:
    first, second = reports(2)
    path, (suite, *rest) = without_case(first)
    doubled = (path, [suite._replace(cases=[*suite.cases, suite.cases[0]]), *rest])
    (found,) = faults([doubled, second])
    name = f"{suite.cases[0].class_name}.{suite.cases[0].name} (edit, Game.Tests)"
    assert found == f"{name} stands twice: 1.xml."

    other, (its_suite, *its_rest) = second
    moved = (other, [its_suite._replace(cases=[suite.cases[0], *its_suite.cases[1:]]), *its_rest])
    (found,) = faults([first, moved])
    assert found == f"{name} stands twice: 1.xml and 2.xml."


def test_an_entry_for_several_tests_may_stand_twice() -> None:
    files: List[ReadFile] = []
    for path, (suite, *rest) in reports(2):
        setup = Case("Game.Setup", THE_FIXTURE, None, (BROKEN,))
        files.append((path, [suite._replace(cases=[*suite.cases, setup]), *rest]))
    assert isinstance(merged(files), Ok)


def test_tests_without_a_name_count_for_their_shard_and_in_the_sum() -> None:
    files: List[ReadFile] = []
    for path, (suite, *rest) in reports(2):
        files.append(
            (path, [suite._replace(cases=suite.cases[2:], not_named=NotNamed(1, 0, 1)), *rest])
        )
    result = merged(files)
    assert isinstance(result, Ok)
    assert [suite.not_named for suite in result.value if any(suite.not_named)] == [
        NotNamed(2, 0, 2)
    ]


def test_counts_that_differ_from_the_list_are_reported() -> None:
    files = [
        (
            path,
            [
                suite._replace(properties={**suite.properties, "tests_in_list": "99"})
                for suite in suites
            ],
        )
        for path, suites in reports(2)
    ]
    assert faults(files) == [
        "The shards have 24 tests together, and the list that they were made of has 99."
    ]


NO_SHARD = (
    "{} is not the report of a shard: `unity-bridge test --shard I/N --junit FILE` writes one."
)


@pytest.mark.parametrize(
    "changed, why",
    [
        ({"shard": None}, NO_SHARD),
        ({"shard": "0"}, NO_SHARD),
        ({"shard": "3"}, NO_SHARD),
        ({"shards": "two"}, NO_SHARD),
        ({"shards": "9" * 5000}, NO_SHARD),
        ({"list_digest": None}, "{} (shard 1 of 2) ended before its tests were listed."),
        ({"plan_digest": "no"}, "{} (shard 1 of 2) ended before its tests were listed."),
        ({"tests_in_shard": "-1"}, "{} (shard 1 of 2) ended before its tests were listed."),
    ],
)
def test_a_file_that_says_nothing_of_its_shard_is_named(
    changed: Dict[str, Optional[str]], why: str
) -> None:
    (path, suites), second = reports(2)
    changes: List[Tuple[Suite, Dict[str, Any]]] = [
        (suite, {**suite.properties, **changed}) for suite in suites
    ]
    files = [
        (
            path,
            [
                suite._replace(properties={k: v for k, v in found.items() if v is not None})
                for suite, found in changes
            ],
        )
    ]
    assert faults([*files, second]) == [why.format("1.xml"), "Shard 1 of 2 is missing."]


def test_a_shard_whose_scripts_did_not_compile_says_why() -> None:
    error = Case("Game", THE_RUN, None, (Mark("error", "Unity's scripts do not compile."),))
    stopped = Suite("Game", {"mode": "all", "shard": "1", "shards": "2"}, [error])
    found = faults([("1.xml", [stopped]), report(2, 2)])[0]
    assert (
        found
        == "1.xml (shard 1 of 2) ended before its tests were listed: Unity's scripts do not compile."
    )


def test_words_out_of_a_file_are_cut_and_made_harmless() -> None:
    error = Case("Game", THE_RUN, None, (Mark("error", "\x9b31m\nred " + "x" * 10_000_000),))
    stopped = Suite("Game", {"mode": "all", "shard": "1", "shards": "2"}, [error])
    found = faults([("1.xml", [stopped]), report(2, 2)])[0]
    assert len(found) < 300 and "\x9b" not in found and "\n" not in found


def test_a_file_whose_suites_are_of_several_shards_or_that_has_none_is_named() -> None:
    first, second = reports(2)
    assert faults([("a.xml", [*first[1], *second[1]])]) == [NO_SHARD.format("a.xml")]
    assert faults([("a.xml", [])]) == ["a.xml has no testsuite."]
