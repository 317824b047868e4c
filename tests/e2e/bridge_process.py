"""One MCP client window: a real server process of its own, and many calls at a time over its pipes."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Dict, List, Optional

from tests.strict_python import STRICT, complaints
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

ROOT = Path(__file__).parents[2]
# Long, because a machine may be busy with other things: it only ends what hangs.
GUARD_S = 120.0

_ROLE = re.compile(r"(listening for Unity|attached to the server that owns the port) port=(\d+)")


class Gone(Exception):
    """The server ended before it answered."""


class BridgeProcess:
    """A context manager. ``call`` returns the structured result of a tool, an error's too."""

    def __init__(self, port: int, state_dir: Path, **environment: str) -> None:
        self.folder = ROOT
        self._command = [*isolated(), "--port", str(port)]
        self._environment = {
            **os.environ,
            **STRICT,
            STATE_DIR_VARIABLE: str(state_dir),
            **environment,
        }
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._writing = (
            threading.Lock()
        )  # apart: answers are read while a full pipe keeps a writer waiting
        self._owed: Dict[int, Future[Dict[str, Any]]] = {}  # guarded by _lock
        self._changed = threading.Condition()
        self.port: Optional[int] = None  # guarded by _changed
        self.owns_the_port = False  # guarded by _changed
        self.log: List[str] = []
        self.unasked: List[Dict[str, Any]] = []

    def __enter__(self) -> BridgeProcess:
        self.process = subprocess.Popen(
            self._command,
            cwd=str(self.folder),
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self._threads = [
            threading.Thread(target=self._read_answers, name="answers", daemon=True),
            threading.Thread(target=self._read_log, name="log", daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        client = {"name": "window", "version": "1"}
        self.ask(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client},
        ).result(GUARD_S)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> int:
        """Hang up, as a window that is closed does; the exit status."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        try:
            status = self.process.wait(GUARD_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        for thread in self._threads:
            thread.join(GUARD_S)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        assert complaints("".join(self.log)) == []
        return status

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def wait_for_a_role(self) -> int:
        """Wait until it owns the port or is attached to the owner; return the port."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.port is not None, GUARD_S), "".join(self.log)
            assert self.port is not None
            return self.port

    def wait_to_own_the_port(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.owns_the_port, GUARD_S), "".join(self.log)

    def wait_to_log(self, words: str, guard_s: float = GUARD_S) -> None:
        with self._changed:
            assert self._changed.wait_for(
                lambda: any(words in line for line in self.log), guard_s
            ), "".join(self.log)

    def wait_to_be_ready(self) -> None:
        """Until it asks its editor anything: the editor hears that it is connected before it has
        proved itself.
        """
        self.wait_to_log("the plugin has proved that it runs as the same user")

    def ask(self, method: str, params: Dict[str, Any]) -> Future[Dict[str, Any]]:
        """The answer to come, a whole JSON-RPC response; ``Gone`` if the server ends first."""
        id = next(self._ids)
        owed: Future[Dict[str, Any]] = Future()
        with self._lock:
            self._owed[id] = owed
        try:
            self.say({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        except (OSError, ValueError):
            with self._lock:
                if self._owed.pop(id, None) is not None:
                    owed.set_exception(Gone())
        return owed

    def call(self, tool: str, **arguments: Any) -> Dict[str, Any]:
        detail = {"detail": True} if tool == "get_editor_state" else {}
        response = self.ask(
            "tools/call", {"name": tool, "arguments": {**detail, **arguments}}
        ).result(GUARD_S)
        return dict(response["result"]["structuredContent"])

    def state(self) -> Dict[str, Any]:
        """The editor's state as the owner of the port says it, who may take a busy machine longer
        than 0.5 s.
        """
        while True:
            state = self.call("get_editor_state")
            if not state.get("stale"):
                return state

    def say(self, message: Dict[str, Any]) -> None:
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def _read_answers(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            with self._lock:
                owed = self._owed.pop(message.get("id"), None)
            if owed is not None:
                owed.set_result(message)
            elif "id" in message:
                self.unasked.append(message)
        with self._lock:
            lost, self._owed = self._owed, {}
        for owed in lost.values():
            owed.set_exception(Gone())

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            found = _ROLE.search(line)
            with self._changed:
                self.log.append(line)
                if found:
                    self.port = int(found.group(2))
                    self.owns_the_port = found.group(1).startswith("listening")
                self._changed.notify_all()
