"""Which tests ``run_tests`` runs, and ``list_tests`` lists, with a mode and a filter (SPEC §16,
§24.1).
"""

from __future__ import annotations

import difflib
import json
import re
from typing import Dict, List, Mapping, Sequence, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.project import PretendTest
from unity_bridge.simulator.unity_api import UnityApi

# The tests that failed in the last run of this editor, for ``filter: "failed"``: a key of the
# session state.
FAILED_BEFORE = "failed tests"
MODES: Mapping[str, Tuple[str, ...]] = {
    "all": ("edit", "play"),
    "edit": ("edit",),
    "play": ("play",),
}
_FAILED = "failed"
_CATEGORY = "category:"
_NEAREST = 3
# A part of a filter ends at a semicolon outside quotes and parentheses.
_PART = re.compile(r'(?:"(?:[^"\\]|\\.)*"|\([^()]*\)|[^;])+')


def chosen_tests(editor: UnityApi, mode: str, filter: str) -> Result[List[PretendTest], Refusal]:
    """Return the tests that a run with this mode and filter runs, in the order in which it runs
    them.

    A filter has whole names and categories as Unity has them; short names and other letter cases match nothing here.
    """
    in_mode = [
        test for test_mode in MODES[mode] for test in editor.project.tests if test.mode == test_mode
    ]
    if filter != _FAILED:
        chosen = select(in_mode, filter)
        if isinstance(chosen, Err):
            return Err(_no_tests(chosen.error))
        return chosen
    failed = editor.session_state.get(FAILED_BEFORE)
    if failed is None:
        message = "filter 'failed': no tests have been run in this editor. Leave filter out."
        return Err(
            Refusal(ErrorCode.INVALID_PARAMS, message, {"execution_guarantee": "not_executed"})
        )
    return Ok([test for test in in_mode if test.name in json.loads(failed)])


def _no_tests(unmatched: Mapping[str, List[str]]) -> Refusal:
    sentences = [
        f"No test matches '{part}'" + (f"; the nearest are {', '.join(names)}." if names else ".")
        for part, names in unmatched.items()
    ]
    message = " ".join(
        [*sentences, "Nothing was run. Correct the filter, or leave it out to run all tests."]
    )
    return refused("no_tests_matched", message, unmatched=list(unmatched), nearest=unmatched)


def select(
    tests: Sequence[PretendTest], text: str
) -> Result[List[PretendTest], Dict[str, List[str]]]:
    """Return the tests that any part matches, in their order; ``Err`` has the parts that match none, each with the
    names that are most like it."""
    parts = [part.strip() for part in _PART.findall(text) if part.strip()]
    unmatched = [part for part in parts if not any(_matches(test, part) for test in tests)]
    if unmatched:
        return Err({part: _nearest(tests, part) for part in unmatched})
    return Ok([test for test in tests if not parts or any(_matches(test, part) for part in parts)])


def _matches(test: PretendTest, part: str) -> bool:
    if part.lower().startswith(_CATEGORY):
        return part[len(_CATEGORY) :].strip() in test.categories
    # Whole names only: a namespace, a fixture, a nested or generic one, a test, a test with its
    # arguments.
    tail = test.name[len(part) :]
    return test.name.startswith(part) and (not tail or part.endswith(".") or tail[0] in ".+(<")


def _nearest(tests: Sequence[PretendTest], part: str) -> List[str]:
    if part.lower().startswith(_CATEGORY):
        names = {_CATEGORY + category for test in tests for category in test.categories}
    else:
        names = {name for test in tests for name in (test.name, test.fixture)}
    return difflib.get_close_matches(part[:256], sorted(names), _NEAREST, 0.4)
