"""The point in a project's console up to which ``console --new`` has shown it, kept between
commands.

It is one file for each project in the user's state folder, so that two terminals share it and two projects do not.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Optional

from unity_bridge.base.result import Err, value_or
from unity_bridge.installation.safe_files import read_text
from unity_bridge.system.whole_file import write_whole
from unity_bridge.text.json_types import JsonObject
from unity_bridge.trust.state_folder import state_folder

_FOLDER = "console"
_CURSOR = re.compile(r"[\x21-\x7e]{1,200}")


def marked(state: JsonObject) -> Optional[str]:
    """Return the cursor of the last ``--new`` for the project in ``state`` (of
    ``get_editor_state``), or None.
    """
    file = _file(state)
    if file is None:
        return None
    cursor = (value_or(read_text(file), None) or "").strip()
    if _CURSOR.fullmatch(cursor):
        return cursor
    return None


def mark(state: JsonObject, cursor: str) -> Optional[str]:
    """Keep the cursor. The sentence why that is not possible, or None."""
    file = _file(state)
    if file is None:
        return "there is no folder to keep the place in"
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(file, cursor.encode("utf-8"))
    except OSError as error:
        return f"{file} cannot be written: {error.strerror or error}"
    return None


def _file(state: JsonObject) -> Optional[Path]:
    folder = state_folder()
    if isinstance(folder, Err):
        return None
    editor = state.get("editor") or {}
    whose = str(editor.get("project_path") or f"port {state.get('port')}")
    return (
        folder.value
        / _FOLDER
        / f"{hashlib.sha256(whose.encode('utf-8', 'replace')).hexdigest()[:16]}.txt"
    )
