"""What a server without an editor finds out about its project: another port, a sandbox (SPEC
§18.3).
"""

from __future__ import annotations

import errno
import json
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, List, Optional

import pytest

from tests.installation.unity_projects import make_project
from tests.projects.test_probing import HOLD
from unity_bridge.editor_life.probing import EditorProcessProbe, LifeProbe, ProjectWatch
from unity_bridge.log.logger import Logger
from unity_bridge.projects.project_probe import NoPlugin, ProcessIdentity, ProcessSeen, ProjectProbe
from unity_bridge.system import loopback

PORT = 8091


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNITY_BRIDGE_STATE_DIR", str(tmp_path / "state"))
    project = make_project(tmp_path / "game")
    (project / "Packages" / "com.unitybridge.editor").mkdir()
    return project.resolve()


def probe(project: Path, port: int = PORT) -> ProjectProbe:
    return LifeProbe(str(project), lambda: "open it", port)()


def gives(project: Path, port: int) -> None:
    (project / "ProjectSettings" / "UnityBridge.json").write_text(json.dumps({"port": port}))


@contextmanager
def editor(project: Path, *arguments: str) -> Iterator[None]:
    """A process with the arguments of an editor that holds the project's lock."""
    (project / "Temp").mkdir(exist_ok=True)
    command = [
        sys.executable,
        "-I",
        "-c",
        HOLD,
        str(project / "Temp" / "UnityLockfile"),
        "lockf",
        *arguments,
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as unity:
        assert unity.stdout is not None and unity.stdin is not None
        assert unity.stdout.readline().strip() == b"held"
        yield
        unity.stdin.close()


def test_the_projects_file_names_another_port(game: Path) -> None:
    gives(game, 22003)
    for seen in (probe(game), probe(game)):
        assert seen.reason is NoPlugin.OTHER_PORT
        assert seen.remark == (
            "the plugin of this project uses port 22003 (ProjectSettings/UnityBridge.json), and this server port 8091"
        )
    assert probe(game, 22003).reason is NoPlugin.UNITY_NOT_RUNNING
    assert probe(game, 0).reason is NoPlugin.UNITY_NOT_RUNNING, "any free port is nobody's"


def test_a_variable_counts_more_than_the_file(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gives(game, 22003)
    monkeypatch.setenv("UNITY_BRIDGE_PORT", str(PORT))
    assert probe(game).reason is NoPlugin.UNITY_NOT_RUNNING


@pytest.mark.skipif(sys.platform == "win32", reason="there the holder of a file is not known")
@pytest.mark.parametrize(
    "given, file, reason",
    [
        ("22010", None, NoPlugin.OTHER_PORT),
        (str(PORT), 22003, None),
        (str(PORT), None, None),
        ("nonsense", None, None),
        ("9" * 5000, None, None),
    ],
)
def test_the_port_that_the_editor_was_started_with_counts_more_than_the_file(
    game: Path, given: str, file: Optional[int], reason: Optional[NoPlugin]
) -> None:
    if file is not None:
        gives(game, file)
    with editor(game, "-unityBridgePort", given, "-secret", "x"):
        seen = probe(game)
    assert seen.reason is reason
    assert seen.remark is None or "22010 (the editor was started with it)" in seen.remark


def test_a_missing_plugin_comes_before_its_port(game: Path) -> None:
    gives(game, 22003)
    (game / "Packages" / "com.unitybridge.editor").rmdir()
    with editor(game):
        assert probe(game).reason is NoPlugin.PLUGIN_NOT_INSTALLED


@pytest.mark.skipif(sys.platform == "win32", reason="there such a failure means a reserved port")
@pytest.mark.parametrize(
    "number", [errno.EPERM, errno.EACCES, errno.EADDRNOTAVAIL, errno.ENETUNREACH]
)
@pytest.mark.parametrize("function", ["bind", "connect"])
def test_a_sandbox_shows_itself_by_its_refusals(
    function: str, number: int, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forbidden(socket.socket):
        def bind(self, address: object) -> None:
            if function == "bind":
                raise OSError(number, "no")
            super().bind(address)  # type: ignore[arg-type]

        def connect(self, address: object) -> None:
            raise OSError(number, "no")

    monkeypatch.setattr(socket, "socket", Forbidden)
    assert probe(game) == ProjectProbe(NoPlugin.SANDBOXED)
    assert loopback.is_forbidden(OSError(number, "no"), 8091) and not loopback.is_forbidden(
        OSError(number, "no"), 80
    )


def test_an_ordinary_failure_is_no_sandbox(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise OSError(errno.ECONNREFUSED, "no")

    monkeypatch.setattr(socket, "create_connection", refuses)
    assert probe(game).reason is NoPlugin.UNITY_NOT_RUNNING


def test_a_process_is_known_by_its_start_until_it_ends(game: Path) -> None:
    """Another start time means another process with the same id (SPEC §5.6)."""
    processes = EditorProcessProbe(str(game))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as unity:
        process = processes.identify(unity.pid)
        assert process is not None and processes.lives(process)
        assert not processes.lives(ProcessIdentity(unity.pid, "another start"))
        unity.kill()
        unity.wait(30)
        assert not processes.lives(process)
        assert processes.identify(unity.pid) is None


def test_the_end_of_an_editors_log_is_read_if_it_is_about_the_project(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = game.parent / "Editor.log"
    monkeypatch.setattr("unity_bridge.projects.probing.editor_log_path", lambda: str(log))
    crash = "Caught fatal signal - signo:11 code:1 errno:0 addr:0x0"
    process = ProcessIdentity(4242, "its start")
    for project, lines in ((game, (crash,)), (game / "Assets", ())):
        log.write_text(f"Successfully changed project path to: {project}\n{crash}\n")
        assert EditorProcessProbe(str(game)).last_lines(process) == lines
    assert EditorProcessProbe(None).last_lines(process) == ()


def test_a_watch_reports_an_editor_whose_process_is_gone(game: Path) -> None:
    events: List[Any] = []
    watch = ProjectWatch(
        ProjectProbe, events.append, Logger("test"), EditorProcessProbe(None), is_search=True
    )
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as unity:
        process = EditorProcessProbe(None).identify(unity.pid)
        assert process is not None
        watch.identify(unity.pid)
        watch.ask(process)
        watch.ask()
        watch.stop(30)
        unity.kill()
    again = ProjectWatch(ProjectProbe, events.append, Logger("test"), EditorProcessProbe(None))
    again.identify(unity.pid)
    again.ask(process)
    again.stop(30)
    seen, lives, unwatched, ended = events
    assert seen == ProcessSeen(process)
    assert (lives.probe.has_ended, unwatched.probe.has_ended) == (False, None)
    assert (ended.probe.has_ended, ended.probe.reason) == (True, NoPlugin.EDITOR_ENDED)
