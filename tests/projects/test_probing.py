"""The report on a project without a plugin, from its lock, its packages and the editor's log (SPEC
§18.3).
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Iterator, List, Optional

import pytest

from tests.installation.unity_projects import make_project
from tests.projects.named_process import running_as
from tests.projects.test_editor_log import ERROR, FAILED, LEFT, START, SUCCEEDED, recorded
from unity_bridge.editor_life.probing import EditorProcessProbe, ProjectWatch
from unity_bridge.log.logger import Logger
from unity_bridge.projects import probing
from unity_bridge.projects.editor_lock import is_open_in_unity
from unity_bridge.projects.probing import editor_log_path, probe_project
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe

# As Unity does, in another process: a record lock on POSIX, a handle that shares nothing on
# Windows.
NO_PROCESS = EditorProcessProbe(None)

HOLD = """
import os, sys
path = sys.argv[1]
if sys.platform == "win32":
    import ctypes
    ctypes.WinDLL("kernel32").CreateFileW(path, 0xC0000000, 0, None, 4, 0, None)
else:
    import fcntl
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    getattr(fcntl, sys.argv[2])(descriptor, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def open_in_unity(project: Path, how: str = "lockf") -> Iterator[None]:
    (project / "Temp").mkdir(exist_ok=True)
    command = [sys.executable, "-I", "-c", HOLD, str(project / "Temp" / "UnityLockfile"), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as unity:
        assert unity.stdout is not None and unity.stdin is not None
        assert unity.stdout.readline().strip() == b"held"
        yield
        unity.stdin.close()


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A project with the plugin in it."""
    project = make_project(tmp_path / "game")
    (project / "Packages" / "com.unitybridge.editor").mkdir()
    return project.resolve()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "Editor.log"


def seen(project: Path, log: Path) -> Optional[NoPlugin]:
    return probe_project(str(project), [str(log)]).reason


def test_the_lock_is_held_by_an_editor_and_not_by_what_it_left(game: Path) -> None:
    assert is_open_in_unity(str(game)) is False
    with open_in_unity(game):
        assert is_open_in_unity(str(game)) is True
    assert (game / "Temp" / "UnityLockfile").exists()
    assert is_open_in_unity(str(game)) is False


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="elsewhere both kinds of locks know of each other, or there is one",
)
def test_a_lock_of_the_other_kind_is_seen_too(game: Path) -> None:
    with open_in_unity(game, "flock"):
        assert is_open_in_unity(str(game)) is True


@pytest.mark.skipif(
    sys.platform != "linux", reason="no other system shows a process's working directory"
)
def test_an_editor_that_stands_in_the_project_has_it_open(game: Path, tmp_path: Path) -> None:
    """Whether Unity locks its file on Linux, nobody has said publicly."""
    (game / "Temp").mkdir()
    (game / "Temp" / "UnityLockfile").touch()
    for name, folder, is_open in (
        ("Unity", game, True),
        ("Unity", tmp_path, False),
        ("Other", game, False),
    ):
        with running_as(name, tmp_path, folder):
            assert is_open_in_unity(str(game)) is is_open


@pytest.mark.skipif(
    sys.platform != "linux", reason="a process with a name of its own; Windows has a held file"
)
def test_two_signs_that_contradict_each_other_say_nothing(
    game: Path, log: Path, tmp_path: Path
) -> None:
    (game / "Library").mkdir()
    instance = game / "Library" / "EditorInstance.json"
    with running_as("Unity", tmp_path, tmp_path) as pid:
        instance.write_text(f'{{"process_id": {pid}, "version": "2022.3.10f1"}}')
        assert is_open_in_unity(str(game)) is None
        assert seen(game, log) is None
    # A pid that no process has, or another program: the file of an editor that was killed.
    for content in (
        f'{{"process_id": {pid}}}',
        f'{{"process_id": {os.getpid()}}}',
        '{"process_id": 0}',
        '{"process_id": true}',
        "[]",
        "{",
        "",
    ):
        instance.write_text(content)
        assert is_open_in_unity(str(game)) is False


@pytest.mark.parametrize("name", ["2021.3-linux.log", "2022.3-windows.log", "6000-windows.log"])
def test_an_editor_that_started_with_compile_errors(game: Path, log: Path, name: str) -> None:
    with open_in_unity(game):
        log.write_bytes(recorded(name, str(game)).encode())
        look = probe_project(str(game), [str(log)])
    assert look.reason is NoPlugin.SAFE_MODE
    assert look.log.errors > 0 and len(look.log.first) == look.log.errors


def test_an_editor_that_does_not_run(game: Path, log: Path) -> None:
    log.write_text(recorded("2021.3-linux.log", str(game)))
    assert seen(game, log) is NoPlugin.UNITY_NOT_RUNNING


def test_a_project_without_the_plugin(game: Path, log: Path) -> None:
    (game / "Packages" / "com.unitybridge.editor").rmdir()
    with open_in_unity(game):
        assert seen(game, log) is NoPlugin.PLUGIN_NOT_INSTALLED
        for name in ("manifest.json", "packages-lock.json"):
            file = game / "Packages" / name
            before = file.read_text() if file.exists() else None
            file.write_text('{"dependencies": {"com.unitybridge.editor": "file:/x"}}')
            assert seen(game, log) is None
            file.unlink() if before is None else file.write_text(before)


def test_an_editor_without_errors_has_its_plugin_elsewhere(game: Path, log: Path) -> None:
    with open_in_unity(game):
        assert seen(game, log) is None, "there is no log"
        log.write_text(recorded("6000-success.log", str(game)))
        assert seen(game, log) is None


def test_errors_of_a_later_compilation_stop_no_plugin(game: Path, log: Path) -> None:
    with open_in_unity(game):
        log.write_text(recorded("6000-success.log", str(game)) + START + ERROR + FAILED)
        assert seen(game, log) is None


def test_the_log_of_another_project_does_not_count(game: Path, log: Path) -> None:
    with open_in_unity(game):
        log.write_text(
            recorded("2021.3-linux.log", str(game))
            + "Successfully changed project path to: /other\n"
        )
        assert seen(game, log) is None
        log.write_text(recorded("2021.3-linux.log", str(game.parent / "other")))
        assert seen(game, log) is None


def test_a_path_in_the_log_is_never_looked_up(
    game: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows that would send the user's credentials to a server that a game names in a line
    that it prints.
    """
    named = "//attacker/share/Game"
    log.write_text(
        recorded("2021.3-linux.log", str(game)) + f"Successfully changed project path to: {named}\n"
    )
    asked: List[str] = []
    real = os.path.realpath

    def realpath(path: str) -> str:
        asked.append(str(path))
        return real(path)

    monkeypatch.setattr("os.path.realpath", realpath)
    with open_in_unity(game):
        assert seen(game, log) is None
    assert asked and not [path for path in asked if "attacker" in path]


def test_the_log_of_an_earlier_start_does_not_count(game: Path, log: Path) -> None:
    log.write_text(recorded("2021.3-linux.log", str(game)))
    with open_in_unity(game):
        opened_at = os.stat(str(game / "Temp" / "UnityLockfile")).st_mtime
        os.utime(str(log), (opened_at - 60, opened_at - 60))
        assert seen(game, log) is None
        os.utime(str(log), (opened_at, opened_at))
        assert seen(game, log) is NoPlugin.SAFE_MODE


def test_a_log_that_is_being_written(game: Path, log: Path) -> None:
    with open_in_unity(game):
        whole = recorded("2022.3-windows.log", str(game)).encode()
        probes: List[Optional[NoPlugin]] = []
        for end in range(0, len(whole) + 1, 97):
            log.write_bytes(whole[:end])
            probes.append(seen(game, log))
    first = probes.index(NoPlugin.SAFE_MODE)
    assert probes == [None] * first + [NoPlugin.SAFE_MODE] * (len(probes) - first)


def test_only_the_ends_of_a_log_of_200_mb_are_read(game: Path, log: Path) -> None:
    with open_in_unity(game):
        with open(str(log), "wb") as stream:
            stream.write(f"Successfully changed project path to: {game}\n".encode())
            stream.truncate(200 * 1024 * 1024)  # a hole: nothing but NUL, without line ends
            stream.seek(0, os.SEEK_END)
            stream.write(("\n" + START + ERROR + FAILED).encode())
        look = probe_project(str(game), [str(log)])
    assert look.reason is NoPlugin.SAFE_MODE and look.log.errors == 1


def test_a_long_log_keeps_what_was_opened_last(
    game: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "_HEAD_BYTES", 1000)
    monkeypatch.setattr(probing, "_TAIL_BYTES", 3000)
    head, filler = f"Successfully changed project path to: {game}\n", "noise\n" * 2000
    with open_in_unity(game):
        log.write_text(head + filler + START + ERROR + FAILED)
        assert seen(game, log) is NoPlugin.SAFE_MODE
        log.write_text(head + filler + f"{head.strip()} 2\n" + START + ERROR + FAILED)
        assert seen(game, log) is None
        log.write_text(head + filler + START + SUCCEEDED + START + ERROR + FAILED)
        assert seen(game, log) is None


def test_the_middle_of_a_long_log_is_searched(
    game: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "_HEAD_BYTES", 1000)
    monkeypatch.setattr(probing, "_TAIL_BYTES", 1000)
    head, filler = f"Successfully changed project path to: {game}\n", "noise\n" * 1000
    with open_in_unity(game):
        for line in (SUCCEEDED, LEFT, "[Project] Loading completed in 8 seconds\n"):
            log.write_text(head + filler + line + filler + START + ERROR + FAILED)
            assert seen(game, log) is None, line
        log.write_text(head + filler + START + ERROR + FAILED)
        assert seen(game, log) is NoPlugin.SAFE_MODE


class TestWhichLog:
    """Since Unity 6.5 an editor writes to the project's own log, unless the user chooses the global
    one.
    """

    @pytest.fixture(autouse=True)
    def opened(self, game: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.setattr(probing, "editor_log_path", lambda: str(log))
        (game / "Logs").mkdir()
        with open_in_unity(game):
            self.opened_at = os.stat(str(game / "Temp" / "UnityLockfile")).st_mtime
            yield

    def write(self, path: Path, text: str, after_s: float) -> None:
        path.write_text(text)
        os.utime(str(path), (self.opened_at + after_s, self.opened_at + after_s))

    def reason(self, game: Path) -> Optional[NoPlugin]:
        return probe_project(str(game), probing.editor_logs_of(str(game))).reason

    def test_the_projects_own(self, game: Path) -> None:
        own = game / "Logs" / "Editor.log"
        self.write(own, recorded("2021.3-linux.log", str(game)), 1)
        assert self.reason(game) is NoPlugin.SAFE_MODE
        self.write(own, START + ERROR + FAILED, 1)
        assert self.reason(game) is NoPlugin.SAFE_MODE, "its place names the project"
        self.write(own, START + ERROR + FAILED, -60)
        assert self.reason(game) is None, "a repository may have one"

    def test_the_one_that_was_written_last(self, game: Path, log: Path) -> None:
        own = game / "Logs" / "Editor.log"
        for of_the_user, of_the_project, reason in (
            (1, 2, NoPlugin.SAFE_MODE),
            (2, 1, None),
            (1, 1, None),
        ):
            self.write(own, START + ERROR + FAILED, of_the_project)
            self.write(log, recorded("6000-success.log", str(game)), of_the_user)
            assert self.reason(game) is reason

    def test_a_log_that_says_where_it_goes_on(self, game: Path, log: Path) -> None:
        moved = "Logs moved to project-relative Editor.log file, and subsequent logs will only be\n"
        self.write(game / "Logs" / "Editor.log", START + ERROR + FAILED, 1)
        self.write(log, f"Successfully changed project path to: {game}\n{moved}", 2)
        assert self.reason(game) is NoPlugin.SAFE_MODE

    def test_another_projects(self, game: Path, log: Path) -> None:
        self.write(game / "Logs" / "Editor.log", START + ERROR + FAILED, 1)
        self.write(log, recorded("6000-success.log", str(game.parent / "other")), 2)
        assert self.reason(game) is NoPlugin.SAFE_MODE


def test_an_answer_of_the_log_says_of_when_it_is_and_what_changed_since(
    game: Path, log: Path
) -> None:
    named = (
        "Assets/A.cs",
        "Assets/Gone.cs",
        "Assets/../B.cs",
        "//attacker/share/C.cs",
        "Assets/D.cs",
    )
    for name in ("Assets/A.cs", "Assets/D.cs"):
        (game / name).write_text("class A {}")
    lines = "".join(ERROR.replace("Assets/A.cs", name) for name in named)
    with open_in_unity(game):
        log.write_text(f"Successfully changed project path to: {game}\n" + START + lines + FAILED)
        written_at = os.stat(str(log)).st_mtime
        os.utime(str(game / "Assets" / "A.cs"), (written_at + 5, written_at + 5))
        os.utime(str(game / "Assets" / "D.cs"), (written_at, written_at))
        probe = probe_project(str(game), [str(log)])
    assert probe.changed_since == ("Assets/A.cs", "Assets/Gone.cs")
    result = probe.compile_result()
    assert (
        result["changed_since"] == ["Assets/A.cs", "Assets/Gone.cs"]
        and result["as_of"] == probe.as_of
    )
    assert (
        "changed since: Unity compiles when its window gets the focus, or after Ignore"
        in result["reason"]
    )
    assert probe.as_of.endswith("Z") and probe.as_of in result["reason"]


def test_a_binary_log_breaks_nothing(game: Path, log: Path) -> None:
    with open_in_unity(game):
        log.write_bytes(bytes(range(256)) * 100)
        assert seen(game, log) is None
        log.unlink()
        log.mkdir()
        assert seen(game, log) is None


def test_the_log_of_an_editor_is_found() -> None:
    home = os.path.expanduser("~")
    assert editor_log_path("linux", {}) == os.path.join(home, ".config", "unity3d", "Editor.log")
    assert editor_log_path("darwin", {}) == os.path.join(
        home, "Library", "Logs", "Unity", "Editor.log"
    )
    local = {"LOCALAPPDATA": "C:\\L"}
    assert editor_log_path("win32", local) == os.path.join("C:\\L", "Unity", "Editor", "Editor.log")
    assert editor_log_path("win32", {}).endswith(
        os.path.join("AppData", "Local", "Unity", "Editor", "Editor.log")
    )


def test_each_question_is_answered_once_on_a_thread_that_ends(game: Path, log: Path) -> None:
    probes: List[Any] = []
    watch = ProjectWatch(
        partial(probe_project, str(game), [str(log)]), probes.append, Logger("test"), NO_PROCESS
    )
    watch.stop(1)
    watch.ask()
    watch.ask()
    watch.stop(10)
    assert [seen.probe.reason for seen in probes] == [NoPlugin.UNITY_NOT_RUNNING] * 2


def test_a_look_that_breaks_says_nothing() -> None:
    def breaks() -> ProjectProbe:
        raise RuntimeError("a bug")

    probes: List[Any] = []
    watch = ProjectWatch(breaks, probes.append, Logger("test"), NO_PROCESS)
    watch.ask()
    watch.stop(10)
    assert probes[0].probe.reason is None


def test_a_system_without_threads_costs_the_look_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_none(thread: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", gives_none)
    probes: List[Any] = []
    watch = ProjectWatch(ProjectProbe, probes.append, Logger("test"), NO_PROCESS)
    watch.ask()
    watch.stop(1)
    assert probes == []
