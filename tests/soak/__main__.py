"""``python -m tests.soak --minutes 5 --seed 1``: exit status 0 if nothing was lost, doubled or a lie."""

from __future__ import annotations

import argparse
import sys

from tests.soak.soak import Soak

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    verdict = Soak(arguments.seed).run(arguments.minutes * 60)
    sys.stdout.write(verdict.table() + "\n")
    sys.exit(0 if verdict.is_good else 1)
