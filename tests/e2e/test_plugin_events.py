"""The record of what the editor did, and its replay in a headless editor (SPEC §25.3)."""

from __future__ import annotations

from typing import Any, Iterator, List

import pytest

from tests.scripted_server import Message, ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.replay import kinds, replay

COMPILES_AND_RELOADS = [
    *("compilation_started", "assembly_compiled", "compilation_finished"),
    *("reload_begins", "loaded"),
]

# What follows from the rest, and the stalls of a busy machine.
NOT_COMPARED = ("focus", "is_compiling", "stall")

# Written by hand, of what a Unity 6 is said to do (CoplayDev/unity-mcp PR 582): with Recompile
# After Finished Playing, isCompiling is true from the import of the edit until play mode has been
# left.
EDITED_WHILE_PLAYING = [
    [0, "focus", 0],
    [40, "exiting_edit_mode"],
    [50, "reload_begins"],
    [900, "loaded"],
    [950, "entered_play_mode"],
    [3000, "is_compiling", 1],
    [70000, "exiting_play_mode"],
    [70200, "entered_edit_mode"],
    [70300, "compilation_started"],
    [72000, "assembly_compiled", 0],
    [72100, "compilation_finished"],
    [72200, "reload_begins"],
    [73000, "loaded"],
    [73050, "is_compiling", 0],
]


class Recorder:
    """Asks the plugin for its record."""

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self._jobs = 0

    def ask(self, action: str, **arguments: Any) -> Message:
        value: Message = self.run("record_events", action=action, **arguments)
        return value

    def run(self, name: str, **arguments: Any) -> Any:
        session = self.server.open_session()
        self._jobs += 1
        job_id = f"record-{self._jobs}"
        session.submit(job_id, tool="run_command", name=name, arguments=arguments)
        status = ended(self.server, session, job_id)
        assert status["state"] == "succeeded", status
        return status["result"]["value"]

    def events(self) -> List[Any]:
        return list(self.ask("read")["events"])


@pytest.fixture
def recorder(server: ScriptedServer, editor: HeadlessEditor) -> Iterator[Recorder]:
    server.ready_session()
    yield Recorder(server, editor)


def test_nothing_is_recorded_until_it_is_asked_for(recorder: Recorder) -> None:
    recorder.editor.reload()
    recorder.server.ready_session()
    answer = recorder.ask("read")
    assert (answer["recording"], answer["events"], answer["total"]) == (False, [], 0)


def test_a_compilation_and_its_reload_are_recorded_in_order(recorder: Recorder) -> None:
    assert recorder.ask("start")["recording"] is True
    recorder.editor.command("compile ok 100")
    recorder.editor.wait_for(r"reloaded \d+")
    recorder.server.ready_session()
    events = recorder.events()
    assert [kind for kind in kinds(events) if kind in COMPILES_AND_RELOADS] == COMPILES_AND_RELOADS
    assert [event[0] for event in events] == sorted(event[0] for event in events)


def test_play_mode_and_stalls_are_recorded(recorder: Recorder) -> None:
    recorder.ask("start")
    recorder.editor.command("play on")
    recorder.editor.wait_for("play on$")
    recorder.editor.arrange("stall 1200")
    recorder.editor.command("play off")
    recorder.editor.wait_for("play off$")
    recorder.server.ready_session()
    entry = ["exiting_edit_mode", "reload_begins", "loaded", "entered_play_mode"]
    events = recorder.events()
    order = [event[1] for event in events]
    expected = [*entry, "exiting_play_mode", "entered_edit_mode"]
    assert [kind for kind in order if kind in expected] == expected
    # A busy machine adds stalls of its own.
    played = events[order.index("entered_play_mode") : order.index("exiting_play_mode")]
    assert [event for event in played if event[1] == "stall" and event[2] >= 1200]


def test_it_is_recorded_who_made_a_delayed_call(recorder: Recorder) -> None:
    recorder.ask("start")
    for focus, kind in (("on", "delay_call_by_unity"), ("off", "delay_call_by_bridge")):
        recorder.editor.arrange(f"focus {focus}")
        recorder.ask("delay")
        # Without focus the bridge makes the call, while a job runs.
        recorder.run("count", number=1, updates=5)
        assert kind in [event[1] for event in recorder.events()]


def test_the_record_is_bounded_and_says_what_it_has_dropped(recorder: Recorder) -> None:
    recorder.ask("start")
    for _ in range(4):
        recorder.editor.arrange(*["raise compilation_started", "raise compilation_finished"] * 520)
    answer = recorder.ask("read", first=0)
    assert answer["dropped"] > 0 and answer["first"] == answer["dropped"]
    assert answer["total"] - answer["dropped"] <= 4000
    assert len(answer["events"]) == 500 and answer["next"] == answer["first"] + 500
    assert recorder.ask("read", first=answer["total"])["events"] == []


def test_stopping_ends_the_record(recorder: Recorder) -> None:
    recorder.ask("start")
    assert recorder.ask("stop")["recording"] is False
    total = recorder.ask("read")["total"]
    recorder.editor.reload()
    recorder.server.ready_session()
    assert total >= recorder.ask("read")["total"] == 0


def test_a_record_is_replayed_in_its_order(recorder: Recorder) -> None:
    recorder.ask("start")
    recorder.editor.command("compile ok 100")
    recorder.editor.wait_for(r"reloaded \d+")
    recorder.editor.command("play on")
    recorder.editor.wait_for("play on$")
    recorder.editor.command("play off")
    recorder.editor.wait_for("play off$")
    recorder.server.ready_session()
    first = recorder.events()

    with ScriptedServer() as server, HeadlessEditor(server.port) as other:
        server.ready_session()
        second = Recorder(server, other)
        second.ask("start")
        replay(other, first)
        again = [kind for kind in kinds(second.events()) if kind not in NOT_COMPARED]
        assert other.violations() == []
    assert again == [kind for kind in kinds(first) if kind not in NOT_COMPARED]


def test_an_edit_while_playing_never_counts_as_compiling(recorder: Recorder) -> None:
    """How a record is used: it is replayed, and the plugin's reports during the replay are checked."""
    ended_play = [kind for _, kind, *_ in EDITED_WHILE_PLAYING].index("exiting_play_mode")
    replay(recorder.editor, EDITED_WHILE_PLAYING[:ended_play])
    session = recorder.server.ready_session()
    assert session.is_open()  # what it said before its answer is here
    statuses = session.heard("editor_status")
    assert statuses and "compiling" not in [status["state"] for status in statuses]
    replay(recorder.editor, EDITED_WHILE_PLAYING[ended_play:])
    session = recorder.server.ready_session()
    assert session.hello["state"] in ("ready", "compiling") and session.is_ready()
