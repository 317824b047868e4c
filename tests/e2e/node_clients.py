"""The MCP project's own TypeScript programs and a Node that runs them, fetched once into the
clone's private folder.
"""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path
from typing import List, Tuple

from tests import fetching
from unity_bridge.base.result import Err, Ok, Result

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
# The line that most clients are built on.
SDK = "@modelcontextprotocol/sdk@1.32.2"
NODE_MIN = (22, 19)


def inspector_command() -> Result[List[str], str]:
    """``[node, mcp-inspector, --cli]``, or why there is none here."""
    script = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    found = _with_package(INSPECTOR)
    return (
        Ok([found.value[0], str(found.value[1] / script), "--cli"])
        if isinstance(found, Ok)
        else found
    )


def typescript_client() -> Result[List[str], str]:
    """``[node, script, folder of the SDK]``: a client that takes a server's command and calls, see
    the script.
    """
    found = _with_package(SDK)
    script = str(Path(__file__).with_name("typescript_client.mjs"))
    return Ok([found.value[0], script, str(found.value[1])]) if isinstance(found, Ok) else found


def _with_package(package: str) -> Result[Tuple[str, Path], str]:
    try:
        node = fetching.node(NODE_MIN)
        name = package.rsplit("/", 1)[1]
        return Ok(
            (node, fetching.once(name, partial(fetching.from_npm, package=package, node=node)))
        )
    except (fetching.CannotFetch, OSError, subprocess.SubprocessError) as error:
        return Err(f"{package} cannot be had here: {error}")
