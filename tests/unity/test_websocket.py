"""The listener over real sockets: the events for its owner, and the effects on its peers.

Every wait is for an event; ``HANG_S`` only bounds a test that would otherwise never end. Limits are made short where
the story is about one of them running out.
"""

from __future__ import annotations

import errno
import json
import os
import queue
import selectors
import socket
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.fakes import ManualClock
from tests.leaks import ends_within
from tests.ports import free_port
from tests.unity.raw_websocket import (
    BINARY,
    CLOSE,
    CONTINUATION,
    HANG_S,
    PING,
    PONG,
    TEXT,
    RawClient,
    close_payload,
    frame,
    header,
    request,
)
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.log.logger import Logger
from unity_bridge.trust.proof import OPENING, OPENING_HEADER, SERVER, Ends, proof
from unity_bridge.unity import peer_connection, websocket
from unity_bridge.unity.connection_server import ConnectionServer
from unity_bridge.unity.waiting_connections import WaitingConnections
from unity_bridge.unity.websocket import Limits, Peer, WebSocketListener, unity_endpoint

Event = Tuple[Any, ...]


class Owner:
    """Records its events, and runs a test's function on the peer's own thread."""

    def __init__(self) -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self.peers: Dict[int, Peer] = {}
        self.on_opened: Callable[[Peer], object] = lambda peer: None
        self.on_said: Callable[[Peer, str], object] = lambda peer, text: peer.send(text)
        self.on_overflowed: Callable[[Peer], object] = lambda peer: peer.send("too long")
        self.on_closed: Callable[[Peer], object] = lambda peer: None

    def peer_opened(self, peer: Peer) -> None:
        self.peers[peer.id] = peer
        self.events.put(("opened", peer))
        self.on_opened(peer)

    def peer_said(self, peer: Peer, text: str) -> None:
        self.events.put(("said", text))
        self.on_said(peer, text)

    def peer_overflowed(self, peer: Peer) -> None:
        self.events.put(("overflowed",))
        self.on_overflowed(peer)

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None:
        self.events.put(("closed", code, reason))
        self.on_closed(peer)

    def next(self) -> Event:
        return self.events.get(timeout=HANG_S)

    def opened(self) -> Peer:
        event = self.next()
        assert event[0] == "opened", event
        peer: Peer = event[1]
        return peer

    def closed(self) -> int:
        """Skips to the end of a peer."""
        while True:
            event = self.next()
            if event[0] == "closed":
                return int(event[1])


class Lines(Logger):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__("websocket")
        self.written: List[str] = []
        self.bugs: List[str] = []

    def warning(self, text: str, **values: Any) -> None:
        self.written.append(text)

    def exception(self, text: str, **values: Any) -> None:
        self.bugs.append(text)


SECRET: Result[bytes, str] = Ok(b"s" * 32)


class FastForward(SystemClock):
    """The machine's clock, which a test may put forward."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def now(self) -> float:
        return super().now() + self.ahead_s


class Running:
    """A listener that serves on a thread of its own."""

    def __init__(self, limits: Optional[Limits] = None) -> None:
        self.owner = Owner()
        self.log = Lines()
        self.clock = FastForward()
        self.listener = WebSocketListener(
            unity_endpoint(self.owner), self.clock, self.log, limits or Limits(), lambda: SECRET
        )
        bound = self.listener.bind(0)
        assert isinstance(bound, Ok)
        self.port = bound.value
        self.accepting = threading.Thread(target=self.listener.serve, name="accept")
        self.accepting.start()

    def connect(self) -> RawClient:
        return RawClient(self.port).shake_hands()

    def stop(self) -> None:
        self.listener.stop()
        self.accepting.join(HANG_S)

    def peers_are_gone(self) -> None:
        for thread in threading.enumerate():
            if "peer" in thread.name:
                assert ends_within(thread, HANG_S)

    def healthy_client_gets_in(self) -> None:
        with connect(
            f"ws://127.0.0.1:{self.port}/unity", compression=None, open_timeout=HANG_S
        ) as client:
            client.send("healthy")
            assert client.recv(timeout=HANG_S) == "healthy"


Start = Callable[..., Running]


def asked_for_a_proof(running: Running) -> Tuple[bytes, Ends]:
    with socket.create_connection(("127.0.0.1", running.port), HANG_S) as line:
        line.sendall(
            request(running.port, f"/proof?nonce={'0' * 32}", upgrade=None, connection="close")
        )
        with line.makefile("rb") as answer:
            return answer.read(), Ends.of_client(line)


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts listeners; at the end each is stopped, and none may leave a thread or a bug behind."""
    before = set(threading.enumerate())
    running: List[Running] = []

    def _start(**limits: Any) -> Running:
        running.append(Running(Limits(**limits)))
        return running[-1]

    yield _start
    for each in running:
        each.stop()
        assert each.log.bugs == []
    left = [thread.name for thread in set(threading.enumerate()) - before if "peer" in thread.name]
    assert left == []


