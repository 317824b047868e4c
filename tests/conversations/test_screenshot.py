"""SPEC §16.3, as the server sees it: a picture is passed on only if it is one."""

from __future__ import annotations

import base64
from typing import Any, Dict

import pytest

from tests.fakes import InMemoryBridge

JPG = base64.b64encode(b"\xff\xd8\xff\xe0 a picture").decode()
SHOT: Dict[str, Any] = {
    "image": JPG,
    "format": "jpg",
    "width": 1024,
    "height": 576,
    "view": "game",
    "playing": True,
    "frame": 12,
    "fresh": True,
    "uniform": False,
}


@pytest.fixture
def bridge(bridge: InMemoryBridge) -> InMemoryBridge:
    bridge.editor.connects()
    return bridge


def test_a_picture_is_answered_as_it_is(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("screenshot", view="scene")
    sent = bridge.editor.last("execute")
    assert (sent["tool_name"], sent["timeout_ms"]) == ("screenshot", 10_000)
    assert sent["params"] == {"view": "scene", "max_size": 1024, "format": "jpg"}
    bridge.editor.answers(SHOT)
    assert call.answer == SHOT


@pytest.mark.parametrize(
    "image, complaint",
    [
        ("/9j/" + "A" * 700_000, "more than a client takes"),
        ("not base64!", "no base64"),
        ("häßlich", "no base64"),
        (base64.b64encode(b"GIF89a").decode(), "no jpg"),
    ],
)
def test_what_is_no_picture_does_not_reach_the_client(bridge: InMemoryBridge, image: str, complaint: str) -> None:
    call = bridge.agent.calls("screenshot")
    bridge.editor.answers({**SHOT, "image": image})
    assert call.code == "ERR_INVALID_RESPONSE"
    assert complaint in str(call.error)


def test_a_plugin_may_answer_with_the_other_format(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("screenshot", format="jpg")
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n...").decode()
    bridge.editor.answers({**SHOT, "format": "png", "image": png})
    assert call.answer["format"] == "png"


def test_without_a_view_the_client_is_told_what_to_open(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("screenshot")
    details = {"reason": "no_view", "execution_guarantee": "not_executed"}
    bridge.editor.refuses("execute", "ERR_UNITY_EXECUTION", "Open one with Window > General > Game.")
    assert call.code == "ERR_UNITY_EXECUTION" and "Window > General" in call.error["message"]
    assert details["reason"] == "no_view"


def test_it_waits_for_an_editor_that_reloads(bridge: InMemoryBridge) -> None:
    bridge.editor.reloads()
    call = bridge.agent.calls("screenshot")
    bridge.advance(1)
    bridge.editor.connects()
    bridge.editor.answers(SHOT)
    assert call.answer["frame"] == 12
