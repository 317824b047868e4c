"""``call``, ``test``, ``console`` and ``status`` as people and scripts run them: real processes, a
pipe or a terminal.

Each command is the server for its own short life, so one simulated editor serves a whole group of them: it comes back
for the next one by itself.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence
from xml.etree import ElementTree

import pytest

from tests.editor_life.desk import soon
from tests.faulty_editor.process import SimulatorProcess
from tests.ports import free_port
from tests.strict_python import STRICT, complaints
from unity_bridge.installation.command_line import ours
from unity_bridge.launch.environment import isolated
from unity_bridge.simulator.project import default_project

GUARD_S = 60.0
ROOT = Path(__file__).resolve().parents[2]

on_posix = pytest.mark.skipif(os.name == "nt", reason="needs pseudo-terminals and POSIX signals")


class Done(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str


# Which project a command works with, where nothing named it (SPEC §13): a line of its own, before
# everything else.
PROJECT = re.compile(r"^project: \w+ \(/Projects/\w+\)\r?\n", re.MULTILINE)


class Running:
    """A command that runs, with pipes for stdout and stderr, or a terminal for both."""

    def __init__(
        self, arguments: Sequence[str], on_terminal: bool = False, **environment: str
    ) -> None:
        self._screen: Optional[int] = None
        out: Any = subprocess.PIPE
        if on_terminal:
            self._screen, out = _terminal()
        self.process = subprocess.Popen(
            [*isolated(), *arguments],
            cwd=str(ROOT),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out if on_terminal else subprocess.PIPE,
            env={**os.environ, **STRICT, "TZ": "UTC", "PYTHONIOENCODING": "utf-8", **environment},
        )
        self._seen = {"out": b"", "err": b""}
        self._changed = threading.Condition()
        streams = {"out": self._screen, "err": None}
        if not on_terminal:
            assert self.process.stdout is not None and self.process.stderr is not None
            streams = {"out": self.process.stdout.fileno(), "err": self.process.stderr.fileno()}
        else:
            os.close(out)
        self._readers = [
            threading.Thread(target=self._read, args=(name, fd), name=f"reader of {name}")
            for name, fd in streams.items()
            if fd is not None
        ]
        for reader in self._readers:
            reader.start()

    def until(self, text: str, stream: str = "out") -> None:
        """Wait until the command has written this."""
        with self._changed:
            if not self._changed.wait_for(lambda: text in self.seen(stream), GUARD_S):
                raise TimeoutError(f"no {text!r}; so far {self._seen}")

    def seen(self, stream: str) -> str:
        text = self._seen[stream].decode("utf-8", "replace")
        return text.replace("\r\n", "\n") if os.name == "nt" else text

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def done(self) -> Done:
        try:
            status = self.process.wait(GUARD_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise TimeoutError(f"it does not end; so far {self._seen}") from None
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        if self._screen is not None:
            os.close(self._screen)
        assert complaints(self.seen("err")) == []
        return Done(
            status, PROJECT.sub("", self.seen("out"), 1), PROJECT.sub("", self.seen("err"), 1)
        )

    def _read(self, name: str, fd: int) -> None:
        while True:
            try:
                chunk = os.read(fd, 65536)
            except OSError:  # EIO: the last user of the terminal has gone
                return
            if not chunk:
                return
            with self._changed:
                self._seen[name] += chunk
                self._changed.notify_all()


def _terminal() -> Any:
    """``(the side of the person, the side of the program)`` of a terminal of 100 columns."""
    import fcntl
    import pty
    import struct
    import termios

    screen, program = pty.openpty()
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    return screen, program


class Editor(NamedTuple):
    """A simulated editor, and how commands reach it."""

    port: int
    process: SimulatorProcess

    def command(self, *arguments: str, on_terminal: bool = False, **environment: str) -> Running:
        return Running([*arguments, "--port", str(self.port)], on_terminal, **environment)

    def run(self, *arguments: str, on_terminal: bool = False, **environment: str) -> Done:
        return self.command(*arguments, on_terminal=on_terminal, **environment).done()


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    port = free_port()
    with SimulatorProcess(port) as process:
        process.wait_for(
            "waiting", GUARD_S
        )  # `status` does not wait for an editor that cannot be seen yet
        yield Editor(port, process)


@pytest.fixture
def own_editor() -> Iterator[Any]:
    """Opens an editor for one test alone."""
    processes: List[SimulatorProcess] = []

    def open_one(**values: Any) -> Editor:
        port = free_port()
        process = SimulatorProcess(port, **values)
        process.start()
        processes.append(process)
        return Editor(port, process)

    yield open_one
    for process in processes:
        process.stop()


def plain(screen: str) -> str:
    """What a terminal shows once its colours are taken away."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen).replace("\r\n", "\n")


