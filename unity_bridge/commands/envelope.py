"""What ``--json`` prints: one envelope for every command, ``{ok, result | error, job_id?}`` (SPEC §19.3)."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from unity_bridge.commands.output import note, put_json


def envelope(
    ok: bool, result: Any = None, error: Optional[Mapping[str, Any]] = None, job_id: Optional[str] = None
) -> Dict[str, Any]:
    """``ok``: it was carried out and found no fault. A job that failed its purpose is ``{ok: false, result}``.

    ``error`` is the object of SPEC §8, and stands in place of the result.
    """
    told: Dict[str, Any] = {"ok": ok}
    if error is not None:
        told["error"] = dict(error)
    else:
        told["result"] = result
    if job_id is not None:
        told["job_id"] = job_id
    return told


def put_failure(error: Mapping[str, Any], as_json: bool) -> None:
    """Why nothing was done: the message on stderr, with ``--json`` the whole error on stdout too."""
    note(str(error["message"]))
    if as_json:
        put_json(envelope(False, error=error))
