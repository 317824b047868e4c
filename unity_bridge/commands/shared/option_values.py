"""Values that a user gives to a command: KEY=VALUE words, a JSON object, and text of a file or
stdin.
"""

from __future__ import annotations

import sys
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    TextIO,
    Union,
)

import click

from unity_bridge.projects.port_files import AUTO

# The most that max_message_bytes can be.
_MOST_BYTES = 16 * 1024 * 1024


def read_stdin() -> str:
    """All of stdin, which a program writes: UTF-8 in any locale, as files are. Raises
    ``UnicodeDecodeError``.
    """
    stdin: Optional[TextIO] = sys.stdin
    if stdin is None:
        raise click.UsageError("stdin is closed")
    try:
        return read_text(stdin.buffer, "stdin")
    except OSError as error:
        raise click.UsageError(f"stdin cannot be read: {error.strerror or error}") from None


def read_text(stream: BinaryIO, name: str) -> str:
    """Read text that the user supplies.

    Text longer than any call can carry is a usage error, and is not read into memory.
    """
    raw = stream.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise click.UsageError(
            f"{name} is larger than {_MOST_BYTES} bytes, which Unity cannot be sent"
        )
    return raw.decode("utf-8-sig")


def json_object(text: Optional[str], option: str, example: str) -> Mapping[str, Any]:
    """Return the arguments that ``option`` gives as JSON, from stdin for ``-``; none if it is not
    given.
    """
    if text is None:
        return {}
    from unity_bridge.text import json_reader

    try:
        source = text
        if text == "-":
            source = read_stdin()
        arguments = json_reader.loads(source)
    except ValueError as error:
        raise click.UsageError(f"{option} is not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise click.UsageError(f"{option} must be a JSON object, such as '{example}'")
    return arguments


def key_values(pairs: Sequence[str], advice: str = "") -> Dict[str, str]:
    """Return the values of KEY=VALUE words by their keys. ``advice``: what an error adds about a word
    that is not one.
    """
    values: Dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise click.UsageError(f"'{pair}' is not KEY=VALUE{advice}")
        if key in values:
            raise click.UsageError(f"{key} is given twice")
        values[key] = value
    return values


def completed_pair(
    incomplete: str, keys: Iterable[str], values_of: Callable[[str], List[str]]
) -> List[str]:
    """Return the KEY=VALUE words that begin with ``incomplete``; without its "=", the keys alone."""
    key, has_value, _ = incomplete.partition("=")
    if has_value:
        words = [f"{key}={value}" for value in values_of(key)]
    else:
        words = [f"{name}=" for name in keys]
    return [word for word in words if word.startswith(incomplete)]


class PortOrAuto(click.IntRange):
    """A number from 1 to 65535; ``auto`` becomes what the command takes for it."""

    def __init__(self, auto: Union[int, str]) -> None:
        super().__init__(1, 65535)
        self._auto = auto

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> Any:
        if value == AUTO:
            return self._auto
        return super().convert(value, param, ctx)
