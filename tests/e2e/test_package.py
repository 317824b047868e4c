"""What a user gets from pip: everything that a clone has at work, and a command on PATH (real builds)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Dict, Set

import pytest

from unity_bridge import environment
from unity_bridge.version import __version__

REPOSITORY = Path(environment.ROOT)
BUILD = "import setuptools.build_meta as b, sys; b.build_{}(sys.argv[1])"


def shipped_sources() -> Set[str]:
    """Every module of the package, and every file of the Unity package in it."""
    folder = REPOSITORY / "unity_bridge"
    data = (folder / "py.typed", folder / "installation" / "SKILL.md")
    files = [*folder.rglob("*.py"), *data, *(folder / "unity_package").rglob("*")]
    return {path.relative_to(REPOSITORY).as_posix() for path in files if path.is_file()}


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with setuptools, which newer environments lack."""
    folder = tmp_path_factory.mktemp("builder")
    call(sys.executable, "-m", "venv", str(folder))
    python = Path(environment.python_of(str(folder)))
    call(str(python), "-m", "pip", "install", "--quiet", "setuptools>=64", "wheel")
    return python


@pytest.fixture(scope="module")
def sdist(builder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    clone = folder / "clone"
    clone.mkdir()
    for path in [REPOSITORY / "LICENSE", *REPOSITORY.glob("*.*")]:
        if path.is_file():
            shutil.copy2(str(path), str(clone))
    for name in ("unity_bridge", "conf", "bin", "docs", "protocol"):
        shutil.copytree(str(REPOSITORY / name), str(clone / name), ignore=shutil.ignore_patterns("__pycache__"))
    call(str(builder), "-c", BUILD.format("sdist"), str(folder), cwd=clone)
    (built,) = folder.glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(builder: Path, sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as pip does where there is no wheel: so the sdist is whole."""
    folder = tmp_path_factory.mktemp("wheel")
    how = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    call(str(builder), "-m", "pip", "wheel", *how, str(sdist))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and nothing that it needs: enough for what imports nothing."""
    folder = tmp_path_factory.mktemp("installed")
    call(sys.executable, "-m", "venv", str(folder))
    call(environment.python_of(str(folder)), "-m", "pip", "install", "--quiet", "--no-deps", str(wheel))
    return folder


def call(*command: str, cwd: Path = REPOSITORY) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    done = subprocess.run(command, cwd=str(cwd), env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_every_file_of_the_package_and_the_configuration(wheel: Path) -> None:
    with zipfile.ZipFile(str(wheel)) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        assert names == shipped_sources() | {"unity_bridge/conf/unity-bridge.json"}
        packed = json.loads(archive.read("unity_bridge/conf/unity-bridge.json").decode())
    assert packed == json.loads((REPOSITORY / "conf" / "unity-bridge.json").read_text(encoding="utf-8"))


def test_the_sdist_holds_the_contract_and_its_goldens(sdist: Path) -> None:
    with tarfile.open(str(sdist)) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    files = [*(REPOSITORY / "docs").rglob("*"), *(REPOSITORY / "protocol").rglob("*")]
    assert {path.relative_to(REPOSITORY).as_posix() for path in files if path.is_file()} <= names


def test_the_wheel_says_what_it_is_and_what_it_needs(wheel: Path) -> None:
    with zipfile.ZipFile(str(wheel)) as archive:
        info: Dict[str, str] = {
            name.rsplit("/", 1)[-1]: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name
        }
    assert f"\nVersion: {__version__}\n" in info["METADATA"]
    assert "\nRequires-Python: >=3.8\n" in info["METADATA"]
    assert "unity-bridge = unity_bridge.__main__:main" in info["entry_points.txt"]
    assert "MIT License" in info["LICENSE"]
    needed = [
        line for line in info["METADATA"].splitlines() if line.startswith("Requires-Dist:") and "extra" not in line
    ]
    assert len(needed) == len(environment.requirements())


def test_an_installed_package_finds_its_configuration_and_starts_itself_as_a_module(installed: Path) -> None:
    question = (
        "import json; from unity_bridge import config, environment;"
        "print(json.dumps([str(config.shipped_file()), str(config.ConfigLoader({}).load()), environment.command()]))"
    )
    python = environment.python_of(str(installed))
    file, loaded, command = json.loads(call(python, "-c", question, cwd=installed))
    assert Path(file).parent.parent.parent.name == "site-packages"
    assert loaded.startswith("Ok(")
    assert command[1:] == [str(Path(file).parents[1] / "run_module.py"), "unity_bridge"]


def test_the_command_is_on_path(installed: Path) -> None:
    assert shutil.which("unity-bridge", path=os.path.dirname(environment.python_of(str(installed))))
