"""Builds the headless editor with Mono's compiler: stubs of Unity's API, the unmodified plugin, its tests, the host."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Dict, Iterable, List, Optional

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent / "unity_bridge" / "unity_package"

# Which members the pretended test framework has; see stubs/TestRunner/Api.cs.
PROFILES: Dict[str, str] = {"1.1.33": "UTF_1_1", "1.3.9": "UTF_1_3", "1.4.6": "UTF_1_4", "2.0.1": "UTF_2_0"}

_LOCK_IS_STALE_AFTER_S = 120.0


class BuildFailed(Exception):
    """The compiler refused something; the message is its output."""


def missing_tools() -> Optional[str]:
    """Why nothing can be built or run here, or ``None``."""
    missing = [tool for tool in ("mcs", "mono") if shutil.which(tool) is None]
    return f"{' and '.join(missing)} not found (Debian, Ubuntu: apt-get install mono-mcs)" if missing else None


def build(cache: Optional[Path] = None) -> Path:
    """The folder with one runnable folder per profile in it, built only when a source has changed.

    Safe to call from several processes at once: one builds, the others wait for it.
    """
    cache = cache or Path(tempfile.gettempdir()) / f"unity-bridge-headless-{_user()}"
    done = cache / _content_hash()
    if done.is_dir():
        return done
    cache.mkdir(parents=True, exist_ok=True)
    with _Lock(cache / "lock"):
        if not done.is_dir():
            work = Path(tempfile.mkdtemp(prefix="building-", dir=str(cache)))
            try:
                _build_into(work)
                work.rename(done)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return done


def _build_into(out: Path) -> None:
    stubs = HERE / "stubs"
    _compile(out / "UnityEngine.dll", _sources(stubs / "UnityEngine"), [])
    _compile(out / "UnityEditor.dll", _sources(stubs / "UnityEditor"), ["UnityEngine"])
    _compile(out / "nunit.framework.dll", _sources(stubs / "NUnit"), [])
    for profile, symbol in PROFILES.items():
        folder = out / profile
        folder.mkdir()
        for library in out.glob("*.dll"):
            shutil.copy(str(library), str(folder))
        _compile(
            folder / "UnityEditor.TestRunner.dll",
            _sources(stubs / "TestRunner"),
            ["UnityEngine", "UnityEditor"],
            [symbol],
        )
    # Against the poorest framework: what newer ones add must be found without being compiled in.
    oldest, *newer = PROFILES
    references = ["UnityEngine", "UnityEditor", "UnityEditor.TestRunner"]
    built = [out / oldest / "UnityBridge.Editor.dll", out / oldest / "UnityBridge.Editor.Tests.dll"]
    _compile(built[0], _sources(PACKAGE / "Editor"), references)
    _compile(built[1], _sources(PACKAGE / "Tests" / "Editor"), [*references, "UnityBridge.Editor", "nunit.framework"])
    for profile in newer:
        for library in built:
            shutil.copy(str(library), str(out / profile))
    for profile in PROFILES:
        _compile(
            out / profile / "HeadlessHost.exe", _sources(HERE / "host"), [*references, "nunit.framework"], target="exe"
        )


def _compile(
    output: Path, sources: List[Path], references: Iterable[str], symbols: Iterable[str] = (), target: str = "library"
) -> None:
    is_product = PACKAGE in (sources[0].parents if sources else ())
    command = [
        "mcs",
        f"-target:{target}",
        f"-out:{output}",
        "-langversion:latest",
        "-optimize+",
        "-debug+",
        "-r:System.Core.dll",
        # The product compiles without a warning; a stub has events that nobody raises.
        "-warnaserror+" if is_product else "-nowarn:67,414,649",
        *(f"-d:{symbol}" for symbol in symbols),
        *(f"-r:{output.parent / name}.dll" for name in references),
        *(str(source) for source in sources),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise BuildFailed(f"{output.name}:\n{done.stdout}")


def _sources(folder: Path) -> List[Path]:
    return sorted(folder.rglob("*.cs"))


def _content_hash() -> str:
    digest = hashlib.sha256()
    for source in [Path(__file__), *_sources(HERE), *_sources(PACKAGE)]:
        digest.update(str(source.relative_to(HERE.parent.parent)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


class _Lock:
    """A file that only one process can create; one left behind by a killed build is taken over."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        waited = 0.0
        pause = threading.Event()
        while True:
            try:
                os.close(os.open(str(self._path), os.O_CREAT | os.O_EXCL))
                return
            except FileExistsError:
                pause.wait(0.1)
                waited += 0.1
                if waited > _LOCK_IS_STALE_AFTER_S:
                    self.__exit__()

    def __exit__(self, *_: object) -> None:
        try:
            self._path.unlink()
        except FileNotFoundError:
            pass


if __name__ == "__main__":
    import sys

    sys.stderr.write(f"{build()}\n")
