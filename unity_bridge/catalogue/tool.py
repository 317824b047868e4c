"""``Tool``: what the catalogue says of a tool, and the words that the tools' schemas share (SPEC
§8, ADR-0012).
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property
from typing import Any, Callable, Dict, FrozenSet, Mapping, Optional, Sequence, Tuple

from unity_bridge.base.errors import ToolError
from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.base.result import Result
from unity_bridge.catalogue.answer_limits import Step
from unity_bridge.catalogue.job_text import job_text
from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import TEXT, object_of, text, whole
from unity_bridge.text.json_types import JsonDict, JsonObject


class Effect(str, Enum):
    """What a tool does to the project, which decides whether it may be repeated."""

    READ = "read"
    READ_HEAVY = "read_heavy"
    WRITE = "write"
    CONTROL = "control"


class Mode(str, Enum):
    """How a tool ends: with its answer, or as a job that is asked for later."""

    SYNC = "sync"
    JOB = "job"


class Service(str, Enum):
    """Who answers a call: Unity, or the server from what it knows. Only what Unity answers waits
    for the editor.
    """

    UNITY = "unity"
    EDITOR_STATE = "editor state"
    JOB_STATUS = "job status"
    JOB_CANCEL = "job cancel"


class Cancellable(Enum):
    """How long Unity can stop a job of a tool. What is still queued here can always be stopped."""

    NEVER = "it ends by itself"
    UNTIL_IT_BEGINS = "while it waits in Unity for another job"
    WHILE_IT_RUNS = "at any time"


class Join(Enum):
    """Which job a call joins, besides one with its own key, instead of starting another (SPEC
    §15.7).
    """

    NONE = "none"
    QUEUED = "an identical one that has not been sent to Unity"
    OPEN = "an identical one of the same client that has not ended"


# ``(params, result)``: what of the result was asked for, where a plugin ignored a parameter (SPEC
# §20.3); ``Err`` says why it is no answer to the question. Neither is modified.
AsAsked = Callable[[Mapping[str, Any], Dict[str, Any]], Result[Dict[str, Any], str]]
# ``(result, json)``: the JSON that is shown as text, of a result and its JSON.
AsText = Callable[[Dict[str, Any], str], str]


@frozen
class Tool:
    """One row of the catalogue.

    The schemas are plain JSON Schema, without ``$ref``. ``result_schema`` is what
    Unity's ``result`` must be, where that is another one: a job's call answers with the job's status.
    ``keeps_key``: a key means "at most once", also after the end of its job has been reported (SPEC §15.7).
    ``is_answered_by_editor_log``: in safe mode, where no plugin runs, the log answers instead (SPEC §18.3).
    ``is_in_every_plugin``: also in those that do not say in ``hello.tools`` what they carry out (SPEC §15.5).
    ``may_join``: whether ``join`` holds for a call with these ``params``, by the plugin's ``hello.joins`` (SPEC §15.7).
    ``shows_image``: the result's ``image`` (base64, of ``format``) is shown as a picture (SPEC §16).
    ``sent_over_mcp``: what Unity gets with the arguments of a job of an MCP client.
    ``always_load`` asks clients that defer tools not to defer this one.
    ``as_asked`` makes of a result that fits the schema the one that was asked for.
    ``reading``: how a proven plugin's result is read that does not fit the schema (SPEC §20.3).
    ``unfiltered`` returns the parameters for a plugin that may not filter, for ``as_asked`` to filter (SPEC §20.3).
    ``longer_ms``: by how much a call with these ``params`` takes longer; its default ``timeout_ms`` grows by it.
    ``as_shown`` leaves out of a result what a client has not asked for.
    ``as_text`` returns the form of a result that is shown as text.
    ``gives_way``: what of a result that is too long for an answer is cut, in this order (SPEC §8.7).
    ``finds_faults``: whether a result says that the job was carried out and has failed its purpose (SPEC §15.3).
    ``found_nothing``: why a result with these ``params`` is no success, of a plugin of the first version, which does
    not say so itself.
    ``is_destructive``: what it does may be more than adding to the project.
    ``is_open_world``: it may reach beyond the editor and the project.
    ``unpublished``: its arguments that are for programs, not for models: taken, and in no list.
    ``rank``: its position in ``tools/list``; tools of the same rank are sorted by name. Below 50 are the tools that an
    agent needs first, above 100 those that the server answers itself.
    ``reworded`` returns the error of a job with these ``params`` as it is passed on.
    How it is guessed (SPEC §12.6): ``other_names``, of its arguments, for the error; ``taken_names``, those of them
    that can mean nothing else and are taken; ``other_words``, per argument
    other spellings of the words of its enum, in lower case without separators, which are taken; ``asset_paths``, its
    arguments that may be an asset's path.
    ``not_here``: for an argument that it has not and no other of its own stands for, what to do instead ("": for any).
    """

    name: str
    title: str
    description: str
    kind: Effect
    mode: Mode
    service: Service
    default_timeout_ms: int
    max_timeout_ms: int
    input_schema: JsonObject
    output_schema: JsonObject
    read_only: bool = False
    idempotent: bool = False
    result_schema: Optional[JsonObject] = None
    cancel: Cancellable = Cancellable.NEVER
    join: Join = Join.NONE
    keeps_key: bool = False
    may_join: Callable[[JsonObject, Optional[FrozenSet[str]]], bool] = lambda params, joins: True
    is_answered_by_editor_log: bool = False
    is_in_every_plugin: bool = False
    shows_image: bool = False
    sent_over_mcp: JsonObject = made_by(dict)
    always_load: bool = False
    as_asked: Optional[AsAsked] = None
    reading: ReadingRules = ReadingRules()
    unfiltered: Optional[Callable[[JsonObject], JsonObject]] = None
    longer_ms: Callable[[JsonObject], int] = lambda params: 0
    as_shown: Optional[Callable[[JsonObject, JsonDict], JsonDict]] = None
    as_text: Optional[AsText] = None
    gives_way: Tuple[Step, ...] = ()
    finds_faults: Callable[[JsonObject], bool] = lambda result: False
    found_nothing: Callable[[JsonObject, JsonObject], Optional[ToolError]] = lambda params, result: (
        None
    )
    is_destructive: bool = False
    is_open_world: bool = False
    rank: int = 50
    reworded: Callable[[JsonObject, ToolError], ToolError] = lambda params, error: error
    other_names: Mapping[str, str] = made_by(dict)
    taken_names: Tuple[str, ...] = ()
    other_words: Mapping[str, Mapping[str, str]] = made_by(dict)
    asset_paths: Tuple[str, ...] = ()
    unpublished: Tuple[str, ...] = ()
    not_here: Mapping[str, str] = made_by(dict)

    @property
    def needs_editor(self) -> bool:
        """Whether the call is parked while the editor is not ready (SPEC §4.3)."""
        return self.service is Service.UNITY

    @property
    def supports_cancel(self) -> bool:
        """Whether a job of it can be stopped while it runs."""
        return self.cancel is Cancellable.WHILE_IT_RUNS

    @cached_property
    def defaults(self) -> JsonObject:
        """Of the arguments that have one."""
        properties = self.input_schema["properties"]
        return {
            name: schema["default"] for name, schema in properties.items() if "default" in schema
        }

    @cached_property
    def published_schema(self) -> JsonDict:
        """``input_schema`` as ``tools/list`` has it: what only costs tokens, or breaks a client, is
        left out.

        ``additionalProperties`` of a tool makes Google's SDK raise. Every argument is checked here all the same. A key
        has a meaning for jobs alone, and a read is over before its ``timeout_ms`` matters (SPEC §8.1).
        """
        properties = dict(self.input_schema["properties"])
        of_jobs = ("timeout_ms", "client_request_id") if self.mode is Mode.SYNC else ()
        for name in (*of_jobs, *self.unpublished):
            del properties[name]
        for name, schema in properties.items():
            # Google's schemas have defaults of text, numbers and booleans only.
            if isinstance(schema.get("default"), (list, dict)):
                properties[name] = {
                    word: value for word, value in schema.items() if word != "default"
                }
            if schema["type"] == "object" and "properties" not in schema:
                # Without the word one adapter makes an object of nothing out of it, and refuses
                # every member.
                properties[name]["additionalProperties"] = {"description": "Any value."}
        published = {**self.input_schema, "properties": properties}
        del published["additionalProperties"]
        published.setdefault("required", [])
        return published

    def capability(self) -> JsonDict:
        """Return the tool's entry in the ``capability`` message (metadata schema of ADR-0012)."""
        return {
            "name": self.name,
            "execution_mode": self.mode.value,
            "supports_cancel": self.supports_cancel,
            "default_timeout_ms": self.default_timeout_ms,
            "max_timeout_ms": self.max_timeout_ms,
            "requires_client_request_id": False,
            # Whether an error may be repeated follows its reason, for all tools (SPEC §15.8).
            "execution_error_retryable": False,
        }


