"""The listener in a process of its own, among the things that happen on a developer's machine.

After every story a healthy plugin gets in at once, threads and descriptors are back where they were, stdout has not
carried a byte that was not asked for, and stderr has stayed quiet.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import queue
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

import psutil
import pytest
from websockets.sync.client import connect
from websockets.sync.server import serve

from tests.scripted_server import serve_until_stopped
from tests.strict_python import STRICT, complaints
from tests.unity.raw_websocket import (
    BINARY,
    CONTINUATION,
    HANG_S,
    PING,
    TEXT,
    RawClient,
    frame,
    header,
    request,
)

ROOT = Path(__file__).resolve().parents[2]
# Interpreters keep what they once needed; a leak of messages or threads is far above this.
MEMORY_SLACK = 48 * 2**20
STDERR_LINES = 25

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals or limits")


class Target:
    """The process under attack."""

    def __init__(self, stderr: Path, **limits: Any) -> None:
        self._stderr = stderr
        with stderr.open("wb") as sink:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    str(Path(__file__).with_name("attacked_listener.py")),
                    json.dumps(limits),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sink,
                cwd=ROOT,
                env={**os.environ, **STRICT, "PYTHONPATH": str(ROOT)},
            )
        self.port = int(self._answer())
        self.healthy_plugin_gets_in()
        self._before = self.ask("report")
        self._memory_before = self._memory()

    def ask(self, command: str) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        return self._answer()

    def healthy_plugin_gets_in(self) -> None:
        with connect(
            f"ws://127.0.0.1:{self.port}/unity", compression=None, open_timeout=HANG_S
        ) as plugin:
            plugin.send("healthy")
            assert plugin.recv(timeout=HANG_S) == "healthy"

    def threads_fall_below(self, most: int) -> bool:
        """On Windows a thread hears a moment later that its connection was cut
        (docs/adr/0025-windows.md).
        """
        process, deadline = psutil.Process(self.process.pid), time.monotonic() + HANG_S
        while process.num_threads() >= most and time.monotonic() < deadline:
            threading.Event().wait(0.05)
        return process.num_threads() < most

    def _is_as_before(self, now: Dict[str, Any]) -> bool:
        has_less = bool(now["descriptors"] <= self._before["descriptors"])
        return has_less and bool(now["threads"] == self._before["threads"])

    def is_as_before(self) -> List[int]:
        """Everything that was taken has been given back; the codes that peers were closed with
        since.
        """
        self.healthy_plugin_gets_in()
        now, deadline = self.ask("report"), time.monotonic() + HANG_S
        closed: List[int] = now["closed"]
        while not self._is_as_before(now) and time.monotonic() < deadline:
            threading.Event().wait(
                0.05
            )  # a thread hears a moment later that its connection has ended
            now = self.ask("report")
            closed += now["closed"]
        assert now["threads"] == self._before["threads"]
        assert now["descriptors"] <= self._before["descriptors"]
        assert self._memory() < self._memory_before + MEMORY_SLACK
        closed.remove(1000)  # the healthy one
        return sorted(closed)

    def ends(self) -> None:
        """Stops by itself, with nothing more on stdout and little on stderr."""
        rest, _ = self.process.communicate(timeout=HANG_S)
        said = self._stderr.read_text()
        assert self.process.returncode == 0, said
        assert rest == b""
        assert "Traceback" not in said and complaints(said) == []
        assert len(said.splitlines()) <= STDERR_LINES, said

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def _memory(self) -> int:
        return int(psutil.Process(self.process.pid).memory_info().rss)


Attack = Callable[..., Target]


@pytest.fixture
def attack(tmp_path: Path) -> Iterator[Attack]:
    targets: List[Target] = []

    def _attack(**limits: Any) -> Target:
        targets.append(Target(tmp_path / f"stderr-{len(targets)}", **limits))
        return targets[-1]

    yield _attack
    try:
        for target in targets:
            target.ends()
    finally:
        for target in targets:
            target.process.kill()


@contextlib.contextmanager
def plugin_process(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A plugin in a process of its own, connected and reading."""
    story = (
        "import socket\n"
        "from websockets.sync.client import connect\n"
        # Its buffer must not grow to what is sent to it while it is stopped.
        "line = socket.socket(); line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)\n"
        f"line.connect(('127.0.0.1', {port}))\n"
        f"uri = 'ws://127.0.0.1:{port}/unity'\n"
        "plugin = connect(uri, sock=line, compression=None, max_size=2**24).__enter__()\n"
        "plugin.send('here'); plugin.recv(); print('connected', flush=True)\n"
        "for message in plugin: pass\n"
    )
    process = subprocess.Popen([sys.executable, "-c", story], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"connected"
        yield process
    finally:
        process.kill()
        process.communicate()


def reset(line: socket.socket) -> None:
    """Close so that the other side gets a reset."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()


# --- floods


def test_two_hundred_half_open_handshakes(attack: Attack) -> None:
    target = attack()
    crowd = [RawClient(target.port) for _ in range(200)]
    for client in crowd:
        with contextlib.suppress(OSError):
            client.send(b"GET /unity HTTP/1.1\r\nHost:")
    target.healthy_plugin_gets_in()
    assert target.threads_fall_below(64 + 10)
    for client in crowd:
        client.line.close()
    assert target.is_as_before() == [1000]


def test_a_hundred_rapid_reconnects(attack: Attack) -> None:
    target = attack()
    for n in range(100):
        client = RawClient(target.port).shake_hands()
        client.say("hello again")
        assert client.hears() == "hello again"
        if n % 2:
            reset(client.line)
        else:
            client.line.close()
    assert target.is_as_before() == [1006] * 100


def test_a_port_scanner_and_its_garbage(attack: Attack) -> None:
    target = attack()
    dice = random.Random(0)
    for n in range(300):
        client = RawClient(target.port)
        with contextlib.suppress(OSError):
            if n % 3 == 1:
                client.send(
                    dice.randbytes(dice.randrange(1, 2000))
                    if sys.version_info >= (3, 9)
                    else os.urandom(99)
                )
            elif n % 3 == 2:
                client.send(b"\x16\x03\x01\x02\x00" + os.urandom(200))
            reset(client.line) if n % 2 else client.line.close()
    assert target.is_as_before() == []


def test_endless_heads(attack: Attack) -> None:
    target = attack()
    for flood in (b"GET /" + b"a" * 2**20, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2**17):
        with RawClient(target.port) as client:
            with contextlib.suppress(OSError):
                client.send(flood)
            assert client.http_status() == 431
    assert target.is_as_before() == []


def test_frames_at_random(attack: Attack) -> None:
    """Whatever comes over an open line ends in a close code, or in nothing worse than a message."""
    target = attack()
    dice = random.Random(1)
    for _ in range(150):
        with RawClient(target.port).shake_hands() as client:
            said = b"".join(
                frame(
                    dice.choice([TEXT, CONTINUATION, PING, BINARY, dice.randrange(16)]),
                    os.urandom(dice.randrange(200)),
                )
                for _ in range(dice.randrange(1, 6))
            )
            with contextlib.suppress(OSError):
                client.send(said[: dice.randrange(1, len(said) + 1)])
    # A random frame may be a whole close, with a code that programs may choose for themselves (RFC
    # 6455 §7.4.2).
    ours = {code for code in target.is_as_before() if not 3000 <= code <= 4999}
    assert ours <= {1002, 1003, 1005, 1006, 1007}


# --- lengths


def test_claims_and_messages_that_are_too_long(attack: Attack) -> None:
    target = attack()
    two_million = frame(TEXT, b"x" * 2_000_000)
    for _ in range(10):
        with RawClient(target.port).shake_hands() as client:
            client.send(header(TEXT, 2**40))
            assert client.close_code() == 1009
        with RawClient(target.port).shake_hands() as client:
            client.send(two_million)
            assert client.hears() == "too long"
            assert client.close_code() == 1009
    assert target.is_as_before() == [1009] * 20


def test_a_client_that_never_stops_sending_is_cut_off(attack: Attack) -> None:
    target = attack()
    with RawClient(target.port).shake_hands() as client:
        client.send(header(TEXT, 2**40))
        with pytest.raises(OSError):
            while True:
                client.send(b"x" * 2**16)
    assert target.is_as_before() == [1009]


# --- peers that die, stop, or stall


def test_a_plugin_is_killed(attack: Attack) -> None:
    target = attack()
    with plugin_process(target.port) as plugin:
        plugin.kill()
        assert target.is_as_before() == [1006]


@posix_only
def test_a_plugin_is_stopped_while_it_is_being_sent_to(attack: Attack) -> None:
    target = attack(send_s=1.0)
    with plugin_process(target.port) as plugin:
        plugin.send_signal(signal.SIGSTOP)
        target.ask("flood")
        target.healthy_plugin_gets_in()
        assert sorted(target.is_as_before()) == [1000, 1006]
        plugin.send_signal(signal.SIGCONT)


@posix_only
def test_out_of_descriptors(attack: Attack) -> None:
    target = attack()
    target.ask("descriptors 30")
    crowd = [RawClient(target.port) for _ in range(90)]
    target.healthy_plugin_gets_in()
    for client in crowd:
        client.line.close()
    assert target.is_as_before() == [1000]


def test_stop_amid_all_of_it(attack: Attack) -> None:
    """Half-open ones, one amid a message, one that does not read, and one that ignores the goodbye."""
    target = attack()
    half_open = [RawClient(target.port) for _ in range(20)]
    amid, silent = RawClient(target.port).shake_hands(), RawClient(target.port).shake_hands()
    deaf = RawClient(target.port, receive_buffer=4096).shake_hands()
    amid.send(frame(TEXT, b"to be continued", fin=False))
    target.ask("flood")
    target.ends()
    for client in (*half_open, amid, silent, deaf):
        client.line.close()


# --- the browser

PAGE = """<script>
const report = what => fetch("/reported?" + what);
const socket = new WebSocket("ws://127.0.0.1:" + location.search.slice(1) + "/unity");
socket.onopen = () => report("open");
socket.onerror = () => report("refused");
</script>"""


class Website(http.server.BaseHTTPRequestHandler):
    """Serves the page, and keeps what the page reports."""

    reports: queue.Queue[str] = queue.Queue()

    def do_GET(self) -> None:
        if self.path.startswith("/reported?"):
            self.reports.put(self.path.partition("?")[2])
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: Any) -> None:
        return None


def chromium() -> Optional[str]:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    return None


def what_a_page_gets(browser: str, port: int, profile: Path) -> str:
    """Lets a real page try to connect to ``port``: ``open`` or ``refused``."""
    Website.reports = queue.Queue()  # an earlier page may have reported twice
    website = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Website)
    serving = threading.Thread(target=website.serve_forever, name="website")
    serving.start()
    process = subprocess.Popen(
        [
            browser,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            f"--user-data-dir={profile}",
            f"http://127.0.0.1:{website.server_address[1]}/?{port}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return Website.reports.get(timeout=90)
    finally:
        process.terminate()
        process.wait()
        website.shutdown()
        serving.join()
        website.server_close()


def test_a_page_in_a_real_browser_is_refused(attack: Attack, tmp_path: Path) -> None:
    browser = chromium()
    if browser is None:
        pytest.skip("no Chromium here")
    with serve(lambda connection: None, "127.0.0.1", 0, compression=None) as anybody:
        serving = threading.Thread(target=serve_until_stopped, args=(anybody,), name="anybody")
        serving.start()
        open_port = anybody.socket.getsockname()[1]
        assert what_a_page_gets(browser, open_port, tmp_path / "profile-1") == "open", (
            "the page can do it"
        )
        anybody.shutdown()
        serving.join()
    target = attack()
    assert what_a_page_gets(browser, target.port, tmp_path / "profile-2") == "refused"
    assert target.is_as_before() == []


def test_a_page_cannot_leave_its_origin_out_but_a_plugin_does(attack: Attack) -> None:
    target = attack()
    for origin in ("http://127.0.0.1", "null", "chrome-extension://abc"):
        with RawClient(target.port) as client:
            client.send(request(target.port, origin=origin))
            assert client.http_status() == 403
    assert target.is_as_before() == []
