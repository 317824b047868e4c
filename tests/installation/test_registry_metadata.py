"""``server.json``, by which the MCP registry lists the server, agrees with what is built and keeps its rules.

The rules are those of the schema that the file names: modelcontextprotocol.io/registry, 2025-12-11.
"""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any, Dict

import pytest

from unity_bridge import cli
from unity_bridge.config import Config
from unity_bridge.version import __version__

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def server() -> Dict[str, Any]:
    content: Dict[str, Any] = json.loads((REPOSITORY / "server.json").read_text(encoding="utf-8"))
    return content


def test_the_version_is_the_same_everywhere(server: Dict[str, Any]) -> None:
    assert [server["version"], *(package["version"] for package in server["packages"])] == [__version__, __version__]


def test_the_package_is_the_one_that_setup_builds(server: Dict[str, Any]) -> None:
    built = re.search(r'\bname="([^"]+)"', (REPOSITORY / "setup.py").read_text(encoding="utf-8"))

    assert built is not None
    assert [package["identifier"] for package in server["packages"]] == [built[1]]


def test_the_registrys_rules(server: Dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert 1 <= len(server["description"]) <= 100
    assert 1 <= len(server["title"]) <= 100
    assert [package["transport"] for package in server["packages"]] == [{"type": "stdio"}]
    assert {argument["type"] for argument in server["packages"][0]["packageArguments"]} == {"named"}


def test_no_port_is_proposed_since_it_would_hold_for_every_project(server: Dict[str, Any]) -> None:
    port = server["packages"][0]["packageArguments"][0]

    assert port["name"] == "--port" and "default" not in port and str(Config().unity_ws_port) in port["description"]


def test_the_readme_bears_the_mark_by_which_the_registry_knows_the_owner(server: Dict[str, Any]) -> None:
    readme = REPOSITORY / "README.md"
    if not readme.exists():
        pytest.skip("there is no README yet")

    assert f"mcp-name: {server['name']}" in readme.read_text(encoding="utf-8")


def test_every_argument_that_is_offered_exists(server: Dict[str, Any]) -> None:
    known = {option for parameter in cli.cli.params for option in parameter.opts}

    assert {argument["name"] for argument in server["packages"][0]["packageArguments"]} <= known


def test_the_repository_is_the_one_that_setup_names(server: Dict[str, Any]) -> None:
    about = runpy.run_path(str(REPOSITORY / "setup.py"), run_name="about")

    assert server["repository"]["url"] == server["websiteUrl"] == about["REPOSITORY"]
    assert server["name"].startswith("io.github.") and "github.com/unity-bridge/" in about["REPOSITORY"]
