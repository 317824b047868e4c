"""Private environments: Pythons of this clone's own that have what the program needs, made once and kept.

The launcher's first import, so it imports nothing that it does not need at once. A finished environment bears a mark
that is written last; an operating-system lock, which dies with its holder, keeps two makers apart. Nothing here reads
stdin or writes stdout: behind a client they are the MCP wire.
"""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, List, Mapping, NoReturn, Optional, Sequence, Set, Tuple

    Version = Tuple[int, int]
    Say = Callable[[str], None]

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FOLDER = ".unity-bridge"
# The kind of environment that the launcher runs the program in; the tests have others.
LAUNCHER = "env"

# Oldest Python that there is an MCP SDK for: it answers what clients hardly ever ask, and the demo is its client. And
# the Pythons to look for where the running one cannot make environments.
WITH_SDK: Version = (3, 10)
PREFERRED: Tuple[Version, ...] = ((3, 13), (3, 12), (3, 11), (3, 10))

_READY = ".ready"
_UNLOCKED = "UNITY_BRIDGE_UNLOCKED"
_HERE: Version = sys.version_info[:2]


# What is needed


def requirements(extra: Optional[str] = None) -> List[str]:
    """The requirement lines of ``setup.py``, with those of one extra if it is named."""
    path = os.path.join(ROOT, "setup.py")
    namespace: Dict[str, Any] = {"__name__": "requirements", "__file__": path}
    exec(compile(_setup_source(), path, "exec"), namespace)
    lines: List[str] = list(namespace["REQUIRED"])
    return lines if extra is None else lines + namespace["EXTRAS"][extra]


def unmet(lines: Iterable[str], paths: Optional[Sequence[str]] = None, version: Version = _HERE) -> List[str]:
    """Those of the requirement lines that no distribution on ``paths`` (``sys.path``) satisfies.

    Reads the names of the folders that pip leaves behind, because asking ``importlib.metadata`` costs more than the
    rest of the start.
    """
    installed = _installed(sys.path if paths is None else paths)
    wanted = []
    for line in lines:
        requirement, _, marker = line.partition(";")
        if marker and not _satisfies(_dotted(version), marker.replace("python_version", "").strip().replace('"', "")):
            continue
        end = next((i for i, c in enumerate(requirement) if c in "<>=!~ "), len(requirement))
        found = installed.get(_normalised(requirement[:end]))
        if found is None or not all(_satisfies(found, one.strip()) for one in requirement[end:].split(",")):
            wanted.append(line)
    return wanted


def _installed(paths: Sequence[str]) -> Dict[str, str]:
    found: Dict[str, str] = {}
    for path in paths:
        try:
            names = os.listdir(path or os.curdir)
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                parts = name[: -len(".dist-info")].split("-")
                if len(parts) > 1:
                    found.setdefault(_normalised(parts[0]), parts[1])
    return found


