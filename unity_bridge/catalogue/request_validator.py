"""``RequestValidator``: what a client sent becomes a ``Call``, or the ``Failure`` it gets at once
(SPEC §8, §12.6).

Pure, and free of ``mcp``: the script commands validate with it too. A call that fails here never enters the queue.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue import CATALOGUE, synonyms
from unity_bridge.catalogue.argument_spellings import (
    Meant,
    nearest_argument,
    shortened,
    shown,
    with_known_names,
    with_known_values,
)
from unity_bridge.catalogue.calls import Call, Failure
from unity_bridge.catalogue.readable_result import ReadResult, read_result
from unity_bridge.catalogue.schema_checks import Check, Misfit, check_of
from unity_bridge.catalogue.tool import Mode, Tool
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import is_name
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.text.spelling import nearest

_PROBLEMS_SHOWN = 5


class RequestValidator:
    """Checks calls and results against the catalogue's schemas. Keeps the check of each schema;
    safe from any thread.

    ``catalogue`` is what it goes by: the tools there are, with the limits of this configuration. ``project_folders``
    returns the folders of the Unity projects that a call may be about, and is called on any thread.
    """

    def __init__(
        self,
        catalogue: Mapping[str, Tool] = CATALOGUE,
        project_folders: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.catalogue = catalogue
        self._project_folders = project_folders
        self._argument_checks: Dict[str, Check] = {}
        self._result_checks: Dict[str, Check] = {}

    def validate(self, name: Any, arguments: Any, **caller: Any) -> Result[Call, Failure]:
        """Return the call, with defaults filled in, or why it is refused. Neither argument's type
        is trusted.

        ``ERR_INVALID_REQUEST`` for the envelope, ``ERR_UNKNOWN_COMMAND`` for the tool, ``ERR_INVALID_PARAMS`` for the
        tool's own arguments. ``arguments`` is not modified. ``caller``: the fields of the call that say who calls.
        """
        tool = self.catalogue.get(name) if isinstance(name, str) else None
        if tool is None:
            return Err(self._no_tool(name, arguments))
        values = arguments
        if arguments is None:
            values = {}
        elif isinstance(arguments, str):
            values = _parsed(arguments)
        if not isinstance(values, dict):
            return _refuse(
                tool,
                ErrorCode.INVALID_REQUEST,
                f"params.arguments must be an object of named arguments, not {_shown(arguments)}.",
                {"arguments": sorted(tool.input_schema["properties"])},
            )
        members, remarks = _members(tool, values)
        client_request_id = members.get("client_request_id")
        if "client_request_id" in members and not is_name(client_request_id):
            return _refuse(
                tool,
                ErrorCode.INVALID_REQUEST,
                f"client_request_id must be a string of 1 to 128 printable ASCII characters, not "
                f"{_shown(client_request_id)}. Leave it out if you do not need it.",
                {"argument": "client_request_id"},
            )
        params, more_remarks = with_known_values(tool, members, self._project_folders)
        remarks += more_remarks
        problems = self._problems(tool, params)
        if problems:
            return _refuse_arguments(tool, problems, remarks)
        return Ok(_call(tool, params, remarks, caller))

    def check_result(self, tool: Tool, result: Any) -> Optional[str]:
        """Why ``result`` is not what ``tool`` promises of what it did, or None if it is.

        For a job's tool that is the ``result`` in the status of its job.
        """
        check = self._result_checks.get(tool.name)
        if check is None:
            check = self._result_checks[tool.name] = check_of(_schema_of(tool))
        misfit = check(result)
        if misfit is None:
            return None
        return f"result{misfit.where} {misfit.fault}"

    def checked_result(self, tool: Tool, params: JsonObject, result: Any) -> Result[JsonDict, str]:
        """Return what of ``result`` a call with ``params`` asked for, or why it is no answer to it
        (SPEC §20.3).
        """
        if not isinstance(result, dict):
            return Err("'result' must be an object")
        fault = self.check_result(tool, result)
        if fault is not None:
            return Err(fault)
        return Ok(result) if tool.as_asked is None else tool.as_asked(params, result)

    def read_result(self, tool: Tool, params: JsonObject, result: Any) -> Result[ReadResult, str]:
        """Return what of a proven plugin's ``result`` can be read and was asked for (SPEC §20.3)."""
        if not isinstance(result, dict):
            return Err("'result' must be an object")
        outcome_read = ReadResult(result, ())
        schema = tool.reading.schema_for(params)
        if schema is None:
            fits = self.check_result(tool, result) is None
        else:
            fits = check_of(schema)(result) is None
        if not fits:
            outcome = read_result(schema or _schema_of(tool), tool.reading, params, result)
            if isinstance(outcome, Err):
                return outcome
            outcome_read = outcome.value
        if tool.as_asked is None:
            return Ok(outcome_read)
        refined = tool.as_asked(params, outcome_read.value)
        if isinstance(refined, Ok):
            return Ok(outcome_read._replace(value=refined.value))
        return refined

    def _no_tool(self, name: Any, arguments: Any) -> Failure:
        tools = list(self.catalogue)
        if not isinstance(name, str) or not name:
            if name is None or name == "":
                happened = "The call has no tool name."
            else:
                happened = f"{_shown(name)} is not a tool name."
            message = f"{happened} Send params.name as one of: {', '.join(tools)}."
            return Failure(ToolError(ErrorCode.INVALID_REQUEST, message))
        action = arguments.get("action") if isinstance(arguments, dict) else None
        calls = synonyms.meant(name, action)
        instead = synonyms.listed(calls, of_commands="run_command with name: ")
        like = f"; the nearest is {instead}" if calls else ""
        message = f"There is no tool {_shown(name)}{like}. The tools are: {', '.join(tools)}."
        nearest_tool = [
            candidate if candidate in tools else "run_command"
            for candidate in map(synonyms.name_of, calls[:1])
        ]
        details = {}
        if calls:
            details = {
                "nearest": nearest_tool[0],
                "instead": [synonyms.name_of(call) for call in calls],
            }
        return Failure(ToolError(ErrorCode.UNKNOWN_COMMAND, message, details))

    def _problems(self, tool: Tool, params: JsonObject) -> List[Tuple[str, str]]:
        """Up to a handful of ``(argument, sentence)``, unknown arguments first: they usually
        explain the others.
        """
        properties = tool.input_schema["properties"]
        if not params.keys() <= properties.keys():
            unknown = [name for name in params if name not in properties]
            unknown_arguments = [
                (shortened(name), _unknown_argument(tool, name))
                for name in unknown[:_PROBLEMS_SHOWN]
            ]
            # The arguments that there are stand in the first sentence only.
            unknown_arguments[0] = (
                unknown_arguments[0][0],
                f"{unknown_arguments[0][1]} It takes: {_arguments_of(tool)}.",
            )
            return unknown_arguments
        check = self._argument_checks.get(tool.name)
        if check is None:
            present = {key: value for key, value in tool.input_schema.items() if key != "required"}
            check = self._argument_checks[tool.name] = check_of(present)
        problems = [
            _missing(tool, name)
            for name in tool.input_schema.get("required", ())
            if name not in params
        ]
        misfit = check(params)
        while misfit is not None and len(problems) < _PROBLEMS_SHOWN:
            problems.append(_sentence(misfit))
            # A check ends at the first fault that it finds: the next one is found without this
            # argument.
            params = {name: value for name, value in params.items() if name != misfit.path[0]}
            misfit = check(params)
        return problems