# call


def test_call_gives_scripts_one_line_of_json(editor: Editor) -> None:
    done = editor.run("call", "read_console", "types=warning,error", "max_entries=1")
    assert (done.status, done.err) == (0, "")
    assert done.out.count("\n") == 1 and done.out.isascii()
    result = json.loads(done.out)
    assert (result["count"], len(result["entries"]), result["truncated"]) == (2, 1, True)


@on_posix
def test_call_gives_people_json_they_can_read(editor: Editor) -> None:
    editor.process.write_log("log", "灯籠が灯った")
    done = editor.run("call", "read_console", "contains=灯籠", on_terminal=True)
    assert done.status == 0
    assert '\n      "message": "灯籠が灯った"\n' in plain(done.out)
    assert "\\u706f" in editor.run("call", "read_console", "contains=灯籠").out


def test_call_that_fails_says_so_on_both_streams(editor: Editor) -> None:
    done = editor.run("call", "get_job_status", "job_id=job-nobody-knows")
    error = json.loads(done.out)["error"]
    assert (done.status, error["code"], done.err) == (
        1,
        "ERR_JOB_NOT_FOUND",
        error["message"] + "\n",
    )


def test_a_run_that_call_started_goes_on_in_unity_and_can_be_asked_for_later(
    editor: Editor,
) -> None:
    started = editor.run("call", "run_tests", "mode=edit", "filter=Keep.Tests.Saving")
    assert started.status == 0
    job_id = json.loads(started.out)["job_id"]
    editor.process.wait_for("job_finished", job_id=job_id)
    asked = editor.run("call", "get_job_status", "--args", json.dumps({"job_id": job_id}))
    assert (asked.status, asked.err) == (0, "")
    assert json.loads(asked.out)["result"]["summary"]["total"] == 4
    assert [event["job_id"] for event in editor.process.events("submit")].count(job_id) == 1


def test_call_of_a_run_that_unity_refuses_is_a_failed_call(own_editor: Any) -> None:
    editor = own_editor(faults=["refuse:submit_job:ERR_UNITY_EXECUTION"])
    done = editor.run("call", "run_tests")
    assert (done.status, json.loads(done.out)["error"]["code"]) == (1, "ERR_UNITY_EXECUTION")


@on_posix
def test_a_reader_that_has_enough_is_no_error(editor: Editor) -> None:
    command = f"set -o pipefail; {shlex.join(isolated())} %s --port {editor.port} | head -c 1"
    for words in ("call get_editor_state", "console -n 500", "status", "console --follow"):
        done = subprocess.run(
            ["bash", "-c", command % words],
            cwd=str(ROOT),
            capture_output=True,
            timeout=GUARD_S,
            check=False,
        )
        assert (done.returncode, len(done.stdout), PROJECT.sub("", done.stderr.decode())) == (
            0,
            1,
            "",
        ), words


@pytest.mark.skipif(
    os.name == "nt" or not os.path.exists("/dev/full"), reason="needs a device that is always full"
)
def test_a_result_that_cannot_be_written_is_an_error(editor: Editor) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*isolated(), "status", "--port", str(editor.port)],
            cwd=str(ROOT),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=GUARD_S,
            check=False,
        )
    said = PROJECT.sub("", done.stderr.decode())
    assert (done.returncode, said) == (
        1,
        "Error: the result could not be written: No space left on device\n",
    )


@pytest.mark.skipif(
    os.name == "nt" or not os.path.exists("/dev/full"), reason="needs a device that is always full"
)
@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["status", "--help"], ["frob", "--json"]]
)
def test_help_that_cannot_be_written_is_no_traceback(words: List[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*isolated(), *words],
            cwd=str(ROOT),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=GUARD_S,
            check=False,
        )
    said = done.stderr.decode()
    assert (
        done.returncode in (1, 2)
        and "Error: " in said
        and "Traceback" not in said
        and "ignored" not in said
    )


# status

STATUS = """\
Unity Editor    connected, ready
Project         LanternKeep (/Projects/LanternKeep)
Unity           2022.3.20f1
Plugin          {version}
Trusted         yes, it runs as the same user
Server          {version}
Port            {port} (option --port)
Calls           0 waiting for the editor, 0 queued
Jobs            none known
"""


def test_status_is_one_screen_for_people_and_json_for_scripts(editor: Editor) -> None:
    state = editor.run("status", "--json")
    answer = json.loads(state.out)["result"]
    assert (state.status, answer["connected"], answer["editor"]["project_name"]) == (
        0,
        True,
        "LanternKeep",
    )
    screen = STATUS.format(version=answer["server_version"], port=editor.port)
    assert editor.run("status") == Done(0, screen, "")
    if os.name != "nt":
        coloured = editor.run("status", on_terminal=True)
        looking = f"Looking for a Unity Editor on port {editor.port} ...\n"
        assert plain(coloured.out) == looking + screen and "\x1b[32mready" in coloured.out
        assert "\x1b[" not in editor.run("status", on_terminal=True, NO_COLOR="1").out


