"""The simulator has every command of the C# package, with its signature (SPEC §16.5).

It reads names, descriptions and signatures out of the package's sources. tests/e2e/test_plugin_commands.py holds the
list against that of the plugin itself, and tests/simulator/test_twins.py compares the arguments.
"""

from __future__ import annotations

from tests.simulator.manual_editor import ManualEditor
from unity_bridge.base.plugin_commands import COMMANDS_OF_THE_PLUGIN
from unity_bridge.installation.package_copy import shipped_package
from unity_bridge.simulator.package_commands import all_commands

SOURCES = "\n".join(file.read_text(encoding="utf-8") for file in (shipped_package() / "Editor").rglob("*.cs"))
OURS = [command for command in all_commands().values() if "UnityBridge" in command.source]


def test_every_command_in_the_sources_is_listed() -> None:
    listed = ManualEditor().ends("run_command")["result"]["commands"]
    shown = SOURCES.count("[BridgeCommand(") - SOURCES.count("Hidden = true)]")
    assert len([one for one in listed if "UnityBridge" in one["source"]]) == shown


def test_the_list_that_separates_a_projects_rows_from_ours_is_complete() -> None:
    sources = {
        name: f"UnityBridge.Commands.{method} (UnityBridge.Editor)" for name, method in COMMANDS_OF_THE_PLUGIN.items()
    }
    assert sources == {command.name: command.source for command in OURS if not command.is_hidden}


def test_signatures_are_as_the_plugin_writes_them() -> None:
    signatures = {command.name: command.signature for command in OURS}
    assert signatures["open_scene"] == (
        "open_scene(path: string, additive: bool = false, unsaved: refuse|save|discard = refuse)"
    )
    assert signatures["bake_lighting"] == "bake_lighting()"
    assert signatures["packages"] == "packages(action: list|add|remove = list, packages: string[] = null)"
    assert signatures["list_assets"].startswith('list_assets(query: string = "", folder: string = ""')