# --- a conversation


def test_a_peer_opens_speaks_and_leaves(start: Start) -> None:
    running = start()
    with RawClient(running.port).shake_hands("/unity?instance=1") as client:
        peer = running.owner.opened()
        assert peer.path == "/unity"
        client.say("héllo")
        assert running.owner.next() == ("said", "héllo")
        assert client.hears() == "héllo"
        client.send(frame(CLOSE, close_payload(1000, "done")))
        assert running.owner.next() == ("closed", 1000, "done")
        assert client.close_code() == 1000
        assert client.is_cut()
    assert not peer.send("too late")


def test_ids_rise(start: Start) -> None:
    running = start()
    with running.connect():
        first = running.owner.opened()
        with running.connect():
            assert 0 < first.id < running.owner.opened().id


def test_frames_that_came_with_the_handshake_are_not_lost(start: Start) -> None:
    running = start()
    with RawClient(running.port) as client:
        client.send(request(running.port) + frame(TEXT, b"eager"))
        assert client.http_status() == 101
        assert client.hears() == "eager"


def test_pings_are_answered_also_amid_a_message(start: Start) -> None:
    with start().connect() as client:
        client.send(
            frame(TEXT, b"a", fin=False) + frame(PING, b"\xff?") + frame(CONTINUATION, b"b")
        )
        assert client.read_frame() == (PONG, b"\xff?")
        assert client.hears() == "ab"


def test_messages_before_the_close_are_still_sent(start: Start) -> None:
    running = start()
    with running.connect() as client:
        peer = running.owner.opened()
        assert peer.send("x" * 2**20)
        assert peer.send("last words")
        peer.close(4001, "replaced")
        assert not peer.send("after the close")
        frames = client.everything()
        assert [(opcode, payload[:10]) for opcode, payload in frames] == [
            (TEXT, b"x" * 10),
            (TEXT, b"last words"),
            (CLOSE, close_payload(4001, "replaced")[:10]),
        ]
        client.send(frame(CLOSE, close_payload(4001)))
        assert running.owner.next() == ("closed", 4001, "replaced")


def test_messages_after_our_close_are_ignored(start: Start) -> None:
    running = start()
    running.owner.on_said = lambda peer, text: peer.close(1008, "enough")
    with running.connect() as client:
        running.owner.opened()
        client.send(frame(TEXT, b"one") + frame(TEXT, b"two") + frame(CLOSE, close_payload(1008)))
        assert running.owner.next() == ("said", "one")
        assert running.owner.next() == ("closed", 1008, "enough")


def test_an_abort_cuts_the_line_without_a_word(start: Start) -> None:
    running = start()
    with running.connect() as client:
        peer = running.owner.opened()
        peer.abort()
        assert client.close_code() == 1006
        assert running.owner.next() == ("closed", 1006, "aborted")
        peer.abort()
        peer.close(1000, "")
        assert not peer.send("x")


def test_a_line_that_dies_is_1006(start: Start) -> None:
    running = start()
    running.connect().line.close()
    assert running.owner.closed() == 1006


def test_many_threads_may_send_at_once(start: Start) -> None:
    running = start()
    with running.connect() as client:
        peer = running.owner.opened()
        texts = [f"{n}:" + "x" * 30_000 for n in range(8)]
        senders = [
            threading.Thread(target=lambda t=text: [peer.send(t) for _ in range(20)])
            for text in texts
        ]
        for sender in senders:
            sender.start()
        heard = sorted(client.hears() for _ in range(8 * 20))
        for sender in senders:
            sender.join(HANG_S)
        assert heard == sorted(texts * 20)


