"""The Unity version that a project's file names (SPEC §22.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.projects.project_version import project_version, too_old, written_version


def project(folder: Path, text: str) -> str:
    (folder / "ProjectSettings").mkdir(exist_ok=True)
    (folder / "ProjectSettings" / "ProjectVersion.txt").write_text(text, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    "text, written, is_known",
    [
        ("m_EditorVersion: 2022.3.10f1\nm_EditorVersionWithRevision: x\n", "2022.3.10f1", True),
        ("\ufeffm_EditorVersion:6000.5.7f1 \t\r\n", "6000.5.7f1", True),
        ("m_EditorVersion: 2022.3.10q1\n", "2022.3.10q1", False),
        ("m_EditorVersion: " + " " * 60_000 + "b\n", "b", False),
    ],
)
def test_the_version_as_the_file_has_it(
    tmp_path: Path, text: str, written: str, is_known: bool
) -> None:
    folder = project(tmp_path, text)
    assert written_version(folder) == Ok(written)
    version = project_version(folder)
    assert (version == Ok(written)) is is_known
    if isinstance(version, Err):
        assert f'names a version that is not known: "{written}"' in version.error


@pytest.mark.parametrize(
    "text, fault",
    [
        (
            "<<<<<<< HEAD\nm_EditorVersion: 2022.3.10f1\n=======\nm_EditorVersion: 6000.0.1f1\n>>>>>>> x\n",
            "conflict",
        ),
        ("m_EditorVersion:\n", "names no Unity version"),
        ("", "names no Unity version"),
    ],
)
def test_a_file_without_one_version(tmp_path: Path, text: str, fault: str) -> None:
    version = written_version(project(tmp_path, text))
    assert isinstance(version, Err) and fault in version.error


@pytest.mark.parametrize(
    "version, needed",
    [
        ("2021.2.19f1", "2021.3"),
        ("5.0.1f1", "2021.3"),
        ("2021.3.0f1", None),
        ("6000.1.0f1", None),
        ("x", None),
    ],
)
def test_too_old_for_the_plugin(version: str, needed: Optional[str]) -> None:
    fault = too_old(version)
    assert (fault is not None and f"needs Unity {needed} or newer" in fault) is (needed is not None)
