"""The reasons for which the editor refuses, each with its own members of ``details`` (SPEC §15.8)."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, Mapping

from unity_bridge.base.frozen import frozen

HELD_BY = "held_by"


@frozen
class Reason:
    """``is_retryable``: it ends by itself, because another client or Unity is at work.

    ``waits_for_client``: it ends with the work of the client in ``held_by``.
    """

    members: FrozenSet[str] = frozenset()
    is_retryable: bool = False
    waits_for_client: bool = True


REASONS: Dict[str, Reason] = {
    **dict.fromkeys(
        (
            *("not_playing", "no_view", "not_allowed", "untrusted", "not_simulated"),
            *("no_navigation", "no_code_editor", "not_imported", "not_started", "run_aborted"),
            *(
                "reloaded_while_running",
                "compiler_failed",
                "paused",
                "no_event_system",
                "would_compile",
            ),
            *(
                "nothing_there",
                "not_interactable",
                "view_changed",
                "input_manager",
                "not_advancing",
            ),
            *("exists", "not_creatable", "arguments"),
        ),
        Reason(),
    ),
    "baking": Reason(is_retryable=True),
    **dict.fromkeys(
        ("compile_errors", "cancelled_by_unity", "safe_mode", "build_failed"),
        Reason(frozenset({"errors"})),
    ),
    "stale_code": Reason(frozenset({"pending_reason"})),
    "no_tests_matched": Reason(frozenset({"unmatched", "nearest"})),
    "scene_changed_on_disk": Reason(frozenset({"scenes"})),
    "unsaved_scenes": Reason(frozenset({"scenes", "assets", "windows", "settings"})),
    "would_ask": Reason(frozenset({"discarded"})),
    "busy": Reason(frozenset({"jobs", HELD_BY}), is_retryable=True),
    "building": Reason(frozenset({HELD_BY}), is_retryable=True),
    "playing": Reason(frozenset({HELD_BY})),
    # Another client's step does not end by waiting.
    "not_ours": Reason(frozenset({"name", HELD_BY}), waits_for_client=False),
    "covered": Reason(frozenset({"covered_by"})),
    "disk_full": Reason(frozenset({"file"})),
    **dict.fromkeys(("would_reimport", "not_offered"), Reason(frozenset({"field"}))),
    "bad_name": Reason(frozenset({"name"})),
    "in_use": Reason(frozenset({"objects"})),
    "exception": Reason(frozenset({"exception", "message", "stack"})),
    "compiler_missing": Reason(frozenset({"looked_at"})),
    "package_manager": Reason(frozenset({"message"})),
    "package_missing": Reason(frozenset({"package"})),
    "editor_ended": Reason(frozenset({"exit_status"})),
    "exit_code": Reason(frozenset({"exit_code", "result"})),
    "response": Reason(frozenset({"result"})),
}


def ends_by_itself(details: Mapping[str, Any]) -> bool:
    """Whether a refusal with these ``details`` is worth repeating."""
    reason = REASONS.get(str(details.get("reason")), Reason())
    return reason.is_retryable or (HELD_BY in details and reason.waits_for_client)
