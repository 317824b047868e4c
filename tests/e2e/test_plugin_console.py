"""read_console, as the plugin answers it."""

from __future__ import annotations

import json
from typing import Dict, List

import pytest

from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor

COMPILE_ERROR = "Assets/Broken.cs(7,3): error CS1002: ; expected"


@pytest.fixture
def session(server: ScriptedServer, editor: HeadlessEditor) -> Session:
    greeted = server.session()
    greeted.expect("editor_status", state="ready")
    return greeted


def log(editor: HeadlessEditor, *lines: str) -> None:
    for line in lines:
        editor.command(line)
    editor.wait_until_idle()


def test_entries_of_every_type_and_thread_come_oldest_first(
    editor: HeadlessEditor, session: Session
) -> None:
    log(
        editor,
        "log log one",
        "log warning two",
        "log error three",
        "log assert four",
        "logthread exception five",
    )
    page = session.read_console()
    assert [(entry["type"], entry["message"]) for entry in page["entries"]] == [
        ("log", "one"),
        ("warning", "two"),
        ("error", "three"),
        ("assert", "four"),
        ("exception", "five"),
    ]
    assert page["entries"][4]["stack_trace"] == "Headless:Thread ()\n"
    assert (page["count"], page["truncated"]) == (5, False)


def test_the_newest_entries_win(editor: HeadlessEditor, session: Session) -> None:
    log(editor, *[f"log log n{number}" for number in range(10)])
    page = session.read_console(max_entries=3)
    assert [entry["message"] for entry in page["entries"]] == ["n7", "n8", "n9"]
    assert (page["count"], page["truncated"]) == (10, True)


