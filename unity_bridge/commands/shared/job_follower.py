"""``JobFollower``: one job from its submission to its end, cancelled in Unity on Ctrl-C (SPEC §13,
§15).

Everything that happens - an answer, progress, Ctrl-C, a deadline - comes to one queue, and one thread takes it out:
no matter when Ctrl-C comes, either nothing was submitted or Unity gets the cancel.
"""

from __future__ import annotations

import queue
import signal
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from unity_bridge.base.clock import Clock, SystemClock
from unity_bridge.base.errors import ErrorCode, error_object
from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Outcome, Progress
from unity_bridge.commands.shared.editor_probe import wait_for_editor
from unity_bridge.commands.shared.job_display import Display, display_for_stderr
from unity_bridge.commands.shared.job_end import Followed, JobEnd, Objection, Steps, Stop, TimedCall
from unity_bridge.commands.shared.options import ScriptSettings
from unity_bridge.scripting.command_bridge import CommandBridge
from unity_bridge.system.signals import MainThreadQueue
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject

# How long a job may take to stop: the test that runs is not interrupted, it ends first.
_CANCEL_GRACE_S = 30.0
# A job that cannot be cancelled once it runs may still be waiting in Unity, where the cancel ends
# it at once.
_LEAVE_S = 2.0

# `timeout` and some task runners pass a signal on to a process that has had it already.
_SAME_SIGNAL_S = 0.5

_WATCH_MS = 2_000
_ASK_AGAIN_S = 1.0
_ENDED = ("succeeded", "failed", "cancelled", "timeout")
# Members of a job's status that its end keeps.
_OF_THE_END = ("state", "result", "error", "tool", "console")


@frozen
class _Answered:
    number: int
    outcome: Outcome


_Event = Union[_Answered, Progress, Stop]


