"""The product next to the floor of its own shape, in one run: ``python tests/bench/floor_bench.py
[--pin]``.

The other bridge has the same threads and queues and one round trip at a time, and nothing else (``floor_bridge.py``).
How it is measured: ``speed_bench.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.speed_bench import CPU, GOALS, IN_FLIGHT, P50, Goals, compare

# Of 32 in flight the time of a call is measured: 0.75 of the floor's calls a second is 1.33 of its
# time.
FLOOR_GOALS: Goals = {**dict.fromkeys(GOALS), P50: 1.4, CPU: 1.5, IN_FLIGHT: 1.33}

if __name__ == "__main__":
    compare("floor_bridge.py", FLOOR_GOALS, sys.argv[1:])
