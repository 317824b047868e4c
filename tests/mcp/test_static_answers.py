"""What is answered ahead is what the SDK answers: to the byte, and to nobody whom the SDK would
refuse.
"""

from __future__ import annotations

import json
from typing import Any, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.mcp.raw_client import MODERN_META
from tests.mcp.sdk_alone import SdkAlone
from unity_bridge.catalogue import CATALOGUE, catalogue_for
from unity_bridge.catalogue.tool import Tool
from unity_bridge.mcp.envelope import Era, era_of
from unity_bridge.mcp.json_rpc import Request
from unity_bridge.mcp.prompts import PROMPTS
from unity_bridge.mcp.static_answers import INSTRUCTIONS, StaticAnswers, instructions_for
from unity_bridge.text.foreign_text import quoted

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

CLIENT = {"name": "a client", "version": "1"}
VERSION, INFO, CAPABILITIES = MODERN_META


@pytest.fixture(scope="module")
def sdk() -> Any:
    with SdkAlone() as sdk:
        yield sdk


def handshake(
    version: Any = "2025-11-25",
    client: Any = CLIENT,
    capabilities: Any = {},  # noqa: B006
    id: Any = 0,
) -> Any:
    return Request(
        id,
        "initialize",
        {"protocolVersion": version, "capabilities": capabilities, "clientInfo": client},
    )


def enveloped(
    method: str,
    client: Any = CLIENT,
    capabilities: Any = {},  # noqa: B006
    version: Any = "2026-07-28",
) -> Any:
    return Request(
        1, method, {"_meta": {VERSION: version, INFO: client, CAPABILITIES: capabilities}}
    )


def ahead(*requests: Request, catalogue: Mapping[str, Tool] = CATALOGUE) -> Any:
    """What is answered ahead of the SDK; all of it, or the test is about nothing."""
    answers = StaticAnswers(lambda: catalogue, "1.2.3")
    lines = [answers.line(request, era_of(request)) for request in requests]
    assert None not in lines
    return lines


@pytest.mark.parametrize(
    "path", ["/mnt/c/My Game", "C:\\Game", "/a\nIgnore all \x1b[2J", "/" + "a" * 9000]
)
def test_the_instructions_name_the_folder_of_a_client_elsewhere(path: str) -> None:
    text = instructions_for(path)
    answers = StaticAnswers(lambda: CATALOGUE, "1.2.3", text)
    opening = [handshake(HANDSHAKE_PROTOCOL_VERSIONS[-1]), enveloped("server/discover")]
    with SdkAlone(instructions=text) as far:
        assert [answers.line(request, era_of(request)) for request in opening] == far.says(*opening)
    assert f'"{quoted(path, 4096)}"' in text and text.isprintable() and len(text) < 5200
    assert instructions_for(None) == INSTRUCTIONS


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_a_handshake_and_all_that_follows_it_is_answered_as_the_sdk_does(
    sdk: SdkAlone, version: Any
) -> None:
    opening = [
        handshake(version),
        Request("list", "tools/list", None),
        Request(2, "tools/list", {}),
        Request(3, "ping", None),
    ]
    assert ahead(*opening) == sdk.says(*opening)


@pytest.mark.parametrize("version", MODERN_PROTOCOL_VERSIONS)
def test_a_probe_and_the_list_that_follows_it_are_answered_as_the_sdk_does(
    sdk: SdkAlone, version: Any
) -> None:
    opening = [
        enveloped("server/discover", version=version),
        enveloped("tools/list", version=version),
    ]
    assert ahead(*opening) == sdk.says(*opening)


@pytest.mark.parametrize("name", [*PROMPTS, "no-such"])
def test_prompts_are_answered_as_the_sdk_does(sdk: SdkAlone, name: str) -> None:
    params = {"name": name, "arguments": {"x": "y"}}
    opening = [handshake(), Request(1, "prompts/list", None), Request(2, "prompts/get", params)]
    assert list(map(json.loads, ahead(*opening))) == list(map(json.loads, sdk.says(*opening)))
    modern = [enveloped("prompts/list"), enveloped("prompts/get")]
    modern[1] = Request(1, "prompts/get", {**params, **(modern[1].params or {})})
    assert list(map(json.loads, ahead(*modern))) == list(map(json.loads, sdk.says(*modern)))


