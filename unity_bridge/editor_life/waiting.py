"""What the editor does until it is ready: one state at a time, each with its evidence (SPEC §22.6).

``Watch.look`` is asked again and again, with what ``get_editor_state`` says at that moment. Nothing is guessed from
silence: an editor that shows nothing is starting.
"""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional, Tuple

from unity_bridge.base.clock import Clock
from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.base.result import value_or
from unity_bridge.editor_life import processes
from unity_bridge.editor_life.editor_log_evidence import LogEvidence, LogFollower, Sign
from unity_bridge.editor_life.opening import Opened
from unity_bridge.editor_life.records import ERRORS_ENDING
from unity_bridge.projects.editor_lock import holder, is_open_in_unity
from unity_bridge.projects.editor_log import Compilation
from unity_bridge.projects.no_editor import WHY
from unity_bridge.projects.project_probe import NoPlugin
from unity_bridge.system.shared_file import read_text
from unity_bridge.text.foreign_text import quoted
from unity_bridge.text.json_types import JsonDict, JsonObject

READY, STARTING, COMPILING = "ready", "starting", "compiling"
UNTRUSTED, SAFE_MODE, DIALOG = "untrusted", "safe_mode", "dialog"
LICENCE, ANOTHER_INSTANCE, ENDED = "licence", "another_instance", "ended"
PORT_IN_USE, ENVIRONMENT = "port_in_use", "environment"
HELPER_FAILED, WATCH_LIMIT, PACKAGE_ERRORS = "helper_failed", "watch_limit", "package_errors"

_MOVED_WITHIN_MS = 3000
_DIALOG_S = 60.0
# What an editor in a dialog uses of one processor at most. One that imports uses more, it or its
# child processes.
_IDLE_SHARE = 0.05
_SILENT_MS = 60_000
_MOST_BYTES = 16 * 1024
# An editor restarts itself at times: it ends with status 0, and the new process has the project's
# lock some seconds later. One that crashed starts itself again at once or not at all.
_RESTARTS_WITHIN_S = 15.0
_CRASHED_FOR_S = 2.0
# Behind a virus scanner a helper has been seen to need three minutes.
_HELPER_MS = 300_000
# A server that is ending has its port for a moment. One that is slow on a busy machine is attached
# to within seconds, and Unity takes longer than that to start.
_BLOCKED_S = 10.0
# For so long a start whose scripts do not compile may still leave safe mode.
_LEFT_WITHIN_S = 5.0

_WHAT_TO_DO: Mapping[str, str] = {
    UNTRUSTED: "Its results are not trusted: update the plugin.",
    SAFE_MODE: "Fix these errors. Unity compiles again when its window gets the focus. Then run the command again.",
    DIALOG: "Answer the dialog in Unity's window, then run the same command again.",
    HELPER_FAILED: (
        "Run `unity-bridge open` in a terminal of your own: in an agent's sandbox or with few environment variables "
        "Unity cannot start its helpers. A virus scanner may stop them too."
    ),
    WATCH_LIMIT: (
        "Raise fs.inotify.max_user_instances and fs.inotify.max_user_watches with `sysctl`, or end programs that watch "
        "many files; then run the same command again."
    ),
    PACKAGE_ERRORS: (
        "Correct Packages/manifest.json or the package, and answer the dialog in Unity's window; then run the same "
        "command again."
    ),
    LICENCE: "Activate a licence in Unity Hub, or start the licence server; then run the same command again.",
    ANOTHER_INSTANCE: "Close the other editor that has this project open, or use that one.",
    ENDED: "The log says more. Run the same command again once the cause is gone.",
    PORT_IN_USE: f"{WHY[PORT_IN_USE].by_hand}.",
    ENVIRONMENT: f"{WHY[NoPlugin.SANDBOXED].by_hand}.",
}

