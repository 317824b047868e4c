"""``unity-bridge close`` with real processes: the fake Unity program with the simulated plugin
(SPEC §22.8).
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import pytest

from tests.editor_life.desk import Desk, content, ended, is_alive, soon
from tests.faulty_editor.process import SimulatorProcess
from tests.ports import is_taken

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="the fake program is a script with a first line #!"
    ),
]


def test_closing_where_none_is_open_succeeds(desk: Desk) -> None:
    status, answer, _ = desk.close()
    assert (status, answer["ok"], answer["result"]["was_open"]) == (0, True, False)


def test_close_waits_until_the_process_is_gone(desk: Desk) -> None:
    opened = desk.open()[1]["result"]
    status, answer, stderr = desk.close()
    assert (status, answer["result"]["was_open"], answer["result"]["saved"]) == (0, True, []), (
        stderr
    )
    assert not is_alive(opened["pid"])
    assert desk.close()[1]["result"]["was_open"] is False
    assert desk.open()[1]["result"]["started"] is True


def test_unsaved_work_keeps_it_open(desk: Desk) -> None:
    desk.open()
    assert desk.run("run", "create_object", "kind=cube", *desk.here)[0] == 0
    status, answer, stderr = desk.close()
    details = answer["error"]["details"]
    assert (status, details["reason"], details["assets"]) == (1, "unsaved_scenes", []), stderr
    assert details["scenes"] and "--save" in stderr
    status, answer, stderr = desk.close("--discard")
    assert status == 2 and "--yes" in stderr and details["scenes"][0] in stderr
    status, answer, _ = desk.close("--save")
    assert (status, answer["result"]["saved"]) == (0, details["scenes"])


@pytest.mark.parametrize(("reply", "ends_with"), [(b"n\n", 1), (b"y\n", 0)])
def test_unsaved_work_is_discarded_after_a_yes(desk: Desk, reply: bytes, ends_with: int) -> None:
    desk.open()
    assert desk.run("run", "create_object", "kind=cube", *desk.here)[0] == 0
    status, shown = desk.on_terminal(
        reply, "close", str(desk.project), "--port", str(desk.port), "--discard"
    )
    assert status == ends_with and "unsaved changes in" in shown and "[y/N]" in shown
    if ends_with:
        answer = desk.close("--discard", "--yes")[1]
        assert answer["result"]["saved"] == [] and len(answer["result"]["discarded"]) == 1


def test_play_mode_keeps_it_open(desk: Desk) -> None:
    desk.open()
    assert desk.run("play", "enter", *desk.here)[0] == 0
    status, answer, _ = desk.close()
    assert (status, answer["error"]["details"]["reason"]) == (1, "playing")


def test_a_job_that_runs_keeps_it_open_and_is_not_waited_for(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["connect", 0.02]])  # slow: the job must outlast the commands
    status, answer, stderr = desk.open()
    assert status == 0, stderr
    running = desk.start("test", "--mode", "edit", *desk.here)
    # Only then: a `status` that came first would own the port, and take the submission with it as
    # it ends.
    assert soon(lambda: is_taken(desk.port))
    assert soon(lambda: len(_jobs(desk)) == 1 or running.poll() is not None)
    assert running.poll() is None, running.communicate()
    status, answer, _ = desk.close()
    assert (status, answer["error"]["details"]["reason"]) == (1, "busy")
    assert answer["error"]["details"]["jobs"] == [job["job_id"] for job in _jobs(desk)]
    running.kill()


def _jobs(desk: Desk) -> Any:
    answer = desk.run("status", *desk.here)[1]
    return answer["result"]["running_jobs"]


def test_an_editor_that_a_person_started_is_asked_about(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_BRIDGE_STATE_DIR", desk.environ["UNITY_BRIDGE_STATE_DIR"])
    with SimulatorProcess(desk.port, project_file=str(desk.project)) as editor:
        status, _, stderr = desk.close()
        assert status == 2 and "--yes" in stderr
        status, answer, stderr = desk.close("--yes")
        assert (status, answer["result"]["was_open"]) == (0, True), stderr
        editor.wait_for("exiting")


def test_an_editor_whose_plugin_is_not_there_cannot_be_asked(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["gate", "end"]])
    desk.open("--wait", "0")
    assert soon(lambda: (desk.project / "Temp" / "UnityLockfile").exists())
    status, answer, stderr = desk.close("--wait", "2")
    assert (status, answer["error"]["details"]["reason"]) == (1, "not_connected"), stderr
    assert len(desk.unity.starts()) == 1 and is_alive(desk.unity.starts()[0]["pid"])


def test_an_editor_that_does_not_end_in_time_is_status_3(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["connect_and_stay"]])
    assert desk.open()[0] == 0
    status, answer, _ = desk.close("--wait", "3")
    assert (status, answer["ok"], answer["result"]["was_open"]) == (3, False, True)
    desk.unity.open_gate("end")
    assert desk.close()[0] == 0


def test_an_interrupt_ends_the_wait(desk: Desk) -> None:
    desk.unity.plan([["lock"], ["connect_and_stay"]])
    assert desk.open()[0] == 0
    closing = desk.start("close", str(desk.project), "--port", str(desk.port))
    assert closing.stderr is not None and "closing" in closing.stderr.readline()
    closing.send_signal(signal.SIGINT)
    assert ended(closing)[0] == 130


def test_nothing_below_the_project_is_written_by_the_command(desk: Desk) -> None:
    before = content(desk.project)
    desk.close()
    assert content(desk.project) == before
    desk.open()
    desk.close()
    assert content(desk.project) == before
    assert os.listdir(desk.project / "Temp") == []
