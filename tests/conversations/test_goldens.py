"""The wire's goldens, said to the server by a plugin in the middle of its session (SPEC §7.7)."""

from __future__ import annotations

from typing import Any, Dict, List

import pytest

from tests.fakes import InMemoryBridge
from tests.goldens import Golden, files, goldens

FROM_A_PLUGIN = {name for name, content in files().items() if "plugin" in content["sender"]}
ACCEPTED = [
    golden for golden in goldens() if golden.accepted is not None and golden.file in FROM_A_PLUGIN
]
# The beginning of a session, and what comes after it.
HELLOS = [
    golden
    for golden in ACCEPTED
    if golden.type == "hello" and "plugin_version" in (golden.accepted or {})
]
LATER = [golden for golden in ACCEPTED if golden.type != "hello"]
# An error is never answered, and a version is lent by the session's hello (SPEC §7.7).
ENVELOPES = [
    golden for golden in goldens() if golden.fault is not None and golden.file == "envelope"
]
REFUSED = [golden for golden in ENVELOPES if "protocol_version" not in golden.name]
FATAL = [golden for golden in ENVELOPES if golden.is_fatal]


def errors(bridge: InMemoryBridge) -> List[Dict[str, Any]]:
    assert bridge.editor.peer is not None
    return [message for message in bridge.editor.peer.said if message["type"] == "error"]


@pytest.mark.parametrize("golden", HELLOS, ids=str)
def test_a_session_begins_with_any_hello_of_a_plugin(
    bridge: InMemoryBridge, golden: Golden
) -> None:
    bridge.editor.opens().says_text(golden.text)
    assert bridge.editor.heard("hello") and bridge.editor.heard("capability") and not errors(bridge)


@pytest.mark.parametrize("golden", LATER, ids=str)
def test_an_accepted_message_is_not_answered_by_an_error(
    bridge: InMemoryBridge, golden: Golden
) -> None:
    bridge.editor.connects().says_text(golden.text)
    assert errors(bridge) == []
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open


@pytest.mark.parametrize("golden", REFUSED, ids=str)
def test_a_refused_message_is_answered_and_the_session_continues(
    bridge: InMemoryBridge, golden: Golden
) -> None:
    bridge.editor.connects().says_text(golden.text)
    (error,) = errors(bridge)
    assert (error["error"]["code"], error.get("request_id")) == (golden.fault, golden.request_id)
    assert bridge.editor.peer is not None and bridge.editor.peer.is_open


@pytest.mark.parametrize("golden", FATAL, ids=str)
def test_another_version_is_answered_and_ends_the_session(
    bridge: InMemoryBridge, golden: Golden
) -> None:
    bridge.editor.connects().says_text(golden.text)
    (error,) = errors(bridge)
    assert (error["error"]["code"], error.get("request_id")) == (golden.fault, golden.request_id)
    assert bridge.editor.peer is not None and not bridge.editor.peer.is_open
