"""screenshot, as the plugin carries it out (SPEC §16.3): a render for the call, the colour space,
sizes, hidden views.

A picture of the headless editor begins as its format does. The rest is a line of text: its size, what was drawn, and
what was done to it since.
"""

from __future__ import annotations

import base64
import itertools
import re
import time
from typing import Any, Iterator, List

import pytest

from tests.scripted_server import Message, ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

_NUMBERS = itertools.count(1)


class Looks:
    """One editor for the whole file, and what is in its way for one test."""

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self._quirks: List[str] = []
        server.ready_session()

    @property
    def session(self) -> Session:
        return self.server.open_session()

    def in_the_way(self, *quirks: str) -> None:
        self._quirks += quirks
        self.editor.arrange(*(f"quirk {quirk}" for quirk in quirks))

    def free(self) -> None:
        self.editor.arrange(*(f"no-quirk {quirk}" for quirk in self._quirks))
        self._quirks.clear()

    def ask(self, **params: Any) -> Message:
        return self.session.ask("execute", tool_name="screenshot", params=params, timeout_ms=10_000)

    def shot(self, **params: Any) -> Message:
        answer = self.ask(**params)
        assert answer["type"] == "result" and answer["status"] == "ok", answer
        result = dict(answer["result"])
        assert len(result["image"]) < 700_000
        begins_with = {"jpg": b"\xff\xd8\xff", "png": b"\x89PNG\r\n\x1a\n"}[result["format"]]
        file = base64.b64decode(result.pop("image"))
        assert file.startswith(begins_with)
        result["shows"] = next(
            line for line in file.split(b"\n") if line[:3] in (b"jpg", b"png")
        ).decode()
        return result


@pytest.fixture(scope="module")
def arranged() -> Iterator[Looks]:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        yield Looks(server, editor)
        assert editor.violations() == []


@pytest.fixture
def looks(arranged: Looks) -> Iterator[Looks]:
    yield arranged
    arranged.free()


# First, while nothing has been drawn yet.
def test_a_view_that_was_never_drawn_is_refused(looks: Looks) -> None:
    looks.in_the_way("hidden-tab")
    answer = looks.ask()
    assert (answer["type"], answer["error"]["code"]) == ("error", "ERR_UNITY_EXECUTION")
    assert answer["error"]["details"] == {
        "reason": "no_view",
        "execution_guarantee": "not_executed",
    }
    assert "Bring its tab to the front" in answer["error"]["message"]


def test_the_game_view_is_rendered_for_the_call(looks: Looks) -> None:
    assert looks.shot() == {
        "format": "jpg",
        "width": 1024,
        "height": 576,
        "view": "game",
        "playing": False,
        "frame": 0,
        "fresh": True,
        "uniform": False,
        "shows": "jpg 1024x576 Game frame 0 flipped",
    }


def test_each_is_of_its_own_frame(looks: Looks) -> None:
    looks.editor.arrange("enter-play-without-reload")
    looks.editor.command("play on")
    looks.editor.wait_for("play on")
    looks.editor.arrange("pause on")
    for _ in range(2):
        answer = looks.shot()
        assert (answer["playing"], answer["fresh"]) == (True, True)
        assert f"frame {answer['frame']} " in answer["shows"]
        looks.session.submit(f"step-{answer['frame']}", tool="play_mode", action="step")
        looks.editor.wait_for("stepped")
    looks.editor.command("play off")
    looks.editor.wait_for("play off")


@pytest.mark.parametrize(
    "quirks, done",
    [
        ((), " flipped"),
        (("opengl",), ""),
        (("hdr",), " flipped encoded"),
        (("gamma-space",), " flipped"),
    ],
)
def test_it_is_scaled_in_its_own_colour_space(looks: Looks, quirks: Any, done: str) -> None:
    looks.in_the_way(*quirks)
    shows = looks.shot(max_size=64, format="png")["shows"]
    assert shows.startswith("png 64x36 Game frame ")
    assert shows.partition("frame ")[2].lstrip("0123456789") == done


def test_the_scene_view_is_rendered_into_a_texture_of_ours(looks: Looks) -> None:
    answer = looks.shot(view="scene", max_size=2000)
    assert (answer["view"], answer["fresh"], answer["width"], answer["height"]) == (
        "scene",
        True,
        1400,
        800,
    )
    assert answer["shows"].partition("frame ")[2].lstrip("0123456789") == ""