def test_a_text_over_the_limit_or_beyond_unicode_is_the_senders_bug(start: Start) -> None:
    running = start(max_message_bytes=100)
    with running.connect() as client:
        peer = running.owner.opened()
        for text in ("é" * 51, "\ud800"):
            with pytest.raises(ValueError):
                peer.send(text)
        assert peer.send("é" * 50)
        assert client.hears() == "é" * 50


# --- what peers must not do


@pytest.mark.parametrize(
    "said, code",
    [
        (frame(BINARY, b"x"), 1003),
        (frame(TEXT, b"\xff"), 1007),
        (frame(TEXT, b"x", mask=None), 1002),
        (frame(TEXT, b"x", rsv=4), 1002),
        (header(TEXT, 2**40), 1009),
        (header(TEXT, 2**20 + 1), 1009),
    ],
)
def test_a_violation_closes_with_its_code(start: Start, said: bytes, code: int) -> None:
    running = start()
    with running.connect() as client:
        client.send(said)
        assert client.close_code() == code
        assert running.owner.closed() == code
        assert client.is_cut()
    running.healthy_client_gets_in()


@pytest.mark.slow
def test_a_peer_that_sends_too_much_gets_the_error_even_if_it_continues(start: Start) -> None:
    running = start()
    with running.connect() as client:
        running.owner.opened()
        client.send(frame(TEXT, b"x" * 2 * 2**20))
        assert client.hears() == "too long"
        assert client.close_code() == 1009
        assert running.owner.next() == ("overflowed",)
        assert running.owner.next()[:2] == ("closed", 1009)


@pytest.mark.parametrize("refused_at", ["handshake", "message"])
def test_the_line_is_not_reset_while_a_refused_peer_is_still_sending(
    start: Start, refused_at: str
) -> None:
    """A reset could overtake our last words and take them from the peer's hands."""
    running = start(linger_s=HANG_S)
    with RawClient(running.port) as client:
        if refused_at == "handshake":
            client.send(request(running.port, origin="null"))
            assert client.http_status() == 403
        else:
            client.shake_hands().send(header(TEXT, 2**40))
            assert client.close_code() == 1009
        for _ in range(16):
            client.send(b"x" * 2**20)


def test_a_fragment_flood_ends(start: Start) -> None:
    with start().connect() as client:
        client.send(frame(TEXT, b"", fin=False) + frame(CONTINUATION, b"", fin=False) * 5000)
        assert client.hears() == "too long"
        assert client.close_code() == 1009


def has_been_read(client: RawClient) -> None:
    """Waits until the listener has read all that the client sent."""
    client.send(frame(PING, b"so far?"))
    assert client.read_frame() == (PONG, b"so far?")


def test_a_message_that_drips_in_is_given_up(start: Start) -> None:
    running = start()
    with running.connect() as client:
        client.send(frame(TEXT, b"slow", fin=False))
        has_been_read(client)
        running.clock.ahead_s += 14.0
        client.send(frame(CONTINUATION, b"er", fin=False))
        has_been_read(client)
        running.clock.ahead_s += 1.0
        client.send(frame(CONTINUATION, b" and slower", fin=False))
        assert client.close_code() == 1008
        assert running.owner.closed() == 1008


def test_silence_between_messages_is_not_dripping(start: Start) -> None:
    running = start()
    with running.connect() as client:
        for _ in range(3):
            client.send(frame(TEXT, b"in two", fin=False))
            has_been_read(client)
            client.send(frame(CONTINUATION, b" parts"))
            assert client.hears() == "in two parts"
            running.clock.ahead_s += 3600.0


def test_every_message_has_its_own_time_to_arrive(start: Start) -> None:
    running = start()
    with running.connect() as client:
        client.send(frame(TEXT, b"a", fin=False))
        for _ in range(3):
            has_been_read(client)
            running.clock.ahead_s += 10.0
            client.send(frame(CONTINUATION, b"b") + frame(TEXT, b"a", fin=False))
            assert client.hears() == "ab"


@pytest.mark.slow
def test_a_peer_that_does_not_read_is_cut_off_and_its_senders_never_wait(start: Start) -> None:
    running = start(send_s=0.5, outbox_bytes=64 * 2**20)
    with RawClient(running.port, receive_buffer=4096).shake_hands():
        peer = running.owner.opened()
        for _ in range(30):
            assert peer.send("x" * 2**20)
        assert running.owner.next() == ("closed", 1006, "the peer stopped reading")
        assert not peer.send("x")
    running.healthy_client_gets_in()


