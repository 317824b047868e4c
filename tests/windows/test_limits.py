"""What is skipped on wine is a test that there is: a list of names that nobody has would skip
nothing, unnoticed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.windows import limits

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("name", limits.names())
def test_every_name_is_a_test(name: str) -> None:
    file, test = name.split("::")
    assert re.search(
        rf"^(    )?def {test}\(", (REPOSITORY / file).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert limits.reason_to_skip(f"{name}[with parameters]") == limits.names()[name]
