"""Each group of the self-test can fail: a plugin with a planted fault makes a row of it fail (SPEC
§25.4).

One build of the plugin has all of the faults, since a build costs more than a row. Each row must fail at the step that
its own fault spoils, and soon: no fault makes a step wait until its time is over.
"""

from __future__ import annotations

from typing import Mapping, NamedTuple

import pytest

from tests.e2e.test_plugin_selftest import Ran, run
from tests.unity_headless.unity_program import Fault, faulty_plugin, unity_program
from unity_bridge.selftest.row import GROUPS
from unity_bridge.selftest.rows import rows_of


class Planted(NamedTuple):
    """A fault of the plugin, and the row that must notice it, at a step whose reason begins so."""

    row: str
    reason: str
    fault: Fault


PLANTED: Mapping[str, Planted] = {
    "install": Planted(
        "the plugin logs no error of its own",
        "step 2: read_console: result.entries",
        Fault(
            "Startup/Bridge.cs",
            "Port.Link.Start();",
            'Port.Link.Start();\nDebug.LogError("[Unity Bridge] planted");',
        ),
    ),
    "state": Planted(
        "a main thread that stands still is reported, reads of the scene are refused, and the connection stays",
        "step 4: inspect: state",
        Fault(
            "Tools/ToolCall.cs",
            "if (_waitsFor is { IsStalled: true })",
            "if (_waitsFor is { IsStalled: true } && _ends < 0)",
        ),
    ),
    "reload": Planted(
        "a console cursor outlives a reload",
        "step 5: read_console: result.count",
        Fault("Console/ConsoleCapture.cs", "_buffer.Restore(saved);", ""),
    ),
    "compile": Planted(
        "a changed scene that changed on disk is refused, without a dialog",
        "step 3: compile: state",
        Fault(
            "EditorLife/SceneFiles.cs",
            "if (now != null && now != before &&",
            "if (now == null && before == null &&",
        ),
    ),
    "tests": Planted(
        "a test that waits for delayCall passes, also without focus",
        "step 1: run_tests: state",
        Fault("EditorLife/DelayedCalls.cs", "if (calls == null || ", "if (calls == null || !"),
    ),
    "play": Planted(
        "pausing, stepping and resuming",
        "step 2: play_mode: result.paused",
        Fault(
            "Tools/PlayMode/PlayMode.cs",
            "Switch(ActionOf(job) == Pause)",
            "Switch(false)",
        ),
    ),
    "console": Planted(
        "what is logged as assert is there once, as assert",
        "step 2: read_console: result.entries",
        Fault(
            "Console/ConsoleCapture.cs",
            "LogType.Assert => EntryType.Assert",
            "LogType.Assert => EntryType.Error",
        ),
    ),
    "inspect": Planted(
        "the hierarchy has the objects of the scene",
        "step 1: inspect: result.items",
        Fault(
            "Objects/HierarchyNode.cs", "Name => _transform.name;", 'Name => _transform.name + "s";'
        ),
    ),
    "commands": Planted(
        "open_scene refuses to lose changes, without a dialog",
        "step 2: open_scene: state",
        Fault(
            "Commands/Scenes/OpenScene.cs",
            'Leave(unsaved, additive, "open_scene");',
            "new List<string>();",
        ),
    ),
    "make": Planted(
        "three cubes in a circle",
        "step 1: batch: result.value.undo",
        Fault(
            "Changes/ChangeReport.cs",
            "= _isUndone && Files.HaveUndo;",
            "= !_isUndone && Files.HaveUndo;",
        ),
    ),
    "project": Planted(
        "entries of a menu are listed",
        "step 1: menu: result.value.entries",
        Fault(
            "Commands/Editor/Menu.cs",
            "words.All(entry.ContainsAnyCase)",
            "!words.Any(entry.ContainsAnyCase)",
        ),
    ),
    "csharp": Planted(
        "without consent nothing is run",
        "step 2: run_csharp: state",
        Fault(
            "Tools/RunCSharp/RunCSharp.cs",
            "var refusal = _permission.WhyNot() ?? (",
            "var refusal = (",
        ),
    ),
    "picture": Planted(
        "max_size bounds both sides",
        "step 1: screenshot: all",
        Fault(
            "GameUi/Picture.cs", "Math.Min(1.0, (double)maxSize /", "Math.Min(1.0, 4.0 * maxSize /"
        ),
    ),
    "ui": Planted(
        "a game that does not run is not used",
        "step 1: inspect: ",
        Fault(
            "Tools/Inspect/UiQuestion.cs",
            'EditorReadiness.WhyNotInGame("look at its user interface")',
            'UnityBridge.Wire.Refusal.NotExecuted("paused", "planted")',
        ),
    ),
    "life": Planted(
        "an editor with unsaved changes refuses to close, and no dialog comes",
        "step 2: close_editor: state",
        # It says that it closes. If it did close, the self-test would wait a minute for it to come
        # back.
        Fault(
            "Tools/RunCommand/CloseEditor.cs",
            "return JobEnd.Failed(refused.Refusal);",
            'return JobEnd.Succeeded(new JsonObject { { "value", true } });',
        ),
    ),
}


@pytest.fixture(scope="module")
def unsound(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The rows that must notice a fault, in an editor whose plugin has all of the faults."""
    folder = tmp_path_factory.mktemp("unsound")
    plugin = faulty_plugin([planted.fault for planted in PLANTED.values()], folder / "plugin")
    options = [word for planted in PLANTED.values() for word in ("--row", planted.row)]
    return run(unity_program(folder / "unity", compiler, plugin), folder, *options)


@pytest.mark.parametrize("group", GROUPS)
def test_a_planted_fault_is_caught(unsound: Ran, group: str) -> None:
    (row,) = unsound.not_passed(group)
    assert (row["name"], row["status"]) == (PLANTED[group].row, "fail")
    assert row["reason"].startswith(PLANTED[group].reason), row


def test_a_run_with_a_failure_fails_and_keeps_the_scratch_project(unsound: Ran) -> None:
    assert unsound.status == 1
    assert {"Assets", "Packages", "ProjectSettings"} <= set(unsound.kept)


def test_each_group_has_a_planted_fault() -> None:
    known = {(row.group, row.name) for row in rows_of([])}
    assert set(PLANTED) == set(GROUPS)
    assert {(group, planted.row) for group, planted in PLANTED.items()} <= known
