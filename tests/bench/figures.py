"""Runs benches and writes what they print into ``docs/figures.md``: ``python -m tests.bench.figures
BENCH [WORD ...]``.

``soak`` runs ``bin/test soak`` and keeps its last lines; any other name is a module of this folder. The section of that
name is replaced, or made at the end of the page, with the command, the date, the Python, the cores and the load.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "figures.md"
OLDER = "## Older runs"
SOAK_LINES = 12


def written(page: str, name: str, section: str) -> str:
    """Return ``page`` with ``section`` in place of the section ``name``, or before the older runs
    if it has none.
    """
    found = re.search(rf"^## {re.escape(name)}\n.*?(?=^## |\Z)", page, re.M | re.S)
    if found:
        return page[: found.start()] + section + page[found.end() :]
    before, heading, after = page.partition(OLDER)
    return before + section + heading + after


def section_of(name: str, command: List[str], load: float, lines: List[str]) -> str:
    """Return the section: how it was run, then what it printed, with no blank at a line's end."""
    machine = (
        f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {load:.1f} before the run"
    )
    printed = "\n".join(line.rstrip() for line in lines)
    return f"## {name}\n\n`{' '.join(command)}`, {date.today()}, {machine}:\n\n```text\n{printed}\n```\n\n"


def main() -> int:
    name, words = sys.argv[1], sys.argv[2:]
    shown = (
        ["bin/test", "soak", *words]
        if name == "soak"
        else ["python", "-m", f"tests.bench.{name}", *words]
    )
    command = [sys.executable, *shown] if name == "soak" else [sys.executable, *shown[1:]]
    load = os.getloadavg()[0]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    )
    if done.returncode:
        print(done.stdout)
        return done.returncode
    lines = done.stdout.rstrip().splitlines()
    kept = lines[-SOAK_LINES:] if name == "soak" else lines
    PAGE.write_text(
        written(PAGE.read_text("utf-8"), name, section_of(name, shown, load, kept)), "utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
