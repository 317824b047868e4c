"""wait_for, profile, and what all commands that run next to others have in common (SPEC §15.6,
§16.5).
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, List

import pytest

from tests.leaks import Here, left_since
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

NEVER: Dict[str, Any] = {"path": "/Nowhere", "within_ms": 600_000}
WORLD = ("object player|Assets/Main.unity|Player|Enemy",)


class Game:
    """One editor for the whole file. Each test begins in a game that plays without focus, entered
    without a reload.
    """

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self._jobs = (f"job-{number}" for number in itertools.count(1))
        self.begun: List[str] = []

    @property
    def session(self) -> Session:
        return self.server.open_session()

    def begins(self, name: str, timeout_ms: int = 300_000, **arguments: Any) -> str:
        job = next(self._jobs)
        self.session.submit(job, timeout_ms, tool="run_command", name=name, arguments=arguments)
        self.begun.append(job)
        return job

    def runs(self, name: str = "wait_for", **arguments: Any) -> str:
        """Begins it, and returns once it runs."""
        job = self.begins(name, **arguments)
        self.editor.wait_until_idle()
        assert self.session.job(job)["state"] == "running"
        return job

    def ends(self, job: str) -> Message:
        return ended(self.server, self.session, job)

    def waited(self, job: str) -> Dict[str, Any]:
        status = self.ends(job)
        assert status["state"] == "succeeded", status
        return dict(status["result"]["value"])

    def waits(self, **arguments: Any) -> Dict[str, Any]:
        return self.waits_of("wait_for", **arguments)

    def waits_of(self, name: str, **arguments: Any) -> Dict[str, Any]:
        return self.waited(self.begins(name, **arguments))

    def refused(self, name: str = "wait_for", **arguments: Any) -> Message:
        status = self.ends(self.begins(name, **arguments))
        assert status["state"] == "failed", status
        return dict(status["error"])

    def world(self, *lines: str) -> None:
        self.editor.arrange(*(f"world {line}" for line in lines))

    def cancels(self, job: str) -> str:
        return str(self.session.ask("cancel", target_job_id=job)["status"])


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """Each reload leaves another connection to the next test. The file as a whole leaves nothing."""


@pytest.fixture(scope="module")
def arranged() -> Iterator[Game]:
    before = Here.now()
    held = [
        "quirk input-system",
        "focus off",
        "enter-play-without-reload",
        "scene Assets/Main.unity",
    ]
    held += [*(f"world {line}" for line in WORLD)]
    with ScriptedServer() as server, HeadlessEditor(server.port, held=held) as editor:
        server.ready_session()
        yield Game(server, editor)
        assert editor.violations() == []
    assert left_since(before) == []


@pytest.fixture
def still(arranged: Game) -> Iterator[Game]:
    """In edit mode."""
    yield arranged
    for job in arranged.begun:
        if arranged.session.job(job)["state"] in ("queued", "running"):
            arranged.cancels(job)
            arranged.ends(job)
    arranged.begun.clear()
    arranged.editor.arrange("play off", "pause off", "time-scale 1", "no-quirk no-before-reload")
    arranged.editor.wait_until_idle()


@pytest.fixture
def game(still: Game) -> Game:
    still.editor.command("play on")
    still.editor.wait_for("play on")
    return still


def test_frames_and_seconds_of_the_game(game: Game) -> None:
    frames = game.waits(frames=10)
    assert (
        frames["met"]
        and frames["frame"] >= 10
        and set(frames) == {"met", "waited_ms", "game_time_s", "frame"}
    )
    assert not game.waits(frames=2**31 - 1, within_ms=200)["met"]
    seconds = game.waits(seconds=0.3)
    assert seconds["met"] and seconds["waited_ms"] >= 250
    game.editor.arrange("time-scale 0")
    assert (game.waits(seconds=1)["met"], game.waits(seconds=1)["reason"]) == (
        False,
        "not_advancing",
    )
    assert game.waits(frames=3)["met"]
    game.editor.arrange("pause on")
    assert game.waits(seconds=1)["reason"] == "not_advancing"


def test_a_game_that_stands_still_for_10_s(game: Game) -> None:
    game.editor.arrange("pause on")
    job = game.runs(frames=5)
    for _ in range(12):
        game.editor.arrange("clock 1000")
    assert game.waited(job)["reason"] == "not_advancing"


def test_an_object_that_comes_and_goes(game: Game) -> None:
    assert game.waits(path="/Player")["met"]
    job = game.runs(path="/Door", within_ms=60_000)
    game.world("object door|Assets/Main.unity|Door")
    assert game.waited(job)["met"]
    job = game.runs(path="/Door", exists=False, within_ms=60_000)
    game.world("inactive door")
    assert game.waited(job)["met"]
    missing = game.waits(path="/Door", within_ms=50)
    assert not missing["met"] and "is not active" in missing["reason"]
    assert "There is 'Player'" in game.waits(path="/Plaier", within_ms=50)["reason"]


def test_a_field_compares(game: Game) -> None:
    field: Dict[str, Any] = {"path": "/Player", "field": "Enemy.hp", "within_ms": 60_000}
    job = game.runs(**field, op="<=", value=3)
    game.world("field player|1|hp|Integer|int|10")
    game.editor.wait_until_idle()
    assert game.session.job(job)["state"] == "running"
    game.world("field player|1|hp|Integer|int|3")
    met = game.waited(job)
    assert (met["met"], met["value"]) == (True, 3)
    assert game.waits(**field, value=3.0)["met"] and game.waits(**field, op="!=", value=4)["met"]
    job = game.runs(**field, op="changed")
    game.world("field player|1|hp|Integer|int|2")
    assert game.waited(job)["value"] == 2
    assert not game.waits(path="/Player", field="Enemy.hp", op=">", value=5, within_ms=50)["met"]
    # A number with a fraction, which travels with every digit.
    place: Dict[str, Any] = {
        "path": "/Player",
        "field": "Transform.localPosition.x",
        "within_ms": 50,
    }
    for op, value in ((">", 0), ("<=", 0.1), ("==", 0.1), ("!=", 0.2)):
        assert game.waits(**place, op=op, value=value)["met"], op
    whole = {"x": 0.1, "y": 0, "z": -16777216.0}
    assert game.waits(path="/Player", field="Transform.localPosition", value=whole, within_ms=50)[
        "met"
    ]
    # One that Unity does not serialize.
    assert game.waits(path="/Player", field="Enemy._rage", value=7)["value"] == 7
    game.world("object broken|Assets/Main.unity|Broken|missing")
    broken = {"path": "/Broken", "field": "(missing script).hp", "value": 1, "within_ms": 50}
    assert (
        "The script of this component of Main/Broken is missing" in game.waits(**broken)["reason"]
    )
    assert (
        "The nearest are hp"
        in game.waits(path="/Player", field="Enemy.php", value=1, within_ms=50)["reason"]
    )


def test_no_job_waits_for_one_that_runs_next_to_others(still: Game) -> None:
    still.runs(**NEVER)
    still.editor.arrange("updating true")
    job = still.begins("list_scenes")
    still.editor.wait_until_idle()
    assert still.session.job(job)["progress"]["waits_for"] == {"reason": "importing"}
    still.editor.arrange("updating false")
    still.waited(job)


def test_a_path_without_its_scene_is_remarked_on_once_and_in_its_own_result(game: Game) -> None:
    waiting = game.runs(path="Player", field="Enemy.hp", value=-1, within_ms=60_000)
    other = game.ends(game.begins("wait_for", frames=20))
    assert "remarks" not in other["result"]
    game.cancels(waiting)
    waited = game.ends(
        game.begins("wait_for", path="Player", field="Enemy.hp", value=-1, within_ms=200)
    )
    assert waited["result"]["remarks"] == ["Player was taken as Main/Player."]


@pytest.mark.parametrize(
    ("value", "is_met"),
    [
        *(([1, 2.5, 3], True), ({"z": 3, "y": 2.5, "x": 1}, True)),
        *(([1, 2.5], False), ([1, 2.5, 4], False), ({"y": 2.5}, False)),
    ],
)
def test_a_vector_compares_as_set_fields_takes_it(game: Game, value: object, is_met: bool) -> None:
    game.world("field player|1|place|Vector3|Vector3|1,2.5,3")
    assert (
        game.waits(path="/Player", field="Enemy.place", value=value, within_ms=50)["met"] is is_met
    )


def test_a_materials_property_compares_as_inspect_prints_it(game: Game) -> None:
    status = game.ends(
        game.begins("create_asset", path="Assets/A.mat", values={"color": "#FF0000"})
    )
    assert status["state"] == "succeeded", status
    assert game.waits(path="Assets/A.mat", field="_Metallic", op="<", value=0.5)["value"] == 0
    assert game.waits(path="Assets/A.mat", field="color", value=[1, 0, 0, 1])["met"]
    missing = game.waits(path="Assets/A.mat", field="Metal", value=1, within_ms=50)
    assert "The nearest are _Metallic" in missing["reason"]


def test_a_message_that_is_logged_since_the_call(game: Game) -> None:
    game.editor.arrange("log log the door opens")
    job = game.runs(log="DOOR", type="warning", within_ms=60_000)
    game.editor.arrange("log log the door closes")
    assert game.session.job(job)["state"] == "running"
    game.editor.arrange("log warning the door is stuck")
    assert game.waited(job)["met"]


def test_edit_mode_has_no_frames_and_has_the_rest(still: Game) -> None:
    assert still.refused(frames=1)["details"]["reason"] == "not_playing"
    assert still.refused(seconds=1)["details"]["reason"] == "not_playing"
    there = still.waits(path="/Player")
    assert there["met"] and "frame" not in there
    job = still.runs(log="hello", within_ms=60_000)
    still.editor.arrange("log log hello")
    assert still.waited(job)["met"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"frames": 1, "path": "/Player"},
        {"frames": 0},
        {"seconds": 0},
        {"frames": 1, "within_ms": 600_001},
        {"field": "Enemy.hp", "log": "x"},
        {"path": "/Player", "value": 1},
        {"path": "/Player", "field": "Enemy.hp", "op": "<", "value": "many"},
        {"path": "/Player", "field": "Enemy.hp", "op": "~", "value": 1},
        {"path": "/Player", "type": "log"},
        {"log": "x", "type": "shout"},
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(game: Game, arguments: Dict[str, Any]) -> None:
    assert game.refused(**arguments)["code"] == "ERR_INVALID_PARAMS"


def test_it_runs_next_to_others_and_delays_none(game: Game) -> None:
    wait = game.runs(**NEVER)
    assert game.ends(game.begins("count", number=1, updates=3))["result"]["value"] == 1
    deaf = game.runs("forever")
    assert game.waits(frames=2)["met"], "a command that runs does not hold it up"
    pressed = game.ends(game.begins("press", keys=["space"], for_ms=20))
    assert pressed["result"]["value"]["released"]
    game.session.read_console(max_entries=1)
    assert [game.session.job(job)["state"] for job in (wait, deaf)] == ["running", "running"]


def test_the_ninth_is_refused(game: Game) -> None:
    jobs = [game.runs(**NEVER) for _ in range(8)]
    error = game.refused(**NEVER)
    assert (error["details"]["reason"], error["details"]["jobs"]) == ("busy", jobs)
    assert error["details"]["execution_guarantee"] == "not_executed"
    assert game.cancels(jobs[0]) == "cancel_requested"
    assert game.ends(jobs[0])["state"] == "cancelled"
    assert game.waits(frames=1)["met"]


def test_its_deadline_ends_it(game: Game) -> None:
    job = game.begins("wait_for", timeout_ms=1, **NEVER)
    game.editor.arrange("clock 4000")
    assert game.ends(job)["state"] == "timeout"


def test_the_end_of_play_mode_ends_it(game: Game) -> None:
    job = game.runs(**NEVER)
    game.editor.command("play off")
    assert game.waited(job)["reason"] == "not_playing"


@pytest.mark.parametrize("quirk", ["", "no-before-reload"])
def test_a_reload_ends_it(game: Game, quirk: str) -> None:
    job = game.runs(**NEVER)
    if quirk:
        game.editor.arrange(f"quirk {quirk}")
    game.editor.reload()
    game.server.ready_session()
    ended_by = game.waited(job)
    assert (ended_by["met"], ended_by["reason"]) == (False, "reloaded")
    assert game.ends(job)["result"]["value"] == ended_by


def profiler(game: Game) -> List[str]:
    """The recorders that are left, and whether the profiler records."""
    game.editor.command("recorders")
    return game.editor.wait_for(r"recorders (.*)").group(1).split()


def test_a_profile_has_the_numbers_of_the_next_frames_and_leaves_the_profiler_as_it_was(
    game: Game,
) -> None:
    job = game.runs("profile", seconds=1.0)
    assert profiler(game)[1] == "True"
    assert game.waits(frames=3)["met"], "it runs next to others"
    found = game.waited(job)
    assert (
        found["frames"] >= 10
        and found["seconds"] >= 1
        and found["fps"] > 5
        and found["in_editor"] is True
    )
    times = found["frame_ms"]
    assert 0 < times["median"] <= times["p95"] <= times["max"]
    assert found["gc_bytes"] == {"per_frame": 128, "max": 128}
    # This version has no counter of that name, and the other one counts nothing here: neither is 0.
    assert found["missing"] == ["triangles", "texture_bytes"]
    assert found["counters"]["draw_calls"] > 0
    # By the game's own time: the longest frames are those in which the editor rested.
    slowest = [frame["player_ms"] for frame in found["worst"]]
    assert len(slowest) == 3 and slowest == sorted(slowest, reverse=True)
    assert all(frame["player_ms"] <= frame["ms"] for frame in found["worst"])
    rows = found["worst"][0]["top"]
    assert [row["name"] for row in rows] == ["Enemy.Update()", "Camera.Render", "PlayerLoop"]
    assert (rows[0]["gc_bytes"], rows[0]["calls"]) == (100, 40)
    assert found["worst"][0]["gc_bytes"] == 164
    assert profiler(game) == ["0", "False"]


def test_a_profile_leaves_a_persons_recording_alone(game: Game) -> None:
    game.editor.arrange("profiler on")
    found = game.waits_of("profile", seconds=1.0)
    assert "worst" not in found and "records already" in found["reason"]
    assert profiler(game) == ["0", "True"]
    game.editor.arrange("profiler off")
    assert "worst" not in game.waits_of("profile", seconds=1.0, top=0)
    game.editor.arrange("profiler-frames 20")
    found = game.waits_of("profile", seconds=1.0)
    assert "worst" not in found and "has frames that a person has captured" in found["reason"]
    assert game.waits_of("profile", seconds=1.0)["reason"] == found["reason"], (
        "they are still there"
    )
    game.editor.arrange("profiler-frames 0")


def test_a_profile_is_refused_outside_a_running_game(still: Game) -> None:
    assert still.refused("profile")["details"]["reason"] == "not_playing"
    still.editor.command("play on")
    still.editor.wait_for("play on")
    still.editor.arrange("pause on")
    assert still.refused("profile")["details"]["reason"] == "paused"
    assert still.refused("profile", seconds=61.0)["code"] == "ERR_INVALID_PARAMS"


@pytest.mark.parametrize("how", ["cancel", "play off", "reload", "no-before-reload"])
def test_whatever_ends_a_profile_the_profiler_is_as_it_was(game: Game, how: str) -> None:
    job = game.runs("profile", seconds=60.0)
    if how == "cancel":
        game.cancels(job)
        assert game.ends(job)["state"] == "cancelled"
    elif how == "play off":
        game.editor.command("play off")
        assert game.waited(job)["reason"] == "not_playing"
    else:
        game.editor.arrange(*([f"quirk {how}"] if how != "reload" else []))
        game.editor.reload()
        game.server.ready_session()
        assert game.waited(job)["reason"] == "reloaded"
    # A domain that goes without a word takes its native recorders along.
    assert profiler(game)[1] == "False"
    assert how == "no-before-reload" or profiler(game)[0] == "0"


def test_a_job_has_no_remark_of_a_question_that_is_asked_while_it_waits(game: Game) -> None:
    waiting = game.runs(frames=400, within_ms=60_000)
    question = {"what": "ui", "path": "Player"}
    answer = game.session.ask("execute", tool_name="inspect", params=question, timeout_ms=30_000)
    assert answer["type"] == "result", answer
    assert "remarks" not in game.ends(waiting)["result"]
