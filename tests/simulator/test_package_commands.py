"""The file of data about the package's commands is what its C# sources declare (SPEC §16.5).

tests/e2e/test_plugin_commands.py holds the list against that of the plugin itself, and tests/simulator/test_twins.py
compares the arguments.
"""

from __future__ import annotations

from pathlib import Path

from tests.declared_commands import as_text, declared
from tests.simulator.manual_editor import ManualEditor
from unity_bridge.catalogue.plugin_commands import FILE
from unity_bridge.installation.package_copy import shipped_package

SOURCES = "\n".join(
    file.read_text(encoding="utf-8") for file in (shipped_package() / "Editor").rglob("*.cs")
)


def test_the_data_are_as_declared() -> None:
    assert Path(FILE).read_text(encoding="utf-8") == as_text(), (
        "run: python -m tests.declared_commands"
    )
    assert len(declared()) == SOURCES.count("[BridgeCommand(")


def test_every_command_that_is_not_hidden_is_listed() -> None:
    listed = ManualEditor().ends("run_command")["result"]["commands"]
    shown = SOURCES.count("[BridgeCommand(") - SOURCES.count("Hidden = true")
    assert len([one for one in listed if "UnityBridge" in one["source"]]) == shown


def test_signatures_are_as_the_plugin_writes_them() -> None:
    signatures = {row["name"]: row["signature"] for row in declared()}
    assert signatures["open_scene"] == (
        "open_scene(path: string, additive: bool = false, unsaved: refuse|save|discard = refuse)"
    )
    assert signatures["bake_lighting"] == "bake_lighting()"
    assert (
        signatures["packages"]
        == "packages(action: list|add|remove = list, packages: string[] = null)"
    )
    assert signatures["list_assets"].startswith(
        'list_assets(query: string = "", folder: string = ""'
    )
