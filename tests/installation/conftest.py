"""A Unity project that the commands may change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installation.unity_projects import make_project, opened
from unity_bridge.installation.unity_project import UnityProject


@pytest.fixture
def project(tmp_path: Path) -> UnityProject:
    return opened(make_project(tmp_path / "game"))
