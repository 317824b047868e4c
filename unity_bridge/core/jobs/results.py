"""``Results``: what Unity, or the owner of the port, says of a job becomes its record (SPEC §5.3,
§15.3, §20.4).
"""

from __future__ import annotations

import json
from typing import Any, Mapping, Optional

from unity_bridge.attach.protocol import job_error_of
from unity_bridge.base.errors import ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.catalogue.before_proof import as_reported
from unity_bridge.catalogue.calls import Call, Progress
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.core import errors
from unity_bridge.core.context import Core
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.ledger.machines import JobEvent, JobState
from unity_bridge.core.ledger.records import CancelProgress, JobRecord
from unity_bridge.core.unity_errors import (
    Answer,
    Overflow,
    end_of_job,
    fault_of,
    is_job_not_found,
    is_refusal_for_now,
)
from unity_bridge.unity.messages import ErrorMessage, Fault, JobStatus

# SPEC §20.5: so many answers in a row that cannot be used, over so long; and for how long Unity may
# refuse to answer. The first questions follow each other within 0.1 s, so a number alone would end
# a job for a hiccup of the plugin.
_UNUSABLE_IN_A_ROW = 3
_UNUSABLE_FOR_S = 3.0
_REFUSED_FOR_S = 30.0

# States that say nothing without a result or an error (SPEC §15.3).
_NEEDS_A_RESULT = ("succeeded", "failed")

_UNITY_SAID: Mapping[str, JobEvent] = {
    "queued": JobEvent.PROGRESSED,
    "running": JobEvent.PROGRESSED,
    "succeeded": JobEvent.SUCCEEDED,
    "failed": JobEvent.FAILED,
    "cancelled": JobEvent.CANCELLED_BY_UNITY,
    "timeout": JobEvent.TIMED_OUT_BY_UNITY,
}


