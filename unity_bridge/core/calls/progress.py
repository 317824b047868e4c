"""How far a job is, put together from what Unity said of it and of itself (SPEC §15.2). Pure functions."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from unity_bridge.base.calls import Progress
from unity_bridge.core.ledger.machines import EditorState, JobState
from unity_bridge.core.ledger.records import EditorRecord, JobRecord

_BUSY = (EditorState.COMPILING, EditorState.RELOADING)


def told_progress(job: JobRecord, editor: EditorRecord, now: float) -> Optional[Mapping[str, Any]]:
    """``progress`` in a job's status. While the editor is busy it cannot be asked, but it has said what it does."""
    if job.state is JobState.RUNNING and editor.state in _BUSY and not _is_counted(job.progress):
        return {"step": editor.state.value, "for_ms": round((now - editor.since) * 1000)}
    return job.progress


def progress_now(job: JobRecord, editor: EditorRecord, now: float) -> Progress:
    """What a call that waits for the job is told every second: there is always something to say."""
    told = Progress.of(told_progress(job, editor, now))
    if told is None:
        step = "waiting" if job.state is JobState.QUEUED else "running"
        return Progress(step=step, for_ms=round((now - job.began_at) * 1000))
    if told.step is None or editor.state in _BUSY or job.learnt_at is None:
        return told
    return Progress(step=told.step, for_ms=told.for_ms + round((now - job.learnt_at) * 1000))


def _is_counted(progress: Optional[Mapping[str, Any]]) -> bool:
    return progress is not None and "completed" in progress
