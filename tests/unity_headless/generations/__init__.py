"""The package on .NET, as generations of code that a CoreCLR editor loads and unloads in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.unity_headless import build, roslyn

HERE = Path(__file__).resolve().parent
UNITY = ("UnityEngine.dll", "UnityEditor.dll", "nunit.framework.dll", "UnityEditor.TestRunner.dll")


def start(folder: Path, port: int, generations: int) -> subprocess.Popen[str]:
    """Starts the process in ``folder``; each line on its stdin lets one more generation go."""
    built = build.build() / "1.4.6"
    for name in (*UNITY, "Game.Editor.dll"):
        shutil.copy(str(built / name), str(folder))
    program = folder / "HeadlessHost.dll"
    host = [path for path in sorted((HERE.parent / "host").glob("*.cs")) if path.name != "Host.cs"]
    references = [f"-r:{folder / name}" for name in UNITY]
    sources = [str(path) for path in (*host, HERE / "Generations.cs")]
    roslyn.compile_all([["-target:exe", "-nowarn:67,414,649", f"-out:{program}", *references, *sources]], folder)
    settings = {
        "tfm": "net8.0",
        "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"},
        "configProperties": {"System.Globalization.Invariant": True},
    }
    program.with_suffix(".runtimeconfig.json").write_text(json.dumps({"runtimeOptions": settings}), encoding="utf-8")
    project = folder / "Game"
    (project / "ProjectSettings").mkdir(parents=True)
    (project / "ProjectSettings" / "UnityBridge.json").write_text(json.dumps({"port": port}), encoding="utf-8")
    package = built / "UnityBridge.Editor.dll"
    return subprocess.Popen(
        [str(roslyn.dotnet()), str(program), str(project), str(package), str(generations)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        bufsize=1,
    )
