"""The value in ``Packages/manifest.json`` for the plugin, in the forms that Unity's Package Manager
reads.

These are a registry's version, a git URL with a revision after ``#``, or ``file:`` and a path.
"""

from __future__ import annotations

import os
import re
from typing import Optional

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.package_copy import shipped_package
from unity_bridge.installation.repository import REPOSITORY, TAG
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.version import __version__

_FILE = "file:"
_REGISTRY_VERSION = re.compile(r"\d+\.\d+\.\d+[-+.\w]*")
_TAG = re.compile(r"v?(\d+\.\d+\.\d+[-+.\w]*)")
_GIT = re.compile(r"(git\+|git@|git://|ssh://|https?://|file://).*", re.IGNORECASE)
_HOST_AND_PATH = re.escape(REPOSITORY[len("https://") :]).replace("/", "[:/]")
_OUR_REPOSITORY = re.compile(
    rf"(git\+)?(https://|ssh://git@|git://|git@){_HOST_AND_PATH}(\.git)?/?", re.IGNORECASE
)


def named_version(place: str) -> Optional[str]:
    """Return the version that the value names; None if it names none, such as a branch."""
    if _REGISTRY_VERSION.fullmatch(place):
        return place
    match = _TAG.fullmatch(place.partition("#")[2]) if _GIT.fullmatch(place) else None
    if match is None:
        return None
    return match[1]


def referred_folder(project: UnityProject, place: str) -> Optional[str]:
    """Return the path of a ``file:`` value; relative ones start at ``Packages/``."""
    if not place.startswith(_FILE) or place.startswith("file://") or "\0" in place:
        return None
    return os.path.join(str(project.packages), place[len(_FILE) :])


def own_place(project: UnityProject) -> str:
    """Return the manifest's value for this installation's package."""
    package = shipped_package()
    if package.parent == project.root or project.root in package.parents:
        # Inside the project, for example a submodule: everybody in the team has it at the same
        # relative path.
        return _FILE + os.path.relpath(str(package), str(project.packages)).replace(os.sep, "/")
    return _FILE + package.as_posix()


def is_path_of_this_machine(place: str) -> bool:
    return (
        place.startswith(_FILE)
        and not place.startswith("file://")
        and os.path.isabs(place[len(_FILE) :])
    )


def renewed(place: str, project: UnityProject) -> Result[str, str]:
    """Return the same source with this version.

    ``Err``, in one sentence: the source belongs to the team, and this program cannot know the name of its next version.
    """
    if _REGISTRY_VERSION.fullmatch(place):
        return Ok(__version__)
    if _GIT.fullmatch(place):
        url, _, revision = place.partition("#")
        is_ours = _OUR_REPOSITORY.fullmatch(url.partition("?")[0]) is not None
        if _TAG.fullmatch(revision) or (is_ours and not revision):
            return Ok(f"{url}#{TAG}")
        follows = f"revision {revision}" if revision else "the newest revision"
        return Err(
            f"{project.manifest} takes the plugin from {place} ({follows}). It was left as it is: "
            f"to change the version, write the revision that you want behind # ({TAG} is this program's)"
        )
    folder = referred_folder(project, place)
    if folder is not None and (
        is_path_of_this_machine(place) or os.path.realpath(folder) == str(shipped_package())
    ):
        return Ok(own_place(project))
    return Err(
        f"{project.manifest} takes the plugin from {place}. It was left as it is: "
        "update the package in that place, or remove that line from the manifest and install the plugin again"
    )
