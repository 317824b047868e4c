"""``unity-bridge compile``: Compile what is on disk, with errors as path(line,column)."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import click

from unity_bridge.base.loaded_code import fault_of_compile
from unity_bridge.catalogue.compile import CHANGED_SCENES
from unity_bridge.commands.options import job_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put
from unity_bridge.text.foreign_text import visible, visible_line

_TOOL = "compile"

changed_scenes_option = click.option(
    "--changed-scenes",
    type=click.Choice(CHANGED_SCENES["enum"]),
    default=CHANGED_SCENES["default"],
    show_default=True,
    help="Which side wins if an open scene has unsaved changes and its file changed too.",
)


@click.command("compile", epilog="Example: unity-bridge compile && unity-bridge test --mode edit")
@click.option("--force", is_flag=True, help="Compile and reload even if nothing changed.")
@click.option("--warnings", is_flag=True, help="List warnings too.")
@changed_scenes_option
@job_options(300)
@click.pass_context
def command(
    context: click.Context,
    /,
    force: bool,
    warnings: bool,
    changed_scenes: str,
    as_json: bool,
    timeout_s: Optional[float],
    **options: Any,
) -> None:
    """Import and compile what is on disk in the open editor, and wait for the domain reload.

    Each error is one line on stdout: path(line,column): error CS0103: message.

    Exit status: 0 the scripts compile and are loaded; 1 they do not compile, they are not loaded, or Unity could not
    compile; 3 no editor; 4 --timeout passed.
    """
    prepare_output(context)
    settings = script_settings(context, options)
    from unity_bridge.commands.job_run import check_timeout, exit_status, note_console, put_envelope, run_job, trouble

    check_timeout(timeout_s, _TOOL)
    params = {"force": force, "warnings": warnings, "changed_scenes": changed_scenes}
    followed = run_job(settings, _TOOL, params, timeout_s)
    is_loaded = followed.end.result is None or followed.end.result.get("loaded") is not False
    if as_json:
        put_envelope(followed, "The compile", is_well=is_loaded)
    else:
        if followed.end.result is not None:
            report(followed.end.result)
        problem = trouble(followed.end, "The compile")
        if problem is not None:
            note(problem)
    note_console(followed.end)
    context.exit(exit_status(followed) or int(not is_loaded))


def report(result: Mapping[str, Any]) -> None:
    """Errors and warnings on stdout, the summary on stderr."""
    lines = [message_line(message, "error") for message in result["errors"]]
    lines += [message_line(message, "warning") for message in result.get("warnings") or ()]
    if lines:
        put("\n".join(lines))
    untold = result["error_count"] - len(result["errors"])
    if untold > 0:
        note(f"... and {untold} more errors.")
    note(_summary(result))
    for scene in result.get("scenes_reloaded") or ():
        note(f"Opened again, because its file had changed: {visible_line(str(scene))}")
    if result.get("source"):
        note(f"Source: the editor's log. {visible_line(str(result.get('reason', '')))}.")


def message_line(message: Mapping[str, Any], kind: str) -> str:
    """``Assets/A.cs(12,9): error CS0103: message``, the form of compilers; what is not known is left out."""
    text = visible(str(message.get("message") or "")).replace("\n", " ")
    code = f" {visible_line(str(message['code']))}" if message.get("code") else ""
    place = ""
    if message.get("file"):
        place = visible_line(str(message["file"]))
        if message.get("line"):
            place += f"({message['line']},{message.get('column') or 1})"
        place += ": "
    return f"{place}{kind}{code}: {text}"


def _summary(result: Mapping[str, Any]) -> str:
    seconds = f" in {result['duration_ms'] / 1000:.1f} s" if "duration_ms" in result else ""
    errors, warnings = result["error_count"], result["warning_count"]
    counted = f"{_count(errors, 'error')}, {_count(warnings, 'warning')}"
    if not result["ok"]:
        return f"The scripts do not compile: {counted}{seconds}."
    fault = fault_of_compile(result)
    if fault is not None:
        return visible_line(fault)
    if not result["changed"]:
        return f"Nothing had changed; the scripts compile ({counted})."
    reason = f" ({visible_line(str(result['reason']))})" if result.get("reason") else ""
    reloaded = "" if result["reloaded"] or result.get("loaded") else f" They are not loaded yet{reason}."
    return f"Compiled: {counted}{seconds}.{reloaded}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
