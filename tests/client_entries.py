"""The entries of clients for the settings page in Unity, as a C# file of the package.

After a change of the table of clients: ``python -m tests.client_entries`` writes it again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

from unity_bridge.installation.client_plan import snippet
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import ENTRY, Client, Launch
from unity_bridge.installation.package_copy import shipped_package

FILE = shipped_package() / "Editor" / "Settings" / "ClientEntries.cs"
# The first word of the command, those behind it, and the project.
PLACES = ("PROGRAM", "WORDS", "--project", "PROJECT")
_HEAD = """using System.Collections.Generic;
using System.Linq;

namespace UnityBridge.Settings
{
    /// <summary>What an empty file of each client holds to start the server, with ' for ". Made by
    /// tests/client_entries.py.</summary>
    internal static class ClientEntries
    {
        private static readonly Dictionary<string, string> ByNames = new Dictionary<string, string>
        {
"""
_FOOT = """        };

        public static readonly IReadOnlyDictionary<string, string> ByName = ByNames
            .SelectMany(entry => entry.Key.Split(' '), (entry, name) => (Name: name, Text: entry.Value))
            .ToDictionary(entry => entry.Name, entry => entry.Text.Replace('\\'', '"'));
    }
}
"""


def template(client: Client) -> str:
    return snippet(client, ENTRY, Launch.of(PLACES)).rstrip("\n")


def source() -> str:
    names: Dict[str, List[str]] = {}
    for name, client in CLIENTS.items():
        names.setdefault(template(client), []).append(name)
    rows = [
        f'            {{ "{" ".join(group)}", @"{compact(text)}" }},\n'
        for text, group in names.items()
    ]
    return _HEAD + "".join(rows) + _FOOT


def compact(text: str) -> str:
    return text.replace('"', "'")


if __name__ == "__main__":
    Path(FILE).write_text(source(), encoding="utf-8")
