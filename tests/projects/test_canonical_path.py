"""Every way to write a project's path, and the one that server and plugin agree on (SPEC §18.1)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

from unity_bridge.projects.canonical_path import canonical, canonical_path, system_real_path
from unity_bridge.projects.port_files import automatic_port

TABLE = Path(__file__).resolve().parent.parent.parent / "protocol" / "project_paths.json"
CASES: List[Dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['platform']}: {case['about']}")
def test_the_table(case: Dict[str, Any]) -> None:
    assert canonical(case["path"], case["platform"]) == case["canonical"]
    assert canonical(case["canonical"], case["platform"]) == case["canonical"], (
        "said once more, it is the same"
    )
    assert automatic_port(case["canonical"]) == case["port"]


def test_a_port_by_hand() -> None:
    # printf %s /home/ada/game | sha256sum
    assert automatic_port("/home/ada/game") == 20000 + 0x0319BACE % 10000


def test_a_project_behind_a_link_is_the_linked_one(tmp_path: Path) -> None:
    project = tmp_path / "Game"
    project.mkdir()
    try:
        (tmp_path / "link").symlink_to(project, target_is_directory=True)
    except OSError:
        pytest.skip("links need a right on Windows that users do not have")
    assert canonical_path(tmp_path / "link") == canonical_path(project)


def test_a_project_is_found_from_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Game" / "Assets").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "Game" / "Assets")
    assert canonical_path(Path("..")) == canonical_path(tmp_path / "Game")


@pytest.mark.skipif(
    sys.platform not in ("win32", "darwin"), reason="names that differ in case are two files here"
)
def test_case_does_not_count_where_the_system_does_not_count_it(tmp_path: Path) -> None:
    (tmp_path / "Game").mkdir()
    if os.path.exists(str(tmp_path / "GAME")):
        assert canonical_path(tmp_path / "GAME") == canonical_path(tmp_path / "Game")


@pytest.mark.skipif(sys.platform == "win32", reason="a function of the C library of POSIX")
def test_the_systems_own_function_resolves_paths_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "Möwe").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "Möwe")
    assert system_real_path(str(tmp_path / "link" / ".." / "Möwe")) == os.path.realpath(
        str(tmp_path / "Möwe")
    )
    assert system_real_path(str(tmp_path / "nowhere" / "Game")) is None


def test_a_name_that_is_not_unicode_has_a_port_too() -> None:
    assert 20000 <= automatic_port(canonical("/home/ada/\udcff", "linux")) < 30000


def test_a_text_that_can_be_no_path_is_one_of_no_project(tmp_path: Path) -> None:
    assert canonical_path(f"{tmp_path}\0x") != canonical_path(tmp_path)
