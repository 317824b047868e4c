"""The first prompts of ``docs/commands.md``, by MCP and in the shell, with the plugin in a headless
editor.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Iterator, Tuple

import pytest

from tests.first_prompts import FIFTY, PROJECT, prompts
from tests.ports import free_port
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.launch.environment import isolated

Both = Tuple[Agent, HeadlessEditor, int]


@pytest.fixture
def both() -> Iterator[Both]:
    port = free_port()
    with Agent(port) as agent, HeadlessEditor(port, held=["quirk ugui"]) as editor:
        (editor.project / "Assets").mkdir(exist_ok=True)
        editor.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        agent.wait_for_editor()
        yield agent, editor, port
        assert editor.violations() == []


def test_each_prompt_is_a_few_calls_with_short_answers(both: Both) -> None:
    agent, _, _ = both
    calls = size = 0
    for prompt in prompts():
        steps = prompt.calls()
        assert len(steps) <= 3, prompt.words
        for name, arguments in steps:
            answer = agent.result("run_command", name=name, arguments=arguments)
            assert not answer.is_error, (prompt.words, answer.content)
            calls += 1
            size += len("".join(getattr(part, "text", "") for part in answer.content).encode())
    assert len(prompts()) == 10 and calls <= 22 and size <= 14_000, (calls, size)


def test_each_prompt_is_carried_out_in_the_shell_as_it_is_written(
    both: Both, tmp_path: Path
) -> None:
    _, editor, port = both
    program = tmp_path / "unity-bridge"
    program.write_text("#!/bin/sh\nexec " + " ".join(isolated()) + ' "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (editor.project / "steps.json").write_text(json.dumps(FIFTY), encoding="utf-8")
    for prompt in prompts():
        done = subprocess.run(
            ["sh", "-e", "-c", prompt.block],
            cwd=str(editor.project),
            env={
                **os.environ,
                "UNITY_BRIDGE_PORT": str(port),
                "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANG_GUARD_S,
        )
        assert done.returncode == 0, (prompt.words, done.stdout, done.stderr)
