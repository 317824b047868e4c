"""Measures server and plugin together, through the MCP client; run as ``python -m
tests.unity_headless.measure``.
"""

from __future__ import annotations

import statistics
import sys
from functools import partial
from typing import Callable, List

from tests.ports import free_port
from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.base.clock import SystemClock

CALLS = 300
RELOADS = 20
WALKS = 5
CHILDREN = (10_000, 100_000)
CLOCK = SystemClock()


def main() -> None:
    port = free_port()
    with Agent(port) as agent, HeadlessEditor(port) as editor:
        agent.wait_for_editor()
        editor.command("echo off")
        for entries in (1, 200, 2000):
            editor.command(f"flood {entries} 80")
            editor.wait_for("flooded")
            _report(
                f"read_console of {entries}",
                [_timed(partial(_read, agent, entries)) for _ in range(CALLS)],
            )
        editor.tests("edit|A.B.C|pass")
        _report(
            "run_tests of one test, to its end", [_timed(lambda: _run(agent)) for _ in range(30)]
        )
        _measure_reloads(agent, editor)
        _measure_hierarchies(agent, editor)


def _measure_reloads(agent: Agent, editor: HeadlessEditor) -> None:
    domain: List[float] = []
    answered: List[float] = []
    for _ in range(RELOADS):
        domain.append(float(editor.reload()))
        answered.append(_timed(lambda: agent.call("read_console", max_entries=1)))
    _report("domain reload (the editor's own part)", domain)
    _report("new domain loaded -> next answer", answered)


def _measure_hierarchies(agent: Agent, editor: HeadlessEditor) -> None:
    for count in CHILDREN:
        name = f"crowd{count}"
        editor.arrange(
            f"world object {name}|Assets/Clean.unity|{name}|Enemy", f"world many {name}|Man|{count}"
        )
        agent.wait_for_editor()
        walks = [_timed(partial(_walk, agent, f"Clean/{name}", count + 1)) for _ in range(WALKS)]
        _report(f"all pages of an object with {count} children", walks)


def _walk(agent: Agent, path: str, total: int) -> None:
    page = agent.call("inspect", what="hierarchy", path=path, limit=1000)
    found = len(page["items"])
    while "next_cursor" in page:
        page = agent.call(
            "inspect", what="hierarchy", path=path, limit=1000, cursor=page["next_cursor"]
        )
        found += len(page["items"])
    assert found == total


def _read(agent: Agent, entries: int) -> None:
    assert len(agent.call("read_console", max_entries=entries)["entries"]) == entries


def _run(agent: Agent) -> None:
    status = agent.run_to_its_end(agent.call("run_tests", wait_ms=0, mode="edit")["job_id"])
    assert status["state"] == "succeeded"


def _timed(action: Callable[[], object]) -> float:
    started = CLOCK.now()
    action()
    return 1000 * (CLOCK.now() - started)


def _report(what: str, ms: List[float]) -> None:
    ordered = sorted(ms)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    sys.stderr.write(
        f"{what}: p50 {statistics.median(ordered):.1f} ms, p99 {p99:.1f} ms, n={len(ordered)}\n"
    )


if __name__ == "__main__":
    main()
