#!/usr/bin/env python3
"""The smallest plugin that unity-bridge works with: a place to start from, in whatever language you
write yours.

    python docs/examples/minimal_plugin.py [PORT]      (needs: pip install websocket-client)

It has a console with one entry and a project with one test. The contract is docs/contract.md, §7; the paragraphs below
are its. It sends no identity and issues its own job ids, so a run that was lost with the connection is not repeated.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
from typing import Any, Dict

import websocket

Message = Dict[str, Any]

PASSED = {
    "summary": {"total": 1, "passed": 1, "failed": 0, "skipped": 0, "duration_ms": 1},
    "failed_tests": [],
}

jobs: Dict[str, Message] = {}  # what an editor knows it must remember over reconnects
numbers = itertools.count(1)


def answer(message: Message) -> Message:
    """The answer to a request. Its ``request_id`` is added by the caller."""
    kind, tool = message["type"], message.get("tool_name")
    if kind == "execute" and tool == "read_console":
        entry = {"type": "log", "message": "Hello from a minimal plugin", "stack_trace": None}
        return {
            "type": "result",
            "status": "ok",
            "result": {"entries": [entry], "count": 1, "truncated": False},
        }
    if kind == "submit_job" and tool == "run_tests":
        job_id = f"minimal-{next(numbers)}"
        jobs[job_id] = {
            "state": "succeeded",
            "result": PASSED,
        }  # a real one starts the run here, and ends it later
        return {"type": "submit_job_result", "status": "accepted", "job_id": job_id}
    if kind == "get_job_status" and message["job_id"] in jobs:
        return {
            "type": "job_status",
            "job_id": message["job_id"],
            "progress": None,
            **jobs[message["job_id"]],
        }
    if kind == "cancel" and message.get("target_job_id") in jobs:
        return {"type": "cancel_result", "status": "rejected"}  # it has ended already
    if kind in ("get_job_status", "cancel"):
        return refusal("ERR_JOB_NOT_FOUND", "There is no such job.")
    return refusal("ERR_UNKNOWN_COMMAND", f"This plugin has no {tool or kind}.")


def refusal(code: str, words: str) -> Message:
    return {
        "type": "error",
        "error": {"code": code, "message": words, "retryable": False, "details": {}},
    }


def session(port: int) -> None:
    """One connection, from hello to its end (§7.1)."""
    # A request with an Origin header is rejected (§7.9).
    connection = websocket.create_connection(f"ws://127.0.0.1:{port}/unity", suppress_origin=True)

    def send(message: Message) -> None:
        connection.send(json.dumps({"protocol_version": 1, **message}))

    send({"type": "hello", "plugin_version": "1.0.0", "state": "ready"})
    while True:
        message = json.loads(connection.recv() or "{}")
        if not message:
            return  # closed
        if message["type"] == "ping":
            send({"type": "pong", "editor_state": "ready"})  # §7.5
        elif "request_id" in message and message["type"] != "error":
            send({"request_id": message["request_id"], **answer(message)})


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8091
    while True:  # it reconnects for ever (§11.2)
        try:
            session(port)
        except (OSError, websocket.WebSocketException):
            pass
        threading.Event().wait(0.5)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
