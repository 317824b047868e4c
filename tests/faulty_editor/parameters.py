"""Fields of a project's file: which values one takes, and what it is if it is left out."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, NamedTuple, Sequence

from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Refusal

_NEEDED = object()


class Parameter(NamedTuple):
    """``must_be`` is for the refusal. A value of ``None`` counts as absent."""

    must_be: str
    fits: Callable[[Any], bool]
    default: Any = _NEEDED


Parameters = Mapping[str, Parameter]


def flag(default: bool = False) -> Parameter:
    return Parameter("true or false", lambda value: isinstance(value, bool), default)


def text(
    default: Any = "", fits: Callable[[str], object] = lambda value: True, must_be: str = "text"
) -> Parameter:
    return Parameter(must_be, lambda value: isinstance(value, str) and bool(fits(value)), default)


def choice(*words: str) -> Parameter:
    """One of the words; the first is the default."""
    return Parameter(f"one of {', '.join(words)}", lambda value: value in words, words[0])


def needed(parameter: Parameter) -> Parameter:
    return parameter._replace(default=_NEEDED)


def whole(default: int, least: int, most: int) -> Parameter:
    must_be = f"a whole number from {least} to {most}"
    return Parameter(must_be, lambda value: type(value) is int and least <= value <= most, default)


def texts(among: Sequence[str] = ()) -> Parameter:
    def fits(value: Any) -> bool:
        return isinstance(value, list) and all(
            isinstance(one, str) and (not among or one in among) for one in value
        )

    return Parameter(f"a list of {', '.join(among) or 'texts'}", fits, [])


def checked(parameters: Parameters, given: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]:
    """Return the values of all parameters, ignoring others; ``Err`` names the first that does not
    fit.
    """
    values: Dict[str, Any] = {}
    for name, parameter in parameters.items():
        value = given.get(name)
        values[name] = parameter.default if value is None else value
        if values[name] is _NEEDED or not parameter.fits(values[name]):
            return Err(Refusal(ErrorCode.INVALID_PARAMS, f"{name} must be {parameter.must_be}"))
    return Ok(values)
