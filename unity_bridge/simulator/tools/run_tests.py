"""``run_tests``: the project's tests, one after the other, on the code that is loaded (SPEC §8,
§11, §16.1).
"""

from __future__ import annotations

import json
from typing import List, Optional, Sequence, Tuple

from unity_bridge.base.result import Err
from unity_bridge.simulator.chosen_tests import FAILED_BEFORE, chosen_tests
from unity_bridge.simulator.job import (
    Advance,
    End,
    Job,
    Parameters,
    Refusal,
    RunState,
    Step,
    Wait,
    failed,
    playing,
    refused,
)
from unity_bridge.simulator.jobs import JobTool
from unity_bridge.simulator.paging import rows_that_fit
from unity_bridge.simulator.project import PretendTest
from unity_bridge.simulator.tools.compile import PENDING, Refresh
from unity_bridge.simulator.unity_api import UnityApi
from unity_bridge.text.json_types import JsonDict

_FAILED = "failed"
_RESULT_BYTES = 800_000


class RunTests(JobTool):
    """The tool. It writes down ``stage``: ``refreshing``, then ``testing``, with the fields of
    ``_begin``.

    ``tests`` are places in the project's tests, ``outcomes`` how they will end, ``ends_at`` when the test under way is
    over, ``plays_after`` the number of reloads after which play mode has been entered (0: it is not needed yet).
    """

    name = "run_tests"
    is_cancellable = True
    parameters: Parameters = {
        "mode": "all",
        "filter": "",
        "refresh": False,
        "unsaved": "refuse",
        "changed_scenes": "refuse",
        "include_passed": False,
        "fixtures": None,
    }

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor
        self._refresh = Refresh(editor)
        self._tests = editor.project.tests
        self._places = {id(test): place for place, test in enumerate(self._tests)}

    def advance(self, job: Job) -> Advance:
        if "stage" not in job.notes:
            refusal = self._why_not(job)
            if refusal is not None:
                return failed(refusal)
            job.notes["stage"] = "refreshing" if "refresh" in job.notes else "testing"
        if job.notes["stage"] == "refreshing":
            if job.must_stop is not None:
                return End(job.must_stop)
            compiled = self._refresh.advance(job, force=False)
            if isinstance(compiled, Wait):
                return compiled
            if not compiled["ok"]:
                return failed(_do_not_compile(compiled["error_count"], compiled["errors"]))
            if not compiled["loaded"]:
                return failed(_stale(compiled["pending_reason"]))
            job.notes.update(stage="testing", compile=compiled)
        if "tests" not in job.notes:
            refusal = self._begin(job)
            if refusal is not None:
                return failed(refusal)
        return self._test(job)

    def _why_not(self, job: Job) -> Optional[Refusal]:
        """Why the tests cannot be run now. Unsaved scenes are saved if that was asked for."""
        params = job.params
        if self._editor.player.is_playing:
            return playing("run the tests")
        refusal = self._refresh.prepare(job, "run the tests") if params["refresh"] else None
        if refusal is not None:
            return refusal
        errors = self._editor.assemblies.errors
        if errors and "refresh" not in job.notes:
            return _do_not_compile(len(errors), [error.as_json() for error in errors[:50]])
        scenes = list(self._editor.content.unsaved)
        if scenes and params["unsaved"] == "refuse":
            message = f"Scenes have unsaved changes: {', '.join(scenes)}. Pass unsaved: save, or save them yourself."
            return refused("unsaved_scenes", message, scenes=scenes)
        if scenes:
            self._editor.save_scenes()
        return None

    def _begin(self, job: Job) -> Optional[Refusal]:
        """Choose the tests by the code that is loaded now."""
        params = job.params
        chosen = chosen_tests(self._editor, params["mode"], params["filter"])
        if isinstance(chosen, Err):
            return chosen.error
        tests = chosen.value
        if params["fixtures"] is not None:
            fixtures = {tuple(fixture) for fixture in params["fixtures"]}
            tests = [test for test in tests if _fixture(test) in fixtures]
            absent = sorted(fixtures - {_fixture(test) for test in tests})
            if absent:
                return _no_such_fixtures(absent)
        outcomes = self._editor.assemblies.outcomes()
        is_pending = (
            self._editor.assemblies.pending_reason(self._editor.player.is_playing) is not None
        )
        if "compile" in job.notes:
            code_fresh = True
        elif is_pending:
            code_fresh = False
        else:
            code_fresh = None
        job.notes.update(
            tests=[self._places[id(test)] for test in tests],
            outcomes=[outcomes.get(test.name, test.outcome) for test in tests],
            completed=0,
            failed=0,
            failed_test=None,
            ends_at=None,
            plays_after=0,
            # Without a refresh, older code is known to be stale; nothing is known about newer files
            # on disk.
            code_fresh=code_fresh,
        )
        job.enter(Step.RUNNING, self._editor.now())
        loaded = self._editor.assemblies.loaded()
        self._editor.emit("tests_started", job_id=job.job_id, total=len(tests), loaded=loaded)
        return None

    def _test(self, job: Job) -> Advance:
        """Continue the tests: end the current one if its time is over, and begin the next."""
        notes, now = job.notes, self._editor.now()
        if job.reloads < notes["plays_after"]:
            return Wait()  # play mode has been entered when the domain has reloaded
        if notes["ends_at"] is not None:
            if now < notes["ends_at"]:
                return Wait(notes["ends_at"] - now)
            self._test_over(job)
        completed, total = notes["completed"], len(notes["tests"])
        newest = {}
        if notes["failed"]:
            newest = {"failed": notes["failed"], "failed_test": notes["failed_test"]}
        job.counts = {"completed": completed, "total": total, "current_test": None, **newest}
        if job.must_stop is not None or completed == total:
            return self._end(job)
        test = self._tests[notes["tests"][completed]]
        job.counts = {**job.counts, "current_test": test.name}
        if test.mode == "play" and not notes["plays_after"]:
            notes["plays_after"] = job.reloads + 1
            self._editor.player.enter()
            return Wait()
        notes["ends_at"] = now + self._editor.paced(test.duration_s)
        return Wait(self._editor.paced(test.duration_s))

    def _test_over(self, job: Job) -> None:
        notes = job.notes
        test, outcome = (
            self._tests[notes["tests"][notes["completed"]]],
            notes["outcomes"][notes["completed"]],
        )
        for entry in test.logs:
            self._editor.log(entry)
        notes["ends_at"] = None
        notes["completed"] += 1
        if outcome == _FAILED:
            notes.update(failed=notes["failed"] + 1, failed_test=test.name)
        self._editor.emit("test_finished", job_id=job.job_id, name=test.name, outcome=outcome)

    def _end(self, job: Job) -> End:
        notes = job.notes
        if notes["plays_after"]:
            self._editor.leave_play_mode()
        completed = [self._tests[index] for index in notes["tests"][: notes["completed"]]]
        rows = list(zip(completed, notes["outcomes"]))
        failed = [test for test, outcome in rows if outcome == _FAILED]
        self._editor.session_state[FAILED_BEFORE] = json.dumps([test.name for test in failed])
        result = {
            **_counts_and_failures(rows, len(notes["tests"]), job.params["include_passed"]),
            "code_fresh": notes["code_fresh"],
        }
        if "compile" in notes:
            result["compile"] = notes["compile"]
        state = job.must_stop or (RunState.FAILED if failed else RunState.SUCCEEDED)
        return End(state, result)


