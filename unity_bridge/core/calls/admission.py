"""``QueuePolicy``: which call may go to Unity when. Admit it, park it, let it go, end its wait, take the next turn.

SPEC §3.2, §3.3, §4.
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.calls import Call
from unity_bridge.base.errors import ToolError
from unity_bridge.base.result import Err
from unity_bridge.catalogue.tool import Mode
from unity_bridge.core import answers
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.joins import JobJoins
from unity_bridge.core.calls.questions import JobCalls
from unity_bridge.core.calls.reads import ToolCalls
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.dispatcher import ExchangeDispatcher
from unity_bridge.core.editor.absence import PluginAbsence
from unity_bridge.core.editor.parking import ParkingLimits
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.ledger.machines import JobEvent, RequestEvent, RequestState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import JobRecord, LostWith, Parked, Purpose, RequestRecord, Turn
from unity_bridge.core.round_trip import RoundTrips, is_disconnected
from unity_bridge.core.sharing.port import ServerLife


class QueuePolicy:
    """For the executor thread alone."""

    def __init__(
        self,
        context: ExecutionContext,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        joins: JobJoins,
        job_calls: JobCalls,
        trips: RoundTrips,
        tool_calls: ToolCalls,
        polls: Polls,
        exchanges: ExchangeDispatcher,
        parking_limits: ParkingLimits,
        life: ServerLife,
        absence: PluginAbsence,
        reconnect: ReconnectController,
    ) -> None:
        self._reconnect = reconnect
        self._project = context.project
        self._editor_is_ready = context.stores.editor_is_ready
        self._clock = context.clock
        self._log = context.log
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._joins = joins
        self._job_calls = job_calls
        self._trips = trips
        self._tool_calls = tool_calls
        self._polls = polls
        self._exchanges = exchanges
        self._parking_limits = parking_limits
        self._life = life
        self._absence = absence

    # A call comes in.

    def admit(self, request: RequestRecord) -> None:
        """Let a call that needs Unity into the queue, to go or to wait."""
        call = request.call
        astray = self._astray(call)
        if astray is not None:
            self._replies.fail(request.id, RequestEvent.REFUSED, astray)
            return
        if self._joins_a_job(request):
            return
        error = self._trips.lacks(call.tool) or self._life.blocked_error() or self._scheduler.full_error()
        if error is not None:
            self._replies.fail(request.id, RequestEvent.REFUSED, error)
        elif not self._editor_is_ready():
            self._park(request, RequestEvent.PARKED)
        elif call.tool.mode is Mode.JOB:
            self._scheduler.join(Purpose.SUBMIT, self._issue_job(request).id)
            self._begin_to_wait(request.id)
        else:
            self._scheduler.move(request.id, RequestEvent.ADMITTED)
            self._scheduler.join(Purpose.EXECUTE, request.id)

    def take_back(self, request: RequestRecord, lost_with: Optional[LostWith]) -> None:
        """A call comes back from an owner of the port that is gone; the queue's bound is for it as well (SPEC §4.1)."""
        error = self._scheduler.full_error()
        self._scheduler.remember(request.id, lost_with=request.lost_with or lost_with)
        if error is None:
            self._park(request, RequestEvent.CAME_BACK)
        else:
            self._replies.fail(request.id, RequestEvent.OWNER_LOST, error)

    def _park(self, request: RequestRecord, event: RequestEvent) -> None:
        parked = self._parking_limits.parked(self._clock.now())
        self._scheduler.move(request.id, event)
        self._scheduler.join_by_arrival(Purpose.EXECUTE, request.id, parked)

    def _joins_a_job(self, request: RequestRecord, place: Optional[Turn] = None) -> bool:
        """A job call may mean a job that there is already (SPEC §15.7); whether it has been seen to.

        ``place``: where it has waited for the editor.
        """
        if request.call.tool.mode is not Mode.JOB:
            return False
        found = self._joins.find(request.call)
        if isinstance(found, Err):
            self._scheduler.leave(request.id)
            self._replies.fail(request.id, RequestEvent.REFUSED, found.error)
        elif found.value is not None:
            self._job_calls.join(request, found.value, place)
        else:
            return False
        return True

    def _issue_job(self, request: RequestRecord) -> JobRecord:
        job = self._jobs.issue(request.call)
        self._log.info("job issued", job_id=job.id, request_id=request.id)
        self._scheduler.remember(request.id, job_id=job.id)
        return job

    def _begin_to_wait(self, request_id: str) -> None:
        """The call has its job, which has its turn in the queue."""
        self._job_calls.status(self._scheduler.open_request(request_id))

    # The editor's state changes, and with it what the queue waits for.

    def judge(self) -> None:
        """Whether the editor is ready has changed, or why it is not: park, judge anew, or let go."""
        if self._editor_is_ready():
            for turn in self._scheduler.unpark():
                self._let_go(turn)
            return
        self._answer_questions()
        self._scheduler.park(self._patience_of)

    def _let_go(self, parked: Turn) -> None:
        """The editor is ready for a turn that was parked."""
        request = self._scheduler.request(parked.subject)
        turn = self._scheduler.find(parked.subject, Purpose.EXECUTE)
        if request is None or turn is None or request.state is not RequestState.WAITING_EDITOR_READY:
            return
        error = self._lacks(request.call)
        if error is not None:
            self._scheduler.leave(request.id)
            self._replies.fail(request.id, RequestEvent.REFUSED, error)
        elif request.call.tool.mode is not Mode.JOB:
            self._scheduler.move(request.id, RequestEvent.EDITOR_READY)
        elif not self._joins_a_job(request, turn):
            # The job takes the very place in which its call waited.
            self._scheduler.replace(turn, Turn(Purpose.SUBMIT, self._issue_job(request).id))
            self._begin_to_wait(request.id)

    def _lacks(self, call: Call) -> Optional[ToolError]:
        """Why the editor that is there, or that is awaited, is none for ``call``."""
        return self._astray(call) or self._trips.lacks(call.tool)

    def _astray(self, call: Call) -> Optional[ToolError]:
        """It is for another project than the editor here. Only an attached server's can be (SPEC §18.2)."""
        if call.project is None:
            return None
        found = self._reconnect.project
        if found is None or call.project == found:
            return None
        return answers.other_project(call.project, found)

    def _answer_questions(self) -> None:
        """Questions about jobs never wait for the editor: what is known now is their answer (SPEC §4.3)."""
        for turn in list(self._scheduler.turns):
            if turn.purpose is Purpose.STATUS:
                self._scheduler.leave(turn.subject)
                self._job_calls.could_not_ask(self._scheduler.open_request(turn.subject))

    def _patience_of(self, turn: Turn) -> Parked:
        since = self._clock.now() if turn.parked is None else turn.parked.since
        return self._parking_limits.parked(since, turn.parked)

    # The queue moves on.

    def advance(self) -> None:
        """What was interrupted goes first, then turn by turn, and when the queue is empty our own questions."""
        if not self._editor_is_ready():
            return
        self._tool_calls.resume()
        while self._scheduler.in_flight is None:
            turn = self._scheduler.take() or self._polls.next()
            if turn is None:
                return
            if is_disconnected(self._exchanges.begin(turn)):
                # Its end is on the way to us, behind what the editor said before it: that it reloads, perhaps, which
                # decides how long to wait for it.
                return

    # A turn waits in vain.

    def parked_too_long(self, subject: str) -> None:
        """The turn has been parked for too long (SPEC §3.2)."""
        for turn in self._scheduler.parked():
            if turn.subject == subject and turn.parked is not None:
                waited_s = self._clock.now() - turn.parked.since
                port, absence, refused = self._life.listener.port, self._absence.reason, self._reconnect.lately_refused
                error = answers.parked_too_long(turn.parked, waited_s, port, absence, self._project, refused)
                self._end_parked(turn, error)

    def absence_known(self) -> None:
        """Somebody looked why no plugin is there. In safe mode none comes: the editor's log answers, or nobody."""
        look = self._absence.safe_mode
        if look is None:
            return
        for turn in self._scheduler.parked():
            request = self._scheduler.request(turn.subject)
            if request is not None and turn.purpose is Purpose.EXECUTE and request.call.tool.is_told_by_editor_log:
                self._scheduler.leave(request.id)
                self._replies.answered_here(request.id, answers.compile_of_the_log(request.call.tool.name, look))
            else:
                self._end_parked(turn, answers.in_safe_mode(look, self._project))

    def port_blocked(self) -> None:
        """Another program has the port: nothing that waits for the editor can be waited for (SPEC §2.5)."""
        error = self._life.blocked_error()
        for turn in self._scheduler.parked():
            if error is not None:
                self._end_parked(turn, error)

    def _end_parked(self, turn: Turn, error: ToolError) -> None:
        self._scheduler.leave(turn.subject)
        if turn.purpose is Purpose.SUBMIT:
            self._jobs.end(turn.subject, JobEvent.PARKED_TOO_LONG, error)
        else:
            self._replies.fail(turn.subject, RequestEvent.PARKED_TOO_LONG, error)
