"""Both sides' records of a soak, and what comes of holding one against the other."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List, NamedTuple, Optional

from unity_bridge.simulator.events import Event

Message = Dict[str, Any]
ENDED = ("succeeded", "failed", "cancelled", "timeout")


class Made:
    """A call that the client made. ``mark`` stands in its arguments, so that the editor's record can be matched."""

    def __init__(self, id: int, tool: str, mark: str) -> None:
        self.id = id
        self.tool = tool
        self.mark = mark
        self.answers: List[Message] = []
        self.is_cancelled = False

    @property
    def result(self) -> Optional[Message]:
        """The structured result of a call that succeeded."""
        told = self.answers[0].get("result") if self.answers else None
        return None if told is None or told.get("isError") else told["structuredContent"]

    @property
    def error(self) -> Optional[Message]:
        told = self.answers[0].get("result") if self.answers else None
        return told["structuredContent"]["error"] if told is not None and told.get("isError") else None

    @property
    def code(self) -> str:
        if self.is_cancelled and not self.answers:
            return "cancelled"
        return "ok" if self.error is None else str(self.error["code"])


class Verdict(NamedTuple):
    """What a soak found. ``faults``: how often which kind was dealt out; the last three are sentences, if any."""

    calls: int
    answered: Dict[str, int]
    faults: Dict[str, int]
    runs: int
    lost: List[str]
    doubled: List[str]
    lies: List[str]

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.doubled or self.lies)

    def table(self) -> str:
        rows = [("calls", str(self.calls)), ("test runs", str(self.runs)), ("faults", str(sum(self.faults.values())))]
        rows += [(name, str(len(found))) for name, found in self._found()]
        rows += [(f"  answered {code}", str(count)) for code, count in sorted(self.answered.items())]
        rows += [(f"  fault {kind}", str(count)) for kind, count in sorted(self.faults.items())]
        told = [f"{name}: {one}" for name, found in self._found() for one in found[:10]]
        return "\n".join([*(f"{name:<44}{value:>8}" for name, value in rows), *told])

    def _found(self) -> List[Any]:
        return [("lost", self.lost), ("doubled", self.doubled), ("lies", self.lies)]


def compared(calls: List[Made], ends: Dict[str, Message], events: List[Event], faults: Dict[str, int]) -> Verdict:
    """``ends``: the last status the client was told of each job. ``events``: those of every editor there was."""
    editors = _Editors(events)
    lost, doubled, lies = [], [], []
    for made in calls:
        if len(made.answers) > 1 or (made.is_cancelled and len(made.answers) > 1):
            doubled.append(f"{made.tool} {made.id} was answered {len(made.answers)} times")
        if not made.answers and not made.is_cancelled:
            lost.append(f"{made.tool} {made.id} was never answered")
        if made.tool == "read_console" and made.answers:
            lies += editors.lies_about_a_read(made)
    for job_id, status in ends.items():
        if status.get("state") not in ENDED:
            lost.append(f"{job_id} never ended: {status}")
        lies += editors.lies_about_a_job(job_id, status)
    doubled += [f"{job_id} was run {count} times" for job_id, count in editors.runs.items() if count > 1]
    answered = Counter(made.code for made in calls)
    return Verdict(len(calls), dict(answered), faults, len(editors.runs), lost, doubled, lies)


class _Editors:
    """What the editors did, by mark and by job."""

    def __init__(self, events: List[Event]) -> None:
        refused = {event["request_id"] for event in events if event.kind == "refused_call"}
        self._executed = Counter(
            str(event["params"].get("contains")) for event in events if event.kind == "execute" and event["params"]
        )
        self._failed = {event["request_id"] for event in events if event.kind == "fault" and event["fault"] == "fail"}
        self._started = {event["job_id"] for event in events if event.kind == "run_started"}
        self._finished = {event["job_id"]: event["state"] for event in events if event.kind == "run_finished"}
        taken = [e for e in events if e.kind == "submit" and not e["known"] and e["request_id"] not in refused]
        self.runs = Counter(str(event["job_id"]) for event in taken)

    def lies_about_a_read(self, made: Made) -> List[str]:
        ran, error = self._executed[made.mark], made.error
        if error is None:
            return [] if ran else [f"{made.mark} succeeded, but no editor ran it"]
        told = error["details"]["execution_guarantee"]
        if told == "not_executed" and ran:
            return [f"{made.mark} was told not to have run, and ran: {error}"]
        if told == "completed_error" and not ran and error["details"].get("request_id") not in self._failed:
            return [f"{made.mark} was told to have run, and did not: {error}"]
        return []

    def lies_about_a_job(self, job_id: str, status: Message) -> List[str]:
        error, has_begun = status.get("error"), job_id in self._started
        if error is None:
            finished = self._finished.get(job_id)
            if status["state"] == "cancelled" and finished is None and not has_begun:
                return []  # cancelled before it was sent
            return [] if status["state"] == finished else [f"{job_id} is told {status['state']}, it {finished}"]
        told = error["details"]["execution_guarantee"]
        if told == "not_executed" and has_begun:
            return [f"{job_id} was told not to have run, and did: {error}"]
        if told == "completed_error" and not has_begun:
            return [f"{job_id} was told to have run, and did not: {error}"]
        return []