def _schema_of(tool: Tool) -> JsonObject:
    return tool.result_schema or tool.output_schema


def client_request_id_in(arguments: Any) -> Optional[str]:
    """Return the client's own id for a call, whatever else is wrong with it; ``None`` if it has no
    valid one.
    """
    values = _parsed(arguments) if isinstance(arguments, str) else arguments
    request_id = values.get("client_request_id") if isinstance(values, dict) else None
    if is_name(request_id):
        return str(request_id)
    return None


def _members(tool: Tool, arguments: JsonDict) -> Meant:
    """``params.arguments`` under known names, without those that a model filled in and means
    nothing by.
    """
    members, remarks = with_known_names(tool, arguments)
    if None in members.values():
        members = {
            name: value
            for name, value in members.items()
            if value is not None or not _may_be_null(tool, name)
        }
    # Clients with strict schemas make their models fill in every argument: this is what they send
    # for no key.
    if members.get("client_request_id") == "":
        del members["client_request_id"]
    return Meant(members, remarks)


def _may_be_null(tool: Tool, name: str) -> bool:
    """Models fill in every argument that they see, and mean nothing by the null of an optional one."""
    schema = tool.input_schema
    return name in schema["properties"] and name not in schema.get("required", ())


def _call(tool: Tool, params: JsonObject, remarks: Tuple[str, ...], caller: JsonObject) -> Call:
    params_and_defaults = {**tool.defaults, **params}
    timeout_ms = params_and_defaults.pop("timeout_ms", None)
    is_bounded = timeout_ms is not None and tool.mode is Mode.SYNC
    if timeout_ms is None:
        timeout_ms = min(
            tool.default_timeout_ms + tool.longer_ms(params_and_defaults), tool.max_timeout_ms
        )
    client_request_id = params_and_defaults.pop("client_request_id", None)
    wait_ms = params_and_defaults.pop("wait_ms", 0)
    return Call(
        tool,
        params_and_defaults,
        timeout_ms,
        client_request_id,
        wait_ms,
        remarks=remarks,
        is_bounded=is_bounded,
        **caller,
    )


