"""The report can be sent to anybody: no user name, no path outside the scratch project, no
environment (SPEC §25.3).
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, List

import pytest

from unity_bridge.base.result import Err, Ok
from unity_bridge.selftest.report import (
    FAIL,
    PASS,
    SKIPPED,
    Private,
    RowResult,
    SelftestReport,
    write,
)
from unity_bridge.selftest.row import Row

# Names with regular expressions, spaces and letters beyond ASCII in them, as users and machines
# have them.
NAMES = ("Zoë Müller", "j.doe", "CI(1)", "o'brien")
PROJECT = "/home/Zoë Müller/.local/state/unity-bridge/selftest/1/Scratch"


def private(project: str = PROJECT, home: str = "/home/Zoë Müller") -> Private:
    return Private({project: "PROJECT", home: "HOME", "/tmp/w x": "TEMP"}, NAMES)


def seen(text: Any) -> Any:
    return private().without(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"{PROJECT}/Assets/A.cs(3,1): error", "PROJECT/Assets/A.cs(3,1): error"),
        ("Assets/A.cs(3,1): error CS0103: x", "Assets/A.cs(3,1): error CS0103: x"),
        ("/home/Zoë Müller/secret.txt", "HOME/secret.txt"),
        ("of Zoë Müller, ZOË MÜLLER", "of USER, USER"),
        ("in /opt/Unity/Editor/Unity, then", "in <path>, then"),
        ("at /home/j.doe/Game/x.cs:3", "at <path>"),
        ("at file:///home/j.doe/x", "at file:<path>"),
        ("C:\\Users\\o'brien\\Game", "<path>"),
        ("C:/Users/someone/x and D:\\y", "<path> and <path>"),
        ("\\\\server\\share\\x", "<path>"),
        ("run by j.doe on CI(1)", "run by USER on USER"),
        ("1/2 of it, and 3 / 4", "1/2 of it, and 3 / 4"),
        ("Scratch/Lantern", "Scratch/Lantern"),
        ({"/home/j.doe/x": ["j.doe", 1, None]}, {"<path>": ["USER", 1, None]}),
    ],
)
def test_text_that_names_the_user_is_taken_out(text: Any, shown: Any) -> None:
    assert seen(text) == shown


def test_paths_of_windows_are_found_in_every_spelling() -> None:
    project = "C:\\Users\\Zoë Müller\\.unity-bridge\\selftest\\1\\Scratch"
    taken_out = private(project, "C:\\Users\\Zoë Müller")
    assert taken_out.without(f"{project}\\Assets\\A.cs") == "PROJECT\\Assets\\A.cs"
    assert taken_out.without(project.replace("\\", "/") + "/Assets/A.cs") == "PROJECT/Assets/A.cs"
    assert taken_out.without(project.upper()) == "PROJECT"
    assert taken_out.without(json.dumps(f"{project}\\Temp")) == '"PROJECT\\\\Temp"'


def test_this_users_name_and_folders_are_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "Zoë [x] Müller"
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.setenv("USER", "wer.auch+immer")
    project = home / "state" / "Scratch"
    known = Private.of_this_user(str(project), {str(home / "state"): "STATE"})
    text = f"{project}/Assets/A.cs {home}/.bashrc {home / 'state'}/x wer.auch+immer"
    assert known.without(text) == "PROJECT/Assets/A.cs HOME/.bashrc STATE/x USER"


def failed(seen_: Any, reason: str = "step 1: compile: state is not as expected") -> RowResult:
    return RowResult(
        Row("a row", "compile", "§16.1", ()), FAIL, 12, reason, {"state": "succeeded"}, seen_
    )


def made(rows: List[RowResult], events: Any = ()) -> Any:
    report = SelftestReport(
        "2026-01-02T03:04:05.000Z", "2021.3.58f1", "0.1.0", 1.26, list(rows), list(events)
    )
    return report.as_json(private())


def test_the_report_has_the_fields_of_the_contract() -> None:
    report = made(
        [RowResult(Row("a row", "compile", "§16.1", ()), PASS, 12), failed({"state": "x"})]
    )
    assert set(report) == {
        *(
            "schema_version",
            "unity_version",
            "system",
            "plugin_version",
            "server_version",
            "started",
            "seconds",
        ),
        *("rows", "events"),
    }
    assert report["rows"][0] == {
        "name": "a row",
        "group": "compile",
        "proves": "§16.1",
        "status": "pass",
        "ms": 12,
    }
    assert set(report["rows"][1]) == {
        "name",
        "group",
        "proves",
        "status",
        "ms",
        "expected",
        "seen",
        "reason",
    }


def test_nothing_private_is_in_a_whole_report() -> None:
    hostile = {
        "error": {
            "message": f"/home/Zoë Müller/x {NAMES}",
            "details": {NAMES[1]: ["C:\\Users\\j.doe"]},
        }
    }
    rows = [
        failed(hostile, f"opened by {NAMES[0]}"),
        RowResult(Row("b", "life", "§22.1", ()), SKIPPED, reason="at /root/x"),
    ]
    report = SelftestReport("now", "2021.3.58f1 of j.doe", "0.1.0\n/home/j.doe", 1.0, rows)
    text = json.dumps(report.as_json(private()), ensure_ascii=False)
    assert not any(name in text for name in NAMES)
    assert "/home" not in text and "Users" not in text and "/root" not in text


def test_only_kinds_and_numbers_of_events_are_taken() -> None:
    events = [
        [1, "loaded"],
        [2, "/home/j.doe"],
        [3, "stall", "j.doe", 4, {"x": 1}],
        "text",
        [4],
        [True, "x"],
    ]
    assert made([], events)["events"] == [[1, "loaded"], [3, "stall", 4]]


@pytest.mark.parametrize(
    ("statuses", "status"),
    [((PASS,), 0), ((PASS, SKIPPED), 0), ((PASS, FAIL), 1), ((SKIPPED,), 1), ((), 1)],
)
def test_the_exit_status(statuses: Any, status: int) -> None:
    report = SelftestReport("now")
    report.rows += [RowResult(Row("a", "compile", "§16.1", ()), one) for one in statuses]
    assert report.exit_status == status


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "report.json"
    assert write(file, "{}\n") == Ok(file)
    assert file.read_bytes() == b"{}\n"
    assert [path.name for path in file.parent.iterdir()] == ["report.json"]
    assert isinstance(write(file / "below", "{}\n"), Err)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_that_waits_next_to_the_report_is_not_followed(tmp_path: Path) -> None:
    """Anybody can put links into /tmp, and could know a name made of the process's number."""
    theirs, file = tmp_path / "theirs", tmp_path / "report.json"
    theirs.write_text("kept", encoding="utf-8")
    for name in (file.name, f"{file.name}.{os.getpid()}.new"):
        (tmp_path / name).symlink_to(theirs)
    assert write(file, "{}\n") == Ok(file)
    assert theirs.read_text(encoding="utf-8") == "kept" and not file.is_symlink()
