"""``doctor``, ``plugin`` and ``client`` as processes, in a pipe and on a terminal, with set-ups
broken for real.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest

from tests.faulty_editor.process import SimulatorProcess
from tests.installation.unity_projects import MANIFEST, make_project
from tests.ports import free_port
from unity_bridge.installation.command_line import ours
from unity_bridge.launch.environment import isolated
from unity_bridge.version import __version__

REPOSITORY = Path(__file__).resolve().parents[2]
GUARD_S = 60


class User:
    """Somebody with a home of their own, at a command line."""

    def __init__(self, home: Path) -> None:
        self.home = self.folder = home
        moved = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")
        self.environ = {name: value for name, value in os.environ.items() if name not in moved}
        self.environ.update(
            HOME=str(home), USERPROFILE=str(home), PYTHONPATH=str(REPOSITORY), NO_COLOR="1"
        )
        self.environ.update(APPDATA=str(home / "Roaming"), LOCALAPPDATA=str(home / "Local"))

    def runs(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*isolated(), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            env={**self.environ, **environ},
            cwd=str(self.folder),
            timeout=GUARD_S,
        )

    def asks_the_doctor(self, *arguments: str, **environ: str) -> Report:
        return Report(self.runs("doctor", "--json", *arguments, **environ))


class Report:
    """The doctor's answer as JSON."""

    def __init__(self, process: subprocess.CompletedProcess[str]) -> None:
        self.status = process.returncode
        self.stderr = process.stderr
        self.envelope: Dict[str, Any] = json.loads(process.stdout)
        self.content: Dict[str, Any] = self.envelope["result"]

    def verdict(self, check: str) -> Optional[str]:
        """The worst of a check's findings; None if it has none."""
        verdicts = [one["verdict"] for one in self.content["checks"] if one["check"] == check]
        return next((worst for worst in ("bad", "note", "ok") if worst in verdicts), None)

    def message(self, check: str) -> str:
        found: List[str] = [
            one["message"] for one in self.content["checks"] if one["check"] == check
        ]
        return "; ".join(found)

    @property
    def bad(self) -> List[str]:
        return sorted({one["check"] for one in self.content["checks"] if one["verdict"] == "bad"})


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def held() -> Iterator[int]:
    """A port that a program has which is not unity-bridge."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield int(other.getsockname()[1])


def test_a_newcomer_sets_up_everything_and_the_doctor_agrees(user: User, port: int) -> None:
    game = str(make_project(user.home / "game"))
    number = str(port)
    before = user.asks_the_doctor("--project", game, "--port", number, "--wait", "0.5")
    assert (before.status, before.bad) == (1, ["plugin"])

    assert user.runs("plugin", "install", game, "--port", number).returncode == 0
    assert user.runs("client", "add", "codex", "--port", number).returncode == 0
    assert user.runs("client", "add", "claude-code", "--port", number).returncode == 0
    not_yet_opened = user.asks_the_doctor("--project", game, "--port", number, "--wait", "0.5")
    assert (not_yet_opened.status, not_yet_opened.bad) == (0, []), (
        "Unity was never opened, and nothing is wrong"
    )
    with SimulatorProcess(port):
        after = user.asks_the_doctor("--port", number, "--wait", str(GUARD_S))

    assert (after.status, after.bad) == (0, []), after.content
    assert after.envelope["ok"] is True and after.content["version"] == __version__
    assert after.verdict("editor") == after.verdict("client") == "ok"
    said = [line for line in after.stderr.splitlines() if not line.startswith("Waiting up to ")]
    assert said == ["project: LanternKeep (/Projects/LanternKeep)"]


def test_another_program_holds_the_port(user: User, held: int) -> None:
    report = user.asks_the_doctor("--port", str(held), "--wait", "30")

    assert (report.status, report.bad) == (1, ["port"])
    assert f"pid {os.getpid()}" in report.message("port") or sys.platform == "darwin"
    assert "does not answer" in report.message("port")


@pytest.mark.parametrize("folder", ["unity-bridge", "unity-bridge/bin"])
def test_a_web_server_with_our_name_in_its_pages_is_no_unity_bridge(
    user: User, folder: str
) -> None:
    shown = user.home / folder
    shown.mkdir(parents=True)
    (shown / "unity-bridge").write_text("This port is the WebSocket listener of unity-bridge\n")
    serves = [
        sys.executable,
        "-u",
        "-m",
        "http.server",
        "--bind",
        "127.0.0.1",
        "--directory",
        str(user.home / folder),
    ]
    with subprocess.Popen(
        [*serves, "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as web:
        assert web.stdout is not None
        port = web.stdout.readline().split(" port ")[1].split()[0]
        report = user.asks_the_doctor("--port", port, "--wait", "30")
        web.kill()

    assert report.bad == ["port"] and "not unity-bridge" in report.message("port")


def test_a_server_too_old_to_share_its_port(user: User) -> None:
    """It knows no other path than the plugin's, and says to a web browser what it is."""
    with ThreadingHTTPServer(("127.0.0.1", 0), OldServer) as old:
        thread = threading.Thread(target=old.serve_forever, name="old-server", daemon=True)
        thread.start()
        report = user.asks_the_doctor("--port", str(old.server_port), "--wait", "30")
        old.shutdown()
        thread.join(GUARD_S)

    assert report.bad == ["port"]
    assert "it is a unity-bridge" in report.message("port")


