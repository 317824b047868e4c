"""The plugin against a server that is frozen, dying, foreign, malicious or wrong: it comes back, and nothing leaks."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from typing import Any

import pytest

from tests.scripted_server import ScriptedServer, message
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor


def test_it_comes_back_after_every_close_code(server: ScriptedServer, editor: HeadlessEditor) -> None:
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 3000, 4000):
        server.ready_session().close(code)
    assert server.ready_session().read_console()["count"] == 0


def test_it_comes_back_after_a_death_in_the_middle_of_a_frame(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    session.send_raw(b"\x81\x7e\x40\x00half a frame")
    session.drop()
    assert server.ready_session().read_console()["count"] == 0


def test_a_listener_that_accepts_and_says_nothing_costs_no_descriptor(editor_port: int) -> None:
    # Such as a server that was stopped: every attempt is accepted by the system, and never answered.
    with socket.create_server(("127.0.0.1", editor_port)) as listener, HeadlessEditor(editor_port) as editor:
        held = [listener.accept()[0]]
        held.append(listener.accept()[0])
        before = editor.stats()["descriptors"]
        for _ in range(4):
            held.append(listener.accept()[0])
        assert editor.stats()["descriptors"] <= before + 1
        # The editor hung up on the earlier ones.
        for connection in held[:4]:
            connection.settimeout(HANG_GUARD_S)
            while connection.recv(4096):
                pass
        for connection in held:
            connection.close()
        assert editor.violations() == []


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 101 Switching Protocols\r\n" + b"X: y\r\n" * 5000, b"\x00" * 20000, b"HTTP/1.1 403 Forbidden\r\n\r\n"],
    ids=["a head without an end", "no HTTP", "a refusal"],
)
def test_a_listener_that_answers_something_else_is_left_at_once(editor_port: int, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", editor_port)) as listener, HeadlessEditor(editor_port) as editor:
        for _ in range(3):
            connection = listener.accept()[0]
            with connection, suppress(OSError):
                connection.sendall(answer)
                connection.settimeout(2)
                while connection.recv(4096):
                    pass
        assert editor.violations() == []


def test_a_frame_that_claims_to_be_endless_costs_the_connection_and_no_core(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    session.send_raw(b"\x81\x7f" + b"\xff" * 8 + b"{")
    session.wait_closed()
    assert server.ready_session().read_console()["count"] == 0


def test_a_server_of_another_protocol_is_named(editor_port: int) -> None:
    with ScriptedServer(editor_port, greets=False) as server, HeadlessEditor(editor_port) as editor:
        server.session().send_text(json.dumps({"type": "hello", "protocol_version": 2, "server_version": "9"}))
        editor.wait_for("console .*protocol_version 2.*update")


def test_a_refusal_is_logged_once_however_it_is_put(editor_port: int) -> None:
    with ScriptedServer(editor_port, greets=False) as server, HeadlessEditor(editor_port) as editor:
        for number in range(4):
            session = server.session()
            words = f"refusal {number} \u202e\x1b[31m" + "x" * 3000
            session.send("error", error={"code": "ERR_INVALID_REQUEST", "message": words})
            session.close()
        editor.settle()
        (line,) = [line for line in editor.history if "refused this editor" in line]
        assert "refusal 0" in line and len(line) < 500 and "\u202e" not in line and "\x1b" not in line


@pytest.fixture
def editor_port() -> int:
    with ScriptedServer() as scripted:
        return scripted.port


def test_a_server_that_never_says_hello_is_left(editor_port: int) -> None:
    with ScriptedServer(editor_port, greets=False) as server, HeadlessEditor(editor_port) as editor:
        session = server.session()
        server.greets = True
        session.wait_closed()
        server.ready_session()
        assert editor.violations() == []


def test_a_frozen_server_is_left(server: ScriptedServer, editor: HeadlessEditor) -> None:
    # It never pings and never answers; the plugin gives it up by itself.
    server.ready_session().wait_closed()
    server.ready_session()


BAD_MESSAGES: Any = [
    ("", "ERR_INVALID_REQUEST"),
    ("not json", "ERR_INVALID_REQUEST"),
    ("[]", "ERR_INVALID_REQUEST"),
    ('"text"', "ERR_INVALID_REQUEST"),
    ("{}", "ERR_INVALID_REQUEST"),
    ('{"type": 5, "protocol_version": 1}', "ERR_INVALID_REQUEST"),
    ('{"type": "ping", "protocol_version": 2}', "ERR_INVALID_REQUEST"),
    ('{"type": "ping", "protocol_version": "1"}', "ERR_INVALID_REQUEST"),
    (json.dumps(message("execute", tool_name="read_console")), "ERR_INVALID_REQUEST"),
    (json.dumps(message("execute", request_id=7, tool_name="read_console")), "ERR_INVALID_REQUEST"),
    (json.dumps(message("execute", request_id="r", tool_name="format_disk")), "ERR_UNKNOWN_COMMAND"),
    (json.dumps(message("execute", request_id="r")), "ERR_UNKNOWN_COMMAND"),
    (json.dumps(message("dance", request_id="r")), "ERR_UNKNOWN_COMMAND"),
    (json.dumps(message("dance")), "ERR_UNKNOWN_COMMAND"),
    (json.dumps(message("get_job_status", request_id="r", job_id=[1])), "ERR_JOB_NOT_FOUND"),
    ("[" * 500_000, "ERR_INVALID_REQUEST"),
]


def test_what_is_wrong_is_answered_and_the_session_lives_on(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    for text, code in BAD_MESSAGES:
        session.send_text(text)
        assert session.hear("error")["error"]["code"] == code, text[:40]
        assert session.read_console()["count"] == 0


def test_what_is_unusual_and_not_wrong_is_not_answered_with_an_error(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    # Without a version it is of its session's.
    session.send_text('{"type": "ping"}')
    session.hear("pong")
    session.send("ping", surprise={"deep": [1, 2]}, request_id="x")
    session.hear("pong")
    # Just below a mebibyte.
    session.send_text(json.dumps(message("ping", padding="x" * 1_040_000)))
    session.hear("pong")
    # An error is never answered with an error.
    session.send("error", error={"code": "ERR_INVALID_REQUEST", "message": "no"})
    session.send("error", error=5)
    session.send_text('{"type": "error"}')
    session.send("ping")
    session.hear("pong")
    assert session.heard("error") == []


def test_binary_frames_close_with_1003(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    session.send_bytes(b"\x00\x01")
    session.wait_closed()
    assert session.close_code == 1003
    server.ready_session()


def test_a_message_over_a_mebibyte_closes_with_1009(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    session.send_text(json.dumps(message("ping", padding="x" * 1_100_000)))
    session.wait_closed()
    assert session.close_code == 1009
    server.ready_session()


def test_a_flood_of_requests_is_answered_one_by_one(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    asked = [f"flood-{number}" for number in range(3000)]
    for request_id in asked:
        session.send("get_job_status", request_id=request_id, job_id="nobody")
    session.expect("error", request_id=asked[-1])
    assert [error.get("request_id") for error in session.heard("error")] == asked


def test_a_server_that_asks_and_never_reads_is_cut_off(server: ScriptedServer, editor: HeadlessEditor) -> None:
    editor.command("flood 2000 1500")
    editor.wait_for("flooded")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        editor.draw_settings(port=listener.getsockname()[1], click="Apply")
        with DeafServer(listener) as deaf:
            for number in range(200):
                deaf.send(
                    message("execute", request_id=f"r{number}", tool_name="read_console", params={"max_entries": 2000})
                )
            deaf.wait_cut_off()
    editor.settle()
    assert editor.stats()["kilobytes"] < 200_000


class DeafServer:
    """Accepts one plugin, greets it, and reads nothing any more."""

    def __init__(self, listener: socket.socket) -> None:
        from websockets.server import ServerProtocol

        self._protocol = ServerProtocol()
        self._connection, _ = listener.accept()
        self._connection.settimeout(HANG_GUARD_S)
        self._protocol.receive_data(self._connection.recv(8192))
        (request,) = self._protocol.events_received()
        self._protocol.send_response(self._protocol.accept(request))  # type: ignore[arg-type]
        self._flush()
        self.send(message("hello", server_version="0.1.0"))

    def __enter__(self) -> DeafServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def send(self, fields: Any) -> None:
        self._protocol.send_text(json.dumps(fields).encode())
        self._flush()

    def wait_cut_off(self) -> None:
        pause = threading.Event()
        for _ in range(int(HANG_GUARD_S)):
            try:
                self.send(message("ping"))
            except OSError:
                return
            pause.wait(1)
        raise AssertionError("the plugin still bears with a server that does not read")

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            self._connection.sendall(data)
