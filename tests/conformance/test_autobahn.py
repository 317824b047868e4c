"""RFC 6455, by the Autobahn test suite."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conformance import autobahn


def test_every_case_of_autobahn_passes(tmp_path: Path) -> None:
    python2 = autobahn.find_python2()
    if python2 is None:
        pytest.skip("no Python 2.7 here to host the Autobahn testsuite")
    try:
        wstest = autobahn.install(python2, autobahn.cache_folder())
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the Autobahn testsuite cannot be installed here: {error}")
    index = autobahn.run(wstest, tmp_path, ["*"])
    assert autobahn.failures(index) == []
    assert len(index) == autobahn.CASES
