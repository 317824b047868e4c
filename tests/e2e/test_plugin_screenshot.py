"""screenshot, as the plugin carries it out (SPEC §16.3): a render for the call, the colour space, sizes, hidden views.

A picture of the headless editor begins as its format does. The rest is a line of text: its size, what was drawn, and
what was done to it since.
"""

from __future__ import annotations

import base64
from typing import Any, Iterator, List

import pytest

from tests.scripted_server import Message, ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor


class Looks:
    """One editor for the whole file, and what is in its way for one test."""

    def __init__(self, session: Session, editor: HeadlessEditor) -> None:
        self.session, self.editor = session, editor
        self._quirks: List[str] = []

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
        result["shows"] = next(line for line in file.split(b"\n") if line[:3] in (b"jpg", b"png")).decode()
        return result


@pytest.fixture(scope="module")
def arranged() -> Iterator[Looks]:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        yield Looks(server.ready_session(), editor)
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
    assert answer["error"]["details"] == {"reason": "no_view", "execution_guarantee": "not_executed"}
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
    looks.editor.arrange("enter-play-without-reload", "play on", "pause on")
    looks.editor.wait_for("play on")
    looks.editor.arrange("pause on")
    for _ in range(2):
        told = looks.shot()
        assert (told["playing"], told["fresh"]) == (True, True)
        assert f"frame {told['frame']} " in told["shows"]
        looks.session.submit(f"step-{told['frame']}", tool="play_mode", action="step")
        looks.editor.wait_for("stepped")
    looks.editor.arrange("play off")
    looks.editor.wait_for("play off")


@pytest.mark.parametrize(
    "quirks, done",
    [((), " flipped"), (("opengl",), ""), (("hdr",), " flipped encoded"), (("gamma-space",), " flipped")],
)
def test_it_is_scaled_in_its_own_colour_space(looks: Looks, quirks: Any, done: str) -> None:
    looks.in_the_way(*quirks)
    shows = looks.shot(max_size=64, format="png")["shows"]
    assert shows.startswith("png 64x36 Game frame ")
    assert shows.partition("frame ")[2].lstrip("0123456789") == done


def test_the_scene_view_is_rendered_into_a_texture_of_ours(looks: Looks) -> None:
    told = looks.shot(view="scene", max_size=2048)
    assert (told["view"], told["fresh"], told["width"], told["height"]) == ("scene", True, 1400, 800)
    assert told["shows"].partition("frame ")[2].lstrip("0123456789") == ""


def test_the_scene_view_is_pictured_from_where_it_looks_now(looks: Looks) -> None:
    for place in ("above", "below"):
        looks.editor.arrange(f"look-from {place}")
        told = looks.shot(view="scene")
        assert told["shows"].endswith(f" from {place}") and "reason" not in told
    looks.editor.arrange("look-from aside")
    looks.in_the_way("hidden-tab")
    told = looks.shot(view="scene")
    assert told["shows"].endswith(" from below") and "behind another tab" in told["reason"]
    looks.editor.arrange("look-from ")


def test_a_scriptable_pipeline_is_seen_to_render_too(looks: Looks) -> None:
    looks.in_the_way("scriptable-pipeline")
    assert looks.shot()["fresh"] is True


@pytest.mark.parametrize("tenths", [8, 30, 300])
def test_what_is_too_big_for_the_wire_is_made_smaller(looks: Looks, tenths: int) -> None:
    looks.in_the_way(f"tenths-of-a-byte {tenths}")
    told = looks.shot(max_size=2048)
    assert told["width"] < 1920 and abs(told["width"] / told["height"] - 1920 / 1080) < 0.02


def test_a_black_picture_says_so(looks: Looks) -> None:
    looks.in_the_way("black")
    assert looks.shot()["uniform"] is True


def test_an_old_picture_says_so(looks: Looks) -> None:
    looks.shot()
    looks.in_the_way("hidden-tab")
    told = looks.shot()
    assert told["fresh"] is False and "No camera rendered" in told["reason"]


@pytest.mark.parametrize("view", ["game", "scene"])
def test_without_a_view_it_says_what_to_open(looks: Looks, view: str) -> None:
    looks.in_the_way("no-views")
    error = looks.ask(view=view)["error"]
    assert error["details"]["reason"] == "no_view"
    assert f"Window > General > {view.capitalize()}" in error["message"]


@pytest.mark.parametrize("params", [{"view": "back"}, {"format": "gif"}, {"max_size": 63}, {"max_size": "big"}])
def test_bad_arguments_are_refused(looks: Looks, params: Any) -> None:
    answer = looks.ask(**params)
    assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS"


def test_an_editor_without_focus_is_woken(looks: Looks) -> None:
    looks.editor.arrange("tick 5000")
    assert looks.shot()["fresh"] is True
    looks.editor.arrange("tick 10")
