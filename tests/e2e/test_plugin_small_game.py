"""A small game, made by calls alone: tags, layers, a sprite sheet, a clip, an animator, a scene, settings
and a build (SPEC §16.7 to §16.9).
"""

from __future__ import annotations

import json
import sys
from typing import Any, Dict, List, Tuple

from tests.e2e.test_plugin_make import status_of
from tests.scripted_server import ScriptedServer
from tests.unity_headless.headless_editor import HeadlessEditor

SHEET, CLIP, CONTROLLER = "Assets/Hero.png", "Assets/Walk.anim", "Assets/Hero.controller"
SCENE = "Assets/Level.unity"

CALLS: List[Tuple[str, Dict[str, Any]]] = [
    ("tags", {"action": "add", "tag": "Enemy"}),
    ("tags", {"action": "add", "layer": "Ground"}),
    ("set_fields", {"path": SHEET, "values": {"importer.slices": {"cell": [32, 32]}}}),
    (
        "create_asset",
        {
            "path": CLIP,
            "values": {
                "frame_rate": 12,
                "loop": True,
                "sprites": {"frames": [f"{SHEET}/Hero_{number}" for number in range(4)]},
            },
        },
    ),
    (
        "create_asset",
        {
            "path": CONTROLLER,
            "values": {
                "parameters": {"Speed": "Float"},
                "states": {"Idle": {}, "Walk": {"motion": CLIP}},
                "transitions": [
                    {"from": "Idle", "to": "Walk", "conditions": [["Speed", ">", 0.1]]},
                    {"from": "Walk", "to": "Idle", "conditions": [["Speed", "<", 0.1]]},
                ],
            },
        },
    ),
    ("create_scene", {"path": SCENE}),
    (
        "batch",
        {
            "steps": [
                {
                    "name": "create_object",
                    "as": "hero",
                    "arguments": {
                        "name": "Hero",
                        "components": ["SpriteRenderer", "Animator"],
                        "values": {"Animator.runtimeAnimatorController": CONTROLLER},
                    },
                },
                {
                    "name": "create_object",
                    "arguments": {"name": "Floor", "kind": "cube", "values": {"layer": "Ground"}},
                },
            ]
        },
    ),
    ("set_fields", {"path": "ProjectSettings/Player", "values": {"companyName": "Small"}}),
    ("save_all", {}),
    ("build_scenes", {"action": "add", "path": SCENE}),
    # The list of the headless editor has a scene that is not on disk.
    ("build_player", {"path": "Builds/Game", "scenes": [SCENE]}),
]


def test_a_small_game_needs_no_csharp() -> None:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        server.ready_session()
        editor.arrange("world asset Assets|Folder", f"world asset {SHEET}|Data")
        editor.arrange("quirk sprite-package", "quirk unity-fields")
        (editor.project / "Assets").mkdir(exist_ok=True)
        editor.reload()
        session = server.ready_session()
        sent = received = 0
        for name, arguments in CALLS:
            status = status_of(session, name, arguments)
            assert status["state"] == "succeeded", (name, status["error"])
            sent += len(json.dumps({"name": name, "arguments": arguments}))
            received += len(json.dumps(status["result"]))
        assert editor.violations() == []
    sys.stdout.write(f"{len(CALLS)} calls, {sent} bytes of arguments, {received} of results\n")
