"""The error codes of the contract, and the table that says what each of them means (SPEC §8.4)."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Dict, Mapping, Optional

from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.base.program_command import with_own_command
from unity_bridge.base.reasons import ends_by_itself


class ErrorCode(str, Enum):
    """Every code that a client or a plugin may see. The values are what the wire carries."""

    INVALID_REQUEST = "ERR_INVALID_REQUEST"
    INVALID_PARAMS = "ERR_INVALID_PARAMS"
    UNKNOWN_COMMAND = "ERR_UNKNOWN_COMMAND"
    EDITOR_NOT_READY = "ERR_EDITOR_NOT_READY"
    UNITY_DISCONNECTED = "ERR_UNITY_DISCONNECTED"
    RECONNECT_TIMEOUT = "ERR_RECONNECT_TIMEOUT"
    REQUEST_TIMEOUT = "ERR_REQUEST_TIMEOUT"
    COMPILE_TIMEOUT = "ERR_COMPILE_TIMEOUT"
    QUEUE_FULL = "ERR_QUEUE_FULL"
    JOB_NOT_FOUND = "ERR_JOB_NOT_FOUND"
    CANCEL_NOT_SUPPORTED = "ERR_CANCEL_NOT_SUPPORTED"
    CANCEL_REJECTED = "ERR_CANCEL_REJECTED"
    UNITY_EXECUTION = "ERR_UNITY_EXECUTION"
    INVALID_RESPONSE = "ERR_INVALID_RESPONSE"
    RECONFIG_IN_PROGRESS = "ERR_RECONFIG_IN_PROGRESS"


class Guarantee(str, Enum):
    """Whether what failed has run in Unity. Every failed call says this."""

    NOT_EXECUTED = "not_executed"
    UNKNOWN = "unknown"
    COMPLETED_ERROR = "completed_error"


class Retry(Enum):
    """When it makes sense to send the same call again."""

    YES = "yes"
    NO = "no"
    READS_ONLY = "a read may be repeated, anything else may have run already"


@frozen
class Meaning:
    """One row of the table: what a code means, and what the client should do next."""

    retry: Retry
    guarantee: Guarantee
    recovery: str


_FIX_THE_CALL = "fix_the_call"
_WAIT_AND_RETRY = "wait_and_retry"
_ASK_THE_USER = "ask_the_user"
# There is a command for it, and ``details.advice`` has it (SPEC §22.9).
_OPEN_THE_EDITOR = "open_the_editor"

# Why an editor is not ready, where only a person can change that: a repeated call would get the
# same answer for ever.
ONLY_A_PERSON = frozenset(
    (
        "unity_not_running",
        "plugin_not_installed",
        "other_project",
        "several_editors",
        "disconnected",
        "no_environment",
        "sandboxed",
        "other_port",
        "licence",
        "dialog",
    )
)

ERRORS: Mapping[ErrorCode, Meaning] = {
    ErrorCode.INVALID_REQUEST: Meaning(Retry.NO, Guarantee.NOT_EXECUTED, _FIX_THE_CALL),
    ErrorCode.INVALID_PARAMS: Meaning(Retry.NO, Guarantee.NOT_EXECUTED, _FIX_THE_CALL),
    ErrorCode.UNKNOWN_COMMAND: Meaning(Retry.NO, Guarantee.NOT_EXECUTED, _FIX_THE_CALL),
    ErrorCode.JOB_NOT_FOUND: Meaning(Retry.NO, Guarantee.NOT_EXECUTED, "start_a_new_job"),
    ErrorCode.CANCEL_NOT_SUPPORTED: Meaning(Retry.NO, Guarantee.NOT_EXECUTED, _FIX_THE_CALL),
    ErrorCode.EDITOR_NOT_READY: Meaning(
        Retry.YES, Guarantee.NOT_EXECUTED, "check_get_editor_state_then_retry"
    ),
    ErrorCode.UNITY_DISCONNECTED: Meaning(Retry.YES, Guarantee.NOT_EXECUTED, _WAIT_AND_RETRY),
    ErrorCode.COMPILE_TIMEOUT: Meaning(Retry.YES, Guarantee.NOT_EXECUTED, _WAIT_AND_RETRY),
    ErrorCode.QUEUE_FULL: Meaning(Retry.YES, Guarantee.NOT_EXECUTED, _WAIT_AND_RETRY),
    ErrorCode.RECONFIG_IN_PROGRESS: Meaning(Retry.YES, Guarantee.NOT_EXECUTED, _WAIT_AND_RETRY),
    ErrorCode.RECONNECT_TIMEOUT: Meaning(
        Retry.READS_ONLY, Guarantee.UNKNOWN, "check_what_ran_before_retrying"
    ),
    ErrorCode.REQUEST_TIMEOUT: Meaning(
        Retry.READS_ONLY, Guarantee.UNKNOWN, "check_what_ran_before_retrying"
    ),
    ErrorCode.INVALID_RESPONSE: Meaning(
        Retry.READS_ONLY, Guarantee.UNKNOWN, "check_what_ran_before_retrying"
    ),
    ErrorCode.CANCEL_REJECTED: Meaning(Retry.NO, Guarantee.UNKNOWN, "ask_get_job_status"),
    ErrorCode.UNITY_EXECUTION: Meaning(Retry.NO, Guarantee.COMPLETED_ERROR, "read_the_message"),
}


# A refusal, which a model reads in full: its JSON in bytes, without the lists in its details (SPEC
# §8.3). A proven plugin's says what to do instead, in its own words.
MOST_REFUSAL_BYTES = 600
MOST_QUOTED_REFUSAL_BYTES = 1200
# What a refusal leaves out first: more of what Unity said.
_LEFT_OUT_FIRST = ("unity_message", "unity")


@frozen
class ToolError:
    """Why a call failed.

    ``message`` says what happened and what to do next, in one or two plain sentences.
    ``details`` adds JSON values to the table's row. ``known_guarantee`` overrides the table's guarantee, for example
    for a submission that Unity refused with a code of its own. ``quotes_plugin``: its message has words of
    a proven plugin.
    """

    code: ErrorCode
    message: str
    details: Mapping[str, Any] = made_by(dict)
    known_guarantee: Optional[Guarantee] = None
    quotes_plugin: bool = False

    @property
    def guarantee(self) -> Guarantee:
        return self.known_guarantee or ERRORS[self.code].guarantee


# The ``reason`` of calls that ended because the bridge did.
STOPPING = "stopping"


def stopping() -> ToolError:
    message = "unity-bridge is shutting down. Nothing was run; start it again, then retry."
    return ToolError(ErrorCode.EDITOR_NOT_READY, message, {"reason": STOPPING})


def error_object(
    error: ToolError, is_read: bool = False, request_id: Optional[str] = None
) -> Dict[str, Any]:
    """``{code, message, retryable, details: {execution_guarantee, recovery, request_id, ...}}``
    (SPEC §8).

    ``is_read`` belongs to the tool that was called.
    """
    meaning = ERRORS[error.code]
    may_repeat = {Retry.YES: True, Retry.READS_ONLY: is_read}
    retryable = may_repeat.get(meaning.retry, False)
    # A read can be repeated without looking first.
    recovery = (
        _WAIT_AND_RETRY if meaning.retry is Retry.READS_ONLY and is_read else meaning.recovery
    )
    if error.code is ErrorCode.EDITOR_NOT_READY and error.details.get("reason") in ONLY_A_PERSON:
        retryable, recovery = (
            False,
            _OPEN_THE_EDITOR if "advice" in error.details else _ASK_THE_USER,
        )
    if error.guarantee is Guarantee.NOT_EXECUTED and ends_by_itself(error.details):
        retryable, recovery = True, _WAIT_AND_RETRY
    details: Dict[str, Any] = {"execution_guarantee": error.guarantee.value, "recovery": recovery}
    if request_id is not None:
        details["request_id"] = request_id
    details.update({key: value for key, value in error.details.items() if key not in details})
    message = with_own_command(error.message)
    members = {
        "code": error.code.value,
        "message": message,
        "retryable": retryable,
        "details": details,
    }
    if error.guarantee is not Guarantee.NOT_EXECUTED:
        return members
    most_bytes = MOST_REFUSAL_BYTES
    if error.quotes_plugin:
        most_bytes = MOST_QUOTED_REFUSAL_BYTES
    return _short(members, most_bytes)


def _short(refusal: Dict[str, Any], most_bytes: int) -> Dict[str, Any]:
    """``refusal`` within its limit: without more of what Unity said, then with the end of its
    message cut.
    """
    for name in _LEFT_OUT_FIRST:
        if refusal_bytes(refusal) > most_bytes:
            refusal["details"].pop(name, None)
    message, over = refusal["message"], refusal_bytes(refusal) - most_bytes
    while over > 0 and message:
        # A character has at most twelve bytes in JSON.
        message = message[: -max(1, over // 12)]
        refusal["message"] = message.rstrip() + "..."
        over = refusal_bytes(refusal) - most_bytes
    return refusal


def refusal_bytes(refusal: Mapping[str, Any]) -> int:
    """How long it is as JSON, without the lists in its details."""
    text = json.dumps(
        {**refusal, "details": _without_lists(refusal["details"])}, ensure_ascii=False
    )
    return len(text.encode("utf-8", "replace"))


def _without_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        name: _without_lists(member)
        for name, member in value.items()
        if not isinstance(member, list)
    }
