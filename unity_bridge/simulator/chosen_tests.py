"""Which tests ``run_tests`` runs, and ``list_tests`` lists, with a mode and a filter (SPEC §16, §24.1)."""

from __future__ import annotations

import json
from typing import Mapping, Tuple

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal, refused
from unity_bridge.simulator.test_filter import Selection, Unmatched, select
from unity_bridge.simulator.unity_api import UnityApi

# The tests that failed in the last run of this editor, for ``filter: "failed"``: a key of the session state.
FAILED_BEFORE = "failed tests"
MODES: Mapping[str, Tuple[str, ...]] = {"all": ("edit", "play"), "edit": ("edit",), "play": ("play",)}
_FAILED = "failed"


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
