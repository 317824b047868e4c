"""The simulated editor against the wire's goldens: it understands what a server may say, and says
what a plugin may.
"""

from __future__ import annotations

from typing import Any, Callable

import pytest

from tests.goldens import Golden, accepted, goldens

Open = Callable[..., Any]

SAID_FIRST = [golden for golden in accepted("server") if golden.type == "hello"]
SAID_LATER = [golden for golden in accepted("server") if golden.type != "hello"]
NO_MESSAGES = [
    golden
    for golden in goldens()
    if golden.name in ("no text", "half a message", "an array is no message")
]
(ANOTHER_VERSION,) = (
    golden for golden in goldens() if golden.name == "a later protocol_version ends the session"
)


@pytest.mark.parametrize("golden", SAID_FIRST, ids=str)
def test_it_understands_every_hello_of_a_server(
    server: Any, open_editor: Open, golden: Golden
) -> None:
    editor = open_editor()
    server.session().send_text(golden.text)
    editor.events.wait_for("connected")


def test_it_understands_what_a_server_may_say(server: Any, open_editor: Open) -> None:
    """What it says itself is held against the goldens by every test that hears it
    (``tests.scripted_server``).
    """
    open_editor()
    session = server.session()
    session.accept()
    for golden in SAID_LATER:
        before = len(session.heard("error"))
        session.send_text(golden.text)
        session.send("ping")
        session.hear("pong")
        codes = [message["error"]["code"] for message in session.heard("error")[before:]]
        if golden.peer is None:
            assert "ERR_INVALID_REQUEST" not in codes, f"{golden}: {codes}"
        else:
            assert codes == [golden.peer], str(golden)


@pytest.mark.parametrize("golden", NO_MESSAGES, ids=str)
def test_an_invalid_message_is_refused_and_the_session_continues(
    server: Any, open_editor: Open, golden: Golden
) -> None:
    open_editor()
    session = server.session()
    session.accept()
    session.send_text(golden.text)
    assert session.hear("error")["error"]["code"] == golden.fault
    session.send("ping")
    session.hear("pong")


def test_another_version_of_the_protocol_ends_the_session(server: Any, open_editor: Open) -> None:
    open_editor()
    session = server.session()
    session.accept()
    session.send_text(ANOTHER_VERSION.text)
    assert session.hear("error")["error"]["code"] == ANOTHER_VERSION.fault
    session.wait_closed()
