"""``run_command``: runs one of the commands that the project and the plugin declare, or lists them
(SPEC §16.5).
"""

from __future__ import annotations

from typing import Any, FrozenSet, Mapping, Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue import synonyms
from unity_bridge.catalogue.answer_limits import Fitting, rest, value_of
from unity_bridge.catalogue.picture import fault_of_image
from unity_bridge.catalogue.plugin_commands import (
    ALL,
    COMMANDS_OF_THE_PLUGIN,
    lasts_ms,
    may_be_joined,
    searched_texts,
)
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import COUNT, FLAG, PAGE_BYTES, TEXT, list_of, object_of, text
from unity_bridge.catalogue.screenshot import MOST_SIZE
from unity_bridge.catalogue.tool import Cancellable, Join, job_tool, named
from unity_bridge.text.foreign_text import quoted
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.text.search import has_words

_MOST_WORDS = 8
_MOST_NEAREST = 5

_COMMAND = object_of(
    {
        "name": TEXT,
        "description": TEXT,
        "signature": TEXT,
        "write": FLAG,
        "source": TEXT,
        "fault": TEXT,
    },
    ("name", "signature"),
)


_IMAGE = object_of(
    {
        "data": TEXT,
        "mime_type": {"enum": ["image/jpeg", "image/png"]},
        "width": COUNT,
        "height": COUNT,
    },
    ("data", "mime_type", "width", "height"),
)
_RESULT = {
    "value": {},
    "image": _IMAGE,
    "truncated": FLAG,
    "commands": list_of(_COMMAND),
    "unlisted": COUNT,
    "hint": TEXT,
}
# Commands of the package whose value has a verdict. What a project's command returns is never
# checked.
_SCHEMAS_OF_VALUES: Mapping[Any, JsonObject] = {
    "wait_for": object_of({**_RESULT, "value": object_of({"met": FLAG}, ("met",))}, ("value",)),
}


def as_asked(params: JsonObject, result: JsonDict) -> Result[JsonDict, str]:
    """Return the list if no name was given, else a value. A plugin that ignores ``query`` sends all
    commands.
    """
    if "arguments" not in params:
        # A job of an earlier server: what it was asked is not known.
        members = ["value", "commands"]
    else:
        members = ["value"] if params.get("name") else ["commands"]
    is_answer = any(name in result for name in members)
    if not is_answer:
        return Err(f"result has no {' or '.join(map(repr, members))}")
    if "image" in result:
        fault = fault_of_image(result["image"], MOST_SIZE)
        if fault is not None:
            return Err(fault)
    query = params.get("query") or ""
    if not query.split() or "commands" not in result:
        return Ok(result)
    matches = [
        row
        for row in result["commands"]
        if has_words(query, *searched_texts(row["name"], row.get("description", "")))
    ]
    if matches:
        page = {**result, "commands": matches}
    else:
        page = {**result, "commands": [], "hint": nothing_found(query)}
    return Ok(page)


def _with_consequences(params: JsonObject, result: JsonDict, unread: FrozenSet[str]) -> JsonDict:
    """Mark a list with gaps as such, and a wait of which nothing is known as not met."""
    if "commands[]" in unread:
        result["truncated"] = True
    if unread & {"value", "value.met"}:
        result["value"]["reason"] = "unreadable"
    return result


def nothing_found(query: str) -> str:
    """Return what to say of a list without a command that has the words: the nearest of the
    plugin's own.
    """
    words = [word for word in query.split() if len(word) > 2][:_MOST_WORDS]
    near = tuple(
        name
        for name, command in ALL.items()
        if any(has_words(word, *searched_texts(name, command.description)) for word in words)
        and name in COMMANDS_OF_THE_PLUGIN
    )
    calls = (synonyms.meant(query) or near)[:_MOST_NEAREST]
    if not calls or calls == _ONLY_CSHARP:
        return f"No command has all these words. {_BY_CSHARP} Without query all are listed."
    instead = synonyms.listed(calls, of_tools="the tool ")
    return (
        f"No command has all these words. The nearest is {instead}. Without query all are listed."
    )


_ONLY_CSHARP = ("run_csharp",)
# As the plugin says it wherever C# is the only way.
_BY_CSHARP = (
    "C# can do it: run_csharp, once the user has allowed it with `unity-bridge allow csharp`, or a command of the "
    "project."
)