def _fixture(test: PretendTest) -> Tuple[str, ...]:
    return (test.mode, test.assembly_name, test.fixture)


def _no_such_fixtures(absent: Sequence[Tuple[str, ...]]) -> Refusal:
    names = [f"{fixture} ({mode}, {assembly})" for mode, assembly, fixture in absent]
    message = (
        f"These fixtures have no test that would run: {', '.join(names[:10])}. "
        "Nothing was run. List the tests again."
    )
    return refused("no_tests_matched", message, unmatched=names[:50])


def _do_not_compile(count: int, errors: List[JsonDict]) -> Refusal:
    """Refuse to run tests, which would run the last code that compiled, and pass."""
    message = f"The scripts have {count} compile errors, so no test was run. Fix them and run the tests again."
    return refused("compile_errors", message, errors=errors)


def _stale(pending_reason: str) -> Refusal:
    message = f"No test was run, because the editor does not run the code on disk. {PENDING[pending_reason]}"
    message += " To test what is loaded, pass refresh: false."
    return refused("stale_code", message, pending_reason=pending_reason)


def _counts_and_failures(
    ended_tests: Sequence[Tuple[PretendTest, str]], total: int, with_passed: bool
) -> JsonDict:
    """Return what ended so far, also before a cancellation: as many tests as fit into one message.

    ``total``: as in the plugin, the tests that were to run, also those that a cancelled run did not reach."""
    counts = {
        outcome: sum(1 for _, row_outcome in ended_tests if row_outcome == outcome)
        for outcome in ("passed", _FAILED, "skipped")
    }
    seconds = sum(test.duration_s for test, _ in ended_tests)
    summary = {"total": total, **counts, "duration_ms": round(seconds * 1000)}
    result: JsonDict = {"summary": summary}
    outcomes = (_FAILED, "skipped", "passed") if with_passed else (_FAILED,)
    rows = [
        (outcome, _row(test, outcome))
        for outcome in outcomes
        for test, row_outcome in ended_tests
        if row_outcome == outcome
    ]
    fitting = rows[: rows_that_fit([row for _, row in rows], _RESULT_BYTES)]
    for outcome in outcomes:
        listed = result[f"{outcome}_tests"] = [
            row for row_outcome, row in fitting if row_outcome == outcome
        ]
        if len(listed) < counts[outcome]:
            result.setdefault("omitted", {})[f"{outcome}_tests"] = counts[outcome] - len(listed)
    return result


def _row(test: PretendTest, outcome: str) -> JsonDict:
    row: JsonDict = {"name": test.name}
    if outcome != "passed":
        row["message"] = test.message or (
            "  Expected: True\n  But was:  False\n" if outcome == _FAILED else None
        )
    if outcome == _FAILED:
        row["stack_trace"] = test.stack_trace
    place = {"mode": test.mode, "assembly": test.assembly_name, "fixture": test.fixture}
    return {**row, **place, "duration_ms": round(test.duration_s * 1000)}


TOOL = RunTests
