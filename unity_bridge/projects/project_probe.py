"""What a probe of a project shows while no plugin answers (SPEC §18.3). Data only."""

from __future__ import annotations

from enum import Enum
from typing import List, Optional, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.projects.editor_log import LogContent
from unity_bridge.text.json_types import JsonDict

_REASON = (
    "Unity runs no packages because these errors stopped it at its start (safe mode); it compiles again when its "
    "window gets the focus"
)
_MOST_NAMED = 3


class NoPlugin(str, Enum):
    """Why no plugin is connected. The value is ``get_editor_state.reason``."""

    UNITY_NOT_RUNNING = "unity_not_running"
    # One that the command `open` started (SPEC §22.7).
    EDITOR_STARTING = "editor_starting"
    PLUGIN_NOT_INSTALLED = "plugin_not_installed"
    SAFE_MODE = "safe_mode"
    # Unity may run, but no connection inside this machine is possible from here.
    SANDBOXED = "sandboxed"
    # The plugin of this project tries another port than this server's.
    OTHER_PORT = "other_port"
    # The process of the editor that was connected is gone.
    EDITOR_ENDED = "editor_ended"


@frozen
class ProcessIdentity:
    """The process of an editor that was connected. ``start``: when it started, as no later process
    with its pid.
    """

    pid: int
    start: str


@frozen
class ProjectProbe:
    """``reason``: None if nothing is known. ``log``: what the editor's log says, of a safe mode; ``as_of``: when it was
    written last; ``changed_since``: the files with errors that have changed since then.
    ``below``: the projects below the folder of a server that is for no project. ``starting``: how far an editor is that
    is starting. ``advice``: the command line that opens the project. ``remark``: what does not fit this server.
    ``has_ended``: whether the process of the last editor is gone; None if it is not watched. ``last_lines``: why, by
    the editor's log."""

    reason: Optional[NoPlugin] = None
    log: LogContent = LogContent()
    as_of: str = ""
    changed_since: Tuple[str, ...] = ()
    below: Tuple[str, ...] = ()
    starting: Optional[str] = None
    advice: Optional[str] = None
    remark: Optional[str] = None
    has_ended: Optional[bool] = None
    last_lines: Tuple[str, ...] = ()

    def members(self) -> JsonDict:
        """Return what ``get_editor_state`` shows of the probe."""
        reason = None if self.reason is None else self.reason.value
        members = {
            "reason": reason,
            "starting": self.starting,
            "advice": self.advice,
            "projects_below": list(self.below),
            "project_remark": self.remark,
        }
        return {name: value for name, value in members.items() if value}

    def errors(self) -> List[JsonDict]:
        return [error._asdict() for error in self.log.first]

    def log_members(self) -> JsonDict:
        """Return of which time the log is, and the files that have changed since."""
        return {"as_of": self.as_of, "changed_since": list(self.changed_since)}

    def log_time(self) -> str:
        """Return the same as a sentence."""
        if not self.changed_since:
            return f"The editor's log is of {self.as_of}"
        files = ", ".join(self.changed_since[:_MOST_NAMED])
        count = len(self.changed_since) - _MOST_NAMED
        files += f" and {count} more files" if count > 0 else ""
        return (
            f"The editor's log is of {self.as_of}, and {files} changed since: Unity compiles when its window gets the "
            "focus, or after Ignore in its dialog"
        )

    def compile_result(self) -> JsonDict:
        """Return what ``compile`` answers: Unity's last compilation, read from its log (SPEC §16)."""
        result = {
            "ok": False,
            "changed": False,
            "reloaded": False,
            "error_count": self.log.errors,
            "warning_count": self.log.warnings,
            "errors": self.errors(),
            "reason": f"{_REASON}. {self.log_time()}",
            "source": "editor_log",
            **self.log_members(),
        }
        if self.log.errors > len(self.log.first):
            return {**result, "truncated": True}
        return result


@frozen
class ProjectProbed:
    """A probe that was asked for has ended."""

    probe: ProjectProbe


@frozen
class ProcessSeen:
    """The process of the connected editor lives on this machine."""

    process: ProcessIdentity
