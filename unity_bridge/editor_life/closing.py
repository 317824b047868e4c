"""Which editor a ``close`` is about, and whether it is gone (SPEC §22.8)."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

from unity_bridge.editor_life import processes
from unity_bridge.editor_life.records import EditorRecords, StartedEditor
from unity_bridge.projects.editor_lock import is_open_in_unity, named_pid

# The package's command. It is in no list.
COMMAND = "close_editor"


class OpenEditor(NamedTuple):
    """``started``: the record, if ``open`` of this user started it. ``pid`` and ``process_start``: None if no process
    is known, as for one of another machine or of the simulator."""

    project: str
    started: Optional[StartedEditor]
    pid: Optional[int] = None
    process_start: Optional[str] = None

    @property
    def is_held(self) -> bool:
        """Whether the process lives, or anything has the project open."""
        if processes.lives(self.pid, self.process_start):
            return True
        # Unknown: once the connection is gone, an invisible process delays no caller.
        return self.pid is None and is_open_in_unity(self.project) is True


def open_editor(project: str, records: EditorRecords) -> OpenEditor:
    """Return what is known of the editor that has the project open, if one has."""
    editor = records.living(project)
    if editor is not None:
        return OpenEditor(project, editor, editor.pid, editor.process_start)
    if is_open_in_unity(project) is not True:
        return OpenEditor(project, None)
    # A wrong pid only makes the wait longer.
    pid = named_pid(project)
    start = None if pid is None else processes.start_of(pid)
    if start is None:
        pid = None
    return OpenEditor(project, None, pid, start)


def command_arguments(saves: bool, discards: bool = False) -> Dict[str, Any]:
    """For ``run_command``. An older plugin knows none of the arguments that it is not given."""
    options = {"save": saves, "discard": discards}
    return {
        "name": COMMAND,
        "arguments": {name: True for name, is_given in options.items() if is_given},
    }
