"""``python -m tests.soak --minutes 5 --seed 1``: exit status 0 if nothing was lost, doubled, out of
order or untrue.
"""

from __future__ import annotations

import argparse
import sys

from tests.soak.soak import EDITORS, Soak

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--editor",
        choices=sorted(EDITORS),
        default="simulated",
        help="mono: the real plugin; the others are simulated ones of those dialects",
    )
    parser.add_argument(
        "--windows", type=int, default=1, help="clients, each with a server, on the one port"
    )
    arguments = parser.parse_args()
    verdict = Soak(arguments.seed, arguments.editor, arguments.windows).run(arguments.minutes * 60)
    sys.stdout.write(verdict.table() + "\n")
    sys.exit(0 if verdict.is_good else 1)