def _normalised(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(".", "_")


def _satisfies(version: str, specifier: str) -> bool:
    """One specifier of the three kinds that ``setup.py`` uses; an empty one is satisfied by anything."""
    have = _release(version)
    wanted = _release(specifier.lstrip("<>= "))
    if specifier.startswith(">="):
        return have >= wanted
    if specifier.startswith("=="):
        return have == wanted
    if specifier.startswith("<") and not specifier.startswith("<="):
        return have < wanted
    if specifier.strip():
        raise ValueError(f"setup.py uses a version specifier that the launcher does not know: {specifier}")
    return True


def _release(version: str) -> Tuple[int, ...]:
    """``2.3.0rc1`` -> ``(2, 3)``: trailing zeros say nothing, and a release candidate counts as its release."""
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


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def _setup_source() -> bytes:
    with open(os.path.join(ROOT, "setup.py"), "rb") as stream:
        return stream.read()


def lock_file() -> Optional[str]:
    """Every package that the launcher installs, with its version and the hashes of its files; ``None`` to take the
    newest versions that fit. ``bin/lock`` writes it."""
    path = os.path.join(ROOT, "conf", "packages.lock")
    return path if os.path.isfile(path) and not os.environ.get(_UNLOCKED) else None


# Which Python


def on_path(name: str) -> Optional[str]:
    """The program of that name on PATH, by its absolute path.

    Not ``shutil.which``: on Windows that looks into the working directory first, and everywhere an empty or relative
    part of PATH means it (SPEC §20.8).
    """
    endings = [""]
    if os.name == "nt" and not os.path.splitext(name)[1]:
        endings = os.environ.get("PATHEXT", ".EXE").split(os.pathsep)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for path in (os.path.join(folder, name + ending) for ending in endings):
            if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def find(version: Version, folders: Sequence[str] = ()) -> Optional[str]:
    """A Python of that version that really runs and can make environments: on PATH, or in one of ``folders``.

    A name on PATH proves nothing: version managers put a stub there for versions that are not switched on.
    """
    name = f"python{_dotted(version)}"
    commands = [["py", f"-{_dotted(version)}"]] if os.name == "nt" else []
    commands.append([name])
    for folder in folders:
        commands += [[os.path.join(folder, "bin", name)], [os.path.join(folder, "python.exe")]]
    for command in commands:
        executable = command[0] if os.path.isfile(command[0]) else on_path(command[0])
        if executable is not None:
            answer = _asked([executable, *command[1:]])
            if answer is not None and answer[0] == _dotted(version):
                return answer[1]
    return None


def _asked(command: List[str]) -> Optional[List[str]]:
    """``[version, path]`` in that Python's own words; None if it does not run or cannot make environments."""
    import subprocess

    question = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
    try:
        done = subprocess.run(
            [*command, "-I", "-c", question],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    return [line.strip() for line in lines[:2]] if done.returncode == 0 and len(lines) >= 2 else None


def _can_make_environments() -> bool:
    from importlib.util import find_spec

    return find_spec("venv") is not None and find_spec("ensurepip") is not None


# Where it lies


def places() -> List[str]:
    """Folders that may hold environments: in the clone, or the user's cache where the clone cannot be written."""
    home = os.path.expanduser("~")
    if os.name == "nt":
        # Not below AppData: what a packaged program makes there, no other program sees (ADR-0025).
        cache = os.path.join(home, FOLDER)
    elif sys.platform == "darwin":
        cache = os.path.join(home, "Library", "Caches", "unity-bridge")
    else:
        cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), "unity-bridge")
    return [os.path.join(ROOT, FOLDER), cache]


def folder_name(kind: str, version: Version = _HERE) -> str:
    """``env-cpython-313-linux-x86_64-1a2b3c4d``: another Python, machine or list of requirements is another folder."""
    import zlib

    tag = f"{sys.implementation.name}-{version[0]}{version[1]}"
    if version == _HERE:
        tag += getattr(sys, "abiflags", "")
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    # Line ends do not count: the same commit may be checked out with either. Nor does how the package is described.
    wanted = _setup_source().replace(b"\r\n", b"\n").partition(b"\ndef ")[0]
    lock = lock_file() if kind == LAUNCHER else None
    if lock is not None:
        with open(lock, "rb") as stream:
            wanted += stream.read()
    digest = zlib.crc32(wanted.replace(b"\r\n", b"\n"))
    return f"{kind}-{tag}-{sys.platform}-{machine}-{digest:08x}".lower()


def python_of(folder: str) -> str:
    """The interpreter inside an environment."""
    return os.path.join(folder, "Scripts", "python.exe") if os.name == "nt" else os.path.join(folder, "bin", "python")


def is_ready(folder: str) -> bool:
    """Finished, its interpreter still there (the Python it was made with may have been removed since), and no package
    lost: the mark lists what was installed."""
    try:
        with open(os.path.join(folder, _READY), encoding="utf-8") as stream:
            installed = set(stream.read().split("\n")) - {""}
    except OSError:
        return False
    return os.path.exists(python_of(folder)) and installed <= _contents(folder)


