"""Any conversation keeps every promise; and the proof notices when one is broken.

The same conversations every time, in seconds. For others, and more of them, for as long as you like:
``UNITY_BRIDGE_MODEL_EXAMPLES=20000 python -m pytest tests/model``.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.conversation import Conversation
from tests.model.mutants import MUTANTS

WANTED = int(os.environ.get("UNITY_BRIDGE_MODEL_EXAMPLES", "0"))
QUIET = [
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
]
STEPS = 100
ENOUGH = 800
# Mutants that few walks notice, and one that does: it is tried first.
NOTICED_BY = {
    "begins_a_command_that_is_open_again": 57,
    "believes_a_strange_editor_that_a_job_never_arrived": 22,
    "does_not_wait_for_a_proof": 103,
    "forgets_for_whom_the_owner_kept_the_place": 78,
    "joins_the_job_of_a_spent_key": 25,
    "keeps_the_key_of_a_job_that_never_ran": 368,
    "passes_on_whatever_unity_answers": 21,
    "reports_no_null_for_unknown_code": 229,
    "sends_anything_to_anybody": 25,
    "spends_a_key_before_the_end_is_reported": 50,
    "spends_a_key_with_another_clients_answer": 323,
    "spends_the_key_of_a_job_with_effects": 137,
    "submits_blindly_after_a_drop": 37,
}


def test_any_conversation_keeps_every_promise() -> None:
    """What hypothesis finds, it makes as short as it can."""
    as_wanted = settings(
        max_examples=WANTED or 25,
        derandomize=not WANTED,
        print_blob=bool(WANTED),
        stateful_step_count=STEPS,
        deadline=None,
        suppress_health_check=QUIET,
        report_multiple_bugs=False,
        database=None,
    )
    run_state_machine_as_test(Conversation, settings=as_wanted)


def test_long_walks_keep_every_promise() -> None:
    """More, and longer; the seed is in the traceback."""
    for seed in range(WANTED or 40):
        Conversation().walk(seed, STEPS)


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_a_broken_promise_is_noticed(name: str) -> None:
    class Broken(Conversation):
        mutation = staticmethod(MUTANTS[name])

    with pytest.raises(AssertionError):
        for seed in (NOTICED_BY.get(name, 0), *range(ENOUGH)):
            Broken().walk(seed, STEPS)
