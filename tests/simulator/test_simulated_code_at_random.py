"""Whatever happens to a simulated editor: it never calls old code new, by its own words or by the
order of them.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, List, Tuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulator.manual_editor import ManualEditor
from tests.simulator.test_simulated_jobs_at_random import HAPPENINGS, JOBS, PROJECT
from tests.soak.ledgers import Message
from tests.soak.simulated_ledger import SimulatedLedger

pytestmark = pytest.mark.slow

# How compiled code comes not to be loaded. Anything may follow, and time passes in between: jobs
# are to end.
_BEGINNINGS: Tuple[List[str], ...] = (
    [],
    ["lock", "edit"],
    ["lock", "edit", "focus"],
    ["play", "edit", "focus"],
    ["break", "focus"],
)
_CODE = ["edit", "undo", "break", "focus", "lock", "unlock", "reload", "play", "stop playing"]
_STEPS = st.builds(
    lambda beginning, later: [*beginning, *(step for pair in later for step in pair)],
    st.sampled_from(_BEGINNINGS),
    st.lists(
        st.tuples(
            st.sampled_from([*JOBS, *JOBS, *_CODE]), st.sampled_from(["a moment", "a while"])
        ),
        max_size=12,
    ),
)


@settings(max_examples=300)
@given(_STEPS)
def test_old_code_is_never_called_new(steps: List[str]) -> None:
    editor = ManualEditor(PROJECT)
    submitted: List[str] = []
    for step in steps:
        if step in JOBS:
            job_id = f"J{len(submitted)}"
            tool = "compile" if "compile" in step else "run_tests"
            editor.events(
                "job_accepted",
                job_id=job_id,
                known_as=job_id,
                tool_name=tool,
                client_request_id=None,
            )
            editor.submits(tool, job_id, **JOBS[step])
            submitted.append(job_id)
        elif step in HAPPENINGS:
            happens = HAPPENINGS[step]
            editor.main.post(lambda happens=happens: happens(editor))  # type: ignore[misc]
        editor.main.run({"a moment": 0.3, "a while": 5.0}.get(step, 0.0))
    editor.main.run(4000.0)
    log: Any = SimpleNamespace(ledger=editor.events)
    ledger = SimulatedLedger([log])
    old_in = None
    for job_id in sorted(submitted, key=lambda job_id: ledger.moment_of(job_id) or (0, 0, 0)):
        result: Message = editor.job_status(job_id).get("result") or {}
        compiled = result if "ok" in result else result.get("compile")
        if compiled is not None:
            assert ledger.may_be_ok(job_id, compiled["ok"])
            assert not (compiled["loaded"] and not compiled["ok"])
            assert not (compiled["loaded"] and ledger.loaded_todays_code(job_id) is False)
        if result.get("code_fresh") is None:
            continue
        moment = ledger.moment_of(job_id)
        assert moment is not None
        if result["code_fresh"]:
            assert ledger.tested_todays_code(job_id) is not False
            assert old_in != moment.reloads, "old code became new without a reload"
        else:
            old_in = moment.reloads
