"""A client's program: it starts the server by the words of an entry, as any MCP client does, and
works with it.

``python far_client.py ENTRY.json``: prints one JSON line with what it found, and then waits, with a call open, until it
is killed.
"""

from __future__ import annotations

import base64
import io
import json
import sys
from typing import Any, Dict

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import ImageContent

GUARD_S = 120.0
_PAUSE_S = 0.05


async def state_of(client: Client) -> Dict[str, Any]:
    answer = await client.call_tool("get_editor_state", {"detail": True})
    found: Dict[str, Any] = answer.structured_content
    return found


async def wait_for(client: Client, holds: Any) -> Dict[str, Any]:
    """The editor's state as soon as ``holds(state)``; the guard of the whole story ends the wait."""
    while True:
        state = await state_of(client)
        if holds(state):
            return state
        await anyio.sleep(_PAUSE_S)


async def cancelled_run(client: Client) -> Dict[str, Any]:
    """A call whose client loses interest; what is known of its job afterwards, and how that ends."""
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "run_tests", {"refresh": False, "wait_ms": 50000})
        running = await wait_for(client, lambda state: state["running_jobs"])
        group.cancel_scope.cancel()  # the SDK then sends notifications/cancelled
    job = running["running_jobs"][0]["job_id"]
    console = await client.call_tool("read_console", {})
    await client.call_tool("cancel_job", {"job_id": job})
    ended = await client.call_tool("get_job_status", {"job_id": job, "wait_ms": 50000})
    return {"console_works": not console.is_error, "job": ended.structured_content["state"]}


async def story(entry: Dict[str, Any]) -> None:
    server = StdioServerParameters(
        command=entry["command"], args=entry["args"], env=entry.get("env")
    )
    with anyio.fail_after(GUARD_S):
        async with Client(server) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            state = await wait_for(client, lambda state: state["trusted"])
            shot = await client.call_tool("screenshot", {"format": "png"})
            (image,) = [part for part in shot.content if isinstance(part, ImageContent)]
            picture = base64.b64decode(image.data)
            found = {
                "instructions": client.instructions,
                "tools": tools,
                "trusted": state["trusted"],
                "client_project_path": state.get("client_project_path"),
                "picture": io.BytesIO(picture).read(8).hex(),
                **(await cancelled_run(client)),
            }
            async with anyio.create_task_group() as group:
                group.start_soon(
                    client.call_tool, "run_tests", {"refresh": False, "wait_ms": 50000}
                )
                await wait_for(client, lambda state: state["running_jobs"])
                sys.stdout.write(json.dumps(found) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        anyio.run(story, json.load(file))
