"""``Server``: the life of ``unity-bridge serve``, from the first line to the exit status (SPEC
§3.4).

The main thread only waits for the reason to stop. Everything that takes time to import is imported on the loading
thread. Until then the endpoint serves what it can serve alone, so no import delays the reaction to a signal or to a
client that leaves.
"""

from __future__ import annotations

import queue
import signal
import threading
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Union

from unity_bridge.base.clock import SystemClock
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.endpoint import McpEndpoint, News
from unity_bridge.mcp.guarded_stdio import Stdio
from unity_bridge.mcp.refusals import cannot_make
from unity_bridge.mcp.static_answers import instructions_for
from unity_bridge.system.collector import kept
from unity_bridge.system.signals import MainThreadQueue
from unity_bridge.version import __version__

if TYPE_CHECKING:
    from unity_bridge.base.errors import ToolError
    from unity_bridge.mcp.static_answers import Catalogue
    from unity_bridge.serve.app import Bridge

# SPEC §3.4, §12.4: the process is gone 2 s after its input ended, whatever is blocked. First, how
# long calls in flight may take to end by themselves, and how long while the bridge is still
# loading:
_DRAIN_S = 1.0
_DRAIN_LOADING_S = 1.5
# Then, one after the other: the bridge ends the remaining calls, all threads end, the answers are
# written.
_END_CALLS_S = 0.3
_STOP_S = 0.9
_FLUSH_S = 0.2
# The sum, and the least that stopping gets of it after calls that took long.
_GONE_S = 2.0
_STOP_LEAST_S = 0.3


class StopReason(Enum):
    """What ends the service, besides the client."""

    FAILED = "the bridge cannot be started"
    SIGINT = "interrupted"
    SIGTERM = "terminated"


_STATUS: Mapping[Union[StopReason, News], int] = {
    StopReason.FAILED: 1,
    StopReason.SIGINT: 130,
    StopReason.SIGTERM: 143,
}


