"""The plugin is there, loaded and quiet."""

from __future__ import annotations

from unity_bridge.selftest.expected import Absent, OneOf, Size, With, Without
from unity_bridge.selftest.row import CallTool, Requirement, Row, Until, done, run
from unity_bridge.version import __version__

ROWS = (
    Row(
        "the plugin is connected, trusted and ready",
        "install",
        "§3.1, §17.1",
        (Until({"connected": True, "trusted": True, "editor_state": "ready"}, within_s=60),),
        needs=(),
    ),
    Row(
        "the plugin has the version of the program, and every tool",
        "install",
        "§15.5",
        (Until({"plugin_version": __version__, "editor": {"missing_tools": OneOf((None, []))}}),),
        needs=(),
    ),
    Row(
        "the plugin logs no error of its own",
        "install",
        "§11.1",
        (
            CallTool(
                "read_console",
                {"types": ["error", "exception", "assert"], "contains": "UnityBridge"},
                done(entries=Size(0)),
            ),
            CallTool("read_console", {"types": ["error"], "contains": "[Unity Bridge]"}, done(entries=Size(0))),
        ),
        needs=(),
    ),
    Row(
        "no warning about .meta files or GUIDs of the package",
        "install",
        "§20.7",
        (
            CallTool("read_console", {"types": ["warning", "error"], "contains": ".meta"}, done(entries=Size(0))),
            CallTool("read_console", {"types": ["warning", "error"], "contains": "GUID"}, done(entries=Size(0))),
        ),
        needs=(Requirement.SCRATCH,),
    ),
    Row(
        "the scripts of the project are loaded",
        "install",
        "§11.7",
        (Until({"code": "loaded", "pending_reason": Absent()}), run("scratch_value", done(value=1))),
    ),
    Row(
        "the commands of the package are listed, and hidden ones are not",
        "install",
        "§16.5, §25.3",
        (
            CallTool(
                "run_command",
                {},
                done(
                    commands=With({"name": "ping", "source": "UnityBridge.Commands.Ping.Run (UnityBridge.Editor)"}),
                ),
            ),
            CallTool("run_command", {}, done(commands=Without({"name": "record_events"}))),
        ),
        needs=(),
    ),
    Row(
        "the package's own tests are not compiled into the project",
        "install",
        "§11.1",
        (
            CallTool(
                "run_tests",
                {"filter": "UnityBridge.Tests", "refresh": False},
                {"state": "failed", "error": {"details": {"reason": "no_tests_matched"}}},
            ),
        ),
    ),
)
