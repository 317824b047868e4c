"""The machine of a user who opens and closes editors."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from tests.editor_life.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.clean()
