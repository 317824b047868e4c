"""Replays a record of events (SPEC §25.3) in the headless editor: what a real editor did becomes a
test.

The order is kept, and how long each part took: the plugin's clock of updates is moved on by it, and the main thread
stands still as long as the recorded one did. Updates come at the headless editor's own pace.
"""

from __future__ import annotations

from typing import Any, Iterator, List, Sequence

from tests.unity_headless.headless_editor import HeadlessEditor

Event = Sequence[Any]

# The editor's own doing, which follows from the rest, and what only describes.
_FOLLOWS = {
    "recording",
    "updates",
    "quits",
    "delay_call_by_unity",
    "delay_call_by_bridge",
    "delay_call_asked",
}
_FLAGS = {
    "is_compiling": ("compiling true", "compiling false"),
    "is_updating": ("updating true", "updating false"),
    "scripts_broken": ("compilation-failed true", "compilation-failed false"),
    "reload_locked": ("lock-reload on", "lock-reload off"),
    "focus": ("focus on", "focus off"),
    "paused": ("pause on", "pause off"),
}


def kinds(events: Sequence[Event]) -> List[str]:
    """The order of what happened, without what only describes."""
    return [str(event[1]) for event in events if event[1] not in _FOLLOWS]


def commands(events: Sequence[Event]) -> Iterator[str]:
    """The host's commands that do what was recorded."""
    before, enters, began = 0, False, 0
    for event in events:
        at, kind, values = int(event[0]), str(event[1]), [int(value) for value in event[2:]]
        if kind in _FOLLOWS:
            continue
        if at > before:
            yield f"clock {at - before}"
        before = at
        if kind in _FLAGS:
            yield _FLAGS[kind][0 if values[0] else 1]
        elif kind == "stall":
            yield f"stall {values[0]}"
        elif kind == "exiting_edit_mode":
            enters = True
            yield "play on"
        elif kind == "exiting_play_mode":
            yield "play off"
        elif kind in ("entered_play_mode", "entered_edit_mode"):
            enters = False
        elif kind == "reload_begins":
            began = at
        elif kind == "loaded":
            # The reload that belongs to entering play mode comes by itself.
            if not enters:
                yield f"reload {at - began}"
        else:
            yield " ".join(["raise", kind, *map(str, values)])


def replay(editor: HeadlessEditor, events: Sequence[Event]) -> None:
    """Returns when the last event has been replayed, and one update has seen it."""
    for line in commands(events):
        editor.command(line)
        if line in ("play on", "play off"):
            editor.wait_for("play " + line.rpartition(" ")[2] + "$")
        editor.wait_until_idle()
