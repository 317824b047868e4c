"""Fixtures and checks for all tests: a wired bridge, nothing left behind, the logger restored."""

from __future__ import annotations

import gc
import logging
import signal
import socket
import sys
from typing import Iterator, List

import pytest
from hypothesis import HealthCheck, settings

from tests.fakes import InMemoryBridge
from tests.layers import SLOW
from tests.leaks import Here, files_of_the_checkout, left_in, left_since
from tests.windows import limits
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

# No deadline: the time of an example depends on the machine. Few examples by default; bin/test uses
# the other profile in its slow layer.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", untimed, max_examples=20)
settings.register_profile("many", untimed, max_examples=300)
settings.load_profile("few")

# Some surroundings ignore signals, and every child inherits that: a shell without job control
# SIGINT, nohup SIGHUP.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# They begin first, so that no worker is left with a long file at the end.
LONGEST = (
    "tests/e2e/test_plugin_selftest.py",
    "tests/conformance/test_autobahn.py",
    "tests/e2e/test_script_commands.py",
    "tests/e2e/test_plugin_skills.py",
    "tests/e2e/test_plugin_hostile_server.py",
    "tests/e2e/test_launcher.py",
    "tests/e2e/test_faults.py",
    "tests/text/test_patterns.py",
    "tests/e2e/test_plugin_make.py",
    "tests/e2e/test_working_directory.py",
    "tests/e2e/test_schema_converters.py",
    "tests/e2e/test_plugin_bridge.py",
    "tests/e2e/test_plugin_compile.py",
    "tests/e2e/test_setup_commands.py",
    "tests/e2e/test_plugin_full_disk.py",
    "tests/e2e/test_plugin_jobs.py",
    "tests/e2e/test_plugin_ui.py",
    "tests/e2e/test_plugin_commands.py",
    "tests/e2e/test_plugin_selftest_faults.py",
    "tests/e2e/test_release.py",
    "tests/e2e/test_several_windows.py",
    "tests/model/test_model.py",
    "tests/e2e/test_plugin_profiles.py",
    "tests/e2e/test_soak.py",
    "tests/e2e/test_plugin_loop.py",
    "tests/e2e/test_plugin_reloads.py",
)


def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    ranks = {path: rank for rank, path in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.nodeid.split("::")[0], len(ranks)))
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker("slow")
    if limits.runs_under_wine():
        for item in items:
            reason = limits.reason_to_skip(item.nodeid)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish() -> None:
    # The collected tests live until the end. The garbage collector need not traverse them again and
    # again.
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def state_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The servers and editors of the tests share their own secret, not that of the user who runs
    them.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(STATE_DIR_VARIABLE, str(tmp_path_factory.mktemp("state")))
        patched.delenv("GITHUB_ACTIONS", raising=False)  # there the commands print annotations too
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_runs_on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An editor that ``open`` starts is no child of its test, which must close it."""
    yield
    assert left_in(str(tmp_path_factory.getbasetemp())) == []


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_in_the_checkout() -> Iterator[None]:
    """Of what is not hidden, as caches are: such as Mono's report of a crash."""
    before = files_of_the_checkout()
    yield
    assert files_of_the_checkout() - before == set()


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No thread, process or descriptor of a test outlives it. Set up first, so that it checks last."""
    before = Here.now()
    yield
    assert left_since(before) == []


@pytest.fixture
def bridge() -> Iterator[InMemoryBridge]:
    """A bridge whose port is bound and to which no editor has connected. At the end no call may be
    left unanswered.
    """
    wired = InMemoryBridge()
    yield wired
    wired.stop()
    assert wired.open_requests == [], "a call was not answered"


@pytest.fixture(autouse=True)
def restored_logger() -> Iterator[None]:
    """Undo what a test does to the logger: commands configure it."""
    log = logging.getLogger("unity_bridge")
    before = list(log.handlers), log.propagate, logging.raiseExceptions
    level = log.level
    yield
    log.handlers[:], log.propagate, logging.raiseExceptions = before
    log.setLevel(level)


@pytest.fixture
def shutdown_wakes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows: the other side hears of a ``shutdown``, and one's own threads wait on in ``recv``
    and ``send``.
    """
    shutdown = socket.socket.shutdown

    def silently(line: socket.socket, how: int) -> None:
        shutdown(line, socket.SHUT_WR if how == socket.SHUT_RDWR else how)

    monkeypatch.setattr(socket.socket, "shutdown", silently)
