"""press, as the plugin carries it out (SPEC §16.5): keys go down and up again through the Input
System's own queue.

The fake Input System reads events only at its next update, keeps a state for the editor and one for the game, and sends
a keyboard's events to the editor while the Game view has no focus, which is how an agent's editor is.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import pytest

from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

_NUMBERS = itertools.count(1)
_LONG_MS = 10_000
# Of the settings: PointersAndKeyboardsRespectGameViewFocus and ResetAndDisableNonBackgroundDevices,
# the defaults.
_DEFAULTS = {"backgroundBehavior": "0", "editorInputBehaviorInPlayMode": "0"}


class Game:
    """A game that plays in an editor with the Input System, and that prints the keys which it
    reads.
    """

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self.quirks: List[str] = []

    @property
    def session(self) -> Session:
        """The plugin connects again when other editors' tests leave it without a message for 20 s."""
        return self.server.open_session()

    def in_the_way(self, *quirks: str) -> None:
        self.quirks += quirks
        self.editor.arrange(*(f"quirk {quirk}" for quirk in quirks))

    def begin(self, *keys: str, **more: Any) -> str:
        """Submits it; the id of its job."""
        job_id = f"press-{next(_NUMBERS)}"
        arguments = {"keys": list(keys), **more}
        self.session.submit(job_id, tool="run_command", name="press", arguments=arguments)
        return job_id

    def end(self, job_id: str) -> Message:
        return ended(self.server, self.session, job_id)

    def press(self, *keys: str, **more: Any) -> Dict[str, Any]:
        status = self.end(self.begin(*keys, **more))
        assert status["state"] == "succeeded", status
        return dict(status["result"]["value"])

    def error(self, *keys: str, **more: Any) -> Message:
        status = self.end(self.begin(*keys, **more))
        assert status["state"] == "failed", status
        return dict(status["error"])

    def reads(self, keys: str) -> None:
        """Waits until the game reads exactly these keys."""
        self.editor.wait_for(f"game-reads {keys}$")

    def settings(self, prefix: str = "") -> Dict[str, str]:
        """Of the Input System, as they were set last. ``prefix``: of the object in their place."""
        said = dict(
            line.split()[1:] for line in self.editor.history if line.startswith("input-setting ")
        )
        return {name: said.get(prefix + name, value) for name, value in _DEFAULTS.items()}


@contextlib.contextmanager
def own(*quirks: str) -> Iterator[Game]:
    """A game in an editor of its own, for what ends the session."""
    held = [f"quirk {quirk}" for quirk in quirks] + ["enter-play-without-reload"]
    with ScriptedServer() as server, HeadlessEditor(server.port, held=held) as editor:
        server.ready_session()
        editor.command("play on")
        editor.wait_for("play on")
        game = Game(server, editor)
        yield game
        assert game.settings() == _DEFAULTS
        assert editor.violations() == []


@pytest.fixture(scope="module")
def editor() -> Iterator[Tuple[ScriptedServer, HeadlessEditor]]:
    held = ["quirk input-system", "enter-play-without-reload"]
    with ScriptedServer() as server, HeadlessEditor(server.port, held=held) as editor:
        server.ready_session()
        yield server, editor
        assert editor.violations() == []


@pytest.fixture
def still(editor: Tuple[ScriptedServer, HeadlessEditor]) -> Iterator[Game]:
    """In edit mode, as it is afterwards."""
    game = Game(*editor)
    yield game
    game.editor.arrange("pause off", "play off", *(f"no-quirk {quirk}" for quirk in game.quirks))
    # Whatever happened: no key is down, and the project's settings are as they were.
    assert game.settings() == _DEFAULTS


@pytest.fixture
def game(still: Game) -> Game:
    still.editor.command("play on")
    still.editor.wait_for("play on")
    return still


def test_a_key_goes_down_and_up_although_the_game_has_no_focus(game: Game) -> None:
    answer = game.press("space", for_ms=50)
    game.reads("Space")
    game.reads("nothing")
    assert (
        answer.pop("updates") >= 1
        and answer.pop("held_ms") >= 50
        and answer.pop("held_game_ms") >= 50
    )
    assert answer.pop("game_time_s") > 0 and answer.pop("frame") > 1
    assert answer == {
        "hit": {"device": "Keyboard", "keys": [{"key": "space"}]},
        "pressed": ["space"],
        "released": True,
        "actions": ["Player/Jump"],
        "handled": True,
    }


