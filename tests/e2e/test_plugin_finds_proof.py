"""A program that took the port first never keeps the user's own server out (SPEC §11.2, §17.4)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any, Iterator

import pytest
from websockets.exceptions import ConnectionClosed

from tests.e2e.bridge_process import BridgeProcess
from tests.e2e.rogue_server import RogueServer, handshakes
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

WITHIN_S = 45.0  # a hang guard: the contract says 20 s


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def editor(state: Path, port: int) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(port) as headless:
        yield headless
        assert headless.violations() == []


def test_the_pauses_of_a_server_without_proof_do_not_count(
    editor: HeadlessEditor, port: int, state: Path, tmp_path: Path
) -> None:
    with RogueServer(port, "leaves", tmp_path):
        pass
    with BridgeProcess(port, state) as ours:
        ours.wait_to_log("the plugin has proved", WITHIN_S)
        assert ours.state()["trusted"] is True


def test_a_held_connection_does_not_keep_the_users_server_out(
    editor: HeadlessEditor, port: int, state: Path, tmp_path: Path
) -> None:
    with RogueServer(port, "holds", tmp_path) as rogue, BridgeProcess(port, state) as ours:
        ours.wait_to_log("the plugin has proved", WITHIN_S)
        assert rogue.process.poll() is None and ours.state()["trusted"] is True
        said = [
            entry["message"]
            for entry in ours.call("read_console")["entries"]
            if "Not trusted" in entry["message"]
        ]
        assert (
            len(said) == 1
            and "Once a server of yours has the port, this editor moves to it." in said[0]
        )


def test_a_flood_of_handshakes_does_not_keep_the_editor_away(
    editor: HeadlessEditor, port: int, state: Path, tmp_path: Path
) -> None:
    with RogueServer(port, "holds", tmp_path), BridgeProcess(port, state) as ours:
        ours.wait_for_a_role()
        with handshakes(port):
            ours.wait_to_log("the plugin has proved", WITHIN_S)
            assert ours.state()["trusted"] is True


def test_the_jobs_of_a_server_without_proof_end_and_are_nobodys(
    editor: HeadlessEditor, port: int, state: Path, tmp_path: Path
) -> None:
    editor.tests("edit|A.B.Long|pass|6000")
    with RogueServer(port, "holds-a-job", tmp_path), BridgeProcess(port, state) as ours:
        ours.wait_to_log("the plugin has proved", WITHIN_S)
        editor.tests("edit|A.B.Short|pass|10")
        job = ours.call("run_tests", mode="edit", filter="A.B.Short", refresh=False, wait_ms=45_000)
        assert (job["state"], job["result"]["summary"]["total"]) == ("succeeded", 1), job
        assert not any("rogue-1" in line for line in ours.log)
        assert ours.call("get_job_status", job_id="rogue-1")["error"]["code"] == "ERR_JOB_NOT_FOUND"


def test_no_job_comes_in_while_the_jobs_of_a_server_without_proof_end(
    editor: HeadlessEditor, port: int, state: Path
) -> None:
    with ScriptedServer(port, proves=False) as rogue:
        session = rogue.ready_session()
        rogue.stop_listening()
        with BridgeProcess(port, state) as ours:
            submit_until_it_ends(session)
            ours.wait_to_log("the plugin has proved", WITHIN_S)
            records = (
                (editor.project / "Library" / "UnityBridge" / "jobs.jsonl")
                .read_text(encoding="utf-8")
                .splitlines()
            )
            newest = {record["request"]["job_id"]: record for record in map(job_of, records[1:])}
            assert [job for job, record in newest.items() if not record["disowned"]] == []


def submit_until_it_ends(session: Session) -> None:
    try:
        for number in itertools.count():
            job = {
                "job_id": f"rogue-{number}",
                "tool_name": "run_tests",
                "params": {"refresh": False},
            }
            session.send("submit_job", request_id=f"job-{number}", **job)
            session.send("cancel", request_id=f"cancel-{number}", target_job_id=job["job_id"])
    except (ConnectionClosed, OSError):
        pass


def job_of(record: str) -> Any:
    return json.loads(record.split("\t")[0])
