"""Autobahn|Testsuite against the listener: ``python tests/conformance/autobahn.py``; exit status 0
is 301 of 301.

The suite wants Python 2.7, which is looked for under pyenv and on PATH. It is installed once, into the user's cache.
Sections 12 and 13 (compression) are left out: compression is not negotiated. Needs a C compiler, some 30 s for the
installation and 20 s for a run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

Index = Dict[str, Dict[str, Any]]

SUITE = "autobahntestsuite==25.10.1"
# The last virtualenv that supports Python 2.7.
VIRTUALENV = "virtualenv==20.21.1"
AGENT = "unity-bridge"
CASES = 301
NO_PYTHON_2 = 77  # the exit status that test harnesses read as "skipped"

# The suite gives most cases one second, which a busy machine exceeds now and then. A fault fails
# each time.
_TRIES = 3

_PASSED = ("OK", "NON-STRICT", "INFORMATIONAL")
_CLOSED_WELL = ("OK", "INFORMATIONAL")
_ECHO_SERVER = Path(__file__).with_name("echo_server.py")


def find_python2() -> Optional[str]:
    """A Python 2.7 that starts. A pyenv shim may exist for a version that does not."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [
        str(path) for path in sorted(pyenv.glob("versions/2.7*/bin/python2.7"), reverse=True)
    ]
    on_path = shutil.which("python2.7")
    for candidate in candidates + ([on_path] if on_path else []):
        if (
            subprocess.run([candidate, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode
            == 0
        ):
            return candidate
    return None


def cache_folder() -> Path:
    base = (
        os.environ.get("XDG_CACHE_HOME")
        or os.environ.get("LOCALAPPDATA")
        or str(Path.home() / ".cache")
    )
    return Path(base) / "unity-bridge-conformance" / SUITE.replace("==", "-")


def install(python2: str, folder: Path) -> Path:
    """``wstest``, installed if it is not there yet. Raises ``CalledProcessError`` when that fails."""
    wstest = folder / "py27" / "bin" / "wstest"
    if wstest.exists():
        return wstest
    folder.mkdir(parents=True, exist_ok=True)
    tool = folder / "tool" / "bin"
    for command in (
        [sys.executable, "-m", "venv", str(folder / "tool")],
        [str(tool / "python"), "-m", "pip", "install", "-qq", VIRTUALENV],
        [str(tool / "python"), "-m", "virtualenv", "-q", "-p", python2, str(folder / "py27")],
        [
            str(folder / "py27" / "bin" / "pip"),
            "install",
            "-qq",
            "--no-python-version-warning",
            SUITE,
        ],
    ):
        subprocess.run(command, check=True, stdout=sys.stderr)
    return wstest


def tried(
    run: Callable[[List[str]], Index], cases: List[str], failed: Callable[[Index], List[str]]
) -> Index:
    """``run(cases)``, with the last verdict of each case: those that failed are run again."""
    index = run(cases)
    for _ in range(_TRIES - 1):
        again = failed(index)
        if not again:
            break
        sys.stderr.write(f"run again: {', '.join(again)}\n")
        index.update(run(again))
    return index


def run(wstest: Path, work: Path, cases: List[str]) -> Index:
    """Autobahn's index: ``{case: {behavior, behaviorClose, ...}}``."""
    server = subprocess.Popen(
        [sys.executable, str(_ECHO_SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    port = int(server.stdout.readline())
    spec = {
        "outdir": str(work / "reports"),
        "servers": [{"agent": AGENT, "url": f"ws://127.0.0.1:{port}", "options": {"version": 18}}],
        "cases": cases,
        "exclude-cases": ["12.*", "13.*"],
        "exclude-agent-cases": {},
    }
    (work / "spec.json").write_text(json.dumps(spec))
    try:
        # It always exits with 0, so the index decides.
        command = [str(wstest), "-m", "fuzzingclient", "-s", str(work / "spec.json")]
        subprocess.run(command, check=True, cwd=work, stdout=subprocess.DEVNULL, timeout=600)
    finally:
        server.communicate()
    index: Dict[str, Index] = json.loads((work / "reports" / "index.json").read_text())
    return index[AGENT]


def failed_cases(index: Index) -> List[str]:
    return [case for case, _, _ in failures(index)]


def failures(index: Index) -> List[Tuple[str, str, str]]:
    """``(case, behavior, behaviorClose)`` of every case that did not pass."""
    return [
        (case, verdict["behavior"], verdict["behaviorClose"])
        for case, verdict in sorted(index.items())
        if verdict["behavior"] not in _PASSED or verdict["behaviorClose"] not in _CLOSED_WELL
    ]


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--cases", default="*", help="for example 7.* (default: all)")
    options.add_argument("--reports", type=Path, help="keep Autobahn's reports in this folder")
    chosen = options.parse_args()
    python2 = find_python2()
    if python2 is None:
        sys.stderr.write("skipped: no Python 2.7 here to host the Autobahn testsuite\n")
        return NO_PYTHON_2
    wstest = install(python2, cache_folder())
    with tempfile.TemporaryDirectory() as work:
        index = tried(partial(run, wstest, Path(work)), [chosen.cases], failed_cases)
        if chosen.reports is not None:
            shutil.copytree(Path(work) / "reports", chosen.reports)
    failed = failures(index)
    for case, behavior, close in failed:
        sys.stderr.write(f"{case}: {behavior}, close {close}\n")
    verdicts = ", ".join(
        f"{name} {count}" for name, count in Counter(v["behavior"] for v in index.values()).items()
    )
    sys.stderr.write(f"{len(index) - len(failed)} of {len(index)} cases passed ({verdicts})\n")
    return 0 if not failed and (chosen.cases != "*" or len(index) == CASES) else 1


if __name__ == "__main__":
    sys.exit(main())