def test_several_keys_are_one_chord(game: Game) -> None:
    answer = game.press("w", "leftShift", "W", for_ms=50)
    game.reads(r"LeftShift\+W")
    game.reads("nothing")
    assert (answer["pressed"], answer["actions"]) == (["w", "leftShift"], ["Player/Move"])


def test_a_key_without_an_action_is_not_claimed_to_be_handled(game: Game) -> None:
    answer = game.press("q", for_ms=20)
    assert (answer["pressed"], answer["actions"], answer["handled"]) == (["q"], [], None)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("LeftArrow", "leftArrow"),
        ("digit1", "1"),
        ("1", "1"),
        ("LeftWindows", "leftMeta"),
        ("leftapple", "leftMeta"),
    ],
)
def test_a_key_has_the_names_of_the_input_system(game: Game, name: str, key: str) -> None:
    assert game.press(name, for_ms=1)["hit"]["keys"] == [{"key": key}]


def test_a_key_is_a_place_and_says_what_is_printed_there() -> None:
    with own("input-system", "german-keyboard") as game:
        assert game.press("z", for_ms=1)["hit"]["keys"] == [{"key": "z", "label": "Y"}]
        assert game.error("ä")["message"].endswith("on this one ä is the key comma.")


class Wrong(NamedTuple):
    keys: List[Any]
    more: Dict[str, Any]
    complaint: str


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong([], {}, "keys names 1 to 8 keys"),
        Wrong(["a"] * 9, {}, "keys names 1 to 8 keys"),
        Wrong(
            ["lshift"], {}, "has no key lshift. Keys are places on a US keyboard; the nearest are "
        ),
        Wrong([""], {}, "has no key ."),
        Wrong(["None"], {}, "has no key None"),
        Wrong(["IMESelected"], {}, "has no key IMESelected"),
        Wrong(["w\n"], {}, "has no key w ."),
        Wrong([3], {}, "keys[0] must be"),
        Wrong([None], {}, "keys has a null"),
        Wrong(["w"], {"for_ms": 0}, "for_ms is a whole number from 1 to 10000"),
        Wrong(["w"], {"for_ms": 10_001}, "for_ms is a whole number from 1 to 10000"),
        Wrong(["w"], {"for_ms": "long"}, "for_ms must be int"),
        Wrong(["w"], {"button": "left"}, "it takes no argument button"),
    ],
)
def test_wrong_arguments_are_refused(game: Game, wrong: Wrong) -> None:
    begun = len(game.editor.history)
    error = game.error(*wrong.keys, **wrong.more)
    assert error["code"] == "ERR_INVALID_PARAMS" and wrong.complaint in error["message"], error
    game.editor.wait_until_idle()
    assert not [line for line in game.editor.history[begun:] if line.startswith("game-reads")]


def refused(error: Message) -> str:
    """The reason."""
    assert error["details"]["execution_guarantee"] == "not_executed", error
    return str(error["details"]["reason"])


def test_without_a_game_it_is_refused(still: Game) -> None:
    assert refused(still.error("w")) == "not_playing"


def test_in_a_paused_game_it_is_refused(game: Game) -> None:
    game.editor.arrange("pause on")
    assert refused(game.error("w")) == "paused"


@pytest.mark.parametrize(
    ("quirks", "reason", "complaint"),
    [
        ((), "input_manager", "Add the package Input System"),
        (("input-system", "old-input-handling"), "input_manager", "Active Input Handling"),
        (("input-system", "no-keyboard"), "nothing_there", "has no keyboard"),
        (
            ("input-system", "game-disables-keyboard"),
            "not_interactable",
            "has disabled the keyboard",
        ),
    ],
)
def test_what_cannot_be_driven_is_named(
    quirks: Tuple[str, ...], reason: str, complaint: str
) -> None:
    with own(*quirks) as game:
        error = game.error("w")
        assert refused(error) == reason and complaint in error["message"]


@pytest.mark.parametrize("focus", [0, 1, 2])
@pytest.mark.parametrize("background", [0, 1, 2])
@pytest.mark.parametrize("focused", [False, True])
def test_it_reaches_the_game_whatever_the_projects_settings_are(
    game: Game, focus: int, background: int, focused: bool
) -> None:
    names = dict(zip(_DEFAULTS, (str(background), str(focus))))
    if focused:
        game.in_the_way("game-focused")
    game.editor.arrange(*(f"input-setting {name} {value}" for name, value in names.items()))
    assert game.press("d", for_ms=1)["pressed"] == ["d"]
    assert game.settings() == names
    game.editor.arrange(*(f"input-setting {name} 0" for name in names))


