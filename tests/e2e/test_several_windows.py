"""SPEC §14 with real processes: several windows on one editor, and owners that are killed one after
another.
"""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.e2e.bridge_process import GUARD_S, BridgeProcess, Gone
from tests.faulty_editor.process import SimulatorProcess
from tests.ports import free_port
from tests.unity.raw_websocket import RawClient
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

WINDOWS = 8
CALLS = 200
OWNERS_KILLED = 6


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(autouse=True)
def one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editors have the secret of the windows."""
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))


def windows(stack: ExitStack, count: int, state_dir: Path) -> List[BridgeProcess]:
    """So many servers on one port; the first one owns it."""
    # Not 0: that port could be given to another program while one owner follows the other.
    first = stack.enter_context(BridgeProcess(free_port(), state_dir))
    port = first.wait_for_a_role()
    # The others are started side by side, as a client restores its windows.
    others = [BridgeProcess(port, state_dir) for _ in range(count - 1)]
    starting = [threading.Thread(target=stack.enter_context, args=(other,)) for other in others]
    for thread in starting:
        thread.start()
    for thread in starting:
        thread.join(GUARD_S)
    for other in others:
        other.wait_for_a_role()
    return [first, *others]


def editor_on(stack: ExitStack, port: int, **options: Any) -> SimulatorProcess:
    editor = stack.enter_context(SimulatorProcess(port, **options))
    editor.wait_for("connected", GUARD_S)
    return editor


def end_of(job: str, window: BridgeProcess) -> Dict[str, Any]:
    """The last answer of a window about a job. That the editor moves to another owner is no end."""
    while True:
        status = window.call("get_job_status", job_id=job, wait_ms=10_000)
        is_open = status.get("state") in ("queued", "running") or status.get("error", {}).get(
            "retryable"
        )
        if not is_open:
            return status


def test_every_window_works_with_the_one_editor(stack: ExitStack, tmp_path: Path) -> None:
    first, second, third = windows(stack, 3, tmp_path)
    editor = editor_on(stack, first.wait_for_a_role(), speed=20)
    first.wait_to_be_ready()
    roles = [window.state() for window in (first, second, third)]
    assert [state["role"] for state in roles] == ["owner", "attached", "attached"]
    assert {(state["editor_state"], state["clients"]) for state in roles} == {("ready", 3)}
    assert second.call("read_console")["count"] == third.call("read_console")["count"]
    job = second.call("run_tests", wait_ms=0, mode="edit")["job_id"]
    assert third.call("get_job_status", job_id=job)["job_id"] == job
    editor.wait_for("submit", GUARD_S, job_id=job)
    assert first.call("cancel_job", job_id=job)["status"] in ("cancel_requested", "rejected")
    for window in (first, second, third):
        assert window.call("read_console", max_entries=0)["error"]["code"] == "ERR_INVALID_PARAMS"
        assert (
            window.call("get_job_status", job_id="job-none")["error"]["code"] == "ERR_JOB_NOT_FOUND"
        )


@contextmanager
def unity_with_one_entry(port: int, message: str) -> Iterator[None]:
    """A plugin of another author, which sends its whole console in one answer."""

    def says(type: str, **fields: Any) -> None:
        line.send(json.dumps({"type": type, "protocol_version": 1, **fields}, ensure_ascii=False))

    def live() -> None:
        # A ping may come after the end.
        with suppress(ConnectionClosed):
            for text in line:
                heard = json.loads(text)
                if heard["type"] == "ping":
                    says("pong")
                elif heard["type"] == "execute":
                    entries = [{"type": "log", "message": message, "stack_trace": ""}]
                    result = {"entries": entries, "count": 1, "truncated": False}
                    says("result", request_id=heard["request_id"], status="ok", result=result)

    with connect(f"ws://127.0.0.1:{port}/unity", compression=None, max_size=None) as line:
        says("hello", plugin_version="9.9", state="ready")
        living = threading.Thread(target=live, name="unity")
        living.start()
        yield
        line.close()
        living.join(GUARD_S)


def test_the_longest_answer_that_can_be_configured_reaches_every_window(
    stack: ExitStack, tmp_path: Path
) -> None:
    longest = 16 * 2**20
    # Reading it may take a busy machine longer than an editor may be silent.
    at_most = {
        "UNITY_BRIDGE_MAX_MESSAGE_BYTES": str(longest),
        "UNITY_BRIDGE_HEARTBEAT_TIMEOUT_MS": "60000",
    }
    owner = stack.enter_context(BridgeProcess(0, tmp_path, **at_most))
    attached = stack.enter_context(BridgeProcess(owner.wait_for_a_role(), tmp_path, **at_most))
    message = "\u00e9" * (longest // 2 - 500)
    stack.enter_context(unity_with_one_entry(owner.wait_for_a_role(), message))
    for window in (owner, attached, attached):
        answer = window.call("read_console", timeout_ms=30_000)
        # Each window's own server cuts it, so its count says that all of it has come there.
        cut = f"{message[:1000]}... ({len(message) - 1000} more characters)"
        assert "entries" in answer and answer["entries"][0]["message"] == cut, str(answer)[:500]
    assert attached.state()["role"] == "attached"
    assert not any("is gone" in line for line in attached.log), "the link has held"


def test_a_window_that_is_closed_takes_nothing_with_it(stack: ExitStack, tmp_path: Path) -> None:
    first, second = windows(stack, 2, tmp_path)
    editor = editor_on(stack, first.wait_for_a_role(), speed=2)
    job = second.call("run_tests", wait_ms=0, mode="all")["job_id"]
    editor.wait_for("test_finished", job_id=job)
    assert first.close() == 0
    second.wait_to_own_the_port()
    status = end_of(job, second)
    assert status["state"] == "failed" and status["result"]["summary"]["total"] == 16
    assert [event["job_id"] for event in editor.events("job_started")] == [job]


def test_a_run_that_outlives_its_owner_still_ends_at_its_deadline(
    stack: ExitStack, tmp_path: Path
) -> None:
    first, second = windows(stack, 2, tmp_path)
    editor = editor_on(stack, first.wait_for_a_role(), tests=5000, test_seconds=0.2)
    job = second.call("run_tests", wait_ms=0, mode="edit", timeout_ms=2000)["job_id"]
    editor.wait_for("test_finished", job_id=job)
    first.kill()
    assert end_of(job, second)["state"] == "timeout"
    # The plugin keeps the deadline, and so does the new owner, who cancels what runs beyond it: who
    # is first may vary.
    assert editor.wait_for("job_finished", job_id=job)["state"] in ("timeout", "cancelled")


def test_a_probe_that_comes_and_goes_does_not_take_the_port(
    stack: ExitStack, tmp_path: Path
) -> None:
    (first,) = windows(stack, 1, tmp_path)
    port = first.wait_for_a_role()
    editor = editor_on(stack, port)
    for _ in range(3):
        with BridgeProcess(port, tmp_path) as probe:
            probe.ask("tools/list", {}).result(GUARD_S)
    assert first.call("get_editor_state")["role"] == "owner"
    assert editor.events("disconnected") == []


def test_scripts_work_next_to_an_agent(stack: ExitStack, tmp_path: Path) -> None:
    (first,) = windows(stack, 1, tmp_path)
    port = first.wait_for_a_role()
    editor_on(stack, port)
    script = subprocess.run(
        [*isolated(), "call", "read_console", "max_entries=1", "--port", str(port)],
        env={**first._environment},
        cwd=str(Path(__file__).parents[2]),
        capture_output=True,
        text=True,
        timeout=GUARD_S,
    )
    assert script.returncode == 0, script.stderr
    assert '"entries"' in script.stdout
    assert first.call("get_editor_state")["role"] == "owner"


def test_another_users_server_is_not_let_in(stack: ExitStack, tmp_path: Path) -> None:
    (first,) = windows(stack, 1, tmp_path / "mine")
    port = first.wait_for_a_role()
    other = stack.enter_context(BridgeProcess(port, tmp_path / "theirs"))
    error = other.call("read_console")["error"]
    while error["details"].get("reason") != "port_in_use":
        error = other.call("read_console")["error"]
    assert error["code"] == "ERR_EDITOR_NOT_READY"
    # The holder's pid is known, and it is ours.
    assert (
        "a unity-bridge of this user with another state folder (UNITY_BRIDGE_STATE_DIR"
        in error["message"]
    )
    assert first.call("get_editor_state")["clients"] == 1


def relay_to(stack: ExitStack, port: int) -> int:
    """The port of a program that passes everything on to ``port``, both ways."""
    program = str(Path(__file__).with_name("relay.py"))
    relay = subprocess.Popen([sys.executable, program, str(port)], stdout=subprocess.PIPE)
    stack.callback(relay.communicate)
    stack.callback(relay.kill)
    assert relay.stdout is not None
    return int(relay.stdout.readline())


def test_an_editor_behind_a_program_in_between_is_not_trusted(
    stack: ExitStack, tmp_path: Path
) -> None:
    """Neither side's proof is worth anything to the other, since each names its own port (SPEC
    §17.1).
    """
    (window,) = windows(stack, 1, tmp_path)
    editor = editor_on(stack, relay_to(stack, window.wait_for_a_role()))
    refused = window.call("compile")["error"]
    assert (refused["code"], refused["details"]["reason"]) == ("ERR_UNITY_EXECUTION", "untrusted")
    assert refused["details"]["execution_guarantee"] == "not_executed" and not editor.events(
        "submit"
    )
    assert window.call("get_editor_state")["trusted"] is False
    assert "error" not in window.call("read_console"), "the tools of version 1 work"


def test_a_plugin_that_relays_another_peers_proof_is_sent_away(
    stack: ExitStack, tmp_path: Path
) -> None:
    (window,) = windows(stack, 1, tmp_path)
    editor = stack.enter_context(SimulatorProcess(window.wait_for_a_role(), dialect="wrong-proof"))
    assert editor.wait_for("disconnected", GUARD_S)["code"] == 1008
    assert editor.wait_for("disconnected", GUARD_S)["code"] == 1008
    assert window.call("get_editor_state")["trusted"] is not True


def test_a_server_that_requires_trust_takes_no_other_plugin(
    stack: ExitStack, tmp_path: Path
) -> None:
    strict = {
        "UNITY_BRIDGE_REQUIRE_TRUSTED_PLUGIN": "true",
        "UNITY_BRIDGE_REQUEST_RECONNECT_WAIT_MS": "200",
    }
    window = stack.enter_context(BridgeProcess(0, tmp_path, **strict))
    port = window.wait_for_a_role()
    with SimulatorProcess(port, dialect="no-proof") as intruder:
        assert "require_trusted_plugin" in intruder.wait_for("error_received", GUARD_S)["message"]
        assert window.call("read_console")["error"]["code"] == "ERR_EDITOR_NOT_READY"
        assert not intruder.events("execute"), "not even a tool of version 1"
    editor_on(stack, port)
    window.wait_to_be_ready()
    assert window.call("get_editor_state")["trusted"] is True
    assert "error" not in window.call("read_console")


def test_a_program_in_between_cannot_pass_a_proof_on(stack: ExitStack, tmp_path: Path) -> None:
    """It has another port, and relays everything between a window and the owner (SPEC §17.1)."""
    (owner,) = windows(stack, 1, tmp_path)
    editor_on(stack, owner.wait_for_a_role())
    window = stack.enter_context(BridgeProcess(relay_to(stack, owner.wait_for_a_role()), tmp_path))
    error = window.call("read_console")["error"]
    while error["details"].get("reason") != "port_in_use":
        error = window.call("read_console")["error"]
    assert error["code"] == "ERR_EDITOR_NOT_READY"
    assert owner.call("get_editor_state")["clients"] == 1


def test_unproven_peers_keep_neither_windows_nor_unity_out(
    stack: ExitStack, tmp_path: Path
) -> None:
    """160 of them at /attach: they hang up only when they are cut, and come again after a second
    (SPEC §20.1).
    """
    (owner,) = windows(stack, 1, tmp_path)
    port = owner.wait_for_a_role()
    are_there, enough = threading.Semaphore(0), threading.Event()
    crowd: List[RawClient] = []

    def knock() -> None:
        while not enough.is_set():
            with suppress(OSError, AssertionError), RawClient(port) as intruder:
                crowd.append(intruder)
                intruder.shake_hands("/attach")
                are_there.release()
                intruder.is_cut()
            are_there.release()
            enough.wait(1.0)

    intruders = [threading.Thread(target=knock, name=f"intruder-{n}") for n in range(160)]
    for intruder in intruders:
        intruder.start()
    try:
        for _ in intruders:
            assert are_there.acquire(timeout=GUARD_S)
        window = stack.enter_context(BridgeProcess(port, tmp_path))
        assert window.wait_for_a_role() == port
        editor_on(stack, port)
        owner.wait_to_be_ready()
        assert window.call("read_console")["count"] > 0
    finally:
        enough.set()
        for client in crowd:
            with suppress(OSError):
                client.line.shutdown(socket.SHUT_RDWR)
        for intruder in intruders:
            intruder.join(GUARD_S)
    assert len(owner.log) < 40, "".join(owner.log)


def says_nothing(line: socket.socket) -> None:
    while line.recv(2**16):
        pass


def is_another_program(line: socket.socket) -> None:
    line.sendall(b"SSH-2.0-x\r\n")


def is_a_website(line: socket.socket) -> None:
    line.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")


def drips(line: socket.socket) -> None:
    pause = threading.Event()
    for byte in b"HTTP/1.1 101 Switching Protocols\r\n" + b"A: b\r\n" * 1000:
        line.sendall(bytes((byte,)))
        pause.wait(0.2)


def floods(line: socket.socket) -> None:
    """Shakes hands as it should, and begins a frame of 2^40 bytes."""
    head = b""
    while b"\r\n\r\n" not in head:
        head += line.recv(4096)
    key = next(
        field[19:]
        for field in head.split(b"\r\n")
        if field.lower().startswith(b"sec-websocket-key: ")
    )
    accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    line.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + accept
        + b"\r\n\r\n\x81\x7f"
        + (2**40).to_bytes(8, "big")
    )
    while True:
        line.sendall(b"x" * 2**16)


@pytest.mark.parametrize(
    "intruder", [says_nothing, is_another_program, is_a_website, drips, floods]
)
def test_another_program_on_the_port_is_named_and_waited_out(
    stack: ExitStack, tmp_path: Path, intruder: Callable[[socket.socket], None]
) -> None:
    """It costs neither time nor memory, and an agent does not read that Unity is missing (SPEC
    §2.5, §20.1).
    """
    # Not 0: that port could be given to another program before the window takes it.
    with socket.create_server(("127.0.0.1", free_port())) as listening:

        def meet(line: socket.socket) -> None:
            with line, suppress(OSError):
                intruder(line)

        def receive() -> None:
            with suppress(OSError):
                while True:
                    line, _ = listening.accept()
                    threading.Thread(
                        target=meet, args=(line,), name="intruder", daemon=True
                    ).start()

        threading.Thread(target=receive, name="intruder", daemon=True).start()
        port = listening.getsockname()[1]
        window = stack.enter_context(BridgeProcess(port, tmp_path))
        error = window.call("read_console")["error"]
        # The call waits for hardly longer than the server waits for the intruder to speak.
        while error["details"].get("reason") != "port_in_use":
            error = window.call("read_console")["error"]
        assert error["code"] == "ERR_EDITOR_NOT_READY"
        assert "pid" in error["details"]["holder"] and "no Unity" not in error["message"]
        assert psutil.Process(window.process.pid).memory_info().rss < 2**28
        listening.shutdown(socket.SHUT_RDWR)
    window.wait_to_own_the_port()
    editor_on(stack, port)
    window.wait_to_be_ready()
    assert window.call("read_console")["count"] > 0


def test_owners_are_killed_one_after_another(stack: ExitStack, tmp_path: Path) -> None:
    """Every call is answered once, nothing but a read runs twice, and each window's calls keep
    their order.
    """
    crowd = windows(stack, WINDOWS, tmp_path)
    editor = editor_on(stack, crowd[0].wait_for_a_role(), speed=1000)
    answered: List[List[Dict[str, Any]]] = [[] for _ in crowd]

    def work(number: int) -> None:
        window, jobs = crowd[number], ["job-none"]
        for call in range(CALLS):
            tool = (
                "read_console",
                "get_editor_state",
                "read_console",
                "run_tests",
                "get_job_status",
            )[call % 5]
            arguments: Dict[str, Any] = {"client_request_id": f"{number}:{call}"}
            own: Dict[str, Dict[str, Any]] = {
                "run_tests": {"mode": "edit", "wait_ms": 0},
                "get_job_status": {"job_id": jobs[-1]},
            }
            arguments.update(own.get(tool, {}))
            try:
                result = window.call(tool, **arguments)
            except Gone:
                return
            jobs += [result["job_id"]] if tool == "run_tests" and "job_id" in result else []
            answered[number].append({**result, "tool": tool})

    workers = [
        threading.Thread(target=work, args=(number,), name=f"window-{number}")
        for number in range(WINDOWS)
    ]
    for worker in workers:
        worker.start()
    alive = list(crowd)
    for _ in range(OWNERS_KILLED):
        owner = wait_for_an_owner(alive)
        editor.wait_for("execute", GUARD_S)
        owner.kill()
        alive.remove(owner)
    for worker in workers:
        worker.join(4 * GUARD_S)
        assert not worker.is_alive()

    for window in alive:
        assert len(answered[crowd.index(window)]) == CALLS
    assert [window.unasked for window in crowd] == [[]] * WINDOWS, "nothing is answered twice"
    submitted = [event["job_id"] for event in editor.events("submit") if not event["known"]]
    assert len(submitted) == len(set(submitted)), "no job was taken twice"
    started = [event["job_id"] for event in editor.events("job_started")]
    assert len(started) == len(set(started)), "no job ran twice"
    promised = [
        answer["job_id"]
        for answers in answered
        for answer in answers
        if answer["tool"] == "run_tests" and "job_id" in answer
    ]
    assert len(promised) == len(set(promised))
    for answers in answered:
        for answer in answers:
            if "error" in answer and answer["tool"] != "get_job_status":
                assert answer["error"]["code"] in (
                    "ERR_RECONNECT_TIMEOUT",
                    "ERR_EDITOR_NOT_READY",
                ), answer
    order: Dict[str, List[int]] = {}
    for event in editor.events("execute"):
        window_number, call_number = event["client_request_id"].split(":")
        order.setdefault(window_number, []).append(int(call_number))
    assert all(numbers == sorted(numbers) for numbers in order.values()), "first come, first served"


def wait_for_an_owner(crowd: List[BridgeProcess]) -> BridgeProcess:
    pause, deadline = threading.Event(), time.monotonic() + GUARD_S
    while time.monotonic() < deadline:
        for window in crowd:
            if window.owns_the_port:
                return window
        pause.wait(0.01)
    raise AssertionError("no window takes the port: " + "".join(crowd[0].log[-20:]))
