"""``AttachEndpoint``: the owner's side. It accepts servers of the same user and submits their
calls.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Optional

from unity_bridge.attach import protocol
from unity_bridge.attach.owner_events import AttachEvent, ClientAttached, ClientLeft
from unity_bridge.attach.protocol import AttachRefusal, Message, Reassembly
from unity_bridge.base.clock import Clock
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err
from unity_bridge.catalogue.calls import MOST_NAME, CallService, Outcome, Progress
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.log.logger import Logger
from unity_bridge.text.foreign_text import is_name
from unity_bridge.trust.proof import ATTACHED, OWNER, is_nonce, is_proof, new_nonce, proof
from unity_bridge.trust.secret import SecretSource
from unity_bridge.unity.close_codes import POLICY_VIOLATION
from unity_bridge.unity.websocket import Peer

# Unproven connections. One more closes the oldest. There are enough slots that a real server can
# finish its proof while many unproven peers connect.
_UNPROVEN = 64
# Proven servers. One more is refused.
_ATTACHED = 64
MAX_PEERS = _UNPROVEN + _ATTACHED

_LONGEST_PATH = 4096

# For this server's log and the close frame. The other server has its own words for each code.
_REASONS = {
    AttachRefusal.PROTOCOL: f"this server speaks attach protocol {protocol.VERSION}; update the older of the two",
    AttachRefusal.PROOF: "the proof is wrong: another user, another state folder, or a program in between",
    AttachRefusal.NO_SECRET: "this server has no secret to compare with",
    AttachRefusal.FULL: "too many servers are attached",
    AttachRefusal.MALFORMED: "that is not the attach protocol",
}


class _Client:
    """One attaching server. Used by its reader thread; ``calls`` is guarded by ``lock``."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.nonce = new_nonce()
        self.is_attached = False
        self.reassembly = Reassembly()
        self.lock = threading.Lock()
        # Its id of a call -> ours; None until ours is known.
        self.calls: Dict[str, Optional[str]] = {}
        # Keeps the pieces of a message together: the executor speaks, and so does the reader.
        self.speaking = threading.RLock()

    def say(self, type: str, **fields: Any) -> None:
        with self.speaking:
            for piece in protocol.encode(type, **fields):
                if not self.peer.send(piece):
                    return


