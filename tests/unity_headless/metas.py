"""The ``.meta`` files of the Unity package: one per file and folder, each with a GUID that never
changes.

Unity ignores files without one in a package that it may not write to, and invents a GUID otherwise, which then differs
from machine to machine. Run this file to write all of them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Iterator

PACKAGE = Path(__file__).resolve().parent.parent.parent / "unity_bridge" / "unity_package"

_COMMON = "  externalObjects: {}\n  userData: \n  assetBundleName: \n  assetBundleVariant: \n"
_IMPORTERS = {
    ".cs": "MonoImporter:\n  externalObjects: {}\n  serializedVersion: 2\n  defaultReferences: []\n"
    "  executionOrder: 0\n"
    "  icon: {instanceID: 0}\n  userData: \n  assetBundleName: \n  assetBundleVariant: \n",
    ".asmdef": "AssemblyDefinitionImporter:\n" + _COMMON,
    ".json": "PackageManifestImporter:\n" + _COMMON,
    ".md": "TextScriptImporter:\n" + _COMMON,
}


def assets() -> Iterator[Path]:
    """Every file and folder of the package that Unity imports, the package's own folder excepted.

    Unity imports no folder whose name ends in ~. But it copies the content of each sample into the project, and the
    GUIDs stay the same from one import to the next only if the .meta files are copied too.
    """
    for path in sorted(PACKAGE.rglob("*")):
        parts = path.relative_to(PACKAGE).parts
        inner = parts[2:] if parts[0] == "Samples~" else parts
        is_hidden = any(part.endswith("~") or part == "__pycache__" for part in inner)
        if inner and path.suffix != ".meta" and not is_hidden:
            yield path


def guid(asset: Path) -> str:
    return hashlib.md5(
        f"com.unitybridge.editor/{asset.relative_to(PACKAGE).as_posix()}".encode()
    ).hexdigest()


def meta_of(asset: Path) -> Path:
    return asset.with_name(asset.name + ".meta")


def content(asset: Path) -> str:
    head = f"fileFormatVersion: 2\nguid: {guid(asset)}\n"
    if asset.is_dir():
        return head + "folderAsset: yes\nDefaultImporter:\n" + _COMMON
    return head + _IMPORTERS[asset.suffix]


if __name__ == "__main__":
    for path in assets():
        meta_of(path).write_bytes(content(path).encode("utf-8"))
