"""The skills: each of their calls in a shell, in the order of the page, and what it answers.

Those about tests and about the editor's life run in the simulated editor, all others in the headless one.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Callable, Iterator, List, Mapping, Sequence, Tuple

import pytest

from tests.e2e.test_plugin_ui import GAME
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor
from unity_bridge.installation.skill import NAMES, rendered
from unity_bridge.launch.environment import isolated

pytestmark = pytest.mark.skipif(os.name == "nt", reason="their calls are written for a POSIX shell")

# A call, its exit status, and parts of what it prints.
Expected = Tuple[str, int, Sequence[str]]

FILES = ("Assets/Main.unity", "Assets/Clean.unity", "Assets/Icon.png", "Assets/Red.mat")
FOLDERS = ("Assets/Materials",)
WORLD = (
    *(f"asset {path}|Folder" for path in FOLDERS),
    *(f"asset {path}|{'Scene' if path.endswith('.unity') else 'Data'}" for path in FILES),
    "object camera|Assets/Main.unity|Main Camera|Camera",
)
WHICH_EDITOR = "## Which editor"

BRIDGE: List[Expected] = [
    ("unity-bridge compile", 0, ["the scripts compile (0 errors, 1 warning)"]),
    ("unity-bridge test", 1, ["16 tests: 14 passed, 1 failed", "Assets/Tests/EditMode/Inv"]),
    ("unity-bridge console --new --type error", 0, ["Missing sprite 'torch_unlit'"]),
    ("unity-bridge status", 0, ["connected, ready"]),
    ("unity-bridge inspect", 0, ["Main\n  Main Camera  Camera"]),
    ("unity-bridge inspect hierarchy --query t:Camera", 0, ["Main/Main Camera  Camera"]),
    ("unity-bridge list", 0, ["set_fields(path: string"]),
    ("unity-bridge run ping", 0, ['"pong": true']),
    ("unity-bridge shot -o view.png", 0, ["/view.png", "game view"]),
]
MAKE: List[Expected] = [
    ("unity-bridge inspect hierarchy --depth 3", 0, ["Main Camera  Camera"]),
    ("unity-bridge inspect hierarchy --query t:Camera", 0, ["Main/Main Camera  Camera"]),
    ("unity-bridge run find_api query=Transform.Rotate", 0, ['"matches"']),
    (
        "unity-bridge run create_object kind=cube name=Crate position=0,1,0 components=Rigidbody",
        0,
        ['"after": "Main/Crate"', '"Rigidbody"\n', '"undo": true'],
    ),
    ("unity-bridge inspect object /Crate --query Rigidbody", 0, ["m_Mass: 1  float"]),
    (
        "unity-bridge run set_fields path=/Crate"
        """ 'values={"Rigidbody.mass": 3, "rotation": [0, 45, 0]}'""",
        0,
        ['"Rigidbody.m_Mass"', '"after": 3', '"Transform.m_LocalRotation"', '"y": 0.38268'],
    ),
    ("unity-bridge run create_object name=Level", 0, ['"after": "Main/Level"']),
    (
        "unity-bridge run move_object path=/Crate parent=/Level",
        0,
        ['"before": "Main/Crate"', '"after": "Main/Level/Crate"'],
    ),
    (
        'unity-bridge run create_object copy_of=Level/Crate name="Crate 2" position=2,1,0',
        0,
        ['"after": "Main/Level/Crate 2"', '"Rigidbody"\n'],
    ),
    (
        'unity-bridge run delete_object path="Level/Crate 2"',
        0,
        ['"before": "Main/Level/Crate 2"', '"after": null'],
    ),
    (
        "unity-bridge run create_asset path=Assets/Materials/Red.mat"
        """ 'values={"color": "#FF0000", "smoothness": 0.2}'""",
        0,
        ['"Material._Color"', '"r": 1', '"g": 0', '"after": 0.2', '"Assets/Materials/Red.mat"'],
    ),
    (
        "unity-bridge run set_fields path=Level/Crate"
        """ 'values={"MeshRenderer.materials": ["Assets/Materials/Red.mat"]}'""",
        0,
        ['"MeshRenderer.m_Materials"', '"name": "Red"'],
    ),
    (
        "unity-bridge run create_asset path=Assets/Prefabs/Crate.prefab from=Level/Crate",
        0,
        ["Main/Level/Crate is an instance of Assets/Prefabs/Crate.prefab now."],
    ),
    (
        "unity-bridge run create_object prefab=Assets/Prefabs/Crate.prefab name=Second"
        " position=4,1,0",
        0,
        ['"after": "Main/Second"', '"Rigidbody"\n'],
    ),
    (
        "unity-bridge run create_object parent=Assets/Prefabs/Crate.prefab kind=sphere name=Knob",
        0,
        ['"after": "Assets/Prefabs/Crate.prefab/Knob"', '"written"'],
    ),
    (
        """unity-bridge run set_fields path=Level/Crate 'values={"Rigidbody.mass": 9}'""",
        0,
        ['"after": 9', "is an override of the prefab's instance"],
    ),
    (
        "unity-bridge run apply_overrides path=Level/Crate",
        0,
        ['"written": [\n    "Assets/Prefabs/Crate.prefab"'],
    ),
    (
        """unity-bridge run set_fields path=Assets/Icon.png"""
        """ 'values={"importer.textureType": "Sprite"}'""",
        0,
        ['"after": "Sprite"', '"Assets/Icon.png.meta"', "the texture is one sprite"],
    ),
    (
        "unity-bridge run create_object kind=sprite name=Hero"
        """ 'values={"SpriteRenderer.sprite": "Assets/Icon.png"}'""",
        0,
        ['"after": "Main/Hero"', '"SpriteRenderer.m_Sprite"', '"type": "Sprite"'],
    ),
    (
        "unity-bridge run create_object kind=canvas name=Menu",
        0,
        ['"after": "Main/EventSystem"', '"after": "Main/Menu"'],
    ),
    (
        """unity-bridge run create_object kind=button name=Play parent=/Menu"""
        """ 'values={"text": "Play"}'""",
        0,
        ['"after": "Main/Menu/Play"', '"after": "Play"'],
    ),
    (
        "unity-bridge run add_listener path=Menu/Play event=onClick target=/Menu"
        " method=SetActive argument=false",
        0,
        ['"UI.Button.m_OnClick"', '"method": "GameObject.SetActive"'],
    ),
    (
        """unity-bridge run batch --json-args '{"steps": [{"name": "create_object", "as": "lamp","""
        """ "arguments": {"name": "Lamp"}}, {"name": "create_object", "arguments":"""
        """ {"kind": "point_light", "parent": "$lamp"}}]}'""",
        0,
        ['"as": "lamp"', '"path": "Main/Lamp/Point Light"'],
    ),
    ("unity-bridge run undo", 0, ['"step": "2 steps']),
    ("unity-bridge run save_all", 0, ['"Assets/Main.unity"', '"unsaved": []']),
]
PLAY: List[Expected] = [
    ("unity-bridge console --new --type error", 0, ["No entries."]),
    ("unity-bridge play enter", 0, ["playing, frame"]),
    ("unity-bridge inspect ui", 0, ["Main/Canvas/Start  Start game  Button  at ["]),
    ("unity-bridge run ui_text path=Main/Canvas/Name text=Ann", 0, ['"text": "Ann"']),
    (
        "unity-bridge run ui_click path=Main/Canvas/Start",
        0,
        ['"label": "Start game"', '"handled": true'],
    ),
    ("unity-bridge run wait_for frames=5", 0, ['"met": true']),
    ("unity-bridge shot -o game.png", 0, ["/game.png", "game view, 1024x576, playing"]),
    ("unity-bridge console --new --type error", 0, ["No new entries."]),
    ("unity-bridge run wait_for seconds=1", 0, ['"met": true']),
    ("unity-bridge run wait_for path=/Player within_ms=5000", 0, ['"met": true']),
    (
        "unity-bridge run wait_for path=/Door exists=false within_ms=500",
        0,
        ['"met": true', "was never there"],
    ),
    (
        "unity-bridge run wait_for path=/Player field=Transform.position op=changed within_ms=500",
        0,
        ['"met": false', '"value"'],
    ),
    ('unity-bridge run wait_for log="level complete" within_ms=500', 0, ['"met": false']),
    (
        "unity-bridge run press keys=w,leftShift for_ms=300",
        0,
        ['"pressed": [\n    "w",\n    "leftShift"', '"released": true'],
    ),
    (
        "unity-bridge record --seconds 1 --frames 4 --press space@0.2 -o motion.jpg",
        0,
        ["motion.jpg", "press space"],
    ),
    ("unity-bridge shot --frames 4 -o moves.png", 0, ["/moves.png", "4 frames"]),
    ("unity-bridge play pause", 0, ["paused, frame"]),
    ("unity-bridge play step 3", 0, ["paused, frame"]),
    ("unity-bridge play resume", 0, ["playing, frame"]),
    ("unity-bridge run profile seconds=1 top=5", 0, ['"median"', '"worst"', '"in_editor": true']),
    ("unity-bridge play exit", 0, ["edit mode"]),
]
TEST: List[Expected] = [
    ("unity-bridge compile", 0, ["the scripts compile (0 errors, 1 warning)"]),
    ("unity-bridge test --mode edit", 1, ["12 tests: 10 passed, 1 failed", "InventoryTests.cs:58"]),
    (
        "unity-bridge test --filter Keep.Tests.InventoryTests",
        1,
        ["FAILED  Keep.Tests.InventoryTests.SplittingAStackKeepsTheTotal"],
    ),
    ("unity-bridge test --failed", 1, ["1 test: 0 passed, 1 failed"]),
    ("unity-bridge console --new --type error", 0, ["Missing sprite 'torch_unlit'"]),
    ("unity-bridge test --list", 0, ["(edit, EditModeTests)", "16 tests in 5 fixtures."]),
    ("unity-bridge test --list --mode edit --json", 0, ['{"ok": true, "result": {"tests": [[']),
    ("unity-bridge open --headless", 0, ["ready"]),
    ("unity-bridge test --junit unity.xml --timeout 900", 1, ["16 tests: 14 passed, 1 failed"]),
    ("unity-bridge test --shard 1/4 --junit shard-1.xml", 0, ["0 tests"]),
    (
        "unity-bridge junit merge all.xml shard-1.xml shard-2.xml shard-3.xml shard-4.xml",
        0,
        ["all.xml: 16 tests of 4 shards, 1 failed."],
    ),
    ("unity-bridge jobs", 0, ["No job runs."]),
    ("unity-bridge status", 0, ["connected, ready"]),
    ("unity-bridge close", 0, ["closed"]),
]
PROJECT: List[Expected] = [
    ("unity-bridge inspect object ProjectSettings/Player", 0, ["companyName: DefaultCompany"]),
    (
        "unity-bridge run set_fields path=ProjectSettings/Player"
        """ 'values={"companyName": "Acme"}'""",
        0,
        ['"before": "DefaultCompany"', '"after": "Acme"', '"undo": false'],
    ),
    (
        "unity-bridge run set_fields path=ProjectSettings/Physics"
        """ 'values={"gravity": [0, -20, 0]}'""",
        0,
        ['"PhysicsManager.m_Gravity"', '"y": -20'],
    ),
    (
        "unity-bridge run set_fields path=RenderSettings"
        """ 'values={"fog": true, "ambientLight": "#404040"}'""",
        0,
        ['"RenderSettings.m_Fog"', "ambientMode: Flat shows it"],
    ),
    ("unity-bridge run tags", 0, ['"tags"', '"sorting_layers"']),
    ("unity-bridge run tags action=add tag=PickUp", 0, ['"after": "PickUp"']),
    ("unity-bridge run tags action=add layer=Water2", 0, ['"field": "layers[3]"']),
    (
        "unity-bridge run create_scene path=Assets/Scenes/Menu.unity unsaved=save",
        0,
        ['"after": "Menu/Main Camera"'],
    ),
    (
        "unity-bridge run build_scenes action=add path=Assets/Scenes/Menu.unity",
        0,
        ['"field": "build_index"', '"after": 1'],
    ),
    ("unity-bridge run build_scenes", 0, ['"path": "Assets/Scenes/Menu.unity"']),
    ("unity-bridge run build_player path=Builds/Game", 0, ['"output_path"']),
    ("unity-bridge run open_scene path=Assets/Main.unity", 0, ["Assets/Main.unity"]),
    ("unity-bridge inspect assets --query t:Data", 0, ["Assets/Red.mat"]),
    ("unity-bridge run copy_asset path=Assets/Red.mat to=Assets/Blue.mat", 0, ["Blue.mat"]),
    (
        "unity-bridge run move_asset path=Assets/Blue.mat to=Assets/Materials/Blue.mat",
        0,
        ['"before": "Assets/Blue.mat"', '"after": "Assets/Materials/Blue.mat"'],
    ),
    (
        "unity-bridge run find_references path=Assets/Red.mat in=project",
        0,
        ['"total": 0', '"complete": false'],
    ),
    ("unity-bridge run find_missing", 0, ['"total": 0', '"complete": true']),
    (
        "unity-bridge run delete_asset path=Assets/Materials/Blue.mat",
        0,
        ["is in the system's trash"],
    ),
    ("unity-bridge run packages", 0, ['"com.unity.test-framework"']),
    (
        """unity-bridge run packages action=add 'packages=["com.unity.inputsystem"]'""",
        0,
        ['"com.unity.inputsystem"'],
    ),
]
EDITORS: List[Expected] = [
    ("unity-bridge status --all", 0, ["Game: ready, Unity 2022.3.10f1, port"]),
    ("unity-bridge plugin status .", 0, ["(embedded)", "Port:"]),
    ("unity-bridge doctor", 0, ["Nothing is broken."]),
    ("unity-bridge plugin install . --port auto", 0, ["is installed already"]),
]


