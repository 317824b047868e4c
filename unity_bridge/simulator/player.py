"""Play mode of the simulated editor: entered with a reload of the domain, left at once, paused,
frame by frame.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Protocol

from unity_bridge.simulator.project import Project
from unity_bridge.simulator.status import SimulatedStatus

FRAMES_PER_SECOND = 60


class PlayerHost(Protocol):
    """The editor around it. Main thread."""

    def now(self) -> float: ...

    def paced(self, seconds: float) -> float: ...

    def post(self, work: Callable[[], object], seconds: float = 0.0) -> None: ...

    def reload_domain(self, seconds: float) -> bool: ...

    def game_began(self) -> None: ...


class Player:
    """The game of one editor process. Main thread."""

    def __init__(self, project: Project, status: SimulatedStatus, host: PlayerHost) -> None:
        self._project = project
        self._status = status
        self._host = host
        self._frames = 0  # until the game last went on
        self._runs_since = 0.0
        status.game = self.moment
        # An entry that was asked for and has not been made.
        self.is_changing = self._enters_paused = False

    @property
    def is_playing(self) -> bool:
        return self._status.now.playing

    @property
    def is_paused(self) -> bool:
        return self._status.now.paused

    @property
    def frame(self) -> int:
        """How many frames have run since play mode was entered."""
        if not self.is_playing or self.is_paused:
            return self._frames
        ran_s = max(0.0, self._host.now() - self._runs_since) / self._host.paced(1.0)
        return self._frames + int(ran_s * FRAMES_PER_SECOND + 1e-6)

    def moment(self) -> Mapping[str, Any]:
        """Return how far the game is, as results and messages have it."""
        return {"game_time_s": round(self.frame / FRAMES_PER_SECOND, 3), "frame": self.frame}

    def enter(self, is_paused: bool = False) -> None:
        """Soon. ``is_paused``: on its first frame."""
        self.is_changing, self._enters_paused = True, is_paused
        self._host.post(self._enter)

    def leave(self) -> None:
        self._frames = self.frame
        self._status.change(playing=False, paused=False)

    def pause(self, is_paused: bool) -> None:
        if self.is_playing and is_paused != self.is_paused:
            self._frames = self.frame
            self._runs_since = self._host.now()
            self._status.change(paused=is_paused)

    def step(self) -> None:
        """One frame of the game, which is paused then."""
        self.pause(True)
        self._frames += 1

    def _enter(self) -> None:
        self._begin(self._project.play_reload_s)
        self._host.reload_domain(self._project.play_reload_s)

    def _begin(self, after_s: float) -> None:
        self.is_changing = False
        self._status.change(playing=True, paused=self._enters_paused)
        self._host.game_began()
        self._frames, self._runs_since = 0, self._host.now() + self._host.paced(after_s)
