"""Which peers are accepted, and how the others are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Optional, Union

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unity.raw_websocket import KEY, request
from unity_bridge.base.result import Err, Ok
from unity_bridge.unity.handshake import ProofRequest, Rejection, RequestHead, Upgrade

PORT = 8091
MAX_BYTES = 8192


def verdict_on(
    data: bytes, port: int = PORT, step: int = MAX_BYTES
) -> Optional[Union[Upgrade, ProofRequest, Rejection]]:
    """The verdict on ``data`` arriving in pieces of at most ``step``, as the socket would give
    them.
    """
    head = RequestHead(port, ("/", "/unity"), MAX_BYTES)
    while data:
        size = min(step, head.wanted)
        verdict = head.feed(data[:size])
        data = data[size:]
        if isinstance(verdict, Ok):
            return verdict.value
        if isinstance(verdict, Err):
            return verdict.error
    return None


def status(data: bytes, port: int = PORT) -> int:
    verdict = verdict_on(data, port)
    assert isinstance(verdict, Rejection), verdict
    assert verdict.as_http().startswith(f"HTTP/1.1 {verdict.status} ".encode())
    return verdict.status


# --- accepted


@pytest.mark.parametrize(
    "path, seen", [("/", "/"), ("/unity", "/unity"), ("/unity?id=1&x", "/unity"), ("/?", "/")]
)
def test_a_plugin_may_in(path: str, seen: str) -> None:
    assert verdict_on(request(PORT, path)) == Upgrade(seen, KEY, b"")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_it_may_call_this_machine_by_any_of_its_names(host: str) -> None:
    assert isinstance(verdict_on(request(PORT, host=f"{host}:{PORT}")), Upgrade)


def test_on_port_80_a_client_leaves_the_port_out() -> None:
    assert isinstance(verdict_on(request(80, host="localhost"), port=80), Upgrade)


def test_tokens_are_lists_and_their_case_does_not_matter() -> None:
    assert isinstance(
        verdict_on(request(PORT, upgrade="h2c, WebSocket", connection="keep-alive, UPGRADE")),
        Upgrade,
    )


def test_bytes_after_the_head_are_kept() -> None:
    verdict = verdict_on(request(PORT) + b"\x81\x80\0\0\0\0")
    assert verdict == Upgrade("/unity", KEY, b"\x81\x80\0\0\0\0")


@given(step=st.integers(1, 200))
def test_a_head_may_arrive_in_any_pieces(step: int) -> None:
    assert verdict_on(request(PORT), step=step) == Upgrade("/unity", KEY, b"")


# --- refused


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", f"http://127.0.0.1:{PORT}"])
def test_no_web_page_may_in_not_even_one_of_ours(origin: str) -> None:
    assert status(request(PORT, origin=origin)) == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:80",
        f"127.0.0.1:{PORT}.evil.example",
        "",
    ],
)
def test_no_other_name_or_port_will_do(host: str) -> None:
    assert status(request(PORT, host=host)) == 403


@pytest.mark.parametrize(
    "data, expected",
    [
        (request(PORT, host=None), 400),
        (request(PORT).replace(b"Upgrade:", b"Host: evil.example\r\nUpgrade:"), 400),
        (request(PORT, "/nope"), 404),
        (request(PORT, "/unity/"), 404),
        (request(PORT, "//unity"), 404),
        (request(PORT, "/%75nity"), 404),
        (request(PORT).replace(b"GET", b"POST"), 405),
        (request(PORT).replace(b"GET", b"GETX"), 405),
        (request(PORT).replace(b"HTTP/1.1", b"HTTP/1.0"), 400),
        (request(PORT, upgrade=None), 426),
        (request(PORT, upgrade="h2c"), 426),
        (request(PORT, connection="keep-alive"), 426),
        (request(PORT, sec_websocket_version="8"), 426),
        (request(PORT, sec_websocket_version=None), 426),
        (request(PORT, sec_websocket_key=None), 400),
        (request(PORT, sec_websocket_key="short"), 400),
        (request(PORT, sec_websocket_key="!" * 24), 400),
        (request(PORT, sec_websocket_key="é" * 24), 400),
        (request(PORT).replace(b"Upgrade:", f"Sec-WebSocket-Key: {KEY}\r\nUpgrade:".encode()), 400),
        (request(PORT, content_length="5"), 400),
        (request(PORT, transfer_encoding="chunked"), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 400),
    ],
)
def test_each_mistake_has_its_status(data: bytes, expected: int) -> None:
    assert status(data) == expected


def test_a_head_of_exactly_the_limit_passes_and_one_byte_more_does_not() -> None:
    padding = MAX_BYTES - len(request(PORT, x_padding=""))
    assert isinstance(verdict_on(request(PORT, x_padding="x" * padding)), Upgrade)
    assert status(request(PORT, x_padding="x" * (padding + 100))) == 431


@pytest.mark.parametrize(
    "flood", [b"GET /" + b"a" * 10_000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2000]
)
def test_a_head_without_an_end_is_refused_at_the_limit(flood: bytes) -> None:
    assert status(flood) == 431


def test_an_unfinished_head_has_no_verdict_yet() -> None:
    assert verdict_on(request(PORT)[:-1]) is None


# --- who wants a proof


NONCE = "0123456789abcdef"
PROOF_REQUESTS = json.loads(
    (Path(__file__).parents[2] / "protocol" / "proof_requests.json").read_text("utf-8")
)["requests"]


@pytest.mark.parametrize("upgrade", [None, "websocket"])
def test_a_proof_is_asked_for_without_a_websocket(upgrade: Optional[str]) -> None:
    asked = request(PORT, f"/proof?nonce={NONCE}", upgrade=upgrade, sec_websocket_key=None)
    assert verdict_on(asked) == ProofRequest(NONCE)


@pytest.mark.parametrize("vector", PROOF_REQUESTS, ids=lambda vector: vector["name"])
def test_the_vectors_of_requests_for_a_proof(vector: Dict[str, Any]) -> None:
    data = vector["request"].replace("8091", str(PORT)).encode("latin-1")
    if vector["status"] == 200:
        assert isinstance(verdict_on(data), ProofRequest)
    else:
        assert status(data) == vector["status"]


def test_the_answer_says_what_this_port_is_and_which_way_is_right() -> None:
    verdict = verdict_on(request(PORT, upgrade=None))
    assert isinstance(verdict, Rejection)
    head, _, body = verdict.as_http().partition(b"\r\n\r\n")
    assert b"Upgrade: websocket" in head
    assert f"Content-Length: {len(body)}".encode() in head
    assert b"unity-bridge" in body and b"Unity Editor" in body


def test_headers_of_a_peer_are_shown_short_and_in_ascii() -> None:
    verdict = verdict_on(request(PORT, origin="é" + "x" * 3000))
    assert isinstance(verdict, Rejection)
    assert len(verdict.reason) < 200
    assert verdict.as_http().isascii()


@given(
    st.binary(max_size=600)
    | st.text(max_size=300).map(lambda text: b"GET / HTTP/1.1\r\n" + text.encode() + b"\r\n\r\n")
)
def test_no_input_raises(data: bytes) -> None:
    verdict = verdict_on(data)
    assert verdict is None or isinstance(verdict, Rejection)
