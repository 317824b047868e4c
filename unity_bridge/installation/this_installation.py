"""How this program was installed: a command that clients can start permanently, and how to repair
it.

A clone starts through its launcher. pip, pipx and ``uv tool`` install a console script with a permanent path. ``uvx``
and ``pipx run`` use a folder in a cache, which is removed some day. No command here asks a package index for our own
name (``repository.py`` says why).
"""

from __future__ import annotations

import os
import sys
from enum import Enum
from pathlib import Path
from typing import List, Optional, Sequence, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.repository import SOURCE
from unity_bridge.launch import environment
from unity_bridge.text import json_reader

NAME = "unity-bridge"

_UV_CACHE = ("archive-v", "environments-v", "builds-v")


class Kind(Enum):
    """The tool that manages this installation."""

    CLONE = "clone"
    PIP = "pip"
    PIPX = "pipx"
    UV_TOOL = "uv tool"
    UVX = "uvx"
    PIPX_RUN = "pipx run"


@frozen
class Installation:
    """One installation. ``script``: the console script, if any. ``source``: where pip and uv get
    the program from.
    """

    kind: Kind
    script: Optional[str] = None
    source: str = SOURCE
    is_for_this_user_only: bool = False

    def lasting_commands(self) -> Result[List[List[str]], str]:
        """Return absolute command lines for a client's configuration, the best first, or why none
        is permanent.

        With ``-I`` Python imports nothing from the folder in which a client starts it, whatever the client's
        environment says (SPEC §20.8). But then it finds neither the user's packages nor those of ``pip install
        --target``: these are found next to the file of the second command. If the packages are in more than one folder,
        possibly only the script finds them.
        """
        if self.kind is Kind.UVX:
            uvx = _uvx()
            if uvx is None:
                install = quoted(["uv", "tool", "install", self.source])
                return Err(
                    f"This is a copy in uv's cache, and uvx is not on PATH: run `{install}` first"
                )
            return Ok([[uvx, "--from", self.source, NAME]])
        if self.kind is Kind.PIPX_RUN:
            return Err(
                f"This is a copy in pipx's cache, which goes after some days: run `{quoted(self.repair(()))}` first"
            )
        python, *words = environment.command()
        if self.kind is Kind.CLONE:
            return Ok([[python, "-I", *words]])
        scripts = [] if self.script is None else [[self.script]]
        return Ok([[python, "-I", "-m", "unity_bridge"], [python, "-I", *words], *scripts])

    def onto_path(self) -> List[str]:
        """Return the command that puts ``unity-bridge`` on PATH."""
        return ["pipx", "install", environment.ROOT if self.kind is Kind.CLONE else self.source]

    def repair(self, missing: Sequence[str]) -> List[str]:
        """Return the command that installs the ``missing`` requirements."""
        if self.kind is Kind.PIPX:
            return ["pipx", "reinstall", NAME]
        if self.kind is Kind.UV_TOOL:
            # `uv tool install --reinstall NAME` would ask the index; an upgrade asks the original
            # source.
            return ["uv", "tool", "upgrade", "--reinstall", NAME]
        if self.kind is Kind.UVX:
            return ["uvx", "--refresh", "--from", self.source, NAME, "--version"]
        if self.kind is Kind.PIPX_RUN:
            return ["pipx", "install", self.source]
        # -I, because -m alone would import a pip.py of the working directory.
        target = ["--user"] if self.is_for_this_user_only else []
        return [sys.executable, "-I", "-m", "pip", "install", *target, *missing]


def this_installation() -> Installation:
    """Return the installation that runs now."""
    if os.path.isfile(os.path.join(environment.ROOT, "bin", NAME)):
        return Installation(Kind.CLONE)
    script, source = _recorded()
    prefix = Path(sys.prefix)
    return Installation(
        _kind(prefix),
        script,
        source,
        prefix.resolve() not in Path(environment.ROOT).resolve().parents,
    )


def _kind(prefix: Path) -> Kind:
    if any(part.startswith(_UV_CACHE) for part in prefix.parts):
        return Kind.UVX
    if (prefix / "uv-receipt.toml").is_file():
        return Kind.UV_TOOL
    if (prefix / "pipx_metadata.json").is_file():
        is_kept = prefix.parent.name == "venvs"
        if is_kept:
            return Kind.PIPX
        return Kind.PIPX_RUN
    if prefix.parent.name in (".cache", "pipx"):
        return Kind.PIPX_RUN
    return Kind.PIP


def _recorded() -> Tuple[Optional[str], str]:
    """Return ``(script, source)`` as the installer recorded them."""
    from importlib.metadata import Distribution, PackageNotFoundError

    try:
        distribution = Distribution.from_name(NAME)
    except PackageNotFoundError:
        return None, SOURCE
    paths = [
        os.path.abspath(str(distribution.locate_file(file))) for file in distribution.files or ()
    ]
    scripts = [
        path
        for path in paths
        if os.path.basename(path) in (NAME, f"{NAME}.exe") and os.path.isfile(path)
    ]
    return (scripts[0] if scripts else None), _source(
        distribution.read_text("direct_url.json")
    ) or SOURCE


def _source(direct_url: Optional[str]) -> Optional[str]:
    """Return the content of PEP 610's ``direct_url.json`` as a requirement; None if the program
    came from an index.
    """
    try:
        record = json_reader.loads(direct_url or "null")
    except ValueError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("url"), str):
        return None
    version_control = record.get("vcs_info")
    if isinstance(version_control, dict):
        return f"{version_control.get('vcs')}+{record['url']}@{version_control.get('commit_id')}"
    return str(record["url"])


def _uvx() -> Optional[str]:
    """Return the uv program next to the one that started this process, or from PATH."""
    uv = os.environ.get("UV", "")
    program = "uvx"
    if os.name == "nt":
        program = "uvx.exe"
    neighbour = os.path.join(os.path.dirname(uv), program)
    if os.path.isabs(uv) and os.path.isfile(neighbour):
        return neighbour
    return environment.on_path("uvx")
