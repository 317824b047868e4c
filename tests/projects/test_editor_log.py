"""What is read out of the editor's log: which project, and how its last compilation ended (SPEC
§18.3).
"""

from __future__ import annotations

from pathlib import Path
from typing import List, Tuple

import pytest

from unity_bridge.projects.editor_log import Compilation, CompileError, LogContent, read_log

LOGS = Path(__file__).resolve().parent / "editor_logs"
START = 'Starting: /u/bee_backend --ipc --dagfile="Library/Bee/1900b0aE.dag" ScriptAssemblies\n'
FAILED = "*** Tundra build failed (0.37 seconds), 2 items updated, 715 evaluated\n"
SUCCEEDED = "*** Tundra build success (0.68 seconds), 3 items updated, 297 evaluated\n"
ERROR = "Assets/A.cs(1,2): error CS0103: The name 'x' does not exist in the current context\n"


def recorded(name: str, project: str = "/home/ada/Lantern Keep") -> str:
    text = (LOGS / name).read_text(encoding="utf-8").replace("{project}", project)
    return text.replace("\n", "\r\n") if "windows" in name else text


def places(log: LogContent) -> List[Tuple[object, ...]]:
    return [
        (error.file, error.line, error.column, error.code, error.assembly) for error in log.first
    ]


def test_2021_3() -> None:
    log = read_log(recorded("2021.3-linux.log"))
    assert (log.project, log.compilation, log.runs_packages) == (
        "/home/ada/Lantern Keep",
        Compilation.FAILED,
        False,
    )
    assert (log.errors, log.warnings) == (2, 1)
    assert places(log) == [
        ("Assets/Items/Stack (old).cs", 33, 17, "CS0103", "Keep.Items"),
        ("Assets/Items/Stack (old).cs", 41, 9, "CS0246", "Keep.Items"),
    ]


def test_2022_3() -> None:
    log = read_log(recorded("2022.3-windows.log", "C:/Games/Lantern Keep"))
    assert (log.project, log.compilation, log.errors) == (
        "C:/Games/Lantern Keep",
        Compilation.FAILED,
        1,
    )
    assert log.first == (
        CompileError("Assets/Scripts/Player.cs", 115, 2, "CS1513", "} expected", "Assembly-CSharp"),
    )


def test_6000() -> None:
    log = read_log(recorded("6000-windows.log"))
    assert (log.compilation, log.errors, log.warnings) == (Compilation.FAILED, 2, 1)
    assert places(log) == [
        ("Assets/Items/ItemTable.cs", 12, 42, "CS0117", "Keep.Items"),
        ("Assets/World/Water.cs", 322, 21, "CS0103", "Keep.World"),
    ]


def test_6000_without_errors() -> None:
    log = read_log(recorded("6000-success.log"))
    assert (log.compilation, log.runs_packages, log.errors, log.warnings) == (
        Compilation.SUCCEEDED,
        True,
        0,
        1,
    )


def test_a_log_without_a_compilation_says_so() -> None:
    assert read_log("") == LogContent()
    assert read_log("Successfully changed project path to: /game\n").project == "/game"


def test_only_the_last_compilation_is_reported() -> None:
    fixed = read_log(START + ERROR + FAILED + START + SUCCEEDED)
    assert (fixed.compilation, fixed.errors) == (Compilation.SUCCEEDED, 0)
    again = read_log(START + ERROR + FAILED + START + ERROR.replace("A.cs", "B.cs") + FAILED)
    assert [error.file for error in again.first] == ["Assets/B.cs"]


def test_a_running_compilation_has_not_failed() -> None:
    assert read_log(START + ERROR + FAILED + START + ERROR).compilation is Compilation.RUNNING


def test_once_it_has_succeeded_packages_run_until_another_project_is_opened() -> None:
    assert read_log(START + SUCCEEDED + START + ERROR + FAILED).runs_packages
    opened = "Successfully changed project path to: /other\n"
    log = read_log(START + SUCCEEDED + opened + START + ERROR + FAILED)
    assert (log.project, log.runs_packages, log.compilation) == (
        "/other",
        False,
        Compilation.FAILED,
    )


def test_the_build_of_a_player_is_not_the_editors() -> None:
    player = START.replace("aE.dag", "aP.dag")
    assert read_log(player + ERROR + FAILED).compilation is Compilation.NONE
    assert (
        read_log(START + SUCCEEDED + player + ERROR + FAILED).compilation is Compilation.SUCCEEDED
    )


def test_half_a_line_is_not_read() -> None:
    log = read_log(START + ERROR + FAILED + "Assets/A.cs(1,2): error CS0103: The na")
    assert log.errors == 1
    assert read_log(START + ERROR + FAILED.rstrip("\n")).compilation is Compilation.RUNNING


def test_an_error_without_a_file() -> None:
    line = "error CS0006: Metadata file 'Library/x.dll' could not be found\n"
    (error,) = read_log(START + line + FAILED).first
    assert (error.file, error.line, error.column, error.code) == (None, 0, 0, "CS0006")


