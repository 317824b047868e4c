"""The simulated editor as a program: orders, events, exit status."""

from __future__ import annotations

import http.server
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable, Dict

import pytest

from unity_bridge.base.result import Ok
from unity_bridge.launch.environment import isolated
from unity_bridge.simulator.program import setup_of, simulate
from unity_bridge.simulator.project import default_project

Open = Callable[..., Any]
PACKAGE = Path(__file__).resolve().parents[2]


def test_it_is_ordered_about_and_waited_on(server: Any, open_process: Open) -> None:
    editor = open_process(speed=1000.0)
    session = server.session()
    session.accept()
    assert editor.wait_for("connected")["server_version"] == "0.1.0"
    session.send("submit_job", request_id="r1", job_id="J", tool_name="run_tests", params={})
    editor.wait_for("test_finished", outcome="failed")
    server.session().accept()  # play mode reloads the domain
    editor.wait_for("job_finished", job_id="J", state="failed")
    assert [event["job_id"] for event in editor.events("submit")] == ["J"]
    with pytest.raises(ValueError, match="dance"):
        editor.order("dance")
    assert editor.stop() == 0
    assert editor.events("ended")
    assert editor.stderr == []


def test_a_killed_editor_says_nothing(server: Any, open_process: Open) -> None:
    editor = open_process()
    session = server.session()
    session.accept()
    editor.kill()
    assert session.wait_closed() == 1006
    assert editor.events("ended") == []


class _WebPage(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(404, explain="a page\nof many lines")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.mark.slow
def test_a_web_server_on_the_port_is_one_line(open_process: Open) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _WebPage) as web:
        serving = threading.Thread(target=web.serve_forever, name="web server")
        serving.start()
        try:
            found = open_process(port=web.server_port).wait_for("no_websocket")
        finally:
            web.shutdown()
            serving.join()
    assert (found["port"], found["reason"]) == (web.server_port, "HTTP status 404")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a signal to another process is POSIX")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_closes_it_politely(
    server: Any, open_process: Open, number: signal.Signals, status: int
) -> None:
    editor = open_process()
    session = server.session()
    session.accept()
    editor.wait_for("connected")
    os.kill(editor.pid, number)
    assert session.wait_closed() == 1001
    assert editor.stop() == status


def ran(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*isolated(), "simulate", *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        cwd=str(PACKAGE),
        timeout=20.0,
    )


def test_for_a_person_it_speaks_sentences_on_stderr_and_helps() -> None:
    done = ran("--port", "1", "--stdin-controls", stdin="help\nfly\nquit\n")
    assert (done.returncode, done.stdout) == (0, "")
    assert (
        "LanternKeep; no file of a real project is read" in done.stderr
        and "compile [SECONDS [ERRORS]]" in done.stderr
        and "'fly'" in done.stderr
    )
    assert done.stderr.rstrip().endswith("editor closed")


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"port": 0}, "port 0"),
        ({"speed": 0.0}, "speed 0"),
        ({"speed": float("nan")}, "speed nan"),
        ({"project": "not-there"}, "not-there"),
    ],
)
def test_wrong_values_end_with_status_2_and_a_reason(
    values: Dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate(**values) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), named in err) == ("", 1, True)


def test_a_variable_that_is_no_number_names_no_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNITY_BRIDGE_PORT", "²")
    setup = setup_of(None, None, default_project(), 1.0)
    assert isinstance(setup, Ok) and setup.value.port == 8091
