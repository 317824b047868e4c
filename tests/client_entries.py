"""The entries of clients for the settings page in Unity, as a C# file of the package.

After a change of the table of clients: ``python -m tests.client_entries`` writes it again.
"""

from __future__ import annotations

from pathlib import Path
from typing import List

from unity_bridge.installation.client_plan import snippet
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import ENTRY, Client, Launch
from unity_bridge.installation.package_copy import shipped_package

FILE = shipped_package() / "Editor" / "Settings" / "ClientEntries.cs"
# The first word of the command, those behind it, and the project.
PLACES = ("PROGRAM", "WORDS", "--project", "PROJECT")
_HEAD = """using System.Collections.Generic;

namespace UnityBridge.Settings
{
    /// <summary>What an empty file of each client holds to start the server. Made by tests/client_entries.py.</summary>
    internal static class ClientEntries
    {
        public static readonly IReadOnlyDictionary<string, string> ByName = new Dictionary<string, string>
        {
"""
_FOOT = """        };
    }
}
"""


def template(client: Client) -> str:
    return snippet(client, ENTRY, Launch.of(PLACES)).rstrip("\n")


def source() -> str:
    rows: List[str] = []
    for name, client in CLIENTS.items():
        text = template(client).replace('"', '""')
        rows.append(f'            {{ "{name}", @"{text}" }},\n')
    return _HEAD + "".join(rows) + _FOOT


if __name__ == "__main__":
    Path(FILE).write_text(source(), encoding="utf-8")
