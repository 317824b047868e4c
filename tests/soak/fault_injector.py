"""Faults of a soak: one after another, at random or in a phase of a compile, until it is stopped."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections import Counter
from typing import Callable, Dict, Optional

from tests.soak.another_project import AnotherProject
from tests.soak.editors import Editors, freeze
from tests.soak.intruders import Intruders
from tests.soak.proxy import Proxy
from tests.soak.windows import WindowPool

if sys.platform == "linux":
    import resource


# How often a fault waits for a phase of a compile, and how long for it.
_IN_A_COMPILE = 0.4
_COMPILE_COMES_S = 1.5
_BURST = 50
_WORST = (
    "connection cut",
    "connection reset",
    "connection torn in the midst of a message",
    "connection held",
    "reload",
    "editor crashed",
    "editor killed",
    "editor stopped",
    "another project's editor",
    "everything stopped",
    "owner killed",
    "owner stopped",
    "owner's disk full",
    "burst of cancels",
    "server terminated",
    "window closed",
    "all windows but one killed",
)


class FaultInjector:
    """A thread of its own, between ``start`` and ``join``. ``over`` ends its pauses."""

    def __init__(
        self,
        windows: WindowPool,
        proxy: Proxy,
        editors: Editors,
        another_project: AnotherProject,
        intruders: Intruders,
        chance: random.Random,
        over: threading.Event,
    ) -> None:
        self._windows = windows
        self._proxy = proxy
        self._editors = editors
        self._another_project = another_project
        self._chance = chance
        self._over = over
        self.dealt: Dict[str, int] = Counter()
        self.error: Optional[BaseException] = None
        self._thread = threading.Thread(target=self._run, name="fault injector")
        self._kinds: Dict[str, Callable[[], None]] = {
            **editors.faults,
            "connection cut": proxy.cut,
            "connection reset": proxy.reset,
            "connection torn in the midst of a message": proxy.tear,
            "connection held": self._hold,
            "intruder at the port": intruders.one,
            "crowd at the port": lambda: intruders.crowd(self._pause),
            "another project's editor": self._knock,
            "burst of cancels": self._cancel_in_a_burst,
            "owner killed": lambda: self._end(self._owner(), self._kill),
            "window closed": lambda: self._end(
                self._anyone(), lambda place: windows.now[place].leave()
            ),
        }
        if len(windows.now) > 1:
            self._kinds["attached server killed"] = lambda: self._end(self._another(), self._kill)
            self._kinds["all windows but one killed"] = self._kill_most
        if os.name == "posix":
            self._kinds["owner stopped"] = lambda: self._freeze(self._owner())
            self._kinds["everything stopped"] = self._sleep
            self._kinds["server terminated"] = lambda: self._end(
                self._anyone(), lambda place: windows.now[place].terminate()
            )
            if len(windows.now) > 1:
                self._kinds["attached server stopped"] = lambda: self._freeze(self._another())

        if sys.platform == "linux":
            self._kinds["owner's disk full"] = self._fill_disk

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """``over`` is set."""
        if self._thread.ident is not None:
            self._thread.join()

    def check(self) -> None:
        if self.error is not None:
            raise self.error

    def _run(self) -> None:
        try:
            while not self._over.wait(self._chance.uniform(0.05, 1.0)):
                if self._chance.random() < _IN_A_COMPILE:
                    self._strike_a_compile()
                else:
                    kind = self._chance.choice(list(self._kinds))
                    self._kinds[kind]()
                    self.dealt[kind] += 1
        except BaseException as error:
            self.error = error
            self._over.set()  # a soak without faults proves nothing

    def _strike_a_compile(self) -> None:
        """One of the worst faults, as soon as a compile is in one of its phases."""
        phase = self._chance.choice(self._editors.phases)
        kind = self._chance.choice([kind for kind in _WORST if kind in self._kinds])
        if self._editors.reaches(phase, _COMPILE_COMES_S) and not self._over.is_set():
            self._kinds[kind]()
            self.dealt[f"{kind}, {phase}"] += 1

    def _pause(self) -> None:
        self._over.wait(self._chance.choice([0.0, 0.1, 0.3, 1.0, 3.0]))

    # The servers.

    def _owner(self) -> int:
        owner = self._windows.owner()
        return self._anyone() if owner is None else owner

    def _another(self) -> int:
        others = [
            place for place in range(len(self._windows.now)) if place != self._windows.owner()
        ]
        return self._chance.choice(others)

    def _anyone(self) -> int:
        return self._chance.randrange(len(self._windows.now))

    def _kill(self, place: int) -> None:
        self._windows.now[place].kill()

    def _end(self, place: int, how: Callable[[int], None]) -> None:
        """A window ends; after a while there is another in its place."""
        how(place)
        self._pause()
        self._windows.reopen(place)

    def _kill_most(self) -> None:
        places = list(range(len(self._windows.now)))
        self._chance.shuffle(places)
        for place in places[1:]:
            self._kill(place)
        for place in places[1:]:
            self._windows.reopen(place)

    def _freeze(self, place: int) -> None:
        freeze(self._windows.now[place].process.pid, self._pause)

    def _sleep(self) -> None:
        """The whole machine, as far as it is ours: a notebook that is closed for a while."""
        pids = [*(window.process.pid for window in self._windows.now), self._editors.pid]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        self._pause()
        for pid in pids:
            os.kill(pid, signal.SIGCONT)

    if sys.platform == "linux":

        def _fill_disk(self) -> None:
            """Nothing that the owner of the port writes reaches a file: neither its log nor
            anything else.
            """
            owner = self._windows.now[self._owner()].process.pid
            before = resource.prlimit(owner, resource.RLIMIT_FSIZE)
            resource.prlimit(owner, resource.RLIMIT_FSIZE, (0, before[1]))
            self._pause()
            resource.prlimit(owner, resource.RLIMIT_FSIZE, before)

    # The client.

    def _cancel_in_a_burst(self) -> None:
        """More calls than the queue takes, each cancelled at once; some may be answered before
        their cancel.
        """
        window = self._windows.now[self._anyone()]
        for made in [
            window.call("read_console", {"max_entries": 1, "timeout_ms": 5000})
            for _ in range(_BURST)
        ]:
            if made is not None:
                window.cancel(made)

    # Another editor.

    def _knock(self) -> None:
        self._another_project.knock(self._chance.choice([0.3, 1.0, 3.0]), self._over.wait)

    # The connection.

    def _hold(self) -> None:
        self._proxy.hold()
        self._pause()
        self._proxy.release()
