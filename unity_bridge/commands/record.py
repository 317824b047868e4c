"""``unity-bridge record``: Show the running game in motion, as one sheet of pictures."""

from __future__ import annotations

import base64
import re
from typing import List, Optional, Tuple

import click

from unity_bridge.base.frozen import changed
from unity_bridge.commands.shared.job_end import Ask, JobEnd, TimedCall
from unity_bridge.commands.shared.tool_command import JobView, job_command
from unity_bridge.commands.shot import written
from unity_bridge.scripting.output import note, put
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonObject

_TOOL = "run_command"
_PRESS = re.compile(r"([^@]{1,40})@(\d{1,2}(?:\.\d{1,3})?)")
_MOST_EVENTS = 10


def _key_at_time(value: str) -> TimedCall:
    """``space@0.5``; several keys at once are separated by ``+``."""
    match = _PRESS.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"{value!r} is not KEY@SECONDS, as in space@0.5.")
    arguments = {"name": "press", "arguments": {"keys": match[1].split("+")}}
    return TimedCall(float(match[2]), _TOOL, arguments, f"press {match[1]}")


@job_command(
    "record", _TOOL, "The recording", "Example: unity-bridge record -o jump.jpg --press space@0.5"
)
@click.option("-o", "--output", metavar="FILE", help="Where to write the sheet, a JPEG.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.5, 30),
    default=3,
    show_default=True,
    help="How long to watch.",
)
@click.option(
    "--frames", type=click.IntRange(4, 16), default=9, show_default=True, help="How many pictures."
)
@click.option(
    "--max-size",
    type=click.IntRange(64, 2000),
    default=1568,
    show_default=True,
    help="The sheet's longer side.",
)
@click.option(
    "--press",
    type=_key_at_time,
    metavar="KEY@SECONDS",
    multiple=True,
    help="Press a key so long after the first picture.",
)
def command(
    output: Optional[str], seconds: float, frames: int, max_size: int, press: List[TimedCall]
) -> JobView:
    """Show the running game in motion: one sheet of pictures, evenly in time.

    Each picture has its game time, > where input was sent, and ! where an error was logged. stdout
    has the sheet's path, and stderr what was seen. Without -o the sheet goes to the temporary
    folder.

    Exit status: 0 recorded; 1 not recorded; 2 wrong usage; 3 no editor; 4 --timeout passed.
    """
    output, is_renamed = _as_jpeg(output)
    arguments = {"seconds": seconds, "frames": frames, "max_size": max_size}
    params = {"name": "record", "arguments": arguments}

    def record(ask: Ask) -> JobEnd:
        end = ask(_TOOL, params, press)
        if end.result is None or "image" not in end.result:
            return end
        image = end.result["image"]
        path = written(base64.b64decode(image["data"]), output, "jpg")
        file = {"file": path, "width": image["width"], "height": image["height"]}
        return changed(end, result={**end.result, "image": file})

    def show(result: JsonObject) -> None:
        if "image" not in result:
            return
        put(visible(result["image"]["file"]))
        if is_renamed:
            note("The sheet is a JPEG, so its name ends in .jpg.")
        for sentence in described(result["value"]):
            note(sentence)

    return JobView(params, show, steps=record)


def _as_jpeg(output: Optional[str]) -> Tuple[Optional[str], bool]:
    """Return the file's name with the extension of a JPEG, and whether it had another picture's."""
    if output is None or not output.lower().endswith(".png"):
        return output, False
    return output[: -len(".png")] + ".jpg", True


def described(value: JsonObject) -> List[str]:
    """Return what a recording shows, a sentence each."""
    missed = ""
    if value["missed"]:
        missed = f", {value['missed']} missed"
    changes = value.get("changed")
    motion = ""
    if value["black"]:
        motion = " All of it is black."
    elif value["still"]:
        motion = " Nothing moved."
    elif changes:
        median, most = 100 * changes["median"], 100 * changes["max"]
        motion = f" {median:.1f} % changed from picture to picture, {most:.1f} % at most."
    sentences = [f"{value['frames']} pictures in {value['seconds']:g} s{missed}.{motion}"]
    if value.get("ended"):
        sentences.append(f"It ended early: {value['ended']}.")
    events = value["events"]
    sentences += [
        f"{event['t']:.2f} s: {visible_line(event['what'])}" for event in events[:_MOST_EVENTS]
    ]
    if len(events) > _MOST_EVENTS:
        sentences.append(f"and {len(events) - _MOST_EVENTS} more events")
    sentences.append(f"The single pictures: {visible(value['folder'])}")
    return sentences
