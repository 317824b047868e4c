"""A workspace whose modules have the names of the program's imports, and report when they are run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict

# Modules of ours, of packages that we need, and of the standard library.
NAMES = (
    "unity_bridge",
    "config",
    "click",
    "mcp",
    "wsproto",
    "tomllib",
    "psutil",
    "runpy",
    "re",
    "json",
    "socket",
)
CONFESSION = "the workspace ran"


def make_hostile(folder: Path) -> Path:
    for name in NAMES:
        package = folder / name
        package.mkdir(parents=True)
        package.joinpath("__init__.py").write_text(
            f"raise SystemExit('{CONFESSION}: {name}')\n", encoding="utf-8"
        )
    return folder


def surroundings(**changes: str) -> Dict[str, str]:
    """The environment without what a developer, or a test run, has set for Python."""
    unwanted = ("PYTHON", "COV_", "COVERAGE", "VIRTUAL_ENV", "UV_")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(unwanted)},
        **changes,
    }