def test_a_peer_that_lets_too_much_pile_up_is_cut_off(start: Start) -> None:
    running = start(send_s=600.0)
    with RawClient(running.port, receive_buffer=4096).shake_hands():
        peer = running.owner.opened()
        while peer.send("x" * 2**20):
            pass
        assert running.owner.next()[:2] == ("closed", 1006)


@pytest.mark.slow
def test_a_ping_flood_of_a_peer_that_does_not_read_is_bounded(start: Start) -> None:
    running = start(send_s=600.0, outbox_bytes=2**18, unproven_rate=1e9)
    with RawClient(running.port, receive_buffer=4096).shake_hands() as client:
        running.owner.opened()
        flood = frame(PING, b"x" * 125) * 1000
        with pytest.raises(OSError):
            while True:
                client.send(flood)
        assert running.owner.next()[:2] == ("closed", 1006)


def test_a_peer_that_ignores_our_close_is_cut_off(start: Start) -> None:
    running = start(linger_s=0.2)
    with running.connect() as client:
        running.owner.opened().close(1000, "bye")
        assert client.close_code() == 1000
        assert running.owner.next() == ("closed", 1000, "bye")


# --- the handshake over the line


@pytest.mark.parametrize(
    "head, status",
    [
        ({"origin": "http://evil.example"}, 403),
        ({"host": "evil.example"}, 403),
        ({"upgrade": None}, 426),
        ({"sec_websocket_key": None}, 400),
        ({"x_long": "x" * 9000}, 431),
    ],
)
def test_a_refusal_is_an_http_answer_and_no_peer(
    start: Start, head: Dict[str, Optional[str]], status: int
) -> None:
    running = start()
    with RawClient(running.port) as client:
        client.send(request(running.port, **head))
        assert client.http_status() == status
        assert client.is_cut()
    assert running.log.written == ["refused a connection"]
    assert running.owner.events.empty()


def test_the_host_must_name_our_own_port(start: Start) -> None:
    running = start()
    with RawClient(running.port) as client:
        client.send(request(running.port + 1))
        assert client.http_status() == 403


def test_a_head_that_takes_too_long_is_answered_so(start: Start) -> None:
    with RawClient(start(head_s=0.2).port) as client:
        client.send(b"GET / HT")
        assert client.http_status() == 408


def test_a_connection_without_a_word_is_closed_without_a_word(start: Start) -> None:
    running = start(head_s=0.2)
    with RawClient(running.port) as client:
        assert client.http_status() == 0
    RawClient(running.port).line.close()
    running.healthy_client_gets_in()
    assert running.log.written == []


def test_the_oldest_half_open_connection_gives_way(start: Start) -> None:
    running = start(half_open=3, head_s=600.0)
    waiting = [RawClient(running.port) for _ in range(5)]
    assert waiting[0].is_cut()
    assert waiting[1].is_cut()
    running.healthy_client_gets_in()
    assert waiting[2].is_cut()
    waiting[4].send(request(running.port))
    assert waiting[4].http_status() == 101
    for client in waiting:
        client.line.close()


def opening(client: RawClient, secret: bytes = b"s" * 32) -> bytes:
    said = proof(secret, OPENING, Ends.of_client(client.line), "", "")
    return request(client.port, **{OPENING_HEADER: said})


def test_a_client_of_the_same_user_waits_behind_no_other(start: Start) -> None:
    running = start(accept_burst=1, accept_rate=0.001)
    first, other, copy, own = clients = [RawClient(running.port) for _ in range(4)]
    first.shake_hands()
    other.send(opening(other, b"t" * 32))
    copy.send(opening(own))  # heard on another connection
    own.send(opening(own))
    assert own.http_status() == 101
    for client in (other, copy):
        client.line.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.line.recv(1)
    for client in clients:
        client.line.close()


