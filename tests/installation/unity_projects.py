"""Unity projects for tests: the three things by which Unity and we know one."""

from __future__ import annotations

from pathlib import Path

from unity_bridge.base.result import Ok
from unity_bridge.installation.unity_project import UnityProject, open_project

MANIFEST = '{\n  "dependencies": {\n    "com.unity.ugui": "1.0.0"\n  }\n}\n'


def make_project(folder: Path, version: str = "2022.3.10f1", manifest: str = MANIFEST) -> Path:
    for name in ("Assets", "ProjectSettings", "Packages"):
        (folder / name).mkdir(parents=True)
    text = f"m_EditorVersion: {version}\nm_EditorVersionWithRevision: {version} (ff3792e53c62)\n"
    (folder / "ProjectSettings" / "ProjectVersion.txt").write_text(text)
    (folder / "Packages" / "manifest.json").write_text(manifest)
    return folder


def opened(folder: Path) -> UnityProject:
    project = open_project(folder)
    assert isinstance(project, Ok), project
    return project.value
