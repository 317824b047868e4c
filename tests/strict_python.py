"""For Python processes that tests start: warnings are errors there too, and their stderr is
searched for complaints.
"""

from __future__ import annotations

from typing import Dict, List

STRICT: Dict[str, str] = {"PYTHONWARNINGS": "error"}


def complaints(stderr: str) -> List[str]:
    """Lines in which Python itself reports a fault that no code can catch, such as an unclosed
    socket.
    """
    return [
        line
        for line in stderr.splitlines()
        if line.startswith("Exception ignored") or "Warning: " in line
    ]
