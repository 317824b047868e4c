"""``run_selftest``: one self-test from its scratch project to its report (SPEC §25)."""

from __future__ import annotations

import json
import os
import shutil
import socket
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from unity_bridge.base.clock import SystemClock, rfc3339
from unity_bridge.base.frozen import changed, frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.config import Config
from unity_bridge.editor_life.opening import OpenRequest
from unity_bridge.editor_life.waiting import READY
from unity_bridge.scripting.command_bridge import CommandBridge
from unity_bridge.selftest import page
from unity_bridge.selftest import report as reports
from unity_bridge.selftest.calls import Calls
from unity_bridge.selftest.editor import Program, ScratchEditor
from unity_bridge.selftest.report import FAIL, Private, RowResult, SelftestReport
from unity_bridge.selftest.row import Row
from unity_bridge.selftest.runner import Runner, UnderTest
from unity_bridge.selftest.scratch import NAME, ScratchProject
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE, state_folder

_POLL_MS = 100
# A main thread that stands still is reported by a pong.
_PING_MS = 500
# The editor of a user's project is open already.
_COMES_WITHIN_S = 5.0
_INTERRUPTED = 130
_STATE = "state"  # the folder of the scratch editor's state


@frozen
class SelftestPlan:
    """Either ``program`` is there, which opens a scratch project, or ``project``, whose editor the
    user has open.

    ``wait_s``: how long the editor may take until it is ready. ``page``: where to write the report for people.
    """

    rows: Sequence[Row]
    config: Config
    program: Optional[Program] = None
    project: Optional[str] = None
    report: Optional[Path] = None
    wait_s: float = 600.0
    headless: bool = False
    page: Optional[Path] = None


class SelftestEnd(NamedTuple):
    """``written``: of the report, and of the page if there is one. ``kept``: the folder that was not removed, because a
    row failed."""

    status: int
    report: Dict[str, Any]
    written: Sequence[Result[Path, str]]
    kept: Optional[Path] = None


class SelftestNews(NamedTuple):
    """What the self-test says while it runs."""

    say: Callable[[str], None]
    on_result: Callable[[RowResult, int, int], object]


def run_selftest(plan: SelftestPlan, news: SelftestNews) -> Result[SelftestEnd, str]:
    """Carry out the plan. ``Err`` says why not even a report could be made. Main thread: Ctrl-C
    ends it in order.
    """
    users = state_folder()
    if isinstance(users, Err):
        return users
    clock = SystemClock()
    began = clock.utc()
    folder = users.value / "selftest" / began.strftime("%Y%m%d-%H%M%S-%f")
    report = SelftestReport(rfc3339(began))
    if plan.project is not None:
        selftest = _SelfTest(plan, news, report, None, plan.project)
        private = Private.of_this_user(os.path.realpath(plan.project), {str(users.value): "STATE"})
    else:
        private = Private.of_this_user(str(folder / NAME), _places(plan, folder, users.value))
        try:
            (folder / _STATE).mkdir(parents=True)
        except OSError as error:
            return Err(
                f"{folder} cannot be made: {error.strerror or error}. Set {STATE_DIR_VARIABLE} to a folder of your own."
            )
        selftest = _SelfTest(plan, news, report, folder, str(folder / NAME))
    interrupted = False
    before = os.environ.get(STATE_DIR_VARIABLE)
    try:
        selftest.run()
    except KeyboardInterrupt:
        interrupted = True
        selftest.skip_the_rest("interrupted")
    finally:
        _restore(STATE_DIR_VARIABLE, before)
        report.seconds = (clock.utc() - began).total_seconds()
    as_json = report.as_json(private)
    written = [
        reports.write(
            plan.report or folder.with_suffix(".json"), json.dumps(as_json, indent=1) + "\n"
        )
    ]
    if plan.page is not None:
        written.append(
            reports.write(plan.page, page.of(as_json, [row.pictures for row in report.rows]))
        )
    status = _INTERRUPTED if interrupted else report.exit_status
    kept_folder = None
    if plan.project is None:
        if report.count(FAIL):
            kept_folder = folder
        else:
            shutil.rmtree(str(folder), ignore_errors=True)
    return Ok(SelftestEnd(status, as_json, written, kept_folder))


