"""Whatever a test can leave behind is noticed, and what was there before is not."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Iterator

import pytest

from tests import leaks
from tests.leaks import Here, left_since
from tests.strict_python import STRICT, complaints


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(leaks, "GONE_S", 0.01)
    yield


def test_nothing_left_gives_no_complaint() -> None:
    before = Here.now()
    thread = threading.Thread(target=lambda: None, name="short")
    thread.start()
    assert left_since(before) == []


@pytest.mark.usefixtures("impatient")
def test_a_remaining_thread_is_reported_by_its_name() -> None:
    goes_on, before = threading.Event(), Here.now()
    thread = threading.Thread(target=goes_on.wait, name="left behind")
    thread.start()
    try:
        assert left_since(before) == ["the thread 'left behind'"]
        assert left_since(Here.now()) == [], "it was there before"
    finally:
        goes_on.set()
        thread.join()


def test_a_thread_that_is_listed_before_it_runs_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    thread = threading.Thread(target=lambda: None)
    monkeypatch.setitem(getattr(threading, "_limbo"), thread, thread)  # noqa: B009 - as `start` does, first
    starter = threading.Timer(0.05, thread.start)
    starter.start()
    assert leaks.ends_within(thread, 30)
    starter.join()


@pytest.mark.usefixtures("impatient")
def test_a_remaining_process_is_reported_by_its_command() -> None:
    before = Here.now()
    waits = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        # For a moment after its exec a process has no command line: its pipes close before Linux
        # sets the arguments.
        assert process.stdout is not None and process.stdout.readline()
        (found, *pipes) = left_since(before)
        assert found.startswith(f"the process {process.pid}: ") and found.endswith("input()")
        assert pipes == ["2 descriptors more than before"] * leaks.counts_descriptors()
        assert left_since(Here.now()) == [], "it was there before"


@pytest.mark.skipif(os.name == "nt", reason="wine's desktop would count")
@pytest.mark.usefixtures("impatient")
def test_a_process_that_works_in_a_folder_is_reported_by_its_command(tmp_path: Path) -> None:
    waits = [sys.executable, "-c", "print(flush=True); input()"]
    environment = {**os.environ, "STATE": str(tmp_path / "state")}
    with subprocess.Popen(
        waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None and process.stdout.readline()
        (text,) = leaks.left_in(str(tmp_path))
        assert text.startswith(f"the process {process.pid}: ") and text.endswith("input()")
        assert leaks.left_in(str(tmp_path / "state")) == [], "another folder's"
    assert leaks.left_in(str(tmp_path)) == []


def test_an_open_descriptor_is_reported() -> None:
    before = Here.now()
    ends = os.pipe()
    try:
        assert left_since(before) == ["2 descriptors more than before"] * leaks.counts_descriptors()
        assert left_since(Here.now()) == [], "they were there before"
    finally:
        for end in ends:
            os.close(end)


def test_warnings_of_python_outside_tests_are_reported() -> None:
    forgets = "import socket; line = socket.socket(); del line; import sys; sys.exit(7)"
    environment = {**os.environ, **STRICT}
    ran = subprocess.run(
        [sys.executable, "-c", forgets], env=environment, stderr=subprocess.PIPE, timeout=60
    )
    assert ran.returncode == 7
    found = complaints(ran.stderr.decode())
    assert "ResourceWarning" in found[-1] and "unclosed <socket" in found[-1]
    assert complaints("a warning to people") == []
