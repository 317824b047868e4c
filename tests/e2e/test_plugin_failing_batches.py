"""Batches that fail in every way: each file is as before, or named with a whole copy (SPEC §16.7)."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import pytest

from tests.e2e.test_plugin_full_disk import (
    FAILURE,
    LAMP,
    SETTING,
    WORLD,
    batch_is_killed,
    disk,
    kept,
)
from tests.e2e.test_plugin_make import Json, run, status_of, step
from tests.ports import free_port
from tests.rounds import rounds
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

# Of these, one in so many kills the editor.
BATCHES = rounds(60, 1000)
KILLS = 40
MOMENTS = ("before-save", "after-save", "before-meta", "after-meta", "at-create")
EXCEPTIONS = ("unsavable-prefab", "create-asset-throws")


def _steps(random: random.Random, number: int) -> List[Json]:
    """One to six steps, of which most write files."""
    name = f"N{number}"
    choices = [
        [step("add_component", path=f"{LAMP}/Bulb", component="Light")],
        [
            step("create_object", parent=LAMP, name=name),
            step("set_fields", path=LAMP, values={"tag": "Player"}),
        ],
        [
            step(
                "set_fields",
                path="Assets/Icon.png",
                values={"importer.maxTextureSize": random.choice((256, 512))},
            )
        ],
        [
            step("create_asset", f"m{number}", path=f"Assets/{name}.mat"),
            step("copy_asset", path=f"$m{number}", to=f"Assets/Sub/{name}.mat"),
        ],
        [step("create_asset", path=f"Assets/{name}.prefab", **{"from": "Main/Other"})],
        [
            step("move_asset", path="Assets/Art", to=f"Assets/Art {number}"),
            step("move_asset", path=f"Assets/Art {number}", to="Assets/Art"),
        ],
        [step("move_asset", path="Assets/Plain.mat", to=f"Assets/Plain {number}.mat")],
        [step("copy_asset", path="Assets/Art", to=f"Assets/Copy {number}")],
        [step("set_fields", path="Assets/Data.asset", values={"price": number})],
        [step("create_object", name=name, kind="cube"), step("select", paths=[f"Main/{name}"])],
    ]
    return [one for steps in random.sample(choices, random.randint(1, 4)) for one in steps]


class _Project:
    """A project whose batches fail, and its editor."""

    def __init__(self, server: ScriptedServer, folder: Path) -> None:
        self._server = server
        self._folder = folder
        self._count = 0
        self.editor: Optional[HeadlessEditor] = None
        self.session: Session

    def start(self) -> HeadlessEditor:
        self._count += 1
        project = self._folder / f"Game{self._count}"
        self.editor = HeadlessEditor(self._server.port, project=project)
        self.editor.arrange("open-scenes Assets/Main.unity", *(f"world {line}" for line in WORLD))
        (project / "Assets").mkdir(exist_ok=True)
        (project / "Assets/Icon.png.meta").write_text("the settings of a person, " * 10)
        self.session = self._server.ready_session()
        run(self.session, "create_asset", path=LAMP, **{"from": "Main/Lamp"})
        run(self.session, "create_asset", path="Assets/Art/A.mat")
        run(self.session, "create_asset", path="Assets/Plain.mat")
        for path in ("Assets/Plain.mat", LAMP):
            with (project / path).open("a") as file:
                file.write("\n# " + "x" * 20_000)
        return self.editor

    def stop(self) -> None:
        assert self.editor is not None
        self.editor.stop()


def _whole(before: Dict[str, bytes], after: Dict[str, bytes], copies: Dict[str, Path]) -> List[str]:
    """The files that are neither as before nor named with a whole copy."""
    paths = [path for path in before if after.get(path) != before[path]]
    return [
        path for path in paths if path not in copies or copies[path].read_bytes() != before[path]
    ]


@pytest.mark.slow
def test_no_batch_loses_a_byte(tmp_path: Path) -> None:
    choice = random.Random(59)
    with ScriptedServer(free_port()) as server:
        project = _Project(server, tmp_path)
        editor = project.start()
        try:
            for number in range(BATCHES):
                steps = _steps(choice, number)
                way = (
                    "kill"
                    if number % KILLS == KILLS - 1
                    else choice.choice(("refusal", "exception", "full disk"))
                )
                quirk, failure = _failure(choice, way)
                before = disk(editor)
                editor.arrange(quirk)
                if way == "kill":
                    batch_is_killed(project.session, *steps, *failure)
                    _check_killed(editor, server, before, number)
                    editor = project.start()
                    continue
                status = status_of(project.session, "batch", {"steps": [*steps, *failure]})
                editor.arrange(
                    "disk-has-room", *([f"no-{quirk}"] if quirk.startswith("quirk") else [])
                )
                assert status["state"] == "failed", (number, way, steps, status)
                # A full disk may also keep the job itself from being noted: then no step ran.
                named = status["error"].get("details", {}).get("batch", {}).get("stays", [])
                after = disk(editor)
                assert named == [] and after == before, (
                    number,
                    way,
                    quirk,
                    steps,
                    status["error"],
                    _differs(before, after),
                )
                assert kept(editor) == []
            assert editor.violations() == []
        finally:
            project.stop()


def _failure(choice: random.Random, way: str) -> Tuple[str, List[Json]]:
    """A command for the editor before the batch, and the steps that make sure that it fails."""
    if way == "exception":
        return f"quirk {choice.choice(EXCEPTIONS)}", [FAILURE]
    if way == "full disk":
        size = choice.choice((1, 10, 300, 4096))
        if choice.random() < 0.3:
            return f"disk-full {size}", [FAILURE]
        return f"quirk disk-full-{choice.choice(MOMENTS)} {size}", [FAILURE]
    if way == "kill":
        return f"quirk die-{choice.choice(MOMENTS[:4])}", [
            step("add_component", path=LAMP, component="Light"),
            SETTING,
            FAILURE,
        ]
    return "quirk none", [FAILURE]


def _check_killed(
    editor: HeadlessEditor, server: ScriptedServer, before: Dict[str, bytes], number: int
) -> None:
    """The next editor on the project names each file that is another one now."""
    editor.stop()
    after = disk(editor)
    with HeadlessEditor(None, project=editor.project) as next_editor:
        session = server.ready_session()
        statuses = session.heard("editor_status")
        copies = statuses[-1].get("kept_copies", [])
        console = "\n".join(session.messages_in_console())
        lost = _whole(
            before, after, {entry["file"]: next_editor.project / entry["copy"] for entry in copies}
        )
        metas = [
            path
            for path in lost
            if path.endswith(".meta") and path[:-5] in {entry["file"] for entry in copies}
        ]
        folders = [
            path for path in lost if any(path.startswith(entry["file"] + "/") for entry in copies)
        ]
        assert set(lost) <= {*metas, *folders}, (number, lost, copies)
        for path in set(after) - set(before):
            owner = path[:-5] if path.endswith(".meta") else path
            assert (
                owner in console
                or any(owner.startswith(entry["copy"]) for entry in copies)
                or _has_folder(owner, console)
            ), (number, path, console)


def _has_folder(path: str, console: str) -> bool:
    return any(f"{folder.as_posix()} is new" in console for folder in Path(path).parents)


def _differs(before: Dict[str, bytes], after: Dict[str, bytes]) -> List[str]:
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
