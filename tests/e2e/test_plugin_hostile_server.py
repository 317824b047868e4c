"""The plugin against a server that is frozen, dying, foreign, malicious or wrong: it comes back,
and nothing leaks.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from contextlib import suppress
from typing import Any

import pytest
from websockets.protocol import State
from websockets.utils import accept_key

from tests.scripted_server import ScriptedServer, message
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor


def test_it_comes_back_after_every_close_code(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 3000, 4000):
        server.ready_session().close(code)
    assert server.ready_session().read_console()["count"] == 0


def test_it_comes_back_after_a_death_in_the_middle_of_a_frame(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    session.send_raw(b"\x81\x7e\x40\x00half a frame")
    session.drop()
    assert server.ready_session().read_console()["count"] == 0


def test_a_listener_that_accepts_and_says_nothing_costs_no_descriptor(port: int) -> None:
    # Such as a server that was stopped: every attempt is accepted by the system, and never
    # answered.
    with socket.create_server(("127.0.0.1", port)) as listener, HeadlessEditor(port) as editor:
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
    ("answer", "reason"),
    [
        (b"HTTP/1.1 101 Switching Protocols\r\n" + b"X: y\r\n" * 5000, "its answer has no end"),
        (b"\x00" * 20000, "its answer has no end"),
        (b"HTTP/1.1 403 Forbidden\r\n\r\n", "it answers HTTP 403"),
    ],
    ids=["a head without an end", "no HTTP", "a refusal"],
)
def test_a_listener_that_answers_something_else_is_left_at_once(
    port: int, answer: bytes, reason: str
) -> None:
    with socket.create_server(("127.0.0.1", port)) as listener, HeadlessEditor(port) as editor:
        for _ in range(2):
            with listener.accept()[0] as connection, suppress(ConnectionError):
                connection.settimeout(HANG_GUARD_S)
                connection.sendall(answer)
                while connection.recv(4096):
                    pass
        # By the next attempt it is known why the one before ended: not because the time for a
        # handshake was over.
        with listener.accept()[0]:
            assert reason in "\n".join(editor.draw_settings())
        assert editor.violations() == []


# What RFC 6455 §4.1 has a client check in the answer to its handshake, and the reason that the
# plugin names.
GOOD_ANSWER = {
    "Upgrade": "WebSocket",
    "Connection": "keep-alive, upgrade",
    "Sec-WebSocket-Accept": "{accept}",
}
BAD_ANSWERS: Any = {
    "no upgrade": ({"Upgrade": None}, "does not upgrade"),
    "an upgrade to another protocol": ({"Upgrade": "h2c"}, "does not upgrade"),
    "a list of upgrades": ({"Upgrade": "websocket, h2c"}, "does not upgrade"),
    "no connection": ({"Connection": None}, "does not upgrade"),
    "a connection that is closed": ({"Connection": "close, upgrades"}, "does not upgrade"),
    "no accept": ({"Sec-WebSocket-Accept": None}, "does not accept the key"),
    "the accept of another key": (
        {"Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
        "does not accept the key",
    ),
    "an accept with more": (
        {"Sec-WebSocket-Accept": "{accept}\r\nsec-websocket-accept: x"},
        "does not accept the key",
    ),
    "an extension": ({"Sec-WebSocket-Extensions": "permessage-deflate"}, "was not asked for"),
    "a subprotocol": ({"Sec-WebSocket-Protocol": "chat"}, "was not asked for"),
}


def _answer(request: bytes, changes: Any) -> bytes:
    (key,) = re.findall(rb"\r\nSec-WebSocket-Key: (\S+)\r\n", request)
    headers = {**GOOD_ANSWER, **changes}
    lines = [
        f"{name}: {value}".format(accept=accept_key(key.decode()))
        for name, value in headers.items()
        if value
    ]
    return "\r\n".join(["HTTP/1.1 101 Switching Protocols", *lines, "", ""]).encode()


def test_an_answer_that_is_no_upgrade_to_websocket_is_left_without_a_word(port: int) -> None:
    with socket.create_server(("127.0.0.1", port)) as listener, HeadlessEditor(port) as editor:
        keys, expected = set(), ""
        for name, (changes, reason) in {**BAD_ANSWERS, "good": ({}, "")}.items():
            connection = listener.accept()[0]
            # By the next attempt it is known why the one before failed.
            assert expected in "\n".join(editor.draw_settings()), name
            with connection:
                connection.settimeout(HANG_GUARD_S)
                request = connection.recv(8192)
                keys.update(re.findall(rb"Sec-WebSocket-Key: (\S+)", request))
                connection.sendall(_answer(request, changes))
                assert (connection.recv(1) == b"") == bool(reason), name
            expected = reason
        assert len(keys) == len(BAD_ANSWERS) + 1
        assert editor.violations() == []


def test_a_frame_that_claims_to_be_endless_costs_the_connection_and_no_core(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    session.send_raw(b"\x81\x7f" + b"\xff" * 8 + b"{")
    session.wait_closed()
    assert server.ready_session().read_console()["count"] == 0


def test_a_server_of_another_protocol_is_named(port: int) -> None:
    with ScriptedServer(port, greets=False) as server, HeadlessEditor(port) as editor:
        server.session().send_text(
            json.dumps({"type": "hello", "protocol_version": 2, "server_version": "9"})
        )
        editor.wait_for("console .*protocol_version 2.*update")


def test_a_refusal_is_logged_once_however_it_is_put(port: int) -> None:
    with ScriptedServer(port, greets=False) as server, HeadlessEditor(port) as editor:
        for number in range(4):
            session = server.session()
            words = f"refusal {number} \u202e\x1b[31m" + "x" * 3000
            session.send("error", error={"code": "ERR_INVALID_REQUEST", "message": words})
            session.close()
        editor.wait_until_idle()
        (line,) = [line for line in editor.history if "refused this editor" in line]
        assert (
            "refusal 0" in line and len(line) < 500 and "\u202e" not in line and "\x1b" not in line
        )


def test_a_server_that_never_says_hello_is_left(port: int) -> None:
    with ScriptedServer(port, greets=False) as server, HeadlessEditor(port) as editor:
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
    (
        json.dumps(message("execute", request_id="r", tool_name="format_disk")),
        "ERR_UNKNOWN_COMMAND",
    ),
    (json.dumps(message("execute", request_id="r")), "ERR_UNKNOWN_COMMAND"),
    (json.dumps(message("dance", request_id="r")), "ERR_UNKNOWN_COMMAND"),
    (json.dumps(message("dance")), "ERR_UNKNOWN_COMMAND"),
    (json.dumps(message("get_job_status", request_id="r", job_id=[1])), "ERR_JOB_NOT_FOUND"),
    ("[" * 500_000, "ERR_INVALID_REQUEST"),
]


def test_a_wrong_message_is_answered_and_the_session_continues(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    for text, code in BAD_MESSAGES:
        session.send_text(text)
        assert session.hear("error")["error"]["code"] == code, text[:40]
        assert session.read_console()["count"] == 0


def test_an_unusual_but_valid_message_is_not_answered_with_an_error(
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


def test_a_message_that_is_too_deep_is_refused_and_the_deepest_outlives_a_reload(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    # The message and its params are two more.
    for job, levels in (("deep", 49), ("deepest", 48)):
        arguments = json.loads('{"a":' * levels + "1" + "}" * levels)
        params = {"name": "ping", "arguments": arguments}
        session.send(
            "submit_job", request_id=job, job_id=job, tool_name="run_command", params=params
        )
    assert session.hear("error")["error"]["code"] == "ERR_INVALID_REQUEST"
    assert session.hear("submit_job_result")["job_id"] == "deepest"
    editor.reload()
    session = server.ready_session()
    assert session.job("deepest")["tool_name"] == "run_command"
    assert session.job("deep")["error"]["code"] == "ERR_JOB_NOT_FOUND"


def test_binary_frames_close_with_1003(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    session.send_bytes(b"\x00\x01")
    session.wait_closed()
    assert session.close_code == 1003
    server.ready_session()


def _close(code: int, reason: bytes = b"") -> bytes:
    return bytes([0x88, 2 + len(reason)]) + code.to_bytes(2, "big") + reason


def _claims(first: int, length: int) -> bytes:
    """A frame's head with a length of eight bytes."""
    return bytes([first, 127]) + length.to_bytes(8, "big")


