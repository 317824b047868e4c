"""``unity-bridge play``: Enter, leave, pause or step play mode."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import click

from unity_bridge.commands.options import job_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put
from unity_bridge.text.foreign_text import visible, visible_line

_TOOL = "play_mode"
_MOST_FRAMES = 1000


class Frames(click.IntRange):
    """A number of frames. Of another word click would say that it is no integer range."""

    def __init__(self) -> None:
        super().__init__(1, _MOST_FRAMES)

    def convert(self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]) -> int:
        try:
            frames = int(value)
        except ValueError:
            frames = 0
        if not 1 <= frames <= _MOST_FRAMES:
            self.fail(f"{value!r} is not a number of frames from 1 to {_MOST_FRAMES}.", param, ctx)
        return frames


# Guessed, and in no help (SPEC §13).
_ALIASES = {"start": "enter", "stop": "exit"}


@click.command(
    "play",
    epilog="Example: unity-bridge play enter && unity-bridge play step 10",
    context_settings={"token_normalize_func": lambda word: _ALIASES.get(word, word)},
)
@click.argument("action", type=click.Choice(["enter", "exit", "pause", "resume", "step"]))
@click.argument("frames", type=Frames(), metavar="[FRAMES]", required=False)
@job_options(60)
@click.pass_context
def command(
    context: click.Context,
    /,
    action: str,
    frames: Optional[int],
    as_json: bool,
    timeout_s: Optional[float],
    **options: Any,
) -> None:
    """Change play mode in the open editor, and wait until Unity has done so.

    \b
    enter   enter play mode; done when a frame has run
    exit    leave it
    pause   pause the game; resume continues it
    step    run FRAMES frames of the game (default 1), then pause it

    Exit status: 0 done; 1 Unity refused or did something else; 3 no editor; 4 --timeout passed.
    """
    prepare_output(context)
    if frames is not None and action != "step":
        raise click.UsageError(f"{action} takes no number of frames; step does")
    settings = script_settings(context, options)
    from unity_bridge.commands.job_run import check_timeout, exit_status, put_envelope, run_job, trouble
    from unity_bridge.commands.run_report import compile_errors

    check_timeout(timeout_s, _TOOL)
    followed = run_job(settings, _TOOL, {"action": action, "frames": frames or 1}, timeout_s)
    what = "The change of play mode"
    if as_json:
        put_envelope(followed, what)
    else:
        if followed.end.result is not None:
            put(state(followed.end.result))
        for line in (*compile_errors(followed.end.error), *_errors(followed.end.error)):
            put(line)
        problem = trouble(followed.end, what)
        if problem is not None:
            note(problem)
    context.exit(exit_status(followed))


def state(result: Mapping[str, Any]) -> str:
    """Play mode as it is now, in a line."""
    mode = "edit mode" if not result["playing"] else "paused" if result["paused"] else "playing"
    frame = f", frame {result['frame']}" if result["playing"] else ""
    unchanged = "" if result["changed"] else " (as before)"
    reason = f": {visible_line(str(result['reason']))}" if result.get("reason") else ""
    return f"{mode}{frame}{unchanged}{reason}"


def _errors(error: Optional[Mapping[str, Any]]) -> Any:
    """Return the errors that were logged while Unity aborted the change."""
    details = (error or {}).get("details") or {}
    if details.get("reason") != "cancelled_by_unity" or not isinstance(details.get("errors"), list):
        return []
    return [visible(str(message)).replace("\n", " ") for message in details["errors"]]
