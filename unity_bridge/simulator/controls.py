"""Orders to a simulated editor as lines of text: ``compile 2``, ``log error Something broke``,
``quit``.
"""

from __future__ import annotations

import re
from typing import Callable, Mapping

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.editor import SCRIPT, UNKNOWN_NAME, SimulatedEditor
from unity_bridge.simulator.project import LOG_TYPES, OUTCOMES, Entry

_COUNT = re.compile(r"[0-9]{1,4}")


class WrongOrder(Exception):
    """What is wrong with the words of an order."""


@frozen
class Control:
    """One order: how it is written, what it does. ``order`` takes the editor and the words, of
    which all may lack.
    """

    usage: str
    does: str
    order: Callable[..., object]

    @property
    def name(self) -> str:
        return self.usage.split()[0]

    @property
    def words(self) -> int:
        return len(self.usage.split()) - 1


def seconds_of(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        raise WrongOrder(f"'{word}' is not a number of seconds") from None
    if not 0 <= seconds < 1e6:
        raise WrongOrder(f"{word} seconds cannot be waited")
    return seconds


def _count(word: str) -> int:
    if not _COUNT.fullmatch(word):
        raise WrongOrder(f"'{word}' is not a number of compile errors")
    return int(word)


def _log(editor: SimulatedEditor, kind: str = "", text: str = "") -> None:
    if kind not in LOG_TYPES or not text:
        raise WrongOrder(f"log TYPE TEXT, with a type of {', '.join(LOG_TYPES)}")
    editor.log(Entry(kind, text))


def _edit(editor: SimulatedEditor, path: str = SCRIPT, ends: str = "") -> None:
    test, _, outcome = ends.rpartition("=")
    if ends and (not test or outcome not in OUTCOMES):
        raise WrongOrder(f"TEST=OUTCOME, with an outcome of {', '.join(OUTCOMES)}")
    outcomes = {}
    if ends:
        outcomes = {test: outcome}
    editor.edit(path, outcomes)


_ALL = (
    # The scripts on disk, and what Unity makes of them.
    Control(
        "edit [PATH [TEST=OUTCOME]]", "change a script on disk; once loaded, TEST ends so", _edit
    ),
    Control(
        "break [PATH [ERRORS [MESSAGE]]]",
        "change a script so that it does not compile",
        lambda editor, path=SCRIPT, errors="1", message=UNKNOWN_NAME: editor.break_script(
            path, _count(errors), message
        ),
    ),
    Control("fix [PATH]", "change it so that it compiles again", _edit),
    Control("focus", "focus the editor: it imports what changed", SimulatedEditor.focus),
    Control(
        "compile [SECONDS [ERRORS]]",
        "edit a script and compile; then reload, unless there are errors",
        lambda editor, seconds="2", errors="0": editor.compile(seconds_of(seconds), _count(errors)),
    ),
    Control(
        "reload [SECONDS]",
        "reload the domain: disconnected for so long",
        lambda editor, seconds="1": editor.reload(seconds_of(seconds)),
    ),
    # The editor, its console, and the connection.
    Control("allow_csharp", "switch run_csharp on", SimulatedEditor.allow_csharp),
    Control("log TYPE TEXT", "write to the console", _log),
    Control(
        "stall [SECONDS]",
        "block the main thread, as a dialog does",
        lambda editor, seconds="5": editor.stall(seconds_of(seconds)),
    ),
    Control("drop", "lose the connection, and come back", SimulatedEditor.drop),
    Control("crash", "end without a word, until restart", SimulatedEditor.crash),
    Control(
        "restart [SECONDS]",
        "close, and open as another editor process",
        lambda editor, seconds="1": editor.restart(seconds_of(seconds)),
    ),
)

Controls = Mapping[str, Control]
CONTROLS: Controls = {control.name: control for control in _ALL}


def execute(editor: SimulatedEditor, line: str, controls: Controls = CONTROLS) -> Result[None, str]:
    """Carry one line out; ``Err`` is a sentence about what is wrong with it. The last word may have
    blanks in it.
    """
    words = line.split()
    name = ""
    if words:
        name = words[0]
    control = controls.get(name)
    if control is None:
        return Err(f"there is no order '{name}'; there are {', '.join(controls)}, quit")
    if len(words) > 1 and not control.words:
        return Err(f"{control.name} takes no arguments")
    try:
        control.order(editor, *line.split(None, control.words)[1:])
    except WrongOrder as why:
        return Err(str(why))
    return Ok(None)


def help_text(controls: Controls = CONTROLS) -> str:
    width = max(len(control.usage) for control in controls.values())
    lines = [f"  {control.usage:<{width}}  {control.does}" for control in controls.values()]
    return "\n".join(["orders:", *lines, f"  {'quit':<{width}}  close the editor"])
