"""Whether the editor has loaded the code that it compiled, and why not: the words of SPEC §11.7."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

LOADED = "loaded"
PENDING = "pending"
UNKNOWN = "unknown"

# In this order: the plugin reports the first that holds.
REASONS = ("compile_errors", "playing", "reload_locked", "requested", UNKNOWN)

_IN_WORDS = {
    "compile_errors": "the last compilation had errors. Fix them, then compile again",
    "playing": "the editor is in play mode. Leave play mode, then compile again",
    "reload_locked": "a script or a window of the editor locks the reload of the scripts. Compile again once it has "
    "released the lock; restarting the editor releases it too",
    "requested": "the compilation that Unity was asked for has not started. Compile again",
    UNKNOWN: "Unity has not reloaded the scripts and does not say why. Look at the editor, then compile again",
}


def known_code(code: Any) -> Optional[str]:
    """``code`` if the contract names it, else ``None``: a later contract may have more words."""
    if code in (LOADED, PENDING):
        return str(code)
    return None


def code_and_reason(
    code: Optional[str], reason: Optional[str]
) -> Tuple[Optional[str], Optional[str]]:
    """Both as they are kept: pending code has a reason, and nothing else has one."""
    return code, known_reason(reason) if code == PENDING else None


def why_not_loaded(pending_reason: Any, code: Any = None) -> str:
    """Why the code is not loaded, and what to do, without a full stop. ``code``: the plugin's own
    words, if any.
    """
    if code:
        return str(code).rstrip(".")
    return _IN_WORDS[known_reason(pending_reason)]


def fault_of_compile(result: Optional[Mapping[str, Any]]) -> Optional[str]:
    """Why a compile that has succeeded is no success: its code is not loaded. ``None`` if it is, or
    is not reported.
    """
    if result is None or result.get("ok") is False or result.get("loaded") is not False:
        return None
    return f"compiled, not loaded: {why_not_loaded(result.get('pending_reason'), result.get('reason'))}"


def known_reason(reason: Any) -> str:
    """``reason`` if the contract names it, else ``unknown``."""
    if reason in REASONS:
        return str(reason)
    return UNKNOWN
