"""``EditorRoom``: the parts of this room, for the rooms above it."""

from __future__ import annotations

from unity_bridge.core.context import Core
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.editor.incoming import Incoming
from unity_bridge.core.editor.project_probes import ProjectProbes
from unity_bridge.core.editor.sessions import Sessions
from unity_bridge.core.editor.status import StatusTracker


class EditorRoom:
    def __init__(self, core: Core) -> None:
        self.status = StatusTracker(core)
        self.sessions = Sessions(core)
        self.probes = ProjectProbes(core)
        self.editor = Editor(core, self.sessions, self.probes)
        self.incoming = Incoming(core, self.sessions, self.status, self.editor)
