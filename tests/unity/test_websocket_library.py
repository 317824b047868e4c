"""What the listener stands on. A new release of a library that moves one of these must fail here,
not in the field.
"""

from __future__ import annotations

import inspect
import logging
import subprocess
import sys
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingMixIn

import pytest
import wsproto.extensions
import wsproto.frame_protocol

from unity_bridge.unity.connection_server import ConnectionServer
from unity_bridge.unity.peer_connection import PeerConnection
from unity_bridge.unity.websocket_library import WebSocketHandler, WebsocketServer

ROOT = Path(__file__).resolve().parents[2]


def test_the_handler_loop_shakes_hands_once_and_then_reads_until_it_is_stopped() -> None:
    handler = object.__new__(WebSocketHandler)
    handler.keep_alive, handler.handshake_done, handler.valid_client = True, False, False
    story = []

    def handshake() -> None:
        story.append("handshake")
        handler.handshake_done = handler.valid_client = True

    def read_next_message() -> None:
        story.append("read")
        handler.keep_alive = story.count("read") < 2

    handler.handshake, handler.read_next_message = handshake, read_next_message
    handler.handle()
    assert story == ["handshake", "read", "read"]


def test_every_overridden_method_is_called_by_the_library() -> None:
    for name in ("setup", "handle", "handshake", "read_next_message", "finish"):
        assert name in vars(WebSocketHandler), name
        assert name in vars(PeerConnection), name
    for name in (
        "server_bind",
        "process_request",
        "process_request_thread",
        "shutdown_request",
        "handle_error",
    ):
        assert hasattr(WebsocketServer, name), name
        assert name in vars(ConnectionServer), name
    assert issubclass(WebsocketServer, ThreadingMixIn)
    assert issubclass(WebSocketHandler, StreamRequestHandler)


def test_the_used_parts_of_the_library_have_the_expected_shape() -> None:
    parameters = inspect.signature(WebsocketServer.__init__).parameters
    assert list(parameters) == ["self", "host", "port", "loglevel", "key", "cert"]
    assert parameters["key"].default is None, "no TLS unless it is asked for"
    # RFC 6455 1.3 gives this very pair.
    assert (
        WebSocketHandler.calculate_response_key("dGhlIHNhbXBsZSBub25jZQ==")
        == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    )
    answer = WebSocketHandler.make_handshake_response("dGhlIHNhbXBsZSBub25jZQ==")
    assert answer.startswith("HTTP/1.1 101 ") and answer.endswith("\r\n\r\n")


def test_the_frame_layer_shows_headers_to_extensions() -> None:
    for name in (
        "enabled",
        "frame_inbound_header",
        "frame_inbound_payload_data",
        "frame_inbound_complete",
    ):
        assert hasattr(wsproto.extensions.Extension, name), name
    header = inspect.signature(wsproto.extensions.Extension.frame_inbound_header).parameters
    assert list(header) == ["self", "proto", "opcode", "rsv", "payload_length"]
    assert list(inspect.signature(wsproto.frame_protocol.FrameProtocol).parameters) == [
        "client",
        "extensions",
    ]


@pytest.mark.slow
def test_importing_the_listener_leaves_everybodys_logging_alone() -> None:
    story = (
        "import logging; before = list(logging.getLogger().handlers)\n"
        "import unity_bridge.unity.websocket\n"
        "assert logging.getLogger().handlers == before == [], logging.getLogger().handlers\n"
        "logging.getLogger('websocket_server.websocket_server').setLevel(logging.CRITICAL + 1)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", story], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


@pytest.mark.slow
def test_a_handler_that_was_there_before_stays() -> None:
    story = (
        "import logging; logging.basicConfig(); before = list(logging.getLogger().handlers)\n"
        "import unity_bridge.unity.websocket\n"
        "assert logging.getLogger().handlers == before != []\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", story], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert logging.getLogger("websocket_server").handlers == []
