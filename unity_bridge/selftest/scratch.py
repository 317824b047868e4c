"""``ScratchProject``: a small Unity project that the self-test makes, edits and removes (SPEC
§25.1).
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Dict, Optional, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation import plugin_package
from unity_bridge.installation.unity_project import open_project
from unity_bridge.system.whole_file import write_whole
from unity_bridge.text import json_reader

FILES = Path(__file__).resolve().parent / "project"
NAME = "Scratch"
# The scene that is open before each row.
SCENE = "Assets/Scratch.unity"

_TEST_FRAMEWORK = "com.unity.test-framework"
# For an editor without a list of its own.
_FRAMEWORKS = (("2021.3", "1.1.33"), ("2023.1", "1.3.9"), ("6000.0", "1.4.6"))
_EDITORS_LIST = Path("Resources", "PackageManager", "Editor", "manifest.json")
_NUMBERS = re.compile(r"\d+")


def numbers(version: str) -> Tuple[int, ...]:
    """``6000.3.1f1`` as ``(6000, 3, 1, 1)``, to compare versions of Unity."""
    return tuple(int(number) for number in _NUMBERS.findall(version)[:4])


def versions_of_editor(program: str) -> Dict[str, str]:
    """Return the versions of the packages that an editor recommends, by its own list; none if it
    has no list.

    Another version may not be there without a network, and Unity then stands still in a dialog at its start.
    """
    folder = Path(os.path.realpath(program)).parent
    # "Data" on Linux and Windows; on macOS the program is in Contents/MacOS.
    for contents in (folder / "Data", folder.parent):
        try:
            listed = json_reader.loads((contents / _EDITORS_LIST).read_text(encoding="utf-8-sig"))
        except (OSError, ValueError):
            continue
        packages = listed.get("packages") if isinstance(listed, dict) else None
        if isinstance(packages, dict):
            versions = {
                name: package.get("version")
                for name, package in packages.items()
                if isinstance(package, dict)
            }
            return {name: version for name, version in versions.items() if isinstance(version, str)}
    return {}


class ScratchProject:
    """The project in ``folder``. Files are named relative to it, with forward slashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: Dict[
            str, Optional[bytes]
        ] = {}  # of the files that a row has changed; None: it was not there

    def make(self, unity_version: str, port: int, program: str = "") -> Result[None, str]:
        """Write the project for the editor ``program``, and install the plugin in it."""
        shutil.copytree(str(FILES), str(self.folder))
        settings = self.folder / "ProjectSettings"
        settings.mkdir()
        (settings / "ProjectVersion.txt").write_text(
            f"m_EditorVersion: {unity_version}\n", encoding="utf-8"
        )
        (settings / "UnityBridge.json").write_text(json.dumps({"port": port}), encoding="utf-8")
        manifest = self.folder / "Packages" / "manifest.json"
        manifest_content = json_reader.loads(manifest.read_text(encoding="utf-8"))
        usual = [
            version for since, version in _FRAMEWORKS if numbers(unity_version) >= numbers(since)
        ] or [_FRAMEWORKS[0][1]]
        manifest_content["dependencies"][_TEST_FRAMEWORK] = usual[-1]
        versions = versions_of_editor(program)
        manifest_content["dependencies"].update(
            {name: versions[name] for name in manifest_content["dependencies"] if name in versions}
        )
        manifest.write_text(json.dumps(manifest_content, indent=2), encoding="utf-8")
        project = open_project(self.folder)
        if isinstance(project, Err):
            return project
        installed = plugin_package.embed(project.value)
        if isinstance(installed, Err):
            return installed
        return Ok(None)

    def read(self, path: str) -> str:
        return self._file(path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        file = self._file(path)
        self._remember(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode("utf-8"))  # its draft begins with a dot, which Unity ignores

    def remove(self, path: str) -> None:
        self._remember(path)
        self._file(path).unlink()

    def put_back(self) -> None:
        """Give every changed file its first content again."""
        for path, content in self._before.items():
            if content is None:
                self._file(path).unlink(missing_ok=True)
                self._file(f"{path}.meta").unlink(missing_ok=True)
            else:
                self._file(path).write_bytes(content)
        self._before.clear()

    def _remember(self, path: str) -> None:
        file = self._file(path)
        content = None
        if file.exists():
            content = file.read_bytes()
        self._before.setdefault(path, content)

    def _file(self, path: str) -> Path:
        return self.folder.joinpath(*path.split("/"))
