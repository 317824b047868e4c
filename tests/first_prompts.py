"""The prompts of ``docs/commands.md``: what a user asks for, and the commands that do it (SPEC
§16.7).
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

PAGE = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
# What the last of them reads from a file.
FIFTY = {
    "steps": [
        {
            "name": "create_object",
            "arguments": {"kind": "cylinder", "name": f"Tree {x}", "position": [x, 0, 0]},
        }
        for x in range(50)
    ]
}
# What the project has before the first.
PROJECT = (
    "asset Assets|Folder",
    "asset Assets/Icon.png|Data",
    "object player|Assets/Main.unity|Player|MeshFilter,MeshRenderer",
    "object enemy|Assets/Main.unity|Enemy|BoxCollider",
)


class Prompt(NamedTuple):
    """``block``: the lines of shell below it."""

    words: str
    block: str

    def calls(self) -> List[Tuple[str, Dict[str, Any]]]:
        """Its commands, with the arguments that ``run_command`` takes."""
        found: List[Tuple[str, Dict[str, Any]]] = []
        for line in re.split(r"\n(?=unity-bridge )", self.block.strip()):
            words = shlex.split(
                line.replace("$(cat steps.json)", json.dumps(FIFTY).replace('"', '\\"'))
            )
            assert words[:2] == ["unity-bridge", "run"], line
            name, *rest = words[2:]
            if rest[0] == "--json-args":
                found.append((name, json.loads(rest[1])))
            else:
                found.append((name, dict(_argument(word) for word in rest)))
        return found


def _argument(word: str) -> Tuple[str, Any]:
    name, _, value = word.partition("=")
    return name, json.loads(value) if value[0] in "[{" else value


def prompts() -> List[Prompt]:
    """All of them, in the order of the page."""
    section = (
        PAGE.read_text(encoding="utf-8").partition("### Prompts to try\n")[2].partition("\n## ")[0]
    )
    return [
        Prompt(*found)
        for found in re.findall(r'"([A-Z][^"\n]*)"[^\n]*:\n\n```sh\n(.*?)```', section, re.DOTALL)
    ]
