"""A job's status as the text for a model, in which nothing is said twice (SPEC §8.2)."""

from __future__ import annotations

import re
from typing import List

from unity_bridge.text.json_types import JsonDict
from unity_bridge.text.json_writer import compact

# `Assets/Player.cs(63,27): warning CS0414: ...`, as Unity logs what its compilers say.
_COMPILER_WARNING = re.compile(r".+?\(\d{1,9},\d{1,9}\): warning ")

# What ``code_fresh: true`` says of the compile before the tests.
_SAID_BY_FRESH_CODE = ("ok", "loaded", "reloaded", "error_count", "changed", "duration_ms")


def job_text(status: JsonDict, _: str) -> str:
    """``Tool.as_text`` of a job's tool."""
    return compact(job_as_text(status))


def job_as_text(status: JsonDict) -> JsonDict:
    """Without what the model knows, what another member says, and members that say nothing."""
    members = {name: value for name, value in status.items() if value is not None}
    if status["state"] in ("queued", "running"):
        return members
    if "console" in members:
        members["console"] = _console(members["console"], _compiler_errors(members))
    if "error" in status:
        return members
    # How far a cancelled job came is in its progress alone.
    for name in ("job_id", "tool", *(() if status["state"] == "cancelled" else ("progress",))):
        members.pop(name, None)
    # The result of a tool that only a newer plugin has was never checked.
    if isinstance(members.get("result"), dict):
        members["result"] = _result(members["result"])
    return members


def _result(result: JsonDict) -> JsonDict:
    members = _without_empty(result)
    compiled, failed = members.get("compile"), members.get("failed_tests")
    if isinstance(compiled, dict):
        implied = _SAID_BY_FRESH_CODE if members.get("code_fresh") is True else ()
        remaining = {
            name: value for name, value in _without_empty(compiled).items() if name not in implied
        }
        members["compile"] = {
            name: value for name, value in remaining.items() if not (implied and value == 0)
        }
        if not members["compile"]:
            del members["compile"]
    if isinstance(failed, list):
        members["failed_tests"] = [
            _without_fixture(test) if isinstance(test, dict) else test for test in failed
        ]
    return members


def _without_fixture(test: JsonDict) -> JsonDict:
    """Return the test without its fixture, with which its full name begins."""
    begins = str(test.get("name")).startswith(f"{test.get('fixture')}.")
    return {name: value for name, value in test.items() if not (begins and name == "fixture")}


def _console(console: JsonDict, errors: List[str]) -> JsonDict:
    """Without the compiler's errors, which are in the result or the error with their places, and without its warnings,
    which each compile logs again; their numbers stay."""
    messages = [
        text
        for text in console.get("first", ())
        if not _COMPILER_WARNING.match(text) and not any(error in text for error in errors)
    ]
    members = _without_empty({**console, "first": messages})
    return {
        name: value
        for name, value in members.items()
        if name not in ("errors", "warnings") or value
    }


def _compiler_errors(status: JsonDict) -> List[str]:
    """Their messages. What a plugin adds to an error was never checked either."""
    report = status["error"].get("details") if "error" in status else status.get("result")
    errors = report.get("errors") if isinstance(report, dict) else None
    messages = []
    if isinstance(errors, list):
        messages = [error.get("message") for error in errors if isinstance(error, dict)]
    return [message for message in messages if isinstance(message, str)]


def _without_empty(members: JsonDict) -> JsonDict:
    """Without empty lists, and ``truncated`` that is false. What was asked for stays (``value``, ``commands``), and so
    does a list that a cut has emptied."""
    omitted = members.get("omitted")
    stays = {"value", "commands", *(omitted if isinstance(omitted, dict) else ())}
    return {
        name: value
        for name, value in members.items()
        if name in stays or not (value == [] or (name == "truncated" and value is False))
    }
