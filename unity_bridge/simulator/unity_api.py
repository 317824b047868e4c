"""The editor's functions that the plugin's code may call."""

from __future__ import annotations

from typing import Any, Dict, List, Protocol

from unity_bridge.simulator.assemblies import Assemblies
from unity_bridge.simulator.console import Console
from unity_bridge.simulator.job import Job
from unity_bridge.simulator.player import Player
from unity_bridge.simulator.project import Entry, Project
from unity_bridge.simulator.world import World


class UnityApi(Protocol):
    """Unity's own interface, as far as the tools need it. Main thread."""

    project: Project
    console: Console
    # The scene and the assets, which commands may change.
    content: World
    # What survives domain reloads, as in Unity's ``SessionState``; by name, as JSON text.
    session_state: Dict[str, str]

    @property
    def assemblies(self) -> Assemblies: ...

    @property
    def player(self) -> Player: ...

    def now(self) -> float:
        """In real seconds."""

    def paced(self, seconds: float) -> float:
        """How long so much of the project's time takes."""

    def save_scenes(self) -> None: ...

    def leave_play_mode(self) -> None: ...

    def unended_jobs(self) -> List[str]:
        """Return the ids of the jobs that wait or run."""

    def exit(self, job: Job) -> None:
        """End the editor, once a server has read the end of ``job``, or soon."""

    def log(self, entry: Entry) -> None: ...

    def emit(self, kind: str, **values: Any) -> None: ...
