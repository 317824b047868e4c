"""``tags``, and what names it: tags, layers and sorting layers of the project (SPEC §16.8)."""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from tests.e2e.test_plugin_make import error, run
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

Json = Dict[str, Any]

PROJECT = (
    "asset Assets|Folder",
    "asset Assets/Data.asset|Data",
    "object root|Assets/Main.unity|Root",
    "object lamp|root|Lamp|Light,MeshRenderer",
    "inactive lamp",
)
FILE = "ProjectSettings/TagManager.asset"


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        headless.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in PROJECT))
        headless.arrange("dirty-assets Assets/Data.asset")
        (headless.project / "Assets").mkdir(exist_ok=True)
        yield headless
        headless.command("serialized")
        assert headless.wait_for(r"serialized (\d+)").group(1) == "0", (
            "each serialized object was disposed of"
        )
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    return server.ready_session()


def test_a_tag_is_added_saved_alone_used_and_removed(
    session: Session, editor: HeadlessEditor
) -> None:
    refused = error(session, "set_fields", path="Main/Root/Lamp", values={"tag": "Enemy"})
    assert "tags action=add tag=Enemy" in refused["message"]
    answer = run(session, "tags", action="add", tag="Enemy")
    assert answer["changed"] == [{"path": FILE, "field": "tags", "before": None, "after": "Enemy"}]
    assert (answer["written"], answer["undo"]) == ([FILE], False)
    assert "Enemy" in (editor.project / FILE).read_text()
    assert not [line for line in editor.history if "save-assets" in line], (
        "other unsaved assets stay as they are"
    )
    assert run(session, "tags")["tags"][-1] == "Enemy"
    again = run(session, "tags", action="add", tag="Enemy")
    assert again["changed"] == [] and "already" in again["remarks"][0] and "written" not in again
    run(session, "set_fields", path="Main/Root/Lamp", values={"tag": "Enemy"})
    # The object is not active: GameObject.FindWithTag, which Unity's page asks, does not find it.
    details = error(session, "tags", action="remove", tag="Enemy")["details"]
    assert details["reason"] == "in_use" and details["objects"] == ["Main/Root/Lamp"]
    assert run(session, "tags")["tags"][-1] == "Enemy"
    removed = run(session, "tags", action="remove", tag="Enemy", force=True)
    assert removed["changed"][0]["before"] == "Enemy" and any(
        "not searched" in remark for remark in removed["remarks"]
    )
    assert "Enemy" not in run(session, "tags")["tags"]
    for tag in ("Enemy", "Player"):
        assert "cannot be removed" in error(session, "tags", action="remove", tag=tag)["message"]


def test_a_layer_gets_the_first_free_number_or_the_one_that_was_named(session: Session) -> None:
    assert (
        "action=add layer="
        in error(session, "set_fields", path="Main/Root", values={"layer": "Lava"})["message"]
    )
    for layer, index in (("Lava", 3), ("Ground", 6)):
        assert (
            run(session, "tags", action="add", layer=layer)["changed"][0]["field"]
            == f"layers[{index}]"
        )
    assert (
        run(session, "tags", action="add", layer="Far", index=31)["changed"][0]["field"]
        == "layers[31]"
    )
    for taken in (0, 5, 6, 32, -1):
        assert (
            "free are 7, 8"
            in error(session, "tags", action="add", layer="X", index=taken)["message"]
        )
    assert {"index": 3, "name": "Lava"} in run(session, "tags")["layers"]
    run(session, "set_fields", path="Main/Root/Lamp", values={"layer": "Lava"})
    assert error(session, "tags", action="remove", layer="Lava")["details"]["objects"] == [
        "Main/Root/Lamp"
    ]
    run(session, "tags", action="remove", layer="Ground")
    assert [row["index"] for row in run(session, "tags")["layers"]] == [0, 1, 2, 3, 4, 5, 31]
    for number in range(25):
        run(session, "tags", action="add", layer=f"L{number}")
    assert "All layers have a name" in error(session, "tags", action="add", layer="X")["message"]


def test_sorting_layers_keep_their_order_and_the_running_editor_hears_of_it(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "tags", action="add", sorting_layer="Front")
    editor.wait_for("sorting-layer-added Front 1")
    run(session, "tags", action="add", sorting_layer="Back", index=0)
    assert run(session, "tags")["sorting_layers"] == ["Back", "Default", "Front"]
    editor.wait_for("sorting-layers-changed")
    run(session, "set_fields", path="Main/Root/Lamp", values={"Light.intensity": 2})
    assert (
        "cannot be removed"
        in error(session, "tags", action="remove", sorting_layer="Default")["message"]
    )
    assert (
        "past the end"
        in error(session, "tags", action="add", sorting_layer="X", index=4)["message"]
    )
    editor.forget_history()
    run(session, "tags", action="remove", sorting_layer="Back")
    calls = [line for line in editor.history if "sorting-layer" in line]
    assert [call.split()[-3:] for call in calls[:1]] == [["sorting-layer-removed", "Back", "0"]]
    assert "sorting-layers-changed" in calls[-1], "each is called while the layer is still there"
    assert run(session, "tags")["sorting_layers"] == ["Default", "Front"]


def test_what_unity_did_not_write_is_said(session: Session, editor: HeadlessEditor) -> None:
    editor.arrange("quirk settings-not-saved-alone")
    answer = run(session, "tags", action="add", tag="Enemy")
    assert (
        "written" not in answer and answer["undo"] is False and "save_all" in answer["remarks"][0]
    )
    assert not (editor.project / FILE).exists()
    run(session, "save_all")
    assert "Enemy" in (editor.project / FILE).read_text()


def test_what_asks_and_what_makes_no_sense_is_refused(
    session: Session, editor: HeadlessEditor
) -> None:
    for arguments in ({}, {"tag": " "}, {"tag": "A", "layer": "B"}):
        assert "one name" in error(session, "tags", action="add", **arguments)["message"]
    for quirk in ("not-checked-out", "verify-saving-assets"):
        editor.arrange(f"quirk {quirk}")
        assert error(session, "tags", action="add", tag="Enemy")["details"]["reason"] == "would_ask"
        editor.arrange(f"no-quirk {quirk}")
    editor.arrange("enter-play-without-reload")
    editor.command("play on")
    editor.wait_for("play on")
    assert error(session, "tags", action="add", tag="Enemy")["details"]["reason"] == "playing"
    assert "Untagged" in run(session, "tags")["tags"]
    editor.command("play off")
