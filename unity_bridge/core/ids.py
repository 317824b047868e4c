"""Names for requests and jobs that no other run of the server ever gave out.

A plugin outlives the server: a late answer to a server that is gone must not look like the answer to a new one, and
a job id must still mean the same run after a restart (SPEC §14.3).
"""

from __future__ import annotations

import itertools
import secrets


class Ids:
    """Rising numbers behind a token drawn once a run. Safe from any thread."""

    def __init__(self, run: str = "") -> None:
        self._run = run or secrets.token_hex(4)
        self._requests = itertools.count(1)
        self._jobs = itertools.count(1)

    def client(self) -> str:
        """The name under which this process gives keys to jobs (SPEC §15.7)."""
        return f"client-{self._run}"

    def request(self) -> str:
        return f"req-{self._run}-{next(self._requests)}"

    def job(self) -> str:
        return f"job-{self._run}-{next(self._jobs)}"
