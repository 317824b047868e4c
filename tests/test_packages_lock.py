"""``conf/packages.lock`` holds what ``setup.py`` asks for, on every Python, each file with its
hashes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Tuple

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.version import Version

from unity_bridge.launch import environment

PYTHONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
LOCKED = re.compile(
    r"^([\w.-]+)==(\S+?)(?: ; (.*?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M
)
TEXT = (Path(environment.ROOT) / "conf" / "packages.lock").read_text(encoding="utf-8")


def installed_on(python: str) -> Dict[str, Version]:
    surroundings = {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": "linux",
    }
    return {
        name: Version(version)
        for name, version, marker, _ in LOCKED.findall(TEXT)
        if not marker or Marker(marker).evaluate(surroundings)
    }


def test_every_line_is_a_version_with_hashes() -> None:
    assert LOCKED.sub("", TEXT) == ""


@pytest.mark.parametrize("python", PYTHONS)
def test_each_requirement_is_locked_in_a_version_that_fits(python: str) -> None:
    """If this fails after a change of setup.py: bin/lock."""
    locked = installed_on(python)
    required = [Requirement(line) for line in environment.requirements()]
    wanted = [
        one
        for one in required
        if one.marker is None or one.marker.evaluate({"python_version": python})
    ]

    unmet: List[Tuple[str, object]] = [
        (str(one), locked.get(one.name))
        for one in wanted
        if one.name not in locked or not one.specifier.contains(locked[one.name])
    ]
    assert unmet == []
