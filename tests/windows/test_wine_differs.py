"""What ``limits.py`` says of wine: each limit in a few lines. A test that fails says that wine can
do it now.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.windows import limits
from tests.windows.test_limits import REPOSITORY

pytestmark = pytest.mark.skipif(not limits.runs_under_wine(), reason="about wine")


def test_no_program_is_reported_as_holder_of_a_port() -> None:
    """``GetExtendedTcpTable`` has the owner of each, on Windows."""
    with socket.create_server(("127.0.0.1", 0)) as ours:
        port = ours.getsockname()[1]
        holders = [
            found.pid
            for found in psutil.net_connections("tcp")
            if found.laddr and found.laddr.port == port
        ]
    assert os.getpid() not in holders


def test_no_list_of_processes_is_given() -> None:
    """``NtQuerySystemInformation`` gives psutil all of them, on Windows."""
    with pytest.raises(OSError):
        [process.info for process in psutil.process_iter(["name"])]


def test_no_link_is_made(tmp_path: Path) -> None:
    """``CreateSymbolicLink`` makes one or fails, on Windows; ``FSCTL_SET_REPARSE_POINT`` needs no
    privilege there.
    """
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    assert not (tmp_path / "link").exists()
    if sys.platform == "win32":
        import _winapi

        (tmp_path / "folder").mkdir()
        with pytest.raises(OSError):
            _winapi.CreateJunction(str(tmp_path / "folder"), str(tmp_path / "junction"))


def test_a_folder_with_open_files_in_it_is_moved(tmp_path: Path) -> None:
    """``MoveFileEx`` is refused with ERROR_ACCESS_DENIED, on Windows. See ``moves_folders_in_use``."""
    (tmp_path / "folder").mkdir()
    with (tmp_path / "folder" / "file").open("w"):
        (tmp_path / "folder").rename(tmp_path / "elsewhere")


def test_no_memory_is_reserved_by_placeholders() -> None:
    """What V8 asks ``VirtualAlloc2`` for when Node starts: without, it ends as if there were no
    memory.
    """
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        allocate = ctypes.WinDLL("kernelbase").VirtualAlloc2
        numbers = (ctypes.c_size_t, wintypes.ULONG, wintypes.ULONG)
        allocate.argtypes = (
            wintypes.HANDLE,
            ctypes.c_void_p,
            *numbers,
            ctypes.c_void_p,
            wintypes.ULONG,
        )
        allocate.restype = ctypes.c_void_p
        reserve, as_placeholder, no_access = 0x2000, 0x40000, 1
        assert allocate(None, None, 2**20, reserve, no_access, None, 0)
        assert not allocate(None, None, 2**20, reserve | as_placeholder, no_access, None, 0)


def test_no_limits_of_a_job_are_reported() -> None:
    """``QueryInformationJobObject`` gives a process the limits of its own job, on Windows."""
    words = "import sys; from unity_bridge.launch import job_object as j; j.EndsWithUs().take_children(); "
    words += "sys.exit(2 * j.is_in_job() + j.ends_with_its_job())"
    assert (
        subprocess.run(
            [sys.executable, "-c", words], cwd=str(REPOSITORY), stdin=subprocess.PIPE
        ).returncode
        == 2
    )
