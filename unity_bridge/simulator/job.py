"""One job: what was asked for, how it stands, and what it has written down. Nothing here knows what
any tool does.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from unity_bridge.base.errors import ErrorCode, Guarantee
from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.text.json_types import JsonDict, JsonObject

# The parameters of a tool, with their defaults. The server has checked what it sends (SPEC §8).
Parameters = Mapping[str, Any]


def filled_in(parameters: Parameters, values: JsonObject) -> JsonDict:
    """Return the values of all parameters, ignoring others. A value of ``None`` counts as absent."""
    return {
        name: default if values.get(name) is None else values[name]
        for name, default in parameters.items()
    }


class RunState(str, Enum):
    """A job's life as the wire names it."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"

    @property
    def ended(self) -> bool:
        return self not in (RunState.QUEUED, RunState.RUNNING)


class Step(str, Enum):
    """What a job is at where nothing can be counted; the values are the wire's."""

    WAITING = "waiting"
    IMPORTING = "importing"
    COMPILING = "compiling"
    RELOADING = "reloading"
    STALLED = "stalled"
    ENTERING_PLAY_MODE = "entering_play_mode"
    LEAVING_PLAY_MODE = "leaving_play_mode"
    RUNNING = "running"


@frozen
class Refusal:
    """Why something was not done; ``code`` is the wire's."""

    code: ErrorCode
    message: str
    details: JsonObject = made_by(dict)

    def as_json(self) -> JsonDict:
        return {"code": self.code.value, "message": self.message, "details": dict(self.details)}


def refused(reason: str, message: str, **details: Any) -> Refusal:
    """Return a refusal by the editor, before it did anything (SPEC §15.8)."""
    guarantee = Guarantee.NOT_EXECUTED.value
    return Refusal(
        ErrorCode.UNITY_EXECUTION,
        message,
        {"reason": reason, "execution_guarantee": guarantee, **details},
    )


def playing(purpose: str) -> Refusal:
    return refused("playing", f"The editor is in play mode. Leave it, then {purpose}.")


def misfit(message: str, reason: str = "arguments") -> Refusal:
    """Return the refusal of a command whose name or arguments do not fit (SPEC §16.5)."""
    details = {"reason": reason, "execution_guarantee": Guarantee.NOT_EXECUTED.value}
    return Refusal(ErrorCode.INVALID_PARAMS, message, details)


def not_simulated(subject: str) -> Refusal:
    """Return the refusal of what only a real editor does; ``subject`` is a sentence about it."""
    return refused("not_simulated", f"{subject} Use a real editor.")


def exception(tool: str, kind: str, message: str, stack: Sequence[str]) -> Refusal:
    """Code of the project threw: it ran, and failed (SPEC §16.5)."""
    details: JsonDict = {
        "reason": "exception",
        "execution_guarantee": Guarantee.COMPLETED_ERROR.value,
    }
    details.update(exception=kind, message=message, stack=list(stack))
    return Refusal(
        ErrorCode.UNITY_EXECUTION, f"{tool} threw {kind.rpartition('.')[2]}: {message}", details
    )


def reloaded(subject: str) -> Refusal:
    """Return the error of code that ran while the domain was unloaded; it never runs again (SPEC
    §15.6).
    """
    details = {"reason": "reloaded_while_running", "execution_guarantee": Guarantee.UNKNOWN.value}
    message = f"Unity reloaded its scripts while {subject} ran. Check what it changed before you run it again."
    return Refusal(ErrorCode.UNITY_EXECUTION, message, details)


@frozen
class Submission:
    """What ``submit_job`` asks for. ``client`` and ``key``: the caller, and its name for the job.
    ``is_untrusted``: the server has proved nothing.
    """

    tool_name: str
    params: JsonObject = made_by(dict)
    job_id: Optional[str] = None
    request_id: Optional[str] = None
    client: Optional[str] = None
    key: Optional[str] = None
    timeout_s: Optional[float] = None
    is_untrusted: bool = False


@frozen
class Wait:
    """The job continues when the editor changes, at the latest after so many seconds (None:
    whenever it changes).
    """

    seconds: Optional[float] = None


