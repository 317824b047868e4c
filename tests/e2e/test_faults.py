"""The promises hold when the system fails the server: killed, stopped, or without descriptors (real
processes).

A process is killed or stopped in each phase of a job, at each side. What was asked for once is started once, and every
call gets one true answer.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import psutil
import pytest

from tests.e2e.bridge_process import GUARD_S, BridgeProcess
from tests.e2e.test_several_windows import editor_on, end_of, windows
from tests.unity.raw_websocket import RawClient
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP")
TESTS = 20

# The event of the editor after which the fault happens. "" is before an editor has come: the call
# is parked.
PHASES = ["", "submit", "job_started", "test_finished", "job_finished"]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(autouse=True)
def one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))


def asked(window: BridgeProcess) -> Any:
    arguments = {"mode": "edit", "client_request_id": "once"}
    return window.ask("tools/call", {"name": "run_tests", "arguments": arguments})


def structured(answer: Dict[str, Any]) -> Dict[str, Any]:
    return dict(answer["result"]["structuredContent"])


def is_unknown(answer: Dict[str, Any]) -> bool:
    """A server that cannot know what became of a call says so, and that it must not simply be
    repeated.
    """
    error = answer.get("error") or {"details": {}}
    return error["details"].get("execution_guarantee") == "unknown" and not error["retryable"]


def total_of(answer: Dict[str, Any], window: BridgeProcess) -> int:
    """How many tests the run had. A call that was refused unexecuted is made again, as its error
    says.
    """
    while "error" in answer and answer["error"] is not None and "job_id" not in answer:
        # On a busy machine the call may have waited in vain for its editor: not retryable, and
        # nothing ran.
        is_refused = answer["error"]["details"]["execution_guarantee"] == "not_executed"
        assert answer["error"]["retryable"] or is_refused, answer
        answer = structured(asked(window).result(GUARD_S))
    if answer.get("result") is None:
        answer = end_of(answer["job_id"], window)
    return int(answer["result"]["summary"]["total"])


@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase or "parked")
def test_an_owner_is_killed(stack: ExitStack, tmp_path: Path, phase: str) -> None:
    owner, attached = windows(stack, 2, tmp_path)
    port = owner.wait_for_a_role()
    editor = editor_on(stack, port, tests=TESTS, test_seconds=0.05) if phase else None
    waiting = asked(attached)
    if editor is not None:
        editor.wait_for(phase, GUARD_S)
    else:
        assert attached.state()["role"] == "attached"
    owner.kill()
    editor = editor or editor_on(stack, port, tests=TESTS, test_seconds=0.05)
    answer = structured(waiting.result(GUARD_S))
    assert is_unknown(answer) or total_of(answer, attached) == TESTS
    assert len(editor.events("job_started")) <= 1


@posix_only
@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase or "parked")
def test_an_owner_is_stopped_and_continued(stack: ExitStack, tmp_path: Path, phase: str) -> None:
    owner, attached = windows(stack, 2, tmp_path)
    port = owner.wait_for_a_role()
    editor = editor_on(stack, port, tests=TESTS, test_seconds=0.05) if phase else None
    waiting = asked(attached)
    if editor is not None:
        editor.wait_for(phase, GUARD_S)
    with stopped(owner.process.pid):
        assert attached.call("get_editor_state")["port"] == port, (
            "a stopped owner does not silence the others"
        )
    editor = editor or editor_on(stack, port, tests=TESTS, test_seconds=0.05)
    assert total_of(structured(waiting.result(GUARD_S)), attached) == TESTS
    assert len(editor.events("job_started")) == 1


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    process = psutil.Process(pid)
    process.suspend()
    try:
        yield
    finally:
        process.resume()


@posix_only
@pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase or "parked")
def test_an_attached_server_is_stopped_and_continued(
    stack: ExitStack, tmp_path: Path, phase: str
) -> None:
    """While another server is stopped, the owner serves its own client."""
    owner, attached = windows(stack, 2, tmp_path)
    port = owner.wait_for_a_role()
    editor = editor_on(stack, port, tests=TESTS, test_seconds=0.05) if phase else None
    waiting = asked(attached)
    if editor is not None:
        editor.wait_for(phase, GUARD_S)
    with stopped(attached.process.pid):
        assert owner.call("get_editor_state")["port"] == port
        assert editor is None or owner.call("read_console")["count"] >= 0
    editor = editor or editor_on(stack, port, tests=TESTS, test_seconds=0.05)
    assert total_of(structured(waiting.result(GUARD_S)), attached) == TESTS
    assert len(editor.events("job_started")) == 1


@posix_only
@pytest.mark.parametrize("phase", PHASES[1:])
@pytest.mark.parametrize("is_lost", [False, True], ids=["a moment", "until it counts as lost"])
def test_an_editor_is_stopped_and_continued(
    stack: ExitStack, tmp_path: Path, phase: str, is_lost: bool
) -> None:
    window = stack.enter_context(BridgeProcess(0, tmp_path))
    editor = editor_on(stack, window.wait_for_a_role(), tests=TESTS, test_seconds=0.05)
    waiting = asked(window)
    editor.wait_for(phase, GUARD_S)
    with stopped(editor.pid):
        state = window.call("get_editor_state")
        while is_lost and state["connected"]:
            state = window.call("get_editor_state")
        assert state["port"] == window.port
    assert total_of(structured(waiting.result(GUARD_S)), window) == TESTS
    assert len(editor.events("job_started")) == 1


@pytest.mark.parametrize("phase", ["submit", "job_started", "test_finished"])
def test_an_editor_is_killed(stack: ExitStack, tmp_path: Path, phase: str) -> None:
    """What became of the run is not known, and nothing says that it succeeded."""
    window = stack.enter_context(BridgeProcess(0, tmp_path))
    port = window.wait_for_a_role()
    editor = editor_on(stack, port, tests=2000, test_seconds=0.05)
    waiting = asked(window)
    editor.wait_for(phase, GUARD_S)
    editor.kill()
    editor_on(stack, port)
    answer = structured(waiting.result(GUARD_S))
    assert answer.get("state") != "succeeded" and is_unknown(answer), answer
    assert window.call("read_console")["count"] > 0


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_no_descriptor_is_left(stack: ExitStack, tmp_path: Path) -> None:
    """A server in use answers its calls; and an editor gets in once there are descriptors again."""
    window = stack.enter_context(BridgeProcess(0, tmp_path))
    port = window.wait_for_a_role()
    assert window.call("get_editor_state")["port"] == port
    with no_descriptor(window.process.pid), ExitStack() as crowd:
        for _ in range(5):
            crowd.callback(RawClient(port).line.close)
        window.wait_to_log("cannot accept connections")
        state = window.call("get_editor_state")
        assert state.get("port") == port, state
        assert window.call("get_job_status", job_id="job-none")["error"]["details"][
            "execution_guarantee"
        ]
    editor_on(stack, port)
    window.wait_to_be_ready()
    assert window.call("read_console")["count"] > 0


@contextmanager
def no_descriptor(pid: int) -> Iterator[None]:
    """In the block a process can open no further descriptor."""
    import resource

    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    limit = lowest_free_descriptor(pid)
    while True:  # what was open for a moment only gives its number back
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, before[1]))
        lower = lowest_free_descriptor(pid)
        if lower >= limit:
            break
        limit = lower
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def lowest_free_descriptor(pid: int) -> int:
    """The limit is one of the numbers, so their count says too much where one between them is free."""
    taken = {int(path.name) for path in Path(f"/proc/{pid}/fd").iterdir()}
    return next(number for number in count() if number not in taken)


# A read, a job, questions; and calls that are refused, whose nearest names need a library that is
# loaded then.
FIRST_CALLS: List[Tuple[str, Dict[str, Any]]] = [
    ("get_editor_state", {}),
    ("read_console", {}),
    ("inspect", {"what": "hierarchy"}),
    ("compile", {}),
    ("run_tests", {"mode": "edit"}),
    ("run_command", {"command": "list_packages"}),
    ("get_job_status", {"job_id": "job-none"}),
    ("cancel_job", {"job_id": "job-none"}),
]
REFUSED_CALLS: List[Tuple[str, Dict[str, Any]]] = [
    ("read_consol", {}),
    ("read_console", {"max_entrys": 5}),
]


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
@pytest.mark.parametrize(("tool", "arguments"), [*FIRST_CALLS, *REFUSED_CALLS])
def test_a_first_call_needs_no_descriptor(
    stack: ExitStack, tmp_path: Path, tool: str, arguments: Dict[str, Any]
) -> None:
    """What a call needs is loaded before the server takes one, so its outcome is known."""
    window = stack.enter_context(BridgeProcess(0, tmp_path))
    editor_on(stack, window.wait_for_a_role())
    window.wait_to_be_ready()  # get_job_status and cancel_job do not wait for it (SPEC §4.3)
    with no_descriptor(window.process.pid):
        first = outcome_of(window, tool, arguments)
    if (tool, arguments) in REFUSED_CALLS:
        assert first[1] == "not_executed"
    else:
        assert first == outcome_of(window, tool, arguments)


def outcome_of(window: BridgeProcess, tool: str, arguments: Dict[str, Any]) -> Tuple[str, str]:
    """The job's state or the error's code, and the guarantee."""
    answer = window.ask("tools/call", {"name": tool, "arguments": arguments}).result(GUARD_S)
    # An unknown tool is an error of the protocol (SPEC §8).
    content = {"error": answer["error"]["data"]} if "error" in answer else structured(answer)
    error = content.get("error")
    if error:
        return error["code"], error["details"]["execution_guarantee"]
    return content.get("state", "a result"), ""
