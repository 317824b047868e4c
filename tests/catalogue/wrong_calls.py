"""A hundred calls as models get them wrong, and what becomes of each (SPEC §12.6).

Taken from the names and spellings of other bridges' tools, of Unity's own API and of the clients' logs. ``taken``: the
call runs, with these of its arguments. ``taught``: it is refused, and the sentence has these words, which are enough to
get the next call right. ``lost``: it is refused, and nothing in the sentence helps.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple, Union

PROJECT = "/home/me/My Game"


class WrongCall(NamedTuple):
    tool: str
    arguments: Any
    taken: Union[Dict[str, Any], None] = None
    taught: Tuple[str, ...] = ()


def taken(tool: str, arguments: Any, /, **meant: Any) -> WrongCall:
    return WrongCall(tool, arguments, meant)


def taught(tool: str, arguments: Any, *words: str) -> WrongCall:
    return WrongCall(tool, arguments, None, words)


def lost(tool: str, arguments: Any) -> WrongCall:
    return WrongCall(tool, arguments)


HIERARCHY = {"what": "hierarchy"}
ASSETS = {"what": "assets"}

WRONG_CALLS: List[WrongCall] = [
    # Names of arguments.
    taken("read_console", {"maxEntries": 20}, max_entries=20),
    taken("read_console", {"max-entries": 20}, max_entries=20),
    taken("read_console", {"MaxEntries": 20}, max_entries=20),
    taken("read_console", {"includeStackTrace": True}, include_stack_trace=True),
    taken("run_tests", {"includePassed": True}, include_passed=True),
    taken("compile", {"changedScenes": "disk"}, changed_scenes="disk"),
    taken("screenshot", {"maxSize": 512}, max_size=512),
    taken("get_job_status", {"jobId": "job-1"}, job_id="job-1"),
    taken("cancel_job", {"job-id": "job-1"}, job_id="job-1"),
    taught("read_console", {"maxEntries": 20, "max_entries": 30}, "nearest is max_entries"),
    taught("read_console", {"count": 20}, "nearest is max_entries"),
    taught("read_console", {"limit": 20}, "nearest is max_entries"),
    taught("read_console", {"lines": 100}, "nearest is max_entries"),
    taught("read_console", {"log_type": "error"}, "nearest is types"),
    taught("read_console", {"level": "error"}, "nearest is types"),
    taught("read_console", {"logType": "Error"}, "nearest is types"),
    taught("read_console", {"filter": "NullReference"}, "nearest is contains"),
    taught(
        "read_console",
        {"clear": True},
        'run_command with name: "clear_console" empties the console',
    ),
    taught("run_tests", {"test_names": ["A.B.C"]}, "nearest is filter"),
    taught("run_tests", {"testFilter": "A.B.C"}, "nearest is filter"),
    taught("run_tests", {"tests": "A.B.C"}, "nearest is filter"),
    taught("run_tests", {"testMode": "EditMode"}, "nearest is mode"),
    taught("run_tests", {"platform": "EditMode"}, "nearest is mode"),
    taught("run_tests", {"category": "Fast"}, "nearest is filter"),
    taught("compile", {"recompile": True}, "nearest is force"),
    taught(
        "compile",
        {"path": "Assets/A.cs"},
        "compiles everything that has changed",
        "It takes: force",
    ),
    taught("inspect", {**HIERARCHY, "name": "Player"}, "nearest is query"),
    taught("inspect", {**HIERARCHY, "max_depth": 3}, "nearest is depth"),
    taught("inspect", {"target": "Main/Player", "what": "object"}, "nearest is path"),
    taught("inspect", {**ASSETS, "maxResults": 5}, "nearest is limit"),
    taught("screenshot", {"width": 800, "height": 600}, "nearest is max_size"),
    taught("screenshot", {"camera": "Main Camera"}, "nearest is view"),
    taught("play_mode", {"mode": "play"}, "nearest is action"),
    taught("play_mode", {"state": "enter"}, "nearest is action"),
    taught("run_csharp", {"script": "1+1"}, "nearest is code"),
    taken("run_command", {"command": "list_scenes"}, name="list_scenes"),
    taken(
        "run_command",
        {"name": "open_scene", "args": {"path": "x"}},
        name="open_scene",
        arguments={"path": "x"},
    ),
    taught("run_command", {"name": "ping", "command": "list_scenes"}, "command"),
    taught(
        "run_command",
        {"name": "menu", "path": "File/Save"},
        'arguments: {"size": 3}',
        "It takes: name",
    ),
    taught("get_job_status", {"id": "job-1"}, "nearest is job_id"),
    taught("cancel_job", {"job": "job-1"}, "nearest is job_id"),
    # Words of an enum.
    taken("run_tests", {"mode": "EditMode"}, mode="edit"),
    taken("run_tests", {"mode": "PlayMode"}, mode="play"),
    taken("run_tests", {"mode": "edit_mode"}, mode="edit"),
    taken("run_tests", {"mode": "Play Mode"}, mode="play"),
    taken("run_tests", {"mode": "ALL"}, mode="all"),
    taken("run_tests", {"mode": "both"}, mode="all"),
    taught("run_tests", {"mode": "editor"}, '"all", "edit", "play"'),
    taken("run_tests", {"unsaved": "Save"}, unsaved="save"),
    taught("run_tests", {"unsaved": "discard"}, '"refuse", "save"'),
    taken("read_console", {"types": ["Error", "Warning"]}, types=["error", "warning"]),
    taken("read_console", {"types": ["errors"]}, types=["error"]),
    taken("read_console", {"types": ["info"]}, types=["log"]),
    taught("read_console", {"types": ["all"]}, '"log", "warning", "error", "assert", "exception"'),
    taught("read_console", {"types": ["fatal"]}, '"exception"'),
    taken("screenshot", {"view": "Game"}, view="game"),
    taken("screenshot", {"view": "SceneView"}, view="scene"),
    taken("screenshot", {"view": "game_view"}, view="game"),
    taken("screenshot", {"format": "jpeg"}, format="jpg"),
    taken("screenshot", {"format": "PNG"}, format="png"),
    taught("screenshot", {"format": "webp"}, '"jpg", "png"'),
    taught("screenshot", {"view": "camera"}, '"game", "scene"'),
    taken("play_mode", {"action": "Enter"}, action="enter"),
    taken("play_mode", {"action": "play"}, action="enter"),
    taken("play_mode", {"action": "stop"}, action="exit"),
    taken("play_mode", {"action": "unpause"}, action="resume"),
    taught("play_mode", {"action": "toggle"}, '"enter", "exit", "pause"'),
    taught("play_mode", {}, "action is missing", '"enter"'),
    taken("inspect", {"what": "Hierarchy"}, what="hierarchy"),
    taken("inspect", {"what": "scene"}, what="scenes"),
    taken("inspect", {"what": "GameObject", "path": "Main/Player"}, what="object"),
    taught("inspect", {"what": "components"}, '"hierarchy", "object"'),
    taught("inspect", {}, "what is missing", '"scenes"'),
    taught("inspect", {"path": "Main/Player"}, "what is missing"),
    # Types.
    taken("read_console", {"max_entries": "12"}, max_entries=12),
    taken("read_console", {"max_entries": 12.0}, max_entries=12),
    taught("read_console", {"max_entries": 100000}, "from 1 to 2000"),
    taught("read_console", {"max_entries": 0}, "from 1 to 2000"),
    taught("read_console", {"max_entries": "all"}, "from 1 to 2000"),
    taken("read_console", {"types": "error"}, types=["error"]),
    taken("read_console", {"types": "error,warning"}, types=["error", "warning"]),
    taken("read_console", {"types": "Error, Exception"}, types=["error", "exception"]),
    taken("read_console", {"types": '["error"]'}, types=["error"]),
    taken("compile", {"force": "true"}, force=True),
    taken("compile", {"force": "True"}, force=True),
    taken("run_tests", {"refresh": "FALSE"}, refresh=False),
    taught("compile", {"force": 1}, "true or false"),
    taught("compile", {"force": "yes"}, "true or false"),
    taken("run_tests", {"filter": ["A.B.C"]}, filter="A.B.C"),
    taught("run_tests", {"filter": ["A.B.C", "A.B.D"]}, "filter must be a string", ";"),
    taken("run_csharp", {"code": "1", "usings": "System.Linq"}, usings=["System.Linq"]),
    taken(
        "run_csharp",
        {"code": "1", "usings": "System, System.Linq"},
        usings=["System", "System.Linq"],
    ),
    taught("run_csharp", {"code": ["1"]}, "code must be"),
    taken("run_command", {"name": "x", "arguments": '{"n": 1}'}, arguments={"n": 1}),
    taught("run_command", {"name": "x", "arguments": ["a"]}, "an object"),
    # Paths.
    taken("inspect", {**ASSETS, "path": "Assets\\Items"}, path="Assets/Items"),
    taken("inspect", {**ASSETS, "path": f"{PROJECT}/Assets/Items"}, path="Assets/Items"),
    # Names of tools.
    taught("execute_csharp", {"code": "1"}, "nearest is run_csharp"),
    taught("read_console_logs", {}, "nearest is read_console"),
    taught("get_hierarchy", {}, "nearest is inspect"),
    taught("execute_menu_item", {"path": "File/Save"}, "nearest is run_command"),
    taught("take_screenshot", {}, "nearest is screenshot"),
    taught("recompile_scripts", {}, "nearest is compile"),
    taught("manage_gameobject", {}, "nearest is run_command with name: "),
    taught("create_gameobject", {"name": "Cube"}, "nearest is run_command with name: "),
    taught("set_component_property", {}, "nearest is run_command with name: "),
    taught("save_scene", {}, "nearest is run_command with name: "),
    taught("find_gameobjects", {"name": "Player"}, "nearest is inspect"),
    taught("create_script", {"path": "Assets/A.cs"}, "edit files with your own tools"),
    taught("edit_file", {"path": "Assets/A.cs"}, "edit files with your own tools"),
    taught("write_file", {"path": "Assets/A.cs"}, "edit files with your own tools"),
    taught("executeScript", {"code": "1"}, "nearest is run_csharp"),
    taught("enter_play_mode", {}, "nearest is play_mode"),
    taught("stop_job", {"job_id": "job-1"}, "nearest is cancel_job"),
    taught("mcp__unity__run_tests", {}, "nearest is run_tests"),
    taught("apply_patch", {"patch": "..."}, "edit files with your own tools"),
    lost("think", {"thought": "..."}),
]
