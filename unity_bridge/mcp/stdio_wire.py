"""``StdioWire``: MCP's two byte streams, each with a thread that blocks on it (SPEC §1.2).

The reader turns lines into messages and answers by itself what is no message. A short line goes out
on the thread that sends it, if it fits into the pipe without waiting; the writer joins whatever has
piled up into one write. Nothing else reads or writes these descriptors, so a line is never torn.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from enum import Enum
from typing import Callable, List, Optional, Sequence

from unity_bridge.log.logger import Logger
from unity_bridge.mcp.guarded_stdio import Stdio
from unity_bridge.mcp.json_rpc import (
    Incoming,
    LineSplitter,
    Response,
    RpcError,
    read_line,
    too_long,
)
from unity_bridge.mcp.unwaiting_output import UnwaitingOutput

# The longest argument that could still be sent on to Unity is 1 MiB (SPEC §7.7); JSON may spell it
# four times as long.
MAX_LINE_BYTES = 4 * 1024 * 1024

# Not more: a message counts as read from then on, and waits for those before it (SPEC §20.9).
_READ_BYTES = 16 * 1024
# A client that sends and sends without reading its answers is not read any further until it does.
_OUTBOX_BYTES = 64 * 1024 * 1024


class WireEnd(Enum):
    """How the client's side of the wire came to its end."""

    INPUT_ENDED = "stdin ended"
    OUTPUT_GONE = "stdout is gone"