def test_a_keyboard_that_was_disabled_with_the_focus_is_enabled(game: Game) -> None:
    game.quirks.append("game-focused")
    game.editor.command("quirk game-focused")
    game.editor.wait_for("game-focus gained")
    game.editor.command("no-quirk game-focused")
    game.editor.wait_for("game-focus lost")
    assert game.press("d", for_ms=1)["pressed"] == ["d"]


def test_a_setting_that_a_script_changes_while_a_key_is_held_stays(game: Game) -> None:
    game.in_the_way("game-focused")
    job = game.begin("d", for_ms=300)
    game.reads("D")
    game.editor.arrange("input-setting backgroundBehavior 1")
    game.end(job)
    assert game.settings() == {**_DEFAULTS, "backgroundBehavior": "1"}
    game.editor.arrange("input-setting backgroundBehavior 0")


def test_a_keyboard_that_no_input_reached_without_the_focus_is_as_before(game: Game) -> None:
    """With this setting, what a person types into the editor would reach the game otherwise."""
    game.quirks.append("game-focused")
    game.editor.arrange("input-setting editorInputBehaviorInPlayMode 2")
    game.editor.command("quirk game-focused")
    game.editor.wait_for("game-focus gained")
    game.editor.command("no-quirk game-focused")
    game.editor.wait_for("keyboard off in the background")
    assert game.press("d", for_ms=1)["pressed"] == ["d"]
    game.editor.wait_for("keyboard on in the background")
    game.editor.wait_for("keyboard off in the background")
    game.editor.arrange("input-setting editorInputBehaviorInPlayMode 0")


def test_a_script_that_replaces_the_settings_keeps_no_key_down(game: Game) -> None:
    job = game.begin("d", for_ms=300)
    game.reads("D")
    game.in_the_way("others-input-settings")
    answer = game.end(job)["result"]["value"]
    assert answer["released"] is True and answer["pressed"] == ["d"] and "reason" not in answer
    game.reads("nothing")
    assert game.settings("others.") == game.settings() == _DEFAULTS


def test_the_settings_are_put_back_if_the_keyboard_cannot_be_had(game: Game) -> None:
    game.in_the_way("enable-throws")
    assert "a script does not want it" in game.error("d")["message"]
    assert game.settings() == _DEFAULTS
    game.editor.arrange("no-quirk enable-throws")
    assert game.press("d", for_ms=1)["pressed"] == ["d"]


def test_the_focus_may_be_lost_while_a_key_is_held(game: Game) -> None:
    game.in_the_way("game-focused")
    game.editor.wait_until_idle()
    job = game.begin("d", for_ms=300)
    game.reads("D")
    game.editor.arrange("no-quirk game-focused")
    answer = game.end(job)["result"]["value"]
    assert answer["released"] is True and answer["pressed"] == ["d"] and "reason" not in answer


def test_a_game_that_does_not_update_its_input_saw_no_key(game: Game) -> None:
    game.in_the_way("game-updates-no-input")
    answer = game.press("w", for_ms=1)
    assert (answer["pressed"], answer["updates"], answer["handled"], answer["released"]) == (
        [],
        0,
        False,
        False,
    )
    assert "did not update its input" in answer["reason"]
    # The next update sees both: nothing stays down.
    game.editor.arrange("no-quirk game-updates-no-input")
    assert game.press("space", for_ms=1)["released"] is True
    game.reads("nothing")


def test_an_event_that_a_script_takes_is_not_claimed_to_be_pressed(game: Game) -> None:
    game.in_the_way("script-handles-events")
    answer = game.press("w", for_ms=1)
    assert (answer["pressed"], answer["handled"]) == (
        [],
        False,
    ) and "a script has handled the event" in answer["reason"]


def test_keys_that_something_else_releases_are_named(game: Game) -> None:
    game.in_the_way("reset-keyboard-later")
    # It comes with the fourth update of the game, and a busy machine is slow to make these.
    answer = game.press("w", for_ms=2000)
    assert answer["pressed"] == ["w"] and "Something else released w" in answer["reason"]


