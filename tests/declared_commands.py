"""The commands of the package as its C# sources declare them, and the file of data that the program
reads.

After a change of a declaration: ``python -m tests.declared_commands`` writes the file again.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from unity_bridge.catalogue.plugin_commands import FILE
from unity_bridge.installation.package_copy import shipped_package

_OPTIONS = "None|Development|AllowDebugging|..."
# An enum of Unity's own, which the package's sources do not have.
_UNITYS_ENUMS: Mapping[str, str] = {"BuildOptions": _OPTIONS}
# Types whose name in C# is another one than in a signature.
_OBJECT = "IDictionary<string, object>"
_ANYTHING = re.compile(r"\bobject (?=\w)")
# The bridge fills in parameters of these types by itself.
_FILLED_IN = ("ToolContext", "ChangeCall", "CommandCall", "CancellationToken", "IProgress<float>")
_TEXT = r'"(?:[^"\\]|\\.)*"'
_DECLARED = re.compile(
    rf'\[BridgeCommand\(\s*"(?P<name>\w+)",\s+(?P<description>{_TEXT}(?:\s*\+ {_TEXT})*)'
    rf"(?P<named>(?:,\s+\w+ =\s+(?:true|false|{_TEXT}(?:\s*\+ {_TEXT})*))*)\)\]\s*"
    r"private static \w+ (?P<method>\w+)\((?P<parameters>[^)]*)\)"
)


def declared() -> List[Dict[str, Any]]:
    """By name. ``flags``: the attribute's arguments that are true."""
    editor = shipped_package() / "Editor"
    sources = "\n".join(file.read_text(encoding="utf-8") for file in sorted(editor.rglob("*.cs")))
    enums = {
        name: "|".join(re.findall(r"\w+", body))
        for name, body in re.findall(r"enum (\w+)\s*{([^}]*)}", sources)
    }
    enums.update(_UNITYS_ENUMS)
    joined = " ".join(
        re.findall(
            r'"([\w ]{2,})"',
            (editor / "Framework" / "JoinedCommands.cs").read_text(encoding="utf-8"),
        )
    ).split()
    rows = []
    for one in _DECLARED.finditer(sources):
        owner = re.findall(r"class (\w+)", sources[: one.start()])[-1]
        given = [
            part for part in re.split(r",\s+", _with_names_of_signatures(one["parameters"])) if part
        ]
        parameters = [_parameter(part, enums) for part in given if not part.startswith(_FILLED_IN)]
        shown = [
            f"{name}: {kind}" + ("" if default is None else f" = {default}")
            for name, kind, default in parameters
        ]
        row: Dict[str, Any] = {
            "name": one["name"],
            "signature": f"{one['name']}({', '.join(shown)})",
            "parameters": parameters,
            "description": json.loads(
                '"' + "".join(text[1:-1] for text in re.findall(_TEXT, one["description"])) + '"'
            ),
            "keywords": "".join(
                re.findall(r'"([^"]*)"', re.split(r"Keywords =\s+|$", one["named"])[1])
            ),
            "source": f"{owner}.{one['method']}",
            "writes": "Write = false" not in one["named"],
            "flags": re.findall(r"(\w+) = true", one["named"]),
            "is_joined": one["name"] in joined,
            "can_be_stopped": "CancellationToken" in one["parameters"],
            "counts": "IProgress" in one["parameters"],
        }
        rows.append(row)
    return sorted(rows, key=lambda row: str(row["name"]))


def _with_names_of_signatures(parameters: str) -> str:
    return (
        _ANYTHING.sub("any ", " ".join(parameters.split()))
        .replace(_OBJECT, "object")
        .replace("Vector3", "vector")
    )


def _parameter(parameter: str, enums: Mapping[str, str]) -> Tuple[str, str, Optional[str]]:
    """``Unsaved unsaved = Unsaved.refuse`` as its name, ``refuse|save|discard``, and its default."""
    declared, _, default = parameter.partition(" = ")
    kind, name = declared.split()
    item = kind.replace("[]", "")
    if item in enums:
        kind = f"({enums[item]})[]" if item != kind else enums[item]
    return name.lstrip("@"), kind, default.rpartition(".")[2].lstrip("@") if default else None


def as_text() -> str:
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in declared()) + "\n]\n"


if __name__ == "__main__":
    Path(FILE).write_text(as_text(), encoding="utf-8")
