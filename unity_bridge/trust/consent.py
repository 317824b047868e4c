"""What the user allows clients to do in which projects: ``allowed.json`` in the state folder (SPEC
§16.6).

It is not kept in the project, because a repository could bring such a file. The plugin reads and writes the same file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import List

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.launch.file_lock import Locked
from unity_bridge.system.whole_file import write_whole
from unity_bridge.text import json_reader
from unity_bridge.trust.secret import read_private
from unity_bridge.trust.state_folder import state_folder

FILE = "allowed.json"
CSHARP = "csharp"
# Held by whichever program changes the file, the plugin too. The file itself is replaced, so it
# cannot be locked.
_LOCK = f"{FILE}.lock"
_MOST_BYTES = 64 * 1024


def allowed_projects() -> Result[List[str], str]:
    """Return the canonical paths of the projects in which clients may run C#; ``Err`` says why they
    cannot be read.
    """
    path = _path()
    if isinstance(path, Err):
        return path
    return _read(path.value)


def allow(project: str, is_allowed: bool) -> Result[None, str]:
    """Allow it in the project with this canonical path, or take it back. A file that cannot be used
    stays as it is.
    """
    path = _path()
    if isinstance(path, Err):
        return path
    try:
        path.value.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with Locked(str(path.value.parent / _LOCK)):
            return _changed(path.value, project, is_allowed)
    except (OSError, UnicodeEncodeError) as error:  # a path need be no text on Linux
        return Err(f"{path.value} cannot be written: {getattr(error, 'strerror', None) or error}")


def _changed(path: Path, project: str, is_allowed: bool) -> Result[None, str]:
    listed = _read(path)
    if isinstance(listed, Err):
        return listed
    projects = {*listed.value} - {project}
    if is_allowed:
        projects.add(project)
    text = json.dumps({CSHARP: sorted(projects)}, ensure_ascii=False) + "\n"
    write_whole(path, text.encode("utf-8"), is_private=True)
    return Ok(None)


def _path() -> Result[Path, str]:
    folder = state_folder()
    if isinstance(folder, Err):
        return folder
    return Ok(folder.value / FILE)


def _read(path: Path) -> Result[List[str], str]:
    wrong = Err(f"{path} is not as unity-bridge writes it: correct it or remove it")
    try:
        raw = read_private(path, _MOST_BYTES + 1)
        if raw is None and os.path.lexists(path):
            raise OSError(0, "it is not a file that only this user can read")
    except OSError as error:
        return Err(f"{path} cannot be used: {error.strerror or error}")
    if raw is None:
        return Ok([])
    try:
        content = json_reader.loads(raw.decode("utf-8-sig"))
    except ValueError:
        return wrong
    listed = content.get(CSHARP, []) if isinstance(content, dict) else None
    if len(raw) > _MOST_BYTES or not isinstance(listed, list):
        return wrong
    return Ok([entry for entry in listed if isinstance(entry, str)])
