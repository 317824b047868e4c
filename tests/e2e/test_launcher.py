"""A fresh clone's first start, and everything that may come between (real processes, real pip).

The clone is a small one: the real launcher before a program of three lines that needs one package, ``lantern``. The
package comes from an index of the test's own, which can hold pip up in the middle for as long as the story needs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import psutil
import pytest

from tests import environments
from unity_bridge.launch import environment
from unity_bridge.version import __version__

# Long, because a machine or its network may be busy with other things: it only ends what hangs.
LIMIT_S = 600
PREPARING = "unity-bridge: preparing its environment (once, about 30 s) ...\n"
WAITING = "unity-bridge: waiting for another start that prepares the environment ...\n"

SETUP = """\
REQUIRED = ["lantern>=1.3,<2"]
EXTRAS = {}
"""
PROGRAM = """\
import json, os, sys

def main(first_start):
    import lantern
    if "--wait" in sys.argv:
        sys.stdout.write("%d\\n" % os.getpid())
        sys.stdout.flush()
    said = {"python": sys.executable, "prefix": sys.prefix, "arguments": sys.argv[1:], "stdin": sys.stdin.read()}
    said["is_isolated"] = bool(sys.flags.isolated)
    sys.stdout.write(json.dumps(said))
    return 7
"""

NEVER_SERVES = "plain_options = lambda words: None\n"


# Run by the Python that the environment is for, of which the clone is the first argument.
MAKE_WITHOUT_PIP = """\
import os, sys, sysconfig, zipfile

sys.path.insert(0, sys.argv[1])
from unity_bridge.launch import environment, environment_maker

def fill(folder, packages, executable, handed_on):
    environment_maker.run([executable, "-I", "-m", "venv", "--without-pip", folder], handed_on)
    scheme, inside = "nt" if os.name == "nt" else "posix_prefix", {"base": folder, "platbase": folder}
    with zipfile.ZipFile(os.path.join(sys.argv[1], "lantern.whl")) as package:
        package.extractall(sysconfig.get_path("purelib", scheme, inside))

environment_maker.make("env", environment.requirements(), print, fill=fill)
"""

# What pip says, in a test with a real one.
NONE_MATCHES = "No matching distribution found for lantern"
RUN_LAUNCHER = (
    "import runpy; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)
TERMINATED_AT_ITS_FIRST_IMPORT = """\
import os, signal, sys

class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "unity_bridge":
            os.kill(os.getpid(), signal.SIGTERM)

