"""In which ways plugins speak the protocol: our own of today and before, and others that must work as well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Mapping, Optional, Tuple


class Proves(Enum):
    """Whether a plugin proves that it runs as the same user as the server (SPEC §17.1)."""

    RIGHTLY = "once the server has"
    WRONGLY = "with another user's secret"
    NOT = "it asks the server for a proof, and gives none"
    CANNOT = "it asks for nothing"


@dataclass(frozen=True)
class Dialect:
    """``tells_1_1``: what v1.1 added to the wire. ``tools``: what it carries out, None for all there are."""

    answers_ping: bool = True
    tells_who_it_is: bool = True  # the optional fields of hello
    adopts_job_ids: bool = True
    tells_1_1: bool = True
    tools: Optional[Tuple[str, ...]] = None
    errors_beside_result: bool = True  # else inside it
    repeats_status_every_s: Optional[float] = None
    versions_every_message: bool = True  # else hello alone has a protocol_version
    answers_errors: bool = False
    proves: Proves = Proves.RIGHTLY
    filters_console: bool = True  # else types, contains, since and include_stack_trace are ignored


_V1_TOOLS = ("read_console", "run_tests")
_MINIMAL = Dialect(
    answers_ping=False,
    tells_who_it_is=False,
    adopts_job_ids=False,
    tells_1_1=False,
    tools=_V1_TOOLS,
    proves=Proves.CANNOT,
    errors_beside_result=False,
    repeats_status_every_s=5.0,
)

DIALECTS: Mapping[str, Dialect] = {
    "own": Dialect(),
    # Our own plugin of the first release.
    "v1": Dialect(tells_1_1=False, tools=_V1_TOOLS, proves=Proves.CANNOT),
    # Written from the founding records alone.
    "minimal": _MINIMAL,
    # As above, and it reads "all messages have a protocol_version" as "the first one".
    "versionless": replace(_MINIMAL, versions_every_message=False),
    # It answers an error with an error, and those without a protocol_version.
    "quarrelsome": Dialect(answers_errors=True),
    # It answers read_console with the newest entries, whatever else was asked for.
    "unfiltered": Dialect(filters_console=False),
    # It runs as another user, or was told another port, and keeps silent about it or does not.
    "no-proof": Dialect(proves=Proves.NOT),
    "wrong-proof": Dialect(proves=Proves.WRONGLY),
}
