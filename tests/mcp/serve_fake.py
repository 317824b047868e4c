"""A server process with the real MCP endpoint and nothing behind it: ``python -m
tests.mcp.serve_fake``.

What a call carries in ``contains`` decides what happens, see ``FakeCallService``; ``stray`` makes the process
misbehave on its standard streams before the call is answered.
"""

from unity_bridge.mcp.guarded_stdio import take_stdio

if __name__ == "__main__":
    STDIO = take_stdio()  # before anything else is imported, as the product does

import logging
import os
import subprocess
import sys
import warnings
from typing import Optional

from tests.mcp.fake_call_service import FakeCallService
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import Call, CallService, OnJob, OnOutcome, OnProgress
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.log import logger
from unity_bridge.mcp import progress
from unity_bridge.serve.server import Server

# The progress of a call here comes in one burst, and a test wants to hear all of it.
progress._APART_S = 0.0


class Stray(Warning):
    """A warning that is meant: no error where all others are, and named unlike those that a test
    looks for.
    """


def misbehave() -> None:
    """Everything a library can do to stdout and stdin."""
    print("stray print")  # noqa: T201
    os.write(1, b"stray write\n")
    warnings.simplefilter("always", Stray)
    warnings.warn("stray warning", Stray, stacklevel=1)
    logging.getLogger("a.library").error("stray log line")
    subprocess.check_call(
        [sys.executable, "-c", "import sys; print('stray child', repr(sys.stdin.read()))"]
    )


class StrayCallService(FakeCallService):
    def submit(
        self,
        call: Call,
        on_outcome: OnOutcome,
        on_progress: Optional[OnProgress] = None,
        on_job: Optional[OnJob] = None,
    ) -> str:
        if call.params.get("contains") == "stray":
            misbehave()
        return super().submit(call, on_outcome, on_progress, on_job)


class EndpointAlone:
    """A bridge that is nothing but its call service."""

    def __init__(self) -> None:
        self.call_service: CallService = StrayCallService()
        self.validator = RequestValidator()
        # The most that can be configured: long messages travel whole here.
        self.answer_max_bytes = 1_000_000

    def end_calls(self, reason: str) -> None:
        """Nobody else ends them: what is held is given up."""

    def stop(self, reason: str) -> None:
        """There is nothing to free."""


def main() -> None:
    logger.configure("error" if "--quiet" in sys.argv else "debug")
    server = Server(STDIO, lambda: CATALOGUE, EndpointAlone)  # type: ignore[arg-type]
    server.end_on_signals()
    os._exit(server.run(os._exit))


if __name__ == "__main__":
    main()
