"""``play_mode``: enters and leaves play mode, pauses it, steps through it (SPEC §16.2)."""

from __future__ import annotations

from unity_bridge.catalogue.readable_result import ReadingRules
from unity_bridge.catalogue.schema import FLAG, NUMBER, TEXT, object_of, one_of, whole
from unity_bridge.catalogue.tool import job_tool

ACTIONS = ["enter", "exit", "pause", "resume", "step"]
MOST_FRAMES = 1000

TOOL = job_tool(
    name="play_mode",
    rank=4,
    other_names={
        "mode": "action",
        "state": "action",
        "command": "action",
        "count": "frames",
        "steps": "frames",
    },
    other_words={
        "action": {
            "play": "enter",
            "start": "enter",
            "stop": "exit",
            "leave": "exit",
            "unpause": "resume",
        },
    },
    title="Unity play mode",
    description=(
        "Enters play mode (answers once a frame has run), exits, pauses, resumes, or steps frames. Compile first."
    ),
    default_timeout_ms=60_000,
    max_timeout_ms=300_000,
    arguments={
        "action": one_of(ACTIONS, "What to do."),
        "frames": whole(1, MOST_FRAMES, "How many to step.", 1),
    },
    required=("action",),
    result_schema=object_of(
        {
            "playing": FLAG,
            "paused": FLAG,
            "frame": NUMBER,
            "changed": FLAG,
            "game_time_s": {"type": "number"},
            "reason": TEXT,
        },
        ("playing", "paused", "frame", "changed"),
    ),
    reading=ReadingRules(verdicts={"playing": None, "paused": None}),
    # Whether the change came about is not known.
    finds_faults=lambda result: None in (result["playing"], result["paused"]),
)
