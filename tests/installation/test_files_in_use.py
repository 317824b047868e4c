"""Files that another program has open: until it closes them, Windows neither replaces nor removes
them (SPEC §20.7).
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, ContextManager, Dict, Iterator, List, Set

import pytest

from tests.installation.unity_projects import make_project, opened
from tests.windows import limits
from unity_bridge.base.result import Err, Ok
from unity_bridge.installation import package_copy, plugin_package, safe_files
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.package_copy import PACKAGE_NAME
from unity_bridge.installation.plugin_package import embed, remove
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.system import whole_file

Hold = Callable[[Path], ContextManager[None]]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Opens a file as another program does: really on Windows; elsewhere what that prevents there
    is prevented.

    wine prevents all of it but that a folder around the file is moved.
    """
    monkeypatch.setattr(safe_files, "OPEN_FILES_STAY", True)
    monkeypatch.setattr(whole_file, "OPEN_FILES_STAY", True)
    monkeypatch.setattr(whole_file, "_PATIENCE_S", 0.1)
    paths: Set[str] = set()

    @contextmanager
    def hold(path: Path) -> Iterator[None]:
        with open(str(path), "rb"):
            paths.add(str(path))
            yield
            paths.discard(str(path))

    if limits.moves_folders_in_use():
        for name in (
            ("replace", "rename") if os.name == "nt" else ("replace", "rename", "unlink", "rmdir")
        ):
            monkeypatch.setattr(os, name, as_on_windows(getattr(os, name), paths))
    return hold


def as_on_windows(change: Callable[..., None], paths: Set[str]) -> Callable[..., None]:
    def changed(*names: str, **how: int) -> None:
        named = [str(name) for name in names]
        if any(path == name or path.startswith(name + os.sep) for path in paths for name in named):
            raise PermissionError(
                13, "Permission denied", named[0], None, named[1] if named[1:] else None
            )
        change(*names, **how)

    return changed


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UnityProject:
    """With a package of a few files to put into it."""
    shipped = tmp_path / "shipped" / PACKAGE_NAME
    for name in ("package.json", *(f"Editor/{letter}.cs" for letter in "ABCDE")):
        (shipped / name).parent.mkdir(parents=True, exist_ok=True)
        (shipped / name).write_text(f"{{}} // {name}\n")
    for module in (package_copy, plugin_package):
        monkeypatch.setattr(module, "shipped_package", lambda: shipped)
    return opened(make_project(tmp_path / "game"))


def content(folder: Path) -> Dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def names(folder: Path) -> List[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_change_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path, held: Hold) -> None:
    file = tmp_path / "settings.json"
    file.write_text("old")
    with held(file):
        refused = FileEdit(file, "old", "new").apply()
    assert isinstance(refused, Err)
    assert "another program may have it open" in refused.error
    assert names(tmp_path) == ["settings.json"] and file.read_text() == "old"


def test_a_file_that_is_open_for_a_moment_is_waited_for(
    tmp_path: Path, held: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.json"
    file.write_text("old")
    monkeypatch.setattr(whole_file, "_PATIENCE_S", 20.0)
    holding = held(file)
    holding.__enter__()
    attempts: List[int] = []

    class Looks:
        """Lets go of the file when it was tried twice."""

        def wait(self, seconds: float) -> None:
            attempts.append(1)
            if len(attempts) == 2:
                holding.__exit__(None, None, None)

    monkeypatch.setattr("unity_bridge.system.whole_file.threading.Event", Looks)
    assert isinstance(FileEdit(file, "old", "new").apply(), Ok)
    assert file.read_text() == "new" and len(attempts) == 2


def test_the_plugin_is_removed_whole_or_not_at_all(project: UnityProject, held: Hold) -> None:
    assert isinstance(embed(project), Ok)
    folder = project.packages / PACKAGE_NAME
    (folder / "of the user.txt").write_text("kept")
    before = content(folder)
    scanned = sorted(path for path in folder.rglob("*.cs"))[3]

    with held(scanned):
        refused = remove(project)

    assert isinstance(refused, Err) and f"{scanned} is open in another program" in refused.error
    assert content(folder) == before
    assert not project.backups.exists() or names(project.backups) == []
    assert isinstance(remove(project), Ok)
    assert not folder.exists()


def test_an_update_names_the_file_that_is_in_its_way(project: UnityProject, held: Hold) -> None:
    assert isinstance(embed(project), Ok)
    script = sorted((project.packages / PACKAGE_NAME).rglob("*.cs"))[3]
    script.write_text("// changed by hand")

    with held(script):
        refused = embed(project)

    assert isinstance(refused, Err) and refused.error.startswith(f"{script} cannot be changed: ")
    assert isinstance(embed(project), Ok)
