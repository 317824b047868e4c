"""``Editor``: what the rooms above may ask about the editor. It reads the ledger and the room's
other parts, and writes nothing.
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.catalogue.before_proof import what_is_closed
from unity_bridge.catalogue.calls import Call
from unity_bridge.catalogue.tool import Tool
from unity_bridge.core import errors
from unity_bridge.core.context import Core
from unity_bridge.core.editor import no_editor_errors
from unity_bridge.core.editor.project_probes import ProjectProbes
from unity_bridge.core.editor.sessions import Sessions
from unity_bridge.core.editor.trust import untrusted
from unity_bridge.core.ledger.machines import ListenerState, ServerState
from unity_bridge.core.ledger.records import EditorIdentity, Parked, Trust
from unity_bridge.projects.project_probe import NoPlugin

_STARTING = NoPlugin.EDITOR_STARTING.value


class Editor:
    """``sessions``, ``slot`` and ``probes`` answer some questions by themselves. For the executor
    thread alone.
    """

    def __init__(self, core: Core, sessions: Sessions, probes: ProjectProbes) -> None:
        self._core = core
        self.sessions = sessions
        self.slot = sessions.slot
        self.probes = probes

    # Whether this editor serves a call.

    def refuses(self, call: Call) -> Optional[ToolError]:
        """Why ``call`` may not be sent to this editor. Asked just before: the editor may be another
        one by now.
        """
        return self.wrong_project(call) or self.lacks(call)

    def lacks(self, call: Call) -> Optional[ToolError]:
        """Why ``call`` may not be sent: the plugin does not have the tool (SPEC §15.5) or is not
        trusted (§17.2).

        None while no plugin is connected: nothing is known of the next one.
        """
        session, tool = self._core.ledger.session, call.tool
        if session is None or session.identity is None:
            return None
        if not self.has(session.identity, tool):
            return errors.lacking(tool.name, session.identity.plugin_version)
        if session.trust is Trust.PROVEN:
            return None
        closed = what_is_closed(tool.name, call.params, tool.defaults)
        if closed is None:
            return None
        return untrusted(closed, session.trust)

    def has(self, identity: EditorIdentity, tool: Tool) -> bool:
        """Whether this plugin carries out ``tool``."""
        if identity.tools is None:
            return tool.is_in_every_plugin
        return tool.name in identity.tools

    def wrong_project(self, call: Call) -> Optional[ToolError]:
        """Why the editor here does not serve ``call``: it has another project. Only an attached
        server's call can be for another one (SPEC §18.2).
        """
        if call.project is None:
            return None
        slot_project = self.slot.project
        if slot_project is None or call.project == slot_project:
            return None
        return no_editor_errors.other_project(call.project, slot_project)

    def cannot_connect(self) -> Optional[ToolError]:
        """Why no editor can connect: another program has the port (SPEC §2.5), or this process is
        in a sandbox.
        """
        listener = self._core.ledger.listener_now
        if self.probes.seen.reason is NoPlugin.SANDBOXED:
            return no_editor_errors.sandboxed(listener.port)
        if listener.state is ListenerState.BLOCKED:
            return no_editor_errors.port_blocked(listener)
        return None

    # How long to wait for it (SPEC §3.2).

    def parked(self, since: float, before: Optional[Parked] = None) -> Parked:
        """How long a call that waits since ``since`` may go on waiting, as things stand now.

        When the reason changes, the longer of the windows that applied counts, and the reason goes
        with it; of two equal ones the present, which says what the editor does now.
        """
        now = self._as_things_stand(since)
        was_starting = before is not None and before.reason == _STARTING and now.reason != _STARTING
        if was_starting or self.probes.has_ended:
            # The editor has ended: there is nothing more to wait for. Not before this moment: a
            # deadline long ago would look as if the machine had slept.
            return changed(now, deadline=max(now.deadline, self._core.now()))
        if before is not None and before.deadline > now.deadline:
            return before
        return now

    def back_within_s(self) -> float:
        """How long to wait for a lost connection, from its loss."""
        config = self._core.config
        is_idle = self._core.ledger.editor_now.busy_seen_at is None
        return (
            config.request_reconnect_wait_ms if is_idle else config.compile_grace_timeout_ms
        ) / 1000

    def _as_things_stand(self, since: float) -> Parked:
        editor, grace_s = (
            self._core.ledger.editor_now,
            self._core.config.compile_grace_timeout_ms / 1000,
        )
        if self._core.ledger.session is not None:
            return Parked(since, since + grace_s, ErrorCode.COMPILE_TIMEOUT, editor.state.value)
        if editor.busy_seen_at is not None:
            until = editor.busy_seen_at + grace_s
            return Parked(since, until, ErrorCode.COMPILE_TIMEOUT, editor.state.value)
        if self.probes.seen.reason is NoPlugin.EDITOR_STARTING:
            return Parked(since, since + grace_s, ErrorCode.EDITOR_NOT_READY, _STARTING)
        until = since + self._core.config.request_reconnect_wait_ms / 1000
        return Parked(since, until, ErrorCode.EDITOR_NOT_READY, no_editor_errors.DISCONNECTED)

    # Why none is connected.

    def may_be_coming(self) -> bool:
        """Whether an editor may be on its way: no call that came with the server, or with a loss,
        has waited enough.
        """
        since = self._core.ledger.listener_now.alone_since
        is_early = (
            since is not None
            and self._core.now() - since < self._core.config.request_reconnect_wait_ms / 1000
        )
        return is_early or self._core.ledger.server_now.state is ServerState.BOOTING

    def waited_in_vain(self, parked: Parked, is_cut_short: bool = False) -> ToolError:
        """Return the error for a turn that has been parked for too long, or for longer than its
        client waits.
        """
        refused = self.slot.lately_refused
        if (
            is_cut_short
            and parked.reason == no_editor_errors.DISCONNECTED
            and refused is None
            and self.may_be_coming()
        ):
            parked = changed(parked, reason=no_editor_errors.CONNECTING)
        waited_s, port = self._core.now() - parked.since, self._core.ledger.listener_now.port
        return no_editor_errors.waited_in_vain(
            parked, waited_s, port, self.probes.seen, self._core.project, refused
        )
