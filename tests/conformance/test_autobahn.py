"""RFC 6455, by the Autobahn test suite."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from typing import Callable, List

import pytest

from tests.conformance import autobahn, plugin_client
from tests.rounds import rounds
from tests.unity_headless.headless_editor import require_mono


@pytest.fixture(scope="module")
def wstest() -> Path:
    python2 = autobahn.find_python2()
    if python2 is None:
        pytest.skip("no Python 2.7 here to host the Autobahn testsuite")
    try:
        return autobahn.install(python2, autobahn.cache_folder())
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the Autobahn testsuite cannot be installed here: {error}")


def test_every_case_of_autobahn_passes(wstest: Path, tmp_path: Path) -> None:
    index = autobahn.tried(partial(autobahn.run, wstest, tmp_path), ["*"], autobahn.failed_cases)
    assert autobahn.failures(index) == []
    assert len(index) == autobahn.CASES


EVERYTHING = (["*"], autobahn.CASES)
# Of large messages, which take as long as all others, most are refused, and by the same code on
# both.
SMALL = ([f"{section}.*" for section in (1, 2, 3, 4, 5, 6, 7, 10)], autobahn.CASES - 54)


@pytest.mark.parametrize(
    ("runtime", "cases", "count"),
    [(plugin_client.on_mono, *EVERYTHING), (plugin_client.on_dotnet, *rounds(SMALL, EVERYTHING))],
    ids=["mono", "dotnet"],
)
def test_the_plugins_client_passes_every_case_within_its_limits(
    wstest: Path, tmp_path: Path, runtime: Callable[[Path], List[str]], cases: List[str], count: int
) -> None:
    require_mono()
    program = plugin_client.compile_client(tmp_path)
    run = partial(plugin_client.run, wstest, tmp_path, runtime(program))
    index = autobahn.tried(run, cases, plugin_client.failed_cases)
    assert plugin_client.failures(index) == []
    assert len(index) == count
