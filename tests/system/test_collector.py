"""What a process imports is kept from the collector, which is on again afterwards, whatever
happened.
"""

from __future__ import annotations

import gc

import pytest

from unity_bridge.system.collector import kept


def test_the_collector_is_on_again_after_an_import_that_failed() -> None:
    with pytest.raises(ModuleNotFoundError), kept():
        assert not gc.isenabled()
        raise ModuleNotFoundError("a package")
    assert gc.isenabled()
