"""``Runner``: carries out rows one after the other, and brings the editor back after each (SPEC
§25).
"""

from __future__ import annotations

from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Type,
)

from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.selftest import row as steps
from unity_bridge.selftest.calls import Answer, Calls, Started
from unity_bridge.selftest.editor import CLOSED, ScratchEditor
from unity_bridge.selftest.expected import bounded, difference, in_words, matches
from unity_bridge.selftest.report import FAIL, MOST_EVENTS, PASS, SKIPPED, RowResult, SelftestReport
from unity_bridge.selftest.row import KeptValue, Requirement, Row
from unity_bridge.selftest.scratch import SCENE, ScratchProject
from unity_bridge.trust import consent

_READY = {"connected": True, "editor_state": "ready"}
_RESET_S = 60.0
_OPENS_S = 600.0
_DIALOG_MS = 3000
_NOT_SIMULATED = "the simulated editor does not do this"


class Failed(NamedTuple):
    """A step that did not come out as expected."""

    reason: str
    expected: Any
    seen: Any


class UnderTest(NamedTuple):
    """What rows work on. ``project`` and ``editor`` are missing if the self-test looks at a project
    of the user's.
    """

    calls: Calls
    project: Optional[ScratchProject] = None
    editor: Optional[ScratchEditor] = None
    has_window: bool = True


Step = Callable[[Any], Optional[Failed]]


