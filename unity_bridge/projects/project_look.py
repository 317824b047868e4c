"""What can be seen of a project in which no plugin answers (SPEC §18.3). Data, for whoever tells it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Dict, List, Optional, Tuple

from unity_bridge.projects.editor_log import LogContent

_REASON = (
    "Unity runs no packages because these errors stopped it at its start (safe mode); it compiles again when its "
    "window gets the focus"
)


class Absence(str, Enum):
    """Why no plugin is there. The value is ``get_editor_state.reason``."""

    UNITY_NOT_RUNNING = "unity_not_running"
    PLUGIN_NOT_INSTALLED = "plugin_not_installed"
    SAFE_MODE = "safe_mode"


@dataclass(frozen=True)
class ProjectLook:
    """``absence``: ``None`` where nothing can be told. ``log``: what the editor's log says, of a safe mode.
    ``below``: the projects below the folder of a server that is for no project."""

    absence: Optional[Absence] = None
    log: LogContent = LogContent()
    below: Tuple[str, ...] = ()

    def errors(self) -> List[Dict[str, Any]]:
        return [error._asdict() for error in self.log.first]

    def compile_result(self) -> Dict[str, Any]:
        """What ``compile`` answers: Unity's last compilation, told by its log (SPEC §16)."""
        result = {
            "ok": False,
            "changed": False,
            "reloaded": False,
            "error_count": self.log.errors,
            "warning_count": self.log.warnings,
            "errors": self.errors(),
            "reason": _REASON,
            "source": "editor_log",
        }
        return {**result, "truncated": True} if self.log.errors > len(self.log.first) else result


@dataclass(frozen=True)
class ProjectSeen:
    """Somebody looked, as was asked."""

    look: ProjectLook
