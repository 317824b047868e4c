"""Expected outcomes as values: ``Ok`` or ``Err``. An exception is a bug (SPEC §8.5)."""

from __future__ import annotations

from typing import Generic, TypeVar, Union

from unity_bridge.base.frozen import frozen

T = TypeVar("T", covariant=True)
E = TypeVar("E", covariant=True)


@frozen
class Ok(Generic[T]):
    """Success, with its value."""

    value: T


@frozen
class Err(Generic[E]):
    """An expected failure, with its description."""

    error: E


Result = Union[Ok[T], Err[E]]
_Value = TypeVar("_Value")
_Default = TypeVar("_Default")


def value_or(result: Result[_Value, object], default: _Default) -> Union[_Value, _Default]:
    """Return the value, or the default in place of an error."""
    if isinstance(result, Err):
        return default
    return result.value
