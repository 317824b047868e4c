"""What comes out of the frame layer for what a client may send, and for what no client should."""

from __future__ import annotations

import tracemalloc
from typing import List, Optional, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto.frame_protocol import FrameProtocol

from tests.unity.raw_websocket import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    close_payload,
    frame,
    header,
)
from unity_bridge.unity import message_reader
from unity_bridge.unity.frames import (
    Closed,
    Incoming,
    PingFrame,
    Text,
    Violation,
    close_frame,
    pong_frame,
    text_frame,
    whole_close,
)
from unity_bridge.unity.message_reader import MessageReader

LIMIT = 1000
FRAGMENTS = 8


def reader(is_client: bool = False) -> MessageReader:
    return MessageReader(LIMIT, FRAGMENTS, is_client)


def read(*chunks: bytes, is_client: bool = False) -> List[Incoming]:
    listening = reader(is_client)
    return [incoming for chunk in chunks for incoming in listening.feed(chunk)]


def cut(data: bytes, at: List[int]) -> List[bytes]:
    """``data`` in pieces."""
    edges = [0, *sorted(min(edge, len(data)) for edge in at), len(data)]
    return [data[start:end] for start, end in zip(edges, edges[1:])]


def violation(*chunks: bytes) -> int:
    """The close code that the last event asks for."""
    last = read(*chunks)[-1]
    assert isinstance(last, Violation), last
    return last.code


# --- what is said is what is heard


def test_a_message_in_one_frame() -> None:
    assert read(frame(TEXT, "héllo".encode())) == [Text("héllo")]


def test_an_empty_message() -> None:
    assert read(frame(TEXT)) == [Text("")]


def test_a_message_in_fragments_with_a_ping_between_them() -> None:
    said = [
        frame(TEXT, b"one ", fin=False),
        frame(PING, b"\xff\xfe"),
        frame(CONTINUATION, b"message"),
    ]
    assert read(*said) == [PingFrame(b"\xff\xfe"), Text("one message")]


def test_a_character_may_be_cut_by_fragments() -> None:
    first, second = "é".encode()[:1], "é".encode()[1:]
    assert read(frame(TEXT, first, fin=False), frame(CONTINUATION, second)) == [Text("é")]


def test_a_pong_is_not_worth_a_word() -> None:
    assert read(frame(PONG, b"unasked")) == []


def test_two_messages_and_a_goodbye_in_one_segment() -> None:
    said = frame(TEXT, b"a") + frame(TEXT, b"b") + frame(CLOSE, close_payload(1000, "bye"))
    assert read(said) == [Text("a"), Text("b"), Closed(1000, "bye")]


def test_a_close_frame_without_a_code() -> None:
    assert read(frame(CLOSE)) == [Closed(1005, "")]


def test_nothing_is_heard_after_the_close_frame() -> None:
    assert read(frame(CLOSE) + frame(TEXT, b"late"), frame(TEXT, b"later")) == [Closed(1005, "")]


def test_binary_is_not_accepted() -> None:
    assert violation(header(BINARY, 5)) == 1003
    assert violation(header(BINARY, 5, rsv=4)) == 1002


@given(
    text=st.text(max_size=200),
    edges=st.lists(st.integers(0, 800), max_size=FRAGMENTS - 1),
    pings=st.lists(st.binary(max_size=125), max_size=FRAGMENTS),
    mask=st.binary(min_size=4, max_size=4),
    chunks=st.lists(st.integers(0, 3000), max_size=20),
)
def test_any_text_in_any_fragments_in_any_segments(
    text: str, edges: List[int], pings: List[bytes], mask: bytes, chunks: List[int]
) -> None:
    parts = cut(text.encode(), edges)
    said = b"".join(
        frame(CONTINUATION if i else TEXT, part, fin=i == len(parts) - 1, mask=mask)
        + b"".join(frame(PING, ping, mask=mask) for ping in pings[i : i + 1] if i < len(parts) - 1)
        for i, part in enumerate(parts)
    )
    heard = read(*cut(said, chunks))
    assert heard[-1] == Text(text)
    assert heard[:-1] == [PingFrame(ping) for ping in pings[: len(parts) - 1]]


# --- what must not be said


