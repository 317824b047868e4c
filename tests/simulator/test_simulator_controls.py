"""Orders, faults and back-off: the small parts that are only values."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, List, Tuple

import pytest

from tests.faulty_editor.editor import ORDERS, FaultyEditor
from tests.faulty_editor.event_ledger import EventLedger
from tests.faulty_editor.faults import FaultKind, Faults, PlannedFault, parse_fault
from unity_bridge import simulator
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Err, Ok
from unity_bridge.simulator.connection import BackOff
from unity_bridge.simulator.controls import CONTROLS, execute, help_text
from unity_bridge.simulator.editor import SCRIPT, UNKNOWN_NAME, EditorSetup
from unity_bridge.simulator.event_log import SENTENCES, EventLog, json_lines, parse, sentences
from unity_bridge.simulator.project import Entry


class Obedient:
    """Records the orders that it gets."""

    def __init__(self) -> None:
        self.received: List[Tuple[str, Tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *values: self.received.append((name, values))


@pytest.mark.parametrize(
    ("line", "received"),
    [
        ("compile", ("compile", (2.0, 0))),
        ("compile 1.5 3", ("compile", (1.5, 3))),
        ("log error Torch  lost, twice", ("log", (Entry("error", "Torch  lost, twice"),))),
        ("stop_reading", ("set_reading", (False,))),
        ("resume_reading", ("set_reading", (True,))),
        (
            "fault late:execute:2.5",
            ("plan_fault", (PlannedFault(FaultKind.LATE, ("execute",), 1, 2.5),)),
        ),
        ("edit", ("edit", (SCRIPT, {}))),
        (
            'edit Assets/A.cs T.A("x=y, z")=failed',
            ("edit", ("Assets/A.cs", {'T.A("x=y, z")': "failed"})),
        ),
        ("fix Assets/A.cs", ("edit", ("Assets/A.cs", {}))),
        ("break", ("break_script", (SCRIPT, 1, UNKNOWN_NAME))),
        ("break Assets/A.cs 3 It is broken", ("break_script", ("Assets/A.cs", 3, "It is broken"))),
        ("dirty", ("change_scene", ("Assets/Scenes/Main.unity",))),
    ],
)
def test_a_line_becomes_an_order(line: str, received: Tuple[str, Tuple[Any, ...]]) -> None:
    editor = Obedient()
    assert execute(editor, line, ORDERS) == Ok(None)  # type: ignore[arg-type]
    assert editor.received == [received]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "compile"),
        ("dance", "dance"),
        ("reload soon", "soon"),
        ("reload -1", "-1"),
        ("reload nan", "nan"),
        ("stall inf", "inf"),
        ("compile 1 many", "many"),
        ("compile 1 \u00b2", "\u00b2"),
        ("log loudly hello", "log TYPE TEXT"),
        ("drop now", "drop"),
        ("fault broken", "broken"),
        ("fault late:ping", "late:ping"),
        ("fault late:execute:soon", "soon"),
        ("fault late:execute:nan", "late:execute:nan"),
        ("fault late:execute:-1", "late:execute:-1"),
        ("fault late:execute:inf", "late:execute:inf"),
        ("fault twice*0", "twice*0"),
        ("fault twice*1000000000", "twice*1000000000"),
        ("fault twice*x", "twice*x"),
        ("edit Assets/A.cs T.A", "TEST=OUTCOME"),
        ("edit Assets/A.cs T.A=broken", "passed, failed, skipped"),
        ("break Assets/A.cs some", "some"),
    ],
)
def test_a_line_that_makes_no_sense_is_answered_with_what_would(line: str, named: str) -> None:
    editor = Obedient()
    refused = execute(editor, line, ORDERS)  # type: ignore[arg-type]
    assert isinstance(refused, Err) and named in refused.error
    assert editor.received == []


def test_an_undo_without_a_change_is_refused() -> None:
    editor = FaultyEditor(EditorSetup(), EventLog())
    refused = execute(editor, "undo Assets/A.cs", ORDERS)
    assert isinstance(refused, Err) and "Assets/A.cs" in refused.error
    assert (
        execute(editor, "break Assets/A.cs")
        == execute(editor, "undo Assets/A.cs", ORDERS)
        == Ok(None)
    )


def test_every_order_is_in_the_help() -> None:
    assert all(control.usage in help_text() for control in CONTROLS.values())


def test_faults_strike_their_messages_as_often_as_planned() -> None:
    faults = Faults()
    planned = parse_fault("twice:execute*2")
    assert isinstance(planned, Ok)
    faults.plan(planned.value)
    assert faults.take("submit_job") is None
    assert [faults.take("execute") is not None for _ in range(3)] == [True, True, False]


def test_a_fault_without_a_message_type_strikes_calls_only() -> None:
    planned = parse_fault("refuse::ERR_INVALID_PARAMS")
    assert isinstance(planned, Ok)
    faults = Faults((planned.value,))
    assert faults.take("get_job_status") is None
    taken = faults.take("submit_job")
    assert taken is not None and taken.code == "ERR_INVALID_PARAMS"


def test_the_back_off_of_the_contract() -> None:
    waits = BackOff().waits_s(jitter=lambda: 0.0)
    assert [round(next(waits) * 1000) for _ in range(7)] == [100, 170, 289, 491, 835, 1200, 1200]


@pytest.mark.parametrize(("jitter", "milliseconds"), [(-1.0, 90), (1.0, 110)])
def test_the_jitter_of_the_contract(jitter: float, milliseconds: int) -> None:
    assert round(next(BackOff().waits_s(jitter=lambda: jitter)) * 1000) == milliseconds


def test_a_story_waits_for_each_event_once_and_says_what_came_instead() -> None:
    log = EventLedger()
    log("connected", session=1)
    log("state", state="compiling")
    log("connected", session=2)
    assert log.wait_for("connected")["session"] == 1
    assert log.wait_for("connected")["session"] == 2
    with pytest.raises(TimeoutError, match="state"):
        log.wait_for("connected", timeout=0.0)
    assert len(log.of("connected")) == 2
    log("state", state="ready")
    log.pass_over("state")
    with pytest.raises(TimeoutError):
        log.wait_for("state", timeout=0.0)
    log.end()
    with pytest.raises(TimeoutError):
        log.wait_for("state", state="ready", timeout=3600.0)


def test_every_kind_of_event_has_its_sentence_and_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for kind in SENTENCES:
        sentences(sys.stderr)(kind)
        json_lines(sys.stdout, SystemClock())(kind, value="ü")
    out, err = capsys.readouterr()
    events = [parse(line) for line in out.splitlines()]
    assert [event.kind for event in events if event is not None] == list(SENTENCES)
    assert all(event is not None and event["value"] == "ü" for event in events)
    assert err.count("simulated editor: ") == sum(map(bool, SENTENCES.values()))


def test_every_event_has_a_sentence() -> None:
    package = Path(simulator.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    received = set(re.findall(r"(?:emit|_trouble)\(\s*\"(\w+)\"", sources))
    assert received == set(SENTENCES)


@pytest.mark.parametrize("line", ["", "hello", "[]", '{"no": "event"}'])
def test_an_invalid_line_is_ignored(line: str) -> None:
    assert parse(line) is None
