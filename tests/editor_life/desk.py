"""A user's machine for tests of the editor's life: a home with one Unity, a project, a state
folder, commands.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Callable, Dict, List, Tuple

from tests.editor_life.fake_unity import FakeUnity
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from unity_bridge.launch import environment

# Long, because a machine may be busy with other things: it only ends what hangs.
LIMIT_S = 240


class Desk:
    """A user's machine: a home with one Unity, a project with the plugin, a state folder of its
    own.
    """

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.state = folder / "state"
        self.project = make_project(folder / "game").resolve()
        (self.project / "Packages" / "com.unitybridge.editor").mkdir()
        self.unity = FakeUnity(self.home)
        self.port = free_port()
        self.here = ("--project", str(self.project), "--port", str(self.port))
        self._children: List[subprocess.Popen[str]] = []
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("UNITY_BRIDGE_")
        }
        self.environ = {
            **kept,
            "HOME": str(self.home),
            "UNITY_BRIDGE_STATE_DIR": str(self.state),
            "DISPLAY": ":0",
        }
        self.environ.pop("XDG_CONFIG_HOME", None)

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        command = [*environment.isolated(), *words]
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=str(self.home),
            env={**self.environ, **more},
        )
        self._children.append(child)
        return child

    def run(self, *words: str, **more: str) -> Tuple[int, Dict[str, Any], str]:
        """Exit status, the envelope, stderr."""
        return ended(self.start(*words, "--json", **more))

    def on_terminal(self, reply: bytes, *words: str) -> Tuple[int, str]:
        """Exit status, and what a terminal shows of the command while somebody types ``reply``."""
        import pty

        screen, program = pty.openpty()
        child = subprocess.Popen(
            [*environment.isolated(), *words],
            stdin=program,
            stdout=program,
            stderr=program,
            cwd=str(self.home),
            env=self.environ,
        )
        os.close(program)
        os.write(screen, reply)
        shown = b""
        with suppress(OSError):  # where Linux has the end of it
            while more := os.read(screen, 4096):
                shown += more
        os.close(screen)
        return child.wait(LIMIT_S), shown.decode()

    def open(self, *words: str, **more: str) -> Tuple[int, Dict[str, Any], str]:
        return self.run("open", str(self.project), "--port", str(self.port), *words, **more)

    def close(self, *words: str) -> Tuple[int, Dict[str, Any], str]:
        return self.run("close", str(self.project), "--port", str(self.port), *words)

    def start_open(self, *words: str) -> subprocess.Popen[str]:
        return self.start("open", str(self.project), "--port", str(self.port), "--json", *words)

    def clean(self) -> None:
        for child in self._children:
            child.kill()
            child.communicate()
        records = [json.loads(path.read_text()) for path in (self.state / "editors").glob("*.json")]
        ours = [record["pid"] for record in records if record["program"] == str(self.unity.program)]
        # None: its starter was killed before it knew the pid.
        self.unity.end_all([pid for pid in ours if pid is not None])


def ended(child: subprocess.Popen[str]) -> Tuple[int, Dict[str, Any], str]:
    stdout, stderr = child.communicate(timeout=LIMIT_S)
    return child.returncode, json.loads(stdout) if stdout else {}, stderr


def soon(is_so: Callable[[], bool]) -> bool:
    """Whether it becomes so before a generous limit."""
    limit, wait = monotonic() + LIMIT_S, Event().wait
    while not is_so():
        if monotonic() > limit:
            return False
        wait(0.02)
    return True


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def content(folder: Path) -> Dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
