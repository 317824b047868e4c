"""The catalogue, the simulated editor and the package take the same arguments.

A new argument that one of them lacks fails here. ``tests/e2e/test_plugin_twins.py`` compares their answers.
"""

from __future__ import annotations

import re
from inspect import signature
from typing import Mapping, Set

import pytest

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.tool import Service, Tool
from unity_bridge.installation.package_copy import shipped_package
from unity_bridge.simulator.change import COMMANDS
from unity_bridge.simulator.commands import NOT_SIMULATED, Command
from unity_bridge.simulator.package_commands import all_commands
from unity_bridge.simulator.tools import JOBS, READS

# The server's own arguments, which it does not send.
SERVERS = {"timeout_ms", "client_request_id", "wait_ms"}
# By tool, the arguments that the server sends of its own accord and that no caller gives.
WIRE_ONLY: Mapping[str, Set[str]] = {}
# A remark of the package's, which the simulator does not have.
OF_THE_PACKAGE: Mapping[str, Set[str]] = {"run_command": {"tell_unsaved"}}

TOOLS = [tool for tool in CATALOGUE.values() if tool.service is Service.UNITY]
# What the simulator does not have, it answers with not_simulated.
OURS = [
    one
    for one in all_commands().values()
    if "UnityBridge" in one.source and one.does is not NOT_SIMULATED
]

_PACKAGE = shipped_package() / "Editor"
# As in parameters.Text("path"), Whole(parameters, "limit", 5), Flags.FaultIn(parameters, "force",
# "warnings").
_READ = re.compile(r'(?<![_\w])(?:\w+\.)*[pP]arameters(?:\.\w+\(|, )((?:"\w+"(?:, )?)+)')
_HELPER = re.compile(r"(\w+)\.FaultIn\(parameters\)")


def read_by_the_package(tool: Tool) -> Set[str]:
    """The arguments that the sources of a tool read, with those of the class that checks some of
    them for it.
    """
    (folder,) = (
        one
        for one in (_PACKAGE / "Tools").iterdir()
        if one.name.lower() == tool.name.replace("_", "")
    )
    text = "\n".join(file.read_text(encoding="utf-8") for file in folder.glob("*.cs"))
    helpers = [file for name in _HELPER.findall(text) for file in _PACKAGE.rglob(f"{name}.cs")]
    text += "\n".join(file.read_text(encoding="utf-8") for file in helpers)
    return {name for found in _READ.findall(text) for name in re.findall(r"\w+", found)}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.name))
def test_a_tool_takes_the_same_arguments_everywhere(tool: Tool) -> None:
    sent = set(tool.input_schema["properties"]) - SERVERS | WIRE_ONLY.get(tool.name, set())
    assert set({**READS, **JOBS}[tool.name].parameters) == sent, "the simulator takes others"
    assert read_by_the_package(tool) == sent | OF_THE_PACKAGE.get(tool.name, set()), (
        "the package reads others"
    )


@pytest.mark.parametrize("command", OURS, ids=lambda command: str(command.name))
def test_a_command_takes_the_same_arguments_everywhere(command: Command) -> None:
    taken = signature(COMMANDS.get(command.name, command.does.run)).parameters
    assert [name.rstrip("_") for name in taken][1:] == [
        name for name, _, _ in command.declared.parameters
    ]
