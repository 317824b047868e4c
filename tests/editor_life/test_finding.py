"""Where the Unity program of a version is looked for, on each system, and what hostile files do
(SPEC §22.4).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.editor_life.finding import (
    FoundProgram,
    NotOpened,
    find_program,
    installed_programs,
    version_in_output,
    version_in_path,
)
from unity_bridge.editor_life.machine_layout import MachineLayout

V, OTHER = "6000.3.1f1", "2022.3.10f1"
PROGRAMS = {
    "win32": "Editor/Unity.exe",
    "darwin": "Unity.app/Contents/MacOS/Unity",
    "linux": "Editor/Unity",
}
SYSTEMS = ("win32", "darwin", "linux")


class Computer:
    """A system's folders below a temporary one."""

    def __init__(self, root: Path, platform: str) -> None:
        self.root, self.platform = root, platform
        self.home = root / "home"
        self.project = root / "game"
        self.project.mkdir()
        self.environ: Dict[str, str] = {}
        if platform == "win32":
            self.environ = {
                "PROGRAMFILES": str(root / "Program Files"),
                "APPDATA": str(self.home / "AppData" / "Roaming"),
                "LOCALAPPDATA": str(self.home / "AppData" / "Local"),
            }
        self.asked: List[str] = []

    @property
    def layout(self) -> MachineLayout:
        return MachineLayout(self.platform, str(self.home), self.environ, str(self.root))

    def put(self, *parts: str) -> str:
        """An editor's program in a folder."""
        program = self.root.joinpath(*parts) / PROGRAMS[self.platform]
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        return str(program)

    @property
    def hub(self) -> Path:
        folder = Path(self.layout.hub_folders()[0])
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def hub_file(self, name: str, value: Any) -> Path:
        path = self.hub / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    def find(
        self,
        version: str = V,
        unity: Optional[str] = None,
        says: Callable[[str], Optional[str]] = lambda path: None,
    ) -> Any:
        def ask(program: str) -> Optional[str]:
            self.asked.append(program)
            return says(program)

        return find_program(version, str(self.project), unity, self.layout, ask)

    def found(self, **how: Any) -> str:
        found = self.find(**how)
        assert isinstance(found, Ok), found
        assert isinstance(found.value, FoundProgram)
        return found.value.path

    def missing(self, **how: Any) -> NotOpened:
        found = self.find(**how)
        assert isinstance(found, Err), found
        assert isinstance(found.error, NotOpened)
        return found.error


@pytest.fixture(params=SYSTEMS)
def computer(request: pytest.FixtureRequest, tmp_path: Path) -> Computer:
    return Computer(tmp_path, request.param)


DEFAULT = {
    "win32": [
        ("Program Files", "Unity", "Hub", "Editor"),
        ("home", "AppData", "Local", "Programs", "Unity", "Hub", "Editor"),
    ],
    "darwin": [
        ("Applications", "Unity", "Hub", "Editor"),
        ("home", "Applications", "Unity", "Hub", "Editor"),
    ],
    "linux": [
        ("home", "Unity", "Hub", "Editor"),
        ("opt", "unity", "hub", "Editor"),
        ("opt", "unity", "editors"),
    ],
}


@pytest.mark.parametrize(
    "platform, place", [(one, place) for one in SYSTEMS for place in DEFAULT[one]]
)
def test_the_default_folders(tmp_path: Path, platform: str, place: tuple[str, ...]) -> None:
    computer = Computer(tmp_path, platform)
    computer.put(*place, OTHER)
    assert computer.missing().reason == "version_not_installed"
    program = computer.put(*place, V)
    assert computer.found() == program and computer.asked == []


OLD = {
    "win32": ("Program Files", f"Unity {V}"),
    "darwin": ("Applications", "Unity 6"),
    "linux": ("opt", "unity"),
}


@pytest.mark.parametrize("platform", SYSTEMS)
def test_an_installation_without_a_version_in_its_path_is_asked(
    tmp_path: Path, platform: str
) -> None:
    """Installers older than Hub, and container images."""
    computer = Computer(tmp_path, platform)
    program = computer.put(*OLD[platform])
    missing = computer.missing()
    assert computer.asked == [program] and any(
        "unknown version" in line for line in missing.details["looked_in"]
    )
    assert computer.missing(says=lambda path: OTHER).reason == "version_not_installed"
    assert computer.found(says=lambda path: V) == program


