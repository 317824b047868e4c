"""Orders to a simulated editor as lines of text: ``compile 2``, ``log error Something broke``, ``quit``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Mapping, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.editor import SCRIPT, UNKNOWN_NAME, SimulatedEditor
from unity_bridge.simulator.faults import parse_fault
from unity_bridge.simulator.project import LOG_TYPES, OUTCOMES, Entry
from unity_bridge.simulator.views import Views

_COUNT = re.compile(r"[0-9]{1,4}")

Order = Callable[[SimulatedEditor, Sequence[str]], Result[None, str]]


@dataclass(frozen=True)
class Control:
    """One order: how it is written, what it does; ``words`` is how many words there may be after its name."""

    usage: str
    does: str
    order: Order
    words: int = 0


def _plain(order: Callable[[SimulatedEditor], None]) -> Order:
    def do(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
        order(editor)
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


def _call_off_play(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    editor.call_off_play(words[0] if words else "The level has no player")
    return Ok(None)


def _set_views(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    known = [views.value for views in Views]
    if len(words) != 1 or words[0] not in known:
        return Err(f"views {'|'.join(known)}")
    editor.set_views(Views(words[0]))
    return Ok(None)


def _abort_job(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    editor.abort_job(words[0] if words else "Play mode was left while the tests ran")
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


def _change_scene(editor: SimulatedEditor, words: Sequence[str]) -> Result[None, str]:
    editor.change_scene(words[0] if words else "Assets/Scenes/Main.unity")
    return Ok(None)


CONTROLS: Mapping[str, Control] = {
    "edit": Control("edit [PATH [TEST=OUTCOME]]", "change a script on disk; once loaded, TEST ends so", _edit, 2),
    "break": Control("break [PATH [ERRORS [MESSAGE]]]", "change a script so that it does not compile", _break, 3),
    "mend": Control("mend [PATH]", "change it so that it compiles again", _edit, 1),
    "undo": Control("undo [PATH]", "take its last change back, to the letter", _undo, 1),
    "focus": Control("focus", "look at the editor: it imports what changed", _plain(SimulatedEditor.focus)),
    "compile": Control(
        "compile [SECONDS [ERRORS]]", "edit a script and compile; then reload, unless there are errors", _compile, 2
    ),
    "hang": Control("hang", "the next compile does not end, until unhang", _plain(SimulatedEditor.hang_compile)),
    "unhang": Control("unhang", "it ends after all", _plain(SimulatedEditor.unhang)),
    "dialog": Control(
        "dialog [SECONDS]", "the next import opens a modal dialog", _for_seconds(SimulatedEditor.open_dialog, 5.0), 1
    ),
    "compile_twice": Control(
        "compile_twice", "the next compile has a second pass", _plain(SimulatedEditor.compile_twice)
    ),
    "lock": Control("lock", "load no compiled script, until unlock", _plain(SimulatedEditor.lock_reloads)),
    "unlock": Control("unlock", "load what was compiled", _plain(SimulatedEditor.unlock_reloads)),
    "reload": Control(
        "reload [SECONDS]", "reload the domain: disconnected for so long", _for_seconds(SimulatedEditor.reload, 1.0), 1
    ),
    "stall": Control(
        "stall [SECONDS]", "block the main thread, as a dialog does", _for_seconds(SimulatedEditor.stall, 5.0), 1
    ),
    "play": Control("play", "enter play mode", _plain(SimulatedEditor.play)),
    "pause": Control("pause", "pause the game", _plain(lambda editor: editor.pause(True))),
    "unpause": Control("unpause", "let the game go on", _plain(lambda editor: editor.pause(False))),
    "call_off_play": Control("call_off_play [ERROR]", "a script calls the next entry off", _call_off_play, 1),
    "play_without_reload": Control(
        "play_without_reload",
        "enter play mode without a reload from now on",
        _plain(SimulatedEditor.play_without_reload),
    ),
    "views": Control("views open|closed|hidden|black", "what there is to take a picture of", _set_views, 1),
    "stop_playing": Control("stop_playing", "leave play mode", _plain(SimulatedEditor.stop_playing)),
    "dirty": Control("dirty [SCENE]", "leave a scene unsaved", _change_scene, 1),
    "allow_csharp": Control("allow_csharp", "switch run_csharp on", _plain(SimulatedEditor.allow_csharp)),
    "log": Control("log TYPE TEXT", "write to the console", _log, 2),
    "clear": Control("clear", "clear the console", _plain(SimulatedEditor.clear_console)),
    "drop": Control("drop", "lose the connection, and come back", _plain(SimulatedEditor.drop)),
    "crash": Control("crash", "be gone without a word, until restart", _plain(SimulatedEditor.crash)),
    "restart": Control(
        "restart [SECONDS]", "close, and open as another editor process", _for_seconds(SimulatedEditor.restart, 1.0), 1
    ),
    "deaf": Control("deaf", "read nothing that the server sends", _plain(lambda editor: editor.set_deaf(True))),
    "hear": Control("hear", "read again", _plain(lambda editor: editor.set_deaf(False))),
    "fault": Control("fault KIND[:MESSAGE_TYPE[:ARGUMENT]][*TIMES]", "make answers go wrong", _fault, 1),
    "abort_job": Control("abort_job [MESSAGE]", "break off the job that runs", _abort_job, 1),
    "forget_jobs": Control("forget_jobs", "lose every job", _plain(SimulatedEditor.forget_jobs)),
}


def obey(editor: SimulatedEditor, line: str) -> Result[None, str]:
    """Carry one line out; ``Err`` is a sentence about what is wrong with it. The last word may have blanks in it."""
    name = line.split()[0] if line.split() else ""
    control = CONTROLS.get(name)
    if control is None:
        return Err(f"there is no order '{name}'; there are {', '.join(CONTROLS)}, quit")
    words = line.split(None, control.words)[1:]
    if len(line.split()) > 1 and not control.words:
        return Err(f"{name} takes no arguments")
    return control.order(editor, words)


def help_text() -> str:
    width = max(len(control.usage) for control in CONTROLS.values())
    lines = [f"  {control.usage:<{width}}  {control.does}" for control in CONTROLS.values()]
    return "\n".join(["orders:", *lines, f"  {'quit':<{width}}  close the editor"])