_NEVER = 10**9
# On Windows an editor in batch mode ends by its crash handler after these.
_EXPLAINS_A_CRASH = (Sign.ANOTHER_INSTANCE, Sign.LICENCE)
# What a sign shows as long as the editor lives: the state, a sentence, and after how long it ends
# the wait.
_HOLDS_UP: Mapping[Optional[Sign], Tuple[str, str, int]] = {
    Sign.ANOTHER_INSTANCE: (ANOTHER_INSTANCE, "says that another editor has this project open", 0),
    Sign.LICENCE: (LICENCE, "has no valid licence", 0),
    Sign.LICENCE_AWAITED: (LICENCE, "waits for its licensing client", _NEVER),
    Sign.HELPER: (HELPER_FAILED, "cannot start the server of its package manager", 0),
    Sign.HELPER_AWAITED: (HELPER_FAILED, "cannot reach one of its helper programs", _HELPER_MS),
    Sign.WATCH_LIMIT: (WATCH_LIMIT, "has reached the system's limit of watched files", _HELPER_MS),
    Sign.PACKAGE_ERRORS: (PACKAGE_ERRORS, "cannot resolve the project's packages", 0),
}


@frozen
class EditorSeen:
    """One look. ``evidence`` and the rest are for people and for ``--json``. ``is_final``: waiting longer changes
    nothing."""

    state: str
    sentence: str
    is_final: bool = False
    members: JsonDict = made_by(dict)

    @property
    def advice(self) -> str:
        return _WHAT_TO_DO.get(self.state, "")


