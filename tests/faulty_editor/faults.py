"""Faults that can be planned for an answer, to test how the server handles them."""

from __future__ import annotations

from enum import Enum
from threading import Lock
from typing import List, Optional, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result


class FaultKind(str, Enum):
    """One way to go wrong; the values are the names on the command line."""

    LATE = "late"  # the answer comes after so many seconds, on whatever session is open then
    TWICE = "twice"  # the answer comes, and comes again
    LOSE = "lose"  # done, but no answer ever comes
    MALFORMED = "malformed"  # an answer with the right id and the wrong types
    GARBAGE = "garbage"  # not JSON: the answer without its end
    OVERSIZE = "oversize"  # an answer over 1 MiB
    DROP_BEFORE = "drop_before"  # the line is cut before anything was taken in
    DROP_AFTER = "drop_after"  # taken in and begun, then the line is cut instead of an answer
    FAIL = "fail"  # the tool ran and failed
    REFUSE = "refuse"  # an error message with the code of your choice; nothing was done


MESSAGE_TYPES = ("execute", "submit_job", "get_job_status", "cancel")
_BY_DEFAULT = ("execute", "submit_job")
_MOST_TIMES = 10_000
_DEFAULT_CODE = "ERR_EDITOR_NOT_READY"


@frozen
class PlannedFault:
    """A fault, the messages whose answers it strikes, how often, and what ``late`` and ``refuse``
    need to know.
    """

    fault: FaultKind
    message_types: Tuple[str, ...] = _BY_DEFAULT
    times: int = 1
    seconds: float = 1.0
    code: str = _DEFAULT_CODE


def parse_fault(text: str) -> Result[PlannedFault, str]:
    """``KIND[:MESSAGE_TYPE[:SECONDS or CODE]][*TIMES]``, as in ``late:execute:2.5`` or
    ``drop_after:submit_job*2``.
    """
    rule, _, times = text.partition("*")
    parts = rule.split(":")
    try:
        fault = FaultKind(parts[0])
        argument = parts[2] if len(parts) > 2 else ""
        planned = PlannedFault(
            fault=fault,
            message_types=(parts[1],) if len(parts) > 1 and parts[1] else _BY_DEFAULT,
            times=int(times) if times else 1,
            seconds=float(argument) if argument and fault is FaultKind.LATE else 1.0,
            code=argument if argument and fault is FaultKind.REFUSE else _DEFAULT_CODE,
        )
    except ValueError as error:
        return Err(
            f"fault '{text}': {error}; kinds are {', '.join(one.value for one in FaultKind)}"
        )
    if not 1 <= planned.times <= _MOST_TIMES or not 0 <= planned.seconds < 1e6:
        return Err(
            f"fault '{text}': from 1 to {_MOST_TIMES} times, and less than 1000000 seconds late"
        )
    if len(parts) > 3 or not set(planned.message_types) <= set(MESSAGE_TYPES):
        return Err(
            f"fault '{text}': KIND[:MESSAGE_TYPE[:ARGUMENT]][*TIMES] with one of {', '.join(MESSAGE_TYPES)}"
        )
    return Ok(planned)


class Faults:
    """The faults still to come, each used up answer by answer. Safe from any thread."""

    def __init__(self, planned: Tuple[PlannedFault, ...] = ()) -> None:
        self._lock = Lock()  # guards what follows
        self._planned: List[PlannedFault] = [one for plan in planned for one in [plan] * plan.times]

    def plan(self, planned: PlannedFault) -> None:
        with self._lock:
            self._planned.extend([planned] * planned.times)

    def take(self, message_type: str) -> Optional[PlannedFault]:
        """Return the fault for the answer to this message, if one was planned."""
        with self._lock:
            for index, planned in enumerate(self._planned):
                if message_type in planned.message_types:
                    return self._planned.pop(index)
        return None
