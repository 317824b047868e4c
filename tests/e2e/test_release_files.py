"""``bin/release``: the files of a release, out of a commit, and the workflow that calls it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import runpy
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Dict
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from unity_bridge.installation.clients.client import Launch
from unity_bridge.installation.entries import ClientEntry
from unity_bridge.launch import environment
from unity_bridge.version import __version__

REPOSITORY = Path(environment.ROOT)
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
RELEASE = (REPOSITORY / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


def built(folder: Path, *options: str) -> Dict[str, bytes]:
    words = [sys.executable, "-I", str(REPOSITORY / "bin" / "release"), str(folder), *options]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(not (REPOSITORY / ".git").exists(), reason="needs a git checkout")
def test_a_release_is_built_twice_with_the_same_bytes(tmp_path: Path) -> None:
    first, second = built(tmp_path / "first"), built(tmp_path / "second", "--pypi")

    bundle, tarball = (
        f"unity-bridge-{__version__}.mcpb",
        f"com.unitybridge.editor-{__version__}.tgz",
    )
    assert first.keys() == {
        bundle,
        tarball,
        f"unity_bridge-{__version__}-py3-none-any.whl",
        "server.json",
        "notes.md",
    }
    with_index = json.loads(second.pop("server.json"))
    registered = json.loads(first.pop("server.json"))
    notes = second.pop("notes.md").decode()
    assert notes.startswith(first["notes.md"].decode())
    assert {name: data for name, data in first.items() if name != "notes.md"} == second
    check_links(notes)

    (package,) = registered["packages"]
    assert (
        package["registryType"] == "mcpb"
        and package["fileSha256"] == hashlib.sha256(first[bundle]).hexdigest()
    )
    assert package["identifier"].endswith(f"/releases/download/v{__version__}/{bundle}")
    assert (
        with_index["packages"][0] == package
        and with_index["packages"][1]["identifier"] == "unity-bridge"
    )
    with tarfile.open(str(tmp_path / "first" / tarball)) as archive:
        names = set(archive.getnames())
    assert {
        "package/package.json",
        "package/README.md",
        "package/Editor/Startup/Bridge.cs.meta",
    } <= names
    imported = [name for name in names if not name.endswith(".meta") and "~/" not in name]
    assert [
        name for name in imported if name != "package/package.json" and f"{name}.meta" not in names
    ] == []
    assert first["notes.md"].startswith(b"The first version.")


def check_links(notes: str) -> None:
    """Each link carries the entry in its client's form, and ``client list`` and ``doctor`` know it
    as ours.
    """
    started = {"command": "uvx", "args": [f"unity-bridge=={__version__}"]}
    links = dict(re.findall(r"\[([^]]+)\]\((https://\S+)\)", notes))
    found = {}
    for client in ("Cursor", "VS Code", "Visual Studio", "LM Studio"):
        address = urlsplit(links[client])
        query = {key: values[0] for key, values in parse_qs(address.query).items()}
        config = query.get("config", unquote(address.query))
        text = (
            config if config.startswith("{") else base64.b64decode(config, validate=True).decode()
        )
        found[address.netloc + address.path] = (query.get("name"), json.loads(text))
    assert found == {
        "cursor.com/en/install-mcp": ("unity-bridge", started),
        "vscode.dev/redirect/mcp/install": ("unity-bridge", started),
        "vs-open.link/mcp-install": (None, {"name": "unity-bridge", **started}),
        "lmstudio.ai/install-mcp": ("unity-bridge", started),
    }
    assert ClientEntry("x", Launch("uvx", (f"unity-bridge=={__version__}",))).is_ours


def test_the_steps_of_the_workflow_are_those_of_the_guide() -> None:
    guide = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Release")[2]
    for program, options in re.findall(r"run: python (bin/\w+) ?(.*)", RELEASE):
        option = next((word for word in options.split() if word.startswith("--")), "")
        wanted = f"{program} release" if "release" in options.split() else program
        assert f"`{wanted}" in guide and option in guide, (program, options)
    for job in re.findall(r"^  (\w+):$", RELEASE.partition("jobs:")[2], re.MULTILINE):
        assert f"job `{job}`" in guide, job
    (variable,) = re.findall(r"if: vars\.(\w+) == 'true'", RELEASE)
    assert f"`{variable}`" in guide


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_of_others_are_named_by_commit(workflow: Path) -> None:
    actions = re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8"))
    assert (
        actions
        and [one for one in actions if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one)] == []
    )


@pytest.mark.parametrize("version, builds", [("74.1.3", False), ("75.0.0", True), ("82", True)])
def test_an_old_setuptools_is_named_with_the_command_that_updates_it(
    version: str, builds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: version)
    fault = runpy.run_path(str(REPOSITORY / "bin" / "release"))["fault_of_setuptools"]()
    assert (fault is None) is builds
    assert builds or f"setuptools {version}. Run: " in fault
