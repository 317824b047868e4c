"""SPEC §8.3: a refusal costs a model at most 600 bytes, or 1200 with words of a proven plugin.

Paths are as long as people have them, and the words are any.
"""

from __future__ import annotations

import inspect
import json
from typing import Any, Callable, Dict, List

import pytest

from unity_bridge.base.errors import (
    MOST_QUOTED_REFUSAL_BYTES,
    MOST_REFUSAL_BYTES,
    Guarantee,
    ToolError,
    error_object,
    stopping,
)
from unity_bridge.base.errors import ErrorCode as Code
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.core import errors, unity_errors
from unity_bridge.core.editor import no_editor_errors
from unity_bridge.core.ledger.machines import JobState, ListenerState
from unity_bridge.core.ledger.records import JobRecord, ListenerRecord, LostWith, Parked
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe

PROJECT = "/home/a-user-of-unity/Projects/A Studio With A Name/branches/feature-lanterns/client/Lantern Keep"
ADVICE = f"/home/ada/tools/unity-bridge/bin/unity-bridge open {PROJECT}"
PARKED = Parked(0.0, 2.5, Code.EDITOR_NOT_READY, "disconnected")
JOB = JobRecord("job-12345678-123", JobState.RUNNING, tool_name="run_command")
HOLDER = "pid 1234567 (a-program-of-somebody)"
LONG_SENTENCE = (
    "There is no command of that name. The nearest are " + "spawn_wave(size: int = 3), " * 30
)
OTHER_PORT = "the plugin of this project uses port 22003 (ProjectSettings/UnityBridge.json), and this server port 8091"

ERRORS: Dict[str, Callable[[], ToolError]] = {
    "stopping": stopping,
    "queue_full": lambda: errors.queue_full(32, 32),
    "disconnected_before_send": errors.disconnected_before_send,
    "not_reached": lambda: errors.not_reached("read_console", 5_000),
    "too_large": lambda: errors.too_large(1_048_576),
    "lacking": lambda: errors.lacking("run_command", "0.1.0-preview.123"),
    "key_used_otherwise": lambda: errors.key_used_otherwise("k" * 128, JOB),
    "timed_out": lambda: errors.timed_out("read_console", 5_000, True),
    "job_timed_out": lambda: errors.job_timed_out("run_tests", 600_000, False),
    "ended_by_unity": lambda: errors.ended_by_unity("run_tests", 600_000),
    "job_lost": lambda: errors.job_lost(errors.FORGOTTEN_BY_UNITY),
    "editor_ended": lambda: errors.editor_ended(
        ["Caught fatal signal - signo:11 code:1 errno:0 addr:0x0"]
    ),
    "unreadable_end": lambda: errors.unreadable_end("succeeded", "it has an error", True),
    "unreadable_status": lambda: errors.unreadable_status("it is no object", 3),
    "refused_status": lambda: errors.refused_status("no", 30),
    "not_reconnected": lambda: errors.not_reconnected("read_console"),
    "owner_lost": lambda: errors.owner_lost("run_command"),
    "may_have_run": lambda: errors.may_have_run("compile", LostWith.OWNER, stopping()),
    "stopped_while_running": lambda: errors.stopped_while_running("run_command"),
    "malformed": lambda: errors.malformed("read_console", "it is no object"),
    "bug": lambda: errors.bug("handling an event", False),
    "job_not_found": lambda: errors.job_not_found("j" * 80),
    "job_cannot_be_asked_for": lambda: errors.job_cannot_be_asked_for("j" * 80),
    "not_a_job": lambda: errors.not_a_job("r" * 80),
    "port_blocked": lambda: no_editor_errors.port_blocked(
        ListenerRecord("listener", ListenerState.BLOCKED, 8091, reason="port_in_use", holder=HOLDER)
    ),
    "port_blocked, not allowed": lambda: no_editor_errors.port_blocked(
        ListenerRecord("listener", ListenerState.BLOCKED, 80, reason="port_not_allowed")
    ),
    "sandboxed": lambda: no_editor_errors.sandboxed(8091),
    "waited_in_vain, other port": lambda: no_editor_errors.waited_in_vain(
        PARKED, 2.5, 8091, ProjectProbe(NoPlugin.OTHER_PORT, remark=OTHER_PORT), PROJECT
    ),
    "waited_in_vain": lambda: no_editor_errors.waited_in_vain(PARKED, 2.5, 8091),
    "waited_in_vain, not running": lambda: no_editor_errors.waited_in_vain(
        PARKED, 2.5, 8091, ProjectProbe(NoPlugin.UNITY_NOT_RUNNING), PROJECT
    ),
    "waited_in_vain, no plugin": lambda: no_editor_errors.waited_in_vain(
        PARKED, 2.5, 8091, ProjectProbe(NoPlugin.PLUGIN_NOT_INSTALLED), PROJECT
    ),
    "waited_in_vain, a command opens it": lambda: no_editor_errors.waited_in_vain(
        PARKED, 2.5, 8091, ProjectProbe(NoPlugin.UNITY_NOT_RUNNING, advice=ADVICE), PROJECT
    ),
    "waited_in_vain, starting": lambda: no_editor_errors.waited_in_vain(
        PARKED,
        2.5,
        8091,
        ProjectProbe(NoPlugin.EDITOR_STARTING, starting="compiling", advice=ADVICE),
        PROJECT,
    ),
    "waited_in_vain, refused": lambda: no_editor_errors.waited_in_vain(
        PARKED, 2.5, 8091, refused="it has no proof"
    ),
    "waited_in_vain, above": lambda: no_editor_errors.waited_in_vain(
        PARKED, 2.5, 8091, ProjectProbe(below=(PROJECT,) * 8)
    ),
    "waited_in_vain, in no project": lambda: no_editor_errors.waited_in_vain(
        PARKED, 2.5, 8091, ProjectProbe(remark=f"this server was started in {'/f' * 36}, which")
    ),
    "waited_in_vain, compiling": lambda: no_editor_errors.waited_in_vain(
        Parked(0, 60, Code.COMPILE_TIMEOUT, "compiling"), 60.0, 8091
    ),
    "other_project": lambda: no_editor_errors.other_project(PROJECT, PROJECT + "2"),
    "in_safe_mode": lambda: no_editor_errors.in_safe_mode(
        ProjectProbe(NoPlugin.SAFE_MODE), PROJECT
    ),
    "refused": lambda: unity_errors.refused(
        unity_errors.unity_error({"message": "mode is all, edit or play."})
    ),
}


