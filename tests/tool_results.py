"""Results of tools, for tests in which it does not matter what they say."""

from __future__ import annotations

from typing import Any, Dict

CONSOLE: Dict[str, Any] = {"entries": [], "count": 0, "truncated": False}
PASSED: Dict[str, Any] = {
    "summary": {"total": 3, "passed": 3, "failed": 0, "skipped": 0, "duration_ms": 120},
    "failed_tests": [],
    "code_fresh": True,
}
COMPILED: Dict[str, Any] = {
    "ok": True,
    "changed": True,
    "reloaded": True,
    "error_count": 0,
    "warning_count": 0,
    "errors": [],
}
# What a job of any tool may end with.
OF_ANY_JOB: Dict[str, Any] = {
    **PASSED,
    **COMPILED,
    "value": None,
    "playing": True,
    "paused": False,
    "frame": 1,
}
