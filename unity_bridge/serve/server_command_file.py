"""How servers are started on this machine, for the settings page in Unity: ``server-command.json``
in the state folder.

The plugin runs it to add the server to a client, and takes it from there alone, never from a project's folder.
"""

from __future__ import annotations

import json
from contextlib import suppress

from unity_bridge.base.result import Ok
from unity_bridge.launch import environment
from unity_bridge.system.whole_file import write_whole
from unity_bridge.trust.secret import read_private
from unity_bridge.trust.state_folder import state_folder

FILE = "server-command.json"


def note_command() -> None:
    """Note how this server is started, if that is not what is there; a folder that cannot be
    written goes without.

    Unity starts it in the project's folder, from which Python takes no code with ``-I`` (SPEC §20.8).
    """
    folder = state_folder()
    if not isinstance(folder, Ok):
        return
    python, *words = environment.command()
    path = folder.value / FILE
    with suppress(
        OSError, UnicodeEncodeError
    ):  # a folder's name need be no text on Linux, and a note is text
        content = (
            json.dumps({"command": [python, "-I", *words]}, ensure_ascii=False) + "\n"
        ).encode("utf-8")
        if read_private(path, len(content) + 1) != content:
            write_whole(path, content, is_private=True)
