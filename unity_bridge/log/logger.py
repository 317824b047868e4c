"""``Logger``: one line an event, to stderr and if asked to a rotating file, never to stdout (SPEC
§10).
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from datetime import datetime, timezone
from typing import Any, Deque, Dict, List, Optional, Sequence, TextIO

from unity_bridge.base.clock import SystemClock, rfc3339
from unity_bridge.log.log_file import RotatingLogFile
from unity_bridge.log.rate_limit import RateLimit
from unity_bridge.text.foreign_text import as_json, visible, visible_line

FORMATS = ("text", "json")
LEVELS = ("debug", "info", "warning", "error")

_ROOT = "unity_bridge"
_FILE_BYTES = 5 * 1024 * 1024
_FILES_KEPT = 3
# What may wait to be written; at debug a line may hold a whole message.
_LINES_WAITING = 10_000
_CHARACTERS_WAITING = 16 * 1024 * 1024


class Logger:
    """Writes lines that carry their correlation ids (``request_id``, ``client_request_id``,
    ``job_id``).

    A line is a sentence plus named values: ``log.info("session opened", session=3)``. Values of ``None`` are left
    out. Safe from any thread. Bodies of messages go to ``debug`` only.
    """

    def __init__(self, name: str) -> None:
        self._log = logging.getLogger(f"{_ROOT}.{name}")

    def debug(self, text: str, **values: Any) -> None:
        self._write(logging.DEBUG, text, values)

    def info(self, text: str, **values: Any) -> None:
        self._write(logging.INFO, text, values)

    def warning(self, text: str, **values: Any) -> None:
        self._write(logging.WARNING, text, values)

    def error(self, text: str, **values: Any) -> None:
        self._write(logging.ERROR, text, values)

    def exception(self, text: str, **values: Any) -> None:
        """Log a bug: the line is followed by the stack of the exception being handled."""
        self._write(logging.ERROR, text, values, exc_info=True)

    @property
    def debugging(self) -> bool:
        """Whether ``debug`` lines are written at all: guards values that are costly to make."""
        return self._log.isEnabledFor(logging.DEBUG)

    def _write(self, level: int, text: str, values: Dict[str, Any], exc_info: bool = False) -> None:
        if self._log.isEnabledFor(level):
            members = {name: value for name, value in values.items() if value is not None}
            self._log.log(level, "%s", text, extra={"values": members}, exc_info=exc_info)


class _TextFormatter(logging.Formatter):
    """``2026-02-24T23:59:59.123Z info executor: request queued request_id=req-1``"""

    def format(self, record: logging.LogRecord) -> str:
        values = "".join(f" {name}={_shown(value)}" for name, value in _values(record).items())
        text = visible_line(record.getMessage())  # it may quote what a peer said
        line = f"{_instant(record)} {record.levelname.lower()} {_part(record)}: {text}{values}"
        # The stack ends with the exception's own words, which may quote anybody's.
        return line + (
            f"\n{visible(self.formatException(record.exc_info))}" if record.exc_info else ""
        )


class _JsonFormatter(logging.Formatter):
    """The same line as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        line: Dict[str, Any] = {
            **_values(record),
            "time": _instant(record),
            "level": record.levelname.lower(),
            "part": _part(record),
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["stack"] = self.formatException(record.exc_info)
        return as_json(line, default=str)


# What says which request or job a line is about.
_ONE_OF_MANY = {"request_id", "job_id"}
_REPEATED_AT_MOST = 100


class LogWriter(logging.Handler):
    """Writes the lines on a thread of its own. It is the handler that the loggers see.

    A thread that logs only hands a record over: a client that does not read our stderr must not stop the bridge.
    Lines beyond what may wait, in number or in bytes, are dropped, and counted.
    """

    def __init__(self, handlers: Sequence[logging.Handler]) -> None:
        super().__init__()
        self._handlers = handlers
        self._changed = threading.Condition()
        self._records: Deque[logging.LogRecord] = deque()  # guarded by _changed
        self._characters = 0  # guarded by _changed
        self._dropped = 0  # guarded by _changed
        self._is_closing = False  # guarded by _changed
        self._repeated = RateLimit(_REPEATED_AT_MOST)  # guarded by _changed
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Any thread; returns at once."""
        characters = _characters(record)
        with self._changed:
            if not self._is_due(record):
                return
            if (
                len(self._records) >= _LINES_WAITING
                or self._characters + characters > _CHARACTERS_WAITING
            ):
                self._dropped += 1
                return
            self._records.append(record)
            self._characters += characters
            self._changed.notify()

    def _is_due(self, record: logging.LogRecord) -> bool:
        """Whether to write it: a hundred lines of one text in ten seconds, then a line with how
        many were ``unsaid``.

        Any program that can connect can provoke some of them as often as it likes, and would drive everything else out
        of the file. Lines about one request or one job are all written. Values are no part of the text.
        """
        values = _values(record)
        if record.levelno < logging.INFO or not _ONE_OF_MANY.isdisjoint(values):
            return True
        unsaid = self._repeated.admit((record.name, record.getMessage()), record.created)
        if unsaid:
            values["unsaid"] = unsaid
        return unsaid is not None

    def finish(self, budget_s: float) -> None:
        """Write what waits, for at most ``budget_s`` seconds."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join(budget_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._records and not self._is_closing:
                    self._changed.wait()
                record = self._records.popleft() if self._records else None
                self._characters -= 0 if record is None else _characters(record)
                dropped, self._dropped = self._dropped, 0
            if dropped:
                self._write(_warning(f"{dropped} lines lost"))
            if record is None:
                break
            self._write(record)
        for handler in self._handlers:
            handler.close()  # the file; stderr is not ours to close

    def _write(self, record: logging.LogRecord) -> None:
        for handler in self._handlers:
            try:
                if not isinstance(handler, logging.StreamHandler) or not handler.stream.closed:
                    handler.handle(record)
            except Exception:
                with self._changed:
                    self._dropped += 1  # one line is lost, and not all that come after it
        for handler in self._handlers:
            news = handler.news() if isinstance(handler, RotatingLogFile) else None
            if news is not None:
                self._write(_warning(news))


def configure(level: str = "info", form: str = "text", path: Optional[str] = None) -> LogWriter:
    """Send every line to stderr and, with ``path``, to a rotating file too. The last call wins.

    ``level`` is one of ``LEVELS``, ``form`` one of ``FORMATS``. Raises ``OSError`` where ``path`` cannot be written.
    """
    logging.raiseExceptions = False  # a stderr that is gone is no news worth a traceback on it
    formatter: logging.Formatter = _JsonFormatter() if form == "json" else _TextFormatter()
    stderr: Optional[TextIO] = sys.stderr
    # None: started with it closed. The file is then all there is.
    handlers: List[logging.Handler] = [] if stderr is None else [logging.StreamHandler(stderr)]
    if path is not None:
        handlers.append(RotatingLogFile(path, _FILE_BYTES, _FILES_KEPT, SystemClock()))
    for handler in handlers:
        handler.setFormatter(formatter)
    root = logging.getLogger(_ROOT)
    for handler in list(root.handlers):
        root.removeHandler(handler)
    writer = LogWriter(handlers)
    root.addHandler(writer)
    root.setLevel(level.upper())
    root.propagate = False
    return writer


def _values(record: logging.LogRecord) -> Dict[str, Any]:
    return getattr(record, "values", {})


def _part(record: logging.LogRecord) -> str:
    return record.name[len(_ROOT) + 1 :]


def _instant(record: logging.LogRecord) -> str:
    return rfc3339(datetime.fromtimestamp(record.created, timezone.utc))


def _shown(value: Any) -> str:
    text = str(value)
    is_plain = bool(text) and text.isprintable() and not any(c in ' "=' for c in text)
    if is_plain:
        return text
    return as_json(text)


def _characters(record: logging.LogRecord) -> int:
    """Return about how many characters a waiting record holds."""
    values = _values(record).values()
    return len(record.getMessage()) + sum(len(value) for value in values if isinstance(value, str))


def _warning(text: str) -> logging.LogRecord:
    return logging.LogRecord(f"{_ROOT}.log", logging.WARNING, "", 0, "%s", (text,), None)
