"""Slices of a sprite sheet, through the package 2D Sprite (SPEC §16.9)."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List

import pytest

from tests.e2e.test_plugin_make import error, run
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

SHEET = "Assets/Hero.png"
PROJECT = ("world asset Assets|Folder", f"world asset {SHEET}|Data")


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        headless.arrange(*PROJECT)
        (headless.project / "Assets").mkdir(exist_ok=True)
        yield headless
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    """Of an editor whose project has the package."""
    server.ready_session()
    editor.arrange("quirk sprite-package")
    editor.reload()
    return server.ready_session()


def slices(session: Session) -> List[Json]:
    params = {"what": "object", "path": SHEET, "page_size": 100}
    rows = session.ask("execute", tool_name="inspect", params=params)["result"]["items"]
    found: List[List[Json]] = [row["value"] for row in rows if row.get("field") == "slices"]
    return found[0] if found else []


def cut(session: Session, value: Any) -> Json:
    return run(session, "set_fields", path=SHEET, values={"importer.slices": value})


def test_a_grid_makes_whole_cells_from_the_top_left(
    session: Session, editor: HeadlessEditor
) -> None:
    answer = cut(session, {"cell": [32, 32], "pivot": "BottomCenter"})
    fields = [row["field"] for row in answer["changed"]]
    assert fields[0] == "importer.slices" and "importer.spriteImportMode" in fields
    assert answer["remarks"] == [
        "The grid has whole cells only: 2 pixels at the right and 6 at the bottom are in no slice."
    ]
    made = slices(session)
    assert [row["name"] for row in made] == [f"Hero_{number}" for number in range(8)]
    assert made[0]["rect"] == [0, 38, 32, 32] and made[5]["rect"] == [32, 6, 32, 32]
    assert made[0]["pivot"] == "BottomCenter"
    assert cut(session, {"cell": [32, 32], "pivot": "BottomCenter"})["changed"] == []
    padded = cut(session, {"cell": [30, 30], "offset": [1, 2], "padding": [2, 4]})
    assert "remarks" not in padded or "gone" not in str(padded["remarks"])
    assert slices(session)[1]["rect"] == [33, 38, 30, 30]


def test_a_slice_that_keeps_its_name_is_the_same_sprite_for_all_that_refer_to_it(
    session: Session, editor: HeadlessEditor
) -> None:
    cut(session, {"cell": [32, 32]})
    clip = {"sprites": {"frames": [[0, f"{SHEET}/Hero_0"], [0.5, f"{SHEET}/Hero_1"]]}}
    run(session, "create_asset", path="Assets/Walk.anim", values=clip)
    answer = cut(
        session,
        [
            {"name": "Hero_0", "rect": [0, 0, 64, 64], "pivot": [0.5, 0.25]},
            {"name": "Hero_1", "rect": [64, 0, 64, 64]},
        ],
    )
    assert "Hero_2" in str(answer["remarks"]) and "Hero_1," not in str(answer["remarks"])
    assert slices(session)[0]["pivot"] == [0.5, 0.25]
    params = {"what": "object", "path": "Assets/Walk.anim", "page_size": 100}
    rows = session.ask("execute", tool_name="inspect", params=params)["result"]["items"]
    (frames,) = (row["value"][0]["frames"] for row in rows if row.get("field") == "sprites")
    assert [frame[1]["name"] for frame in frames] == ["Hero_0", "Hero_1"]
    editor.command("undo")
    editor.wait_for("undone .*")
    assert len(slices(session)) == 8, "one Undo step has the sheet as it was"


@pytest.mark.parametrize(
    "value, words",
    [
        ({"cell": [0, 32]}, "at least one pixel"),
        ({"cell": 32}, "cell must be [x, y]"),
        ({"cell": [200, 200]}, "would be 0 slices of 130 x 70"),
        ({"grid": [32, 32]}, "no part 'grid'"),
        ([{"name": "A", "rect": [100, 0, 64, 64]}], "outside of the file's 130 x 70"),
        ([{"name": "A", "rect": [0, 0, 8, 8]}] * 2, "A twice"),
        ([{"rect": [0, 0, 8, 8]}], "from the bottom left"),
        ([{"name": "A", "rect": [0, 0, 8, 8], "pivot": "Middle"}], "one of Center"),
        ("32x32", "a grid or a list"),
    ],
)
def test_slices_that_cannot_be_are_refused(cutting: Session, value: Any, words: str) -> None:
    refusal = error(cutting, "set_fields", path=SHEET, values={"importer.slices": value})
    assert words in refusal["message"] and "Nothing was changed." in refusal["message"]
    assert slices(cutting) == []


@pytest.fixture(scope="module")
def cutting() -> Iterator[Session]:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        editor.arrange(*PROJECT, "quirk sprite-package")
        (editor.project / "Assets").mkdir(exist_ok=True)
        server.ready_session()
        editor.reload()
        yield server.ready_session()


def test_slices_that_a_person_has_not_applied_are_not_imported_over(
    session: Session, editor: HeadlessEditor
) -> None:
    editor.arrange("world object root|Assets/Main.unity|Root", "quirk unapplied-slices")
    for name, arguments in (
        ("set_fields", {"path": SHEET, "values": {"importer.maxTextureSize": 64}}),
        ("set_fields", {"path": SHEET, "values": {"importer.slices": {"cell": [32, 32]}}}),
        ("select", {"paths": [SHEET]}),
    ):
        refusal = error(session, name, **arguments)
        assert refusal["details"]["reason"] == "would_ask"
        assert "Sprite Editor" in refusal["message"]


def test_without_the_package_the_call_that_adds_it_is_named(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    refusal = error(
        session, "set_fields", path=SHEET, values={"importer.slices": {"cell": [32, 32]}}
    )
    assert refusal["details"]["reason"] == "package_missing"
    assert refusal["details"]["package"] == "com.unity.2d.sprite"
    assert 'packages=["com.unity.2d.sprite"]' in refusal["message"]
