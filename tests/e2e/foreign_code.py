"""Every known way in which a working directory, or a variable that names it, can have Python code
run in a program.

Each ``Way`` plants files into a workspace and sets variables; the planted code leaves a mark in a file, whatever
becomes of the program's output.
"""

from __future__ import annotations

import marshal
import os
import struct
import sys
from dataclasses import dataclass, field
from importlib.util import MAGIC_NUMBER, find_spec
from pathlib import Path
from typing import Mapping, Tuple

# Without a file object and a codec: one of the modules is imported before Python has these.
_MARKING = """\
import posix
posix.write(posix.open({mark!r}, posix.O_WRONLY | posix.O_CREAT, 0o600), b"it ran")
"""
_MODULES = (
    "typing",
    "json",
    "re",
    "socket",
    "runpy",
    "click",
    "mcp",
    "config",
    "psutil",
    "unity_bridge",
)
_PROGRAMS = (
    "python",
    "python3",
    "pip",
    "uv",
    "uvx",
    "git",
    "ps",
    "lsof",
    "ss",
    "wslpath",
    "sh",
    "env",
    "uname",
)


@dataclass(frozen=True)
class Way:
    """``modules`` are written as Python files, ``programs`` as executables, ``texts`` as they are; ``compiled`` as the
    bytecode of an installed module. A value of ``environ`` may name the workspace as ``{workspace}``."""

    name: str
    modules: Tuple[str, ...] = ()
    programs: Tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    compiled: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)

    def plant(self, workspace: Path, mark: Path) -> Mapping[str, str]:
        """Write the files; return the variables."""
        workspace.mkdir(parents=True, exist_ok=True)
        marking = _MARKING.format(mark=str(mark))
        for module in self.modules:
            file = workspace / (module + ".py")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(marking, encoding="utf-8")
        for program in self.programs:
            file = workspace / program
            file.write_text(f"#!/bin/sh\necho {program} >> '{mark}'\n", encoding="utf-8")
            file.chmod(0o755)
        for name, text in self.texts.items():
            (workspace / name).write_text(text, encoding="utf-8")
        if self.compiled:
            _plant_bytecode(self.compiled, marking, workspace)
        return {
            name: value.replace("{workspace}", str(workspace))
            for name, value in self.environ.items()
        }


def _plant_bytecode(module: str, marking: str, prefix: Path) -> None:
    """Write what Python would read in place of the module's own bytecode, with the time and size of
    its source.
    """
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    source = Path(spec.origin)
    about = source.stat()
    head = MAGIC_NUMBER + struct.pack(
        "<III", 0, int(about.st_mtime) & 0xFFFFFFFF, about.st_size & 0xFFFFFFFF
    )
    file = (
        prefix
        / source.parent.relative_to(source.anchor)
        / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(head + marshal.dumps(compile(marking, str(source), "exec")))


_SITE = ("sitecustomize", "usercustomize")
_PATH = os.environ.get("PATH", os.defpath)

_STANDARD_LIBRARY = f"home/lib/python{sys.version_info[0]}.{sys.version_info[1]}"

# Python acts on these before our first line. In a server that a client starts by an entry of ours
# it does not: the entry has Python's -I, and sets PYTHONPATH to nothing for where it cannot.
BY_VARIABLES = (
    Way(
        "an empty part of PYTHONPATH",
        (*_SITE, *_MODULES),
        environ={"PYTHONPATH": os.pathsep + "/usr/lib/none"},
    ),
    Way("a dot in PYTHONPATH", (*_SITE, *_MODULES), environ={"PYTHONPATH": "."}),
    Way(
        "a relative part of PYTHONPATH",
        tuple(f"lib/{name}" for name in (*_SITE, *_MODULES)),
        environ={"PYTHONPATH": "lib"},
    ),
    Way(
        "the workspace's own path in PYTHONPATH",
        (*_SITE, *_MODULES),
        environ={"PYTHONPATH": "{workspace}"},
    ),
    Way(
        "a relative PYTHONPYCACHEPREFIX",
        compiled="unity_bridge",
        environ={"PYTHONPYCACHEPREFIX": "."},
    ),
    Way(
        "a relative PYTHONHOME",
        (f"{_STANDARD_LIBRARY}/encodings/__init__",),
        environ={"PYTHONHOME": "home"},
    ),
)
# The same, for a Python that knows packages of the user's: one of a venv does not.
OF_THE_USER = Way(
    "a relative PYTHONUSERBASE",
    (f"{_STANDARD_LIBRARY}/site-packages/usercustomize",),
    environ={"PYTHONUSERBASE": "home"},
)

# These hold for every start of ours, with and without an entry.
ALWAYS = (
    Way("modules of the standard library's and our packages' names", _MODULES),
    Way("sitecustomize and usercustomize", _SITE),
    Way(
        "a .pth file", texts={"workspace.pth": "import sitecustomize\n"}, modules=("sitecustomize",)
    ),
    Way(
        "the packages of a folder called unity_bridge",
        ("unity_bridge/__init__", "unity_bridge/__main__"),
    ),
    Way("__main__", ("__main__",)),
    Way("an empty part of PATH", programs=_PROGRAMS, environ={"PATH": os.pathsep + _PATH}),
    Way("a dot in PATH", programs=_PROGRAMS, environ={"PATH": "." + os.pathsep + _PATH}),
    Way("PYTHONSTARTUP", ("startup",), environ={"PYTHONSTARTUP": "startup.py"}),
    Way(
        "PYTHONINSPECT with PYTHONSTARTUP",
        ("startup",),
        environ={"PYTHONSTARTUP": "startup.py", "PYTHONINSPECT": ""},
    ),
    Way("PYTHONBREAKPOINT", ("debugger",), environ={"PYTHONBREAKPOINT": "debugger.run"}),
    Way("PYTHONWARNINGS", ("category",), environ={"PYTHONWARNINGS": "ignore::category.Warned"}),
    Way(
        "BROWSER, PAGER and EDITOR",
        programs=("shown",),
        environ=dict.fromkeys(("BROWSER", "PAGER", "EDITOR"), "./shown"),
    ),
    Way(
        "setup.py, setup.cfg, pyproject.toml and conftest.py",
        ("setup", "conftest"),
        texts={
            "setup.cfg": "[metadata]\nname = attr: setup.name\n",
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n',
        },
    ),
    Way(
        "pip.conf and uv.toml",
        ("backend",),
        texts={
            "pip.conf": "[global]\nfind-links = .\nno-index = true\n",
            "pip.ini": "[global]\nfind-links = .\nno-index = true\n",
            "uv.toml": 'no-index = true\nfind-links = ["."]\n',
        },
    ),
    Way(
        "pyvenv.cfg", _SITE, texts={"pyvenv.cfg": "home = .\ninclude-system-site-packages = true\n"}
    ),
)