def test_the_scene_view_is_pictured_from_where_it_looks_now(looks: Looks) -> None:
    for place in ("above", "below"):
        looks.editor.arrange(f"look-from {place}")
        answer = looks.shot(view="scene")
        assert answer["shows"].endswith(f" from {place}") and "reason" not in answer
    looks.editor.arrange("look-from aside")
    looks.in_the_way("hidden-tab")
    answer = looks.shot(view="scene")
    assert answer["shows"].endswith(" from below") and "behind another tab" in answer["reason"]
    looks.editor.arrange("look-from ")


def test_a_scriptable_pipeline_is_seen_to_render_too(looks: Looks) -> None:
    looks.in_the_way("scriptable-pipeline")
    assert looks.shot()["fresh"] is True


@pytest.mark.parametrize("tenths", [8, 30, 300])
def test_a_picture_too_large_for_the_wire_is_made_smaller(looks: Looks, tenths: int) -> None:
    looks.in_the_way(f"tenths-of-a-byte {tenths}")
    answer = looks.shot(max_size=2000)
    assert answer["width"] < 1920 and abs(answer["width"] / answer["height"] - 1920 / 1080) < 0.02


def test_a_black_picture_says_so(looks: Looks) -> None:
    looks.in_the_way("black")
    assert looks.shot()["uniform"] is True


def test_an_old_picture_says_so(looks: Looks) -> None:
    looks.shot()
    looks.in_the_way("hidden-tab")
    answer = looks.shot()
    assert answer["fresh"] is False and "No camera rendered" in answer["reason"]


@pytest.mark.parametrize("view", ["game", "scene"])
def test_without_a_view_it_says_what_to_open(looks: Looks, view: str) -> None:
    looks.in_the_way("no-views")
    error = looks.ask(view=view)["error"]
    assert error["details"]["reason"] == "no_view"
    assert f"Window > General > {view.capitalize()}" in error["message"]


@pytest.mark.parametrize(
    "params",
    [
        {"view": "back"},
        {"format": "gif"},
        {"max_size": 63},
        {"max_size": "big"},
        {"frames": 0},
        {"frames": 5},
        {"frames": "2"},
        {"every_ms": 49},
        {"every_ms": 1001},
    ],
)
def test_bad_arguments_are_refused(looks: Looks, params: Any) -> None:
    answer = looks.ask(**params)
    assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS"


CELL = re.compile(r"\[(\d+),(\d+) (\d+)x(\d+) (\w+) frame (\d+)([^\]]*)\]")


def cells(answer: Message) -> List[Any]:
    """Of a grid: left, bottom, width, height, view, frame and what was done to each."""
    kind, size, rest = answer["shows"].split(" ", 2)
    assert (
        kind == answer["format"]
        and size == f"{answer['width']}x{answer['height']}"
        and rest.startswith("grid ")
    )
    return [(*map(int, cell[:4]), cell[4], int(cell[5]), cell[6]) for cell in CELL.findall(rest)]


@pytest.fixture
def played(looks: Looks) -> Iterator[Looks]:
    looks.editor.arrange("enter-play-without-reload")
    looks.editor.command("play on")
    looks.editor.wait_for("play on")
    yield looks
    looks.editor.command("play off")
    looks.editor.wait_for("play off")


def test_frames_are_one_picture_from_left_to_right_and_from_top_to_bottom(played: Looks) -> None:
    answer = played.shot(frames=4, every_ms=50)
    shots = answer["shots"]
    assert (answer["width"], answer["height"], len(shots)) == (1024, 576, 4)
    frames = [shot["frame"] for shot in shots]
    assert frames == sorted(set(frames))
    places = [(0, 288), (512, 288), (0, 0), (512, 0)]
    assert cells(answer) == [
        (*place, 512, 288, "Game", frame, " flipped") for place, frame in zip(places, frames)
    ]
    assert (answer["frame"], answer["fresh"], answer["uniform"], answer["playing"]) == (
        frames[3],
        True,
        False,
        True,
    )
    assert {shot["fresh"] for shot in shots} == {True} and shots[0]["changed"] is None


