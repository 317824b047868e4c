"""Builds the executor out of its parts: the one place that knows who works with whom."""

from __future__ import annotations

from typing import Mapping, Optional

from unity_bridge.core.calls.admission import QueuePolicy
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.editor_state import StateAnswers
from unity_bridge.core.calls.figures import CallFigures
from unity_bridge.core.calls.joins import JobJoins
from unity_bridge.core.calls.questions import JobCalls
from unity_bridge.core.calls.reads import ToolCalls
from unity_bridge.core.calls.waiting import JobWaits
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.coordinator import Parts
from unity_bridge.core.dispatcher import ExchangeDispatcher
from unity_bridge.core.editor.absence import PluginAbsence
from unity_bridge.core.editor.parking import ParkingLimits
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.editor.sessions import SessionEvents
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.exchange import Exchange
from unity_bridge.core.jobs.cancelling import CancelManager
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.jobs.submission import Resolutions, Submissions
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import Purpose
from unity_bridge.core.recovery import BugRecovery
from unity_bridge.core.round_trip import RoundTrips
from unity_bridge.core.sharing.attached_servers import Attached, AttachedServers
from unity_bridge.core.sharing.forwarding import Forwarding, Link
from unity_bridge.core.sharing.port import ServerLife


def parts_of(context: ExecutionContext, link: Optional[Link] = None, attached: Optional[Attached] = None) -> Parts:
    """``link`` leads to the server that owns the port, ``attached`` to those that share ours, if there may be any."""
    # The owners of the stores, each above those that it knows.
    life = ServerLife(context)
    scheduler = RequestScheduler(context)
    tracker = EditorStateTracker(context)
    reconnect = ReconnectController(context, life)
    absence = PluginAbsence(context, life, reconnect, scheduler, tracker)
    jobs = JobManager(context)
    # What clients are told.
    figures = CallFigures()
    replies = Replies(context, scheduler, figures)
    waits = JobWaits(context, scheduler, tracker, jobs, replies)
    state_answers = StateAnswers(context, absence, life, reconnect, tracker, scheduler, jobs, replies, figures)
    # What goes to Unity.
    trips = RoundTrips(context, scheduler, reconnect)
    tool_calls = ToolCalls(context, scheduler, replies, trips)
    polls = Polls(context, jobs, waits, trips)
    cancels = CancelManager(context, scheduler, jobs, trips, polls)
    resolutions = Resolutions(context, scheduler, jobs, trips)
    submissions = Submissions(context, scheduler, jobs, trips, resolutions, cancels)
    job_calls = JobCalls(context, scheduler, jobs, replies, waits, cancels, trips, life)
    by_purpose: Mapping[Purpose, Exchange] = {
        Purpose.EXECUTE: tool_calls,
        Purpose.SUBMIT: submissions,
        Purpose.SUBMIT_AGAIN: submissions,
        Purpose.RESOLVE: resolutions,
        Purpose.STATUS: job_calls,
        Purpose.POLL: polls,
        Purpose.CANCEL: cancels,
    }
    exchanges = ExchangeDispatcher(context, trips, by_purpose)
    # What decides when.
    joins = JobJoins(jobs, reconnect)
    parking_limits = ParkingLimits(context, reconnect, tracker)
    policy = QueuePolicy(
        context,
        scheduler,
        jobs,
        replies,
        joins,
        job_calls,
        trips,
        tool_calls,
        polls,
        exchanges,
        parking_limits,
        life,
        absence,
        reconnect,
    )
    sessions = SessionEvents(context, reconnect, tracker, scheduler, jobs, polls, exchanges, parking_limits, policy)
    forwarding = Forwarding(context, scheduler, jobs, replies, waits, policy, link, state_answers.tell, absence)
    recovery = BugRecovery(scheduler, jobs, replies, waits, exchanges, submissions, polls, forwarding)
    jobs.observers += [waits.job_moved, job_calls.job_moved, polls.job_moved, cancels.job_moved]
    return Parts(
        life=life,
        scheduler=scheduler,
        tracker=tracker,
        reconnect=reconnect,
        jobs=jobs,
        replies=replies,
        waits=waits,
        cancels=cancels,
        tool_calls=tool_calls,
        resolutions=resolutions,
        submissions=submissions,
        polls=polls,
        job_calls=job_calls,
        exchanges=exchanges,
        policy=policy,
        sessions=sessions,
        forwarding=forwarding,
        attached=AttachedServers(tracker, reconnect, attached),
        state_answers=state_answers,
        figures=figures,
        recovery=recovery,
        absence=absence,
    )
