"""The pretend project: its scripts, its tests and its first console entries, as data."""

from __future__ import annotations

import os
import re
from typing import Mapping, Match, Sequence, Tuple

from unity_bridge.base.frozen import changed, frozen, made_by
from unity_bridge.base.result import Ok
from unity_bridge.editor_life.versions import project_version
from unity_bridge.simulator.scripts import WARNING, CompilerMessage, Script
from unity_bridge.simulator.world import World, default_world

MODES = ("edit", "play")
OUTCOMES = ("passed", "failed", "skipped")
LOG_TYPES = ("log", "warning", "error", "assert", "exception")
# Where a dot is not a separator: in quotes, and between brackets.
_IN_QUOTES = re.compile(r'"(?:[^"\\]|\\.)*"')
_IN_BRACKETS = re.compile(r"\([^()]*\)|<[^<>]*>")


@frozen
class Entry:
    """One line of the console; ``type`` is one of ``LOG_TYPES``."""

    type: str
    message: str
    stack_trace: str = ""


@frozen
class PretendTest:
    """A test that takes its time and ends with its ``outcome``.

    ``name`` is the full name; ``mode`` one of ``MODES``; ``outcome`` one of ``OUTCOMES``, with ``message`` and
    ``stack_trace`` for a failure. ``logs`` is what it writes to the console before it ends. ``assembly``: by default
    one for each mode.
    """

    name: str
    mode: str = "edit"
    categories: Tuple[str, ...] = ()
    duration_s: float = 0.1
    outcome: str = "passed"
    message: str = ""
    stack_trace: str = ""
    logs: Tuple[Entry, ...] = ()
    assembly: str = ""

    @property
    def fixture(self) -> str:
        """The full name of its class: ``Keep.Stack("a.b")`` of ``Keep.Stack("a.b").Splits(2.5)``."""
        masked, before = _IN_QUOTES.sub(_blank, self.name), ""
        while masked != before:
            before, masked = masked, _IN_BRACKETS.sub(_blank, masked)
        return self.name[: max(0, masked.rfind("."))]

    @property
    def assembly_name(self) -> str:
        return self.assembly or ("PlayModeTests" if self.mode == "play" else "EditModeTests")


def _blank(match: Match[str]) -> str:
    return "_" * len(match.group())


@frozen
class Project:
    """What a simulated editor has open. ``*_reload_s`` is how long a domain reload keeps it disconnected."""

    name: str
    path: str
    tests: Tuple[PretendTest, ...]
    console: Tuple[Entry, ...] = ()
    unity_version: str = "2022.3.20f1"
    scripts: Mapping[str, Script] = made_by(dict)
    import_s: float = 0.1
    compile_s: float = 2.0
    compile_reload_s: float = 1.0
    play_reload_s: float = 0.8
    content: World = made_by(default_world)


_NEVER_READ = CompilerMessage(
    "Assets/Player/PlayerMovement.cs", 63, 27, "CS0414", "The field 'coyoteTime' is never read", WARNING
)


def default_project() -> Project:
    """Return a small game with sixteen tests, one of them failing and one skipped: a few seconds of a demo."""
    return Project(
        name="LanternKeep",
        path="/Projects/LanternKeep",
        tests=(*_edit_tests(), *_play_tests()),
        scripts={_NEVER_READ.file: Script(messages=(_NEVER_READ,)), "Assets/Items/Stack.cs": Script()},
        console=(
            Entry("log", "Lantern Keep 0.4 (development build settings)", "Keep.Boot:Awake () (at Assets/Boot.cs:17)"),
            Entry("log", "Item table loaded: 128 items", "Keep.ItemTable:Load () (at Assets/Items/ItemTable.cs:41)"),
            Entry(WARNING, _NEVER_READ.as_text()),
            Entry(
                "error",
                "Missing sprite 'torch_unlit' for item 'torch', the placeholder is shown",
                "Keep.Items.ItemIcon:Show (Keep.Items.Item) (at Assets/Items/ItemIcon.cs:29)",
            ),
        ),
    )


def _edit_tests() -> Sequence[PretendTest]:
    inventory = "Keep.Tests.InventoryTests."
    saving = "Keep.Tests.Saving.SaveGameTests."
    movement = "Keep.Tests.Movement.JumpTests."
    return (
        PretendTest(inventory + "AnAddedItemTakesTheFirstFreeSlot", duration_s=0.15),
        PretendTest(inventory + "EqualItemsStackUpToTheirLimit", duration_s=0.15),
        PretendTest(
            inventory + "SplittingAStackKeepsTheTotal",
            duration_s=0.25,
            outcome="failed",
            message="  A stack of 5 was split in two, nothing may get lost\n  Expected: 5\n  But was:  4\n",
            stack_trace="at Keep.Tests.InventoryTests.SplittingAStackKeepsTheTotal () [0x0002e] "
            "in Assets/Tests/EditMode/InventoryTests.cs:58\n",
            logs=(Entry("log", "Split 5 x arrow into 2 + 2", "Keep.Stack:Split (int) (at Assets/Items/Stack.cs:33)"),),
        ),
        PretendTest(inventory + "AFullInventoryRefusesPolitely", duration_s=0.15),
        PretendTest(inventory + 'DroppedItemsKeepTheirDurability("torch")', duration_s=0.1),
        PretendTest(saving + "ASavedGameLoadsAsItWas", categories=("Saving",), duration_s=0.45),
        PretendTest(saving + "AnOldSaveIsMigrated", categories=("Saving",), duration_s=0.3),
        PretendTest(saving + "ADamagedSaveIsSetAside", categories=("Saving",), duration_s=0.3),
        PretendTest(
            saving + "CloudSavesMerge",
            categories=("Saving", "Online"),
            duration_s=0.01,
            outcome="skipped",
            message="Ignored until the cloud account for tests exists",
        ),
        PretendTest(movement + "AJumpReachesItsHeight", duration_s=0.15),
        PretendTest(movement + "CoyoteTimeEndsAfterATenthOfASecond", duration_s=0.2),
        PretendTest(movement + "NoSecondJumpInTheAir", duration_s=0.15),
    )


def _play_tests() -> Sequence[PretendTest]:
    walking = "Keep.PlayTests.PlayerWalks."
    return (
        PretendTest(
            walking + "ToTheDoorAndOpensIt",
            mode="play",
            categories=("Slow",),
            duration_s=0.7,
            logs=(Entry("log", "Scene 'Main' loaded", "Keep.Scenes:Open (string) (at Assets/Scenes.cs:22)"),),
        ),
        PretendTest(walking + "DownTheStairsWithoutBouncing", mode="play", categories=("Slow",), duration_s=0.6),
        PretendTest("Keep.PlayTests.LanternBurns.UntilItsOilIsGone", mode="play", duration_s=0.5),
        PretendTest("Keep.PlayTests.LanternBurns.AndLightsTheWalls", mode="play", duration_s=0.4),
    )


def opened(project: Project, folder: str) -> Project:
    """``project`` with the name, path and version of the Unity project in ``folder``, as the plugin reports them."""
    path = os.path.realpath(folder).replace(os.sep, "/")
    version = project_version(folder)
    known = version.value if isinstance(version, Ok) else project.unity_version
    return changed(project, name=os.path.basename(path), path=path, unity_version=known)
