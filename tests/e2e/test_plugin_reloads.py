"""Many compilations, with and without a domain unload: nothing lost, nothing doubled, nothing
untrue.
"""

from __future__ import annotations

import threading
from typing import Iterator, List, Optional

import pytest
from websockets.exceptions import ConnectionClosed

from tests.rounds import rounds
from tests.scripted_server import ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

ROUNDS = rounds(15, 50)


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    return server.ready_session()


class Reader:
    """Asks for the console all the time, from cursor to cursor, over every reload."""

    def __init__(self, server: ScriptedServer) -> None:
        self._server = server
        self._cursor: Optional[str] = None
        self._finished = threading.Event()
        self.seen: List[str] = []
        self._thread = threading.Thread(target=self._follow, name="console-reader")
        self._thread.start()

    def stop(self) -> List[str]:
        self._finished.set()
        self._thread.join()
        self._read()
        return self.seen

    def _follow(self) -> None:
        while not self._finished.wait(0.02):
            self._read()

    def _read(self) -> None:
        since = {"since": self._cursor} if self._cursor else {}
        try:
            page = self._server.latest.read_console(max_entries=2000, types=["log"], **since)
        except (AssertionError, ConnectionClosed, OSError):  # a reload: asked again
            return
        assert page["truncated"] is False
        self._cursor = page["next_cursor"]
        self.seen.extend(entry["message"] for entry in page["entries"])


@pytest.fixture
def reader(server: ScriptedServer, session: Session) -> Iterator[Reader]:
    reader = Reader(server)
    yield reader
    reader.stop()


def test_many_compilations_under_load_report_the_truth(
    server: ScriptedServer, editor: HeadlessEditor, reader: Reader
) -> None:
    editor.arrange("echo off", "compile-ms 30")
    loads = 1
    broken = False
    for number in range(ROUNDS):
        # Changed, broken, broken in another place, undone, changed; with and without a reload.
        kind = ("changed", "broken", "broken", "undone", "changed")[number % 5]
        if kind == "changed":
            content, error = f"round {number}", ""
            loads += 1
        elif kind == "broken":
            error = f"Assets/Broken{number}.cs({number + 1},3): error CS1002: ; expected"
        else:
            error = ""
        editor.arrange(
            *(f"logthread log {number}.{line}" for line in range(5)),
            f"edit Game|{content}|{error}".rstrip("|"),
        )
        assert server.latest.submit(f"job-{number}", tool="compile")["status"] == "accepted"
        status = ended(server, server.latest, f"job-{number}")
        result = status["result"]
        assert status["state"] == ("failed" if kind == "broken" else "succeeded"), status
        assert [found["file"] for found in result["errors"]] == (
            [f"Assets/Broken{number}.cs"] if error else []
        ), result
        assert (result["changed"], result["reloaded"]) == (True, kind == "changed"), result
        broken = kind == "broken"
        errors = server.latest.messages_in_console(types=["error"])
        assert errors == ([error] if broken else []), (number, errors)
    assert editor.history.count("refresh") == ROUNDS
    assert [line for line in editor.history if line.startswith("loaded")][-1] == f"loaded {loads}"
    assert reader.stop() == [f"{number}.{line}" for number in range(ROUNDS) for line in range(5)]
    # Asked again afterwards, each job is still what it was.
    for number in range(ROUNDS):
        assert server.latest.job(f"job-{number}")["state"] in ("succeeded", "failed")
