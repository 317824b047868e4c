"""Who gets the session's slot: every holder, every newcomer, every trust (SPEC §7.3, §17.1)."""

from __future__ import annotations

import itertools
import sys
from typing import Dict, Optional, Tuple

import pytest

from unity_bridge.core.editor.slot_rules import (
    CLAIMS,
    FREE,
    NEEDS,
    RULINGS,
    Claim,
    Holder,
    Need,
    Newcomer,
    Ruling,
    Slot,
    is_identifiable,
    need_of,
    refusal,
)
from unity_bridge.core.ledger.records import EditorIdentity, Trust
from unity_bridge.projects.canonical_path import canonical

GAME, OTHER = (canonical(path, sys.platform) for path in ("/home/me/Game", "/home/me/Other"))


def editor(instance: Optional[str] = "e-1", project: Optional[str] = GAME) -> EditorIdentity:
    return EditorIdentity("1.1.0", instance_id=instance, project_path=project)


EXPECTED = GAME
NEWCOMERS: Dict[Newcomer, EditorIdentity] = {
    Newcomer.SAME_PROCESS: editor(),
    Newcomer.SAME_PROJECT: editor("e-2"),
    Newcomer.OTHER_PROJECT: editor("e-2", OTHER),
    Newcomer.UNKNOWN: editor(None, None),
    Newcomer.NOT_EXPECTED: editor("e-2", OTHER),
}

# What the contract says in words. P: it gets the slot. P with a proof: only with it. Anything else
# is refused.
SAID: Dict[Tuple[Holder, Newcomer], Tuple[str, str]] = {
    # (the holder is not trusted, the holder is trusted)
    **dict.fromkeys(
        itertools.product([Holder.NOBODY], set(Newcomer) - {Newcomer.NOT_EXPECTED}), ("P", "P")
    ),
    (Holder.CONNECTED, Newcomer.SAME_PROCESS): ("P", "P with a proof"),
    (Holder.CONNECTED, Newcomer.SAME_PROJECT): ("P with a proof", ""),
    (Holder.SILENT, Newcomer.SAME_PROCESS): ("P", "P with a proof"),
    (Holder.SILENT, Newcomer.SAME_PROJECT): ("P", "P with a proof"),
    (Holder.SILENT, Newcomer.UNKNOWN): ("P", "P with a proof"),
    # An unproven holder keeps no proven editor out, whatever it claims (SPEC §7.3).
    (Holder.CONNECTED, Newcomer.OTHER_PROJECT): ("P with a proof", ""),
    (Holder.CONNECTED, Newcomer.UNKNOWN): ("P with a proof", ""),
    (Holder.SILENT, Newcomer.OTHER_PROJECT): ("P with a proof", ""),
    (Holder.EXPECTED_BACK, Newcomer.OTHER_PROJECT): ("P with a proof", ""),
    (Holder.EXPECTED_BACK, Newcomer.UNKNOWN): ("P with a proof", ""),
    (Holder.EXPECTED_BACK, Newcomer.SAME_PROCESS): ("P", "P with a proof"),
    (Holder.EXPECTED_BACK, Newcomer.SAME_PROJECT): ("P", "P with a proof"),
}


@pytest.mark.parametrize("newcomer", Newcomer)
@pytest.mark.parametrize("holder", Holder)
@pytest.mark.parametrize("is_trusted", [False, True])
@pytest.mark.parametrize("trust", Trust)
def test_every_cell(holder: Holder, newcomer: Newcomer, is_trusted: bool, trust: Trust) -> None:
    slot = Slot(holder, None if holder is Holder.NOBODY else editor(), is_trusted)
    said = SAID.get((holder, newcomer), ("", ""))[is_trusted]
    expected = (
        Ruling.TAKES_THE_SLOT if said == "P" or (said and trust is Trust.PROVEN) else Ruling.REFUSED
    )
    if said == "P with a proof" and trust is Trust.AWAITED:
        expected = Ruling.WAITS
    server_is_for = EXPECTED if newcomer is Newcomer.NOT_EXPECTED else None
    assert RULINGS[need_of(slot, NEWCOMERS[newcomer], server_is_for)][trust] is expected


