"""``unity-bridge status``: Show the editor's state on one screen."""

from __future__ import annotations

import sys
from typing import Any, Iterator, List, Tuple

import click

from unity_bridge.base.program_command import with_own_command
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.loaded_code import PENDING, why_not_loaded
from unity_bridge.commands.shared.editor_probe import wait_for_editor
from unity_bridge.commands.shared.envelope import put_answer
from unity_bridge.commands.shared.job_end import job_line
from unity_bridge.commands.shared.options import (
    NO_EDITOR,
    flag,
    options_for_a_look,
    prints_json,
    script_command,
    script_settings,
)
from unity_bridge.installation.error_advice import happened_and_remedy
from unity_bridge.projects.no_editor import NOBODY_COMES, reason_of
from unity_bridge.scripting.command_bridge import CommandBridge, other_project
from unity_bridge.scripting.output import note
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject

# Compile errors and a stalled main thread arrive with a pong, or not at all.
_PING_MS = 50
_PONG_S = 0.6

_COLOURS = {"ready": "green", "compiling": "yellow", "reloading": "yellow"}


@script_command("status", "Example: unity-bridge status --json")
@flag("--all", "lists_all", help="List every editor of this user that can be known.")
@options_for_a_look
def command(lists_all: bool, **options: Any) -> int:
    """Show the editor's state on one screen.

    Without --wait it ends as soon as it is certain that no editor will connect. With --all the exit
    status is 3 if no editor is known.

    Exit status: 0 if an editor is connected, ready or busy; 3 if none came, or one with another project.
    """
    if lists_all:
        from unity_bridge.commands.shared.all_editors import run

        return run(options)
    several = None if prints_json() else _list_projects
    settings = script_settings(options, several=several)
    if is_terminal(sys.stderr):
        note(f"Looking for a Unity Editor on port {settings.config.unity_ws_port} ...")

    with settings.bridge(heartbeat_interval_ms=_PING_MS) as life:
        editor = wait_for_editor(life, settings, patience_ms=0)
        state = life.editor_state()
        if (
            isinstance(editor, Err) and state["connected"]
        ):  # it came after the last look of the wait
            editor = life.wait_for_editor(settings.wait_s)
        another = other_project(editor.value) if isinstance(editor, Ok) else None
        is_there = isinstance(editor, Ok) and editor.value["connected"] and another is None
        if is_there:
            state = _after_a_pong(life)
            if not state["connected"]:
                # The server that had the editor has ended since, and this one has it in a moment.
                is_there = isinstance(life.wait_for_editor(settings.wait_s), Ok)
                state = _after_a_pong(life)
        if state.get("reason") == "connecting":  # this command has waited, and waits no longer
            del state["reason"]
        reason = editor.error.error.details["reason"] if isinstance(editor, Err) else None
        if reason in NOBODY_COMES:
            state = {**state, "reason": reason}
        screen = _screen(state, settings.port_source)
        lines = (
            f"{click.style(f'{name:<15}', bold=True)} {with_own_command(value)}"
            for name, value in screen
        )
        put_answer(is_there, {**state, "port_source": settings.port_source}, lines)
        if isinstance(editor, Err):
            note(editor.error.error.message)
        elif another is not None:
            note(another.message)
    return 0 if is_there else NO_EDITOR


def _list_projects(projects: List[str]) -> None:
    from unity_bridge.commands.shared.all_editors import (
        list_projects,
    )  # slow to import, and seldom needed

    list_projects(projects)


def _after_a_pong(life: CommandBridge) -> JsonDict:
    """Return the state, including what a plugin reports only after its hello."""
    waited_s = 0.0
    while True:
        state = life.editor_state()
        is_reported = state["last_editor_status_seq"] is not None or "compile_errors" in (
            state["editor"] or {}
        )
        if is_reported or waited_s >= _PONG_S:
            return state
        life.pause(_PING_MS / 1000)
        waited_s += _PING_MS / 1000


