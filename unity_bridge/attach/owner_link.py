"""``OwnerLink``: the attached side. It attaches to the holder of the port, and forwards calls and
answers.
"""

from __future__ import annotations

import socket
import threading
from typing import Any, Callable, Mapping, Optional

from unity_bridge.attach import owner_events, protocol
from unity_bridge.attach.client_socket import NotSpoken
from unity_bridge.attach.owner_connection import NotAttached, OwnerConnection, attach
from unity_bridge.attach.protocol import Message
from unity_bridge.base.clock import Clock
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.calls import Progress
from unity_bridge.log.logger import Logger
from unity_bridge.system.interruptible_socket import InterruptibleSocket
from unity_bridge.trust.secret import SecretSource

# The system accepts on behalf of the holder, unless its backlog is full.
_CONNECT_S = 0.3


class OwnerLink:
    """``serve`` lives on the listener thread; ``call`` and ``abandon`` are the executor's and never
    block.
    """

    def __init__(
        self,
        secret: SecretSource,
        version: str,
        heartbeat_interval_s: float,
        heartbeat_timeout_s: float,
        emit: Callable[[owner_events.LinkEvent], None],
        clock: Clock,
        log: Logger,
        project: Optional[str] = None,
    ) -> None:
        """``project``: the canonical path of the one that this server is for; each call passes it
        to the owner.
        """
        self._project = project
        self._secret = secret
        self._version = version
        self._interval_s = heartbeat_interval_s
        self._timeout_s = heartbeat_timeout_s
        self._emit = emit
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._socket: Optional[InterruptibleSocket] = None  # guarded by _lock
        self._owner: Optional[OwnerConnection] = None  # guarded by _lock
        self._is_closed = False  # guarded by _lock

    # Listener thread.

    def serve(self, port: int) -> Result[None, NotAttached]:
        """Attach to the holder of ``port`` and stay until it is lost (``Ok``). ``Err``: could not
        attach.
        """
        deadline = self._clock.now() + protocol.INTRODUCTION_S
        try:
            connection = InterruptibleSocket.to_port(port, _CONNECT_S)
        except OSError:
            return Err(NotAttached())
        with connection:
            # ``close`` sets the flag and reads the socket under this lock. Otherwise it could find
            # no socket to cut after this check, and this thread would stay attached.
            with self._lock:
                if self._is_closed:
                    return Ok(None)
                self._socket = connection
            try:
                attached = attach(
                    connection, port, self._secret, self._version, self._clock, deadline
                )
                if isinstance(attached, Err):
                    return attached
                self._serve_with(attached.value, port)
                return Ok(None)
            finally:
                with self._lock:
                    self._socket = None

    def _serve_with(self, owner: OwnerConnection, port: int) -> None:
        if owner.version != self._version:
            self._log.warning(
                "the server that owns the port has another version; update the older one if calls fail",
                owner=owner.version,
                ours=self._version,
            )
        with self._lock:
            self._owner = owner
        self._emit(owner_events.OwnerFound(port, owner.version, owner.id))
        reason = "a bug"
        try:
            reason = self._listen(owner)
        finally:
            # The owner is removed before the event says that it is lost, which ends the forwarded
            # calls. A call forwarded to it after the event would wait for an answer that never
            # comes.
            with self._lock:
                self._owner = None
            owner.dispose()
            self._emit(owner_events.OwnerLost(reason))

    def _listen(self, owner: OwnerConnection) -> str:
        """Receive until the owner is lost; returns why."""
        heard_at = self._clock.now()
        while True:
            try:
                message = owner.receive(self._clock.now() + self._interval_s)
            except socket.timeout:
                if self._clock.now() - heard_at > self._timeout_s:
                    return "silent for too long"
                owner.send("ping")
                continue
            except (OSError, NotSpoken) as error:
                return str(error) or type(error).__name__
            if message is None:
                return "closed"
            heard_at = self._clock.now()
            self._hear(message)

    def _hear(self, message: Message) -> None:
        id = str(message.get("id"))
        if message["type"] == "ended":
            self._emit(owner_events.OwnerAnswered(id, message))
        elif message["type"] == "progress":
            progress = Progress.of(message)
            if progress is not None:
                self._emit(owner_events.OwnerProgressed(id, progress))
        elif message["type"] == "accepted":
            self._emit(owner_events.OwnerAccepted(id, str(message.get("job_id"))))
        elif message["type"] == "editor":
            who = (
                protocol.text_in(message, "instance_id"),
                protocol.text_in(message, "project_path"),
            )
            self._emit(
                owner_events.OwnerSawEditor(
                    str(message.get("state")), *who, message.get("trusted") is True
                )
            )
        elif message["type"] == "stopping":
            self._emit(owner_events.OwnerStopping())

    # Executor thread.

    def call(
        self,
        connection_id: int,
        request_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        wants_progress: bool,
        client: Mapping[str, str],
        is_bounded: bool = False,
        is_over_mcp: bool = False,
    ) -> bool:
        """Forward a call on that connection. ``False``: it is gone, and nothing was sent."""
        with self._lock:
            owner = self._owner
        if owner is None or owner.id != connection_id:
            return False
        remarks = {
            "project": self._project,
            "is_bounded": is_bounded,
            "is_over_mcp": is_over_mcp,
        }
        owner.send(
            "call",
            id=request_id,
            tool=tool,
            arguments=dict(arguments),
            wants_progress=wants_progress,
            client=dict(client),
            **{name: value for name, value in remarks.items() if value},
        )
        return True

    def abandon(self, request_id: str) -> None:
        with self._lock:
            owner = self._owner
        if owner is not None:
            owner.send("abandon", id=request_id)

    # Any thread.

    def close(self) -> None:
        """Detach for good: ``serve`` returns and attaches no more."""
        with self._lock:
            self._is_closed = True
            connection = self._socket
        if connection is not None:
            connection.cut()
