"""``close_editor``, as the plugin carries it out: at once, or not at all, and nothing is lost (SPEC
§22.8).
"""

from __future__ import annotations

import itertools
from typing import Any, Iterator

import pytest

from tests.scripted_server import Message, ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor

_ids = itertools.count(1)
# The material of a dynamic font is a person's, and so is a package in the project's own folder.
OF_A_PERSON = "Assets/Inter Dynamic.asset:material;Assets/Inter Static.asset;Packages/com.game.tools/Items.asset"


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        server.ready_session()
        yield headless
        assert headless.violations() == []


def submit(server: ScriptedServer, name: str = "close_editor", **arguments: Any) -> str:
    job_id = f"job-{next(_ids)}"
    answer = server.latest.submit(
        job_id, tool="run_command", timeout_ms=60_000, **{"name": name, "arguments": arguments}
    )
    assert answer["status"] == "accepted", answer
    return job_id


def close(server: ScriptedServer, **arguments: Any) -> Message:
    return ended(server, server.latest, submit(server, **arguments))


def refused(server: ScriptedServer, **arguments: Any) -> Any:
    status = close(server, **arguments)
    assert (
        status["state"] == "failed"
        and status["error"]["details"]["execution_guarantee"] == "not_executed"
    ), status
    return status["error"]["details"]


def test_it_says_so_and_exits(server: ScriptedServer, editor: HeadlessEditor) -> None:
    status = close(server)
    assert status["state"] == "succeeded"
    assert status["result"]["value"] == {"closing": True, "saved": [], "discarded": []}
    editor.wait_for("exit 0")
    assert editor.process.wait(60) is not None


def test_thousands_of_unsaved_assets_are_counted_and_the_first_named(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    editor.arrange(
        "dirty-assets " + ";".join(f"Assets/{'x' * 200}{n:04}.asset" for n in range(3000))
    )
    error = close(server)["error"]
    assert error["details"]["reason"] == "unsaved_scenes" and len(error["details"]["assets"]) == 301
    assert "Save or discard them in Unity" in error["message"]
    assert error["message"].endswith("0000.asset, ... (2999 more).")
    discarded = close(server, discard=True)["result"]["value"]["discarded"]
    assert len(discarded) == 301 and discarded[-1] == "... (2700 more)"


def test_each_reason_keeps_the_editor_open(server: ScriptedServer, editor: HeadlessEditor) -> None:
    editor.arrange("scene Assets/Main.unity", "dirty-assets Assets/Items.asset")
    details = refused(server)
    assert (details["reason"], details["scenes"]) == ("unsaved_scenes", ["Assets/Main.unity"])
    assert details["assets"] == ["Assets/Items.asset"]
    editor.arrange("save-scenes")
    details = refused(server)
    assert (details["scenes"], details["assets"]) == ([], ["Assets/Items.asset"])
    # What is not below the project's folders is saved by nobody.
    editor.arrange("dirty-assets ProjectSettings/TagManager.asset", "building on")
    assert refused(server)["reason"] == "building"
    editor.arrange("building off", "updating true")
    assert refused(server)["reason"] == "busy"
    (editor.project / "Packages" / "com.game.tools").mkdir(parents=True)
    editor.arrange("updating false", f"dirty-assets {OF_A_PERSON}")
    assert refused(server)["assets"] == OF_A_PERSON.replace(":material", "").split(";")
    # Nothing of these is a person's work, and no one could save the first.
    editor.arrange(
        "dirty-assets Packages/com.unity.ugui/Fonts/Items.asset;Assets/Inter Dynamic.asset"
    )
    for wrong in ({"save": "yes"}, {"force": True}):
        assert refused(server, **wrong)["reason"] == "arguments"
    assert close(server)["state"] == "succeeded"
    editor.wait_for("exit 0")


def test_not_in_play_mode(server: ScriptedServer, editor: HeadlessEditor) -> None:
    job_id = f"job-{next(_ids)}"
    server.latest.submit(job_id, tool="play_mode", action="enter")
    editor.wait_for("loaded 2")
    server.ready_session()
    assert ended(server, server.latest, job_id)["state"] == "succeeded"
    assert refused(server)["reason"] == "playing"


def test_it_saves_what_has_a_file(server: ScriptedServer, editor: HeadlessEditor) -> None:
    editor.arrange("scene Assets/Main.unity", "dirty-assets Assets/Items.asset")
    status = close(server, save=True)
    assert status["result"]["value"]["saved"] == ["Assets/Main.unity", "Assets/Items.asset"]
    editor.wait_for("save-assets")
    editor.wait_for("exit 0")


def test_a_scene_without_a_file_is_nobodys_to_save(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    editor.arrange("scene Untitled")
    for save in (False, True):
        error = close(server, save=save)["error"]
        assert (error["details"]["reason"], error["details"]["scenes"]) == (
            "unsaved_scenes",
            ["Untitled"],
        )
        assert ("--save" in error["message"]) is not save and "--discard" in error["message"]


def test_without_a_window_discarding_is_the_way_out(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_BRIDGE_BATCHMODE", "1")
    with HeadlessEditor(server.port, options=["--batch-mode"]) as editor:
        server.ready_session()
        editor.arrange("scene Assets/Main.unity", "scene Untitled")
        assert "--discard" in close(server, save=True)["error"]["message"]
        editor.arrange("scene Assets/Main.unity")
        value = close(server, save=True, discard=True)["result"]["value"]
        assert value == {"closing": True, "saved": ["Assets/Main.unity"], "discarded": ["Untitled"]}
        editor.wait_for("exit 0")


def test_a_preference_that_asks(server: ScriptedServer, editor: HeadlessEditor) -> None:
    editor.arrange("quirk verify-saving-assets", "scene Assets/Main.unity")
    assert refused(server, save=True)["reason"] == "would_ask"


def test_close_editor_is_answered_at_once_before_waiting_jobs(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    running = submit(server, "forever")
    editor.wait_for("did forever")
    waiting = submit(server, "build", target="iOS")
    details = refused(server)
    assert (details["reason"], details["jobs"]) == ("busy", [running, waiting])


def test_it_is_in_no_list(server: ScriptedServer, editor: HeadlessEditor) -> None:
    job_id = f"job-{next(_ids)}"
    server.latest.submit(job_id, tool="run_command", query="close")
    status = ended(server, server.latest, job_id)
    assert "close_editor" not in [command["name"] for command in status["result"]["commands"]]


def test_a_server_that_does_not_ask_again_does_not_keep_it_open(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    submit(server)
    editor.wait_for("exit 0")
