"""``unity-bridge shot``: Take a picture of the Game view or the Scene view."""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from typing import Any, Mapping, Optional

import click

from unity_bridge.commands.options import json_option, script_options, script_settings
from unity_bridge.commands.output import note, prepare_output, put, put_picture
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import visible, visible_line

_TOOL = "screenshot"
# What the name of a file promises.
_PROMISED = {".jpg": "jpg", ".jpeg": "jpg", ".png": "png"}


@click.command("shot", epilog="Example: unity-bridge play enter && unity-bridge shot -o game.png")
@click.option(
    "--view", type=click.Choice(["game", "scene"]), default="game", show_default=True, help="What to take a picture of."
)
@click.option("-o", "--output", metavar="FILE", default=None, help="Where to write it; .png makes a PNG, else JPEG.")
@click.option(
    "--max-size",
    type=click.IntRange(64, 2048),
    metavar="N",
    default=1024,
    help="The longer side in pixels, 64 to 2048 (default 1024).",
)
@click.option(
    "--frames",
    type=click.IntRange(1, 4),
    metavar="N",
    default=1,
    help="How many frames to take, 1 to 4, as a grid in one picture (default 1).",
)
@click.option(
    "--every",
    type=click.IntRange(50, 1000),
    metavar="MS",
    default=250,
    help="From one frame to the next, 50 to 1000 milliseconds (default 250).",
)
@json_option
@script_options
@click.pass_context
def command(
    context: click.Context,
    /,
    view: str,
    output: Optional[str],
    max_size: int,
    frames: int,
    every: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Take a picture of what the open editor shows, rendered for this call.

    Several frames are one picture of a grid, from left to right and from top to bottom.

    Without -o it is shown in a terminal that can show pictures (kitty, iTerm2 and those like them), else written to the
    temporary folder. stdout has the file's path, and stderr describes the picture.

    Exit status: 0 taken; 1 not taken; 3 no editor.
    """
    prepare_output(context)
    settings = script_settings(context, options)
    from unity_bridge.base.result import Err
    from unity_bridge.commands.envelope import envelope, put_failure
    from unity_bridge.commands.output import put_json
    from unity_bridge.commands.short_life import NO_EDITOR, ShortLife
    from unity_bridge.commands.terminal_picture import Protocol, protocol_of, sequence

    protocol = None if output or as_json or not is_terminal(sys.stdout) else protocol_of(os.environ)
    is_png = protocol == Protocol.KITTY or (output or "").lower().endswith(".png")
    wanted = {"view": view, "max_size": max_size, "format": "png" if is_png else "jpg"}
    wanted.update(frames=frames, every_ms=every)
    with ShortLife(settings.config, settings.project, settings.is_named) as life:
        editor = life.wait_for_editor(settings.wait_s)
        if isinstance(editor, Err):
            put_failure(editor.error.as_json(), as_json)
            context.exit(NO_EDITOR)
        life.say_if_busy(editor.value)
        outcome = life.ask(life.call(_TOOL, wanted))
    if isinstance(outcome, Err):
        put_failure(outcome.error.as_json(), as_json)
        context.exit(1)
    shot = outcome.value
    picture = base64.b64decode(shot["image"])
    if protocol is not None and (protocol != Protocol.KITTY or shot["format"] == "png"):
        put_picture(sequence(protocol, picture))
        note(about(shot))
        return
    path = written(picture, output, shot["format"])
    if as_json:
        put_json(envelope(True, {"file": path, **{name: value for name, value in shot.items() if name != "image"}}))
    else:
        put(visible(path))
        note(about(shot))


def about(shot: Mapping[str, Any]) -> str:
    """``game view, 1024x576, playing, frame 12``, and whether to believe it."""
    line = f"{shot['view']} view, {shot['width']}x{shot['height']}"
    line += f", playing, frame {shot['frame']}" if shot["playing"] else ", edit mode"
    shots = shot.get("shots", ())
    if shots:
        line += f", {len(shots)} frames: " + ", ".join(about_frame(one) for one in shots)
    elif shot["fresh"] and shot.get("reason"):
        line += f". {visible_line(shot['reason'])}"
    if not shot["fresh"]:
        line += ". Not rendered for this call" + (f": {visible_line(shot['reason'])}" if shot.get("reason") else ".")
    if shot["uniform"]:
        line += " The whole picture has one colour."
    return line


def about_frame(shot: Mapping[str, Any]) -> str:
    """``12 (first)``, ``27 (4.2 % changed)``, ``27 (not rendered)``."""
    changed = "first" if shot["changed"] is None else f"{round(100 * shot['changed'], 1):g} % changed"
    return f"{shot['frame']} ({changed if shot['fresh'] else 'not rendered'})"


def written(picture: bytes, output: Optional[str], kind: str) -> str:
    """Return the absolute path. An unnamed file is readable only by this user."""
    from pathlib import Path

    from unity_bridge.installation.safe_files import write_named
    from unity_bridge.system.whole_file import write_whole

    try:
        if output is None:
            folder = tempfile.mkdtemp(prefix="unity-bridge-")
            try:
                write_whole(Path(folder, f"shot.{kind}"), picture)
            except OSError:
                os.rmdir(folder)
                raise
            return os.path.join(folder, f"shot.{kind}")
        path = os.path.abspath(output)
        promised = _PROMISED.get(os.path.splitext(path)[1].lower())
        if promised not in (None, kind):
            raise click.ClickException(
                f"the editor sent a {kind} picture, so {visible(output)} was not written. Use a name with .{kind}."
            )
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_named(Path(path), picture)
    except OSError as error:
        where = "the temporary folder" if output is None else visible(output)
        why = error.strerror or error
        raise click.ClickException(f"the picture could not be written to {where}: {why}") from None
    if promised is None:
        note(f"The picture is a {kind}, unlike the extension of the file.")
    return path
