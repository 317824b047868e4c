"""Two worktrees of one repository, each with its editor and its agent, and no number typed (SPEC
§18.1).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

from tests.faulty_editor.process import SimulatorProcess
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from tests.projects.test_editor_log import recorded
from tests.projects.test_probing import open_in_unity
from unity_bridge.launch.environment import isolated
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.port_files import automatic
from unity_bridge.projects.probing import editor_log_path

GUARD_S = 60
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def run(
    folder: Path, *arguments: str, stdin: str = "", **environ: str
) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, **environ}
    surroundings.pop("UNITY_BRIDGE_PORT", None)
    return subprocess.run(
        [*isolated(), *arguments],
        input=stdin,
        cwd=str(folder),
        env=surroundings,
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD_S,
    )


def worktrees(repository: Path) -> List[Path]:
    """Two checkouts of what version control has: the port's setting is in both."""
    folders = [make_project(repository / name) for name in ("main", "feature")]
    for folder in folders:
        (folder / "ProjectSettings" / "UnityBridge.json").write_text('{"port": "auto"}\n')
    return folders


def test_each_worktree_finds_its_own_editor(tmp_path: Path) -> None:
    main, feature = worktrees(tmp_path)
    with SimulatorProcess(None, project_file=str(main)), SimulatorProcess(
        None, project_file=str(feature)
    ):
        for folder in (main, feature):
            done = run(folder / "Assets", "status", "--json", "--wait", str(GUARD_S))
            assert done.returncode == 0
            state: Dict[str, Any] = json.loads(done.stdout)["result"]
            assert state["editor"]["project_path"] == str(folder.resolve()).replace(os.sep, "/")
            assert state["port"] == automatic(str(folder))
            assert state["port_source"] == str(
                folder.resolve() / "ProjectSettings" / "UnityBridge.json"
            )


def test_servers_of_two_projects_on_one_port_work_each_with_its_own(tmp_path: Path) -> None:
    main, feature = worktrees(tmp_path)
    port = ("--port", str(free_port()))
    with SimulatorProcess(int(port[1]), project_file=str(main)) as unity:
        server = subprocess.Popen(
            [*isolated(), "serve", *port],
            cwd=str(main),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with server:
            unity.wait_for("connected")
            misdirected = run(feature, "call", "read_console", *port)
            status = run(feature, "status", *port)
            at_home = run(main, "call", "read_console", *port)
            assert server.stdin is not None
            server.stdin.close()
    answer = json.loads(misdirected.stdout)["error"]
    assert (misdirected.returncode, answer["details"]["reason"]) == (3, "other_project")
    # A long path is shown by its end (SPEC §8.3).
    assert all(canonical_path(project)[-20:] in answer["message"] for project in (main, feature))
    assert "another project" in status.stdout
    assert at_home.returncode == 0


def test_an_editor_in_safe_mode_is_recognized_by_its_log(tmp_path: Path) -> None:
    main, _ = worktrees(tmp_path)
    (main / "Packages" / "com.unitybridge.editor").mkdir()
    home = {
        "HOME": str(tmp_path),
        "LOCALAPPDATA": str(tmp_path / "local"),
        "USERPROFILE": str(tmp_path),
    }
    log = Path(editor_log_path(sys.platform, home))
    if (
        sys.platform != "win32"
    ):  # there the variable decides, and the temporary folder lies below the home folder
        log = tmp_path / log.relative_to(Path.home())
    log.parent.mkdir(parents=True)
    with open_in_unity(main):
        log.write_text(recorded("2022.3-windows.log", str(main.resolve())))
        compiled = run(main, "compile", "--json", "--wait", str(GUARD_S), **home)
        tested = run(main, "test", "--wait", str(GUARD_S), **home)
        shown = run(main, "status", "--wait", str(GUARD_S), **home)

    answer = json.loads(compiled.stdout)
    assert (compiled.returncode, answer["ok"], "job_id" in answer) == (1, False, False)
    assert answer["result"]["errors"][0]["file"] == "Assets/Scripts/Player.cs"
    assert answer["result"]["source"] == "editor_log"
    assert tested.returncode == 1 and "safe mode" in tested.stderr
    assert shown.returncode == 3 and "safe mode" in shown.stdout


@pytest.mark.parametrize("command", [["serve"], ["status"]])
def test_an_invalid_project_ends_the_start(tmp_path: Path, command: List[str]) -> None:
    done = run(tmp_path, *command, "--project", "nowhere", stdin=json.dumps(INITIALIZE) + "\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nowhere is not a Unity project: there is no such folder.\n"


def test_a_broken_settings_file_is_a_warning_and_the_client_is_answered(tmp_path: Path) -> None:
    game = make_project(tmp_path / "game")
    settings = game / "ProjectSettings" / "UnityBridge.json"
    settings.write_text("{")

    served = run(game, "serve", "--port", "0", stdin=json.dumps(INITIALIZE) + "\n")

    assert served.returncode == 0
    assert json.loads(served.stdout)["result"]["serverInfo"]["name"] == "unity-bridge"
    (warning,) = [line for line in served.stderr.splitlines() if "warning" in line.lower()]
    assert f"{settings} is not valid JSON" in warning and "so it does not count" in warning


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs a right there")
def test_a_worktree_behind_a_link_is_the_linked_one(tmp_path: Path) -> None:
    main, _ = worktrees(tmp_path)
    (tmp_path / "link").symlink_to(main, target_is_directory=True)
    answer = run(tmp_path, "status", "--json", "--wait", "0", "--project", "link")
    assert answer.returncode == 3
    assert json.loads(answer.stdout)["result"]["port"] == automatic(str(main))
