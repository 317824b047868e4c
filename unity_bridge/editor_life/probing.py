"""What a server reports of an editor that is starting, and how to open one (SPEC §18.3, §22.7, §22.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Optional

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.projects.probing import probe_project
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe

if TYPE_CHECKING:
    from unity_bridge.editor_life.records import StartedEditor
    from unity_bridge.editor_life.waiting import Watch


class LifeProbe:
    """Called on the thread that probes the project. A server mostly has an editor, and imports nothing more for it."""

    def __init__(self, project: str, log_path: str, open_command: Callable[[], Optional[str]]) -> None:
        """``log_path``: of an editor that a person started. ``open_command``: the command line that opens the
        project, None if it cannot be given."""
        self._project = project
        self._log_path = log_path
        self._open_command = open_command
        self._watched: Optional[StartedEditor] = None
        self._watch: Optional[Watch] = None

    def __call__(self) -> ProjectProbe:
        started = self._started()
        if started is None:
            probe = probe_project(self._project, self._log_path)
            is_closed = probe.reason is NoPlugin.UNITY_NOT_RUNNING
            return changed(probe, advice=self._open_command()) if is_closed else probe
        probe = probe_project(self._project, started.log)
        if probe.reason in (NoPlugin.SAFE_MODE, NoPlugin.PLUGIN_NOT_INSTALLED):
            return probe
        return self._starting(started)

    def _started(self) -> Optional[StartedEditor]:
        from unity_bridge.editor_life.records import editor_records

        records = editor_records()
        return None if isinstance(records, Err) else records.value.living(self._project)

    def _starting(self, started: StartedEditor) -> ProjectProbe:
        """An editor that has loaded the project and whose plugin is not there is not starting any more."""
        from unity_bridge.editor_life.opening import Opened
        from unity_bridge.editor_life.waiting import Watch

        if self._watch is None or started != self._watched:
            self._watched, self._watch = started, Watch(self._project, Opened(started, False), SystemClock())
        seen = self._watch.look(None)
        if self._watch.has_loaded:
            return ProjectProbe()
        return ProjectProbe(NoPlugin.EDITOR_STARTING, starting=seen.state, advice=self._open_command())
