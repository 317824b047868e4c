"""Private environments: Pythons of this clone's own that have what the program needs, made once and
kept.

What is needed, where environments lie, and the words that start the program again. It is the
launcher's first import, so it imports nothing that it does not need at once. A finished environment bears a mark that
is written last (``environment_maker``).
"""

from __future__ import annotations

import os
import sys

from unity_bridge.launch.user_folders import home_of, named_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

    Version = Tuple[int, int]

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
FOLDER = ".unity-bridge"
# The kind of environment that the launcher runs the program in; the tests have others.
LAUNCHER = "env"

# Oldest Python that there is an MCP SDK for: it answers what clients hardly ever ask, and the demo
# is its client.
WITH_SDK: Version = (3, 10)

READY = ".ready"
_UNLOCKED = "UNITY_BRIDGE_UNLOCKED"
HERE: Version = sys.version_info[:2]


# What is needed


def requirements(extra: Optional[str] = None) -> List[str]:
    """Return the requirement lines of ``setup.py``, with those of one extra if it is named."""
    path = os.path.join(ROOT, "setup.py")
    namespace: Dict[str, Any] = {"__name__": "requirements", "__file__": path}
    exec(compile(_lists(), path, "exec"), namespace)
    lines: List[str] = list(namespace["REQUIRED"])
    if extra is not None:
        lines += namespace["EXTRAS"][extra]
    return lines


def unmet(
    lines: Iterable[str], paths: Optional[Sequence[str]] = None, version: Version = HERE
) -> List[str]:
    """Those of the requirement lines that no distribution on ``paths`` (``sys.path``) satisfies.

    Reads the names of the folders that pip leaves behind, because asking ``importlib.metadata`` costs more than the
    rest of the start.
    """
    folders = sys.path if paths is None else paths
    installed = _installed(folders)
    faults = []
    for line in lines:
        requirement, _, marker = line.partition(";")
        if marker and not _satisfies(
            dotted(version), marker.replace("python_version", "").strip().replace('"', "")
        ):
            continue
        end = next((i for i, c in enumerate(requirement) if c in "<>=!~ "), len(requirement))
        present = installed.get(_normalised(requirement[:end]))
        if present is None or not all(
            _satisfies(present, specifier.strip()) for specifier in requirement[end:].split(",")
        ):
            faults.append(line)
    return faults


def _installed(paths: Sequence[str]) -> Dict[str, str]:
    versions: Dict[str, str] = {}
    for path in paths:
        try:
            names = os.listdir(path or os.curdir)
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                parts = name[: -len(".dist-info")].split("-")
                if len(parts) > 1:
                    versions.setdefault(_normalised(parts[0]), parts[1])
    return versions


