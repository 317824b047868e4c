"""A proxy between plugin and server, which records what passes and can make the connection fail."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import struct
import threading
from collections import defaultdict
from itertools import groupby
from typing import Any, Dict, List, Optional, Set, Tuple

from wsproto.frame_protocol import FrameProtocol, Opcode, ParseFailed

from tests.soak.proof_relay import ProofRelay
from unity_bridge.trust.proof import Ends

Message = Dict[str, Any]

_HEAD_END = b"\r\n\r\n"
_CHUNK = 65536


class Record:
    """What both sides said to each other, by the marks of the clients' calls. Any thread.

    What the server sent is what left it, whether or not the plugin lived to read it; what the plugin said, it has done.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards what follows
        self._marks: Dict[str, str] = {}  # request id -> mark
        self.sends: List[
            Tuple[str, str]
        ] = []  # mark and request id, whenever a call went to the plugin
        self.results: Dict[str, Set[str]] = defaultdict(
            set
        )  # mark -> digests of the results it ran to
        self.failures: Set[str] = set()  # marks of what ran and failed
        self.jobs: Dict[str, Message] = {}  # job id -> the first submission of it
        self.accepted: Set[str] = set()  # the plugin's ids of the jobs that it said it had taken in
        self.job_results: Dict[str, Set[str]] = defaultdict(
            set
        )  # the plugin's job id -> digests of what it ended with
        self.messages = 0

    def server_sent(self, message: Message) -> None:
        with self._lock:
            self.messages += 1
            id, mark = message.get("request_id"), message.get("client_request_id")
            if message.get("type") == "submit_job":
                self.jobs.setdefault(str(message.get("job_id")), message)
            if (
                message.get("type") not in ("execute", "submit_job")
                or not isinstance(id, str)
                or mark is None
            ):
                return
            self._marks[id] = mark
            self.sends.append((mark, id))

    def plugin_said(self, message: Message) -> None:
        with self._lock:
            self.messages += 1
            if message.get("type") == "submit_job_result":
                self.accepted.add(str(message.get("job_id")))
            if message.get("type") == "job_status" and message.get("result") is not None:
                reported, digests = (
                    as_reported(message["result"]),
                    self.job_results[str(message.get("job_id"))],
                )
                digests.add(digest(reported))
                # A run for an editor without proof compiled nothing, whatever the plugin says of it
                # (SPEC §17.2).
                digests.add(digest({**reported, "code_fresh": None}))
            mark = self._marks.get(str(message.get("request_id")))
            if message.get("type") != "result" or mark is None:
                return
            if message.get("status") == "ok":
                self.results[mark].add(digest(as_reported(message.get("result"))))
            else:
                self.failures.add(mark)


def as_reported(result: Any) -> Any:
    """A result as the server reports it.

    Equal console entries in a row are one entry (SPEC §16), and none has a cursor of its own (SPEC §8.7). The
    ``code_fresh`` of a test run is null if the plugin does not report it (SPEC §16.1). ``remarks`` may be the server's.
    """
    if not isinstance(result, dict):
        return result
    result = {name: value for name, value in result.items() if name != "remarks"}
    if "summary" in result:
        return {"code_fresh": None, **result}
    if "count" in result and "entries" in result:
        folded = [_one_entry(list(equal)) for _, equal in groupby(result["entries"], _text_of)]
        shown = [
            {name: value for name, value in entry.items() if name != "cursor"} for entry in folded
        ]
        return {**result, "entries": shown}
    return result


def _text_of(entry: Message) -> Tuple[Any, ...]:
    return entry["type"], entry["message"], entry.get("stack_trace")


def _one_entry(equal: List[Message]) -> Message:
    return equal[-1] if len(equal) == 1 else {**equal[-1], "repeated": len(equal)}


def digest(result: Any) -> str:
    return hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()


class Proxy:
    """Listens on ``port`` and connects each client to the server's port, as long as a server has
    that.
    """

    def __init__(self, server_port: int, secret: bytes) -> None:
        self._server_port = server_port
        self._secret = secret
        self.record = Record()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()  # guards what follows
        self._open: List[_Connection] = []
        self._flows = threading.Event()
        self._flows.set()
        self._acceptor = threading.Thread(target=self._accept, name="proxy acceptor")
        self._acceptor.start()

    # How it fails.

    def cut(self) -> None:
        """Both ends see an end."""
        for connection in self._connections():
            connection.cut()

    def reset(self) -> None:
        """Both ends see a reset, and what was on its way is lost."""
        for connection in self._connections():
            connection.cut(abruptly=True)

    def tear(self) -> None:
        """The next thing said, from either side, arrives by half; then the connection is cut."""
        for connection in self._connections():
            connection.is_torn = True

    def hold(self) -> None:
        """Until ``release`` nothing passes, and neither side is notified."""
        self._flows.clear()

    def release(self) -> None:
        self._flows.set()

    def close(self) -> None:
        self.release()
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:  # where closing it is enough
            pass
        self._listener.close()
        self._acceptor.join()
        for connection in self._connections():
            connection.cut()
        for connection in self._connections():
            connection.join()

    def _connections(self) -> List[_Connection]:
        with self._lock:
            self._open = [connection for connection in self._open if connection.is_open]
            return list(self._open)

    def _accept(self) -> None:
        while True:
            try:
                plugin, address = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._server_port), 5)
                ends = Ends.of_server(plugin, address), Ends.of_client(server)
            except OSError:
                plugin.close()
                continue
            server.settimeout(None)
            relay = ProofRelay(self._secret, *ends)
            connection = _Connection(
                plugin, server, self._server_port, self.record, self._flows, relay
            )
            with self._lock:
                self._open.append(connection)
            connection.start()


