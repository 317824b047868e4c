"""The simulated main thread: order, stalls, and an editor process that ends in the middle of its
work.
"""

from __future__ import annotations

from threading import Event
from typing import Callable, Iterator, List

import pytest

from tests.fakes import ManualClock
from unity_bridge.base.clock import SystemClock
from unity_bridge.log.logger import Logger
from unity_bridge.simulator.main_thread import MainThread

GUARD_S = 10.0


@pytest.fixture
def main() -> Iterator[MainThread]:
    main = MainThread(SystemClock(), Logger("simulator"))
    main.start()
    yield main
    main.stop()


def one_after_the_other(*works: Callable[[], object]) -> Callable[[], object]:
    return lambda: [work() for work in works]


def wait_idle(main: MainThread) -> None:
    """Until everything that is due now was done."""
    done = Event()
    main.post(done.set)
    assert done.wait(GUARD_S)


def test_work_is_done_when_due_and_in_the_order_it_was_posted() -> None:
    main = MainThread(SystemClock(), Logger("simulator"))
    order: List[str] = []
    done = Event()
    main.post(one_after_the_other(lambda: order.append("last"), done.set), 0.02)
    main.post(lambda: order.append("first"))
    main.post(lambda: order.append("second"))
    main.start()
    assert done.wait(GUARD_S)
    main.stop()
    assert order == ["first", "second", "last"]


def test_a_bug_in_one_piece_of_work_does_not_end_the_thread(main: MainThread) -> None:
    main.post(lambda: 1 / 0)
    wait_idle(main)


def test_a_pause_holds_everything_else_up_and_ends_with_the_process(main: MainThread) -> None:
    paused = Event()
    ends: List[object] = []
    main.post(one_after_the_other(paused.set, lambda: ends.append(main.pause(3600.0))))
    main.post(lambda: ends.append("work of the process that is gone"))
    assert paused.wait(GUARD_S)
    main.forget()
    wait_idle(main)
    assert ends == [False]


def test_a_pause_that_is_not_disturbed_says_so(main: MainThread) -> None:
    ends: List[bool] = []
    main.post(lambda: ends.append(main.pause(0.001)))
    wait_idle(main)
    assert ends == [True]


def test_work_in_the_middle_of_which_the_process_ends_leaves_nothing_behind(
    main: MainThread,
) -> None:
    begun, ended, left = Event(), Event(), Event()

    def work() -> None:
        begun.set()
        ended.wait(GUARD_S)
        main.post(left.set)
        assert main.pause(3600.0) is False

    main.post(work)
    assert begun.wait(GUARD_S)
    main.forget()
    ended.set()
    wait_idle(main)
    assert not left.is_set()


def test_a_stall_is_measured_while_it_lasts() -> None:
    clock = ManualClock()
    main = MainThread(clock, Logger("simulator"))
    begun, over = Event(), Event()
    main.post(one_after_the_other(begun.set, lambda: over.wait(GUARD_S)))
    main.start()
    assert begun.wait(GUARD_S)
    assert main.stalled_ms() == 0
    clock.advance(5.0)
    assert main.stalled_ms() == 5000
    over.set()
    wait_idle(main)
    main.stop()
    assert main.stalled_ms() == 0


def test_stopping_ends_a_pause_and_a_thread_that_never_started() -> None:
    MainThread(SystemClock(), Logger("simulator")).stop()
    main = MainThread(SystemClock(), Logger("simulator"))
    paused = Event()
    main.post(one_after_the_other(paused.set, lambda: main.pause(3600.0)))
    main.start()
    assert paused.wait(GUARD_S)
    main.stop()