def test_status_shows_an_editor_that_compiles_badly(own_editor: Any) -> None:
    editor = own_editor()
    editor.process.wait_for("waiting")
    editor.process.compile(0.1, errors=3)
    editor.process.wait_for("state", state="ready")
    assert "Compile errors  3" in editor.run("status").out.splitlines()
    editor.process.stall(30.0)
    # A moment of work is no stall, and a command is there sooner than that.
    assert soon(lambda: "(a dialog may be open in Unity)" in editor.run("status").out)


# console


def test_console_shows_what_unity_shows(editor: Editor) -> None:
    done = editor.run("console", "--type", "error", "--type", "warning")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "warning   Assets/Player/PlayerMovement.cs(63,27): "
        "warning CS0414: The field 'coyoteTime' is never read\n"
        "error     Missing sprite 'torch_unlit' for item 'torch', the placeholder is shown\n"
        "          at Assets/Items/ItemIcon.cs:29\n"
    )
    newest = editor.run("console", "-n", "1", "--type", "warning", "--type", "error")
    assert newest.err.startswith("The newest 1 of 2 entries; -n shows more.\n")
    as_json = json.loads(
        editor.run("console", "-n", "1", "--type", "warning", "--type", "error", "--json").out
    )
    assert as_json["ok"] and [entry["type"] for entry in as_json["result"]["entries"]] == ["error"]
    nothing = editor.run("console", "--contains", "nobody logs this")
    assert (nothing.status, nothing.out) == (0, "") and nothing.err.startswith("No entries.\n")
    if os.name != "nt":
        screen = editor.run("console", "--type", "error", on_terminal=True).out
        assert "\x1b[31m" in screen and "Missing sprite" in plain(screen)


@on_posix
def test_console_follows_across_a_reload_and_a_new_editor_and_shows_nothing_twice(
    own_editor: Any,
) -> None:
    editor = own_editor()
    follower = editor.command("console", "--follow", "-n", "1", "--json")
    follower.until("torch_unlit")
    editor.process.write_log("error", "first")
    follower.until("first")
    editor.process.reload(1.5)
    editor.process.wait_for("state", state="ready")
    editor.process.write_log("log", "second")
    follower.until("second")
    editor.process.crash()
    follower.until("-- Unity does not answer", "err")
    editor.process.restart(0.0)
    follower.until("-- Unity is back --", "err")
    follower.until("Lantern Keep 0.4")
    follower.until("the editor was restarted", "err")
    editor.process.write_log("log", "third")
    follower.until("third")
    follower.signal(signal.SIGINT)
    done = follower.done()
    assert done.status == 130
    messages = [json.loads(line)["message"] for line in done.out.splitlines()]
    assert messages[1:3] == ["first", "second"] and messages[-1] == "third"
    for message in ("first", "second", "third"):
        assert messages.count(message) == 1
    assert done.err.count("does not answer") == 1


# inspect


def test_inspect_shows_the_project_as_a_tree_and_as_json(editor: Editor) -> None:
    tree = editor.run("inspect", "hierarchy", "Main/Lanterns")
    assert tree == Done(
        0,
        "Main/Lanterns\n  Lantern  Light\n  Lantern[1]  Light  (inactive)\n  Lantern[2]  Light\n",
        "",
    )
    part = editor.run("inspect", "--limit", "2")
    assert (part.out, part.err) == (
        "Main\n  Main Camera  Camera\n",
        "2 of 9; --all shows everything.\n",
    )
    answer = json.loads(
        editor.run(
            "inspect", "object", "Main/Player", "--query", "PlayerMovement.speed", "--json"
        ).out
    )
    assert answer["ok"] and [item["value"] for item in answer["result"]["items"]] == [4.2]
    assert (
        editor.run("inspect", "object").status
        == editor.run("inspect", "scenes", "Main").status
        == 2
    )
    missing = editor.run("inspect", "object", "Main/Plyer", "--json")
    assert (missing.status, json.loads(missing.out)["error"]["code"]) == (1, "ERR_INVALID_PARAMS")
    assert "'Player'" in missing.err


# test

REPORT = """\
FAILED  Keep.Tests.InventoryTests.SplittingAStackKeepsTheTotal
    A stack of 5 was split in two, nothing may get lost
    Expected: 5
    But was:  4
    at Assets/Tests/EditMode/InventoryTests.cs:58

5 tests: 4 passed, 1 failed in 0.8 s
"""


