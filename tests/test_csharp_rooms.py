"""The rooms of the C# package: which may import which (ARCHITECTURE.md), as a reader and as the
compiler see them.

A room is a folder and a namespace of one name, so its imports are its usings. Folders within a room add no namespace.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest

from tests.unity_headless import build, roslyn

PACKAGE = Path(__file__).resolve().parent.parent / "unity_bridge" / "unity_package" / "Editor"
# From the bottom up: a room imports only rooms that stand before it.
ROOMS = (
    *(
        "Platform",
        "Json",
        "Wire",
        "Jobs",
        "EditorLife",
        "Trust",
        "Settings",
        "Connection",
        "Console",
    ),
    *("Objects", "Framework", "Changes", "GameUi", "Commands", "Tools", "Startup"),
)
# Users write it in their own code, so it stands in the package's own namespace.
IN_THE_ROOT_NAMESPACE = "BridgeCommandAttribute.cs"
ASSEMBLY_GUID = "guid: 11793dabe75f94ed302daaddc48c8d44"

Files = Dict[str, str]
_TEXTS_AND_COMMENTS = re.compile(
    r'@"(?:""|[^"])*"|"(?:\\.|[^"\\\n])*"|//[^\n]*|^namespace [^\n]*', re.M
)
_IMPORT = re.compile(
    rf"^using (?:\w+ = |static )?UnityBridge\.(\w+)|(?<![\w.])(?:UnityBridge\.)?({'|'.join(ROOMS)})\.[A-Z]\w+",
    re.M,
)


def package() -> Files:
    """Return each source by its path below ``Editor/``, except the assembly's own attributes."""
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.cs"))
        if path.name != "AssemblyInfo.cs"
    }


def imports(files: Files) -> Iterator[Tuple[str, str, str]]:
    """Yield each import of another room: the file, its room, the other room."""
    for path, text in files.items():
        room = path.split("/")[0]
        names: Set[str] = set()
        for using, qualified in _IMPORT.findall(_TEXTS_AND_COMMENTS.sub("", text)):
            names.add(using or qualified)
        for name in sorted(names - {room}):
            yield path, room, name


def arrows_up(files: Files) -> List[str]:
    return [
        f"{path} imports {other}, which stands above {room}"
        for path, room, other in imports(files)
        if ROOMS.index(other) > ROOMS.index(room)
    ]


def foreign_namespaces(files: Files) -> List[str]:
    faults = []
    for path, text in files.items():
        room = path.split("/")[0]
        expected = f"UnityBridge.{room}"
        if path.endswith("/" + IN_THE_ROOT_NAMESPACE):
            expected = "UnityBridge"
        for namespace in re.findall(r"^namespace (\S+)", text, re.M):
            if room not in ROOMS or namespace != expected:
                faults.append(f"{path} declares {namespace}")
    return faults


def test_a_room_imports_only_rooms_below_it() -> None:
    assert not arrows_up(package())


def test_a_file_has_the_namespace_of_its_room() -> None:
    assert not foreign_namespaces(package())


@pytest.mark.parametrize(
    "line",
    [
        "using UnityBridge.Tools;",
        "using Run = UnityBridge.Tools.CommandRun;",
        "class A { Tools.CommandRun run; }",
        "class A { UnityBridge.Tools.CommandRun run; }",
    ],
)
def test_an_import_of_a_room_above_is_detected(line: str) -> None:
    assert arrows_up({"Jobs/A.cs": line})
    assert not arrows_up({"Startup/A.cs": line})
    assert not arrows_up({"Jobs/A.cs": f'// {line}\nclass A {{ string text = "{line}"; }}'})


@pytest.mark.parametrize(
    "path, namespace",
    [
        ("Jobs/A.cs", "UnityBridge.Json"),
        ("Jobs/A.cs", "UnityBridge"),
        ("Scene/A.cs", "UnityBridge.Scene"),
    ],
)
def test_a_namespace_that_is_not_the_rooms_is_detected(path: str, namespace: str) -> None:
    assert foreign_namespaces({path: f"namespace {namespace}\n{{\n}}\n"})
    assert not foreign_namespaces({"Jobs/Queue/A.cs": "namespace UnityBridge.Jobs\n{\n}\n"})


def test_the_assembly_keeps_its_guid() -> None:
    """A user's assembly definition refers to ours by this GUID."""
    assert ASSEMBLY_GUID in (PACKAGE / "UnityBridge.Editor.asmdef.meta").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(build.missing_tools() is not None, reason=build.missing_tools() or "")
def test_each_room_compiles_against_the_rooms_below_it() -> None:
    """The compiler's own proof: each room as an assembly that references the rooms before it."""
    stubs = build.build()
    framework = stubs / next(iter(build.PROFILES)) / "UnityEditor.TestRunner.dll"
    unity = [stubs / "UnityEngine.dll", stubs / "UnityEditor.dll", framework]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        friends = out / "Friends.cs"
        attributes = [f'[assembly: InternalsVisibleTo("Room.{room}")]' for room in ROOMS]
        friends.write_text(
            "\n".join(["using System.Runtime.CompilerServices;", *attributes]), encoding="utf-8"
        )
        compilations = []
        for place, room in enumerate(ROOMS):
            below = [out / f"Room.{other}.dll" for other in ROOMS[:place]]
            options = ["-target:library", f"-out:{out / f'Room.{room}.dll'}"]
            options += [f"-r:{library}" for library in (*unity, *below)]
            sources = [str(path) for path in sorted((PACKAGE / room).rglob("*.cs"))]
            compilations.append([*options, *sources, str(friends)])
        (out / "responses").mkdir()
        roslyn.compile_all(compilations, out / "responses")