# What no server sends (RFC 6455, without extensions), and the code that the plugin closes with.
# Autobahn's cases have more of each kind (tests/conformance); here is what they lack, and one of
# each that needs the plugin's limits.
BAD_FRAMES = {
    "a masked frame (5.1)": (b"\x81\x85\0\0\0\0hello", 1002),
    "a bit of an extension (5.2)": (b"\xc1\x00", 1002),
    "the same in a ping (5.2)": (b"\xc9\x00", 1002),
    "the same in a binary message (5.2)": (b"\xa2\x00", 1002),
    "a piece of no message (5.4)": (b"\x80\x00", 1002),
    "a message within another (5.4)": (b"\x01\x01{\x81\x01}", 1002),
    "a ping in pieces (5.4)": (b"\x09\x00", 1002),
    "a long ping (5.5)": (b"\x89\x7e\x00\x7e" + b"x" * 126, 1002),
    "an unknown opcode (5.2)": (b"\x83\x00", 1002),
    "an unknown control opcode (5.2)": (b"\x8b\x00", 1002),
    "a length of two bytes that fits the first (5.2)": (b"\x81\x7e\x00\x02{}", 1002),
    "the same in a ping (5.2, 5.5)": (b"\x89\x7e\x00\x02hi", 1002),
    "a length of eight bytes that fits two (5.2)": (_claims(0x81, 65535), 1002),
    "a length from 2^63 on (5.2)": (_claims(0x81, 2**63), 1002),
    "one byte over a mebibyte": (_claims(0x81, 2**20 + 1), 1009),
    "one byte over a mebibyte in pieces": (b"\x01\x01{" + _claims(0x80, 2**20), 1009),
    "a piece of 2^63 - 1 bytes": (b"\x01\x01{" + _claims(0x80, 2**63 - 1) + b"}", 1009),
    "a piece whose length has a small rest": (
        b"\x01\x01{" + _claims(0x80, 2**63 - 2**32 + 1) + b"}",
        1009,
    ),
    "a close frame of one byte (5.5.1)": (b"\x88\x01\x03", 1002),
    "a close frame with a reason that is not UTF-8 (5.5.1)": (_close(1000, b"\xed\xa0\x80"), 1007),
    **{
        f"close code {code} (7.4)": (_close(code), 1002)
        for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535)
    },
    "text that is not UTF-8 (8.1)": (b"\x81\x02\xc3\x28", 1007),
    "half a character at the end (8.1)": (b"\x01\x02{\xe2\x80\x01\x82", 1007),
}


