"""``compile`` in the simulated editor: what is on disk is imported, compiled and loaded (SPEC
§16.1).
"""

from __future__ import annotations

from typing import Any, Dict, List

import pytest

from tests.simulator.manual_editor import SCRIPT, ManualEditor
from unity_bridge.simulator.project import Project
from unity_bridge.simulator.scripts import WARNING, CompilerMessage, Script

NEVER_READ = CompilerMessage(SCRIPT, 63, 27, "CS0414", "The field 'x' is never read", WARNING)
MAIN = "Assets/Scenes/Main.unity"
PROJECT = Project("Game", "/Game", (), import_s=0.5, compile_s=4.0, compile_reload_s=2.0)
WARNED = Project("Game", "/Game", (), scripts={SCRIPT: Script(messages=(NEVER_READ,))})
MISSING = "The name 'x' does not exist in the current context"


@pytest.fixture
def editor() -> ManualEditor:
    return ManualEditor(PROJECT)


def result(editor: ManualEditor, job_id: str = "J", **params: Any) -> Dict[str, Any]:
    found: Dict[str, Any] = editor.ends("compile", job_id, **params)["result"]
    return found


def console(editor: ManualEditor) -> List[str]:
    return [one.entry.message for one in editor.process.console.read().kept]


def test_an_edit_is_compiled_and_loaded(editor: ManualEditor) -> None:
    editor.disk.edit(SCRIPT, {})
    status = editor.ends("compile")
    assert (status["state"], "error" in status) == ("succeeded", False)
    assert status["result"] == {
        "ok": True,
        "changed": True,
        "reloaded": True,
        "loaded": True,
        "duration_ms": 7500,  # import, compilation, reload, and a second for a further pass to begin
        "error_count": 0,
        "warning_count": 0,
        "errors": [],
        "truncated": False,
    }
    assert editor.wire.log == ["left: domain reload", "back"]
    assert editor.heard("state", "state") == ["compiling", "reloading", "ready"]


def test_its_steps_are_its_progress(editor: ManualEditor) -> None:
    editor.disk.edit(SCRIPT, {})
    seen: List[Any] = []
    editor.main.in_pause.append(lambda: seen.append(editor.step()))
    editor.begins("compile")
    editor.main.run(1.0)
    seen.append(editor.step())
    editor.main.in_pause.append(lambda: seen.append(editor.job_status()["progress"]))
    editor.main.run(5.0)
    seen.append(editor.step())
    editor.main.run(1.0)
    assert seen == ["importing", "compiling", {"step": "reloading", "for_ms": 2000}, "reloading"]
    assert (editor.job_status()["state"], editor.step()) == ("succeeded", None)


def test_compile_errors_are_the_result_of_a_compile_that_failed(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 2, MISSING)
    status = editor.ends("compile")
    assert (status["state"], "error" in status) == ("failed", False)
    found = status["result"]
    assert (found["ok"], found["changed"], found["reloaded"], found["error_count"]) == (
        False,
        True,
        False,
        2,
    )
    place = {"file": SCRIPT, "line": 40, "column": 17, "assembly": "Assembly-CSharp"}
    assert found["errors"][0] == {**place, "code": "CS0103", "message": MISSING}
    assert status["console"]["errors"] == 2
    assert status["console"]["first"][0] == f"{SCRIPT}(40,17): error CS0103: {MISSING}"
    assert (editor.wire.log, editor.status.now.compile_errors) == ([], 2)


def test_more_errors_than_an_agent_reads_are_counted_and_cut(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 200, MISSING)
    found = result(editor)
    assert (found["error_count"], len(found["errors"]), found["truncated"]) == (200, 50, True)


def test_without_a_change_nothing_is_compiled(editor: ManualEditor) -> None:
    found = result(editor)
    assert (found["ok"], found["changed"], found["reloaded"]) == (True, False, False)
    assert editor.events.of("state") == []


def test_without_a_change_broken_scripts_are_still_reported(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 1, MISSING)
    first = result(editor, "first")
    again = result(editor, "again")
    assert (again["ok"], again["changed"], again["errors"]) == (False, False, first["errors"])


def test_force_compiles_without_a_change(editor: ManualEditor) -> None:
    found = result(editor, force=True)
    assert (found["changed"], found["reloaded"]) == (True, True)


