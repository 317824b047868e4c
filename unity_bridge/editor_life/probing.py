"""What a server reports of an editor that is starting, and how to open one (SPEC §18.3, §22.7,
§22.9).

A probe reads files, which may take a while, so it has a thread of its own.
"""

from __future__ import annotations

import queue
import re
import threading
from typing import TYPE_CHECKING, Callable, Optional, Tuple, Union

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.log.logger import Logger
from unity_bridge.projects.editor_lock import holder
from unity_bridge.projects.probing import editor_logs_of, is_about, other_port, probe_project
from unity_bridge.projects.project_probe import (
    NoPlugin,
    ProcessIdentity,
    ProcessSeen,
    ProjectProbe,
    ProjectProbed,
)
from unity_bridge.system.loopback import is_closed_to_us

if TYPE_CHECKING:
    from unity_bridge.editor_life.records import StartedEditor
    from unity_bridge.editor_life.waiting import Watch

_WHATEVER_THE_PORT = (NoPlugin.SANDBOXED, NoPlugin.SAFE_MODE, NoPlugin.PLUGIN_NOT_INSTALLED)
_NUMBER = re.compile("[0-9]{1,5}")


def started_with(project: str, editor: Optional[StartedEditor]) -> Optional[int]:
    """Return the port on the command line of the editor that has the project open, if it is there
    and may be read.

    ``editor``: the living editor that ``open`` started for the project, if there is one.
    """
    if editor is not None:
        return editor.port
    from unity_bridge.editor_life.processes import argument_of

    try:
        pid = holder(project)
    except OSError:
        return None
    port = argument_of(pid, "-unityBridgePort") if pid else None
    # The plugin ignores a word that is no port.
    if port and _NUMBER.fullmatch(port) and 0 < int(port) < 2**16:
        return int(port)
    return None


class EditorProcessProbe:
    """Whether the process of an editor lives, and how its log ends (SPEC §5). ``project``: of the
    server, if any.
    """

    def __init__(self, project: Optional[str]) -> None:
        self._project = project

    def identify(self, pid: int) -> Optional[ProcessIdentity]:
        """Return the process, if it lives where this one can see it: not across a border or a pid
        namespace.
        """
        from unity_bridge.editor_life import processes

        start = processes.start_of(pid)
        if start is None:
            return None
        return ProcessIdentity(pid, start)

    def lives(self, process: ProcessIdentity) -> bool:
        from unity_bridge.editor_life import processes

        return processes.lives(process.pid, process.start)

    def last_lines(self, process: ProcessIdentity) -> Tuple[str, ...]:
        """Return the lines of the editor's log that show why it ended; none if the log is another
        editor's.
        """
        from unity_bridge.editor_life.editor_log_evidence import LogFollower
        from unity_bridge.editor_life.records import editor_records

        if self._project is None:
            return ()
        records = editor_records()
        editor = None if isinstance(records, Err) else records.value.read(self._project)
        if editor is not None and editor.pid == process.pid:
            return LogFollower(editor.log).read(0.0).lines
        for path in editor_logs_of(self._project):
            evidence = LogFollower(path).read(0.0)
            if is_about(evidence.content, self._project):
                return evidence.lines
        return ()


