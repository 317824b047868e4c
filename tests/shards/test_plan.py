"""Which fixtures a shard gets: disjoint, all of them, whole, the same everywhere, and balanced
(SPEC §24).
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.shards.plan import Plan, plan_of
from unity_bridge.shards.test_list import Fixture, ListedTest, list_digest

VECTORS = json.loads(
    (Path(__file__).parents[2] / "protocol" / "shards.json").read_text(encoding="utf-8")
)

FIXTURES = st.builds(
    Fixture,
    st.sampled_from(["edit", "play"]),
    st.sampled_from(["Game.Tests", "Über"]),
    st.text(min_size=1, max_size=6),
)
TESTS = st.builds(
    lambda fixture, name: ListedTest(
        f"{fixture.name}.{name}", fixture.mode, fixture.name, fixture.assembly
    ),
    FIXTURES,
    st.text(max_size=4),
)
LISTS = st.lists(TESTS, max_size=60)
SHARDS = st.integers(1, 12)
MICROSECONDS = st.integers(0, 10**10)


def lists_with_durations() -> st.SearchStrategy[Tuple[List[ListedTest], Dict[Fixture, int]]]:
    def with_durations(
        tests: List[ListedTest],
    ) -> st.SearchStrategy[Tuple[List[ListedTest], Dict[Fixture, int]]]:
        known = st.sampled_from([test.key for test in tests]) if tests else FIXTURES
        return st.tuples(
            st.just(tests), st.dictionaries(st.one_of(known, FIXTURES), MICROSECONDS, max_size=30)
        )

    return LISTS.flatmap(with_durations)


def in_shards(plan: Plan, tests: Sequence[ListedTest]) -> List[List[ListedTest]]:
    return [[test for test in tests if test.key in part] for part in plan.fixtures]


@pytest.mark.slow
@given(lists_with_durations(), SHARDS, st.booleans())
def test_the_shards_are_disjoint_and_together_are_the_list_with_whole_fixtures(
    given_list: Tuple[List[ListedTest], Dict[Fixture, int]], shards: int, timed: bool
) -> None:
    tests, durations = given_list
    plan = plan_of(tests, shards, durations if timed else None)

    assert len(plan.fixtures) == shards
    placed = Counter(fixture for part in plan.fixtures for fixture in part)
    assert set(placed) == {test.key for test in tests} and set(placed.values()) <= {1}
    assert Counter(test for part in in_shards(plan, tests) for test in part) == Counter(tests)


@given(lists_with_durations(), SHARDS, st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_list_and_of_the_durations_changes_nothing(
    given_list: Tuple[List[ListedTest], Dict[Fixture, int]],
    shards: int,
    timed: bool,
    dice: random.Random,
) -> None:
    tests, durations = given_list
    mixed, others = list(tests), list(durations.items())
    dice.shuffle(mixed)
    dice.shuffle(others)
    assert plan_of(tests, shards, durations if timed else None) == plan_of(
        mixed, shards, dict(others) if timed else None
    )


@given(lists_with_durations(), SHARDS)
def test_the_longest_shard_is_at_most_an_equal_share_and_the_longest_fixture(
    given_list: Tuple[List[ListedTest], Dict[Fixture, int]], shards: int
) -> None:
    tests, durations = given_list
    known = {
        fixture: durations[fixture]
        for fixture in {test.key for test in tests}
        if fixture in durations
    }
    mean = sum(known.values()) // len(known) if known else 0
    taken = {test.key: known.get(test.key, mean) for test in tests}
    plan = plan_of(tests, shards, durations)

    sums = [sum(taken[fixture] for fixture in part) for part in plan.fixtures]
    assert max(sums) * shards <= sum(taken.values()) + shards * max(taken.values(), default=0)


@pytest.mark.slow
@given(LISTS, SHARDS, TESTS)
def test_without_durations_a_new_fixture_moves_no_other(
    tests: List[ListedTest], shards: int, new: ListedTest
) -> None:
    before, after = plan_of(tests, shards), plan_of([*tests, new], shards)
    for ours, theirs in zip(before.fixtures, after.fixtures):
        assert set(theirs) - {new.key} == set(ours) - {new.key}


@pytest.mark.slow
@given(st.lists(FIXTURES, unique=True, max_size=40), SHARDS)
def test_fixtures_that_took_no_time_are_spread_evenly(fixtures: List[Fixture], shards: int) -> None:
    tests = [ListedTest(f"{one.name}.T", one.mode, one.name, one.assembly) for one in fixtures]
    sizes = [len(part) for part in plan_of(tests, shards, {}).fixtures]
    assert max(sizes) - min(sizes) <= 1


def test_a_plan_is_known_by_its_list_the_durations_used_and_the_number_of_shards() -> None:
    tests = [ListedTest(f"A.F{n}.T", "edit", f"A.F{n}", "Game") for n in range(5)]
    key = tests[0].key
    plans = [
        plan_of(tests, 2),
        plan_of(tests, 3),
        plan_of(tests[1:], 2),
        plan_of(tests, 2, {key: 1}),
        plan_of(tests, 2, {key: 2}),
    ]
    assert len({plan.plan_digest for plan in plans}) == 5
    assert (
        plan_of(tests, 2, {key: 1, Fixture("edit", "Game", "Gone"): 7}).plan_digest
        == plans[3].plan_digest
    )


@pytest.mark.parametrize("vector", VECTORS["plans"], ids=lambda one: str(one["name"]))
def test_the_vectors_are_what_is_computed(vector: Dict[str, Any]) -> None:
    tests = [
        ListedTest(name, mode, fixture, assembly)
        for name, mode, fixture, assembly in vector["tests"]
    ]
    timed = vector["durations"]
    durations = None if timed is None else {Fixture(*key): taken for *key, taken in timed}
    plan = plan_of(tests, vector["shards"], durations)
    assert [[list(fixture) for fixture in part] for part in plan.fixtures] == vector["fixtures"]
    assert (plan.list_digest, plan.plan_digest) == (vector["list_digest"], vector["plan_digest"])


def test_the_digest_is_that_of_the_lines_as_a_person_would_write_them() -> None:
    tests = [
        ListedTest("B.T", "play", "B", "Z"),
        ListedTest("A.T", "edit", "A", "Z"),
        ListedTest("A.T", "edit", "A", "Z"),
    ]
    assert list_digest(tests) == sha256(b"edit\tZ\tA\tA.T\nplay\tZ\tB\tB.T\n").hexdigest()
    # By code point: U+FFFD comes before U+10000, whose UTF-16 begins with a smaller unit.
    far = [ListedTest("\U00010000", "edit", "", ""), ListedTest("\ufffd", "edit", "", "")]
    assert (
        list_digest(far) == sha256("edit\t\t\t\ufffd\nedit\t\t\t\U00010000\n".encode()).hexdigest()
    )
    assert list_digest([ListedTest("\ud800", "edit", "", "")]) == list_digest(far[1:])


@pytest.mark.slow
def test_another_hash_seed_gives_the_same_plan() -> None:
    program = (
        "from unity_bridge.shards.plan import plan_of; from unity_bridge.shards.test_list import ListedTest;"
        "tests = [ListedTest(f'A.F{n}.T', 'edit', f'A.F{n}', 'Game') for n in range(200)];"
        "print(plan_of(tests, 7), plan_of(tests, 7, {tests[3].key: 9, tests[5].key: 9}))"
    )
    root = str(Path(__file__).parents[2])
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": root, "SYSTEMROOT": "C:\\Windows"},
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
