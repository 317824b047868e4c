"""The variables that an entry sets. Two kinds: those that decide where a server finds the secret and its configuration,
because most clients hand on few variables; and ``PYTHONPATH``, to nothing (SPEC §20.8).
"""

from __future__ import annotations

import os
from typing import Dict, Mapping, NamedTuple, Optional

from unity_bridge.base.result import Ok
from unity_bridge.config import CONFIG_FILE_VARIABLE
from unity_bridge.installation.clients.client import Machine
from unity_bridge.trust.state_folder import DECIDING_VARIABLES, deciding_variable, location

# With an empty or relative part Python imports modules of the folder that the client was started in, before our first
# line.
MODULE_PATH = "PYTHONPATH"

# In these clients put other variables' values in.
_PLACEHOLDERS = "$%{"


def handed_on(machine: Machine) -> Dict[str, str]:
    """What an entry has to set, so that its server finds what a command in this terminal finds."""
    found: Dict[str, str] = {}
    decides = deciding_variable(machine.environ, machine.platform, str(machine.home))
    if decides is not None:
        found[decides] = machine.environ[decides]
    config = machine.environ.get(CONFIG_FILE_VARIABLE)
    if config:
        # The server is started in another folder.
        found[CONFIG_FILE_VARIABLE] = os.path.abspath(os.path.expanduser(config))
    return found


def entry_environment(machine: Machine) -> Dict[str, str]:
    """The variables that a new entry sets."""
    return {MODULE_PATH: "", **handed_on(machine)}


class SecretPlaces(NamedTuple):
    """Folders of the secret: of this terminal; of an entry's server whose client hands on every variable of this
    terminal, and of one whose client hands on none. ``decided_by``: the entry's own variable that counts."""

    here: str
    with_all: str
    with_none: str
    decided_by: Optional[str]


def secret_places(entrys: Mapping[str, str], machine: Machine) -> Optional[SecretPlaces]:
    """``entrys``: the variables that the entry sets. ``None`` where they cannot be known, or there is no folder."""
    values = [entrys.get(name, "") for name in DECIDING_VARIABLES]
    if any(sign in value for value in values for sign in _PLACEHOLDERS):
        return None
    home = str(machine.home)
    decided_by = deciding_variable(entrys, machine.platform, home)
    environments = (machine.environ, {**machine.environ, **entrys}, entrys)
    folders = [location(environment, machine.platform, home) for environment in environments]
    known = [folder.value for folder in folders if isinstance(folder, Ok)]
    return SecretPlaces(known[0], known[1], known[2], decided_by) if len(known) == len(folders) else None
