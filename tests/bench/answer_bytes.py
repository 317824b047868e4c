"""Bytes of the answers that an agent reads: ``python tests/bench/answer_bytes.py [FOLDER ...]``.

First the answers that agents read most often, then a session of ten tasks (edit, compile, test, look) with the tool
list. Each folder is a checkout of this project (default: this one); several are columns, as ``text/structured``. A
server process answers raw MCP calls, with a simulated editor at normal speed behind it. What differs from run to run
(ids, times) has the same length each time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Dict, List, Tuple, Union

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "Assets/Items/Stack.cs"
MISTAKE = f"break {SCRIPT} 1 The name 'remander' does not exist in the current context"
TEST = "Keep.Tests.Saving.SaveGameTests.AnOldSaveIsMigrated"
FAILING_TEST = "Keep.Tests.InventoryTests.SplittingAStackKeepsTheTotal"
Call = Tuple[str, Dict[str, Any]]
# What happens in the project, as an order to the simulated editor, or what the agent calls.
Step = Union[str, Call]

CALLS: List[Tuple[str, List[Step]]] = [
    ("editor state", [("get_editor_state", {})]),
    ("console", [("read_console", {})]),
    ("compile, nothing changed", [("compile", {})]),
    ("tests, one fails", [("run_tests", {"mode": "edit"})]),
    ("one test", [("run_tests", {"filter": TEST})]),
    ("enter play mode", [("play_mode", {"action": "enter"})]),
    ("leave play mode", [("play_mode", {"action": "exit"})]),
    ("hierarchy", [("inspect", {"what": "hierarchy"})]),
    ("command", [("run_command", {"name": "spawn_wave", "arguments": {"size": 2}})]),
    ("compile, an error", [MISTAKE, ("compile", {})]),
]

ALL_TESTS: Call = ("run_tests", {"mode": "edit"})
# run_tests compiles what is on disk, so one call after an edit says whether it compiles and passes.
_PASSES, _FAILS = (f"edit {SCRIPT} {FAILING_TEST}={outcome}" for outcome in ("passed", "failed"))
_FAILING_TEST: List[Step] = [_FAILS, ALL_TESTS, _PASSES, ALL_TESTS]
_TYPING_MISTAKE: List[Step] = [MISTAKE, ALL_TESTS, f"fix {SCRIPT}", ALL_TESTS]
_RUNTIME_ERROR: List[Step] = [
    ("play_mode", {"action": "enter"}),
    "log error NullReferenceException: Object reference not set to an instance of an object",
    ("read_console", {"types": ["error"]}),
    ("play_mode", {"action": "exit"}),
]
_SCENE: List[Step] = [
    ("inspect", {"what": "hierarchy"}),
    f"edit {SCRIPT}",
    ALL_TESTS,
    ("screenshot", {}),
]
TASKS: List[List[Step]] = [*[_FAILING_TEST] * 5, *[_TYPING_MISTAKE] * 3, _RUNTIME_ERROR, _SCENE]


class Session:
    """A server and a simulated editor of one checkout."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        port, state = str(free_port()), stack.enter_context(tempfile.TemporaryDirectory())
        environ = {**os.environ, "UNITY_BRIDGE_STATE_DIR": state}
        # As ``environment.isolated`` does for this checkout.
        program = [
            sys.executable,
            "-I",
            str(next(folder.glob("unity_bridge/**/run_module.py"))),
            "unity_bridge",
        ]
        pipes: Dict[str, Any] = {
            "cwd": state,
            "env": environ,
            "stdin": subprocess.PIPE,
            "encoding": "utf-8",
        }
        pipes.update(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        simulated = [*program, "simulate", "--port", port, "--events", "--stdin-controls"]
        self._calls, self._answers = _started([*program, "--port", port], pipes, stack)
        self._orders, self._events = _started(simulated, pipes, stack)
        self._wait_for("connected")
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self.ask("initialize", hello)

    def bytes_of(self, step: Step) -> Tuple[int, int]:
        """The bytes of an answer's text and structured content, without pictures. An order has
        none.
        """
        if isinstance(step, str):
            self._orders.write(step + "\n")
            self._orders.flush()
            self._wait_for("order")
            return 0, 0
        result = self.ask("tools/call", {"name": step[0], "arguments": step[1]})
        text = "".join(part.get("text", "") for part in result["content"])
        return len(text.encode("utf-8")), len(_json(result.get("structuredContent", {})))

    def ask(self, method: str, params: Dict[str, Any]) -> Dict[str, Any]:
        self._calls.write(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n"
        )
        self._calls.flush()
        result: Dict[str, Any] = json.loads(self._answers.readline())["result"]
        return result

    def _wait_for(self, event: str) -> None:
        while json.loads(self._events.readline())["event"] != event:
            pass


def _started(
    command: List[str], pipes: Dict[str, Any], stack: ExitStack
) -> Tuple[IO[str], IO[str]]:
    """Its stdin and stdout. It ends with the stack, when its stdin is closed."""
    process = stack.enter_context(subprocess.Popen(command, **pipes))
    assert process.stdin is not None and process.stdout is not None
    stack.callback(process.stdin.close)
    return process.stdin, process.stdout


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def measured(folder: Path) -> List[Tuple[int, int]]:
    """The answers of ``CALLS`` and their sum; then those of the ten tasks, and the tool list."""
    with ExitStack() as stack:
        session = Session(folder, stack)
        rows = [_sum([session.bytes_of(step) for step in steps]) for _, steps in CALLS]
    with ExitStack() as stack:
        session = Session(folder, stack)
        session.bytes_of(_PASSES)
        tasks = _sum([session.bytes_of(step) for task in TASKS for step in task])
        tools = len(_json(session.ask("tools/list", {})))
    return [*rows, _sum(rows), tasks, (tools, tools)]


def _sum(rows: List[Tuple[int, int]]) -> Tuple[int, int]:
    return sum(text for text, _ in rows), sum(structured for _, structured in rows)


def main() -> None:
    folders = [Path(word).resolve() for word in sys.argv[1:]] or [ROOT]
    columns = [measured(folder) for folder in folders]
    calls = sum(not isinstance(step, str) for task in TASKS for step in task)
    names = [*(name for name, _ in CALLS), "sum", f"{len(TASKS)} tasks, {calls} calls", "tool list"]
    print("text/structured, bytes".ljust(28), *(folder.name.rjust(14) for folder in folders))
    for name, *cells in zip(names, *columns):
        print(name.ljust(28), *("/".join(map(str, cell)).rjust(14) for cell in cells))


if __name__ == "__main__":
    main()
