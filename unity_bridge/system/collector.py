"""Python's garbage collector, and what a process imports: that stays, so nothing in it is worth a
search.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def kept() -> Iterator[None]:
    """Keep the collector from what is imported here, now and later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
