"""Orders to a simulated editor as lines of text: ``compile 2``, ``log error Something broke``, ``quit``."""

from __future__ import annotations

import re
from typing import Callable, List, Mapping, Sequence

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.editor import SCRIPT, UNKNOWN_NAME, SimulatedEditor
from unity_bridge.simulator.faults import parse_fault
from unity_bridge.simulator.project import LOG_TYPES, OUTCOMES, Entry

_COUNT = re.compile(r"[0-9]{1,4}")
_SCENE = "Assets/Scenes/Main.unity"

Order = Callable[[SimulatedEditor, Sequence[str]], Result[None, str]]


@frozen
class Control:
    """One order: how it is written, what it does. It takes at most as many words as its usage has after the name."""

    usage: str
    does: str
    order: Order

    @property
    def name(self) -> str:
        return self.usage.split()[0]

    @property
    def words(self) -> int:
        return len(self.usage.split()) - 1


def _plain(order: Callable[[SimulatedEditor], None]) -> Order:
    def do(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
        order(editor)
        return Ok(None)

    return do


def _with_text(order: Callable[[SimulatedEditor, str], None], default: str) -> Order:
    def do(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
        order(editor, words[0] if words else default)
        return Ok(None)

    return do


def _for_seconds(order: Callable[[SimulatedEditor, float], None], default: float) -> Order:
    def do(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
        try:
            seconds = float(words[0]) if words else default
        except ValueError:
            return Err(f"'{words[0]}' is not a number of seconds")
        if not 0 <= seconds < 1e6:
            return Err(f"{words[0]} seconds cannot be waited")
        order(editor, seconds)
        return Ok(None)

    return do


def _compile(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    errors = words[1] if len(words) > 1 else "0"
    if not _COUNT.fullmatch(errors):
        return Err(f"'{errors}' is not a number of compile errors")
    return _for_seconds(lambda editor, seconds: editor.compile(seconds, int(errors)), 2.0)(editor, words)


def _log(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    if len(words) < 2 or words[0] not in LOG_TYPES:
        return Err(f"log TYPE TEXT, with a type of {', '.join(LOG_TYPES)}")
    editor.log(Entry(words[0], words[1]))
    return Ok(None)


def _fault(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    planned = parse_fault(words[0] if words else "")
    if isinstance(planned, Err):
        return planned
    editor.plan_fault(planned.value)
    return Ok(None)


def _edit(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    outcomes = {}
    if len(words) > 1:
        test, _, outcome = words[1].rpartition("=")
        if not test or outcome not in OUTCOMES:
            return Err(f"TEST=OUTCOME, with an outcome of {', '.join(OUTCOMES)}")
        outcomes[test] = outcome
    editor.edit(words[0] if words else SCRIPT, outcomes)
    return Ok(None)


def _break(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    path, errors, message = [*words, *(SCRIPT, "1", UNKNOWN_NAME)[len(words) :]]
    if not _COUNT.fullmatch(errors):
        return Err(f"'{errors}' is not a number of compile errors")
    editor.break_script(path, int(errors), message)
    return Ok(None)


def _undo(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    path = words[0] if words else SCRIPT
    return Ok(None) if editor.undo(path) else Err(f"{path} has no change that could be undone")


_ALL = (
    # The scripts on disk, and what Unity makes of them.
    Control("edit [PATH [TEST=OUTCOME]]", "change a script on disk; once loaded, TEST ends so", _edit),
    Control("break [PATH [ERRORS [MESSAGE]]]", "change a script so that it does not compile", _break),
    Control("fix [PATH]", "change it so that it compiles again", _edit),
    Control("undo [PATH]", "undo its last change exactly", _undo),
    Control("focus", "focus the editor: it imports what changed", _plain(lambda editor: editor.focus())),
    Control("compile [SECONDS [ERRORS]]", "edit a script and compile; then reload, unless there are errors", _compile),
    Control("hang", "the next compile does not end, until unhang", _plain(lambda editor: editor.hang_compile())),
    Control("unhang", "it ends after all", _plain(lambda editor: editor.unhang())),
    Control("dialog [SECONDS]", "the next import opens a modal dialog", _for_seconds(SimulatedEditor.open_dialog, 5.0)),
    Control("compile_twice", "the next compile has a second pass", _plain(lambda editor: editor.compile_twice())),
    Control("lock", "load no compiled script until unlock", _plain(lambda editor: editor.lock_reloads(True))),
    Control("unlock", "load what was compiled", _plain(lambda editor: editor.lock_reloads(False))),
    Control(
        "reload [SECONDS]", "reload the domain: disconnected for so long", _for_seconds(SimulatedEditor.reload, 1.0)
    ),
    # Play mode and scenes.
    Control("play", "enter play mode", _plain(lambda editor: editor.play())),
    Control("stop_playing", "leave play mode", _plain(lambda editor: editor.stop_playing())),
    Control("pause", "pause the game", _plain(lambda editor: editor.pause(True))),
    Control("unpause", "let the game continue", _plain(lambda editor: editor.pause(False))),
    Control(
        "abort_play [ERROR]",
        "a script aborts the next entry into play mode",
        _with_text(lambda editor, error: editor.abort_play(error), "The level has no player"),
    ),
    Control(
        "play_without_reload",
        "enter play mode without a reload from now on",
        _plain(lambda editor: editor.play_without_reload()),
    ),
    Control(
        "recompile_after_play",
        "compile what changes while the game plays only after that",
        _plain(lambda editor: editor.recompile_after_play()),
    ),
    Control(
        "dirty [SCENE]", "leave a scene unsaved", _with_text(lambda editor, path: editor.change_scene(path), _SCENE)
    ),
    # The editor, its console and its jobs.
    Control("allow_csharp", "switch run_csharp on", _plain(lambda editor: editor.allow_csharp())),
    Control("log TYPE TEXT", "write to the console", _log),
    Control("clear", "clear the console", _plain(lambda editor: editor.clear_console())),
    Control("stall [SECONDS]", "block the main thread, as a dialog does", _for_seconds(SimulatedEditor.stall, 5.0)),
    Control(
        "abort_job [MESSAGE]",
        "abort the job that runs",
        _with_text(lambda editor, message: editor.abort_job(message), "Play mode was left while the tests ran"),
    ),
    Control("forget_jobs", "lose every job", _plain(lambda editor: editor.forget_jobs())),
    # The connection and the process.
    Control("drop", "lose the connection, and come back", _plain(lambda editor: editor.drop())),
    Control("stop_reading", "read nothing that the server sends", _plain(lambda editor: editor.set_reading(False))),
    Control("resume_reading", "read again", _plain(lambda editor: editor.set_reading(True))),
    Control("fault KIND[:MESSAGE_TYPE[:ARGUMENT]][*TIMES]", "make answers go wrong", _fault),
    Control("crash", "end without a word, until restart", _plain(lambda editor: editor.crash())),
    Control(
        "restart [SECONDS]", "close, and open as another editor process", _for_seconds(SimulatedEditor.restart, 1.0)
    ),
)

CONTROLS: Mapping[str, Control] = {control.name: control for control in _ALL}


def execute(editor: SimulatedEditor, line: str) -> Result[None, str]:
    """Carry one line out; ``Err`` is a sentence about what is wrong with it. The last word may have blanks in it."""
    words: List[str] = line.split()
    control = CONTROLS.get(words[0] if words else "")
    if control is None:
        return Err(f"there is no order '{words[0] if words else ''}'; there are {', '.join(CONTROLS)}, quit")
    if len(words) > 1 and not control.words:
        return Err(f"{control.name} takes no arguments")
    return control.order(editor, line.split(None, control.words)[1:])


def help_text() -> str:
    width = max(len(control.usage) for control in CONTROLS.values())
    lines = [f"  {control.usage:<{width}}  {control.does}" for control in CONTROLS.values()]
    return "\n".join(["orders:", *lines, f"  {'quit':<{width}}  close the editor"])
