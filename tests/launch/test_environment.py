"""What the launcher concludes from the installed packages (e2e/test_launcher.py: how it makes an
environment).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import List

import pytest
from packaging.requirements import Requirement

from unity_bridge.installation.missing_package import lacked_package
from unity_bridge.launch import environment, environment_maker

EVERY_LINE = sorted({*environment.requirements("dev"), *environment.requirements("test")})


def site(folder: Path, *distributions: str) -> List[str]:
    for name in distributions:
        (folder / name).mkdir(parents=True)
    return [str(folder)]


@pytest.mark.parametrize("line", EVERY_LINE)
def test_a_line_of_setup_py_means_to_the_launcher_what_it_means_to_pip(
    line: str, tmp_path: Path
) -> None:
    requirement = Requirement(line)
    for python in ((3, 8), (3, 9), (3, 10), (3, 13)):
        marker = requirement.marker
        needed = marker is None or marker.evaluate({"python_version": f"{python[0]}.{python[1]}"})
        for version in (
            "0.1",
            "0.6.4",
            "0.6.7",
            "1.0",
            "1.2",
            "2.3",
            "2.3.1",
            "3.0",
            "4.17",
            "8.1.8",
            "16.0",
            "9999",
        ):
            folder = tmp_path / f"{python[1]}-{version}"
            paths = site(folder, f"{requirement.name.replace('-', '_')}-{version}.dist-info")
            satisfied = not needed or requirement.specifier.contains(version)
            assert (environment.unmet([line], paths, python) == []) is satisfied, (python, version)
        assert (environment.unmet([line], [str(tmp_path / "empty")], python) == []) is not needed


@pytest.mark.parametrize(
    "folder, is_found",
    [
        ("lantern-1.5.dist-info", True),
        ("Lantern-1.5.dist-info", True),
        ("lantern-1.5-py3.11.egg-info", True),
        ("lantern-1.5rc1.dist-info", True),
        ("lantern-1.5+local.dist-info", True),
        ("lantern-1.2.dist-info", False),
        ("lantern-2.dist-info", False),
        ("lantern-2.0.0.dist-info", False),
        ("lantern.egg-info", False),
        ("lantern_oil-1.5.dist-info", False),
        ("~antern-1.5.dist-info", False),
        ("lantern", False),
    ],
)
def test_a_distribution_is_known_by_the_folder_that_pip_leaves(
    folder: str, is_found: bool, tmp_path: Path
) -> None:
    assert (environment.unmet(["lantern>=1.3,<2"], site(tmp_path, folder)) == []) is is_found


def test_the_first_place_on_the_path_counts_as_it_does_for_an_import(tmp_path: Path) -> None:
    old = site(tmp_path / "old", "lantern-1.0.dist-info")
    new = site(tmp_path / "new", "lantern-2.0.dist-info")
    gone = [str(tmp_path / "gone")]
    assert environment.unmet(["lantern>=2"], gone + new + old) == []
    assert environment.unmet(["lantern>=2"], gone + old + new) == ["lantern>=2"]


def test_a_specifier_unknown_to_the_launcher_is_a_bug_and_not_a_yes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="~=1.0"):
        environment.unmet(["lantern~=1.0"], site(tmp_path, "lantern-1.0.dist-info"))


def test_the_output_of_pip_is_quoted_in_part_and_commands_nothing() -> None:
    """It repeats what an index answers."""
    says = (
        "import sys; [print('line', i) for i in range(500)]; print('x' * 9000 + '\\x1b[2J'); "
        "print('\\x9b0m\\u202e!'); sys.exit(1)"
    )
    with pytest.raises(environment_maker.CannotMake) as failed:
        environment_maker.run([sys.executable, "-X", "utf8", "-c", says], ())
    message = str(failed.value)
    assert (
        "    line 499\n" in message
        and "    line 400\n" not in message
        and "    \\x9b0m\\u202e!\n" in message
    )
    assert (
        len(message) < 2000
        and message.replace(sys.executable, "").isascii()
        and "\x1b" not in message
    )


def test_an_environment_is_ready_only_with_its_mark_and_its_interpreter(tmp_path: Path) -> None:
    folder = tmp_path / "env"
    python = Path(environment.python_of(str(folder)))
    python.parent.mkdir(parents=True)
    assert not environment.is_ready(str(folder))
    python.touch()
    assert not environment.is_ready(str(folder))
    (folder / ".ready").touch()
    assert environment.is_ready(str(folder))
    python.unlink()
    assert not environment.is_ready(str(folder))


def without_pip(folder: str, packages: object, executable: str, handed_on: object) -> None:
    python = Path(environment.python_of(folder))
    python.parent.mkdir(parents=True)
    python.touch()


def made_in(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(environment, "places", lambda: [str(place / "clone"), str(place / "cache")])
    return Path(environment_maker.make("test", [], lambda text: None, fill=without_pip))


def test_an_environment_that_is_made_again_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_made = made_in(tmp_path, monkeypatch)
    (half_made / environment.READY).unlink()
    (half_made / "left over").touch()

    assert made_in(tmp_path, monkeypatch) == half_made
    assert not (half_made / "left over").exists()


def test_another_python_or_other_requirements_are_another_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = environment._setup_source()
    names = {
        environment.folder_name("env"),
        environment.folder_name("env", (3, 99)),
        environment.folder_name("test"),
    }
    monkeypatch.setattr(environment, "_setup_source", lambda: b"# more\n" + source)
    names.add(environment.folder_name("env"))
    assert len(names) == 4


def test_line_ends_are_not_other_requirements(monkeypatch: pytest.MonkeyPatch) -> None:
    name = environment.folder_name("env")
    source = environment._setup_source().replace(b"\r\n", b"\n")
    monkeypatch.setattr(environment, "_setup_source", lambda: source.replace(b"\n", b"\r\n"))
    assert environment.folder_name("env") == name


def test_the_program_starts_itself_again_through_the_launcher_of_its_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert environment.command() == [
        sys.executable,
        os.path.join(environment.ROOT, "bin", "unity-bridge"),
    ]
    monkeypatch.setattr(environment, "ROOT", str(tmp_path))
    assert environment.command() == environment.isolated()


def test_the_launchers_environment_is_another_one_where_the_lock_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    locked, tests = environment.folder_name("env"), environment.folder_name("dev")
    monkeypatch.setenv("UNITY_BRIDGE_UNLOCKED", "1")

    assert environment.lock_file() is None
    assert environment.folder_name("env") != locked
    assert environment.folder_name("dev") == tests


def test_what_a_broken_environment_of_the_launcher_lacks_is_reported_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / environment.folder_name("env")
    monkeypatch.setattr(sys, "prefix", str(folder))
    lacked = lacked_package(ModuleNotFoundError("No module named 'lantern'", name="lantern"))
    assert lacked is not None and "lantern" in lacked and f"remove the folder {folder}" in lacked


def test_a_program_is_never_taken_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = ".exe" if os.name == "nt" else ""
    here, there = tmp_path / f"unity-bridge{ending}", tmp_path / "bin" / f"unity-bridge{ending}"
    there.parent.mkdir()
    for program in (here, there):
        program.touch()
        program.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin"]))
    assert environment.on_path("unity-bridge") is None
    monkeypatch.setenv("PATH", os.pathsep.join(["", str(there.parent)]))
    assert environment.on_path("unity-bridge") == str(there)
