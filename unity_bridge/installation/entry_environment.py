"""The variables that an entry sets.

There are two kinds: variables that decide where a server finds the secret and its configuration, because most clients
pass few variables on; and ``PYTHONPATH``, which is set to nothing where Python starts without ``-I`` (SPEC §20.8).
"""

from __future__ import annotations

import os
import re
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence

from unity_bridge.base.result import Ok
from unity_bridge.config import CONFIG_FILE_VARIABLE
from unity_bridge.installation.clients.client import Machine
from unity_bridge.trust.state_folder import DECIDING_VARIABLES, deciding_variable, location

# With an empty or relative part, Python would import modules of the folder in which the client was
# started, before our first line runs.
MODULE_PATH = "PYTHONPATH"
# With this option Python reads no such variable.
ISOLATED = "-I"

# With these, a server runs code before its first line. Programs need the others in ordinary use.
_LOADS_CODE = re.compile(r"(LD_|DYLD_|PYTHON).+", re.IGNORECASE)
_MAY_LOAD_CODE = ("PATH", "NODE_OPTIONS")

# Clients expand these to the values of other variables.
_PLACEHOLDERS = "$%{"


def handed_on(machine: Machine) -> Dict[str, str]:
    """Return the variables that an entry sets, so that its server finds what is found by a command
    in this terminal.
    """
    variables: Dict[str, str] = {}
    decides = deciding_variable(machine.environ, machine.platform, str(machine.home))
    if decides is not None:
        variables[decides] = machine.environ[decides]
    config = machine.environ.get(CONFIG_FILE_VARIABLE)
    if config:
        # The server is started in another folder, so relative paths would mean other files.
        variables[CONFIG_FILE_VARIABLE] = os.path.abspath(os.path.expanduser(config))
    return variables


def decides_here(name: str) -> bool:
    """Whether the variable is for servers of this machine: one that an entry sets, or a setting of
    ours.
    """
    return name in (MODULE_PATH, *DECIDING_VARIABLES) or name.startswith("UNITY_BRIDGE_")


def loading_variables(environ: Mapping[str, str]) -> List[str]:
    """Return the names of the variables that decide which code a server loads, if they have a
    value.
    """
    return [name for name, value in environ.items() if value and _LOADS_CODE.fullmatch(name)]


def named_variables(environ: Mapping[str, str]) -> List[str]:
    """Return the names of the variables that a user must know of, because they may decide which
    code is loaded.
    """
    return loading_variables(environ) + [name for name in environ if name.upper() in _MAY_LOAD_CODE]


def entry_environment(machine: Machine, program: Sequence[str] = ()) -> Dict[str, str]:
    """Return the variables that a new entry sets for ``program``, which ignores ``PYTHONPATH`` if
    it has ``-I``.
    """
    if ISOLATED in program:
        return handed_on(machine)
    return {MODULE_PATH: "", **handed_on(machine)}


def without_placeholders(environ: Mapping[str, str]) -> Dict[str, str]:
    """Return the variables whose values are what a server gets, because a client expands nothing in
    them.
    """
    return {
        name: value
        for name, value in environ.items()
        if not any(sign in value for sign in _PLACEHOLDERS)
    }


class SecretPlaces(NamedTuple):
    """The secret's folders: of this terminal, and of an entry's server.

    The server's folder is given twice: for a client that passes on every variable of this terminal, and for one that
    passes on none. ``decided_by``: the entry's own variable that decides.
    """

    here: str
    with_all: str
    with_none: str
    decided_by: Optional[str]


def secret_places(variables: Mapping[str, str], machine: Machine) -> Optional[SecretPlaces]:
    """Return the folders of an entry that sets ``variables``, or None if they cannot be known."""
    deciding = {name: variables.get(name, "") for name in DECIDING_VARIABLES}
    if without_placeholders(deciding) != deciding:
        return None
    home = str(machine.home)
    decided_by = deciding_variable(variables, machine.platform, home)
    environments = (machine.environ, {**machine.environ, **variables}, variables)
    folders = [location(environment, machine.platform, home) for environment in environments]
    usable = [folder.value for folder in folders if isinstance(folder, Ok)]
    if len(usable) == len(folders):
        return SecretPlaces(usable[0], usable[1], usable[2], decided_by)
    return None
