"""A fake Unity program: a real process that does what an editor does at its start, step by step as
a test plans it.

It is a folder tree with a program at the place where Unity Hub puts one. Steps wait for gates, which are files that the
test makes, and for no time. For the connection it is the simulated editor.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any, Dict, List, Sequence

REPOSITORY = Path(__file__).resolve().parent.parent.parent
LOGS = Path(__file__).parent / "logs"
_PROGRAM = """#!{python} -I
import sys
sys.path.insert(0, {repository!r})
from tests.editor_life.fake_unity import act
sys.exit(act(sys.argv))
"""
_LOOK_AGAIN_S = 0.01
# A test that is gone leaves no editor behind.
_GATE_S = 300.0

# The usual life: the log begins, the project is locked, the plugin connects.
USUAL: Sequence[Sequence[Any]] = (["log", "Built from 'fake' branch"], ["lock"], ["connect"])


class FakeUnity:
    """The test's side: an installation of one version below ``home``."""

    def __init__(
        self, home: Path, version: str = "2022.3.10f1", steps: Sequence[Sequence[Any]] = USUAL
    ) -> None:
        self.program = home / "Unity" / "Hub" / "Editor" / version / "Editor" / "Unity"
        self.program.parent.mkdir(parents=True)
        self._folder = self.program.parent / "fake"
        (self._folder / "gates").mkdir(parents=True)
        self.program.write_text(_PROGRAM.format(python=sys.executable, repository=str(REPOSITORY)))
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.plan(steps)

    def plan(self, steps: Sequence[Sequence[Any]]) -> None:
        """What the next editors do."""
        (self._folder / "plan.json").write_text(json.dumps(list(steps)))

    def move(self, program: Path) -> None:
        """Its folder is elsewhere now."""
        self.program, self._folder = program, program.parent / "fake"

    def open_gate(self, name: str) -> None:
        (self._folder / "gates" / name).touch()

    def starts(self) -> List[Dict[str, Any]]:
        """Each start so far: ``pid``, ``arguments``, ``environment``, ``cwd``."""
        path = self._folder / "starts.jsonl"
        # Without the line that an editor is writing now.
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [json.loads(line) for line in lines]

    def end_all(self, recorded: Sequence[int] = ()) -> None:
        """End every editor that was started; all are processes of this test. ``recorded``: pids of some that may not
        have noted their start yet."""
        for pid in {*recorded, *(start["pid"] for start in self.starts())} - {os.getpid()}:
            line = Path(f"/proc/{pid}/cmdline")
            if not line.exists() or str(self.program).encode() in line.read_bytes():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass


def act(arguments: Sequence[str]) -> int:
    """The program's side. Returns the exit status."""
    program = Path(arguments[0])
    folder = program.parent / "fake"
    note = {
        "pid": os.getpid(),
        "arguments": list(arguments[1:]),
        "environment": dict(os.environ),
        "cwd": os.getcwd(),
    }
    # In one piece: two editors may write at once, and a note is longer than the buffer of a stream.
    with open(folder / "starts.jsonl", "ab", buffering=0) as stream:
        stream.write(
            json.dumps({**note, "inherited": _inherited(stream.fileno())}).encode() + b"\n"
        )
    if "-version" in arguments:
        sys.stdout.write((folder / "version.txt").read_text())
        return 0
    named = dict(zip(arguments, arguments[1:]))
    return _Life(
        folder, named["-projectPath"], named.get("-logFile", os.devnull), arguments, named
    ).live()


def _inherited(own: int) -> List[int]:
    found = (
        [int(name) for name in os.listdir("/proc/self/fd")]
        if os.path.isdir("/proc/self/fd")
        else []
    )
    return [
        number
        for number in found
        if number > 2 and number != own and os.path.exists(f"/proc/self/fd/{number}")
    ]


class _Life:
    """One start, as planned."""

    def __init__(
        self, folder: Path, project: str, log: str, arguments: Sequence[str], named: Dict[str, str]
    ) -> None:
        from unity_bridge.simulator.editor_files import EditorFiles

        self._folder = folder
        self._project = project
        self._log = log
        self._port = named.get("-unityBridgePort")
        self._files = EditorFiles(project, log, folder.parent.parent.name, arguments)
        self._wait = Event().wait
        self._stack = ExitStack()

    def live(self) -> int:
        steps = json.loads((self._folder / "plan.json").read_text())
        with self._stack:
            for name, *values in steps:
                status = getattr(self, name)(*values)
                if status is not None:
                    return int(status)
        return 0

    def log(self, text: str) -> None:
        self._files.write(*text.format(project=self._project).split("\n"))

    def replay(self, name: str, folder: str = str(LOGS)) -> None:
        self.log((Path(folder) / name).read_text(encoding="utf-8").rstrip("\n"))

    def gate(self, name: str) -> None:
        for _ in range(int(_GATE_S / _LOOK_AGAIN_S)):
            if (self._folder / "gates" / name).exists():
                return
            self._wait(_LOOK_AGAIN_S)
        raise TimeoutError(name)

    def lock(self) -> Any:
        self._stack.enter_context(self._files)
        return None if self._files.has_project else 1

    def connect(self, speed: float = 1.0) -> int:
        from unity_bridge.simulator.program import simulate

        port = None if self._port is None else int(self._port)
        return simulate(port, self._project, speed=speed, stdin_controls=False)

    def connect_and_stay(self, speed: float = 1.0) -> int:
        """As an editor whose end takes its time."""
        self.connect(speed)
        self.gate("end")
        return 0

    def stderr(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def exit(self, status: int) -> int:
        return status

    def crash(self) -> None:
        """As a segmentation fault: nothing is cleaned up."""
        os.kill(os.getpid(), signal.SIGKILL)
