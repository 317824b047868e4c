"""Whether a program of a name runs on this machine."""

from __future__ import annotations

import os


def is_any_running(program: str) -> bool:
    """Whether any process is called ``program``, with or without ``.exe``. False if that cannot be
    seen.
    """
    try:
        import psutil

        names = (process.info["name"] or "" for process in psutil.process_iter(["name"]))
        return any(os.path.splitext(name)[0].lower() == program.lower() for name in names)
    except (ImportError, OSError):
        return False
