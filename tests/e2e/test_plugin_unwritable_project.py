"""A project that cannot be written, as on a read-only disk: nothing lost, and one sentence (SPEC
§15.6).
"""

from __future__ import annotations

from pathlib import Path

from tests.scripted_server import ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor

SENTENCE = "[Unity Bridge] Cannot write jobs.jsonl in Library/UnityBridge"


def test_jobs_outlive_reloads_though_nothing_can_be_written(
    server: ScriptedServer, tmp_path: Path
) -> None:
    project = tmp_path / "Game"
    project.mkdir()
    # In its way, so that no folder can be made: permissions do not stop root.
    library = project / "Library"
    library.write_text("", encoding="utf-8")
    with HeadlessEditor(server.port, project=project) as editor:
        session = server.ready_session()
        editor.tests("edit|A.B.C|pass")
        assert session.submit("job-1", tool="run_command", name="ping")["status"] == "accepted"
        first = ended(server, session, "job-1")
        assert first["state"] == "succeeded"
        editor.wait_for(r"console \[Unity Bridge\] Cannot write")
        editor.arrange("edit Game|new")
        session.submit("job-2", tool="run_tests", refresh=True, mode="edit")
        second = ended(server, session, "job-2")
        assert second["state"] == "succeeded" and second["result"]["code_fresh"] is True
        # Also over a reload that nobody announces.
        editor.arrange("quirk no-before-reload", "reload", "no-quirk no-before-reload")
        session = server.ready_session()
        for job, status in (("job-1", first), ("job-2", second)):
            assert (session.job(job)["state"], session.job(job)["result"]) == (
                "succeeded",
                status["result"],
            )
        assert sum(SENTENCE in line for line in editor.history) == 1
        # The disk is writable again.
        library.unlink()
        file = library / "UnityBridge" / "jobs.jsonl"
        while not file.exists():
            editor.wait_until_idle()
        assert all(job in file.read_text(encoding="utf-8") for job in ("job-1", "job-2"))
        assert editor.violations() == []