def calls(text: str) -> List[str]:
    """The lines of the blocks, without their remarks."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.splitlines()]


class Shell:
    """Runs lines as an agent does, with ``unity-bridge`` on the PATH."""

    def __init__(self, folder: Path, project: Path, **environment: str) -> None:
        program = folder / "bin" / "unity-bridge"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\nexec " + " ".join(isolated()) + ' "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, "PATH": path, **environment}
        self._project = project

    def run(self, line: str) -> Tuple[int, str]:
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=str(self._project),
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * HANG_GUARD_S,
        )
        return done.returncode, done.stdout + done.stderr

    def faults(
        self, table: Sequence[Expected], before: Mapping[str, Callable[[], object]]
    ) -> List[str]:
        """What the calls answer otherwise than the table says."""
        faults = []
        for line, status, parts in table:
            before.get(line, lambda: None)()
            seen, output = self.run(line)
            missing = [part for part in parts if part not in output]
            if seen != status or missing:
                faults.append(f"{line}\n-> {seen}, without {missing}:\n{output}")
        return faults


def page(name: str) -> str:
    return rendered(name, "unity-bridge")


@pytest.mark.parametrize(
    "name, table",
    [
        ("unity-bridge", BRIDGE),
        ("unity-make", MAKE),
        ("unity-play", PLAY),
        ("unity-test", TEST),
        ("unity-project", [*PROJECT, *EDITORS]),
    ],
    ids=NAMES,
)
def test_each_call_of_a_skill_is_run_below(name: str, table: Sequence[Expected]) -> None:
    assert [line for line, _, _ in table] == calls(page(name))


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A project whose simulated editor was started by ``open``."""
    for variable in ("HOME", "XDG_STATE_HOME", "UNITY_BRIDGE_STATE_DIR"):
        (tmp_path / variable).mkdir(mode=0o700)
        monkeypatch.setenv(variable, str(tmp_path / variable))
    shell = Shell(tmp_path, make_project(tmp_path / "Game"))
    port = free_port()
    assert shell.run(f"unity-bridge plugin install . --port {port}")[0] == 0
    status, output = shell.run("unity-bridge open --unity simulate")
    assert status == 0, output
    yield shell
    # A call may have given the project another port, which an editor takes at its next start.
    status, output = shell.run(f"unity-bridge close --yes --port {port}")
    assert status == 0, output