class Results:
    """For the executor thread alone."""

    def __init__(self, core: Core, jobs: JobRecords) -> None:
        self._core = core
        self._jobs = jobs
        self._check_result = core.check_result
        every_plugins = (tool for tool in core.catalogue.values() if tool.is_in_every_plugin)
        self._first_tool = next(tool for tool in every_plugins if tool.mode is Mode.JOB)

    def answered(self, job_id: str, answer: Answer) -> bool:
        """Take in the answer to a ``get_job_status``; False if it said nothing of the job."""
        job = self._jobs.get(job_id)
        if isinstance(answer, JobStatus):
            if job is None:
                identity = self._core.ledger.identity
                instance_id = identity.instance_id if identity else None
                self._jobs.adopt(job_id, instance_id, unity_id=answer.job_id)
            elif not job.accepted:
                self._jobs.accepted(job_id, answer.job_id)
            self.learn(job_id, answer)
        elif is_job_not_found(answer):
            # A job whose submission is yet to be resolved has not been forgotten: it may go to
            # Unity once more.
            if job is not None and job.accepted:
                self._jobs.end(job_id, JobEvent.LOST, errors.job_lost(errors.FORGOTTEN_BY_UNITY))
        else:
            self.unusable(job_id, answer)
            return False
        return True

    def learn(self, job_id: str, status: JobStatus) -> None:
        """Take over what Unity says of a job.

        Progress that cannot be passed on is left out, and a job whose result cannot be passed on
        has not succeeded.
        """
        record = self._jobs.get(job_id)
        assert (
            record is not None
        )  # it was in the ledger when Unity was asked, or has been adopted since
        if (
            None not in (record.tool_name, status.tool_name)
            and record.tool_name != status.tool_name
        ):
            self._count_unusable(job_id, "it is about another tool's job", is_hopeless=False)
            return
        job = self._name(record, status)
        self._jobs.keep_old_deadline(job, status.remaining_ms)
        tool, fault = self._jobs.tool_of(job), None
        is_proven = self._core.ledger.is_plugin_proven
        if status.state == "succeeded" and status.error is not None:
            fault = "it has an error"
        elif status.result is None and status.error is None and status.state in _NEEDS_A_RESULT:
            fault = "it has none"
        elif tool is not None and status.result is not None:
            params = {} if job.call is None else job.call.params
            checked = self._check_result(tool, params, status.result)
            if isinstance(checked, Err):
                fault = checked.error
            else:
                nothing = None
                if status.state == "succeeded":
                    nothing = self._found_nothing(job, tool, checked.value)
                if nothing is not None:
                    self._jobs.end(job_id, JobEvent.FAILED, nothing)
                    return
                has_failed = status.state == "succeeded" and tool.finds_faults(checked.value)
                result = as_reported(checked.value) if job.is_sent_before_proof else checked.value
                if has_failed:
                    state = "failed"
                else:
                    state = status.state
                status = changed(status, result=result, state=state)
        # A job that failed without a word may not have begun.
        was_carried_out = is_proven and (status.state == "succeeded" or status.result is not None)
        if fault is not None and _UNITY_SAID[status.state] is not JobEvent.PROGRESSED:
            self._jobs.end(
                job_id,
                JobEvent.MALFORMED,
                errors.unreadable_end(status.state, fault, was_carried_out),
            )
        elif self._jobs.has_ended(job) and job.result_dropped and status.state == job.state.value:
            self._restore_result(job_id, status)
        else:
            event, text = _UNITY_SAID[status.state], _text(status)
            error = None if status.error is None else end_of_job(status.error, is_proven)
            if error is not None and tool is not None and job.call is not None:
                error = tool.reworded(job.call.params, error)
            if event is JobEvent.TIMED_OUT_BY_UNITY and error is None:
                budget_ms = None if job.call is None else job.call.timeout_ms
                error = errors.ended_by_unity(job.tool_name, budget_ms)
            is_news = self._learn(
                job_id,
                event,
                status.progress,
                error=error,
                is_untrusted=not is_proven,
                console=status.console,
                result=text,
            )
            if is_news and event is not JobEvent.PROGRESSED:
                self._keep_to_the_budget(job_id, text)

    def unusable(self, job_id: str, answer: Answer) -> None:
        """Unity was asked for the job and answered something else. It is not asked for ever (SPEC
        §20.5).
        """
        if is_refusal_for_now(answer):
            return  # it asks to be asked again; the job's own deadline bounds that
        if isinstance(answer, ErrorMessage):
            self._count_refusal(job_id, fault_of(answer))
        else:
            # A proven plugin whose result is no object will say the same the next time.
            is_no_object = isinstance(answer, Fault) and answer.field == "result"
            is_hopeless = isinstance(answer, Overflow) or (
                is_no_object and self._core.ledger.is_plugin_proven
            )
            self._count_unusable(job_id, fault_of(answer), is_hopeless)

    def remember(self, job_id: str, report: Mapping[str, Any], call: Optional[Call] = None) -> None:
        """Keep what the owner of the port said of a job, should the owner go: its state, but not
        its result (§20.4).

        ``call``: ours that it was started for. It is only ever passed on as stale: Unity is asked
        as soon as it can be (SPEC §14.2, §14.3).
        """
        event = _UNITY_SAID.get(str(report.get("state", "running")))
        if event is None:
            return
        if self._jobs.get(job_id) is None:
            self._jobs.forget_unheard_of()
            running, tool = JobState.RUNNING, report.get("tool")
            if call is None:
                record = JobRecord(job_id, running)
            else:
                record = self._jobs.of_call(job_id, running, call)
            names = {} if call is not None or not isinstance(tool, str) else {"tool_name": tool}
            self._jobs.take_up(record, unity_id=job_id, **names)
        error = report.get("error")
        job_error = None if error is None else job_error_of(error)
        self._learn(
            job_id,
            event,
            report.get("progress"),
            error=job_error,
            is_untrusted=report.get("untrusted") is True,
            result_dropped=report.get("result") is not None or bool(report.get("result_dropped")),
        )

    # Parts of the above.

    def _found_nothing(
        self, job: JobRecord, tool: Tool, result: Mapping[str, Any]
    ) -> Optional[ToolError]:
        identity = self._core.ledger.identity
        is_founding = identity is not None and identity.tools is None
        if is_founding and job.call is not None:
            return tool.found_nothing(job.call.params, result)
        return None

    def _count_unusable(self, job_id: str, fault: str, is_hopeless: bool) -> None:
        """Unity's status of the job cannot be used; if ``is_hopeless``, the next one cannot either."""
        job = self._jobs.get(job_id)
        if job is None or self._jobs.has_ended(job):
            return
        now, times = self._core.now(), job.unusable + 1
        since = now if job.unusable == 0 else job.unusable_since
        if is_hopeless or (times >= _UNUSABLE_IN_A_ROW and now - since >= _UNUSABLE_FOR_S):
            self._jobs.end(job_id, JobEvent.MALFORMED, errors.unreadable_status(fault, times))
        else:
            self._jobs.note(job_id, unusable=times, unusable_since=since)

    def _count_refusal(self, job_id: str, why: str) -> None:
        job = self._jobs.get(job_id)
        if job is None or self._jobs.has_ended(job):
            return
        now, times = self._core.now(), job.refused + 1
        since = now if job.refused == 0 else job.refused_since
        # More than one: the first refusal after a long reload is no series.
        if times >= _UNUSABLE_IN_A_ROW and now - since >= _REFUSED_FOR_S:
            self._jobs.end(job_id, JobEvent.MALFORMED, errors.refused_status(why, now - since))
        else:
            self._jobs.note(job_id, refused=times, refused_since=since)

    def _learn(self, job_id: str, event: JobEvent, progress: Any, **end: Any) -> bool:
        """Take over what can be passed on; whether it was news. ``end``: what counts if the job has
        ended.
        """
        heard = {
            "progress": progress if Progress.of(progress) is not None else None,
            "learnt_at": self._core.now(),
            "unusable": 0,
            "refused": 0,
        }
        if event is not JobEvent.PROGRESSED:
            # A cancel that is still wanted has nothing left to ask of Unity.
            heard.update(end, cancel=CancelProgress.ANSWERED)
        return self._jobs.move(job_id, event, **heard) is not None

    def _restore_result(self, job_id: str, status: JobStatus) -> None:
        """Unity still has the result for which there was no room."""
        text = _text(status)
        if text is not None:
            self._jobs.note(job_id, result=text, result_dropped=False)
            self._keep_to_the_budget(job_id, text)

    def _keep_to_the_budget(self, job_id: str, text: Optional[str]) -> None:
        if text is not None:
            for dropped in self._jobs.kept.add(job_id, len(text)):
                self._jobs.note(dropped, result=None, result_dropped=True)

    def _name(self, job: JobRecord, status: JobStatus) -> JobRecord:
        """Take over what Unity knows of an inherited job and we do not.

        A plugin that does not say what a job is for is of the first ones, which have only one kind
        of job.
        """
        if job.call is not None:
            return job
        names = {
            "tool_name": status.tool_name or self._first_tool.name,
            "client": status.client,
            "key": status.client_request_id,
        }
        news = {
            name: value
            for name, value in names.items()
            if value is not None and getattr(job, name) is None
        }
        if news:
            return self._jobs.note(job.id, **news)
        return job


def _text(status: JobStatus) -> Optional[str]:
    if status.result is None:
        return None
    return json.dumps(status.result, separators=(",", ":"))
