"""The messages of ``protocol/messages``: what every implementation of the protocol accepts and
refuses (SPEC §7).
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from unity_bridge.base.result import Err
from unity_bridge.unity import messages

_ENVELOPE = {"type", "protocol_version", "timestamp"}
FOLDER = Path(__file__).resolve().parent.parent / "protocol" / "messages"


class Golden(NamedTuple):
    """One case. Either ``accepted`` (the fields that were read, those that are null left out) or
    ``fault`` is set.

    ``is_after_hello``: the hello of the connection had a ``protocol_version``. ``peer``: the code with which a peer
    answers a message that its codec accepts.
    """

    file: str
    name: str
    text: str
    type: Optional[str]
    accepted: Optional[Dict[str, Any]]
    fault: Optional[str]
    request_id: Optional[str]
    is_fatal: bool
    is_after_hello: bool
    peer: Optional[str] = None

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


@lru_cache(maxsize=None)
def files() -> Mapping[str, Mapping[str, Any]]:
    """The content of every file, by its name without ``.json``."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.json"))
    }


def goldens() -> List[Golden]:
    return [_golden(file, case) for file, content in files().items() for case in content["cases"]]


def accepted(sender: str) -> List[Golden]:
    """What ``sender`` ("plugin" or "server") may say, and the other side must understand."""
    ours = {name for name, content in files().items() if sender in content["sender"]}
    return [golden for golden in goldens() if golden.accepted is not None and golden.file in ours]


@lru_cache(maxsize=None)
def every_field() -> Dict[str, Tuple[Dict[str, Any], List[str]]]:
    """For each type of message every field with a value that it may have, and the names of the
    fields it must have.
    """
    found: Dict[str, Tuple[Dict[str, Any], List[str]]] = {}
    for name, content in files().items():
        if content["type"] is not None:
            fields: Dict[str, Any] = {}
            for case in content["cases"]:
                for field, value in case.get("accepted", {}).items():
                    fields.setdefault(field, value)
            found[name] = (fields, list(content["required"]))
    return found


def complaint(message: Mapping[str, Any]) -> Optional[str]:
    """What is wrong with a message that a plugin said, by the codec and by the fields that the
    goldens know.
    """
    decoded = messages.decode(json.dumps(message))
    if isinstance(decoded, Err):
        return decoded.error.message
    unknown = set(message) - set(every_field()[message["type"]][0]) - _ENVELOPE
    return f"no golden has the fields {sorted(unknown)}" if unknown else None


def _golden(file: str, case: Mapping[str, Any]) -> Golden:
    text = case["text"] if "text" in case else json.dumps(case["message"])
    type = case.get("accepted_type", files()[file]["type"])
    fields = (
        case.get("accepted"),
        case.get("fault"),
        case.get("request_id"),
        case.get("fatal", False),
    )
    is_after_hello = case.get("after_hello", False)
    return Golden(file, case["name"], text, type, *fields, is_after_hello, case.get("peer"))