def test_the_calls_about_the_whole(simulated: Shell) -> None:
    assert simulated.faults(BRIDGE, {}) == []


def test_the_calls_about_tests(simulated: Shell) -> None:
    def other_shards() -> None:
        for shard in (2, 3, 4):
            simulated.run(f"unity-bridge test --shard {shard}/4 --junit shard-{shard}.xml")

    (merge,) = [line for line, _, _ in TEST if "junit merge" in line]
    assert simulated.faults(TEST, {merge: other_shards}) == []


def test_the_calls_about_editors(simulated: Shell) -> None:
    assert calls(page("unity-project").partition(WHICH_EDITOR)[2]) == [
        line for line, _, _ in EDITORS
    ]
    assert simulated.faults(EDITORS, {}) == []


@pytest.mark.parametrize(
    "table, held, world",
    [
        (MAKE, ["quirk unity-fields"], WORLD),
        (PLAY, ["quirk input-system", "focus off", "enter-play-without-reload"], GAME),
        (PROJECT, ["quirk unity-fields"], WORLD),
    ],
    ids=["make", "play", "project"],
)
def test_the_calls_that_change_or_play(
    tmp_path: Path, table: Sequence[Expected], held: List[str], world: Sequence[str]
) -> None:
    port = free_port()
    with HeadlessEditor(port, held=["quirk ugui", *held]) as editor:
        for folder in ("Assets", *FOLDERS):
            (editor.project / folder).mkdir(exist_ok=True)
        for file in FILES:
            (editor.project / file).write_bytes(b"")
        player = "world object player|Assets/Main.unity|Player|MeshRenderer"
        lines = [f"world {line}" for line in world]
        editor.arrange("open-scenes Assets/Main.unity", *lines, player)

        def imported_as_sprite() -> None:
            editor.arrange("world sprite Assets/Icon.png|Icon")

        sprite = next((line for line, _, _ in table if "kind=sprite" in line), "")
        shell = Shell(tmp_path, editor.project, UNITY_BRIDGE_PORT=str(port))
        assert shell.faults(table, {sprite: imported_as_sprite}) == []
        assert editor.violations() == []
