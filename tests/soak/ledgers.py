"""All sides' records of a soak, and what comes of holding them against each other."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Protocol, Set, Tuple

from tests.soak.proxy import Record, digest

if TYPE_CHECKING:
    from tests.soak.windows import Window

Message = Dict[str, Any]
JOB_TOOLS = ("run_tests", "compile", "play_mode", "run_csharp", "run_command")
# Their key is spent once the client has the end of their job (SPEC §15.7).
SPENDING_TOOLS = ("run_tests", "compile", "play_mode")
READ_TOOLS = ("read_console", "inspect", "screenshot")
ENDED = ("succeeded", "failed", "cancelled", "timeout")
KILLED = "asked of a server that was killed"
TOO_LATE = "asked of a server that was on its way out"


class Made:
    """A call that a client made. Its ``mark`` goes with it to the editor, through any server.

    The mark is a job's key. ``is_repeated``: it is that of an earlier call, which this one repeats. Without
    ``has_key`` it does not leave the client.
    """

    def __init__(
        self,
        window: Window,
        number: int,
        tool: str,
        mark: str,
        arguments: Message,
        is_repeated: bool = False,
        has_key: bool = True,
    ) -> None:
        self.window = window
        self.number = number
        self.tool = tool
        self.mark = mark
        self.arguments = arguments
        self.is_repeated = is_repeated
        self.has_key = has_key
        self.answers: List[Message] = []
        self.is_cancelled = False

    @property
    def result(self) -> Optional[Message]:
        """The result of a call that succeeded, as the editor gave it."""
        answer = self.answers[0].get("result") if self.answers else None
        if answer is None or answer.get("isError"):
            return None
        return (
            answer["structuredContent"]
            if "structuredContent" in answer
            else _pictured(answer["content"])
        )

    @property
    def error(self) -> Optional[Message]:
        answer = self.answers[0].get("result") if self.answers else None
        return (
            answer["structuredContent"]["error"]
            if answer is not None and answer.get("isError")
            else None
        )

    @property
    def job(self) -> Optional[Message]:
        """The status of the job that it was answered with, whether or not that could be carried
        out.
        """
        answer = self.answers[0].get("result") if self.answers else None
        content: Message = {} if answer is None else answer.get("structuredContent", {})
        return content if "state" in content else None

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
        """Whether it was written after its server was asked to end, which may not have read it any
        more.
        """
        return self.window.last_call is not None and self.number > self.window.last_call


def _pictured(content: List[Message]) -> Message:
    """What the editor answered, of the picture and the text that the client was given."""
    image, text = content
    return {
        **json.loads(text["text"]),
        "image": image["data"],
        "format": image["mimeType"].replace("image/jpeg", "jpg")[-3:],
    }


class Moment(NamedTuple):
    """A point in the life of an editor process, of which ``place`` says which came first."""

    process: int
    reloads: int
    place: int


class EditorLedger(Protocol):
    """What the editors did, from records below the plugin and the server."""

    def executed(self, mark: str) -> bool:
        """Whether an editor took this call up."""
        ...

    def jobs(self) -> List[str]:
        """All jobs that editors took in."""
        ...

    def jobs_of(self, mark: str) -> List[str]:
        """The jobs that editors took in for this call, or for all calls with this key."""
        ...

    def was_taken_twice(self, mark: str, may_be_forgotten: bool) -> bool:
        """Whether more than one job was taken in; ``may_be_forgotten``: one in each editor process
        is allowed.
        """
        ...

    def tool_of(self, job_id: str) -> str: ...

    def begun(self, job_id: str) -> Optional[int]:
        """How often what this job is for was begun: its tests, or its import. None if unknown."""
        ...

    def was_handed_over(self, job_id: str) -> bool:
        """Whether the editor was asked to do the work of this job, even if it stopped before it
        began with it.
        """
        ...

    def repeated(self, job_id: str) -> List[str]:
        """What happened to this job more often than once, and must not."""
        ...

    def may_have_ended(self, job_id: str, state: str) -> bool: ...

    def tested_todays_code(self, job_id: str) -> Optional[bool]:
        """Whether its tests ran on what was on disk when it began; None if unknown."""
        ...

    def loaded_todays_code(self, job_id: str) -> Optional[bool]:
        """Whether what was on disk when it began, or later, was loaded when it had refreshed; None
        if unknown.
        """
        ...

    def may_be_ok(self, job_id: str, ok: bool) -> bool:
        """Whether what was on disk when it began, or later, did compile, or did not."""
        ...

    def moment_of(self, job_id: str) -> Optional[Moment]:
        """When its tests began; None if they did not, or if unknown."""
        ...

    def names_of(self, job_id: str) -> List[str]:
        """What the editors call this job."""
        ...

    def is_known(self, job_id: str) -> bool:
        """Whether the connected editor knows it, and will for a while."""
        ...

    def faults(self) -> List[str]:
        """What should never happen in an editor."""
        ...


class Verdict(NamedTuple):
    """What a soak found. ``faults``: how often which kind was dealt out; the last four are
    sentences, if any.
    """

    calls: int
    answered: Dict[str, int]
    faults: Dict[str, int]
    servers: int
    jobs: Dict[str, int]
    sizes: Dict[str, int]
    lost: List[str]
    doubled: List[str]
    disordered: List[str]
    untrue: List[str]

    @property
    def is_good(self) -> bool:
        return not any(found for _, found in self._found())

    def table(self) -> str:
        rows = [("calls", self.calls), *(self.jobs.items()), ("servers", self.servers)]
        rows += [("faults", sum(self.faults.values()))]
        rows += [(name, len(found)) for name, found in self._found()]
        rows += [(f"  at most: {name}", size) for name, size in self.sizes.items()]
        rows += [(f"  answered {fate}", count) for fate, count in sorted(self.answered.items())]
        rows += [(f"  fault {kind}", count) for kind, count in sorted(self.faults.items())]
        details = [f"{name}: {one}" for name, found in self._found() for one in found[:10]]
        return "\n".join([*(f"{name:<48}{value:>8}" for name, value in rows), *details])

    def _found(self) -> List[Any]:
        return [
            ("lost", self.lost),
            ("doubled", self.doubled),
            ("out of order", self.disordered),
            ("untrue", self.untrue),
        ]


class Referee:
    """Holds the clients' record against the wire's and the editors'."""

    def __init__(
        self, windows: List[Window], record: Record, ledger: EditorLedger, is_shared: bool
    ) -> None:
        """``is_shared``: several windows had the port at the same time."""
        self._is_shared = is_shared
        self._windows = windows
        self._calls = [made for window in windows for made in window.calls]
        self._record = record
        self._ledger = ledger
        self._repeated = {made.mark for made in self._calls if made.is_repeated}
        # The statuses of each job that clients got, in any order.
        self._reported: Dict[str, List[Message]] = defaultdict(list)
        for made in self._calls:
            if made.job is not None:
                self._reported[made.job["job_id"]].append(made.job)

    def verdict(
        self, ends: Dict[str, Optional[Made]], faults: Dict[str, int], sizes: Dict[str, int]
    ) -> Verdict:
        """``ends``: the last question about each job, when nothing went wrong any more."""
        tools = Counter(self._ledger.tool_of(job_id) for job_id in self._ledger.jobs())
        jobs = {f"jobs of {tool}": tools[tool] for tool in JOB_TOOLS}
        fates = Counter(made.fate for made in self._calls)
        lost = self._lost()
        for job_id, made in ends.items():
            lost += self._lost_job(job_id, made)
        return Verdict(
            len(self._calls),
            dict(fates),
            faults,
            len(self._windows),
            jobs,
            sizes,
            lost,
            self._doubled(),
            self._disordered(),
            self._untrue(),
        )

    def _lost_job(self, job_id: str, made: Optional[Made]) -> List[str]:
        """Every job has a known end. It is forgotten only with its server, unless the editor knows
        it.
        """
        answer = None if made is None else made.result or made.error
        if answer is None or (
            made is not None and made.result is not None and answer["state"] not in ENDED
        ):
            return [f"{job_id} never ended: {answer}"]
        if "state" in answer:
            return []
        may_be_forgotten = len(self._windows) > 1 and not self._ledger.is_known(job_id)
        if answer["code"] == "ERR_JOB_NOT_FOUND" and may_be_forgotten:
            return []
        return [f"no server knows how {job_id} ended: {answer}"]

    def _lost(self) -> List[str]:
        lost = [
            f"{made.tool} {made.mark} was never answered"
            for made in self._calls
            if made.fate == "lost"
        ]
        for window in self._windows:
            if window.status != window.expected_status:
                lost.append(
                    f"the server of {window.name} ended with {window.status}: {list(window.log)[-5:]}"
                )
        return lost

    def _doubled(self) -> List[str]:
        doubled = []
        for made in self._calls:
            if len(made.answers) > 1:
                doubled.append(f"{made.tool} {made.mark} was answered {len(made.answers)} times")
        for mark in {made.mark: None for made in self._calls if made.tool in JOB_TOOLS}:
            # The processes that knew a key may be gone: its server, and the editor that reports it
            # to the next one.
            may_be_forgotten = mark in self._repeated and len(self._windows) > 1
            held = [job_id for job_id in self._ledger.jobs_of(mark) if not self._never_ran(job_id)]
            if len(held) > 1 and self._ledger.was_taken_twice(mark, may_be_forgotten):
                doubled.append(f"{mark} was taken as {self._ledger.jobs_of(mark)}")
        for job_id in self._ledger.jobs():
            doubled += [f"{job_id} has {kind} twice" for kind in self._ledger.repeated(job_id)]
        return doubled

    def _disordered(self) -> List[str]:
        """First come, first served: of each window's calls that were answered, each can be found
        after the last.

        A call may be there more than once, since reads are repeated, and a frozen owner may send one that is another's
        by now when it thaws. A submission may be there late: one that was lost on its way is asked about first. And on
        a shared port it may be early: a server that loses its owner takes its reads back, but not the jobs that were
        issued. A call with an earlier one's key has no place of its own.
        """
        places: Dict[str, List[int]] = defaultdict(list)
        for place, (mark, _) in enumerate(self._record.sends):
            places[mark].append(place)
        found = []
        for window in self._windows:
            reached = -1
            for made in window.calls:
                if made.result is None or made.mark not in places or made.is_repeated:
                    continue
                if self._is_shared and made.tool in JOB_TOOLS:
                    continue
                after = next((place for place in places[made.mark] if place > reached), None)
                if after is None:
                    around = self._record.sends[max(0, places[made.mark][0] - 4) : reached + 4]
                    nearby = [send for send in around if send[0].startswith(f"{window.name}:")]
                    found.append(
                        f"{made.tool} {made.mark} was sent to Unity before what was called before it: {nearby}"
                    )
                elif made.tool in READ_TOOLS:
                    reached = after
        return found

    def _untrue(self) -> List[str]:
        untrue = self._ledger.faults()
        for window in self._windows:
            untrue += [f"not MCP, on stdout of {window.name}: {line!r}" for line in window.noise]
            untrue += [f"a bug, in the log of {window.name}: {line}" for line in window.bugs]
        for made in self._calls:
            if made.answers and made.tool in READ_TOOLS:
                untrue += self._untrue_about_a_read(made)
            elif made.tool in JOB_TOOLS:
                untrue += self._untrue_about_a_submission(made)
            elif made.result is not None and made.tool == "cancel_job":
                untrue += self._untrue_about_a_cancel(made.result)
        untrue += self._untrue_about_loaded_code()
        for job_id, statuses in self._reported.items():
            for status in statuses:
                if status["state"] in ENDED:
                    untrue += self._untrue_about_an_end(job_id, status)
            known = {
                status["state"]
                for status in statuses
                if status["state"] in ENDED and "error" not in status
            }
            if len(known) > 1:
                untrue.append(f"{job_id} was reported to have ended as {sorted(known)}")
        return untrue

    def _untrue_about_a_read(self, made: Made) -> List[str]:
        error, results = made.error, self._record.results.get(made.mark, set())
        if made.is_refused:
            return (
                [f"{made.mark} was refused, and ran: {made.answers}"]
                if self._ledger.executed(made.mark)
                else []
            )
        if error is None:
            return (
                []
                if digest(_without_marks(made.result)) in results
                else [f"{made.mark} got what no editor sent"]
            )
        guarantee = error["details"]["execution_guarantee"]
        ran = self._ledger.executed(made.mark) or results
        if guarantee == "not_executed" and ran:
            return [f"{made.mark} was reported as not executed, and ran: {error}"]
        if guarantee == "completed_error" and made.mark not in self._record.failures:
            return [f"{made.mark} was reported as executed and failed, and did not run: {error}"]
        return []

    def _untrue_about_a_submission(self, made: Made) -> List[str]:
        error, jobs = made.error, self._ledger.jobs_of(made.mark)
        if made.job is not None:
            return self._untrue_about_a_joined_job(made, made.job)
        if error is None or made.mark in self._repeated:
            return []  # whichever of the calls with this key it was that a job was begun for
        guarantee = error["details"]["execution_guarantee"]
        if guarantee == "not_executed" and jobs:
            return [f"{made.mark} was reported as not executed, and was taken as {jobs}: {error}"]
        if guarantee == "completed_error":
            return [f"{made.mark} was reported as executed before it was taken: {error}"]
        return []

    def _untrue_about_a_joined_job(self, made: Made, status: Message) -> List[str]:
        """Who joins a job gets one that his key has already, or a compile that was not sent to Unity yet. A key that is
        spent has a new job, which the server submits under a key of its own making."""
        taken = self._ledger.jobs_of(made.mark)
        if (
            not taken
            or status["job_id"] in taken
            or (made.tool == "compile" and status.get("joined"))
        ):
            return []
        if made.is_repeated and self._may_be_spent(made, {*taken} - {status["job_id"]}):
            return []
        if made.mark in self._repeated and self._never_ran(status["job_id"]):
            return []  # the other call with this key is the one whose job was taken
        return [f"{made.mark} was taken as {taken}, and answered with {status['job_id']}"]

    def _may_be_spent(self, made: Made, jobs: Set[str]) -> bool:
        """Whether its window got the end of one of these jobs, by whichever call; a job that never ran has no
        key."""
        ends = {
            one.job["job_id"]
            for one in made.window.calls
            if one.job is not None and one.job["state"] in ENDED
        }
        return any(self._never_ran(job_id) for job_id in jobs) or (
            made.tool in SPENDING_TOOLS and bool(jobs & ends)
        )

    def _never_ran(self, job_id: str) -> bool:
        """It was refused, or cancelled before it was sent to Unity. Such a job holds no key."""
        reported = self._reported.get(job_id, [])
        errors = [status["error"] for status in reported if "error" in status]
        was_cancelled = any(status["state"] == "cancelled" for status in reported)
        return any(
            error["details"]["execution_guarantee"] == "not_executed" for error in errors
        ) or (was_cancelled and job_id not in self._ledger.jobs())

    def _untrue_about_a_cancel(self, result: Message) -> List[str]:
        if result["status"] == "cancelled" and self._ledger.begun(result["job_id"]):
            return [f"{result['job_id']} was reported as cancelled before it was sent, and was run"]
        return []

    def _untrue_about_an_end(self, job_id: str, status: Message) -> List[str]:
        error, begun = status.get("error"), self._ledger.begun(job_id)
        if error is None:
            if not self._ledger.may_have_ended(job_id, status["state"]):
                return [f"{job_id} is reported as {status['state']}, and is not"]
            return self._untrue_about_a_result(job_id, status.get("result"))
        guarantee, has_run = (
            error["details"]["execution_guarantee"],
            begun or self._ledger.was_handed_over(job_id),
        )
        if guarantee == "not_executed" and has_run:
            return [f"{job_id} was reported as not executed, and ran: {error}"]
        if guarantee == "completed_error" and begun == 0 and not has_run:
            return [f"{job_id} was reported as executed, and did not run: {error}"]
        return []

    def _untrue_about_a_result(self, job_id: str, result: Optional[Message]) -> List[str]:
        if result is None:
            return []
        names = self._ledger.names_of(job_id)
        if not any(
            digest(_without_marks(result)) in self._record.job_results.get(name, ())
            for name in names
        ):
            return [f"{job_id} ended with what no editor said: {result}"]
        if result.get("code_fresh") and self._ledger.tested_todays_code(job_id) is False:
            return [f"{job_id} is reported to have tested the newest code, and has not"]
        compiled = result if self._ledger.tool_of(job_id) == "compile" else result.get("compile")
        return [] if compiled is None else self._untrue_about_a_compile(job_id, compiled)

    def _untrue_about_a_compile(self, job_id: str, compiled: Message) -> List[str]:
        untrue = []
        if not self._ledger.may_be_ok(job_id, compiled["ok"]):
            untrue.append(
                f"{job_id} is reported ok {compiled['ok']}, and what was on disk says otherwise"
            )
        if compiled.get("loaded") and self._ledger.loaded_todays_code(job_id) is False:
            untrue.append(f"{job_id} is reported to have loaded the newest code, and has not")
        if compiled.get("loaded") and not compiled["ok"]:
            untrue.append(f"{job_id} is reported to have loaded code that does not compile")
        return untrue

    def _untrue_about_loaded_code(self) -> List[str]:
        """Old code becomes new by a reload and by nothing else (SPEC §11.7)."""
        old: Dict[Any, str] = {}  # process and reloads -> the first run of old code
        untrue = []
        for moment, fresh, job_id in sorted(self._runs()):
            life = (moment.process, moment.reloads)
            if not fresh:
                old.setdefault(life, job_id)
            elif life in old:
                untrue.append(
                    f"{job_id} is reported to have tested the newest code, {old[life]} old code, without a reload"
                )
        return untrue

    def _runs(self) -> Set[Tuple[Moment, bool, str]]:
        """The test runs whose code is reported as new or old."""
        runs = set()
        for job_id, statuses in self._reported.items():
            moment = self._ledger.moment_of(job_id)
            for result in (status.get("result") for status in statuses):
                fresh = None if result is None else result.get("code_fresh")
                if moment is not None and fresh is not None:
                    runs.add((moment, fresh, job_id))
        return runs


def _without_marks(result: Any) -> Any:
    """A result without what the server adds to it next to the plugin's own members (SPEC §7.3, §8)."""
    return {name: value for name, value in result.items() if name not in ("untrusted", "remarks")}
