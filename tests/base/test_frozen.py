"""Frozen classes behave as those of ``dataclasses`` do, and ``changed`` as ``replace`` does."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, List, Optional, Tuple

import pytest

from unity_bridge.base.frozen import Field, changed, fields_of, frozen, made_by
from unity_bridge.core.ledger.machines import JobState
from unity_bridge.core.ledger.records import JobRecord


@dataclass(frozen=True)
class StandardBase:
    name: str


@dataclass(frozen=True)
class Standard(StandardBase):
    size: int = 3
    about: Optional[Tuple[str, ...]] = field(default=None, metadata={"kept": True})
    lines: List[str] = field(default_factory=list)


@frozen
class Base:
    name: str


@frozen
class Frozen(Base):
    size: int = 3
    about: Optional[Tuple[str, ...]] = Field(None, metadata={"kept": True})  # type: ignore[assignment]
    lines: List[str] = made_by(list)


@frozen
class Same(Base):
    """Has the fields of its base class alone."""


@frozen
class Counted(Base):
    @cached_property
    def length(self) -> int:
        return len(self.name)


JOB = JobRecord("job-1", JobState.QUEUED, tool_name="compile")


def test_a_change_makes_a_new_value_and_keeps_the_other_fields() -> None:
    made = changed(JOB, state=JobState.RUNNING, request_id="req-1")
    assert made == replace(JOB, state=JobState.RUNNING, request_id="req-1")
    assert (JOB.state, JOB.request_id) == (JobState.QUEUED, None)


def test_nothing_gets_a_field_that_it_does_not_have() -> None:
    with pytest.raises(AssertionError, match="JobRecord has no colour"):
        changed(JOB, colour="red")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (["a"], {}),
        (["a", 4], {}),
        (["a"], {"about": ("b",)}),
        ([], {"name": "a", "about": None, "lines": ["c"]}),
    ],
)
def test_a_frozen_value_is_what_the_standard_one_is(given: List[Any], named: Any) -> None:
    standard, made = Standard(*given, **named), Frozen(*given, **named)
    assert asdict(made) == asdict(standard) == vars(made)
    assert repr(made) == repr(standard).replace("Standard", "Frozen")
    assert made == Frozen(*given, **named) and made != replace(made, size=9)
    assert made != Base("a")
    assert (
        replace(made, size=9)
        == changed(made, size=9)
        == Frozen(made.name, 9, made.about, made.lines)
    )
    assert hash(Base("a")) == hash(StandardBase("a")) == hash(Base("a"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(made)


def test_no_field_is_set_or_deleted() -> None:
    made = Frozen("a")
    with pytest.raises(FrozenInstanceError):
        made.size = 5  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.size
    assert made == Frozen("a")


def test_a_copy_of_a_value_equals_it() -> None:
    made = Frozen("a", lines=["b"])
    for same in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert same == made and same is not made


@pytest.mark.parametrize("default", [[], {}, set()], ids=repr)
def test_a_default_that_can_be_changed_is_refused(default: Any) -> None:
    members = {"__annotations__": {"shared": "Any"}, "__module__": __name__, "shared": default}
    with pytest.raises(ValueError, match="use default_factory"):
        dataclass(frozen=True)(type("Shared", (), dict(members)))
    with pytest.raises(AssertionError, match="Shared.shared: use made_by"):
        frozen(type("Shared", (), dict(members)))


@frozen
class MadeAtOnce(Base):
    size: int = 1


def test_threads_that_make_the_first_values_at_once_get_the_same() -> None:
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(MadeAtOnce, ["a"] * 64)) == {MadeAtOnce("a", 1)}


def test_a_factory_makes_one_for_each_value() -> None:
    assert Frozen("a").lines is not Frozen("a").lines


def test_a_class_takes_what_the_standard_one_takes() -> None:
    with pytest.raises(TypeError, match="name"):
        Frozen()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="5 positional"):
        Frozen("a", 1, None, [], 5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour"):
        Frozen("a", colour="red")  # type: ignore[call-arg]
    if sys.version_info >= (3, 10):
        with pytest.raises(TypeError, match=re.escape("Frozen.__init__() missing")):
            Frozen()  # type: ignore[call-arg]
    assert list(inspect.signature(Frozen.__init__).parameters) == list(
        inspect.signature(Standard.__init__).parameters
    )


def test_dataclasses_knows_the_fields() -> None:
    assert is_dataclass(Frozen("a"))
    found, expected = fields(Frozen), fields(Standard)
    for name in ("name", "type", "default", "default_factory", "metadata"):
        assert [getattr(one, name) for one in found] == [getattr(one, name) for one in expected]
    assert [one.name for one in found] == list(fields_of(Frozen))


def test_a_class_without_fields_of_its_own_has_those_of_its_base() -> None:
    assert list(fields_of(Same)) == ["name"]
    assert Same("a") == Same(name="a") != Base("a")


def test_what_a_value_has_cached_is_no_field_of_it() -> None:
    one, other = Counted("a"), Counted("a")
    assert one.length == 1
    assert one == other and hash(one) == hash(other) and repr(one) == repr(other)
    assert changed(one, name="long").length == 4
