"""The parts of ``docs/contract.md`` that are generated: requests and jobs, messages, tools, errors.

``python -m tests.contract_tables`` writes every block between ``<!-- generated: NAME -->`` and ``<!-- /generated -->``
again, and prints how many words stand outside these blocks. ``tests/test_contract.py`` checks that they are current.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

from tests.goldens import files
from unity_bridge.base.errors import ERRORS, ONLY_A_PERSON, Retry
from unity_bridge.base.reasons import REASONS
from unity_bridge.catalogue import CATALOGUE, get_editor_state
from unity_bridge.catalogue.tool import Cancellable, Tool
from unity_bridge.core.editor.slot_rules import CLAIMS, Claim, Holder, Newcomer
from unity_bridge.core.ledger.machines import JOB, REQUEST, JobEvent, RequestEvent, Table
from unity_bridge.launch import environment
from unity_bridge.unity.messages import TYPES

_ROOT = Path(environment.ROOT)
CONTRACT = _ROOT / "docs" / "contract.md"
# The paragraphs about commands are on a page of their own.
COMMAND_LINE = _ROOT / "docs" / "command-line.md"
_PARAGRAPH = re.compile(r"^## (\d+)\. |^\*\*(\d+\.\d+)\*\*|^### (\d+\.\d+) ", re.MULTILINE)
_BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- /generated -->)", re.DOTALL)

# Arguments of every tool, which §8.1 describes once.
_COMMON = ("timeout_ms", "client_request_id")
_CANCEL = {
    Cancellable.NEVER: "no",
    Cancellable.UNTIL_IT_BEGINS: "while it waits in Unity",
    Cancellable.WHILE_IT_RUNS: "yes",
}
_RETRY = {Retry.YES: "yes", Retry.NO: "no", Retry.READS_ONLY: "reads only"}


def rewritten(text: str) -> str:
    """``text`` with every block generated again. Raises ``KeyError`` for a block that nothing
    generates.
    """
    return _BLOCK.sub(lambda found: f"{found[1]}\n{BLOCKS[found[2]]()}\n\n{found[3]}", text)


def words(text: str) -> int:
    """How many words stand outside the generated blocks, counted as ``wc -w`` does."""
    return len(_BLOCK.sub("", text).split())


def paragraphs() -> List[str]:
    """The number of every section and paragraph of both pages: ``3``, ``3.2``, ``16.1``."""
    both = CONTRACT.read_text(encoding="utf-8") + COMMAND_LINE.read_text(encoding="utf-8")
    return [number for found in _PARAGRAPH.findall(both) for number in found if number]


def _table(head: List[str], rows: Iterable[List[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return (
        "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        .replace("|  |", "| |")
        .replace("|  |", "| |")
    )


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


# Requests and jobs


def _life(table: Table, remarks: Mapping[Any, str]) -> str:
    """Every event of a life: where it may happen, where it leads, and what it means."""
    cells: Dict[Any, Dict[str, List[str]]] = {event: {} for event in remarks}
    for state, row in table.items():
        for event, after in row.items():
            cells[event].setdefault(after.value, []).append(state.value)
    rows = [
        [", ".join(before), event.value, after, remarks[event]]
        for event, ways in cells.items()
        for after, before in ways.items()
    ]
    return _table(["from", "event", "to", "remark"], rows)


_NOT_SENT = "the message is over 1 MiB, or the plugin lacks the tool or is not trusted with it; not_executed"
_REQUEST_REMARKS = {
    RequestEvent.ADMITTED: "the editor is ready, or not needed",
    RequestEvent.PARKED: "the editor is not ready (§3.2)",
    RequestEvent.REFUSED: "`ERR_INVALID_REQUEST`, `ERR_INVALID_PARAMS`, `ERR_UNKNOWN_COMMAND`, `ERR_QUEUE_FULL`; "
    "while stopping `ERR_EDITOR_NOT_READY`",
    RequestEvent.FORWARDED: "at an attached server (§14)",
    RequestEvent.EDITOR_READY: "in order of arrival",
    RequestEvent.PARKED_TOO_LONG: "§3.2",
    RequestEvent.DEQUEUED: "sent; the deadline is `timeout_ms` from now",
    RequestEvent.EDITOR_LOST: "keeps its place",
    RequestEvent.SEND_FAILED: _NOT_SENT,
    RequestEvent.NOT_ASKED: "nothing is known of the job, or the plugin that came back lacks the tool of a read",
    RequestEvent.CANCELLED: "a parked or queued call is never sent",
    RequestEvent.CLIENT_CANCELLED: "the answer is dropped; the queue moves on after the round trip",
    RequestEvent.RESULT_OK: "",
    RequestEvent.RESULT_ERROR: "`ERR_UNITY_EXECUTION`, completed_error; of a forwarded call the owner's answer",
    RequestEvent.PLUGIN_ERROR: "its code if known, else `ERR_UNITY_EXECUTION`; not_executed",
    RequestEvent.MALFORMED: "malformed or oversize: `ERR_INVALID_RESPONSE`, unknown",
    RequestEvent.DEADLINE: "`ERR_REQUEST_TIMEOUT`, unknown",
    RequestEvent.RECONNECT_WINDOW_OVER: "`ERR_RECONNECT_TIMEOUT`, unknown",
    RequestEvent.ANSWERED_HERE: "from the server's records (§4.3), or with a job's status (§15.3)",
    RequestEvent.WAITS_FOR_JOB: "§15.2",
    RequestEvent.CAME_BACK: "§14.2",
    RequestEvent.OWNER_LOST: "`ERR_RECONNECT_TIMEOUT`, unknown (§14.2)",
    RequestEvent.STOPPED: "§3.4",
    RequestEvent.BUG: "§8.5",
}
_JOB_REMARKS = {
    JobEvent.SUBMITTED: "`submit_job` is sent with our `job_id`",
    JobEvent.CANCELLED: "never sent",
    JobEvent.PARKED_TOO_LONG: "`ERR_COMPILE_TIMEOUT` or `ERR_EDITOR_NOT_READY`, not_executed (§3.2)",
    JobEvent.SEND_FAILED: _NOT_SENT,
    JobEvent.STOPPED: "§3.4",
    JobEvent.REFUSED: "`submit_job` was answered by `error`: its code, not_executed",
    JobEvent.UNANSWERED: "no answer to `submit_job` within `sync_default_timeout_ms`: `ERR_REQUEST_TIMEOUT`, unknown; "
    "`cancel` goes to Unity; the queue moves on",
    JobEvent.PROGRESSED: "",
    JobEvent.SUCCEEDED: "the result is kept",
    JobEvent.FAILED: "",
    JobEvent.CANCELLED_BY_UNITY: "",
    JobEvent.TIMED_OUT_BY_UNITY: "`ERR_REQUEST_TIMEOUT`, unknown, unless Unity says otherwise",
    JobEvent.MALFORMED: "`ERR_INVALID_RESPONSE`, unknown (§20.5)",
    JobEvent.DEADLINE: "`timeout_ms` from running: `ERR_REQUEST_TIMEOUT`; `cancel` goes to Unity if the tool can be "
    "cancelled while it runs",
    JobEvent.LOST: "disconnected longer than `compile_grace_timeout_ms`, the editor has ended (§5.6), another editor "
    "process came back, or Unity no longer knows the job: `ERR_RECONNECT_TIMEOUT`, unknown",
    JobEvent.BUG: "§8.5",
}


# The session slot

_CLAIM = {
    Claim.THE_SLOT: "yes",
    Claim.AS_TRUSTED: "yes, unless only the holder is proven",
    Claim.MORE_TRUSTED: "only if it is proven and the holder is not",
    Claim.NOTHING: "no",
}


def _session_slot() -> str:
    rows = [
        [newcomer.value, *(_CLAIM[CLAIMS[holder][newcomer]] for holder in Holder)]
        for newcomer in Newcomer
    ]
    return _table(["the newcomer is", *(f"held by {holder.value}" for holder in Holder)], rows)


# Messages


def type_in_code(name: str, field: str) -> Optional[str]:
    """The type of a field as the codec checks it, or None where the codec takes anything and then
    drops it.
    """
    metadata = {one.name: one.metadata for one in fields(TYPES[name])}
    phrase: str = metadata[field]["check"].phrase
    if phrase == "any value":
        return None
    found = re.match(r"one of (.*)", phrase)
    return _code(found[1].split(", ")) if found else re.sub(r"^an? ", "", phrase)


def _messages() -> str:
    return "\n\n".join(_message(name) for name in ["envelope", *TYPES])


def _message(name: str) -> str:
    content = files()[name]
    rows = [_field(name, content, field, about) for field, about in content["fields"].items()]
    text = f"{content['about']} Sent by: {content['sender']}."
    if name == "hello":
        head = ["field", "type", "from", "since", "meaning"]
    else:
        head, rows = ["field", "type", "since", "meaning"], [[*row[:2], *row[3:]] for row in rows]
    title = "Every message" if name == "envelope" else f"`{name}`"
    return "\n\n".join([f"#### {title}", text] + ([_table(head, rows)] if rows else []))


def _field(
    name: str, content: Mapping[str, Any], field: str, about: Mapping[str, Any]
) -> List[str]:
    type = about["type"] if "type" in about else type_in_code(name, field)
    sender = about.get("from", "")
    if field in content["required"]:
        type = f"{type}, required"
    if about.get("required"):
        sender += ", required there"
    return [f"`{field}`", str(type), sender, about.get("since", ""), about.get("meaning", "")]


# Tools


def _tools() -> str:
    head = ["name", "kind", "mode", "can be cancelled", "default / max timeout ms", "MCP hints"]
    return _table(head, [_limits(tool) for tool in CATALOGUE.values()])


def _limits(tool: Tool) -> List[str]:
    timeouts = f"{tool.default_timeout_ms} / {tool.max_timeout_ms}"
    hints = {"readOnly": tool.read_only, "idempotent": tool.idempotent}
    hints.update({"destructive": tool.is_destructive, "openWorld": tool.is_open_world})
    named = ", ".join(name for name, is_set in hints.items() if is_set)
    return [
        f"`{tool.name}`",
        tool.kind.value,
        tool.mode.value,
        _CANCEL[tool.cancel],
        timeouts,
        named,
    ]


def _catalogue() -> str:
    return "\n\n".join(_tool(tool) for tool in CATALOGUE.values())


def _tool(tool: Tool) -> str:
    own = {
        name: schema
        for name, schema in tool.input_schema["properties"].items()
        if name not in _COMMON
    }
    arguments = [_argument(tool, name, schema) for name, schema in own.items()]
    result = (
        "§15.3"
        if tool.name == "get_job_status"
        else f"`{_shape(tool, tool.result_schema or tool.output_schema)}`"
    )
    if tool.name == "get_editor_state":
        hidden = [
            *get_editor_state.DETAILS,
            *(f"editor.{name}" for name in get_editor_state.DETAILS_OF_EDITOR),
        ]
        hidden += [f"listener.{name}" for name in get_editor_state.DETAILS_OF_LISTENER]
        result += f"\n\nOnly with `detail`: {_code(hidden)}, counts of 0, and members that are null, except `code`."
    parts = [
        f"#### `{tool.name}`",
        _table(["argument", "value", "default", "meaning"], arguments),
        f"Result: {result}",
    ]
    return "\n\n".join(parts)


def _argument(tool: Tool, name: str, schema: Mapping[str, Any]) -> List[str]:
    default = json.dumps(schema["default"]).strip('"') if "default" in schema else ""
    if name in tool.input_schema.get("required", ()):
        default = "required"
    meaning = schema.get("description", "")
    if name in tool.unpublished:
        meaning = "Not in `tools/list`."
    return [f"`{name}`", _values(schema), default, meaning]


def _values(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if schema["type"] == "array":
        return f"list of: {_values(schema['items'])}" if "items" in schema else "list"
    if "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    return "text" if schema["type"] == "string" else str(schema["type"])


def _shape(tool: Tool, schema: Mapping[str, Any]) -> str:
    """The members of a result; one with a question mark may be missing."""
    if schema.get("type") == "array" and "items" in schema:
        inner = _shape(tool, schema["items"])
        return f"[{inner}]" if inner else ""
    properties = schema.get("properties")
    if not properties:
        return ""
    required = schema.get("required", ())
    return f"{{{', '.join(_member(tool, name, one, name in required) for name, one in properties.items())}}}"


def _member(tool: Tool, name: str, schema: Mapping[str, Any], is_required: bool) -> str:
    label = name if is_required else f"{name}?"
    compiled = CATALOGUE["compile"].result_schema
    assert compiled is not None
    if schema.get("properties") == compiled["properties"] and tool.name != "compile":
        return f"{label}: as compile"
    inner = _shape(tool, schema)
    return f"{label}: {inner}" if inner else label


# Errors


def _errors() -> str:
    rows = [
        [
            f"`{code.value}`",
            _RETRY[meaning.retry],
            f"`{meaning.guarantee.value}`",
            f"`{meaning.recovery}`",
        ]
        for code, meaning in ERRORS.items()
    ]
    table = _table(["code", "retryable", "execution_guarantee", "recovery"], rows)
    return f"{table}\n\nReasons of `ERR_EDITOR_NOT_READY` that only a person can end: {_code(sorted(ONLY_A_PERSON))}."


def _reasons() -> str:
    by_members: Dict[Tuple[str, str], List[str]] = {}
    for name, reason in REASONS.items():
        retryable = "yes" if reason.is_retryable else "no"
        by_members.setdefault((_code(sorted(reason.members)), retryable), []).append(name)
    rows = [
        [_code(names), members, retryable] for (members, retryable), names in by_members.items()
    ]
    return _table(["reason", "members", "retryable"], rows)


BLOCKS: Mapping[str, Callable[[], str]] = {
    "request": lambda: _life(REQUEST, _REQUEST_REMARKS),
    "job": lambda: _life(JOB, _JOB_REMARKS),
    "slot": _session_slot,
    "messages": _messages,
    "tools": _tools,
    "catalogue": _catalogue,
    "errors": _errors,
    "reasons": _reasons,
}


if __name__ == "__main__":
    written = rewritten(CONTRACT.read_text(encoding="utf-8"))
    CONTRACT.write_text(written, encoding="utf-8")
    sys.stdout.write(f"{words(written)} words outside the generated blocks\n")
