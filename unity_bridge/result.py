"""Expected outcomes as values: ``Ok`` or ``Err``. Exceptions are left for bugs (SPEC §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, Union

T = TypeVar("T", covariant=True)
E = TypeVar("E", covariant=True)


@dataclass(frozen=True)
class Ok(Generic[T]):
    """It worked; ``value`` is what came of it."""

    value: T


@dataclass(frozen=True)
class Err(Generic[E]):
    """It did not work, in a way that was foreseen; ``error`` says how."""

    error: E


Result = Union[Ok[T], Err[E]]
