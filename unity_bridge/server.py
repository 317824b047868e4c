"""``Server``: the life of ``unity-bridge serve``, from the first line to the exit status (SPEC §3.4).

The main thread only waits for an end. It can because whatever takes time to load is loaded on the MCP thread, while an
``Opening`` keeps the client company: no import stands between a signal, or a client that leaves, and the end.
"""

from __future__ import annotations

import gc
import queue
import signal
import sys
import threading
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, Optional

from unity_bridge.catalogue import catalogue_for
from unity_bridge.clock import SystemClock
from unity_bridge.config import Config
from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.guarded_stdio import Stdio
from unity_bridge.mcp_endpoint.opening import Opening
from unity_bridge.mcp_endpoint.static_answers import StaticAnswers
from unity_bridge.version import __version__

if TYPE_CHECKING:
    from unity_bridge.app import Bridge
    from unity_bridge.mcp_endpoint.adapter import EndOfService, McpEndpointAdapter

# SPEC 3.4: the process is gone 2 s after its client closed its end, of which calls in flight have had one by then, and
# up to 1.7 where they waited for the SDK.
_GONE_S = 2.0
_STOP_S = 0.9
_STOP_LEAST_S = 0.3
_WITHDRAW_S = 0.2

# Windows cannot interrupt an untimed wait for Ctrl-C.
_LOOK_UP_S = 0.2 if sys.platform == "win32" else None


class _End(Enum):
    """What ended the service, and with which exit status (SPEC §3.4)."""

    CLIENT_GONE = 0
    FAILED = 1
    SIGINT = 130
    SIGTERM = 143


class Server:
    """MCP on stdio for as long as there is a client. Lives on the main thread."""

    def __init__(self, config: Config, stdio: Stdio) -> None:
        self._config = config
        self._log = Logger("app")
        # A SimpleQueue, because a signal handler may interrupt any other lock while it is held.
        self._ends: queue.SimpleQueue[_End] = queue.SimpleQueue()
        catalogue = catalogue_for(config.job_default_timeout_ms, config.job_max_timeout_ms)
        answers = StaticAnswers(catalogue, __version__)
        self._opening = Opening(stdio, answers, SystemClock(), Logger("mcp"), self._client_gone)
        self._bridge: Optional[Bridge] = None
        self._endpoint: Optional[McpEndpointAdapter] = None
        self._endpoint_gone = threading.Event()

    def run(self, exit_now: Callable[[int], None]) -> int:
        """Serve until the client, a signal or a broken stdout ends it; the exit status.

        ``exit_now`` ends the process on the spot; it is called if something is still blocked when the time is up.
        """
        self._take_signals()
        self._opening.start()
        threading.Thread(target=self._serve, name="mcp", daemon=True).start()
        end = self._wait()
        watchdog = threading.Timer(stop_budget_s(self._opening.since_input_ended()), exit_now, [end.value])
        watchdog.name = "watchdog"
        watchdog.daemon = True
        watchdog.start()
        self._stop(end)
        watchdog.cancel()
        return end.value

    def _wait(self) -> _End:
        while True:
            try:
                return self._ends.get(timeout=_LOOK_UP_S)
            except queue.Empty:
                continue

    def _stop(self, end: _End) -> None:
        too_early_to_serve = self._opening.withdraw(_WITHDRAW_S)
        if self._endpoint is not None:
            self._endpoint.stop()
        if self._bridge is not None:
            self._bridge.stop(end.name.lower())
        if not too_early_to_serve:
            self._endpoint_gone.wait(_STOP_S)

    # --- the MCP thread ---

    def _serve(self) -> None:
        end = _End.FAILED
        try:
            self._load()
            assert self._endpoint is not None
            self._endpoint.serve(self._opening)
            end = _End.CLIENT_GONE
        except Exception:
            self._log.exception("the MCP endpoint failed: a bug, or packages that do not fit together")
        finally:
            self._endpoint_gone.set()
            self._ends.put(end)

    def _load(self) -> None:
        """Build the bridge and its endpoint. The SDK takes most of a second: the port is being bound meanwhile."""
        # What is loaded stays: the collector would walk it again and again, now and in every call's way later.
        gc.disable()
        from unity_bridge.app import Bridge

        bridge = Bridge(self._config)
        bridge.start()
        self._bridge = bridge

        from unity_bridge.mcp_endpoint.adapter import McpEndpointAdapter

        gc.freeze()
        gc.enable()
        on_end = self._end_calls
        self._endpoint = McpEndpointAdapter(bridge.door, bridge.validator, __version__, Logger("mcp"), on_end)

    def _end_calls(self, reason: EndOfService) -> None:
        if self._bridge is not None:
            self._bridge.end_calls(reason.value)
        self._client_gone()

    def _client_gone(self) -> None:
        self._ends.put(_End.CLIENT_GONE)

    # --- signals ---

    def _take_signals(self) -> None:
        def on_signal(end: _End) -> Callable[[int, Any], None]:
            return lambda number, frame: self._ends.put(end)

        signal.signal(signal.SIGINT, on_signal(_End.SIGINT))
        signal.signal(signal.SIGTERM, on_signal(_End.SIGTERM))
        ctrl_break: Optional[signal.Signals] = getattr(signal, "SIGBREAK", None)
        if ctrl_break is not None:
            signal.signal(ctrl_break, on_signal(_End.SIGINT))


def stop_budget_s(since_input_ended_s: float) -> float:
    """How long stopping may take, in seconds, before whatever is still blocked is cut off."""
    return min(_STOP_S, max(_STOP_LEAST_S, _GONE_S - since_input_ended_s))
