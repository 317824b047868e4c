"""No plugin where there should be one: the answer to the agent, and what the editor's log answers
(SPEC §18.3).
"""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from tests.fakes import FIRST_PROBE_S, InMemoryBridge
from unity_bridge.base.result import Ok
from unity_bridge.projects.editor_log import Compilation, CompileError, LogContent
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.unity.bridge_client import ListenerBlocked
from unity_bridge.unity.websocket import BindFailure

GAME = "/home/ada/Lantern Keep"
ERROR = CompileError(
    "Assets/A.cs", 12, 9, "CS0103", "The name 'x' does not exist", "Assembly-CSharp"
)
NOT_RUNNING = ProjectProbe(NoPlugin.UNITY_NOT_RUNNING)
OPENS = f'/opt/unity-bridge/bin/unity-bridge open "{GAME}"'
STARTING = ProjectProbe(NoPlugin.EDITOR_STARTING, starting="compiling", advice=OPENS)
SAFE_MODE = ProjectProbe(
    NoPlugin.SAFE_MODE, LogContent(GAME, Compilation.FAILED, errors=1, warnings=2, first=(ERROR,))
)


@pytest.fixture
def bridge() -> Iterator[InMemoryBridge]:
    wired = InMemoryBridge(project=GAME)
    yield wired
    wired.stop()
    assert wired.open_requests == []


def state(bridge: InMemoryBridge) -> Dict[str, Any]:
    return bridge.agent.calls("get_editor_state").answer


def test_the_state_has_the_expected_project_and_why_no_editor_is_connected(
    bridge: InMemoryBridge,
) -> None:
    assert (state(bridge)["project"], state(bridge).get("reason")) == (GAME, "connecting")
    bridge.sees(NOT_RUNNING)
    assert state(bridge)["reason"] == "unity_not_running"

    bridge.editor.connects(project_path=GAME)
    assert (state(bridge)["connected"], state(bridge).get("reason")) == (True, None)


def test_a_server_without_a_project_probes_nothing() -> None:
    bridge = InMemoryBridge()
    bridge.advance(60)
    assert "project" not in state(bridge) and "reason" not in state(bridge)
    assert bridge.looks_asked == 0
    bridge.stop()


def test_an_absent_editor_is_probed_every_two_seconds(bridge: InMemoryBridge) -> None:
    bridge.sees(NOT_RUNNING)
    bridge.advance(1.9)
    assert bridge.looks_asked == 0
    bridge.advance(0.1)
    assert bridge.looks_asked == 1
    for _ in range(30):
        bridge.advance(2)
        state(bridge)
    assert bridge.looks_asked == 1, "one look at a time, however long it takes"


def test_a_connected_plugin_stops_the_probes_and_its_loss_starts_them_at_once(
    bridge: InMemoryBridge,
) -> None:
    bridge.sees(NOT_RUNNING)
    bridge.editor.connects(project_path=GAME)
    bridge.advance(60)
    assert bridge.looks_asked == 0
    bridge.editor.vanishes()
    assert "reason" not in state(bridge)
    bridge.sees(NOT_RUNNING)
    assert state(bridge)["reason"] == "unity_not_running"


def test_an_old_probe_is_not_reported(bridge: InMemoryBridge) -> None:
    bridge.sees(NOT_RUNNING)
    bridge.advance(10.1)
    assert "reason" not in state(bridge)


def test_the_project_is_not_probed_for_an_editor_that_comes_at_once(bridge: InMemoryBridge) -> None:
    bridge.advance(FIRST_PROBE_S - 0.01)
    bridge.editor.connects(project_path=GAME)
    bridge.advance(60)
    assert bridge.looks_asked == 0


def test_a_probe_that_a_plugin_overtakes_is_ignored(bridge: InMemoryBridge) -> None:
    bridge.advance(FIRST_PROBE_S)
    bridge.editor.connects(project_path=GAME)
    bridge.sees(SAFE_MODE)
    assert "reason" not in state(bridge)
    call = bridge.agent.compiles(wait_ms=0)
    assert call.answer["job_id"] and call.answer["state"] == "queued"