def _reworded(params: JsonObject, error: ToolError) -> ToolError:
    """Name the calls that do what an unknown command's name says; Unity knows only names that are
    spelt alike.
    """
    report, name = error.details.get("unity"), params.get("name")
    if (
        not isinstance(report, dict)
        or report.get("reason") != "unknown_command"
        or not isinstance(name, str)
    ):
        return error
    # The plugin knows the name, and says what does not fit.
    if ". It is " in error.message:
        return error
    calls = synonyms.meant(name, (params.get("arguments") or {}).get("action"))
    if not calls or calls == _ONLY_CSHARP:
        is_there = "run_csharp" in error.message
        if is_there:
            return error
        return changed(error, message=f"{error.message} {_BY_CSHARP}")
    instead = synonyms.listed(calls, of_tools="the tool ")
    message = f'Unity has no command "{quoted(name)}". The nearest is {instead}. Without a name the answer is the list.'
    return changed(
        error,
        message=message,
        details={**error.details, "instead": [synonyms.name_of(call) for call in calls]},
    )


def _may_join(params: JsonObject, joins: Optional[FrozenSet[str]]) -> bool:
    """Whether equal calls may be taken for one. Another bridge's name may stand for a command that
    may not.
    """
    name = params.get("name")
    is_foreign = (
        isinstance(name, str) and name not in COMMANDS_OF_THE_PLUGIN and bool(synonyms.meant(name))
    )
    return may_be_joined(name, joins) and (joins is None or not is_foreign)


def _first_sentences(fitting: Fitting) -> None:
    rows = [_with_first_sentence(row) for row in fitting.rows("commands")]
    if rows != fitting.rows("commands"):
        fitting.put(commands=rows)
        fitting.remarks["descriptions"] = (
            f"Only the first sentence of each description is here. {_WITH_QUERY}"
        )


def _with_first_sentence(row: JsonDict) -> JsonDict:
    sentence, _, further = row.get("description", "").partition(". ")
    if further:
        return {**row, "description": sentence + "."}
    return row


def _advice_for(params: JsonObject) -> str:
    """How to see what of a command's value was left out, which has all been done."""
    if params.get("name") == "batch":
        return "All steps were carried out: inspect shows what they made. Fewer steps at once are reported whole."
    if params.get("name") in ALL:
        return "All of it was carried out: inspect shows the rest."
    return "Return less of it."


_WITH_QUERY = "List fewer commands with query."

TOOL = job_tool(
    name="run_command",
    rank=8,
    other_names=named(name=("command", "menu_item"), arguments=("args", "params", "parameters")),
    taken_names=("command", "args", "params", "parameters"),
    sent_over_mcp={"tell_unsaved": True},
    not_here={
        "": 'What the command itself takes goes into arguments, as in arguments: {"size": 3}.'
    },
    title="Run command",
    description=(
        "Runs a command: the project's own, create_object, create_asset, set_fields, add_component, delete_object, "
        "batch, create_scene, save_scene, build_scenes, open_prefab, wait_for, press, menu, build_player. No name: "
        "lists all. Never repeat one that may have run."
    ),
    default_timeout_ms=60_000,
    max_timeout_ms=1_800_000,
    is_destructive=True,
    arguments={
        "name": text("As listed."),
        "arguments": {
            "type": "object",
            "default": {},
            "description": 'The command\'s own, as in {"size": 3}',
        },
        "query": text("Without name: list those with these words, Unity's own too"),
        "max_bytes": PAGE_BYTES,
    },
    # What a page of a command with pages may have (SPEC §8.7).
    unpublished=("max_bytes",),
    result_schema=object_of(_RESULT),
    # Which commands can be stopped the plugin knows; it rejects a cancel of the others.
    cancel=Cancellable.WHILE_IT_RUNS,
    join=Join.OPEN,
    keeps_key=True,
    longer_ms=lambda params: lasts_ms(params.get("name"), params.get("arguments") or {}),
    may_join=_may_join,
    as_asked=as_asked,
    reading=ReadingRules(
        verdicts={"value": {"met": False}, "value.met": False},
        must_fit=("image",),
        consequences=_with_consequences,
        schema_for=lambda params: _SCHEMAS_OF_VALUES.get(params.get("name")),
    ),
    reworded=_reworded,
    gives_way=(
        _first_sentences,
        rest("commands", f"Not all commands are here. {_WITH_QUERY}"),
        value_of("value", _advice_for),
    ),
)
