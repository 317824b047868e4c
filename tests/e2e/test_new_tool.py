"""A tool is added by its own files alone: a copy of the tree with a twelfth tool serves it
everywhere.

The three files below are all that is added. Server, simulated editor and command line run from the copy.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import List

import pytest

from tests.e2e.bridge_process import GUARD_S, BridgeProcess
from tests.faulty_editor.process import SimulatorProcess
from tests.ports import free_port
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.launch import environment
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

FILES = {
    "catalogue/count_tests.py": '''"""``count_tests``: how many tests the project has."""

from __future__ import annotations

from unity_bridge.catalogue.schema import COUNT, object_of
from unity_bridge.catalogue.tool import read_tool

_RESULT = object_of({"count": COUNT}, ("count",))
TOOL = read_tool(
    name="count_tests",
    title="Count tests",
    description="Counts the tests of the project.",
    arguments={"mode": {"type": "string", "enum": ["edit", "play"]}},
    output_schema=_RESULT,
)
''',
    "simulator/tools/count_tests.py": '''"""``count_tests``: how many tests the project has."""

from __future__ import annotations

from typing import Any, Dict, Mapping

from unity_bridge.base.result import Ok, Result
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.unity_api import UnityApi


class CountTests:
    """The tool."""

    name = "count_tests"
    parameters = {"mode": "all"}

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def answer(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]:
        mode = params["mode"]
        return Ok({"count": len([test for test in self._editor.project.tests if mode in ("all", test.mode)])})


TOOL = CountTests
''',
    "commands/count_tests.py": '''"""``unity-bridge count-tests``: Count the tests of the project."""

from __future__ import annotations

from typing import Any

import click

from unity_bridge.commands.call import command as call
from unity_bridge.commands.shared.options import script_options


@click.command("count-tests", epilog="Example: unity-bridge count-tests")
@script_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Count the tests of the project."""
    context.invoke(call, tool="count_tests", pairs=("mode=edit",), arguments_text=None, **options)
''',
}


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of everything that runs. What is started from here on is started from the
    copy.
    """
    tree = tmp_path / "tree"
    unneeded = shutil.ignore_patterns("__pycache__", "unity_package")
    shutil.copytree(Path(environment.ROOT) / "unity_bridge", tree / "unity_bridge", ignore=unneeded)
    shutil.copytree(Path(environment.ROOT) / "conf", tree / "conf")
    for name, source in FILES.items():
        (tree / "unity_bridge" / name).write_text(source, encoding="utf-8")
    table = tree / "unity_bridge" / "commands" / "__init__.py"
    row = '    "count-tests": "Count the tests of the project.",\n'
    table.write_text(
        table.read_text(encoding="utf-8").replace("COMMANDS = {\n", f"COMMANDS = {{\n{row}"),
        encoding="utf-8",
    )
    monkeypatch.setattr(environment, "ROOT", str(tree))
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def shown(*arguments: str) -> str:
    command: List[str] = [*isolated(), *arguments]
    done = subprocess.run(command, capture_output=True, timeout=GUARD_S, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_tool_needs_its_own_files_alone(state: Path) -> None:
    with BridgeProcess(0, state) as server, SimulatorProcess(
        server.wait_for_a_role(), tests=12
    ) as editor:
        editor.wait_for("connected", GUARD_S)
        server.wait_to_be_ready()
        listed = server.ask("tools/list", {}).result(GUARD_S)["result"]["tools"]
        names = [tool["name"] for tool in listed]
        assert set(names) == {*CATALOGUE, "count_tests"}
        # After the tools that an agent needs first, before those that the server answers itself.
        assert (
            names.index("run_command")
            < names.index("count_tests")
            < names.index("get_editor_state")
        )
        assert server.call("count_tests") == {"count": 12}
        refused = server.call("count_tests", mode="both")["error"]
        assert (refused["code"], refused["details"]["argument"]) == ("ERR_INVALID_PARAMS", "mode")


def test_a_new_tool_has_its_command(state: Path) -> None:
    port = free_port()
    with SimulatorProcess(port, tests=12):
        assert (
            json.loads(shown("call", "count_tests", "mode=play", "--port", str(port)))["count"] == 0
        )
        assert json.loads(shown("count-tests", "--port", str(port)))["count"] == 12
    assert re.search(r"\n  count-tests +Count the tests of the project\.\n", shown("--help"))
    assert "count_tests" in shown("call", "--help")
