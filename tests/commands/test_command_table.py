"""The table of commands is the modules that there are, and what the commands share stands apart
from them.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from unity_bridge.commands import COMMANDS, MODULES

FOLDER = Path(__file__).resolve().parents[2] / "unity_bridge" / "commands"


def test_the_table_has_each_module_once() -> None:
    modules = [f"unity_bridge.commands.{path.stem}" for path in FOLDER.glob("*.py")]
    modules.remove("unity_bridge.commands.__init__")
    assert sorted(MODULES.values()) == sorted(modules)


@pytest.mark.parametrize("name, summary", COMMANDS.items())
def test_a_row_says_what_its_module_says(name: str, summary: str) -> None:
    file = MODULES[name].rpartition(".")[2]
    tree = ast.parse((FOLDER / f"{file}.py").read_text(encoding="utf-8"))
    first = (ast.get_docstring(tree) or "").split("\n\n")[0]
    assert " ".join(first.split()) == f"``unity-bridge {name}``: {summary}"
    assert import_module(MODULES[name]).command.name == name


def test_what_commands_share_knows_no_command() -> None:
    """A helper that imports a command would be a way up, and a start of one command would load
    another.
    """
    commands = set(MODULES.values())
    for path in (FOLDER / "shared").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                assert not names & commands, f"{path.name}, line {node.lineno}"
