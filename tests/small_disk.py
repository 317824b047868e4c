"""A small file system of its own, where a test may mount one."""

from __future__ import annotations

import subprocess
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

import pytest


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of so many megabytes in ``folder``. Skips the test where nothing can be
    mounted.
    """
    _mount(folder, f"size={megabytes}m")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def make_read_only(folder: Path, is_read_only: bool = True) -> None:
    _mount(folder, "remount,ro" if is_read_only else "remount,rw")


@contextmanager
def filled_by_something_else(disk: Path) -> Iterator[None]:
    """Another program takes all room of the disk, again and again, until the end of the block."""
    is_over = threading.Event()

    def fill() -> None:
        with (disk / "filler").open("wb", buffering=0) as file:
            while not is_over.wait(0.005):
                with suppress(OSError):
                    file.write(b"x" * 32768)

    filler = threading.Thread(target=fill, name="filler")
    filler.start()
    try:
        yield
    finally:
        is_over.set()
        filler.join()
        (disk / "filler").unlink()


def _mount(folder: Path, options: str) -> None:
    try:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        pytest.skip("nothing can be mounted here")
    if done.returncode != 0:
        pytest.skip("nothing can be mounted here")
