"""Files of a project from elsewhere are read in time that grows as their size does, and never deep
(SPEC §20.7).

The times are measured by ``tests.bench.reader_bench``. Here each reader ends, with data or with one sentence.
"""

from __future__ import annotations

import pytest

from tests import hostile_texts
from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.json_comments import JSON
from unity_bridge.installation.package_copy import PACKAGE_NAME
from unity_bridge.installation.plugin_package import embed, installed_plugin, remove
from unity_bridge.installation.toml_tables import TOML
from unity_bridge.installation.unity_project import UnityProject

SIZE = 64 * 1024
PATH = ("mcp_servers", "unity-bridge")


@pytest.mark.parametrize("kind", hostile_texts.JSON)
def test_json_is_read_or_refused(kind: str) -> None:
    text = hostile_texts.JSON[kind](SIZE)

    parsed, edited = JSON.parse(text), JSON.with_values(text, PATH, {"command": "x"})

    if JSON.is_empty(text):
        assert isinstance(edited, Ok) and edited.value.startswith(text)
    elif isinstance(parsed, Err):
        assert edited == parsed and len(parsed.error) < 300
    elif isinstance(edited, Ok):
        assert JSON.parse(edited.value) == Ok(
            {**parsed.value, PATH[0]: {PATH[1]: {"command": "x"}}}
        )
    else:
        assert "does not hold an object" in edited.error


@pytest.mark.slow
@pytest.mark.parametrize("kind", hostile_texts.TOML)
def test_toml_is_read_or_refused(kind: str) -> None:
    text = hostile_texts.TOML[kind](SIZE)

    parsed, edited = TOML.parse(text), TOML.with_values(text, PATH, {"command": "x"})

    if isinstance(parsed, Err):
        assert edited == parsed and len(parsed.error) < 300
    else:
        assert isinstance(edited, Ok)
        again = TOML.parse(edited.value)
        assert isinstance(again, Ok) and again.value["mcp_servers"]["unity-bridge"] == {
            "command": "x"
        }


@pytest.mark.parametrize("text", ['{"a":' * 900 + "1" + "}" * 900, "[" * 101 + "]" * 101])
def test_json_of_more_than_a_hundred_levels_is_refused(text: str) -> None:
    parsed = JSON.parse(text)

    assert isinstance(parsed, Err) and "nested too deeply" in parsed.error


def test_a_manifest_that_is_too_large_is_refused_with_its_size(project: UnityProject) -> None:
    project.manifest.write_text('{"dependencies": {}}' + " " * 2**20)

    found = project.dependencies()

    assert isinstance(found, Err) and f"has {2**20 + 20} bytes" in found.error


def test_a_package_that_is_nested_too_deeply_is_refused(project: UnityProject) -> None:
    folder = project.packages / PACKAGE_NAME
    folder.joinpath(*["d"] * 120).mkdir(parents=True)

    for result in (installed_plugin(project), embed(project), remove(project)):
        assert isinstance(result, Err) and "nested too deeply" in result.error


@pytest.mark.slow
@pytest.mark.parametrize("count, size", [(10_001, 0), (2, 2**31)])
def test_a_package_that_is_too_large_is_not_backed_up(
    project: UnityProject, count: int, size: int
) -> None:
    assert isinstance(embed(project), Ok)
    folder = project.packages / PACKAGE_NAME
    before = project.manifest.read_text()
    for number in range(count):
        with open(str(folder / f"{number}.bin"), "wb") as stream:
            stream.truncate(size)

    for result in (embed(project), remove(project)):
        assert isinstance(result, Err) and "no backup of it is made" in result.error
    assert project.manifest.read_text() == before
    assert not list(project.backups.glob(f"{PACKAGE_NAME}-*"))
