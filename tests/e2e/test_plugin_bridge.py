"""The whole way: an MCP client, the server over stdio, the plugin in a headless editor."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest

pytest.importorskip("mcp_types", reason="the mcp package needs Python 3.10")

from tests.leaks import Here, left_since
from tests.ports import free_port
from tests.rounds import rounds
from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.serve import server_command_file
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

# More than what the thread pool may grow by, so that a leak of one for each reload shows.
RELOADS = rounds(22, 50)
STORM = rounds(8, 15)
STALL_MS = rounds(12_000, 30_000)


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """The file as a whole leaves nothing."""


@pytest.fixture(scope="module")
def pair() -> Iterator[Tuple[Agent, HeadlessEditor]]:
    """An agent and its editor for most tests of the file."""
    before, port = Here.now(), free_port()
    with Agent(port) as agent, HeadlessEditor(port) as editor:
        agent.wait_for_editor()
        yield agent, editor
    assert left_since(before) == []


@pytest.fixture
def agent(pair: Tuple[Agent, HeadlessEditor]) -> Agent:
    return pair[0]


@pytest.fixture
def agents_editor(pair: Tuple[Agent, HeadlessEditor]) -> Iterator[HeadlessEditor]:
    """Without tests, and with nothing said yet. Its console is what it was: a test reads from a
    cursor on.
    """
    agent, editor = pair
    editor.arrange("forget-tests", "echo on")
    agent.wait_for_editor()
    editor.forget_history()
    yield editor
    assert editor.violations() == []


@pytest.fixture
def cursor(agent: Agent, agents_editor: HeadlessEditor) -> str:
    """Where the console ends as the test begins."""
    return str(agent.call("read_console", max_entries=1)["next_cursor"])


def test_the_editor_is_seen_for_what_it_is(agent: Agent, agents_editor: HeadlessEditor) -> None:
    state = agent.call("get_editor_state")
    assert (state["server_state"], state["editor_state"], state["connected"]) == (
        "ready",
        "ready",
        True,
    )
    assert state["editor"]["project_name"] == "Game"
    assert state["plugin_version"] == state["server_version"]


def test_the_server_has_noted_how_it_was_started(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    note = Path(os.environ[STATE_DIR_VARIABLE]) / server_command_file.FILE
    assert json.loads(note.read_text(encoding="utf-8"))["command"][1] == "-I"


def test_the_console_is_read(agent: Agent, agents_editor: HeadlessEditor, cursor: str) -> None:
    agents_editor.command("log error it broke")
    agents_editor.wait_until_idle()
    page = agent.call("read_console", types=["error"], since=cursor)
    assert [entry["message"] for entry in page["entries"]] == ["it broke"]
    assert agent.call("read_console", since=page["next_cursor"])["entries"] == []


def test_a_console_of_a_megabyte_comes_through(agent: Agent, agents_editor: HeadlessEditor) -> None:
    agents_editor.command("flood 2000 1500")
    agents_editor.wait_for("flooded")
    port = agent.call("get_editor_state")["port"]
    with Agent(port, UNITY_BRIDGE_ANSWER_MAX_BYTES="1000000") as takes_more:
        page = takes_more.call("read_console", max_entries=2000)
    assert page["truncated"] is True and page["count"] > len(page["entries"]) > 400
    assert page["entries"][-1]["message"].startswith("flood 1999 ")


def test_the_project_is_looked_at_page_by_page(agent: Agent, agents_editor: HeadlessEditor) -> None:
    agents_editor.arrange(
        "world object root|Assets/Clean.unity|Root|Light", "world many root|Item #|50"
    )
    agents_editor.wait_until_idle()
    page = agent.call("inspect", what="hierarchy", limit=30)
    rest = agent.call("inspect", what="hierarchy", limit=30, cursor=page["next_cursor"])
    assert [len(page["items"]), len(rest["items"]), page["total"]] == [30, 22, 52]
    assert (page["items"][1]["components"], rest["items"][-1]["path"]) == (
        ["Transform", "Light"],
        "Clean/Root/Item 49",
    )


def test_a_run_of_both_modes_across_the_reload_of_play_mode(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.tests(
        "edit|A.B.Passes|pass|10", "edit|A.B.Fails|fail|10", "play|A.C.Plays|pass|100"
    )
    job = agent.call("run_tests", wait_ms=0)["job_id"]
    status = agent.run_to_its_end(job)
    assert status["state"] == "failed" and "error" not in status
    summary = status["result"]["summary"]
    assert [summary[name] for name in ("total", "passed", "failed", "skipped")] == [3, 2, 1, 0]
    assert [test["name"] for test in status["result"]["failed_tests"]] == ["A.B.Fails"]
    assert [line for line in agents_editor.history if line.startswith("execute")] == [
        "execute EditMode all",
        "execute PlayMode all",
    ]


# Each framework has its own way to cancel: tests/e2e/test_plugin_profiles.py asks every kind of
# them.
def test_a_cancel_stops_the_run(agent: Agent, agents_editor: HeadlessEditor) -> None:
    agents_editor.tests("play|A.B.First|pass", "play|A.B.Long|pass|60000")
    job = agent.call("run_tests", wait_ms=0, mode="play")["job_id"]
    agents_editor.wait_for("test A.B.Long")
    assert agent.call("cancel_job", job_id=job) == {"job_id": job, "status": "cancel_requested"}
    status = agent.run_to_its_end(job)
    assert status["state"] == "cancelled"
    assert status["result"]["summary"]["passed"] == 1
    assert agent.call("cancel_job", job_id=job)["status"] == "rejected"
    agents_editor.wait_for("play off")


def test_scripts_that_do_not_compile_are_reported_everywhere(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.tests("edit|A.B.C|pass")
    agents_editor.command("compile fail 50 Assets/Broken.cs(7,3): error CS1002: ; expected")
    agents_editor.wait_for("compiled failed")
    agents_editor.wait_until_idle()
    page = agent.call("read_console", types=["error"])
    assert page["entries"][0]["file"] == "Assets/Broken.cs"
    status = agent.run_to_its_end(agent.call("run_tests", wait_ms=0)["job_id"])
    assert status["state"] == "failed"
    assert "do not compile" in status["error"]["message"]
    assert not [line for line in agents_editor.history if line.startswith("execute")]
    agents_editor.command("compile ok 10")
    agents_editor.wait_for("reloaded")


def test_calls_during_a_compilation_wait_for_the_reload(
    agent: Agent, agents_editor: HeadlessEditor, cursor: str
) -> None:
    def loads() -> List[str]:
        return [line for line in agents_editor.history if line.startswith("loaded")]

    def read() -> Tuple[object, List[str]]:
        return agent.call("read_console", since=cursor)["entries"][0]["message"], loads()

    agents_editor.command("log log before")
    agents_editor.command("compile ok -1")
    agent.wait_for_state(lambda state: state["editor_state"] == "compiling")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(read)
        agent.wait_for_state(lambda state: state["waiting"] == 1 or answer.done())
        agents_editor.command("compile-ms 50")
        message, before_the_answer = answer.result()
    assert message == "before" and len(before_the_answer) == 1


def test_a_main_thread_that_is_stuck_for_long_is_no_dead_editor(
    agent: Agent, agents_editor: HeadlessEditor, cursor: str
) -> None:
    agents_editor.command("stall 600000")
    agents_editor.wait_for("stalling")
    pause = threading.Event()
    for _ in range(6):
        pause.wait(STALL_MS / 6000)
        state = agent.call("get_editor_state")
        assert state["connected"] is True
        assert agent.call("read_console", since=cursor)["count"] == 0
    assert state["editor"]["main_thread_stalled_ms"] > STALL_MS / 2
    agents_editor.release()
    agents_editor.wait_for("stalled")
    agents_editor.wait_until_idle()
    assert not [line for line in agents_editor.history if line.startswith("loaded")]


def test_a_server_that_is_started_again_still_knows_the_jobs(port: int) -> None:
    with HeadlessEditor(port) as editor:
        editor.tests("edit|A.B.C|pass|10", "edit|A.B.Long|pass|2500")
        with Agent(port) as agent:
            agent.wait_for_editor()
            done = agent.call("run_tests", wait_ms=0, mode="edit", filter="A.B.C")["job_id"]
            assert agent.run_to_its_end(done)["state"] == "succeeded"
            running = agent.call("run_tests", wait_ms=0, mode="edit")["job_id"]
            editor.wait_for("test A.B.Long")
        with Agent(port) as agent:
            agent.wait_for_editor()
            assert agent.call("get_job_status", job_id=done)["result"]["summary"]["passed"] == 1
            status = agent.run_to_its_end(running)
            assert status["state"] == "succeeded" and status["result"]["summary"]["passed"] == 2
        assert editor.violations() == []


def test_a_port_change_moves_the_editor_to_the_other_server(port: int) -> None:
    other_port = free_port()
    with Agent(port) as agent, Agent(other_port) as other, HeadlessEditor(port) as editor:
        agent.wait_for_editor()
        editor.draw_settings(port=other_port, click="Apply")
        assert other.wait_for_editor()["connected"] is True
        # The goodbye may arrive after the editor's hello at the other server.
        agent.wait_for_state(lambda state: not state["connected"])
        assert agent.error("read_console")["code"] == "ERR_EDITOR_NOT_READY"
        assert editor.violations() == []


def test_many_reloads_of_a_run_under_load_lose_nothing_double_nothing_and_leave_nothing(
    agent: Agent, agents_editor: HeadlessEditor
) -> None:
    agents_editor.command("echo off")
    agents_editor.reload()
    agent.wait_for_editor()
    before = agents_editor.stats()
    # A reload ends the test that runs, and the framework goes on with the next one.
    agents_editor.tests(
        *[f"edit|A.B.T{number}|pass|60000" for number in range(RELOADS)], "edit|A.B.Last|fail"
    )
    job = agent.call("run_tests", wait_ms=0, mode="edit")["job_id"]
    with ConsoleReader(agent) as reader:
        for number in range(RELOADS):
            agents_editor.wait_for(f"test A.B.T{number}$")
            progress = agent.call("get_job_status", job_id=job)["progress"]
            assert (progress["completed"], progress["total"]) == (number, RELOADS + 1)
            for line in range(5):
                agents_editor.command(f"log log {number}.{line}")
                agents_editor.command(f"logthread log {number}.{line} from a thread")
            agents_editor.reload()
            # Parked until the plugin is back: one reload after the other, with calls in flight on
            # both sides of each.
            agent.call("read_console", max_entries=1)
        assert reader.everything() == [
            f"{number}.{line}{origin}"
            for number in range(RELOADS)
            for line in range(5)
            for origin in ("", " from a thread")
        ]
    summary = agent.run_to_its_end(job)["result"]["summary"]
    assert (summary["total"], summary["passed"], summary["failed"]) == (RELOADS + 1, RELOADS, 1)
    assert [line for line in agents_editor.history if line.startswith("execute")] == [
        "execute EditMode all"
    ]
    after = agents_editor.stats()
    # A leak is one for each reload; a busy machine makes the thread pool grow by some.
    assert after["threads"] <= before["threads"] + 20
    assert after["descriptors"] <= before["descriptors"] + 3


def test_a_storm_of_reloads_without_a_pause_loses_nothing(
    agent: Agent, agents_editor: HeadlessEditor, cursor: str
) -> None:
    agents_editor.tests("edit|A.B.Before|pass|10")
    job = agent.call("run_tests", wait_ms=0, mode="edit")["job_id"]
    assert agent.run_to_its_end(job)["state"] == "succeeded"
    for number in range(STORM):
        agents_editor.command(f"log log {number}")
        agents_editor.reload()
    agent.wait_for_editor()
    page = agent.call("read_console", since=cursor)
    assert [entry["message"] for entry in page["entries"]] == [
        str(number) for number in range(STORM)
    ]
    assert agent.call("get_job_status", job_id=job)["state"] == "succeeded"


class ConsoleReader:
    """A client that reads on from cursor to cursor, as fast as answers come."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._cursor = str(agent.call("read_console", max_entries=1)["next_cursor"])
        self._seen: List[str] = []
        self._failed: List[object] = []
        self._finished = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="console-reader")

    def __enter__(self) -> ConsoleReader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._finished.set()
        self._thread.join()

    def everything(self) -> List[str]:
        self.__exit__()
        assert self._failed == []
        return self._seen

    def _follow(self) -> None:
        cursor = self._cursor
        last = False
        while not last and not self._failed:
            last = self._finished.is_set()
            result = self._agent.result(
                "read_console", max_entries=2000, since=cursor, timeout_ms=30_000
            )
            page = result.structured_content or {}
            if result.is_error or page["truncated"]:
                self._failed.append(page)
                continue
            cursor = page["next_cursor"]
            self._seen.extend(entry["message"] for entry in page["entries"])
