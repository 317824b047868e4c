"""The Unity version of a program (SPEC §22.4)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.projects.project_version import VERSION


def version_in_path(program: str) -> Optional[str]:
    """Return the version that a folder of the program's path is called; of several, the one nearest
    to the program.
    """
    folders = program.replace("\\", "/").split("/")[:-1]
    return next((folder for folder in reversed(folders) if VERSION.fullmatch(folder)), None)


def version_in_output(output: str) -> Optional[str]:
    """Return the version that ``PROGRAM -version`` printed: the only word of its shape, on a line
    of its own or not.
    """
    versions = {word for word in output.split() if VERSION.fullmatch(word)}
    if len(versions) == 1:
        return versions.pop()
    return None
