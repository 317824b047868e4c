"""Who may read a file on Windows, by its access list."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from unity_bridge.trust.access_list import grants_reading, others_can_read

# Of a file in a user's profile on Windows 11, and of one in a folder that its user made in the root
# of a drive.
IN_A_PROFILE = "D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;FA;;;S-1-5-21-1-2-3-1001)"
IN_THE_ROOT = "D:AI(A;ID;FA;;;BA)(A;ID;FA;;;SY)(A;ID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)"


@pytest.mark.parametrize(
    ("access_list", "is_read"),
    [
        (IN_A_PROFILE, False),
        (IN_THE_ROOT, True),
        ("D:P(A;;FA;;;SY)(A;;FR;;;WD)", True),
        ("D:P(A;;0x80000000;;;AU)", True),
        ("D:P(A;;CCSWRC;;;BU)", True),
        ("D:P(A;;0x100000;;;WD)(A;;FX;;;BU)", False),  # neither lets them read
        ("D:P(A;OICIIO;FA;;;WD)", False),
        ("D:P(D;;FA;;;WD)", False),
        ("D:P", False),
        ("D:NO_ACCESS_CONTROL", True),
        ("", True),
    ],
)
def test_many_readers_are_found_in_the_access_list(access_list: str, is_read: bool) -> None:
    assert grants_reading(access_list) is is_read


@pytest.mark.skipif(sys.platform != "win32", reason="access lists of Windows")
def test_the_access_list_of_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "Größe"
    file.touch()
    for access_list, is_read in (("D:P(A;;FA;;;OW)(A;;FR;;;WD)", True), ("D:P(A;;FA;;;OW)", False)):
        give(file, access_list)
        assert others_can_read(str(file)) is is_read
    assert not others_can_read(str(tmp_path / "missing"))


def give(file: Path, access_list: str) -> None:
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        security = ctypes.WinDLL("advapi32", use_last_error=True)
        convert = security.ConvertStringSecurityDescriptorToSecurityDescriptorW
        convert.argtypes = (
            wintypes.LPCWSTR,
            wintypes.DWORD,
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.c_void_p,
        )
        security.SetFileSecurityW.argtypes = (wintypes.LPCWSTR, wintypes.DWORD, ctypes.c_void_p)
        descriptor = ctypes.c_void_p()
        assert convert(access_list, 1, ctypes.byref(descriptor), None), ctypes.get_last_error()
        assert security.SetFileSecurityW(str(file), 4, descriptor), ctypes.get_last_error()