class OldServer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(426)
        self.end_headers()
        self.wfile.write(
            b"Only WebSocket is spoken here.\n\nThis port is the WebSocket listener of unity-bridge.\n"
        )

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""


def test_another_unity_bridge_that_shares_its_port_is_no_fault(user: User, port: int) -> None:
    pytest.importorskip("mcp_types", reason="serving needs Python 3.10")
    command = [*isolated(), "--port", str(port)]
    server = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=user.environ,
        cwd=user.home,
    )
    assert server.stdin is not None and server.stderr is not None
    for line in server.stderr:
        if f"port={port}" in line:
            break
    report = user.asks_the_doctor("--port", str(port), "--wait", "0.5")
    server.stdin.close()
    server.stderr.read()

    assert server.wait(GUARD_S) == 0
    server.stderr.close()
    assert report.verdict("port") == "ok" and "shared" in report.message("port")


def test_a_plugin_of_another_version_and_on_another_port(user: User, port: int) -> None:
    game = make_project(user.home / "game")
    user.runs("plugin", "install", str(game), "--port", "9000")
    package = game / "Packages" / "com.unitybridge.editor" / "package.json"
    package.write_text(
        package.read_text(encoding="utf-8").replace(__version__, "0.0.1"), encoding="utf-8"
    )

    report = user.asks_the_doctor("--project", str(game), "--port", str(port), "--wait", "0")

    assert report.bad == ["editor", "plugin", "plugin-port"]
    assert "0.0.1" in report.message("plugin") and "9000" in report.message("plugin-port")


def test_a_client_that_starts_what_has_moved(user: User, port: int) -> None:
    user.runs("client", "add", "copilot")
    file = user.home / ".copilot" / "mcp-config.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["mcpServers"]["unity-bridge"]["command"] = str(user.home / "gone" / "python")
    file.write_text(json.dumps(content), encoding="utf-8")

    report = user.asks_the_doctor("--port", str(port), "--wait", "0")

    assert "client" in report.bad
    assert "gone" in report.message("client")


def test_a_bad_configuration_is_a_finding_and_not_the_end(user: User, port: int) -> None:
    report = user.asks_the_doctor(
        "--port", str(port), "--wait", "0", UNITY_BRIDGE_QUEUE_MAX_SIZE="many"
    )

    assert "configuration" in report.bad
    assert report.message("configuration").startswith("ERR_CONFIG_VALIDATION")


