"""What real clients open with, and spoilt versions of it: the endpoint says what the SDK would say,
to each message.

``openings/`` holds what each client said to the server, line by line: the Python SDK's client in its three modes, the
TypeScript SDK's, the inspector in each era; sessions of Claude Code 2.1.330, Codex 0.169.0, Copilot CLI 1.0.102 and
OpenCode 1.18.33 with a stand-in for their model; the checks of servers by Gemini CLI 0.61.0 and Claude Code 2.1.197.
"""

from __future__ import annotations

import json
import random
import re
from copy import deepcopy
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.mcp.conftest import ServedEndpoint
from tests.mcp.sdk_alone import SdkAlone
from tests.mcp.test_static_answers import is_discovery_without_version
from unity_bridge.mcp.json_rpc import Incoming, Notification, Request, read_line
from unity_bridge.version import __version__

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

OPENINGS = sorted((Path(__file__).parent / "openings").glob("*.jsonl"))
CALLING = [opening for opening in OPENINGS if b'"tools/call"' in opening.read_bytes()]
SPOILT_OF_EACH = 8
# Known to the SDK alone: requests of a client that offers to receive notifications.
ONLY_THE_SDK = {"resources/list"}
# Their results have no structured copy (SPEC §8.2), which the SDK alone would send.
TEXT_ONLY = {"claude-code", "codex", "copilot"}


@pytest.fixture(scope="module")
def sdk() -> Iterator[SdkAlone]:
    with SdkAlone(version=__version__) as sdk:
        yield sdk


def said_in(opening: Path) -> List[bytes]:
    return opening.read_bytes().splitlines()


def requests_in(lines: List[bytes]) -> List[Request]:
    messages = [read_line(line) for line in lines]
    return [message for message in messages if isinstance(message, Request)]


def line_of(message: Incoming) -> bytes:
    assert isinstance(message, Request)
    params = {} if message.params is None else {"params": message.params}
    return json.dumps(
        {"jsonrpc": "2.0", "id": message.id, "method": message.method, **params}
    ).encode()


def heard_by_a_client(requests: List[Request]) -> Tuple[List[Dict[str, Any]], bool]:
    """The endpoint's answer to each, and whether it needed the SDK."""
    served = ServedEndpoint().loads()
    client = served.client.listens()
    served.starts()
    try:
        answers = []
        for request in requests:
            client.says(line_of(request) + b"\n")
            answer = client.hears()
            while "method" in answer:  # progress
                answer = client.hears()
            answers.append(answer)
        fallback = served.endpoint._sdk
        return answers, fallback is not None and fallback.has_loaded
    finally:
        served.closes()


def heard_of_the_sdk(sdk: SdkAlone, requests: List[Request]) -> List[Dict[str, Any]]:
    answers = [json.loads(line) for line in sdk.says(*requests)]
    return [answer for answer in answers if "method" not in answer]


def as_compared(answers: List[Dict[str, Any]]) -> Any:
    """Without the names of single requests, of which no two are alike, and without structured
    copies of results.
    """
    shown = json.loads(re.sub(r"req-[0-9a-f]{8}-\d+|req-\d+", "req", json.dumps(answers)))
    for result in results_in(shown):
        result.pop("structuredContent", None)
    return shown


def results_in(answers: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Those of calls that did not fail."""
    return [one["result"] for one in answers if one.get("result", {}).get("isError") is False]


@pytest.mark.parametrize("opening", OPENINGS, ids=lambda path: path.stem)
def test_a_real_client_hears_what_the_sdk_would_say_and_needs_it_for_nothing(
    sdk: SdkAlone, opening: Path
) -> None:
    requests = requests_in(said_in(opening))
    answers, _ = heard_by_a_client(requests)
    assert as_compared(answers) == as_compared(heard_of_the_sdk(sdk, requests))
    _, has_loaded = heard_by_a_client(
        [request for request in requests if request.method not in ONLY_THE_SDK]
    )
    assert not has_loaded


@pytest.mark.parametrize("opening", CALLING, ids=lambda path: path.stem)
def test_a_client_whose_model_would_get_the_structure_gets_only_the_text(opening: Path) -> None:
    answers, _ = heard_by_a_client(requests_in(said_in(opening)))
    has_structure = {"structuredContent" in result for result in results_in(answers)}
    assert has_structure == {opening.stem not in TEXT_ONLY}


@pytest.mark.slow
@pytest.mark.parametrize("opening", OPENINGS, ids=lambda path: path.stem)
def test_a_client_that_says_it_wrong_hears_what_the_sdk_would_say(
    sdk: SdkAlone, opening: Path
) -> None:
    chance = random.Random(opening.stem)
    requests = requests_in(said_in(opening))
    for place, request in enumerate(requests):
        before = requests[:place][:1]  # the handshake, where there is one
        for _ in range(SPOILT_OF_EACH):
            spoilt = spoilt_request(request, chance)
            if spoilt is None or has_token_of_null(spoilt) or is_discovery_without_version(spoilt):
                continue
            conversation = [*before, spoilt]
            answers, _ = heard_by_a_client(conversation)
            assert as_compared(answers) == as_compared(heard_of_the_sdk(sdk, conversation)), spoilt


def test_a_null_token_counts_as_absent_though_the_sdk_refuses_it(sdk: SdkAlone) -> None:
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    call = Request(2, "tools/call", {"name": "get_editor_state", "_meta": {"progressToken": None}})
    conversation = [Request(1, "initialize", hello), call]
    assert "error" in heard_of_the_sdk(sdk, conversation)[1]
    assert heard_by_a_client(conversation)[0][1]["result"]["isError"] is False


# --- saying it wrong ---

ODD: List[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    [],
    {},
    [{}],
    {"x": {}},
    {"listChanged": True},
    "2025-06-18",
]
ODD_NAMES = [
    "_meta",
    "cursor",
    "x",
    "task",
    "progressToken",
    "roots",
    "icons",
    "title",
    "arguments",
    "protocolVersion",
]


def spoilt_request(request: Request, chance: random.Random) -> Any:
    """The request with one thing wrong in it; ``None`` if that makes it no request at all."""
    message: Dict[str, Any] = json.loads(line_of(request))
    if chance.random() < 0.1:
        message["method"] = chance.choice(
            ["no/such", "tools/call", "initialize", "logging/setLevel", "tools/lists"]
        )
    else:
        spoil(message.setdefault("params", {}), chance)
    read = read_line(json.dumps(message).encode())
    return read if isinstance(read, Request) and not isinstance(read, Notification) else None


def spoil(params: Dict[str, Any], chance: random.Random) -> None:
    objects = [value for value in walked(params) if isinstance(value, dict)]
    target = chance.choice(objects)
    name = chance.choice([*target, *target, *ODD_NAMES])
    if name in target and chance.random() < 0.4:
        del target[name]
    else:
        target[name] = deepcopy(chance.choice(ODD))


def walked(value: Any) -> Iterator[Any]:
    yield value
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from walked(inner)


def has_token_of_null(request: Request) -> bool:
    meta = (request.params or {}).get("_meta")
    return isinstance(meta, dict) and meta.get("progressToken", 0) is None
