"""The two byte streams: what is written arrives whole, and every way to end is noticed."""

from __future__ import annotations

import os
import queue
import threading
from pathlib import Path
from typing import Any, Optional, Sequence

import pytest

from tests.leaks import descriptors
from tests.mcp.raw_client import GUARD_S
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.guarded_stdio import Stdio
from unity_bridge.mcp.json_rpc import Request
from unity_bridge.mcp.stdio_wire import StdioWire, WireEnd

pytestmark = pytest.mark.skipif(os.name == "nt", reason="drives the POSIX side with pipes")


def ping(id: int) -> Any:
    return b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % id


class Pipes:
    """A wire, and the far ends of its pipes."""

    def __init__(self, file: Optional[int] = None, **options: Any) -> None:
        stdin, self.into_stdin = (
            os.pipe() if file is None else (file, os.open(os.devnull, os.O_WRONLY))
        )
        self.from_stdout, stdout = os.pipe()
        self.stdio = Stdio(stdin, stdout)
        self.news: queue.Queue[Any] = queue.Queue()
        self.wire = StdioWire(self.stdio, self._delivered, self.news.put, Logger("test"), **options)
        self._open = {self.into_stdin, self.from_stdout, stdin, stdout}

    def _delivered(self, messages: Sequence[Any]) -> None:
        for message in messages:
            self.news.put(message)

    def next(self) -> Any:
        return self.news.get(timeout=GUARD_S)

    def close(self, fd: int) -> None:
        self._open.discard(fd)
        os.close(fd)

    def close_all(self) -> None:
        self.wire.close(5.0)
        for fd in list(self._open):
            self.close(fd)


@pytest.fixture
def pipes() -> Any:
    pipes = Pipes()
    pipes.wire.start()
    yield pipes
    pipes.close_all()


def read_exactly(fd: int, count: int) -> Any:
    data = b""
    while len(data) < count:
        data += os.read(fd, count - len(data))
    return data


def test_lines_come_in_and_go_out(pipes: Pipes) -> None:
    os.write(pipes.into_stdin, ping(1) + b"\n\r\n" + ping(2))
    assert [pipes.next(), pipes.next()] == [Request(1, "ping", None), Request(2, "ping", None)]
    pipes.wire.send(b"one\n")
    pipes.wire.send(b"two\n")
    assert read_exactly(pipes.from_stdout, 8) == b"one\ntwo\n"


def test_a_line_may_drip_in(pipes: Pipes) -> None:
    for byte in ping(1):
        os.write(pipes.into_stdin, bytes([byte]))
    assert pipes.next() == Request(1, "ping", None)


def test_an_invalid_message_is_answered_here_and_not_delivered(pipes: Pipes) -> None:
    os.write(pipes.into_stdin, b"rubbish\n" + b'{"jsonrpc":"2.0","id":3,"result":{}}\n' + ping(1))
    assert pipes.next() == Request(1, "ping", None)
    assert os.read(pipes.from_stdout, 1000).startswith(
        b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32700'
    )


def test_a_last_line_without_a_line_end_counts(pipes: Pipes) -> None:
    os.write(pipes.into_stdin, ping(1).rstrip())
    pipes.close(pipes.into_stdin)
    assert [pipes.next(), pipes.next()] == [Request(1, "ping", None), WireEnd.INPUT_ENDED]


def test_a_reader_that_vanishes_is_noticed_while_nothing_happens(pipes: Pipes) -> None:
    pipes.close(pipes.from_stdout)
    assert pipes.next() is WireEnd.OUTPUT_GONE


def test_a_reader_that_vanishes_is_noticed_after_the_input_has_ended(pipes: Pipes) -> None:
    pipes.close(pipes.into_stdin)
    assert pipes.next() is WireEnd.INPUT_ENDED
    pipes.close(pipes.from_stdout)
    assert pipes.next() is WireEnd.OUTPUT_GONE


def test_queued_messages_are_written_before_the_wire_closes(pipes: Pipes) -> None:
    lines = [b"%06d\n" % number for number in range(1000)]
    for line in lines:
        pipes.wire.send(line)
    pipes.wire.close(GUARD_S)
    assert read_exactly(pipes.from_stdout, 7000) == b"".join(lines)
    pipes.wire.send(b"too late\n")


