"""``inspect what: ui``, ``ui_click`` and ``ui_text`` in the plugin, on stubs of uGUI and UI Toolkit
(SPEC §16.4).
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, List, Sequence

import pytest

from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

_UI = "UnityEngine.UI"
_EVENT_SYSTEM = "UnityEngine.EventSystems.EventSystem"

# The Game view has 1920 x 1080 pixels, counted from the bottom left, and a picture of it 1024 x
# 576, from the top left.
GAME = (
    f"object events|Assets/Main.unity|EventSystem|{_EVENT_SYSTEM}",
    f"object canvas|Assets/Main.unity|Canvas|RectTransform,Canvas,{_UI}.GraphicRaycaster",
    f"object start|canvas|Start|RectTransform,{_UI}.Image,{_UI}.Button",
    "rect start|480,540,240,120",
    f"object caption|start|Caption|RectTransform,{_UI}.Text",
    "rect caption|480,540,240,120",
    "set caption|Text|text|Start game",
    f"object off|canvas|Continue|RectTransform,{_UI}.Image,{_UI}.Button",
    "rect off|0,0,192,108",
    "set off|Button|interactable|false",
    f"object below|canvas|Shop|RectTransform,{_UI}.Image,{_UI}.Button",
    "rect below|960,0,192,108",
    f"object curtain|canvas|Curtain|RectTransform,{_UI}.Image",
    "rect curtain|900,0,400,200",
    f"object name|canvas|Name|RectTransform,{_UI}.Image,{_UI}.InputField",
    "rect name|1400,800,300,60",
    f"object hint|name|Placeholder|RectTransform,{_UI}.Text",
    "set hint|Text|text|Your name",
    "set hint|Text|raycastTarget|false",
    f"object mail|canvas|Mail|RectTransform,{_UI}.Image,TMPro.TMP_InputField",
    "rect mail|1400,700,300,60",
    f"object view|canvas|View|RectTransform,{_UI}.RectMask2D",
    "rect view|0,900,100,100",
    f"object row|view|Row|RectTransform,{_UI}.Image,{_UI}.Toggle",
    "rect row|20,880,400,60",
    f"object far|view|Far|RectTransform,{_UI}.Image,{_UI}.Toggle",
    "rect far|20,100,400,60",
    f"object away|canvas|Away|RectTransform,{_UI}.Image,{_UI}.Button",
    "rect away|5000,0,100,100",
    f"object ghost|canvas|Ghost|RectTransform,{_UI}.Button",
    "rect ghost|1800,1000,100,50",
    f"object score|canvas|Score|RectTransform,{_UI}.Text",
    "rect score|480,810,240,120",
    "set score|Text|text|Score 7",
    "set score|Text|raycastTarget|false",
)
DOCUMENT = (
    "object hud|Assets/Main.unity|Hud|UnityEngine.UIElements.UIDocument",
    "panel hud|0|0|2",
    "element menu|hud|VisualElement|menu|0,200,200,200",
    "ignore menu",
    "element play|menu|Button|play|10,210,100,30|Play",
    "element twin|menu|Button|twin|10,250,100,30|One",
    "element other|menu|Button|twin|10,290,100,30|Two",
    "element dull|menu|Button|dull|10,330,100,30|Off",
    "off dull",
    "element player|menu|TextField|player|10,370,100,20|Player",
    "element age|menu|IntegerField|age|10,395,100,20|Age",
    "element list|hud|ScrollView|list|600,200,100,50",
    "clip list",
    "element top|list|Button|top|600,200,100,30|Top",
    "element cut|list|Button|cut|600,240,100,30|Cut",
    "element under|hud|Button|under|800,400,50,50|Under",
    "element over|hud|VisualElement|over|790,390,100,100",
    "element note|hud|Label|note|800,500,50,50|A note",
    "element deep|list|Button|deep|600,400,100,30|Deep",
)

_ids = itertools.count(1)
# A guard against a job that never ends; each question is a round trip.
_MOST_QUESTIONS = 20_000


class Game:
    """An editor whose game plays."""

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self._server, self.editor = server, editor
        self._heard = 0

    @property
    def session(self) -> Session:
        return self._server.open_session()

    def world(self, *lines: str) -> None:
        self.editor.arrange(*(f"world {line}" for line in lines))
        self.editor.wait_until_idle()

    def ui(self, **params: Any) -> Json:
        answer = self.ask_ui(**params)
        assert answer["type"] == "result" and answer["status"] == "ok", answer
        return dict(answer["result"])

    def ask_ui(self, **params: Any) -> Json:
        return dict(
            self.session.ask(
                "execute", tool_name="inspect", params={"what": "ui", **params}, timeout_ms=30_000
            )
        )

    def items(self, **params: Any) -> Dict[str, Json]:
        return {item["path"]: item for item in self.ui(**params)["items"]}

    def run(self, name: str, **arguments: Any) -> Json:
        """The end of the job."""
        job = f"ui-{next(_ids)}"
        answer = self.session.submit(job, tool="run_command", name=name, arguments=arguments)
        assert answer["type"] == "submit_job_result", answer
        for _ in range(_MOST_QUESTIONS):
            status = self.session.job(job)
            if status["state"] not in ("queued", "running"):
                return dict(status)
        raise AssertionError(f"it does not end: {status}")

    def did(self, name: str, **arguments: Any) -> Json:
        status = self.run(name, **arguments)
        assert status["state"] == "succeeded", status
        return dict(status["result"]["value"])

    def refused(self, name: str, **arguments: Any) -> Json:
        """``details``, with the message in it. Nothing was done."""
        self.used()
        status = self.run(name, **arguments)
        assert status["state"] == "failed", status
        assert self.used() == []
        return {
            **status["error"]["details"],
            "code": status["error"]["code"],
            "message": status["error"]["message"],
        }

    def used(self) -> List[str]:
        """What the game has heard since it was last asked."""
        self.editor.wait_until_idle()
        history = self.editor.history
        before, self._heard = self._heard, len(history)
        return [line for line in history[before:] if line.startswith(("used ", "pressed "))]


def _play(*lines: str, quirks: Sequence[str] = ("ugui",)) -> Iterator[Game]:
    held = [
        "scene Assets/Main.unity",
        "enter-play-without-reload",
        *(f"quirk {quirk}" for quirk in quirks),
    ]
    with ScriptedServer() as server, HeadlessEditor(server.port, held=held) as editor:
        server.ready_session()
        game = Game(server, editor)
        editor.command("play on")
        editor.wait_for("play on")
        game.world(*lines)
        yield game
        editor.wait_until_idle()
        assert editor.violations() == []


@pytest.fixture(scope="class")
def shared() -> Iterator[Game]:
    """For tests that leave it as it was."""
    yield from _play(*GAME, *DOCUMENT)


@pytest.fixture
def game() -> Iterator[Game]:
    yield from _play(*GAME, *DOCUMENT)


@pytest.fixture
def plain() -> Iterator[Game]:
    """Without the package com.unity.ugui."""
    yield from _play(*DOCUMENT, quirks=())


class TestOneGame:
    """In one game: nothing here changes what the next test sees."""

    def test_the_controls_that_are_seen_are_listed_in_pixels_of_the_picture(
        self, shared: Game
    ) -> None:
        answer = shared.ui()
        assert (answer["width"], answer["height"], answer["total"]) == (
            1024,
            576,
            len(answer["items"]),
        )
        items = {item["path"]: item for item in answer["items"]}
        assert items["Main/Canvas/Start"] == {
            "path": "Main/Canvas/Start",
            "kind": "Button",
            "label": "Start game",
            "interactable": True,
            "rect": [256, 224, 128, 64],
        }
        assert items["Main/Canvas/Continue"]["interactable"] is False
        assert items["Main/Canvas/Shop"]["covered_by"] == "Main/Canvas/Curtain"
        assert items["Main/Canvas/Name"]["label"] == "Your name"
        # What a mask leaves of it, and nothing of what it hides.
        assert items["Main/Canvas/View/Row"]["rect"] == [11, 75, 42, 21]
        assert not {"Main/Canvas/View/Far", "Main/Canvas/Away", "Main/Canvas/Curtain"} & set(items)
        # Drawn by nothing, so no pointer can hit it.
        assert items["Main/Canvas/Ghost"]["interactable"] is False

    def test_elements_of_ui_toolkit_are_listed_with_their_documents_path(
        self, shared: Game
    ) -> None:
        items = shared.items(path="Main/Hud")
        assert items["Main/Hud#play"] == {
            "path": "Main/Hud#play",
            "kind": "Button",
            "label": "Play",
            "interactable": True,
            "rect": [11, 224, 106, 32],
        }
        # A name that two have names neither.
        assert [path for path, item in items.items() if item["label"] in ("One", "Two")] == [
            "Main/Hud#0/1",
            "Main/Hud#0/2",
        ]
        assert items["Main/Hud#dull"]["interactable"] is False
        assert (
            items["Main/Hud#player"]["kind"] == "TextField"
            and items["Main/Hud#player"]["label"] == "Player"
        )
        # A scroll view shows one whole, a third of the next, and none of the last.
        assert items["Main/Hud#top"]["rect"] == [640, 213, 107, 32]
        assert items["Main/Hud#cut"]["rect"] == [640, 256, 107, 11]
        assert "Main/Hud#deep" not in items
        assert "Main/Hud#unity-text-input" not in items and "Main/Hud#list" not in items

    def test_texts_are_listed_which_nobody_can_use(self, shared: Game) -> None:
        items = shared.items(query="t:text")
        score = {
            "path": "Main/Canvas/Score",
            "kind": "Text",
            "label": "Score 7",
            "rect": [256, 80, 128, 64],
        }
        assert items["Main/Canvas/Score"] == score
        assert (
            items["Main/Hud#note"]["label"] == "A note"
            and "interactable" not in items["Main/Hud#note"]
        )
        assert sorted(items) == ["Main/Canvas/Score", "Main/Hud#note"], (
            "the text of a control is its label"
        )

    @pytest.mark.parametrize(
        ("params", "labels"),
        [
            ({"query": "start"}, ["Start game"]),
            ({"query": "t:InputField"}, ["Your name"]),
            ({"query": "t:Selectable name"}, ["Your name"]),
            ({"query": "t:Button o", "path": "Main/Hud"}, ["One", "Two", "Off", "Top"]),
            ({"path": "Main/Hud#list"}, ["Top", "Cut"]),
            ({"path": "Main/Hud#0/1"}, ["One"]),
            ({"query": "no such label"}, []),
        ],
    )
    def test_a_path_and_words_narrow_it(
        self, shared: Game, params: Json, labels: List[str]
    ) -> None:
        assert [item["label"] for item in shared.ui(**params)["items"]] == labels

    def test_it_comes_in_pages(self, shared: Game) -> None:
        whole = shared.ui()["items"]
        first = shared.ui(limit=3)
        second = shared.ui(limit=100, cursor=first["next_cursor"])
        assert (first["items"] + second["items"], second["width"]) == (whole, 1024)

    def test_a_wrong_path_is_refused_with_what_is_there(self, shared: Game) -> None:
        for path, words in (
            ("Main/Nowhere", "There is 'EventSystem'"),
            ("Main/Hud#nowhere", "It has '#menu', '#play'"),
            ("Main/Hud#twin", "Several elements of 'Main/Hud' are named 'twin'"),
            ("Main/Canvas#x", "has no document of UI Toolkit"),
        ):
            answer = shared.ask_ui(path=path)
            assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS", (
                answer
            )
            assert words in answer["error"]["message"]
            assert words in shared.refused("ui_click", path=path)["message"]

    def test_a_click_goes_to_the_control_and_says_what_it_hit(self, shared: Game) -> None:
        shared.used()
        answer = shared.did("ui_click", path="Main/Canvas/Start")
        assert answer == {
            "hit": {"path": "Main/Canvas/Start", "kind": "Button", "label": "Start game"},
            "handled": True,
            "at": [320, 256],
        }
        assert shared.used() == ["pressed start", "used start clicked"]

    def test_a_position_of_the_picture_hits_what_is_there(self, shared: Game) -> None:
        shared.ui()
        shared.used()
        assert shared.did("ui_click", x=320, y=256)["hit"]["path"] == "Main/Canvas/Start"
        # In a picture of half the size.
        assert (
            shared.did("ui_click", x=160, y=128, width=512, height=288)["hit"]["path"]
            == "Main/Canvas/Start"
        )
        assert shared.used() == ["pressed start", "used start clicked"] * 2

    @pytest.mark.parametrize(("x", "y"), [(320, 256), (321, 257), (257, 225), (382, 286)])
    def test_a_click_is_at_the_pixel_that_was_given(self, shared: Game, x: int, y: int) -> None:
        shared.ui()
        assert shared.did("ui_click", x=x, y=y)["at"] == [x, y]

    def test_a_click_that_nothing_handles_says_so(self, shared: Game) -> None:
        answer = shared.did("ui_click", x=500, y=500)
        assert (answer["hit"], answer["handled"]) == (
            {"path": "Main/Canvas/Curtain", "kind": "Image", "label": "Curtain"},
            False,
        )

    def test_a_click_in_ui_toolkit(self, shared: Game) -> None:
        shared.used()
        answer = shared.did("ui_click", path="Main/Hud#play")
        assert (answer["hit"], answer["handled"]) == (
            {"path": "Main/Hud#play", "kind": "Button", "label": "Play"},
            True,
        )
        assert shared.used() == ["used play clicked"]
        # The part that the scroll view leaves.
        assert shared.did("ui_click", path="Main/Hud#cut")["at"] == [693, 261]
        assert shared.used() == ["used cut clicked"]

    @pytest.mark.parametrize(
        ("arguments", "reason", "words"),
        [
            ({"path": "Main/Canvas/Shop"}, "covered", "Main/Canvas/Curtain"),
            ({"path": "Main/Canvas/Continue"}, "not_interactable", "switched off"),
            ({"path": "Main/Hud#dull"}, "not_interactable", "switched off"),
            ({"path": "Main/Canvas/Away"}, "nothing_there", "not seen"),
            ({"path": "Main/Canvas/View/Far"}, "nothing_there", "not seen"),
            ({"path": "Main/Hud#deep"}, "nothing_there", "not seen"),
            ({"path": "Main/Canvas/Ghost"}, "nothing_there", "no raycast target"),
            ({"path": "Main/Hud#under"}, "covered", "Main/Hud#over"),
            ({"x": 1000, "y": 300}, "nothing_there", "Nothing at that position"),
            ({"x": 50, "y": 550}, "not_interactable", "Main/Canvas/Continue"),
            ({"x": 100, "y": 100, "width": 300, "height": 300}, "view_changed", "new picture"),
        ],
    )
    def test_what_would_not_react_is_refused(
        self, shared: Game, arguments: Json, reason: str, words: str
    ) -> None:
        details = shared.refused("ui_click", **arguments)
        assert (details["code"], details["reason"], details["execution_guarantee"]) == (
            "ERR_UNITY_EXECUTION",
            reason,
            "not_executed",
        )
        assert words in details["message"]
        assert ("covered_by" in details) == (reason == "covered")

    @pytest.mark.parametrize(
        "arguments",
        [
            {},
            {"x": 5},
            {"path": "Main/Canvas/Start", "x": 5, "y": 5},
            {"x": 5, "y": 5, "width": 100},
            {"x": -1, "y": 5},
            {"x": 1024, "y": 5},
            {"x": 5, "y": 576},
            {"path": "Main/EventSystem"},
            {"path": "Main/Hud"},
            {"path": "Main"},
            {"path": "Assets/Nothing.asset"},
        ],
    )
    def test_arguments_without_a_meaning_are_refused(self, shared: Game, arguments: Json) -> None:
        assert shared.refused("ui_click", **arguments)["code"] == "ERR_INVALID_PARAMS"

    @pytest.mark.parametrize(
        ("path", "text", "code", "words"),
        [
            ("Main/Canvas/Start", "x", "ERR_INVALID_PARAMS", "which takes no text"),
            ("Main/Hud#play", "x", "ERR_INVALID_PARAMS", "which takes no text"),
            ("Main/Hud#age", "old", "ERR_INVALID_PARAMS", "no value for it"),
            ("Main/Nowhere", "x", "ERR_INVALID_PARAMS", "There is no"),
        ],
    )
    def test_text_that_cannot_be_entered_is_refused(
        self, shared: Game, path: str, text: str, code: str, words: str
    ) -> None:
        details = shared.refused("ui_text", path=path, text=text)
        assert details["code"] == code and words in details["message"]


def test_in_edit_mode_there_is_nothing_to_use(game: Game) -> None:
    game.editor.command("play off")
    game.editor.wait_for("play off")
    answer = game.ask_ui()
    assert answer["type"] == "error" and answer["error"]["code"] == "ERR_UNITY_EXECUTION", answer
    assert answer["error"]["details"]["reason"] == "not_playing"
    assert game.refused("ui_click", path="Main/Canvas/Start")["reason"] == "not_playing"
    assert game.refused("ui_text", path="Main/Canvas/Name", text="x")["reason"] == "not_playing"


def test_a_paused_game_is_looked_at_and_not_used(game: Game) -> None:
    game.editor.arrange("pause on")
    assert game.items()["Main/Canvas/Start"]["interactable"] is True
    assert game.refused("ui_click", path="Main/Canvas/Start")["reason"] == "paused"
    assert game.refused("ui_text", path="Main/Canvas/Name", text="x")["reason"] == "paused"


def test_an_empty_scene_has_nothing() -> None:
    for empty in _play(quirks=()):
        assert empty.ui()["items"] == []


def test_without_the_package_the_rest_is_there(plain: Game) -> None:
    assert plain.items()["Main/Hud#play"]["interactable"] is True
    assert plain.did("ui_click", path="Main/Hud#play")["handled"] is True


def test_the_shape_of_the_view_sets_the_scale(game: Game) -> None:
    game.editor.arrange("quirk view-width 400", "quirk view-height 800")
    answer = game.ui(query="t:Toggle")
    assert (answer["width"], answer["height"]) == (400, 800)
    assert answer["items"] == []


def test_a_paused_game_whose_canvases_are_not_drawn_is_listed_without_what_covers_what(
    game: Game,
) -> None:
    game.editor.arrange("quirk still-canvases", "pause on")
    answer = game.ui()
    assert "what covers an element is not known" in answer["hint"]
    items = {item["path"]: item for item in answer["items"]}
    assert items["Main/Canvas/Shop"] == {
        "path": "Main/Canvas/Shop",
        "kind": "Button",
        "label": "Shop",
        "interactable": True,
        "rect": [512, 518, 102, 58],
    }


def test_a_game_that_runs_no_frame_is_not_clicked(game: Game) -> None:
    game.editor.arrange("quirk no-frames")
    assert game.refused("ui_click", path="Main/Canvas/Start")["reason"] == "not_advancing"
    game.editor.arrange("no-quirk no-frames")
    assert game.did("ui_click", path="Main/Canvas/Start")["handled"] is True


def test_a_view_that_was_never_drawn_is_not_read(game: Game) -> None:
    game.editor.arrange("quirk hidden-tab")
    answer = game.ask_ui()
    assert (
        answer["error"]["details"]["reason"] == "no_view" and "hidden" in answer["error"]["message"]
    )


def test_without_a_game_view_it_is_refused(game: Game) -> None:
    game.editor.arrange("quirk no-views")
    assert game.ask_ui()["error"]["details"]["reason"] == "no_view"
    assert game.refused("ui_click", x=1, y=1)["reason"] == "no_view"


def test_all_objects_are_searched_once_for_each_list_and_click(game: Game) -> None:
    def searches() -> int:
        game.editor.wait_until_idle()
        return game.editor.history.count("searched all objects")

    before = searches()
    assert len(game.items()) > 1
    assert searches() == before + 1
    game.did("ui_click", path="Main/Canvas/Start")
    assert searches() == before + 2


def test_whether_a_handler_that_stops_nothing_has_handled_it_is_not_known(game: Game) -> None:
    game.world(
        "element card|hud|VisualElement|card|500,200,50,50",
        "element blank|hud|VisualElement|blank|500,300,50,50",
    )
    assert game.did("ui_click", path="Main/Hud#blank")["handled"] is False
    game.world("heard card")
    assert game.did("ui_click", path="Main/Hud#card")["handled"] is None
    assert game.used() == ["used card clicked"]


@pytest.mark.parametrize(
    "lines",
    [
        # At the end of the frame, as games do it; at once; and at the press already.
        ("when start|destroy start", "when play|leave play"),
        ("when start|destroy-now start", "when play|destroy-now hud"),
        ("when press start|destroy-now start", "when play|inactive hud"),
        ("when press start|destroy-now canvas", "when play|destroy hud"),
    ],
)
def test_a_click_may_destroy_what_it_hits(game: Game, lines: Sequence[str]) -> None:
    game.world(*lines)
    answer = game.did("ui_click", path="Main/Canvas/Start")
    assert (answer["hit"]["label"], answer["handled"], answer["gone"]) == ("Start game", True, True)
    answer = game.did("ui_click", path="Main/Hud#play")
    assert (answer["hit"]["label"], answer["handled"], answer["gone"]) == ("Play", True, True)


def test_a_handler_that_throws_has_handled_it(game: Game) -> None:
    game.world("when start|throw", "when play|throw")
    assert game.did("ui_click", path="Main/Canvas/Start")["handled"] is True
    assert game.did("ui_click", path="Main/Hud#play")["handled"] is True


def test_a_listener_that_throws_does_not_end_the_entry_of_a_text(game: Game) -> None:
    game.world("when name|throw", "when player|throw", "when blur player|throw")
    assert game.did("ui_text", path="Main/Canvas/Name", text="Ann")["text"] == "Ann"
    assert game.did("ui_text", path="Main/Hud#player", text="Bo")["text"] == "Bo"
    assert game.used() == [
        "pressed name",
        "used name changed Ann",
        "used name ended Ann",
        "used player changed Bo",
    ]


def test_a_view_of_another_shape_than_the_picture_is_not_clicked(game: Game) -> None:
    game.ui()
    game.editor.arrange("quirk view-width 800", "quirk view-height 800")
    assert game.refused("ui_click", x=320, y=256)["reason"] == "view_changed"
    game.ui()
    assert game.run("ui_click", x=320, y=256)["error"]["details"]["reason"] == "nothing_there"


def test_a_picture_is_remembered_too(game: Game) -> None:
    answer = game.session.ask("execute", tool_name="screenshot", params={}, timeout_ms=30_000)
    assert answer["status"] == "ok", answer
    game.editor.arrange("quirk view-width 800", "quirk view-height 800")
    assert game.refused("ui_click", x=320, y=256)["reason"] == "view_changed"


def test_without_an_event_system_nothing_of_ugui_reacts(game: Game) -> None:
    game.world("destroy events")
    answer = game.ui()
    assert "no active EventSystem" in answer["hint"]
    assert {item["path"]: item.get("interactable") for item in answer["items"]}[
        "Main/Canvas/Start"
    ] is False
    assert game.refused("ui_click", path="Main/Canvas/Start")["reason"] == "no_event_system"
    assert game.refused("ui_click", x=320, y=256)["reason"] == "no_event_system"
    # UI Toolkit needs none.
    assert game.did("ui_click", path="Main/Hud#play")["handled"] is True


def test_a_group_switches_its_controls_off_and_lets_pointers_through(game: Game) -> None:
    game.world(
        "object window|canvas|Window|RectTransform,CanvasGroup",
        f"object inner|window|Inner|RectTransform,{_UI}.Image,{_UI}.Button",
        "rect inner|480,540,240,120",
        "set window|CanvasGroup|interactable|false",
    )
    assert game.refused("ui_click", x=320, y=256)["reason"] == "not_interactable"
    game.world("set window|CanvasGroup|blocksRaycasts|false")
    assert game.did("ui_click", x=320, y=256)["hit"]["path"] == "Main/Canvas/Start"


def test_a_control_in_another_one_is_the_one_that_counts(game: Game) -> None:
    """A slider hears the press, and the card around it the click: each may be off by itself."""
    game.world(
        f"object card|canvas|Card|RectTransform,{_UI}.Image,{_UI}.Button",
        "rect card|1000,300,400,300",
        f"object slider|card|Slider|RectTransform,{_UI}.Image,{_UI}.Selectable",
        "rect slider|1100,400,200,100",
    )
    slider = {"path": "Main/Canvas/Card/Slider", "kind": "Selectable", "label": "Slider"}
    assert game.did("ui_click", path="Main/Canvas/Card/Slider")["hit"] == slider
    assert game.did("ui_click", x=640, y=336)["hit"] == slider
    game.world("set card|Button|interactable|false")
    assert game.did("ui_click", path="Main/Canvas/Card/Slider")["hit"] == slider
    assert game.refused("ui_click", path="Main/Canvas/Card")["reason"] == "not_interactable"
    game.world("set card|Button|interactable|true", "set slider|Selectable|interactable|false")
    assert game.refused("ui_click", path="Main/Canvas/Card/Slider")["reason"] == "not_interactable"


def test_the_display_of_the_view_counts(game: Game) -> None:
    game.world(
        f"object second|Assets/Main.unity|Second|RectTransform,Canvas,{_UI}.GraphicRaycaster",
        f"object there|second|There|RectTransform,{_UI}.Image,{_UI}.Button",
        "rect there|480,540,240,120",
        "set second|Canvas|targetDisplay|1",
    )
    assert "Main/Second/There" not in game.items()
    assert game.refused("ui_click", path="Main/Second/There")["reason"] == "nothing_there"
    game.editor.arrange("quirk view-display 1")
    assert list(game.items()) == ["Main/Second/There"]
    assert game.did("ui_click", x=320, y=256)["hit"]["path"] == "Main/Second/There"
    game.editor.arrange("no-quirk view-display 1")
    # Whatever display the last raycast was for.
    assert game.did("ui_click", x=320, y=256)["hit"]["path"] == "Main/Canvas/Start"


def test_a_canvas_with_a_camera_lies_below_an_overlay(game: Game) -> None:
    game.world(
        "object eye|Assets/Main.unity|Eye|Camera",
        "camera eye|0,0,-10,2|0",
        f"object flat|Assets/Main.unity|Flat|RectTransform,Canvas,{_UI}.GraphicRaycaster",
        "set flat|Canvas|renderMode|WorldSpace",
        "set flat|Canvas|worldCamera|eye",
        f"object sign|flat|Sign|RectTransform,{_UI}.Image,{_UI}.Button",
        "rect sign|-400,0,200,60",
    )
    # From 160, 540 on, 400 pixels wide: the overlay's Start lies on its right end.
    assert game.items()["Main/Flat/Sign"]["rect"] == [85, 224, 214, 64]
    assert game.did("ui_click", path="Main/Flat/Sign")["hit"]["path"] == "Main/Flat/Sign"
    assert game.did("ui_click", x=270, y=256)["hit"]["path"] == "Main/Canvas/Start"
    game.world("camera eye|0,0,10,2|0")
    assert "Main/Flat/Sign" not in game.items()


def test_a_panel_lies_above_a_canvas_of_the_same_order(game: Game) -> None:
    game.world("element lid|hud|VisualElement|lid|240,200,200,100")
    assert game.items()["Main/Canvas/Start"]["covered_by"] == "Main/Hud#lid"
    assert game.refused("ui_click", path="Main/Canvas/Start")["covered_by"] == "Main/Hud#lid"
    game.world("set canvas|Canvas|sortingOrder|1")
    assert game.did("ui_click", path="Main/Canvas/Start")["handled"] is True


def test_a_panel_renderer_shows_elements_as_a_document_does(game: Game) -> None:
    game.world(
        "object new|Assets/Main.unity|New|UnityEngine.UIElements.PanelRenderer",
        "panel new|3|0|1",
        "element fire|new|Button|fire|0,400,400,400|Fire",
    )
    assert game.items(path="Main/New")["Main/New#fire"]["label"] == "Fire"
    assert game.refused("ui_click", path="Main/Hud#play")["covered_by"] == "Main/New#fire"
    assert game.did("ui_click", path="Main/New#fire")["handled"] is True
    assert game.used() == ["used fire clicked"]
    game.world("inactive new")
    assert "Main/New#fire" not in game.items()


def test_the_panel_in_front_gets_the_click(game: Game) -> None:
    game.world(
        "object front|Assets/Main.unity|Front|UnityEngine.UIElements.UIDocument",
        "panel front|3|0|1",
        "element glass|front|VisualElement|glass|0,400,400,400",
    )
    assert game.refused("ui_click", path="Main/Hud#play")["covered_by"] == "Main/Front#glass"


def test_of_panels_of_the_same_order_the_one_that_was_made_last_is_in_front(game: Game) -> None:
    game.world(
        "object late|Assets/Main.unity|Late|UnityEngine.UIElements.UIDocument",
        "panel late|0|0|1",
        "element sheet|late|VisualElement|sheet|0,400,400,400",
    )
    assert game.refused("ui_click", path="Main/Hud#play")["covered_by"] == "Main/Late#sheet"


@pytest.mark.parametrize(
    ("path", "one"), [("Main/Canvas/Name", "name"), ("Main/Canvas/Mail", "mail")]
)
def test_a_text_is_entered_and_its_editing_ended(game: Game, path: str, one: str) -> None:
    answer = game.did("ui_text", path=path, text="Ann")
    assert (answer["text"], answer["handled"], answer["hit"]["path"]) == ("Ann", True, path)
    assert game.used() == [f"pressed {one}", f"used {one} changed Ann", f"used {one} ended Ann"]


def test_a_field_without_the_focus_hears_of_the_end_once(game: Game) -> None:
    game.editor.arrange("quirk no-focus")
    assert game.did("ui_text", path="Main/Canvas/Name", text="Ann")["text"] == "Ann"
    assert game.used() == ["pressed name", "used name changed Ann", "used name ended Ann"]


def test_the_answer_has_what_the_field_made_of_it(game: Game) -> None:
    game.world("set name|InputField|characterLimit|3")
    assert game.did("ui_text", path="Main/Canvas/Name", text="Anna\nB")["text"] == "Ann"


def test_a_text_in_ui_toolkit(game: Game) -> None:
    answer = game.did("ui_text", path="Main/Hud#player", text="Bo")
    assert (answer["text"], answer["hit"]["kind"]) == ("Bo", "TextField")
    assert game.did("ui_text", path="Main/Hud#age", text="42")["text"] == "42"
    assert game.used() == ["used player changed Bo", "used age changed 42"]


def test_a_field_that_is_read_only_or_covered_or_off_gets_no_text(game: Game) -> None:
    game.world("set name|InputField|readOnly|true")
    assert (
        game.refused("ui_text", path="Main/Canvas/Name", text="x")["reason"] == "not_interactable"
    )
    game.world("set name|InputField|readOnly|false", "set name|InputField|interactable|false")
    assert (
        game.refused("ui_text", path="Main/Canvas/Name", text="x")["reason"] == "not_interactable"
    )
    game.world(
        f"object sheet|canvas|Sheet|RectTransform,{_UI}.Image", "rect sheet|1300,600,600,400"
    )
    assert game.refused("ui_text", path="Main/Canvas/Mail", text="x")["reason"] == "covered"


def test_a_field_that_the_click_destroys_gets_no_text(game: Game) -> None:
    game.world("when name|destroy name")
    game.world("object again|canvas|Again|RectTransform", "rect again|0,0,1,1")
    status = game.run("ui_text", path="Main/Canvas/Name", text="x")
    # The text itself is what destroys it here: the command survives it.
    assert status["state"] == "succeeded" and status["result"]["value"]["text"] is None
