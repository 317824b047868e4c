"""A process with a name of its own, as Linux shows it."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional


@contextmanager
def running_as(name: str, program_folder: Path, cwd: Optional[Path] = None) -> Iterator[int]:
    """Start a program called ``name`` that does nothing, and yield its pid.

    ``Popen`` returns when the process has closed its descriptors, a moment before Linux gives it its new name. So this
    waits until the program itself has spoken.
    """
    program = program_folder / name
    shutil.copy(str(shutil.which("cat")), str(program))
    with subprocess.Popen(
        [str(program)], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(b"here\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"here\n"
            yield process.pid
        finally:
            process.kill()
