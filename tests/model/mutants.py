"""Ways in which the bridge could break a promise: each is put into a wired bridge, and must be
found out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict

from tests.fakes import InMemoryBridge
from tests.model.conversation import Mutation
from unity_bridge.attach.owner_events import OwnerAnswered
from unity_bridge.attach.protocol import outcome_of
from unity_bridge.base.errors import Guarantee
from unity_bridge.base.result import Ok
from unity_bridge.core.editor.slot_rules import Ruling
from unity_bridge.core.jobs.jobs import is_the_same
from unity_bridge.core.ledger.machines import JOB, EditorState, JobEvent, JobState, RequestState
from unity_bridge.core.ledger.records import Purpose, SessionRecord, Trust
from unity_bridge.trust.plugin_challenge import ProofVerdict

MUTANTS: Dict[str, Mutation] = {}


def mutant(mutation: Mutation) -> Mutation:
    MUTANTS[mutation.__name__] = mutation
    return mutation


@mutant
def answers_twice(bridge: InMemoryBridge) -> None:
    requests = bridge.parts.requests
    answer = requests._answer

    def twice(record: Any, outcome: Any) -> None:
        answer(record, outcome)
        if record.caller is not None:
            record.caller.on_outcome(outcome)

    _put(requests, "_answer", twice)


@mutant
def answers_whom_gave_up(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.requests, "forget_caller", lambda request_id: None)


@mutant
def forgets_to_answer_a_refusal(bridge: InMemoryBridge) -> None:
    requests = bridge.parts.requests
    answer = requests._answer
    _put(
        requests,
        "_answer",
        lambda record, outcome: isinstance(outcome, Ok) and answer(record, outcome),
    )


@mutant
def submits_blindly_after_a_drop(bridge: InMemoryBridge) -> None:
    join = bridge.parts.ledger.join_first
    _put(
        bridge.parts.submissions,
        "interrupted",
        lambda trip: join(Purpose.SUBMIT_AGAIN, trip.subject),
    )


@mutant
def believes_a_strange_editor_that_a_job_never_arrived(bridge: InMemoryBridge) -> None:
    join = bridge.parts.ledger.join_first
    _put(
        bridge.parts.resolutions, "_submit_again", lambda job_id: join(Purpose.SUBMIT_AGAIN, job_id)
    )
    _put(bridge.parts.jobs, "_is_unknown_to", lambda job, identity: False)


@mutant
def last_comes_first(bridge: InMemoryBridge) -> None:
    ledger = bridge.parts.ledger

    def take_the_last() -> Any:
        turns = tuple(ledger.turns)
        if ledger.in_flight is not None or not turns:
            return None
        ledger._put(turns[:-1])
        return turns[-1]

    _put(ledger, "take", take_the_last)


@mutant
def has_no_bound(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.ledger, "is_full", lambda most: False)


@mutant
def does_not_wait_for_the_round_trip(bridge: InMemoryBridge) -> None:
    ledger = bridge.parts.ledger
    depart = ledger.depart

    def depart_and_forget(trip: Any) -> None:
        depart(trip)
        ledger.arrive()

    _put(ledger, "depart", depart_and_forget)


@mutant
def takes_any_answer_for_the_one_it_waits_for(bridge: InMemoryBridge) -> None:
    answered = bridge.parts.round_trips.answered

    def any_answer(change: Any) -> None:
        trip = bridge.parts.ledger.in_flight
        answered(replace(change, request_id=None if trip is None else trip.request_id))

    bridge.parts.replace(bridge.parts.round_trips, "answered", any_answer)


@mutant
def calls_a_timeout_not_executed(bridge: InMemoryBridge) -> None:
    _report_instead(bridge, Guarantee.UNKNOWN, Guarantee.NOT_EXECUTED)


@mutant
def calls_a_refusal_unknown(bridge: InMemoryBridge) -> None:
    _report_instead(bridge, Guarantee.NOT_EXECUTED, Guarantee.UNKNOWN)


@mutant
def calls_a_refusal_executed(bridge: InMemoryBridge) -> None:
    _report_instead(bridge, Guarantee.NOT_EXECUTED, Guarantee.COMPLETED_ERROR)


@mutant
def lets_an_ended_job_live_again(bridge: InMemoryBridge) -> None:
    again = {JobEvent.PROGRESSED: JobState.RUNNING, JobEvent.SUCCEEDED: JobState.SUCCEEDED}
    _put(bridge.stores.jobs, "_table", {**JOB, JobState.TIMEOUT: again, JobState.FAILED: again})
    _put(bridge.stores.jobs, "has_ended", lambda record: not JOB[record.state])


@mutant
def leaves_deadlines_behind(bridge: InMemoryBridge) -> None:
    _put(bridge.core.deadlines, "clear", lambda kind, id: None)


@mutant
def waits_for_the_editor_for_ever(bridge: InMemoryBridge) -> None:
    editor = bridge.parts.editor
    parked = editor.parked

    def endless(*arguments: Any) -> Any:
        return replace(parked(*arguments), deadline=float("inf"))

    _put(editor, "parked", endless)


@mutant
def passes_on_whatever_unity_answers(bridge: InMemoryBridge) -> None:
    for teller in bridge.parts.checkers:
        _put(teller, "_check_result", lambda tool, params, result: Ok(result))


@mutant
def sends_what_was_cancelled(bridge: InMemoryBridge) -> None:
    leave = bridge.parts.ledger.leave
    _put(
        bridge.parts.ledger,
        "leave",
        lambda subject, purpose=None: subject.startswith("req") and leave(subject, purpose),
    )
    _put(bridge.stores.jobs, "_table", {**JOB, JobState.CANCELLED: JOB[JobState.QUEUED]})
    _put(
        bridge.stores.jobs,
        "has_ended",
        lambda record: not JOB[record.state] and record.state != "cancelled",
    )


@mutant
def stops_without_a_word(bridge: InMemoryBridge) -> None:
    ledger = bridge.parts.ledger
    open_requests = ledger.open_requests
    running = [RequestState.RUNNING]
    _put(ledger, "open_requests", lambda: [one for one in open_requests() if one.state in running])


@mutant
def forgets_that_a_read_was_sent(bridge: InMemoryBridge) -> None:
    requests = bridge.parts.requests
    remember = requests.remember

    def forgetful(request_id: str, **changes: Any) -> Any:
        changes.pop("lost_with", None)
        return remember(request_id, **changes)

    _put(requests, "remember", forgetful)


@mutant
def asks_for_a_running_job_only_once(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.polls, "later", lambda job: None)


@mutant
def lets_parked_calls_sleep_on(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.admission, "_let_go", lambda turn: None)


@mutant
def joins_a_compile_that_may_have_begun(bridge: InMemoryBridge) -> None:
    joins = bridge.parts.joins

    def any_open(call: Any) -> Any:
        same = (
            job
            for job in bridge.parts.jobs.open()
            if job.call is not None and job.call.params == call.params
        )
        return next((job for job in same if job.tool_name == call.tool.name), None)

    _put(joins, "_identical", any_open)


@mutant
def starts_a_job_for_every_call_of_a_key(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.joins, "find", lambda call: Ok(None))


@mutant
def joins_the_job_of_a_spent_key(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.jobs, "end_reported", lambda job_id, client: None)


@mutant
def spends_a_key_with_another_clients_answer(bridge: InMemoryBridge) -> None:
    jobs = bridge.parts.jobs
    end_reported = jobs.end_reported
    _put(jobs, "end_reported", lambda job_id, client: end_reported(job_id, None))


@mutant
def spends_a_key_before_the_end_is_reported(bridge: InMemoryBridge) -> None:
    jobs = bridge.parts.jobs
    move = jobs.move

    def spending(job_id: str, event: Any, **changes: Any) -> Any:
        moved = move(job_id, event, **changes)
        jobs.end_reported(job_id, None)
        return moved

    _put(jobs, "move", spending)


@mutant
def spends_the_key_of_a_job_with_effects(bridge: InMemoryBridge) -> None:
    jobs = bridge.parts.jobs
    tool_of = jobs.tool_of

    def forgetful(job: Any) -> Any:
        tool = tool_of(job)
        return tool and replace(tool, keeps_key=False)

    _put(jobs, "tool_of", forgetful)


@mutant
def keeps_the_key_of_a_job_that_never_ran(bridge: InMemoryBridge) -> None:
    jobs = bridge.parts.jobs
    keyed = jobs.keyed
    refused: Dict[Any, Any] = {}
    moved = jobs.move

    def remembering(job_id: str, event: Any, **changes: Any) -> Any:
        job = moved(job_id, event, **changes)
        if (
            job is not None
            and job.error is not None
            and job.error.guarantee is Guarantee.NOT_EXECUTED
        ):
            refused[job.client, job.key] = job_id
        return job

    _put(jobs, "move", remembering)
    _put(
        jobs,
        "keyed",
        lambda call: (
            keyed(call) or jobs.get(refused.get((call.client, call.client_request_id), ""))
        ),
    )


@mutant
def answers_before_the_wait_is_over(bridge: InMemoryBridge) -> None:
    waits = bridge.parts.waits
    _put(
        waits,
        "answer_or_wait",
        lambda request, job, was_asked=False: waits.answer(request.id, job, was_asked),
    )


@mutant
def runs_a_job_that_nobody_waits_for_any_more(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.questions, "given_up", lambda request: None)


@mutant
def lets_a_joining_call_lose_its_place(bridge: InMemoryBridge) -> None:
    questions = bridge.parts.questions
    join = questions.join
    _put(questions, "join", lambda request, job, place=None: join(request, job))


@mutant
def repeats_what_is_no_read_when_the_owner_is_lost(bridge: InMemoryBridge) -> None:
    answers = bridge.parts.owner_answers
    ended = answers._owner_ended

    def repeat(request: Any, guarantee: Guarantee) -> None:
        ended(request, Guarantee.NOT_EXECUTED)

    _put(answers, "_owner_ended", repeat)


@mutant
def says_of_a_read_that_the_owner_took_with_it_that_it_never_ran(bridge: InMemoryBridge) -> None:
    policy = bridge.parts.admission
    take_back = policy.take_back
    _put(policy, "take_back", lambda request, lost_with: take_back(request, None))


@mutant
def puts_what_comes_back_from_an_owner_last(bridge: InMemoryBridge) -> None:
    ledger = bridge.parts.ledger
    _put(ledger, "join_by_arrival", ledger.join)


@mutant
def hands_an_owners_answer_over_twice(bridge: InMemoryBridge) -> None:
    parts = bridge.parts
    answered = parts.owner_answers.answered

    def twice(event: OwnerAnswered) -> None:
        caller = parts.owed.get(event.request_id)
        request = parts.requests.get(event.request_id)
        answered(event)
        if caller is not None and request is not None:
            caller.on_outcome(outcome_of(event.message, request.call.tool))

    parts.replace(parts.owner_answers, "answered", twice)


@mutant
def forgets_what_was_forwarded_to_an_owner_that_is_lost(bridge: InMemoryBridge) -> None:
    bridge.parts.replace(bridge.parts.owner_answers, "owner_lost", lambda event: None)


@mutant
def forwards_a_call_and_admits_it_as_well(bridge: InMemoryBridge) -> None:
    """The call goes to the owner, and waits here too: the first one wins."""
    forwarding = bridge.parts.forwarding
    forward = forwarding.forward

    def both(request: Any) -> Any:
        is_forwarded = forward(request)
        if is_forwarded and request.call.tool.needs_editor:
            bridge.parts.ledger.join(Purpose.EXECUTE, request.id)
        return is_forwarded

    _put(forwarding, "forward", both)


# Who gets the place, and who is trusted.


@mutant
def keeps_no_place(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.slot, "left", lambda session: None)


@mutant
def forgets_for_whom_the_owner_kept_the_place(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.slot, "seen_by_owner", lambda identity, is_trusted: None)


@mutant
def keeps_a_place_for_ever(bridge: InMemoryBridge) -> None:
    slot = bridge.parts.slot
    keep = slot.keep
    _put(slot, "keep", lambda seconds: keep(seconds + 3600))


@mutant
def keeps_the_place_of_a_busy_editor_as_briefly_as_any(bridge: InMemoryBridge) -> None:
    slot = bridge.parts.slot
    keep = slot.keep
    _put(slot, "keep", lambda seconds: keep(min(seconds, 2.5)))


@mutant
def hands_the_place_to_anybody_who_may_be_trusted(bridge: InMemoryBridge) -> None:
    slot = bridge.parts.slot
    decide = slot.decide

    def trusting(newcomer: Any, identity: Any) -> Any:
        may_be = newcomer.trust in (Trust.PROVEN, Trust.AWAITED)
        return Ruling.TAKES_THE_SLOT if may_be else decide(newcomer, identity)

    _put(slot, "decide", trusting)


@mutant
def asks_nobody_for_a_proof(bridge: InMemoryBridge) -> None:
    slot = bridge.parts.slot
    decide = slot.decide
    _put(slot, "decide", lambda newcomer, identity: decide(_proven(newcomer), identity))


@mutant
def takes_any_proof(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.proofs, "check", lambda session_id, given: ProofVerdict.PROVEN)


@mutant
def trusts_every_hello(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.proofs, "ask", lambda session_id, made: Trust.PROVEN)


@mutant
def sends_anything_to_anybody(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.editor, "lacks", lambda tool: None)


@mutant
def does_not_wait_for_a_proof(bridge: InMemoryBridge) -> None:
    ledger = bridge.parts.ledger
    ready = EditorState.READY
    _put(
        ledger,
        "editor_is_ready",
        lambda: ledger.session is not None and ledger.editor_now.state is ready,
    )


@mutant
def begins_a_command_that_is_open_again(bridge: InMemoryBridge) -> None:
    _put(bridge.parts.joins, "_identical", lambda call: None)


@mutant
def joins_the_command_of_anybody(bridge: InMemoryBridge) -> None:
    joins = bridge.parts.joins
    identical, jobs = joins._identical, joins._jobs

    def of_anybody(call: Any) -> Any:
        same = (job for job in jobs.open() if job.call is not None and is_the_same(call, job))
        return next(same, None) if call.tool.name == "run_command" else identical(call)

    _put(joins, "_identical", of_anybody)


@mutant
def reports_old_code_as_new(bridge: InMemoryBridge) -> None:
    check = bridge.parts.results._check_result

    def lie(tool: Any, params: Any, result: Any) -> Any:
        return check(
            tool, params, {**result, "code_fresh": True} if tool.name == "run_tests" else result
        )

    _put(bridge.parts.results, "_check_result", lie)


@mutant
def reports_no_null_for_unknown_code(bridge: InMemoryBridge) -> None:
    check = bridge.parts.results._check_result

    def lie(tool: Any, params: Any, result: Any) -> Any:
        checked = check(tool, params, result)
        if isinstance(checked, Ok) and checked.value.get("code_fresh", 0) is None:
            del checked.value["code_fresh"]
        return checked

    _put(bridge.parts.results, "_check_result", lie)


def _proven(session: SessionRecord) -> SessionRecord:
    return replace(session, trust=Trust.PROVEN)


def _report_instead(bridge: InMemoryBridge, reported: Guarantee, instead: Guarantee) -> None:
    fail = bridge.parts.requests.fail

    def lie(request_id: str, event: Any, error: Any, *known_as: Any) -> None:
        fail(
            request_id,
            event,
            replace(error, known_guarantee=instead) if error.guarantee is reported else error,
        )

    _put(bridge.parts.requests, "fail", lie)


def _put(whose: Any, name: str, instead: Any) -> None:
    setattr(whose, name, instead)