class LifeProbe:
    """Called on the thread that probes the project. A server mostly has an editor, and imports
    nothing more for it.
    """

    def __init__(self, project: str, open_command: Callable[[], Optional[str]], port: int) -> None:
        """``open_command``: the command line that opens the project, None if it cannot be given. ``port``: the
        server's."""
        self._project = project
        self._port = port
        self._open_command = open_command
        self._watched: Optional[StartedEditor] = None
        self._watch: Optional[Watch] = None

    def __call__(self) -> ProjectProbe:
        if is_closed_to_us():
            return ProjectProbe(NoPlugin.SANDBOXED)
        editor = self._started()
        logs = editor_logs_of(self._project) if editor is None else (editor.log,)
        probe = probe_project(self._project, logs)
        if probe.reason in _WHATEVER_THE_PORT:
            return probe
        remark = other_port(self._project, self._port, started_with(self._project, editor))
        if remark is not None:
            return ProjectProbe(NoPlugin.OTHER_PORT, remark=remark)
        if editor is not None:
            return self._starting(editor)
        is_closed = probe.reason is NoPlugin.UNITY_NOT_RUNNING
        if is_closed:
            return changed(probe, advice=self._open_command())
        return probe

    def _started(self) -> Optional[StartedEditor]:
        from unity_bridge.editor_life.records import editor_records

        records = editor_records()
        if isinstance(records, Err):
            return None
        return records.value.living(self._project)

    def _starting(self, editor: StartedEditor) -> ProjectProbe:
        """Return how far the start is. An editor that has loaded the project without its plugin has
        started.
        """
        from unity_bridge.editor_life.opening import Opened
        from unity_bridge.editor_life.waiting import Watch

        if self._watch is None or editor != self._watched:
            self._watched, self._watch = (
                editor,
                Watch(self._project, Opened(editor, False), SystemClock()),
            )
        sight = self._watch.look(None)
        if self._watch.has_loaded:
            return ProjectProbe()
        return ProjectProbe(
            NoPlugin.EDITOR_STARTING, starting=sight.state, advice=self._open_command()
        )


Question = Union[int, Optional[ProcessIdentity]]


class ProjectWatch:
    """Probes when it is asked to, on its own thread. Each question is answered by one event."""

    def __init__(
        self,
        probe: Callable[[], ProjectProbe],
        emit: Callable[[Union[ProjectProbed, ProcessSeen]], None],
        log: Logger,
        processes: EditorProcessProbe,
        is_search: bool = False,
    ) -> None:
        """``is_search``: the probe searches folders, which is of no use while the last editor's
        process lives.
        """
        self._probe = probe
        self._emit = emit
        self._log = log
        self._processes = processes
        self._is_search = is_search
        self._questions: queue.SimpleQueue[Optional[Tuple[Question]]] = queue.SimpleQueue()
        self._thread: Optional[threading.Thread] = None

    def ask(self, process: Optional[ProcessIdentity] = None) -> None:
        """Ask for a probe. Returns at once. If the system gives no thread for it, no event ever
        comes.

        ``process``: of the editor that was connected last, if it is known.
        """
        self._put(process)

    def identify(self, pid: int) -> None:
        """Ask whether the process of the connected editor lives here. Without it no event comes."""
        self._put(pid)

    def _put(self, question: Question) -> None:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="project-probe", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                self._log.warning(
                    "the project cannot be looked at: the system gives no more threads",
                    error=str(error),
                )
                return
            self._thread = thread
        self._questions.put((question,))

    def stop(self, timeout_s: float) -> None:
        if self._thread is not None:
            self._questions.put(None)
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while (item := self._questions.get()) is not None:
            (question,) = item
            try:
                event = self._answer(question)
            except Exception:
                self._log.exception("a bug: the project could not be looked at")
                event = None if isinstance(question, int) else ProjectProbed(ProjectProbe())
            if event is not None:
                self._emit(event)

    def _answer(self, question: Question) -> Union[ProjectProbed, ProcessSeen, None]:
        if isinstance(question, int):
            process = self._processes.identify(question)
            if process is None:
                return None
            return ProcessSeen(process)
        if question is None:
            return ProjectProbed(self._probe())
        if self._processes.lives(question):
            living = ProjectProbe() if self._is_search else self._probe()
            return ProjectProbed(changed(living, has_ended=False))
        probe, lines = self._probe(), self._processes.last_lines(question)
        reason = probe.reason or NoPlugin.EDITOR_ENDED
        return ProjectProbed(changed(probe, reason=reason, has_ended=True, last_lines=lines))
