"""``unity-bridge compile``: Compile what is on disk, with errors as path(line,column)."""

from __future__ import annotations

from typing import Any, List

from unity_bridge.catalogue.loaded_code import fault_of_compile
from unity_bridge.commands.shared.error_lines import message_line
from unity_bridge.commands.shared.tool_command import JobView, job_command, option_of
from unity_bridge.scripting.output import counted, note, put
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonObject

_TOOL = "compile"


@job_command(
    "compile",
    _TOOL,
    "The compile",
    "Example: unity-bridge compile && unity-bridge test --mode edit",
)
@option_of(_TOOL, "force", help="Compile and reload even if nothing changed.")
@option_of(_TOOL, "warnings")
@option_of(_TOOL, "changed_scenes")
def command(**params: Any) -> JobView:
    """Import and compile what is on disk in the open editor, and wait for the domain reload.

    Each error is one line on stdout: path(line,column): error CS0103: message.

    Exit status: 0 the scripts compile and are loaded; 1 they do not compile, they are not loaded, or Unity could not
    compile; 2 wrong usage; 3 no editor; 4 --timeout passed.
    """
    return JobView(params, report, faults=lambda followed: faults(followed.end.result or {}))


def faults(result: JsonObject) -> List[str]:
    """Return why the code of a compile that succeeded is not what runs (SPEC §16.1)."""
    fault = fault_of_compile(result)
    if fault is None:
        return []
    return [visible_line(fault)]


def report(result: JsonObject) -> None:
    """Errors and warnings on stdout, the summary on stderr."""
    lines = [message_line(message, "error") for message in result["errors"]]
    lines += [message_line(message, "warning") for message in result.get("warnings") or ()]
    lines += [_import_error(error) for error in result.get("import_errors") or ()]
    if lines:
        put("\n".join(lines))
    untold = result["error_count"] - len(result["errors"])
    if untold > 0:
        note(f"... and {untold} more errors.")
    if fault_of_compile(result) is None:
        note(_summary(result))
    for scene in result.get("scenes_reloaded") or ():
        note(f"Opened again, because its file had changed: {visible_line(str(scene))}")
    if result.get("source"):
        note(f"Source: the editor's log. {visible_line(str(result.get('reason', '')))}.")


def _import_error(error: JsonObject) -> str:
    file = f"{error['file']}: " if error.get("file") else ""
    return visible_line(f"import error: {file}{error['message']}")


def _summary(result: JsonObject) -> str:
    seconds = f" in {result['duration_ms'] / 1000:.1f} s" if "duration_ms" in result else ""
    errors, warnings = result["error_count"], result["warning_count"]
    counts = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
    if not result["ok"]:
        return f"The scripts do not compile: {counts}{seconds}."
    if not result.get("changed", True):
        return f"Nothing had changed; the scripts compile ({counts})."
    reason = f" ({visible_line(str(result['reason']))})" if result.get("reason") else ""
    summary = f"Compiled: {counts}{seconds}."
    if result.get("reloaded") or result.get("loaded"):
        return summary
    return f"{summary} They are not loaded yet{reason}."
