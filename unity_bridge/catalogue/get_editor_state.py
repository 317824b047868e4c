"""``get_editor_state``: whether an editor is there, and what it is doing (SPEC §8)."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from unity_bridge.catalogue.answer_limits import rest
from unity_bridge.catalogue.loaded_code import LOADED, PENDING
from unity_bridge.catalogue.schema import (
    FLAG,
    FLAG_OR_NULL,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    list_of,
    object_of,
    switch,
)
from unity_bridge.catalogue.tool import Service, read_tool
from unity_bridge.text.json_types import JsonDict, JsonObject

# Members for people and for our own commands. No agent's next step follows from one of them.
DETAILS = (
    "server_state",
    "last_editor_status_seq",
    "port",
    "server_version",
    "plugin_version",
    "role",
    "clients",
    "calls",
)
DETAILS_OF_EDITOR = ("editor_instance_id",)
DETAILS_OF_LISTENER = ("state", "waited_ms")
_COUNTS = ("waiting", "queued")


def as_shown(params: JsonObject, state: JsonDict) -> JsonDict:
    """Return the state without what no agent needs, unless ``detail`` asks for it (SPEC §8)."""
    if params.get("detail"):
        return state
    state_shown = {name: value for name, value in state.items() if name not in DETAILS}
    state_shown["editor"] = _without(state.get("editor"), DETAILS_OF_EDITOR)
    state_shown["listener"] = _without(state.get("listener"), DETAILS_OF_LISTENER)
    for name in _COUNTS:
        state_shown[name] = state.get(name) or None
    return {
        name: value for name, value in state_shown.items() if value is not None or name == "code"
    }


def _without(value: Any, names: Tuple[str, ...]) -> Optional[JsonDict]:
    if not isinstance(value, dict):
        return None
    return {name: member for name, member in value.items() if name not in names} or None


_WITHOUT_SOME = "Only the first ones are here, and omitted counts the others."
# SPEC §15.9.
_COPY = object_of(
    {"file": TEXT, "copy": TEXT}
)  # of a batch that the editor did not survive (SPEC §16.7)
_JOB = object_of(dict.fromkeys(("job_id", "tool", "name", "state", "step", "client"), TEXT), ())


TOOL = read_tool(
    name="get_editor_state",
    rank=101,
    title="Get Unity editor state",
    description=(
        "Says whether a Unity Editor is connected, what it is doing and which jobs run. Answers at once, also while "
        "Unity is busy or closed; call it when something fails."
    ),
    service=Service.EDITOR_STATE,
    default_timeout_ms=5_000,
    max_timeout_ms=10_000,
    arguments={"detail": switch("All members.")},
    output_schema=object_of(
        {
            "connected": FLAG,
            "editor_state": TEXT,
            "playing": FLAG_OR_NULL,
            "running_jobs": list_of(_JOB),
        }
    ),
    as_shown=as_shown,
    gives_way=(
        rest("running_jobs", _WITHOUT_SOME, newest=20),
        rest("kept_copies", _WITHOUT_SOME, newest=20),
        rest("projects_below", _WITHOUT_SOME),
        rest("recent_calls", _WITHOUT_SOME),
    ),
    result_schema=object_of(
        {
            "server_state": {"enum": ["booting", "waiting_editor", "ready", "stopping", "stopped"]},
            "editor_state": {"enum": ["unknown", "ready", "compiling", "reloading"]},
            "connected": FLAG,
            "trusted": FLAG_OR_NULL,
            "playing": FLAG_OR_NULL,
            "paused": FLAG_OR_NULL,
            "game_time_s": {"type": "number"},
            "frame": NUMBER,
            "code": {"enum": [LOADED, PENDING, None]},
            "pending_reason": TEXT,
            "kept_copies": list_of(_COPY),
            "last_editor_status_seq": {"type": ["integer", "null"]},
            "port": {"type": ["integer", "null"]},
            "server_version": TEXT,
            "plugin_version": TEXT_OR_NULL,
            "editor": {"type": ["object", "null"]},
            "waiting": NUMBER,
            "queued": NUMBER,
            "running_jobs": list_of(_JOB),
            "listener": {"type": "object"},
            "role": {"enum": ["owner", "attached", "none"]},
            "clients": NUMBER,
            "calls": {"type": "object"},
            "stale": FLAG,
            "project": TEXT,
            "client_project_path": TEXT,
            "project_remark": TEXT,
            "reason": TEXT,
            "starting": TEXT,
            "advice": TEXT,
            "projects_below": list_of(TEXT),
        },
        (
            "server_state",
            "editor_state",
            "connected",
            "last_editor_status_seq",
            "port",
            "server_version",
            "plugin_version",
            "editor",
            "waiting",
            "queued",
            "running_jobs",
            "listener",
        ),
    ),
)
