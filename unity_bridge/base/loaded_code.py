"""Whether the editor has loaded the code that it compiled, and why not: the words of SPEC §11.7."""

from __future__ import annotations

from typing import Any, Optional, Tuple

LOADED = "loaded"
PENDING = "pending"
UNKNOWN = "unknown"

# In this order: the plugin reports the first that holds.
REASONS = ("compile_errors", "playing", "reload_locked", "requested", UNKNOWN)


def known_code(said: Any) -> Optional[str]:
    """``said`` if the contract names it, else ``None``: a later contract may have more words."""
    return said if said in (LOADED, PENDING) else None


def code_and_reason(code: Optional[str], reason: Optional[str]) -> Tuple[Optional[str], Optional[str]]:
    """Both as they are kept: pending code has a reason, and nothing else has one."""
    return code, known_reason(reason) if code == PENDING else None


def known_reason(said: Any) -> str:
    """``said`` if the contract names it, else ``unknown``."""
    return said if said in REASONS else UNKNOWN
