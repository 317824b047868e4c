"""Job objects of Windows: a launcher's child ends with the launcher, and a program knows whether it
would end with one.

Run as a script, its exit status is 1 if the job that it was started in ends its processes. Standard library only.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
    _KILL_ON_CLOSE, _BREAKAWAY_OK, _SILENT_BREAKAWAY_OK = 0x2000, 0x800, 0x1000

    class _Limits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
            ("IoInfo", ctypes.c_uint64 * 6),
            ("Memory", ctypes.c_size_t * 4),
        )

    _kernel = ctypes.WinDLL("kernel32")
    _kernel.CreateJobObjectW.restype = _kernel.GetCurrentProcess.restype = wintypes.HANDLE
    _kernel.SetInformationJobObject.argtypes = (
        wintypes.HANDLE,
        ctypes.c_int,
        wintypes.LPVOID,
        wintypes.DWORD,
    )
    _kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    _kernel.IsProcessInJob.argtypes = (wintypes.HANDLE, wintypes.HANDLE, wintypes.LPVOID)
    _kernel.QueryInformationJobObject.argtypes = (
        wintypes.HANDLE,
        ctypes.c_int,
        wintypes.LPVOID,
        wintypes.DWORD,
        wintypes.LPVOID,
    )

    class EndsWithUs:
        """A job whose processes end when this process does, however that happens: the system closes
        its last handle.

        Where the system makes no job, nothing ends early.
        """

        def __init__(self) -> None:
            self._job = _kernel.CreateJobObjectW(None, None)

        def take_children(self) -> None:
            """Take this process, and with it every child from here on."""
            self._limit(_KILL_ON_CLOSE)
            self._take(_kernel.GetCurrentProcess())

        def take(self, process: int) -> None:
            """Take the process with this handle. Its children may leave.

            An editor that `open` starts must outlive the launcher (SPEC §22.3). The interpreter of an environment is a
            redirector with a job of its own, which lets its children leave silently and only so: asking to leave fails
            there. So they must be able to leave this job silently too. What the child starts for itself ends with the
            child, because each of these programs watches its stdin.
            """
            self._limit(_KILL_ON_CLOSE | _BREAKAWAY_OK | _SILENT_BREAKAWAY_OK)
            self._take(process)

        def let_go(self) -> None:
            """Let the processes in the job outlive this one."""
            self._limit(0)

        def _limit(self, flags: int) -> None:
            limits = _Limits(LimitFlags=flags)
            _kernel.SetInformationJobObject(
                self._job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )

        def _take(self, process: int) -> None:
            _kernel.AssignProcessToJobObject(self._job, process)

    def is_in_job() -> bool:
        """Return whether this process is in any job."""
        answer = wintypes.BOOL()
        _kernel.IsProcessInJob(_kernel.GetCurrentProcess(), None, ctypes.byref(answer))
        return bool(answer.value)

    def ends_with_its_job() -> bool:
        """Return whether this process ends when the handles of its job are closed."""
        limits = _Limits()
        is_known = is_in_job() and _kernel.QueryInformationJobObject(
            None, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits), None
        )
        return bool(is_known) and bool(limits.LimitFlags & _KILL_ON_CLOSE)

    if __name__ == "__main__":
        sys.exit(ends_with_its_job())