def test_the_tables_are_whole() -> None:
    assert set(CLAIMS) == set(Holder) and all(set(row) == set(Newcomer) for row in CLAIMS.values())
    assert set(NEEDS) == set(Claim) and all(set(row) == {False, True} for row in NEEDS.values())
    assert set(RULINGS) == set(Need) and all(set(row) == set(Trust) for row in RULINGS.values())


@pytest.mark.parametrize("holder", [one for one in Holder if one is not Holder.NOBODY])
@pytest.mark.parametrize("newcomer", [one for one in Newcomer if one is not Newcomer.NOT_EXPECTED])
def test_an_unproven_holder_never_keeps_a_proven_editor_out(
    holder: Holder, newcomer: Newcomer
) -> None:
    need = NEEDS[CLAIMS[holder][newcomer]][False]
    assert RULINGS[need][Trust.PROVEN] is Ruling.TAKES_THE_SLOT
    assert RULINGS[need][Trust.AWAITED] in (Ruling.TAKES_THE_SLOT, Ruling.WAITS)


def test_an_untrusted_editor_takes_nothing_from_a_trusted_one() -> None:
    for holder, newcomer in itertools.product(set(Holder) - {Holder.NOBODY}, Newcomer):
        need = NEEDS[CLAIMS[holder][newcomer]][True]
        unproven = {RULINGS[need][trust] for trust in set(Trust) - {Trust.PROVEN}}
        assert Ruling.TAKES_THE_SLOT not in unproven


@pytest.mark.parametrize(
    "holder, newcomer, need",
    [
        # One project in two spellings, and a process that says nothing of its project the second
        # time.
        (editor(), editor("e-2", GAME + "/"), Need.NO_PROOF),
        (editor(), editor("e-1", None), Need.NO_PROOF),
        (editor("e-1", None), editor("e-1", OTHER), Need.NO_PROOF),
        (editor("e-1", None), editor("e-2", OTHER), Need.A_PROOF),
        (editor(None, GAME), editor(None, GAME), Need.NO_PROOF),
        (editor(None, GAME), editor(None, OTHER), Need.A_PROOF),
        # That neither says which process it is makes them no single process.
        (editor(None, None), editor(None, None), Need.A_PROOF),
    ],
)
def test_the_same_editor_is_recognized_by_its_id_and_its_project(
    holder: EditorIdentity, newcomer: EditorIdentity, need: Need
) -> None:
    assert need_of(Slot(Holder.EXPECTED_BACK, holder), newcomer) is need


def test_for_whom_a_slot_is_kept() -> None:
    assert (
        is_identifiable(editor())
        and is_identifiable(editor(None))
        and is_identifiable(editor("e-1", None))
    )
    assert not is_identifiable(editor(None, None))


def test_a_refusal_names_both_projects_as_they_are_quoted() -> None:
    slot = Slot(Holder.EXPECTED_BACK, editor(project="/home/me/Game\n\u202e"), True)
    assert refusal(slot, editor("e-2", OTHER), Need.NEVER) == (
        f'another Unity editor session is already active: "/home/me/Game" has this port; this is "{OTHER}"'
    )
    connected = Slot(Holder.CONNECTED, slot.identity, True)
    assert refusal(connected, editor("e-2", OTHER), Need.NEVER) == refusal(
        slot, editor("e-2", OTHER), Need.NEVER
    )
    assert "proves" in refusal(slot, editor(), Need.A_PROOF)
    nameless = refusal(Slot(Holder.CONNECTED, editor(None, None)), editor(None, None), Need.NEVER)
    assert nameless.count("a project without a path") == 2
    assert FREE.identity is None


def test_a_server_for_a_project_is_for_no_other() -> None:
    for slot in (FREE, Slot(Holder.EXPECTED_BACK, editor())):
        assert need_of(slot, editor("e-1", OTHER), GAME) is Need.NEVER, (
            "also one that was here by that id"
        )
        assert need_of(slot, editor(), GAME) is not Need.NEVER
    assert need_of(FREE, editor("e-1", None), GAME) is Need.NO_PROOF, (
        "one that does not say is believed"
    )
    said = refusal(FREE, editor("e-2", OTHER), Need.NEVER, GAME)
    assert said.startswith(
        f'this server is for another project: it is for "{GAME}", and this is "{OTHER}"'
    )
