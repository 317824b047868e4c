"""Who torments the parties of a soak: one fault after another, until told to stop."""

from __future__ import annotations

import os
import random
import socket
import struct
import threading
from collections import Counter
from typing import Callable, Dict, Optional

from tests.soak.editors import Editors, freeze
from tests.soak.line import Line
from tests.soak.windows import Seats

_UPGRADE = (
    b"GET /unity HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class Tormentor:
    """A thread of its own, between ``start`` and ``join``. ``over`` ends its pauses."""

    def __init__(
        self, seats: Seats, line: Line, editors: Editors, port: int, chance: random.Random, over: threading.Event
    ) -> None:
        self._seats = seats
        self._line = line
        self._port = port
        self._chance = chance
        self._over = over
        self.dealt: Dict[str, int] = Counter()
        self.error: Optional[BaseException] = None
        self._thread = threading.Thread(target=self._run, name="tormentor")
        self._kinds: Dict[str, Callable[[], None]] = {
            **editors.faults,
            "line cut": line.cut,
            "line reset": line.reset,
            "line torn in the midst of a message": line.tear,
            "line held": self._hold,
            "stranger at the port": self._stranger,
            "owner killed": lambda: self._end(self._owner(), self._kill),
            "window closed": lambda: self._end(self._anyone(), lambda seat: seats.now[seat].leave()),
        }
        if len(seats.now) > 1:
            self._kinds["attached server killed"] = lambda: self._end(self._another(), self._kill)
            self._kinds["all windows but one killed"] = self._kill_most
        if os.name == "posix":
            self._kinds["owner stopped"] = lambda: self._freeze(self._owner())
            self._kinds["server terminated"] = lambda: self._end(
                self._anyone(), lambda seat: seats.now[seat].terminate()
            )
            if len(seats.now) > 1:
                self._kinds["attached server stopped"] = lambda: self._freeze(self._another())

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """``over`` is set."""
        if self._thread.ident is not None:
            self._thread.join()

    def check(self) -> None:
        if self.error is not None:
            raise self.error

    def _run(self) -> None:
        try:
            while not self._over.wait(self._chance.uniform(0.05, 1.5)):
                kind = self._chance.choice(list(self._kinds))
                self._kinds[kind]()
                self.dealt[kind] += 1
        except BaseException as error:
            self.error = error

    def _pause(self) -> None:
        self._over.wait(self._chance.choice([0.0, 0.1, 0.3, 1.0, 3.0]))

    # The servers.

    def _owner(self) -> int:
        owner = self._seats.owner()
        return self._anyone() if owner is None else owner

    def _another(self) -> int:
        others = [seat for seat in range(len(self._seats.now)) if seat != self._seats.owner()]
        return self._chance.choice(others)

    def _anyone(self) -> int:
        return self._chance.randrange(len(self._seats.now))

    def _kill(self, seat: int) -> None:
        self._seats.now[seat].kill()

    def _end(self, seat: int, how: Callable[[int], None]) -> None:
        """A window ends; after a while there is another in its seat."""
        how(seat)
        self._pause()
        self._seats.reopen(seat)

    def _kill_most(self) -> None:
        seats = list(range(len(self._seats.now)))
        self._chance.shuffle(seats)
        for seat in seats[1:]:
            self._kill(seat)
        for seat in seats[1:]:
            self._seats.reopen(seat)

    def _freeze(self, seat: int) -> None:
        freeze(self._seats.now[seat].process.pid, self._pause)

    # The line.

    def _hold(self) -> None:
        self._line.hold()
        self._pause()
        self._line.release()

    def _stranger(self) -> None:
        try:
            with socket.create_connection(("127.0.0.1", self._port), 5) as line:
                line.sendall(
                    self._chance.choice([b"", b"\x00" * 100, b"GET / HTTP/1.1\r\n", b"\x16\x03\x01", _UPGRADE])
                )
                line.sendall(self._chance.randbytes(self._chance.randint(0, 300)))
                # A reset, not a close.
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:  # nobody has the port just now, or nobody wants to hear it
            pass
