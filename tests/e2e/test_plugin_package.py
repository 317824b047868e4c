"""The Unity package as a package: versions, .meta files, its own tests, its JSON against Python's."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any, Dict, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ports import free_port
from tests.unity_headless import metas
from tests.unity_headless.build import PROFILES
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.version import __version__


def test_one_version_everywhere() -> None:
    package = json.loads((metas.PACKAGE / "package.json").read_text(encoding="utf-8"))
    source = (metas.PACKAGE / "Editor" / "Platform" / "PackageVersion.cs").read_text(
        encoding="utf-8"
    )
    constant = re.search(r'Current = "([^"]+)"', source)
    assert constant is not None
    assert package["version"] == constant.group(1) == __version__


def test_the_package_manager_can_show_author_documentation_and_changes() -> None:
    package = json.loads((metas.PACKAGE / "package.json").read_text(encoding="utf-8"))
    repository = package["author"]["url"]
    assert package["author"]["name"] and package["documentationUrl"].startswith(repository)
    root, _, file = package["changelogUrl"].partition("/blob/main/")
    assert root == repository and (metas.PACKAGE.parent.parent / file).is_file()


def test_every_asset_has_its_meta_with_its_own_guid() -> None:
    assets = list(metas.assets())
    assert len(assets) > 30
    assert {asset.suffix for asset in assets if "Samples~" in asset.parts} == {".cs", ".asmdef"}
    for asset in assets:
        assert metas.meta_of(asset).read_text(encoding="utf-8") == metas.content(asset), (
            f"run {metas.__file__}"
        )
    orphans = set(metas.PACKAGE.rglob("*.meta")) - {metas.meta_of(asset) for asset in assets}
    assert orphans == set()
    assert len({metas.guid(asset) for asset in assets}) == len(assets)


def test_no_code_needs_a_built_in_package_that_a_project_may_lack() -> None:
    """Unity compiles nothing that names a class of a module that is switched off, whatever else is
    right with it.
    """
    needed = json.loads((metas.PACKAGE / "package.json").read_text(encoding="utf-8"))[
        "dependencies"
    ]
    stubs = (Path(__file__).parent.parent / "unity_headless" / "stubs" / "UnityEngine").glob("*.cs")
    declared = r'\[Module\("(\w+)"\)\][^;{]*?\bclass (\w+)'
    found = [
        pair for stub in stubs for pair in re.findall(declared, stub.read_text(encoding="utf-8"))
    ]
    names = {name for module, name in found if f"com.unity.modules.{module}" not in needed}
    assert {"Rigidbody", "AudioSource", "ParticleSystem"} <= names and "Canvas" not in names
    for file, text in sources().items():
        assert set(re.findall(r"\w+", re.sub(r'"[^"]*"', "", text))) & names == set(), file


# What Unity's code-reload analyzers forbid from 6000.6 on (UAC0005, 0006, 0007, 0020, 0023 in
# CustomScriptAssembly.cs).
FORBIDDEN = re.compile(
    r"\bAppDomain\b|\bAssembly\.(?:Load|LoadFrom|LoadFile|UnsafeLoadFrom)\(|\.Location\b|\.CodeBase\b"
)
BUILT_AT_LOAD = re.compile(r"static readonly Regex\b")


def sources() -> Dict[str, str]:
    """The code of the editor assembly by file name, without its comments."""
    files = sorted((metas.PACKAGE / "Editor").rglob("*.cs"))
    return {file.name: re.sub(r"//.*", "", file.read_text(encoding="utf-8")) for file in files}


def test_only_one_file_uses_what_unity_warns_of() -> None:
    assert [name for name, code in sources().items() if FORBIDDEN.search(code)] == [
        "LoadedAssemblies.cs"
    ]


def test_no_reload_builds_a_regex() -> None:
    # Each static constructor runs at every reload (Bootstrap.LoadTypes).
    assert [name for name, code in sources().items() if BUILT_AT_LOAD.search(code)] == []


def test_its_own_tests_are_compiled_only_where_they_are_asked_for() -> None:
    # Unity takes the tests of an embedded package for the project's own, and plugin install embeds
    # it.
    for file in metas.PACKAGE.rglob("*.asmdef"):
        definition = json.loads(file.read_text(encoding="utf-8"))
        is_tests = "UNITY_INCLUDE_TESTS" in definition.get("defineConstraints", [])
        assert not is_tests or "UNITY_BRIDGE_TESTS" in definition["defineConstraints"]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_packages_own_tests_pass(profile: str) -> None:
    with HeadlessEditor(free_port(), profile) as editor:
        editor.command("package-tests")
        passed = editor.wait_for(r"package-tests passed (\d+)").group(1)
        failed = [line for line in editor.history if "package-tests failed" in line]
        # One test asks the framework at hand about its internals, and this profile has none.
        assert len(failed) == (1 if profile == "1.6" else 0), failed
        assert int(passed) >= 20


@pytest.fixture(scope="module")
def editor() -> Iterator[HeadlessEditor]:
    with HeadlessEditor(free_port()) as headless:
        yield headless


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


def is_same(reported: Any, value: Any) -> bool:
    """Equal, where Mono may read a number with an error of one unit in the last place."""
    if isinstance(value, float):
        return isinstance(reported, (int, float)) and math.isclose(reported, value, rel_tol=1e-15)
    if isinstance(value, list):
        return len(reported) == len(value) and all(map(is_same, reported, value))
    if isinstance(value, dict):
        return reported.keys() == value.keys() and all(
            is_same(reported[name], value[name]) for name in value
        )
    return bool(reported == value)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(value=JSON, ascii_only=st.booleans())
def test_json_goes_through_the_plugin_unharmed(
    editor: HeadlessEditor, value: Any, ascii_only: bool
) -> None:
    answer = editor.json(json.dumps(value, ensure_ascii=ascii_only))
    assert answer.startswith("ok ")
    assert is_same(json.loads(answer[3:]), value)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \\u/', max_size=30))
def test_the_plugin_and_python_agree_on_what_is_json(editor: HeadlessEditor, text: str) -> None:
    try:
        json.loads(text)
        is_json = True
    except ValueError:
        is_json = False
    assert editor.json(text).startswith("ok ") is is_json