sys.meta_path.insert(0, Finder)
"""
# A Python that makes an environment as a copy: pip is real, and putting it in place takes most of
# the time.
COPIES = """\
#!/bin/sh
if [ "$3" = venv ]; then exec cp -a '{}' "$4"; fi
exec '{}' "$@"
"""


def wheel(version: str) -> bytes:
    info = f"lantern-{version}.dist-info"
    packed = BytesIO()
    files = {
        "lantern.py": "LIT = True\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: lantern\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(
                zipfile.ZipInfo(name), text
            )  # without the time of day: equal bytes each time
    return packed.getvalue()


class Index:
    """Where pip finds ``lantern``. Reports when pip asks, and may delay the answer."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.is_stocked = True
        self.pages_asked = 0
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.endswith(".whl"):
                    return self.answer(wheel("1.5"), "application/octet-stream")
                index.pages_asked += 1
                index.asked.release()
                index.may_answer.wait(LIMIT_S)
                name = "lantern-1.5-py3-none-any.whl"
                self.answer(
                    f'<a href="{name}">{name}</a>'.encode() if index.is_stocked else b"",
                    "text/html",
                )

            def answer(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass  # its pip was killed: that is the story

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="package index")
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def holds_pip_up(self) -> None:
        self.may_answer.clear()

    def is_asked(self) -> None:
        assert self.asked.acquire(timeout=LIMIT_S), "pip never asked for the package"

    def close(self) -> None:
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Clone:
    """A fresh clone whose launcher can be started; its stories end with no process left."""

    def __init__(self, folder: Path, index: str) -> None:
        self.folder = folder
        self.cache = folder.parent / "cache"
        self.launcher = folder / "bin" / "unity-bridge"
        self.environments = folder / ".unity-bridge"
        self.starts: List[subprocess.Popen[str]] = []
        self._before_the_launcher: List[str] = []
        here = Path(environment.ROOT)
        shutil.copytree(
            str(here / "unity_bridge" / "launch"), str(folder / "unity_bridge" / "launch")
        )
        for name in ("bin/unity-bridge", "unity_bridge/__init__.py"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(str(here / name), str(folder / name))
        (folder / "setup.py").write_text(SETUP, encoding="utf-8")
        (folder / "unity_bridge" / "__main__.py").write_text(PROGRAM, encoding="utf-8")
        (folder / "unity_bridge" / "serve").mkdir()
        (folder / "unity_bridge" / "serve" / "plain_options.py").write_text(
            NEVER_SERVES, encoding="utf-8"
        )
        unwanted = ("PIP_", "PYTHON", "COV_", "COVERAGE", "VIRTUAL_ENV")
        self.environ = {
            name: value
            for name, value in os.environ.items()
            if not name.upper().startswith(unwanted)
        }
        self.environ.update(
            PIP_NO_INDEX="1",
            PIP_FIND_LINKS=index,
            PIP_RETRIES="0",
            PIP_NO_CACHE_DIR="1",
            NO_PROXY="127.0.0.1",
            no_proxy="127.0.0.1",
            XDG_CACHE_HOME=str(self.cache),
        )

    def copies(self, empty: Path) -> None:
        """From now on the launcher makes its environments as copies of ``empty``, in which there is
        nothing but pip.
        """
        program = self.folder.parent / "copies"
        program.write_text(COPIES.format(empty, sys.executable), encoding="utf-8")
        program.chmod(0o755)
        self._before_the_launcher = ["-c", pretending(program)]

    def starts_up(
        self, *arguments: str, python: str = sys.executable, **environ: str
    ) -> subprocess.Popen[str]:
        start = subprocess.Popen(
            [python, *self._before_the_launcher, str(self.launcher), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            cwd=str(self.folder.parent),
            env={**self.environ, **environ},
        )
        self.starts.append(start)
        return start

    def runs(self, *arguments: str, stdin: str = "", **how: str) -> Run:
        return Run(self.starts_up(*arguments, **how), stdin)

    def begins_to_prepare(self, **how: str) -> bool:
        """Whether a start says that it makes an environment. It is stopped then: making one takes
        seconds.
        """
        start = self.starts_up(**how)
        line = read_line(start)
        start.terminate()
        start.communicate(timeout=LIMIT_S)
        return line == PREPARING

    def finished(self) -> List[str]:
        return sorted(path.parent.name for path in self.environments.glob("*/.ready"))

    def close(self) -> None:
        for start in self.starts:
            if start.poll() is None:
                start.kill()
            start.communicate()


class Run:
    """What came of a start."""

    def __init__(self, start: subprocess.Popen[str], stdin: str = "") -> None:
        self.out, self.err = start.communicate(stdin, timeout=LIMIT_S)
        self.status = start.returncode

    @property
    def said(self) -> Dict[str, Any]:
        assert self.status == 7, self.err
        said: Dict[str, Any] = json.loads(self.out)
        return said


@pytest.fixture
def index() -> Iterator[Index]:
    index = Index()
    yield index
    index.close()


def pretending(executable: Path) -> str:
    """A program that runs the launcher as if it were this Python that runs it."""
    return f"import sys; sys.executable = {str(executable)!r}; " + RUN_LAUNCHER


@pytest.fixture(scope="module")
def empty_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty") / "environment"
    subprocess.run([sys.executable, "-I", "-m", "venv", str(folder)], check=True, timeout=LIMIT_S)
    return folder


@pytest.fixture
def untouched(tmp_path: Path, index: Index) -> Iterator[Clone]:
    """A clone that nobody has started, and that makes its environments with nothing but the real
    tools.
    """
    clone = Clone(tmp_path / "a clone", index.url)
    yield clone
    index.may_answer.set()
    clone.close()


@pytest.fixture
def clone(untouched: Clone, request: pytest.FixtureRequest) -> Clone:
    if os.name != "nt":  # the program that copies is a POSIX script
        untouched.copies(request.getfixturevalue("empty_environment"))
    return untouched


@pytest.fixture(scope="module")
def finished_environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the first start of a clone leaves them behind, but that pip was not asked, which takes
    seconds.

    An environment may be moved: only its scripts name its place.
    """
    clone = Clone(tmp_path_factory.mktemp("finished") / "a clone", "nowhere")
    (clone.folder / "lantern.whl").write_bytes(wheel("1.5"))
    command = [sys.executable, "-I", "-c", MAKE_WITHOUT_PIP, str(clone.folder)]
    subprocess.run(
        command, env=clone.environ, stdin=subprocess.DEVNULL, check=True, timeout=LIMIT_S
    )
    return clone.environments


@pytest.fixture
def used_clone(untouched: Clone, finished_environments: Path) -> Clone:
    """One that was started before."""
    shutil.copytree(str(finished_environments), str(untouched.environments), symlinks=True)
    return untouched


def test_the_first_start_prepares_an_environment_and_the_next_ones_only_use_it(
    untouched: Clone, index: Index
) -> None:
    clone = untouched
    first = clone.runs("--port", "8091", "two words", stdin="a line for the program\n")
    assert first.err == PREPARING
    assert first.said["arguments"] == ["--port", "8091", "two words"]
    assert first.said["stdin"] == "a line for the program\n"
    assert Path(first.said["prefix"]).parent == clone.environments
    assert clone.finished() == [Path(first.said["prefix"]).name]

    second = clone.runs(stdin="another")
    assert second.err == ""
    assert second.said["prefix"] == first.said["prefix"]
    assert index.pages_asked == 1


def test_the_launched_program_takes_no_code_from_outside(used_clone: Clone, tmp_path: Path) -> None:
    (tmp_path / "lantern.py").write_text("raise SystemExit('code of the working directory')")
    line = used_clone.runs(PYTHONPATH=str(tmp_path)).said
    assert line["is_isolated"] is True


def test_a_python_that_has_everything_is_used_as_it_is(untouched: Clone, tmp_path: Path) -> None:
    clone = untouched
    with zipfile.ZipFile(BytesIO(wheel("1.4"))) as archive:
        archive.extractall(str(tmp_path / "site"))
    run = clone.runs(PYTHONPATH=str(tmp_path / "site"))
    assert run.err == ""
    assert run.said["prefix"] == sys.prefix
    assert not clone.environments.exists()


def test_a_python_whose_package_is_too_old_is_not(clone: Clone, tmp_path: Path) -> None:
    with zipfile.ZipFile(BytesIO(wheel("1.2"))) as archive:
        archive.extractall(str(tmp_path / "site"))
    assert clone.begins_to_prepare(PYTHONPATH=str(tmp_path / "site"))


def test_other_requirements_get_an_environment_of_their_own(used_clone: Clone) -> None:
    (before,) = used_clone.finished()
    (used_clone.folder / "setup.py").write_text(SETUP.replace("1.3", "1.4"), encoding="utf-8")
    assert used_clone.begins_to_prepare()
    assert {path.stem for path in used_clone.environments.glob("*.lock")} > {before}
    assert used_clone.finished() == [before]


def test_with_two_starts_at_once_one_prepares_and_the_other_waits(
    clone: Clone, index: Index
) -> None:
    index.holds_pip_up()
    first = clone.starts_up()
    index.is_asked()
    second = clone.starts_up()
    assert read_line(second) == WAITING
    index.may_answer.set()
    one, other = Run(first), Run(second)
    assert one.said["prefix"] == other.said["prefix"]
    assert (one.err, other.err) == (PREPARING, "")
    assert index.pages_asked == 1


def test_an_environment_left_by_a_killed_start_is_made_again(clone: Clone, index: Index) -> None:
    index.holds_pip_up()
    killed = clone.starts_up()
    index.is_asked()
    killed.kill()
    killed.wait(LIMIT_S)
    (half_made,) = (path for path in clone.environments.iterdir() if path.is_dir())
    (half_made / "left over").touch()
    assert clone.finished() == []

    # The pip of the killed one still runs, and writes: nobody may clear the folder under it.
    following = clone.starts_up()
    if os.name != "nt":
        assert read_line(following) == WAITING
        assert (half_made / "left over").exists()
    index.may_answer.set()
    run = Run(following)
    assert PREPARING in run.err or os.name == "nt"
    assert Path(run.said["prefix"]) == half_made
    assert not (half_made / "left over").exists()


def test_a_killed_start_takes_its_server_with_it(used_clone: Clone) -> None:
    """The client goes on holding the server's stdin, so its end would not end the server."""
    start = used_clone.starts_up("--wait")
    assert start.stdout is not None and start.stdin is not None
    server = psutil.Process(int(start.stdout.readline()))
    start.kill()
    server.wait(LIMIT_S)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals between processes")
@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_start_that_is_stopped_takes_its_pip_with_it(
    number: int, status: int, clone: Clone, index: Index
) -> None:
    index.holds_pip_up()
    stopped = clone.starts_up()
    index.is_asked()
    children = children_of(stopped)
    assert_none_holds_the_wire(stopped, children)
    stopped.send_signal(number)
    assert Run(stopped).status == status
    _, alive = psutil.wait_procs(children, timeout=LIMIT_S)
    assert not alive
    index.may_answer.set()
    assert clone.begins_to_prepare()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals between processes")
def test_a_signal_before_anything_is_imported_ends_it_as_later(used_clone: Clone) -> None:
    used_clone._before_the_launcher = ["-c", TERMINATED_AT_ITS_FIRST_IMPORT + RUN_LAUNCHER]
    assert used_clone.runs().status == 143


def children_of(start: subprocess.Popen[str]) -> List[psutil.Process]:
    """All below it. psutil leaves out a child that seems older than its parent, as after the system
    set its clock.
    """
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        children = psutil.Process(start.pid).children(recursive=True)
        if children:
            return children
    raise AssertionError("it has no child")


def assert_none_holds_the_wire(
    start: subprocess.Popen[str], children: List[psutil.Process]
) -> None:
    if sys.platform != "linux":
        return  # other systems do not show another process's descriptors
    assert start.stdin is not None and start.stdout is not None
    wire = {os.readlink(f"/proc/self/fd/{end.fileno()}") for end in (start.stdin, start.stdout)}
    for child in children:
        held = {os.readlink(str(path)) for path in Path(f"/proc/{child.pid}/fd").iterdir()}
        assert not held & wire, child.cmdline()


def test_a_failure_is_printed_in_full_and_the_next_start_tries_again(
    clone: Clone, index: Index
) -> None:
    index.is_stocked = False
    failed = clone.runs(stdin="not for pip\n")
    assert (failed.status, failed.out) == (1, "")
    assert failed.err.startswith(PREPARING)
    assert NONE_MATCHES in failed.err
    assert "unity-bridge: " in failed.err.replace(PREPARING, "")
    index.is_stocked = True
    assert clone.begins_to_prepare()


def test_a_clone_that_cannot_be_written_uses_the_users_cache(clone: Clone) -> None:
    # A file where the folder should be: this stops root too, whom no permission stops.
    clone.environments.touch()
    clone.environ["HOME"] = clone.environ["USERPROFILE"] = str(clone.folder.parent)
    first = clone.runs()
    assert first.err == PREPARING
    assert clone.folder.parent in Path(first.said["prefix"]).parents
    assert clone.folder not in Path(first.said["prefix"]).parents
    assert clone.runs().err == ""


def test_an_environment_whose_python_was_removed_is_made_again(used_clone: Clone) -> None:
    Path(environment.python_of(used_clone.runs().said["prefix"])).unlink()
    assert used_clone.begins_to_prepare()


class TestALockedClone:
    """``conf/packages.lock`` names each package's version and the hashes of its files."""

    @staticmethod
    def lock(clone: Clone, version: str, content: bytes) -> None:
        digest = hashlib.sha256(content).hexdigest()
        (clone.folder / "conf").mkdir()
        line = f"lantern=={version} \\\n    --hash=sha256:{digest}\n"
        (clone.folder / "conf" / "packages.lock").write_text(line, encoding="utf-8")

    def test_takes_no_other_file(self, clone: Clone) -> None:
        self.lock(clone, "1.5", b"another")
        refused = clone.runs()
        assert refused.status == 1 and clone.finished() == []
        assert (
            "DO NOT MATCH THE HASHES" in refused.err
            and "UNITY_BRIDGE_UNLOCKED=1 takes" in refused.err
        )
        assert clone.begins_to_prepare(UNITY_BRIDGE_UNLOCKED="1")


def test_a_machine_without_network_gets_a_message_about_it(clone: Clone) -> None:
    # Nothing listens there: what a name that cannot be resolved comes to, without asking anybody.
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/simple"
        how = {"PIP_NO_INDEX": "", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": url, "PIP_RETRIES": "1"}
        offline = clone.runs(PIP_CONFIG_FILE=os.devnull, **how)

    assert offline.status == 1
    assert "PIP_FIND_LINKS=FOLDER" in offline.err and "Traceback" not in offline.err


def test_a_python_too_old_gets_a_message_it_can_print(clone: Clone) -> None:
    pretend = "import sys; sys.version_info = (3, 7, 9); " + RUN_LAUNCHER
    done = subprocess.run(
        [sys.executable, "-c", pretend, str(clone.launcher)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=clone.environ,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs Python 3.8 or newer" in done.stderr
    assert sys.executable in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="the stubs of the version managers are POSIX scripts")
def test_an_old_python_serves_itself_and_looks_for_no_other(
    untouched: Clone, tmp_path: Path
) -> None:
    clone = untouched
    versions: List[Tuple[int, int]] = [(3, 8), (3, 9)]
    old = next(
        (path for path in (python_of_version(version) for version in versions) if path), None
    )
    if old is None:
        pytest.skip("no Python 3.8 or 3.9 on this machine")
    asked = tmp_path / "asked"
    folder = tmp_path / "path"
    folder.mkdir()
    (folder / "python3.13").write_text(f"#!/bin/sh\necho >> '{asked}'\nexit 127\n")
    (folder / "python3.13").chmod(0o755)
    clone.environ["PATH"] = str(folder)
    first = clone.runs(python=old)
    assert first.err == PREPARING
    assert "cpython-3{}".format(old.rsplit(".", 1)[-1]) in first.said["prefix"]
    assert clone.runs(python=old).err == ""
    assert not asked.exists()


class TestAClientsFirstStart:
    """The whole program, whose pip is held up: it serves before it has what it needs."""

    @pytest.fixture
    def clone(self, tmp_path: Path, index: Index) -> Iterator[Clone]:
        clone = Clone(tmp_path / "a clone", index.url)
        copy_whole(clone.folder, "bin", "unity_bridge")
        index.holds_pip_up()
        yield clone
        index.may_answer.set()
        clone.close()

    def test_answers_what_is_static_and_refuses_calls_in_time(
        self, clone: Clone, index: Index
    ) -> None:
        start = clone.starts_up(
            "--port", "0", python=base_python(), UNITY_BRIDGE_COMPILE_GRACE_TIMEOUT_MS="0"
        )
        index.is_asked()
        assert set(ask(start, *HANDSHAKE)) == {1, 2, 3}
        (answer,) = ask(start, call(4)).values()
        error = refused(answer)
        assert error["code"] == "ERR_EDITOR_NOT_READY" and error["retryable"]
        assert error["details"]["reason"] == "starting_environment"
        assert error["details"]["execution_guarantee"] == "not_executed"

    def test_refuses_a_call_when_its_client_waits_no_longer(
        self, clone: Clone, index: Index
    ) -> None:
        start = clone.starts_up("--port", "0", python=base_python())
        index.is_asked()
        ask(start, *HANDSHAKE)
        answers = ask(start, call(4, "compile", wait_ms=0), call(5, "read_console", timeout_ms=1))
        for answer in answers.values():
            assert refused(answer)["details"]["reason"] == "starting_environment"
            assert refused(answer)["details"]["parked_ms"] >= 0

    def test_takes_no_more_calls_than_wait_for_an_editor(self, clone: Clone, index: Index) -> None:
        start = clone.starts_up(
            "--port", "0", python=base_python(), UNITY_BRIDGE_QUEUE_MAX_SIZE="2"
        )
        index.is_asked()
        ask(start, *HANDSHAKE)
        write(start, call(4), call(5), call(6))
        answers = read_answers(start, 1)
        assert refused(answers[6])["code"] == "ERR_QUEUE_FULL"
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 4}}
        write(start, cancelled, call(7), call(8))
        answers = read_answers(start, 1)
        assert refused(answers[8])["details"]["queue_max_size"] == 2

    def test_goes_on_making_it_for_the_next_start_when_its_client_leaves(
        self, clone: Clone, index: Index
    ) -> None:
        (clone.folder / "setup.py").write_text(SETUP, encoding="utf-8")
        start = clone.starts_up("--port", "0", python=base_python())
        index.is_asked()
        makers = children_of(start)
        ask(start, *HANDSHAKE)
        assert Run(start).status == 0
        assert not clone.finished()
        index.may_answer.set()
        _, alive = psutil.wait_procs(makers, timeout=LIMIT_S)
        assert not alive and clone.finished()

    def test_answers_calls_with_what_pip_says_if_that_fails(
        self, clone: Clone, index: Index
    ) -> None:
        index.is_stocked = False
        start = clone.starts_up("--port", "0", python=base_python())
        index.is_asked()
        ask(start, *HANDSHAKE)
        write(start, call(4))
        index.may_answer.set()
        (answer,) = read_answers(start, 1).values()
        error = refused(answer)
        assert "No matching distribution found for" in error["message"]
        failed = Run(start)
        assert (failed.status, failed.out) == (1, "")
        assert "PIP_FIND_LINKS=FOLDER" in failed.err
        assert not clone.finished()

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals between processes")
    def test_takes_its_pip_with_it(self, clone: Clone, index: Index) -> None:
        stopped = clone.starts_up("--port", "0", python=base_python())
        index.is_asked()
        children = children_of(stopped)
        assert_none_holds_the_wire(stopped, children)
        stopped.send_signal(signal.SIGTERM)
        assert stopped.wait(LIMIT_S) == 143  # before its input ends, which would be another reason
        _, alive = psutil.wait_procs(children, timeout=LIMIT_S)
        assert not alive


HANDSHAKE: List[Dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "a client", "version": "1"},
        },
    },
    {"id": 2, "method": "ping"},
    {"id": 3, "method": "tools/list"},
]


