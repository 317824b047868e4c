"""Where Unity Hub keeps its lists, and where editors lie, on each system (SPEC §22.4).

Facts of Unity Hub 3 and of public images: ``editors-v2.json`` is ``{"data": [{"version", "location": [path]}]}``, the
older ``editors.json`` is ``{version: {"version", "location": [path]}}``, ``secondaryInstallPath.json`` is one text.
"""

from __future__ import annotations

import os
import sys
from os.path import join
from typing import Iterator, List, Mapping

from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.launch.user_folders import below_home, named_folder

# A drive has hundreds of programs at most; a folder with more entries is none of these.
_MOST_ENTRIES = 2000


@frozen
class MachineLayout:
    """``platform`` as ``sys.platform`` names it. ``root``: what stands for ``/`` on macOS and
    Linux, for tests.
    """

    platform: str = sys.platform
    home: str = made_by(below_home)
    environ: Mapping[str, str] = made_by(lambda: dict(os.environ))
    root: str = "/"

    def hub_folders(self) -> List[str]:
        """Where Hub keeps its lists, the usual one first."""
        if self.platform == "win32":
            return [
                join(self._variable("APPDATA", join(self.home, "AppData", "Roaming")), "UnityHub")
            ]
        if self.platform == "darwin":
            return [join(self.home, "Library", "Application Support", "UnityHub")]
        config = self._variable("XDG_CONFIG_HOME", join(self.home, ".config"))
        # Since 2026 the command line of Unity writes the second one.
        return [join(config, "UnityHub"), join(self.home, ".config", "unityhub")]

    def editor_folders(self) -> List[str]:
        """Folders that have one folder for each version."""
        if self.platform in ("win32", "darwin"):
            return [join(base, "Unity", "Hub", "Editor") for base in self._program_folders()]
        opt = join(self.root, "opt")
        places = (join(self.home, "Unity", "Hub", "Editor"), join(opt, "unity", "hub", "Editor"))
        # The last is that of container images.
        return [*places, join(opt, "unity", "editors")]

    def single_installations(self) -> Iterator[str]:
        """Folders that may each be one editor's, whatever its version: of installers older than
        Hub, and of images.
        """
        for base in self._program_folders():
            yield from (
                join(base, name) for name in _names(base) if name.lower().startswith("unity")
            )

    def program_in(self, folder: str) -> str:
        """Return the program of an editor that is installed in ``folder``."""
        if self.platform == "win32":
            return join(folder, "Editor", "Unity.exe")
        if self.platform == "darwin":
            return self.program_of(join(folder, "Unity.app"))
        return join(folder, "Editor", "Unity")

    def program_of(self, path: str) -> str:
        """On macOS ``Unity.app`` stands for the program in it; elsewhere ``path`` is the program."""
        if self.platform == "darwin" and path.rstrip("/").endswith(".app"):
            return join(path.rstrip("/"), "Contents", "MacOS", "Unity")
        return path

    def _program_folders(self) -> List[str]:
        if self.platform == "darwin":
            return [join(self.root, "Applications"), join(self.home, "Applications")]
        if self.platform != "win32":
            return [join(self.root, "opt")]
        local = self._variable("LOCALAPPDATA", join(self.home, "AppData", "Local"))
        folders = (
            self._variable("PROGRAMW6432", ""),
            self._variable("PROGRAMFILES", "C:\\Program Files"),
        )
        return list(dict.fromkeys(filter(None, (*folders, join(local, "Programs")))))

    def _variable(self, name: str, default: str) -> str:
        """Return the folder that a variable names. On Windows Python spells the names in capitals."""
        return named_folder(self.environ, name, default, self.platform)


def _names(folder: str) -> List[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for _, entry in zip(range(_MOST_ENTRIES), entries)]
    except OSError:
        return []
    return sorted(names)