class AttachEndpoint:
    """The ``PeerEvents`` of path ``/attach``. ``emit`` may be called from any thread and returns at
    once.
    """

    def __init__(
        self,
        call_service: CallService,
        validator: RequestValidator,
        secret: SecretSource,
        version: str,
        emit: Callable[[AttachEvent], None],
        clock: Clock,
        log: Logger,
    ) -> None:
        self._call_service = call_service
        self._validator = validator
        self._secret = secret
        self._version = version
        self._emit = emit
        self._log = log
        self._limited_log = LimitedLog(log, clock)
        self._lock = threading.Lock()
        self._clients: Dict[int, _Client] = {}  # guarded by _lock; oldest first

    # Each peer's reader thread (PeerEvents).

    def peer_opened(self, peer: Peer) -> None:
        client = _Client(peer)
        with self._lock:
            self._clients[peer.id] = client
            unproven = [newcomer for newcomer in self._clients.values() if not newcomer.is_attached]
        for newcomer in unproven[:-_UNPROVEN]:
            newcomer.peer.close(
                POLICY_VIOLATION, "too many connections have not proved who they are"
            )
        client.say("challenge", nonce=client.nonce, protocol=protocol.VERSION)

    def peer_said(self, peer: Peer, text: str) -> None:
        client = self._client(peer)
        if client is None:
            return
        message = client.reassembly.take(text)
        if isinstance(message, Err):
            self._refuse(client, AttachRefusal.MALFORMED)
        elif message.value is not None:
            self._hear(client, message.value)

    def peer_overflowed(self, peer: Peer) -> None:
        """Do nothing: the protocol has no messages of this size, and the listener closes the
        connection.
        """

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None:
        with self._lock:
            client = self._clients.pop(peer.id, None)
        if client is None:
            return
        with client.lock:
            calls: List[Optional[str]] = list(client.calls.values())
            client.calls.clear()
        for request_id in calls:
            if request_id is not None:
                self._call_service.abandon(request_id)
        if client.is_attached:
            self._emit(ClientLeft(peer.id))

    def _hear(self, client: _Client, message: Message) -> None:
        if not client.is_attached:
            self._admit_or_refuse(client, message)
        elif message["type"] == "call":
            self._take_call(client, message)
        elif message["type"] == "abandon":
            with client.lock:
                request_id = client.calls.pop(str(message.get("id")), None)
            if request_id is not None:
                self._call_service.abandon(request_id)
        elif message["type"] == "ping":
            client.say("pong")

    def _admit_or_refuse(self, client: _Client, message: Message) -> None:
        """Check the proof. Without it nothing else is answered (SPEC §14.1)."""
        nonce = message.get("nonce")
        if message["type"] != "attach":
            self._refuse(client, AttachRefusal.MALFORMED)
        elif message.get("protocol") != protocol.VERSION:
            self._refuse(client, AttachRefusal.PROTOCOL)
        elif not is_nonce(nonce):
            self._refuse(client, AttachRefusal.MALFORMED)
        else:
            self._compare(client, str(nonce), message)

    def _compare(self, client: _Client, nonce: str, message: Message) -> None:
        secret, ends = self._secret(), client.peer.ends
        if isinstance(secret, Err):
            self._limited_log.warn("no secret", f"nobody can attach: {secret.error}")
            self._refuse(client, AttachRefusal.NO_SECRET)
        elif not is_proof(
            message.get("proof"), proof(secret.value, ATTACHED, ends, client.nonce, nonce)
        ):
            self._refuse(client, AttachRefusal.PROOF)
        elif not self._admit(client, proof(secret.value, OWNER, ends, nonce, client.nonce)):
            self._refuse(client, AttachRefusal.FULL)
        else:
            version = protocol.version_said(message.get("version"))
            if version != self._version:
                self._log.warning(
                    "a server of another version has attached", theirs=version, ours=self._version
                )
            self._emit(ClientAttached(client.peer.id, version))

    def _admit(self, client: _Client, own_proof: str) -> bool:
        with client.speaking:  # the first message after a challenge must be the answer to its proof
            with self._lock:
                if sum(attached.is_attached for attached in self._clients.values()) >= _ATTACHED:
                    return False
                client.is_attached = True
            client.peer.introduced()
            client.reassembly.trust()
            client.say("attached", proof=own_proof, version=self._version)
            return True

    def _take_call(self, client: _Client, message: Message) -> None:
        """Validate again: the other server may be older or newer than this one."""
        id = str(message.get("id"))
        validated = self._validator.validate(message.get("tool"), message.get("arguments"))
        if isinstance(validated, Err):
            client.say("ended", id=id, **protocol.outcome_fields(validated))
            return
        with client.lock:
            client.calls[id] = None

        def on_outcome(outcome: Outcome) -> None:
            with client.lock:
                client.calls.pop(id, None)
            client.say("ended", id=id, **protocol.outcome_fields(outcome))

        def on_progress(progress: Progress) -> None:
            client.say("progress", id=id, **progress.as_json())

        def on_job(job_id: str) -> None:
            client.say("accepted", id=id, job_id=job_id)

        wants_progress = message.get("wants_progress") is True
        call_client, project = message.get("client"), _project_said(message.get("project"))
        caller = call_client if isinstance(call_client, dict) else {}
        call = changed(
            validated.value,
            client=_id_of(client, caller.get("id")),
            client_name=_name_of(caller.get("name")),
            project=project,
            is_bounded=validated.value.is_bounded or message.get("is_bounded") is True,
            is_over_mcp=message.get("is_over_mcp") is True,
        )
        progress_callback = None
        if wants_progress:
            progress_callback = on_progress
        request_id = self._call_service.submit(call, on_outcome, progress_callback, on_job)
        # The executor may have reported the outcome, which removes the id, before ``submit``
        # returned. To add the id again would keep an ended call until the connection ends.
        with client.lock:
            if id in client.calls:
                client.calls[id] = request_id

    # Executor thread.

    def notify(self, type: str, peer_id: Optional[int] = None, **fields: Any) -> None:
        """Say something to one of the attached servers, or to all of them. Never blocks."""
        with self._lock:
            clients = [client for client in self._clients.values() if client.is_attached]
        for client in clients:
            if peer_id in (None, client.peer.id):
                client.say(type, **fields)

    def _refuse(self, client: _Client, code: AttachRefusal) -> None:
        reason = _REASONS[code]
        self._limited_log.warn(code.value, "attach refused", reason=reason, peer=client.peer.id)
        client.say("refused", code=code.value, version=self._version)
        client.peer.close(POLICY_VIOLATION, reason)

    def _client(self, peer: Peer) -> Optional[_Client]:
        with self._lock:
            return self._clients.get(peer.id)


def _project_said(value: Any) -> Optional[str]:
    if isinstance(value, str) and len(value) <= _LONGEST_PATH:
        return value
    return None


def _id_of(client: _Client, request_id: Any) -> str:
    """Return the caller's id; a caller that gives none that could be sent on gets one of its
    connection.
    """
    if is_name(request_id):
        return str(request_id)
    return f"attached-{client.peer.id}"


def _name_of(name: Any) -> str:
    if isinstance(name, str):
        return name[:MOST_NAME]
    return ""