@pytest.mark.parametrize(
    "said, code",
    [
        (frame(TEXT, b"bare", mask=None), 1002),
        (frame(TEXT, b"x", rsv=4), 1002),
        (frame(0x3, b"x"), 1002),
        (frame(0xB, b"x"), 1002),
        (frame(CONTINUATION, b"of nothing"), 1002),
        (frame(TEXT, b"one", fin=False) + frame(TEXT, b"another"), 1002),
        (frame(PING, b"x", fin=False), 1002),
        (frame(PING, b"x" * 126), 1002),
        (frame(CLOSE, b"\x03"), 1002),
        (frame(CLOSE, close_payload(1005)), 1002),
        (frame(CLOSE, close_payload(1006)), 1002),
        (frame(CLOSE, close_payload(999)), 1002),
        (frame(CLOSE, close_payload(5000)), 1002),
        (frame(CLOSE, close_payload(1000) + b"\xff"), 1007),
        (b"\x81\xfe\x00\x05", 1002),
        (b"\x81\xff" + (5).to_bytes(8, "big"), 1002),
        (b"\x81\xff" + (2**63).to_bytes(8, "big"), 1002),
        (frame(TEXT, b"\xff"), 1007),
        (frame(TEXT, b"\xed\xa0\x80"), 1007),
        (frame(TEXT, "é".encode()[:1]), 1007),
    ],
)
def test_a_violation_of_the_protocol_gets_its_close_code(said: bytes, code: int) -> None:
    assert violation(said) == code


def test_bad_unicode_is_noticed_before_its_message_ends() -> None:
    assert violation(frame(TEXT, b"fine so far \xff", fin=False)) == 1007


def test_a_message_before_a_violation_is_still_delivered() -> None:
    assert read(frame(TEXT, b"first") + frame(TEXT, b"x", rsv=1))[0] == Text("first")


# --- sizes


def test_a_message_may_be_as_long_as_the_limit_and_not_a_byte_longer() -> None:
    assert read(frame(TEXT, b"x" * LIMIT)) == [Text("x" * LIMIT)]
    assert violation(header(TEXT, LIMIT + 1)) == 1009


def test_the_limit_counts_all_fragments_of_a_message() -> None:
    assert violation(frame(TEXT, b"x" * LIMIT, fin=False) + header(CONTINUATION, 1)) == 1009


def test_the_limit_restarts_with_every_message() -> None:
    whole = frame(TEXT, b"x" * 600, fin=False) + frame(CONTINUATION, b"x" * 400)
    assert read(whole, whole) == [Text("x" * LIMIT)] * 2


def test_control_frames_between_fragments_do_not_count() -> None:
    said = frame(TEXT, b"x" * LIMIT, fin=False) + frame(PING, b"y" * 125) + frame(CONTINUATION)
    assert read(said)[-1] == Text("x" * LIMIT)


def test_a_header_that_arrives_byte_by_byte_is_counted_once() -> None:
    said = frame(TEXT, b"x" * 500)
    assert read(*(said[i : i + 1] for i in range(len(said)))) == [Text("x" * 500)]


def test_empty_fragments_are_counted_too() -> None:
    flood = [frame(TEXT, b"", fin=False)] + [frame(CONTINUATION, b"", fin=False)] * FRAGMENTS
    assert violation(*flood) == 1009
    assert read(*flood[:FRAGMENTS], frame(PING, b"still here")) == [PingFrame(b"still here")]