def as_sent(error: ToolError) -> Dict[str, Any]:
    return error_object(error, request_id="req-12345678-1234")


def size(sent: Dict[str, Any]) -> int:
    """Counted here once more."""
    details = {
        name: value for name, value in sent["details"].items() if not isinstance(value, list)
    }
    return len(json.dumps({**sent, "details": details}, ensure_ascii=False).encode("utf-8"))


def test_each_error_text_of_the_core_is_here() -> None:
    found: List[str] = []
    for module in (errors, no_editor_errors):
        for name, one in inspect.getmembers(module, inspect.isfunction):
            if (
                one.__module__ == module.__name__
                and one.__annotations__.get("return") == "ToolError"
            ):
                found.append(name)
    assert set(found) == {name.split(",")[0] for name in ERRORS} - {"refused", "stopping"}


@pytest.mark.parametrize("name", ERRORS)
def test_the_texts_fit_without_being_cut(name: str) -> None:
    error = ERRORS[name]()
    sent = as_sent(error)
    assert sent["message"] == error.message
    assert size(sent) <= MOST_REFUSAL_BYTES


@pytest.mark.parametrize("tool", CATALOGUE)
def test_the_refusal_of_wrong_arguments_fits_too(tool: str) -> None:
    validator = RequestValidator()
    for name in ["nope", *CATALOGUE[tool].input_schema["properties"]]:
        for value in ({"a": 1}, "x" * 5000, 10**30, [1, 2], "ü" * 50):
            refused = validator.validate(tool, {name: value})
            if isinstance(refused, Err):
                error = refused.error.error
                assert as_sent(error)["message"] == error.message, error.message
                assert size(as_sent(error)) <= MOST_REFUSAL_BYTES


def test_an_unknown_tool() -> None:
    refused = RequestValidator().validate("x" * 200, {})
    assert isinstance(refused, Err)
    assert size(as_sent(refused.error.error)) <= MOST_REFUSAL_BYTES


def test_a_sentence_of_unitys_is_quoted_to_a_word_and_more_of_it_is_left_out_first() -> None:
    said = {
        "code": "ERR_INVALID_PARAMS",
        "message": LONG_SENTENCE,
        "details": {"reason": "unknown_command"},
    }
    for error in (
        unity_errors.refused(unity_errors.unity_error(said)),
        unity_errors.end_of_job(
            {
                **said,
                "details": {"reason": "unknown_command", "execution_guarantee": "not_executed"},
            }
        ),
    ):
        sent = as_sent(error)
        assert size(sent) <= MOST_QUOTED_REFUSAL_BYTES
        assert len(sent["message"]) <= 520 and sent["message"].endswith('..."')
        assert "unity_message" not in sent["details"]


def test_an_error_of_something_that_ran_keeps_all_of_it() -> None:
    error = unity_errors.ran_and_failed(unity_errors.unity_error({"message": "x" * 3000}))
    assert error.guarantee is Guarantee.COMPLETED_ERROR
    assert len(as_sent(error)["details"]["unity_message"]) == 3000


@pytest.mark.parametrize("character", ["x", "ü", "\U0001f980", '"', "\\", "\n", "\ud800"])
def test_no_words_of_others_make_a_refusal_longer(character: str) -> None:
    unity = {
        "message": character * 5000,
        "details": {"other": {"deep": character * 5000}, "errors": ["x"] * 50},
    }
    for error in (
        unity_errors.refused(unity_errors.unity_error(unity)),
        no_editor_errors.waited_in_vain(
            PARKED, 2.5, 8091, ProjectProbe(NoPlugin.PLUGIN_NOT_INSTALLED), character * 4000
        ),
        no_editor_errors.waited_in_vain(PARKED, 2.5, 8091, refused=character * 500),
        no_editor_errors.waited_in_vain(
            PARKED, 2.5, 8091, ProjectProbe(below=("/a/" + character * 4000,) * 8)
        ),
        no_editor_errors.other_project(character * 4000, character * 4000),
        errors.key_used_otherwise(character * 128, JOB),
    ):
        sent = as_sent(error)
        most = MOST_QUOTED_REFUSAL_BYTES if error.quotes_plugin else MOST_REFUSAL_BYTES
        assert (
            len(json.dumps({**sent, "details": {}}, ensure_ascii=False).encode("utf-8", "replace"))
            < most
        )
        assert sent["code"] and sent["details"]["recovery"]
