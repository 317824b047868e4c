"""The user's home, and the folders that variables such as ``XDG_CACHE_HOME`` name (SPEC §20.8).

A variable that is empty or no absolute path counts as not set: it would mean a folder of the working directory, and
what lies there would be run or believed.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping


def is_absolute(path: str, platform: str = sys.platform) -> bool:
    """Return whether the path means one folder to all programs. On Windows it names a drive or a
    share.
    """
    if platform != "win32":
        return posixpath.isabs(path)
    # Before Python 3.13 ``ntpath.isabs`` takes ``\\state`` too, which is another folder on each
    # drive.
    return ntpath.isabs(path) and bool(ntpath.splitdrive(path)[0])


def home_of(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str:
    """Return the user's home folder, "" if there is none. On Windows by the variables that the
    plugin goes by.
    """
    if platform == "win32":
        path = environment.get("HOMEPATH")
        profile = environment.get("USERPROFILE") or (
            environment.get("HOMEDRIVE", "") + path if path else ""
        )
        if is_absolute(profile, platform):
            return profile
        return ""
    home = environment.get("HOME", "")
    if is_absolute(home, platform):
        return home
    return _home_by_the_system()


def below_home(*parts: str) -> str:
    """Return a path in the user's home; without a home, one that does not exist."""
    return os.path.join(home_of() or os.devnull, *parts)


def named_folder(
    environment: Mapping[str, str], variable: str, default: str, platform: str = sys.platform
) -> str:
    """Return the folder that the variable names, or the default."""
    folder = environment.get(variable, "")
    # A test plays another platform with folders of this one.
    if is_absolute(folder, platform) or is_absolute(folder):
        return folder
    return default


def _home_by_the_system() -> str:
    if sys.platform == "win32":
        return ""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""
