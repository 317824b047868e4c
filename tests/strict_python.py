"""Pythons that the tests start: every warning is an error there too, and what they complain of is looked for."""

from __future__ import annotations

from typing import Dict, List

STRICT: Dict[str, str] = {"PYTHONWARNINGS": "error"}


def complaints(stderr: str) -> List[str]:
    """What Python itself says of the program, such as of a socket that nobody closed: nobody can catch that."""
    return [line for line in stderr.splitlines() if line.startswith("Exception ignored") or "Warning: " in line]
