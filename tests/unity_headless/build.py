"""Builds the headless editor as C# 9: stubs of Unity's API, the unmodified plugin, its tests, the
host.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Dict, Iterable, List, Optional

from tests.unity_headless import roslyn
from unity_bridge.launch.file_lock import Locked

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent / "unity_bridge" / "unity_package"

# Which members the pretended test framework has; see stubs/TestRunner/Api.cs.
PROFILES: Dict[str, str] = {
    "1.1.31": "UTF_1_1",
    "1.3.1": "UTF_1_3_1",
    "1.3.9": "UTF_1_3",
    "1.4.6": "UTF_1_4",
    # Part of Unity 6.1 and newer, its sources unseen: nothing but the public members.
    "1.6": "UTF_1_6",
    "2.0.1": "UTF_2_0",
}

# In the folder of a build, next to its profiles: what MONO_CFG_DIR names.
CONFIGURATION = "etc"


def missing_tools() -> Optional[str]:
    """Why nothing can be built or run here, or ``None``."""
    missing = [tool for tool in ("mcs", "mono") if shutil.which(tool) is None]
    if missing:
        return f"{' and '.join(missing)} not found (Debian, Ubuntu: apt-get install mono-mcs)"
    return roslyn.missing()


def build(cache: Optional[Path] = None) -> Path:
    """The folder with one runnable folder per profile in it, built only when a source has changed.

    Safe to call from several processes at once: one builds, the others wait for it.
    """
    cache = cache or Path(tempfile.gettempdir()) / f"unity-bridge-headless-{_user()}"
    done = cache / _content_hash()
    if done.is_dir():
        return done
    cache.mkdir(parents=True, exist_ok=True)
    with Locked(str(cache / "building.lock")):
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
    oldest, *newer = PROFILES
    # Against the poorest framework: what newer ones add must be found without being compiled in.
    product = out / oldest
    unity = [out / "UnityEngine.dll", out / "UnityEditor.dll"]
    # A package: the plugin is compiled without it.
    ugui = out / "UnityEngine.UI.dll"
    nunit = out / "nunit.framework.dll"
    game = out / "Game.Editor.dll"
    pipeline = out / "Unity.Pipeline.Editor.dll"
    inputs = out / "Unity.InputSystem.dll"
    sprites = out / "Unity.2D.Sprite.Editor.dll"
    # Present for the compiler only: its folder is not copied.
    missing = out / "missing" / "Missing.dll"
    framework = product / "UnityEditor.TestRunner.dll"
    plugin = product / "UnityBridge.Editor.dll"
    for profile in PROFILES:
        (out / profile).mkdir()
    responses = out / "responses"
    responses.mkdir()
    missing.parent.mkdir()
    roslyn.compile_all(
        [
            _options(unity[0], stubs / "UnityEngine"),
            _options(unity[1], stubs / "UnityEditor", unity[:1]),
            # The editor of the oldest framework is that of 2021.3, without what came with 2022.2.
            _options(product / unity[1].name, stubs / "UnityEditor", unity[:1], ["UNITY_2021_3"]),
            _options(ugui, stubs / "UGui", unity[:1]),
            _options(nunit, stubs / "NUnit"),
            _options(game, HERE / "game", unity),
            _options(pipeline, HERE / "pipeline" / "package"),
            _options(inputs, HERE / "input", unity),
            _options(sprites, HERE / "sprites", unity),
            _options(missing, HERE / "pipeline" / "missing"),
            _options(out / "Game.Pipeline.dll", HERE / "pipeline" / "game", [pipeline, missing]),
            *(
                _options(out / profile / framework.name, stubs / "TestRunner", unity, [symbol])
                for profile, symbol in PROFILES.items()
            ),
            _options(plugin, PACKAGE / "Editor", [*unity, framework]),
            # As a project that imports the sample compiles it.
            _options(
                out / "UnityBridge.Samples.Commands.dll", PACKAGE / "Samples~", [*unity, plugin]
            ),
            _options(
                product / "UnityBridge.Editor.Tests.dll",
                PACKAGE / "Tests" / "Editor",
                [*unity, framework, nunit, plugin],
            ),
            *(
                _options(
                    out / profile / "HeadlessHost.exe",
                    HERE / "host",
                    [*unity, nunit, out / profile / framework.name],
                    target="exe",
                )
                for profile in PROFILES
            ),
        ],
        responses,
    )
    _configure(out / CONFIGURATION / "mono")
    for library in [*out.glob("*.dll"), *product.glob("UnityBridge.*.dll")]:
        for profile in PROFILES if library.parent == out else newer:
            if not (out / profile / library.name).exists():
                shutil.copy(str(library), str(out / profile))
                shutil.copy(str(library.with_suffix(".pdb")), str(out / profile))


def _configure(mono: Path) -> None:
    """Mono's map of native libraries, without machine.config, which each script domain would parse.

    Where the map is not in either place, ``mono`` stays away, and Mono takes its own.
    """
    prefix = roslyn.mono_prefix()
    for etc in (prefix / "etc", prefix.parent / "etc"):
        if (etc / "mono" / "config").is_file():
            mono.mkdir(parents=True)
            shutil.copy(str(etc / "mono" / "config"), str(mono))
            return


def plugin_options(output: Path, sources: Path) -> List[str]:
    """How the plugin is compiled from a changed copy of its sources."""
    built = build()
    oldest = next(iter(PROFILES))
    framework = built / oldest / "UnityEditor.TestRunner.dll"
    return _options(
        output, sources, [built / "UnityEngine.dll", built / "UnityEditor.dll", framework]
    )


def _options(
    output: Path,
    folder: Path,
    references: Iterable[Path] = (),
    symbols: Iterable[str] = (),
    target: str = "library",
) -> List[str]:
    is_product = PACKAGE in folder.parents
    return [
        f"-target:{target}",
        f"-out:{output}",
        # The product compiles without a warning; a stub has events that nobody raises and fields
        # that nobody sets.
        "-warnaserror+" if is_product else "-nowarn:67,414,649",
        *(f"-d:{symbol}" for symbol in symbols),
        *(f"-r:{reference}" for reference in references),
        *(str(source) for source in _sources(folder)),
    ]


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


if __name__ == "__main__":
    import sys

    sys.stderr.write(f"{build()}\n")
