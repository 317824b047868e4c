"""Code that Unity compiled, or was asked to compile, and does not run yet (SPEC §11.7, §16.1)."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import pytest

from tests.e2e.shared_editor import SharedEditor
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor

BROKEN = "Assets/Broken.cs(7,3): error CS1002: ; expected"
QUIRK = "compiling-ends-under-lock"
# Two kinds of Unity: isCompiling stays true until a locked reload has happened, or it does not.
BOTH_UNITIES = pytest.mark.parametrize(
    "unity", [f"no-quirk {QUIRK}", f"quirk {QUIRK}"], ids=["stays", "ends"]
)


@pytest.fixture(autouse=True)
def nothing_is_left(shared: SharedEditor) -> Iterator[None]:
    """The file as a whole leaves nothing, and no test does what Unity would not bear."""
    yield
    assert shared.editor.violations() == []


@pytest.fixture
def editor(shared: SharedEditor) -> Iterator[HeadlessEditor]:
    shared.reset()
    yield shared.editor
    shared.editor.arrange("lock-reload off", "changes-while-playing continue", f"no-quirk {QUIRK}")


@pytest.fixture
def server(shared: SharedEditor) -> ScriptedServer:
    return shared.server


@pytest.fixture
def session(shared: SharedEditor, editor: HeadlessEditor) -> Session:
    return shared.session()


def done(server: ScriptedServer, job: str, tool: str = "compile", **params: Any) -> Message:
    session = server.latest
    assert session.submit(job, tool=tool, **params)["status"] == "accepted"
    return ended(server, session, job)


def loaded(status: Message) -> Tuple[bool, bool, object]:
    result = status["result"]
    assert ("reason" in result) or result["loaded"]
    return result["ok"], result["loaded"], result.get("pending_reason")


def executions(editor: HeadlessEditor) -> int:
    return sum(line.startswith("execute") for line in editor.history)


@BOTH_UNITIES
def test_code_behind_a_locked_reload_is_never_called_loaded_or_fresh(
    shared: SharedEditor,
    server: ScriptedServer,
    editor: HeadlessEditor,
    session: Session,
    job: str,
    unity: str,
) -> None:
    editor.tests("edit|A.B.C|pass")
    editor.arrange(unity, "lock-reload on", f"edit Game|{job}")
    first = done(server, job)
    assert first["state"] == "succeeded" and loaded(first) == (True, False, "reload_locked")
    assert (
        first["result"]["duration_ms"] < 5000
        and "LockReloadAssemblies" in first["result"]["reason"]
    )
    assert session.expect(
        "editor_status", code="pending", pending_reason="reload_locked", state="ready"
    )
    # Nothing changes any more, and it is said again.
    again = done(server, f"{job}-2")
    assert again["result"]["changed"] is False and loaded(again) == (True, False, "reload_locked")
    stale = done(server, f"{job}-3", "run_tests", refresh=True, mode="edit")
    assert stale["state"] == "failed" and stale["error"]["code"] == "ERR_UNITY_EXECUTION"
    assert stale["error"]["details"] == {
        "reason": "stale_code",
        "pending_reason": "reload_locked",
        "execution_guarantee": "not_executed",
    }
    assert executions(editor) == 0
    # What is loaded may be tested, and is called what it is.
    old = done(server, f"{job}-4", "run_tests", refresh=False, mode="edit")
    assert (old["state"], old["result"]["code_fresh"]) == ("succeeded", False)
    # The framework's last task releases the lock once more than it took it, and so the other
    # script's too.
    editor.wait_for("reloaded")
    session = shared.session()
    assert session.hello["code"] == "loaded" and "pending_reason" not in session.hello
    assert loaded(done(server, f"{job}-5")) == (True, True, None)
    assert (
        done(server, f"{job}-6", "run_tests", refresh=True, mode="edit")["result"]["code_fresh"]
        is True
    )
    assert (
        done(server, f"{job}-7", "run_tests", refresh=False, mode="edit")["result"]["code_fresh"]
        is None
    )


def test_a_script_that_changes_during_a_test_run_is_loaded_after_it(
    shared: SharedEditor, server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    """An edit-mode run locks the reload, as Unity's test framework does, so the code stays the same
    until it ends.
    """
    editor.tests("edit|A.B.First|pass|60000", "edit|A.B.Second|pass")
    editor.forget_history()
    session.submit(job, tool="run_tests", refresh=True, mode="edit")
    editor.wait_for("test A.B.First")
    session.forget()
    editor.arrange(f"edit Game|{job}", "import")
    assert session.expect(
        "editor_status", code="pending", pending_reason="reload_locked", state="ready"
    )
    # A compilation waits for the end of the run.
    assert session.submit(f"{job}-2", tool="compile")["status"] == "accepted"
    editor.command("quirk tests-end")
    editor.wait_for("reloaded")
    session = shared.session()
    said = editor.history
    assert said.index("test A.B.Second") < next(
        i for i, line in enumerate(said) if line.startswith("unloading")
    )
    run = ended(server, session, job)
    assert run["state"] == "succeeded" and run["result"]["code_fresh"] is True, run
    assert run["result"]["summary"]["passed"] == 2
    assert loaded(ended(server, server.latest, f"{job}-2")) == (True, True, None)
    editor.command("reload-locks")
    editor.wait_for("reload-locks 0")


def why_not_imported(status: Message) -> str:
    assert loaded(status) == (True, False, "unknown"), status
    reason = str(status["result"]["reason"])
    assert "StartAssetEditing" in reason
    return reason.split(": ", 1)[1].split(". ", 1)[0]


def test_a_script_that_unity_does_not_import_is_never_called_loaded(
    shared: SharedEditor, server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    """While another script holds StartAssetEditing, Refresh does nothing, and nothing in Unity says
    so.
    """
    editor.tests("edit|A.B.C|pass")
    editor.arrange(f"edit Game|{job} ä\r", "edit Extra|one")
    assert loaded(done(server, job)) == (True, True, None)
    shared.session()
    editor.arrange("asset-editing on", f"edit Game|{job} ö\r")
    assert why_not_imported(done(server, f"{job}-2")) == "Assets/Game.cs"
    stale = done(server, f"{job}-3", "run_tests", refresh=True, mode="edit")["error"]
    assert (
        stale["details"]["reason"] == "stale_code"
        and stale["details"]["pending_reason"] == "unknown"
    )
    assert "Assets/Game.cs" in stale["message"] and executions(editor) == 0
    # A new one and one that is gone; a compilation of what Unity knows changes nothing about it.
    tools = editor.project / "Packages" / "com.game.tools"
    for ignored in ("Ignored~", ".hidden", "Native.androidlib"):
        (tools / ignored).mkdir(parents=True)
        (tools / ignored / "Sample.cs").write_text("new", encoding="utf-8")
    (tools / "New.cs").write_text("new", encoding="utf-8")
    editor.arrange("delete-script Extra")
    forced = done(server, f"{job}-4", force=True)
    assert forced["result"]["reloaded"] is True
    assert (
        why_not_imported(forced)
        == "Assets/Extra.cs, Assets/Game.cs, Packages/com.game.tools/New.cs"
    )
    (tools / "New.cs").unlink()
    editor.pass_over()
    editor.command("asset-editing off")
    editor.wait_for("reloaded")
    shared.session()
    assert loaded(done(server, f"{job}-5")) == (True, True, None)


def test_a_script_that_unity_keeps_in_another_form_is_imported(
    shared: SharedEditor, server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange(f"edit Game|{job} one")
    done(server, job)
    shared.session()
    script = editor.project / "Assets" / "Game.cs"
    for text in (
        f"\ufeff{job} one".encode(),
        f"{job} one\r".encode(),
        f"{job} one\xe4".encode("latin-1"),
    ):
        script.write_bytes(text)
        assert loaded(done(server, f"{job}-{len(text)}-{text[0]}")) == (True, True, None), text


def test_a_script_that_changes_while_the_game_plays_stops_nothing(
    shared: SharedEditor, server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange("changes-while-playing after", "enter-play-without-reload")
    editor.command("play on")
    editor.wait_for("play on")
    editor.forget_history()
    editor.arrange("compile ok 50")
    assert session.expect("editor_status", code="pending", pending_reason="playing", state="ready")
    assert "compiling" not in [status["state"] for status in session.heard("editor_status")]
    assert done(server, job, "run_command", name="ping")["state"] == "succeeded"
    assert done(server, f"{job}-2")["error"]["details"]["reason"] == "playing"
    left = done(server, f"{job}-3", "play_mode", action="exit")
    assert left["state"] == "succeeded" and left["result"]["playing"] is False
    editor.wait_for("reloaded")
    assert shared.session().hello["code"] == "loaded"


def test_by_default_a_change_is_compiled_and_loaded_while_the_game_plays(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("enter-play-without-reload")
    editor.command("play on")
    editor.wait_for("play on")
    editor.command("compile ok 50")
    editor.wait_for("reloaded")
    session = server.ready_session()
    assert (session.hello["playing"], session.hello["code"]) == (True, "loaded")


def test_errors_are_pending_until_a_compilation_without_them(
    server: ScriptedServer, editor: HeadlessEditor, session: Session, job: str
) -> None:
    editor.arrange(f"edit Game|{job}")
    done(server, job)
    session = server.latest
    editor.forget_history()
    editor.arrange(f"edit Game|{job}|{BROKEN}")
    assert loaded(done(server, f"{job}-2")) == (False, False, "compile_errors")
    assert session.expect(
        "editor_status", code="pending", pending_reason="compile_errors", state="ready"
    )
    # It is undone: nothing is to be loaded, and no reload comes.
    editor.arrange(f"edit Game|{job}")
    assert loaded(done(server, f"{job}-3")) == (True, True, None)
    assert session.becomes(code="loaded")
    assert not any(line.startswith("loaded") for line in editor.history)


def test_a_compilation_without_events_counts_only_in_edit_mode(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    # As one by MSBuild, which raises none.
    editor.arrange("compiling true")
    assert session.expect(
        "editor_status", state="compiling", code="pending", pending_reason="requested"
    )
    editor.arrange("compiling false")
    session.forget()
    assert session.expect("editor_status", state="ready", code="loaded")


def test_a_compilation_without_events_counts_for_60_s_at_most(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    editor.arrange("compiling true")
    assert session.expect("editor_status", state="compiling")
    session.forget()
    editor.arrange("clock 30000")
    session.send("ping")
    assert session.expect("pong", editor_state="compiling")
    editor.arrange("clock 30000")
    assert session.expect(
        "editor_status", state="ready", code="pending", pending_reason="requested"
    )
    # It is still pending, and nothing is parked for it.
    editor.arrange("compiling false")
    assert session.expect("editor_status", state="ready", code="loaded")
