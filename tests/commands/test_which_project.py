"""Which project a command means, tried as a user does: in a monorepo, with two editors, with
another one's editor.
"""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest
from click.testing import Result

from tests.commands.runner import runner
from tests.e2e.bridge_process import BridgeProcess
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from unity_bridge import cli
from unity_bridge.launch.environment import isolated
from unity_bridge.scripting.command_bridge import CommandBridge
from unity_bridge.serve.app import Bridge
from unity_bridge.simulator.connection import BackOff
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.event_log import EventLog
from unity_bridge.simulator.project import default_project

GUARD_S = "30"
# Of a wait that must end for another reason than its time.
DAY_S = 86_400.0

Opens = Callable[[Path, int], None]


@pytest.fixture(autouse=True)
def no_port_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNITY_BRIDGE_PORT", raising=False)


@pytest.fixture
def opens() -> Iterator[Opens]:
    """Opens a project in a simulated editor that looks for a port."""
    editors: List[SimulatedEditor] = []

    def open_(project: Path, port: int) -> None:
        setup = EditorSetup(port=port, speed=1000.0, back_off=BackOff(initial_ms=1, max_ms=20))
        setup = replace(
            setup, project=replace(default_project(), name=project.name, path=str(project))
        )
        editors.append(SimulatedEditor(setup, EventLog()))
        editors[-1].start()

    yield open_
    for editor in editors:
        editor.stop()


