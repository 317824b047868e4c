"""A signal is never lost, whichever thread the operating system gives it to (SPEC §3.4)."""

from __future__ import annotations

import ast
import os
import queue
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from unity_bridge.system.signals import MainThreadQueue

ROOT = Path(__file__).parents[2]
# Every other one is taken by the thread of the connection, and then noticed at the next look, 0.2 s
# later at most.
SIGNALS = 20
GUARD_S = 30.0

# A server in small: a thread for each connection, and a main thread that waits for the reason to
# stop.
WAITING = """
import signal, socketserver, sys, threading
sys.path.insert(0, sys.argv[1])
from unity_bridge.system.signals import MainThreadQueue

events = MainThreadQueue()
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: events.put(number))
server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
while True:
    print(int(events.get()), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_signal_that_comes_with_a_connection_is_not_lost() -> None:
    child = subprocess.Popen(
        [sys.executable, "-I", "-c", WAITING, str(ROOT)], stdout=subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        port = int(child.stdout.readline())
        for count in range(SIGNALS):
            number = (signal.SIGTERM, signal.SIGINT)[count % 2]
            with socket.create_connection(("127.0.0.1", port)):
                child.send_signal(number)
            ready, _, _ = select.select([child.stdout], [], [], GUARD_S)
            assert ready, f"signal {count + 1} of {SIGNALS} was lost"
            assert int(child.stdout.readline()) == number
    finally:
        child.kill()
        child.communicate()


def test_a_queue_gives_its_items_in_order_and_is_empty_after_the_timeout() -> None:
    numbers: MainThreadQueue[int] = MainThreadQueue()
    numbers.put(1)
    numbers.put(2)
    assert [numbers.get(), numbers.get(5.0)] == [1, 2]
    for timeout in (0.0, 0.01, 0.3):
        with pytest.raises(queue.Empty):
            numbers.get(timeout)


# The files with waits without a limit, and the thread that waits there. It must not be the main
# thread of a program that has other threads, unless a signal has already come: it would miss a
# signal. There, use `MainThreadQueue`.
WITHOUT_LIMIT = {
    "attach/client_socket.py": "attach-writer; the thread that closes the link, which cuts the socket first",
    "scripting/command_bridge.py": "the main thread, on a MainThreadQueue",
    "installation/trial.py": "the main thread, for a process that was killed",
    "launch/first_start.py": "environment, which is a daemon",
    "launch/launcher.py": "the main thread, which has no others, for the program that Windows started in its place",
    "log/logger.py": "log-writer",
    "mcp/sdk/authority.py": "mcp-sdk, on an event loop of its own with a limit",
    "mcp/sdk/fallback.py": "mcp-sdk",
    "mcp/stdio_wire.py": "mcp-stdin, mcp-stdout",
    "editor_life/probing.py": "project-probe",
    "selftest/calls.py": "the main thread, on a MainThreadQueue",
    "serve/server.py": "the main thread at its end, for a timer that is cancelled",
    "simulator/connection.py": "the main thread at its end; the socket is closed first",
    "simulator/main_thread.py": "the main thread at its end",
    "simulator/proof_search.py": "the thread of the connection, once its session has ended",
    "simulator/program.py": "the main thread, on a MainThreadQueue",
    "simulator/process.py": "any thread, for a process that was killed or has closed its output",
    "unity/bridge_client.py": "the main thread at its end; the listener is closed first",
    "unity/outbox.py": "peer-N-writer",
    "unity/peer_connection.py": "peer-reader",
    "unity/peer_turns.py": "peer-reader; the executor lets all of them go on when it ends",
}


def test_no_wait_without_a_limit_is_on_the_main_thread() -> None:
    assert set(untimed_waits(ROOT / "unity_bridge")) == set(WITHOUT_LIMIT)


def untimed_waits(folder: Path) -> Iterator[str]:
    """Each file with a call of a method ``wait``, ``join``, ``get`` and the like that is given
    nothing.
    """
    for path in sorted(folder.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(call, ast.Call)
                and not call.args
                and not call.keywords
                and is_wait(call.func)
            ):
                yield path.relative_to(folder).as_posix()


def is_wait(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr in (
        "wait",
        "join",
        "get",
        "communicate",
        "result",
    )