def test_a_build_server_gets_a_report_a_status_and_junit_xml(
    editor: Editor, tmp_path: Path
) -> None:
    report = tmp_path / "results" / "unity.xml"
    inventory = editor.run("test", "--filter", "Keep.Tests.InventoryTests", "--junit", str(report))
    assert (inventory.status, inventory.out) == (1, REPORT)
    # The report of a failure may be the run's last: then its end comes instead.
    assert "Running 5 tests ...\n" in inventory.err
    suite = ElementTree.parse(str(report)).getroot()[0]
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "time")} == {
        "name": "EditModeTests (edit)",  # one suite for each assembly and mode
        "tests": "5",
        "failures": "1",
        "errors": "0",
        "time": "0.800",
    }
    movement = editor.run("test", "--filter", "Keep.Tests.Movement")
    assert (movement.status, movement.out) == (0, "3 tests: 3 passed in 0.5 s\n")
    # On a busy machine a step is seen before the tests are counted.
    assert movement.err.endswith("Running 3 tests ...\n")
    nothing = editor.run("test", "--filter", "Keep.Typo", "--mode", "edit")
    assert (
        nothing.status == 1
        and "No test matches Keep.Typo. The nearest are: Keep.Tests.InventoryTests" in nothing.err
    )
    assert (
        json.loads(editor.run("test", "--filter", "Keep.Typo", "--mode", "edit", "--json").out)[
            "ok"
        ]
        is False
    )
    empty = editor.run("test", "--failed")
    assert (empty.status, empty.err.splitlines()[-1]) == (0, "No test failed last time.")


@on_posix
def test_a_person_sees_a_bar_that_moves(editor: Editor) -> None:
    done = editor.run(
        "test",
        "--filter",
        "Keep.Tests.InventoryTests;Keep.PlayTests.LanternBurns",
        on_terminal=True,
    )
    assert done.status == 1
    drawn = [
        line
        for line in re.split(r"[\r\n]+", plain(done.out))
        if re.match(r"Tests \d+:\d\d  \[", line)
    ]
    counted = [
        int(found.group(1)) for found in (re.search(r"  (\d+)/7", line) for line in drawn) if found
    ]
    assert len(set(counted)) > 2 and counted == sorted(counted)
    ends = [test.name[-12:] for test in default_project().tests]
    assert any(line.rstrip().endswith(end) for line in drawn for end in ends), (
        "it names the test that runs"
    )
    assert max(len(line) for line in drawn) <= 100, "it would wrap"
    assert plain(done.out).endswith("7 tests: 6 passed, 1 failed in 1.7 s\n")
    assert done.out.rfind("\x1b[?25h") > done.out.rfind("\x1b[?25l"), "the cursor stays hidden"


@on_posix
def test_ctrl_c_cancels_in_unity_and_prints_the_finished_tests(
    own_editor: Any, tmp_path: Path
) -> None:
    editor, report = own_editor(tests=300, test_seconds=0.2), tmp_path / "unity.xml"
    running = editor.command("test", "--mode", "edit", "--junit", str(report))
    running.until("Running 300 tests", "err")
    editor.process.wait_for("test_finished", GUARD_S)
    running.signal(signal.SIGINT)
    done = running.done()
    assert done.status == 130
    # On a busy machine a step is seen before the tests are counted.
    assert done.err.endswith(
        "Running 300 tests ...\nCancelling it in Unity ... (Ctrl-C again leaves at once)\nThe test run was cancelled.\n"
    )
    ended = re.fullmatch(r"300 tests: (\d+) passed, (\d+) not run in .* s\n", done.out)
    assert ended is not None and int(ended[1]) > 0 and int(ended[1]) + int(ended[2]) == 300, (
        done.out
    )
    assert editor.process.wait_for("job_finished", state="cancelled")
    assert ElementTree.parse(str(report)).find("testsuite/testcase/error") is not None


@on_posix
def test_ctrl_c_says_whether_anything_was_run(own_editor: Any) -> None:
    waiting = Running(["compile", "--port", str(free_port())])
    waiting.until("Waiting up to", "err")
    waiting.signal(signal.SIGINT)
    done = waiting.done()
    assert (done.status, done.out) == (130, "")
    assert done.err.endswith("Interrupted while waiting for an editor. Nothing was run in Unity.\n")

    editor = own_editor(tests=1, test_seconds=30.0)
    calling = editor.command("call", "run_tests")
    editor.process.wait_for("job_started", GUARD_S)
    calling.signal(signal.SIGINT)
    done = calling.done()
    assert (done.status, done.out) == (130, "")
    assert done.err.endswith(
        f"Interrupted. run_tests may have run, and may still run in Unity: `{ours('jobs')}` lists what runs.\n"
    )