class Runner:
    """``on_result`` hears of each row when it is over. Main thread."""

    def __init__(
        self, setting: UnderTest, report: SelftestReport, on_result: Callable[[RowResult], None]
    ) -> None:
        self._setting = setting
        self._calls = setting.calls
        self._report = report
        self._on_result = on_result
        self._lacking: Set[Requirement] = set()
        self._is_simulated = False
        self._kept: Dict[str, Any] = {}
        self._begun: Dict[str, Started] = {}
        self._events_read = 0
        self._events_of_row: List[List[Any]] = []
        self._pictures: List[str] = []
        self._has_changed_files = False
        self._is_closed = False
        self._steps: Mapping[Type[Any], Step] = {
            steps.CallTool: self._call,
            steps.Begin: self._begin,
            steps.Finish: self._end,
            steps.Until: self._until,
            steps.Write: lambda step: self._edit(
                lambda project: project.write(step.path, step.text)
            ),
            steps.Replace: self._replace,
            steps.Remove: lambda step: self._edit(lambda project: project.remove(step.path)),
            steps.PutBack: lambda step: self._edit(ScratchProject.put_back),
            steps.Consent: self._consent,
            steps.Events: self._events,
            steps.Open: self._open,
            steps.Close: self._close,
        }

    def look(self) -> None:
        """Learn what this editor can do. It must be connected."""
        state = self._calls.state()
        editor = state.get("editor") or {}
        if not self._setting.has_window:
            self._lacking.add(Requirement.WINDOW)
        self._report.unity_version = str(editor.get("unity_version") or "unknown")
        self._report.plugin_version = str(state.get("plugin_version") or "unknown")
        if self._setting.project is None:
            self._lacking |= {Requirement.SCRATCH, Requirement.SCRIPTS, Requirement.EVENTS}
            return
        recording = self._run("record_events", action="start")
        value = (recording.get("result") or {}).get("value") or {}
        if recording["state"] != "succeeded" or not value.get("recording"):
            self._lacking.add(Requirement.EVENTS)
        # The simulator has no compiler. A real editor that does not run the scripts must not be
        # excused.
        self._is_simulated = bool(value.get("simulated"))
        if self._is_simulated:
            self._lacking |= {Requirement.SCRIPTS, Requirement.EVENTS, Requirement.WINDOW}
        if Requirement.SCRIPTS not in self._lacking:
            self._open_the_scene()

    def run(self, row: Row) -> None:
        reason = self._why_not(row)
        result = self._carry_out(row) if reason is None else RowResult(row, SKIPPED, reason=reason)
        self._report.rows.append(result)
        self._on_result(result)

    def has_lost_the_editor(self) -> bool:
        """Whether it is gone and does not come back, as after a crash. One that a row has closed is
        not lost.
        """
        if self._is_closed:
            return False
        deadline = self._calls.now() + _RESET_S
        while not self._calls.state()["connected"]:
            if self._calls.now() >= deadline:
                return True
            self._calls.pause()
        return False

    def _why_not(self, row: Row) -> Optional[str]:
        return next((need.value for need in row.needs if need in self._lacking), None)

    def _carry_out(self, row: Row) -> RowResult:
        began = self._calls.now()
        self._kept.clear()
        self._read_events()
        self._events_of_row = []
        self._pictures = []
        failed: Optional[Failed] = None
        for number, step in enumerate(row.steps, 1):
            failed = self._steps[type(step)](step)
            if failed is not None:
                failed = failed._replace(reason=f"step {number}: {failed.reason}")
                break
        self._read_events()
        failure = self._bring_back(has_failed=failed is not None)
        if (
            self._is_simulated
            and failed is not None
            and matches(steps.refused("not_simulated"), failed.seen)
        ):
            return RowResult(row, SKIPPED, reason=_NOT_SIMULATED)
        if failed is None and failure is not None:
            failed = failure._replace(reason=f"afterwards: {failure.reason}")
        ms = round((self._calls.now() - began) * 1000)
        pictures = tuple(self._pictures)
        if failed is None:
            return RowResult(row, PASS, ms, pictures=pictures)
        return RowResult(
            row, FAIL, ms, failed.reason, in_words(failed.expected), bounded(failed.seen), pictures
        )

    # Steps

    def _call(self, step: steps.CallTool) -> Optional[Failed]:
        answer = self._calls.call(step.tool, self._filled_in(step.arguments), step.within_s)
        picture = answer.get("result") if step.tool == "screenshot" else None
        if (
            isinstance(picture, dict)
            and isinstance(picture.get("image"), str)
            and self._setting.project is not None
        ):
            mime_type = "image/png" if picture.get("format") == "png" else "image/jpeg"
            self._pictures.append(f"data:{mime_type};base64,{picture['image']}")
        if step.keep:
            self._kept[step.keep] = _at(answer, step.keep)
        return self._compare(step.expect, answer, str(step.arguments.get("name") or step.tool))

    def _begin(self, step: steps.Begin) -> Optional[Failed]:
        self._begun[step.name] = self._calls.begin(step.tool, self._filled_in(step.arguments))
        return None

    def _end(self, step: steps.Finish) -> Optional[Failed]:
        return self._compare(
            step.expect, self._calls.end(self._begun.pop(step.name), step.within_s), step.name
        )

    def _until(self, step: steps.Until) -> Optional[Failed]:
        deadline = self._calls.now() + step.within_s
        while True:
            state = self._calls.state()
            if matches(step.expect, state) or self._calls.now() >= deadline:
                return self._compare(step.expect, state, "get_editor_state")
            self._calls.pause()

    def _edit(self, change: Callable[[ScratchProject], None]) -> Optional[Failed]:
        self._has_changed_files = True
        change(self._project)
        return None

    def _replace(self, step: steps.Replace) -> Optional[Failed]:
        text = self._project.read(step.path)
        if step.old not in text:
            return Failed(f"{step.path} is not as the self-test made it", step.old, text)
        return self._edit(
            lambda project: project.write(step.path, text.replace(step.old, step.new, 1))
        )

    def _consent(self, step: steps.Consent) -> Optional[Failed]:
        consent.allow(canonical_path(str(self._project.folder)), step.is_given)
        return None

    def _open(self, step: steps.Open) -> Optional[Failed]:
        opened = self._editor.open(_OPENS_S)
        self._is_closed = False
        if opened["started"]:
            # Another process, with no record of events.
            self._events_read = 0
            self._run("record_events", action="start")
            self._open_the_scene()
        return self._compare(step.expect, opened, "open")

    def _close(self, step: steps.Close) -> Optional[Failed]:
        closed = self._editor.close()
        self._is_closed = closed["state"] == CLOSED
        return self._compare(step.expect, closed, "close")

    def _events(self, step: steps.Events) -> Optional[Failed]:
        deadline = self._calls.now() + step.within_s
        while True:
            self._read_events()
            kinds = [str(event[1]) for event in self._events_of_row if not _is_short_stall(event)]
            came = _has_in_order(kinds, step.order)
            unwanted = [kind for kind in kinds if kind in step.never]
            if unwanted or not came:
                if not unwanted and self._calls.now() < deadline:
                    self._calls.pause()
                    continue
                expected = {"in this order": list(step.order), "never": list(step.never)}
                return Failed("events", expected, [kind for kind in kinds if kind != "updates"])
            return None

    @staticmethod
    def _compare(expect: Any, actual: Any, subject: str) -> Optional[Failed]:
        where = difference(expect, actual)
        if where is None:
            return None
        return Failed(f"{subject}: {where} is not as expected", expect, actual)

    @property
    def _project(self) -> ScratchProject:
        assert self._setting.project is not None, "such a row needs Requirement.SCRATCH"
        return self._setting.project

    @property
    def _editor(self) -> ScratchEditor:
        assert self._setting.editor is not None, "such a row needs Requirement.SCRATCH"
        return self._setting.editor

    def _filled_in(self, arguments: Any) -> Any:
        if isinstance(arguments, KeptValue):
            return self._kept.get(arguments.path)
        if isinstance(arguments, Mapping):
            return {name: self._filled_in(value) for name, value in arguments.items()}
        return arguments

    def _run(self, name: str, **arguments: Any) -> Answer:
        return self._calls.call("run_command", {"name": name, "arguments": arguments}, _RESET_S)

    # After a row

    def _bring_back(self, has_failed: bool) -> Optional[Failed]:
        """End what the row has begun, leave play mode, put files back; then the editor is as before
        it.
        """
        for name in list(self._begun):
            self._calls.end(self._begun.pop(name), _RESET_S)
        state = self._calls.state()
        if Requirement.SCRATCH in self._lacking or not state["connected"]:
            return None
        if state.get("playing"):
            self._calls.call("play_mode", {"action": "exit"}, _RESET_S)
        has_scripts = Requirement.SCRIPTS not in self._lacking
        if has_scripts:
            self._run("scratch_lock", on=False)
        failed = self._put_files_back() if self._has_changed_files else None
        if has_scripts:
            self._open_the_scene(also_if_clean=has_failed)
        return failed

    def _put_files_back(self) -> Optional[Failed]:
        self._has_changed_files = False
        self._project.put_back()
        answer = self._calls.call("compile", {"changed_scenes": "disk"}, _RESET_S)
        return self._compare({"state": "succeeded", "result": {"ok": True}}, answer, "compile")

    def _open_the_scene(self, also_if_clean: bool = False) -> None:
        """Open the scene as it is on disk. ``also_if_clean``: what a failed row left need not be
        marked as a change.
        """
        listed = (self._run("list_scenes").get("result") or {}).get("value") or {}
        opened = [(scene.get("path"), scene.get("dirty")) for scene in listed.get("open") or []]
        if also_if_clean or opened != [(SCENE, False)]:
            self._run("open_scene", path=SCENE, unsaved="discard")

    def _read_events(self) -> None:
        if Requirement.EVENTS in self._lacking or self._is_closed:
            return
        while True:
            answer = self._run("record_events", action="read", first=self._events_read)
            value = (answer.get("result") or {}).get("value") or {}
            events = value.get("events") or []
            self._events_of_row += events
            self._report.events += events[: max(0, MOST_EVENTS - len(self._report.events))]
            self._events_read = value.get("next", self._events_read)
            if not events or self._events_read >= value.get("total", 0):
                return


def _at(answer: Any, path: str) -> Any:
    for name in path.split("."):
        answer = answer.get(name) if isinstance(answer, Mapping) else None
    return answer


def _is_short_stall(event: Sequence[Any]) -> bool:
    """Whether a compilation or a busy machine explains it. A dialog stays until a person answers
    it.
    """
    return bool(event[1] == "stall" and event[2] < _DIALOG_MS)


def _has_in_order(kinds: List[str], order: Tuple[str, ...]) -> bool:
    remaining = iter(kinds)
    return all(any(kind == kind_wanted for kind in remaining) for kind_wanted in order)