def test_a_frame_that_no_server_sends_closes_with_its_code(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    closed = {}
    for name, (frames, _) in BAD_FRAMES.items():
        session = server.ready_session()
        session.send_raw(frames)
        session.wait_closed()
        closed[name] = session.close_code
    assert closed == {name: code for name, (_, code) in BAD_FRAMES.items()}
    server.ready_session()


def test_a_message_may_come_in_pieces_with_pings_between(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    text = json.dumps(
        message("dance", request_id="\u00fc", padding="x" * 70_000), ensure_ascii=False
    ).encode()
    begun = text.index(b"\xc3") + 1  # a character is divided
    session.send_raw(bytes([0x01, begun]) + text[:begun])
    session.send_raw(b"\x89\x02hi" + b"\x00\x00" + b"\x8a\x00")
    session.send_raw(b"\x80\x7f" + (len(text) - begun).to_bytes(8, "big") + text[begun:])
    assert session.hear("error")["request_id"] == "\u00fc"
    assert session.answers_pings()


def test_a_message_over_a_mebibyte_closes_with_1009(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    session.send_text(json.dumps(message("ping", padding="x" * 1_100_000)))
    session.wait_closed()
    assert session.close_code == 1009
    server.ready_session()


def test_a_flood_of_requests_is_answered_one_by_one(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    asked = [f"flood-{number}" for number in range(3000)]
    for request_id in asked:
        session.send("get_job_status", request_id=request_id, job_id="nobody")
    session.expect("error", request_id=asked[-1])
    assert [error.get("request_id") for error in session.heard("error")] == asked


def test_a_server_that_asks_and_never_reads_is_cut_off(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    editor.command("flood 2000 1500")
    editor.wait_for("flooded")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        editor.draw_settings(port=listener.getsockname()[1], click="Apply")
        with DeafServer(listener) as deaf:
            for number in range(200):
                deaf.send(
                    message(
                        "execute",
                        request_id=f"r{number}",
                        tool_name="read_console",
                        params={"max_entries": 2000},
                    )
                )
            deaf.wait_cut_off()
    editor.wait_until_idle()
    assert editor.stats()["kilobytes"] < 200_000


def test_a_server_that_does_not_answer_the_goodbye_is_left_in_time(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        editor.draw_settings(port=listener.getsockname()[1], click="Apply")
        late = 0
        # A busy machine may be late, but not each time.
        for reloads in range(1, 11):
            with DeafServer(listener):
                editor.reload()
            late = sum("still ended" in line for line in editor.history)
            if late < reloads:
                return
    raise AssertionError(f"{late} reloads waited for the goodbye of a server that does not answer")


def test_a_request_after_the_goodbye_is_not_carried_out(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    """Its answer could not leave any more."""
    session = server.ready_session()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        editor.draw_settings(port=listener.getsockname()[1], click="Apply")
        with DeafServer(listener) as deaf:
            session.wait_closed()
            editor.draw_settings(port=server.port, click="Apply")
            deaf.read_until_close()
            fields = {
                "request_id": "r",
                "job_id": "late",
                "tool_name": "run_tests",
                "params": {},
                "timeout_ms": 60_000,
            }
            with suppress(OSError):  # it may have hung up already
                deaf.send(message("submit_job", **fields))
            deaf.wait_cut_off()
    assert server.ready_session().job("late")["error"]["code"] == "ERR_JOB_NOT_FOUND"


def test_a_reload_that_nobody_announces_ends_a_connection_that_cannot_send(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    editor.command("flood 2000 1500")
    editor.wait_for("flooded")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        editor.draw_settings(port=listener.getsockname()[1], click="Apply")
        with DeafServer(listener) as deaf:
            # Less than what makes the plugin drop the connection, and more than the system takes.
            for number in range(16):
                deaf.send(
                    message(
                        "execute",
                        request_id=f"r{number}",
                        tool_name="read_console",
                        params={"max_entries": 2000},
                    )
                )
            editor.wait_until_idle()
            editor.arrange("quirk no-before-reload")
            editor.reload()
    assert editor.violations() == []


def test_a_flood_of_pings_is_answered(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    session.send_raw((b"\x89\x7d" + b"x" * 125) * (8 * 2**20 // 127))
    assert session.answers_pings()
    assert session.read_console()["count"] == 0
    assert editor.stats()["kilobytes"] < 200_000


def test_a_flood_of_pings_from_a_server_that_never_reads_is_cut_off(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        editor.draw_settings(port=listener.getsockname()[1], click="Apply")
        with DeafServer(listener) as deaf:
            with suppress(OSError):
                deaf.send_raw(b"\x89\x00" * (8 * 2**20 // 2))
            deaf.wait_cut_off()
    editor.wait_until_idle()
    assert editor.stats()["kilobytes"] < 200_000


def test_a_message_that_arrives_byte_by_byte_costs_the_connection(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    session.send_raw(_claims(0x81, 2**20))
    pause = threading.Event()
    with suppress(OSError):
        for _ in range(int(HANG_GUARD_S)):
            session.send_raw(b" ")
            pause.wait(1)
    session.wait_closed()
    assert server.ready_session().read_console()["count"] == 0


def test_a_close_code_that_may_be_sent_is_answered_with_1000(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    answered = {}
    for code in (1000, 1003, 1007, 1014, 3000, 4999):
        session = server.ready_session()
        session.send_raw(_close(code, "\u00fc".encode()))
        session.wait_closed()
        answered[code] = session.close_code
    assert set(answered.values()) == {1000}, answered


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
        for data in self._protocol.data_to_send():
            self.send_raw(data)
        self.send(message("hello", server_version="0.1.0"))

    def __enter__(self) -> DeafServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def send(self, fields: Any) -> None:
        text = json.dumps(fields).encode()
        self.send_raw(
            b"\x81"
            + (bytes([len(text)]) if len(text) < 126 else b"\x7e" + len(text).to_bytes(2, "big"))
            + text
        )

    def send_raw(self, data: bytes) -> None:
        self._connection.sendall(data)

    def read_until_close(self) -> None:
        """Until the plugin's close frame, which is not answered."""
        while self._protocol.state is State.OPEN:
            data = self._connection.recv(8192)
            assert data, "it hung up without a close frame"
            self._protocol.receive_data(data)

    def wait_cut_off(self) -> None:
        pause = threading.Event()
        for _ in range(int(HANG_GUARD_S)):
            try:
                self.send(message("ping"))
            except OSError:
                return
            pause.wait(1)
        raise AssertionError("the plugin still bears with a server that does not read")