def test_an_empty_argument_is_a_usage_error(editor: Editor) -> None:
    for words, named in ((["exec", ""], "no code"), (["jobs", ""], "job_id must be")):
        done = editor.run(*words)
        assert (done.status, done.out) == (2, "")
        assert named in done.err and "Traceback" not in done.err


@on_posix
def test_a_second_ctrl_c_leaves_at_once_and_a_build_server_may_say_sigterm(own_editor: Any) -> None:
    editor = own_editor(tests=2, test_seconds=30.0)
    running = editor.command("test")
    running.until("Running 2 tests", "err")
    running.signal(signal.SIGTERM)
    running.until("Cancelling it in Unity", "err")
    editor.process.wait_for("cancel")
    threading.Event().wait(0.6)  # nearer together they are taken for one: a person's two are not
    running.signal(signal.SIGINT)
    done = running.done()
    assert done.status == 143
    assert (
        "The test run had not ended when this command stopped; it may still run in Unity; "
        in done.err
    )


def test_a_run_that_takes_too_long_is_cancelled_with_what_had_ended(own_editor: Any) -> None:
    editor = own_editor(tests=1000, test_seconds=0.01)
    done = editor.run("test", "--timeout", "4")
    assert done.status == 4
    assert done.err.splitlines()[-2:] == [
        "It took longer than 4 s. Cancelling it in Unity ... (Ctrl-C leaves at once)",
        "The test run took too long and was cancelled; a longer --timeout helps.",
    ]
    ended = re.fullmatch(r"1000 tests: (\d+) passed, (\d+) not run in .* s\n", done.out)
    assert ended is not None and int(ended[1]) > 0 and int(ended[1]) + int(ended[2]) == 1000


def test_a_run_survives_a_reload_and_says_why_it_cannot_go_on_without_its_editor(
    own_editor: Any,
) -> None:
    editor = own_editor(tests=30, test_seconds=0.2)
    running = editor.command("test")
    running.until("Running 30 tests", "err")
    editor.process.reload(2.0)
    done = running.done()
    assert (done.status, done.out) == (0, "30 tests: 30 passed in 6.0 s\n")
    assert len(editor.process.events("submit")) == 1
    kinds = [(event.kind, event.values.get("state")) for event in editor.process.ledger.all()]
    assert kinds.index(("state", "reloading")) < kinds.index(("job_finished", "succeeded"))

    running = editor.command("test")
    running.until("Running 30 tests", "err")
    editor.process.restart(0.5)
    done = running.done()
    assert (done.status, done.out) == (1, "")
    assert done.err.splitlines()[-1].startswith("The job was lost: ")


# compile, wait-ready, jobs


def test_compile_prints_errors_where_editors_link_them_and_tests_do_not_run_before_they_are_fixed(
    own_editor: Any, tmp_path: Path
) -> None:
    editor = own_editor(tests=3)
    assert editor.run("compile").status == 0
    editor.process.order("break Assets/Player/PlayerMovement.cs")
    broken = editor.run("compile")
    assert broken.status == 1
    place = re.match(r"Assets/Player/PlayerMovement\.cs\(\d+,\d+\): error CS\d{4}: ", broken.out)
    assert place is not None, broken.out
    report = tmp_path / "unity.xml"
    tests = editor.run("test", "--junit", str(report), GITHUB_ACTIONS="true")
    assert tests.status == 1 and tests.out.startswith(place.group(0)), tests
    annotation = r"(?m)^::error file=.*Assets/Player/PlayerMovement\.cs,line=\d+,col=\d+::error CS"
    assert re.search(annotation, tests.err), tests
    error = ElementTree.parse(str(report)).find("testsuite/testcase/error")
    assert (
        error is not None
        and place.group(0) in str(error.text)
        and "\n" not in error.get("message", "\n")
    )
    editor.process.order("fix Assets/Player/PlayerMovement.cs")
    assert editor.run("test", "--junit", str(report)).status == 0
    named = [case.get("name") for case in ElementTree.parse(str(report)).iter("testcase")]
    assert len(named) == 3 and not any("not named" in str(name) for name in named)