@pytest.mark.parametrize("name", ["editors-v2.json", "editors.json"])
def test_hubs_own_lists(computer: Computer, name: str) -> None:
    program = computer.put("elsewhere", V)
    location = str(Path(program).parents[2]) if computer.platform == "darwin" else program
    rows: List[Dict[str, Any]] = [
        {"version": OTHER, "location": ["/nowhere"]},
        {"version": V, "location": [location], "manual": True},
    ]
    content = (
        {"schema_version": "v1", "data": rows}
        if "v2" in name
        else {row["version"]: row for row in rows}
    )
    computer.hub_file(name, content)
    found = computer.find()
    assert isinstance(found, Ok) and found.value == FoundProgram(program, V, "Unity Hub")


@pytest.mark.parametrize("value", [lambda folder: folder, lambda folder: [folder]])
def test_hubs_second_folder(computer: Computer, value: Callable[[str], Any]) -> None:
    program = computer.put("disk", "editors", V)
    folder = str(computer.root / "disk" / "editors")
    computer.hub_file("secondaryInstallPath.json", json.dumps(value(folder)))
    assert computer.found() == program


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such folder")
def test_the_second_folder_of_hub_on_linux(tmp_path: Path) -> None:
    computer = Computer(tmp_path, "linux")
    program = computer.put("elsewhere", V)
    folder = computer.home / ".config" / "unityhub"
    folder.mkdir(parents=True)
    (folder / "editors-v2.json").write_text(
        json.dumps({"data": [{"version": V, "location": [program]}]})
    )
    assert computer.found() == program


