"""Whether any editor is open on this machine: of use where no project is known, and nobody has connected yet.

A plugin cannot be seen while it waits to try its server's port again, but the process that it lives in can. A simulated
editor is a Python among others, so it holds a lock on a file in the user's state folder for as long as it lives.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import List, Optional, Type

from unity_bridge.base.result import Err
from unity_bridge.launch.file_lock import try_lock
from unity_bridge.trust.state_folder import state_folder

_PROC = "/proc"
# The editor's own process. Its helpers outlive it (Unity.Licensing.Client), and games have some (UnityCrashHandler64).
_UNITY = ("Unity", "Unity.exe")
_PS = ("/bin/ps", "-axco", "comm=")
_PS_S = 1.0
# The kernel's first process namespace has this number (PROC_PID_INIT_INO). In a container's there are fewer processes.
_ALL_PROCESSES = "pid:[4026531836]"
_SLOTS = 8


def is_any_editor_open() -> Optional[bool]:
    """``None``: it cannot be told. An editor that somebody else's program plays is not seen."""
    if is_any_simulated():
        return True
    try:
        return _is_unity_running()
    except (OSError, subprocess.SubprocessError):
        return None


class SimulatorMark:
    """Entered by a simulated editor for its life. Where the mark cannot be made, the editor lives without."""

    def __init__(self) -> None:
        self._descriptor: Optional[int] = None

    def __enter__(self) -> SimulatorMark:
        for path in _marks():
            try:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._descriptor = try_lock(str(path))
            except OSError:
                return self
            if self._descriptor is not None:
                return self
        return self  # all taken: they say what this one would

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


def _marks() -> List[Path]:
    folder = state_folder()
    return [] if isinstance(folder, Err) else [folder.value / f"simulator-{slot}.lock" for slot in range(_SLOTS)]


def is_any_simulated() -> bool:
    """Whether an editor that `simulate` plays runs for this user."""
    for path in _marks():
        if not path.exists():
            continue
        try:
            descriptor = try_lock(str(path))
        except OSError:
            continue
        if descriptor is None:
            return True
        os.close(descriptor)
    return False


def _is_of_an_editor(name: str) -> bool:
    return name in _UNITY


if sys.platform == "win32":

    def _is_unity_running() -> Optional[bool]:
        return any(map(_is_of_an_editor, _process_names()))

    def _process_names() -> List[str]:
        """By the Tool Help library: https://learn.microsoft.com/windows/win32/toolhelp/taking-a-snapshot"""
        import ctypes
        from ctypes import wintypes

        class Entry(ctypes.Structure):
            _fields_ = [
                ("dwSize", wintypes.DWORD),
                ("cntUsage", wintypes.DWORD),
                ("th32ProcessID", wintypes.DWORD),
                ("th32DefaultHeapID", ctypes.c_size_t),
                ("th32ModuleID", wintypes.DWORD),
                ("cntThreads", wintypes.DWORD),
                ("th32ParentProcessID", wintypes.DWORD),
                ("pcPriClassBase", wintypes.LONG),
                ("dwFlags", wintypes.DWORD),
                ("szExeFile", wintypes.WCHAR * 260),
            ]

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateToolhelp32Snapshot.restype = wintypes.HANDLE
        for step in (kernel.Process32FirstW, kernel.Process32NextW):
            step.argtypes = (wintypes.HANDLE, ctypes.POINTER(Entry))
        kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
        all_processes = 2
        snapshot = kernel.CreateToolhelp32Snapshot(all_processes, 0)
        if snapshot in (None, wintypes.HANDLE(-1).value):
            raise OSError("the processes cannot be listed")
        entry = Entry(dwSize=ctypes.sizeof(Entry))
        names = []
        try:
            is_one = kernel.Process32FirstW(snapshot, ctypes.byref(entry))
            while is_one:
                names.append(entry.szExeFile)
                is_one = kernel.Process32NextW(snapshot, ctypes.byref(entry))
        finally:
            kernel.CloseHandle(snapshot)
        return names

elif sys.platform == "darwin":

    def _is_unity_running() -> Optional[bool]:
        listed = subprocess.run(_PS, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PS_S, check=True)
        names = listed.stdout.decode("utf-8", "replace").splitlines()
        return any(map(_is_of_an_editor, names))

else:

    def _is_unity_running() -> Optional[bool]:
        for pid in filter(str.isdigit, os.listdir(_PROC)):
            try:
                with open(f"{_PROC}/{pid}/comm", "rb") as name:
                    if _is_of_an_editor(name.read(64).decode("utf-8", "replace").rstrip("\n")):
                        return True
            except OSError:
                continue  # it has ended
        return False if _sees_all_processes() else None

    def _sees_all_processes() -> bool:
        """A container, and Linux on Windows, may share the ports of a machine whose processes they do not see."""
        is_on_windows = "microsoft" in os.uname().release.lower()
        return os.readlink(f"{_PROC}/self/ns/pid") == _ALL_PROCESSES and not is_on_windows