def test_a_large_line_is_written_whole_while_its_reader_is_slow(pipes: Pipes) -> None:
    line = b"x" * 3_000_000 + b"\n"
    pipes.wire.send(line)
    pipes.wire.send(b"next\n")
    assert read_exactly(pipes.from_stdout, len(line) + 5) == line + b"next\n"


def test_a_shared_pipe_made_non_blocking_still_serves(pipes: Pipes) -> None:
    os.set_blocking(pipes.stdio.fd_in, False)
    os.set_blocking(pipes.stdio.fd_out, False)
    os.write(pipes.into_stdin, ping(1))
    assert pipes.next() == Request(1, "ping", None)
    line = b"x" * 1_000_000 + b"\n"
    pipes.wire.send(line)
    assert read_exactly(pipes.from_stdout, len(line)) == line


def test_closing_is_bounded_when_the_client_neither_reads_nor_writes(pipes: Pipes) -> None:
    pipes.wire.send(b"x" * 1_000_000)
    pipes.wire.close(0.1)
    assert has_ended("mcp-stdin")
    read_exactly(pipes.from_stdout, 1_000_000)


def has_ended(name: str) -> bool:
    threads = [thread for thread in threading.enumerate() if thread.name == name]
    for thread in threads:
        thread.join(GUARD_S)
    return not any(thread.is_alive() for thread in threads)


def test_a_reader_that_ends_after_the_wire_was_closed_leaves_no_descriptor() -> None:
    before = descriptors()
    pipes, is_delivering, goes_on = Pipes(), threading.Event(), threading.Event()

    def deliver(messages: Sequence[Any]) -> None:
        is_delivering.set()
        assert goes_on.wait(GUARD_S)

    pipes.wire._deliver = deliver
    pipes.wire.start()
    os.write(pipes.into_stdin, ping(1))
    assert is_delivering.wait(GUARD_S)
    pipes.wire.close(0.0)
    goes_on.set()
    assert has_ended("mcp-stdin")
    assert descriptors() == before + len(pipes._open)
    pipes.close_all()


@pytest.mark.slow
def test_a_client_that_never_reads_its_answers_is_not_read_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unity_bridge.mcp.stdio_wire._OUTBOX_BYTES", 100_000)
    pipes = Pipes()

    def answer(messages: Sequence[Any]) -> None:
        for _ in messages:
            pipes.wire.send(b"a" * 999 + b"\n")

    pipes.wire._deliver = answer
    pipes.wire.start()
    try:
        asked = 5000
        flood = threading.Thread(
            target=lambda: [os.write(pipes.into_stdin, ping(n)) for n in range(asked)]
        )
        flood.start()
        flood.join(0.5)
        assert flood.is_alive(), "everything was read although nothing was answered"
        assert len(read_exactly(pipes.from_stdout, asked * 1000)) == asked * 1000
        flood.join(GUARD_S)
        assert not flood.is_alive()
    finally:
        pipes.close_all()


@pytest.mark.parametrize("limit", [50, 4 * 1024 * 1024])
def test_a_line_over_the_limit_is_refused_and_the_next_one_is_served(limit: int) -> None:
    pipes = Pipes(max_line_bytes=limit)
    pipes.wire.start()
    try:
        long = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"' + b"p" * limit + b'"}}\n'
        writer = threading.Thread(
            target=lambda: [os.write(pipes.into_stdin, part) for part in (long, ping(1))]
        )
        writer.start()
        assert pipes.next() == Request(1, "ping", None)
        writer.join(GUARD_S)
        assert os.read(pipes.from_stdout, 1000).startswith(
            b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600'
        )
    finally:
        pipes.close_all()


def test_a_file_can_be_stdin(tmp_path: Path) -> None:
    script = tmp_path / "requests"
    script.write_bytes(ping(1) + ping(2))
    pipes = Pipes(os.open(str(script), os.O_RDONLY))
    pipes.wire.start()
    try:
        assert [pipes.next() for _ in range(3)] == [
            Request(1, "ping", None),
            Request(2, "ping", None),
            WireEnd.INPUT_ENDED,
        ]
    finally:
        pipes.close_all()
