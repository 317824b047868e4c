"""The composition root: builds the bridge behind the MCP endpoint, starts it and ends it.

The rooms of the core are built in ``core/wiring.py``.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import List, Optional, Tuple

from unity_bridge.attach import protocol as attach
from unity_bridge.attach.owner_endpoint import MAX_PEERS, AttachEndpoint
from unity_bridge.attach.owner_link import OwnerLink
from unity_bridge.base.clock import SystemClock
from unity_bridge.catalogue import catalogue_for
from unity_bridge.catalogue.calls import CallService
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.config import Config
from unity_bridge.core.context import Core, Ids, Outside, Settings
from unity_bridge.core.events import StopRequested
from unity_bridge.core.ledger.ledger import Ledger, TransitionLog
from unity_bridge.core.loop import Executor, Inbox, InboxCallService
from unity_bridge.core.wiring import Wiring
from unity_bridge.editor_life.probing import EditorProcessProbe, LifeProbe, ProjectWatch
from unity_bridge.log.logger import Logger
from unity_bridge.projects.canonical_path import canonical, real_path
from unity_bridge.projects.probing import search_below
from unity_bridge.trust.secret import shared_secret
from unity_bridge.trust.waiting_editors import call_waiting_editors
from unity_bridge.unity.bridge_client import UnityBridgeClient
from unity_bridge.unity.close_codes import GOING_AWAY
from unity_bridge.unity.websocket import Endpoint, Limits, WebSocketListener, unity_endpoint
from unity_bridge.version import __version__

# Parts of the 0.9 s that the server has for stopping (SPEC §3.4).
_CALLS_STOP_S = 0.1
_LISTENER_STOP_S = 0.7
_THREAD_STOP_S = 0.1


class Bridge:
    """Everything behind the MCP endpoint: the executor, the ledger and the listener for Unity."""

    def __init__(self, config: Config, project: Optional[str] = None) -> None:
        """``project``: the path of the Unity project that this server is for, if it is for one
        (SPEC §18.1).
        """
        clock, ids, inbox = SystemClock(), Ids(), Inbox()
        catalogue = catalogue_for(config.job_default_timeout_ms, config.job_max_timeout_ms)
        limits = Limits(
            max_message_bytes=config.max_message_bytes,
            # For an attached server: the answer that is being sent, and the next one.
            outbox_bytes=max(Limits.outbox_bytes, 2 * attach.longest(config.max_message_bytes)),
            stop_s=_LISTENER_STOP_S,
        )
        self.ledger = Ledger(__version__, TransitionLog(Logger("ledger")))
        self._inbox = inbox
        if project is not None:
            project = real_path(project)
        self.validator = RequestValidator(catalogue, lambda: _project_folders(self.ledger, project))
        self.call_service: CallService = InboxCallService(inbox, ids)
        self.answer_max_bytes = config.answer_max_bytes
        attach_endpoint = AttachEndpoint(
            self.call_service,
            self.validator,
            shared_secret,
            __version__,
            inbox.put,
            clock,
            Logger("attach"),
        )
        if project is None:
            canonical_project = None
        else:
            canonical_project = canonical(project, sys.platform)
        link = OwnerLink(
            shared_secret,
            __version__,
            config.heartbeat_interval_ms / 1000,
            config.heartbeat_timeout_ms / 1000,
            inbox.put,
            clock,
            Logger("attach"),
            canonical_project,
        )

        def listener_for(client: UnityBridgeClient) -> WebSocketListener:
            endpoints = {
                **unity_endpoint(client),
                attach.PATH: Endpoint(
                    attach_endpoint, MAX_PEERS, attach.MAX_PIECE_BYTES, attach.INTRODUCTION_S
                ),
            }
            return WebSocketListener(endpoints, clock, Logger("websocket"), limits, shared_secret)

        self._unity = UnityBridgeClient(
            port=config.unity_ws_port,
            max_message_bytes=config.max_message_bytes,
            listener_for=listener_for,
            emit=inbox.put,
            emit_in_turn=inbox.put_of_peer,
            clock=clock,
            log=Logger("unity"),
            attach_link=link,
            secret=shared_secret,
            call_waiting_editors=call_waiting_editors,
        )
        probe = search_below if project is None else _life_probe(project, config.unity_ws_port)
        processes = EditorProcessProbe(project)
        self._watch = ProjectWatch(
            probe, inbox.put, Logger("project"), processes, is_search=project is None
        )
        settings = Settings(
            config, catalogue, self.validator.checked_result, self.validator.read_result, project
        )
        outside = Outside(self._unity, link, attach_endpoint, self._watch)
        wiring = Wiring(Core(self.ledger, settings, outside, clock, ids))
        self._executor = Executor(wiring, inbox, clock, Logger("executor"))

    @property
    def waiting_editors(self) -> Tuple[int, ...]:
        """The processes of the editors that waited when this bridge bound the port (SPEC §11.2)."""
        return self._unity.waiting_editors

    def start(self) -> None:
        self._executor.start()
        self._unity.start()

    def end_calls(self, reason: str) -> None:
        """Refuse new calls, and end open ones with what is known of them. Any thread; returns at
        once.
        """
        self._inbox.put(StopRequested(reason))

    def stop(self, reason: str) -> None:
        """End the calls, free the port, close every connection, join every thread. Takes a bounded
        time.
        """
        self.end_calls(reason)
        # What the executor says of the calls of attached servers must be on its way before their
        # connections close.
        self._executor.wait_for_stop(_CALLS_STOP_S)
        self._unity.stop(GOING_AWAY, "server stopping")
        self._executor.join(_THREAD_STOP_S)
        self._watch.stop(_THREAD_STOP_S)


def _life_probe(project: str, port: int) -> LifeProbe:
    return LifeProbe(project, partial(_opens, project), port)


def _opens(project: str) -> Optional[str]:
    """Return the command that opens the editor, which is only needed when there is none."""
    from unity_bridge.installation.command_line import command_in_full

    return command_in_full("open", project)


def _project_folders(ledger: Ledger, expected: Optional[str]) -> List[str]:
    """Return the project of the editor that is connected, and the one that this server is for."""
    session = ledger.session
    identity = None if session is None else session.identity
    connected = None if identity is None else identity.project_path
    return [folder for folder in (connected, expected) if folder]
