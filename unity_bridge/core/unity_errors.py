"""An answer of Unity's that is no success, as an error of ours (SPEC §7.8, §8, §20.2). Pure
functions.

Unity's words are quoted, never passed off as the bridge's own: an agent acts on what the bridge
says.
"""

from __future__ import annotations

import json
from typing import Any, List, Union

from unity_bridge.base.errors import ERRORS, ErrorCode, Guarantee, Retry, ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.reasons import REASONS
from unity_bridge.catalogue.loaded_code import known_reason
from unity_bridge.text.foreign_text import QUOTED_CHARACTERS, quoted, visible
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.unity.messages import ErrorMessage, Fault, Message

_MOST_ENTRIES = 50
_LONGEST_ENTRY = 4096
_LONGEST_NAME = 128
# Of a proven plugin's words in a message, which end with what to do (SPEC §20.2).
_PROVEN_CHARACTERS = 500

# What a round trip can be answered with: a message of the kind it expects, a refusal, or text that
# is neither.
Answer = Union[Message, Fault]


class Overflow(Fault):
    """The answer is over the size limit, and will be at the next try (SPEC §20.5)."""


# Read by us: whether it ran.
_GUARANTEE = "execution_guarantee"


def unity_error(report: JsonObject, is_proven: bool = True) -> ToolError:
    """Return the error object of a plugin, as ours.

    An unknown code becomes ``ERR_UNITY_EXECUTION``, and is ``details.unity_code``; a message that
    had to be cut is longer in ``details.unity_message``. Of ``details`` a ``reason`` that the
    contract names stays where it is, with its own members if the plugin is proven; everything else
    goes into ``details.unity``, so that no word of a plugin passes for one of ours. Lists have at
    most 50 entries of 4 KB.
    """
    code, message, details = report.get("code"), report.get("message"), report.get("details")
    is_known = isinstance(code, str) and code in ErrorCode._value2member_map_
    marked: JsonDict = _marked(details, is_proven) if isinstance(details, dict) else {}
    if not is_proven:
        marked["untrusted"] = True
    if not is_known and code is not None:
        marked.setdefault("unity_code", _bounded(code))
    if isinstance(message, str) and message.strip():
        most = _PROVEN_CHARACTERS if is_proven else QUOTED_CHARACTERS
        text = f'Unity says: "{quoted(message, most)}"'
        if len(message) > most:
            marked.setdefault("unity_message", _bounded(message))
    else:
        text = "Unity reported an error without saying what it was."
    if is_known:
        error_code = ErrorCode(code)
    else:
        error_code = ErrorCode.UNITY_EXECUTION
    return ToolError(
        error_code,
        text,
        marked,
        quotes_plugin=is_proven,
    )


def _marked(details: JsonObject, is_proven: bool) -> JsonDict:
    reason = details.get("reason")
    shape = REASONS.get(reason) if isinstance(reason, str) else None
    reserved = {_GUARANTEE}
    if shape is not None:
        # A step of a batch failed with this reason (SPEC §16.7).
        reserved |= {"reason", *({*shape.members, "batch"} if is_proven else ())}
    bounded = _bounded_members(details)
    reserved_members = {name: value for name, value in bounded.items() if name in reserved}
    if "pending_reason" in reserved_members:
        reserved_members["pending_reason"] = known_reason(reserved_members["pending_reason"])
    unity_members = {name: value for name, value in bounded.items() if name not in reserved}
    if unity_members:
        return {**reserved_members, "unity": unity_members}
    return reserved_members


def _bounded_members(value: JsonObject) -> JsonDict:
    members = list(value.items())[:_MOST_ENTRIES]
    return {visible(name[:_LONGEST_NAME]): _bounded(member) for name, member in members}


def _bounded(value: Any) -> Any:
    """Return a member of ``details`` with bounds: a list of so many entries, or one entry."""
    if isinstance(value, list):
        entries: List[Any] = [_bounded_entry(entry) for entry in value[:_MOST_ENTRIES]]
        return [entry for entry in entries if entry is not None]
    return _bounded_entry(value)


def _bounded_entry(value: Any) -> Any:
    """Its texts are cut alike until all of it fits; ``None`` if it does not even then."""
    longest = _LONGEST_ENTRY
    while longest >= 16:
        entry = _cut(value, longest)
        if len(json.dumps(entry, ensure_ascii=False)) <= _LONGEST_ENTRY:
            return entry
        longest //= 2
    return None


def _cut(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return visible(value[:longest])
    if isinstance(value, list):
        return [_cut(item, longest) for item in value[:_MOST_ENTRIES]]
    if isinstance(value, dict):
        return {visible(name[:_LONGEST_NAME]): _cut(item, longest) for name, item in value.items()}
    return value


def refused(error: ToolError) -> ToolError:
    """Unity answered with ``error``, in whatever code: it says so of what it refused, which has not
    run.
    """
    return changed(error, known_guarantee=Guarantee.NOT_EXECUTED)


def ran_and_failed(error: ToolError) -> ToolError:
    """Unity ran the tool, which failed: whatever the code, that is what happened, unless
    ``details`` say otherwise.
    """
    if error.code is ErrorCode.UNITY_EXECUTION:
        return _with_reported_guarantee(error)
    details = {**error.details, "unity_code": error.code.value}
    return _with_reported_guarantee(changed(error, code=ErrorCode.UNITY_EXECUTION, details=details))


def end_of_job(report: JsonObject, is_proven: bool = True) -> ToolError:
    """Why a job could not be carried out. One that was taken may still fail before it began: Unity
    knows.
    """
    return _with_reported_guarantee(unity_error(report, is_proven))


def _with_reported_guarantee(error: ToolError) -> ToolError:
    """``error`` with the guarantee that Unity gives in its details (SPEC §15.8)."""
    guarantee = error.details.get("execution_guarantee")
    is_known = isinstance(guarantee, str) and guarantee in Guarantee._value2member_map_
    if not is_known:
        return error
    return changed(error, known_guarantee=Guarantee(guarantee))


# Questions about an answer.


def is_job_not_found(answer: Answer) -> bool:
    return (
        isinstance(answer, ErrorMessage)
        and answer.error.get("code") == ErrorCode.JOB_NOT_FOUND.value
    )


def is_refusal_for_now(answer: Answer) -> bool:
    """Whether Unity asks to be asked again later."""
    if not isinstance(answer, ErrorMessage):
        return False
    return ERRORS[unity_error(answer.error).code].retry is Retry.YES


def fault_of(answer: Answer) -> str:
    """Return what is wrong with an answer that cannot be used, or the message of Unity's refusal."""
    if isinstance(answer, ErrorMessage):
        return unity_error(answer.error).message
    assert isinstance(answer, Fault)  # ``RoundTrips.answered`` has made a fault of every other kind
    return answer.message
