"""Draws ``docs/walks.md``: three calls, as the functions that they enter, thread by thread, from a
recorded run.

``python -m tests.walks`` writes the page; ``tests/test_walks.py`` holds the executor's part of it equal to a new run.
The run is real: the MCP endpoint on pipes, the bridge with its threads, a WebSocket connection in place of the editor.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from tests.tool_results import COMPILED, CONSOLE
from tests.unity.raw_websocket import RawClient
from unity_bridge.base.clock import SystemClock
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.config import Config
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.endpoint import McpEndpoint
from unity_bridge.mcp.guarded_stdio import Stdio
from unity_bridge.serve.app import Bridge
from unity_bridge.trust.proof import PLUGIN, Ends, proof
from unity_bridge.trust.secret import shared_secret
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "walks.md"
PACKAGE = str(REPOSITORY / "unity_bridge") + os.sep
# Values, the log and differences between systems are entered from everywhere and lead nowhere.
LEFT_OUT = ("base", "text", "log", "system", "catalogue", "config.py", "version.py", "trust")
HANG_S = 20.0
NONCE = "0123456789abcdef"

HEAD = """# Three calls, as the code walks them

Each line is `file: functions`, in the order in which the file was entered from another one; a function that was entered
before in the same step is left out, and so are `base/`, `text/`, `log/`, `system/`, `catalogue/` and `trust/`. The
threads of a step run side by side; a step ends when the message or the line has arrived.

Drawn by `python -m tests.walks` from a recorded run. A test holds what the executor does equal to a new run.
"""


# Above each list: the same walk in words.
IN_WORDS = (
    (
        "A read",
        """The thread of stdin finds a line, checks the arguments against the tool's schema, and puts the call into the
inbox. It decides nothing more. The executor takes the call, asks whether it may run at all (another project, an editor
that cannot come, a full queue), and gives it a place in the queue. No round trip is open, so the call leaves the queue
at once: `execute` goes into the connection's outbox, the request becomes `running`, and a deadline is set.

The connection's reader thread checks Unity's answer and puts it into the inbox. The executor looks which request waits
for this round trip, checks the result, moves the request to `succeeded`, and hands the answer to the endpoint. The
thread of stdout writes it. Had the connection ended in between, the read would have gone back to the head of the queue:
a read may be asked twice. Had the deadline come first, a later result would have found no open round trip.
""",
    ),
    (
        "A compile, with a domain reload",
        """A compile is a job: it outlives the call and the connection. The executor records the job before it sends
`submit_job`, so that whatever happens next there is something to ask about. Unity's `accepted` moves the job to
`running`, and the call becomes one that waits for the job.

Then Unity reloads its domain, and the plugin is gone. The session ends. The job stays `running`, and nothing is sent
again: the server does not know how far Unity came, so it will ask. The call goes on waiting; its deadline is the job's.

The plugin comes back with a new connection, proves that it has the secret, and says in `hello` which jobs it knows. The
executor asks for this one with `get_job_status`. If the plugin did not know it, the job would end as lost, with the
guarantee `unknown`. It does, the job ends, and the waiting call gets the one answer.
""",
    ),
    (
        "A read of a server that is attached to the owner of the port",
        """Two windows of a client are two servers, and one port has one owner. The other server is attached: it is
connected to the owner as the plugin is, and its calls go there. It keeps the request in its own ledger as `forwarded`,
so that it can answer the client itself if the owner ends.

