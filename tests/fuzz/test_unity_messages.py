"""Thousands of spoilt messages: none breaks the server, and good ones are still served."""

from __future__ import annotations

import json
import random
from typing import Any, Dict, List

import pytest

from tests.fakes import InMemoryBridge
from tests.fuzz.mutations import spoilt
from tests.goldens import goldens
from tests.model.promises import BUGS
from tests.tool_results import CONSOLE
from unity_bridge.base.result import Err, Ok
from unity_bridge.unity import messages

TEXTS = 4000
SESSIONS = 15
MESSAGES = 40


GOOD: List[Dict[str, Any]] = [
    json.loads(golden.text) for golden in goldens() if golden.accepted is not None
]


def good_messages(request_id: str, job_id: str) -> List[Dict[str, Any]]:
    """Every golden that is accepted, about this request and this job."""
    ids = {"request_id": request_id, "job_id": job_id}
    return [
        {**message, **{name: id for name, id in ids.items() if name in message}} for message in GOOD
    ]


def test_any_text_is_a_message_or_a_fault() -> None:
    chance = random.Random(1)
    kinds = {Ok: 0, Err: 0}
    for _ in range(TEXTS):
        text = spoilt(chance.choice(good_messages("req-1", "job-1")), chance).decode(
            "utf-8", "replace"
        )
        decoded = messages.decode(text)
        kinds[type(decoded)] += 1
        if isinstance(decoded, Ok):
            again = messages.decode(messages.encode(decoded.value))
            assert isinstance(again, Ok), text
    assert min(kinds.values()) > TEXTS / 20, "nearly all texts were of one kind"


@pytest.mark.parametrize("seed", range(4))
def test_no_editor_breaks_the_server_with_its_messages(bridge: InMemoryBridge, seed: int) -> None:
    chance = random.Random(seed)
    BUGS.logged.clear()
    for number in range(SESSIONS):
        editor = bridge.another_editor(f"editor-{number}")
        editor.connects()
        calls = [
            bridge.agent.calls("read_console", timeout_ms=1000),
            bridge.agent.calls("run_tests"),
        ]
        for _ in range(MESSAGES):
            if editor.peer is None or not editor.peer.is_open:
                break
            said = [message for message in editor.peer.said if "request_id" in message]
            request_id = chance.choice([m["request_id"] for m in said] or ["req-none"])
            job_id = chance.choice([m["job_id"] for m in said if "job_id" in m] or ["job-none"])
            text = spoilt(chance.choice(good_messages(request_id, job_id)), chance)
            editor.says_text(text.decode("utf-8", "replace"))
            bridge.advance(chance.choice([0, 0, 0.1]))
        editor.vanishes()
        bridge.advance(61)
        assert all(call.is_answered for call in calls)
        assert not BUGS.logged
    jobs = bridge.stores.jobs.all()
    assert all(bridge.stores.jobs.has_ended(job) for job in jobs)
    assert len(bridge.stores.sessions.all()) == 0
    bridge.editor.connects()
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    assert call.answer["count"] == 0


def test_the_server_answers_with_valid_messages(bridge: InMemoryBridge) -> None:
    chance = random.Random(9)
    bridge.editor.connects()
    for _ in range(500):
        assert bridge.editor.peer is not None
        if not bridge.editor.peer.is_open:
            bridge.editor.vanishes().connects()
        bridge.editor.says_text(
            spoilt(chance.choice(good_messages("r", "j")), chance).decode("utf-8", "replace")
        )
    assert bridge.editor.peer is not None
    for message in bridge.editor.peer.said:
        assert isinstance(messages.decode(json.dumps(message)), Ok), message
