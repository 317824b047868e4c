"""A process is found by the words of its command line, which another user's may have too."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import Iterator

import pytest

from unity_bridge.editor_life import processes
from unity_bridge.editor_life.processes import pid_with_arguments

LOG = "/state/editors/logs/none.log"
_NOBODY = 65534


@contextmanager
def program(first: str = "pass") -> Iterator[int]:
    waits = (
        f"import os, sys; {first}; sys.stdout.write('up\\n'); sys.stdout.flush(); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", waits, "-logFile", LOG],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None and process.stdout.readline().strip() == b"up"
        yield process.pid
    finally:
        process.communicate()


def test_a_process_of_this_user_is_found() -> None:
    with program() as pid:
        assert pid_with_arguments(["-logFile", LOG]) == pid
        assert pid_with_arguments(["-logFile", f"{LOG}x"]) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs another user")
def test_a_process_of_another_user_is_not() -> None:
    with program(f"os.setuid({_NOBODY})"):
        assert pid_with_arguments(["-logFile", LOG]) is None


def test_a_process_is_known_by_its_pid_and_its_start() -> None:
    start = processes.start_of(os.getpid())
    assert start is not None and processes.lives(os.getpid(), start)
    assert not processes.lives(os.getpid(), "another") and not processes.lives(None, None)
    # One that is gone, also where its start was never read.
    with subprocess.Popen([sys.executable, "-I", "-c", ""]) as child:
        child.wait()
    assert not processes.lives(child.pid, None) and not processes.lives(child.pid, start)
