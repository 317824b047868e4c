"""Measures how fast the game runs while a client plays, in an editor that brakes without focus as
Unity does.

``python -m tests.bench.game_bench``. The first figure is game seconds per second, for 10 s, while a client looks at the
console once a second; then the updates of the editor in a second, and the share of one processor that it takes: playing
with a client, paused, and in edit mode.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Tuple

from tests.scripted_server import ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.clock import SystemClock

SECONDS = 10
_TICKS_PER_S = 100  # of /proc, on Linux
CLOCK = SystemClock()


def main() -> None:
    with ScriptedServer() as server, HeadlessEditor(
        server.port, held=["focus off", "echo off"]
    ) as editor:
        server.ready_session()
        _measure("in edit mode", server, editor)
        _does(server, "enter")
        _measure("playing", server, editor)
        _does(server, "pause")
        _measure("paused", server, editor)


def _does(server: ScriptedServer, action: str) -> None:
    job = f"job-{action}"
    server.open_session().submit(job, tool="play_mode", action=action)
    assert ended(server, server.latest, job)["state"] == "succeeded"


def _measure(name: str, server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.open_session()
    editor.counts()
    began, game_ms, cpu_s = CLOCK.now(), *_spent(editor)
    _look_on(session)
    now_ms, now_s = _spent(editor)
    took = CLOCK.now() - began
    _, updates, _ = editor.counts()
    print(
        f"{name:13} {(now_ms - game_ms) / 1000 / took:.3f} game seconds a second, "
        f"{updates / took:.0f} updates a second, {100 * (now_s - cpu_s) / took:.1f} % of a processor"
    )


def _look_on(session: Session) -> None:
    pause = threading.Event()
    for _ in range(SECONDS):
        session.read_console(max_entries=1)
        pause.wait(1)


def _spent(editor: HeadlessEditor) -> Tuple[float, float]:
    """Milliseconds of the game, and seconds of the processor."""
    editor.command("game")
    game_ms = float(editor.wait_for(r"game (\S+) ").group(1))
    fields = Path(f"/proc/{editor.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return game_ms, (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


if __name__ == "__main__":
    main()