class _Connection:
    """One plugin's connection to one server: two threads, one for each direction."""

    def __init__(
        self,
        plugin: socket.socket,
        server: socket.socket,
        port: int,
        record: Record,
        flows: threading.Event,
        relay: ProofRelay,
    ) -> None:
        for end in (plugin, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._plugin = plugin
        self._server = server
        self._port = port
        self._record = record
        self._flows = flows
        self._relay = relay
        self.is_torn = False
        self._is_reset = False
        self._ended = 0
        self._lock = threading.Lock()  # guards _ended
        self._pumps = [
            threading.Thread(
                target=self._pump, args=(plugin, server, True), name="proxy to the server"
            ),
            threading.Thread(
                target=self._pump, args=(server, plugin, False), name="proxy to the plugin"
            ),
        ]

    @property
    def is_open(self) -> bool:
        return any(pump.is_alive() or pump.ident is None for pump in self._pumps)

    def start(self) -> None:
        for pump in self._pumps:
            pump.start()

    def join(self) -> None:
        for pump in self._pumps:
            pump.join()

    def cut(self, abruptly: bool = False) -> None:
        self._is_reset |= abruptly
        for end in (self._plugin, self._server):
            try:
                if self._is_reset:
                    # Closed like this, and without a shutdown for writing before that, it is a
                    # reset.
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RD if self._is_reset else socket.SHUT_RDWR)
            except OSError:  # it has ended already
                pass

    def _pump(self, source: socket.socket, target: socket.socket, is_plugins: bool) -> None:
        reader = _Reader(is_plugins, self._port)
        try:
            while True:
                data = source.recv(_CHUNK)
                if not data:
                    break
                data = reader.take(data)
                for message in reader.messages():
                    (self._record.plugin_said if is_plugins else self._record.server_sent)(message)
                    data = self._relay.passed_on(message, data)
                self._flows.wait()
                if self.is_torn:
                    target.sendall(data[: len(data) // 2])
                    break
                target.sendall(data)
        except OSError:
            pass
        self.cut()
        with self._lock:
            self._ended += 1
            is_last = self._ended == len(self._pumps)
        if is_last:
            self._plugin.close()
            self._server.close()


class _Reader:
    """Reads along with one direction: the handshake's head, then the text messages."""

    def __init__(self, is_plugins: bool, server_port: int) -> None:
        self._is_plugins = is_plugins
        self._server_port = server_port
        self._head: Optional[bytes] = b""
        self._frames: Optional[FrameProtocol] = FrameProtocol(client=not is_plugins, extensions=[])
        self._text: List[str] = []

    def take(self, data: bytes) -> bytes:
        """What is to be passed on for it: in the request's head, the port is the server's own."""
        if self._head is None:
            self._feed(data)
            return data
        self._head += data
        if _HEAD_END not in self._head:
            return b""
        head, _, rest = self._head.partition(_HEAD_END)
        self._head = None
        self._feed(rest)
        if self._is_plugins:
            head = re.sub(rb"(?im)^(Host: [^:\r]+):\d+", rb"\g<1>:%d" % self._server_port, head)
        return head + _HEAD_END + rest

    def messages(self) -> List[Message]:
        """Those that were completed since."""
        found: List[Message] = []
        if self._frames is None:
            return found
        try:
            for frame in self._frames.received_frames():
                if frame.opcode is not Opcode.TEXT:
                    continue
                self._text.append(str(frame.payload))
                if frame.message_finished:
                    text, self._text = "".join(self._text), []
                    found += _message(text)
        except ParseFailed:
            self._frames = None  # the real reader reports it
        return found

    def _feed(self, data: bytes) -> None:
        if self._frames is not None and data:
            self._frames.receive_bytes(data)


def _message(text: str) -> List[Message]:
    try:
        message = json.loads(text)
    except ValueError:
        return []
    return [message] if isinstance(message, dict) else []
