"""``OwnerConnection``: the attached side of one connection, from the first byte to the owner's last
(SPEC §14.1).
"""

from __future__ import annotations

import itertools
import socket
from typing import Any, Optional

from unity_bridge.attach import protocol
from unity_bridge.attach.client_socket import ClientSocket, NotSpoken
from unity_bridge.attach.protocol import AttachRefusal, Message, Reassembly
from unity_bridge.base.clock import Clock
from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.trust.proof import (
    ATTACHED,
    OPENING,
    OPENING_HEADER,
    OWNER,
    Ends,
    is_nonce,
    is_proof,
    new_nonce,
    proof,
)
from unity_bridge.trust.secret import SecretSource

_ids = itertools.count(1)


@frozen
class NotAttached:
    """The holder of the port cannot be attached to. ``remark`` says why, if it claims to be a
    unity-bridge.

    ``is_momentary``: it closed the connection before it answered, as a crowded owner does. Asking again soon may help.
    """

    remark: Optional[str] = None
    is_momentary: bool = False


_ANOTHER_FOLDER = "another state folder (UNITY_BRIDGE_STATE_DIR, XDG_STATE_HOME)"
# The holder has proved nothing, so these are our words. Nothing that it sent is repeated (SPEC
# §20.2).
_REMARKS = {
    AttachRefusal.PROTOCOL.value: "a unity-bridge of another version (by its own report); update the older one",
    AttachRefusal.PROOF.value: f"a unity-bridge of another user, or with {_ANOTHER_FOLDER} (by its own report)",
    AttachRefusal.NO_SECRET.value: "a unity-bridge that cannot share the port (by its own report); its log says why",
    AttachRefusal.FULL.value: "a unity-bridge whose client limit is reached (by its own report)",
}
_CLAIMS = "a unity-bridge by its own report, which does not share the port"
_OF_THIS_USER = f"a unity-bridge of this user with {_ANOTHER_FOLDER} (by its own report)"
_WRONG_PROOF = "it claims to be a unity-bridge, and its proof is wrong: another secret, or a program in between"


class OwnerConnection:
    """Messages to and from an owner that has proved who it is. One thread receives; any may send."""

    def __init__(self, client: ClientSocket, reassembly: Reassembly, version: str) -> None:
        self.id = next(_ids)
        self.version = version
        self._client = client
        self._reassembly = reassembly

    def send(self, type: str, **fields: Any) -> None:
        """Queue a message. Never waits. Its pieces stay together, whichever other thread sends at
        the same moment.
        """
        self._client.post(protocol.encode(type, **fields))

    def receive(self, deadline: float) -> Optional[Message]:
        """Return the next message, ``None`` at the end. Raises ``OSError`` (``socket.timeout``) and
        ``NotSpoken``.
        """
        return _next_message(self._client, self._reassembly, deadline)

    def dispose(self) -> None:
        """Cut the connection and free its resources. For the receiving thread."""
        self._client.dispose()


def attach(
    connection: socket.socket,
    port: int,
    secret: SecretSource,
    version: str,
    clock: Clock,
    deadline: float,
) -> Result[OwnerConnection, NotAttached]:
    """Exchange proofs with the other end of ``connection``, all by ``deadline``.

    An unproven peer learns nothing that it could use.
    """
    try:
        client = ClientSocket(connection, protocol.MAX_PIECE_BYTES, clock)
    except OSError:
        return Err(NotAttached())
    is_momentary = False
    try:
        ends, key = Ends.of_client(connection), secret()
        opening = []
        if isinstance(key, Ok):
            opening = [(OPENING_HEADER, proof(key.value, OPENING, ends, "", ""))]
        client.shake_hands(port, protocol.PATH, deadline, *opening)
        is_momentary = True
        attached = _introduce(client, ends, secret, version, deadline)
    except ConnectionError:
        attached = Err(NotAttached(is_momentary=is_momentary))
    except (OSError, NotSpoken):
        attached = Err(NotAttached())
    if isinstance(attached, Err):
        client.dispose()
    return attached


def _introduce(
    client: ClientSocket, ends: Ends, secret_source: SecretSource, version: str, deadline: float
) -> Result[OwnerConnection, NotAttached]:
    reassembly = Reassembly()
    challenge = _next_message(client, reassembly, deadline)
    if challenge is None:
        return Err(NotAttached(is_momentary=True))
    if challenge["type"] != "challenge" or not is_nonce(challenge.get("nonce")):
        return Err(NotAttached())
    if challenge.get("protocol") != protocol.VERSION:
        return Err(NotAttached(_REMARKS[AttachRefusal.PROTOCOL.value]))
    secret = secret_source()
    if isinstance(secret, Err):
        return Err(
            NotAttached(
                f"a unity-bridge (by its own report), but this server has no secret to attach with: {secret.error}"
            )
        )
    own_nonce, peer_nonce = new_nonce(), str(challenge["nonce"])
    own_proof = proof(secret.value, ATTACHED, ends, peer_nonce, own_nonce)
    for piece in protocol.encode(
        "attach", protocol=protocol.VERSION, nonce=own_nonce, proof=own_proof, version=version
    ):
        client.say(piece, deadline)
    answer = _next_message(client, reassembly, deadline)
    if answer is None:
        return Err(NotAttached(is_momentary=True))
    if answer["type"] == "refused":
        return Err(
            NotAttached(_remark(str(answer.get("code")), int(ends.server.rpartition(":")[2])))
        )
    if not is_proof(answer.get("proof"), proof(secret.value, OWNER, ends, own_nonce, peer_nonce)):
        return Err(NotAttached(_WRONG_PROOF))
    client.trust()
    reassembly.trust()
    return Ok(OwnerConnection(client, reassembly, protocol.version_said(answer.get("version"))))


def _remark(code: str, port: int) -> str:
    # Imported here, because a server that attaches does not need psutil.
    from unity_bridge.unity.port_holder import is_held_by_this_user

    if code == AttachRefusal.PROOF.value and is_held_by_this_user(port):
        return _OF_THIS_USER
    return _REMARKS.get(code, _CLAIMS)


def _next_message(
    client: ClientSocket, reassembly: Reassembly, deadline: float
) -> Optional[Message]:
    while True:
        piece = client.receive(deadline)
        if piece is None:
            return None
        message = reassembly.take(piece)
        if isinstance(message, Err):
            raise NotSpoken(message.error)
        if message.value is not None:
            return message.value