class JobFollower:
    """Follows one job. Must live on the main thread, whose signals it handles while it runs."""

    def __init__(
        self, life: CommandBridge, display: Display, timeout_s: float, clock: Clock, away_s: float
    ) -> None:
        """``timeout_s``: how long the job may take; ``away_s``: how long Unity may be away in the
        middle of it.
        """
        self._life = life
        self._display = display
        self._timeout_s = timeout_s
        self._clock = clock
        self._away_s = away_s
        self._events: MainThreadQueue[_Event] = MainThreadQueue()
        self._asked = 0
        self._request_id = ""
        self._job_id: Optional[str] = None
        self._withdrawal: Optional[int] = None
        self._stopped_by: Optional[Stop] = None
        self._stopped_at = 0.0
        self._deadline: Optional[float] = None
        self._can_be_cancelled = True
        self._is_ours = True
        self._has_said_rejected = False
        self._timed: List[TimedCall] = []
        self._began_at: Optional[float] = None

    def follow(self, tool: str, params: JsonObject, meanwhile: Sequence[TimedCall] = ()) -> JobEnd:
        """Call the tool, whose arguments ``params`` are, and wait for the end of its job.

        ``meanwhile`` are calls that are made while it runs; a failure of one is printed.
        """
        self._timed = sorted(meanwhile, key=lambda call: call.after_s)
        row = CATALOGUE[tool]
        self._can_be_cancelled = row.supports_cancel
        # Our deadline comes first, so that finished parts are reported; Unity's is for the case
        # that this process is gone.
        longest_s = self._timeout_s + (_CANCEL_GRACE_S if row.supports_cancel else 0.0)
        limit = {"wait_ms": 0, "timeout_ms": min(round(longest_s * 1000), row.max_timeout_ms)}
        with _signals_to(self._events.put):
            answer = self._ask(tool, {**params, **limit})
            if answer is None:
                return JobEnd("not_run", stopped_by=self._stopped_by)
            if isinstance(answer, Err):
                return JobEnd("not_run", error=answer.error.as_json(), stopped_by=self._stopped_by)
            if "job_id" not in answer.value:
                # The editor's log answered, and nothing was started (SPEC §18.3).
                return JobEnd(
                    answer.value["state"], answer.value["result"], stopped_by=self._stopped_by
                )
            self._job_id, self._withdrawal = answer.value["job_id"], None
            if self._stopped_by is not None:
                self._cancel()
            else:
                self._deadline = self._clock.now() + self._timeout_s
            return self._until_the_end()

    def follow_job(self, job_id: str) -> JobEnd:
        """Wait for the end of a job that somebody else submitted. To be stopped then means no
        longer to wait.
        """
        self._job_id, self._is_ours = job_id, False
        self._deadline = self._clock.now() + self._timeout_s
        with _signals_to(self._events.put):
            return self._until_the_end()

    def _until_the_end(self) -> JobEnd:
        unheard_since: Optional[float] = None
        while True:
            answer = self._ask("get_job_status", {"job_id": self._job_id, "wait_ms": _WATCH_MS})
            if answer is None:
                return self._left()
            if isinstance(answer, Err):
                now = self._clock.now()
                unheard_since = now if unheard_since is None else unheard_since
                is_lost = (
                    answer.error.code is ErrorCode.JOB_NOT_FOUND
                    or now - unheard_since >= self._away_s
                )
                if is_lost:
                    return self._left(answer.error.as_json())
                self._display.away(True)
                if not self._pause(_ASK_AGAIN_S):
                    return self._left()
                continue
            unheard_since = None
            status = answer.value
            if status["state"] in _ENDED:
                self._display.away(False)
                if status["state"] in ("succeeded", "failed") and status["result"] is not None:
                    self._display.complete()
                members: JsonDict = {name: status.get(name) for name in _OF_THE_END}
                return JobEnd(**members, stopped_by=self._stopped_by, job_id=self._job_id)
            self._show(status)

    def _left(self, error: Optional[JsonObject] = None) -> JobEnd:
        return JobEnd("left", error=error, stopped_by=self._stopped_by, job_id=self._job_id)

    def _show(self, status: JsonObject) -> None:
        self._display.away(bool(status.get("stale")) and status["state"] == "running")
        if (
            status.get("cancel_rejected")
            and self._stopped_by is not None
            and not self._has_said_rejected
        ):
            self._has_said_rejected = True
            self._display.say("Unity does not stop this job while it runs. Waiting for its end ...")
        progress = Progress.of(status["progress"])
        if progress is not None:
            self._display.progress(progress)

    # One question at a time, while everything else goes on.

    def _ask(self, tool: str, params: JsonObject) -> Optional[Outcome]:
        """Return the answer; None if it is not waited for any longer."""
        number = self._submit(tool, params)
        while True:
            event = self._next(None)
            if isinstance(event, _Answered):
                if event.number == number:
                    return event.outcome
                if event.number == self._withdrawal:
                    return None
            elif not self._go_on_after(event):
                return None

    def _pause(self, seconds: float) -> bool:
        """Wait for so many seconds; return False if the caller is not to continue after it."""
        until = self._clock.now() + seconds
        while True:
            event = self._next(until)
            if event is None:
                return True
            if not self._go_on_after(event):
                return False

    def _submit(self, tool: str, params: JsonObject) -> int:
        self._asked += 1
        number = self._asked
        self._request_id = self._life.submit(
            self._life.call(tool, params),
            lambda outcome: self._events.put(_Answered(number, outcome)),
            self._events.put,
        )
        return number

    def _next(self, until: Optional[float]) -> Optional[_Event]:
        """Return what happens next; None at the instant ``until``."""
        while True:
            instants = [
                instant
                for instant in (until, self._deadline, self._timed_at())
                if instant is not None
            ]
            remaining_s = min(instants) - self._clock.now() if instants else None
            if remaining_s is not None and remaining_s <= 0:
                timed_at = self._timed_at()
                if timed_at is not None and timed_at <= self._clock.now():
                    self._make(self._timed.pop(0))
                    continue
                if self._deadline is not None and self._deadline <= self._clock.now():
                    self._deadline = None
                    return Stop.OUT_OF_TIME
                return None
            try:
                return self._events.get(remaining_s)
            except queue.Empty:
                continue

    def _timed_at(self) -> Optional[float]:
        """When the next of the calls next to the job is due; None before the job has begun, and
        after the last.
        """
        if self._began_at is None or not self._timed:
            return None
        return self._began_at + self._timed[0].after_s

    def _make(self, timed: TimedCall) -> None:
        def report(outcome: Outcome) -> None:
            error = (
                outcome.error.as_json() if isinstance(outcome, Err) else outcome.value.get("error")
            )
            if error is not None:
                self._display.say(f"{timed.words} failed: {visible_line(str(error['message']))}")

        self._life.submit(self._life.call(timed.tool, timed.params), report)

    # Stopping.

    def _go_on_after(self, event: Optional[_Event]) -> bool:
        """Take in what is no answer; False if this was the last straw: a second Ctrl-C, or the
        grace is over.
        """
        if isinstance(event, Progress):
            if self._began_at is None:
                self._began_at = self._clock.now()
            # No sign that Unity is back: the first progress of each question repeats what was known
            # before.
            self._display.progress(event)
        elif isinstance(event, Stop):
            now = self._clock.now()
            if self._stopped_by is not None:
                return event is not Stop.OUT_OF_TIME and now - self._stopped_at < _SAME_SIGNAL_S
            self._stopped_by, self._stopped_at = event, now
            if not self._is_ours:
                return False
            self._deadline = now + (_CANCEL_GRACE_S if self._can_be_cancelled else _LEAVE_S)
            if self._job_id is None:
                self._withdraw()
            else:
                self._cancel()
        return True

    def _withdraw(self) -> None:
        """There is no job yet, that we know of."""
        self._life.abandon(self._request_id)
        # The executor takes its inbox in order: once this is answered, a job issued in spite of it
        # is known too.
        self._withdrawal = self._submit("get_editor_state", {})

    def _cancel(self) -> None:
        is_late = self._stopped_by is Stop.OUT_OF_TIME
        # Of several jobs in a row each has what the others have left, to the millionth.
        why = f"It took longer than {round(self._timeout_s, 1):g} s. " if is_late else ""
        again = "" if is_late else "again "
        activity = "Cancelling it, unless Unity has begun"
        if self._can_be_cancelled:
            activity = "Cancelling it in Unity"
        self._display.say(f"{why}{activity} ... (Ctrl-C {again}leaves at once)")
        # Unity's word on it comes with the job's end.
        self._life.submit(
            self._life.call("cancel_job", {"job_id": self._job_id}), lambda outcome: None
        )


