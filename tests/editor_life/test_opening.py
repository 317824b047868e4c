"""``unity-bridge open`` with real processes: a fake Unity program, and the command as a user starts
it (SPEC §22).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Sequence

import pytest

from tests.editor_life.desk import LIMIT_S, Desk, content, ended, soon
from tests.editor_life.fake_unity import USUAL

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="the fake program is a script with a first line #!"
    ),
]


def test_it_starts_the_editor_and_waits_until_it_is_ready(desk: Desk) -> None:
    status, answer, stderr = desk.open()
    assert status == 0, stderr
    result = answer["result"]
    [start] = desk.unity.starts()
    assert result["state"] == "ready" and result["started"] is True and result["trusted"] is True
    assert (result["program"], result["version"]) == (str(desk.unity.program), "2022.3.10f1")
    assert result["pid"] == start["pid"] and result["waited_ms"] >= 0
    log = Path(result["log"])
    assert log.parent == desk.state / "editors" / "logs" and log.read_text().startswith(
        "Built from"
    )
    wanted = [
        "-projectPath",
        str(desk.project),
        "-unityBridgePort",
        str(desk.port),
        "-logFile",
        str(log),
    ]
    assert start["arguments"] == wanted
    assert start["cwd"] == str(desk.unity.program.parent) and start["inherited"] == []


def test_an_editor_that_is_open_is_the_answer(desk: Desk) -> None:
    assert desk.open()[0] == 0
    status, answer, _ = desk.open()
    assert (
        status == 0
        and answer["result"]["state"] == "ready"
        and answer["result"]["started"] is False
    )
    assert len(desk.unity.starts()) == 1


def test_eight_at_once_start_one(desk: Desk) -> None:
    desk.unity.plan([["gate", "go"], *USUAL])
    opens = [desk.start_open() for _ in range(8)]
    assert soon(lambda: len(desk.unity.starts()) == 1)
    desk.unity.open_gate("go")
    answers = [ended(one) for one in opens]
    assert [status for status, _, _ in answers] == [0] * 8, "\n=====\n".join(
        stderr for _, _, stderr in answers
    )
    assert sorted(answer["result"]["started"] for _, answer, _ in answers) == [False] * 7 + [True]
    assert len(desk.unity.starts()) == 1


def test_with_wait_zero_it_starts_the_editor_and_returns(desk: Desk) -> None:
    desk.unity.plan([["gate", "go"], *USUAL])
    status, answer, _ = desk.open("--wait", "0")
    assert (status, answer["ok"], answer["result"]["state"], answer["result"]["started"]) == (
        3,
        False,
        "starting",
        True,
    )
    desk.unity.open_gate("go")
    status, answer, stderr = desk.open()
    assert (status, answer["result"]["started"]) == (0, False), stderr


def test_a_dry_run_starts_and_writes_nothing(desk: Desk) -> None:
    before = content(desk.home)
    status, answer, _ = desk.open("--dry-run")
    assert (status, answer["result"]["state"], answer["result"]["started"]) == (
        0,
        "would_start",
        False,
    )
    assert answer["result"]["arguments"][0] == str(desk.unity.program)
    assert desk.unity.starts() == [] and not desk.state.exists() and content(desk.home) == before


def test_headless_starts_an_editor_in_batch_mode(desk: Desk) -> None:
    status, _, stderr = desk.open("--headless", UNITY_BRIDGE_ALLOW="csharp")
    [start] = desk.unity.starts()
    assert status == 0 and "-batchmode" in start["arguments"] and "close" in stderr
    assert start["environment"]["UNITY_BRIDGE_BATCHMODE"] == "1"
    assert start["environment"]["UNITY_BRIDGE_ALLOW"] == "csharp"


def test_consent_for_pipelines_does_not_reach_an_editor_with_a_window(desk: Desk) -> None:
    assert desk.open(UNITY_BRIDGE_ALLOW="csharp", UNITY_BRIDGE_BATCHMODE="1")[0] == 0
    [start] = desk.unity.starts()
    assert not {"UNITY_BRIDGE_ALLOW", "UNITY_BRIDGE_BATCHMODE"} & set(start["environment"])


@pytest.mark.parametrize(
    "steps, state, shown",
    [
        (
            [["replay", "no-licence.log"], ["exit", 198]],
            "licence",
            "No valid Unity Editor license found",
        ),
        ([["replay", "licence-server.log"], ["exit", 199]], "licence", "Timed-out after 60.01s"),
        (
            [["replay", "another-instance.log"], ["exit", 1]],
            "another_instance",
            "another Unity instance",
        ),
        ([["replay", "crash-linux.log"], ["crash"]], "ended", "Caught fatal signal"),
        (
            [["stderr", "libGL.so.1: cannot open shared object file"], ["exit", 127]],
            "ended",
            "libGL.so.1",
        ),
        (
            [["log", "Could not write: No space left on device"], ["exit", 1]],
            "ended",
            "No space left",
        ),
    ],
    ids=["no licence", "licence server", "another instance", "crash", "library", "disk full"],
)
def test_an_editor_that_ends_is_reported_with_lines_of_its_log(
    desk: Desk, steps: Sequence[Sequence[Any]], state: str, shown: str
) -> None:
    desk.unity.plan(steps)
    status, answer, stderr = desk.open()
    details = answer["error"]["details"]
    assert (status, details["reason"]) == (1, state), stderr
    assert any(shown in line for line in details["evidence"]) and shown in stderr
    assert details["log"] in answer["error"]["message"]


def test_a_licensing_client_that_does_not_answer_is_waited_for(desk: Desk) -> None:
    desk.unity.plan([["replay", "licence-server.log"], ["gate", "end"]])
    status, answer, stderr = desk.open("--wait", "2")
    assert (status, answer["result"]["state"]) == (3, "licence"), stderr
    assert "Timed-out after 60.01s" in answer["result"]["evidence"][0]


def test_a_program_whose_path_has_no_version_is_asked(desk: Desk) -> None:
    named = desk.home / "unity" / "Unity"
    desk.unity.program.parent.rename(named.parent)
    desk.unity.move(named)
    for printed, is_meant in (("6000.3.1f1", False), ("2022.3.10f1 or so", True)):
        (named.parent / "fake" / "version.txt").write_text(printed)
        status, answer, stderr = desk.open(UNITY_BRIDGE_UNITY=str(named))
        assert (status == 0) is is_meant, stderr
        assert ["-version"] in [start["arguments"] for start in desk.unity.starts()]
    asked = len(desk.unity.starts())
    assert (
        desk.open("--dry-run", UNITY_BRIDGE_UNITY=str(named))[1]["result"]["state"]
        == "already_open"
    )
    assert len(desk.unity.starts()) == asked


def test_a_state_folder_that_cannot_be_used_starts_nothing(desk: Desk) -> None:
    desk.state.write_text("a file")
    status, answer, stderr = desk.open()
    assert (status, answer["error"]["details"]["reason"]) == (1, "state_folder"), stderr
    assert desk.unity.starts() == []
    assert (
        desk.open(UNITY_BRIDGE_STATE_DIR="relative")[1]["error"]["details"]["reason"]
        == "state_folder"
    )


def test_launch_is_another_name_and_start_explains(desk: Desk) -> None:
    assert desk.run("launch", str(desk.project), "--dry-run")[1]["result"]["state"] == "would_start"
    child = desk.start("start")
    _, stderr = child.communicate()
    assert child.returncode == 2 and "unity-bridge open" in stderr


def test_safe_mode_names_the_errors(desk: Desk) -> None:
    folder = str(Path(__file__).parent.parent / "projects" / "editor_logs")
    desk.unity.plan([["lock"], ["replay", "2021.3-linux.log", folder], ["gate", "end"]])
    status, answer, _ = desk.open()
    assert (status, answer["error"]["details"]["reason"]) == (1, "safe_mode")
    assert answer["error"]["details"]["errors"][0]["code"].startswith("CS")
    desk.unity.open_gate("end")


def test_a_second_open_continues_to_wait_for_the_started_editor(desk: Desk) -> None:
    desk.unity.plan([["log", "Importing"], ["lock"], ["gate", "go"], ["connect"]])
    status, answer, _ = desk.open("--wait", "2")
    assert (status, answer["result"]["state"], answer["result"]["log_last_line"]) == (
        3,
        "starting",
        _opened(desk),
    )
    desk.unity.open_gate("go")
    assert desk.open()[0] == 0
    assert len(desk.unity.starts()) == 1


def _opened(desk: Desk) -> str:
    return str(desk.project)


def test_an_interrupt_ends_the_wait_and_not_the_editor(desk: Desk) -> None:
    desk.unity.plan([["gate", "go"], *USUAL])
    waiting = desk.start_open()
    assert soon(lambda: len(desk.unity.starts()) == 1)
    assert waiting.stderr is not None and "Started Unity" in waiting.stderr.readline()
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(LIMIT_S) == 130
    desk.unity.open_gate("go")
    status, answer, stderr = desk.open()
    assert (status, answer["result"]["started"]) == (0, False), stderr


def test_an_editor_that_was_killed_is_started_again(desk: Desk) -> None:
    """The record names a process that is gone, and the lock file is still there."""
    assert desk.open()[0] == 0
    desk.unity.end_all()
    assert (desk.project / "Temp" / "UnityLockfile").exists()
    status, answer, stderr = desk.open()
    assert (status, answer["result"]["started"]) == (0, True), stderr
    assert len(desk.unity.starts()) == 2


def test_a_pid_that_belongs_to_another_program_now_is_no_open_editor(desk: Desk) -> None:
    assert desk.open()[0] == 0
    desk.unity.end_all()
    [record] = (desk.state / "editors").glob("*.json")
    written = json.loads(record.read_text())
    record.write_text(json.dumps({**written, "pid": os.getpid()}))
    assert desk.open()[1]["result"]["started"] is True


def test_a_project_without_the_plugin_is_opened_only_on_request(desk: Desk) -> None:
    (desk.project / "Packages" / "com.unitybridge.editor").rmdir()
    status, answer, stderr = desk.open()
    assert (status, answer["error"]["details"]["reason"]) == (1, "no_plugin")
    assert "plugin install" in stderr and desk.unity.starts() == []
    status, answer, _ = desk.open("--without-plugin")
    assert (status, answer["result"]["started"]) == (0, True)


def test_a_unity_that_is_not_installed_is_refused_with_its_download(desk: Desk) -> None:
    text = "m_EditorVersion: 6000.3.1f1\n"
    (desk.project / "ProjectSettings" / "ProjectVersion.txt").write_text(text)
    status, answer, stderr = desk.open()
    error = answer["error"]
    assert (status, error["details"]["reason"]) == (1, "version_not_installed")
    assert "6000.3.1f1" in error["message"] and "Installed: 2022.3.10f1" in error["message"]
    assert "unityhub://6000.3.1f1" in stderr and error["details"]["looked_in"]
    assert error["retryable"] is False and error["details"]["recovery"] == "ask_the_user"
    assert desk.unity.starts() == []


@pytest.mark.parametrize(
    "text", ["../../evil", "6000.3.1f1/../../x", "", "6000", "m_EditorVersion", "2022.3.10f1 -x"]
)
def test_an_invalid_version_is_refused(desk: Desk, text: str) -> None:
    (desk.project / "ProjectSettings" / "ProjectVersion.txt").write_text(
        f"m_EditorVersion: {text}\n"
    )
    status, answer, _ = desk.open()
    assert (status, answer["error"]["details"]["reason"]) == (
        1,
        "project_version",
    ) and desk.unity.starts() == []


def _of_version(desk: Desk, text: str) -> None:
    (desk.project / "ProjectSettings" / "ProjectVersion.txt").write_text(
        f"m_EditorVersion: {text}\n"
    )


def test_a_program_that_the_user_names_is_believed_for_a_version_that_is_not_known(
    desk: Desk,
) -> None:
    _of_version(desk, "2022.3.10q1")
    status, answer, _ = desk.open("--dry-run", "--unity", str(desk.unity.program))
    assert (status, answer["result"]["state"]) == (0, "would_start")
    _of_version(desk, "6000.3.1f1")
    assert (
        desk.open("--dry-run", "--unity", str(desk.unity.program))[1]["error"]["details"]["reason"]
        == "other_version"
    )


def test_a_merge_conflict_starts_no_version(desk: Desk) -> None:
    _of_version(desk, "2022.3.10f1\n<<<<<<< HEAD\nm_EditorVersion: 6000.3.1f1")
    for words in ([], ["--unity", str(desk.unity.program)]):
        error = desk.open(*words)[1]["error"]
        assert (
            error["details"]["reason"] == "project_version" and "merge conflict" in error["message"]
        )
    assert desk.unity.starts() == []


def test_a_project_that_is_too_old_for_the_plugin_is_named(desk: Desk) -> None:
    (desk.project / "Packages" / "com.unitybridge.editor").rmdir()
    _of_version(desk, "2019.4.40f1")
    error = desk.open("--dry-run")[1]["error"]
    assert (
        error["details"]["reason"] == "project_version"
        and "needs Unity 2021.3 or newer" in error["message"]
    )


def test_nothing_below_the_project_is_written_by_the_command(desk: Desk) -> None:
    desk.unity.plan([["log", "x"], ["exit", 1]])
    before = content(desk.project)
    for words in ([], ["--dry-run"], ["--headless"], ["--wait", "0"], ["--unity", "/nowhere"]):
        desk.open(*words)
    assert content(desk.project) == before


def test_the_newest_ten_logs_are_kept(desk: Desk) -> None:
    desk.unity.plan([["log", "x"], ["exit", 1]])
    logs = desk.state / "editors" / "logs"
    desk.open()
    for number in range(15):
        (logs / f"20200101T0000{number:02}-1-abcdef12.log").touch()
    newest = desk.open()[1]["error"]["details"]["log"]
    kept = sorted(path.name for path in logs.glob("*.log"))
    assert len(kept) == 10 and os.path.basename(newest) == kept[-1]
    assert not (logs / "20200101T000000-1-abcdef12.log").exists()