def _contents(folder: str) -> Set[str]:
    """What lies in an environment's package folder, without versions: a package may be renewed by hand."""
    if os.name == "nt":
        packages = [os.path.join(folder, "Lib", "site-packages")]
    else:
        lib = os.path.join(folder, "lib")
        versions = [name for name in _listed(lib) if name.startswith(("python", "pypy"))]
        packages = [os.path.join(lib, name, "site-packages") for name in versions]
    names = [name for package in packages for name in _listed(package) if not name.startswith(("__pycache__", "~"))]
    return {name.split("-")[0] + ".dist-info" if name.endswith(".dist-info") else name for name in names}


def _listed(folder: str) -> List[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def ready(kind: str, version: Version = _HERE) -> Optional[str]:
    """The folder of a finished environment, if there is one."""
    name = folder_name(kind, version)
    return next((path for path in (os.path.join(place, name) for place in places()) if is_ready(path)), None)


# Making one


class CannotMake(Exception):
    """An environment could not be made; the text is for the user, and complete."""


def make(kind: str, lines: Sequence[str], say: Say, executable: str = sys.executable, version: Version = _HERE) -> str:
    """The folder of an environment that satisfies ``lines``: found, awaited from another maker, or made now.

    Raises ``CannotMake``; and ``OSError`` only if no place can be written.
    """
    name = folder_name(kind, version)
    found = ready(kind, version)
    if found is not None:
        return found
    lock = lock_file() if kind == LAUNCHER else None
    packages = [*lines] if lock is None else ["--require-hashes", "--no-deps", "-r", lock]
    full: List[str] = []
    *others, last = places()
    for place in (*others, last):
        try:
            return _make_in(os.path.join(place, name), packages, say, executable)
        except OSError as error:
            full += [place] if error.errno == errno.ENOSPC else []
            if place == last and not full:
                raise
    raise CannotMake(_FULL.format(" or ".join(full)))


def _make_in(folder: str, packages: Sequence[str], say: Say, executable: str) -> str:
    import shutil

    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with Locked(folder + ".lock", say) as handed_on:
        if is_ready(folder):
            return folder
        say("preparing its environment (once, about 30 s) ...")
        if os.path.lexists(folder):
            # Half made: its maker was stopped. On Windows this fails while a leftover child still runs in it.
            shutil.rmtree(folder)
        try:
            # -I: neither PYTHONPATH nor the user's own packages may stand in for what belongs inside.
            _run([executable, "-I", "-m", "venv", folder], handed_on)
            quietly = ["--disable-pip-version-check", "--no-input", "--no-user"]
            _run([python_of(folder), "-I", "-m", "pip", "install", *quietly, *packages], handed_on)
            with open(os.path.join(folder, _READY), "w", encoding="utf-8") as stream:
                stream.write("\n".join(sorted(_contents(folder))))
        except OSError as error:
            if error.errno == errno.ENOSPC:
                shutil.rmtree(folder, ignore_errors=True)  # others need the space
            raise
    return folder


def _run(command: List[str], handed_on: Tuple[int, ...]) -> None:
    """Run quietly; its output is for the user only if it failed."""
    import subprocess

    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=handed_on
    )
    if done.returncode == 0:
        return
    output = done.stdout.decode("utf-8", "replace").rstrip()
    if any(sign in output for sign in _SIGNS_OF_A_FULL_DISK):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if any(sign in output for sign in _SIGNS_OF_NO_NETWORK):
        raise CannotMake(_OFFLINE)
    if "DO NOT MATCH THE HASHES" in output:
        raise CannotMake(f"{output}\n{_NOT_AS_RELEASED}")
    failed = f"exit status {done.returncode} of {' '.join(command)}"
    hint = _NOT_THAT_VERSION if "--require-hashes" in command and "No matching distribution" in output else ""
    raise CannotMake(f"{output}\ncannot prepare its environment: {failed}{hint}")


