"""A program of another user that has the plugin's port for a moment, in a process without the
secret.

``python -m tests.e2e.rogue_server PORT leaves|holds|holds-a-job`` ends when its stdin does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator

from tests.scripted_server import ScriptedServer, Session
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

# What makes a plugin that believes it stay away for ten minutes.
PAUSES = {
    "reconnect_initial_ms": 60_000,
    "reconnect_multiplier": 10,
    "reconnect_max_backoff_ms": 600_000,
    "reconnect_jitter_ratio": 0,
}
_PING_S = 1.0


class RogueServer:
    """The process; a context manager, entered once the plugin has said hello to it."""

    def __init__(self, port: int, kind: str, elsewhere: Path) -> None:
        self._command = [*isolated("tests.e2e.rogue_server"), str(port), kind]
        self._environment = {**os.environ, STATE_DIR_VARIABLE: str(elsewhere)}

    def __enter__(self) -> RogueServer:
        self.process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "it has the plugin\n"
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def handshakes(port: int, a_second: int = 1500) -> Iterator[None]:
    """Handshakes that say nothing more, from a process without the secret."""
    module = "tests.bench.connect_flood_bench"
    words = ["flood", str(port), "heads", str(a_second)]
    process = subprocess.Popen([*isolated(module), *words])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def take(port: int, kind: str) -> None:
    ended = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    with ScriptedServer(port, greets=False, proves=False) as server:
        session = server.session()
        said: Dict[str, Any] = PAUSES if kind == "leaves" else {}
        hello = session.expect("hello")
        session.send("hello", server_version="0.1.0", state="ready", **said)
        session.send("capability", tools=[])
        if hello["state"] != "ready":
            session.becomes(state="ready")
        if kind == "holds-a-job":
            assert session.submit("rogue-1", mode="edit")["status"] == "accepted"
        if kind != "leaves":
            server.stop_listening()
        sys.stdout.write("it has the plugin\n")
        sys.stdout.flush()
        hold(session, ended)


def hold(session: Session, ended: threading.Event) -> None:
    """Be a server that lives, for as long as the plugin believes it."""
    while not ended.wait(_PING_S) and not session.is_closed:
        session.send("ping")


if __name__ == "__main__":
    take(int(sys.argv[1]), sys.argv[2])
