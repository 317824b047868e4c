"""Names that nobody else ever gave out."""

from __future__ import annotations

import threading
from typing import List

from unity_bridge.core.context import Ids

HANG_S = 20


def test_numbers_rise_behind_the_runs_token() -> None:
    ids = Ids("run")
    assert [ids.request(), ids.request(), ids.job(), ids.request(), ids.job()] == [
        "req-run-1",
        "req-run-2",
        "job-run-1",
        "req-run-3",
        "job-run-2",
    ]


def test_two_runs_of_the_server_share_no_name() -> None:
    assert Ids().job() != Ids().job()
    assert Ids().request() != Ids().request()


def test_threads_never_draw_the_same_name() -> None:
    ids = Ids()
    drawn: List[str] = []
    threads = [
        threading.Thread(target=lambda: drawn.extend(ids.request() for _ in range(500)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG_S)
    assert len(set(drawn)) == 2000
