"""``CliRunner`` with stdout and stderr apart, on every click that is supported."""

from __future__ import annotations

from inspect import signature
from typing import Any, Dict

from click.testing import CliRunner


def runner() -> CliRunner:
    # click 8.2 keeps them apart and dropped the parameter; on Python 3.8 and 3.9 there is only 8.1.
    apart: Dict[str, Any] = (
        {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
    )
    return CliRunner(**apart)
