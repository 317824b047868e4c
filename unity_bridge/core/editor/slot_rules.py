"""Which editor gets the session slot: rules for a newcomer, by the holder of the slot and by what
is proved.

SPEC §7.3, §17. Pure, and three tables: ``CLAIMS`` says what a newcomer may claim, ``NEEDS`` what
that takes, ``RULINGS`` what becomes of the newcomer then.
"""

from __future__ import annotations

import sys
from enum import Enum
from typing import Mapping, Optional

from unity_bridge.base.frozen import frozen
from unity_bridge.core.ledger.records import EditorIdentity, Trust
from unity_bridge.projects.canonical_path import canonical
from unity_bridge.text.foreign_text import quoted


class Holder(Enum):
    """The holder of the slot."""

    NOBODY = "nobody"
    CONNECTED = "an editor that is connected"
    SILENT = "an editor that is connected, and has been silent for heartbeat_timeout_ms"
    EXPECTED_BACK = "an editor that is away, and that a call would wait for"


class Newcomer(Enum):
    """The editor that asks for the slot, seen from the holder."""

    SAME_PROCESS = "the same editor process"
    SAME_PROJECT = "another editor process with the same project"
    OTHER_PROJECT = "an editor with another project"
    UNKNOWN = "an editor that is not known to have the same project"
    NOT_EXPECTED = "an editor with another project than the one that the server is for"


class Claim(Enum):
    """What a newcomer may claim."""

    THE_SLOT = "the slot, whatever it proves"
    AS_TRUSTED = "the slot, unless the holder is trusted and the newcomer is not"
    MORE_TRUSTED = "the slot, if the newcomer is trusted and the holder is not"
    NOTHING = "nothing"


class Need(Enum):
    """What a claim takes."""

    NO_PROOF = "no proof"
    A_PROOF = "a proof"
    NEVER = "no proof would do"


class Ruling(Enum):
    """What becomes of a newcomer."""

    TAKES_THE_SLOT = "it takes the slot"
    WAITS = "it waits next to the holder until it has given its proof"
    REFUSED = "it is refused"


# An editor of a project that the server is not for gets nothing, whatever it proves (SPEC §18.2).
#
# A project is open in one editor at a time, so another process with the same project means that the
# former one has ended. While messages of the former one still come, it has not ended, and only a
# proof shows which of the two is real. Between proven editors another project's waits until the
# session has ended and its editor is no longer expected back, also if that one is silent because it
# compiles.
#
# A proven editor takes the session of an unproven one in every row, whatever that one claims: an
# unproven program that came first would otherwise keep the user's own editor out for as long as it
# likes.
CLAIMS: Mapping[Holder, Mapping[Newcomer, Claim]] = {
    Holder.NOBODY: {
        Newcomer.SAME_PROCESS: Claim.THE_SLOT,
        Newcomer.SAME_PROJECT: Claim.THE_SLOT,
        Newcomer.OTHER_PROJECT: Claim.THE_SLOT,
        Newcomer.UNKNOWN: Claim.THE_SLOT,
        Newcomer.NOT_EXPECTED: Claim.NOTHING,
    },
    Holder.CONNECTED: {
        Newcomer.SAME_PROCESS: Claim.AS_TRUSTED,
        Newcomer.SAME_PROJECT: Claim.MORE_TRUSTED,
        Newcomer.OTHER_PROJECT: Claim.MORE_TRUSTED,
        Newcomer.UNKNOWN: Claim.MORE_TRUSTED,
        Newcomer.NOT_EXPECTED: Claim.NOTHING,
    },
    Holder.SILENT: {
        Newcomer.SAME_PROCESS: Claim.AS_TRUSTED,
        Newcomer.SAME_PROJECT: Claim.AS_TRUSTED,
        Newcomer.OTHER_PROJECT: Claim.MORE_TRUSTED,
        Newcomer.UNKNOWN: Claim.AS_TRUSTED,
        Newcomer.NOT_EXPECTED: Claim.NOTHING,
    },
    Holder.EXPECTED_BACK: {
        Newcomer.SAME_PROCESS: Claim.AS_TRUSTED,
        Newcomer.SAME_PROJECT: Claim.AS_TRUSTED,
        Newcomer.OTHER_PROJECT: Claim.MORE_TRUSTED,
        Newcomer.UNKNOWN: Claim.MORE_TRUSTED,
        Newcomer.NOT_EXPECTED: Claim.NOTHING,
    },
}

