"""Writing to the client's pipe or socket only as much as it takes at once, without waiting."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any, Callable, Iterator, Tuple

import pytest

from unity_bridge.mcp.unwaiting_output import UnwaitingOutput

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is nothing of it on Windows")

_LINE = b"x" * 1000 + b"\n"
_SHORT = b"short\n"


def _pipe() -> Tuple[int, int]:
    reading, writing = os.pipe()
    return reading, writing


def _sockets() -> Tuple[int, int]:
    reading, writing = socket.socketpair()
    return reading.detach(), writing.detach()


@pytest.fixture(params=[_pipe, _sockets, "a pipe of another user's"])
def ends(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Tuple[int, int]]:
    if request.param == "a pipe of another user's":
        monkeypatch.setattr(os, "open", _denied)
    make: Callable[[], Tuple[int, int]] = request.param if callable(request.param) else _pipe
    reading, writing = make()
    yield reading, writing
    for fd in (reading, writing):
        try:
            os.close(fd)
        except OSError:
            pass  # a test has closed it


def _denied(*_: Any) -> int:
    raise PermissionError


def _fill(output: UnwaitingOutput) -> int:
    """Write until nothing goes out any more; how many bytes did."""
    written = 0
    while True:
        took = output.write(_LINE)
        if took == 0:
            return written
        written += took


def test_a_line_goes_out_at_once(ends: Tuple[int, int]) -> None:
    reading, writing = ends
    output = UnwaitingOutput(writing)
    assert output.write(_SHORT) == len(_SHORT)
    assert os.read(reading, 100) == _SHORT
    output.close()


def test_nothing_waits_for_a_client_that_does_not_read(ends: Tuple[int, int]) -> None:
    reading, writing = ends
    output = UnwaitingOutput(writing)
    written = _fill(output)
    assert written > 0
    read = 0
    while read < written:
        read += len(os.read(reading, 1 << 20))
    assert output.write(_SHORT) == len(_SHORT), "there is room again"
    output.close()


def test_the_clients_descriptor_still_waits(ends: Tuple[int, int]) -> None:
    _, writing = ends
    output = UnwaitingOutput(writing)
    output.write(_SHORT)
    assert os.get_blocking(writing), "its flags are shared with the other processes that have it"
    output.close()


def test_a_client_that_is_gone_takes_nothing(ends: Tuple[int, int]) -> None:
    reading, writing = ends
    output = UnwaitingOutput(writing)
    os.close(reading)
    assert output.write(_SHORT) == 0
    output.close()


def test_a_client_that_was_gone_before_takes_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    output = UnwaitingOutput(writing)
    assert output.write(_SHORT) == 0
    output.close()
    os.close(writing)


def test_once_closed_it_holds_nothing_open(ends: Tuple[int, int]) -> None:
    reading, writing = ends
    output = UnwaitingOutput(writing)
    output.close()
    output.close()
    assert output.write(_SHORT) == 0
    os.close(writing)
    assert os.read(reading, 1) == b"", "the client sees the end"


def test_a_file_takes_what_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "answers"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    output = UnwaitingOutput(fd)
    assert output.write(_SHORT) == len(_SHORT)
    output.close()
    os.close(fd)
    assert path.read_bytes() == _SHORT


def test_a_long_line_is_left_whole(ends: Tuple[int, int]) -> None:
    output = UnwaitingOutput(ends[1])
    assert output.write(b"x" * 5000) == 0
    output.close()
