"""The settings of a program: options over variables over files, and which Unity project is meant
(SPEC §2, §18.1).
"""

from __future__ import annotations

import os
from typing import Mapping, NamedTuple, Optional, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.config import SETTINGS, Config, ConfigLoader
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.unity_folder import named_project, project_here

_AUTO = "auto"
_WRITES_AUTO = (
    "auto is a setting of the project: `unity-bridge plugin install PROJECT --port auto` writes it."
)
FOLDER_IS_GONE = "The folder that this was started in is gone: change to another one."

Options = Mapping[str, Optional[str]]


class LoadedSettings(NamedTuple):
    """``port_source``: what decided on the port, in words. ``broken``: a sentence for each file of the project that
    counts for nothing."""

    config: Config
    port_source: str
    broken: Sequence[str]


def load(options: Options, project: Optional[str]) -> Result[LoadedSettings, str]:
    """Return the settings of a program for ``project``; or why they cannot be used, in lines for
    stderr.
    """
    same = {
        name: options.get(name)
        for name in ("log_level", "log_format", "log_file", "client_project")
    }
    files = port_of_project(project)
    loaded = ConfigLoader().load(
        {"unity_ws_port": options.get("port"), **same}, options.get("config_file"), files.given
    )
    if isinstance(loaded, Err):
        lines = [loaded.error]
        if _AUTO in (
            options.get("port"),
            *map(os.environ.get, SETTINGS["unity_ws_port"].variables),
        ):
            lines.append(_WRITES_AUTO)
        return Err("\n".join(lines))
    return Ok(LoadedSettings(*loaded.value, files.broken))


def meant_project(option: Optional[str]) -> Result[Optional[str], str]:
    """Return the path of the project that was named, else of the one around here, if there is one
    (SPEC §18.1).
    """
    try:
        if option is None:
            return Ok(project_here())
        return named_project(option)
    except FileNotFoundError:  # a relative path, and no folder that it is relative to
        return Err(FOLDER_IS_GONE)
