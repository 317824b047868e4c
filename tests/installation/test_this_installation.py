"""The command with which a client can start an installation as long as it exists, found by the
installers' files.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Optional

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.installation import this_installation as module
from unity_bridge.installation.this_installation import Installation, Kind, this_installation
from unity_bridge.launch import environment
from unity_bridge.version import __version__

SCRIPT = "/opt/venv/bin/unity-bridge"


@pytest.mark.parametrize(
    "folder, mark, kind",
    [
        ("venv", None, Kind.PIP),
        ("share/uv/tools/unity-bridge", "uv-receipt.toml", Kind.UV_TOOL),
        ("share/pipx/venvs/unity-bridge", "pipx_metadata.json", Kind.PIPX),
        ("share/pipx/.cache/1a2b", "pipx_metadata.json", Kind.PIPX_RUN),
        ("cache/pipx/1a2b", None, Kind.PIPX_RUN),
        ("cache/uv/archive-v0/aXbY", None, Kind.UVX),
        ("cache/uv/environments-v2/tool", None, Kind.UVX),
    ],
)
def test_the_manager_of_an_environment_is_recognized_by_its_path(
    tmp_path: Path, folder: str, mark: Optional[str], kind: Kind
) -> None:
    prefix = tmp_path / folder
    prefix.mkdir(parents=True)
    if mark is not None:
        (prefix / mark).touch()

    assert module._kind(prefix) is kind


def test_a_clone_starts_through_its_launcher() -> None:
    assert this_installation().kind is Kind.CLONE
    launcher = os.path.join(environment.ROOT, "bin", "unity-bridge")
    assert this_installation().lasting_commands() == Ok([[sys.executable, "-I", launcher]])


@pytest.mark.parametrize("kind", [Kind.PIP, Kind.PIPX, Kind.UV_TOOL])
@pytest.mark.parametrize("script", [None, SCRIPT])
def test_an_environment_that_stays_is_started_isolated_if_that_works(
    kind: Kind, script: Optional[str]
) -> None:
    known = Installation(kind, script=script).lasting_commands()
    assert isinstance(known, Ok)
    module, file, *scripts = known.value
    assert module == [sys.executable, "-I", "-m", "unity_bridge"]
    assert file[:2] == [sys.executable, "-I"] and os.path.isfile(file[2])
    assert scripts == ([] if script is None else [[script]])


def test_an_entry_for_a_copy_in_uvs_cache_names_the_repository_and_the_tag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uvx = tmp_path / ("uvx.exe" if sys.platform == "win32" else "uvx")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("UV", str(tmp_path / "uv"))
    assert isinstance(Installation(Kind.UVX).lasting_commands(), Err)

    uvx.touch()
    wanted = [
        str(uvx),
        "--from",
        f"git+https://github.com/unity-bridge/unity-bridge@v{__version__}",
        "unity-bridge",
    ]
    assert Installation(Kind.UVX).lasting_commands() == Ok([wanted])


@pytest.mark.parametrize(
    "direct_url, source",
    [
        (None, None),
        ("not json", None),
        ("[]", None),
        ({"url": "file:///tmp/x.whl", "archive_info": {}}, "file:///tmp/x.whl"),
        (
            {"url": "https://h/r", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "git+https://h/r@abc",
        ),
    ],
)
def test_an_installation_from_elsewhere_is_asked_for_at_its_source(
    direct_url: object, source: Optional[str]
) -> None:
    text = json.dumps(direct_url) if isinstance(direct_url, dict) else direct_url

    assert module._source(text) == source  # type: ignore[arg-type]


def test_the_repair_is_the_installers_own() -> None:
    assert Installation(Kind.PIPX).repair(["click"]) == ["pipx", "reinstall", "unity-bridge"]
    assert Installation(Kind.UV_TOOL).repair(["click"]) == [
        "uv",
        "tool",
        "upgrade",
        "--reinstall",
        "unity-bridge",
    ]
    by_pip = [sys.executable, "-I", "-m", "pip", "install"]
    assert Installation(Kind.PIP).repair(["click"]) == [*by_pip, "click"]
    assert Installation(Kind.PIP, is_for_this_user_only=True).repair(["click"]) == [
        *by_pip,
        "--user",
        "click",
    ]
