"""Autobahn|Testsuite against the plugin's client: ``python -m tests.conformance.plugin_client``;
``--dotnet`` on .NET.

The plugin's unmodified sources are compiled with ``EchoClient.cs``; only the path in its request is replaced, because
Autobahn's fuzzing server reads the case from it. The plugin takes no binary messages and none over 1 MiB; those cases
must end with 1003 and 1009; in section 9 a reset may overtake the close frame.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Dict, List

from tests.conformance import autobahn
from tests.ports import free_port
from tests.unity_headless import build, roslyn

AGENT = "plugin"

# What the plugin refuses by intention, with 1003 and 1009. Its limit is 1 MiB.
BINARY = re.compile(r"1\.2\.\d|9\.[2468]\.\d")
TOO_BIG = re.compile(r"9\.1\.[456]|9\.3\.\d")

_ECHO_CLIENT = Path(__file__).with_name("EchoClient.cs")
_REQUEST = 'Ask("/unity",'
_PROFILE = "1.4.6"


def compile_client(folder: Path) -> Path:
    """Build the echo client, with all that it needs next to it."""
    sources = folder / "sources"
    shutil.copytree(str(build.PACKAGE / "Editor"), str(sources))
    shutil.copy(str(_ECHO_CLIENT), str(sources))
    opening = sources / "Connection" / "Opening.cs"
    text = opening.read_text(encoding="utf-8")
    assert text.count(_REQUEST) == 1, (
        "the request of the handshake has changed: replace its path elsewhere"
    )
    opening.write_text(text.replace(_REQUEST, "Ask(EchoClient.Path,"), encoding="utf-8")
    program = folder / "EchoClient.exe"
    responses = folder / "responses"
    responses.mkdir()
    roslyn.compile_all([[*build.plugin_options(program, sources), "-target:exe"]], responses)
    for library in (build.build() / _PROFILE).glob("Unity*.dll"):
        shutil.copy(str(library), str(folder))
    settings = {"tfm": "net8.0", "framework": {"name": "Microsoft.NETCore.App", "version": "8.0.0"}}
    settings["configProperties"] = {"System.Globalization.Invariant": True}
    program.with_suffix(".runtimeconfig.json").write_text(
        json.dumps({"runtimeOptions": settings}), encoding="utf-8"
    )
    return program


def on_mono(program: Path) -> List[str]:
    return ["mono", str(program)]


def on_dotnet(program: Path) -> List[str]:
    return [str(roslyn.dotnet()), "exec", str(program)]


def run(wstest: Path, work: Path, client: List[str], cases: List[str]) -> autobahn.Index:
    """Autobahn's index: ``{case: {behavior, behaviorClose, remoteCloseCode, ...}}``."""
    port = free_port()
    spec = {
        "url": f"ws://127.0.0.1:{port}",
        "outdir": str(work / "reports"),
        "cases": cases,
        "exclude-cases": ["12.*", "13.*"],
        "exclude-agent-cases": {},
    }
    (work / "spec.json").write_text(json.dumps(spec))
    # 0: without its web pages.
    command = [str(wstest), "-m", "fuzzingserver", "-s", str(work / "spec.json"), "-u", "0"]
    server = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL)
    try:
        subprocess.run([*client, str(port)], check=True, cwd=work, timeout=600)
    finally:
        server.kill()
        server.wait()
    index: Dict[str, autobahn.Index] = json.loads((work / "reports" / "index.json").read_text())
    return index[AGENT]


def failed_cases(index: autobahn.Index) -> List[str]:
    return [line.partition(":")[0] for line in failures(index)]


def failures(index: autobahn.Index) -> List[str]:
    """One line for each case that ended in another way than it should."""
    wrong = [
        f"{case}: {behavior}, close {close}"
        for case, behavior, close in autobahn.failures(split(index, refused=False))
    ]
    for case, verdict in split(index, refused=True).items():
        # None: the plugin hangs up at once, and the reset may overtake the close frame.
        expected = [
            1003 if BINARY.fullmatch(case) else 1009,
            *([None] if case.startswith("9.") else []),
        ]
        if verdict["remoteCloseCode"] not in expected:
            wrong.append(
                f"{case}: closed with {verdict['remoteCloseCode']}, expected {expected[0]}"
            )
    return wrong


def split(index: autobahn.Index, refused: bool) -> autobahn.Index:
    """Return the cases that the plugin refuses by intention, or the others."""
    return {
        case: verdict
        for case, verdict in index.items()
        if bool(BINARY.fullmatch(case) or TOO_BIG.fullmatch(case)) == refused
    }


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--cases", default="*", help="for example 7.* (default: all)")
    options.add_argument(
        "--dotnet", action="store_true", help="run the client on .NET, not on Mono"
    )
    chosen = options.parse_args()
    python2 = autobahn.find_python2()
    absent = (
        "no Python 2.7 here to host the Autobahn testsuite"
        if python2 is None
        else build.missing_tools()
    )
    if python2 is None or absent is not None:
        sys.stderr.write(f"skipped: {absent}\n")
        return autobahn.NO_PYTHON_2
    wstest = autobahn.install(python2, autobahn.cache_folder())
    with tempfile.TemporaryDirectory() as work:
        program = compile_client(Path(work))
        client = (on_dotnet if chosen.dotnet else on_mono)(program)
        index = autobahn.tried(
            partial(run, wstest, Path(work), client), [chosen.cases], failed_cases
        )
    failed = failures(index)
    refused = len(split(index, refused=True))
    sys.stderr.write("".join(f"{line}\n" for line in failed))
    sys.stderr.write(f"{len(index)} cases: {refused} refused by intention, {len(failed)} failed\n")
    return 0 if not failed and (chosen.cases != "*" or len(index) == autobahn.CASES) else 1


if __name__ == "__main__":
    sys.exit(main())
