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
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]
STEPS = 100
ENOUGH = 800
# Mutants that few walks notice, and one that does: it is tried first.
NOTICED_BY = {"keeps_the_key_of_a_job_that_never_ran": 368}


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
