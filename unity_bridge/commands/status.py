"""``unity-bridge status``: the editor's state, one screen."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Tuple

import click

from unity_bridge.commands.options import script_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put, put_json, visible

_COLOURS = {"ready": "green", "compiling": "yellow", "reloading": "yellow"}


@click.command("status", epilog="Example: unity-bridge status --wait 2", short_help="Show the editor's state.")
@click.option("--json", "as_json", is_flag=True, help="The answer of get_editor_state, as JSON.")
@script_options
@click.pass_context
def command(context: click.Context, /, as_json: bool, **options: Any) -> None:
    """Show the editor's state on one screen.

    Exit status: 0 if an editor is connected, ready or busy; 3 if none came within --wait.
    """
    prepare_output(context)
    settings = script_settings(context, options)
    from unity_bridge.commands.short_life import NO_EDITOR, ShortLife
    from unity_bridge.result import Err

    with ShortLife(settings.config) as life:
        editor = life.wait_for_editor(settings.wait_s)
        state = life.editor_state() if isinstance(editor, Err) else editor.value
        if as_json:
            put_json(state)
        else:
            put("\n".join(f"{click.style(f'{name:<15}', bold=True)} {value}" for name, value in _screen(state)))
        if isinstance(editor, Err):
            note(editor.error.error.message)
    context.exit(NO_EDITOR if isinstance(editor, Err) else 0)


def _screen(state: Mapping[str, Any]) -> Iterator[Tuple[str, str]]:
    """Name and value of each line that has something to say."""
    if not state["connected"]:
        yield "Unity Editor", click.style("not connected", fg="red")
    else:
        doing = state["editor_state"]
        yield "Unity Editor", "connected, " + click.style(doing, fg=_COLOURS.get(doing, "red"))
        yield from _editor(state["editor"] or {})
        yield "Plugin", _plugin(state["plugin_version"], state["server_version"])
    yield "Server", state["server_version"] + _role(state)
    yield "Port", f"{state['port']}{_port(state['listener'])}"
    yield "Calls", f"{state['waiting']} waiting for the editor, {state['queued']} in line"
    yield "Test runs", ", ".join(state["running_jobs"]) or "none known"


def _editor(editor: Mapping[str, Any]) -> Iterator[Tuple[str, str]]:
    stalled_ms, errors = editor.get("main_thread_stalled_ms"), editor.get("compile_errors")
    if stalled_ms:
        said = f"stalled for {stalled_ms / 1000:.1f} s (a dialog may be open in Unity)"
        yield "Main thread", click.style(said, fg="yellow")
    if errors:
        yield "Compile errors", click.style(str(errors), fg="red")
    if editor.get("project_name"):
        path = f" ({editor['project_path']})" if editor.get("project_path") else ""
        yield "Project", visible(f"{editor['project_name']}{path}")
    if editor.get("unity_version"):
        yield "Unity", visible(editor["unity_version"])


def _plugin(plugin: str, server: str) -> str:
    if plugin == server:
        return plugin
    return click.style(f"{visible(plugin)} (the server is {server}: `unity-bridge plugin update`)", fg="yellow")


def _role(state: Mapping[str, Any]) -> str:
    """SPEC §14.4: told by a server that shares its editor with others."""
    role, clients = state.get("role"), state.get("clients")
    told = [f"{role}" if role else "", f"clients: {clients}" if clients is not None else ""]
    said = ", ".join(word for word in told if word)
    return f" ({said})" if said else ""


def _port(listener: Mapping[str, Any]) -> str:
    if listener.get("reason") is None:
        return ""
    holder = listener.get("holder")
    return ", " + click.style(f"{listener['reason']}{f' by {holder}' if holder else ''}".replace("_", " "), fg="red")