def test_filters_by_type_and_text_and_leaves_stack_traces_out(
    editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log log apple", "log error Apple pie", "log error pear")
    page = session.read_console(types=["error"], contains="apple", include_stack_trace=False)
    cursor = page["entries"][0].pop("cursor")
    assert page["entries"] == [{"type": "error", "message": "Apple pie"}]
    assert session.messages_in_console(since=cursor) == ["pear"]
    assert (page["count"], page["truncated"]) == (1, False)
    assert session.messages_in_console(types=[]) == ["apple", "Apple pie", "pear"]


def test_since_brings_what_is_newer_and_nothing_twice(
    editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log log old")
    cursor = session.read_console()["next_cursor"]
    assert session.messages_in_console(since=cursor) == []
    log(editor, "log log new", "log error newer")
    page = session.read_console(since=cursor)
    assert [entry["message"] for entry in page["entries"]] == ["new", "newer"]
    assert page["truncated"] is False
    assert session.messages_in_console(since=page["next_cursor"]) == []


def test_the_cursor_outlives_a_reload(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log log before")
    cursor = session.read_console()["next_cursor"]
    log(editor, "log log later")
    editor.reload()
    again = server.session()
    log(editor, "log log after")
    assert again.messages_in_console() == ["before", "later", "after"]
    assert again.messages_in_console(since=cursor) == ["later", "after"]


def test_a_flood_of_logs_costs_a_reload_a_few_megabytes_at_most(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    """What the plugin keeps over a reload is copied into Unity's memory and read again."""
    editor.command("flood 7000 3000")
    editor.wait_for("flooded")
    editor.reload()
    assert server.ready_session().read_console(max_entries=1)["count"] > 600
    editor.command("session-chars")
    now, most = (int(chars) for chars in editor.wait_for(r"session-chars (\d+) (\d+)").groups())
    assert now < 20_000 and 1_000_000 < most < 3_000_000, (now, most)
    assert editor.violations() == []


def test_entries_logged_while_no_script_was_loaded_are_there_once(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log log before")
    editor.command("reload-logging written by native code")
    again = server.session()
    editor.wait_until_idle()
    assert again.messages_in_console() == ["before", "written by native code"]


def test_entries_that_were_forgotten_in_between_are_owned_up_to(
    editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log log first")
    cursor = session.read_console()["next_cursor"]
    editor.command("flood 5200 5")
    editor.wait_for("flooded")
    assert session.read_console(since=cursor, max_entries=1)["truncated"] is True
    page = session.read_console(since=cursor, contains="flood 5199 ")
    assert page["count"] == 1
    assert page["truncated"] is True


def test_a_cursor_of_an_earlier_editor_brings_everything_and_says_that_some_is_lost(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log log here")
    page = session.read_console(since="otherone:17")
    assert [entry["message"] for entry in page["entries"]] == ["here"]
    assert page["truncated"] is True and page["restarted"] is True
    assert "restarted" not in session.read_console(since=page["next_cursor"])


def test_equal_entries_are_one_before_the_answer_is_cut(
    editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log log first")
    for _ in range(7):
        log(editor, "log error again")
    log(editor, "log log last")
    page = session.read_console(max_entries=3, include_stack_trace=False)
    shown = [(entry["message"], entry.get("repeated")) for entry in page["entries"]]
    assert shown == [("first", None), ("again", 7), ("last", None)]
    assert page["count"] == 9 and page["truncated"] is False
    assert session.read_console(max_entries=2, include_stack_trace=False)["truncated"] is True


BAD_PARAMETERS: List[Dict[str, object]] = [
    {"since": "nonsense"},
    {"since": 4},
    {"max_entries": 0},
    {"max_entries": 2001},
    {"max_entries": "9"},
    {"types": ["fatal"]},
    {"types": "error"},
    {"contains": 1},
    {"include_stack_trace": "no"},
]


def test_bad_parameters_are_refused(session: Session) -> None:
    for params in BAD_PARAMETERS:
        answer = session.ask("execute", tool_name="read_console", params=params, timeout_ms=1000)
        assert answer["type"] == "error", params
        assert answer["error"]["code"] == "ERR_INVALID_PARAMS"
        assert answer["error"]["message"]


def test_compile_errors_come_with_file_and_line_and_go_when_they_are_fixed(
    server: ScriptedServer, editor: HeadlessEditor, session: Session
) -> None:
    for _ in range(2):
        editor.command(f"compile fail 20 {COMPILE_ERROR}")
        editor.wait_for("compiled failed")
    editor.wait_until_idle()
    (entry,) = session.read_console()["entries"]
    assert entry["type"] == "error" and entry["message"] == COMPILE_ERROR
    assert (entry["file"], entry["line"]) == ("Assets/Broken.cs", 7)
    editor.command("compile ok 20")
    editor.wait_for("reloaded")
    assert server.session().messages_in_console() == []


def test_rows_from_before_the_load_are_fetched_whatever_the_view_hides(
    server: ScriptedServer,
) -> None:
    held = [
        "row 1024 a log",
        "row 1024 a log",
        "row 512 a warning",
        "row 131072 an exception",
        f"row 2048 {COMPILE_ERROR}",
        "compilation-failed true",
        "view 513 pie",  # errors only, collapsed, and searched for "pie"
    ]
    with HeadlessEditor(server.port, held=held) as editor:
        page = server.session().read_console()
        assert [
            (entry["type"], entry["message"], entry.get("repeated")) for entry in page["entries"]
        ] == [
            ("log", "a log", 2),
            ("warning", "a warning", None),
            ("exception", "an exception", None),
            ("error", COMPILE_ERROR, None),
        ]
        editor.command("show-view")
        assert editor.wait_for("view (.*)").group(1) == "513 pie"
        assert editor.violations() == []


def test_an_answer_stays_below_a_mebibyte(editor: HeadlessEditor, session: Session) -> None:
    editor.command("flood 2000 1500")
    editor.wait_for("flooded")
    answer = session.ask(
        "execute", tool_name="read_console", params={"max_entries": 2000}, timeout_ms=10_000
    )
    size = len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode())
    assert 800_000 < size < 1_000_000
    assert answer["result"]["truncated"] is True
    assert answer["result"]["entries"][-1]["message"].startswith("flood 1999 ")


def test_one_huge_entry_is_cut_and_not_lost(editor: HeadlessEditor, session: Session) -> None:
    editor.command("flood 1 3000000")
    editor.wait_for("flooded")
    (entry,) = session.read_console()["entries"]
    assert entry["message"].endswith("more characters)") and len(entry["message"]) < 40_000


def test_the_console_can_be_read_while_the_main_thread_is_stuck(
    editor: HeadlessEditor, session: Session
) -> None:
    log(editor, "log error before the dialog")
    editor.command("stall 60000")
    editor.wait_for("stalling")
    assert session.messages_in_console() == ["before the dialog"]
    assert editor.history[-1].startswith("stalling")
    editor.release()


def test_text_of_every_kind_arrives_unharmed(editor: HeadlessEditor, session: Session) -> None:
    log(editor, 'log log "quoted" back\\\\slash \t 漢字 😀 <b>bold</b>')
    assert session.messages_in_console() == ['"quoted" back\\\\slash \t 漢字 😀 <b>bold</b>']
