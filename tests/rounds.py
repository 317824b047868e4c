"""How often the tests repeat that grow more certain with each round."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

# Set by `bin/test e2e` and `bin/test release`. A run of everything does fewer rounds: it is to end
# within a quarter of an hour. The name does not begin as those of the program do, which says when
# it does not know one.
VARIABLE = "TESTS_DO_ALL_ROUNDS"


def rounds(few: T, all_of_them: T) -> T:
    return all_of_them if os.environ.get(VARIABLE) else few
