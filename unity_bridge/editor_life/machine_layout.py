"""Where Unity Hub keeps its lists, and where editors lie, on each system (SPEC §22.4).

Facts of Unity Hub 3 and of public images: ``editors-v2.json`` is ``{"data": [{"version", "location": [path]}]}``, the
older ``editors.json`` is ``{version: {"version", "location": [path]}}``, ``secondaryInstallPath.json`` is one text.
"""

from __future__ import annotations

import os
import sys
from typing import Dict, Iterator, List, Mapping, Tuple

from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.launch.user_folders import below_home, named_folder

# A drive has hundreds of programs at most; a folder with more entries is none of these.
_MOST_ENTRIES = 2000


@frozen
class MachineLayout:
    """``platform`` as ``sys.platform`` names it. ``root``: what stands for ``/`` on macOS and Linux, for tests."""

    platform: str = sys.platform
    home: str = made_by(below_home)
    environ: Mapping[str, str] = made_by(lambda: dict(os.environ))
    root: str = "/"

    def hub_folders(self) -> List[str]:
        """Where Hub keeps its lists, the usual one first."""
        if self.platform == "win32":
            return [self._join(self._variable("APPDATA", self._join(self.home, "AppData", "Roaming")), "UnityHub")]
        if self.platform == "darwin":
            return [self._join(self.home, "Library", "Application Support", "UnityHub")]
        config = self._variable("XDG_CONFIG_HOME", self._join(self.home, ".config"))
        # Since 2026 the command line of Unity writes the second one.
        folders = [self._join(config, "UnityHub"), self._join(self.home, ".config", "unityhub")]
        return folders

    def editor_folders(self) -> List[str]:
        """Folders that have one folder for each version."""
        if self.platform == "win32":
            return [self._join(base, "Unity", "Hub", "Editor") for base in self._program_folders()]
        if self.platform == "darwin":
            bases = (self._join(self.root, "Applications"), self._join(self.home, "Applications"))
            return [self._join(base, "Unity", "Hub", "Editor") for base in bases]
        opt = self._join(self.root, "opt")
        places = (self._join(self.home, "Unity", "Hub", "Editor"), self._join(opt, "unity", "hub", "Editor"))
        # The last is that of container images.
        return [*places, self._join(opt, "unity", "editors")]

    def single_installations(self) -> Iterator[str]:
        """Folders that may each be one editor's, whatever its version: of installers older than Hub, and of images."""
        if self.platform == "win32":
            bases = self._program_folders()
        elif self.platform == "darwin":
            bases = [self._join(self.root, "Applications"), self._join(self.home, "Applications")]
        else:
            bases = [self._join(self.root, "opt")]
        for base in bases:
            yield from (self._join(base, name) for name in _names(base) if name.lower().startswith("unity"))

    def program_in(self, folder: str) -> str:
        """Return the program of an editor that is installed in ``folder``."""
        if self.platform == "win32":
            return self._join(folder, "Editor", "Unity.exe")
        if self.platform == "darwin":
            return self.program_of(self._join(folder, "Unity.app"))
        return self._join(folder, "Editor", "Unity")

    def program_of(self, path: str) -> str:
        """On macOS ``Unity.app`` stands for the program in it; elsewhere ``path`` is the program."""
        if self.platform == "darwin" and path.rstrip("/").endswith(".app"):
            return self._join(path.rstrip("/"), "Contents", "MacOS", "Unity")
        return path

    def _program_folders(self) -> List[str]:
        local = self._variable("LOCALAPPDATA", self._join(self.home, "AppData", "Local"))
        named: Tuple[str, ...] = (
            self._variable("ProgramW6432", ""),
            self._variable("ProgramFiles", "C:\\Program Files"),
            self._join(local, "Programs"),
        )
        # Without doubles, in this order.
        folders: Dict[str, None] = {one: None for one in named if one}
        return list(folders)

    def _variable(self, name: str, default: str) -> str:
        """Return the folder that a variable names; one of Windows has one value in any case of letters."""
        variables = {key.upper(): value for key, value in self.environ.items()}
        if self.platform == "win32":
            return named_folder(variables, name.upper(), default, self.platform)
        return named_folder(self.environ, name, default, self.platform)

    @staticmethod
    def _join(*parts: str) -> str:
        return os.path.join(*parts)


def _names(folder: str) -> List[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for _, entry in zip(range(_MOST_ENTRIES), entries)]
    except OSError:
        return []
    return sorted(names)
