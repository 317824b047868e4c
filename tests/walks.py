"""Writes ``docs/walks.md``: three calls in ten lines each, with the functions that they enter.

``python -m tests.walks`` writes the page; ``tests/test_walks.py`` compares each line with a recorded run. The run is
real: the MCP endpoint on pipes, the bridge with its threads, a WebSocket connection in place of the editor.
"""

from __future__ import annotations

import json
import os
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

Ten lines a call. Behind each stand the functions that its thread enters from other files, in this order: `stdin` and
`stdout` of the client, the one `executor`, which decides, and the `reader` of a connection.

Written by `python -m tests.walks`; a test compares each line with a recorded run.
"""


class Line(NamedTuple):
    """A line of the page. ``step``: which of the walk's recorded steps; ``thread``: the end of its name."""

    step: int
    thread: str
    words: str
    functions: Tuple[str, ...]


IN = "mcp-stdin"
READER, EXECUTOR, ATTACHED = "peer-reader", "executor", "attached: executor"
READ = (
    Line(
        *(0, IN, "A line arrives and is read as JSON-RPC; the arguments are checked"),
        ("mcp/json_rpc.py: read_line", "mcp/served_calls.py: begin", "mcp/client_calls.py: begin"),
    ),
    Line(
        *(0, IN, "The call goes into the inbox; nothing more is decided"), ("core/loop.py: submit",)
    ),
    Line(
        *(0, EXECUTOR, "The request is recorded; whether it may run at all is asked"),
        (
            "core/calls/requests.py: receive",
            "core/ledger/ledger.py: add",
            "core/calls/admission.py: admit",
        ),
    ),
    Line(
        *(0, EXECUTOR, "No other project, an editor that can come, room in the queue"),
        (
            "core/editor/editor.py: wrong_project",
            "core/editor/editor.py: cannot_connect",
            "core/calls/requests.py: queue_full",
        ),
    ),
    Line(
        *(0, EXECUTOR, "No round trip is open, so `execute` leaves at once, with a deadline"),
        (
            "core/calls/reads.py: begin",
            "core/context.py: ask",
            "unity/bridge_client.py: send",
            "core/ledger/deadlines.py: set",
        ),
    ),
    Line(
        *(1, READER, "Unity's answer is read and checked, and goes into the inbox"),
        (
            "unity/message_reader.py: feed",
            "unity/bridge_client.py: peer_said",
            "unity/messages.py: decode",
            "core/loop.py: put_of_peer",
        ),
    ),
    Line(
        *(1, EXECUTOR, "The request that waits for this round trip is found"),
        ("core/editor/incoming.py: said", "core/round_trip.py: answered"),
    ),
    Line(
        *(1, EXECUTOR, "Its result is checked, and it has succeeded"),
        (
            "core/calls/reads.py: answered",
            "core/context.py: check_result",
            "core/calls/requests.py: succeed",
        ),
    ),
    Line(
        *(1, EXECUTOR, "The answer becomes a line for the client, which `stdout` writes"),
        ("mcp/client_calls.py: _end", "mcp/tool_result.py: tool_result", "mcp/stdio_wire.py: send"),
    ),
    Line(
        *(
            1,
            EXECUTOR,
            "The queue is asked for the next call; a lost connection would ask a read again",
        ),
        ("core/ledger/ledger.py: take", "core/wiring.py: next_deadline"),
    ),
)
COMPILE = (
    Line(
        *(0, EXECUTOR, "A compile is a job, which is recorded before anything is sent"),
        ("core/jobs/jobs.py: open", "core/jobs/jobs.py: issue", "core/calls/requests.py: remember"),
    ),
    Line(
        *(0, EXECUTOR, "The call waits for the job"),
        ("core/calls/questions.py: status", "core/calls/waiting.py: answer_or_wait"),
    ),
    Line(
        *(0, EXECUTOR, "`submit_job` leaves"),
        ("core/jobs/submission.py: begin", "core/context.py: ask", "core/jobs/jobs.py: submitted"),
    ),
    Line(
        *(1, EXECUTOR, "Unity has accepted it: the job runs"),
        ("core/jobs/submission.py: answered", "core/jobs/jobs.py: accepted"),
    ),
    Line(
        *(1, EXECUTOR, "Since a call waits, `get_job_status` leaves at once"),
        ("core/jobs/polling.py: next", "core/jobs/polling.py: begin"),
    ),
    Line(
        *(2, READER, "Unity reloads its domain: the connection ends"),
        ("unity/peer_connection.py: finish", "unity/bridge_client.py: peer_closed"),
    ),
    Line(
        *(2, EXECUTOR, "The session is gone; the job stays as it was, and nothing is sent again"),
        (
            "core/editor/sessions.py: lost",
            "core/jobs/jobs.py: session_lost",
            "core/jobs/polling.py: interrupted",
        ),
    ),
    Line(
        *(3, EXECUTOR, "The plugin is back, and proves that it has the secret"),
        (
            "core/editor/sessions.py: greet",
            "core/editor/trust.py: ask",
            "core/editor/trust.py: check",
        ),
    ),
    Line(
        *(
            3,
            EXECUTOR,
            "Its `hello` says which jobs it has; this one is asked for, another would be lost (`unknown`)",
        ),
        ("core/jobs/jobs.py: session_opened", "core/jobs/polling.py: begin"),
    ),
    Line(
        *(4, EXECUTOR, "The job has ended, and the call has its one answer"),
        (
            "core/jobs/polling.py: answered",
            "core/calls/waiting.py: job_moved",
            "mcp/tool_result.py: tool_result",
        ),
    ),
)
OF_ATTACHED = (
    Line(
        *(0, IN, "A second server of the port gets the line: it is attached to the port's owner"),
        ("mcp/json_rpc.py: read_line", "core/loop.py: submit"),
    ),
    Line(
        *(0, ATTACHED, "The call goes to the owner, as the plugin's messages do"),
        (
            "core/sharing/forwarding.py: call_arrived",
            "attach/owner_link.py: call",
            "attach/owner_connection.py: send",
        ),
    ),
    Line(
        *(
            0,
            ATTACHED,
            "The request is kept as `forwarded`, and is this server's to answer if the owner ends",
        ),
        ("core/calls/requests.py: move",),
    ),
    Line(
        *(0, READER, "The owner reads it as a call of its own"),
        ("attach/owner_endpoint.py: peer_said", "core/loop.py: submit"),
    ),
    Line(
        *(0, EXECUTOR, "It takes its turn in the one queue of the editor"),
        ("core/calls/requests.py: receive", "core/calls/admission.py: admit"),
    ),
    Line(
        *(0, EXECUTOR, "`execute` leaves"),
        ("core/calls/reads.py: begin", "core/context.py: ask", "unity/bridge_client.py: send"),
    ),
    Line(
        *(1, EXECUTOR, "Unity's result ends the request at the owner"),
        ("core/round_trip.py: answered", "core/calls/requests.py: succeed"),
    ),
    Line(
        *(1, EXECUTOR, "It goes back over the connection that it came from"),
        ("attach/owner_endpoint.py: on_outcome", "unity/peer_connection.py: send"),
    ),
    Line(
        *(1, ATTACHED, "The forwarded request has its answer"),
        ("core/sharing/owner_answers.py: answered", "core/calls/requests.py: succeed"),
    ),
    Line(
        *(1, ATTACHED, "The line for the client is written, with this server's own limits"),
        ("mcp/tool_result.py: tool_result", "mcp/stdio_wire.py: send"),
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


Steps = List[Dict[str, List[str]]]


class Walk:
    """The steps of one call: by thread the functions that it entered."""

    def __init__(self, recorder: Recorder, *runs: Run) -> None:
        self._recorder = recorder
        self._runs = runs
        self.steps: Steps = []

    def step(self) -> None:
        """End a step: what was entered since the last one."""
        for run in self._runs:
            wait_for_executor(self._recorder, run)
        entered: Dict[str, List[str]] = {}
        for entry in self._recorder.entered():
            entered.setdefault(entry.thread, []).append(f"{entry.file}: {entry.function}")
        self.steps.append(entered)
        self._recorder.begin()


def wait_for_executor(recorder: Recorder, run: Run) -> None:
    """Wait until the executor has handled everything that came so far, and has begun with an event
    of no effect.
    """
    recorder.awaited = run.bridge._executor._thread.ident
    recorder.has_come.clear()
    run.bridge.call_service.abandon("nothing")
    assert recorder.has_come.wait(HANG_S), "the executor does not come to the event"


def read(recorder: Recorder, run: Run, client: Client, editor: Editor) -> Steps:
    walk = Walk(recorder, run)
    client.calls("read_console")
    request = editor.hears("execute")
    walk.step()
    editor.says("result", request_id=request["request_id"], status="ok", result=CONSOLE)
    client.hears()
    walk.step()
    return walk.steps


def compile_with_reload(recorder: Recorder, run: Run, client: Client, editor: Editor) -> Steps:
    walk = Walk(recorder, run)
    client.calls("compile")
    submitted = editor.hears("submit_job")
    walk.step()
    job = submitted["job_id"]
    editor.says(
        "submit_job_result", request_id=submitted["request_id"], status="accepted", job_id=job
    )
    editor.hears("get_job_status")
    walk.step()
    editor.says("editor_status", state="reloading", seq=1)
    editor.closes()
    run.until("the end of the session", lambda: run.bridge.ledger.session is None)
    walk.step()
    back = Editor(run.port, (job,))
    asked = back.hears("get_job_status")
    walk.step()
    back.says(
        "job_status", request_id=asked["request_id"], job_id=job, state="succeeded", result=COMPILED
    )
    client.hears()
    walk.step()
    back.closes()
    return walk.steps


def attached(recorder: Recorder, owner: Run, editor: Editor) -> Steps:
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
    walk.step()
    editor.says("result", request_id=request["request_id"], status="ok", result=CONSOLE)
    client.hears()
    walk.step()
    client.leaves()
    guest.stop()
    return walk.steps


def recorded() -> List[Steps]:
    """The three walks, from a run that is recorded now."""
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
            walks: List[Steps] = []
            for walk in (read, compile_with_reload):
                editor = Editor(run.port)
                run.until("the session", run.bridge.ledger.editor_is_ready)
                wait_for_executor(recorder, run)
                recorder.begin()
                walks.append(walk(recorder, run, client, editor))
                editor.closes()
                run.until("the end of the session", lambda: run.bridge.ledger.session is None)
            editor = Editor(run.port)
            run.until("the session", run.bridge.ledger.editor_is_ready)
            walks.append(attached(recorder, run, editor))
            editor.closes()
            client.leaves()
            run.stop()
        finally:
            threading.setprofile(None)
            if former is None:
                del os.environ[STATE_DIR_VARIABLE]
            else:
                os.environ[STATE_DIR_VARIABLE] = former
    return walks


WALKS = (
    ("A read", READ),
    ("A compile, with a domain reload", COMPILE),
    ("A read of a server that is attached to the owner of the port", OF_ATTACHED),
)


def missing(line: Line, steps: Steps) -> List[str]:
    """The functions of a line that its thread did not enter in their order."""
    entered = [
        function
        for thread, functions in steps[line.step].items()
        if thread == line.thread or thread.startswith(f"{line.thread}-")
        for function in functions
    ]
    place, absent = 0, []
    for function in line.functions:
        if function in entered[place:]:
            place = entered.index(function, place)
        else:
            absent.append(function)
    return absent


def page() -> str:
    text = HEAD
    for title, lines in WALKS:
        text += f"\n## {title}\n\n"
        for number, line in enumerate(lines, 1):
            files = ", ".join(f"`{function}`" for function in line.functions)
            text += f"{number}. {line.words} ({line.thread}: {files}).\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
