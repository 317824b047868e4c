"""``StateAnswers``: the editor's state and the bridge's, from the ledger, at any time (SPEC §8)."""

from __future__ import annotations

import sys
from typing import Iterator, Optional

from unity_bridge.base.frozen import frozen
from unity_bridge.core.calls.requests import Requests
from unity_bridge.core.calls.waiting import progress_now
from unity_bridge.core.context import Core
from unity_bridge.core.editor import no_editor_errors
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.editor.trust import untrusted_remark
from unity_bridge.core.jobs.jobs import JobRecords
from unity_bridge.core.ledger.machines import ListenerState
from unity_bridge.core.ledger.records import (
    EditorRecord,
    ListenerRecord,
    RequestRecord,
    SessionRecord,
    Trust,
)
from unity_bridge.projects.canonical_path import canonical
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.system.loopback import sandbox_of_codex
from unity_bridge.text.json_types import JsonDict, JsonObject

_MOST_JOBS = 32
_UNTRUSTED = "untrusted"
_OWNER_SILENT = "the server that owns the port does not answer; this is what is known without it"
_OWNER_SAID = "the server that owns the port does not answer; this is what it said last"


@frozen
class SilentOwner:
    """The owner of the port, which would know, does not answer. ``said`` is its last answer, if
    there was one.
    """

    said: Optional[JsonObject]


class StateAnswers:
    """Answers ``get_editor_state``. Reads only. For the executor thread alone."""

    def __init__(self, core: Core, editor: Editor, jobs: JobRecords, requests: Requests) -> None:
        self._core = core
        self._editor = editor
        self._jobs = jobs
        self._requests = requests

    def answer(self, request: RequestRecord, owner: Optional[SilentOwner] = None) -> None:
        """With a silent ``owner`` the answer is marked as stale: it must not be taken for the
        present state.
        """
        if owner is None:
            self._requests.answered_here(request.id, self._known(request.call.client))
            return
        state = dict(owner.said or self._known(request.call.client))
        remark = _OWNER_SAID if owner.said else _OWNER_SILENT
        state.update(stale=True, listener={**state["listener"], "remark": remark})
        self._requests.answered_here(request.id, state)

    def _known(self, client: Optional[str]) -> JsonDict:
        ledger = self._core.ledger
        listener, session, editor = ledger.listener_now, ledger.session, ledger.editor_now
        versions, (waiting, queued) = ledger.version.value, ledger.counts()
        if session is None or session.trust is Trust.AWAITED:
            is_trusted = None
        else:
            is_trusted = session.is_trusted
        state = {
            "server_state": ledger.server_now.state.value,
            "editor_state": editor.state.value,
            "connected": session is not None,
            # None: it is not known, or not yet.
            "trusted": is_trusted,
            "playing": editor.playing,
            "paused": editor.paused,
            "code": editor.code,
            "last_editor_status_seq": editor.seq,
            "port": listener.port,
            "server_version": versions.server,
            "plugin_version": versions.plugin,
            "editor": None if session is None else self._about(session, editor),
            "waiting": waiting,
            "queued": queued,
            "running_jobs": [*self._open_jobs(client), *self._untrusted_jobs(session, editor)][
                :_MOST_JOBS
            ],
            "listener": self._listener(listener, session),
            "role": _ROLES.get(listener.state, "none"),
            "clients": 1 + listener.clients,
            "calls": self._requests.figures.as_json(),
        }
        members = {
            "pending_reason": editor.pending_reason,
            "game_time_s": editor.game_time_s,
            "frame": editor.frame,
            "kept_copies": editor.kept_copies,
            "project": self._core.project,
            "client_project_path": self._core.config.client_project,
            "project_remark": self._editor.sessions.takeover_remark,
            # A sandbox shows itself already when the port is taken.
            "reason": self._reason(listener),
            **self._editor.probes.seen.members(),
        }
        return with_project_remark({**state, **_without_none(members)})

    def _reason(self, listener: ListenerRecord) -> Optional[str]:
        """Return the reason to show while no editor is connected, or None.

        A sandbox shows itself already when the port is taken. In its first seconds a server waits
        for the editor, as its calls do.
        """
        if listener.reason == NoPlugin.SANDBOXED.value:
            return listener.reason
        has_come = self._core.ledger.version.value.plugin is not None
        if self._editor.may_be_coming() and not has_come:
            return no_editor_errors.CONNECTING
        return None

    def _open_jobs(self, client: Optional[str]) -> Iterator[JsonDict]:
        """Yield the jobs that have not ended, as far as is known, for ``client`` (SPEC §15.9)."""
        ledger, now = self._core.ledger, self._core.now()
        present = {request.call.client for request in ledger.open_requests()}
        for job in self._jobs.open():
            whose = "this" if job.client == client else "other"
            if whose == "other" and job.call is None and job.client not in present:
                whose = "earlier"
            name = job.name if job.call is None else job.call.params.get("name")
            yield _without_none(
                {
                    "job_id": job.id,
                    "tool": job.tool_name,
                    "name": name if isinstance(name, str) else None,
                    "state": job.state.value,
                    "step": progress_now(job, ledger.editor_now, now).step,
                    "age_ms": round((now - job.began_at) * 1000),
                    "client": whose,
                }
            )

    def _untrusted_jobs(
        self, session: Optional[SessionRecord], editor: EditorRecord
    ) -> Iterator[JsonDict]:
        """Yield the jobs of a server without proof that the editor could not stop, until they end
        (SPEC §17.2).

        The plugin says how many are left; they end in their order.
        """
        identity = None if session is None else session.identity
        if session is None or identity is None:
            return
        jobs = [
            job
            for job in identity.listed
            if "job_id" not in job and job.get("client", _UNTRUSTED) == _UNTRUSTED
        ]
        count = (
            len(jobs) if editor.untrusted_jobs is None else min(len(jobs), editor.untrusted_jobs)
        )
        for job in jobs[len(jobs) - count :]:
            since_hello_ms = round((self._core.now() - session.greeted_at) * 1000)
            age = {"age_ms": job["age_ms"] + since_hello_ms} if "age_ms" in job else {}
            yield {**job, **age, "client": _UNTRUSTED}

    def _about(self, session: SessionRecord, editor: EditorRecord) -> JsonDict:
        identity = session.identity
        assert identity is not None  # its hello said it before the session became active
        needed = (tool for tool in self._core.catalogue.values() if tool.needs_editor)
        missing = [tool.name for tool in needed if not self._editor.has(identity, tool)]
        return _without_none(
            {
                "unity_version": identity.unity_version,
                "project_name": identity.project_name,
                "project_path": identity.project_path,
                "editor_instance_id": identity.instance_id,
                # The tools that the plugin does not carry out (SPEC §15.5).
                "missing_tools": missing or None,
                "untrusted": untrusted_remark(session.trust),
                "main_thread_stalled_ms": editor.stalled_ms,
                "compile_errors": editor.compile_errors,
                "faulted_messages": session.faults or None,
            }
        )

    def _listener(self, listener: ListenerRecord, session: Optional[SessionRecord]) -> JsonDict:
        is_alone = listener.state is ListenerState.LISTENING and listener.alone_since is not None
        alone_ms = None
        if is_alone:
            alone_ms = round((self._core.now() - (listener.alone_since or 0)) * 1000)
        return _without_none(
            {
                "state": listener.state.value,
                "reason": listener.reason,
                "holder": listener.holder,
                "remark": listener.remark or (None if session is not None else sandbox_of_codex()),
                "refused": self._editor.slot.lately_refused,
                # For how long the port has been ours without an editor.
                "waited_ms": alone_ms,
            }
        )


