"""``ScratchEditor``: opens the scratch project in an editor, and closes it (SPEC §22, §25.1)."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Any, Callable, Dict, NamedTuple, Optional

from unity_bridge.base.clock import Clock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.editor_life import opening
from unity_bridge.editor_life.finding import installed_programs, version_of
from unity_bridge.editor_life.machine_layout import MachineLayout
from unity_bridge.editor_life.opening import Opened, OpenRequest
from unity_bridge.editor_life.records import StartedEditor, editor_records
from unity_bridge.editor_life.waiting import LICENCE, READY, EditorSeen, Watch
from unity_bridge.projects.project_version import OLDEST_UNITY
from unity_bridge.selftest.calls import Calls
from unity_bridge.selftest.scratch import numbers

# What the simulated editor says that it is.
_SIMULATED_VERSION = "2022.3.20f1"
_PAUSE_S = 0.2
_CLOSES_WITHIN_S = 60.0
_ENDS_WITHIN_S = 10.0
# With the time to end the editor less than the 60 s of SPEC §25.1.
_LICENCE_S = 35.0

CLOSED, REFUSED = "closed", "refused"


class Program(NamedTuple):
    """``path`` as for ``--unity``."""

    path: str
    version: str


def program_to_try(unity: Optional[str], layout: MachineLayout) -> Result[Program, str]:
    """Return the program that ``--unity`` names, else the newest installed one that the plugin
    supports.
    """
    if unity == opening.SIMULATED:
        return Ok(Program(unity, _SIMULATED_VERSION))
    if unity is None:
        fitting = [
            program
            for program in installed_programs(layout)
            if numbers(program.version or "") >= OLDEST_UNITY
        ]
        if not fitting:
            oldest = ".".join(map(str, OLDEST_UNITY))
            return Err(
                f"No Unity {oldest} or newer was found on this machine. Name the program with --unity PATH."
            )
        newest = max(fitting, key=lambda program: numbers(program.version or ""))
        return Ok(Program(newest.path, newest.version or ""))
    path = layout.program_of(os.path.abspath(os.path.expanduser(unity)))
    if not os.path.isfile(path):
        return Err(f"{unity} is not a program. Name Unity's program with --unity PATH.")
    version = version_of(path, opening.asked_version)
    if version is None:
        return Err(
            f"{unity} does not say which version of Unity it is. Name Unity's program with --unity PATH."
        )
    return Ok(Program(path, version))


class ScratchEditor:
    """The editor of one project. ``calls``: to the server that it connects to."""

    def __init__(self, request: OpenRequest, clock: Clock, calls: Calls) -> None:
        self._request = request
        self._clock = clock
        self._calls = calls
        self._opened: Optional[Opened] = None
        self._was_ready = False

    def open(self, within_s: float, say: Callable[[str], None] = lambda _: None) -> Dict[str, Any]:
        """Open it, or find it open, and wait until it is ready; ``{state, started, why}``. ``say`` hears of each state
        on the way."""
        records = editor_records()
        if isinstance(records, Err):
            return {"state": "state_folder", "started": False, "why": records.error}
        plan = opening.prepared(self._request)
        if isinstance(plan, Err):
            return {"state": plan.error.reason, "started": False, "why": plan.error.message}
        opened = opening.start(plan.value, records.value, self._clock)
        if isinstance(opened, Err):
            return {"state": opened.error.reason, "started": False, "why": opened.error.message}
        if opened.value.was_started:
            self._opened = opened.value
        watch = Watch(self._request.project, opened.value, self._clock)
        began = self._clock.now()
        sight = watch.look(self._calls.state())
        state = ""
        while not sight.is_final and self._clock.now() - began < self._most_s(sight, within_s):
            self._calls.pause(_PAUSE_S)
            sight = watch.look(self._calls.state())
            if sight.state not in (state, READY):
                state = sight.state
                say(f"{sight.sentence} ({self._clock.now() - began:.0f} s).")
        self._was_ready = self._was_ready or sight.state == READY
        why = "" if sight.state == READY else f"{sight.sentence}. {sight.advice}".strip()
        return {"state": sight.state, "started": opened.value.was_started, "why": why}

    def _most_s(self, sight: EditorSeen, within_s: float) -> float:
        """Return how long to wait in this state. Nobody activates a licence for an editor without a
        window.
        """
        if sight.state == LICENCE and self._request.headless:
            return min(within_s, _LICENCE_S)
        return within_s

    def close(self) -> Dict[str, Any]:
        """Close it without saving; ``{state, why?}``."""
        editor = self._started()
        if editor is None or self._is_gone_within(editor, 0):
            return {"state": CLOSED}
        why = self._calls.ask_to_close()
        if why is None and self._is_gone_within(editor, _CLOSES_WITHIN_S):
            return {"state": CLOSED}
        return {"state": REFUSED, "why": why or f"it did not close within {_CLOSES_WITHIN_S:g} s"}

    def close_or_end(self) -> None:
        """Close it without saving, or end the process that we started (SPEC §25.1).

        Ctrl-C ends one that is closing, and a second one ends it by force: it never outlives this call, because its
        project is removed afterwards.
        """
        with suppress(KeyboardInterrupt):
            # The plugin of one that was never ready may never answer.
            if self._was_ready and self.close()["state"] == CLOSED:
                return
        editor = self._started()
        if editor is None or editor.pid is None:
            return
        for name in ("SIGTERM", "SIGKILL"):
            with suppress(KeyboardInterrupt, OSError):  # OSError: it has ended just now
                if self._is_running(editor):
                    os.kill(editor.pid, getattr(signal, name, signal.SIGTERM))
                if self._is_gone_within(editor, _ENDS_WITHIN_S):
                    return

    def _started(self) -> Optional[StartedEditor]:
        """Return the editor that we started, also if an interruption came before ``open`` knew of
        it.
        """
        if self._opened is not None:
            return self._opened.editor
        records = editor_records()
        if isinstance(records, Err):
            return None
        return records.value.living(self._request.project)

    def _is_gone_within(self, editor: StartedEditor, within_s: float) -> bool:
        deadline = self._clock.now() + within_s
        while self._is_running(editor):
            if self._clock.now() >= deadline:
                return False
            self._calls.pause(_PAUSE_S)
        return True

    def _is_running(self, editor: StartedEditor) -> bool:
        """Our own child is asked for its exit status: its first thread can end before the others, and what nobody asks
        stays a zombie."""
        if self._opened is not None and self._opened.process is not None:
            return self._opened.process.poll() is None
        return editor.is_alive