def _normalised(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(".", "_")


def _satisfies(version: str, specifier: str) -> bool:
    """One specifier of the three kinds that ``setup.py`` uses; an empty one is satisfied by
    anything.
    """
    have = _release(version)
    bound = _release(specifier.lstrip("<>= "))
    if specifier.startswith(">="):
        return have >= bound
    if specifier.startswith("=="):
        return have == bound
    if specifier.startswith("<") and not specifier.startswith("<="):
        return have < bound
    if specifier.strip():
        raise ValueError(
            f"setup.py uses a version specifier that the launcher does not know: {specifier}"
        )
    return True


def _release(version: str) -> Tuple[int, ...]:
    """``2.3.0rc1`` -> ``(2, 3)``: trailing zeros say nothing, and a release candidate counts as its
    release.
    """
    numbers: List[int] = []
    for part in version.strip().split("."):
        digits = part[: next((i for i, c in enumerate(part) if not c.isdigit()), len(part))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _lists() -> bytes:
    """Return the source of ``setup.py`` without the functions, which describe the package.

    Compiling those takes longer than all else here. Line ends do not count: the same commit may be checked out with
    either.
    """
    return _setup_source().replace(b"\r\n", b"\n").partition(b"\ndef ")[0]


def _setup_source() -> bytes:
    with open(os.path.join(ROOT, "setup.py"), "rb") as stream:
        return stream.read()


def lock_file() -> Optional[str]:
    """Every package that the launcher installs, with its version and the hashes of its files; ``None`` to take the
    newest versions that fit. ``bin/lock`` writes it."""
    path = os.path.join(ROOT, "conf", "packages.lock")
    if os.path.isfile(path) and not os.environ.get(_UNLOCKED):
        return path
    return None


# Which programs


def on_path(name: str) -> Optional[str]:
    """Return the absolute path of the program of that name on PATH.

    Not ``shutil.which``: on Windows that looks into the working directory first, and everywhere an empty or relative
    part of PATH means it (SPEC §20.8).
    """
    endings = [""]
    if os.name == "nt":
        extensions = os.environ.get("PATHEXT", ".EXE").split(os.pathsep)
        # The ending of python3.12 is none of a program's.
        if os.path.splitext(name)[1].upper() not in map(str.upper, extensions):
            endings = extensions
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for path in (os.path.join(folder, name + ending) for ending in endings):
            if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


# Where it lies


def places() -> List[str]:
    """Folders that may hold environments: in the clone, or the user's cache where the clone cannot
    be written.
    """
    home = home_of()
    if os.name == "nt":
        # Not below AppData: what a packaged program makes there, no other program sees (ADR-0025).
        cache = os.path.join(home, FOLDER)
    elif sys.platform == "darwin":
        cache = os.path.join(home, "Library", "Caches", "unity-bridge")
    else:
        cache = os.path.join(
            named_folder(os.environ, "XDG_CACHE_HOME", os.path.join(home, ".cache")), "unity-bridge"
        )
    return [os.path.join(ROOT, FOLDER), *([cache] if os.path.isabs(cache) else [])]


def folder_name(kind: str, version: Version = HERE) -> str:
    """``env-cpython-313-linux-x86_64-1a2b3c4d``: another Python, machine or list of requirements is
    another folder.
    """
    import zlib

    tag = f"{sys.implementation.name}-{version[0]}{version[1]}"
    if version == HERE:
        tag += getattr(sys, "abiflags", "")
    machine = (
        os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    )
    lists = _lists()
    lock = lock_file() if kind == LAUNCHER else None
    if lock is not None:
        with open(lock, "rb") as stream:
            lists += stream.read()
    digest = zlib.crc32(lists.replace(b"\r\n", b"\n"))
    return f"{kind}-{tag}-{sys.platform}-{machine}-{digest:08x}".lower()


def python_of(folder: str) -> str:
    """Return the interpreter inside an environment."""
    if os.name == "nt":
        return os.path.join(folder, "Scripts", "python.exe")
    return os.path.join(folder, "bin", "python")


def is_ready(folder: str) -> bool:
    """Finished, and its interpreter still there: the Python it was made with may have been removed
    since.
    """
    return os.path.exists(os.path.join(folder, READY)) and os.path.exists(python_of(folder))


def ready(kind: str, version: Version = HERE) -> Optional[str]:
    """Return the folder of a finished environment, if there is one."""
    name = folder_name(kind, version)
    return next(
        (path for path in (os.path.join(place, name) for place in places()) if is_ready(path)), None
    )


# Starting it again


def isolated(module: str = "unity_bridge", python: str = sys.executable) -> List[str]:
    """Return the words that run a module of ours as a child process.

    The process takes no code from the working directory (SPEC §20.8).
    """
    return [python, os.path.join(ROOT, "unity_bridge", "launch", "run_module.py"), module]


def module_path(environ: Mapping[str, str] = os.environ) -> str:
    """``PYTHONPATH`` for a child: what is set, without the relative parts, which mean the working
    directory.
    """
    return os.pathsep.join(
        part for part in environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(part)
    )


def command() -> List[str]:
    """Return the words that start this program again: for child processes, and for a client's
    configuration.
    """
    launcher = os.path.join(ROOT, "bin", "unity-bridge")
    if os.path.isfile(launcher):
        return [sys.executable, launcher]
    return isolated()
