"""Nothing that is shipped or printed installs a package called ``unity-bridge`` from an index,
where nobody owns it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Iterator, List

import pytest
from click.testing import CliRunner

from tests.installation.unity_projects import make_project
from unity_bridge import cli
from unity_bridge.base.result import Ok
from unity_bridge.installation import this_installation as module
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.this_installation import Installation, Kind
from unity_bridge.launch import environment

ROOT = Path(environment.ROOT)
# The tests hold such lines on purpose, and the history says what once was.
NOT_SEARCHED = ("tests/", "CHANGELOG.md", "conf/packages.lock")

_INSTALLERS = (
    r"pip3? +(?:install|download|wheel)|pipx +(?:install|run|upgrade|inject)|uv +tool +(?:install|run)|uv +pip +install"
    r"|uv +add|uvx|pipx +runpip|npx|npm +(?:install|i|exec)|openupm +add|conda +install|brew +install"
)
_OPTION = r"(?:-[-\w]+(?:=\S+)? +)"
_NAME = r"[\"'`]?(?:unity[-_]bridge|\{NAME\})(?:\[[^\]]*\])?(?:[=<>~!@][^\s\"'`]*)?[\"'`.,;:)]*(?=\s|$|\\)"
_FROM = re.compile(rf"\b(?:{_INSTALLERS}) +(?:\S+ +)*?--(?:from|spec)[ =]+{_NAME}")
_NAMED = re.compile(rf"\b(?:{_INSTALLERS}) +{_OPTION}*{_NAME}")
_INDEX = re.compile(r"pypi\.org/(?:project|simple)/unity[-_]bridge|\"registryType\": \"pypi\"")


def faults(text: str) -> List[str]:
    """The lines that install our name from an index."""
    found = []
    for line in text.split("\n"):
        is_from = _FROM.search(line) is not None
        # With --from the last word is a program of that package.
        is_named = "--from" not in line and "--spec" not in line and _NAMED.search(line) is not None
        if is_from or is_named or _INDEX.search(line):
            found.append(line.strip())
    return found


def as_command_line(path: Path) -> str:
    """A JSON file's lists of words, each on one line, as a shell has them."""
    lines: List[str] = []

    def collect(value: object) -> None:
        if isinstance(value, dict):
            words = [value.get("command"), *(value.get("args") or [])] if "args" in value else []
            lines.append(" ".join(str(word) for word in words))
            for one in value.values():
                collect(one)
        elif isinstance(value, list):
            for one in value:
                collect(one)

    collect(json.loads(path.read_text(encoding="utf-8")))
    return "\n".join(lines)


def shipped() -> Iterator[Path]:
    try:
        listed = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"],
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs a git checkout")
    for name in listed.decode().split("\0"):
        if name and not name.startswith(NOT_SEARCHED) and os.path.isfile(ROOT / name):
            yield ROOT / name


@pytest.mark.parametrize(
    "line",
    [
        "pip install --upgrade unity-bridge",
        "run `pipx install unity-bridge` first",
        'exec uvx --from unity-bridge==0.1.0 unity-bridge "$@"',
        "uvx unity-bridge@0.1.0",
        'python -m pip install "unity-bridge[demo]"',
        "uv tool install --reinstall unity_bridge",
        'f"run `pipx install {NAME}` first"',
    ],
)
def test_the_search_finds_an_install_from_an_index(line: str) -> None:
    assert faults(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install .",
        "pip install /srv/unity-bridge",
        "uvx --from git+https://github.com/unity-bridge/unity-bridge@v0.1.0 unity-bridge status",
        "pip uninstall unity-bridge",
        "pipx reinstall unity-bridge",
        "pip install websocket-client",
    ],
)
def test_the_search_allows_paths_and_the_repository(line: str) -> None:
    assert not faults(line)


def test_no_shipped_file_installs_our_name_from_an_index() -> None:
    found = []
    for path in shipped():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path}: {line}" for line in faults(text)]
        if path.suffix == ".json":
            found += [f"{path}: {line}" for line in faults(as_command_line(path))]

    assert found == []


@pytest.mark.parametrize("kind", list(Kind))
def test_no_command_of_an_installation_asks_an_index(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for uvx in ("", str(tmp_path / "uvx")):
        monkeypatch.setattr(module, "_uvx", lambda found=uvx: found or None)
        installation = Installation(kind)
        entries = installation.lasting_commands()
        said = (
            " ".join(word for entry in entries.value for word in entry)
            if isinstance(entries, Ok)
            else entries.error
        )

        assert faults(said) == []
        assert faults(" ".join(installation.repair(["click"]))) == []
        assert faults(" ".join(installation.onto_path())) == []


def test_the_skill_for_a_project_says_how_to_get_the_command_without_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(make_project(tmp_path / "game"))

    said = CliRunner().invoke(cli.cli, ["skill", "install", "claude-code", "--project"])

    assert said.exit_code == 0, said.output
    assert quoted(["pipx", "install", environment.ROOT]) in said.output
    assert faults(said.output) == []
