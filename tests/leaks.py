"""Checks that a test leaves nothing behind: threads, child processes and descriptors are counted
before and after.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from typing import Iterator, List, NamedTuple, Set

import psutil

from unity_bridge.launch.environment import ROOT

# How long something may take to end after the test.
GONE_S = 30.0
_DESCRIPTOR_LOOKS = 100


class Here(NamedTuple):
    """The threads, children and descriptors of this process at one moment."""

    threads: Set[threading.Thread]
    children: Set[int]
    descriptors: int

    @classmethod
    def now(cls) -> Here:
        return cls(set(threading.enumerate()), children(), descriptors())


def left_since(before: Here) -> List[str]:
    """What has been added since ``before`` and does not end, in words."""
    return [*_threads(before), *_children(before), *_descriptors(before)]


def ends_within(thread: threading.Thread, seconds: float) -> bool:
    """Whether it ends. ``enumerate`` lists a thread before it runs, and until then ``join`` refuses
    it.
    """
    deadline = time.monotonic() + seconds
    while thread in threading.enumerate() and time.monotonic() < deadline:
        if thread.is_alive():
            thread.join(deadline - time.monotonic())
        else:
            time.sleep(0)  # to the thread that starts it
    return thread not in threading.enumerate()


def children() -> Set[int]:
    if hasattr(os, "waitid"):
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return set()  # psutil would look at every process of the system, which most tests need not wait for
    return {child.pid for child in psutil.Process().children()}


def files_of_the_checkout() -> Set[str]:
    return {name for name in os.listdir(ROOT) if not name.startswith(".")}


def counts_descriptors() -> bool:
    """Not on Windows, where handles of every kind are opened and closed at any time."""
    return bool(psutil.POSIX)


def descriptors() -> int:
    if not counts_descriptors():
        return 0
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return int(psutil.Process().num_fds())


def left_in(folder: str) -> List[str]:
    """The processes that were started with files below ``folder`` and do not end, in words: also
    those that are not children of this one. Not on Windows: the first program that runs starts
    wine's desktop.
    """
    if psutil.WINDOWS:
        return []
    started = [
        process
        for process in psutil.process_iter(["cmdline", "environ"])
        if process.pid != os.getpid() and _is_about(process, folder)
    ]
    return [text for process in started for text in _if_it_runs_on(process)]


def _is_about(process: psutil.Process, folder: str) -> bool:
    words = process.info["cmdline"] or []
    values = (process.info["environ"] or {}).values()
    return any(folder + os.sep in text for text in (*words, *values))


def _threads(before: Here) -> Iterator[str]:
    for thread in set(threading.enumerate()) - before.threads:
        if not ends_within(thread, GONE_S):
            yield f"the thread {thread.name!r}"


def _children(before: Here) -> Iterator[str]:
    for pid in children() - before.children:
        try:
            child = psutil.Process(pid)
        except psutil.Error:
            continue  # it has ended since it was listed
        yield from _if_it_runs_on(child)


def _if_it_runs_on(process: psutil.Process) -> Iterator[str]:
    try:
        words = " ".join(process.cmdline())
        process.wait(GONE_S)
    except psutil.TimeoutExpired:
        yield f"the process {process.pid}: {words}"
    except psutil.Error:
        pass  # it has ended since it was listed


def _descriptors(before: Here) -> Iterator[str]:
    if descriptors() > before.descriptors:
        gc.collect()  # a descriptor in a reference cycle raises a ResourceWarning, which is an error too
        # As with threads, what closes a moment later is no leak.
        for _ in range(_DESCRIPTOR_LOOKS):
            more = descriptors() - before.descriptors
            if more <= 0:
                return
            threading.Event().wait(GONE_S / _DESCRIPTOR_LOOKS / 10)
        yield f"{more} descriptors more than before"