HOSTILE = {
    "half written": '{"data": [{"version": "6000.3.1f1", "loca',
    "empty": "",
    "huge": '{"data": [' + " " * (1024 * 1024) + "]}",
    "nested": "[" * 100_000,
    "not UTF-8": None,
    "numbers": '{"data": [1, 2, {"version": 3, "location": 4}, {"version": "6000.3.1f1", "location": [5, null, ""]}]}',
    "text": '"x"',
    "relative": '{"data": [{"version": "6000.3.1f1", "location": ["Unity", "../Unity"]}]}',
    "network": '{"data": [{"version": "6000.3.1f1", "location": ["//server/share/Unity", "\\\\\\\\server\\\\Unity"]}]}',
    "nul": '{"data": [{"version": "6000.3.1f1", "location": ["/x\\u0000y"]}]}',
    "nul alone": '"/x\\u0000y"',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_lists_cost_nothing_but_themselves(computer: Computer, text: Optional[str]) -> None:
    for name in ("editors-v2.json", "editors.json", "secondaryInstallPath.json"):
        path = computer.hub_file(name, text or "")
        if text is None:
            path.write_bytes(b"\xff\xfe\x00")
    missing = computer.missing()
    assert missing.reason == "version_not_installed" and computer.asked == []
    assert all(len(line) < 1000 for line in missing.details["looked_in"])
    program = computer.put(*DEFAULT[computer.platform][0], V)
    assert computer.found() == program


@pytest.mark.parametrize(
    "location", ["//h/Unity", "\\\\h\\Unity", "\\/h/Unity", "/\\h/Unity", "\\??\\UNC\\h\\Unity"]
)
def test_no_file_of_hub_sends_this_user_to_another_host(computer: Computer, location: str) -> None:
    computer.hub_file(
        "editors-v2.json", json.dumps({"data": [{"version": V, "location": [location]}]})
    )
    computer.hub_file("secondaryInstallPath.json", json.dumps(location))
    looked_in = computer.missing().details["looked_in"]
    assert any(f"{location} is a network path" in line for line in looked_in)
    assert any(f"{location} is not an absolute path of this machine" in line for line in looked_in)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_are_not_read_as_hubs_lists(computer: Computer) -> None:
    program = computer.put("elsewhere", V)
    other = computer.root / "other.json"
    other.write_text(json.dumps({"data": [{"version": V, "location": [program]}]}))
    (computer.hub / "editors-v2.json").symlink_to(other)
    assert any("is a link" in line for line in computer.missing().details["looked_in"])


@pytest.mark.skipif(sys.platform == "win32", reason="there are none")
def test_a_pipe_is_no_list(computer: Computer) -> None:
    os.mkfifo(computer.hub / "editors-v2.json")
    assert computer.missing().reason == "version_not_installed"


def test_the_list_and_the_programs_own_folder_must_agree(computer: Computer) -> None:
    """Hub's files can be written by anyone who writes to the home folder."""
    program = computer.put("elsewhere", OTHER)
    computer.hub_file("editors-v2.json", {"data": [{"version": V, "location": [program]}]})
    assert any(f"is Unity {OTHER}" in line for line in computer.missing().details["looked_in"])


def test_the_variable_comes_before_hub(computer: Computer) -> None:
    computer.put(*DEFAULT[computer.platform][0], V)
    named = computer.put("named", V)
    computer.environ["UNITY_BRIDGE_UNITY"] = named
    assert computer.found() == named
    computer.environ["UNITY_BRIDGE_UNITY"] = "relative/Unity"
    assert computer.found() != named


def test_a_program_below_the_project_is_started_only_by_name(computer: Computer) -> None:
    inside = computer.put("game", "tools", V)
    computer.environ["UNITY_BRIDGE_UNITY"] = inside
    computer.hub_file("editors-v2.json", {"data": [{"version": V, "location": [inside]}]})
    missing = computer.missing(says=lambda path: V)
    assert (
        any("below the project" in line for line in missing.details["looked_in"])
        and computer.asked == []
    )
    assert computer.found(unity=inside) == inside


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_a_program_below_the_project(computer: Computer) -> None:
    inside = computer.put("game", "tools")
    for place in DEFAULT[computer.platform]:
        link = computer.root.joinpath(*place) / V / PROGRAMS[computer.platform]
        link.parent.mkdir(parents=True)
        link.symlink_to(inside)
    assert any("below the project" in line for line in computer.missing().details["looked_in"])


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_has_the_version_of_what_it_leads_to(computer: Computer) -> None:
    other = computer.put("real", OTHER)
    link = computer.root.joinpath(*DEFAULT[computer.platform][0]) / V / PROGRAMS[computer.platform]
    link.parent.mkdir(parents=True)
    link.symlink_to(other)
    assert computer.missing().reason == "version_not_installed"


def test_the_option(computer: Computer) -> None:
    program = computer.put("named", V)
    assert computer.found(unity=program) == program
    assert computer.missing(unity=str(computer.root / "nowhere")).reason == "program_not_usable"
    assert computer.missing(unity=str(computer.root)).reason == "program_not_usable"
    other = computer.put("named", OTHER)
    refused = computer.missing(unity=other)
    assert refused.reason == "other_version" and "convert" in refused.message
    unknown = computer.put("unknown")
    assert computer.find(unity=unknown) == Ok(FoundProgram(unknown, None, "--unity"))
    assert computer.missing(unity=unknown, says=lambda path: OTHER).reason == "other_version"


def test_an_app_stands_for_the_program_in_it(tmp_path: Path) -> None:
    computer = Computer(tmp_path, "darwin")
    program = computer.put("named", V)
    app = tmp_path / "named" / V / "Unity.app"
    for spelling in (str(app), f"{app}/"):
        assert computer.found(unity=spelling) == program


@pytest.mark.skipif(sys.platform == "win32", reason="every file can be executed there")
def test_a_file_that_cannot_be_executed(computer: Computer) -> None:
    program = Path(computer.put(*DEFAULT[computer.platform][0], V))
    program.chmod(0o644)
    assert any("cannot be executed" in line for line in computer.missing().details["looked_in"])


def test_installed_editors_are_found(computer: Computer) -> None:
    for version in (V, OTHER):
        computer.put(*DEFAULT[computer.platform][0], version)
    assert [one.version for one in installed_programs(computer.layout)] == [OTHER, V]


def test_versions_in_texts() -> None:
    assert version_in_path("/opt/2022.3.10f1/x/6000.3.1f1/Editor/Unity") == "6000.3.1f1"
    assert version_in_path("C:\\Editor\\2022.3.10f1c1\\Editor\\Unity.exe") == "2022.3.10f1c1"
    assert version_in_path("/opt/Unity 2022.3.10f1/Editor/Unity") is None
    assert version_in_output("6000.3.1f1\n") == "6000.3.1f1"
    assert version_in_output("2022.3.10f1 or 6000.3.1f1") is None and version_in_output("") is None