def test_code_that_is_not_loaded_is_never_a_success(own_editor: Any, tmp_path: Path) -> None:
    editor, report = own_editor(tests=3), tmp_path / "unity.xml"
    editor.process.order("lock")
    editor.process.order("edit Assets/Player/PlayerMovement.cs")
    for _ in range(2):  # the second time nothing is left to compile
        done = editor.run("compile")
        assert done.status == 1 and "compiled, not loaded: " in done.err, done
        answer = json.loads(editor.run("compile", "--json").out)
        assert answer["ok"] is False and answer["result"]["ok"] is True
        assert (answer["result"]["loaded"], answer["result"]["pending_reason"]) == (
            False,
            "reload_locked",
        )
        for words in (("--wait",), ()):  # the same job, asked about later
            again = editor.run("jobs", answer["job_id"], *words)
            assert again.status == 1 and "compiled, not loaded: " in again.err, again
            later = json.loads(editor.run("jobs", answer["job_id"], *words, "--json").out)
            assert later["ok"] is False and later["result"]["state"] == "succeeded"
        tests = editor.run("test", "--junit", str(report))
        assert (tests.status, tests.out) == (1, "")
        assert ElementTree.parse(str(report)).find("testsuite/testcase/error") is not None
    assert "not loaded: a script or a window" in plain(editor.run("status").out)
    accepted = editor.run("test", "--no-refresh")
    assert accepted.status == 0
    assert (
        accepted.err.splitlines()[-1]
        == "code_fresh is false: the tests ran code that is older than what is on disk."
    )
    editor.process.order("unlock")
    assert editor.run("test", "--junit", str(report)).status == 0
    suite = ElementTree.parse(str(report)).getroot()[0]
    answer = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert answer["code_fresh"] == "true" and answer["unity_version"]
    assert editor.run("compile").status == 0


def test_unsaved_changes_need_a_choice(own_editor: Any) -> None:
    editor = own_editor(tests=3)
    editor.process.order("dirty")
    refused = editor.run("test", "--json")
    details = json.loads(refused.out)["error"]["details"]
    assert (
        refused.status == 1
        and details["reason"] == "unsaved_scenes"
        and len(details["scenes"]) == 1
    )
    assert "test --save` saves them first." in editor.run("test").err
    assert editor.run("test", "--save").status == 0
    assert editor.run("compile", "--changed-scenes", "disk").status == 0
    assert editor.run("test", "--changed-scenes", "never").status == 2


def test_tests_of_a_plugin_that_cannot_compile_run_only_if_old_code_is_accepted(
    own_editor: Any, tmp_path: Path
) -> None:
    editor, report = own_editor(tests=3, dialect="minimal"), tmp_path / "unity.xml"
    refused = editor.run("test", "--junit", str(report))
    assert (refused.status, refused.out) == (1, "") and "--no-refresh" in refused.err
    error = ElementTree.parse(str(report)).find("testsuite/testcase/error")
    assert error is not None and "cannot compile" in str(error.get("message"))
    accepted = editor.run("test", "--no-refresh", "--junit", str(report))
    assert accepted.status == 0 and accepted.out.startswith("3 tests: 3 passed")
    line = "code_fresh is null: the tests ran code that is perhaps older than what is on disk."
    assert accepted.err.splitlines()[-1] == line
    suite = ElementTree.parse(str(report)).getroot()[0]
    assert {p.get("name"): p.get("value") for p in suite.iter("property")}[
        "code_fresh"
    ] == "unknown"
    assert suite.get("errors") == "0"


def test_play_enters_steps_and_leaves_and_says_what_called_it_off(own_editor: Any) -> None:
    editor = own_editor(tests=1)
    assert editor.run("play", "exit").out == "edit mode (as before)\n"
    entered = json.loads(editor.run("play", "enter", "--json").out)
    assert entered["ok"] and entered["result"]["playing"] and entered["job_id"].startswith("job-")
    assert editor.run("play", "step", "3").out.startswith("paused, frame ")
    assert editor.run("play", "exit").out == "edit mode\n"
    editor.process.order("abort_play No lantern in the level")
    off = editor.run("play", "enter")
    assert (off.status, off.out) == (1, "No lantern in the level\n")
    assert "aborted the change" in off.err
    assert editor.run("play", "pause", "2").status == 2


def test_run_runs_a_command_once_and_says_what_it_threw(own_editor: Any) -> None:
    editor = own_editor(tests=1)
    assert (
        'spawn_wave(enemy: bat|slime|knight = slime, size: int = 3)\n    "Puts enemies'
        in editor.run("run").out
    )
    ran = editor.run("run", "spawn_wave", "enemy=bat", "size=2", "--json")
    assert json.loads(ran.out)["result"]["value"] == {"spawned": 2, "enemy": "bat"}
    wrong = editor.run("run", "open_scene")
    assert (wrong.status, wrong.out) == (1, "") and "path is missing" in wrong.err
    threw = editor.run("run", "check_references")
    assert (
        threw.status == 1
        and "at Keep.Editor.Commands.CheckReferences (at Assets/Editor/Commands.cs:58)" in threw.err
    )
    assert [event["name"] for event in editor.process.events("command_started")] == [
        "spawn_wave",
        "check_references",
    ]


