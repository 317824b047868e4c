"""What the two defences cost that every connection and every message pays: ``python -m
tests.bench.trust_bench``.

A proof that is bound to its connection against one without the connection's ends, and an event of a peer that takes
its turn against one that does not. Each pair is measured in alternation; the ratios are the lowest, the middle and the
highest of the rounds. Times are CPU times of this thread.
"""

from __future__ import annotations

import hashlib
import hmac
import statistics
import sys
import time
from typing import Callable, List

from unity_bridge.core.events import CallRefused
from unity_bridge.core.loop import Inbox
from unity_bridge.trust.proof import PLUGIN, Ends, new_nonce, proof

ROUNDS = 15
REPEATED = 20_000
SECRET = bytes(32)
ENDS = Ends("127.0.0.1:54321", "127.0.0.1:8091")
THEIRS, OURS = new_nonce(), new_nonce()


def bound_proof() -> None:
    proof(SECRET, PLUGIN, ENDS, THEIRS, OURS)


def plain_proof() -> None:
    hmac.new(SECRET, f"{PLUGIN}\n{THEIRS}\n{OURS}".encode("ascii"), hashlib.sha256).hexdigest()


def event_in_turn(inbox: Inbox) -> None:
    inbox.put_of_peer(CallRefused(), 1, 100)
    inbox.take(0)


def event(inbox: Inbox) -> None:
    inbox.put(CallRefused())
    inbox.take(0)


def us(work: Callable[[], None]) -> float:
    began = time.thread_time()
    for _ in range(REPEATED):
        work()
    return (time.thread_time() - began) / REPEATED * 1e6


def compare(name: str, with_it: Callable[[], None], without: Callable[[], None]) -> None:
    costs: List[float] = []
    ratios: List[float] = []
    for _ in range(ROUNDS):
        plain, cost = us(without), us(with_it)
        costs.append(cost)
        ratios.append(cost / plain)
    spread = " ".join(
        f"{ratio:.2f}" for ratio in (min(ratios), statistics.median(ratios), max(ratios))
    )
    sys.stdout.write(f"{name}: {statistics.median(costs):.1f} us, ratio {spread}\n")


def main() -> None:
    inbox = Inbox()
    inbox.turns.begin()
    compare("a proof", bound_proof, plain_proof)
    compare("an event of a peer", lambda: event_in_turn(inbox), lambda: event(inbox))


if __name__ == "__main__":
    main()