# Of the folder or the project that a server is for.
_SEEN_BY_ONE = ("reason", "starting", "advice", "project_remark")


# Of the server that answers, and of no other.
_OF_ITS_OWN = ("projects_below", "client_project_path")


def as_seen_here(
    reported: JsonObject,
    project: Optional[str],
    client_project: Optional[str],
    probe: ProjectProbe,
) -> JsonDict:
    """Return the owner's report as this server, which is for ``project`` or for none, shows it to
    its client.

    The owner may be for another project, have another folder, and have a client that sees the
    project elsewhere.

    ``probe``: what this server has seen itself.
    """
    reported = {name: value for name, value in reported.items() if name not in _OF_ITS_OWN}
    reported.update(_without_none({"client_project_path": client_project}))
    if project is None:
        if reported.get("connected") is False:
            reported.update(probe.members())
        return reported
    is_same = reported.get("project") == project
    state = {name: value for name, value in reported.items() if is_same or name not in _SEEN_BY_ONE}
    if "reason" not in state and not state["connected"]:
        state.update(probe.members())
    return with_project_remark({**state, "project": project})


def with_project_remark(state: JsonDict) -> JsonDict:
    """Whether the editor that is connected has the project open that is expected, where it is not
    known to (§18.2).
    """
    project, editor = state.get("project"), state["editor"]
    if project is None or not isinstance(editor, dict):
        return state
    path = editor.get("project_path")
    if not isinstance(path, str):
        return {**state, "project_remark": "the plugin does not say which project it has open"}
    if canonical(path, sys.platform) != canonical(project, sys.platform):
        return {
            **state,
            "project_remark": "the editor on this port has another project open; calls are refused",
        }
    return state


_ROLES = {ListenerState.LISTENING: "owner", ListenerState.ATTACHED: "attached"}


def _without_none(values: JsonObject) -> JsonDict:
    return {name: value for name, value in values.items() if value is not None}
