"""The port that a project has of itself: ``"port": "auto"`` (SPEC §18.1)."""

from __future__ import annotations

import hashlib

_FIRST, _COUNT = 20_000, 10_000


def automatic_port(canonical_path: str) -> int:
    """20000 to 29999, the same for server and plugin, so that clones and worktrees need no numbers of their own."""
    digest = hashlib.sha256(canonical_path.encode("utf-8", "surrogatepass")).digest()
    return _FIRST + int.from_bytes(digest[:4], "big") % _COUNT
