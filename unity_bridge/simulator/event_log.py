"""What happens in a simulated editor, reported at once: for programs, for people, or kept to wait
on.
"""

from __future__ import annotations

import json
from collections import defaultdict
from threading import Condition, Lock
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, TextIO

from unity_bridge.base.clock import Clock, rfc3339
from unity_bridge.base.frozen import frozen
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonObject

# Every kind, with the sentence for people; those without one are for programs alone. A missing
# value reads as "-".
SENTENCES: Mapping[str, str] = {
    "started": "a pretend project with {tests} tests is open as {project}; no file of a real project is read; "
    "connecting to unity-bridge on port {port}",
    "waiting": "no server on port {port} yet; trying again until there is one",
    "connected": "connected to unity-bridge {server_version} on port {port} (session {session})",
    "capability": "",
    "no_websocket": "another program seems to have port {port}, because the WebSocket handshake failed ({reason}); "
    "trying again until a server has the port",
    "refused": "refused by the server: {reason}",
    "disconnected": "disconnected: {reason}",
    "state": "editor is {state}",
    "exiting": "the editor closes, as it was asked to",
    "play_mode": "playing: {playing}, paused: {paused}",
    "saved": "saved {scenes}",
    "screenshot": "took a picture of the {view} view, frame {frame}",
    "play_mode_requested": "asked Unity to {action} ({job_id})",
    "execute": "asked for {tool_name} ({request_id})",
    "submit": "asked to carry out {tool_name} as {job_id} ({request_id})",
    "job_accepted": "",
    "status_requested": "",
    "cancel": "asked to cancel {job_id}: {status}",
    "call_refused": "refused {request_id}: {code} {message}",
    "stalled": "main thread is stalled",
    "stall_ended": "main thread runs again",
    "job_started": "{tool_name} {job_id} started",
    "command_started": "{name} runs ({job_id})",
    "job_finished": "{tool_name} {job_id} {state}",
    "disk": "",
    "refresh_started": "importing what changed on disk",
    "refresh_ended": "",
    "tests_started": "{total} tests",
    "csharp_started": "{job_id} runs its code",
    "test_finished": "{outcome} {name}",
    "order": "{line}: {answer}",
    "help": "{text}",
    "error_received": "the server answered {code}: {message}",
    "ended": "editor closed",
}


class Emit(Protocol):
    """Reports one event; from any thread."""

    def __call__(self, kind: str, **values: Any) -> None: ...


@frozen
class Event:
    """Something that happened; ``at`` is RFC 3339 UTC."""

    kind: str
    values: JsonObject
    at: str = ""

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


class EventLines:
    """Writes one line an event, if ``line_of`` has one for it. A reader that is gone is no error."""

    def __init__(self, stream: TextIO, line_of: Callable[[str, JsonObject], str]) -> None:
        self._stream = stream
        self._line_of = line_of
        self._lock = Lock()  # keeps a line whole

    def __call__(self, kind: str, **values: Any) -> None:
        line = self._line_of(kind, values)
        if not line:
            return
        with self._lock:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError):  # the reader went away; the editor continues
                pass


def json_lines(stream: TextIO, clock: Clock) -> EventLines:
    """One JSON object a line: ``{"event": kind, "at": ..., ...values}``."""
    return EventLines(
        stream,
        lambda kind, values: json.dumps({"event": kind, "at": rfc3339(clock.utc()), **values}),
    )


def sentences(stream: TextIO) -> EventLines:
    """One sentence a line, for a person at a terminal."""
    return EventLines(stream, _sentence)


def _sentence(kind: str, values: JsonObject) -> str:
    sentence = SENTENCES[kind].format_map(defaultdict(lambda: "-", values))
    return sentence and f"simulated editor: {sentence}"


def parse(line: str) -> Optional[Event]:
    """Return the event of one ``JsonLines`` line; None for anything else."""
    try:
        values = json_reader.loads(line)
    except ValueError:
        return None
    if not isinstance(values, dict) or "event" not in values:
        return None
    kind = values.pop("event")
    return Event(kind, values, values.pop("at", ""))


class EventLog:
    """Everything that happened, in order; a story can wait on it instead of sleeping.

    ``wait_for`` goes forward kind by kind: each call finds the next event of its kind that no earlier call found.
    """

    def __init__(self) -> None:
        self._changed = Condition()  # guards what follows
        self._events: List[Event] = []
        self._found: Dict[str, int] = {}  # kind -> where the search for the next one begins
        self._over = False

    def __call__(self, kind: str, **values: Any) -> None:
        self.append(Event(kind, values))

    def append(self, event: Event) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def end(self) -> None:
        """Nothing more will happen: every wait ends at once."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def wait_for(self, kind: str, timeout: float = 60.0, **values: Any) -> Event:
        """Return the next event of this kind with these values; ``TimeoutError`` says what did
        happen.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._over or self._find(kind, values) is not None, timeout
            )
            index = self._find(kind, values)
            if index is None:
                raise TimeoutError(
                    f"no {kind} {values or ''} in {timeout} s; so far: {self._seen_so_far()}"
                )
            self._found[kind] = index + 1
            return self._events[index]

    def of(self, kind: str) -> List[Event]:
        """Return the ledger of one kind: every event of it, found or not."""
        with self._changed:
            return [event for event in self._events if event.kind == kind]

    def _find(self, kind: str, values: JsonObject) -> Optional[int]:
        for index in range(self._found.get(kind, 0), len(self._events)):
            event = self._events[index]
            if event.kind == kind and all(
                event.values.get(name) == value for name, value in values.items()
            ):
                return index
        return None

    def _seen_so_far(self) -> str:
        return (
            "; ".join(f"{event.kind} {dict(event.values)}" for event in self._events[-20:])
            or "nothing"
        )