def test_an_opening_counts_once_a_second_for_one_end() -> None:
    """Who saw the header could send it again and again from the same port, before everybody else."""
    clock = ManualClock()
    refusals = LimitedLog(Logger("test"), clock)
    waiting = WaitingConnections(
        selectors.DefaultSelector(), Limits(), clock, refusals, lambda: Err("no secret")
    )
    end, another = ("127.0.0.1", 5000), ("127.0.0.1", 5001)
    assert [waiting._counts(end), waiting._counts(end), waiting._counts(another)] == [
        True,
        False,
        True,
    ]
    clock.advance(1)
    assert waiting._counts(end)
    assert sum(waiting._counts(("127.0.0.1", port)) for port in range(1000)) < 300, (
        "nobody keeps more of them"
    )


# --- bugs of the owner


@pytest.mark.parametrize("event", ["on_opened", "on_said", "on_overflowed", "on_closed"])
@pytest.mark.parametrize(
    "bug", [KeyError("a bug"), ConnectionError("a bug that looks like a dead line")]
)
def test_a_bug_of_the_owner_costs_that_peer_only(start: Start, event: str, bug: Exception) -> None:
    running = start()

    def fail(*_: object) -> None:
        raise bug

    with running.connect() as bystander:
        running.owner.opened()
        unharmed = getattr(running.owner, event)
        setattr(running.owner, event, fail)
        with running.connect() as client:
            client.send(frame(TEXT, b"x") + header(TEXT, 2**40))
            code = client.close_code()
            running.owner.closed()
        setattr(running.owner, event, unharmed)
        assert code == (1009 if event == "on_closed" else 1011)
        bystander.say("still here")
        assert bystander.hears() == "still here"
    assert running.log.bugs == ["a bug ended a connection"]
    running.log.bugs.clear()