def test_half_an_environment(user: User, port: int) -> None:
    """A package that was never installed: its name is unknown, and so is what it brings."""
    shadow = user.home / "shadow"
    shadow.mkdir()
    (shadow / "wsproto.py").write_text("raise ImportError('wsproto is not installed')\n")

    path = os.pathsep.join([str(shadow), str(REPOSITORY)])
    report = user.asks_the_doctor("--port", str(port), "--wait", "0", PYTHONPATH=path)

    assert report.verdict("port") == "note" and "wsproto" in report.message("port")


def test_the_doctor_in_a_pipe_prints_plain_lines(user: User, port: int) -> None:
    game = str(make_project(user.home / "game"))
    user.runs("plugin", "install", game, "--port", str(port))

    done = user.runs("doctor", "--project", game, "--port", str(port), "--wait", "0")

    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    findings = [
        line for line in done.stdout.splitlines() if line.startswith(("ok ", "bad ", "note "))
    ]
    # A build machine may be a container, or have been reached with ssh.
    where_it_runs = ("container", "ssh", "wsl")
    assert [line.split()[1] for line in findings if line.split()[1] not in where_it_runs] == [
        "python",
        "packages",
        "configuration",
        "localhost",
        "secret",
        "port",
        "editor",
        "plugin",
        "plugin-port",
        "client",
    ]
    remedies = [line for line in done.stdout.splitlines() if line.lstrip().startswith("->")]
    assert len(remedies) == sum(line.startswith(("bad ", "note ")) for line in findings)
    assert done.stderr == "Nothing is broken.\n"

    broken = user.runs("doctor", "--project", game, "--port", "9000", "--wait", "0")
    assert (broken.returncode, broken.stderr) == (
        1,
        "Something is broken; the arrows say how to fix it.\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of this kind are POSIX's")
def test_the_doctor_on_a_terminal_prints_colours(user: User, port: int) -> None:
    import pty

    user.environ.pop("NO_COLOR")
    game = str(make_project(user.home / "game"))
    ours, theirs = pty.openpty()
    command = [*isolated(), "doctor", "--project", game, "--port", str(port), "--wait", "0"]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=user.environ, cwd=user.home
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux says so where others say end of file
            break
        if not piece:
            break
        said += piece
    os.close(ours)

    assert process.wait(GUARD_S) == 1
    assert b"\x1b[32m" in said and b"\x1b[31m" in said


def test_results_go_to_stdout_and_the_rest_to_stderr(user: User) -> None:
    shown = user.runs("client", "show", "gemini")
    assert shown.returncode == 0
    assert list(json.loads(shown.stdout)["mcpServers"]) == ["unity-bridge"]
    assert str(user.home / ".gemini" / "settings.json") in shown.stderr

    for arguments, status in (
        (["plugin", "status", str(user.home)], 2),
        (["client", "show", "x"], 2),
    ):
        refused = user.runs(*arguments)
        assert (refused.returncode, refused.stdout) == (status, "")
        assert refused.stderr


@pytest.mark.parametrize(
    "arguments", [["doctor"], ["plugin"], ["plugin", "install"], ["client"], ["client", "add"]]
)
def test_every_help_has_an_example(user: User, arguments: List[str]) -> None:
    done = user.runs(*arguments, "--help")

    assert done.returncode == 0
    assert f"Example: {ours(arguments[0])}" in " ".join(done.stdout.split())


def test_none_of_them_imports_mcp(user: User, port: int) -> None:
    shadow = user.home / "shadow"
    shadow.mkdir()
    (shadow / "mcp.py").write_text("raise SystemExit('mcp was imported')\n")
    path = os.pathsep.join([str(shadow), str(REPOSITORY)])

    for arguments in (
        ["doctor", "--port", str(port), "--wait", "0"],
        ["client", "list"],
        ["plugin", "--help"],
    ):
        assert "mcp was imported" not in user.runs(*arguments, PYTHONPATH=path).stderr


