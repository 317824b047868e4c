"""A full disk, for as long as the code under test runs: pytest writes files of its own before and
after it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Iterator

import pytest


@contextmanager
def full_disk(size: int = 0) -> Iterator[None]:
    """No file of this process grows beyond ``size`` bytes. Skips the test where there are no such
    limits.
    """
    if sys.platform == "win32":
        pytest.skip("needs POSIX limits")
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