def test_compile_in_safe_mode_answers_from_the_log(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles()
    assert not call.is_answered
    bridge.sees(SAFE_MODE)

    answer = call.answer
    assert (answer["state"], answer["tool"], "job_id" in answer, "error" in answer) == (
        "failed",
        "compile",
        False,
        False,
    )
    result = answer["result"]
    assert (result["ok"], result["changed"], result["source"]) == (False, False, "editor_log")
    assert (result["error_count"], result["warning_count"]) == (1, 2)
    assert result["errors"] == [ERROR._asdict()]
    tool = bridge.core.catalogue["compile"]
    assert isinstance(bridge.validator.checked_result(tool, {}, result), Ok), (
        "it has the shape of a compile's result"
    )
    assert state(bridge)["reason"] == "safe_mode"


def test_a_call_makes_the_next_probe_sooner(bridge: InMemoryBridge) -> None:
    bridge.sees(NOT_RUNNING)
    bridge.advance(0.1)
    call = bridge.agent.compiles()
    bridge.advance(0.3)
    assert bridge.looks_asked == 0
    bridge.advance(0.1)
    bridge.sees(SAFE_MODE)
    assert call.answer["state"] == "failed"


def test_a_call_that_needs_the_plugin_is_refused_in_safe_mode(bridge: InMemoryBridge) -> None:
    tests, console = bridge.agent.calls("run_tests"), bridge.agent.calls("read_console")
    bridge.sees(SAFE_MODE)
    for call in (tests, console):
        assert (call.code, call.guarantee) == ("ERR_UNITY_EXECUTION", "not_executed")
        assert call.error["details"]["reason"] == "safe_mode"
        assert call.error["details"]["errors"] == [ERROR._asdict()]
        assert "compile lists the errors" in call.error["message"]


def test_a_job_that_was_to_go_when_the_editor_went_ends_in_safe_mode(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects(project_path=GAME)
    bridge.agent.calls("read_console")  # is under way, and the job waits for its turn
    job_id = bridge.agent.runs_tests()
    bridge.editor.vanishes()
    bridge.sees(SAFE_MODE)
    job = bridge.agent.asks(job_id).answer
    assert (job["state"], job["error"]["details"]["reason"]) == ("failed", "safe_mode")


@pytest.mark.parametrize(
    "reason, said",
    [("unity_not_running", "open that project"), ("plugin_not_installed", "install")],
)
def test_a_call_that_waited_in_vain_gets_the_reason(
    bridge: InMemoryBridge, reason: str, said: str
) -> None:
    call = bridge.agent.calls("read_console")
    bridge.sees(ProjectProbe(NoPlugin(reason)))
    bridge.advance(3)
    assert call.code == "ERR_EDITOR_NOT_READY"
    assert call.error["details"]["reason"] == reason
    assert GAME in call.error["message"] and said in call.error["message"]


def test_a_call_in_a_sandbox_is_answered_by_the_next_probe_and_later_ones_at_once(
    bridge: InMemoryBridge,
) -> None:
    """SPEC §18.3: no editor can be reached from there, whatever it does."""
    parked = bridge.agent.calls("read_console")
    bridge.sees(ProjectProbe(NoPlugin.SANDBOXED))
    for call in (parked, bridge.agent.calls("read_console"), bridge.agent.compiles()):
        details = call.error["details"]
        assert (call.code, call.guarantee, details["reason"]) == (
            "ERR_EDITOR_NOT_READY",
            "not_executed",
            "sandboxed",
        )
        assert (call.error["retryable"], details["recovery"]) == (False, "ask_the_user")
        assert (
            "sandbox" in call.error["message"] and "start this MCP server" in call.error["message"]
        )
    assert state(bridge)["reason"] == "sandboxed"
    bridge.editor.connects(project_path=GAME)
    assert "reason" not in state(bridge)


def test_a_sandbox_that_shows_itself_by_the_port() -> None:
    blocked = InMemoryBridge(project=GAME, listening=False)
    blocked.inbox.put(ListenerBlocked(BindFailure(8091, "sandboxed")))
    blocked.drain()
    assert (state(blocked)["reason"], state(blocked)["listener"]["reason"]) == (
        "sandboxed",
        "sandboxed",
    )
    assert blocked.agent.calls("read_console").error["details"]["recovery"] == "ask_the_user"


def test_the_port_that_the_plugin_uses_instead(bridge: InMemoryBridge) -> None:
    call = bridge.agent.calls("read_console")
    bridge.sees(
        ProjectProbe(
            NoPlugin.OTHER_PORT, remark="the plugin of this project uses port 22003 (x), and 8091"
        )
    )
    assert (state(bridge)["reason"], "22003" in state(bridge)["project_remark"]) == (
        "other_port",
        True,
    )
    bridge.advance(3)
    details = call.error["details"]
    assert (details["reason"], details["recovery"], call.error["retryable"]) == (
        "other_port",
        "ask_the_user",
        False,
    )
    assert call.error["message"].startswith("The plugin of this project uses port 22003 (x)")


def test_what_codex_says_of_its_sandbox_is_a_remark(
    bridge: InMemoryBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_SANDBOX_NETWORK_DISABLED", "1")
    call = bridge.agent.calls("read_console")
    bridge.sees(NOT_RUNNING)
    bridge.advance(3)
    assert (
        call.error["details"]["reason"] == "unity_not_running"
        and "Codex" in call.error["details"]["remark"]
    )
    assert "Codex" in state(bridge)["listener"]["remark"]


def test_the_refusal_for_a_closed_editor_advises_the_open_command(bridge: InMemoryBridge) -> None:
    """SPEC §22.9: an agent with a shell runs it, one without asks its user."""
    call = bridge.agent.calls("read_console")
    bridge.sees(ProjectProbe(NoPlugin.UNITY_NOT_RUNNING, advice=OPENS))
    assert state(bridge)["advice"] == OPENS
    bridge.advance(3)
    details = call.error["details"]
    assert (details["reason"], details["advice"], details["recovery"]) == (
        "unity_not_running",
        OPENS,
        "open_the_editor",
    )
    assert call.error["retryable"] is False and "details.advice" in call.error["message"]


def test_an_editor_that_is_starting_is_waited_for_as_long_as_a_compile_may_take(
    bridge: InMemoryBridge,
) -> None:
    """SPEC §22.7."""
    call = bridge.agent.calls("read_console")
    sees_for(bridge, STARTING, 59)
    assert not call.is_answered
    known = state(bridge)
    assert (known["reason"], known["starting"], known["advice"]) == (
        "editor_starting",
        "compiling",
        OPENS,
    )
    sees_for(bridge, STARTING, 1)
    bridge.advance(0.1)
    details = call.error["details"]
    assert (call.code, call.guarantee, details["reason"]) == (
        "ERR_EDITOR_NOT_READY",
        "not_executed",
        "editor_starting",
    )
    assert (details["starting"], details["advice"], call.error["retryable"]) == (
        "compiling",
        OPENS,
        True,
    )
    assert "Unity is starting" in call.error["message"] and "(compiling)" in call.error["message"]


def sees_for(bridge: InMemoryBridge, probe: ProjectProbe, seconds: int) -> None:
    for _ in range(2 * seconds):
        bridge.sees(probe)
        bridge.advance(0.5)


def test_the_editor_that_was_starting_serves_the_calls_that_waited_for_it(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.compiles(wait_ms=0)
    sees_for(bridge, STARTING, 20)
    bridge.editor.connects(project_path=GAME)
    assert call.answer["job_id"] and "reason" not in state(bridge)


def test_an_editor_that_ends_while_it_starts_is_not_waited_for_any_longer(
    bridge: InMemoryBridge,
) -> None:
    call = bridge.agent.calls("read_console")
    sees_for(bridge, STARTING, 20)
    assert not call.is_answered
    bridge.sees(NOT_RUNNING)
    bridge.advance(0.1)
    assert call.error["details"]["reason"] == "unity_not_running"


def test_an_editor_that_compiles_or_is_elsewhere_changes_nothing(bridge: InMemoryBridge) -> None:
    call = bridge.agent.compiles()
    bridge.sees(ProjectProbe())
    bridge.advance(3)
    assert call.error["details"]["reason"] == "disconnected"


def test_no_probe_runs_while_another_program_has_the_port() -> None:
    bridge = InMemoryBridge(project=GAME, listening=False)
    bridge.port_is_taken()
    bridge.advance(60)
    assert (bridge.looks_asked, state(bridge).get("reason")) == (0, None)
    bridge.port_is_free_again()
    bridge.sees(NOT_RUNNING)
    assert state(bridge)["reason"] == "unity_not_running"
    bridge.stop()


def test_a_server_outside_a_project_names_the_projects_below_its_folder() -> None:
    bridge = InMemoryBridge(looks_below=True)
    call = bridge.agent.compiles()
    bridge.advance(1)
    bridge.sees(ProjectProbe(below=("/repo/Game", "/repo/client/Other")))
    assert state(bridge)["projects_below"] == ["/repo/Game", "/repo/client/Other"]
    bridge.advance(2)
    assert (call.code, call.error["details"]["reason"]) == ("ERR_EDITOR_NOT_READY", "disconnected")
    assert "Game, Other" in call.error["message"] and "--project" in call.error["message"]
    assert "port" not in call.error["message"], "it would lead the user to undo the project's port"

    bridge.editor.connects()
    assert "projects_below" not in state(bridge), "an editor is there"
    bridge.stop()


def test_a_server_in_no_project_says_where_it_was_started() -> None:
    bridge = InMemoryBridge(looks_below=True)
    call = bridge.agent.compiles()
    bridge.advance(1)
    bridge.sees(ProjectProbe(remark="this server was started in /home/ada, which is in no project"))
    assert "/home/ada" in state(bridge)["project_remark"]
    bridge.advance(2)
    message = call.error["message"]
    assert call.error["details"]["reason"] == "disconnected"
    assert "started in /home/ada" in message and "start this client in the project" in message
    bridge.editor.connects(project_path=GAME)
    assert "project_remark" not in state(bridge)
    bridge.stop()


def test_a_server_outside_a_project_searches_late_and_rarely() -> None:
    bridge = InMemoryBridge(looks_below=True)
    bridge.advance(0.9)
    assert bridge.looks_asked == 0
    bridge.advance(0.1)
    bridge.sees(ProjectProbe(below=("/repo/Game",)))
    bridge.advance(29.9)
    assert (bridge.looks_asked, state(bridge)["projects_below"]) == (0, ["/repo/Game"])
    bridge.advance(0.1)
    assert bridge.looks_asked == 1
    bridge.editor.connects()
    bridge.sees(ProjectProbe(below=("/repo/Game",)))
    bridge.advance(300)
    assert bridge.looks_asked == 0
    bridge.stop()
