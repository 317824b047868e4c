"""``unity-bridge allow``: it asks a person, and nothing answers for one (SPEC §16.6)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import List, Tuple

import pytest

from tests.installation.unity_projects import make_project
from unity_bridge.base.result import Ok
from unity_bridge.launch.environment import isolated
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.trust import consent
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

COMMAND = [*isolated(), "allow"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    folder = tmp_path / "Game"
    (folder / "ProjectSettings").mkdir(parents=True)
    (folder / "ProjectSettings" / "ProjectVersion.txt").write_text("m_EditorVersion: 2022.3.1f1\n")
    return folder


def run(*arguments: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], input=answer, capture_output=True, text=True, timeout=60
    )


def on_a_terminal(project: Path, answer: str) -> Tuple[int, str]:
    return typed([*COMMAND, "csharp", "--project", str(project)], answer)


def typed(command: List[str], answer: str) -> Tuple[int, str]:
    """Exit status and what the terminal shows."""
    import pty

    program, terminal = pty.openpty()
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    os.write(program, answer.encode())
    shown = b""
    try:
        while True:
            shown += os.read(program, 4096)
    except OSError:
        pass
    os.close(program)
    return process.wait(60), shown.decode()


@pytest.mark.parametrize("answer", ["", "y\n", "yes\n"])
def test_a_pipe_is_no_person(project: Path, answer: str) -> None:
    done = run("csharp", "--project", str(project), answer=answer)
    assert done.returncode == 2 and "terminal" in done.stderr
    assert consent.allowed_projects() == Ok([])


def test_there_is_no_yes(project: Path) -> None:
    for option in ("--yes", "-y", "--force"):
        assert run("csharp", "--project", str(project), option).returncode == 2
    assert consent.allowed_projects() == Ok([])


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
@pytest.mark.parametrize("answer, status", [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_a_person_is_asked(project: Path, answer: str, status: int) -> None:
    ended, shown = on_a_terminal(project, answer)
    assert ended == status, shown
    assert canonical_path(project) in shown and "with your rights" in shown
    assert consent.allowed_projects() == Ok([canonical_path(project)] if status == 0 else [])


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
def test_a_first_installation_asks_a_person_once(project: Path) -> None:
    make_project(project.parent / "Other")
    install = [*isolated(), "plugin", "install", str(project.parent / "Other")]
    refused = subprocess.run(
        [*install, "--allow-csharp"], input="y\n", capture_output=True, text=True, timeout=60
    )
    assert refused.returncode == 2 and "Run it in a terminal" in refused.stderr
    assert not (project.parent / "Other" / "Packages" / "com.unitybridge.editor").exists()

    status, shown = typed(install, "\n")
    assert status == 0 and "with your rights" in shown and "C# stays off in this project" in shown
    assert consent.allowed_projects() == Ok([])
    assert "with your rights" not in typed(install, "")[1], (
        "nothing was installed, so nothing is asked"
    )
    status, shown = typed([*install, "--allow-csharp"], "y\n")
    assert status == 0 and consent.allowed_projects() == Ok(
        [canonical_path(project.parent / "Other")]
    )
    assert "with your rights" not in typed([*install, "--allow-csharp"], "")[1], (
        "it is allowed already"
    )


@pytest.mark.slow
def test_it_is_listed_and_taken_back_without_asking(project: Path) -> None:
    assert consent.allow(canonical_path(project), True) == Ok(None)
    assert run().stdout == f"csharp  {canonical_path(project)}\n"
    assert json.loads(run("--json").stdout) == {
        "ok": True,
        "result": {"csharp": [canonical_path(project)]},
    }
    off = run("csharp", "--off", "--project", str(project), "--json")
    answer = {"allowed": False, "what": "csharp", "project": canonical_path(project)}
    assert json.loads(off.stdout) == {"ok": True, "result": answer}
    assert (
        run().stderr == "Nothing is allowed in any project.\n"
        and consent.allowed_projects() == Ok([])
    )


def test_a_file_that_cannot_be_read_is_reported(project: Path) -> None:
    assert consent.allow(canonical_path(project), True) == Ok(None)
    (Path(os.environ[STATE_DIR_VARIABLE]) / consent.FILE).write_text("{", encoding="utf-8")
    done = run("csharp", "--off", "--project", str(project))
    assert done.returncode == 1 and "correct it or remove it" in done.stderr
