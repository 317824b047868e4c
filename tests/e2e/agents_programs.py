"""Agents' own programs, where this machine has them, and a stand-in for the model that they talk to.

They are on PATH, or were put below the clone with Node 22 and

    npm install --prefix .unity-bridge/agents @anthropic-ai/claude-code @openai/codex @google/gemini-cli \\
        opencode-ai @github/copilot

That is a gigabyte, so nothing fetches it by itself.
"""

from __future__ import annotations

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

from tests.fetching import PRIVATE


def program(name: str) -> str:
    """Its path; the test is skipped where there is none."""
    below = str(PRIVATE / "agents" / "node_modules" / ".bin")
    found = shutil.which(name) or shutil.which(name, path=below)
    if found is None:
        pytest.skip(f"needs {name} on PATH, or installed as {Path(__file__).name} says")
    return found


class StandInModel:
    """Anthropic's Messages API on a port of this machine: asks once for ``tool``, and is content with its result."""

    def __init__(self, tool: str, arguments: Dict[str, Any]) -> None:
        self._tool, self._arguments = tool, arguments
        self.tools: List[str] = []
        self.result: Optional[str] = None
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None: ...

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for event in model.events(request):
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> StandInModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def events(self, request: Dict[str, Any]) -> List[Dict[str, Any]]:
        """A streamed message: https://docs.claude.com/en/docs/build-with-claude/streaming."""
        content = self._content(request)
        is_call = content["type"] == "tool_use"
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "stand-in")}
        usage = {"input_tokens": 1, "output_tokens": 1}
        empty: Dict[str, Any] = {"input": {}} if is_call else {"text": ""}
        delta = (
            {"type": "input_json_delta", "partial_json": json.dumps(content["input"])}
            if is_call
            else {"type": "text_delta", "text": content["text"]}
        )
        end = {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None}
        return [
            {"type": "message_start", "message": {**message, "content": [], "usage": usage, "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": {**content, **empty}},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]

    def _content(self, request: Dict[str, Any]) -> Dict[str, Any]:
        results = [
            json.dumps(block.get("content"))
            for message in request.get("messages", [])
            for block in (message["content"] if isinstance(message.get("content"), list) else [])
            if block.get("type") == "tool_result"
        ]
        if results:
            self.result = results[-1]
        names = [str(tool.get("name")) for tool in request.get("tools", [])]
        self.tools = names or self.tools
        wanted = [name for name in names if name.endswith(self._tool)]
        if wanted and not results:
            return {"type": "tool_use", "id": "toolu_1", "name": wanted[0], "input": self._arguments}
        return {"type": "text", "text": "Done."}
