"""``Submissions`` and ``Resolutions``: a job reaches Unity exactly once, whatever breaks on the way
(SPEC §5.2).
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.catalogue.tool import Cancellable
from unity_bridge.core import errors
from unity_bridge.core.context import Core, is_disconnected
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.jobs.cancelling import Cancels
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.jobs.results import Results
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, JobState
from unity_bridge.core.ledger.records import JobRecord, Purpose, RoundTrip
from unity_bridge.core.unity_errors import Answer, fault_of, is_job_not_found, refused, unity_error
from unity_bridge.unity.messages import (
    ErrorMessage,
    Fault,
    GetJobStatus,
    JobStatus,
    SubmitJobResult,
)


class Resolutions:
    """Asks whether a submission arrived whose answer was lost. The ``Exchange`` of RESOLVE; its
    subject is the job.
    """

    def __init__(self, core: Core, jobs: JobRecords, results: Results) -> None:
        self._core = core
        self._jobs = jobs
        self._results = results
        self._interval_s = core.config.job_poll_interval_ms / 1000

    def want(self, job_id: str) -> None:
        """Ask whether the job arrived, because the answer to its submission is lost."""
        self._ask_or_lose(
            job_id, "the connection broke before Unity had said whether it took the job"
        )

    def unreadable(self, job_id: str, answer: Answer) -> None:
        """Something answered the submission, and cannot be read."""
        job = self._unresolved(job_id)
        unity_id = answer.job_id if isinstance(answer, Fault) and not answer.is_error else None
        if job is not None and unity_id is not None and not job.is_resolvable:
            # It names the job, which is what an answer is for.
            self._jobs.accepted(job_id, unity_id)
        else:
            self._ask_or_lose(
                job_id, f"Unity's answer to submit_job cannot be read ({fault_of(answer)})"
            )

    def _ask_or_lose(self, job_id: str, why: str) -> None:
        """Ask whether the job arrived; a plugin that does not adopt our ids cannot be asked."""
        job = self._unresolved(job_id)
        if job is None:
            return
        if job.is_resolvable:
            self._core.ledger.join_first(Purpose.RESOLVE, job_id)
        else:
            self._jobs.end(job_id, JobEvent.LOST, errors.job_lost(why))

    def begin(self, subject: str) -> Optional[ToolError]:
        if self._unresolved(subject) is None:
            return None
        message = GetJobStatus(request_id=self._core.ids.request(), job_id=subject)
        error = self._core.ask(
            Purpose.RESOLVE, subject, message, self._core.config.sync_fast_timeout_ms
        )
        if error is not None:
            self._core.ledger.join_first(Purpose.RESOLVE, subject)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, JobStatus):
            self._jobs.accepted(trip.subject, answer.job_id)
            self._results.learn(trip.subject, answer)
        elif is_job_not_found(answer):
            self._submit_again(trip.subject)
        else:
            self._results.unusable(trip.subject, answer)
            self._later(trip.subject)

    def timed_out(self, trip: RoundTrip) -> None:
        self._later(trip.subject)

    def interrupted(self, trip: RoundTrip) -> None:
        self._core.ledger.join_first(Purpose.RESOLVE, trip.subject)

    def _submit_again(self, job_id: str) -> None:
        """Unity says it never had the job. Only the very editor process that it was sent to can
        know that.
        """
        job, identity = self._jobs.get(job_id), self._core.ledger.identity
        was_sent_to = job and job.instance_id
        is_same_editor = (
            identity is not None and was_sent_to is not None and was_sent_to == identity.instance_id
        )
        if is_same_editor and identity is not None and identity.jobs is not None:
            self._core.log.info("the submission never arrived; submitting again", job_id=job_id)
            self._core.ledger.join_first(Purpose.SUBMIT_AGAIN, job_id)
        else:
            self._jobs.end(
                job_id, JobEvent.LOST, errors.job_lost("the editor that came back does not know it")
            )

    def _later(self, job_id: str) -> None:
        if self._unresolved(job_id) is not None:
            self._core.deadlines.set(Due.RESOLVE, job_id, self._core.now() + self._interval_s)

    def _unresolved(self, job_id: str) -> Optional[JobRecord]:
        """Return the job while it is unknown whether it arrived; None if it has ended or Unity has
        reported it.
        """
        job = self._jobs.get(job_id)
        if job is None or self._jobs.has_ended(job) or job.accepted:
            return None
        return job


class Submissions:
    """A job leaves for Unity. The ``Exchange`` of SUBMIT and SUBMIT_AGAIN; its subject is the job."""

    def __init__(
        self,
        core: Core,
        editor: Editor,
        jobs: JobRecords,
        resolutions: Resolutions,
        cancels: Cancels,
    ) -> None:
        self._core = core
        self._editor = editor
        self._jobs = jobs
        self._resolutions = resolutions
        self._cancels = cancels

    def begin(self, subject: str) -> Optional[ToolError]:
        job = self._jobs.get(subject)
        if job is None or self._jobs.has_ended(job):
            return None
        assert job.call is not None  # only a job that was issued here is submitted
        message = self._jobs.submission(job)
        error = self._editor.refuses(job.call)
        error = error or self._core.ask(
            Purpose.SUBMIT, subject, message, self._core.config.sync_default_timeout_ms
        )
        if is_disconnected(error):
            # The editor that comes back has to say whether a second submission is still right.
            was_sent = job.state is not JobState.QUEUED
            if was_sent:
                purpose = Purpose.RESOLVE
            else:
                purpose = Purpose.SUBMIT
            self._core.ledger.join_first(purpose, subject)
        elif error is not None:
            self._jobs.end(subject, JobEvent.SEND_FAILED, error)
        else:
            self._jobs.submitted(job, message.request_id)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        if isinstance(answer, SubmitJobResult):
            self._jobs.accepted(trip.subject, answer.job_id)
        elif isinstance(answer, ErrorMessage):
            self._jobs.end(
                trip.subject,
                JobEvent.REFUSED,
                refused(unity_error(answer.error, self._core.ledger.is_plugin_proven)),
            )
        else:
            # An answer that cannot be read is a lost answer: Unity has the job, or has not.
            self._core.log.warning(
                f"the answer to submit_job cannot be used: {fault_of(answer)}", job_id=trip.subject
            )
            self._resolutions.unreadable(trip.subject, answer)

    def timed_out(self, trip: RoundTrip) -> None:
        error = errors.timed_out(
            "submit_job", self._core.config.sync_default_timeout_ms, is_read=False
        )
        self._jobs.end(trip.subject, JobEvent.UNANSWERED, error)
        self._cancels.give_up(
            trip.subject, {Cancellable.UNTIL_IT_BEGINS, Cancellable.WHILE_IT_RUNS}
        )

    def interrupted(self, trip: RoundTrip) -> None:
        self._resolutions.want(trip.subject)

    def give_up_the_forgotten(self) -> None:
        """End every job that nothing will bring to Unity: a bug of ours may have lost track of its
        submission.
        """
        trip = self._core.ledger.in_flight
        placed = {
            turn.subject for turn in self._core.ledger.turns if turn.purpose is not Purpose.CANCEL
        }
        subject = ""
        if trip:
            subject = trip.subject
        placed.add(subject)
        for job in self._jobs.open():
            if (
                not job.accepted
                and job.id not in placed
                and not self._core.deadlines.has(Due.RESOLVE, job.id)
            ):
                self._jobs.end(
                    job.id, JobEvent.BUG, errors.bug("it submitted the job", has_left=True)
                )
