"""What ``--json`` prints: one envelope for every command, ``{ok, result | error, job_id?}`` (SPEC
§19.3).
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Callable, Iterable, List, Mapping, Optional, Tuple

import click

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import ErrorCode, Guarantee, ToolError, error_object
from unity_bridge.commands.shared.error_words import named_in
from unity_bridge.commands.shared.options import (
    NO_EDITOR,
    OUT_OF_TIME,
    USAGE,
    ScriptCommand,
    json_option,
    prints_json,
    with_json,
    with_program_options,
)
from unity_bridge.scripting import output
from unity_bridge.scripting.output import collected_output, note, put, put_json
from unity_bridge.text.json_types import JsonDict, JsonObject


def envelope(
    ok: bool,
    result: Any = None,
    error: Optional[JsonObject] = None,
    job_id: Optional[str] = None,
) -> JsonDict:
    """Return the envelope.

    ``ok``: the command was carried out and found no fault. For a job that ran and failed, it is ``{ok: false,
    result}``. ``error`` is the object of SPEC §8, and replaces the result.
    """
    members: JsonDict = {"ok": ok}
    if error is not None:
        members["error"] = dict(error)
    else:
        members["result"] = result
    if job_id is not None:
        members["job_id"] = job_id
    return members


def put_failure(error: JsonObject) -> None:
    """Report why nothing was done: the message on stderr, and what it names or, with ``--json``,
    the whole error.
    """
    note(str(error["message"]))
    if prints_json():
        put_json(envelope(False, error=error))
        return
    for line in named_in(error):
        note(line)


def put_answer(ok: bool, result: Any, lines: Iterable[str], job_id: Optional[str] = None) -> None:
    """Print the result: with ``--json`` as the envelope, else as lines for people."""
    if prints_json():
        put_json(envelope(ok, result, job_id=job_id))
    else:
        for line in lines:
            put(line)


def details_of(error: Optional[JsonObject], reason: str) -> JsonObject:
    """Return the details of an error with this reason; none of any other error, or of what is no
    error.
    """
    details = error.get("details") if error is not None else None
    if isinstance(details, Mapping) and details.get("reason") == reason:
        return details
    return {}


def status_of(error: Optional[JsonObject], has_timeout: bool = False) -> int:
    """Return the exit status of a call that failed with this error. ``has_timeout``: the user gave
    it a limit.
    """
    if details_of(error, "other_project"):
        return NO_EDITOR
    if has_timeout and error and error.get("code") == "ERR_REQUEST_TIMEOUT":
        return OUT_OF_TIME
    return 1


# In front of the message of a usage error, and of any other.
_CLICKS_WORDS = re.compile(r"\A(Usage: .*?\n\n)?Error: ", re.DOTALL)
_CODES = {
    USAGE: ErrorCode.INVALID_PARAMS,
    NO_EDITOR: ErrorCode.EDITOR_NOT_READY,
    1: ErrorCode.UNITY_EXECUTION,
}


def with_one_object(run: Callable[[], int]) -> int:
    """Run a command with ``--json``. If it fails without an object, print one: the last words on
    stderr.
    """
    output.has_put_json = False
    status = run()
    if status and not output.has_put_json:
        code = _CODES.get(status, ErrorCode.REQUEST_TIMEOUT)  # out of time, or interrupted
        message = _CLICKS_WORDS.sub("", output.last_note)
        did_nothing = status in (USAGE, NO_EDITOR) or message.endswith(output.NOTHING_RAN)
        guarantee = Guarantee.NOT_EXECUTED if did_nothing else Guarantee.UNKNOWN
        with suppress(click.ClickException):  # stdout cannot be written
            put_json(
                envelope(
                    False, error=error_object(ToolError(code, message, known_guarantee=guarantee))
                )
            )
    return status


class TimedResult:
    """The result of a command that waits for something: one line for people, or an envelope with
    ``waited_ms``.
    """

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._began = self._clock.now()

    def waited_s(self) -> float:
        """Return the seconds since the command began."""
        return self._clock.now() - self._began

    def put(self, is_ok: bool, members: JsonObject, line: str) -> None:
        put_answer(is_ok, {**members, "waited_ms": round(self.waited_s() * 1000)}, [line])


class LinesCommand(ScriptCommand):
    """A command that writes lines for people and supports ``--json`` without code of its own.

    With ``--json``, stdout is the envelope: its result has ``lines``, ``remarks`` (also on stderr), and the members
    that the command passed to ``put_result``. Wrong usage is an ``error``, any other status than 0
    ``{ok: false, result}``.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        json_option()(self)

    def invoke(self, ctx: click.Context) -> Any:
        if not prints_json():
            return super().invoke(ctx)
        with collected_output() as collected:
            try:
                super().invoke(ctx)
            except click.exceptions.Exit as end:
                status = end.exit_code
        result = {**collected.result, "lines": collected.lines, "remarks": collected.remarks}
        answer = envelope(status == 0, result)
        if status == USAGE:
            message = " ".join(collected.remarks)
            refusal = ToolError(
                ErrorCode.INVALID_PARAMS, message, known_guarantee=Guarantee.NOT_EXECUTED
            )
            answer = envelope(False, error=error_object(refusal))
        put_json(answer)
        ctx.exit(status)


class LinesGroup(click.Group):
    """A group of such commands."""

    command_class = LinesCommand

    def resolve_command(
        self, ctx: click.Context, args: List[str]
    ) -> Tuple[Optional[str], Optional[click.Command], List[str]]:
        return with_program_options(ctx, with_json(ctx, super().resolve_command(ctx, args)))
