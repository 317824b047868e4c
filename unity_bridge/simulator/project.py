"""The pretend project: its tests and its first console entries, as data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Tuple

from unity_bridge.result import Err, Ok, Result

MODES = ("edit", "play")
OUTCOMES = ("passed", "failed", "skipped")
LOG_TYPES = ("log", "warning", "error", "assert", "exception")


@dataclass(frozen=True)
class Entry:
    """One line of the console; ``type`` is one of ``LOG_TYPES``."""

    type: str
    message: str
    stack_trace: str = ""


@dataclass(frozen=True)
class PretendTest:
    """A test that does nothing but take its time and end as it was told.

    ``name`` is the full name; ``mode`` one of ``MODES``; ``outcome`` one of ``OUTCOMES``, with ``message`` and
    ``stack_trace`` for a failure. ``logs`` is what it writes to the console before it ends.
    """

    name: str
    mode: str = "edit"
    categories: Tuple[str, ...] = ()
    duration_s: float = 0.1
    outcome: str = "passed"
    message: str = ""
    stack_trace: str = ""
    logs: Tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Project:
    """What a simulated editor has open. ``*_reload_s`` is how long a domain reload takes the editor off the line."""

    name: str
    path: str
    tests: Tuple[PretendTest, ...]
    console: Tuple[Entry, ...] = ()
    unity_version: str = "2022.3.20f1"
    compile_reload_s: float = 1.0
    play_reload_s: float = 0.8


def default_project() -> Project:
    """A small game with sixteen tests, one of them failing and one skipped: a few seconds of a demo."""
    return Project(
        name="LanternKeep",
        path="/Projects/LanternKeep",
        tests=(*_edit_tests(), *_play_tests()),
        console=(
            Entry("log", "Lantern Keep 0.4 (development build settings)", "Keep.Boot:Awake () (at Assets/Boot.cs:17)"),
            Entry("log", "Item table loaded: 128 items", "Keep.ItemTable:Load () (at Assets/Items/ItemTable.cs:41)"),
            Entry(
                "warning",
                "Assets/Player/PlayerMovement.cs(63,27): warning CS0414: The field 'coyoteTime' is never read",
            ),
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
            logs=(Entry("log", "Split 5 x arrow into 2 + 2", "Keep.Stack:Split (int) (at Assets/Stack.cs:33)"),),
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
            logs=(Entry("log", "Scene 'Courtyard' loaded", "Keep.Scenes:Open (string) (at Assets/Scenes.cs:22)"),),
        ),
        PretendTest(walking + "DownTheStairsWithoutBouncing", mode="play", categories=("Slow",), duration_s=0.6),
        PretendTest("Keep.PlayTests.LanternBurns.UntilItsOilIsGone", mode="play", duration_s=0.5),
        PretendTest("Keep.PlayTests.LanternBurns.AndLightsTheWalls", mode="play", duration_s=0.4),
    )


def generated_project(tests: int, console_entries: int = 0, duration_s: float = 0.0, failing_every: int = 0) -> Project:
    """A project of any size, for measuring: edit-mode tests in fixtures of a hundred, numbered console entries.

    Every ``failing_every``-th test fails (0: none).
    """

    def test(number: int) -> PretendTest:
        name = f"Generated.Fixture{number // 100:04d}.Test{number:06d}"
        if failing_every and number % failing_every == failing_every - 1:
            place = f"at {name} () [0x00001] in Assets/Tests/Fixture{number // 100:04d}.cs:{number % 100 + 10}\n"
            return PretendTest(
                name,
                duration_s=duration_s,
                outcome="failed",
                message=f"test {number} fails by design",
                stack_trace=place,
            )
        return PretendTest(name, duration_s=duration_s)

    def entry(number: int) -> Entry:
        kind = LOG_TYPES[number % 3]
        return Entry(
            kind, f"generated entry {number}", f"Generated:Log (int) (at Assets/Generated.cs:{number % 500 + 1})"
        )

    return Project(
        name="Generated",
        path="/Projects/Generated",
        tests=tuple(test(number) for number in range(tests)),
        console=tuple(entry(number) for number in range(console_entries)),
    )


def load_project(path: str) -> Result[Project, str]:
    """A project from a JSON file; ``Err`` is one sentence that names the file and the field.

    ``{"name", "path", "unity_version", "compile_reload_s", "play_reload_s", "tests": [{"name", "mode", "categories",
    "duration_s", "outcome", "message", "stack_trace", "logs"}], "console": [{"type", "message", "stack_trace"}]}``;
    everything but a test's ``name`` and an entry's ``message`` may be left out.
    """
    try:
        with open(path, encoding="utf-8-sig") as file:
            return Ok(_project(_Fields(json.load(file), "the project")))
    except OSError as error:
        return Err(f"{path}: cannot be read: {error.strerror or error}")
    except _BadField as error:
        return Err(f"{path}: {error}")
    except (ValueError, RecursionError) as error:
        return Err(f"{path}: not JSON: {error}")


class _BadField(Exception):
    """Where the file is wrong; never leaves this module."""


class _Fields:
    """One JSON object, taken apart field by field; what is left over at the end is an error."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise _BadField(f"{where} must be an object")
        self._fields: Dict[str, Any] = dict(value)
        self._where = where

    def text(self, name: str, default: str = "", among: Sequence[str] = ()) -> str:
        value = self._fields.pop(name, default)
        if not isinstance(value, str):
            raise _BadField(f"{name} of {self._where} must be text")
        if among and value not in among:
            raise _BadField(f"{name} of {self._where} must be one of {', '.join(among)}")
        return value

    def required(self, name: str) -> str:
        if name not in self._fields:
            raise _BadField(f"{self._where} has no {name}")
        return self.text(name)

    def seconds(self, name: str, default: float) -> float:
        value = self._fields.pop(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e6:
            raise _BadField(f"{name} of {self._where} must be a number of seconds")
        return float(value)

    def items(self, name: str) -> List[Any]:
        value = self._fields.pop(name, [])
        if not isinstance(value, list):
            raise _BadField(f"{name} of {self._where} must be a list")
        return value

    def end(self) -> None:
        if self._fields:
            raise _BadField(f"{self._where} has an unknown field '{min(self._fields)}'")


def _project(fields: _Fields) -> Project:
    project = Project(
        name=fields.text("name", "Untitled"),
        path=fields.text("path", "/Projects/Untitled"),
        unity_version=fields.text("unity_version", "2022.3.20f1"),
        compile_reload_s=fields.seconds("compile_reload_s", 1.0),
        play_reload_s=fields.seconds("play_reload_s", 0.8),
        tests=tuple(_test(_Fields(item, f"test {n}")) for n, item in enumerate(fields.items("tests"), 1)),
        console=_entries(fields.items("console"), "console entry"),
    )
    fields.end()
    return project


def _test(fields: _Fields) -> PretendTest:
    test = PretendTest(
        name=fields.required("name"),
        mode=fields.text("mode", "edit", MODES),
        categories=tuple(str(category) for category in fields.items("categories")),
        duration_s=fields.seconds("duration_s", 0.1),
        outcome=fields.text("outcome", "passed", OUTCOMES),
        message=fields.text("message"),
        stack_trace=fields.text("stack_trace"),
        logs=_entries(fields.items("logs"), "log"),
    )
    fields.end()
    return test


def _entries(items: Sequence[Any], what: str) -> Tuple[Entry, ...]:
    return tuple(_entry(_Fields(item, f"{what} {n}")) for n, item in enumerate(items, 1))


def _entry(fields: _Fields) -> Entry:
    entry = Entry(fields.text("type", "log", LOG_TYPES), fields.required("message"), fields.text("stack_trace"))
    fields.end()
    return entry
