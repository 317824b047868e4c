"""``python -m unity_bridge.simulator``: the simulated editor without the command line's other commands."""

from __future__ import annotations

import argparse
import sys
from typing import Sequence

from unity_bridge.log import logger
from unity_bridge.simulator.dialects import DIALECTS
from unity_bridge.simulator.program import simulate
from unity_bridge.system.terminal import write_utf8_to_programs


def main(arguments: Sequence[str]) -> int:
    """Parse the arguments and run; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m unity_bridge.simulator",
        description="A simulated Unity Editor that connects to unity-bridge on a port.",
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=int, help="the server's port (default: the project's, else 8091)")
    parser.add_argument(
        "--project", dest="project_file", metavar="PATH", help="a pretend project as JSON, or a Unity project"
    )
    parser.add_argument("--tests", type=int, help="a generated project with so many tests")
    parser.add_argument("--console-entries", type=int, default=0, help="and so many console entries")
    parser.add_argument("--test-seconds", type=float, default=0.0, help="how long each generated test takes")
    parser.add_argument("--speed", type=float, default=1.0, help="10: ten seconds of the project pass in one")
    parser.add_argument("--dialect", choices=list(DIALECTS), default="own", help="which plugin to be like")
    parser.add_argument("--fault", dest="faults", action="append", default=[], metavar="KIND[:TYPE[:ARG]][*TIMES]")
    parser.add_argument("--events", action="store_true", help="tell what happens as JSON lines on stdout")
    parser.add_argument("--stdin-controls", action="store_true", default=None, help="take orders from stdin")
    write_utf8_to_programs()
    logger.configure(level="warning")
    return simulate(**vars(parser.parse_args(arguments)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
