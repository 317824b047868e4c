"""Agents' own programs, where this machine has them, and a stand-in for the model that they talk
to.

They are on PATH, or were put below the clone with Node 22 and

    npm install --prefix .unity-bridge/agents @anthropic-ai/claude-code @openai/codex
    @google/gemini-cli \\
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
    """Anthropic's Messages API on a port of this machine: asks once for ``tool``, and is content
    with its result.
    """

    def __init__(self, tool: str, arguments: Dict[str, Any]) -> None:
        self._tool, self._arguments = tool, arguments
        self.tools: List[str] = []
        self.result: Optional[str] = None
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None: ...

            def do_POST(self) -> None:
                request = json.loads(
                    self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}"
                )
                is_stream = "countTokens" not in self.path
                self.send_response(200)
                self.send_header(
                    "Content-Type", "text/event-stream" if is_stream else "application/json"
                )
                self.end_headers()
                for event in model.events(request) if is_stream else ():
                    name = f"event: {event['type']}\n" if "type" in event else ""
                    self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
                if not is_stream:
                    self.wfile.write(b'{"totalTokens": 1}')

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
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", "stand-in"),
        }
        usage = {"input_tokens": 1, "output_tokens": 1}
        empty: Dict[str, Any] = {"input": {}} if is_call else {"text": ""}
        delta = (
            {"type": "input_json_delta", "partial_json": json.dumps(content["input"])}
            if is_call
            else {"type": "text_delta", "text": content["text"]}
        )
        end = {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None}
        return [
            {
                "type": "message_start",
                "message": {**message, "content": [], "usage": usage, "stop_reason": None},
            },
            {"type": "content_block_start", "index": 0, "content_block": {**content, **empty}},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]

    def _content(self, request: Dict[str, Any]) -> Dict[str, Any]:
        results = [
            block.get("content")
            for message in request.get("messages", [])
            for block in (message["content"] if isinstance(message.get("content"), list) else [])
            if block.get("type") == "tool_result"
        ]
        wanted = self._wanted([str(tool.get("name")) for tool in request.get("tools", [])], results)
        if wanted is not None:
            return {"type": "tool_use", "id": "toolu_1", "name": wanted, "input": self._arguments}
        return {"type": "text", "text": "Done."}

    def _wanted(self, tools: List[str], results: List[Any]) -> Optional[str]:
        """The tool to call now; None if it has been called, or is not there."""
        if results:
            self.result = json.dumps(results[-1])
        self.tools = tools or self.tools
        return next((name for name in tools if name.endswith(self._tool) and not results), None)


class StandInGemini(StandInModel):
    """The same for Google's API, in one event: https://ai.google.dev/api/generate-content."""

    def events(self, request: Dict[str, Any]) -> List[Dict[str, Any]]:
        parts = [
            part for content in request.get("contents", []) for part in content.get("parts", [])
        ]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        declared = [
            one for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])
        ]
        wanted = self._wanted([str(one["name"]) for one in declared], results)
        call = {"functionCall": {"name": wanted, "args": self._arguments}}
        content = {"role": "model", "parts": [{"text": "Done."} if wanted is None else call]}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        return [
            {
                "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
                "usageMetadata": usage,
            }
        ]


class StandInCodex(StandInModel):
    """The same for OpenAI's Responses API, with tools in namespaces as Codex sends them:
    https://platform.openai.com/docs/api-reference/responses-streaming."""

    def events(self, request: Dict[str, Any]) -> List[Dict[str, Any]]:
        results = [
            item["output"]
            for item in request["input"]
            if item.get("type") == "function_call_output"
        ]
        spaces = {
            one["name"]: tool["name"]
            for tool in request.get("tools", [])
            for one in tool.get("tools", [])
        }
        wanted = self._wanted(list(spaces), results)
        item: Dict[str, Any] = {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "content": [],
        }
        if wanted is not None:
            arguments = json.dumps(self._arguments)
            item = {
                "type": "function_call",
                "id": "fc_1",
                "call_id": "call_1",
                "name": wanted,
                "arguments": arguments,
            }
            item["namespace"] = spaces[wanted]
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return [
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        ]