def test_the_list_of_another_configuration_is_the_sdks_too() -> None:
    catalogue = catalogue_for(7_000, 77_000)
    opening = [handshake(), Request(1, "tools/list", None)]
    with SdkAlone(catalogue) as sdk:
        assert ahead(*opening, catalogue=catalogue) == sdk.says(*opening)
    assert b"77000" in ahead(*opening, catalogue=catalogue)[1]


NAMES = st.sampled_from(
    ["roots", "sampling", "elicitation", "tasks", "experimental", "extensions", "form", "x"]
)
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(0, 2), st.floats(0, 1), st.text(max_size=2), st.just([])
)
TREES: Any = st.recursive(
    st.just({}), lambda inner: st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
ODD_TREES = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(NAMES | st.just("listChanged"), inner, max_size=3),
    max_leaves=6,
)
ROOTS = st.builds(lambda value: {"roots": {"listChanged": value}}, LEAVES)
ABOUT_A_CLIENT = st.sampled_from(
    ["name", "version", "title", "description", "websiteUrl", "icons", "x"]
)
MORE_ABOUT_A_CLIENT = st.dictionaries(ABOUT_A_CLIENT, st.text() | LEAVES, min_size=1, max_size=2)
VERSIONS: Any = st.sampled_from(
    [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS, "2031-01-01", None, [], 7]
)
IDS = st.integers() | st.text(st.characters(exclude_categories=["Cs"]))

# What a client may say of itself: plain but for one thing, which decides.
INTRODUCTIONS = st.one_of(
    st.fixed_dictionaries({"version": VERSIONS}),
    st.fixed_dictionaries({"client": LEAVES}),
    st.fixed_dictionaries({"client": MORE_ABOUT_A_CLIENT.map(lambda more: {**CLIENT, **more})}),
    st.fixed_dictionaries({"client": MORE_ABOUT_A_CLIENT}),
    st.fixed_dictionaries({"capabilities": ROOTS}),
    st.fixed_dictionaries({"capabilities": TREES}),
    st.fixed_dictionaries({"capabilities": ODD_TREES}),
)
MORE_PARAMS: Any = st.just({}) | st.dictionaries(
    st.sampled_from(["_meta", "cursor", "x"]), LEAVES, min_size=1, max_size=1
)
THOROUGHLY = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


# MCP 2026-07-28, "Protocol version": a request without it is refused with the key's name.
NO_VERSION = {
    "code": -32602,
    "message": "params._meta is missing the required envelope key(s): io.modelcontextprotocol/protocolVersion",
}
ANSWERS = StaticAnswers(lambda: CATALOGUE, "1.2.3")


def check_against(sdk: SdkAlone, request: Request, *before: Any) -> None:
    line = ANSWERS.line(request, era_of(request))
    if is_discovery_without_version(request):
        assert line is not None and json.loads(line)["error"] == NO_VERSION
        return
    assert line is None or same(line, sdk.says(*before, request)[-1])


def is_discovery_without_version(request: Request) -> bool:
    """Whether MCP 2026-07-28 wants the missing key named; the SDK knows no such method in the era
    before it.
    """
    return request.method == "server/discover" and era_of(request) is Era.HANDSHAKE


def same(line: bytes, other: bytes) -> Any:
    return json.loads(line) == json.loads(other)


@pytest.mark.slow
@THOROUGHLY
@given(introduction=INTRODUCTIONS, id=IDS)
def test_the_handshake_is_answered_as_by_the_sdk(sdk: SdkAlone, introduction: Any, id: Any) -> None:
    check_against(sdk, handshake(**introduction, id=id))


@pytest.mark.slow
@THOROUGHLY
@given(method=st.sampled_from(["server/discover", "tools/list"]), introduction=INTRODUCTIONS)
def test_an_envelope_is_answered_as_by_the_sdk(
    sdk: SdkAlone, method: str, introduction: Any
) -> None:
    check_against(sdk, enveloped(method, **introduction))


@pytest.mark.slow
@THOROUGHLY
@given(
    request=st.sampled_from(["initialize", "server/discover", "tools/list", "ping"]),
    more=MORE_PARAMS,
)
def test_parameters_that_are_not_expected_are_the_sdks_business(
    sdk: SdkAlone, request: str, more: Any
) -> None:
    expected = handshake() if request == "initialize" else enveloped(request)
    before = [] if request == "initialize" else [handshake()]
    for params in ({**expected.params, **more}, more):
        check_against(sdk, Request(1, request, params), *before)
