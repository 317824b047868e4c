"""In which ways plugins speak the protocol: our own, and others that must work as well."""

from __future__ import annotations

from enum import Enum
from typing import Mapping

from unity_bridge.base.frozen import changed, frozen


class Proves(Enum):
    """How a plugin proves that it runs as the same user as the server (SPEC §17.1)."""

    RIGHTLY = "once the server has"
    WRONGLY = "with another user's secret"
    NOT = "it asks the server for a proof, and gives none"
    CANNOT = "it asks for nothing"


@frozen
class Dialect:
    """``is_minimal``: it knows the founding records and nothing that came after them: no ids of others for its jobs, no
    pings, no optional fields, and the two tools that were there from the beginning."""

    is_minimal: bool = False
    versions_every_message: bool = True  # else hello alone has a protocol_version
    answers_errors: bool = False
    proves: Proves = Proves.RIGHTLY
    filters_console: bool = True  # else types, contains, since and include_stack_trace are ignored


MINIMAL_TOOLS = ("read_console", "run_tests")
_MINIMAL = Dialect(is_minimal=True, proves=Proves.CANNOT)

OWN = Dialect()
DIALECTS: Mapping[str, Dialect] = {
    "own": OWN,
    # Written from the founding records alone.
    "minimal": _MINIMAL,
    # As above, and it reads "all messages have a protocol_version" as "the first one".
    "versionless": changed(_MINIMAL, versions_every_message=False),
    # It answers an error with an error, and those without a protocol_version.
    "answers-errors": Dialect(answers_errors=True),
    # It answers read_console with the newest entries, whatever else was asked for.
    "unfiltered": Dialect(filters_console=False),
    # It runs as another user, and sends no proof or a wrong one.
    "no-proof": Dialect(proves=Proves.NOT),
    "wrong-proof": Dialect(proves=Proves.WRONGLY),
}