def _refuse(tool: Tool, code: ErrorCode, message: str, details: JsonObject) -> Err[Failure]:
    return Err(Failure(ToolError(code, message, {"tool": tool.name, **details}), tool=tool))


def _refuse_arguments(
    tool: Tool, problems: List[Tuple[str, str]], remarks: Tuple[str, ...]
) -> Err[Failure]:
    argument, sentence = problems[0]
    details: JsonDict = {"argument": argument}
    if len(problems) > 1:
        details["problems"] = [problem for _, problem in problems[1:]]
        sentence += " details.problems has what else is wrong."
    if remarks:
        details["remarks"] = list(remarks)
    return _refuse(tool, ErrorCode.INVALID_PARAMS, sentence, details)


def _unknown_argument(tool: Tool, name: str) -> str:
    properties = list(tool.input_schema["properties"])
    like = nearest_argument(tool, name) or nearest(name, properties)
    instead = tool.not_here.get(name, tool.not_here.get("")) if like is None else None
    return f"{tool.name} has no argument {_shown(name)}{_nearest(like)}." + (
        f" {instead}" if instead else ""
    )


def _arguments_of(tool: Tool) -> str:
    # A key and what no list shows are for programs, which know of them (SPEC §15.7).
    left_out = ("client_request_id", *tool.unpublished)
    return ", ".join(name for name in tool.input_schema["properties"] if name not in left_out)


def _missing(tool: Tool, name: str) -> Tuple[str, str]:
    schema = tool.input_schema["properties"][name]
    return name, f"{name} is missing; {tool.name} needs it: {_expected(schema)}{_note(schema)}."


def _sentence(misfit: Misfit) -> Tuple[str, str]:
    """Return the argument, and a sentence: where, what may stand there, what stood there."""
    argument, *steps = misfit.path
    where = argument + "".join(f"[{step}]" for step in steps)
    # The type alone does not say what a text is to be.
    note = ""
    if misfit.schema.get("type") == "string" and "enum" not in misfit.schema:
        note = _note(misfit.schema)
    return (
        argument,
        f"{where} must be {_expected(misfit.schema)}{note}, not {_shown(misfit.value)}.",
    )


def _note(schema: JsonObject) -> str:
    if "description" in schema:
        return f" ({schema['description'].rstrip('.')})"
    return ""


def _expected(schema: JsonObject) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value) for value in schema["enum"])
    kind = schema["type"]
    if kind == "integer":
        return f"an integer from {schema['minimum']} to {schema['maximum']}"
    if kind == "boolean":
        return "true or false"
    if kind == "array":
        return f"an array, each item {_expected(schema['items'])}"
    if kind == "string" and "maxLength" in schema:
        return f"a string of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    if kind == "string" and schema.get("minLength"):
        return "a string that is not empty"
    if kind == "object":
        return f"an {kind}"
    return f"a {kind}"


def _parsed(text: str) -> Any:
    """Return the JSON value that ``text`` spells, or None (which no argument means)."""
    try:
        return json_reader.loads(text)
    except ValueError:
        return None


def _nearest(like: Optional[str]) -> str:
    if like is None:
        return ""
    return f"; the nearest is {like}"


def _shown(value: Any) -> str:
    """``value`` as short JSON, for a sentence. Large or odd values are cut or named, never printed
    whole.
    """
    if isinstance(value, (list, tuple)):
        return "an array"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    return shown(value)