@pytest.mark.parametrize(("frames", "width", "height"), [(2, 910, 1024), (3, 606, 1023)])
def test_frames_are_as_large_as_the_grid_lets_them(
    looks: Looks, frames: int, width: int, height: int
) -> None:
    answer = looks.shot(frames=frames, every_ms=50, format="png")
    assert (answer["width"], answer["height"]) == (width, height)
    assert [(cell[0], cell[1]) for cell in cells(answer)] == [
        (0, n * (height // frames)) for n in reversed(range(frames))
    ]


@pytest.mark.parametrize(
    ("moves", "by", "share"), [(30, 9, 0.3), (100, 40, 1), (50, 8, 0), (0, 40, 0)]
)
def test_a_frame_says_what_share_of_it_has_changed(
    looks: Looks, moves: int, by: int, share: float
) -> None:
    looks.in_the_way(f"moves {moves}", f"moves-by {by}")
    first, second, third = looks.shot(frames=3, every_ms=50)["shots"]
    assert first["changed"] is None
    assert (second["changed"], third["changed"]) == (pytest.approx(share, abs=0.001),) * 2


def test_frames_of_the_scene_view_are_each_from_where_it_looks(looks: Looks) -> None:
    looks.editor.arrange("look-from above")
    answer = looks.shot(view="scene", frames=2, every_ms=50)
    assert [cell[4:] for cell in cells(answer)] == [
        ("SceneView", cell[5], " from above") for cell in cells(answer)
    ]
    looks.editor.arrange("look-from ")


def test_a_hidden_view_is_waited_for_once_and_not_at_each_frame(looks: Looks) -> None:
    looks.shot()
    looks.in_the_way("hidden-tab")
    began = time.monotonic()
    answer = looks.shot(frames=4, every_ms=50)
    assert [shot["fresh"] for shot in answer["shots"]] == [False] * 4
    assert [shot["changed"] for shot in answer["shots"]] == [None, 0, 0, 0]
    assert answer["fresh"] is False and "No camera rendered" in answer["reason"]
    # Four times the 2 s would be 8 s.
    assert time.monotonic() - began < 7


@pytest.mark.parametrize("kind", ["jpg", "png"])
def test_a_grid_that_is_too_big_for_the_wire_is_made_smaller(looks: Looks, kind: str) -> None:
    looks.in_the_way("tenths-of-a-byte 30")
    answer = looks.shot(max_size=2000, frames=4, every_ms=50, format=kind)
    assert answer["width"] < 2000 and abs(answer["width"] / answer["height"] - 16 / 9) < 0.02
    assert len(answer["shots"]) == 4


@pytest.mark.parametrize("quirks", [(), ("opengl",), ("hdr",), ("gamma-space",)])
def test_a_grid_is_encoded_once(looks: Looks, quirks: Any) -> None:
    looks.in_the_way(*quirks)
    once = {"hdr": " flipped encoded", "opengl": ""}.get("".join(quirks), " flipped")
    answer = looks.shot(frames=2, every_ms=50)
    assert [cell[6] for cell in cells(answer)] == [once, once] and answer["shows"].endswith("]")


def begun(looks: Looks) -> str:
    """A call for many frames of which the first one has been taken; its request."""
    looks.in_the_way("reports-pixels")
    request = f"frames-{next(_NUMBERS)}"
    params = {"frames": 4, "every_ms": 1000}
    looks.editor.pass_over()
    looks.session.send(
        "execute", request_id=request, tool_name="screenshot", params=params, timeout_ms=20_000
    )
    looks.editor.wait_for("pixels 160x90")
    return request


def test_frames_can_be_cancelled(looks: Looks) -> None:
    request = begun(looks)
    answer = looks.session.ask("cancel", target_request_id=request)
    assert (answer["type"], answer["status"]) == ("cancel_result", "cancel_requested")
    looks.free()
    looks.editor.pass_over()
    # It takes as long as the other one would.
    assert looks.shot(frames=4, every_ms=1000)["fresh"] is True
    assert not [one for one in looks.session.heard("result") if one["request_id"] == request]


def test_other_reads_are_answered_between_two_frames(looks: Looks) -> None:
    request = begun(looks)
    assert looks.session.read_console(max_entries=1)["count"] >= 0
    assert not [one for one in looks.session.heard("result") if one["request_id"] == request]
    assert len(looks.session.expect("result", request_id=request)["result"]["shots"]) == 4


def test_frames_go_on_when_play_mode_is_left(played: Looks) -> None:
    request = begun(played)
    played.editor.command("play off")
    answer = played.session.expect("result", request_id=request)["result"]
    assert answer["playing"] is False and [shot["fresh"] for shot in answer["shots"]] == [True] * 4


def test_an_editor_without_focus_is_woken(looks: Looks) -> None:
    looks.editor.arrange("tick 5000")
    assert looks.shot()["fresh"] is True
    looks.editor.arrange("tick 10")


def test_frames_end_with_a_reload_and_leave_nothing_behind() -> None:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        looks = Looks(server, editor)
        begun(looks)
        editor.reload()
        server.ready_session()
        looks.free()
        assert looks.shot(frames=2, every_ms=50)["fresh"] is True
        assert editor.violations() == []
