"""Who is a terminal: on Windows the null device says it is one."""

from __future__ import annotations

import io
import os
import sys

import pytest

from unity_bridge.system.terminal import is_terminal, is_terminal_descriptor


class StandIn(io.StringIO):
    """What a test or a library has instead of a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_null_device_is_no_terminal() -> None:
    with open(os.devnull, encoding="utf-8") as null:
        assert not is_terminal(null)
        assert not is_terminal_descriptor(null.fileno())


def test_a_pipe_no_stream_and_text_in_memory_are_no_terminals() -> None:
    reads, writes = os.pipe()
    assert not is_terminal_descriptor(reads)
    os.close(reads)
    os.close(writes)
    assert not is_terminal(None)
    assert not is_terminal(io.StringIO())


def test_a_stand_in_knows_best() -> None:
    assert is_terminal(StandIn())


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX terminals")
def test_a_terminal_is_one() -> None:
    import pty

    ours, theirs = pty.openpty()
    with open(theirs, encoding="utf-8") as stream:
        assert is_terminal(stream)
    os.close(ours)
