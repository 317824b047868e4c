"""The words between an owner and those attached: pieces, and outcomes there and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.attach.protocol import Reassembly, encode, longest, outcome_fields, outcome_of
from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Failure
from unity_bridge.config import SETTINGS

READ = CATALOGUE["read_console"]


def sent(fields: Any) -> Any:
    """What arrives of ``fields`` after a trip over the wire."""
    reassembly = Reassembly()
    reassembly.trust()
    taken: Any = None
    for piece in encode("ended", id="1", **fields):
        taken = reassembly.take(piece)
        assert isinstance(taken, Ok)
    return taken.value


@pytest.mark.slow
@given(st.text(max_size=50), st.integers(0, 3))
def test_a_message_comes_back_as_it_was_however_long(text: str, half_mebibytes: int) -> None:
    message = text + "x" * (half_mebibytes * 512 * 1024)
    assert sent({"text": message}) == {"type": "ended", "id": "1", "text": message}


def test_a_long_message_goes_in_pieces_that_a_listener_lets_through() -> None:
    pieces = encode("ended", result={"text": "ü" * 400_000})
    assert len(pieces) > 1
    assert all(len(piece.encode()) <= SETTINGS["max_message_bytes"].minimum for piece in pieces)


@pytest.mark.parametrize(
    "text", ["", "x", ".nonsense", ".[]", '.{"type": 5}', ".{}", "." + "[" * 100_000]
)
def test_an_invalid_message_is_an_error(text: str) -> None:
    assert isinstance(Reassembly().take(text), Err)


@pytest.mark.parametrize("is_trusted, pieces", [(False, 1), (True, 200)])
def test_pieces_without_an_end_are_not_collected_for_ever(is_trusted: bool, pieces: int) -> None:
    reassembly = Reassembly()
    if is_trusted:
        reassembly.trust()
    for _ in range(pieces):
        if isinstance(reassembly.take("+" + "x" * 500_000), Err):
            return
    raise AssertionError("all of it was taken in")


@pytest.mark.parametrize("unit", ['"é"', "1e15", "-1e15", "1e-5", '"𝄞"', '"\\u0001"', "[]"])
def test_no_answer_of_unity_is_longer_than_the_longest(unit: str) -> None:
    bytes_from_unity = 100_000
    text = "[" + ",".join([unit] * (bytes_from_unity // (len(unit.encode()) + 1))) + "]"
    pieces = encode("ended", id="1", result={"entries": json.loads(text)})
    assert sum(map(len, pieces)) <= longest(bytes_from_unity)


@pytest.mark.slow
def test_the_longest_answer_that_can_be_configured_arrives() -> None:
    largest = int(SETTINGS["max_message_bytes"].maximum)
    result = {"text": "x" * (longest(largest) - 2000)}
    assert sent({"result": result})["result"] == result


def test_a_result_arrives() -> None:
    outcome = Ok({"entries": [], "count": 0})
    assert outcome_of(sent(outcome_fields(outcome)), READ) == outcome


def test_a_failure_arrives_with_every_field_of_the_error() -> None:
    error = ToolError(
        ErrorCode.UNITY_EXECUTION, "no", {"a": 1}, known_guarantee=Guarantee.NOT_EXECUTED
    )
    failure = Failure(error, "req-owner-1", READ)
    arrived = outcome_of(sent(outcome_fields(Err(failure))), READ)
    assert isinstance(arrived, Err)
    assert arrived.error.as_json() == failure.as_json()


@pytest.mark.parametrize("error", [None, 5, {}, {"code": "ERR_NEW"}, {"code": "ERR_QUEUE_FULL"}])
def test_an_answer_that_cannot_be_read_is_an_unknown_end(error: Any) -> None:
    arrived = outcome_of(json.loads(json.dumps({"type": "ended", "error": error})), READ)
    assert isinstance(arrived, Err)
    assert arrived.error.code is ErrorCode.INVALID_RESPONSE
    assert arrived.error.error.guarantee is Guarantee.UNKNOWN
