"""The package on .NET, as generations of code that a CoreCLR editor loads and unloads in one
process.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.unity_headless import build, roslyn

HERE = Path(__file__).resolve().parent
ENGINE = "UnityEngine.dll"
UNITY = (ENGINE, "UnityEditor.dll", "nunit.framework.dll", "UnityEditor.TestRunner.dll")


def start(
    folder: Path, project: Path, port: int, generations: int, with_snippet: int
) -> subprocess.Popen[str]:
    """Starts the process in ``folder``. A generation stays until there has been a line on stdin for
    it.

    Each of the first ``with_snippet`` generations stays until a snippet has logged "snippet N", N counted from 0.
    """
    built = build.build() / "1.4.6"
    for name in (*UNITY, "Game.Editor.dll"):
        shutil.copy(str(built / name), str(folder))
    # As newer versions have it: with CurrentAssemblies.
    engine = [str(path) for path in sorted((HERE.parent / "stubs" / "UnityEngine").rglob("*.cs"))]
    roslyn.compile_all(
        [
            [
                "-target:library",
                "-d:UNITY_CORECLR",
                "-nowarn:67,414,649",
                f"-out:{folder / ENGINE}",
                *engine,
            ]
        ],
        folder,
    )
    roslyn.lay_out_editor(folder / "Contents")
    program = folder / "HeadlessHost.dll"
    host = [path for path in sorted((HERE.parent / "host").glob("*.cs")) if path.name != "Host.cs"]
    references = [f"-r:{folder / name}" for name in UNITY]
    sources = [str(path) for path in (*host, HERE / "Generations.cs")]
    roslyn.compile_all(
        [["-target:exe", "-nowarn:67,414,649", f"-out:{program}", *references, *sources]], folder
    )
    settings = {
        "tfm": "net8.0",
        "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
        "configProperties": {"System.Globalization.Invariant": True},
    }
    program.with_suffix(".runtimeconfig.json").write_text(
        json.dumps({"runtimeOptions": settings}), encoding="utf-8"
    )
    (project / "ProjectSettings").mkdir(parents=True)
    (project / "ProjectSettings" / "UnityBridge.json").write_text(
        json.dumps({"port": port}), encoding="utf-8"
    )
    package = built / "UnityBridge.Editor.dll"
    return subprocess.Popen(
        [
            *(str(roslyn.dotnet()), str(program), str(project), str(package), str(generations)),
            *(str(with_snippet), str(folder / "Contents")),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        bufsize=1,
    )