def test_run_changes_a_field_and_says_what_was_there(own_editor: Any) -> None:
    editor = own_editor(tests=1)
    ran = editor.run("run", "set_fields", "path=/Player", 'values={"PlayerMovement.speed": 5}')
    row = {"path": "Main/Player", "field": "Keep.PlayerMovement.speed", "before": 4.2, "after": 5}
    assert ran.status == 0 and json.loads(ran.out) == {"changed": [row], "undo": True}
    assert "speed: 5  float" in editor.run("inspect", "object", "Main/Player").out
    wrong = editor.run(
        "run", "set_fields", "path=/Player", 'values={"PlayerMovement.speed": "fast"}'
    )
    assert (wrong.status, wrong.out) == (1, "")
    assert "It is of type float and is 5 now. Nothing was changed." in wrong.err
    twice = [editor.run("run", "create_object", "parent=/", "name=Lamp").out for _ in range(2)]
    assert [json.loads(out)["changed"][0]["after"] for out in twice] == [
        "Main/Lamp",
        "Main/Lamp[1]",
    ]


def test_shot_writes_a_real_picture_and_says_what_it_is_worth(
    own_editor: Any, tmp_path: Path
) -> None:
    editor = own_editor(tests=1)
    file = tmp_path / "game.png"
    taken = editor.run("shot", "-o", str(file), "--max-size", "64")
    assert (taken.status, taken.out) == (0, f"{file}\n")
    assert taken.err.startswith(
        "game view, 64x36, edit mode. Not rendered for this call: This is a recorded picture."
    )
    assert file.read_bytes().startswith(b"\x89PNG")
    assert editor.run("shot", "--frames", "5").status == 2
    jpeg = tmp_path / "game.jpg"
    assert editor.run("shot", "-o", str(jpeg)).status == 0 and jpeg.read_bytes().startswith(
        b"\xff\xd8\xff"
    )
    answer = json.loads(editor.run("shot", "--view", "scene", "--json").out)["result"]
    assert answer["fresh"] is False and answer["view"] == "scene" and "image" not in answer
    Path(answer["file"]).unlink()
    several = editor.run("shot", "--frames", "2", "--every", "50")
    assert (several.status, several.out) == (1, "") and "Use a real editor." in several.err


@on_posix
@pytest.mark.parametrize(
    "said, begins",
    [
        ({"TERM": "xterm-kitty"}, "\x1b_Ga=T,f=100,"),
        ({"TERM_PROGRAM": "iTerm.app"}, "\x1b]1337;File=inline=1;"),
    ],
)
def test_shot_is_shown_in_a_terminal_that_can(
    editor: Editor, said: Dict[str, str], begins: str
) -> None:
    plain = {
        "TERM": "xterm-256color",
        "KITTY_WINDOW_ID": "",
        "TERM_PROGRAM": "",
        "TMUX": "",
        "STY": "",
    }
    done = editor.command("shot", "--max-size", "64", on_terminal=True, **{**plain, **said}).done()
    assert done.status == 0 and begins in done.out and "game view, 64x36, edit mode" in done.out


def test_json_is_one_envelope_everywhere(editor: Editor) -> None:
    compiled = json.loads(editor.run("compile", "--json").out)
    assert compiled["ok"] and compiled["result"]["ok"] and compiled["job_id"].startswith("job-")
    failed = json.loads(editor.run("test", "--filter", "Keep.Tests.InventoryTests", "--json").out)
    assert not failed["ok"] and failed["result"]["summary"]["failed"] == 1
    assert json.loads(editor.run("wait-ready", "--json").out)["ok"]
    assert json.loads(editor.run("jobs", "--json").out) == {
        "ok": True,
        "result": {"running_jobs": []},
    }
    unknown = json.loads(editor.run("jobs", "job-nobody-knows", "--json").out)
    assert not unknown["ok"] and unknown["error"]["code"] == "ERR_JOB_NOT_FOUND"


def test_a_job_that_another_command_left_can_be_waited_for(own_editor: Any) -> None:
    editor = own_editor(tests=4, test_seconds=0.3)
    started = json.loads(editor.run("call", "run_tests", "wait_ms=0").out)
    followed = editor.run("jobs", started["job_id"], "--wait")
    assert (followed.status, followed.out) == (0, f"{started['job_id']} run_tests succeeded\n")
    looked_at = json.loads(editor.run("jobs", started["job_id"], "--json").out)
    waited_for = json.loads(editor.run("jobs", started["job_id"], "--wait", "--json").out)
    assert (
        looked_at["result"]["result"] == waited_for["result"]["result"]
        and looked_at.keys() == waited_for.keys()
    )


