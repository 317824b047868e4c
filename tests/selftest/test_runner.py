"""What the runner does after a row, so that the next one finds the editor as the first did (SPEC
§25.2).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, cast

import pytest

from unity_bridge.selftest.calls import Calls
from unity_bridge.selftest.report import FAIL, PASS, SKIPPED, RowResult, SelftestReport
from unity_bridge.selftest.row import SCRATCH, Group, done, refused, run
from unity_bridge.selftest.runner import Runner, UnderTest
from unity_bridge.selftest.scratch import SCENE, ScratchProject

_SCENE_IS_OPEN = {"open": [{"path": SCENE, "dirty": False}]}


class CleanEditor:
    """Calls of an editor that has the scratch scene open, without unsaved changes, and runs no job."""

    def __init__(self) -> None:
        self.opened: List[Dict[str, Any]] = []

    def now(self) -> float:
        return 0.0

    def state(self) -> Dict[str, Any]:
        return {"connected": True, "playing": False, "editor": {"unity_version": "2021.3.0f1"}}

    def call(self, tool: str, arguments: Dict[str, Any], within_s: float) -> Dict[str, Any]:
        if arguments["name"] == "open_scene":
            self.opened.append(arguments["arguments"])
        value = _SCENE_IS_OPEN if arguments["name"] == "list_scenes" else {"events": [], "total": 0}
        return {"state": "succeeded", "result": {"value": value}}


@pytest.mark.parametrize(
    ("expected", "status", "opened"),
    [(True, FAIL, [{"path": SCENE, "unsaved": "discard"}]), (_SCENE_IS_OPEN, PASS, [])],
)
def test_a_row_that_fails_leaves_the_scene_as_it_is_on_disk(
    expected: Any, status: str, opened: List[Any], tmp_path: Path
) -> None:
    # Also if the scene is not marked as changed: what the row left there need not be.
    editor, results = CleanEditor(), cast(List[RowResult], [])
    under_test = UnderTest(cast(Calls, editor), ScratchProject(tmp_path))
    row = Group("commands", "§16.5").row("a row", run("list_scenes", done(value=expected)))
    Runner(under_test, SelftestReport("now", "2021.3.0f1"), results.append).run(row)
    assert [result.status for result in results] == [status]
    assert editor.opened == opened


class EditorWithoutKeys(CleanEditor):
    """Says of every command but record_events that it is not simulated."""

    def __init__(self, is_simulated: bool) -> None:
        super().__init__()
        self._is_simulated = is_simulated

    def call(self, tool: str, arguments: Dict[str, Any], within_s: float) -> Dict[str, Any]:
        if arguments["name"] == "press":
            return {"state": "failed", "error": {"details": {"reason": "not_simulated"}}}
        value: Dict[str, Any] = {"events": [], "total": 0, **_SCENE_IS_OPEN}
        value.update(
            {"recording": False, "simulated": True} if self._is_simulated else {"recording": True}
        )
        return {"state": "succeeded", "result": {"value": value}}


@pytest.mark.parametrize(("is_simulated", "status"), [(True, SKIPPED), (False, FAIL)])
def test_only_the_simulated_editor_is_excused_from_what_is_not_simulated(
    is_simulated: bool, status: str, tmp_path: Path
) -> None:
    results: List[RowResult] = []
    under_test = UnderTest(cast(Calls, EditorWithoutKeys(is_simulated)), ScratchProject(tmp_path))
    runner = Runner(under_test, SelftestReport("now", "2021.3.0f1"), results.append)
    runner.look()
    runner.run(
        Group("play", "§16.5", needs=SCRATCH).row(
            "keys", run("press", refused("not_playing"), keys=["w"])
        )
    )
    assert [(one.status, bool(one.reason)) for one in results] == [(status, True)]