# In the words of pip, of Linux, macOS and Windows, and of what pip brings with it.
_SIGNS_OF_A_FULL_DISK = ("No space left on device", "not enough space on the disk", "[Errno 28]", "[WinError 112]")
_SIGNS_OF_NO_NETWORK = (
    "NewConnectionError",
    "Failed to establish a new connection",
    "NameResolutionError",
    "Temporary failure in name resolution",
    "nodename nor servname provided",
    "getaddrinfo failed",
    "ConnectTimeoutError",
    "ProxyError",
)
_FULL = "cannot prepare its environment: no space is left on the disk of {}. It needs about 100 MB."
_NOT_AS_RELEASED = (
    "cannot prepare its environment: a package from the index is not the one that this version was tried with.\n"
    "Nothing of it was installed. If your index is a mirror that builds packages itself, set UNITY_BRIDGE_UNLOCKED=1:\n"
    "that takes the newest versions that fit, without comparing them."
)
_NOT_THAT_VERSION = (
    "\nThe index lacks a version that this one was tried with. UNITY_BRIDGE_UNLOCKED=1 takes the newest that fit."
)
_OFFLINE = (
    "cannot prepare its environment: the package index cannot be reached. Is this machine offline? The first start\n"
    "needs the network once. Behind a proxy, set HTTPS_PROXY; with a mirror, PIP_INDEX_URL; with a folder of packages\n"
    "that were downloaded elsewhere, PIP_NO_INDEX=1 and PIP_FIND_LINKS=FOLDER. Then start it again."
)


class Locked:
    """Holds the lock on ``path`` while entered; yields the descriptors that children must inherit.

    POSIX: a child that outlives a killed launcher keeps the lock through the descriptor it inherited, so nobody clears
    the folder under it. On Windows its own running interpreter keeps the folder from being cleared.
    """

    def __init__(self, path: str, say: Say = lambda text: None) -> None:
        self._path = path
        self._say = say
        self._descriptor = -1

    def __enter__(self) -> Tuple[int, ...]:
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            if not _lock(self._descriptor, wait=False):
                self._say("waiting for another start that prepares the environment ...")
                while not _lock(self._descriptor, wait=True):
                    pass
        except BaseException:
            os.close(self._descriptor)
            raise
        return () if os.name == "nt" else (self._descriptor,)

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


if sys.platform == "win32":

    def _lock(descriptor: int, wait: bool) -> bool:
        import msvcrt

        try:
            # LK_LOCK gives up by itself after ten seconds; the caller asks again.
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _lock(descriptor: int, wait: bool) -> bool:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# The launcher


def isolated(module: str = "unity_bridge", python: str = sys.executable) -> List[str]:
    """The words that run a module of ours as a child process, with no code from the working directory (SPEC §20.8)."""
    return [python, os.path.join(ROOT, "unity_bridge", "run_module.py"), module]


def module_path(environ: Mapping[str, str] = os.environ) -> str:
    """``PYTHONPATH`` for a child: what is set, without the relative parts, which mean the working directory."""
    return os.pathsep.join(part for part in environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(part))


def command() -> List[str]:
    """The words that start this program again: for child processes, and for a client's configuration."""
    launcher = os.path.join(ROOT, "bin", "unity-bridge")
    return [sys.executable, launcher] if os.path.isfile(launcher) else isolated()


def enter(script: str) -> None:
    """Return if this Python has what the program needs; otherwise run ``script`` again in one that has, and exit."""
    if os.path.basename(sys.prefix) == folder_name(LAUNCHER):
        base = _made_with()
        if is_ready(sys.prefix) or base is None:
            return
        _become(base, script)  # it lost a package, and is made anew
    elif not unmet(requirements()):
        return
    own = ready(LAUNCHER)
    _become(_made_for_launch() if own is None else python_of(own), script)


def distrust() -> bool:
    """If the launcher's own environment runs: have the next start make it anew, because a package in it is broken."""
    if os.path.basename(sys.prefix) != folder_name(LAUNCHER):
        return False
    try:
        os.unlink(os.path.join(sys.prefix, _READY))
    except OSError:
        return False
    return True


