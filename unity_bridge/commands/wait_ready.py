"""``unity-bridge wait-ready``: Wait until the editor is ready."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import click

from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import error_object
from unity_bridge.commands.shared.envelope import put_answer, put_failure
from unity_bridge.commands.shared.options import (
    NO_EDITOR,
    OUT_OF_TIME,
    ScriptCommand,
    options_but_wait,
    script_settings,
    timeout_option,
)
from unity_bridge.scripting.command_bridge import CommandBridge, other_project
from unity_bridge.scripting.output import note

_DEFAULT_S = 120
_LOOK_AGAIN_S = 0.1


@click.command(
    "wait-ready",
    cls=ScriptCommand,
    epilog="Example: unity-bridge wait-ready --timeout 300 && unity-bridge test",
)
@timeout_option(_DEFAULT_S)
@options_but_wait
def command(timeout_s: Optional[float], **options: Any) -> int:
    """Wait until an editor is connected and ready, neither compiling nor reloading.

    Exit status: 0 ready; 2 wrong usage; 3 no editor connected within --timeout, or
    the port serves another project's editor; 4 an editor connected, but did not become ready.
    """
    from unity_bridge.commands.shared.editor_probe import read  # --help does without it

    limit_s = timeout_s or _DEFAULT_S
    settings = script_settings(options)._replace(wait_s=limit_s, has_wait_option=True)
    clock = SystemClock()
    deadline = clock.now() + limit_s

    def reading(_: object, life: CommandBridge, state: Mapping[str, Any]) -> int:
        another = other_project(state)
        if another is not None:
            put_failure(error_object(another))
            return NO_EDITOR
        while state["editor_state"] != "ready" and clock.now() < deadline:
            life.pause(_LOOK_AGAIN_S)
            state = life.editor_state()
        is_ready = state["editor_state"] == "ready"
        if is_ready:
            put_answer(True, state, ["ready"])
            return 0
        put_answer(False, state, ())
        doing = "in safe mode" if state.get("reason") == "safe_mode" else state["editor_state"]
        note(f"Unity is still {doing} after {limit_s:g} s.")
        return OUT_OF_TIME

    return read(settings, "get_editor_state", reading)