class Watch:
    """Follows one editor: the process and the log of one that ``open`` started, else the connection
    alone.
    """

    def __init__(
        self,
        project: str,
        opened: Opened,
        clock: Clock,
        used_s: Callable[[int], Optional[float]] = processes.used_s,
    ) -> None:
        """Watch the editor of ``opened``. ``used_s``: the processor time that an editor has used so
        far.
        """
        self._used_s = used_s
        # Since when the editor has done nothing, and the processor time that it had used until
        # then.
        self._idle: Optional[Tuple[float, float]] = None
        self._project = project
        self._editor = opened.editor
        self._child = opened.process
        self._clock = clock
        self._log = None if opened.editor is None else LogFollower(opened.editor.log)
        self._gone_since: Optional[float] = None
        self._blocked_since: Optional[float] = None
        self._failed_since: Optional[float] = None
        self.has_loaded = False

    def look(self, bridge: Optional[JsonObject]) -> EditorSeen:
        """``bridge``: what ``get_editor_state`` says with details; None if nobody listens for the
        plugin.
        """
        if bridge is not None and bridge.get("reason") == NoPlugin.SANDBOXED:
            return EditorSeen(ENVIRONMENT, WHY[NoPlugin.SANDBOXED].sentence, True)
        evidence = LogEvidence() if self._log is None else self._log.read(self._clock.now())
        self.has_loaded = evidence.has_loaded
        connected = None if bridge is None else self._connected(bridge, evidence)
        if connected is not None:
            self._gone_since = None
            return connected
        if self._is_gone(evidence):
            return self._ended(evidence)
        held_up = self._held_up(evidence)
        if held_up is not None and held_up.is_final:
            return held_up
        return self._safe_mode(evidence) or self._blocked(bridge) or held_up or self._busy(evidence)

    def _connected(self, bridge: JsonObject, evidence: LogEvidence) -> Optional[EditorSeen]:
        editor = bridge.get("editor")
        if not bridge["connected"] or not isinstance(editor, dict):
            return None
        trusted = bridge.get("trusted")
        stalled_ms = editor.get("main_thread_stalled_ms") or 0
        if trusted is False:
            why = quoted(str(editor.get("untrusted") or "it has no proof"))
            return EditorSeen(
                UNTRUSTED, f"The plugin has not proved that it runs as your user: {why}", True
            )
        members = {"main_thread_stalled_ms": stalled_ms, **_log_members(evidence)}
        # A long import holds the main thread too; it writes to the log, or uses the processor.
        if self._is_idle(stalled_ms, evidence):
            sentence = f"Unity's main thread has stood still for {stalled_ms // 1000} s, as it does in a dialog"
            return EditorSeen(DIALOG, sentence, True, members)
        if bridge["editor_state"] != "ready":
            return EditorSeen(
                COMPILING, f"Unity is {bridge['editor_state']}", members=_log_members(evidence)
            )
        if trusted is None or stalled_ms >= _MOVED_WITHIN_MS:
            return EditorSeen(
                STARTING, "The plugin is connected, and Unity is still busy", members=members
            )
        return EditorSeen(READY, "ready", True, {"trusted": True})

    def _is_idle(self, stalled_ms: int, evidence: LogEvidence) -> bool:
        """Whether the loaded editor has done nothing for as long as only a dialog keeps it. An editor that ``open`` did
        not start has its log elsewhere, and had loaded the project before."""
        still_ms = stalled_ms if evidence.silent_ms is None else min(stalled_ms, evidence.silent_ms)
        is_loaded = evidence.has_loaded or self._log is None
        pid = self._pid() if is_loaded and still_ms >= _MOVED_WITHIN_MS else None
        used_s = None if pid is None else self._used_s(pid)
        if used_s is None:
            self._idle = None
            return False
        now = self._clock.now()
        since, used_before_s = self._idle or (now, used_s)
        if abs(used_s - used_before_s) > max(1.0, now - since) * _IDLE_SHARE:
            since, used_before_s = now, used_s
        self._idle = since, used_before_s
        return min(now - since, still_ms / 1000) >= _DIALOG_S

    def _pid(self) -> Optional[int]:
        if self._editor is not None:
            return self._editor.pid
        try:
            return holder(self._project) or None
        except OSError:
            return None

    def _held_up(self, evidence: LogEvidence) -> Optional[EditorSeen]:
        if evidence.sign not in _HOLDS_UP:
            return None
        state, obstacle, final_after_ms = _HOLDS_UP[evidence.sign]
        return EditorSeen(
            state, f"Unity {obstacle}", evidence.sign_ms >= final_after_ms, _log_members(evidence)
        )

    def _is_gone(self, evidence: LogEvidence) -> bool:
        """Whether the process has ended, and no other one of the editor has taken its place."""
        if self._editor is None:
            gone = is_open_in_unity(self._project) is False
        else:
            is_child_gone = self._child is not None and self._child.poll() is not None
            gone = (is_child_gone or not self._editor.is_alive) and not is_open_in_unity(
                self._project
            )
        now = self._clock.now()
        if not gone:
            self._gone_since = None
            return False
        self._gone_since = self._gone_since or now
        status = None if self._child is None else self._child.poll()
        within_s = _CRASHED_FOR_S if evidence.ends_as_a_crash else _RESTARTS_WITHIN_S
        return (status or 0) != 0 or now - self._gone_since >= within_s

    def _ended(self, evidence: LogEvidence) -> EditorSeen:
        status = None if self._child is None else self._child.poll()
        if status is None:
            how = ""
        elif status >= 0:
            how = f" with exit status {status}"
        else:
            how = f" by signal {-status}"
        members = {**_log_members(evidence), "crashed": evidence.ends_as_a_crash}
        if status is not None:
            members["exit_status"] = status
        explains_the_end = evidence.sign in _EXPLAINS_A_CRASH or not evidence.ends_as_a_crash
        if evidence.sign in (Sign.LICENCE, Sign.LICENCE_AWAITED) and explains_the_end:
            return EditorSeen(LICENCE, f"Unity ended{how} without a valid licence", True, members)
        if evidence.sign in _HOLDS_UP and explains_the_end:
            state, obstacle, _ = _HOLDS_UP[evidence.sign]
            return EditorSeen(state, f"Unity ended{how}: it {obstacle}", True, members)
        why = ", because the disk is full" if evidence.sign is Sign.DISK_FULL else ""
        if evidence.ends_as_a_crash:
            why = ", and its log ends as a crash does"
        content = evidence.content
        if content.compilation is Compilation.FAILED and content.errors:
            members["errors"] = [error._asdict() for error in content.first]
            why = ", because the scripts do not compile"
        errors = self._errors()
        if not evidence.last and errors:
            members["evidence"] = list(errors)
        return EditorSeen(ENDED, f"Unity ended{how} before it was ready{why}", True, members)

    def _safe_mode(self, evidence: LogEvidence) -> Optional[EditorSeen]:
        """Return safe mode, which a person may leave, and which Unity leaves by itself if a
        preference says so.
        """
        content = evidence.content
        if not content.is_safe_mode:
            self._failed_since = None
            return None
        self._failed_since = self._clock.now() if self._failed_since is None else self._failed_since
        is_final = self._clock.now() - self._failed_since >= _LEFT_WITHIN_S
        members = {**_log_members(evidence), "errors": [error._asdict() for error in content.first]}
        sentence = f"Unity runs no packages, because the scripts have {content.errors} compile errors (safe mode)"
        return EditorSeen(SAFE_MODE, sentence, is_final, members)

    def _busy(self, evidence: LogEvidence) -> EditorSeen:
        members = _log_members(evidence)
        if evidence.content.compilation is Compilation.RUNNING:
            return EditorSeen(COMPILING, "Unity compiles the scripts", members=members)
        if evidence.content.compilation is Compilation.FAILED:
            members["errors"] = [error._asdict() for error in evidence.content.first]
            return EditorSeen(
                STARTING, "Unity is starting, and its scripts do not compile", members=members
            )
        silent_ms = evidence.silent_ms
        if silent_ms is None or silent_ms < _SILENT_MS:
            return EditorSeen(STARTING, "Unity is starting", members=members)
        sentence = (
            f"Unity is starting, and its log has been silent for {silent_ms // 1000} s: a dialog of Unity or of Hub "
            "may be waiting"
        )
        return EditorSeen(STARTING, sentence, members=members)

    def _blocked(self, bridge: Optional[JsonObject]) -> Optional[EditorSeen]:
        """Why no plugin can connect to this command, whatever the editor does."""
        if bridge is None or bridge["listener"].get("reason") != "port_in_use":
            self._blocked_since = None
            return None
        self._blocked_since = self._blocked_since or self._clock.now()
        if self._clock.now() - self._blocked_since < _BLOCKED_S:
            return None
        holder = bridge["listener"].get("holder") or "another program"
        sentence = f"Port {bridge['port']} is in use by {quoted(str(holder))}, so the plugin cannot connect"
        return EditorSeen(PORT_IN_USE, sentence, True)

    def _errors(self) -> List[str]:
        """Return the end of what the program wrote to stderr, as for a library that is missing."""
        if self._editor is None:
            return []
        text = read_text(f"{self._editor.log}{ERRORS_ENDING}", _MOST_BYTES, "latin-1")
        lines = (value_or(text, None) or "").split("\n")
        return [quoted(line) for line in lines if line.strip()][-3:]


def _log_members(evidence: LogEvidence) -> JsonDict:
    """``log_silent_ms`` and the last line, or the lines that show the state."""
    members: JsonDict = {"evidence": list(evidence.lines)} if evidence.lines else {}
    if evidence.silent_ms is not None:
        members["log_silent_ms"] = evidence.silent_ms
        members["log_last_line"] = evidence.last
    return members


def members_of(opened: Opened) -> JsonDict:
    """Return what ``open`` says of the editor's process (SPEC §22.6)."""
    editor = opened.editor
    if editor is None:
        return {"started": False}
    members: Tuple[Tuple[str, Any], ...] = (
        ("program", editor.program),
        ("version", editor.version or None),
        ("found_by", editor.found_by),
        ("pid", editor.pid),
        ("log", editor.log),
    )
    return {
        **{name: value for name, value in members if value is not None},
        "started": opened.was_started,
    }
