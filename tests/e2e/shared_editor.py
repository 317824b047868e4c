"""One editor and its server for many tests: a start costs a second of the processor, as much as
most tests together.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from tests.leaks import Here, left_since
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

QUIRKS = ("drop", "on-error", "prebuild 60000", "entering 3", "tests-end")
# A command, leaving play mode, the event after it, and an update that sees all of it.
UPDATES_UNTIL_EDIT_MODE = 4


class SharedEditor:
    """Each test begins with ``reset``. A test ends the jobs that it begins, and the reloads that it
    causes.
    """

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor, profile: str) -> None:
        self.server, self.editor, self.profile = server, editor, profile

    @classmethod
    @contextmanager
    def started(cls, profile: str = "1.4.6") -> Iterator[SharedEditor]:
        """Each reload leaves another connection to the next test, but the file as a whole leaves
        nothing.
        """
        before = Here.now()
        with ScriptedServer() as server, HeadlessEditor(server.port, profile) as editor:
            server.ready_session()
            yield cls(server, editor, profile)
        assert left_since(before) == []

    def reset(self) -> None:
        """As in a project without tests and scenes. Only what ran before is still known."""
        self.editor.arrange(
            "forget-tests",
            "save-scenes",
            "enter-play-with-reload",
            *(f"no-quirk {quirk}" for quirk in QUIRKS),
            "play off",
        )
        for _ in range(UPDATES_UNTIL_EDIT_MODE):
            self.editor.wait_until_idle()
        self.session().forget()
        self.editor.forget_history()

    def session(self) -> Session:
        """The one that is open."""
        return self.server.open_session()