# By whether the holder is trusted.
NEEDS: Mapping[Claim, Mapping[bool, Need]] = {
    Claim.THE_SLOT: {False: Need.NO_PROOF, True: Need.NO_PROOF},
    Claim.AS_TRUSTED: {False: Need.NO_PROOF, True: Need.A_PROOF},
    Claim.MORE_TRUSTED: {False: Need.A_PROOF, True: Need.NEVER},
    Claim.NOTHING: {False: Need.NEVER, True: Need.NEVER},
}

# By how far the newcomer has come with its proof.
RULINGS: Mapping[Need, Mapping[Trust, Ruling]] = {
    Need.NO_PROOF: dict.fromkeys(Trust, Ruling.TAKES_THE_SLOT),
    Need.A_PROOF: {
        **dict.fromkeys(Trust, Ruling.REFUSED),
        Trust.PROVEN: Ruling.TAKES_THE_SLOT,
        Trust.AWAITED: Ruling.WAITS,
    },
    Need.NEVER: dict.fromkeys(Trust, Ruling.REFUSED),
}


@frozen
class Slot:
    """The session slot as it is now. ``identity`` and ``is_trusted`` are the holder's."""

    holder: Holder
    identity: Optional[EditorIdentity] = None
    is_trusted: bool = False


FREE = Slot(Holder.NOBODY)


def is_taken_from_unproven(slot: Slot, newcomer: EditorIdentity, trust: Trust) -> bool:
    """Whether a proven newcomer takes the slot of an unproven editor process other than itself."""
    if slot.holder is Holder.NOBODY or slot.is_trusted or trust is not Trust.PROVEN:
        return False
    return _seen_from(slot.identity, newcomer, None) is not Newcomer.SAME_PROCESS


def is_identifiable(identity: EditorIdentity) -> bool:
    """Whether it says enough of itself to be recognised when it comes back; otherwise no slot is
    kept for it.
    """
    return identity.instance_id is not None or identity.project_path is not None


def need_of(slot: Slot, newcomer: EditorIdentity, expected: Optional[str] = None) -> Need:
    """Return what ``newcomer`` needs for the slot. ``expected``: the canonical path of the server's
    project, if any.
    """
    return NEEDS[CLAIMS[slot.holder][_seen_from(slot.identity, newcomer, expected)]][
        slot.is_trusted
    ]


def project_of(identity: Optional[EditorIdentity]) -> Optional[str]:
    """Return the canonical path of the project that the peer says it has open.

    The path is not looked up on disk: an unknown peer sent it.
    """
    path = None if identity is None else identity.project_path
    if path is None:
        return None
    return canonical(path, sys.platform)


def _seen_from(
    holder: Optional[EditorIdentity], newcomer: EditorIdentity, expected: Optional[str]
) -> Newcomer:
    project = project_of(newcomer)
    if expected is not None and project is not None and project != expected:
        return Newcomer.NOT_EXPECTED
    if holder is None:
        return Newcomer.UNKNOWN
    if holder.instance_id is not None and holder.instance_id == newcomer.instance_id:
        return Newcomer.SAME_PROCESS
    if holder.project_path is None or project is None:
        return Newcomer.UNKNOWN
    if project_of(holder) == project:
        return Newcomer.SAME_PROJECT
    return Newcomer.OTHER_PROJECT


# The reason that a refused editor is sent.


def refusal(
    slot: Slot, newcomer: EditorIdentity, need: Need, expected: Optional[str] = None
) -> str:
    """Why a newcomer was refused, with both projects (SPEC §7.3, §18.2)."""
    if _seen_from(slot.identity, newcomer, expected) is Newcomer.NOT_EXPECTED:
        return (
            f'this server is for another project: it is for "{quoted(expected or "")}", and this is '
            f"{_project(newcomer)}; a port of its own helps (`unity-bridge plugin install PROJECT --port auto`)"
        )
    if slot.holder is Holder.NOBODY:
        return (
            "this server takes only a plugin that proves that it runs as the same user (require_trusted_plugin); "
            f"this is {_project(newcomer)}"
        )
    # The same whether the holder is connected or expected back: the refused plugin logs each text
    # once, and reloads come and go.
    text = (
        f"another Unity editor session is already active: {_project(slot.identity)} has this port"
    )
    if need is Need.A_PROOF:
        text += ", and only a plugin that proves that it runs as the same user takes it over"
    return f"{text}; this is {_project(newcomer)}"


def takeover(newcomer: EditorIdentity) -> str:
    """Return a sentence for people on an editor that took the slot of an unproven one."""
    return f"the editor of {_project(newcomer)} took over from an editor without proof"


def _project(identity: Optional[EditorIdentity]) -> str:
    path = None if identity is None else identity.project_path
    if path is None:
        return "a project without a path"
    return f'"{quoted(path)}"'
