"""The plugin is there, loaded and quiet."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, OneOf, Size, With, Without
from unity_bridge.selftest.row import ANYWHERE, SCRATCH, SCRIPTS, Group, Until, done, refused
from unity_bridge.selftest.rows.short_forms import calls, reads, tests, value_is
from unity_bridge.version import __version__

_row = Group("install", "§11.1", needs=ANYWHERE).row
_NOTHING = done(entries=Size(0))
_FAULTS = ["warning", "error"]
_PING = {"name": "ping"}

ROWS = (
    _row(
        "the plugin is connected, trusted and ready",
        Until({"connected": True, "trusted": True, "editor_state": "ready"}, within_s=60),
        proves="§3.1, §17.1",
    ),
    _row(
        "the plugin has the version of the program, and every tool",
        Until({"plugin_version": __version__, "editor": {"missing_tools": OneOf((None, []))}}),
        proves="§15.5",
    ),
    _row(
        "the plugin logs no error of its own",
        reads(_NOTHING, types=["error", "exception", "assert"], contains="UnityBridge"),
        reads(_NOTHING, types=["error"], contains="[Unity Bridge]"),
    ),
    _row(
        "no warning about .meta files or GUIDs of the package",
        reads(_NOTHING, types=_FAULTS, contains=".meta"),
        reads(_NOTHING, types=_FAULTS, contains="GUID"),
        proves="§20.7",
        needs=SCRATCH,
    ),
    _row(
        "the scripts of the project are loaded",
        Until({"code": "loaded", "pending_reason": Absent()}),
        value_is(1),
        proves="§11.7",
        needs=SCRIPTS,
    ),
    _row(
        "the commands of the package are listed, and hidden ones are not",
        calls("run_command", done(commands=With(_PING))),
        calls("run_command", done(commands=Without({"name": "record_events"}))),
        proves="§16.5, §25.3",
    ),
    _row(
        "the package's own tests are not compiled into the project",
        tests("UnityBridge.Tests", refused("no_tests_matched"), refresh=False),
        needs=SCRIPTS,
    ),
)
