"""The plugin and the wire's goldens: what is accepted it understands, what is no message it refuses
(SPEC §7).
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Dict, Iterator, List, NamedTuple

import pytest

from tests.goldens import Golden, accepted, goldens
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.result import Ok
from unity_bridge.unity.messages import decode

ASKED = ("execute", "submit_job", "get_job_status", "cancel")
REQUESTS = [golden for golden in accepted("server") if golden.file in ASKED]
ONLY_SENT = [
    golden for golden in accepted("server") if golden.file in ("capability", "error", "hello")
]
ERRORS = [golden for golden in goldens() if golden.file == "error" and golden.fault]
# A message without a version may mean the one of its session (SPEC §7.7).
ENVELOPES = [golden for golden in goldens() if golden.file == "envelope" and golden.fault]
# Where the plugin is more lenient than the server: it reads 64 levels, and 1.0 is an integer to it.
LENIENT = (
    "nesting of 51 levels",
    "a number beyond every range",
    "a protocol_version that is a fraction",
)
NO_MESSAGE = [
    one for one in ENVELOPES if not one.name.startswith((*LENIENT, "no protocol_version"))
]

_NUMBERS = itertools.count(1)


class Connected(NamedTuple):
    """A plugin and the server that it is connected to."""

    editor: HeadlessEditor
    server: ScriptedServer

    @property
    def session(self) -> Session:
        """The plugin connects again after 20 s without a message, which a busy machine may need for
        other tests.
        """
        return self.server.open_session()


@pytest.fixture(scope="module")
def connected() -> Iterator[Connected]:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        server.ready_session()
        yield Connected(editor, server)


def errors_after(session: Session, text: str) -> List[Dict[str, Any]]:
    """The errors that the plugin sends for ``text``: those before the answer to a question asked
    right behind it.
    """
    before = len(session.heard("error"))
    session.send_text(text)
    unknown = session.ask("get_job_status", job_id="nobody's")
    assert unknown["error"]["code"] == "ERR_JOB_NOT_FOUND"
    return session.heard("error")[before:-1]


def is_json(text: str) -> bool:
    def refused(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refused)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_the_plugin_agrees_on_what_is_json(connected: Connected, golden: Golden) -> None:
    assert connected.editor.json(golden.text).startswith("ok ") is is_json(golden.text)


@pytest.mark.parametrize("golden", REQUESTS, ids=str)
def test_the_plugin_understands_every_request(connected: Connected, golden: Golden) -> None:
    id = f"golden-{next(_NUMBERS)}"
    session = connected.session
    session.send_text(json.dumps({**json.loads(golden.text), "request_id": id}))
    answer = session.expect_that(
        lambda heard: heard.get("request_id") == id, f"an answer to {golden}"
    )
    assert isinstance(decode(json.dumps(answer)), Ok)
    is_misunderstood = (
        answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_REQUEST"
    )
    assert is_misunderstood == ("no target" in golden.name), answer


@pytest.mark.parametrize("golden", ONLY_SENT, ids=str)
def test_a_message_that_needs_no_answer_gets_none(connected: Connected, golden: Golden) -> None:
    assert errors_after(connected.session, golden.text) == []


@pytest.mark.parametrize("golden", ERRORS, ids=str)
def test_an_error_is_never_answered_whatever_is_in_it(connected: Connected, golden: Golden) -> None:
    assert errors_after(connected.session, golden.text) == []


@pytest.mark.parametrize("golden", NO_MESSAGE, ids=str)
def test_an_invalid_message_is_refused_with_the_code(connected: Connected, golden: Golden) -> None:
    (error,) = errors_after(connected.session, golden.text)
    assert error["error"]["code"] == golden.fault
    if is_json(golden.text):
        assert error.get("request_id") == golden.request_id
