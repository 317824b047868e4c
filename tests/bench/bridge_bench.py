"""The whole bridge with an editor, compared with a minimal SDK server: ``python
tests/bench/bridge_bench.py``.

Both answer the same calls with the same results over stdio. The SDK server makes the result itself. The bridge asks an
editor process, which answers prepared text as fast as Python can. The ratios, from alternating rounds of one run, are
the cost of the queue and of the way to Unity and back.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Callable, Dict, List, Optional, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.mcp_bench import ROOT, Server
from tests.mcp.fake_call_service import console
from tests.ports import free_port
from unity_bridge.launch.environment import isolated

ROUNDS = 3
CALLS = 400
ONE_ENTRY = {"max_entries": 1, "include_stack_trace": True}
GAPS = 40
# About 500 KB of structured content.
LARGE = 1100


def result_of(entries: int) -> Dict[str, Any]:
    """What the minimal SDK server answers to ``max_entries`` N."""
    return console(entries, "日本語 " + "m" * 200, "at A.B () in Assets/A.cs:1\n" * 8)


class Editor:
    """A minimal plugin. Runs as ``bridge_bench.py editor PORT``; obeys lines on stdin."""

    def __init__(self, port: int) -> None:
        import websocket

        self._websocket = websocket
        self._port = port
        self._texts: Dict[int, str] = {}
        self._line: Any = None

    def run(self) -> None:
        self._connect()
        for order in sys.stdin:
            if order.strip() == "away":  # until "back"
                self._line.shutdown()
                print("away", flush=True)
            elif order.strip() == "back":
                self._connect()

    def _connect(self) -> None:
        tcp = socket.create_connection(("127.0.0.1", self._port))
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line = self._websocket.WebSocket()
        self._line.connect(f"ws://127.0.0.1:{self._port}/unity", socket=tcp, suppress_origin=True)
        self._line.send(
            json.dumps(
                {
                    "type": "hello",
                    "protocol_version": 1,
                    "plugin_version": "0",
                    "state": "ready",
                    "editor_instance_id": "bench",
                    "jobs": [],
                }
            )
        )
        threading.Thread(
            target=self._answer, args=(self._line,), name="editor", daemon=True
        ).start()

    def _answer(self, line: Any) -> None:
        try:
            while True:
                text = line.recv()
                if not text:
                    return
                message = json.loads(text)
                if message["type"] == "execute":
                    line.send(self._text(message["params"]["max_entries"]) % message["request_id"])
                elif message["type"] == "ping":
                    line.send('{"type":"pong","protocol_version":1}')
                elif message["type"] == "capability":
                    print("ready", flush=True)
        except Exception:  # the connection was cut, by a command or by the server
            return

    def _text(self, wanted: int) -> str:
        if wanted not in self._texts:
            result = json.dumps(result_of(wanted)).replace("%", "%%")
            self._texts[wanted] = (
                '{"type":"result","protocol_version":1,"request_id":"%s","status":"ok","result":'
                + result
                + "}"
            )
        return self._texts[wanted]


class EditorProcess:
    """The handle of an ``Editor`` in a process of its own."""

    def __init__(self, port: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "editor", str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._hears("ready")

    def goes(self) -> None:
        self._orders("away")
        self._hears("away")

    def comes_back(self) -> None:
        self._orders("back")

    def is_back(self) -> None:
        self._hears("ready")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _orders(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(word.encode() + b"\n")
        self._process.stdin.flush()

    def _hears(self, word: str) -> None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.strip() == word.encode(), line


def console_call(server: Server, entries: int) -> bytes:
    answer = server.call("read_console", {"max_entries": entries, "include_stack_trace": True})
    assert b'"isError":true' not in answer, answer[:300]
    return answer


def start(command: List[str]) -> Tuple[Server, Dict[str, float]]:
    """A server and its client: the time to each of the first answers."""
    begun = perf_counter()
    server = Server(command)
    figures = {"spawn -> initialize answered, ms": server.cold * 1e3}
    server.ask("tools/list", {})
    figures["spawn -> tools/list answered, ms"] = (perf_counter() - begun) * 1e3
    server.call("get_editor_state")
    figures["spawn -> first result, ms"] = (perf_counter() - begun) * 1e3
    return server, figures


def measured(server: Server, figures: Dict[str, float]) -> Dict[str, float]:
    figures = dict(figures)
    for _ in range(30):
        console_call(server, 1)
    cpu = sum(server.process.cpu_times()[:2])
    times = [_timed(lambda: console_call(server, 1)) for _ in range(CALLS)]
    figures["CPU a call, ms"] = (sum(server.process.cpu_times()[:2]) - cpu) / CALLS * 1e3
    figures["one call, p50, ms"] = statistics.median(times) * 1e3
    figures["one call, p99, ms"] = sorted(times)[int(CALLS * 0.99)] * 1e3
    figures["32 in flight, ms a call"] = server.many(CALLS * 2, "read_console", ONE_ENTRY) * 1e3
    for entries in (10, 100, LARGE, 2000):
        took = statistics.median(_timed(partial(console_call, server, entries)) for _ in range(8))
        size = len(json.dumps(result_of(entries))) // 1000
        figures[f"{entries} entries ({size} KB), ms"] = took * 1e3
    figures["memory, MB"] = server.process.memory_info().rss / 1e6
    return figures


def gaps(server: Server, editor: EditorProcess) -> Dict[str, float]:
    """A call while the editor is away: the time from the editor's return to the answer."""
    took = []
    for _ in range(GAPS):
        editor.goes()
        os.write(server._into, server.line("tools/call", {"name": "read_console", "arguments": {}}))
        threading.Event().wait(0.1)
        editor.comes_back()
        editor.is_back()
        begun = perf_counter()
        answer = server._out_of.readline()
        took.append(perf_counter() - begun)
        assert b'"isError":true' not in answer, answer[:300]
    return {
        "editor back -> parked call answered, p50, ms": statistics.median(took) * 1e3,
        f"the same, worst of {GAPS}, ms": max(took) * 1e3,
    }