At the owner the call takes its turn in the one queue of this editor, between the owner's own calls; nothing else
differs. The result goes back over the same connection, and the attached server writes the line for its client, with its
own limits. If the owner dies, the attached server takes the port over: a read is sent again, and of a job the new owner
asks Unity.
""",
    ),
)


class Entry(NamedTuple):
    thread: str
    file: str
    function: str


class Recorder:
    """Every function of the package that is entered from another file, on any thread, since
    ``begin``.
    """

    def __init__(self) -> None:
        self._entries: List[Entry] = []  # list.append is atomic; order holds within each thread
        self.whose: Dict[int, str] = {}  # thread ident -> the server it belongs to
        self.awaited: Optional[int] = None  # the executor that ``wait_for_executor`` waits for
        self.has_come = threading.Event()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE) or code.co_name[0] == "<":
            return
        caller = frame.f_back
        if caller is not None and caller.f_code.co_filename == code.co_filename:
            return
        file = code.co_filename[len(PACKAGE) :].replace(os.sep, "/")
        if not file.startswith(LEFT_OUT):
            thread = threading.current_thread()
            name = "".join(part for part in thread.name if not part.isdigit()).replace("--", "-")
            whose = self.whose.get(thread.ident or 0, "")
            self._entries.append(Entry(f"{whose}{name}", file, code.co_name))
            if code.co_name == "call_abandoned" and thread.ident == self.awaited:
                self.has_come.set()

    def begin(self) -> None:
        self._entries = []

    def entered(self) -> List[Entry]:
        """The functions entered so far. For an executor only whole events: neither the end of the event with which
        ``wait_for_executor`` waited before, nor the one with which it waits now."""
        entries = list(self._entries)
        for thread in {entry.thread for entry in entries if entry.thread.endswith("executor")}:
            handled = [
                n
                for n, entry in enumerate(entries)
                if entry.thread == thread and entry.function == "handle"
            ]
            entries = [
                entry
                for n, entry in enumerate(entries)
                if entry.thread != thread or handled[0] <= n < handled[-1]
            ]
        return entries


class Client:
    """An MCP client on pipes."""

    def __init__(self, bridge: Bridge) -> None:
        read_end, self._to_server = os.pipe()
        from_server, write_end = os.pipe()
        self._lines = os.fdopen(from_server, "r", encoding="utf-8")
        self.endpoint = McpEndpoint(
            Stdio(read_end, write_end),
            lambda: CATALOGUE,
            "0",
            SystemClock(),
            Logger("mcp"),
            lambda news: None,
        )
        self.endpoint.start()
        self.endpoint.open(bridge.call_service, bridge.validator, bridge.answer_max_bytes)
        self._number = 0
        self._servers = (read_end, write_end)

    def shakes_hands(self) -> None:
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "walker", "version": "1"},
        }
        self.asks("initialize", about)
        self.hears()
        self._writes({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def asks(self, method: str, params: Dict[str, Any]) -> None:
        self._number += 1
        self._writes({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})

    def calls(self, tool: str) -> None:
        self.asks("tools/call", {"name": tool, "arguments": {}})

    def hears(self) -> Dict[str, Any]:
        answer: Dict[str, Any] = json.loads(self._lines.readline())
        return answer

    def leaves(self) -> None:
        os.close(self._to_server)
        self.endpoint.give_up()
        self.endpoint.close(1.0)
        for descriptor in self._servers:
            os.close(descriptor)
        self._lines.close()

    def _writes(self, message: Dict[str, Any]) -> None:
        os.write(self._to_server, (json.dumps(message) + "\n").encode())


class Editor:
    """A plugin's connection."""

    def __init__(self, port: int, jobs: Tuple[str, ...] = ()) -> None:
        self._client = RawClient(port)
        here = self._client.line.getsockname()
        self._client.shake_hands()
        hello = {
            "plugin_version": "0",
            "state": "ready",
            "editor_instance_id": "e",
            "project_path": "/Game",
        }
        self.says("hello", **hello, jobs=list(jobs), tools=list(CATALOGUE), nonce=NONCE)
        asked = self.hears("hello")
        secret = shared_secret().value  # type: ignore[union-attr]
        ends = Ends(f"{here[0]}:{here[1]}", f"127.0.0.1:{port}")
        self.says("pong", proof=proof(secret, PLUGIN, ends, asked["nonce"], NONCE))

    def says(self, type: str, **fields: Any) -> None:
        self._client.say(json.dumps({"type": type, "protocol_version": 1, **fields}))

    def hears(self, type: str) -> Dict[str, Any]:
        while True:
            message: Dict[str, Any] = json.loads(self._client.hears())
            if message["type"] == type:
                return message

    def closes(self) -> None:
        self._client.line.close()


class Run:
    """A server with a client and an editor, recorded."""

    def __init__(self, recorder: Recorder, port: int = 0, whose: str = "") -> None:
        config = Config(
            unity_ws_port=port, heartbeat_interval_ms=60_000, heartbeat_timeout_ms=120_000
        )
        self.bridge = Bridge(config)
        self.bridge.start()
        recorder.whose[self.bridge._executor._thread.ident or 0] = whose
        self.until(
            "the port",
            lambda: self.bridge.ledger.listener_now.state.value in ("listening", "attached"),
        )
        self.port = self.bridge.ledger.listener_now.port or 0

    def until(self, what: str, holds: Any) -> None:
        assert self.bridge.ledger.wait_until(holds, HANG_S), f"{what} did not come"

    def stop(self) -> None:
        self.bridge.stop("walked")


class Walk:
    """The steps of one call, as text."""

    def __init__(self, recorder: Recorder, *runs: Run) -> None:
        self._recorder = recorder
        self._runs = runs
        self.text = ""

    def step(self, title: str, threads: Tuple[str, ...]) -> None:
        """End a step: what was entered since the last one, of these threads, in this order."""
        self.text += f"\n**{title}**\n"
        for run in self._runs:
            wait_for_executor(self._recorder, run)
        entries = self._recorder.entered()
        for thread in threads:
            files: List[Tuple[str, List[str]]] = []
            seen = set()
            for entry in entries:
                if entry.thread != thread or entry[1:] in seen:
                    continue
                seen.add(entry[1:])
                if not files or files[-1][0] != entry.file:
                    files.append((entry.file, []))
                files[-1][1].append(entry.function)
            if files:
                self.text += f"\n- thread `{thread}`\n"
                self.text += "".join(
                    f"  - `{file}`: {', '.join(functions)}\n" for file, functions in files
                )
        self._recorder.begin()


