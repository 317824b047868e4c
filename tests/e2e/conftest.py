"""What the plugin's tests share: the plugin in a headless editor, and what it connects to.

``server`` plays what a test asks for, and ``editor`` is connected to it. ``agent`` is an MCP client of the real server,
and ``agents_editor`` is connected to that. A file that needs another one has a fixture of its own under these names.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Iterator, Optional

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.package_messages import LOG_FILE_VARIABLE, complaints_in_log
from tests.ports import free_port
from tests.scripted_server import ScriptedServer
from tests.unity_headless import roslyn
from tests.unity_headless.headless_editor import HeadlessEditor, require_mono

if TYPE_CHECKING:
    from tests.unity_headless.mcp_agent import Agent

_NUMBERS = itertools.count(1)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Where Mono is missing, no fixture of the plugin's tests starts anything."""
    if item.path.name.startswith("test_plugin_"):
        require_mono()


@pytest.fixture(scope="module", autouse=True)
def log_of_servers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Optional[Path]]:
    """What all servers of a file write that has the package in an editor; ``None`` where plugins
    are played.
    """
    module = request.path.name
    if not module.startswith("test_plugin_") and module != "test_first_prompts.py":
        yield None
        return
    log = tmp_path_factory.mktemp("servers") / "servers.log"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(LOG_FILE_VARIABLE, str(log))
        yield log


@pytest.fixture(autouse=True)
def servers_understand_the_package(log_of_servers: Optional[Path]) -> Iterator[None]:
    """Set up first, so that it reads the log after the servers of a test have ended."""
    if log_of_servers is None:
        yield
        return
    start = log_of_servers.stat().st_size if log_of_servers.exists() else 0
    yield
    assert complaints_in_log(log_of_servers, start) == []


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        yield headless
        assert headless.violations() == []


@pytest.fixture(scope="module")
def compiler() -> Iterator[str]:
    """Where a compiler answers that has started: its start takes a second of the processor."""
    require_mono()
    with roslyn.served() as port:
        yield port


@pytest.fixture(scope="module")
def started_compiler(compiler: str) -> Iterator[None]:
    """The editors' compiler asks that one. No longer than for one file: each program that is started has the variable
    in its environment, and warns of it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(roslyn.SERVED_AT, compiler)
        yield


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def agent(port: int) -> Iterator[Agent]:
    # Imported here: the mcp package needs Python 3.10, and this file is read on every Python.
    from tests.unity_headless.mcp_agent import Agent

    with Agent(port) as connected:
        yield connected


@pytest.fixture
def agents_editor(port: int, agent: Agent) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(port) as headless:
        agent.wait_for_editor()
        yield headless
        assert headless.violations() == []


@pytest.fixture(scope="module")
def shared() -> Iterator[SharedEditor]:
    """For a file whose tests have one editor between them. It has ``server`` and ``editor`` of its
    own.
    """
    with SharedEditor.started() as started:
        yield started


@pytest.fixture
def job() -> str:
    """An id that no other test has: an editor remembers its jobs."""
    return f"job-{next(_NUMBERS)}"