def _places(plan: SelftestPlan, folder: Path, state: Path) -> Dict[str, str]:
    places = {str(folder): "SELFTEST", str(state): "STATE"}
    if plan.program is not None:
        places[os.path.dirname(plan.program.path)] = "UNITY"
    return places


def _restore(variable: str, value: Optional[str]) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


class _SelfTest:
    """One run. ``folder``: of the scratch project and its state; None for a project of the user's."""

    def __init__(
        self,
        plan: SelftestPlan,
        news: SelftestNews,
        report: SelftestReport,
        folder: Optional[Path],
        project: str,
    ) -> None:
        self._plan = plan
        self._news = news
        self._report = report
        self._folder = folder
        self._project = project
        self._left: List[Row] = list(plan.rows)

    def run(self) -> None:
        config = changed(
            self._plan.config,
            job_poll_interval_ms=min(_POLL_MS, self._plan.config.job_poll_interval_ms),
        )
        if self._folder is None or self._plan.program is None:
            with CommandBridge(config, self._project) as life:
                self._look_at_the_users(life)
            return
        state = self._folder / _STATE
        os.chmod(str(state), 0o700)
        os.environ[STATE_DIR_VARIABLE] = str(state)
        scratch = ScratchProject(self._folder / NAME)
        port = _free_port()
        project = scratch.make(self._plan.program.version, port, self._plan.program.path)
        if isinstance(project, Err):
            self._give_up(project.error)
            return
        config = changed(
            config,
            unity_ws_port=port,
            heartbeat_interval_ms=min(_PING_MS, config.heartbeat_interval_ms),
        )
        with CommandBridge(config, self._project) as life:
            self._try(life, scratch, self._plan.program)

    def skip_the_rest(self, reason: str) -> None:
        for row in self._left:
            self._report.rows.append(RowResult(row, reports.SKIPPED, reason=reason))
        self._left.clear()

    def _look_at_the_users(self, life: CommandBridge) -> None:
        there = life.wait_for_editor(_COMES_WITHIN_S)
        if isinstance(there, Err):
            self._give_up(str(there.error.as_json()["message"]))
        else:
            self._run(UnderTest(Calls(life, SystemClock())))

    def _try(self, life: CommandBridge, scratch: ScratchProject, program: Program) -> None:
        calls = Calls(life, SystemClock())
        request = OpenRequest(self._project, program.path, headless=self._plan.headless)
        editor = ScratchEditor(request, SystemClock(), calls)
        try:
            self._news.say(
                f"Opening a scratch project in Unity {program.version}. This can take minutes."
            )
            opened = editor.open(self._plan.wait_s, self._news.say)
            if opened["state"] == READY:
                self._run(UnderTest(calls, scratch, editor, has_window=not self._plan.headless))
            else:
                self._give_up(f"{opened['state']}: {opened['why']}")
        except KeyboardInterrupt:
            self._news.say(
                "Interrupted. Closing the scratch editor; press Ctrl-C again to end it at once."
            )
            raise
        finally:
            editor.close_or_end()

    def _run(self, setting: UnderTest) -> None:
        runner = Runner(setting, self._report, self._on_result)
        runner.look()
        while self._left:
            runner.run(self._left[0])
            if self._left and runner.has_lost_the_editor():
                self.skip_the_rest("the editor is not connected any more")

    def _on_result(self, result: RowResult) -> None:
        self._left.pop(0)
        number = len(self._plan.rows) - len(self._left)
        self._news.on_result(result, number, len(self._plan.rows))

    def _give_up(self, why: str) -> None:
        """Fail the first row and skip the others, because the editor is not there."""
        if self._left:
            row = self._left[0]
            failed = RowResult(row, FAIL, 0, why, "a connected editor", "none")
            self._report.rows.append(failed)
            self._on_result(failed)
        self.skip_the_rest("no editor")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
