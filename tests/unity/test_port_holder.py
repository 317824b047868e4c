"""Whose port it is."""

from __future__ import annotations

import os
import socket
from typing import Any, NoReturn

import psutil
import pytest

from unity_bridge.unity.port_holder import port_holder


@pytest.fixture
def port() -> Any:
    """A port that this process listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def denied(*_: Any, **__: Any) -> NoReturn:
    raise psutil.AccessDenied


def test_the_holder_is_named_by_pid_and_command(port: int) -> None:
    holder = port_holder(port)
    assert holder is not None
    assert holder.startswith(f"pid {os.getpid()} (")
    assert "python" in holder.lower()


def test_where_the_whole_table_is_closed_our_own_processes_are_asked(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "net_connections", denied)
    holder = port_holder(port)
    assert holder is not None and holder.startswith(f"pid {os.getpid()} ")


def test_nobody_is_nobody() -> None:
    with socket.socket() as bound_but_deaf:
        bound_but_deaf.bind(("127.0.0.1", 0))
        assert port_holder(bound_but_deaf.getsockname()[1]) is None


def test_a_system_that_says_nothing_is_no_error(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "net_connections", denied)
    monkeypatch.setattr(psutil.Process, "net_connections", denied)
    assert port_holder(port) is None


def test_a_process_that_hides_its_command_still_has_its_pid(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil.Process, "cmdline", denied)
    assert port_holder(port) == f"pid {os.getpid()}"


def test_a_long_command_is_cut(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil.Process, "cmdline", lambda _: ["x" * 1000])
    holder = port_holder(port)
    assert holder is not None and len(holder) < 200