@pytest.mark.slow
def test_what_a_long_message_needs_is_imported_in_a_quiet_moment(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server without descriptors cannot import it any more. That costs no connection which does
    not need it.
    """
    tried = threading.Event()

    def no_descriptor_is_left() -> None:
        tried.set()
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(peer_connection, "frame_reader", no_descriptor_is_left)
    with start().connect() as client:
        assert tried.wait(HANG_S)
        client.say("still here")
        assert client.hears() == "still here"


# --- bind and stop


def test_a_port_in_use_is_a_value_and_can_be_tried_again() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        listener = WebSocketListener(unity_endpoint(Owner()), SystemClock(), Lines())
        failed = listener.bind(port)
        assert isinstance(failed, Err)
        assert (failed.error.port, failed.error.reason) == (port, "port_in_use")
        assert str(listener.who_holds(port)).startswith(f"pid {os.getpid()} ")
        assert isinstance(listener.bind(port), Err)
    assert listener.bind(port) == Ok(port)
    listener.stop()


def test_two_listeners_never_share_a_port(start: Start) -> None:
    second = WebSocketListener(unity_endpoint(Owner()), SystemClock(), Lines()).bind(start().port)
    assert isinstance(second, Err) and second.error.reason == "port_in_use"


@pytest.mark.skipif(os.name == "nt", reason="there such a failure means a reserved port")
@pytest.mark.parametrize("number", [errno.EPERM, errno.EACCES, errno.EADDRNOTAVAIL])
def test_a_port_that_a_sandbox_keeps_is_no_reserved_one(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(websocket, "listening_socket", forbidden)
    listener = WebSocketListener(unity_endpoint(Owner()), SystemClock(), Lines())
    of_the_system = "port_not_allowed" if number == errno.EACCES else "port_unusable"
    for port, reason in ((free_port(), "sandboxed"), (80, of_the_system)):
        failed = listener.bind(port)
        assert isinstance(failed, Err) and failed.error.reason == reason


def test_a_port_that_does_not_exist_is_a_value() -> None:
    failed = WebSocketListener(unity_endpoint(Owner()), SystemClock(), Lines()).bind(70000)
    assert isinstance(failed, Err) and failed.error.reason == "port_unusable"


def test_stop_says_goodbye_frees_the_port_and_ends_every_thread(start: Start) -> None:
    running = start(linger_s=0.2)
    with running.connect() as client, RawClient(running.port) as half_open:
        running.owner.opened()
        running.stop()
        assert client.close_code() == 1001
        assert half_open.is_cut()
    assert running.owner.closed() == 1001
    assert not running.accepting.is_alive()
    successor = WebSocketListener(unity_endpoint(Owner()), SystemClock(), Lines())
    assert successor.bind(running.port) == Ok(running.port)
    successor.stop()


def test_stop_does_not_wait_for_a_peer_that_is_deaf(start: Start) -> None:
    running = start(stop_s=0.8, send_s=600.0)
    with RawClient(running.port, receive_buffer=4096).shake_hands():
        peer = running.owner.opened()
        for _ in range(6):
            assert peer.send("x" * 2**20)
        running.stop()
        assert running.owner.next() == ("closed", 1001, "server stopping")
    assert not any("peer" in thread.name for thread in threading.enumerate())


@pytest.mark.slow
def test_a_listener_that_breaks_says_goodbye_gives_the_port_back_and_serves_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner, broken = Owner(), RuntimeError("a bug")
    listener = WebSocketListener(unity_endpoint(owner), SystemClock(), Lines())
    bound = listener.bind(0)
    assert isinstance(bound, Ok)
    ends: List[BaseException] = []

    def serve() -> None:
        try:
            listener.serve()
        except RuntimeError as end:
            ends.append(end)

    def breaks(server: Any, line: socket.socket, address: Any) -> None:
        line.close()
        raise broken

    first = threading.Thread(target=serve, name="accept")
    first.start()
    with RawClient(bound.value).shake_hands() as peer:
        owner.opened()
        with monkeypatch.context() as bug:
            bug.setattr(ConnectionServer, "process_request", breaks)
            with RawClient(bound.value) as next_peer:
                next_peer.send(b"GET")
                assert peer.close_code() == 1011
        first.join(HANG_S)
    assert ends == [broken] and owner.closed() == 1011

    assert listener.bind(bound.value) == bound
    again = threading.Thread(target=serve, name="accept")
    again.start()
    with RawClient(bound.value).shake_hands() as peer:
        peer.say("healthy")
        assert peer.hears() == "healthy"
        listener.stop()
    again.join(HANG_S)
    assert ends == [broken]


def test_stop_before_bind_before_serve_and_twice() -> None:
    listener = WebSocketListener(unity_endpoint(Owner()), SystemClock(), Lines())
    listener.stop()
    listener.stop()
    failed = listener.bind(0)
    assert isinstance(failed, Err) and failed.error.reason == "stopped"
    listener.serve()

    bound_only = WebSocketListener(unity_endpoint(Owner()), SystemClock(), Lines())
    bound = bound_only.bind(0)
    assert isinstance(bound, Ok)
    bound_only.stop()
    bound_only.serve()
    with pytest.raises(ConnectionError):
        RawClient(bound.value)


def test_stop_from_a_peers_own_event(start: Start) -> None:
    running = start()
    running.owner.on_said = lambda peer, text: running.listener.stop()
    with running.connect() as client:
        client.say("stop!")
        assert client.close_code() == 1001
    running.accepting.join(HANG_S)
    assert not running.accepting.is_alive()


def test_a_known_client_agrees_with_us_about_the_end(start: Start) -> None:
    running = start()
    with connect(f"ws://127.0.0.1:{running.port}/", compression=None) as client:
        running.stop()
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(timeout=HANG_S)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1001


def test_silent_connections_cost_no_thread_and_keep_nobody_out(start: Start) -> None:
    running = start()
    crowd = [RawClient(running.port) for _ in range(60)]
    for _ in range(100):
        RawClient(running.port).line.close()
    running.healthy_client_gets_in()
    assert sum("peer" in thread.name for thread in threading.enumerate()) < len(crowd)
    for client in crowd:
        client.line.close()


# --- a proof without a session (SPEC §17.4)


def test_a_proof_is_for_the_connection_that_asked_for_it(start: Start) -> None:
    answer, ends = asked_for_a_proof(start())
    head, _, body = answer.partition(b"\r\n\r\n")
    said = json.loads(body)
    assert (
        head.startswith(b"HTTP/1.1 200 OK")
        and set(said) == {"nonce", "proof"}
        and isinstance(SECRET, Ok)
    )
    assert said["proof"] == proof(SECRET.value, SERVER, ends, "0" * 32, said["nonce"])


def test_a_server_without_a_secret_proves_nothing(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SECRET", Err("Permission denied"))
    answer, _ = asked_for_a_proof(start())
    assert answer.startswith(b"HTTP/1.1 503 ") and b"Permission" not in answer
