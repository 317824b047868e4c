"""``TransitionLog``: one line for each transition of the ledger, with its correlation ids (SPEC §10)."""

from __future__ import annotations

from typing import Optional

from unity_bridge.logger import Logger
from unity_bridge.state.machines import REQUEST, has_ended
from unity_bridge.state.stores import JobRecord, RequestRecord, Transition


class TransitionLog:
    """The ledger's observer. A request's steps on the way are for ``debug``, its end and all the rest for ``info``."""

    def __init__(self, log: Logger) -> None:
        self._log = log

    def __call__(self, transition: Transition) -> None:
        record = transition.record
        if transition.before is record.state and not isinstance(record, RequestRecord):
            return  # nothing but news of a state that goes on
        client_request_id: Optional[str] = None
        report = self._log.info
        if isinstance(record, RequestRecord):
            client_request_id = record.call.client_request_id
            report = self._log.info if has_ended(REQUEST, record.state) else self._log.debug
        report(
            f"{transition.machine} {transition.before.value} -> {record.state.value}",
            event=transition.event.value,
            tool=record.call.tool.name if isinstance(record, RequestRecord) else None,
            request_id=record.id if isinstance(record, RequestRecord) else None,
            client_request_id=client_request_id,
            job_id=record.id if isinstance(record, JobRecord) else None,
        )
