"""Which tests ``run_tests`` runs, and ``list_tests`` lists, with a mode and a filter (SPEC §16, §24.1)."""

from __future__ import annotations

import difflib
import json
import re
from typing import Dict, List, Mapping, NamedTuple, Sequence, Set, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.project import PretendTest
from unity_bridge.simulator.unity_api import UnityApi

# The tests that failed in the last run of this editor, for ``filter: "failed"``: a key of the session state.
FAILED_BEFORE = "failed tests"
MODES: Mapping[str, Tuple[str, ...]] = {"all": ("edit", "play"), "edit": ("edit",), "play": ("play",)}
_FAILED = "failed"
_CATEGORY = "category:"
_NEAREST = 3
# A part of a filter ends at a semicolon outside quotes and parentheses.
_PART = re.compile(r'(?:"(?:[^"\\]|\\.)*"|\([^()]*\)|[^;])+')
_ARGUMENTS = re.compile(r"\([^()]*\)")


class Selection(NamedTuple):
    """The tests of a filter. ``remarks``: how parts of the filter were understood, a sentence each."""

    tests: List[PretendTest]
    remarks: List[str]


class Unmatched(NamedTuple):
    """The parts that match nothing, and for each the names that are most like it."""

    nearest: Dict[str, List[str]]


def chosen_tests(editor: UnityApi, mode: str, filter: str) -> Result[Selection, Refusal]:
    """Return the tests that a run with this mode and filter runs, in the order in which it runs them."""
    in_mode = [test for one in MODES[mode] for test in editor.project.tests if test.mode == one]
    if filter != _FAILED:
        chosen = select(in_mode, filter)
        return Err(_no_tests(chosen.error)) if isinstance(chosen, Err) else chosen
    failed = editor.session_state.get(FAILED_BEFORE)
    if failed is None:
        message = "filter 'failed': no tests have been run in this editor. Leave filter out."
        return Err(Refusal(ErrorCode.INVALID_PARAMS, message, {"execution_guarantee": "not_executed"}))
    return Ok(Selection([test for test in in_mode if test.name in json.loads(failed)], []))


def _no_tests(unmatched: Unmatched) -> Refusal:
    sentences = [
        f"No test matches '{part}'" + (f"; the nearest are {', '.join(names)}." if names else ".")
        for part, names in unmatched.nearest.items()
    ]
    message = " ".join([*sentences, "Nothing was run. Correct the filter, or leave it out to run all tests."])
    nearest = {"unmatched": list(unmatched.nearest), "nearest": unmatched.nearest}
    return refused("no_tests_matched", message, **nearest)


def select(tests: Sequence[PretendTest], text: str) -> Result[Selection, Unmatched]:
    """Return the tests that any part matches, in their order; ``Err`` if one part matches none."""
    parts = [part.strip() for part in _PART.findall(text) if part.strip()]
    if not parts:
        return Ok(Selection(list(tests), []))
    nearest: Dict[str, List[str]] = {}
    remarks: List[str] = []
    chosen: Set[str] = set()
    for part in parts:
        found = [test for test in tests if _matches(test, part)]
        meant = [] if found else _meant(tests, part)
        if len(meant) == 1:
            found = [test for test in tests if _matches(test, meant[0])]
            remarks.append(f"The filter '{part}' was taken for '{meant[0]}'.")
        if not found:
            nearest[part] = meant[:_NEAREST] or _nearest(tests, part)
        chosen.update(test.name for test in found)
    if nearest:
        return Err(Unmatched(nearest))
    return Ok(Selection([test for test in tests if test.name in chosen], remarks))


def _matches(test: PretendTest, part: str) -> bool:
    if part.lower().startswith(_CATEGORY):
        return part[len(_CATEGORY) :].strip() in test.categories
    # Whole names only: a namespace, a fixture, a nested or generic one, a test, a test with its arguments.
    rest = test.name[len(part) :]
    return test.name.startswith(part) and (not rest or part.endswith(".") or rest[0] in ".+(<")


def _meant(tests: Sequence[PretendTest], part: str) -> List[str]:
    """Return the full names that ``part`` stands for as a short name, or but for its letter case."""
    if part.lower().startswith(_CATEGORY):
        categories = {_CATEGORY + category for test in tests for category in test.categories}
        return sorted(category for category in categories if category.lower() == part.lower())
    full = {name for test in tests for name in (test.name, _bare(test.name), *_above(test.name))}
    short = {(name, name[len(_fixture(test.name)) + 1 :]) for test in tests for name in (test.name, _bare(test.name))}
    short |= {(_fixture(test.name), _fixture(test.name).rpartition(".")[2]) for test in tests}
    exact = {name for name, one in short if one == part}
    return sorted(exact or {name for name, one in [*short, *zip(full, full)] if one.lower() == part.lower()})


def _nearest(tests: Sequence[PretendTest], part: str) -> List[str]:
    if part.lower().startswith(_CATEGORY):
        known = {_CATEGORY + category for test in tests for category in test.categories}
    else:
        known = {name for test in tests for name in (test.name, _fixture(test.name))}
    return difflib.get_close_matches(part[:256], sorted(known), _NEAREST, 0.4)


def _bare(name: str) -> str:
    return _ARGUMENTS.sub("", name)


def _fixture(name: str) -> str:
    return _bare(name).rpartition(".")[0]


def _above(name: str) -> List[str]:
    """Return the fixture and the namespaces around it."""
    words = _fixture(name).split(".")
    return [".".join(words[:count]) for count in range(1, len(words) + 1)]
