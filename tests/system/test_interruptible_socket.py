"""A socket that any thread may cut, also where the system leaves its readers and writers waiting."""

from __future__ import annotations

import socket
import threading
from typing import Callable, Iterator, List, Tuple

import pytest

from unity_bridge.system.interruptible_socket import InterruptibleSocket

HANG_S = 20.0

pytestmark = pytest.mark.usefixtures("shutdown_wakes_nobody")


@pytest.fixture
def ends() -> Iterator[Tuple[InterruptibleSocket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        far = socket.create_connection(listening.getsockname())
        accepted, _ = listening.accept()
    with far, InterruptibleSocket.of(accepted) as near:
        assert accepted.fileno() == -1, "it has one owner"
        yield near, far


Ends = Tuple[InterruptibleSocket, socket.socket]


def waits_in(work: Callable[[], object]) -> Tuple[threading.Thread, List[object]]:
    """The thread that does it, and what came of it."""
    came: List[object] = []

    def run() -> None:
        try:
            came.append(work())
        except OSError as error:
            came.append(type(error))

    thread = threading.Thread(target=run, name="waits")
    thread.start()
    return thread, came


def fill(line: socket.socket) -> None:
    line.setblocking(False)
    try:
        while True:
            line.send(b"x" * 65536)
    except BlockingIOError:
        line.setblocking(True)


@pytest.mark.parametrize("limit_s", [None, 600.0])
def test_a_read_returns_as_the_socket_is_cut(ends: Ends, limit_s: float) -> None:
    near, _ = ends
    near.settimeout(limit_s)
    thread, came = waits_in(lambda: near.recv(10))
    near.shutdown(socket.SHUT_RDWR)
    thread.join(HANG_S)
    assert came == [b""]
    assert near.recv(10) == b""


@pytest.mark.parametrize("limit_s", [None, 600.0])
def test_a_write_returns_as_the_socket_is_cut(ends: Ends, limit_s: float) -> None:
    near, _ = ends
    fill(near)
    near.settimeout(limit_s)
    thread, came = waits_in(lambda: near.sendall(b"x" * 2**20))
    near.shutdown(socket.SHUT_RDWR)
    thread.join(HANG_S)
    assert came == [BrokenPipeError]


def test_half_a_shutdown_lets_the_other_half_go_on(ends: Ends) -> None:
    near, far = ends
    near.shutdown(socket.SHUT_WR)
    far.sendall(b"still heard")
    assert near.recv(100) == b"still heard"


def test_bytes_arrive_whole(ends: Ends) -> None:
    near, far = ends
    sent = bytes(range(256)) * 40_000
    thread, _ = waits_in(lambda: near.sendall(sent))
    received = bytearray()
    while len(received) < len(sent):
        received += far.recv(2**20)
    thread.join(HANG_S)
    assert received == sent


@pytest.mark.parametrize("limit_s", [0.01, 0.25])
def test_time_outs_are_those_of_any_socket(ends: Ends, limit_s: float) -> None:
    near, _ = ends
    near.settimeout(limit_s)
    assert near.gettimeout() == limit_s
    with pytest.raises(socket.timeout):
        near.recv(10)
    near.setblocking(False)
    with pytest.raises(BlockingIOError):
        near.recv(10)


def test_a_second_socket_for_the_same_connection(ends: Ends) -> None:
    near, far = ends
    near.settimeout(600.0)
    with near.dup() as second:
        assert second.gettimeout() == 600.0
        second.setblocking(False)
        second.send(b"x")
    assert far.recv(10) == b"x"
    assert near.gettimeout() == 600.0
