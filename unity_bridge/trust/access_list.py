"""Who else may read a file on Windows, where its mode does not say: what its access list grants."""

from __future__ import annotations

import re
import sys
from typing import List, Optional

# Everyone, Users, Authenticated Users, Interactive, Network, Anonymous, Guests, as SDDL abbreviates
# them.
_MANY_USERS = {"WD", "BU", "AU", "IU", "NU", "AN", "BG"}
# All of a file's rights, reading it, and the same as generic rights; CC is the bit of
# FILE_READ_DATA.
_READING = {"FA", "FR", "GA", "GR", "CC"}
_READING_BITS = 0x1 | 0x80000000 | 0x10000000
_ENTRY = r"\(A;(\w*);(\w*);[^;]*;[^;]*;([^;)]+)"


def others_can_read(path: str) -> bool:
    """Whether many users of this machine may; false if that is unknown, or where there are no
    access lists.
    """
    entries = _access_list(path)
    return entries is not None and grants_reading(entries)


def grants_reading(access_list: str) -> bool:
    """``access_list`` is in the Security Descriptor Definition Language. Without one everybody may
    do everything.

    Entries that deny are not weighed against the others.
    """
    if not access_list.startswith("D:") or "NO_ACCESS_CONTROL" in access_list:
        return True
    return any(
        who in _MANY_USERS
        and "IO" not in _pairs(flags)
        and _include_reading(rights)  # IO: for what it contains only
        for flags, rights, who in re.findall(_ENTRY, access_list)
    )


def _include_reading(rights: str) -> bool:
    if rights.startswith("0x"):
        return bool(int(rights, 16) & _READING_BITS)
    return bool(set(_pairs(rights)) & _READING)


def _pairs(text: str) -> List[str]:
    return [text[place : place + 2] for place in range(0, len(text), 2)]


if sys.platform == "win32":

    def _access_list(path: str) -> Optional[str]:
        import ctypes
        from ctypes import wintypes

        pointer = ctypes.c_void_p
        security, kernel = ctypes.WinDLL("advapi32"), ctypes.WinDLL("kernel32")
        look, convert = (
            security.GetNamedSecurityInfoW,
            security.ConvertSecurityDescriptorToStringSecurityDescriptorW,
        )
        look.argtypes = (
            wintypes.LPCWSTR,
            ctypes.c_int,
            wintypes.DWORD,
            *[pointer] * 4,
            ctypes.POINTER(pointer),
        )
        convert.argtypes = (
            pointer,
            wintypes.DWORD,
            wintypes.DWORD,
            ctypes.POINTER(pointer),
            pointer,
        )
        kernel.LocalFree.argtypes = (pointer,)
        a_file, access, revision = (
            1,
            4,
            1,
        )  # SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, SDDL_REVISION_1
        descriptor, text = pointer(), pointer()
        try:
            if look(path, a_file, access, None, None, None, None, ctypes.byref(descriptor)) != 0:
                return None
            converted = convert(descriptor, revision, access, ctypes.byref(text), None)
            if converted and text.value:
                return ctypes.wstring_at(text.value)
            return None
        finally:
            kernel.LocalFree(text)
            kernel.LocalFree(descriptor)

else:

    def _access_list(path: str) -> Optional[str]:
        return None