@frozen
class End:
    """The job is over."""

    state: RunState
    result: Optional[JsonObject] = None
    error: Optional[Refusal] = None


Advance = Union[Wait, End]


def failed(error: Refusal) -> End:
    return End(RunState.FAILED, error=error)


@dataclass
class Job:
    """A row of the ledger. Every field is JSON: the row is all that a domain reload leaves of the
    job.

    Instants are the editor clock's. ``notes`` belong to the tool. ``reloads`` counts the reloads since the start.
    """

    job_id: str
    tool_name: str
    params: JsonDict
    step_since: float
    accepted_at: float = 0.0
    console_cursor: str = ""
    deadline: Optional[float] = None
    request_id: Optional[str] = None
    client: Optional[str] = None
    key: Optional[str] = None
    state: RunState = RunState.QUEUED
    step: Step = Step.WAITING
    counts: Optional[JsonDict] = None
    notes: JsonDict = field(default_factory=dict)
    reloads: int = 0
    is_cancelled: bool = False
    is_out_of_time: bool = False
    result: Optional[JsonDict] = None
    error: Optional[JsonDict] = None
    console: Optional[JsonDict] = None
    is_end_reported: bool = False
    is_untrusted: bool = False
    is_disowned: bool = False

    @classmethod
    def from_json(cls, row: JsonObject) -> Job:
        job = cls(**row)
        job.state, job.step = RunState(job.state), Step(job.step)
        return job

    def as_json(self) -> JsonDict:
        return asdict(self)

    @property
    def must_stop(self) -> Optional[RunState]:
        """The state to end in as soon as the tool can stop."""
        if self.is_cancelled:
            return RunState.CANCELLED
        if self.is_out_of_time:
            return RunState.TIMEOUT
        return None

    def enter(self, step: Step, now: float) -> None:
        if step is not self.step:
            self.step, self.step_since = step, now

    def listed(self, now: float) -> JsonDict:
        """Return the entry of ``hello.jobs`` while it has not ended (SPEC §15.9)."""
        age_ms = max(0, round((now - self.accepted_at) * 1000))
        members = {
            **self.named(),
            "state": self.state.value,
            "step": self.step.value,
            "age_ms": age_ms,
        }
        client = self.client
        if self.is_disowned:
            client = "untrusted"
        if client is None:
            return members
        return {**members, "client": client}

    def named(self) -> JsonDict:
        """Which job it is, for another one that waits for it. A disowned one has no id."""
        if self.is_disowned:
            members = {}
        else:
            members = {"job_id": self.job_id}
        members["tool"] = self.tool_name
        if "name" in self.params:  # of a command
            members["name"] = self.params["name"]
        return members

    def status(self, now: float, stalled_ms: int, ahead: Optional[Job] = None) -> JsonDict:
        """Return the fields of ``job_status`` (SPEC §15.3).

        ``stalled_ms`` is 0 while the main thread does ordinary work. ``ahead``: the oldest job that has not ended."""
        status: JsonDict = {"tool_name": self.tool_name, "state": self.state.value}
        status["progress"] = self._progress(now, stalled_ms)
        if self.state is RunState.QUEUED and ahead not in (None, self):
            status["progress"] = {**status["progress"], "waits_for": ahead.named()}
        optional: Dict[str, Any] = {
            "result": self.result,
            "error": self.error,
            "console": self.console,
        }
        optional.update(client=self.client, client_request_id=self.key)
        status.update((name, value) for name, value in optional.items() if value is not None)
        if self.deadline is not None and not self.state.ended:
            status["remaining_ms"] = max(0, round((self.deadline - now) * 1000))
        return status

    def _progress(self, now: float, stalled_ms: int) -> Optional[JsonDict]:
        if self.counts is not None or self.state.ended:
            return self.counts
        if self.state is RunState.RUNNING and stalled_ms:
            return {"step": Step.STALLED.value, "for_ms": stalled_ms}
        return {"step": self.step.value, "for_ms": max(0, round((now - self.step_since) * 1000))}
