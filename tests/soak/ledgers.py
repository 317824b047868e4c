"""All sides' records of a soak, and what comes of holding them against each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Protocol

from tests.soak.line import Record, digest

if TYPE_CHECKING:
    from tests.soak.windows import Window

Message = Dict[str, Any]
ENDED = ("succeeded", "failed", "cancelled", "timeout")
KILLED = "asked of a server that was killed"
TOO_LATE = "asked of a server that was on its way out"


class Made:
    """A call that a client made. Its ``mark`` goes with it to the editor, whoever carries it there."""

    def __init__(self, window: Window, number: int, tool: str, mark: str, arguments: Message) -> None:
        self.window = window
        self.number = number
        self.tool = tool
        self.mark = mark
        self.arguments = arguments
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
    def fate(self) -> str:
        if self.is_refused:
            return "refused by the endpoint"
        if self.answers:
            return "ok" if self.error is None else str(self.error["code"])
        if self.is_cancelled:
            return "cancelled"
        return KILLED if self.window.was_killed else TOO_LATE if self.was_too_late else "lost"

    @property
    def is_refused(self) -> bool:
        """Whether it was answered with an error of JSON-RPC: such a call went no further."""
        return bool(self.answers) and "error" in self.answers[0]

    @property
    def was_too_late(self) -> bool:
        """Whether it was written after its server was told to end, which may not have read it any more."""
        return self.window.last_call is not None and self.number > self.window.last_call


class Deeds(Protocol):
    """What the editors did, told by what lies below the plugin's and the server's own words."""

    def executed(self, mark: str) -> bool:
        """Whether an editor took this call up."""
        ...

    def runs_of(self, mark: str) -> List[str]:
        """The runs that editors took in for this call."""
        ...

    def begun(self, job_id: str) -> int:
        """How often tests of this run were begun."""
        ...

    def may_have_ended(self, job_id: str, state: str) -> bool: ...

    def is_known(self, job_id: str) -> bool:
        """Whether the editor that is there can tell of it, and will for a while."""
        ...

    def faults(self) -> List[str]:
        """What should never happen in an editor."""
        ...


class Verdict(NamedTuple):
    """What a soak found. ``faults``: how often which kind was dealt out; the last four are sentences, if any."""

    calls: int
    answered: Dict[str, int]
    faults: Dict[str, int]
    servers: int
    runs: int
    sizes: Dict[str, int]
    lost: List[str]
    doubled: List[str]
    disordered: List[str]
    lies: List[str]

    @property
    def is_good(self) -> bool:
        return not any(found for _, found in self._found())

    def table(self) -> str:
        rows = [("calls", self.calls), ("test runs", self.runs), ("servers", self.servers)]
        rows += [("faults", sum(self.faults.values()))]
        rows += [(name, len(found)) for name, found in self._found()]
        rows += [(f"  at most: {name}", size) for name, size in self.sizes.items()]
        rows += [(f"  answered {fate}", count) for fate, count in sorted(self.answered.items())]
        rows += [(f"  fault {kind}", count) for kind, count in sorted(self.faults.items())]
        told = [f"{name}: {one}" for name, found in self._found() for one in found[:10]]
        return "\n".join([*(f"{name:<48}{value:>8}" for name, value in rows), *told])

    def _found(self) -> List[Any]:
        return [
            ("lost", self.lost),
            ("doubled", self.doubled),
            ("out of order", self.disordered),
            ("lies", self.lies),
        ]


class Judge:
    """Holds the clients' record against the line's and the editors'."""

    def __init__(self, windows: List[Window], record: Record, deeds: Deeds, is_shared: bool) -> None:
        """``is_shared``: several windows had the port at the same time."""
        self._is_shared = is_shared
        self._windows = windows
        self._calls = [made for window in windows for made in window.calls]
        self._record = record
        self._deeds = deeds
        # What clients were told of each run, in whatever order.
        self._told: Dict[str, List[Message]] = defaultdict(list)
        self._issued: Dict[str, Made] = {}
        for made in self._calls:
            result = made.result
            if result is not None and made.tool == "get_job_status":
                self._told[result["job_id"]].append(result)
            elif result is not None and made.tool == "run_tests":
                self._issued[result["job_id"]] = made

    def verdict(self, ends: Dict[str, Optional[Made]], faults: Dict[str, int], sizes: Dict[str, int]) -> Verdict:
        """``ends``: the last question about each run, when nothing went wrong any more."""
        runs = sum(len(self._deeds.runs_of(made.mark)) for made in self._calls if made.tool == "run_tests")
        fates = Counter(made.fate for made in self._calls)
        lost = self._lost()
        for job_id, made in ends.items():
            lost += self._lost_run(job_id, made)
        return Verdict(
            len(self._calls),
            dict(fates),
            faults,
            len(self._windows),
            runs,
            sizes,
            lost,
            self._doubled(),
            self._disordered(),
            self._lies(),
        )

    def _lost_run(self, job_id: str, made: Optional[Made]) -> List[str]:
        """Every run has an end that can be told. It is forgotten only with its server, unless the editor knows it."""
        told = None if made is None else made.result or made.error
        if told is None or (made is not None and made.result is not None and told["state"] not in ENDED):
            return [f"{job_id} never ended: {told}"]
        if "state" in told:
            return []
        may_be_forgotten = len(self._windows) > 1 and not self._deeds.is_known(job_id)
        if told["code"] == "ERR_JOB_NOT_FOUND" and may_be_forgotten:
            return []
        return [f"nobody could tell how {job_id} ended: {told}"]

    def _lost(self) -> List[str]:
        lost = [f"{made.tool} {made.mark} was never answered" for made in self._calls if made.fate == "lost"]
        for window in self._windows:
            if window.status != window.expected_status:
                lost.append(f"the server of {window.name} ended with {window.status}: {list(window.log)[-5:]}")
        return lost

    def _doubled(self) -> List[str]:
        doubled = []
        for made in self._calls:
            if len(made.answers) > 1:
                doubled.append(f"{made.tool} {made.mark} was answered {len(made.answers)} times")
            taken = self._deeds.runs_of(made.mark) if made.tool == "run_tests" else []
            if len(taken) > 1:
                doubled.append(f"{made.mark} was taken as {taken}")
            doubled += [
                f"{job_id} was run {self._deeds.begun(job_id)} times"
                for job_id in taken
                if self._deeds.begun(job_id) > 1
            ]
        return doubled

    def _disordered(self) -> List[str]:
        """First come, first served: of each window's calls that were answered, each can be found after the last.

        A call may be there more than once, since reads are repeated, and a frozen owner may send one that is another's
        by now when it thaws. A submission may be there late: one that was lost on its way is asked about first. And on
        a shared port it may be early: a server that loses its owner takes its reads back, but not the runs that were
        issued.
        """
        places: Dict[str, List[int]] = defaultdict(list)
        for place, (mark, _) in enumerate(self._record.sends):
            places[mark].append(place)
        found = []
        for window in self._windows:
            reached = -1
            for made in window.calls:
                if made.result is None or made.mark not in places or (self._is_shared and made.tool == "run_tests"):
                    continue
                after = next((place for place in places[made.mark] if place > reached), None)
                if after is None:
                    around = self._record.sends[max(0, places[made.mark][0] - 4) : reached + 4]
                    told = [send for send in around if send[0].startswith(f"{window.name}:")]
                    found.append(f"{made.tool} {made.mark} was sent to Unity before what was called before it: {told}")
                elif made.tool == "read_console":
                    reached = after
        return found

    def _lies(self) -> List[str]:
        lies = self._deeds.faults()
        for window in self._windows:
            lies += [f"not MCP, on stdout of {window.name}: {line!r}" for line in window.noise]
            lies += [f"a bug, in the log of {window.name}: {line}" for line in window.bugs]
        for made in self._calls:
            if made.answers and made.tool == "read_console":
                lies += self._lies_about_a_read(made)
            elif made.error is not None and made.tool == "run_tests":
                lies += self._lies_about_a_refused_run(made)
            elif made.result is not None and made.tool == "cancel_job":
                lies += self._lies_about_a_cancel(made.result)
        for job_id, told in self._told.items():
            for status in told:
                if status["state"] in ENDED:
                    lies += self._lies_about_an_end(job_id, status)
            known = {status["state"] for status in told if status["state"] in ENDED and "error" not in status}
            if len(known) > 1:
                lies.append(f"{job_id} was told to have ended as {sorted(known)}")
        return lies

    def _lies_about_a_read(self, made: Made) -> List[str]:
        error, results = made.error, self._record.results.get(made.mark, set())
        if made.is_refused:
            return [f"{made.mark} was refused, and ran: {made.answers}"] if self._deeds.executed(made.mark) else []
        if error is None:
            return [] if digest(made.result) in results else [f"{made.mark} was told what no editor said"]
        told = error["details"]["execution_guarantee"]
        ran = self._deeds.executed(made.mark) or results
        if told == "not_executed" and ran:
            return [f"{made.mark} was told not to have run, and ran: {error}"]
        if told == "completed_error" and made.mark not in self._record.failures:
            return [f"{made.mark} was told to have run and failed, and did not: {error}"]
        return []

    def _lies_about_a_refused_run(self, made: Made) -> List[str]:
        error, runs = made.error, self._deeds.runs_of(made.mark)
        assert error is not None
        told = error["details"]["execution_guarantee"]
        if told == "not_executed" and runs:
            return [f"{made.mark} was told not to have run, and was taken as {runs}: {error}"]
        if told == "completed_error":
            return [f"{made.mark} was told to have run before it was taken: {error}"]
        return []

    def _lies_about_a_cancel(self, told: Message) -> List[str]:
        if told["status"] == "cancelled" and self._deeds.begun(told["job_id"]):
            return [f"{told['job_id']} was told to be cancelled before it was sent, and was run"]
        return []

    def _lies_about_an_end(self, job_id: str, status: Message) -> List[str]:
        error, begun = status.get("error"), self._deeds.begun(job_id)
        if error is None:
            if self._deeds.may_have_ended(job_id, status["state"]):
                return []
            return [f"{job_id} is told to have {status['state']}, and has not"]
        told = error["details"]["execution_guarantee"]
        if told == "not_executed" and begun:
            return [f"{job_id} was told not to have run, and did: {error}"]
        if told == "completed_error" and not begun:
            return [f"{job_id} was told to have run, and did not: {error}"]
        return []
