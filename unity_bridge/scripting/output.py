"""A command's output: results on stdout, everything else on stderr (SPEC §13)."""

from __future__ import annotations

import errno
import os
import re
import select
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NoReturn, Optional, TextIO, TypeVar

import click

from unity_bridge.base.program_command import with_own_command
from unity_bridge.system.terminal import is_terminal, shows_escape_codes
from unity_bridge.text.foreign_text import as_json, visible

if TYPE_CHECKING:
    from unity_bridge.base.result import Result

_Value = TypeVar("_Value")
# What click.style writes for the styles that we use: colours that can be read, bold and dim.
_STYLE = re.compile(r"(\x1b\[(?:0|1|2|3[1-7]|9[0-7])m)")


def prepare_output(context: click.Context) -> None:
    """Escape what the terminal's encoding cannot show, and respect ``NO_COLOR`` and ``TERM=dumb``."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    # The classic console would print the codes themselves.
    if is_plain or not all(map(shows_escape_codes, (sys.stdout, sys.stderr))):
        context.color = False


class Output:
    """A command's collected output for ``--json``: lines of stdout, remarks on stderr, and members
    of the result.
    """

    def __init__(self) -> None:
        self.lines: List[str] = []
        self.remarks: List[str] = []
        self.result: Dict[str, Any] = {}


_collected: Optional[Output] = None
# The end of the sentence of a command that was interrupted before it asked for anything.
NOTHING_RAN = "Nothing was run in Unity."
# For a command that ends without the object that --json promises.
last_note = ""
has_put_json = False


@contextmanager
def collected_output() -> Iterator[Output]:
    """Keep the lines of stdout instead of writing them, and the remarks as well as writing them."""
    global _collected
    _collected = output = Output()
    try:
        yield output
    finally:
        _collected = None


def put_result(**members: Any) -> None:
    """Add members to the result that ``--json`` prints; without it, nothing."""
    if _collected is not None:
        _collected.result.update(members)


def put(text: str) -> bool:
    """Write a line to stdout, styled or not. False if its reader is gone (``| head``), which is not
    an error.
    """
    if _collected is not None:
        _collected.lines += click.unstyle(text).split("\n")
        return True
    try:
        click.echo(_harmless(text))
        return True
    except OSError as error:
        failure = unwritten(error)
        # Windows reports EPIPE as EINVAL.
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise failure from None
        return False


def unwritten(error: OSError) -> click.ClickException:
    """Return what to say of a result that stdout did not take. What stdout still holds is dropped."""
    send_to_nowhere(sys.stdout)
    return click.ClickException(f"the result could not be written: {error.strerror}")


def put_picture(sequence: str) -> None:
    """Write an escape sequence that draws a picture, and a line end. It contains only our own
    sequence and base64.
    """
    try:
        click.echo(sequence)
    except OSError:
        send_to_nowhere(sys.stdout)


def put_json(value: Any) -> bool:
    """Write JSON to stdout: indented on a terminal, else one line of ASCII, which is safe in any
    locale.
    """
    global has_put_json
    has_put_json = True
    if is_terminal(sys.stdout):
        return put(as_json(value, ascii_only=False, indent=2))
    return put(as_json(value))


def begin_stream() -> None:
    """Say that the command prints objects without an end, as ``--follow`` does: its end has no
    object of its own.
    """
    global has_put_json
    has_put_json = True


def put_value(value: Any) -> bool:
    """Write a value as indented JSON to stdout, every character as itself where stdout's encoding
    has them all.
    """
    has_all = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    return put(as_json(value, ascii_only=not has_all, indent=2))


def is_reader_gone() -> bool:
    """Whether the reader of stdout is gone, for a command that has nothing to write now. Always
    False on Windows.
    """
    if sys.platform == "win32":
        return False
    stdout: Optional[TextIO] = sys.stdout
    if stdout is None:
        return False
    poll = select.poll()
    poll.register(stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def note(text: str) -> None:
    """Write a line to stderr. It is not an error if nobody reads it."""
    global last_note
    last_note = text = with_own_command(text)
    if _collected is not None:
        _collected.remarks.append(text)
    note_command(_no_commands(visible(text)))


def stop(text: str, status: int = 2) -> NoReturn:
    """End the command, by default as wrongly used."""
    note(text)
    raise click.exceptions.Exit(status)


def value_or_stop(result: Result[_Value, str], end: str = "", status: int = 2) -> _Value:
    """Return the value. Without one the command ends: the error, and ``end`` behind it, go to
    stderr.
    """
    from unity_bridge.base.result import Err  # some commands have no results

    if isinstance(result, Err):
        stop(f"{result.error}{end}", status)
    return result.value


def note_command(line: str) -> None:
    """Write a line to stderr as it is, for a program that reads it."""
    try:
        click.echo(line, err=True)
    except OSError:
        send_to_nowhere(sys.stderr)


def counted(number: int, noun: str) -> str:
    if number == 1:
        return f"{number} {noun}"
    return f"{number} {noun}s"


def in_github() -> bool:
    """Return whether a workflow of GitHub Actions reads what this process prints."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _harmless(text: str) -> str:
    """``text`` with everything escaped that a terminal would obey, except our own styles (SPEC
    §20.2).
    """
    return _no_commands(
        "".join(part if _STYLE.fullmatch(part) else visible(part) for part in _STYLE.split(text))
    )


def _no_commands(text: str) -> str:
    """``text`` without commands to GitHub's runner, which obeys ``::`` at the start of a line, and
    ``##[`` anywhere.

    The escapes are those of JSON, because ``text`` may be JSON. Colours are taken away where no terminal reads.
    """
    if not in_github():
        return text
    return re.sub(r"(?m)^((?:[^\S\n]|\x1b\[[0-9]{1,3}m)*):(?=:)", r"\1\\u003a", text).replace(
        "##[", "#\\u0023["
    )


def send_to_nowhere(stream: TextIO) -> None:
    """Redirect a broken stream, which the interpreter would complain about when it flushes it at
    exit.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
