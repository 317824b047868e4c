"""``KeptResults``: which results of ended jobs fit into the memory for them."""

from __future__ import annotations

from typing import Dict, List

# In characters of JSON, which is how results are kept (SPEC §20.4).
RESULTS_BUDGET = 64 * 1024 * 1024


class KeptResults:
    """Sizes of the results of ended jobs by job id, the oldest first."""

    def __init__(self, budget: int = RESULTS_BUDGET) -> None:
        self._budget = budget
        self._sizes: Dict[str, int] = {}
        self._total = 0

    def add(self, job_id: str, size: int) -> List[str]:
        """``job_id`` has a result now; returns the jobs whose results have to go for it."""
        self.forget(job_id)
        self._sizes[job_id] = size
        self._total += size
        gone = []
        while self._total > self._budget:
            oldest = next(iter(self._sizes))
            self.forget(oldest)
            gone.append(oldest)
        return gone

    def forget(self, job_id: str) -> None:
        """Forget the size of a job's result, which the job does not have any more."""
        self._total -= self._sizes.pop(job_id, 0)