def test_warnings_are_counted_and_returned_on_request() -> None:
    found = result(ManualEditor(WARNED), force=True)
    assert (found["warning_count"], "warnings" in found) == (1, False)
    found = result(ManualEditor(WARNED), force=True, warnings=True)
    assert [warning["code"] for warning in found["warnings"]] == ["CS0414"]


def test_errors_vanish_when_the_edit_is_undone_though_nothing_is_loaded(
    editor: ManualEditor,
) -> None:
    editor.disk.break_(SCRIPT, 1, MISSING)
    result(editor, "broken")
    assert editor.disk.undo(SCRIPT)
    found = result(editor, "undone")
    assert (found["ok"], found["changed"], found["reloaded"]) == (True, True, False)
    assert "same as before" in found["reason"]
    assert (console(editor), editor.status.now.compile_errors) == ([], 0)


def test_errors_vanish_after_a_fix(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 1, MISSING)
    result(editor, "broken")
    editor.disk.fix()
    found = result(editor, "fixed")
    assert (found["ok"], found["reloaded"], console(editor)) == (True, True, [])


def test_a_second_pass_belongs_to_the_same_compile(editor: ManualEditor) -> None:
    editor.process.assemblies.has_second_pass = True
    editor.disk.edit(SCRIPT, {})
    found = result(editor)
    assert (found["ok"], found["reloaded"]) == (True, True)
    assert editor.wire.log == ["left: domain reload", "back"] * 2


def test_code_loaded_in_the_first_pass_is_reported_when_the_second_finds_errors(
    editor: ManualEditor,
) -> None:
    editor.process.assemblies.has_second_pass = True
    editor.disk.edit(SCRIPT, {})
    editor.begins("compile")
    editor.main.run(5.0)
    editor.disk.break_(SCRIPT, 1, MISSING)  # by the code that was just loaded
    found = editor.end()["result"]
    assert (found["ok"], found["reloaded"], found["error_count"]) == (False, True, 1)


def test_a_locked_reload_is_reported_at_once_and_by_every_later_compile(
    editor: ManualEditor,
) -> None:
    editor.process.assemblies.lock(True)
    editor.disk.edit(SCRIPT, {})
    status = editor.ends("compile")
    found = status["result"]
    assert (status["state"], found["ok"], found["loaded"], found["reloaded"]) == (
        "succeeded",
        True,
        False,
        False,
    )
    assert found["pending_reason"] == "reload_locked" and "LockReloadAssemblies" in found["reason"]
    assert found["duration_ms"] == 4500
    assert (editor.status.now.state, editor.status.now.pending_reason) == ("ready", "reload_locked")
    again = result(editor, "again")
    assert (again["changed"], again["loaded"], again["pending_reason"]) == (
        False,
        False,
        "reload_locked",
    )


def test_only_a_reload_ends_a_reload_that_was_locked(editor: ManualEditor) -> None:
    editor.process.assemblies.lock(True)
    editor.disk.edit(SCRIPT, {})
    result(editor, "locked")
    editor.disk.undo(SCRIPT)
    assert result(editor, "undone")["pending_reason"] == "reload_locked"
    editor.disk.break_(SCRIPT, 1, MISSING)
    assert result(editor, "broken")["pending_reason"] == "compile_errors"
    editor.disk.fix()
    editor.process.assemblies.lock(False)
    assert editor.wire.log == [], "scripts with errors are not loaded"
    found = result(editor, "loaded")
    assert (found["loaded"], found["reloaded"], editor.status.now.pending_reason) == (
        True,
        True,
        None,
    )


def test_unlocking_loads_what_was_compiled(editor: ManualEditor) -> None:
    editor.process.assemblies.lock(True)
    editor.disk.edit(SCRIPT, {})
    result(editor, "locked")
    editor.process.assemblies.lock(False)
    assert editor.wire.log == ["left: domain reload", "back"]
    assert (editor.status.now.pending_reason, result(editor)["loaded"]) == (None, True)


def test_a_script_that_changes_while_the_game_plays_waits_and_does_not_keep_the_editor_busy(
    editor: ManualEditor,
) -> None:
    editor.process.assemblies.waits_for_play_mode = True
    editor.process.player.enter()
    editor.main.run(5)
    editor.disk.edit(SCRIPT, {})
    editor.process.assemblies.refresh()
    assert (editor.status.now.state, editor.status.now.pending_reason) == ("ready", "playing")
    assert editor.ends("play_mode", "exit", action="exit")["state"] == "succeeded"
    editor.main.run(0.0)
    assert (editor.status.now.state, editor.status.now.pending_reason) == ("compiling", "requested")
    editor.main.run(60)
    assert (editor.status.now.state, editor.status.now.pending_reason) == ("ready", None)
    assert result(editor)["changed"] is False, "it was loaded after play mode"


