"""JSON that others wrote, read without trust in its depth (SPEC §20).

``json`` alone is no safe reader of it. Deep nesting is a ``RecursionError``, which is easily forgotten next to
``ValueError``. And up to Python 3.9 the interpreter ends the process ("Cannot recover from stack overflow") if the
garbage collector runs a finalizer while the parser is at the bottom. There the depth is looked at first.
"""

from __future__ import annotations

import json
import math
import re
import sys
from itertools import accumulate
from typing import Any, Callable, List, Optional, Tuple

from unity_bridge.text.foreign_text import quoted

# Half of the interpreter's limit: the callers above and a finalizer below need their share of it.
DEEPEST = 500

_OVERFLOW_ENDS_THE_PROCESS = sys.version_info < (3, 10)
_WHITE_SPACE = " \t\r\n"
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_NO_BRACKETS = re.compile(r"[^][{}]+")
_CONTAINERS = {dict, list}
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


class TooDeep(ValueError):
    """The text is nested deeper than the parser goes."""

    def __init__(self) -> None:
        super().__init__("it is nested too deeply")


def decoder(
    object_pairs_hook: Optional[Callable[[List[Tuple[str, Any]]], Any]] = None,
) -> Callable[[str], Any]:
    """Return a function from a text to its value, with this hook of ``json.loads``.

    Raises ``json.JSONDecodeError`` for what is not JSON, ``TooDeep`` for what is too deep, and another ``ValueError``
    for NaN, a number out of a float's range, an integer of thousands of digits, and what the hook refuses.
    """
    raw_decode = json.JSONDecoder(
        parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=object_pairs_hook
    ).raw_decode

    def value_of(text: str) -> Any:
        if _OVERFLOW_ENDS_THE_PROCESS and is_deep(text):
            raise TooDeep
        text = text.strip(_WHITE_SPACE)
        try:
            value, end = raw_decode(text)
        except RecursionError:
            raise TooDeep from None
        if end < len(text):
            raise json.JSONDecodeError("Extra data", text, end)
        return value

    return value_of


def is_deep(text: str, most_levels: int = DEEPEST) -> bool:
    """Return whether ``text`` is nested deeper than ``most_levels``, as far as it is JSON."""
    if text.count("[") + text.count("{") <= most_levels:
        return False
    brackets = _NO_BRACKETS.sub("", _STRING.sub("", text))
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > most_levels


def is_value_deep(value: Any, most_levels: int) -> bool:
    """As ``is_deep``, of what was parsed: of 500 KB of console the text takes ten times as long."""
    level = [value]
    for _ in range(most_levels):
        nodes = (node.values() if type(node) is dict else node for node in level)
        # Most objects hold none, and are passed by without a look at each member here.
        holders = (node for node in nodes if not _CONTAINERS.isdisjoint(map(type, node)))
        level = [member for node in holders for member in node if type(member) in _CONTAINERS]
        if not level:
            return False
    return True


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{quoted(digits, 40)} is out of range")
    return number


loads = decoder()
