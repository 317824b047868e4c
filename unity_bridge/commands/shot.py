"""``unity-bridge shot``: Take a picture of the Game view or the Scene view."""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional

import click

from unity_bridge.commands.shared.envelope import envelope
from unity_bridge.commands.shared.options import prints_json
from unity_bridge.commands.shared.tool_command import option_of, read_command
from unity_bridge.scripting.output import note, put, put_json, put_picture
from unity_bridge.system.terminal import is_terminal
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonObject

if TYPE_CHECKING:
    from unity_bridge.commands.shared.editor_probe import Ask, Reading

_TOOL = "screenshot"
# What the name of a file promises.
_PROMISED = {".jpg": "jpg", ".jpeg": "jpg", ".png": "png"}


@read_command("shot", _TOOL, "Example: unity-bridge play enter && unity-bridge shot -o game.png")
@option_of(_TOOL, "view", help="What to take a picture of.")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write it; .png makes a PNG, else JPEG."
)
@option_of(_TOOL, "max_size", help="The longer side in pixels.")
@option_of(_TOOL, "frames", help="How many frames to take, as a grid in one picture.")
@option_of(
    _TOOL, "every_ms", "--every", metavar="MS", help="From one frame to the next, in milliseconds."
)
def command(output: Optional[str], **options: Any) -> Reading:
    """Take a picture of what the open editor shows, rendered for this call.

    Several frames are one picture of a grid, from left to right and from top to bottom.

    Without -o it is shown in a terminal that can show pictures (kitty, iTerm2 and those like them),
    else written to the temporary folder. stdout has the file's path, and stderr describes the
    picture.

    Exit status: 0 taken; 1 not taken; 2 wrong usage; 3 no editor.
    """
    protocol = (
        None if output or prints_json() or not is_terminal(sys.stdout) else protocol_of(os.environ)
    )
    is_png = protocol == Protocol.KITTY or (output or "").lower().endswith(".png")

    def take(ask: Ask, *_: Any) -> None:
        shot = ask({**options, "format": "png" if is_png else "jpg"})
        picture = base64.b64decode(shot["image"])
        if protocol is not None and (protocol != Protocol.KITTY or shot["format"] == "png"):
            put_picture(sequence(protocol, picture))
            note(about(shot))
            return
        path = written(picture, output, shot["format"])
        if prints_json():
            put_json(
                envelope(
                    True,
                    {
                        "file": path,
                        **{name: value for name, value in shot.items() if name != "image"},
                    },
                )
            )
        else:
            put(visible(path))
            note(about(shot))

    return take


def about(shot: JsonObject) -> str:
    """``game view, 1024x576, playing, frame 12``, and whether to believe it."""
    line = f"{shot['view']} view, {shot['width']}x{shot['height']}"
    # What a proven plugin sent in another type is not there.
    modes = {True: f", playing, frame {shot.get('frame', '?')}", False: ", edit mode"}
    line += modes.get(shot.get("playing"), "")  # type: ignore[arg-type]
    shots = shot.get("shots", ())
    if shots:
        line += f", {len(shots)} frames: " + ", ".join(about_frame(frame) for frame in shots)
    elif shot["fresh"] and shot.get("reason"):
        line += f". {visible_line(shot['reason'])}"
    if not shot["fresh"]:
        line += ". Not rendered for this call" + (
            f": {visible_line(shot['reason'])}" if shot.get("reason") else "."
        )
    if shot.get("uniform"):
        line += " The whole picture has one colour."
    return line


def about_frame(shot: JsonObject) -> str:
    """``12 (first)``, ``27 (4.2 % changed)``, ``27 (not rendered)``."""
    change = (
        "first" if shot["changed"] is None else f"{round(100 * shot['changed'], 1):g} % changed"
    )
    rendered = "not rendered"
    if shot["fresh"]:
        rendered = change
    return f"{shot.get('frame', '?')} ({rendered})"


def written(picture: bytes, output: Optional[str], kind: str) -> str:
    """Return the absolute path. An unnamed file is readable only by this user."""
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


_CHUNK = 4096
# Those that speak iTerm2's protocol of inline images, by what they call themselves.
_LIKE_ITERM = ("iTerm.app", "WezTerm")
_LIKE_KITTY = ("ghostty",)


class Protocol:
    """How a terminal takes a picture. Kitty's protocol knows PNG and no JPEG."""

    KITTY = "kitty"
    ITERM = "iterm"


def protocol_of(environment: Mapping[str, str]) -> Optional[str]:
    """How the terminal takes a picture; None if it does not, or if nobody can know."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if (
        term.startswith(("screen", "tmux", "dumb"))
        or environment.get("TMUX")
        or environment.get("STY")
    ):
        return None  # what is in between would have to let the sequence through
    if (
        environment.get("KITTY_WINDOW_ID")
        or term in ("xterm-kitty", "xterm-ghostty")
        or program in _LIKE_KITTY
    ):
        return Protocol.KITTY
    if program in _LIKE_ITERM or environment.get("LC_TERMINAL") == "iTerm2":
        return Protocol.ITERM
    return None


def sequence(protocol: str, picture: bytes) -> str:
    """Return what to write. ``picture`` is a file; for kitty a PNG."""
    text = base64.b64encode(picture).decode("ascii")
    if protocol == Protocol.ITERM:
        return f"\x1b]1337;File=inline=1;size={len(picture)}:{text}\x07"
    chunks = [text[place : place + _CHUNK] for place in range(0, len(text), _CHUNK)]
    parts = []
    for number, chunk in enumerate(chunks):
        continues = 0 if number == len(chunks) - 1 else 1
        format_keys = ""
        if number == 0:
            format_keys = "a=T,f=100,"
        parts.append(f"\x1b_G{format_keys}m={continues};{chunk}\x1b\\")
    return "".join(parts)