def _timed(do: Callable[[], Any]) -> float:
    begun = perf_counter()
    do()
    return perf_counter() - begun


def _bridge() -> Dict[str, float]:
    port = free_port()
    command = [*isolated(), "--port", str(port), "--log-level", "error"]
    server, started = start(command)
    editor = EditorProcess(port)
    try:
        figures = {**measured(server, started), **gaps(server, editor)}
        cpu = sum(server.process.cpu_times()[:2])
        threading.Event().wait(3.0)
        figures["idle CPU with an editor, ms a second"] = (
            (sum(server.process.cpu_times()[:2]) - cpu) / 3 * 1e3
        )
        editor.close()
        figures["end of file -> exit, ms"] = _timed(server.close) * 1e3
        return figures
    finally:
        editor.close()


def _reference() -> Dict[str, float]:
    server, started = start([sys.executable, "tests/bench/minimal_sdk_server.py"])
    figures = measured(server, started)
    figures["end of file -> exit, ms"] = _timed(server.close) * 1e3
    return figures


def main() -> None:
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["UNITY_BRIDGE_STATE_DIR"] = folder
        rounds: Dict[str, List[Dict[str, float]]] = {"SDK": [], "the bridge": []}
        for _ in range(ROUNDS):
            rounds["SDK"].append(_reference())
            rounds["the bridge"].append(_bridge())
    print(f"Python {sys.version.split()[0]}, median of {ROUNDS} rounds; in brackets, the ratio")
    for figure in rounds["the bridge"][0]:
        ours, theirs = (_median(rounds[name], figure) for name in ("the bridge", "SDK"))
        ratio = f" ({ours / theirs:.2f})" if ours and theirs else ""
        their_column = "" if theirs is None else f"{theirs:10.2f}"
        print(f"{figure:46}{their_column:>12}{ours:10.2f}{ratio}")


def _median(taken: List[Dict[str, float]], figure: str) -> Optional[float]:
    values = [figures[figure] for figures in taken if figure in figures]
    return statistics.median(values) if values else None


if __name__ == "__main__":
    Editor(int(sys.argv[2])).run() if sys.argv[1:2] == ["editor"] else main()