def call(identity: int, tool: str = "get_editor_state", **arguments: Any) -> Dict[str, Any]:
    return {
        "id": identity,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def refused(answer: Dict[str, Any]) -> Dict[str, Any]:
    error: Dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])["error"]
    return error


def ask(start: subprocess.Popen[str], *messages: Dict[str, Any]) -> Dict[int, Any]:
    write(start, *messages)
    return read_answers(start, len(messages))


def write(start: subprocess.Popen[str], *messages: Dict[str, Any]) -> None:
    assert start.stdin is not None
    for message in messages:
        start.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    start.stdin.flush()


def read_answers(start: subprocess.Popen[str], count: int) -> Dict[int, Any]:
    """Return the next answers by their ids."""
    assert start.stdout is not None
    answers = [json.loads(start.stdout.readline()) for _ in range(count)]
    return {answer["id"]: answer for answer in answers}


def copy_whole(folder: Path, *names: str) -> None:
    for name in names:
        whole = os.path.join(environment.ROOT, name)
        shutil.rmtree(str(folder / name), ignore_errors=True)
        shutil.copytree(whole, str(folder / name), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(os.path.join(environment.ROOT, "setup.py"), str(folder))


def test_the_whole_clone_starts_with_what_it_really_needs(tmp_path: Path) -> None:
    """The one story here that needs the network: the real requirements as conf/packages.lock has them, and imported.

    A client starts it first, and its call waits for the environment.
    """
    folder = tmp_path / "clone"
    copy_whole(folder, "bin", "conf", "unity_bridge")
    start = subprocess.Popen(
        [base_python(), str(folder / "bin" / "unity-bridge"), "--port", "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        cwd=str(tmp_path),
        env={**os.environ, "UNITY_BRIDGE_COMPILE_GRACE_TIMEOUT_MS": str(LIMIT_S * 1000)},
    )
    answers = ask(start, *HANDSHAKE, call(4))
    served = Run(start)
    assert set(answers) == {1, 2, 3, 4}
    assert "editor_state" in answers[4]["result"]["structuredContent"], served.err
    assert (served.status, served.out) == (0, "")
    done = subprocess.run(
        [base_python(), str(folder / "bin" / "unity-bridge"), "--version"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=str(tmp_path),
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    assert __version__ in done.stdout
    assert done.stderr == ""
    if sys.version_info >= environment.WITH_SDK:
        made = [
            environment.python_of(str(mark.parent))
            for mark in (folder / ".unity-bridge").glob("*/.ready")
        ]
        (python,) = made or [base_python()]
        subprocess.run(
            [python, "-c", "import unity_bridge.mcp.sdk.authority"], cwd=str(folder), check=True
        )


def python_of_version(version: Tuple[int, int]) -> Optional[str]:
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    folders = [str(path) for path in pyenv.glob("versions/{}.{}.*".format(*version))]
    return environments.find(version, folders)


def base_python() -> str:
    """The one that the running environment was made with: it has no packages of its own."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def read_line(start: subprocess.Popen[str]) -> str:
    assert start.stderr is not None
    return start.stderr.readline()