@pytest.mark.parametrize(
    "line",
    [
        "an error CS0103: it is not",
        "(1,2): error CS1: ",
        "12 errors",
        ": errors: x",
        "no: error",
        "\0\x1b[2J",
    ],
)
def test_other_lines_are_no_errors(line: str) -> None:
    """The failure then stands for the error that its compilation must have had."""
    log = read_log(f"{START}{line}\n{FAILED}")
    assert (log.errors, log.first) == (1, (CompileError(None, 0, 0, "", FAILED.strip(), ""),))


@pytest.mark.parametrize(
    "line, error",
    [
        ("A.Hook: (0,0): error Rpc x", (None, 0, 0, "", "A.Hook: Rpc x")),
        ("Assets/A.cs(3,4): error: no code", ("Assets/A.cs", 3, 4, "", "no code")),
        ("Assets/A (1).cs(3): error lower12: x", ("Assets/A (1).cs", 3, 0, "lower12", "x")),
        ("Assets\\A.cs(3,4): error LONGER1234: x: y", ("Assets/A.cs", 3, 4, "LONGER1234", "x: y")),
        ("tundra: error: Unexpected stdin", (None, 0, 0, "", "tundra: Unexpected stdin")),
        ("error CS0006: No 'x.dll'", (None, 0, 0, "CS0006", "No 'x.dll'")),
        ("x): error CS1: y", (None, 0, 0, "CS1", "x): y")),
        (
            "Unity.X.Hook: ILPostProcessor has thrown an exception: System.Exception: no",
            (
                None,
                0,
                0,
                "",
                "Unity.X.Hook: ILPostProcessor has thrown an exception: System.Exception: no",
            ),
        ),
        (
            "Internal build system error. Backend exited with code 2.",
            (None, 0, 0, "", "Internal build system error. Backend exited with code 2."),
        ),
    ],
)
def test_an_error_of_any_tool(line: str, error: Tuple[object, ...]) -> None:
    log = read_log(f"{START}{line}\n{FAILED}")
    assert (log.is_safe_mode, log.errors) == (True, 1)
    assert log.first[0][:5] == error


@pytest.mark.parametrize(
    "line", ["Backend exited with code 2.", "ILPostProcessor has thrown an exception: x"]
)
def test_the_build_system_itself_ends(line: str) -> None:
    assert read_log(f"{START}Internal: {line}\n").compilation is Compilation.FAILED


def test_what_is_logged_after_a_compilation_is_no_error_of_it() -> None:
    log = read_log(
        START + ERROR + FAILED + "Curl: error 28: no host\n" + ERROR.replace("A.cs", "B.cs")
    )
    assert [error.file for error in log.first] == ["Assets/A.cs", "Assets/B.cs"]


LEFT = "[ScriptCompilation] Requested script compilation because: Exiting safe mode\n"
DOMAIN = "Mono: successfully reloaded assembly\n"


@pytest.mark.parametrize(
    "line", [LEFT, DOMAIN, "- Completed reload, in  0.4 seconds\n", "[Project] Loading completed\n"]
)
def test_safe_mode_ends_and_no_later_failure_brings_it_back(line: str) -> None:
    assert read_log(DOMAIN + START + ERROR + FAILED).is_safe_mode, "that domain was Unity's own"
    for log in (
        START + ERROR + FAILED + line,
        START + ERROR + FAILED + line + START + ERROR + FAILED,
    ):
        assert not read_log(log).is_safe_mode
        assert read_log(log).compilation is Compilation.FAILED


def test_a_project_that_has_loaded_without_a_compilation_runs_packages() -> None:
    assert not read_log("[Project] Loading completed\n" + START + ERROR + FAILED).is_safe_mode


def test_a_log_that_is_continued_elsewhere_is_about_no_project() -> None:
    moved = "Logs moved to project-relative Editor.log file, and subsequent logs will only be\n"
    assert read_log("Successfully changed project path to: /game\n" + moved) == LogContent()


def test_however_many_there_are_fifty_are_kept_and_all_are_counted() -> None:
    lines = "".join(f"Assets/A.cs({number},1): error CS0103: no\n" for number in range(1, 301))
    log = read_log(START + lines + FAILED + lines)
    assert (log.errors, len(log.first), log.first[0].line) == (300, 50, 1)


def test_a_line_of_any_length_is_bounded() -> None:
    (error,) = read_log(f"{START}Assets/A.cs(1,1): error CS0103: {'x' * 1_000_000}\n{FAILED}").first
    assert len(error.message) < 2000


def test_a_project_opened_before_the_part_that_is_read() -> None:
    assert read_log(START + FAILED, LogContent("/game")).project == "/game"
    assert (
        read_log("Successfully changed project path to: /other\n", LogContent("/game")).project
        == "/other"
    )
