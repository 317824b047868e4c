"""The other forms in which it is published agree with what is built: a plugin, a bundle, a package
that git brings.
"""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict

import pytest

from unity_bridge.catalogue import CATALOGUE
from unity_bridge.installation.package_copy import PACKAGE_NAME
from unity_bridge.installation.skill import NAMES, rendered
from unity_bridge.installation.this_installation import Installation, Kind
from unity_bridge.launch import environment
from unity_bridge.mcp.prompts import PROMPTS
from unity_bridge.version import __version__

REPOSITORY = Path(environment.ROOT)
PLUGIN = REPOSITORY / "plugins" / "claude-code"
PINNED = f"git+https://github.com/unity-bridge/unity-bridge@v{__version__}"
# What Unity puts behind the URL of a repository: the folder, and the revision.
UPM_PATH = "?path=/unity_bridge/unity_package"


def read(path: Path) -> Dict[str, Any]:
    content: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def assert_has_the_skills(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == set(NAMES)
    for name in NAMES:
        page = (folder / name / "SKILL.md").read_text(encoding="utf-8")
        assert page == rendered(name, "unity-bridge"), (
            f"write it again: unity-bridge skill show --name {name}"
        )


class TestThePluginOfClaudeCode:
    def test_starts_the_server_of_this_version(self) -> None:
        plugin = read(PLUGIN / ".claude-plugin" / "plugin.json")

        assert plugin["version"] == __version__
        server = plugin["mcpServers"]["unity-bridge"]
        assert [server["command"], *server["args"]] == ["uvx", "--from", PINNED, "unity-bridge"]
        assert server["alwaysLoad"] is True

    def test_brings_the_skill_and_the_command_that_it_names(self) -> None:
        assert_has_the_skills(PLUGIN / "skills")
        assert f"exec uvx --from {PINNED} unity-bridge" in (
            PLUGIN / "bin" / "unity-bridge"
        ).read_text(encoding="utf-8")

    def test_is_in_the_marketplace_of_the_repository(self) -> None:
        (listed,) = read(REPOSITORY / ".claude-plugin" / "marketplace.json")["plugins"]

        assert REPOSITORY / listed["source"] == PLUGIN
        assert listed["name"] == read(PLUGIN / ".claude-plugin" / "plugin.json")["name"]


class TestThePluginsOfOtherAgents:
    """``tests/e2e/test_agents_programs.py`` gives them to agents. Cursor publishes a schema alone."""

    FOLDER = REPOSITORY / "plugins" / "agents"
    MANIFESTS = (
        "plugin.json",
        ".codex-plugin/plugin.json",
        ".cursor-plugin/plugin.json",
        "gemini-extension.json",
    )
    # Of https://cursor.com/schemas/cursor-plugin/plugin.json, which takes no others.
    CURSOR_TAKES = {
        "name",
        "displayName",
        "description",
        "version",
        "author",
        "publisher",
        "homepage",
        "repository",
    }
    CURSOR_TAKES |= {
        "license",
        "logo",
        "keywords",
        "category",
        "tags",
        "skills",
        "rules",
        "mcpServers",
    }

    @pytest.mark.parametrize("name", MANIFESTS)
    def test_start_the_server_of_this_version_and_bring_the_skill(self, name: str) -> None:
        manifest = read(self.FOLDER / name)
        servers = manifest["mcpServers"]
        servers = read(self.FOLDER / servers)["mcpServers"] if isinstance(servers, str) else servers

        assert (manifest["name"], manifest["version"]) == ("unity-bridge", __version__)
        assert servers == {
            "unity-bridge": {"command": "uvx", "args": ["--from", PINNED, "unity-bridge"]}
        }
        # Gemini finds the folder by its name.
        assert (
            name.startswith("gemini")
            or (self.FOLDER / manifest["skills"] / "unity-bridge" / "SKILL.md").is_file()
        )
        assert_has_the_skills(self.FOLDER / "skills")

    def test_cursors_has_only_the_members_of_its_schema(self) -> None:
        manifest = read(self.FOLDER / ".cursor-plugin" / "plugin.json")

        assert manifest.keys() <= self.CURSOR_TAKES and manifest["author"].keys() <= {
            "name",
            "email",
        }

    @pytest.mark.parametrize(
        "file", [".agents/plugins/marketplace.json", ".github/plugin/marketplace.json"]
    )
    def test_are_in_the_marketplaces_of_the_repository(self, file: str) -> None:
        (listed,) = read(REPOSITORY / file)["plugins"]
        source = listed["source"] if isinstance(listed["source"], str) else listed["source"]["path"]

        assert (REPOSITORY / source, listed["name"]) == (self.FOLDER, "unity-bridge")
        assert listed.get("version", __version__) == __version__


class TestThePackageOfUnity:
    """What OpenUPM reads: openupm.com/docs/adding-upm-package."""

    PACKAGE = REPOSITORY / "unity_bridge" / "unity_package"

    def test_says_what_openupm_shows(self) -> None:
        about = read(self.PACKAGE / "package.json")

        assert (
            about["name"] == about["name"].lower() == PACKAGE_NAME
            and about["version"] == __version__
        )
        assert (
            about["license"] == "MIT"
            and about["unity"]
            and about["description"]
            and about["displayName"]
        )
        assert (
            about["repository"]["url"].startswith("https://")
            and about["repository"]["type"] == "git"
        )
        assert (REPOSITORY / about["repository"]["directory"]) == self.PACKAGE
        assert about["documentationUrl"].startswith("https://") and about[
            "changelogUrl"
        ].startswith("https://")
        assert (self.PACKAGE / "README.md").is_file() and (self.PACKAGE / "LICENSE.md").is_file()


class TestTheBundleOfClaudeDesktop:
    @pytest.fixture
    def files(self) -> Dict[str, bytes]:
        found: Dict[str, bytes] = runpy.run_path(
            str(REPOSITORY / "bin" / "bundle"), run_name="bundle"
        )["files"]()
        return found

    def test_starts_a_file_that_it_holds(self, files: Dict[str, bytes]) -> None:
        manifest = json.loads(files["manifest.json"])

        assert manifest["version"] == __version__
        assert manifest["server"]["entry_point"] in files and "unity_bridge/__main__.py" in files
        assert manifest["server"]["entry_point"] in manifest["server"]["mcp_config"]["args"]
        assert [tool["name"] for tool in manifest["tools"]] == list(CATALOGUE)
        assert not [name for name in files if "__pycache__" in name]

    def test_asks_for_the_project_whose_settings_name_the_port(
        self, files: Dict[str, bytes]
    ) -> None:
        manifest = json.loads(files["manifest.json"])
        arguments, asked = manifest["server"]["mcp_config"]["args"], manifest["user_config"]

        assert (
            arguments[-2:] == ["--project", "${user_config.project}"] and "--port" not in arguments
        )
        # What is not filled in stays in the arguments as it stands there.
        assert all(asked[name]["required"] for name in asked) and list(asked) == ["project"]

    def test_brings_the_lock_of_hashed_packages_and_nothing_that_uv_would_install(
        self, files: Dict[str, bytes]
    ) -> None:
        assert files["conf/packages.lock"] == (REPOSITORY / "conf" / "packages.lock").read_bytes()
        assert {"setup.py", "bin/unity-bridge"} <= files.keys()
        assert "dependencies = []" in files["pyproject.toml"].decode()

    def test_shows_its_icon_and_its_prompts(self, files: Dict[str, bytes]) -> None:
        manifest = json.loads(files["manifest.json"])

        assert files[manifest["icon"]].startswith(b"\x89PNG")
        assert [(one["name"], one["text"]) for one in manifest["prompts"]] == [
            (name, one.text) for name, one in sorted(PROMPTS.items())
        ]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_unitys_package_manager_finds_the_package_in_a_clone(tmp_path: Path) -> None:
    """It clones the URL before ``?``, checks out what is behind ``#``, and takes the folder that
    ``path`` names.
    """
    work, url = tmp_path / "work", f"file://{tmp_path}/bare.git{UPM_PATH}#v{__version__}"
    shutil.copytree(
        str(REPOSITORY / "unity_bridge" / "unity_package"),
        str(work / "unity_bridge" / "unity_package"),
    )
    git = [
        "git",
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@localhost",
        "-c",
        "init.defaultBranch=main",
    ]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], ["tag", f"v{__version__}"]):
        subprocess.run([*git, "-C", str(work), *words], check=True, stdin=subprocess.DEVNULL)
    subprocess.run(
        [*git, "clone", "-q", "--bare", str(work), str(tmp_path / "bare.git")], check=True
    )

    repository, _, rest = url.partition("?path=")
    folder, _, revision = rest.partition("#")
    clone = [
        "clone",
        "-q",
        "--depth",
        "1",
        "--branch",
        revision,
        repository,
        str(tmp_path / "clone"),
    ]
    subprocess.run([*git, "-c", "advice.detachedHead=false", *clone], check=True)

    package = tmp_path / "clone" / folder.lstrip("/")
    assert read(package / "package.json")["name"] == PACKAGE_NAME
    assert (package / "LICENSE.md").is_file() and (package / "LICENSE.md.meta").is_file()


def test_the_readme_names_the_tag_of_this_version() -> None:
    assert f"{UPM_PATH}#v{__version__}`" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_the_license_is_the_same_everywhere() -> None:
    ours = (REPOSITORY / "LICENSE").read_text(encoding="utf-8")

    assert (REPOSITORY / "unity_bridge" / "unity_package" / "LICENSE.md").read_text(
        encoding="utf-8"
    ) == ours


def test_the_published_forms_and_our_own_commands_name_the_same_source() -> None:
    assert Installation(Kind.UVX).source == PINNED
