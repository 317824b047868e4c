"""``unity-bridge console``: Show the Unity console, or follow it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import click

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE, read_console
from unity_bridge.catalogue.calls import Failure
from unity_bridge.commands.shared.envelope import envelope
from unity_bridge.commands.shared.error_lines import first_useful_place
from unity_bridge.commands.shared.options import flag, prints_json
from unity_bridge.commands.shared.tool_command import option_of, read_command
from unity_bridge.scripting.output import begin_stream, is_reader_gone, note, put, put_json
from unity_bridge.text.foreign_text import as_json, visible, visible_line
from unity_bridge.text.json_types import JsonObject

if TYPE_CHECKING:
    from unity_bridge.commands.shared.editor_probe import Ask, Reading
    from unity_bridge.scripting.command_bridge import CommandBridge

_TOOL = "read_console"
_MOST_ENTRIES: int = CATALOGUE[_TOOL].input_schema["properties"]["max_entries"]["maximum"]
_EXAMPLE = "Example: unity-bridge console --follow --type error --type exception"
_JSON_HELP = "{ok, result | error}. With --follow: one object for each entry."

_FOLLOW_S = 1.0
_COLOURS = {"warning": "yellow", "error": "red", "assert": "red", "exception": "red"}
_HAVE_A_PLACE = ("warning", "error", "assert", "exception")


_GAP = "-- entries are missing here: the console was cleared, or its limit was exceeded --"
_RESTARTED = "-- the editor was restarted: all its new entries follow --"


class _Shown(NamedTuple):
    """The exit status, and the cursor behind the last entry that was shown."""

    status: int
    cursor: Optional[str] = None


@read_command("console", _TOOL, _EXAMPLE, json_help=_JSON_HELP)
@flag("-f", "--follow", help="Keep printing new entries; Ctrl-C ends it.")
@option_of(_TOOL, "types", "--type", help="Only entries of this type; may be repeated.")
@option_of(_TOOL, "contains")
@option_of(_TOOL, "max_entries", "-n", help="How many of the newest entries.")
@option_of(
    _TOOL, "since", metavar="CURSOR", help="Only entries after this cursor of an earlier answer."
)
@flag("--new", "is_new", help="Only entries after the last --new in this project.")
@flag("--stack", "with_stack", help="Print whole stack traces.")
def command(follow: bool, is_new: bool, with_stack: bool, **options: Any) -> Reading:
    """Show the newest entries of the Unity console, oldest first, compile errors included.

    --follow survives compiles, reloads and an editor that is closed and opened again.

    --new shows what was logged since the last --new in this project. The first one shows everything. `console --clear`
    clears the console, as `run clear_console` does.
    """
    if is_new and options["since"] is not None:
        raise click.UsageError("--new and --since exclude each other")
    # The stack says where an entry came from, also where it is not shown.
    which = {
        **{name: value for name, value in options.items() if value not in (None, [])},
        "include_stack_trace": True,
    }

    def read(ask: Ask, life: CommandBridge, editor: JsonObject) -> int:
        if is_new:
            from unity_bridge.commands.shared.console_mark import mark, marked
        cursor = marked(editor) if is_new else None
        if cursor is not None:
            which["since"] = cursor
        count = _show(ask, life, which, with_stack, follow, is_new)
        problem = mark(editor, count.cursor) if is_new and count.cursor is not None else None
        if problem is not None:
            note(
                f"The position was not saved, so the next --new shows these entries again: {problem}."
            )
        return count.status

    return read


def _show(
    ask: Ask, life: CommandBridge, which: JsonObject, with_stack: bool, follow: bool, is_new: bool
) -> _Shown:
    answer = read_console.as_shown(which, ask(which))
    cursor = answer.get("next_cursor")
    if prints_json() and not follow:
        put_json(envelope(True, answer))
        return _Shown(0, cursor)
    shown_count, matched = (
        sum(entry.get("repeated", 1) for entry in answer["entries"]),
        answer["count"],
    )
    if answer.get("restarted"):
        note(_RESTARTED)
    elif "since" in which and answer["truncated"] and shown_count >= matched:
        note(_GAP)
    if prints_json():
        begin_stream()
    if not _put_entries(answer, with_stack):
        return _Shown(0)
    if follow:
        return _Shown(_follow(life, which, with_stack, cursor))
    if not matched:
        sentence = "No entries."
        if "since" in which:
            sentence = "No new entries."
        note(sentence)
    elif shown_count < matched:
        note(f"The newest {shown_count} of {matched} entries; -n shows more.")
    if cursor is not None and "since" in which and not is_new:
        note(f"To continue after these entries: --since {visible_line(cursor)}")
    return _Shown(0, cursor)


def _follow(life: CommandBridge, which: JsonObject, with_stack: bool, cursor: Optional[str]) -> int:
    """Ask for newer entries, once a second, until the reader of stdout is gone or the user stops."""
    is_away = False
    while cursor is not None:
        life.pause(_FOLLOW_S)
        if is_reader_gone():
            return 0
        newer = life.call(_TOOL, {**which, "since": cursor, "max_entries": _MOST_ENTRIES})
        outcome = life.ask(newer)
        if isinstance(outcome, Err):
            if not _will_pass(outcome.error):
                note(outcome.error.error.message)
                return 1
            if not is_away:
                note(
                    "-- Unity does not answer (it compiles, reloads or was closed); waiting for it --"
                )
            is_away = True
            continue
        if is_away:
            note("-- Unity is back --")
        is_away = False
        if outcome.value["truncated"]:
            sentence = _GAP
            if outcome.value.get("restarted"):
                sentence = _RESTARTED
            note(sentence)
        if not _put_entries(read_console.as_shown(which, outcome.value), with_stack):
            return 0
        cursor = outcome.value.get("next_cursor")
    note(
        "The plugin in this editor is too old for --follow. Update it with `unity-bridge plugin update`."
    )
    return 1


def _will_pass(failure: Failure) -> bool:
    """Return whether the error may be temporary.

    A closed editor may be opened again while the user watches.
    """
    return failure.code is ErrorCode.EDITOR_NOT_READY or bool(failure.as_json()["retryable"])


def _put_entries(answer: JsonObject, with_stack: bool) -> bool:
    """Print the entries. Return False once nobody reads them."""
    return all(put(_shown(entry, with_stack)) for entry in answer["entries"])


def _shown(entry: JsonObject, with_stack: bool) -> str:
    if prints_json():
        return as_json(entry)
    kind = entry["type"]
    lines = visible(entry["message"]).rstrip("\n").split("\n")
    if entry.get("repeated", 1) > 1:
        lines[0] += f"  ({entry['repeated']} times)"
    head = f"{_time(entry.get('timestamp'))}{kind:<9} "
    indent = "\n" + " " * len(head)
    styled = click.style(head + indent.join(lines), fg=_COLOURS.get(kind))
    stack = entry.get("stack_trace") or ""
    if with_stack:
        return styled + "".join(
            indent + click.style(visible(line), dim=True) for line in stack.rstrip().splitlines()
        )
    place = first_useful_place(stack) if kind in _HAVE_A_PLACE else None
    if place is None:
        return styled
    return styled + indent + click.style(f"at {visible_line(str(place))}", dim=True)


def _time(stamp: Any) -> str:
    """Return ``14:03:59 `` in the local time zone, or nothing if the plugin reports no time."""
    try:
        # Fractions may have any number of digits, more than Python reads.
        return (
            datetime.fromisoformat(f"{str(stamp)[:19]}.000+00:00")
            .astimezone()
            .strftime("%H:%M:%S ")
        )
    except (ValueError, OSError, OverflowError):  # OSError: years that Windows cannot convert
        return ""
