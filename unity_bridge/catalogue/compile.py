"""``compile``: brings what is on disk into the editor (SPEC §16.1). ADR-0012 calls it
``script_recompile_trigger``.
"""

from __future__ import annotations

from typing import FrozenSet

from unity_bridge.base.result import Ok, Result
from unity_bridge.catalogue.answer_limits import FAULTS
from unity_bridge.catalogue.loaded_code import UNKNOWN, known_reason
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    object_of,
    one_of,
    switch,
)
from unity_bridge.catalogue.tool import Cancellable, Join, job_tool, named
from unity_bridge.text.json_types import JsonDict, JsonObject

# Of errors and of warnings (SPEC §16): a reader fixes the first ones first.
MOST_MESSAGES = 50

# What becomes of an open scene whose file changed on disk and which has unsaved changes (SPEC
# §16.1).
CHANGED_SCENES = one_of(["refuse", "disk", "editor"], "Which side wins if both changed.", "refuse")

_MESSAGE = {
    "file": TEXT_OR_NULL,
    "line": NUMBER,
    "column": NUMBER,
    "code": TEXT,
    "message": TEXT,
    # An error of an import, or of an assembly definition, belongs to none.
    "assembly": TEXT_OR_NULL,
}
# A message that no file is to blame for has no place; of any there is at least the text.
_MESSAGES = list_of(object_of(_MESSAGE, ("message",)))

# Of a broken picture or a shader, which keep no code from being compiled.
_IMPORT_ERRORS = list_of(object_of({"file": TEXT_OR_NULL, "message": TEXT}, ("message",)))

RESULT = object_of(
    {
        "ok": FLAG,
        "changed": FLAG,
        "reloaded": FLAG,
        "duration_ms": {"type": "number"},
        "error_count": COUNT,
        "warning_count": COUNT,
        "errors": _MESSAGES,
        "warnings": _MESSAGES,
        "import_errors": _IMPORT_ERRORS,
        "truncated": FLAG,
        "loaded": FLAG,
        "pending_reason": TEXT,
        "reason": TEXT,
        "scenes_reloaded": list_of(TEXT),
        "source": TEXT,
        "as_of": TEXT,
        "changed_since": list_of(TEXT),
    },
    ("ok", "changed", "reloaded", "error_count", "warning_count", "errors"),
)


def as_asked(params: JsonObject, result: JsonDict) -> Result[JsonDict, str]:
    """At most 50 errors, and as many warnings where they were asked for; ``truncated`` if there
    were more.
    """
    if not params.get("warnings", True):
        result = {name: value for name, value in result.items() if name != "warnings"}
    if result.get("loaded") is True and not result["ok"]:
        result = {**result, "loaded": False, "pending_reason": "compile_errors"}
    elif result.get("loaded") is False:
        result = {**result, "pending_reason": known_reason(result.get("pending_reason"))}
    return Ok(cut(cut(result, "errors", MOST_MESSAGES), "warnings", MOST_MESSAGES))


def cut(result: JsonDict, name: str, most: int) -> JsonDict:
    """Return ``result`` with no more than the first ``most`` of that list, and with ``truncated``
    if it had more.
    """
    if len(result.get(name, ())) <= most:
        return result
    return {**result, name: result[name][:most], "truncated": True}


def with_unread(params: JsonObject, result: JsonDict, unread: FrozenSet[str]) -> JsonDict:
    """Return the result of a compiler of which these paths could not be read."""
    if "loaded" in unread:
        result["pending_reason"] = UNKNOWN
    if unread & {"errors", "errors[]"}:
        # Which errors there are is not known, so nobody can say that there are none.
        result["ok"] = False
    return result


TOOL = job_tool(
    name="compile",
    rank=1,
    other_names=named(force=("recompile", "full", "clean"), warnings=("include_warnings",)),
    not_here=dict.fromkeys(
        ("path", "paths", "file", "files"), "It compiles everything that has changed on disk."
    ),
    title="Compile Unity scripts",
    description=(
        "Compiles what is on disk in Unity and answers with errors (file, line, message) or ok. Call it after every "
        "edit: edit, compile or run_tests, fix, repeat. state failed with a result: the scripts have errors; with "
        "error: not carried out. loaded false: the editor still runs the old code, reason says why. Still running "
        "after wait_ms: get_job_status, never compile again."
    ),
    default_timeout_ms=300_000,
    max_timeout_ms=1_800_000,
    idempotent=True,
    arguments={
        "force": switch("Recompile and reload unchanged scripts."),
        "warnings": switch("List warnings too."),
        "changed_scenes": CHANGED_SCENES,
    },
    result_schema=RESULT,
    cancel=Cancellable.UNTIL_IT_BEGINS,
    join=Join.QUEUED,
    is_answered_by_editor_log=True,
    always_load=True,
    as_asked=as_asked,
    reading=ReadingRules(
        verdicts={"ok": False, "loaded": False, "errors": []},
        counts={"error_count": "errors", "warning_count": "warnings"},
        consequences=with_unread,
    ),
    gives_way=FAULTS,
    finds_faults=lambda result: not result["ok"],
)
