"""Whatever happens to a simulated editor, and in whatever order: no job is begun twice, and each
has one end.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, Dict, List, Mapping

from hypothesis import given
from hypothesis import strategies as st

from tests.simulator.manual_editor import SCRIPT, ManualEditor
from unity_bridge.simulator.project import PretendTest, Project

TESTS = (
    PretendTest("A.Edit"),
    PretendTest("A.Play", mode="play"),
    PretendTest("A.Fails", outcome="failed"),
)
PROJECT = Project("Random", "/Random", TESTS)
ONCE = ("job_started", "refresh_started", "tests_started", "job_finished")

JOBS: Mapping[str, Dict[str, Any]] = {
    "compile": {},
    "forced compile": {"force": True},
    "tests": {},
    "fresh tests": {"refresh": True},
    "failed tests": {"filter": "failed", "refresh": True},
    "tests in play mode": {"mode": "play"},
}
HAPPENINGS: Mapping[str, Callable[[ManualEditor], object]] = {
    "edit": lambda editor: editor.disk.edit(SCRIPT, {"A.Fails": "passed"}),
    "break": lambda editor: editor.disk.break_(SCRIPT, 2, "no"),
    "undo": lambda editor: editor.disk.undo(SCRIPT),
    "focus": lambda editor: editor.process.assemblies.refresh(),
    "hang": lambda editor: setattr(editor.process.assemblies, "hangs", True),
    "unhang": lambda editor: editor.process.assemblies.unhang(),
    "dialog": lambda editor: setattr(editor.process.assemblies, "dialog_s", 3.0),
    "second pass": lambda editor: setattr(editor.process.assemblies, "has_second_pass", True),
    "lock": lambda editor: editor.process.assemblies.lock(True),
    "unlock": lambda editor: editor.process.assemblies.lock(False),
    "reload": lambda editor: editor.process.reload_domain(1.0),
    "play": lambda editor: editor.process.player.enter(),
    "stop playing": lambda editor: editor.process.leave_play_mode(),
    "abort": lambda editor: editor.process.abort_job("broken off"),
}
CANCELS = [f"cancel {number}" for number in range(4)]
STEPS = st.lists(
    st.sampled_from([*JOBS, *HAPPENINGS, *CANCELS, "a moment", "a while"]), max_size=25
)


@given(STEPS)
def test_no_job_is_begun_twice_and_each_has_one_end(steps: List[str]) -> None:
    editor = ManualEditor(PROJECT)
    submitted: List[str] = []
    for step in steps:
        if step in JOBS:
            job_id = f"J{len(submitted)}"
            editor.submits("compile" if "compile" in step else "run_tests", job_id, **JOBS[step])
            submitted.append(job_id)
        elif step in HAPPENINGS:
            happens = HAPPENINGS[step]
            editor.main.post(lambda happens=happens: happens(editor))  # type: ignore[misc]
        elif step in CANCELS:
            editor.process.jobs.cancel(f"J{step[-1]}")
        editor.main.run({"a moment": 0.3, "a while": 5.0}.get(step, 0.0))
    editor.main.run(4000.0)  # every deadline has passed
    for kind in ONCE:
        assert not [
            job for job, times in Counter(editor.heard(kind, "job_id")).items() if times > 1
        ], kind
    assert sorted(editor.heard("job_finished", "job_id")) == sorted(submitted)
    for job_id in submitted:
        status = editor.job_status(job_id)
        assert status["state"] in ("succeeded", "failed", "cancelled", "timeout")
        assert not ("result" in status and "error" in status)
        assert "remaining_ms" not in status
