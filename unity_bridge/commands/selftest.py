"""``unity-bridge selftest``: Try this program in a real Unity, and write a report."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple

import click

from unity_bridge.commands.shared.envelope import put_answer
from unity_bridge.commands.shared.options import (
    ScriptCommand,
    flag,
    json_option,
    prints_json,
    script_settings,
    wait_option,
)
from unity_bridge.scripting.output import NOTHING_RAN, note, put, value_or_stop
from unity_bridge.selftest.row import GROUPS

if TYPE_CHECKING:
    from unity_bridge.selftest.report import RowResult

_MARKS = {
    "pass": click.style("pass", fg="green"),
    "fail": click.style("FAIL", fg="red"),
    "skipped": "skip",
}


def _absolute(path: str) -> Path:
    return Path(path).absolute()


@click.command(
    "selftest",
    cls=ScriptCommand,
    epilog="Example: unity-bridge selftest --only reload --only compile",
)
@click.argument("project", required=False, type=click.Path(), metavar="[PROJECT]")
@click.option(
    "--unity", metavar="PATH", help="The Unity program to try (default: the newest installed)."
)
@click.option(
    "--only",
    "groups",
    multiple=True,
    type=click.Choice(GROUPS),
    metavar="GROUP",
    help=f"Only the rows of this group; more than once for several. Groups: {', '.join(GROUPS)}.",
)
@flag(
    "--headless",
    help="Without a window (-batchmode). Rows that need one are skipped.",
)
@click.option(
    "--report", "report_file", metavar="FILE", type=_absolute, help="Where to write the report."
)
@click.option(
    "--html",
    "page_file",
    metavar="FILE",
    type=_absolute,
    help="Where to write the report as one page too.",
)
@flag(
    "--list",
    "is_list",
    help="List the rows, and in which Unity each has passed. Runs none.",
)
@wait_option(600.0, "How long Unity may take to open the scratch project ({}).")
@click.option(
    "--row", "names", multiple=True, metavar="NAME", hidden=True, help="Only the row of this name."
)
@json_option()
def command(
    project: Optional[str],
    unity: Optional[str],
    groups: Tuple[str, ...],
    headless: bool,
    report_file: Optional[Path],
    page_file: Optional[Path],
    is_list: bool,
    wait_s: float,
    names: Tuple[str, ...],
) -> int:
    """Try in a real Unity Editor what this program promises, and write a report.

    It makes a scratch project in the state folder, opens it in Unity, and removes it unless a row
    failed; it needs no project of yours. With PROJECT it asks the editor that has that project
    open, and runs only rows that change nothing.

    The report has no user name, no path outside the scratch project and nothing of the environment. Please attach it
    to an issue, also if every row passed. Exit status: 1 if a row failed, or if none passed.
    """
    from unity_bridge.base.result import Err
    from unity_bridge.editor_life.machine_layout import MachineLayout
    from unity_bridge.selftest.editor import program_to_try
    from unity_bridge.selftest.rows import rows_of
    from unity_bridge.selftest.session import SelftestNews, SelftestPlan, run_selftest

    rows = tuple(row for row in rows_of(groups) if not names or row.name in names)
    if is_list:
        listed = [
            {"name": row.name, "group": row.group, "proves": row.proves, "seen": row.seen}
            for row in rows
        ]
        lines = (f"{row['group']:<8}  {row['name']} ({row['seen']})" for row in listed)
        put_answer(True, {"rows": listed}, lines)
        return 0
    if project is not None and (unity is not None or headless):
        option = "--headless" if unity is None else "--unity"
        raise click.UsageError(
            f"{option} opens a scratch project, and PROJECT is open already: leave one of them out."
        )
    # A scratch project is made for the run, so the projects around this folder do not matter.
    settings = script_settings(
        {"project": project, "log_level": "error"}, has_project=project is not None
    )
    program = None
    if project is None:
        program = value_or_stop(program_to_try(unity, MachineLayout()), f" {NOTHING_RAN}", 1)
    plan = SelftestPlan(
        rows,
        settings.config,
        program,
        settings.project,
        report_file,
        wait_s,
        headless,
        page_file,
    )
    show: Callable[[str], object] = (
        (lambda line: note(click.unstyle(line))) if prints_json() else put
    )
    _take_sigterm_as_ctrl_c()
    selftest_end = run_selftest(
        plan, SelftestNews(note, lambda result, number, of: show(_line(result, number, of)))
    )
    if isinstance(selftest_end, Err):
        note(selftest_end.error)
        return 1
    end = selftest_end.value
    put_answer(end.status == 0, end.report, _summary(end.report["rows"]))
    if end.kept is not None:
        note(f"A row failed, so the scratch project was kept: {end.kept}")
    status = end.status
    for written in end.written:
        if isinstance(written, Err):
            note(written.error)
            status = status or 1
        else:
            note(f"Report: {written.value}")
    return status


def _take_sigterm_as_ctrl_c() -> None:
    """Take SIGTERM as Ctrl-C, so that the report is written also after an interruption."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


def _line(result: RowResult, number: int, of: int) -> str:
    why = f": {result.reason}" if result.reason is not None else ""
    took = "" if result.status == "skipped" else f"  {result.ms / 1000:.1f} s"
    return f"{number:>3}/{of}  {_MARKS[result.status]}  {result.row.group:<8}  {result.row.name}{why}{took}"


def _summary(rows: List[Mapping[str, Any]]) -> List[str]:
    """One line for each group, and one for all."""
    groups: Dict[str, List[str]] = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row["status"])
    groups["all"] = [row["status"] for row in rows]
    lines = [f"{'group':<10}{'pass':>6}{'fail':>6}{'skipped':>9}"]
    for group, statuses in groups.items():
        counts = [statuses.count(status) for status in ("pass", "fail", "skipped")]
        lines.append(f"{group:<10}{counts[0]:>6}{counts[1]:>6}{counts[2]:>9}")
    return lines
