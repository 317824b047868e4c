"""The simulated editors of a soak: one process at a time, with a project that is edited behind its
back.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import Callable, Dict, List, Mapping, Optional, Tuple

from tests.faulty_editor.process import SimulatorProcess
from tests.soak.editors import START_S, Wait, freeze
from tests.soak.ledgers import EditorLedger, Message
from tests.soak.proxy import Record
from tests.soak.simulated_ledger import SimulatedLedger

_SPOILT = [
    "late",
    "twice",
    "lose",
    "malformed",
    "garbage",
    "oversize",
    "drop_before",
    "drop_after",
    "fail",
    "refuse",
]
_SCRIPTS = ["Assets/Soak.cs", "Assets/Other.cs"]
_PROJECT: Message = {
    "name": "Soak",
    "import_s": 0.05,
    "compile_s": 0.3,
    "compile_reload_s": 0.3,
    "play_reload_s": 0.3,
    "tests": [
        {"name": "Soak.Good.First", "duration_s": 0.05},
        {"name": "Soak.Good.Second", "duration_s": 0.05},
        {"name": "Soak.Good.Plays", "mode": "play", "duration_s": 0.05},
        {"name": "Soak.Bad.Fails", "duration_s": 0.05, "outcome": "failed", "message": "by design"},
    ],
    "console": [{"message": f"entry {number}"} for number in range(50)],
}
# Faster than its plugin would be: the second that a compile waits for a further pass is a third of
# it here.
_SPEED = 3.0
# The phase of a compile, by the editor's events.
_PHASES: Mapping[str, Tuple[str, Mapping[str, str]]] = {
    "submitted": ("submit", {"tool_name": "compile"}),
    "importing": ("refresh_started", {}),
    "compiling": ("state", {"state": "compiling"}),
    "reloading": ("state", {"state": "reloading"}),
    "settling": ("connected", {}),
}


_SNIPPETS = (
    "1 + 1",
    "nowhere",
    'Debug.Log("hello");',
    'Debug.Log("before"); throw new Exception("broken");',
    "await Task.Delay(1000); 2",
)
# The list; those that are quick, without an argument, not simulated, long, thrown; and one that
# makes Unity reload.
_COMMANDS: Tuple[Message, ...] = (
    {},
    {"name": "ping"},
    {"name": "spawn_wave", "arguments": {"enemy": "bat"}},
    {"name": "open_scene"},
    {"name": "bake_lighting"},
    {"name": "build_player", "arguments": {"path": "Builds/Game"}},
    {"name": "check_references"},
    {"name": "generate_items"},
)


class SimulatedEditors:
    """``dialect``: one of the simulator's."""

    phases = tuple(_PHASES)

    def __init__(
        self, port: int, project: Path, chance: random.Random, wait: Wait, dialect: str
    ) -> None:
        self._port = port
        self._dialect = dialect
        self._chance = chance
        self._wait = wait
        self._all: List[SimulatorProcess] = []
        self.accidents: Dict[str, int] = {}
        self._folder = tempfile.TemporaryDirectory()
        self._project = Path(self._folder.name) / "project.json"
        self._project.write_text(
            json.dumps({**_PROJECT, "path": project.as_posix()}), encoding="utf-8"
        )
        self._open()
        self.faults: Dict[str, Callable[[], None]] = {
            "connection dropped by the plugin": lambda: self._order("drop"),
            "reload": lambda: self._order(f"reload {self._length()}"),
            "compile": lambda: self._order(f"compile {self._length()} {chance.choice([0, 0, 2])}"),
            "reload storm": self._storm,
            "main thread stalled": lambda: self._order(f"stall {self._length()}"),
            "editor closed and opened": lambda: self._order(f"restart {self._length()}"),
            "editor crashed": self._crash,
            "editor that does not read": lambda: self._for_a_while(
                "stop_reading", "resume_reading"
            ),
            "answer spoilt": self._spoil,
            "editor killed": self._kill,
            # What an agent and a user do to the project.
            "script edited": lambda: self._order(
                f"edit {self._script()} Soak.Bad.Fails={self._outcome()}"
            ),
            "script broken": lambda: self._order(
                f"break {self._script()} {chance.choice([1, 3, 60])}"
            ),
            "script fixed": lambda: self._order(f"fix {self._script()}"),
            "edit undone": lambda: self._undo(self._script()),
            "editor focused": lambda: self._order("focus"),
            "scene changed": lambda: self._order("dirty"),
            "play mode called off": lambda: self._order("abort_play"),
            "play mode": lambda: self._for_a_while("play", "stop_playing"),
            # What stands in the way of a compile.
            "compile hangs": lambda: self._for_a_while("hang", "unhang"),
            "dialog in an import": lambda: self._order(f"dialog {self._length()}"),
            "second pass": lambda: self._order("compile_twice"),
            "reloads locked": lambda: self._for_a_while("lock", "unlock"),
            "script edited under a lock": lambda: self._edit_between("lock", "unlock"),
            "script edited during play": lambda: self._edit_between("play", "stop_playing"),
            "recompile only after play": lambda: self._order("recompile_after_play"),
            "job broken off": lambda: self._order("abort_job"),
        }
        if os.name == "posix":
            self.faults["editor stopped"] = lambda: freeze(
                self._now.pid, lambda: self._wait(self._length())
            )

    def a_run(self) -> Message:
        chance = self._chance
        tests = chance.choice(
            ["Soak.Good", "Soak.Good.First", "Soak.Good.Second", "Soak.Bad", "failed", ""]
        )
        return {
            "filter": tests,
            "refresh": chance.random() < 0.5,
            "unsaved": chance.choice(["refuse", "save"]),
            "changed_scenes": chance.choice(["refuse", "disk", "editor"]),
            "include_passed": chance.random() < 0.5,
        }

    def a_play(self) -> Optional[Message]:
        # Left more often than entered: nothing is compiled or tested while the game plays.
        action = self._chance.choice(["enter", "exit", "exit", "exit", "pause", "resume", "step"])
        return {"action": action, "frames": self._chance.choice([1, 5])}

    def a_snippet(self) -> Message:
        return {"code": self._chance.choice(_SNIPPETS)}

    def a_command(self) -> Optional[Message]:
        return self._chance.choice(_COMMANDS)

    @property
    def pid(self) -> int:
        return self._now.pid

    def reaches(self, phase: str, timeout_s: float) -> bool:
        kind, values = _PHASES[phase]
        self._now.ledger.pass_over(kind)
        try:
            self._now.log.wait_for(kind, timeout_s, **values)
            return True
        except TimeoutError:
            return False

    def fix_scripts(self) -> None:
        for order in (
            "resume_reading",
            "unhang",
            "unlock",
            "stop_playing",
            *(f"fix {script}" for script in _SCRIPTS),
            "focus",
        ):
            self._order(order)

    def close(self) -> None:
        self._now.stop()
        self._folder.cleanup()

    def ledger(self, record: Record) -> EditorLedger:
        return SimulatedLedger(self._all)

    @property
    def _now(self) -> SimulatorProcess:
        return self._all[-1]

    def _open(self) -> None:
        project, dialect = str(self._project), self._dialect
        editor = SimulatorProcess(
            self._port, project_file=project, speed=_SPEED, dialect=dialect, python=sys.executable
        )
        editor.start()
        self._all.append(editor)
        editor.wait_for("started", START_S)
        editor.order("allow_csharp")
        if self._chance.random() < 0.5:
            editor.order("recompile_after_play")

    def _length(self) -> float:
        """In real seconds, from the project's seconds."""
        return round(self._chance.choice([0.0, 0.1, 0.3, 1.0, 3.0]) * _SPEED, 2)

    def _script(self) -> str:
        return self._chance.choice(_SCRIPTS)

    def _outcome(self) -> str:
        return self._chance.choice(["passed", "failed"])

    def _order(self, line: str) -> None:
        self._now.order(line)

    def _for_a_while(self, begin: str, end: str) -> None:
        self._order(begin)
        self._wait(self._length() / _SPEED)
        self._order(end)

    def _edit_between(self, begin: str, end: str) -> None:
        """Unity compiles the edit, and does not load it before the end."""
        self._order(begin)
        self._order(f"edit {self._script()} Soak.Bad.Fails={self._outcome()}")
        self._order("focus")
        self._wait(self._chance.choice([1.0, 3.0]))  # long enough for a client to ask
        self._order(end)

    def _undo(self, script: str) -> None:
        try:
            self._order(f"undo {script}")
        except ValueError:  # nothing was changed yet
            pass

    def _storm(self) -> None:
        for _ in range(self._chance.randint(3, 8)):
            self._order("reload 0.05")

    def _crash(self) -> None:
        self._order("crash")
        self._wait(self._length() / _SPEED)
        self._order("restart 0.1")

    def _spoil(self) -> None:
        what = self._chance.choice(["execute", "execute", "submit_job", "get_job_status", "cancel"])
        self._order(f"fault {self._chance.choice(_SPOILT)}:{what}")

    def _kill(self) -> None:
        self._now.kill()
        self._wait(self._length() / _SPEED)
        self._open()
