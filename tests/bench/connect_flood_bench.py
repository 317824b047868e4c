"""How soon an editor that reloads and a second window are back during a flood of connections by
another process: ``python -m tests.bench.connect_flood_bench [TRIES] [KIND ...]``.

Kinds: ``none``, ``reset`` (each connection is reset at once), ``held`` (it says nothing), ``heads`` (it does the
handshake and says nothing more), 1000 a second each. For the plugin on Mono: from the end of the reload's command to
the answer to a read, through a proof. For a window: from the start of its process to its being attached.
"""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Callable, Deque, List

from tests.e2e.bridge_process import BridgeProcess
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

RATE = 1000.0
_HELD = 400
_NOW = struct.pack("ii", 1, 0)


def flood(port: int, kind: str, rate: float = RATE) -> None:
    held: Deque[socket.socket] = deque()
    head = (
        f"GET /unity HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n"
    ).encode()
    began, made = time.monotonic(), 0
    while True:
        time.sleep(max(0.0, made / rate - (time.monotonic() - began)))
        made += 1
        line = socket.socket()
        try:
            line.settimeout(0.5)
            line.connect(("127.0.0.1", port))
            if kind == "heads":
                line.sendall(head)
        except OSError:
            line.close()
            continue
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NOW)
        held.append(line)
        while len(held) > (0 if kind == "reset" else _HELD):
            held.popleft().close()


def times(tries: int, once: Callable[[], None]) -> List[float]:
    took = []
    for _ in range(tries):
        began = time.monotonic()
        once()
        took.append(time.monotonic() - began)
    return sorted(took)


def shown(took: List[float]) -> str:
    p99 = took[min(len(took) - 1, int(len(took) * 0.99))]
    return f"p50 {took[len(took) // 2]:6.2f} s   p99 {p99:6.2f} s   worst {took[-1]:6.2f} s"


def measure(kind: str, tries: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ[STATE_DIR_VARIABLE] = folder
        with BridgeProcess(0, Path(folder)) as server:
            port = server.wait_for_a_role()
            with HeadlessEditor(port) as editor:
                while "error" in server.call("read_console"):
                    pass
                rogue = subprocess.Popen(
                    [*isolated("tests.bench.connect_flood_bench"), "flood", str(port), kind]
                )
                try:
                    time.sleep(1.0)

                    def reload() -> None:
                        editor.reload()
                        while "error" in server.call("read_console"):
                            pass

                    def attach() -> None:
                        with BridgeProcess(port, Path(folder)) as window:
                            window.wait_for_a_role()
                            attached.append(time.monotonic() - began)

                    print(f"{kind:6} plugin reloads  {shown(times(tries, reload))}", flush=True)
                    attached: List[float] = []
                    for _ in range(tries):
                        began = time.monotonic()
                        attach()
                    print(f"{kind:6} window attaches {shown(sorted(attached))}", flush=True)
                finally:
                    rogue.kill()
                    rogue.wait()


if __name__ == "__main__":
    if sys.argv[1:2] == ["flood"]:
        if sys.argv[3] != "none":
            flood(int(sys.argv[2]), sys.argv[3], *map(float, sys.argv[4:]))
    else:
        for asked in sys.argv[2:] or ["none", "reset", "held", "heads"]:
            measure(asked, int(sys.argv[1]) if len(sys.argv) > 1 else 60)