class Server:
    """Serves MCP on stdio for as long as there is a client. ``start_bridge`` imports, builds and
    starts the bridge.

    ``client_project``: where the client sees the project, if that is another path.
    ``await_environment`` returns when the bridge can be imported, or why it never can.
    """

    def __init__(
        self,
        stdio: Stdio,
        catalogue: Catalogue,
        start_bridge: Callable[[], Bridge],
        client_project: Optional[str] = None,
        await_environment: Callable[[], Optional[str]] = lambda: None,
    ) -> None:
        self._start_bridge = start_bridge
        self._await_environment = await_environment
        self._log = Logger("app")
        self._clock = SystemClock()
        self._news: MainThreadQueue[Union[StopReason, News]] = MainThreadQueue()
        self.endpoint = McpEndpoint(
            stdio,
            catalogue,
            __version__,
            self._clock,
            Logger("mcp"),
            self._news.put,
            instructions=instructions_for(client_project),
        )
        self._bridge: Optional[Bridge] = None
        # The error of calls that still wait at the end, where the stop is not the reason.
        self._refusal: Optional[ToolError] = None

    def end_on_signals(self) -> None:
        """Install the signal handlers. For the main thread."""

        def on_signal(end: StopReason) -> Callable[[int, Any], None]:
            return lambda number, frame: self.stop(end)

        signal.signal(signal.SIGINT, on_signal(StopReason.SIGINT))
        signal.signal(signal.SIGTERM, on_signal(StopReason.SIGTERM))
        ctrl_break: Optional[signal.Signals] = getattr(signal, "SIGBREAK", None)
        if ctrl_break is not None:
            signal.signal(ctrl_break, on_signal(StopReason.SIGINT))

    def stop(self, end: StopReason) -> None:
        """End the service: open calls are answered, then ``run`` returns. Any thread; returns at
        once.
        """
        self._news.put(end)

    def run(self, exit_now: Callable[[int], None]) -> int:
        """Serve until the client, ``stop`` or a broken stdout ends it. Returns the exit status.
        Call it once only.

        ``exit_now`` ends the process immediately. It is called if something is still blocked when the time is up.
        """
        try:
            self.endpoint.start()
        except RuntimeError as error:
            self._log.error(
                "cannot serve: the system gives this process no more threads", error=str(error)
            )
            self.endpoint.close(_FLUSH_S)
            return _STATUS[StopReason.FAILED]
        try:
            threading.Thread(target=self._load, name="loading", daemon=True).start()
        except RuntimeError as error:
            self._log.error(
                "the bridge cannot be started: the system gives no more threads", error=str(error)
            )
            self.stop(StopReason.FAILED)
        end = self._wait()
        status = _STATUS.get(end, 0)
        watchdog = threading.Timer(
            stop_budget_s(self.endpoint.since_input_ended()), exit_now, [status]
        )
        watchdog.name = "watchdog"
        watchdog.daemon = True
        try:
            watchdog.start()
        except RuntimeError:
            pass  # the system gives no more threads; what is owed is still written, and each step has its own bound
        self._stop(end)
        watchdog.cancel()
        if watchdog.ident is not None:
            watchdog.join()
        return status

    def _wait(self) -> Union[StopReason, News]:
        """Wait for the reason to stop. When the input has ended, calls in flight may still end by
        themselves.
        """
        while True:
            news = self._next(self._remaining_s())
            if news in (News.INPUT_ENDED, News.IDLE):
                if self.endpoint.is_idle:
                    return News.INPUT_ENDED
            elif news is not None:
                return news
            elif self.endpoint.has_input_ended:
                return News.INPUT_ENDED

    def _remaining_s(self) -> Optional[float]:
        if not self.endpoint.has_input_ended:
            return None
        drain_s = _DRAIN_S if self.endpoint.is_open else _DRAIN_LOADING_S
        return max(0.0, drain_s - self.endpoint.since_input_ended())

    def _next(self, timeout_s: Optional[float]) -> Union[StopReason, News, None]:
        try:
            return self._news.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def _stop(self, end: Union[StopReason, News]) -> None:
        """End the calls and write their answers, then free the port and end everything else."""
        reason = end.name.lower()
        self._log.info("MCP service ends", reason=reason)
        self.endpoint.refuse_calls(self._refusal)
        bridge = self._bridge
        if bridge is not None:
            self._end_calls(bridge, reason)
            if end is not News.OUTPUT_GONE:
                self._await_ends()
        self.endpoint.give_up()
        if bridge is not None:
            bridge.stop(reason)
        self.endpoint.close(_FLUSH_S)

    def _end_calls(self, bridge: Bridge, reason: str) -> None:
        try:
            bridge.end_calls(reason)
        except Exception:
            self._log.exception("a bug: the bridge could not end its calls")

    def _await_ends(self) -> None:
        """Wait until the bridge has ended the remaining calls, which it does at once unless it is
        stuck.
        """
        deadline = self._clock.now() + _END_CALLS_S
        while not self.endpoint.is_idle and self._clock.now() < deadline:
            if self._next(deadline - self._clock.now()) is News.OUTPUT_GONE:
                return

    # --- the loading thread ---

    def _load(self) -> None:
        try:
            failure = self._await_environment()
            if failure is not None:
                self._lacks_environment(failure)
                return
            from unity_bridge.catalogue import synonyms

            with kept():
                self._bridge = bridge = self._start_bridge()
                # A refusal names the nearest calls out of it, also where no file can be opened any
                # more.
                synonyms.table()
            self.endpoint.open(bridge.call_service, bridge.validator, bridge.answer_max_bytes)
            # Only now, since no read needs it: what a job's messages and a look at the editor's
            # process need.
            with kept():
                from unity_bridge.editor_life import processes  # noqa: F401
                from unity_bridge.unity.messages import load_mapping

                load_mapping()
        except BaseException as fault:  # an extension may panic, a package may exit
            from unity_bridge.installation.missing_package import lacked_package

            lacked = lacked_package(fault)
            if lacked is not None:
                self._log.error(f"the bridge cannot be started: {lacked}")
            else:
                self._log.exception(
                    "the bridge cannot be started: a bug, or packages that do not fit together"
                )
            self.stop(StopReason.FAILED)

    def _lacks_environment(self, failure: str) -> None:
        self._log.error("the bridge cannot be started: there is no environment", reason=failure)
        self._refusal = cannot_make(failure)
        self.stop(StopReason.FAILED)


def stop_budget_s(since_input_ended_s: float) -> float:
    """How long stopping may take, in seconds, before the process ends in spite of what is blocked."""
    return min(_STOP_S, max(_STOP_LEAST_S, _GONE_S - since_input_ended_s))
