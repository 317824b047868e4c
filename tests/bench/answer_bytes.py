"""Bytes of the answers that an agent reads most often: ``python tests/bench/answer_bytes.py [FOLDER ...]``.

Each folder is a checkout of this project (default: this one); several are columns, as ``text/structured``. A server
process answers raw MCP calls, with a simulated editor at normal speed behind it. What differs from run to run (ids,
times) has the same length each time.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
MISTAKE = "break Assets/Items/Stack.cs 1 The name 'remander' does not exist in the current context"
CALLS: List[Tuple[str, str, Dict[str, Any]]] = [
    ("editor state", "get_editor_state", {}),
    ("console", "read_console", {}),
    ("compile, nothing changed", "compile", {}),
    ("tests, one fails", "run_tests", {"mode": "edit"}),
    ("one test", "run_tests", {"filter": "Keep.Tests.Saving.SaveGameTests.AnOldSaveIsMigrated"}),
    ("enter play mode", "play_mode", {"action": "enter"}),
    ("leave play mode", "play_mode", {"action": "exit"}),
    ("hierarchy", "inspect", {"what": "hierarchy"}),
    ("command", "run_command", {"name": "spawn_wave", "arguments": {"size": 2}}),
    ("compile, an error", "compile", {}),
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def measured(folder: Path) -> List[Tuple[int, int]]:
    """The bytes of the text and of the structured content of each answer."""
    port = str(free_port())
    with tempfile.TemporaryDirectory() as state:
        environ = {**os.environ, "UNITY_BRIDGE_STATE_DIR": state}
        # As ``environment.isolated`` does for this checkout.
        program = [sys.executable, "-I", str(next(folder.glob("unity_bridge/**/run_module.py"))), "unity_bridge"]
        pipes: Dict[str, Any] = {"cwd": state, "env": environ, "stdin": subprocess.PIPE, "encoding": "utf-8"}
        pipes.update(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with subprocess.Popen([*program, "--port", port], **pipes) as server:
            simulated = [*program, "simulate", "--port", port, "--events", "--stdin-controls"]
            with subprocess.Popen(simulated, **pipes) as editor:
                assert editor.stdin is not None and editor.stdout is not None and server.stdin is not None
                for line in editor.stdout:
                    if json.loads(line)["event"] == "connected":
                        break
                sizes = []
                for name, tool, arguments in CALLS:
                    if name == "compile, an error":
                        editor.stdin.write(MISTAKE + "\n")
                        editor.stdin.flush()
                        for line in editor.stdout:
                            if json.loads(line)["event"] == "order":
                                break
                    sizes.append(_bytes(_answer(server, tool, arguments)))
                editor.stdin.close()
                editor.stdout.read()
            server.stdin.close()
    return sizes


def _answer(server: subprocess.Popen[str], tool: str, arguments: Dict[str, Any]) -> Dict[str, Any]:
    assert server.stdin is not None and server.stdout is not None
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    for number, method, params in ((1, "initialize", hello), (2, "tools/call", {"name": tool, "arguments": arguments})):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        answer: Dict[str, Any] = json.loads(server.stdout.readline())
    result: Dict[str, Any] = answer["result"]
    return result


def _bytes(result: Dict[str, Any]) -> Tuple[int, int]:
    text = "".join(part.get("text", "") for part in result["content"])
    structured = json.dumps(result.get("structuredContent", {}), ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8")), len(structured.encode("utf-8"))


def main() -> None:
    folders = [Path(word).resolve() for word in sys.argv[1:]] or [ROOT]
    columns = [measured(folder) for folder in folders]
    print("text/structured, bytes".ljust(28), *(folder.name.rjust(14) for folder in folders))
    for row, (name, _, _) in enumerate(CALLS):
        print(name.ljust(28), *("/".join(map(str, column[row])).rjust(14) for column in columns))
    sums = (tuple(map(sum, zip(*column))) for column in columns)
    print("sum".ljust(28), *("/".join(map(str, total)).rjust(14) for total in sums))


if __name__ == "__main__":
    main()