def _input(properties: JsonObject, max_timeout_ms: int, required: Tuple[str, ...]) -> JsonDict:
    """Return a tool's own arguments plus the two that every tool takes; anything else is refused.

    ``timeout_ms`` goes without a description: it would stand in the list at five tools, and every client's model pays
    for it. The validator knows more of ``client_request_id`` than its schema says.
    """
    common = {
        "timeout_ms": whole(1, max_timeout_ms, "Ends the job."),
        "client_request_id": text("Only to repeat a call whose answer was lost."),
    }
    schema = object_of({**properties, **common}, required)
    schema["additionalProperties"] = False
    return schema


# What every job's call answers with. The whole of it stands once in the list, at ``get_job_status``
# (SPEC §15.3).
_JOB_STATUS = object_of({"job_id": TEXT, "state": TEXT, "result": {}})


def read_tool(*, max_timeout_ms: int = 30_000, **fields: Any) -> Tool:
    """Return a tool that changes nothing and answers at once. ``fields``: ``arguments``, and fields
    of ``Tool``.
    """
    usual = {
        "service": Service.UNITY,
        "default_timeout_ms": 10_000,
        "read_only": True,
        "idempotent": True,
    }
    return _tool(Effect.READ, Mode.SYNC, max_timeout_ms, {**usual, **fields})


