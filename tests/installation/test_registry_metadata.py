"""``server.json``, by which the MCP registry lists the server, agrees with what is built and keeps
its rules.

The rules are those of the schema that the file names: modelcontextprotocol.io/registry, 2025-12-11.
"""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any, Dict

import pytest

from unity_bridge.installation.repository import REPOSITORY as PUBLISHED_AT
from unity_bridge.version import __version__

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def server() -> Dict[str, Any]:
    content: Dict[str, Any] = json.loads((REPOSITORY / "server.json").read_text(encoding="utf-8"))
    return content


def test_the_version_is_the_same_everywhere(server: Dict[str, Any]) -> None:
    assert server["version"] == __version__


def test_name_title_and_description_keep_the_registrys_rules(server: Dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert 1 <= len(server["description"]) <= 100
    assert 1 <= len(server["title"]) <= 100


def test_it_names_no_package_of_an_index_until_one_is_published(server: Dict[str, Any]) -> None:
    assert "packages" not in server


def test_the_readme_bears_the_mark_by_which_the_registry_knows_the_owner(
    server: Dict[str, Any],
) -> None:
    assert f"mcp-name: {server['name']}" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_repository_is_the_one_in_setup(server: Dict[str, Any]) -> None:
    about = runpy.run_path(str(REPOSITORY / "setup.py"), run_name="about")

    assert (
        server["repository"]["url"] == server["websiteUrl"] == about["REPOSITORY"] == PUBLISHED_AT
    )
    assert (
        server["name"].startswith("io.github.")
        and "github.com/unity-bridge/" in about["REPOSITORY"]
    )
