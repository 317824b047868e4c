"""Which fixtures each shard runs: a function of the list, the durations and the number of shards
alone.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from unity_bridge.shards.test_list import Fixture, ListedTest, digest_of, line_of, list_digest

# Of each fixture the whole microseconds that its tests took in an earlier run.
Durations = Mapping[Fixture, int]


class Plan(NamedTuple):
    """``fixtures``: for each shard those that it runs, sorted; the first entry is shard 1.

    ``plan_digest`` is equal where the list, the durations that were used, and the number of shards are.
    """

    fixtures: Sequence[Tuple[Fixture, ...]]
    list_digest: str
    plan_digest: str


def plan_of(
    tests: Sequence[ListedTest], shards: int, durations: Optional[Durations] = None
) -> Plan:
    """Divide the tests. ``durations``: None divides by the fixtures' names alone, so that a new one
    moves no other.
    """
    fixtures = frozenset(test.key for test in tests)
    used = {
        fixture_: duration
        for fixture_, duration in (durations or {}).items()
        if fixture_ in fixtures
    }
    parts = (
        _by_name(fixtures, shards) if durations is None else _by_duration(fixtures, shards, used)
    )
    digest = list_digest(tests)
    lines = sorted(line_of(*fixture, str(duration)) for fixture, duration in used.items())
    plan_digest = digest_of([line_of(digest), *lines, line_of(str(shards))])
    return Plan([tuple(sorted(part)) for part in parts], digest, plan_digest)


def _by_name(fixtures: FrozenSet[Fixture], shards: int) -> List[Set[Fixture]]:
    parts: List[Set[Fixture]] = [set() for _ in range(shards)]
    for fixture in fixtures:
        parts[_hash(fixture) % shards].add(fixture)
    return parts


def _by_duration(
    fixtures: FrozenSet[Fixture], shards: int, durations: Durations
) -> List[Set[Fixture]]:
    """Give the longest fixture first, each to the shard that has the least so far.

    So the longest shard takes at most a shard's equal share of the total and one fixture more.
    """
    # A fixture without a duration counts as the mean, in whole numbers: floats would round
    # differently elsewhere.
    mean = sum(durations.values()) // len(durations) if durations else 0
    duration_of: Dict[Fixture, int] = {
        fixture: durations.get(fixture, mean) for fixture in fixtures
    }
    parts: List[Set[Fixture]] = [set() for _ in range(shards)]
    sums = [0] * shards
    for fixture in sorted(fixtures, key=lambda fixture_: (-duration_of[fixture_], _hash(fixture_))):
        # Fixtures that took no time are spread by their number, and would all go to the first shard
        # otherwise.
        least = min(range(shards), key=lambda shard: (sums[shard], len(parts[shard]), shard))
        parts[least].add(fixture)
        sums[least] += duration_of[fixture]
    return parts


def _hash(fixture: Fixture) -> int:
    """SHA-256 of ``mode TAB assembly TAB fixture`` as a big-endian integer."""
    return int.from_bytes(sha256(line_of(*fixture)).digest(), "big")