# Next to an agent's server, which has the port already (SPEC 14)


@pytest.mark.skipif(sys.version_info < (3, 10), reason="serving needs the mcp package")
def test_scripts_work_through_a_running_server_and_a_run_outlives_it(own_editor: Any) -> None:
    editor = own_editor(tests=15, test_seconds=0.3, console_entries=3)
    server = subprocess.Popen(
        [*isolated(), "serve", "--port", str(editor.port)],
        cwd=str(ROOT),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        editor.process.wait_for("connected", GUARD_S)
        status = editor.run("status")
        assert (status.status, status.err) == (0, "")
        assert "(this command uses a running server; 2 clients)" in status.out
        assert json.loads(editor.run("call", "read_console", "max_entries=1").out)["count"] == 3
        running = editor.command("test", "--log-level", "error")
        running.until("Running 15 tests", "err")
        server.kill()
        done = running.done()
        assert (done.status, done.out) == (0, "15 tests: 15 passed in 4.5 s\n")
        assert len(editor.process.events("submit")) == 1
    finally:
        server.kill()
        server.wait()
        assert server.stdin is not None
        server.stdin.close()


# Nobody there


def test_without_an_editor_every_command_ends_with_status_3_and_says_what_to_do(
    tmp_path: Path,
) -> None:
    report = tmp_path / "unity.xml"
    report.write_text("<an-earlier-run/>")
    commands = (
        ["test", "--junit", str(report)],
        ["console"],
        ["console", "--follow"],
        ["call", "read_console"],
        ["call", "get_editor_state"],
        ["status"],
    )
    ports = [free_port() for _ in commands]
    running = [
        Running([*words, "--port", str(port), "--wait", "0.2"])
        for words, port in zip(commands, ports)
    ]
    ended = [one.done() for one in running]
    assert [one.status for one in ended] == [3] * 6
    assert [one.err for one in ended] == [
        f"No Unity Editor has connected to port {port} (waited 0.2 s). Open the project in Unity and check in "
        f"Project Settings > Unity Bridge that the plugin uses port {port}; `{ours('doctor')}` checks more.\n"
        for port in ports
    ]
    test, console, follow, read, state, status = ended
    assert test.out == console.out == follow.out == ""
    assert json.loads(read.out)["error"]["code"] == "ERR_EDITOR_NOT_READY"
    assert json.loads(state.out)["connected"] is False
    assert status.out.startswith("Unity Editor    not connected\n")
    assert ElementTree.parse(str(report)).find("testsuite/testcase/error") is not None


def test_a_port_of_another_program_is_named_with_its_holder() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        # The holder is looked up once it has not answered as a server of ours would, which takes 2
        # s.
        done = Running(["call", "read_console", "--port", str(port), "--wait", "5"]).done()
    assert done.status == 3
    error = json.loads(done.out)["error"]
    assert (error["details"]["reason"], error["details"]["port"]) == ("port_in_use", port)
    assert f"pid {os.getpid()} " in error["details"]["holder"]
    assert f"Port {port} is in use by pid {os.getpid()} " in done.err


def test_two_scripts_at_once_take_turns_at_the_port(editor: Editor) -> None:
    both = [editor.command("call", "get_editor_state") for _ in range(2)]
    assert [json.loads(one.done().out)["connected"] for one in both] == [True, True]


@on_posix
def test_ctrl_c_while_waiting_for_an_editor(own_editor: Any) -> None:
    waiting = Running(["console", "--port", str(free_port())])
    waiting.until("Waiting up to 10 s for a Unity Editor", "err")
    waiting.signal(signal.SIGINT)
    done = waiting.done()
    assert (done.status, done.out) == (130, "")


# exec


def test_exec_runs_code_where_it_is_allowed_and_prints_its_value(
    own_editor: Any, tmp_path: Path
) -> None:
    editor = own_editor(tests=1)
    refused = editor.run("exec", "1 + 1")
    assert (refused.status, refused.out) == (1, "") and "Project Settings" in refused.err
    editor.process.order("allow_csharp")
    assert editor.run("exec", 'Debug.Log("hello"); 6 * 7').out == "hello\n42\n"
    broken = tmp_path / "Broken.cs"
    broken.write_text('Debug.Log("hello");\n  nowhere', encoding="utf-8")
    failed = editor.run("exec", "-f", str(broken))
    assert failed.status == 1
    assert (
        failed.out
        == f"{broken}(2,3): error CS0103: The name 'nowhere' does not exist in the current context\n"
    )
    threw = json.loads(
        editor.run("exec", "--json", 'Debug.Log("before"); throw new Exception("broken");').out
    )
    assert (threw["ok"], threw["error"]["details"]["reason"]) == (False, "exception")
