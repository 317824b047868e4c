"""Timers as data, against the plainest model there is: a dictionary that is searched."""

from __future__ import annotations

from typing import Dict, List, Tuple

from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.core.ledger.deadlines import Deadlines, Due

KINDS, IDS = st.sampled_from([Due.PING, Due.PARKED]), st.sampled_from(["a", "b", "c"])
INSTANTS = st.integers(0, 20).map(float)
STEPS = st.one_of(
    st.tuples(st.just("set"), KINDS, IDS, INSTANTS),
    st.tuples(st.just("clear"), KINDS, IDS, st.just(0.0)),
    st.tuples(st.just("pop"), st.just(Due.PING), st.just(""), INSTANTS),
)


@given(st.lists(STEPS, max_size=60))
def test_like_a_dictionary_that_is_searched_for_its_earliest_entry(
    steps: List[Tuple[str, Due, str, float]],
) -> None:
    deadlines = Deadlines()
    model: Dict[Tuple[Due, str], float] = {}
    for step, kind, id, instant in steps:
        if step == "set":
            deadlines.set(kind, id, instant)
            model[kind, id] = instant
        elif step == "clear":
            deadlines.clear(kind, id)
            model.pop((kind, id), None)
        else:
            earliest = min((at for at in model.values() if at <= instant), default=None)
            popped = deadlines.pop_due(instant)
            assert (popped and model.pop((popped.due, str(popped.id)))) == earliest
        assert deadlines.next() == min(model.values(), default=None)
        assert set(deadlines) == set(model) and all(deadlines.has(*key) for key in model)
        assert not deadlines.has(Due.PING, "nobody")


def test_a_deadline_is_due_at_its_very_instant() -> None:
    deadlines = Deadlines()
    deadlines.set(Due.PING, "a", 5.0)
    assert deadlines.pop_due(4.999) is None
    assert deadlines.pop_due(5.0) == (Due.PING, "a")
    assert deadlines.pop_due(6.0) is None


def test_a_deadline_that_is_moved_is_due_once() -> None:
    deadlines = Deadlines()
    for instant in (5.0, 3.0, 9.0, 3.0):
        deadlines.set(Due.PING, "a", instant)
    assert deadlines.pop_due(20.0) == (Due.PING, "a")
    assert deadlines.pop_due(20.0) is None and deadlines.next() is None


def test_a_deadline_cleared_long_before_is_not_kept() -> None:
    deadlines = Deadlines()
    deadlines.set(Due.PING, "a", 5.0)
    for number in range(10_000):
        deadlines.set(Due.ROUND_TRIP, f"req-{number}", 10.0 + number)
        deadlines.clear(Due.ROUND_TRIP, f"req-{number}")
    assert len(deadlines._heap) < 100
    assert deadlines.next() == 5.0
