"""The result of a check, and how to fix it."""

from __future__ import annotations

from enum import Enum
from typing import Optional

from unity_bridge.base.frozen import frozen


class Verdict(str, Enum):
    """How serious a finding is. ``note``: worth knowing, but nothing is broken."""

    OK = "ok"
    BAD = "bad"
    NOTE = "note"


@frozen
class Finding:
    """One line of the report. ``remedy``: how to fix it, a command if there is one."""

    check: str
    verdict: Verdict
    message: str
    remedy: Optional[str] = None


def ok(check: str, message: str) -> Finding:
    return Finding(check, Verdict.OK, message)


def bad(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, Verdict.BAD, message, remedy)


def worth_a_note(check: str, message: str, remedy: Optional[str] = None) -> Finding:
    return Finding(check, Verdict.NOTE, message, remedy)
