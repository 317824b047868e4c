"""The reports of all shards as one, if they are the whole (SPEC §24.4)."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.shards.junit_file import THE_RUN, Case, NotNamed, Suite, is_a_test
from unity_bridge.text.foreign_text import quoted

# More of one kind are counted.
_MOST_NAMED = 20
# Of words out of a file, which another machine wrote.
_MOST_CHARACTERS = 200
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_OF_ONE_SHARD = ("shard", "tests_in_shard")

# A file's path, and what it has.
ReadFile = Tuple[str, Sequence[Suite]]


class _Shard(NamedTuple):
    """The report of one shard, as its properties describe it."""

    path: str
    suites: Sequence[Suite]
    number: int
    shards: int
    tests_in_list: int
    tests_in_shard: int
    list_digest: str
    plan_digest: str

    def __str__(self) -> str:
        return f"{self.path} (shard {self.number} of {self.shards})"


def merged(files: Sequence[ReadFile]) -> Result[List[Suite], List[str]]:
    """Return the sum; ``Err`` has every fault that was found, a sentence each. Failed tests are no
    fault.
    """
    faults: List[str] = []
    shards: List[_Shard] = []
    for path, suites in files:
        shard_found = _shard_of(path, suites)
        if isinstance(shard_found, Err):
            faults.append(shard_found.error)
        else:
            shards.append(shard_found.value)
    shards.sort(key=lambda shard_: (shard_.number, shard_.path))
    faults_of_others, alike = _other_ones(shards)
    faults += faults_of_others
    faults += _missing_and_twice(shards)
    for shard in shards:
        faults += _miscounted(shard)
    if not faults:
        faults += _sum_is_another(shards)
    # A whole shard that is given twice, or of another plan, has been named, and its tests need no
    # sentence each.
    faults += _names_twice(
        list({shard_.number: shard_ for shard_ in reversed(alike)}.values())[::-1]
    )
    if faults:
        return Err(faults)
    return Ok(_sum_of(shards))


def _shard_of(path: str, suites: Sequence[Suite]) -> Result[_Shard, str]:
    if not suites:
        return Err(f"{path} has no testsuite.")
    # Every testsuite of a file has the same; the elements around them can have no properties.
    properties = {name: {suite.properties.get(name) for suite in suites} for name in _Shard._fields}
    properties["number"] = {suite.properties.get("shard") for suite in suites}
    values = {
        name: next(iter(variants)) or ""
        for name, variants in properties.items()
        if len(variants) == 1
    }
    number, shards = values.get("number", ""), values.get("shards", "")
    if not (_is_count(number) and _is_count(shards) and 1 <= int(number) <= int(shards)):
        return Err(
            f"{path} is not the report of a shard: `unity-bridge test --shard I/N --junit FILE` writes one."
        )
    digests = [values.get(name, "") for name in ("list_digest", "plan_digest")]
    counts = [values.get(name, "") for name in ("tests_in_list", "tests_in_shard")]
    if not (all(map(_DIGEST.fullmatch, digests)) and all(map(_is_count, counts))):
        why = _first_message(suites)
        reason = f": {why}" if why else "."
        return Err(
            f"{path} (shard {number} of {shards}) ended before its tests were listed{reason}"
        )
    in_list, in_shard = map(int, counts)
    return Ok(_Shard(path, suites, int(number), int(shards), in_list, in_shard, *digests))


def _is_count(text: str) -> bool:
    return _COUNT.fullmatch(text) is not None


def _other_ones(shards: Sequence[_Shard]) -> Tuple[List[str], List[_Shard]]:
    """Shards of another plan than most have: of another number, list or durations, the first that differs. Also the
    others, which are alike."""
    remaining = list(shards)
    faults: List[str] = []
    differs: Sequence[Tuple[Callable[[_Shard], object], str]] = (
        (lambda shard: shard.shards, "is of another number of shards than"),
        (
            lambda shard: (shard.list_digest, shard.tests_in_list),
            "was made of another list of tests than",
        ),
        (lambda shard: shard.plan_digest, "was divided by other durations than"),
    )
    for value_of, sentence in differs:
        counted = Counter(map(value_of, remaining))
        usual = max(remaining, key=lambda shard: counted[value_of(shard)], default=None)
        if usual is not None:
            faults += [
                f"{shard} {sentence} {usual}."
                for shard in remaining
                if value_of(shard) != value_of(usual)
            ]
            remaining = [shard for shard in remaining if value_of(shard) == value_of(usual)]
    return faults, remaining


def _missing_and_twice(shards: Sequence[_Shard]) -> List[str]:
    counted = Counter(shard.shards for shard in shards)
    if not counted:
        return []
    usual = max(counted, key=lambda value: counted[value])
    paths: Dict[int, List[str]] = {}
    for shard in shards:
        if shard.shards == usual:
            paths.setdefault(shard.number, []).append(shard.path)
    twice = {number: files for number, files in paths.items() if len(files) > 1}
    faults = [
        f"Shard {number} of {usual} is given twice: {', '.join(files)}."
        for number, files in twice.items()
    ]
    # Of a number that a file merely claims, no list is made.
    absent = usual - len(paths)
    if absent:
        examples = list(
            islice(
                (str(number) for number in range(1, usual + 1) if number not in paths), _MOST_NAMED
            )
        )
        suffix = f" and {absent - len(examples)} more" if absent > len(examples) else ""
        are = "Shard {} of {} is missing." if absent == 1 else "Shards {} of {} are missing."
        faults.append(are.format(", ".join(examples) + suffix, usual))
    return faults


def _miscounted(shard: _Shard) -> List[str]:
    cases = sum(1 for suite in shard.suites for case in suite.cases if is_a_test(case))
    cases += sum(sum(suite.not_named) for suite in shard.suites)
    if cases == shard.tests_in_shard:
        return []
    few = "fewer" if cases < shard.tests_in_shard else "more"
    why = _first_message(shard.suites, THE_RUN)
    message = f"{shard} has {few} test cases than it had tests: {cases} of {shard.tests_in_shard}."
    return [f"{message} It says: {why}" if why else message]


def _first_message(suites: Sequence[Suite], name: Optional[str] = None) -> str:
    marks = (
        mark
        for suite in suites
        for case in suite.cases
        if name in (None, case.name)
        for mark in case.marks
    )
    message = next((mark.message for mark in marks), "")
    return quoted(message, _MOST_CHARACTERS)


def _sum_is_another(shards: Sequence[_Shard]) -> List[str]:
    together = sum(shard.tests_in_shard for shard in shards)
    if not shards or together == shards[0].tests_in_list:
        return []
    listed = shards[0].tests_in_list
    return [
        f"The shards have {together} tests together, and the list that they were made of has {listed}."
    ]


def _names_twice(shards: Iterable[_Shard]) -> List[str]:
    places: Dict[Tuple[str, str, str, str], str] = {}
    faults: List[str] = []
    count = 0
    for shard in shards:
        for suite in shard.suites:
            mode, assembly = suite.properties.get("mode", ""), suite.properties.get("assembly", "")
            for case in suite.cases:
                # A set-up for a whole namespace can break in each shard.
                if not is_a_test(case):
                    continue
                key = (mode, assembly, case.class_name, case.name)
                if key not in places:
                    places[key] = shard.path
                    continue
                count += 1
                if count <= _MOST_NAMED:
                    if places[key] == shard.path:
                        where = places[key]
                    else:
                        where = f"{places[key]} and {shard.path}"
                    name = quoted(
                        f"{case.class_name}.{case.name} ({mode}, {assembly})", _MOST_CHARACTERS
                    )
                    faults.append(f"{name} stands twice: {where}.")
    return faults + (
        [f"{count - _MOST_NAMED} more tests stand twice."] if count > _MOST_NAMED else []
    )


def _sum_of(shards: Sequence[_Shard]) -> List[Suite]:
    """One suite for each mode and assembly, in order, as if one run had written them."""
    suites: Dict[Tuple[str, str], List[Suite]] = {}
    for shard in shards:
        for suite in shard.suites:
            # A shard without tests has one suite without an assembly, which says nothing in the
            # sum.
            if suite.cases or any(suite.not_named):
                key = (suite.properties.get("mode", ""), suite.properties.get("assembly", ""))
                suites.setdefault(key, []).append(suite)
    if not suites and shards:
        suites[("", "")] = list(shards[0].suites[:1])
    return [_joined(suites[key]) for key in sorted(suites)]


def _joined(suites: Sequence[Suite]) -> Suite:
    cases: List[Case] = sorted(
        (case for suite in suites for case in suite.cases), key=lambda pair: pair[:2]
    )
    timestamp = min((suite.timestamp for suite in suites if suite.timestamp), default="")
    not_named = NotNamed(*map(sum, zip(*(suite.not_named for suite in suites))))
    time_us = sum(suite.time_us for suite in suites)
    return Suite(suites[0].name, _common(suites), cases, time_us, timestamp, not_named)


def _common(suites: Sequence[Suite]) -> Mapping[str, str]:
    """Return the properties that all have alike: machines may differ in where the project is."""
    properties: Mapping[str, Optional[str]] = suites[0].properties
    return {
        name: value
        for name, value in suites[0].properties.items()
        if name not in _OF_ONE_SHARD
        and all(suite.properties.get(name) == properties[name] for suite in suites)
    }
