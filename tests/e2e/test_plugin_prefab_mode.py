"""Changes of the open prefab, in the plugin: with Auto Save, Unity writes its file by itself (SPEC
§16.5).
"""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from tests.e2e.test_plugin_changes import read, run, shown, status_of, undo, world
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

TANK = "Assets/Tank.prefab"
BARREL = "/Tank/Barrel"
SAVED = f"{TANK} was saved: Unity saves the open prefab after each change, and after an Undo (Auto Save)."


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    held = ["scene Assets/Main.unity", "enter-play-without-reload"]
    with HeadlessEditor(server.port, held=held) as headless:
        world(
            headless,
            "object root|Assets/Main.unity|Root",
            f"root stage|{TANK}|Tank",
            "object staged|stage|Barrel|Light",
        )
        (headless.project / "Assets").mkdir(exist_ok=True)
        (headless.project / TANK).write_text("%YAML first", encoding="utf-8")
        server.ready_session()
        yield headless
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Iterator[Session]:
    editor.arrange(f"open-prefab {TANK}")
    editor.wait_until_idle()
    editor.forget_history()
    yield server.open_session()
    editor.arrange("open-prefab", "prefab-clean")
    editor.wait_until_idle()


def is_dirty(session: Session) -> bool:
    return any(item["dirty"] for item in read(session, "scenes") if item["kind"] == "prefab")


def refused(session: Session, command: str, **arguments: Any) -> Dict[str, Any]:
    """The error; nothing was changed, and the prefab has nothing to save."""
    before = shown(session, BARREL), read(session, "hierarchy", path="/Tank")
    status = status_of(session, command, arguments)
    assert status["state"] == "failed", status
    assert (shown(session, BARREL), read(session, "hierarchy", path="/Tank")) == before
    assert not is_dirty(session)
    return dict(status["error"])


def test_a_change_is_saved_by_the_end_of_the_call(session: Session, editor: HeadlessEditor) -> None:
    answer = run(session, "set_fields", path=BARREL, values={"Light.intensity": 4})
    assert (answer["written"], answer["undo"], answer["remarks"]) == ([TANK], True, [SAVED])
    assert not is_dirty(session)
    steps = [
        {"name": "create_object", "arguments": {"parent": "/", "name": "Flag"}},
        {"name": "add_component", "arguments": {"path": "/Tank/Flag", "component": "Light"}},
    ]
    batch = run(session, "batch", steps=steps)
    assert (batch["written"], batch["undo"], batch["remarks"]) == ([TANK], True, [SAVED])
    # One save, by the prefab's own way of saving, for the whole batch.
    assert editor.history.count(f"save-prefab {TANK}") <= 4
    undo(editor, "2 steps")
    # Unity's own Auto Save.
    editor.wait_for(f"auto-save {TANK}")
    undo(editor, "Set fields of Barrel")


def test_without_auto_save_a_change_stays_in_the_editor(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("quirk no-auto-save")
    answer = run(session, "set_fields", path=BARREL, values={"Light.intensity": 5})
    assert "written" not in answer and "remarks" not in answer and is_dirty(session)
    assert editor.history.count(f"save-prefab {TANK}") == 0
    # No dialog comes of a name that nobody saves.
    run(session, "set_fields", path="/Tank/Tank", values={"name": "Wagon"})
    for name in ("Set fields of Tank", "Set fields of Barrel"):
        undo(editor, name)
    editor.arrange("prefab-clean", "no-quirk no-auto-save")


@pytest.mark.parametrize(
    ("quirk", "words"),
    [
        ("not-checked-out", "version control has not checked it out"),
        ("missing-parent", "variant of is missing"),
    ],
)
def test_what_unity_would_ask_about_is_refused(
    session: Session, editor: HeadlessEditor, quirk: str, words: str
) -> None:
    editor.arrange(f"quirk {quirk}")
    for command, arguments in (
        ("set_fields", {"path": BARREL, "values": {"Light.intensity": 6}}),
        ("create_object", {"parent": "/", "name": "Flag"}),
        ("create_object", {"copy_of": BARREL}),
        ("move_object", {"path": BARREL, "parent": "/"}),
        ("delete_object", {"path": BARREL}),
        ("add_component", {"path": BARREL, "component": "BoxCollider"}),
        ("remove_component", {"path": BARREL, "component": "Light"}),
    ):
        error = refused(session, command, **arguments)
        assert error["details"]["reason"] == "would_ask" and words in error["message"], command
    editor.arrange(f"no-quirk {quirk}")


def test_a_new_name_of_the_root_is_refused(session: Session) -> None:
    error = refused(session, "set_fields", path="/Tank/Tank", values={"name": "Wagon"})
    assert error["details"]["reason"] == "would_ask" and "move_asset" in error["message"]


def test_a_missing_script_anywhere_below_the_root_refuses_each_change(
    session: Session, editor: HeadlessEditor
) -> None:
    world(editor, "object broken|staged|Broken|missing")
    error = refused(session, "set_fields", path=BARREL, values={"Light.intensity": 6})
    assert (
        error["details"]["reason"] == "would_ask"
        and "script of one of its components is missing" in error["message"]
    )
    world(editor, "destroy broken")


def test_in_play_mode_its_file_is_not_written(session: Session, editor: HeadlessEditor) -> None:
    editor.command("play on")
    editor.wait_for("play on")
    assert (
        refused(session, "set_fields", path=BARREL, values={"Light.intensity": 6})["details"][
            "reason"
        ]
        == "playing"
    )
    editor.command("play off")
    editor.wait_for("play off")


def test_a_save_that_fails_takes_the_change_back(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("quirk unsavable-prefab")
    assert (
        "could not save"
        in refused(session, "set_fields", path=BARREL, values={"Light.intensity": 6})["message"]
    )
    editor.arrange("no-quirk unsavable-prefab")