def job_tool(
    *, arguments: JsonObject, max_timeout_ms: int, kind: Effect = Effect.WRITE, **fields: Any
) -> Tool:
    """Return a tool whose call starts a job in Unity and waits for it. ``fields``: other fields of
    ``Tool``.
    """
    usual = {"service": Service.UNITY, "output_schema": _JOB_STATUS, "as_text": job_text}
    arguments = {**arguments, "wait_ms": waiting(50_000)}
    return _tool(kind, Mode.JOB, max_timeout_ms, {**usual, "arguments": arguments, **fields})


def control_tool(*, max_timeout_ms: int, **fields: Any) -> Tool:
    """Return a tool about jobs that this server answers itself, if need be after it has asked
    Unity.
    """
    usual = {"default_timeout_ms": 5_000, "idempotent": True}
    return _tool(Effect.CONTROL, Mode.SYNC, max_timeout_ms, {**usual, **fields})


def _tool(kind: Effect, mode: Mode, max_timeout_ms: int, fields: Mapping[str, Any]) -> Tool:
    """``fields``: the others of the tool; with ``arguments`` and ``required`` in place of its
    ``input_schema``.
    """
    optional = dict(fields)
    schema = _input(optional.pop("arguments"), max_timeout_ms, optional.pop("required", ()))
    return Tool(
        kind=kind, mode=mode, max_timeout_ms=max_timeout_ms, input_schema=schema, **optional
    )


def waiting(default_ms: int) -> JsonDict:
    """``wait_ms``: how long a call waits for its job. The lowest limit of a client is a minute
    (SPEC §15.2).
    """
    return whole(0, 50_000, "How long to wait; the job continues.", default_ms)


def named(**tools: Sequence[str]) -> Dict[str, str]:
    """Return ``Tool.other_names``, from the other names of each argument."""
    return {name: argument for argument, names in tools.items() for name in names}