def _screen(state: JsonObject, port_source: str) -> Iterator[Tuple[str, str]]:
    """Name and value of each line of the screen. ``port_source``: what decided on the port."""
    if state.get("stale"):
        yield "Stale", click.style(visible_line(str(state["listener"].get("remark"))), fg="yellow")
    if not state["connected"]:
        reason = reason_of(
            {**state, "listener": {**state["listener"], "reason": None}}
        )  # the port has its own line
        why = "" if reason == "disconnected" else f": {happened_and_remedy(reason, state)[0]}"
        yield "Unity Editor", click.style(f"not connected{why}", fg="red")
        if state.get("project"):
            yield "Project", visible_line(state["project"])
    else:
        doing = state["editor_state"]
        yield "Unity Editor", "connected, " + click.style(doing, fg=_COLOURS.get(doing, "red"))
        yield from _editor(state["editor"] or {})
        yield "Plugin", _plugin(state["plugin_version"], state["server_version"])
        yield from _trust(state)
    if state.get("client_project_path"):
        yield "Client's folder", visible_line(state["client_project_path"])
    project, remark = state.get("project"), state.get("project_remark")
    if project and remark and state.get("reason") != "other_port":
        yield "Expected", click.style(visible_line(f"{project}: {remark}"), fg="red")
    if state.get("code") == PENDING:
        yield (
            "Code",
            click.style(f"not loaded: {why_not_loaded(state.get('pending_reason'))}", fg="yellow"),
        )
    copies = state.get("kept_copies") or []
    for entry in copies:
        yield (
            "Kept copy",
            visible_line(f"{entry['file']}, as it was before a batch: {entry['copy']}"),
        )
    if state.get("playing"):
        yield "Play mode", "paused" if state.get("paused") else "playing"
    yield "Server", state["server_version"] + _role(state)
    yield "Port", f"{state['port']} ({visible_line(port_source)}){_port(state['listener'])}"
    yield "Calls", f"{state['waiting']} waiting for the editor, {state['queued']} queued"
    yield "Jobs", f"\n{16 * ' '}".join(map(job_line, state["running_jobs"])) or "none known"


def _editor(editor: JsonObject) -> Iterator[Tuple[str, str]]:
    stalled_ms, errors = editor.get("main_thread_stalled_ms"), editor.get("compile_errors")
    if stalled_ms:
        condition = f"stalled for {stalled_ms / 1000:.1f} s (a dialog may be open in Unity)"
        yield "Main thread", click.style(condition, fg="yellow")
    if errors:
        yield "Compile errors", click.style(str(errors), fg="red")
    if editor.get("project_name"):
        path = f" ({editor['project_path']})" if editor.get("project_path") else ""
        yield "Project", visible_line(f"{editor['project_name']}{path}")
    if editor.get("unity_version"):
        yield "Unity", visible_line(editor["unity_version"])


def _plugin(plugin: str, server: str) -> str:
    if plugin == server:
        return plugin
    return click.style(
        f"{visible_line(plugin)} (the server is {server}: `unity-bridge plugin update`)",
        fg="yellow",
    )


def _trust(state: JsonObject) -> Iterator[Tuple[str, str]]:
    """Return lines on whether the plugin has proved its identity (SPEC §17); nothing while that is
    unknown.
    """
    if state.get("trusted"):
        yield "Trusted", "yes, it runs as the same user"
    elif state.get("trusted") is False:
        why = (state["editor"] or {}).get("untrusted") or ""
        yield "Trusted", click.style(f"no. {visible_line(why)}", fg="yellow")


def _role(state: JsonObject) -> str:
    """Describe the other clients of this editor (SPEC §14.4); empty if this command is the only
    one.
    """
    clients = state.get("clients") or 1
    if state.get("role") == "attached":
        return f" (this command uses a running server; {clients} clients)"
    if clients > 1:
        return f" ({clients} clients)"
    return ""


def _port(listener: JsonObject) -> str:
    reason, holder = listener.get("reason"), listener.get("holder")
    if reason is None:
        return ""
    by = f" by {visible_line(holder)}" if holder else ""
    return ", " + click.style(reason.replace("_", " ") + by, fg="red")
