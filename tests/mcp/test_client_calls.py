"""``ClientCalls``: the time that is left to a call which waited before the bridge was there."""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from tests.mcp.fake_call_service import FakeCallService
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.client_calls import ClientCalls


@pytest.fixture
def service() -> Iterator[FakeCallService]:
    service = FakeCallService()
    yield service
    service.close()


@pytest.mark.parametrize(
    "tool, arguments, wait_ms, timeout_ms",
    [
        ("compile", {"wait_ms": 30_000}, 10_000, None),
        ("compile", {"wait_ms": 5_000}, 0, None),
        ("compile", {"timeout_ms": 60_000}, 30_000, 60_000),  # which bounds the job
        ("read_console", {"timeout_ms": 25_000}, 0, 5_000),
        ("read_console", {}, 0, 10_000),  # the default counts from the moment it is sent
    ],
)
def test_a_call_that_has_waited_20_s_has_the_rest_of_its_own_time(
    service: FakeCallService,
    tool: str,
    arguments: Dict[str, Any],
    wait_ms: int,
    timeout_ms: Any,
) -> None:
    calls = ClientCalls(service, RequestValidator(), Logger("test"))
    params = {"name": tool, "arguments": arguments}
    calls.begin(params, lambda ended: None, waited_ms=20_000)
    (call,) = service.calls
    assert call.wait_ms == wait_ms
    if timeout_ms is not None:
        assert call.timeout_ms == timeout_ms
