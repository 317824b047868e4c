"""The pretend project: its scripts, its tests and its first console entries, as data."""

from __future__ import annotations

import os
from typing import Any, Mapping, Tuple

from unity_bridge.base.frozen import changed, frozen, made_by
from unity_bridge.base.result import Ok
from unity_bridge.projects.project_version import project_version
from unity_bridge.simulator.scripts import WARNING, CompilerMessage, Script
from unity_bridge.simulator.world import RECORDED, World, default_world

MODES = ("edit", "play")
OUTCOMES = ("passed", "failed", "skipped")
LOG_TYPES = ("log", "warning", "error", "assert", "exception")


@frozen
class Entry:
    """One line of the console; ``type`` is one of ``LOG_TYPES``."""

    type: str
    message: str
    stack_trace: str = ""


@frozen
class PretendTest:
    """A test that takes its time and ends with its ``outcome``.

    ``name`` is the full name; ``mode`` one of ``MODES``; ``outcome`` one of ``OUTCOMES``, with ``message`` and
    ``stack_trace`` for a failure. ``logs`` is what it writes to the console before it ends. ``assembly``: by default
    one for each mode.
    """

    name: str
    mode: str = "edit"
    categories: Tuple[str, ...] = ()
    duration_s: float = 0.1
    outcome: str = "passed"
    message: str = ""
    stack_trace: str = ""
    logs: Tuple[Entry, ...] = ()
    assembly: str = ""

    @property
    def fixture(self) -> str:
        """The full name of its class, which takes no arguments here."""
        return self.name.partition("(")[0].rpartition(".")[0]

    @property
    def assembly_name(self) -> str:
        return self.assembly or ("PlayModeTests" if self.mode == "play" else "EditModeTests")


@frozen
class Project:
    """What a simulated editor has open. ``*_reload_s`` is how long a domain reload keeps it
    disconnected.
    """

    name: str
    path: str
    tests: Tuple[PretendTest, ...]
    console: Tuple[Entry, ...] = ()
    unity_version: str = "2022.3.20f1"
    scripts: Mapping[str, Script] = made_by(dict)
    import_s: float = 0.1
    compile_s: float = 2.0
    compile_reload_s: float = 1.0
    play_reload_s: float = 0.8
    content: World = made_by(default_world)


_NEVER_READ = CompilerMessage(
    "Assets/Player/PlayerMovement.cs",
    63,
    27,
    "CS0414",
    "The field 'coyoteTime' is never read",
    WARNING,
)


def default_project() -> Project:
    """Return a small game with sixteen tests, one of them failing and one skipped: a few seconds of
    a demo.
    """
    return Project(
        "LanternKeep",
        "/Projects/LanternKeep",
        tuple(_test(row) for row in RECORDED["tests"]),
        tuple(Entry(**row) for row in RECORDED["console"]),
        scripts={
            _NEVER_READ.file: Script(messages=(_NEVER_READ,)),
            "Assets/Items/Stack.cs": Script(),
        },
    )


def _test(row: Mapping[str, Any]) -> PretendTest:
    logs = tuple(Entry(**entry) for entry in row.get("logs", ()))
    return PretendTest(**{**row, "categories": tuple(row.get("categories", ())), "logs": logs})


def opened(project: Project, folder: str) -> Project:
    """``project`` with the name, path and version of the Unity project in ``folder``, as the plugin
    reports them.
    """
    path = os.path.realpath(folder).replace(os.sep, "/")
    version = project_version(folder)
    unity_version = version.value if isinstance(version, Ok) else project.unity_version
    return changed(project, name=os.path.basename(path), path=path, unity_version=unity_version)
