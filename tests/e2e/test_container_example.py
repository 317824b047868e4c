"""The workflow for an image of game-ci: its shell steps, with a substitute for Unity (docs/ci.md)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Dict

import pytest

from tests.ports import free_port
from tests.unity_headless.unity_program import VERSION, unity_program
from unity_bridge.base.result import Ok
from unity_bridge.launch.environment import ROOT, isolated
from unity_bridge.selftest.scratch import ScratchProject
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts of a Linux image")

EXAMPLES = Path(ROOT) / "docs" / "examples"
WORKFLOW = EXAMPLES / "unity-container.yml"
ACTIVATE = EXAMPLES / "unity-activate.sh"
OURS = Path(ROOT) / ".github" / "workflows" / "unity.yml"
TAKEN = "LICENSE SYSTEM [20261124] Next license update check is after 2026-11-25"


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def step(name: str) -> str:
    """The shell commands of a step of the workflow."""
    found = re.search(
        rf"- name: {name}\n(?:.*\n)*?        run: \|\n((?:          .*\n)+)",
        WORKFLOW.read_text("utf-8"),
    )
    assert found is not None, name
    return textwrap.dedent(found[1])


def test_the_steps_open_an_editor_run_its_tests_and_close_it(compiler: str, tmp_path: Path) -> None:
    assert isinstance(ScratchProject(tmp_path / "game").make(VERSION, free_port()), Ok)
    bridge = f"import os, sys\nos.execv({isolated()[0]!r}, {isolated()!r} + sys.argv[1:])\n"
    program(tmp_path / "unity-bridge" / "bin" / "unity-bridge", bridge)
    environ = {
        **os.environ,
        "HOME": str(tmp_path),
        STATE_DIR_VARIABLE: str(tmp_path / "state"),
        "DISPLAY": "",
    }
    environ.update(UNITY=str(unity_program(tmp_path / "unity", compiler)), WAYLAND_DISPLAY="")
    # As GitHub runs a step in a container.
    command = ["sh", "-e", "-c", step("Run the tests")]
    done = subprocess.run(
        command,
        cwd=str(tmp_path),
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    names = {
        case.get("name") for case in ET.parse(tmp_path / "unity.xml").getroot().iter("testcase")
    }
    assert "Passes" in {str(name).rpartition(".")[2] for name in names}
    log = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "state").rglob("*.log"))
    assert log


def activate(
    folder: Path, unity: str, *words: str, **secrets: str
) -> subprocess.CompletedProcess[str]:
    """Run the script with a Unity that notes its arguments. ``unity``: what it does then; ``$log``
    is its log.
    """
    lines = [
        "#!/bin/sh",
        f'echo "$@" >>{folder}/calls',
        'while [ "$1" != -logFile ]; do shift; done',
        "log=$2",
        unity,
    ]
    stand_in = program(folder / "Unity", "\n".join(lines) + "\n")
    environ: Dict[str, str] = {"PATH": os.environ["PATH"], "UNITY": str(stand_in), **secrets}
    return subprocess.run(
        ["sh", str(ACTIVATE), *words], env=environ, capture_output=True, text=True, timeout=60
    )


SERIAL = {"UNITY_SERIAL": "F4-ABCD", "UNITY_EMAIL": "ada@example.com", "UNITY_PASSWORD": "s3cret"}


def test_a_serial_number_is_activated_and_given_back(tmp_path: Path) -> None:
    assert activate(tmp_path, "exit 0", **SERIAL).returncode == 0
    assert activate(tmp_path, "exit 0", "--return", **SERIAL).returncode == 0
    taken, returned = (tmp_path / "calls").read_text().splitlines()
    assert "-serial F4-ABCD -username ada@example.com -password s3cret" in taken
    assert "-returnlicense" in returned and "-serial" not in returned


def test_a_refused_serial_number_is_reported_without_itself(tmp_path: Path) -> None:
    refused = activate(
        tmp_path, 'echo "License F4-ABCD of ada@example.com refused" >"$log"; exit 1', **SERIAL
    )
    assert refused.returncode == 1 and "License (serial) of (address) refused" in refused.stderr
    assert "F4-ABCD" not in refused.stdout + refused.stderr


@pytest.mark.parametrize(("log", "status"), [(TAKEN, 0), ("License file is broken", 1)])
def test_the_log_says_whether_a_licence_file_was_taken(
    tmp_path: Path, log: str, status: int
) -> None:
    done = activate(tmp_path, f'echo "{log}" >"$log"; exit 1', UNITY_LICENSE="<root/>")
    assert done.returncode == status
    # A file has nothing to give back.
    assert activate(tmp_path, "exit 1", "--return", UNITY_LICENSE="<root/>").returncode == 0
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


def test_without_a_licence_the_script_says_what_to_set(tmp_path: Path) -> None:
    done = activate(tmp_path, "exit 0")
    assert done.returncode == 2 and "UNITY_SERIAL" in done.stderr


def test_the_workflows_and_the_page_install_what_ubuntus_python_lacks() -> None:
    """Debian's ``venv`` names the package itself, which the launcher shows."""
    for page in (WORKFLOW, OURS, Path(ROOT) / "docs" / "ci.md"):
        text = page.read_text(encoding="utf-8")
        assert re.search(r"apt-get update && apt-get install -y .*python3\.10-venv", text), page


def test_every_action_of_these_workflows_is_pinned() -> None:
    for file in (WORKFLOW, OURS):
        actions = re.findall(r"uses: (\S+)", file.read_text(encoding="utf-8"))
        assert actions and all(
            re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in actions
        ), actions
