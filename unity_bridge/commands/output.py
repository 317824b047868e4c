"""What a command's user gets to see: results on stdout, everything else on stderr (SPEC §13)."""

from __future__ import annotations

import errno
import json
import os
import select
import sys
from typing import Any, Optional, TextIO

import click

# ESC in a log message would otherwise be an order to the reader's terminal.
_VISIBLE = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


def prepare_output(context: click.Context) -> None:
    """Let no character of a message break the output, whatever the terminal's encoding; heed ``NO_COLOR``."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if os.environ.get("NO_COLOR"):
        context.color = False


def is_terminal(stream: Optional[TextIO]) -> bool:
    return stream is not None and stream.isatty()  # None: started with it closed


def put(text: str) -> bool:
    """A line for stdout; False if its reader is gone (``| head``), which is no error: it has what it wanted."""
    try:
        click.echo(text)
        return True
    except OSError as error:
        _send_to_nowhere(sys.stdout)
        # EINVAL is how Windows says EPIPE.
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise click.ClickException(f"the result could not be written: {error.strerror}") from None
        return False


def put_json(value: Any) -> bool:
    """A value for stdout: indented for the person at a terminal; one line of ASCII, safe in any locale, for a pipe."""
    if is_terminal(sys.stdout):
        return put(json.dumps(value, indent=2, ensure_ascii=False))
    return put(json.dumps(value))


def is_reader_gone() -> bool:
    """Whether a write to stdout would meet nobody, for one who has nothing to write. Windows cannot tell."""
    stdout: Optional[TextIO] = sys.stdout
    if stdout is None or not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def note(text: str) -> None:
    """A line for stderr. Nobody has to read it."""
    try:
        click.echo(text, err=True)
    except OSError:
        _send_to_nowhere(sys.stderr)


def visible(text: str) -> str:
    """``text`` with its control characters spelled out, except line feeds and tabs."""
    return text.replace("\r\n", "\n").translate(_VISIBLE)


def _send_to_nowhere(stream: TextIO) -> None:
    """The interpreter flushes its streams at exit, and would complain about this one."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
