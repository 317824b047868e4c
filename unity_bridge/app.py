"""The composition root: the only file that knows every class. It names, starts and ends the parts (SPEC §1, §3.4)."""

from __future__ import annotations

import queue
import signal
import sys
import threading
from enum import Enum
from typing import Any, Callable, Optional

from unity_bridge.attach import protocol as attach
from unity_bridge.attach.desk import AttachDesk
from unity_bridge.attach.owner_link import OwnerLink
from unity_bridge.attach.secret import shared_secret
from unity_bridge.calls import Door
from unity_bridge.clock import SystemClock
from unity_bridge.config import Config
from unity_bridge.execution.coordinator import ExecutionCoordinator
from unity_bridge.execution.events import StopRequested
from unity_bridge.execution.executor import CallDoor, Executor, Inbox
from unity_bridge.execution.ids import Ids
from unity_bridge.execution.transition_log import TransitionLog
from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.guarded_stdio import Stdio
from unity_bridge.mcp_endpoint.request_validator import RequestValidator
from unity_bridge.mcp_endpoint.tools import catalogue_for
from unity_bridge.state.stores import StateStores
from unity_bridge.unity.bridge_client import UNITY_PATHS, UnityBridgeClient
from unity_bridge.unity.reception import Reception
from unity_bridge.unity.websocket import Limits, WebSocketListener
from unity_bridge.version import __version__

# Stopping may take 2 s in all, of which calls in flight have had up to one when their client closed its end (SPEC 3.4).
_STOP_S = 0.9
_LISTENER_STOP_S = 0.7
_THREAD_STOP_S = 0.2

# Windows cannot interrupt an untimed wait for Ctrl-C.
_LOOK_UP_S = 0.2 if sys.platform == "win32" else None


class Bridge:
    """Everything behind the agent's door: the executor, the ledger and the listener for Unity."""

    def __init__(self, config: Config) -> None:
        clock, ids, inbox = SystemClock(), Ids(), Inbox()
        catalogue = catalogue_for(config.job_default_timeout_ms, config.job_max_timeout_ms)
        limits = Limits(max_message_bytes=config.max_message_bytes, stop_s=_LISTENER_STOP_S)
        self.validator = RequestValidator(catalogue)
        self.stores = StateStores(__version__, TransitionLog(Logger("ledger")))
        self._inbox = inbox
        self.door: Door = CallDoor(inbox, ids)
        desk = AttachDesk(self.door, self.validator, shared_secret, __version__, inbox.put, Logger("attach"))
        link = OwnerLink(
            shared_secret,
            __version__,
            config.heartbeat_interval_ms / 1000,
            config.heartbeat_timeout_ms / 1000,
            inbox.put,
            clock,
            Logger("attach"),
        )

        def listener_for(client: UnityBridgeClient) -> WebSocketListener:
            reception = Reception({**dict.fromkeys(UNITY_PATHS, client), attach.PATH: desk})
            return WebSocketListener(reception, clock, Logger("websocket"), limits, reception.paths)

        self._unity = UnityBridgeClient(
            port=config.unity_ws_port,
            max_message_bytes=config.max_message_bytes,
            listener_for=listener_for,
            emit=inbox.put,
            clock=clock,
            log=Logger("unity"),
            uplink=link,
        )
        coordinator = ExecutionCoordinator(
            self.stores,
            self._unity,
            catalogue,
            self.validator.check_result,
            config,
            ids,
            clock,
            Logger("executor"),
            link,
        )
        self._executor = Executor(coordinator, inbox, clock, Logger("executor"))

    def start(self) -> None:
        self._executor.start()
        self._unity.start()

    def end_calls(self, reason: str) -> None:
        """Refuse new calls, and end those that are left with what is known of them. Any thread, at once."""
        self._inbox.put(StopRequested(reason))

    def stop(self, reason: str) -> None:
        """End the calls, free the port, close every connection, join every thread. Bounded."""
        self.end_calls(reason)
        self._unity.stop(1001, "server stopping")
        self._executor.join(_THREAD_STOP_S)


class _End(Enum):
    """What ended the service, and with which exit status (SPEC §3.4)."""

    CLIENT_GONE = 0
    FAILED = 1
    SIGINT = 130
    SIGTERM = 143


class Server:
    """``unity-bridge serve``: MCP on stdio for as long as there is a client. Lives on the main thread."""

    def __init__(self, config: Config, stdio: Stdio) -> None:
        self._config = config
        self._stdio = stdio
        self._log = Logger("app")
        # A SimpleQueue, because a signal handler may interrupt any other lock while it is held.
        self._ends: queue.SimpleQueue[_End] = queue.SimpleQueue()
        self._bridge = Bridge(config)
        self._endpoint_gone = threading.Event()
        self._stop_endpoint: Callable[[], None] = lambda: None

    def run(self, exit_now: Callable[[int], None]) -> int:
        """Serve until the client, a signal or a broken stdout ends it; the exit status.

        ``exit_now`` ends the process on the spot; it is called if something is still blocked when the time is up.
        """
        self._take_signals()
        self._bridge.start()
        threading.Thread(target=self._serve_mcp, name="mcp", daemon=True).start()
        end = self._wait()
        watchdog = threading.Timer(_STOP_S, exit_now, [end.value])
        watchdog.daemon = True
        watchdog.start()
        self._stop_endpoint()
        self._bridge.stop(end.name.lower())
        self._endpoint_gone.wait(_STOP_S)
        watchdog.cancel()
        return end.value

    def _wait(self) -> _End:
        while True:
            try:
                return self._ends.get(timeout=_LOOK_UP_S)
            except queue.Empty:
                continue

    def _serve_mcp(self) -> None:
        end = _End.FAILED
        try:
            # The SDK takes most of a second to load: the port is being bound meanwhile.
            from unity_bridge.mcp_endpoint.adapter import McpEndpointAdapter

            adapter = McpEndpointAdapter(
                self._bridge.door,
                self._bridge.validator,
                __version__,
                Logger("mcp"),
                on_end=lambda reason: self._client_gone(reason.value),
            )
            self._stop_endpoint = adapter.stop
            adapter.serve(self._stdio)
            end = _End.CLIENT_GONE
        except Exception:
            self._log.exception("the MCP endpoint failed: a bug, or packages that do not fit together")
        finally:
            self._endpoint_gone.set()
            self._ends.put(end)

    def _client_gone(self, reason: str) -> None:
        self._bridge.end_calls(reason)
        self._ends.put(_End.CLIENT_GONE)

    def _take_signals(self) -> None:
        def on_signal(end: _End) -> Callable[[int, Any], None]:
            return lambda number, frame: self._ends.put(end)

        signal.signal(signal.SIGINT, on_signal(_End.SIGINT))
        signal.signal(signal.SIGTERM, on_signal(_End.SIGTERM))
        ctrl_break: Optional[signal.Signals] = getattr(signal, "SIGBREAK", None)
        if ctrl_break is not None:
            signal.signal(ctrl_break, on_signal(_End.SIGINT))