class StdioWire:
    """Reads and writes lines until the input ends, the output breaks or it is closed.

    ``deliver`` gets messages in the order of their lines. ``ended`` is called for each way to end,
    maybe more than once. Both are called on the wire's own threads, with no lock held.
    """

    def __init__(
        self,
        stdio: Stdio,
        deliver: Callable[[Sequence[Incoming]], None],
        ended: Callable[[WireEnd], None],
        log: Logger,
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        self._stdio = stdio
        self._deliver = deliver
        self._ended = ended
        self._log = log
        self._max_line_bytes = max_line_bytes
        self._unwaiting = UnwaitingOutput(stdio.fd_out)
        self._outbox = _Outbox(self._unwaiting.write)
        self._watch = _Watch(stdio)
        # Daemons: each may be blocked in the system for as long as its client likes, and must not
        # hold the process.
        self._reader = threading.Thread(target=self._read, name="mcp-stdin", daemon=True)
        self._writer = threading.Thread(target=self._write, name="mcp-stdout", daemon=True)

    def start(self) -> None:
        self._writer.start()
        self._reader.start()

    def send(self, line: bytes) -> None:
        """Send one line, its line end included. Any thread; never waits; after the end it is a
        no-op.
        """
        self._outbox.put(line)

    def close(self, budget_s: float) -> None:
        """Stop reading, write what is queued, and join both threads, each within about ``budget_s``
        seconds.

        A thread that its client keeps blocked is left behind; it ends with the process. The
        descriptors stay open: they belong to their opener. May be called again, by the same thread.
        """
        self._outbox.close()
        self._unwaiting.close()  # which nobody uses any more
        self._watch.interrupt()
        _join(self._writer, budget_s)
        # Windows has no way to interrupt a read that waits on a pipe, so there the reader is not
        # waited for.
        wait_s = budget_s
        if sys.platform == "win32":
            wait_s = 0.0
        _join(self._reader, wait_s)
        if self._writer.is_alive():
            self._log.warning("the client does not read its answers; some are lost")
        if self._reader.ident is None:
            self._watch.close()  # else the reader closes it, which may end later than this waits

    # --- the reader's thread ---

    def _read(self) -> None:
        try:
            self._read_lines()
        except Exception:
            self._log.exception("reading stdin failed")
            self._ended(WireEnd.INPUT_ENDED)
        finally:
            self._watch.close()

    def _read_lines(self) -> None:
        splitter = LineSplitter(self._max_line_bytes)
        reading = True
        while self._outbox.has_room():
            news = self._watch.wait(reading)
            if news is _News.INTERRUPTED:
                return
            if news is _News.OUTPUT_GONE:
                self._ended(WireEnd.OUTPUT_GONE)
                return
            chunk = self._chunk()
            if chunk is not None:
                if chunk:
                    lines = splitter.feed(chunk)
                else:
                    lines = splitter.end()
                self._take(lines)
            if chunk == b"":
                self._ended(WireEnd.INPUT_ENDED)
                reading = False  # stdout is watched on, for as long as answers are owed

    def _chunk(self) -> Optional[bytes]:
        """Return what there is to read; empty at the end, None if there was nothing after all."""
        try:
            return os.read(self._stdio.fd_in, _READ_BYTES)
        except BlockingIOError:  # somebody made the shared pipe non-blocking
            return None
        except OSError as error:
            self._log.warning("stdin failed, taken as its end", error=error)
            return b""

    def _take(self, lines: Sequence[Optional[bytes]]) -> None:
        messages: List[Incoming] = []
        for line in lines:
            message = too_long(self._max_line_bytes) if line is None else read_line(line)
            if isinstance(message, RpcError):
                self._log.warning(
                    "message refused", code=message.code, reason=message.message, mcp_id=message.id
                )
                self.send(message.line())
            elif isinstance(message, Response):
                self._log.warning("an answer without a request", mcp_id=message.id)
            elif message is not None:
                messages.append(message)
        if messages:
            self._deliver(messages)

    # --- the writer's thread ---

    def _write(self) -> None:
        while True:
            lines = self._outbox.take()
            if lines is None:
                return
            try:
                self._write_all(b"".join(lines))
            except OSError as error:
                self._log.warning("stdout failed", error=error)
                self._outbox.close()
                self._ended(WireEnd.OUTPUT_GONE)
                return

    def _write_all(self, data: bytes) -> None:
        remaining = memoryview(data)
        while remaining:
            try:
                remaining = remaining[os.write(self._stdio.fd_out, remaining) :]
            except (
                BlockingIOError
            ):  # as in the reader; never seen on Windows, where select could not wait for it
                select.select([], [self._stdio.fd_out], [])


def _join(thread: threading.Thread, budget_s: float) -> None:
    if thread.ident is not None:  # the system may have had no thread for it
        thread.join(budget_s)


class _Outbox:
    """Lines on their way out, bounded in the sense that the reader stops while there are too many.

    ``send_now`` puts out what it can without waiting, and says how many bytes. It is called when
    nothing else is on its way, with the lock held, so that no line gets in between.
    """

    def __init__(self, send_now: Callable[[bytes], int]) -> None:
        self._send_now = send_now
        self._lock = threading.Lock()  # guards all below
        self._changed = threading.Condition(self._lock)
        self._lines: List[bytes] = []
        self._bytes = 0
        self._closed = False
        self._writing = False  # the writer has taken lines and not come back for more

    def put(self, line: bytes) -> None:
        with self._lock:
            if self._closed:
                return
            unsent = line if self._lines or self._writing else line[self._send_now(line) :]
            if unsent:
                self._lines.append(unsent)
                self._bytes += len(unsent)
                self._changed.notify_all()

    def take(self) -> Optional[List[bytes]]:
        """Wait for lines and take them all; None when it is closed and empty."""
        with self._lock:
            self._writing = False
            while not self._lines and not self._closed:
                self._changed.wait()
            lines, self._lines, self._bytes = self._lines, [], 0
            self._writing = bool(lines)
            self._changed.notify_all()
            return lines or None

    def has_room(self) -> bool:
        """Wait until there is room; return False when it is closed."""
        with self._lock:
            while self._bytes > _OUTBOX_BYTES and not self._closed:
                self._changed.wait()
            return not self._closed

    def close(self) -> None:
        """Take no more lines; those inside can still be taken."""
        with self._lock:
            self._closed = True
            self._changed.notify_all()


class _News(Enum):
    INPUT = "there may be something to read"
    OUTPUT_GONE = "nobody reads stdout any more"
    INTERRUPTED = "the wire is being closed"


if sys.platform == "win32":

    class _Watch:
        """Pipes cannot be polled here: the read itself waits, and a broken stdout shows at the next
        write.
        """

        def __init__(self, stdio: Stdio) -> None:
            pass

        def wait(self, reading: bool) -> _News:
            if reading:
                return _News.INPUT
            return _News.INTERRUPTED

        def interrupt(self) -> None:
            pass

        def close(self) -> None:
            pass

else:

    class _Watch:
        """Waits for input, for stdout to lose its reader, or for ``interrupt``, whichever comes
        first.
        """

        def __init__(self, stdio: Stdio) -> None:
            self._stdio = stdio
            self._lock = (
                threading.Lock()
            )  # a closed descriptor may be another file's by the time it is written to
            self._wake_read, self._wake_write = os.pipe()
            self._open = True  # guarded by _lock
            self._ends = select.poll()
            self._ends.register(self._wake_read, select.POLLIN)
            self._ends.register(stdio.fd_out, 0)  # errors and hang-ups are always reported
            self._all = select.poll()
            self._all.register(self._wake_read, select.POLLIN)
            self._all.register(stdio.fd_out, 0)
            self._all.register(stdio.fd_in, select.POLLIN)

        def wait(self, reading: bool) -> _News:
            happened = dict((self._all if reading else self._ends).poll())
            if self._wake_read in happened:
                return _News.INTERRUPTED
            # Input first: what a client wrote before it left is still read.
            if reading and self._stdio.fd_in in happened:
                return _News.INPUT
            # POLLNVAL is no answer: macOS gives it for every terminal.
            gone = happened.get(self._stdio.fd_out, 0) & (select.POLLERR | select.POLLHUP)
            if gone:
                return _News.OUTPUT_GONE
            if reading:
                return _News.INPUT
            return _News.INTERRUPTED

        def interrupt(self) -> None:
            with self._lock:
                if self._open:
                    os.write(self._wake_write, b"x")

        def close(self) -> None:
            with self._lock:
                if self._open:
                    self._open = False
                    os.close(self._wake_read)
                    os.close(self._wake_write)
