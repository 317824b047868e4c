"""Every cell of every table, written out once more from the contract (SPEC §3, §5, §7); all other
cells are empty.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Dict, List, Set, Tuple

import pytest

from tests.diagrams import MACHINES
from unity_bridge.core.ledger.machines import (
    EditorState,
    JobState,
    RequestState,
    ServerState,
    Table,
)

# state, event, next state
EXPECTED: Dict[str, str] = {
    # SPEC 3: booting -> waiting_editor <-> ready -> stopping -> stopped, and a stop is possible
    # from anywhere.
    "server": """
        booting         started            waiting_editor
        booting         stop requested     stopping
        waiting_editor  hello completed    ready
        waiting_editor  stop requested     stopping
        ready           session lost       waiting_editor
        ready           stop requested     stopping
        stopping        everything ended   stopped
        """,
    # SPEC 2.5: the bind is tried again until the port is free. SPEC 14: or one attaches to the
    # port's owner.
    "listener": """
        closed     bound        listening
        closed     bind failed  blocked
        closed     owner found  attached
        blocked    bound        listening
        blocked    bind failed  blocked
        blocked    owner found  attached
        blocked    closed       closed
        attached   owner lost   closed
        attached   closed       closed
        listening  closed       closed
        """,
    # SPEC 7.1-7.5
    "session": """
        pending  admitted  active
        pending  refused   ended
        pending  lost      ended
        active   refused   ended
        active   replaced  ended
        active   silent    ended
        active   lost      ended
        """,
    # SPEC 3.2, 7.6: any state may follow any other; who left while busy is expected back for a
    # while.
    "editor": """
        unknown    said ready      ready
        unknown    said compiling  compiling
        unknown    said reloading  reloading
        ready      said ready      ready
        ready      said compiling  compiling
        ready      said reloading  reloading
        ready      lost            unknown
        compiling  said ready      ready
        compiling  said compiling  compiling
        compiling  said reloading  reloading
        compiling  lost            compiling
        compiling  forgotten       unknown
        reloading  said ready      ready
        reloading  said compiling  compiling
        reloading  said reloading  reloading
        reloading  lost            reloading
        reloading  forgotten       unknown
        """,
    # SPEC 5, first table; SPEC 14.2 for what is forwarded to the port's owner.
    "request": """
        received              admitted                  queued
        received              parked                    waiting_editor_ready
        received              answered here             succeeded
        received              waits for job             waiting_job
        received              forwarded                 forwarded
        received              refused                   failed
        received              bug                       failed
        waiting_editor_ready  editor ready              queued
        waiting_editor_ready  forwarded                 forwarded
        waiting_editor_ready  answered here             succeeded
        waiting_editor_ready  waits for job             waiting_job
        waiting_editor_ready  refused                   failed
        waiting_editor_ready  parked too long           failed
        waiting_editor_ready  cancelled                 cancelled
        waiting_editor_ready  stopped                   failed
        waiting_editor_ready  bug                       failed
        waiting_editor_ready  Unity could not be asked  failed
        queued                dequeued                  running
        queued                editor lost               waiting_editor_ready
        queued                answered here             succeeded
        queued                waits for job             waiting_job
        queued                Unity could not be asked  failed
        queued                send failed               failed
        queued                cancelled                 cancelled
        queued                stopped                   failed
        queued                bug                       failed
        running               result ok                 succeeded
        running               result error              failed
        running               plugin error              failed
        running               malformed answer          failed
        running               answered here             succeeded
        running               waits for job             waiting_job
        running               Unity could not be asked  failed
        running               deadline                  timeout
        running               reconnect window over     failed
        running               client cancelled          running
        running               stopped                   failed
        running               bug                       failed
        waiting_job           answered here             succeeded
        waiting_job           forwarded                 forwarded
        waiting_job           cancelled                 cancelled
        waiting_job           bug                       failed
        forwarded             result ok                 succeeded
        forwarded             result error              failed
        forwarded             answered here             succeeded
        forwarded             waits for job             waiting_job
        forwarded             came back from the owner  waiting_editor_ready
        forwarded             owner lost                failed
        forwarded             cancelled                 cancelled
        forwarded             stopped                   failed
        forwarded             bug                       failed
        """,
    # SPEC 5, second table
    "job": """
        queued   submitted              running
        queued   cancelled              cancelled
        queued   parked too long        failed
        queued   stopped                failed
        queued   send failed            failed
        queued   bug                    failed
        running  progressed             running
        running  send failed            failed
        running  refused by Unity       failed
        running  submission unanswered  failed
        running  malformed result       failed
        running  Unity: succeeded       succeeded
        running  Unity: failed          failed
        running  Unity: cancelled       cancelled
        running  Unity: timeout         timeout
        running  deadline               timeout
        running  lost                   failed
        running  bug                    failed
        """,
}
FIRST = {
    "server": "booting",
    "listener": "closed",
    "session": "pending",
    "editor": "unknown",
    "request": "received",
    "job": "queued",
}
ENDS = {
    "server": {"stopped"},
    "listener": set(),
    "session": {"ended"},
    "editor": set(),
    "request": {"succeeded", "failed", "timeout", "cancelled"},
    "job": {"succeeded", "failed", "timeout", "cancelled"},
}


def cells(machine: str) -> Dict[Tuple[str, str], str]:
    rows = [re.split(r" {2,}", line.strip()) for line in EXPECTED[machine].strip().splitlines()]
    return {(state, event): after for state, event, after in rows}


def pairs() -> List[Tuple[str, Table, Enum, Enum]]:
    every = []
    for name, table, first in MACHINES:
        (events,) = {type(event) for row in table.values() for event in row}
        every += [(name, table, state, event) for state in type(first) for event in events]
    return every


def test_all_the_machines_are_written_out_here() -> None:
    assert [name for name, _, _ in MACHINES] == list(EXPECTED)


@pytest.mark.parametrize(
    "name, table, state, event",
    pairs(),
    ids=[f"{p[0]}: {p[2].value} + {p[3].value}" for p in pairs()],
)
def test_every_pair_of_state_and_event(name: str, table: Table, state: Enum, event: Enum) -> None:
    after = table[state].get(event)
    assert (after and after.value) == cells(name).get((state.value, event.value))


@pytest.mark.parametrize("name, table, first", MACHINES, ids=list(EXPECTED))
def test_the_table_has_a_row_for_every_state_and_the_ends_are_empty(
    name: str, table: Table, first: Enum
) -> None:
    assert set(table) == set(type(first))
    assert {state.value for state in table if not table[state]} == ENDS[name]


@pytest.mark.parametrize("name, table, first", MACHINES, ids=list(EXPECTED))
def test_every_state_can_be_reached_and_every_event_is_good_for_something(
    name: str, table: Table, first: Enum
) -> None:
    assert first.value == FIRST[name]
    reached: Set[Enum] = set()
    open_states = {first}
    while open_states:
        state = open_states.pop()
        reached.add(state)
        open_states |= set(table[state].values()) - reached
    assert reached == set(type(first))
    used = {event for row in table.values() for event in row}
    assert {event.name for event in used} == set(type(used.pop()).__members__)


def test_the_names_are_the_published_ones() -> None:
    assert [state.value for state in ServerState] == [
        "booting",
        "waiting_editor",
        "ready",
        "stopping",
        "stopped",
    ]
    assert [state.value for state in EditorState] == ["unknown", "ready", "compiling", "reloading"]
    assert [state.value for state in JobState] == [
        "queued",
        "running",
        "succeeded",
        "failed",
        "timeout",
        "cancelled",
    ]
    assert RequestState.WAITING_EDITOR_READY.value == "waiting_editor_ready"
