"""SPEC §10: the form of a line, where it goes, and that a logging thread never waits for a reader."""

from __future__ import annotations

import io
import json
import logging
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, List

import pytest

from unity_bridge.log import logger
from unity_bridge.log.logger import Logger, LogWriter, configure

HANG_S = 20


class Pipe(io.StringIO):
    """A stderr that nobody reads: writing to it blocks until somebody does."""

    def __init__(self) -> None:
        super().__init__()
        self.is_read, self.is_blocked = threading.Event(), threading.Event()

    def write(self, text: str) -> int:
        self.is_blocked.set()
        assert self.is_read.wait(HANG_S)
        return super().write(text)


@pytest.fixture
def stderr(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    written = io.StringIO()
    stand_in_for_stderr(monkeypatch, written)
    return written


def stand_in_for_stderr(monkeypatch: pytest.MonkeyPatch, written: io.StringIO) -> None:
    # Not sys.stderr itself: pytest puts its own there again before each phase of a test.
    monkeypatch.setattr(logger, "sys", SimpleNamespace(stderr=written))


def lines(writer: LogWriter, written: io.StringIO) -> List[str]:
    writer.finish(HANG_S)
    return written.getvalue().splitlines()


def after_the_time(line: str) -> str:
    time, rest = line.split(" ", 1)
    assert len(time) == len("2026-02-24T23:59:59.123Z") and time.endswith("Z")
    return rest


# The text form.


def test_a_line_is_a_sentence_plus_named_values(stderr: io.StringIO) -> None:
    writer = configure()
    Logger("executor").info("request queued", request_id="req-1", job_id=None, count=3)
    (line,) = lines(writer, stderr)
    assert after_the_time(line) == "info executor: request queued request_id=req-1 count=3"


@pytest.mark.parametrize(
    "value, shown",
    [
        ("plain", "plain"),
        ("", '""'),
        ("two words", '"two words"'),
        ("a=b", '"a=b"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("line\nbreak", '"line\\nbreak"'),
        ("\x1b[31mred", '"\\u001b[31mred"'),
        ("\u2028", '"\\u2028"'),
        ("half \ud83d", '"half \\ud83d"'),
        ("日本", "日本"),
        (True, "True"),
        (["a", "b"], "\"['a', 'b']\""),
    ],
)
def test_a_value_is_one_word_that_can_be_read_back(
    stderr: io.StringIO, value: Any, shown: str
) -> None:
    writer = configure()
    Logger("x").info("y", v=value)
    (line,) = lines(writer, stderr)
    assert line.endswith(f"x: y v={shown}")


def test_text_of_a_peer_cannot_begin_a_new_line(stderr: io.StringIO) -> None:
    writer = configure()
    Logger("x").info(
        "unknown type 'a\n2026-01-01T00:00:00.000Z error app: \x1b[2Jall is lost\ud83d'"
    )
    (line,) = lines(writer, stderr)
    assert "'a\\n2026" in line and "\\x1b[2J" in line and "\\ud83d" in line


def test_a_bug_is_followed_by_its_stack(stderr: io.StringIO) -> None:
    writer = configure()
    try:
        raise KeyError("lost")
    except KeyError:
        Logger("executor").exception("a bug", request_id="req-1")
    first, *stack = lines(writer, stderr)
    assert after_the_time(first) == "error executor: a bug request_id=req-1"
    assert stack[0].startswith("Traceback") and stack[-1] == "KeyError: 'lost'"


@pytest.mark.parametrize("form", ["text", "json"])
def test_nothing_in_a_line_is_a_command(stderr: io.StringIO, form: str) -> None:
    """Text from any program, at any place of the line (SPEC §20.2)."""
    commands = "\x1b[2J \x1b]8;;http://example\x07 \x9b31m \x7f \r \u202e \u2066 \u2028 \u200b \ud800 \U000e0041"
    writer = configure(form=form)
    try:
        raise ValueError(commands)
    except ValueError:
        Logger("x").exception(f"said {commands}", value=commands, **{"listed": [commands]})
    text = "\n".join(lines(writer, stderr))
    assert "ValueError" in text
    assert all(character.isprintable() for character in text.replace("\n", "")), repr(text)


# The JSON form.


def test_a_line_as_json(stderr: io.StringIO) -> None:
    writer = configure(form="json")
    Logger("executor").warning("two\nlines", request_id="req-1", path=Path("x"), none=None)
    (line,) = lines(writer, stderr)
    entry: Dict[str, Any] = json.loads(line)
    assert entry.pop("time").endswith("Z")
    assert entry == {
        "level": "warning",
        "part": "executor",
        "message": "two\nlines",
        "request_id": "req-1",
        "path": "x",
    }


def test_a_bugs_stack_is_part_of_its_one_json_line(stderr: io.StringIO) -> None:
    writer = configure(form="json")
    try:
        raise KeyError("lost")
    except KeyError:
        Logger("x").exception("a bug")
    (line,) = lines(writer, stderr)
    assert "KeyError: 'lost'" in json.loads(line)["stack"]


def test_a_value_cannot_pose_as_the_line_it_is_on(stderr: io.StringIO) -> None:
    writer = configure(form="json")
    Logger("x").error("y", level="debug", part="z", time="never", message="all is well")
    (line,) = lines(writer, stderr)
    entry = json.loads(line)
    assert (entry["level"], entry["part"], entry["message"]) == ("error", "x", "y")
    assert entry["time"] != "never"


# Levels.


@pytest.mark.parametrize(
    "level, written", [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)]
)
def test_the_level_decides_what_is_written(stderr: io.StringIO, level: str, written: int) -> None:
    writer = configure(level=level)
    log = Logger("x")
    for report in (log.debug, log.info, log.warning, log.error):
        report("y")
    assert log.debugging is (level == "debug")
    assert len(lines(writer, stderr)) == written


def test_the_last_configuration_wins(stderr: io.StringIO) -> None:
    first = configure(form="json")
    second = configure()
    Logger("x").info("y")
    first.finish(HANG_S)
    (line,) = lines(second, stderr)
    assert after_the_time(line) == "info x: y", "once, and in the second's form"


# The file.


def test_the_file_gets_what_stderr_gets(stderr: io.StringIO, tmp_path: Path) -> None:
    path = tmp_path / "bridge.log"
    writer = configure(path=str(path))
    Logger("x").info("grüße 日本", name="half \ud83d")
    written = lines(writer, stderr)
    assert path.read_text(encoding="utf-8").splitlines() == written
    assert "grüße 日本" in written[0]


def test_the_file_is_rotated_and_three_old_ones_are_kept(
    stderr: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logger, "_FILE_BYTES", 500)
    writer = configure(path=str(tmp_path / "bridge.log"))
    for n in range(100):
        Logger("x").info("a line of some length", n=n)
    written = lines(writer, stderr)
    assert len(written) == 100, "stderr gets every line"
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["bridge.log", "bridge.log.1", "bridge.log.2", "bridge.log.3"]
    assert all(path.stat().st_size <= 500 for path in tmp_path.iterdir())
    assert written[-1] in (tmp_path / "bridge.log").read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_reported_to_the_caller(
    stderr: io.StringIO, tmp_path: Path
) -> None:
    with pytest.raises(OSError):
        configure(path=str(tmp_path / "no such folder" / "bridge.log"))


def test_lines_are_written_while_another_program_reads_the_file(
    stderr: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logger, "_FILE_BYTES", 500)
    writer = configure(path=str(tmp_path / "bridge.log"))
    with open(tmp_path / "bridge.log", "rb"):  # while it is open, Windows allows no rotation
        for n in range(100):
            Logger("x").info("a line of some length", n=n)
        written = lines(writer, stderr)
    assert len(written) == 100
    assert written[-1] in (tmp_path / "bridge.log").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open keeps its folder there")
def test_a_file_that_can_no_longer_be_written_is_reported_on_stderr(
    stderr: io.StringIO, tmp_path: Path
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    writer = configure(path=str(folder / "bridge.log"))
    (folder / "bridge.log").unlink()
    folder.rmdir()
    Logger("x").info("y")
    Logger("x").info("z")
    first, entry, second = lines(writer, stderr)
    assert after_the_time(first) == "info x: y" and after_the_time(second) == "info x: z"
    assert (
        str(folder / "bridge.log") in entry
        and "cannot be written to: No such file or directory" in entry
    )


def test_a_fault_with_one_line_ends_no_thread(stderr: io.StringIO) -> None:
    class Broken(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            raise AttributeError("'NoneType' object has no attribute 'closed'")

    writer = LogWriter([Broken(), logging.StreamHandler(stderr)])
    for n in range(3):
        writer.emit(logging.LogRecord("unity_bridge.x", logging.INFO, "", 0, f"line {n}", (), None))
    assert [line for line in lines(writer, stderr) if "lost" not in line] == [
        "line 0",
        "line 1",
        "line 2",
    ]


# A logging thread never waits.


def test_an_unread_stderr_delays_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe()
    stand_in_for_stderr(monkeypatch, pipe)
    monkeypatch.setattr(logger, "_LINES_WAITING", 50)
    writer = configure()
    log = Logger("x")
    log.info("the first")
    assert pipe.is_blocked.wait(HANG_S)
    for n in range(80):
        log.info("more", n=n)  # returns, though nothing can be written
    pipe.is_read.set()
    written = lines(writer, pipe)
    assert len(written) == 1 + 1 + 50
    assert after_the_time(written[1]) == "warning log: 30 lines lost"
    assert written[-1].endswith("n=49")


def test_waiting_lines_are_bounded_in_characters_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe()
    stand_in_for_stderr(monkeypatch, pipe)
    monkeypatch.setattr(logger, "_CHARACTERS_WAITING", 1000)
    writer = configure(level="debug")
    log = Logger("x")
    log.info("the first")
    assert pipe.is_blocked.wait(HANG_S)
    for _ in range(5):
        log.debug("a message", body="x" * 400)
    log.debug("x" * 5000)
    log.info("short")
    pipe.is_read.set()
    written = [after_the_time(line)[:30] for line in lines(writer, pipe)]
    assert written == [
        "info x: the first",
        "warning log: 4 lines lost",
        "debug x: a message body=xxxxxx",
        "debug x: a message body=xxxxxx",
        "info x: short",
    ]


# What comes again and again.


def at(seconds: float, text: str, **values: Any) -> logging.LogRecord:
    record = logging.LogRecord("unity_bridge.x", logging.INFO, "", 0, "%s", (text,), None)
    record.created = 1_000_000.0 + seconds
    record.values = dict(values)
    return record


def test_a_flood_of_one_text_is_a_hundred_lines_in_ten_seconds(stderr: io.StringIO) -> None:
    writer = configure()
    for n in range(3000):
        writer.emit(at(n / 1000, "session opened", session=n))
        writer.emit(at(n / 1000, "call failed", request_id=f"req-{n}"))
    writer.emit(at(4.0, "another line"))
    writer.emit(at(11.0, "session opened", session=3000))
    written = [after_the_time(line) for line in lines(writer, stderr)]
    opened = [line for line in written if "session opened" in line]
    assert len(opened) == 101 and opened[-1].endswith("session=3000 unsaid=2900")
    assert len([line for line in written if "call failed" in line]) == 3000
    assert "info x: another line" in written


def test_texts_that_never_come_again_are_forgotten(stderr: io.StringIO) -> None:
    writer = configure()
    for n in range(5000):
        writer.emit(at(n / 10, f"text {n}"))
    assert len(lines(writer, stderr)) == 5000
    assert len(writer._repeated._said) < 1200


def test_closing_does_not_wait_for_a_reader_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe()
    stand_in_for_stderr(monkeypatch, pipe)
    monkeypatch.setattr(logger, "_LINES_WAITING", 1)
    writer = configure()
    Logger("x").info("blocks")
    assert pipe.is_blocked.wait(HANG_S)
    Logger("x").info("waits")
    writer.finish(0.01)  # nothing fits any more: it returns without a word
    pipe.is_read.set()
    writer.finish(HANG_S)


def test_a_stderr_that_is_closed_or_broken_is_no_reason_to_fail(
    stderr: io.StringIO, tmp_path: Path
) -> None:
    path = tmp_path / "bridge.log"
    writer = configure(path=str(path))
    stderr.close()
    Logger("x").info("still here")
    writer.finish(HANG_S)
    assert "still here" in path.read_text(encoding="utf-8")


def test_a_process_without_stderr_still_logs_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    writer = configure(path=str(tmp_path / "bridge.log"))
    Logger("test").info("here")
    writer.finish(HANG_S)
    assert "info test: here" in (tmp_path / "bridge.log").read_text()
