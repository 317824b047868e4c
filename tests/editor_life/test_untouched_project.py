"""Nothing below a project is written or removed by ``open`` or ``close``, whatever they meet there
(SPEC §22.2).
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Set, Tuple

import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.commands.runner import runner
from tests.editor_life.desk import is_alive, soon
from tests.editor_life.fake_unity import FakeUnity
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from unity_bridge.cli import cli

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32", reason="the fake program is a script with a first line #!"
    ),
]

# Files that an editor, or a repository, may have left. None of them is ours.
LEFT: Dict[str, Optional[bytes]] = {
    "Temp/UnityLockfile": b"",
    "Library/EditorInstance.json": b'{"process_id": 1, "version": "2022.3.10f1", "app_path": "/bin/true"}',
    "Library/LastSceneManagerSetup.txt": b"x",
    "Assets/_Recovery/0.unity": b"%YAML",
    "Logs/Editor.log": b"No valid Unity Editor license found. Please activate your license.\n",
    "UserSettings/UnityBridge.json": b'{"port": 1, "allow_csharp": true}',
    "ProjectSettings/UnityBridge.json": b"{",
    "Packages/packages-lock.json": b"[]",
    "ProjectSettings/ProjectVersion.txt": b"m_EditorVersion: ../../x\n",
    "Library": None,
    "Temp": None,
}
OPENS = ("--dry-run", "--headless", "--without-plugin", "--json")
Words = List[str]


# Of a file or folder: its kind and rights, when it was changed in ns, and its content.
Kept = Tuple[int, int, bytes]


def snapshot(folder: Path) -> Dict[str, Kept]:
    found = {}
    for path in [folder, *folder.rglob("*")]:
        seen = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(seen.st_mode) else b""
        found[str(path.relative_to(folder))] = (seen.st_mode, seen.st_mtime_ns, content)
    return found


def commands() -> st.SearchStrategy[Words]:
    options = st.lists(st.sampled_from(OPENS), unique=True, max_size=3)
    waits = st.sampled_from([["--wait", "0"], ["--wait", "0.1"]])
    programs = st.sampled_from([[], ["--unity", "/nowhere"], ["--unity", "."]])
    opens = st.tuples(options, waits, programs).map(
        lambda parts: ["open", *parts[0], *parts[1], *parts[2]]
    )
    closes = st.sampled_from(
        [["close", "--wait", "0"], ["close", "--save", "--yes", "--wait", "0", "--json"]]
    )
    return st.one_of(opens, closes)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tuple[Path, FakeUnity]]:
    home = tmp_path / "home"
    # It ends before it would touch the project.
    unity = FakeUnity(home, steps=[["log", "x"], ["exit", 1]])
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("UNITY_BRIDGE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(home)
    yield tmp_path, unity
    unity.end_all()


def test_no_command_changes_the_project_folder(place: Tuple[Path, FakeUnity]) -> None:
    folder, unity = place
    numbers = iter(range(1_000_000))

    @settings(max_examples=15, deadline=None)
    @given(
        st.sets(st.sampled_from(sorted(LEFT)), max_size=6),
        st.booleans(),
        st.lists(commands(), max_size=3),
    )
    def holds(left: Set[str], has_plugin: bool, asked: List[Words]) -> None:
        project = make_project(folder / f"game{next(numbers)}")
        if has_plugin:
            (project / "Packages" / "com.unitybridge.editor").mkdir()
        for name in sorted(left):
            path, content = project / name, LEFT[name]
            if content is None:
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        before = snapshot(project)
        for words in asked:
            ended: Result = runner().invoke(cli, [*words, str(project), "--port", str(free_port())])
            assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.output
        assert soon(lambda: not any(is_alive(start["pid"]) for start in unity.starts()))
        assert snapshot(project) == before

    holds()
