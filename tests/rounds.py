"""How often the tests repeat that grow more certain with each round."""

from __future__ import annotations

import os

# Set by `bin/test e2e`. A run of everything does fewer rounds: it is to end within a quarter of an hour. The name does
# not begin as those of the program do, which says when it does not know one.
VARIABLE = "TESTS_DO_ALL_ROUNDS"


def rounds(few: int, all_of_them: int) -> int:
    return all_of_them if os.environ.get(VARIABLE) else few
