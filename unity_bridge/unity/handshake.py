"""The opening handshake without a socket: which requests are upgraded, and the HTTP answer to the
rest (SPEC §7.9).

``h11`` parses the head; the request is checked here.
"""

from __future__ import annotations

import base64
import binascii
import json
from http import HTTPStatus
from typing import Container, List, Optional, Tuple, Union

import h11

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.trust.plugin_challenge import challenge
from unity_bridge.trust.proof import Ends, is_nonce

_THIS_PORT = (
    "This port is the WebSocket listener of unity-bridge, for its plugin inside the Unity Editor.\n"
    "To work with the editor, start unity-bridge from an MCP client or a terminal.\n"
)
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_PROOF_PATH = "/proof"
_SHOWN_CHARS = 80


@frozen
class Upgrade:
    """A valid handshake. ``rest`` is what the peer sent after its head: the first frames."""

    path: str
    key: str
    rest: bytes


@frozen
class Rejection:
    """A rejected handshake. ``kind`` is a word for the log, ``reason`` a sentence for the peer."""

    status: int
    kind: str
    reason: str
    headers: Tuple[str, ...] = ()

    def as_http(self) -> bytes:
        """Return the complete HTTP response."""
        body = f"{self.reason}.\n\n{_THIS_PORT}".encode("ascii", "backslashreplace")
        return http_response(self.status, "text/plain; charset=us-ascii", body, *self.headers)


def http_response(status: int, content_type: str, body: bytes, *headers: str) -> bytes:
    head = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *headers,
    ]
    return "\r\n".join([*head, "", ""]).encode("ascii") + body


TOO_SLOW = Rejection(408, "slow head", "The request head did not arrive in time")
TOO_MANY = Rejection(503, "too many", "Too many connections are open")
NO_SECRET = Rejection(503, "no secret", "This server has no secret to prove anything with")


@frozen
class ProofRequest:
    """A request for the proof that this server runs as a plugin's user; ``nonce`` is the plugin's
    (SPEC §17.4).
    """

    nonce: str

    def answer(self, secret: Result[bytes, str], ends: Ends) -> Union[bytes, Rejection]:
        """Return the HTTP response."""
        answer = challenge(self.nonce, secret.value, ends) if isinstance(secret, Ok) else None
        if answer is None:
            return NO_SECRET
        proof = json.dumps({"nonce": answer.nonce, "proof": answer.proof}).encode("ascii")
        return http_response(200, "application/json", proof)


class RequestHead:
    """Reads and checks one request head. ``port`` is our own, which the ``Host`` header must name."""

    def __init__(self, port: int, paths: Container[str], max_bytes: int) -> None:
        self._port = port
        self._paths = paths
        # One byte more than allowed, so that h11 notices a head that is too long.
        self.wanted = max_bytes + 1
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=max_bytes)

    def feed(self, data: bytes) -> Optional[Result[Union[Upgrade, ProofRequest], Rejection]]:
        """Return the verdict, or ``None`` while the head is incomplete. ``data`` is at most
        ``wanted`` bytes.
        """
        self.wanted -= len(data)
        try:
            self._http.receive_data(data)
            event = self._http.next_event()
        except h11.RemoteProtocolError as error:
            return Err(_unreadable(error))
        if event is h11.NEED_DATA:
            return None
        if not isinstance(event, h11.Request):
            return Err(Rejection(400, "bad request", "Not a request"))
        return self._check(event, self._http.trailing_data[0])

    def _check(
        self, request: h11.Request, body: bytes
    ) -> Result[Union[Upgrade, ProofRequest], Rejection]:
        headers = _Headers(request)
        path, _, query = request.target.decode("latin-1").partition("?")
        # A browser always sends Origin, and DNS rebinding cannot forge Host.
        if headers.all("origin"):
            return _no(
                403,
                "origin",
                f"No web page may connect, this one is from {_shown(headers.all('origin')[0])}",
            )
        if not self._is_ours(headers.only("host")):
            return _no(
                403,
                "host",
                f"The Host header does not name this port: {_shown(headers.only('host') or '')}",
            )
        if request.method != b"GET":
            return _no(405, "method", "The method must be GET", "Allow: GET")
        if request.http_version != b"1.1":
            return _no(400, "http version", "The HTTP version must be 1.1")
        if headers.all("transfer-encoding") or headers.all("content-length") not in ([], ["0"]):
            return _no(400, "body", "A handshake has no body")
        if path == _PROOF_PATH:
            return _proof_request(query, headers)
        if path not in self._paths:
            return _no(404, "path", f"Nothing is at {_shown(path)}")
        if "websocket" not in headers.tokens("upgrade") or "upgrade" not in headers.tokens(
            "connection"
        ):
            return _no(426, "no upgrade", "Only WebSocket is spoken here", "Upgrade: websocket")
        if headers.only("sec-websocket-version") != "13":
            return _no(
                426,
                "websocket version",
                "The WebSocket version must be 13",
                "Sec-WebSocket-Version: 13",
            )
        key = headers.only("sec-websocket-key")
        if key is None or not _is_key(key):
            return _no(400, "key", "Sec-WebSocket-Key must be the base64 of 16 bytes, once")
        return Ok(Upgrade(path, key, body))

    def _is_ours(self, host: Optional[str]) -> bool:
        names = [f"{name}:{self._port}" for name in _LOOPBACK_NAMES]
        if self._port == 80:
            names.extend(_LOOPBACK_NAMES)
        return host is not None and host.lower() in names


class _Headers:
    """The headers of a request by lower-case name."""

    def __init__(self, request: h11.Request) -> None:
        self._items = [
            (name.decode("ascii"), value.decode("latin-1")) for name, value in request.headers
        ]

    def all(self, name: str) -> List[str]:
        return [value for key, value in self._items if key == name]

    def only(self, name: str) -> Optional[str]:
        values = self.all(name)
        if len(values) == 1:
            return values[0]
        return None

    def tokens(self, name: str) -> List[str]:
        return [token.strip().lower() for value in self.all(name) for token in value.split(",")]


def _proof_request(
    query: str, headers: _Headers
) -> Result[Union[Upgrade, ProofRequest], Rejection]:
    if headers.all("sec-fetch-site"):
        return _no(403, "web page", "No web page may ask for a proof")
    name, _, nonce = query.partition("=")
    if name != "nonce" or not is_nonce(nonce):
        return _no(400, "nonce", "The query must be nonce=, and 16 to 128 characters of 0-9a-f")
    return Ok(ProofRequest(nonce))


def _is_key(key: str) -> bool:
    """RFC 6455 4.2.1: 16 bytes in base64."""
    try:
        return len(key) == 24 and len(base64.b64decode(key, validate=True)) == 16
    except (binascii.Error, ValueError):
        return False


def _unreadable(error: h11.RemoteProtocolError) -> Rejection:
    if error.error_status_hint == 431:
        return Rejection(431, "head size", "The request head is too big")
    return Rejection(400, "bad request", "This is not an HTTP/1.1 request")


def _no(status: int, kind: str, reason: str, *headers: str) -> Err[Rejection]:
    return Err(Rejection(status, kind, reason, headers))


def _shown(value: str) -> str:
    if len(value) <= _SHOWN_CHARS:
        return value
    return value[:_SHOWN_CHARS] + "..."