def wait_for_executor(recorder: Recorder, run: Run) -> None:
    """Wait until the executor has handled everything that came so far, and has begun with an event
    of no effect.
    """
    recorder.awaited = run.bridge._executor._thread.ident
    recorder.has_come.clear()
    run.bridge.call_service.abandon("nothing")
    assert recorder.has_come.wait(HANG_S), "the executor does not come to the event"


IN = ("mcp-stdin", "executor", "peer-writer")
OUT = ("peer-reader", "executor", "mcp-stdout", "peer-writer")


def read(recorder: Recorder, run: Run, client: Client, editor: Editor) -> str:
    walk = Walk(recorder, run)
    client.calls("read_console")
    request = editor.hears("execute")
    walk.step("The client's line arrives; `execute` leaves", IN)
    editor.says("result", request_id=request["request_id"], status="ok", result=CONSOLE)
    client.hears()
    walk.step("Unity's result arrives; the line to the client leaves", OUT)
    return walk.text


def compile_with_reload(recorder: Recorder, run: Run, client: Client, editor: Editor) -> str:
    walk = Walk(recorder, run)
    client.calls("compile")
    submitted = editor.hears("submit_job")
    walk.step("The client's line arrives; `submit_job` leaves", IN)
    job = submitted["job_id"]
    editor.says(
        "submit_job_result", request_id=submitted["request_id"], status="accepted", job_id=job
    )
    editor.hears("get_job_status")
    walk.step("Unity takes the job; a call waits for it, so `get_job_status` leaves at once", OUT)
    editor.says("editor_status", state="reloading", seq=1)
    editor.closes()
    run.until("the end of the session", lambda: run.bridge.ledger.session is None)
    walk.step("The domain reloads: the connection ends, and the job is kept", OUT)
    back = Editor(run.port, (job,))
    asked = back.hears("get_job_status")
    walk.step("The editor is back and proves itself; the job is asked for", OUT)
    back.says(
        "job_status", request_id=asked["request_id"], job_id=job, state="succeeded", result=COMPILED
    )
    client.hears()
    walk.step("The job has ended; the line to the client leaves", OUT)
    back.closes()
    return walk.text


def attached(recorder: Recorder, owner: Run, editor: Editor) -> str:
    guest = Run(recorder, owner.port, "attached: ")
    client = Client(guest.bridge)
    client.shakes_hands()
    walk = Walk(recorder, owner, guest)
    # The owner reports its editor to the new server, on its own time: that is no part of the call.
    guest.until("the owner's report", lambda: guest.bridge.ledger.editor_now.state.value == "ready")
    wait_for_executor(recorder, owner)
    wait_for_executor(recorder, guest)
    recorder.begin()
    client.calls("read_console")
    request = editor.hears("execute")
    threads = (
        "mcp-stdin",
        "attached: executor",
        "attach-writer",
        "peer-reader",
        "executor",
        "peer-writer",
    )
    walk.step(
        "The line arrives at the attached server; the owner of the port sends `execute`", threads
    )
    editor.says("result", request_id=request["request_id"], status="ok", result=CONSOLE)
    client.hears()
    threads = (
        "peer-reader",
        "executor",
        "peer-writer",
        "unity-listener",
        "attached: executor",
        "mcp-stdout",
    )
    walk.step("Unity's result arrives at the owner; the attached server writes the line", threads)
    client.leaves()
    guest.stop()
    return walk.text


def drawn() -> str:
    """The page, from a run that is recorded now."""
    recorder = Recorder()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        former: Optional[str] = os.environ.get(STATE_DIR_VARIABLE)
        os.environ[STATE_DIR_VARIABLE] = folder
        threading.setprofile(recorder)
        try:
            run = Run(recorder)
            client = Client(run.bridge)
            client.shakes_hands()
            texts = []
            for walk in (read, compile_with_reload):
                editor = Editor(run.port)
                run.until("the session", run.bridge.ledger.editor_is_ready)
                wait_for_executor(recorder, run)
                recorder.begin()
                texts.append(walk(recorder, run, client, editor))
                editor.closes()
                run.until("the end of the session", lambda: run.bridge.ledger.session is None)
            editor = Editor(run.port)
            run.until("the session", run.bridge.ledger.editor_is_ready)
            texts.append(attached(recorder, run, editor))
            editor.closes()
            client.leaves()
            run.stop()
        finally:
            threading.setprofile(None)
            if former is None:
                del os.environ[STATE_DIR_VARIABLE]
            else:
                os.environ[STATE_DIR_VARIABLE] = former
    return HEAD + "".join(
        f"\n## {title}\n\n{words}{text}" for (title, words), text in zip(IN_WORDS, texts)
    )


if __name__ == "__main__":
    sys.stdout.write("drawing\n")
    PAGE.write_text(drawn(), encoding="utf-8")