@pytest.mark.parametrize("claim", [2**20 + 1, 2**31, 2**40, 2**63 - 1])
def test_a_claimed_length_allocates_nothing(claim: int) -> None:
    listening = MessageReader(2**20, 4096)
    tracemalloc.start()
    heard = list(listening.feed(header(TEXT, claim)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert heard == [Violation(1009, "message too big")]
    assert peak < 64 * 1024


# --- is something still to come?


def test_unfinished_from_the_first_header_to_the_last_byte() -> None:
    listening = reader()
    assert not listening.unfinished
    seen: List[bool] = []
    for chunk in (
        header(TEXT, 2, fin=False),
        b"\0\0\0\0a",
        b"b",
        frame(PING),
        frame(CONTINUATION, b"c"),
    ):
        list(listening.feed(chunk))
        seen.append(listening.unfinished)
    assert seen == [True, True, True, True, False]


# --- anything at all


frames_of_any_kind = st.builds(
    frame,
    st.integers(0, 15),
    st.binary(max_size=130) | st.text(max_size=40).map(str.encode),
    fin=st.booleans(),
    rsv=st.sampled_from([0, 0, 0, 0, 0, 0, 1, 2, 4]),
    mask=st.sampled_from([b"\0\0\0\0", b"\1\2\3\4", b"\1\2\3\4", b"\1\2\3\4", None]),
)
likely_frames = st.one_of(
    st.text(max_size=60).map(lambda text: frame(TEXT, text.encode())),
    st.text(max_size=60).map(lambda text: frame(TEXT, text.encode(), fin=False)),
    st.text(max_size=60).map(lambda text: frame(CONTINUATION, text.encode(), fin=False)),
    st.text(max_size=60).map(lambda text: frame(CONTINUATION, text.encode())),
    st.binary(max_size=125).map(lambda payload: frame(PING, payload)),
    st.integers(0, 5500).map(lambda code: frame(CLOSE, close_payload(code))),
    frames_of_any_kind,
)
conversations = st.one_of(
    st.lists(likely_frames, max_size=12).map(b"".join), st.binary(max_size=400)
)


@given(
    said=conversations,
    truncated=st.integers(0, 40),
    chunks=st.lists(st.integers(0, 1500), max_size=12),
)
def test_no_input_raises_and_segmentation_changes_nothing(
    said: bytes, truncated: int, chunks: List[int]
) -> None:
    said = said[: len(said) - truncated] if truncated < len(said) else said
    at_once, piecemeal = read(said), read(*cut(said, chunks))
    assert at_once == piecemeal
    for incoming in at_once[:-1]:
        assert not isinstance(incoming, (Closed, Violation)), "it is over once"
    for incoming in at_once:
        if isinstance(incoming, Text):
            assert len(incoming.text.encode()) <= LIMIT
        elif isinstance(incoming, Violation):
            assert incoming.code in (1002, 1003, 1007, 1009)


# --- what we say


def heard_by_a_client(data: bytes) -> List[Tuple[int, object]]:
    client = FrameProtocol(client=True, extensions=[])
    client.receive_bytes(data)
    return [(int(each.opcode), each.payload) for each in client.received_frames()]


@given(st.text(max_size=300) | st.sampled_from(["x" * 125, "x" * 126, "x" * 65535, "x" * 65536]))
def test_a_client_hears_what_we_say(text: str) -> None:
    parts = heard_by_a_client(text_frame(text.encode()))
    assert "".join(str(payload) for _, payload in parts) == text


def test_a_pong_carries_the_bytes_of_its_ping() -> None:
    assert heard_by_a_client(pong_frame(b"\xff\0")) == [(PONG, b"\xff\0")]


@pytest.mark.parametrize(
    "code, heard", [(1000, 1000), (1009, 1009), (4000, 4000), (1005, 1005), (1006, 1005)]
)
def test_a_close_frame_has_its_code_unless_the_code_is_reserved(code: int, heard: int) -> None:
    assert heard_by_a_client(close_frame(code, "")) == [(CLOSE, (heard, ""))]


def test_a_reason_too_long_is_cut_at_a_character() -> None:
    ((_, payload),) = heard_by_a_client(close_frame(1001, "é" * 100))
    assert payload == (1001, "é" * 61)


# --- a frame that is all there is read without wsproto, to the same end

CLOSES = [
    b"",
    b"\x03",
    *(close_payload(code, "bye") for code in (999, 1000, 1001, 1005, 1008, 3000)),
    close_payload(1001, "x" * 123),
    close_payload(1001, "x" * 124),
    close_payload(1000, "") + b"\xff",
]
FRAMES = st.one_of(
    st.binary(max_size=300).map(lambda payload: frame(TEXT, payload)),
    st.text(max_size=200).map(lambda text: frame(TEXT, text.encode())),
    st.text(min_size=130, max_size=LIMIT + 20).map(lambda text: frame(TEXT, text.encode())),
    st.text(max_size=20).map(
        lambda text: frame(TEXT, text.encode(), fin=False) + frame(CONTINUATION, b"!")
    ),
    st.just(frame(TEXT, b"begun", fin=False)),
    st.just(frame(CONTINUATION, b"ended")),
    st.binary(max_size=125).map(lambda payload: frame(PING, payload)),
    st.just(frame(PONG)),
    st.sampled_from(CLOSES).map(lambda payload: frame(CLOSE, payload)),
    st.just(frame(BINARY, b"x")),
    st.just(frame(TEXT, b"x")[:3]),
    st.just(bytes([0x81, 0x80 | 126, 0, 5]) + b"mask" + b"short"),
    st.binary(min_size=1, max_size=8),
    # As a server sends them.
    st.binary(max_size=300).map(lambda payload: frame(TEXT, payload, mask=None)),
    st.text(max_size=LIMIT + 20).map(lambda text: frame(TEXT, text.encode(), mask=None)),
    st.text(max_size=20).map(lambda text: frame(TEXT, text.encode(), fin=False, mask=None)),
    st.just(frame(CONTINUATION, b"ended", mask=None)),
    st.just(frame(PING, b"p", mask=None)),
    st.sampled_from(CLOSES).map(lambda payload: frame(CLOSE, payload, mask=None)),
    st.just(bytes([0x81, 126, 0, 5]) + b"short"),
)


@given(
    said=st.lists(FRAMES, max_size=8),
    at=st.lists(st.integers(0, 3000), max_size=6),
    is_client=st.booleans(),
)
def test_the_short_way_and_the_long_way_hear_the_same(
    said: List[bytes], at: List[int], is_client: bool
) -> None:
    chunks = cut(b"".join(said), at)
    heard = read(*chunks, is_client=is_client)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_reader, "whole_text", lambda *_: None)
        patch.setattr(message_reader, "whole_close", lambda *_: None)
        assert read(*chunks, is_client=is_client) == heard


@pytest.mark.parametrize("mask", [b"\1\2\3\4", None])
def test_a_whole_frame_never_reaches_wsproto(
    monkeypatch: pytest.MonkeyPatch, mask: Optional[bytes]
) -> None:
    monkeypatch.setattr(FrameProtocol, "receive_bytes", lambda *_: pytest.fail("the long way"))
    first, second, third = (
        frame(TEXT, payload, mask=mask) for payload in (b"a", "é".encode() * 200, b"")
    )
    assert read(first + second, third, is_client=mask is None) == [
        Text("a"),
        Text("é" * 200),
        Text(""),
    ]


@pytest.mark.parametrize("mask", [b"\1\2\3\4", None])
@pytest.mark.parametrize(
    "payload, closed",
    [
        (b"", Closed(1005, "")),
        (close_payload(1000, ""), Closed(1000, "")),
        (close_payload(1001, "é" * 61), Closed(1001, "é" * 61)),
    ],
)
def test_the_end_never_reaches_wsproto(
    monkeypatch: pytest.MonkeyPatch, mask: Optional[bytes], payload: bytes, closed: Closed
) -> None:
    monkeypatch.setattr(FrameProtocol, "receive_bytes", lambda *_: pytest.fail("the long way"))
    end = frame(TEXT, b"a", mask=mask) + frame(CLOSE, payload, mask=mask)
    more = frame(TEXT, b"b", mask=mask)
    assert read(end, more, is_client=mask is None) == [Text("a"), closed]


GOES_AWAY = close_payload(1001, "")


@pytest.mark.parametrize(
    "data",
    [
        frame(CLOSE, GOES_AWAY, mask=None) + b"more",
        frame(CLOSE, GOES_AWAY + b"bye", mask=None)[:-1],
        frame(CLOSE, GOES_AWAY),
        frame(PING, GOES_AWAY, mask=None),
        frame(CLOSE, b"\x03", mask=None),
        frame(CLOSE, GOES_AWAY + b"\xff", mask=None),
        # A length in two bytes, where a control frame has none: the first of them look like a code.
        bytes([0x88, 126]) + GOES_AWAY + b"x" * 124,
        b"\x88",
    ],
)
def test_what_is_not_plainly_the_end_is_read_by_wsproto(data: bytes) -> None:
    assert whole_close(data, is_masked=False) is None


def test_after_the_long_way_comes_the_short_one_again(monkeypatch: pytest.MonkeyPatch) -> None:
    listening = reader()
    whole = frame(TEXT, b"x" * 300)
    assert list(listening.feed(whole[:150])) == []
    assert list(listening.feed(whole[150:] + frame(PING, b"p"))) == [
        Text("x" * 300),
        PingFrame(b"p"),
    ]
    monkeypatch.setattr(FrameProtocol, "receive_bytes", lambda *_: pytest.fail("the long way"))
    assert list(listening.feed(whole)) == [Text("x" * 300)]
