"""``run_csharp``: runs C# in the editor, where its user allows it (SPEC §16.6)."""

from __future__ import annotations

from unity_bridge.base.result import Ok, Result
from unity_bridge.catalogue import compile
from unity_bridge.catalogue.answer_limits import FAULTS, LONG, texts, value_of
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import COUNT, FLAG, TEXT, list_of, object_of
from unity_bridge.catalogue.tool import Cancellable, Join, job_tool
from unity_bridge.text.json_types import JsonDict, JsonObject

RESULT = object_of(
    {
        "ok": FLAG,
        # Anything that JSON can say.
        "value": {},
        "output": TEXT,
        "scenes_dirtied": list_of(TEXT),
        "log_file": TEXT,
        "error_count": COUNT,
        "errors": compile.RESULT["properties"]["errors"],
        "truncated": FLAG,
    },
    ("ok",),
)


def as_asked(params: JsonObject, result: JsonDict) -> Result[JsonDict, str]:
    """At most 50 errors; ``truncated`` if there were more."""
    return Ok(compile.cut(result, "errors", compile.MOST_MESSAGES))


TOOL = job_tool(
    name="run_csharp",
    rank=6,
    other_names={
        "script": "code",
        "source": "code",
        "expression": "code",
        "namespaces": "usings",
        "using": "usings",
    },
    title="Run C# in Unity",
    description=(
        "Runs C# in Unity, once: statements, or a class with a static Run(). End with an expression without ; to get "
        "its value. Off until the user allows it."
    ),
    default_timeout_ms=30_000,
    max_timeout_ms=300_000,
    arguments={
        "code": {"type": "string", "minLength": 1, "description": "As in return 1 + 1;"},
        "usings": {**list_of(TEXT), "default": [], "description": "Namespaces."},
    },
    required=("code",),
    result_schema=RESULT,
    cancel=Cancellable.UNTIL_IT_BEGINS,
    join=Join.OPEN,
    keeps_key=True,
    as_asked=as_asked,
    reading=ReadingRules(
        verdicts={"ok": False}, counts={"error_count": "errors"}, consequences=compile.with_unread
    ),
    gives_way=(*FAULTS, texts(LONG, "output"), value_of("value")),
    finds_faults=lambda result: not result["ok"],
    is_destructive=True,
    is_open_world=True,
)
