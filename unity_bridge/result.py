"""Expected outcomes as values: ``Ok`` or ``Err``. An exception is a bug (SPEC §8.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, Union

T = TypeVar("T", covariant=True)
E = TypeVar("E", covariant=True)


@dataclass(frozen=True)
class Ok(Generic[T]):
    """Success, with its value."""

    value: T


@dataclass(frozen=True)
class Err(Generic[E]):
    """An expected failure, with its description."""

    error: E


Result = Union[Ok[T], Err[E]]