def _made_with() -> Optional[str]:
    """The interpreter outside, with which the environment that runs was made."""
    found = str(getattr(sys, "_base_executable", sys.executable))
    if found == sys.executable:  # Python 3.8 and 3.9 on POSIX do not tell; there it is what the link leads to
        found = os.path.realpath(sys.executable)
    return found if found != sys.executable and os.path.isfile(found) else None


def _made_for_launch() -> str:
    """The interpreter of an environment made now."""
    executable, version = sys.executable, _HERE
    if not _can_make_environments():
        for candidate in PREFERRED:
            made, found = ready(LAUNCHER, candidate), find(candidate)
            if made is not None:
                return python_of(made)
            if found is not None:
                executable, version = found, candidate
                break
        else:
            _stop(_WITHOUT_VENV.format(executable, _dotted(_HERE)), 1)
    _end_children_with_us()
    try:
        return _made(executable, version)
    except KeyboardInterrupt:
        _stop("interrupted while preparing its environment; the next start begins anew", 130)
    except (CannotMake, OSError) as error:
        _stop(str(error), 1)


_WITHOUT_VENV = (
    "cannot prepare its environment: {} lacks the modules venv and ensurepip.\n"
    "On Debian and Ubuntu, `apt install python{}-venv` brings them. Or install another Python, 3.8 or newer."
)


def _made(executable: str, version: Version) -> str:
    """Make the launcher's environment. SIGTERM unwinds meanwhile, so that it ends pip and not this process alone."""
    import signal

    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return python_of(make(LAUNCHER, requirements(), _say, executable, version))
    finally:
        signal.signal(signal.SIGTERM, before)


def _become(python: str, script: str) -> None:
    command = [python, script, *sys.argv[1:]]
    if os.name != "nt":
        os.execv(python, command)
    # Windows has no exec: its namesake starts a child and ends, and the client takes that for the end of the server.
    import signal
    import subprocess

    _end_children_with_us()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(subprocess.call(command))


if sys.platform == "win32":

    def _end_children_with_us() -> None:
        """From here on: a client that kills the launcher means the server, and Windows would leave that running.

        The job's last handle is ours, and the system closes it when this process ends, however it does. Twice is fine.
        """
        import ctypes
        from ctypes import wintypes

        class Limits(ctypes.Structure):
            _fields_ = (
                ("PerProcessUserTimeLimit", ctypes.c_int64),
                ("PerJobUserTimeLimit", ctypes.c_int64),
                ("LimitFlags", wintypes.DWORD),
                ("MinimumWorkingSetSize", ctypes.c_size_t),
                ("MaximumWorkingSetSize", ctypes.c_size_t),
                ("ActiveProcessLimit", wintypes.DWORD),
                ("Affinity", ctypes.c_size_t),
                ("PriorityClass", wintypes.DWORD),
                ("SchedulingClass", wintypes.DWORD),
                ("IoInfo", ctypes.c_uint64 * 6),
                ("Memory", ctypes.c_size_t * 4),
            )

        kernel = ctypes.WinDLL("kernel32")
        kernel.CreateJobObjectW.restype = kernel.GetCurrentProcess.restype = wintypes.HANDLE
        kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, wintypes.LPVOID, wintypes.DWORD)
        kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
        job = kernel.CreateJobObjectW(None, None)
        limits = Limits(LimitFlags=0x2000)  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
        extended = 9  # JobObjectExtendedLimitInformation
        if job and kernel.SetInformationJobObject(job, extended, ctypes.byref(limits), ctypes.sizeof(limits)):
            kernel.AssignProcessToJobObject(job, kernel.GetCurrentProcess())

else:

    def _end_children_with_us() -> None:
        """Nothing to do: there the launcher becomes the server."""


def _say(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"unity-bridge: {text}\n")
        sys.stderr.flush()


def _stop(text: str, status: int) -> NoReturn:
    _say(text)
    sys.exit(status)
