"""``JobsRoom``: the parts of this room, for the rooms above it."""

from __future__ import annotations

from unity_bridge.core.context import Core
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.jobs.cancelling import Cancels
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.jobs.results import Results
from unity_bridge.core.jobs.submission import Resolutions, Submissions


class JobsRoom:
    def __init__(self, core: Core, editor: Editor) -> None:
        self.jobs = JobRecords(core)
        self.results = Results(core, self.jobs)
        self.polls = Polls(core, self.jobs, self.results)
        self.cancels = Cancels(core, self.jobs, self.polls)
        self.resolutions = Resolutions(core, self.jobs, self.results)
        self.submissions = Submissions(core, editor, self.jobs, self.resolutions, self.cancels)
