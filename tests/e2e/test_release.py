"""A release, rehearsed: sdist and wheel are built, installed where nothing is yet, and used as
users would.

In a hostile working directory. ``bin/test release`` runs this alone, on every Python that is found; uv makes the
environments, because it shares the files of packages between them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

import pytest

from tests import environments
from tests.e2e.hostile_workspace import CONFESSION, make_hostile, surroundings
from tests.rounds import rounds
from unity_bridge.launch import environment
from unity_bridge.version import __version__

REPOSITORY = Path(environment.ROOT)
PYTHONS: Tuple[environment.Version, ...] = ((3, 13), (3, 12), (3, 11), (3, 10), (3, 9), (3, 8))
# The newest, the oldest with an SDK, and the oldest.
FEW = (PYTHONS[0], environment.WITH_SDK, PYTHONS[-1])
PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
BUILD = "import setuptools.build_meta as b, sys; b.build_{}(sys.argv[1])"
# As a machine may be busy with other things: it only ends what hangs.
LIMIT_S = 300
BUILDS = (
    "setup.py",
    "pyproject.toml",
    "MANIFEST.in",
    "LICENSE",
    "README.md",
    "unity_bridge",
    "conf",
    "bin",
)
# Those who build a plugin or a server of their own find the contract and its test vectors in the
# sdist.
READS = ("docs", "protocol", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


class Rehearsal(NamedTuple):
    """What came of one installation; ``faults`` is empty if everything was as it should be."""

    name: str
    faults: List[str]


@pytest.fixture(scope="module")
def uv() -> str:
    if sys.version_info < environment.WITH_SDK:
        pytest.skip("a release is rehearsed once, on the newest Python")
    return environments.uv(lambda text: None)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Path]:
    """``sdist``, and ``wheel`` built from it as pip does where there is no wheel: so the sdist is
    whole.
    """
    folder = tmp_path_factory.mktemp("built")
    clone = folder / "clone"
    clone.mkdir()
    for name in (*BUILDS, *READS):
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(
                str(source), str(clone / name), ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy2(str(source), str(clone))
    run([sys.executable, "-I", "-c", BUILD.format("sdist"), str(folder)], clone)
    (sdist,) = folder.glob("*.tar.gz")
    shutil.unpack_archive(str(sdist), str(folder / "unpacked"), filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    run([sys.executable, "-I", "-c", BUILD.format("wheel"), str(folder)], unpacked)
    (wheel,) = folder.glob("*.whl")
    return {"sdist": sdist, "wheel": wheel}


@pytest.fixture(scope="module")
def rehearsals(
    uv: str, built: Dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> List[Rehearsal]:
    folder = tmp_path_factory.mktemp("rehearsed")
    workspace = make_hostile(folder / "workspace")
    found = [(version, python_of(version)) for version in PYTHONS if rounds(version in FEW, True)]
    pythons = [(version, python) for version, python in found if python is not None]
    if not pythons:  # this one is not on PATH
        pythons = [(sys.version_info[:2], sys.executable)]
    # The sdist makes the wheel that is tried everywhere else: once is enough to see that installers
    # can build it.
    plan = [("sdist", *pythons[0]), *(("wheel", *one) for one in pythons)]

    def rehearse(kind: str, version: environment.Version, python: str) -> Rehearsal:
        name = "{}-{}.{}".format(kind, *version)
        return Rehearsal(
            name, faults_of(uv, built[kind], version, python, folder / name, workspace)
        )

    with ThreadPoolExecutor(max_workers=3, thread_name_prefix="rehearsal") as pool:
        return list(pool.map(lambda one: rehearse(*one), plan))


def faults_of(
    uv: str, package: Path, version: environment.Version, python: str, folder: Path, workspace: Path
) -> List[str]:
    made = run([uv, "venv", "--quiet", "--python", python, str(folder)], folder.parent)
    made += run(
        [
            uv,
            "pip",
            "install",
            "--quiet",
            "--python",
            environment.python_of(str(folder)),
            str(package),
        ],
        folder,
    )
    scripts = os.path.dirname(environment.python_of(str(folder)))
    program = shutil.which("unity-bridge", path=scripts)
    if program is None:
        return [f"no command on PATH: {made}"]
    faults = []

    def uses(*words: str, stdin: str = "") -> str:
        home = str(folder / "home")
        done = subprocess.run(
            [program, *words],
            cwd=str(workspace),
            env=surroundings(
                HOME=home, USERPROFILE=home, UNITY_BRIDGE_STATE_DIR=str(folder / "state")
            ),
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=LIMIT_S,
        )
        if done.returncode or CONFESSION in done.stdout or "Traceback" in done.stdout:
            faults.append(f"{' '.join(words)}: status {done.returncode}, {done.stdout[-2000:]}")
        return done.stdout

    if uses("--version") != f"unity-bridge {__version__}\n":
        faults.append("another version")
    configuration = folder / "client.json"
    uses("client", "add", "--file", str(configuration))
    entry = json.loads(configuration.read_text(encoding="utf-8"))["mcpServers"]["unity-bridge"]
    if " ".join(entry["args"]) != "-I -m unity_bridge" or not os.path.samefile(
        os.path.dirname(entry["command"]), scripts
    ):
        faults.append(f"a client would start {entry}")
    if '"id":1' not in uses("serve", "--port", "0", stdin=PING):
        faults.append("the server did not answer")
    # The demo's client is the SDK's own.
    if version >= environment.WITH_SDK and "nothing ran twice" not in uses("demo"):
        faults.append("the demo did not come to its end")
    return faults


def python_of(version: environment.Version) -> Optional[str]:
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return environments.find(
        version, [str(path) for path in sorted(pyenv.glob("versions/{}.{}.*".format(*version)))]
    )


def run(command: List[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=str(folder),
        env=surroundings(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_every_installation_runs_and_takes_nothing_from_the_working_directory(
    rehearsals: List[Rehearsal],
) -> None:
    assert {one.name: one.faults for one in rehearsals if one.faults} == {}


def test_at_least_one_of_each_was_tried(rehearsals: List[Rehearsal]) -> None:
    assert {one.name.split("-")[0] for one in rehearsals} == {"sdist", "wheel"}


# What is in the packages


def shipped_sources() -> Set[str]:
    """Every module, the data and pictures that modules read, the self-test's project, and the Unity
    package.
    """
    folder = REPOSITORY / "unity_bridge"
    files = [
        *folder.rglob("*.py"),
        folder / "py.typed",
        *(folder / "installation" / "skills").iterdir(),
        *(folder / "catalogue").glob("*.json"),
        *(folder / "simulator").glob("*.json"),
        *(folder / "simulator" / "pictures").iterdir(),
        *(folder / "selftest" / "project").rglob("*"),
        *(folder / "unity_package").rglob("*"),
    ]
    return {path.relative_to(REPOSITORY).as_posix() for path in files if path.is_file()}


def test_the_wheel_holds_every_file_of_the_package_and_the_configuration(
    built: Dict[str, Path],
) -> None:
    with zipfile.ZipFile(str(built["wheel"])) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert names == shipped_sources() | {"unity_bridge/conf/unity-bridge.json"}
        packed = json.loads(archive.read("unity_bridge/conf/unity-bridge.json").decode())
    assert packed == json.loads(
        (REPOSITORY / "conf" / "unity-bridge.json").read_text(encoding="utf-8")
    )


def test_the_sdist_holds_what_is_to_be_read(built: Dict[str, Path]) -> None:
    with tarfile.open(str(built["sdist"])) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    files = [
        path
        for name in READS
        for path in ((REPOSITORY / name).rglob("*") if "." not in name else [REPOSITORY / name])
    ]
    assert {path.relative_to(REPOSITORY).as_posix() for path in files if path.is_file()} <= names


def test_the_wheel_says_what_it_is_and_what_it_needs(built: Dict[str, Path]) -> None:
    with zipfile.ZipFile(str(built["wheel"])) as archive:
        info: Dict[str, str] = {
            name.rsplit("/", 1)[-1]: archive.read(name).decode().replace("\r\n", "\n")
            for name in archive.namelist()
            if ".dist-info/" in name
        }
    assert f"\nVersion: {__version__}\n" in info["METADATA"]
    assert "\nRequires-Python: >=3.8\n" in info["METADATA"]
    assert "unity-bridge = unity_bridge.__main__:main" in info["entry_points.txt"]
    assert "MIT License" in info["LICENSE"]
    needed = [
        line
        for line in info["METADATA"].splitlines()
        if line.startswith("Requires-Dist:") and "extra" not in line
    ]
    assert len(needed) == len(environment.requirements())
    relative = re.findall(r"\]\((?!https?:|#)[^)]*\)", info["METADATA"])
    assert relative == [], "PyPI shows the README where these lead nowhere"


def test_an_installed_package_finds_its_configuration_and_starts_itself(
    uv: str, built: Dict[str, Path], tmp_path: Path
) -> None:
    """Without anything that it needs: enough for what imports nothing."""
    run([uv, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "env")], tmp_path)
    python = environment.python_of(str(tmp_path / "env"))
    run(
        [uv, "pip", "install", "--quiet", "--no-deps", "--python", python, str(built["wheel"])],
        tmp_path,
    )
    question = (
        "import json; from unity_bridge import config; from unity_bridge.launch import environment;"
        "print(json.dumps([str(config.shipped_file()), str(config.ConfigLoader({}).load()), environment.command()]))"
    )
    file, loaded, command = json.loads(run([python, "-I", "-c", question], tmp_path))
    assert Path(file).parent.parent.parent.name == "site-packages"
    assert loaded.startswith("Ok(")
    assert command[1:] == [str(Path(file).parents[1] / "launch" / "run_module.py"), "unity_bridge"]
