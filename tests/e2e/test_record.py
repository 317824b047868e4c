"""A recording from the plugin to an MCP client and to a shell, with keys pressed at a time (SPEC
§16.12).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Iterator, Tuple

import pytest
from mcp.types import ImageContent, TextContent

from tests.ports import free_port
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.launch.environment import isolated

Both = Tuple[Agent, HeadlessEditor, int]


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    port = free_port()
    held = [
        "quirk input-system",
        "focus off",
        "enter-play-without-reload",
        "scene Assets/Main.unity",
    ]
    with Agent(port) as agent, HeadlessEditor(port, held=held) as editor:
        agent.wait_for_editor()
        editor.command("play on")
        editor.wait_for("play on")
        yield agent, editor, port
        assert editor.violations() == []


def shell(both: Both, *words: str) -> Any:
    _, editor, port = both
    return subprocess.run(
        [*isolated(), "record", *words],
        cwd=str(editor.project),
        env={**os.environ, "UNITY_BRIDGE_PORT": str(port)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
    )


def test_a_client_gets_a_picture_and_its_facts(both: Both) -> None:
    agent, _, _ = both
    answer = agent.result("run_command", name="record", arguments={"seconds": 0.5, "frames": 4})
    assert not answer.is_error, answer.content
    picture, text = answer.content
    assert isinstance(picture, ImageContent) and picture.data
    assert isinstance(text, TextContent)
    facts = json.loads(text.text)["result"]
    assert facts["value"]["frames"] >= 1
    assert set(facts["image"]) == {"width", "height"}


def test_a_shell_writes_the_sheet_and_presses_keys_at_their_time(
    both: Both, tmp_path: Path
) -> None:
    words = ("--seconds", "3", "--frames", "6", "--press", "space@0.2", "--press", "w+d@0.6")
    done = shell(both, "-o", str(tmp_path / "jump.png"), *words)
    sheet = tmp_path / "jump.jpg"
    assert (done.returncode, done.stdout.strip()) == (0, str(sheet)), done.stderr
    assert sheet.read_bytes().startswith(b"\xff\xd8\xff")
    assert "its name ends in .jpg" in done.stderr
    assert "press space" in done.stderr and "press w, d" in done.stderr


def test_as_json_the_sheet_is_a_file_too(both: Both, tmp_path: Path) -> None:
    done = shell(
        both, "--json", "-o", str(tmp_path / "sheet.jpg"), "--seconds", "0.5", "--frames", "4"
    )
    result = json.loads(done.stdout)["result"]
    assert result["image"]["file"] == str(tmp_path / "sheet.jpg")
    assert "data" not in result["image"]


@pytest.mark.parametrize(
    "words", [("--press", "space"), ("--press", "space@soon"), ("--seconds", "31")]
)
def test_wrong_words_are_refused_before_anything_runs(both: Both, words: Tuple[str, ...]) -> None:
    done = shell(both, *words)
    assert done.returncode == 2 and not done.stdout


def test_a_key_that_is_not_there_is_reported_and_the_recording_goes_on(
    both: Both, tmp_path: Path
) -> None:
    done = shell(
        both,
        "-o",
        str(tmp_path / "a.jpg"),
        "--seconds",
        "1",
        "--frames",
        "4",
        "--press",
        "nokey@0.1",
    )
    assert done.returncode == 0 and "press nokey failed" in done.stderr
