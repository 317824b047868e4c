"""``TransitionLog``: one line for each transition of the ledger, with its correlation ids (SPEC §10)."""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, Union

from unity_bridge.core.ledger.machines import REQUEST, RequestState, SessionState, has_ended
from unity_bridge.core.ledger.records import JobRecord, Record, RequestRecord, SessionRecord
from unity_bridge.log.logger import Logger


class TransitionLog:
    """The ledger's observer. What is minor is for ``debug``, all else for ``info``.

    The straight way of a request is told once, at its end. Minor is a request that goes well (SPEC §21.3), and the end
    of a connection that never became the session, which anybody can provoke.
    """

    def __init__(self, log: Logger) -> None:
        self._log = log

    def __call__(self, machine: str, before: Any, event: Enum, record: Record) -> None:
        is_request = isinstance(record, RequestRecord)
        if before is record.state and not is_request:
            return  # nothing but news of a state that goes on
        if is_request and _STRAIGHT_ON.get(before) is record.state:
            return  # its end tells it, and a call that goes well costs one line
        is_minor = _went_well(record) or (before is SessionState.PENDING and record.state is SessionState.ENDED)
        if is_minor and not self._log.debugging:
            return
        report = self._log.debug if is_minor else self._log.info
        report(f"{machine} {before.value} -> {record.state.value}", event=event.value, **_ids_of(record))


_STRAIGHT_ON = {RequestState.RECEIVED: RequestState.QUEUED, RequestState.QUEUED: RequestState.RUNNING}


def _went_well(record: Record) -> bool:
    """A request that has succeeded, or is on its way."""
    return isinstance(record, RequestRecord) and (
        record.state is RequestState.SUCCEEDED or not has_ended(REQUEST, record.state)
    )


def _ids_of(record: Record) -> Dict[str, Union[int, str, None]]:
    if isinstance(record, SessionRecord):
        return {"session": record.id}
    if isinstance(record, RequestRecord):
        call = record.call
        return {
            "tool": call.tool.name,
            "request_id": record.id,
            "client_request_id": call.client_request_id,
            "job_id": call.params.get("job_id"),
        }
    if isinstance(record, JobRecord):
        client_request_id = record.call.client_request_id if record.call else None
        return {"job_id": record.id, "request_id": record.request_id, "client_request_id": client_request_id}
    return {}
