"""``unity-bridge play``: Enter, leave, pause or step play mode."""

from __future__ import annotations

from typing import List, Optional

import click

from unity_bridge.commands.shared.envelope import details_of
from unity_bridge.commands.shared.error_lines import compile_errors
from unity_bridge.commands.shared.tool_command import JobView, argument_of, job_command
from unity_bridge.scripting.output import put
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonObject

_TOOL = "play_mode"
_EXAMPLE = "Example: unity-bridge play enter && unity-bridge play step 10"


@job_command("play", _TOOL, "The change of play mode", _EXAMPLE)
@argument_of(_TOOL, "action")
@argument_of(_TOOL, "frames", metavar="[FRAMES]", required=False)
def command(action: str, frames: Optional[int]) -> JobView:
    """Change play mode in the open editor, and wait until Unity has done so.

    \b
    enter   enter play mode; done when a frame has run
    exit    leave it
    pause   pause the game; resume continues it
    step    run FRAMES frames of the game (default 1), then pause it

    Exit status: 0 done; 1 Unity refused or did something else; 2 wrong usage; 3 no editor; 4 --timeout passed.
    """
    if frames is not None and action != "step":
        raise click.UsageError(f"{action} takes no number of frames; step does")
    return JobView(
        {"action": action, "frames": frames or 1}, lambda result: put(state(result)), _error_lines
    )


def state(result: JsonObject) -> str:
    """Play mode as it is now, in a line."""
    mode = _mode(result["playing"], result["paused"])
    frame = f", frame {result.get('frame', '?')}" if result["playing"] else ""
    unchanged = "" if result.get("changed", True) else " (as before)"
    reason = f": {visible_line(str(result['reason']))}" if result.get("reason") else ""
    return f"{mode}{frame}{unchanged}{reason}"


def _mode(playing: Optional[bool], paused: Optional[bool]) -> str:
    """``None`` where Unity's answer could not be read."""
    if playing is None or (playing and paused is None):
        return "Unity's play mode is not known"
    if not playing:
        return "edit mode"
    if paused:
        return "paused"
    return "playing"


def _error_lines(error: Optional[JsonObject]) -> List[str]:
    """Return the errors of the compiler, or those that were logged while Unity aborted the change."""
    errors = details_of(error, "cancelled_by_unity").get("errors")
    if not isinstance(errors, list):
        return compile_errors(error)
    return [visible(str(message)).replace("\n", " ") for message in errors]
