"""The attached side of the link to an owner or to a false one: it lets go as soon as it is asked
to.
"""

from __future__ import annotations

import socket
import threading
from typing import Any, Callable, Dict, Iterator, List

import pytest

from unity_bridge.attach import protocol
from unity_bridge.attach.owner_connection import NotAttached, OwnerConnection
from unity_bridge.attach.owner_events import LinkEvent, OwnerSawEditor
from unity_bridge.attach.owner_link import OwnerLink
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.log.logger import Logger
from unity_bridge.unity.websocket import Endpoint, Peer, WebSocketListener

HANG_S = 20


class Holder:
    """Has the port, and gets stuck: ``is_stuck`` is set when the newcomer waits for something that
    never comes.
    """

    def __init__(self) -> None:
        self.is_stuck = threading.Event()
        self.port = 0

    def stop(self) -> None:
        """Give everything back."""


class Mute(Holder):
    """Takes a connection, and never answers the handshake."""

    def __init__(self) -> None:
        super().__init__()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._take_one, name="mute")
        self._thread.start()

    def _take_one(self) -> None:
        line, _ = self._listening.accept()
        with line:
            while line.recv(4096):
                self.is_stuck.set()

    def stop(self) -> None:
        self._thread.join(HANG_S)
        self._listening.close()


class Unfriendly(Holder):
    """Speaks WebSocket, and says nothing in it."""

    def __init__(self) -> None:
        super().__init__()
        self._listener = WebSocketListener(
            {protocol.PATH: Endpoint(self)}, SystemClock(), Logger("test")
        )
        bound = self._listener.bind(0)
        assert isinstance(bound, Ok)
        self.port = bound.value
        self._thread = threading.Thread(target=self._listener.serve, name="accept")
        self._thread.start()

    def peer_opened(self, peer: Peer) -> None:
        self.is_stuck.set()

    def peer_said(self, peer: Peer, text: str) -> None: ...

    def peer_overflowed(self, peer: Peer) -> None: ...

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None: ...

    def stop(self) -> None:
        self._listener.stop()
        self._thread.join(HANG_S)


class Forgetful(Unfriendly):
    """Asks for a proof, and forgets to answer it."""

    def peer_opened(self, peer: Peer) -> None:
        for piece in protocol.encode("challenge", nonce="f" * 32, protocol=protocol.VERSION):
            peer.send(piece)

    def peer_said(self, peer: Peer, text: str) -> None:
        self.is_stuck.set()


class Serving:
    """A link at work on a thread of its own."""

    def __init__(self, link: OwnerLink, port: int) -> None:
        self._results: List[Result[None, NotAttached]] = []
        self._thread = threading.Thread(
            target=lambda: self._results.append(link.serve(port)), daemon=True
        )
        self._thread.start()

    def result(self) -> Result[None, NotAttached]:
        self._thread.join(HANG_S)
        assert not self._thread.is_alive(), "it is still waiting for the holder of the port"
        return self._results[0]


@pytest.fixture(params=[Mute, Unfriendly, Forgetful])
def holder(request: pytest.FixtureRequest) -> Iterator[Holder]:
    made: Callable[[], Holder] = request.param
    holder = made()
    yield holder
    holder.stop()


@pytest.fixture
def events() -> List[LinkEvent]:
    return []


@pytest.fixture
def link(events: List[LinkEvent]) -> OwnerLink:
    return OwnerLink(
        lambda: Ok(b"s" * 32), "0.1.0", 600.0, 600.0, events.append, SystemClock(), Logger("test")
    )


def test_a_stuck_holder_does_not_delay_a_server_that_lets_go(
    holder: Holder, link: OwnerLink, events: List[LinkEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "INTRODUCTION_S", 600.0)
    serving = Serving(link, holder.port)
    assert holder.is_stuck.wait(HANG_S)

    link.close()

    assert isinstance(serving.result(), Err)
    assert events == []


@pytest.mark.usefixtures("shutdown_wakes_nobody")
def test_a_stuck_holder_delays_no_server_on_windows(
    holder: Holder, link: OwnerLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "INTRODUCTION_S", 600.0)
    serving = Serving(link, holder.port)
    assert holder.is_stuck.wait(HANG_S)
    link.close()
    assert isinstance(serving.result(), Err)


def test_a_server_that_has_let_go_attaches_to_no_owner(
    link: OwnerLink, events: List[LinkEvent]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        link.close()
        assert link.serve(other.getsockname()[1]) == Ok(None)
    assert events == [] and not link.call(
        1, "req-1", "read_console", {}, wants_progress=False, client={}
    )


def test_a_port_without_a_listener_has_no_owner(link: OwnerLink) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    assert link.serve(port) == Err(NotAttached())


def test_a_holder_that_sends_us_elsewhere_is_not_followed(link: OwnerLink) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(
        ("127.0.0.1", 0)
    ) as elsewhere:
        place = f"ws://127.0.0.1:{elsewhere.getsockname()[1]}{protocol.PATH}"

        def redirect() -> None:
            line, _ = silent.accept()
            with line:
                line.recv(4096)
                line.sendall(f"HTTP/1.1 302 Found\r\nLocation: {place}\r\n\r\n".encode())

        redirecting = threading.Thread(target=redirect, name="redirect")
        redirecting.start()
        assert Serving(link, silent.getsockname()[1]).result() == Err(NotAttached())
        redirecting.join(HANG_S)
        elsewhere.setblocking(False)
        with pytest.raises(BlockingIOError):
            elsewhere.accept()


@pytest.mark.parametrize(
    "said, heard",
    [
        ({"state": "ready"}, OwnerSawEditor("ready")),
        (
            {"state": "ready", "instance_id": "e", "project_path": "/Game", "trusted": True},
            OwnerSawEditor("ready", "e", "/Game", True),
        ),
        (
            {"state": "ready", "instance_id": 7, "project_path": [], "trusted": "yes"},
            OwnerSawEditor("ready"),
        ),
    ],
)
def test_the_owners_news_of_its_editor_are_read(
    said: Dict[str, Any], heard: OwnerSawEditor
) -> None:
    events: List[LinkEvent] = []
    link = OwnerLink(
        lambda: Ok(b"x" * 32), "1", 1.0, 2.0, events.append, SystemClock(), Logger("test")
    )
    link._hear({"type": "editor", **said})
    assert events == [heard]


def test_no_other_message_goes_between_the_pieces_of_a_long_one() -> None:
    """The executor sends calls, and the thread that receives sends pings."""

    class Writer:
        def __init__(self) -> None:
            self.handed_over: List[List[str]] = []

        def post(self, texts: List[str]) -> None:
            self.handed_over.append(list(texts))

    writer: Any = Writer()
    arguments = {"code": "x" * (2 * protocol.MAX_PIECE_BYTES)}
    OwnerConnection(writer, protocol.Reassembly(), "1.0").send(
        "call", id="req-1", arguments=arguments
    )
    assert [len(pieces) for pieces in writer.handed_over] == [3]
