"""compile, as the plugin carries it out (SPEC §16.1): errors, no change, reloads, passes, locks,
dialogs, refusals.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List

import pytest

from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

BROKEN = "Assets/Broken.cs(7,3): error CS1002: ; expected"


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    return server.ready_session()


def compiled(
    server: ScriptedServer, session: Session, job_id: str = "job-1", **params: Any
) -> Message:
    """The status of a compile job at its end."""
    assert session.submit(job_id, tool="compile", **params)["status"] == "accepted"
    return ended(server, session, job_id)


def facts(status: Message) -> Dict[str, Any]:
    return {name: status["result"][name] for name in ("ok", "changed", "reloaded")}


def steps(session: Session) -> List[str]:
    reported = [
        status["progress"]["step"] for status in session.heard("job_status") if status["progress"]
    ]
    return [
        step for place, step in enumerate(reported) if place == 0 or reported[place - 1] != step
    ]


def test_a_full_console_is_not_read_row_by_row_at_each_compile(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange(
        "flood 6000 5",
        f"row {1 << 8 | 1 << 13} Assembly has no reference to 'X' (Assets/A.asmdef)",
        "flood 6000 5",
        "rows-read",
    )
    assert [error["message"] for error in compiled(server, session)["result"]["errors"]] == [
        "Assembly has no reference to 'X' (Assets/A.asmdef)"
    ]
    editor.command("rows-read")
    assert int(editor.wait_for(r"rows-read (\d+)").group(1)) < 10
    # A flood of errors has a bound too, and the newest are read.
    editor.arrange(
        "errors 7000",
        f"row {1 << 8 | 1 << 13} Assembly has no reference to 'Y' (Assets/B.asmdef)",
        "rows-read",
    )
    editor.pass_over()
    errors = compiled(server, session, "job-2")["result"]["errors"]
    assert "Assembly has no reference to 'Y' (Assets/B.asmdef)" in [
        error["message"] for error in errors
    ]
    editor.command("rows-read")
    assert int(editor.wait_for(r"rows-read (\d+)").group(1)) <= 5000


def test_a_script_edited_on_disk_is_compiled_and_loaded(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("edit Game|second")
    status = compiled(server, session)
    assert status["state"] == "succeeded" and "error" not in status
    assert status["tool_name"] == "compile"
    assert facts(status) == {"ok": True, "changed": True, "reloaded": True}
    assert status["result"]["errors"] == [] and status["result"]["truncated"] is False
    assert "warnings" not in status["result"] and "reason" not in status["result"]
    assert "loaded 2" in editor.history
    assert "request-compilation" not in editor.history


def test_errors_come_with_file_line_and_code(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange(f"edit Game|second|{BROKEN}|error CS5001: no entry point")
    status = compiled(server, session)
    assert status["state"] == "failed" and "error" not in status
    assert facts(status) == {"ok": False, "changed": True, "reloaded": False}
    first, second = status["result"]["errors"]
    assert first == {
        "file": "Assets/Broken.cs",
        "line": 7,
        "column": 3,
        "code": "CS1002",
        "message": "; expected",
        "assembly": "Game",
    }
    assert (second["file"], second["line"], second["column"]) == (None, 0, 0)
    assert status["result"]["error_count"] == 2
    assert status["console"]["errors"] == 2 and BROKEN in status["console"]["first"]
    assert "loaded 2" not in editor.history


def test_an_unchanged_project_is_reported_as_such_and_not_reloaded(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    status = compiled(server, session)
    assert status["state"] == "succeeded"
    assert facts(status) == {"ok": True, "changed": False, "reloaded": False}
    assert "loaded 2" not in editor.history


def test_nothing_changed_never_hides_scripts_that_are_broken(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange(f"edit Game|second|{BROKEN}")
    first = compiled(server, session)
    editor.reload()
    session = server.ready_session()
    again = compiled(server, session, "job-2")
    assert again["state"] == "failed"
    assert facts(again) == {"ok": False, "changed": False, "reloaded": False}
    assert again["result"]["errors"] == first["result"]["errors"]


def test_an_edit_that_is_undone_takes_its_errors_out_of_the_console_too(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    # What comes out is what there was before: no event for the assembly, and no reload.
    editor.arrange(f"edit Game|first|{BROKEN}")
    assert compiled(server, session)["result"]["ok"] is False
    assert session.messages_in_console(types=["error"]) == [BROKEN]
    editor.arrange("edit Game|first")
    status = compiled(server, session, "job-2")
    assert facts(status) == {"ok": True, "changed": True, "reloaded": False}
    assert "same as before" in status["result"]["reason"]
    assert session.messages_in_console(types=["error"]) == []
    assert session.becomes(state="ready", compile_errors=0)
    assert "loaded 2" not in editor.history


def test_errors_of_several_assemblies_are_remembered_apart(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange(f"edit Game|second|{BROKEN}")
    editor.arrange(
        "edit Tools|second|Assets/Tool.cs(1,1): error CS0103: The name 'x' does not exist"
    )
    assert compiled(server, session)["result"]["error_count"] == 2
    editor.arrange("edit Tools|third")
    status = compiled(server, session, "job-2")
    assert [error["assembly"] for error in status["result"]["errors"]] == ["Game"]


def test_an_undone_edit_clears_its_error_even_while_another_assembly_is_broken(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("edit Tools|first")
    compiled(server, session, "job-0")
    session = server.latest
    editor.arrange(f"edit Game|second|{BROKEN}")
    editor.arrange(
        "edit Tools|first|Assets/Tool.cs(1,1): error CS0103: The name 'x' does not exist"
    )
    assert compiled(server, session)["result"]["error_count"] == 2
    editor.arrange("edit Tools|first")
    status = compiled(server, session, "job-2")
    assert [error["assembly"] for error in status["result"]["errors"]] == ["Game"]
    assert session.messages_in_console(types=["error"]) == [BROKEN]


def test_warnings_come_where_they_are_asked_for(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange(
        "edit Game|second|Assets/A.cs(2,5): warning CS0168: The variable 'x' is declared but never used"
    )
    status = compiled(server, session, warnings=True)
    assert status["state"] == "succeeded"
    assert status["result"]["warning_count"] == 1
    assert status["result"]["warnings"][0]["code"] == "CS0168"


def test_more_than_fifty_errors_are_cut_and_say_so(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    errors = [
        f"Assets/A.cs({line},1): error CS0103: The name 'x{line}' does not exist"
        for line in range(1, 71)
    ]
    editor.arrange("|".join(["edit Game|second", *errors]))
    result = compiled(server, session)["result"]
    assert (
        len(result["errors"]) == 50 and result["error_count"] == 70 and result["truncated"] is True
    )


def test_force_compiles_and_reloads_without_a_change(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    status = compiled(server, session, force=True)
    assert facts(status) == {"ok": True, "changed": True, "reloaded": True}
    assert editor.history.index("refresh") < editor.history.index("request-compilation")


def test_a_further_pass_is_waited_out(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("further-passes 2")
    editor.arrange("edit Game|second")
    status = compiled(server, session)
    assert facts(status) == {"ok": True, "changed": True, "reloaded": True}
    assert [line for line in editor.history if line.startswith("loaded")] == [
        f"loaded {n}" for n in (1, 2, 3, 4)
    ]


def test_errors_of_assembly_definitions_count_and_those_of_imports_are_apart(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange(f"row {1 << 6} an import error of yesterday")
    editor.arrange("import-error Could not import Assets/Bad.png")
    status = compiled(server, session)
    # A broken picture keeps no code from being compiled.
    assert (status["state"], status["result"]["loaded"], status["result"]["errors"]) == (
        "succeeded",
        True,
        [],
    )
    assert status["result"]["import_errors"] == [
        {"file": "Assets/Bad.png", "message": "Could not import Assets/Bad.png"}
    ]
    # An error of an assembly definition stays in the console until it is fixed, and nothing
    # compiles until then.
    editor.arrange(
        f"row {1 << 8 | 1 << 13} Assembly has reference to non-existent assembly 'X' (Assets/A.asmdef)"
    )
    status = compiled(server, session, "job-2")
    assert facts(status) == {"ok": False, "changed": False, "reloaded": False}
    assert "non-existent assembly" in status["result"]["errors"][0]["message"]


def test_a_reload_that_does_not_come_is_reported_after_a_while(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("compile-ms 400", "quirk no-reload", "edit Game|second")
    session.submit("job-1", tool="compile")
    editor.wait_for("compiled ok")
    step = None
    while step is None or step["for_ms"] < 100:
        progress = session.job("job-1")["progress"]
        step = progress if progress["step"] == "reloading" else None
    editor.arrange("clock 10000")
    status = ended(server, session, "job-1")
    assert status["state"] == "succeeded"
    assert facts(status) == {"ok": True, "changed": True, "reloaded": False}
    assert (status["result"]["loaded"], status["result"]["pending_reason"]) == (False, "unknown")
    assert "did not reload" in status["result"]["reason"]
    assert steps(session)[-1] == "reloading"


def test_a_stalled_main_thread_is_reported_with_its_length(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    # As the dialogs of the script updater do.
    editor.arrange("import-ms 60000")
    editor.arrange("edit Game|second")
    session.submit("job-1", tool="compile")
    editor.wait_for("refresh")
    stalled = None
    while stalled is None:
        status = session.job("job-1")
        stalled = status["progress"] if status["progress"]["step"] == "stalled" else None
    assert status["state"] == "running" and stalled["for_ms"] > 1000
    editor.release()
    assert ended(server, session, "job-1")["state"] == "succeeded"


def test_a_compilation_that_unity_gives_up_is_no_reason_to_wait(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("quirk compilation-dies", "edit Game|second")
    status = compiled(server, session)
    assert status["state"] == "failed"
    assert status["result"]["errors"][0]["message"].endswith("/Logs/Editor.log"), (
        "it names the file with the reason"
    )
    assert session.becomes(state="ready")


def test_a_compilation_that_hangs_ends_at_the_deadline(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("compile-ms -1")
    editor.arrange("edit Game|second")
    session.submit("job-1", tool="compile", timeout_ms=300)
    status = ended(server, session, "job-1")
    assert status["state"] == "timeout" and status["result"] is None


@pytest.mark.parametrize(
    ("command", "reason"),
    [("play on", "playing"), ("building on", "building")],
    ids=["playing", "building"],
)
def test_it_is_refused_while_the_editor_does_something_else(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, command: str, reason: str
) -> None:
    editor.arrange("enter-play-without-reload", command)
    editor.wait_until_idle()
    status = compiled(server, session)
    assert status["state"] == "failed" and status["result"] is None
    assert status["error"]["details"] == {"reason": reason, "execution_guarantee": "not_executed"}
    assert "refresh" not in editor.history


def test_a_run_of_tests_is_waited_for_no_matter_what_started_it(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.tests("edit|A.B.C|pass|60000")
    editor.command("person-runs edit")
    editor.wait_for("test A.B.C")
    session.submit("job-1", tool="compile")
    editor.wait_until_idle()
    assert session.job("job-1")["progress"]["step"] == "waiting"
    assert "refresh" not in editor.history
    editor.command("quirk tests-end")
    assert ended(server, session, "job-1")["state"] == "succeeded"
    assert "refresh" in editor.history


def test_an_editor_without_focus_is_woken(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    # It takes ten updates at least, and left alone this editor makes one in ten seconds.
    editor.arrange("edit Game|second", "tick 10000")
    assert compiled(server, session)["result"]["reloaded"] is True


def test_an_unannounced_reload_loses_no_job(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("quirk no-before-reload", "edit Game|second")
    status = compiled(server, session)
    assert facts(status) == {"ok": True, "changed": True, "reloaded": True}
    assert editor.history.count("refresh") == 1


def test_an_editor_that_crashes_while_it_compiles_does_not_do_it_again(
    server: ScriptedServer, tmp_path: Path
) -> None:
    project = tmp_path / "Game"
    with HeadlessEditor(server.port, project=project) as editor:
        editor.arrange("compile-ms -1", "edit Game|second")
        session = server.ready_session()
        session.submit("job-1", tool="compile")
        editor.wait_for("compiling")
        session.submit("job-2", tool="compile")
        editor.kill()
    with HeadlessEditor(server.port, project=project) as editor:
        session = server.ready_session()
        editor.wait_until_idle()
        details = [session.job(job)["error"]["details"] for job in ("job-1", "job-2")]
        assert [step["reason"] for step in details] == ["editor_ended", "editor_ended"]
        assert [step["execution_guarantee"] for step in details] == ["unknown", "not_executed"]
        assert "refresh" not in editor.history


def test_a_queued_compile_is_cancelled_and_never_begins(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.tests("edit|A.B.C|pass|60000")
    session.submit("tests", mode="edit")
    editor.wait_for("test A.B.C")
    session.submit("job-1", tool="compile")
    assert session.ask("cancel", target_job_id="job-1")["status"] == "cancelled"
    session.ask("cancel", target_job_id="tests")
    ended(server, session, "tests")
    editor.wait_until_idle()
    assert "refresh" not in editor.history


def test_a_running_compile_is_not_stopped_by_a_cancel(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("compile-ms -1")
    editor.arrange("edit Game|second")
    session.submit("job-1", tool="compile")
    editor.wait_for("compiling")
    assert session.ask("cancel", target_job_id="job-1")["status"] == "cancel_requested"
    editor.command("compile-ms 50")
    assert ended(server, session, "job-1")["state"] == "succeeded"


def test_errors_of_a_player_build_are_not_the_editors(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange(
        "build-player Assets/Player.cs(3,1): error CS0246: The type 'UnityEditor' could not be found"
    )
    assert compiled(server, session)["result"]["ok"] is True


def test_bad_arguments_are_refused(session: Session) -> None:
    bad: List[Dict[str, Any]] = [{"force": "yes"}, {"warnings": 1}]
    for params in bad:
        answer = session.ask("submit_job", job_id="job-1", tool_name="compile", params=params)
        assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS", params
        assert "is true or false" in answer["error"]["message"]