def test_a_cancel_in_the_middle_releases_the_keys(game: Game) -> None:
    job = game.begin("w", for_ms=_LONG_MS)
    game.reads("W")
    assert game.session.ask("cancel", target_job_id=job)["status"] == "cancel_requested"
    assert game.end(job)["state"] == "cancelled"
    game.reads("nothing")


def test_a_timeout_in_the_middle_releases_the_keys(game: Game) -> None:
    job_id = f"press-{next(_NUMBERS)}"
    arguments = {"keys": ["w"], "for_ms": _LONG_MS}
    game.session.submit(
        job_id, timeout_ms=500, tool="run_command", name="press", arguments=arguments
    )
    assert game.end(job_id)["state"] == "timeout"
    game.reads("W")
    game.reads("nothing")


def test_the_end_of_play_mode_in_the_middle_releases_the_keys(game: Game) -> None:
    job = game.begin("w", for_ms=_LONG_MS)
    game.reads("W")
    game.editor.arrange("play off")
    error = game.end(job)["error"]
    assert (error["details"]["reason"], error["details"]["execution_guarantee"]) == (
        "not_playing",
        "completed_error",
    )
    game.editor.command("play on")
    game.editor.wait_for("play on")
    assert game.press("space", for_ms=1)["pressed"] == ["space"]


def test_a_pause_in_the_middle_releases_the_keys_when_the_game_goes_on(game: Game) -> None:
    job = game.begin("w", for_ms=_LONG_MS)
    game.reads("W")
    game.editor.arrange("pause on")
    error = game.end(job)["error"]
    assert error["details"]["reason"] == "paused" and "next update" in error["message"]
    game.editor.command("pause off")
    game.reads("nothing")
    assert game.press("q", for_ms=1)["pressed"] == ["q"]


def test_a_lost_connection_does_not_leave_a_key_down() -> None:
    with own("input-system") as game:
        job = game.begin("w", for_ms=300)
        game.reads("W")
        game.session.drop()
        game.reads("nothing")
        game.server.ready_session()
        assert game.end(job)["result"]["value"]["released"] is True


def test_a_key_is_held_for_as_long_in_a_game_that_runs_slower(game: Game) -> None:
    game.editor.arrange("time-scale 0.25")
    slow = game.press("q", for_ms=100)
    game.editor.arrange("time-scale 0")
    stopped = game.press("q", for_ms=100)
    game.editor.arrange("time-scale 1")
    assert slow["held_game_ms"] >= 100 and slow["held_ms"] >= 300
    assert stopped["held_game_ms"] == 0 and stopped["held_ms"] >= 100


def test_two_presses_are_two(game: Game) -> None:
    jobs = [game.begin("q", for_ms=1) for _ in range(2)]
    assert [game.end(job)["state"] for job in jobs] == ["succeeded"] * 2
    for keys in ("Q", "nothing", "Q", "nothing"):
        game.reads(keys)


def test_a_third_press_waits_for_the_whole_of_the_second(game: Game) -> None:
    first, second, third = (
        game.begin("q", for_ms=100),
        game.begin("w", for_ms=2300),
        game.begin("e", for_ms=1),
    )
    assert game.end(third)["result"]["value"]["pressed"] == ["e"]
    assert game.session.job(second)["state"] == "succeeded"
    assert game.end(first)["result"]["value"]["pressed"] == ["q"]


def test_it_is_listed_and_never_joined(still: Game) -> None:
    assert "press" not in still.session.hello["joins"]
    job_id = f"press-{next(_NUMBERS)}"
    still.session.submit(job_id, tool="run_command")
    rows = {row["name"]: row for row in still.end(job_id)["result"]["commands"]}
    assert rows["press"]["signature"] == "press(keys: string[], for_ms: int = 100)"


def test_a_reload_in_the_middle_leaves_no_key_down_and_the_settings_as_they_were() -> None:
    with own("input-system") as game:
        job = game.begin("w", for_ms=_LONG_MS)
        game.reads("W")
        game.editor.reload()
        game.server.ready_session()
        error = game.end(job)["error"]
        assert error["details"] == {
            "reason": "reloaded_while_running",
            "execution_guarantee": "unknown",
        }
        assert game.settings() == _DEFAULTS
        assert game.press("q", for_ms=1)["pressed"] == ["q"]
