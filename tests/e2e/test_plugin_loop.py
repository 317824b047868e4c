"""The loop of an agent, the whole way: edit on disk, compile or run_tests, fix, repeat (SPEC §15,
§16.1).
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import List

import pytest

pytest.importorskip("mcp_types", reason="the mcp package needs Python 3.10")

from mcp.types import ImageContent, TextContent

from tests.rounds import rounds
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.launch.environment import isolated

ROUNDS = rounds(6, 20)
BROKEN = "Assets/Broken.cs(7,3): error CS1002: ; expected"


def test_one_call_after_an_edit_compiles_loads_and_answers(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.arrange("edit Game|second")
    status = agent.call("compile")
    assert (status["state"], status["tool"]) == ("succeeded", "compile")
    assert (status["result"]["changed"], status["result"]["reloaded"]) == (True, True)


def test_edit_error_fix_green_takes_a_call_each(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.tests("edit|A.B.C|pass|10")
    agents_editor.arrange(f"edit Game|second|{BROKEN}")
    broken = agent.result("run_tests", mode="edit").structured_content or {}
    assert broken["error"]["details"]["reason"] == "compile_errors"
    assert broken["error"]["details"]["errors"][0]["line"] == 7
    assert agent.call("compile")["result"]["error_count"] == 1
    agents_editor.arrange("edit Game|third")
    green = agent.call("run_tests", mode="edit")
    assert green["state"] == "succeeded" and green["result"]["code_fresh"] is True
    assert [line for line in agents_editor.history if line.startswith("execute")] == [
        "execute EditMode all"
    ]


def test_play_look_step_look_and_stop_take_a_call_each(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    entered = agent.call("play_mode", action="enter")
    assert (entered["state"], entered["result"]["changed"]) == ("succeeded", True)
    paused = agent.call("play_mode", action="pause")["result"]
    stepped = agent.call("play_mode", action="step", frames=3)["result"]
    assert stepped["frame"] == paused["frame"] + 3
    seen = agent.result("screenshot", max_size=64)
    image, text = seen.content
    assert (
        isinstance(image, ImageContent)
        and isinstance(text, TextContent)
        and seen.structured_content is None
    )
    assert image.mime_type == "image/jpeg" and base64.b64decode(image.data).startswith(
        b"\xff\xd8\xff"
    )
    answer = json.loads(text.text)
    assert (answer["playing"], answer["frame"], answer["fresh"]) == (True, stepped["frame"], True)
    assert agent.call("play_mode", action="exit")["result"]["playing"] is False
    assert [line for line in agents_editor.history if line.startswith("asked")] == [
        "asked to play",
        "asked to stop",
    ]


def test_an_agent_that_edits_a_script_while_the_game_plays_is_not_locked_out(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.tests("edit|A.B.C|pass|10")
    agents_editor.arrange("changes-while-playing after")
    assert agent.call("play_mode", action="enter")["state"] == "succeeded"
    agents_editor.arrange("compile ok 50")
    state = agent.wait_for_state(lambda state: state["code"] == "pending")
    assert (state["editor_state"], state["code"], state["pending_reason"]) == (
        "ready",
        "pending",
        "playing",
    )
    assert agent.call("run_command", name="ping")["state"] == "succeeded"
    assert "entries" in agent.call("read_console")
    assert agent.call("play_mode", action="exit")["result"]["playing"] is False
    assert agent.call("run_tests", mode="edit")["result"]["code_fresh"] is True


def test_a_refused_step_says_why(agent: Agent, agents_editor: HeadlessEditor) -> None:
    agents_editor.arrange("enter-play-without-reload", "play on")
    agents_editor.wait_until_idle()
    refused = agent.result("compile")
    assert refused.is_error
    error = (refused.structured_content or {})["error"]
    assert error["details"]["reason"] == "playing"
    assert error["details"]["execution_guarantee"] == "not_executed"


def test_a_job_outlives_its_owner_over_a_reload(
    port: int, agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.arrange("compile-ms 2000", "edit Game|second")
    job = agent.call("compile", wait_ms=0)["job_id"]
    agents_editor.wait_for("compiling")
    agent.__exit__()
    with Agent(port) as next_agent:
        next_agent.wait_for_editor()
        status = next_agent.call("get_job_status", job_id=job, wait_ms=20_000)
        assert status["state"] == "succeeded" and status["tool"] == "compile"
        assert status["result"]["reloaded"] is True
    assert agents_editor.history.count("refresh") == 1


def test_every_round_returns_the_truth(agent: Agent, agents_editor: HeadlessEditor) -> None:
    agents_editor.arrange("compile-ms 20")
    for number in range(ROUNDS):
        error = f"Assets/Broken{number}.cs(1,1): error CS0103: no" if number % 2 else ""
        agents_editor.arrange(f"edit Game|round {number // 2}|{error}".rstrip("|"))
        result = agent.call("compile")["result"]
        assert [found["file"] for found in result["errors"]] == (
            [f"Assets/Broken{number}.cs"] if error else []
        )
    assert agents_editor.history.count("refresh") == ROUNDS


def test_an_editor_that_was_opened_on_errors_has_them_in_the_first_answer(
    agent: Agent, port: int
) -> None:
    """Errors of assemblies that no event reported, through the real server: it once wanted each to
    have an assembly.
    """
    sticky_compile_error = 1 << 11 | 1 << 13
    held = ["compilation-failed true", f"row {sticky_compile_error} {BROKEN}"]
    with HeadlessEditor(port, held=held) as editor:
        agent.wait_for_editor()
        for _ in range(5):
            (error,) = agent.call("compile")["result"]["errors"]
            assert (error["code"], error["message"], error["assembly"]) == (
                "CS1002",
                "; expected",
                None,
            )
        assert [
            entry["message"] for entry in agent.call("read_console", types=["error"])["entries"]
        ] == [BROKEN]
        assert editor.violations() == []


STARTING = (
    'Starting: /opt/unity/bee_backend --ipc --dagfile="Library/Bee/1900b0aE.dag" ScriptAssemblies'
)
FAILED = "*** Tundra build failed (1.25 seconds), 1 items updated, 487 evaluated"
# The last compilation of the editor's scripts, and what comes before and after it.
LOG = (
    STARTING,
    "Assets/Fixed.cs(1,1): error CS0103: The name 'x' does not exist",
    FAILED,
    STARTING,
    r"Assets\Broken.cs(7,3): error CS1002: ; expected",
    "Assets/Broken.cs(9,1): warning CS0168: unused",
    "error CS0006: Metadata file 'Gone.dll' could not be found",
    "Studio.Weaver: (0,0): error Rpc Begin must stand in a class",
    FAILED,
    r"Assets\Broken.cs(7,3): error CS1002: ; expected",
    "Checkout: error while it was connecting",
    STARTING.replace("E.dag", "P.dag"),
    "Assets/Player.cs(1,1): error CS0103: of a player",
)


def test_errors_that_no_console_shows_come_from_the_editors_log(
    agent: Agent, port: int, tmp_path: Path
) -> None:
    project = tmp_path / "Game"
    (project / "Logs").mkdir(parents=True)
    (project / "Logs" / "Editor.log").write_text("\r\n".join([*LOG, ""]), encoding="utf-8")
    with HeadlessEditor(port, project=project, held=["compilation-failed true"]) as editor:
        agent.wait_for_editor()
        result = agent.call("compile")["result"]
        assert [
            (error["file"], error["line"], error["column"], error["code"])
            for error in result["errors"]
        ] == [("Assets/Broken.cs", 7, 3, "CS1002"), (None, 0, 0, "CS0006"), (None, 0, 0, "")]
        assert result["errors"][1]["message"] == "Metadata file 'Gone.dll' could not be found"
        shown = agent.call("read_console", types=["error"])["entries"]
        assert len(shown) == 3 and (shown[0]["file"], shown[0]["line"]) == ("Assets/Broken.cs", 7)
        assert "Broken.cs,line=7,col=3" in ci_errors(port, tmp_path / "unity.xml")
        assert "; expected" in (tmp_path / "unity.xml").read_text(encoding="utf-8")
        editor.reload()
        agent.wait_for_editor()
        assert agent.call("compile")["result"]["error_count"] == 3
        editor.arrange("edit Game|second")
        assert agent.call("compile")["result"]["error_count"] == 0
        assert agent.call("read_console", types=["error"])["entries"] == []


def ci_errors(port: int, report: Path) -> str:
    """What a run of the tests in CI writes to stderr."""
    words = [*isolated(), "test", "--junit", str(report), "--port", str(port)]
    environ = {**os.environ, "GITHUB_ACTIONS": "true"}
    ended = subprocess.run(
        words, stderr=subprocess.PIPE, timeout=HANG_GUARD_S, env=environ, text=True
    )
    return ended.stderr


def test_each_mcp_client_hears_once_what_its_first_change_means_for_tests(
    agent: Agent, agents_editor: HeadlessEditor, port: int
) -> None:
    agents_editor.arrange(
        "open-scenes Assets/Main.unity", "world object root|Assets/Main.unity|Root"
    )

    def is_reminded(client: Agent, command: str = "create_object") -> bool:
        answer = client.call(
            "run_command", name=command, arguments={"name": "Lamp"} if "_object" in command else {}
        )
        return "unsaved: save" in " ".join(answer["result"].get("remarks", ()))

    assert is_reminded(agent, "list_scenes") is False
    assert shell_run(port, "Lamp") == []
    assert [is_reminded(agent) for _ in range(3)] == [True, False, False]
    with Agent(port) as attached:
        assert [is_reminded(attached) for _ in range(2)] == [True, False]
    assert shell_run(port, "Lamp") == []


def shell_run(port: int, name: str) -> List[str]:
    """The remarks of a change that a person makes in a shell."""
    words = [*isolated(), "run", "create_object", f"name={name}", "--json", "--port", str(port)]
    ended = subprocess.run(words, stdout=subprocess.PIPE, timeout=HANG_GUARD_S, check=True)
    return list(json.loads(ended.stdout)["result"].get("remarks", ()))
