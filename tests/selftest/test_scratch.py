"""The packages of the scratch project are of the versions that its editor comes with (SPEC §25.1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

import pytest

from unity_bridge.base.result import Ok
from unity_bridge.selftest.scratch import ScratchProject

pytestmark = pytest.mark.slow

LISTED = {
    "packages": {
        "com.unity.test-framework": {"version": "1.6.0"},
        "com.unity.ugui": {"version": "2.0.0"},
    }
}


def packages(folder: Path, program: Path) -> Dict[str, str]:
    scratch = ScratchProject(folder / "Scratch")
    assert isinstance(scratch.make("6000.0.1f1", 8091, str(program)), Ok)
    manifest = json.loads(
        (folder / "Scratch" / "Packages" / "manifest.json").read_text(encoding="utf-8")
    )
    found: Dict[str, str] = manifest["dependencies"]
    return found


def listed(contents: Path, content: Any) -> None:
    file = contents / "Resources" / "PackageManager" / "Editor" / "manifest.json"
    file.parent.mkdir(parents=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("program", "contents"),
    [("Editor/Unity", "Editor/Data"), ("Unity.app/Contents/MacOS/Unity", "Unity.app/Contents")],
)
def test_versions_come_from_the_editors_own_list(
    tmp_path: Path, program: str, contents: str
) -> None:
    listed(tmp_path / contents, LISTED)
    found = packages(tmp_path, tmp_path / program)
    assert (found["com.unity.test-framework"], found["com.unity.ugui"]) == ("1.6.0", "2.0.0")
    # A module has no version of its own, and only what the project needs is in its manifest.
    assert found["com.unity.modules.physics"] == "1.0.0"


@pytest.mark.parametrize(
    "content", ["", "[]", '{"packages": []}', '{"packages": {"com.unity.ugui": {"version": 1}}}']
)
def test_without_a_usable_list_the_usual_versions_are_taken(tmp_path: Path, content: str) -> None:
    listed(tmp_path / "Editor" / "Data", content)
    found = packages(tmp_path, tmp_path / "Editor" / "Unity")
    assert (found["com.unity.test-framework"], found["com.unity.ugui"]) == ("1.4.6", "1.0.0")
