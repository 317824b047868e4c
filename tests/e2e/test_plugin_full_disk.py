"""All or nothing on a full disk, without trash, with two volumes, and in an editor that is killed
(SPEC §16.7).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Dict, Iterator, List

import pytest

from tests.e2e.test_plugin_make import Json, error, fields, run, step, tree
from tests.scripted_server import ScriptedServer, Session
from tests.small_disk import filled_by_something_else, make_read_only, small_disk
from tests.unity_headless.headless_editor import HeadlessEditor

WORLD = (
    "asset Assets|Folder",
    "object lamp|Assets/Main.unity|Lamp",
    "object bulb|lamp|Bulb|BoxCollider",
    "object other|Assets/Main.unity|Other",
    "asset Assets/Data.asset|Data",
    "field Assets/Data.asset|0|price|Integer|int|12",
    "asset Assets/Icon.png|Data",
)
LAMP = "Assets/Lamp.prefab"
ICON = "Assets/Icon.png.meta"
CHANGE = step("add_component", path=f"{LAMP}/Bulb", component="Light")
SETTING = step("set_fields", path="Assets/Icon.png", values={"importer.maxTextureSize": 512})
FAILURE = step("delete_object", path="Main/Nobody")
KEPT = ("Library/UnityBridge/Kept", ".unity-bridge-kept")


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        _prepare(headless)
        yield headless
        assert headless.violations() == []


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    editor.wait_until_idle()
    session = server.ready_session()
    _make_prefab(session, editor)
    return session


def _prepare(editor: HeadlessEditor) -> None:
    editor.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in WORLD))
    (editor.project / "Assets").mkdir(exist_ok=True)
    (editor.project / ICON).write_text("the settings of a person, " * 10)


def _make_prefab(session: Session, editor: HeadlessEditor) -> None:
    """A prefab of 300 kB with a comment of its own at the end."""
    run(session, "create_asset", path=LAMP, **{"from": "Main/Lamp"})
    with (editor.project / LAMP).open("a") as file:
        file.write("\n# " + "x" * 300_000)


def disk(editor: HeadlessEditor) -> Dict[str, bytes]:
    """All that a person has in the project."""
    paths = [
        path
        for path in (editor.project / "Assets").rglob("*")
        if path.is_file() and path.suffix != ".cs"
    ]
    return {str(path.relative_to(editor.project)): path.read_bytes() for path in paths}


def kept(editor: HeadlessEditor) -> List[Path]:
    """The copies that are still there."""
    homes = [editor.project / home for home in KEPT]
    return sorted(path for home in homes for path in home.rglob("*.*") if path.name != ".gitignore")


def batch_is_killed(session: Session, *steps: Json) -> None:
    """A quirk of the editor ends it, perhaps before it has accepted the job."""
    params = {"name": "batch", "arguments": {"steps": list(steps)}}
    request = {"request_id": "killed", "job_id": "killed", "timeout_ms": 60_000}
    session.send("submit_job", tool_name="run_command", params=params, **request)
    session.wait_closed()


def batch_fails(session: Session, *steps: Json) -> Json:
    return error(session, "batch", steps=[*steps, FAILURE])


@pytest.mark.parametrize("moment", ["before-save 10", "after-save 4096"])
def test_a_prefab_is_as_before_though_the_disk_is_full(
    session: Session, editor: HeadlessEditor, moment: str
) -> None:
    before, objects = disk(editor), tree(session)
    editor.arrange(f"quirk disk-full-{moment}")
    failed = batch_fails(session, CHANGE, step("create_object", name="A"))
    editor.arrange("disk-has-room")
    assert failed["details"]["batch"]["stays"] == []
    assert disk(editor) == before and tree(session) == objects
    assert kept(editor) == []


@pytest.mark.parametrize("moment", ["before-meta 4", "after-meta 4"])
def test_import_settings_are_as_before_though_the_disk_is_full(
    session: Session, editor: HeadlessEditor, moment: str
) -> None:
    before = disk(editor)
    editor.arrange(f"quirk disk-full-{moment}")
    failed = batch_fails(session, SETTING)
    editor.arrange("disk-has-room")
    assert failed["details"]["batch"]["stays"] == []
    assert disk(editor) == before and kept(editor) == []


def test_without_room_for_a_copy_nothing_is_changed(
    session: Session, editor: HeadlessEditor
) -> None:
    before = disk(editor)
    editor.arrange("disk-full 4096")
    for refused in (
        error(session, "add_component", path=f"{LAMP}/Bulb", component="Light"),
        error(session, "batch", steps=[CHANGE]),
    ):
        assert refused["details"]["reason"] == "disk_full" and refused["details"]["file"] == LAMP
        assert refused["message"].count("Make room on the disk") == 1
        assert refused["details"]["execution_guarantee"] == "not_executed"
        assert "batch" not in refused["details"]
    editor.arrange("disk-has-room")
    assert disk(editor) == before and kept(editor) == []


def test_overrides_that_are_not_written_whole_leave_the_prefab_as_before(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "add_component", path="Main/Lamp/Bulb", component="Light")
    before = disk(editor)
    editor.arrange("quirk disk-full-before-save 10")
    error(session, "apply_overrides", path="Main/Lamp")
    editor.arrange("disk-has-room")
    assert disk(editor) == before and kept(editor) == []


def test_the_open_prefab_is_as_before_though_the_disk_is_full(
    session: Session, editor: HeadlessEditor
) -> None:
    before = disk(editor)
    run(session, "open_prefab", path=LAMP)
    editor.arrange("quirk disk-full-before-save 10")
    error(session, "batch", steps=[CHANGE])
    editor.arrange("disk-has-room")
    assert disk(editor) == before and kept(editor) == []


@pytest.mark.parametrize("path", ["Assets/A.mat", "Assets/New/Sub/A.mat", "Assets/B.prefab"])
def test_a_failed_write_leaves_no_file(session: Session, editor: HeadlessEditor, path: str) -> None:
    before = disk(editor)
    arguments: Json = {"path": path, **({"from": "Main/Other"} if path.endswith(".prefab") else {})}
    editor.arrange("quirk disk-full-at-create 3")
    error(session, "create_asset", **arguments)
    editor.arrange("disk-has-room")
    failed = error(
        session, "batch", steps=[step("create_object", name="A"), step("create_asset", **arguments)]
    )
    editor.arrange("disk-has-room")
    assert failed["details"]["batch"]["stays"] == []
    assert disk(editor) == before and not (editor.project / "Assets/New").exists()
    editor.arrange("no-quirk disk-full-at-create 3")
    run(session, "create_asset", **arguments)


def test_what_a_person_wrote_since_stays_and_its_copy_is_named(
    session: Session, editor: HeadlessEditor
) -> None:
    before = disk(editor)[LAMP]
    editor.arrange(f"quirk person-adds-at-create {LAMP}")
    failed = batch_fails(session, SETTING, CHANGE, step("create_asset", path="Assets/A.mat"))
    assert failed["details"]["batch"]["stays"] == [LAMP]
    (copy,) = kept(editor)
    assert copy.read_bytes() == before
    named = copy.relative_to(editor.project).as_posix()
    assert f"except {LAMP} (as it was: {named})" in failed["message"]
    assert session.becomes(kept_copies=[{"file": LAMP, "copy": named}])
    copy.unlink()
    session.expect_that(
        lambda _: "kept_copies" not in session.heard("editor_status")[-1], "a status without copies"
    )


def test_no_copy_is_left_of_a_call_that_went_well(session: Session, editor: HeadlessEditor) -> None:
    run(session, "batch", steps=[CHANGE, SETTING, step("create_asset", path="Assets/A.mat")])
    assert kept(editor) == [] and not any((editor.project / KEPT[0]).iterdir())


def test_a_killed_editor_leaves_a_copy_and_says_so_once(
    server: ScriptedServer, tmp_path: Path
) -> None:
    project = tmp_path / "Game"
    with HeadlessEditor(server.port, project=project) as editor:
        _prepare(editor)
        session = server.ready_session()
        _make_prefab(session, editor)
        before = disk(editor)
        editor.arrange("quirk die-after-save")
        steps = [step("create_asset", path="Assets/A.mat"), CHANGE, step("create_object", name="A")]
        batch_is_killed(session, *steps)
    changed = (project / LAMP).read_bytes()
    assert changed != before[LAMP]
    for count in (1, 0):
        with HeadlessEditor(None, project=project) as editor:
            session = server.ready_session()
            (copy,) = kept(editor)
            assert copy.read_bytes() == before[LAMP]
            named = copy.relative_to(project).as_posix()
            session.becomes(kept_copies=[{"file": LAMP, "copy": named}])
            warnings = [
                line for line in session.messages_in_console() if "ended while a batch" in line
            ]
            assert len(warnings) == count
            assert all(f"{LAMP} as it was before is {named}." in line for line in warnings)
            assert all("Assets/A.mat is new" in line for line in warnings)
            assert (project / LAMP).read_bytes() == changed, "nothing is restored by itself"
    # A copy of a file that a person has restored is not reported any more.
    shutil.copyfile(copy, project / LAMP)
    (project / "Assets/A.mat").unlink()
    with HeadlessEditor(None, project=project) as editor:
        assert "kept_copies" not in server.ready_session().expect("editor_status", state="ready")
        assert kept(editor) == [] and not any((project / KEPT[0]).iterdir())


def test_copies_go_after_seven_days(server: ScriptedServer, tmp_path: Path) -> None:
    project = tmp_path / "Game"
    with HeadlessEditor(server.port, project=project):
        server.ready_session()
    folder = project / KEPT[0] / "20261101-101500-0123abcd"
    folder.mkdir(parents=True)
    (folder / "1.prefab").write_text("older")
    (folder / "journal").write_text(
        f'\n{{"file": "{LAMP}", "copy": "1.prefab"}}\n{{"file": "Assets/x", "copy": "../../y"}}\n'
    )
    (folder / "mine.txt").write_text("a person's")
    old = folder.stat().st_mtime - 8 * 24 * 3600
    os.utime(folder / "journal", (old, old))
    with HeadlessEditor(None, project=project):
        server.ready_session()
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]


def test_a_prefab_is_as_before_on_a_disk_that_something_else_fills(
    server: ScriptedServer, tmp_path: Path
) -> None:
    with small_disk(tmp_path, 4), HeadlessEditor(server.port, project=tmp_path / "Game") as editor:
        _prepare(editor)
        session = server.ready_session()
        _make_prefab(session, editor)
        before = disk(editor)
        steps = [CHANGE, *(step("create_object", name=f"N{number}") for number in range(50))]
        for _ in range(3):
            with filled_by_something_else(tmp_path):
                failed = batch_fails(session, *steps)
            assert failed["details"]["batch"]["stays"] == []
            assert disk(editor) == before and kept(editor) == []
        assert editor.violations() == []


def test_nothing_is_changed_on_a_disk_that_is_read_only(
    server: ScriptedServer, tmp_path: Path
) -> None:
    with small_disk(tmp_path, 8), HeadlessEditor(server.port, project=tmp_path / "Game") as editor:
        _prepare(editor)
        session = server.ready_session()
        _make_prefab(session, editor)
        before = disk(editor)
        make_read_only(tmp_path)
        try:
            refused = error(session, "add_component", path=f"{LAMP}/Bulb", component="Light")
        finally:
            make_read_only(tmp_path, False)
        assert refused["details"]["reason"] == "disk_full" and "ead-only" in refused["message"]
        assert disk(editor) == before
        assert editor.violations() == []


@pytest.fixture
def other_volume(tmp_path: Path) -> Iterator[Path]:
    """A folder of another file system than the temporary one."""
    shared_memory = Path("/dev/shm")
    if not shared_memory.is_dir() or shared_memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second file system")
    with tempfile.TemporaryDirectory(dir=shared_memory) as folder:
        yield Path(folder)


def test_copies_lie_next_to_assets_where_the_library_is_on_another_volume(
    server: ScriptedServer, tmp_path: Path, other_volume: Path
) -> None:
    project = tmp_path / "Game"
    project.mkdir()
    (project / "Library").symlink_to(other_volume, target_is_directory=True)
    with HeadlessEditor(server.port, project=project) as editor:
        _prepare(editor)
        session = server.ready_session()
        _make_prefab(session, editor)
        before = disk(editor)
        editor.arrange("quirk disk-full-after-save 4096")
        batch_fails(session, CHANGE, step("create_object", name="A"))
        editor.arrange("disk-has-room", "no-quirk disk-full-after-save 4096")
        assert disk(editor) == before and kept(editor) == []
        assert (project / KEPT[1] / ".gitignore").read_text() == "*\n"
        shutil.rmtree(project / KEPT[1])
        (project / KEPT[1]).write_text("a file in its place")
        refused = error(session, "batch", steps=[CHANGE])
        assert refused["details"]["reason"] == "disk_full"
        assert disk(editor) == before
        assert editor.violations() == []


def test_a_link_in_the_place_of_the_copies_is_not_followed(
    session: Session, editor: HeadlessEditor, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    home = editor.project / KEPT[0]
    shutil.rmtree(home, ignore_errors=True)
    home.parent.mkdir(parents=True, exist_ok=True)
    home.symlink_to(outside, target_is_directory=True)
    run(session, "batch", steps=[CHANGE])
    assert not any(outside.iterdir())


# What a batch that was taken back leaves besides files.


def test_an_asset_is_saved_again_if_it_was(session: Session, editor: HeadlessEditor) -> None:
    change = step("set_fields", path="Assets/Data.asset", values={"price": 99})
    batch_fails(session, change)
    assert fields(session, "Assets/Data.asset")["Game.Data.price"] == 12
    run(session, "copy_asset", path="Assets/Data.asset", to="Assets/Copy.asset")
    run(session, "set_fields", path="Assets/Data.asset", values={"price": 13})
    batch_fails(session, change)
    refused = error(session, "copy_asset", path="Assets/Data.asset", to="Assets/Second.asset")
    assert refused["details"]["reason"] == "unsaved_scenes", (
        "it had changes before, and has them still"
    )


def test_the_error_says_what_is_there_after_all_was_taken_back(
    session: Session, editor: HeadlessEditor
) -> None:
    failed = batch_fails(session, step("create_object", name="Ghost"))
    assert "There is 'Lamp', 'Other'." in failed["message"] and "Ghost" not in failed["message"]
    steps = [
        step("delete_object", path="Main/Other"),
        step("create_object", parent="Main/Other", name="A"),
    ]
    message = error(session, "batch", steps=steps)["message"]
    assert "The parent Main/Other: it is there again" in message and "There is no" not in message
    steps = [step("create_object", name="Ghost"), step("select", paths=["Main/Nobody"])]
    assert "Ghost" not in error(session, "batch", steps=steps)["message"]


def test_the_selection_is_as_before(session: Session, editor: HeadlessEditor) -> None:
    run(session, "select", paths=["Main/Other"])
    batch_fails(
        session, step("create_object", "a", name="A"), step("select", paths=["$a", "Main/Lamp"])
    )
    assert [target["path"] for target in run(session, "get_selection")["objects"]] == ["Main/Other"]


def test_what_another_program_put_into_a_copied_folder_is_in_the_trash(
    session: Session, editor: HeadlessEditor
) -> None:
    run(session, "create_asset", path="Assets/Art/A.mat")
    before = disk(editor)
    steps = [
        step("copy_asset", path="Assets/Art", to="Assets/Copy"),
        step("create_asset", path="Assets/B.mat"),
    ]
    editor.arrange("quirk person-adds-at-create Assets/Copy/mine.txt")
    assert batch_fails(session, *steps)["details"]["batch"]["stays"] == []
    assert disk(editor) == before
    assert (editor.project / "Trash/Copy/mine.txt").read_text() == "a person's"
    editor.arrange("quirk no-trash")
    assert batch_fails(session, *steps)["details"]["batch"]["stays"] == ["Assets/Copy"]
    assert (editor.project / "Assets/Copy/mine.txt").read_text() == "a person's"


# Paths of new files.


@pytest.mark.parametrize(
    "name",
    [
        *(
            "CON",
            "con.mat",
            "NUL.mat",
            "aux/x.mat",
            "COM1.mat",
            "LPT9",
            "CONIN$.mat",
            "COM\u00b9.mat",
            "nul.tar.mat",
        ),
        *("LONGFI~1.mat", "GIT~1/x.mat", "x~123456.mat"),
        *(
            "\u202egpj.mat",
            "a\u200bb.mat",
            "a\ufeff.mat",
            "\U000e0041.mat",
            "a\u2028b.mat",
            "\u00ad.mat",
        ),
    ],
)
def test_a_name_that_another_system_cannot_have_is_refused(
    session: Session, editor: HeadlessEditor, name: str
) -> None:
    before = disk(editor)
    refused = error(session, "create_asset", path=f"Assets/{name}")
    bad = next(part for part in name.split("/") if part != "x.mat")
    assert refused["details"]["reason"] == "bad_name" and refused["details"]["name"] == bad
    assert disk(editor) == before


def test_names_are_checked_of_what_is_not_there_yet_alone(
    session: Session, editor: HeadlessEditor
) -> None:
    (editor.project / "Assets/a\u200bb").mkdir()
    (editor.project / "Assets/con.mat").write_text("%YAML")
    editor.arrange("world asset Assets/a\u200bb|Folder", "world asset Assets/con.mat|Data")
    run(session, "create_asset", path="Assets/a\u200bb/A.mat")
    run(session, "delete_asset", path="Assets/con.mat")
    for name in (
        "Console.mat",
        "COM10.mat",
        "LONGFILES~1.mat",
        "a~b.mat",
        "x~1234567.mat",
        "\u06a9\u200c\u0647.mat",
        "1\ufe0f\u20e3.mat",
    ):
        run(session, "create_asset", path=f"Assets/{name}")


def test_a_name_that_is_composed_in_another_way_is_taken(
    session: Session, editor: HeadlessEditor
) -> None:
    (editor.project / "Assets/Caf\u00e9.mat").write_text("a person's")
    for name in ("Cafe\u0301.mat", "CAFE\u0301.mat"):
        assert (
            error(session, "create_asset", path=f"Assets/{name}")["details"]["reason"] == "exists"
        )
    assert (editor.project / "Assets/Caf\u00e9.mat").read_text() == "a person's"


@pytest.mark.parametrize("command", ["delete_asset", "move_asset", "copy_asset"])
def test_a_link_as_the_last_part_is_refused(
    session: Session, editor: HeadlessEditor, command: str
) -> None:
    (editor.project / "Assets/Real").mkdir()
    (editor.project / "Assets/Link").symlink_to("Real", target_is_directory=True)
    editor.arrange("world asset Assets/Link|Folder")
    to = {} if command == "delete_asset" else {"to": "Assets/Other"}
    assert "through a link" in error(session, command, path="Assets/Link", **to)["message"]
    assert (editor.project / "Assets/Link").is_symlink()


def test_links_in_a_circle_hold_nothing_up(session: Session, editor: HeadlessEditor) -> None:
    folder = editor.project / "Assets/Circle"
    folder.mkdir()
    for number in range(3):
        (folder / f"l{number}").symlink_to(".", target_is_directory=True)
    editor.arrange("world asset Assets/Circle|Folder")
    run(session, "copy_asset", path="Assets/Circle", to="Assets/Copy")
    run(session, "delete_asset", path="Assets/Circle")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("Out/post-checkout", "path is where"),
        ("Ass/x", "path is where"),
        ("Builds/Game", "through a link"),
        ("B2", "through a link"),
        ("Real/Link/Game", "through a link"),
        ("CON/Game", "device on Windows"),
        ("nul.exe", "device on Windows"),
        ("GIT~1/hooks/x", "short name"),
        ("Library /x", "Windows can have"),
    ],
)
def test_a_player_is_built_through_no_link(
    session: Session, editor: HeadlessEditor, path: str, message: str
) -> None:
    project = editor.project
    for folder in (".git/hooks", "../outside", "Real/Deep"):
        (project / folder).mkdir(parents=True, exist_ok=True)
    for link, target in (
        ("Out", ".git/hooks"),
        ("Builds", "../outside"),
        ("Ass", "Assets"),
        ("B2", "../outside"),
        ("Real/Link", "Deep"),
    ):
        (project / link).symlink_to(target, target_is_directory=True)
    (project / "Assets/Main.unity").write_text("%YAML")
    run(session, "save_all")
    assert (
        message
        in error(session, "build_player", path=path, scenes=["Assets/Main.unity"])["message"]
    )
    assert not [line for line in editor.history if line.startswith("build ")]
