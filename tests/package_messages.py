"""What the package sends, by the server's own checks and the catalogue (SPEC §20.3): the one place
for all tests.

``ScriptedServer`` hands every message to ``PackageMessages``; a server in a process of its own writes what it could not
use of a message into its log, which ``complaints_in_log`` reads after each test (``tests/e2e/conftest.py``).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from tests.goldens import complaint
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.catalogue.tool import Tool

Message = Mapping[str, Any]
Question = Tuple[Tool, Mapping[str, Any]]

# Servers that a test starts write into this file too.
LOG_FILE_VARIABLE = "UNITY_BRIDGE_LOG_FILE"

_VALIDATOR = RequestValidator()
# Of a refusal, which ends with what to do (SPEC §20.2).
_MOST_CHARACTERS = 500
# Lines of a server that got a message which it could not use, or not wholly.
_IN_LOG = re.compile(
    r"Unity sent an invalid message|does not fit the contract|ERR_INVALID_RESPONSE"
)


class PackageMessages:
    """The messages of one plugin to one server. ``faults``: what is wrong with them.

    ``is_checked`` is false for another maker's plugin, and for one with planned faults.
    """

    def __init__(self) -> None:
        self.is_checked = True
        self.faults: List[str] = []
        self._reads: Dict[Any, Question] = {}
        self._jobs: Dict[Any, Question] = {}

    def sent(self, message: Message) -> None:
        """Remember what the server asks, to know what an answer is an answer to."""
        tool = CATALOGUE.get(str(message.get("tool_name")))
        params = message.get("params")
        if tool is None or not isinstance(params, dict):
            return
        question = tool, {**tool.defaults, **params}
        if message["type"] == "execute":
            self._reads[message.get("request_id")] = question
        elif message["type"] == "submit_job":
            self._jobs[message.get("job_id")] = question

    def received(self, message: Message) -> None:
        fault = self._fault(message)
        if fault is not None and self.is_checked:
            self.faults.append(f"{fault}: {json.dumps(message)[:2000]}")

    def _fault(self, message: Message) -> Optional[str]:
        fault = complaint(message)
        if fault is not None:
            return fault
        error = message.get("error")
        if error is not None:
            return _fault_of_error(error)
        if message["type"] == "result":
            question = self._reads.get(message.get("request_id"))
        elif message["type"] == "job_status" and message.get("result") is not None:
            question = self._question_of_job(message)
        else:
            return None
        return None if question is None else _fault_of_result(question, message["result"])

    def _question_of_job(self, message: Message) -> Optional[Question]:
        question = self._jobs.get(message["job_id"])
        if question is not None and question[0].name == message.get("tool_name"):
            return question
        # Another server submitted it: what it was asked is not known.
        tool = CATALOGUE.get(str(message.get("tool_name")))
        return None if tool is None else (tool, {})


def _fault_of_result(question: Question, result: Any) -> Optional[str]:
    tool, params = question
    checked = _VALIDATOR.checked_result(tool, params, result)
    return f"{tool.name}: {checked.error}" if isinstance(checked, Err) else None


def _fault_of_error(error: Mapping[str, Any]) -> Optional[str]:
    """A code of the contract, a message, and details that are an object, if any."""
    code, message, details = error.get("code"), error.get("message"), error.get("details")
    if code not in ErrorCode._value2member_map_:
        return f"unknown code {code}"
    if not isinstance(message, str) or not message.strip():
        return "an error without a message"
    if (
        len(message) > _MOST_CHARACTERS
        and details
        and details.get("execution_guarantee") == "not_executed"
    ):
        return f"a refusal of {len(message)} characters, which the server cuts"
    return None if details is None or isinstance(details, dict) else "details that are no object"


def complaints_in_log(log: Path, start: int = 0) -> List[str]:
    """The lines behind ``start`` bytes in which a server says that a plugin's message was not as
    agreed.
    """
    if not log.exists():
        return []
    text = log.read_bytes()[start:].decode("utf-8", "replace")
    return [line for line in text.splitlines() if _IN_LOG.search(line)]
