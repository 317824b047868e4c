"""Values that do not change are made as ``dataclasses`` makes them, and others of them as ``replace`` does."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any, List, Optional, Tuple

import pytest

from unity_bridge.base.frozen import changed, quickly_made
from unity_bridge.core.ledger.machines import JobState
from unity_bridge.core.ledger.records import JobRecord


@dataclass(frozen=True)
class Named:
    name: str


@dataclass(frozen=True)
class Slow(Named):
    size: int = 3
    about: Optional[Tuple[str, ...]] = field(default=None, metadata={"kept": True})


@quickly_made
@dataclass(frozen=True)
class Quick(Named):
    size: int = 3
    about: Optional[Tuple[str, ...]] = field(default=None, metadata={"kept": True})


JOB = JobRecord("job-1", JobState.QUEUED, tool_name="compile")


def test_what_is_changed_is_another_value_and_the_rest_is_as_it_was() -> None:
    made = changed(JOB, state=JobState.RUNNING, request_id="req-1")
    assert made == replace(JOB, state=JobState.RUNNING, request_id="req-1")
    assert (JOB.state, JOB.request_id) == (JobState.QUEUED, None)


def test_nothing_gets_a_field_that_it_does_not_have() -> None:
    with pytest.raises(AssertionError, match=r"JobRecord has no \['colour'\]"):
        changed(JOB, colour="red")


@pytest.mark.parametrize(
    ("given", "named"),
    [(["a"], {}), (["a", 4], {}), (["a"], {"about": ("b",)}), ([], {"name": "a", "about": None, "size": 0})],
)
def test_a_quick_value_is_what_the_slow_one_is(given: List[Any], named: Any) -> None:
    slow, quick = Slow(*given, **named), Quick(*given, **named)
    assert vars(quick) == vars(slow) and repr(quick) == repr(slow).replace("Slow", "Quick")
    assert quick == Quick(*given, **named) and hash(quick) == hash(slow)
    assert replace(quick, size=9) == changed(quick, size=9) == Quick(quick.name, 9, quick.about)
    with pytest.raises(FrozenInstanceError):
        quick.size = 5  # type: ignore[misc]


def test_a_quick_value_takes_what_the_slow_one_takes() -> None:
    def shape(cls: Any) -> Any:
        return [(one.name, one.kind, one.default) for one in inspect.signature(cls).parameters.values()]

    assert shape(Quick) == shape(Slow)
    with pytest.raises(TypeError, match="name"):
        Quick()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour"):
        Quick("a", colour="red")  # type: ignore[call-arg]


def test_what_a_quick_value_would_leave_out_is_refused() -> None:
    @dataclass(frozen=True)
    class Filled:
        names: List[str] = field(default_factory=list)

    @dataclass(frozen=True)
    class Checked:
        name: str

        def __post_init__(self) -> None:
            """What would not be called."""

    for cls in (Filled, Checked):
        with pytest.raises(AssertionError, match=cls.__name__):
            quickly_made(cls)