@pytest.fixture
def opens_apart() -> Iterator[Opens]:
    """Opens a project in a simulated editor with a process of its own, and returns once it waits
    for the port.
    """
    with ExitStack() as editors:

        def open_(project: Path, port: int) -> None:
            words = [
                *isolated(),
                "simulate",
                "--events",
                "--port",
                str(port),
                "--project",
                str(project),
            ]
            process = editors.enter_context(
                subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            editors.callback(process.kill)
            assert process.stdout is not None
            while b'"waiting"' not in process.stdout.readline():
                assert process.poll() is None

        yield open_


def run(*words: str) -> Result:
    return runner().invoke(cli.cli, list(words))


def project_with_port(folder: Path, port: int) -> Path:
    project = make_project(folder)
    (project / "ProjectSettings" / "UnityBridge.json").write_text(json.dumps({"port": port}))
    return project


def test_the_only_project_below_the_folder_is_meant(
    tmp_path: Path, opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    game = project_with_port(tmp_path / "repo" / "Game", port)
    opens(game, port)
    monkeypatch.chdir(tmp_path / "repo")

    status = run("status", "--json", "--wait", GUARD_S)

    assert status.exit_code == 0, status.output
    answer = json.loads(status.stdout)["result"]
    assert (answer["port"], answer["project"]) == (port, str(game))
    assert f"project: Game ({game})" in status.stderr


def test_several_projects_below_the_folder_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Game", "tools/Other"):
        make_project(tmp_path / "repo" / name)
    monkeypatch.chdir(tmp_path / "repo")

    for words in (["status"], ["console"], ["doctor"], ["doctor", "--json"], ["status", "--json"]):
        done = run(*words)
        assert done.exit_code == 2
        assert f"Game, {Path('tools/Other')}" in done.stderr and "--project PATH" in done.stderr


@pytest.mark.slow
def test_status_and_doctor_list_the_projects_below_with_their_editors(
    tmp_path: Path, opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    game, other = (
        project_with_port(tmp_path / "Game", port),
        make_project(tmp_path / "tools" / "Other"),
    )
    opens(game, port)
    monkeypatch.chdir(tmp_path)
    owner = _server_for(game, port)
    try:
        for words in (["status"], ["doctor"]):
            first, second = run(*words).stdout.splitlines()
            assert first.startswith(f"{game}: ready, Unity ") and f"port {port}" in first
            assert second == f"{other}: unity not running, Unity 2022.3.10f1, port 8091"
    finally:
        owner.__exit__(None, None, None)


def test_a_port_that_is_named_needs_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Game", "Other"):
        make_project(tmp_path / "repo" / name)
    monkeypatch.chdir(tmp_path / "repo")

    assert run("status", "--port", str(free_port())).exit_code == 3


def test_two_editors_on_one_port_and_no_project_is_refused_with_both(
    tmp_path: Path, opens_apart: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, outside = free_port(), tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    for name in ("My Game", "Other"):
        opens_apart(make_project(tmp_path / name), port)

    done = run("call", "get_editor_state", "--port", str(port))

    assert done.exit_code == 3
    assert str(tmp_path / "My Game") in done.stderr and str(tmp_path / "Other") in done.stderr
    assert "--project PATH" in done.stderr


def test_the_only_editor_that_waited_is_used_without_a_wait_for_a_second_one(
    tmp_path: Path, opens_apart: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("unity_bridge.scripting.command_bridge.COMES_WITHIN_S", DAY_S)
    opens_apart(make_project(tmp_path / "Game" / "Deep" / "Deeper"), port)
    for _ in range(2):
        assert run("console", "--port", str(port)).exit_code == 0


def test_a_second_editor_is_waited_for_if_another_one_came_than_the_one_that_waited(
    tmp_path: Path, opens_apart: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Bridge, "waiting_editors", (1,))
    monkeypatch.setattr("unity_bridge.scripting.command_bridge.COMES_WITHIN_S", DAY_S)
    opens_apart(make_project(tmp_path / "Game" / "Deep" / "Deeper"), port)
    asked = []

    def has_waited(life: CommandBridge, records: object, seconds: float) -> None:
        if life._bridge.ledger.session is not None and life._bridge.ledger.session.is_trusted:
            asked.append(seconds)
            monkeypatch.setattr("unity_bridge.scripting.command_bridge.COMES_WITHIN_S", 0)

    monkeypatch.setattr(CommandBridge, "_await_news", has_waited)
    assert run("console", "--port", str(port)).exit_code == 0
    assert asked


@pytest.mark.slow
def test_the_doctor_names_two_editors_that_compete_for_one_port(
    tmp_path: Path, opens_apart: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, outside = free_port(), tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    for name in ("My Game", "Other"):
        opens_apart(make_project(tmp_path / name), port)

    checks = json.loads(run("doctor", "--json", "--port", str(port)).stdout)["result"]["checks"]

    (finding,) = [one for one in checks if one["check"] == "editor" and one["verdict"] == "bad"]
    assert "another editor was refused" in finding["message"]
    assert all(str(tmp_path / name) in finding["message"] for name in ("My Game", "Other"))
    assert "plugin install" in finding["remedy"] and "--port auto" in finding["remedy"]


@pytest.mark.slow
def test_the_doctor_says_what_it_waits_for_once_it_has_waited_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    port = free_port()
    said = f"Waiting up to 2.2 s for a Unity Editor on port {port} ...\n"
    for words in ([], ["--json"]):
        done = run("doctor", "--port", str(port), "--wait", "2.2", *words)
        assert said in done.stderr and "Waiting" not in done.stdout
    assert "Waiting" not in run("doctor", "--port", str(port), "--wait", "0").stderr


@pytest.mark.slow
def test_one_editor_without_a_project_is_used_and_its_project_is_shown(
    tmp_path: Path, opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, outside = free_port(), tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)
    game = make_project(tmp_path / "My Game")
    opens(game, port)

    done = run("console", "--json", "--port", str(port), "--wait", GUARD_S)

    assert done.exit_code == 0, done.output
    assert f"project: My Game ({game})" in done.stderr
    assert (
        "project:"
        not in run("console", "--json", "--port", str(port), "--project", str(game)).stderr
    )


@pytest.mark.parametrize(
    "words", [["status", "--wait", GUARD_S], ["wait-ready", "--timeout", GUARD_S]]
)
@pytest.mark.parametrize("as_json", [False, True])
def test_an_editor_with_another_project_is_not_ready_for_this_one(
    tmp_path: Path, opens: Opens, monkeypatch: pytest.MonkeyPatch, words: List[str], as_json: bool
) -> None:
    port = free_port()
    game, other = project_with_port(tmp_path / "Game", port), make_project(tmp_path / "Other")
    opens(other, port)
    monkeypatch.chdir(tmp_path)
    owner = _server_for(other, port)
    try:
        done = run(*words, "--project", str(game), *(["--json"] if as_json else []))
    finally:
        owner.__exit__(None, None, None)

    assert done.exit_code == 3, done.output
    assert f"has another project open: {other}" in done.stderr
    if as_json:
        assert json.loads(done.stdout)["ok"] is False


def _server_for(project: Path, port: int) -> Any:
    """The server of an agent, which has the port and the editor of ``project``."""
    from unity_bridge.config import Config
    from unity_bridge.scripting.command_bridge import CommandBridge

    life = CommandBridge(replace(Config(), unity_ws_port=port, log_level="error"), str(project))
    life.__enter__()
    life.wait_for_editor(float(GUARD_S))
    return life


@pytest.mark.slow
def test_an_agent_whose_client_stands_above_the_project_learns_which_projects_are_there(
    tmp_path: Path,
) -> None:
    game = make_project(tmp_path / "repo" / "Game")
    other = make_project(tmp_path / "repo" / "client" / "Other")
    window = BridgeProcess(free_port(), tmp_path / "state")
    window.folder = tmp_path / "repo"
    with window:
        state = window.call("get_editor_state")
        while "projects_below" not in state:  # it searches after a second, on a thread of its own
            state = window.call("get_editor_state")
        refusal = window.call("compile")["error"]

    assert state["projects_below"] == [str(game), str(other)]
    assert "Game, Other" in refusal["message"] and "--project" in refusal["message"]


@pytest.mark.slow
def test_a_server_in_no_project_names_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "nothing here"
    folder.mkdir()
    window = BridgeProcess(free_port(), tmp_path / "state")
    window.folder = folder
    with window:
        state = window.call("get_editor_state")
        while "project_remark" not in state:  # it searches after a second, on a thread of its own
            state = window.call("get_editor_state")
        refusal = window.call("compile")["error"]
    assert "nothing here" in state["project_remark"]
    assert "nothing here" in refusal["message"] and "--project" in refusal["message"]


@pytest.mark.parametrize("words", [("compile",), ("console",), ("call", "compile")])
def test_no_command_waits_for_an_editor_whose_plugin_uses_another_port(
    words: List[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project_with_port(tmp_path / "Game", free_port()))
    done = run(*words, "--port", str(free_port()))
    assert done.exit_code == 3 and "uses port" in done.stderr and "(waited" not in done.stderr, (
        done.stderr
    )
