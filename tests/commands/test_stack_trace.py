"""The one line of a stack trace that a person can act on."""

from __future__ import annotations

from typing import Optional

import pytest

from unity_bridge.commands.shared.error_lines import first_useful_place


@pytest.mark.parametrize(
    "stack_trace, place",
    [
        ("at Keep.Stack.Split () [0x0002e] in Assets/Stack.cs:33\n", "Assets/Stack.cs:33"),
        (
            "at Keep.Stack.Split () in C:\\game\\Assets\\Stack.cs:line 33\r\n",
            "C:/game/Assets/Stack.cs:33",
        ),
        ("Keep.Stack:Split (int) (at Assets/Stack.cs:33)", "Assets/Stack.cs:33"),
        (
            "Keep.Stack:Split (int) (at ./Packages/com.keep/Run Time/Stack.cs:7)",
            "./Packages/com.keep/Run Time/Stack.cs:7",
        ),
        (
            "at NUnit.Framework.Assert.That () [0x00001] in /build/nunit/Assert.cs:9\n"
            "at Keep.Tests.StackTests.Splits () [0x0002e] in Assets/Tests/StackTests.cs:58\n"
            "at Keep.Tests.Runner.Go () [0x0002e] in Assets/Tests/Runner.cs:1\n",
            "Assets/Tests/StackTests.cs:58",
        ),
        (
            "UnityEngine.Debug:LogError (object)\nKeep.Boot:Awake () (at Assets/Boot.cs:17)\n",
            "Assets/Boot.cs:17",
        ),
        ("UnityEngine.Assertions.Assert.Fail () (at /build/Assert.cs:29)", "/build/Assert.cs:29"),
        ("at Keep.Stack.Split () [0x00000] in <0123456789abcdef>:0", None),
        ("at Keep.Stack.Split () in Assets/Stack.cs:" + "9" * 5000, None),
        ("no trace at all", None),
        ("", None),
        (None, None),
    ],
)
def test_the_innermost_frame_of_the_project_is_shown(
    stack_trace: Optional[str], place: Optional[str]
) -> None:
    found = first_useful_place(stack_trace)
    assert (None if found is None else str(found)) == place


def test_a_compiler_says_the_place_in_its_message() -> None:
    message = (
        "Assets/Player/PlayerMovement.cs(63,27): error CS0103: The name 'speed' does not exist"
    )
    assert str(first_useful_place("", message)) == "Assets/Player/PlayerMovement.cs:63"
    assert first_useful_place("", "an ordinary (63,27): message") is None
