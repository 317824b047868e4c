"""The environment variables that an editor gets, and what it would lack with them (SPEC §22.3).

Agents start programs with few variables, or in a sandbox. Unity then hangs at its first refresh or loses its package
manager, so nothing is started.
"""

from __future__ import annotations

import sys
from typing import Dict, List, Mapping, Optional

from unity_bridge.system.loopback import is_closed_to_us

# Without these Unity's package manager and its post-processor end at once.
_OF_WINDOWS = (
    "SystemRoot",
    "ComSpec",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "USERPROFILE",
)
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def lacking(
    environ: Mapping[str, str], needs_window: bool, platform: str = sys.platform
) -> Optional[str]:
    """Return in one sentence what an editor with these variables would lack, or None."""
    if is_closed_to_us():
        return "This shell runs in a sandbox without access to local connections, which Unity needs for its own helpers"
    missing = missing_on_windows(environ) if platform == "win32" else []
    if missing:
        return f"This shell and the user's own environment lack {', '.join(missing)}, which Unity needs"
    if needs_window and not has_display(environ, platform):
        return "There is no display for Unity's window: neither DISPLAY nor WAYLAND_DISPLAY is set"
    return None


def has_display(environ: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Return whether an editor with these variables can open a window or a graphics device."""
    return platform != "linux" or any(environ.get(name) for name in _DISPLAYS)


def completed(environ: Mapping[str, str], of_the_user: Mapping[str, str]) -> Dict[str, str]:
    """Return ``environ`` with those variables of Windows that it lacks and the user has."""
    user_variables = {name.upper(): value for name, value in of_the_user.items()}
    missing = {
        name: user_variables[name.upper()]
        for name in missing_on_windows(environ)
        if user_variables.get(name.upper())
    }
    return {**environ, **missing}


def missing_on_windows(environ: Mapping[str, str]) -> List[str]:
    """Return the variables that Unity needs on Windows and that are not set. Letter case does not
    count there.
    """
    present = {name.upper() for name, value in environ.items() if value}
    return [name for name in _OF_WINDOWS if name.upper() not in present]


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    def of_this_user() -> Dict[str, str]:
        """Return the variables that Windows gives a new session of this user; none if it does not
        tell.
        """
        kernel, advapi, userenv = (
            ctypes.WinDLL(name) for name in ("kernel32", "advapi32", "userenv")
        )
        kernel.GetCurrentProcess.restype = wintypes.HANDLE
        advapi.OpenProcessToken.argtypes = (wintypes.HANDLE, wintypes.DWORD, wintypes.LPVOID)
        userenv.CreateEnvironmentBlock.argtypes = (wintypes.LPVOID, wintypes.HANDLE, wintypes.BOOL)
        userenv.DestroyEnvironmentBlock.argtypes = (wintypes.LPVOID,)
        kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
        token, block = wintypes.HANDLE(), ctypes.c_void_p()
        query_and_duplicate = 0x8 | 0x2
        if not advapi.OpenProcessToken(
            kernel.GetCurrentProcess(), query_and_duplicate, ctypes.byref(token)
        ):
            return {}
        try:
            if not userenv.CreateEnvironmentBlock(ctypes.byref(block), token, False):
                return {}
        finally:
            kernel.CloseHandle(token)
        try:
            return _read(block.value or 0)
        finally:
            userenv.DestroyEnvironmentBlock(block)

    def _read(address: int) -> Dict[str, str]:
        """Return the variables of a block: texts that end with a zero, and an empty one at the end."""
        variables: Dict[str, str] = {}
        while True:
            line = ctypes.wstring_at(address)
            if not line:
                return variables
            # Some names begin with "=", such as that of a drive's working directory.
            name, _, value = line[1:].partition("=")
            variables[line[0] + name] = value
            address += (len(line.encode("utf-16-le")) // 2 + 1) * ctypes.sizeof(ctypes.c_wchar)

else:

    def of_this_user() -> Dict[str, str]:
        """Return nothing: only Windows completes a cut environment."""
        return {}