# What docs/settings.md says that uninstalling leaves: a pattern of paths below the home, and the
# words of the page.
LEFT = {
    ".local/state/unity-bridge/*": "`~/.local/state/unity-bridge`",
    "Game/ProjectSettings/UnityBridge.json": "`ProjectSettings/UnityBridge.json`",
    "Game/UserSettings/UnityBridge.json": "`UserSettings/UnityBridge.json`",
    "Game/Library/UnityBridge/*": "`Library/UnityBridge`",
    "*.unity-bridge-backup-*": "one backup for each change",
    ".claude.json": "the clients' files themselves",
    ".cursor/mcp.json": "the clients' files themselves",
    ".codex/config.toml": "the clients' files themselves",
    "Game/.vscode/mcp.json": "the clients' files themselves",
    ".agents/skills/*": "empty folders that were made for skills",
    ".claude/skills/*": "empty folders that were made for skills",
    "Game/.agents/skills/*": "empty folders that were made for skills",
    "Game/.claude/skills/*": "empty folders that were made for skills",
    "tmp/unity-bridge-*": "pictures of `unity-bridge shot`",
}


@pytest.mark.skipif(
    sys.platform != "linux", reason="the state folder of other systems is elsewhere"
)
def test_uninstalling_leaves_what_the_page_says_and_no_more(user: User, port: int) -> None:
    game = make_project(user.home / "Game")
    for folder in ("tmp", ".cursor", ".codex", "Game/.vscode"):
        (user.home / folder).mkdir()
    before = {path.relative_to(user.home).as_posix() for path in user.home.rglob("*")}
    user.environ.update(TMPDIR=str(user.home / "tmp"), PATH="/usr/bin:/bin")
    for name in ("UNITY_BRIDGE_STATE_DIR", "XDG_STATE_HOME", "UNITY_BRIDGE_PORT"):
        user.environ.pop(name, None)

    def does(*words: str, folder: Path = user.home) -> None:
        user.folder = folder
        done = user.runs(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)

    # Everything that the documents show.
    does("plugin", "install", str(game), "--port", "auto")
    does("plugin", "install", str(game), "--port", str(port), "--for-me")
    for client in ("claude-code", "cursor", "codex"):
        does("client", "add", client, folder=game)
    does("client", "add", "cursor", "--project", str(game), "--as", "unity-bridge-other")
    does("client", "add", "vscode", "--scope", "project", "--project", str(game))
    does("skill", "install", "claude-code", "codex", "--user")
    with subprocess.Popen(
        [*isolated(), "simulate", "--project", str(game)],
        env=user.environ,
        cwd=str(game),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as editor:
        try:
            for words in (("compile",), ("console", "--new"), ("shot",), ("doctor",)):
                does(*words, "--project", str(game))
        finally:
            editor.terminate()
    does("skill", "install", "claude-code", "codex", folder=game)

    # The page, line by line.
    does("plugin", "remove", str(game))
    does("client", "remove", "--all")
    does("skill", "remove", "--user")
    does("skill", "remove", folder=game)
    does("client", "remove", "cursor", "--as", "unity-bridge-other")
    does("client", "remove", "vscode", "--scope", "project", "--project", str(game))
    listed = user.runs("client", "list").stdout

    page = " ".join((REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8").split())
    assert listed.count("unity-bridge") == listed.count("no unity-bridge"), listed
    assert (game / "Packages" / "manifest.json").read_text() == MANIFEST
    found = {path.relative_to(user.home).as_posix() for path in user.home.rglob("*")} - before
    ends = {path for path in found if not any(other.startswith(f"{path}/") for other in found)}
    # An empty folder counts as what would be in it.
    named = {path: f"{path}/" if (user.home / path).is_dir() else path for path in ends}
    unexplained = [
        path for path, name in named.items() if not any(fnmatch(name, pattern) for pattern in LEFT)
    ]
    assert unexplained == []
    assert [
        pattern for pattern in LEFT if not any(fnmatch(name, pattern) for name in named.values())
    ] == []
    assert [words for words in LEFT.values() if words not in page] == []
