"""Calls and bytes of the first prompts, and the time of a batch: ``python
tests/bench/making_bench.py``.

The prompts are those of ``docs/commands.md``, called by an MCP client with the plugin in a headless editor on Mono.
Bytes are of the text that the agent reads.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.first_prompts import PROJECT, prompts
from tests.ports import free_port
from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.base.clock import SystemClock
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

CLOCK = SystemClock()
CREATES = 200
BATCHES = 7


def main() -> None:
    os.environ.setdefault(STATE_DIR_VARIABLE, tempfile.mkdtemp(prefix="making-state-"))
    port = free_port()
    with Agent(port) as agent, HeadlessEditor(port, held=["quirk ugui"]) as editor:
        (editor.project / "Assets").mkdir(exist_ok=True)
        editor.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        agent.wait_for_editor()
        editor.command("echo off")
        calls = size = 0
        for prompt in prompts():
            own = [_bytes_of(agent, name, arguments) for name, arguments in prompt.calls()]
            print(f"{prompt.words:60} {len(own):2} calls {sum(own):6} bytes")
            calls, size = calls + len(own), size + sum(own)
        print(f"{'all':60} {calls:2} calls {size:6} bytes")
        seconds: List[float] = []
        for number in range(BATCHES):
            steps = [
                {
                    "name": "create_object",
                    "arguments": {"kind": "cube", "name": f"{number} {x}", "position": [x, 0, 0]},
                }
                for x in range(CREATES)
            ]
            began = CLOCK.now()
            agent.call("run_command", name="batch", arguments={"steps": steps})
            seconds.append(CLOCK.now() - began)
        middle, first = statistics.median(seconds) * 1000, seconds[0] * 1000
        print(f"a batch of {CREATES} creates: median {middle:.0f} ms, first {first:.0f} ms")


def _bytes_of(agent: Agent, name: str, arguments: Dict[str, Any]) -> int:
    answer = agent.result("run_command", name=name, arguments=arguments)
    assert not answer.is_error, (name, answer.content)
    return len("".join(getattr(part, "text", "") for part in answer.content).encode())


if __name__ == "__main__":
    main()
