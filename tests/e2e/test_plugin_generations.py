"""Ready for Unity on CoreCLR: code is unloaded under load, and nothing of it stays
(docs/unity-apis.md).
"""

from __future__ import annotations

import itertools
import sys
import threading
from pathlib import Path
from typing import Callable, List

import pytest
from websockets.exceptions import ConnectionClosed

from tests.rounds import rounds
from tests.scripted_server import ScriptedServer
from tests.unity_headless import generations
from unity_bridge.base.result import Ok
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.trust import consent

GENERATIONS = rounds(4, 50)
WITH_SNIPPET = 2


class Load:
    """Asks and submits on each connection for as long as it is open. ``lets_go``: a generation that
    has answered.
    """

    def __init__(self, server: ScriptedServer, count: int, lets_go: Callable[[], None]) -> None:
        self._server = server
        self._lets_go = lets_go
        self._count = count
        self.instances: List[str] = []
        self.answers = 0
        self._thread = threading.Thread(target=self._run, name="load", daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join(60)

    def _run(self) -> None:
        for number in range(self._count):
            session = self._server.session()
            self.instances.append(session.hello["editor_instance_id"])
            try:
                session.submit(f"job-{number}", tool="run_command", name="list_scenes")
                # Its loop goes on while the generation leaves, or its timer runs on after that.
                waits = (
                    "await Task.Delay(3000);"
                    if number == 1
                    else "while (true) await Task.Delay(10);"
                )
                code = f'Debug.Log("snippet {number}"); {waits} Debug.Log("after the end");'
                session.submit(f"snippet-{number}", tool="run_csharp", code=code)
                for round in itertools.count():
                    session.ask(
                        "execute",
                        tool_name="inspect",
                        params={"what": "hierarchy"},
                        timeout_ms=10_000,
                    )
                    session.ask("execute", tool_name="read_console", params={}, timeout_ms=10_000)
                    self.answers += 2
                    if round == 0:
                        self._lets_go()
            except (AssertionError, ConnectionClosed, OSError):
                pass


def test_no_generation_of_the_code_is_kept_by_unity_or_by_itself(
    server: ScriptedServer, tmp_path: Path
) -> None:
    if sys.platform != "linux":
        pytest.skip("the .NET that is fetched is one for Linux")
    project = tmp_path / "Game"
    assert consent.allow(canonical_path(project), True) == Ok(None)
    with generations.start(tmp_path, project, server.port, GENERATIONS, WITH_SNIPPET) as process:
        assert process.stdin is not None and process.stdout is not None
        stdin = process.stdin
        load = Load(server, GENERATIONS, lambda: (stdin.write("\n"), stdin.flush())[1])
        said = [line.rstrip() for line in process.stdout]
    load.join()
    assert said[-1] == f"HOST alive 0 of {GENERATIONS}", said[-20:]
    assert not any("VIOLATION" in line or "internal error" in line for line in said), said
    assert said.count("HOST loaded from bytes") >= WITH_SNIPPET
    # No code of an old generation runs: a timer that fires later finds that its domain has ended.
    assert not any("after the end" in line for line in said), said
    # The connection needs no thread of the pool, so a pool that is blocked does not delay its end.
    assert not any("The connection still ended" in line for line in said), said
    # Each of them was there, and did something.
    assert len(load.instances) == GENERATIONS and len(set(load.instances)) == 1
    assert load.answers > GENERATIONS
