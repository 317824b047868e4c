"""What Unity said went wrong, as an error of ours (SPEC §7.8, §8). Pure functions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Mapping

from unity_bridge.errors import ErrorCode, Guarantee, ToolError


def unity_error(said: Mapping[str, Any]) -> ToolError:
    """The error object of a plugin, as ours. An unknown code becomes ``ERR_UNITY_EXECUTION``; nothing said is lost."""
    code, message, details = said.get("code"), said.get("message"), said.get("details")
    known = isinstance(code, str) and code in ErrorCode._value2member_map_
    kept: Dict[str, Any] = dict(details) if isinstance(details, dict) else {}
    if not known and code is not None:
        kept.setdefault("unity_code", code)
    text = message if isinstance(message, str) and message else "Unity reported an error without saying what it was."
    return ToolError(ErrorCode(code) if known else ErrorCode.UNITY_EXECUTION, text, kept)


def refused(error: ToolError) -> ToolError:
    """Unity answered with ``error``, in whatever code: it says so of what it refused, which has not run."""
    return replace(error, known_guarantee=Guarantee.NOT_EXECUTED)


def ran_and_failed(error: ToolError) -> ToolError:
    """Unity ran the tool, which failed with ``error``: whatever its code, that is what happened."""
    if error.code is ErrorCode.UNITY_EXECUTION:
        return error
    return ToolError(ErrorCode.UNITY_EXECUTION, error.message, {**error.details, "unity_code": error.code.value})


def end_of_job(said: Mapping[str, Any]) -> ToolError:
    """Why a job could not be carried out. One that was taken may still fail before it began: Unity knows."""
    error = unity_error(said)
    told = error.details.get("execution_guarantee")
    known = isinstance(told, str) and told in Guarantee._value2member_map_
    return replace(error, known_guarantee=Guarantee(told)) if known else error