@contextmanager
def _signals_to(put: Callable[[Stop], None]) -> Iterator[None]:
    """Ctrl-C, what a build server ends its jobs with, and the end of the terminal become events; afterwards they are
    what they were. A SIGHUP that is ignored stays ignored: that is what ``nohup`` does."""
    # SIGBREAK: Windows. SIGHUP: not there.
    stops = {
        "SIGINT": Stop.SIGINT,
        "SIGBREAK": Stop.SIGINT,
        "SIGTERM": Stop.SIGTERM,
        "SIGHUP": Stop.SIGHUP,
    }
    before: Dict[int, Any] = {}

    def handler(stop: Stop) -> Callable[[int, Any], None]:
        return lambda number, frame: put(stop)

    for name, stop in stops.items():
        number = getattr(signal, name, None)
        if number is not None and not (
            stop is Stop.SIGHUP and signal.getsignal(number) is signal.SIG_IGN
        ):
            before[number] = signal.signal(number, handler(stop))
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


# Next to a client that asks all the time, the job would wait; without one, the bar should move.
_POLL_MS = 250
# A job that begins when no time is left ends as one that took too long.
_LEAST_S = 0.1


def run_job(
    settings: ScriptSettings,
    tool: str,
    params: JsonObject,
    timeout_s: Optional[float] = None,
    objection: Optional[Objection] = None,
    steps: Optional[Steps] = None,
) -> Followed:
    """Wait for an editor, call the tool there, and follow its job to the end.

    ``timeout_s``: how long the job may take; by default as long as a call of the tool with these arguments may.
    ``steps`` runs several jobs in place of one, which may take as long together, and returns what they come to.
    """
    row = CATALOGUE[tool]
    limit_s = (
        timeout_s or min(row.default_timeout_ms + row.longer_ms(params), row.max_timeout_ms) / 1000
    )

    def follow(follower: Callable[[], JobFollower]) -> JobEnd:
        def ask(tool: str, params: JsonObject, meanwhile: Sequence[TimedCall] = ()) -> JobEnd:
            return follower().follow(tool, params, meanwhile)

        if steps is None:
            return ask(tool, params)
        return steps(ask)

    return _with_editor(settings, follow, limit_s, tool == "run_tests", objection)


def follow_job(settings: ScriptSettings, job_id: str, timeout_s: float) -> Followed:
    """Follow a job that another client submitted."""
    return _with_editor(settings, lambda follower: follower().follow_job(job_id), timeout_s)


def _with_editor(
    settings: ScriptSettings,
    follow: Callable[[Callable[[], JobFollower]], JobEnd],
    timeout_s: float,
    counts_tests: bool = True,
    objection: Optional[Objection] = None,
) -> Followed:
    config = settings.config
    poll_ms = min(_POLL_MS, config.job_poll_interval_ms)
    clock = SystemClock()
    with settings.bridge(job_poll_interval_ms=poll_ms) as life:
        editor = wait_for_editor(life, settings)
        if isinstance(editor, Err):
            return Followed(JobEnd("not_run", error=editor.error.as_json()), {}, has_editor=False)
        refused = None if objection is None else objection(editor.value["editor"] or {})
        if refused is not None:
            return Followed(
                JobEnd("not_run", error=error_object(refused)), editor.value["editor"], True
            )
        life.say_if_busy(editor.value)
        display = display_for_stderr(clock, counts_tests)
        until = clock.now() + timeout_s

        def follower() -> JobFollower:
            left_s = max(_LEAST_S, until - clock.now())
            return JobFollower(life, display, left_s, clock, config.compile_grace_timeout_ms / 1000)

        try:
            end = follow(follower)
        finally:
            display.close()
        return Followed(end, editor.value["editor"] or {}, has_editor=True)
