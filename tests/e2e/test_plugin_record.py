"""record: the running game in one sheet of pictures, next to other commands (SPEC §16.12).

A picture of the headless editor says in words what was drawn; a sheet lists the cells that were put into it.
"""

from __future__ import annotations

import base64
import os
import re
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from tests.e2e.test_plugin_wait_for import Game
from tests.leaks import Here, left_since
from tests.scripted_server import ScriptedServer
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.catalogue.picture_size import picture_size

SHORT: Dict[str, Any] = {"seconds": 0.5, "frames": 4}
LONG: Dict[str, Any] = {"seconds": 30, "frames": 16}


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
    quirks = [
        f"no-quirk {quirk}"
        for quirk in (
            "no-before-reload",
            "black",
            "hidden-tab",
            "no-views",
            "moves 50",
            "moves-by 100",
        )
    ]
    arranged.editor.arrange("play off", "pause off", "time-scale 1", *quirks)
    arranged.editor.wait_until_idle()


@pytest.fixture
def game(still: Game) -> Game:
    still.editor.command("play on")
    still.editor.wait_for("play on")
    return still


def folder_of(game: Game, value: Dict[str, Any]) -> Path:
    return game.editor.project / str(value["folder"])


def recordings(game: Game) -> List[Path]:
    folder = game.editor.project / "Library" / "UnityBridge" / "Recordings"
    return sorted(folder.iterdir()) if folder.exists() else []


def cells(image: Dict[str, Any]) -> List[str]:
    text = base64.b64decode(image["data"]).decode("utf-8", "replace")
    return re.findall(r"\[[^\]]*Game frame (\d+)[^\]]*\]", text)


def filmed(game: Game, job: str) -> Dict[str, Any]:
    status = game.ends(job)
    assert status["state"] == "succeeded", status
    return dict(status["result"])


def test_a_sheet_has_pictures_evenly_in_time(game: Game) -> None:
    result = filmed(game, game.begins("record", **SHORT))
    value, image = result["value"], result["image"]
    assert value["frames"] == len(value["times"]) == len(cells(image)) >= 2
    assert value["frames"] + value["missed"] == 4
    assert value["times"] == sorted(value["times"])
    assert value["seconds"] <= 0.6 and "ended" not in value
    assert image["mime_type"] == "image/jpeg" and max(image["width"], image["height"]) <= 1568
    assert picture_size("jpg", base64.b64decode(image["data"])) == (image["width"], image["height"])
    files = sorted(folder_of(game, value).iterdir())
    assert len(files) == value["frames"] and all(file.suffix == ".jpg" for file in files)


def test_a_sheet_is_as_small_as_was_asked_for(game: Game) -> None:
    image = filmed(game, game.begins("record", max_size=300, **SHORT))["image"]
    assert max(image["width"], image["height"]) <= 300


def test_keys_and_errors_are_events(game: Game) -> None:
    job = game.runs("record", seconds=20, frames=16)
    game.waits_of("press", keys=["space"], for_ms=50)
    game.editor.command("log Error The door is stuck")
    game.waits(frames=10)
    game.editor.command("play off")
    value = filmed(game, job)["value"]
    words = [event["what"] for event in value["events"]]
    assert words == ["press space", "error: The door is stuck"]
    assert all(event["t"] > 0 for event in value["events"])


@pytest.mark.parametrize("how, ended", [("play off", "not_playing"), ("pause on", "paused")])
def test_a_recording_that_is_cut_short_answers_with_what_it_has(
    game: Game, how: str, ended: str
) -> None:
    job = game.runs("record", **LONG)
    game.waits(frames=5)
    game.editor.command(how)
    value = filmed(game, job)["value"]
    assert value["ended"] == ended and 1 <= value["frames"] < 16


@pytest.mark.parametrize("quirks", [(), ("no-before-reload",)], ids=["announced", "unannounced"])
def test_after_a_reload_the_sheet_is_made_of_the_pictures_on_disk(game: Game, quirks: Any) -> None:
    job = game.runs("record", **LONG)
    game.waits(frames=5)
    game.editor.arrange(*(f"quirk {quirk}" for quirk in quirks))
    game.editor.reload()
    game.server.ready_session()
    result = filmed(game, job)
    assert result["value"]["ended"] == "reloaded" and result["value"]["frames"] >= 1
    assert len(cells(result["image"])) == result["value"]["frames"]


def test_a_cancelled_recording_leaves_no_picture(game: Game) -> None:
    before = recordings(game)
    job = game.runs("record", **LONG)
    game.waits(frames=5)
    game.cancels(job)
    status = game.ends(job)
    assert status["state"] == "cancelled" and status.get("result") is None
    assert recordings(game) == before


def test_there_is_one_recording_at_a_time(game: Game) -> None:
    first = game.runs("record", **LONG)
    error = game.refused("record")
    assert error["details"]["reason"] == "busy" and error["details"]["held_by"]["name"] == "record"
    game.cancels(first)
    game.ends(first)
    assert filmed(game, game.begins("record", **SHORT))["value"]["frames"] >= 1


def test_a_view_that_does_not_draw_is_refused(game: Game) -> None:
    game.editor.arrange("quirk hidden-tab")
    before = recordings(game)
    error = game.refused("record")
    assert error["details"] == {"reason": "no_view", "execution_guarantee": "not_executed"}
    game.editor.arrange("no-quirk hidden-tab", "quirk no-views")
    assert game.refused("record")["details"]["reason"] == "no_view"
    assert recordings(game) == before


def test_a_game_that_does_not_run_is_refused(still: Game) -> None:
    assert still.refused("record")["details"]["reason"] == "not_playing"
    still.editor.command("play on")
    still.editor.wait_for("play on")
    still.editor.arrange("pause on")
    assert still.refused("record")["details"]["reason"] == "paused"
    for wrong in (
        {"seconds": 0.4},
        {"seconds": 31},
        {"frames": 3},
        {"frames": 17},
        {"max_size": 2001},
    ):
        assert still.refused("record", **wrong)["code"] == "ERR_INVALID_PARAMS"


def test_what_moves_is_measured(game: Game) -> None:
    game.editor.arrange("quirk moves 50", "quirk moves-by 100")
    value = filmed(game, game.begins("record", seconds=1, frames=8))["value"]
    assert value["still"] is False and value["black"] is False
    assert 0.4 <= value["changed"]["max"] <= 0.6


def test_a_black_and_a_still_game_are_called_so(game: Game) -> None:
    value = filmed(game, game.begins("record", **SHORT))["value"]
    assert (value["still"], value["black"]) == (True, False)
    assert value["changed"] == {"median": 0, "max": 0}
    game.editor.arrange("quirk black")
    value = filmed(game, game.begins("record", **SHORT))["value"]
    assert (value["still"], value["black"]) == (True, True)


def test_where_no_file_can_be_written_nothing_is_recorded(game: Game) -> None:
    root = game.editor.project / "Library" / "UnityBridge" / "Recordings"
    aside = root.rename(root.with_name("Aside"))
    root.write_text("a file in its place")
    try:
        error = game.refused("record", **SHORT)
        assert error["details"] == {"reason": "disk_full", "execution_guarantee": "not_executed"}
    finally:
        root.unlink()
        aside.rename(root)


def test_recordings_go_after_a_day(game: Game) -> None:
    old = folder_of(game, filmed(game, game.begins("record", **SHORT))["value"])
    yesterday = time.time() - 25 * 3600
    os.utime(old, (yesterday, yesterday))
    new = folder_of(game, filmed(game, game.begins("record", **SHORT))["value"])
    assert new.exists() and not old.exists()
