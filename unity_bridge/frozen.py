"""Values that do not change, and how another one is made of them."""

from __future__ import annotations

from typing import Any, TypeVar

_Value = TypeVar("_Value")


def changed(value: _Value, **changes: Any) -> _Value:
    """``dataclasses.replace``, at a fifth of its time: every call to Unity makes five of its records anew."""
    made = object.__new__(type(value))
    members = made.__dict__
    members.update(value.__dict__)
    members.update(changes)
    assert len(members) == len(value.__dict__), f"{type(value).__name__} has no {sorted(changes)}"
    return made