def test_without_that_preference_the_game_goes_on_with_the_new_code(editor: ManualEditor) -> None:
    editor.process.player.enter()
    editor.main.run(5)
    editor.disk.edit(SCRIPT, {})
    editor.process.assemblies.refresh()
    assert (editor.status.now.state, editor.status.now.pending_reason) == ("compiling", "playing")
    editor.main.run(60)
    assert (
        editor.status.now.state,
        editor.status.now.playing,
        editor.status.now.pending_reason,
    ) == (
        "ready",
        True,
        None,
    )


def test_a_compile_that_hangs_ends_at_its_deadline(editor: ManualEditor) -> None:
    editor.process.assemblies.hangs = True
    editor.disk.edit(SCRIPT, {})
    editor.begins("compile")
    editor.main.run(200.0)
    assert editor.job_status()["progress"] == {"step": "compiling", "for_ms": 200_000}
    editor.main.run(200.0)
    assert (editor.job_status()["state"], editor.status.now.state) == ("timeout", "compiling")
    editor.begins("compile", "next")
    assert editor.job_status("next")["state"] == "queued"
    editor.process.assemblies.unhang()
    assert editor.end("next")["result"]["changed"] is False


def test_a_dialog_in_the_import_is_reported_with_its_length(editor: ManualEditor) -> None:
    editor.process.assemblies.dialog_s = 20.0
    editor.disk.edit(SCRIPT, {})
    seen: List[Any] = []

    def look() -> None:
        editor.main.stalled = 20_000
        assert editor.status.now.state == "ready", "an import is no compilation"
        seen.append(editor.job_status()["progress"])
        editor.main.stalled = 0

    editor.main.in_pause.append(look)
    editor.begins("compile")
    assert seen == [{"step": "stalled", "for_ms": 20_000}]
    assert editor.end()["state"] == "succeeded"


def test_an_edit_after_the_import_is_for_the_next_compile(editor: ManualEditor) -> None:
    editor.disk.edit(SCRIPT, {})
    editor.begins("compile", "first")
    editor.disk.break_(SCRIPT, 1, MISSING)
    assert editor.end("first")["result"]["ok"] is True
    assert result(editor, "second")["ok"] is False


def test_while_playing_it_is_refused_and_nothing_is_imported(editor: ManualEditor) -> None:
    editor.process.player.enter()
    editor.main.run(9.0)
    editor.disk.edit(SCRIPT, {})
    status = editor.ends("compile")
    assert (status["state"], "result" in status, editor.events.of("refresh_started")) == (
        "failed",
        False,
        [],
    )
    assert status["error"]["details"] == {
        "reason": "playing",
        "execution_guarantee": "not_executed",
    }


def test_it_waits_for_a_compile_that_runs_already_and_then_imports(editor: ManualEditor) -> None:
    editor.disk.edit(SCRIPT, {})
    editor.main.post(editor.process.assemblies.refresh)
    editor.main.turn()
    editor.disk.edit(SCRIPT, {})
    editor.begins("compile")
    assert (editor.job_status()["state"], editor.step()) == ("queued", "waiting")
    assert editor.end()["result"]["changed"] is True


def test_an_editor_that_ends_in_the_import_takes_the_compile_with_it(editor: ManualEditor) -> None:
    editor.disk.edit(SCRIPT, {})
    editor.main.lives = False
    editor.begins("compile")
    assert editor.job_status()["state"] == "running" and editor.events.of("job_finished") == []


def test_an_editor_that_opens_broken_scripts_knows_their_errors(editor: ManualEditor) -> None:
    editor.disk.break_(SCRIPT, 1, MISSING)
    opened = ManualEditor(PROJECT, editor.disk)
    assert (opened.status.now.compile_errors, len(console(opened))) == (1, 1)
    assert result(opened)["ok"] is False


def test_the_error_of_an_editor_script_names_its_assembly(editor: ManualEditor) -> None:
    editor.disk.break_("Assets/Editor/Menu.cs", 1, MISSING)
    assert result(editor)["errors"][0]["assembly"] == "Assembly-CSharp-Editor"
