"""A state machine of hypothesis: any conversation of clients, server and editors, and what must
hold in all of them.

The server is the real core on a clock that stands still until a rule moves it. Its two sides are played by the
rules below in whatever order hypothesis likes; ``Truth`` keeps what the editors really did, ``Promises`` holds every
word of the server against it after every step.
"""

from __future__ import annotations

import random
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.fakes import InMemoryBridge
from tests.model.owner import AttachLink, Owner
from tests.model.places import Places
from tests.model.promises import Promises
from tests.model.truth import (
    MISSHAPEN,
    PROOFS,
    Connection,
    EditorProcess,
    Message,
    Truth,
    misshapen,
)
from unity_bridge.config import Config

QUEUE_MAX = 4  # so that the connection is full now and then

T = TypeVar("T")
Mutation = Callable[[InMemoryBridge], None]

# What usually happens is drawn most often, so that there is something for the rest to disturb.
which = range(8)  # an index into whatever there is, the latest first
mostly = [True] * 5 + [False]
either = [False, True]
rarely = [False] * 5 + [True]
tools = [
    *["read_console"] * 6,
    *["run_tests"] * 3,
    *["compile"] * 3,
    *["run_command"] * 2,
    "get_editor_state",
    "a burst",
]
# What a job's call asks for, and what another one of the same tool does.
asked: Dict[str, Message] = {"compile": {}, "run_tests": {}, "run_command": {"name": "build"}}
others: Dict[str, Message] = {
    "compile": {"force": True},
    "run_tests": {"mode": "edit"},
    "run_command": {"name": "bake"},
}
keys = [None] * 5 + ["a", "b", "of an earlier server"]
windows = ["client-test"] * 3 + ["another window"]
proofs = [*["at once"] * 6, *PROOFS]
moments = [0.0, 0.05, 0.4, 1.0, 1.0, 2.5]
whiles = [4.5, 6.0, 11.0, 31.0, 61.0, 130.0, 1900.0]
timeouts = [10000, 2000, 100]
waits = [0, 0, 500, 10000, 50000]
editor_states = ["ready", "ready", "ready", "compiling", "reloading"]
shapes = ["good"] * 6 + ["doubled", "kept", "too much", *MISSHAPEN]
ends = ["succeeded", "failed", "cancelled", "timeout"]
beginnings = ["the port is ours"] * 5 + ["nobody listens yet", "another server owns the port"]
owners_ends = ["is lost"] * 2 + ["is stopped", "is lost before we know"]
endings = ["all goes well", "the editor never comes back", "stop"]

STRANGE = (
    "",
    "{",
    "[]",
    "null",
    '{"type": 7}',
    '{"type": "hello"}',
    '{"type": "hello", "protocol_version": 2, "plugin_version": "9", "state": "ready"}',
    '{"type": "hello", "protocol_version": 1}',
    '{"type": "hello", "protocol_version": 1, "plugin_version": "1", "state": "asleep"}',
    '{"type": "hello", "protocol_version": 1, "plugin_version": "1", "state": "ready", "jobs": 5}',
    '{"type": "execute", "protocol_version": 1, "request_id": "x", "tool_name": "y", "params": {}, "timeout_ms": 1}',
    '{"type": "editor_status", "protocol_version": 1, "state": "ready", "seq": 1}',
    '{"type": "editor_status", "protocol_version": 1, "state": "ready", "seq": -1}',
    '{"type": "result", "protocol_version": 1, "request_id": "req-test-1", "status": "ok", "result": {}}',
    '{"type": "job_status", "protocol_version": 1, "request_id": "req-test-2", "job_id": "job-test-1", "state": "x"}',
    '{"type": "shutdown", "protocol_version": 1}',
    '{"type": "ping", "protocol_version": 1}',
)


class Event(NamedTuple):
    """Something that may happen: as often as its ``weight`` says, ``when`` it can, with what it
    draws.
    """

    weight: int
    when: Callable[[Any], Any]
    draws: Dict[str, Sequence[Any]]


EVENTS: Dict[str, Event] = {}

Method = TypeVar("Method", bound=Callable[..., None])


def event(
    weight: int, when: Callable[[Any], Any] = lambda self: True, **draws: Sequence[Any]
) -> Callable[[Method], Method]:
    """One event. Not a ``rule`` of its own: hypothesis would give each as much weight as any other."""

    def enter(method: Method) -> Method:
        EVENTS[method.__name__] = Event(weight, when, draws)
        return method

    return enter


class Conversation(RuleBasedStateMachine):
    """One world: a server, its clients, and the editors that come and go."""

    mutation: Optional[Mutation] = None

    def __init__(self) -> None:
        super().__init__()
        self.attach_link = AttachLink()
        self.bridge = InMemoryBridge(
            Config(queue_max_size=QUEUE_MAX), listening=False, link=self.attach_link
        )
        if self.mutation is not None:
            self.mutation(self.bridge)
        self.truth = Truth()
        self.promises = Promises(self.bridge, self.truth)
        self.attach_link.bridge, self.attach_link.promises = self.bridge, self.promises
        self.processes: List[EditorProcess] = []
        self.connections: List[Connection] = []
        self.places = self.attach_link.places = Places(self.bridge)
        # An editor with another project, that asks for the place at every moment.
        self.rival: Optional[EditorProcess] = None
        self.is_bound = False
        self.ending = "stop"

    @initialize(
        beginning=st.sampled_from(beginnings),
        editor_is_there=st.sampled_from(mostly),
        ending=st.sampled_from(endings),
        has_rival=st.sampled_from(rarely),
    )
    def begins(self, beginning: str, editor_is_there: bool, ending: str, has_rival: bool) -> None:
        self.ending = ending
        if beginning == "the port is ours":
            self._binds()
            if editor_is_there:
                self._connects(self._new_editor(True, True))
        elif beginning == "another server owns the port":
            self.another_server_owns_the_port()
        if has_rival:
            self.rival = EditorProcess(self.truth, "editor-rival", True, "/Other")

    @rule(data=st.data())
    def something_happens(self, data: st.DataObject) -> None:
        self._happens(lambda choices, label: data.draw(st.sampled_from(choices), label=label))

    def walk(self, seed: int, steps: int) -> None:
        """The same without hypothesis, which takes its time and likes to repeat itself."""
        chance = random.Random(seed)
        self.begins(
            chance.choice(beginnings),
            chance.choice(mostly),
            chance.choice(endings),
            chance.choice(rarely),
        )
        self.every_promise_is_kept()
        for _ in range(steps):
            self._happens(lambda choices, label: chance.choice(choices))
            self.every_promise_is_kept()
        self.teardown()

    def _happens(self, choose: Callable[[Sequence[Any], str], Any]) -> None:
        possible = [
            name for name, event in EVENTS.items() for _ in range(event.weight) if event.when(self)
        ]
        name = choose(possible, "event")
        getattr(self, name)(
            **{label: choose(choices, label) for label, choices in EVENTS[name].draws.items()}
        )
        if self.is_bound and self.rival is not None:
            self._the_rival_asks_for_the_place(self.rival)

    # Clients.

    @event(
        6, tool=tools, timeout_ms=timeouts, wait_ms=waits, key=keys, client=windows, is_other=rarely
    )
    def a_client_calls(
        self,
        tool: str,
        timeout_ms: int,
        wait_ms: int,
        key: Optional[str],
        client: str,
        is_other: bool,
    ) -> None:
        if tool == "a burst":
            for _ in range(QUEUE_MAX + 1):
                self.promises.call("read_console", timeout_ms=timeout_ms)
        elif tool == "get_editor_state":
            self.promises.call(tool)
        elif tool == "read_console":
            self.promises.call(tool, timeout_ms=timeout_ms)
        else:
            arguments: Message = dict((others if is_other else asked)[tool])
            if key is not None:
                arguments["client_request_id"] = key
            self.promises.call(tool, client, timeout_ms=timeout_ms, wait_ms=wait_ms, **arguments)

    @event(
        4,
        when=lambda self: self.promises.jobs or self.promises.calls,
        job=which,
        cancels=either,
        wait_ms=waits,
        client=windows,
    )
    def a_client_asks_for_a_job_or_cancels_it(
        self, job: int, cancels: bool, wait_ms: int, client: str
    ) -> None:
        if cancels:
            self.promises.call("cancel_job", job_id=self._job(job))
        else:
            self.promises.call("get_job_status", client, job_id=self._job(job), wait_ms=wait_ms)

    @event(1, when=lambda self: self.promises.open_calls(), call=which)
    def a_client_gives_up(self, call: int) -> None:
        self.promises.give_up(latest(self.promises.open_calls(), call))

    # The port.

    @event(
        3, when=lambda self: not self.is_bound and not self.attach_link.is_attached, is_taken=either
    )
    def the_port_is_taken_or_ours(self, is_taken: bool) -> None:
        if is_taken:
            self.bridge.port_is_taken()
        else:
            self._binds()

    @event(2, when=lambda self: not self.is_bound and not self.attach_link.is_attached)
    def another_server_owns_the_port(self) -> None:
        process = self.processes[-1] if self.processes else self._new_editor(True, True)
        self.attach_link.is_found(Owner(self.truth, process, QUEUE_MAX))

    @event(4, when=lambda self: self._working_owners(), owner=which, is_willing=mostly)
    def an_owner_carries_out_a_call(self, owner: int, is_willing: bool) -> None:
        working = latest(self._working_owners(), owner)
        working.works(is_willing)
        if working is self.attach_link.owner:
            self.attach_link.accepts(working)

    @event(1, when=lambda self: self.attach_link.owner, state=[*editor_states, "unknown"])
    def an_owners_editor_reports_its_state(self, state: str) -> None:
        self.attach_link.sees(state)

    @event(
        4,
        when=lambda self: self.attach_link.owner and self.attach_link.owner.owed,
        answer=which,
        is_doubled=rarely,
    )
    def the_owner_answers(self, answer: int, is_doubled: bool) -> None:
        owner = self.attach_link.owners[-1]
        id = latest(list(owner.owed), answer)
        fields = owner.owed.pop(id)
        for _ in range(2 if is_doubled else 1):
            self.attach_link.says(id, fields)

    @event(1, when=lambda self: self.attach_link.is_attached, how=owners_ends)
    def the_owner_ends(self, how: str) -> None:
        owner = self.attach_link.owners[-1]
        if how == "is stopped" and owner.is_there:
            self.attach_link.is_stopping()
            owner.hands_back()
            for id, fields in owner.owed.items():
                self.attach_link.says(id, fields)
        owner.is_there = False
        if how != "is lost before we know":
            self.attach_link.is_lost()

    # Editors come and go.

    @event(
        2,
        when=lambda self: self.is_bound,
        is_new=rarely,
        names_itself=mostly,
        adopts=mostly,
        process=which,
        state=editor_states,
        is_welcome=rarely,
        proves=proofs,
    )
    def an_editor_connects(
        self,
        is_new: bool,
        names_itself: bool,
        adopts: bool,
        process: int,
        state: str,
        is_welcome: bool,
        proves: str,
    ) -> None:
        if self._own_connections() and not is_welcome:
            return
        if is_new or not self.processes:
            chosen = self._new_editor(names_itself, adopts)
        else:
            chosen = latest(self.processes, process)
        chosen.comes_back(state)
        chosen.proves = proves
        self._connects(chosen)

    @event(
        1,
        when=lambda self: self.is_bound,
        claims=[None, "/Game", "/Other", "/Third"],
        is_known=either,
    )
    def an_unproven_program_comes(self, claims: Optional[str], is_known: bool) -> None:
        """First, last, and again and again, with every project and with the name of a process that
        it has heard of.
        """
        known = [
            process.instance_id for process in self.processes if process.instance_id is not None
        ]
        program = EditorProcess(self.truth, known[-1] if is_known and known else "program", False)
        program.project, program.proves = claims, "never"
        connection = self._connects(program)
        if connection.is_open:
            self.processes.append(program)
        else:
            connection.reports_its_close()

    @event(2, when=lambda self: self._unproven_session(), names_itself=mostly)
    def a_proven_editor_meets_an_unproven_one(self, names_itself: bool) -> None:
        editor = EditorProcess(self.truth, "editor-proven" if names_itself else None, True, "/Game")
        self.processes.append(editor)
        connection = self._connects(editor)
        active = self.bridge.stores.session
        assert active is not None and active.id == connection.peer.id, (
            "an editor without proof kept one with it out"
        )

    @event(2, when=lambda self: self._owing_a_proof(), connection=which, rightly=mostly)
    def an_editor_proves_who_it_is(self, connection: int, rightly: bool) -> None:
        self._proves(latest(self._owing_a_proof(), connection), rightly)

    @event(
        1,
        when=lambda self: self._own_connections(),
        connection=which,
        silently=rarely,
        reports_close=mostly,
        forgets=rarely,
    )
    def a_connection_breaks(
        self, connection: int, silently: bool, reports_close: bool, forgets: bool
    ) -> None:
        broken = latest(self._own_connections(), connection)
        broken.breaks(silently)
        if reports_close and not silently:
            broken.reports_its_close()
        if forgets and broken.process is not None:
            # No connection outlives the memory of the plugin that read from it.
            for other in self.connections:
                if other.process is broken.process:
                    other.breaks(silently)
            broken.process.forgets(self.promises.is_over)

    @event(
        3,
        when=lambda self: self._submissions(),
        is_read=either,
        is_new=either,
        names_itself=either,
        has_ended=either,
    )
    def a_connection_breaks_around_a_submission(
        self, is_read: bool, is_new: bool, names_itself: bool, has_ended: bool
    ) -> None:
        connection = self._submissions()[0]
        process = connection.process
        assert process is not None
        if is_read:
            self._reads(connection, True)
        connection.breaks(False)
        connection.reports_its_close()
        if has_ended:
            process.finishes("succeeded", True)
        self._connects(self._new_editor(names_itself, True) if is_new else process)

    @event(1, when=lambda self: self._ended_connections(), connection=which)
    def the_server_hears_of_a_connections_end(self, connection: int) -> None:
        latest(self._ended_connections(), connection).reports_its_close()

    @event(2, when=lambda self: self._own_connections(), connection=which, state=editor_states)
    def an_editor_reports_its_state(self, connection: int, state: str) -> None:
        chosen = latest(self._own_connections(), connection)
        assert chosen.process is not None
        chosen.process.state = state
        chosen.reports(state)

    @event(1, when=lambda self: self._own_connections(), connection=which)
    def an_edit_is_compiled_and_not_loaded(self, connection: int) -> None:
        chosen = latest(self._own_connections(), connection)
        assert chosen.process is not None
        chosen.process.has_stale_code = True
        if chosen.process.adopts:
            chosen.reports_its_code()

    @event(
        1,
        when=lambda self: self.is_bound,
        connection=which,
        text=STRANGE,
        is_unknown_peer=mostly,
        falls_silent=rarely,
    )
    def something_strange_is_said(
        self, connection: int, text: str, is_unknown_peer: bool, falls_silent: bool
    ) -> None:
        if is_unknown_peer or not self._own_connections():
            self.connections.append(Connection(self.bridge, None, self.promises.heard))
            self.connections[-1].says_text(text)
            return
        chosen = latest(self._own_connections(), connection)
        chosen.is_attentive = not falls_silent
        if '"protocol_version": 2' in text:
            self.places.is_sent_away(chosen)
        self.promises.is_about_to_hear(chosen, text)
        chosen.says_text(text)

    # Editors at work.

    @event(6, when=lambda self: self._unread_connections(), connection=which, is_willing=mostly)
    def an_editor_reads(self, connection: int, is_willing: bool) -> None:
        self._reads(latest(self._unread_connections(), connection), is_willing)

    @event(6, when=lambda self: self._owing(), process=which, answer=which, shape=shapes)
    def an_editor_answers(self, process: int, answer: int, shape: str) -> None:
        owing = latest(self._owing(), process)
        owed = latest(owing.owed, answer)
        if shape != "kept":
            owing.owed.remove(owed)
        connection = next(
            connection
            for connection in reversed(self.connections)
            if connection.process is owing and connection.can_speak
        )
        if shape == "too much":
            self.promises.is_about_to_overflow(connection)
            connection.says_too_much()
        elif shape in MISSHAPEN:
            text, names_it = misshapen(owed, shape)
            self.promises.is_about_to_answer(connection, owed["request_id"] if names_it else None)
            connection.says_text(text)
        else:
            for _ in range(2 if shape == "doubled" else 1):
                self.promises.is_about_to_answer(connection, owed["request_id"])
                connection.says(owed)

    @event(2, when=lambda self: self._own_connections(), connection=which)
    def an_editor_does_all_it_is_asked(self, connection: int) -> None:
        self._serves(latest(self._own_connections(), connection))

    @event(
        1,
        when=lambda self: any(process.runs for process in self.processes),
        process=which,
        end=ends,
        was_begun=mostly,
    )
    def a_run_ends(self, process: int, end: str, was_begun: bool) -> None:
        latest(self.processes, process).finishes(end, was_begun)

    # Time.

    @event(4, seconds=moments)
    def a_moment_passes(self, seconds: float) -> None:
        self.bridge.advance(seconds)

    @event(1, seconds=whiles, really=rarely)
    def a_while_passes(self, seconds: float, really: bool) -> None:
        self.bridge.advance(seconds if really else 0.2)

    # What must hold.

    @invariant()
    def every_promise_is_kept(self) -> None:
        self.promises.check()
        broken = self.places.check(self.connections)
        assert not broken, broken

    def teardown(self) -> None:
        if self.ending != "stop":
            self._goes_well() if self.ending == "all goes well" else self._never_comes_back()
            self.promises.check()
            self.promises.check_that_all_has_ended()
        self.bridge.stop()
        self.promises.call("read_console")
        for connection in self._unread_connections():
            while connection.unread:
                self._reads(connection, True)
        self.promises.check()
        self.promises.check_that_nothing_is_left()

    def _goes_well(self) -> None:
        """The last editor comes back and does what it is asked to: then everything comes to its
        end.
        """
        self._nobody_else_owns_the_port()
        if not self.is_bound:
            self._binds()
        process = self._who_may_come_back()
        self._everybody_leaves()
        process.state, process.proves = "ready", "at once"
        connection = self._connects(process)
        for _ in range(40):
            self._serves(connection)
            for _ in list(process.runs):
                process.finishes("succeeded", True)
            self.bridge.advance(1.0)
        self.promises.check_that_no_run_was_dropped(process)

    def _who_may_come_back(self) -> EditorProcess:
        """The last one, or the one for which the place is kept, if that is another project's."""
        last = (
            self.processes[-1] if self.processes else EditorProcess(self.truth, "editor-last", True)
        )
        holder = None if self.places.last is None else self.places.last.process
        if holder is None or (holder.project is None and holder.instance_id is None):
            return last
        return last if holder.project == last.project and holder.project is not None else holder

    def _never_comes_back(self) -> None:
        self._nobody_else_owns_the_port()
        self._everybody_leaves()
        self.bridge.advance(130.0)

    # Parts of the above.

    def _the_rival_asks_for_the_place(self, rival: EditorProcess) -> None:
        if any(
            connection.process is rival and not connection.has_reported_its_close
            for connection in self.connections
        ):
            return
        is_free = self.places.must_be_free()
        connection = self._connects(rival)
        if connection.is_open:
            if rival not in self.processes:
                self.processes.append(rival)
        else:
            assert not is_free, "the place is free, and the rival was refused"
            connection.reports_its_close()

    def _proves(self, connection: Connection, rightly: bool) -> None:
        if not rightly:
            self.places.is_sent_away(connection)
        connection.proves(rightly)
        self.bridge.drain()

    def _unproven_session(self) -> bool:
        active = self.bridge.stores.session
        return self.is_bound and active is not None and not active.is_trusted

    def _owing_a_proof(self) -> List[Connection]:
        return [
            connection for connection in self._own_connections() if connection.asked is not None
        ]

    def _binds(self) -> None:
        self.is_bound = True
        self.bridge.port_is_free_again()

    def _connects(self, process: EditorProcess) -> Connection:
        connection = Connection(self.bridge, process, self.promises.heard)
        self.connections.append(connection)
        connection.says({"type": "hello", **process.hello()})
        if process.proves == "wrongly":
            self.places.somebody_proved_wrongly()
        return connection

    def _nobody_else_owns_the_port(self) -> None:
        if self.attach_link.is_attached:
            self.attach_link.is_lost()

    def _working_owners(self) -> List[Owner]:
        """Those with something to do: also one that we have lost, but that lives on, and finds it
        on its connection.
        """
        return [owner for owner in self.attach_link.owners if owner.unread]

    def _everybody_leaves(self) -> None:
        for connection in self.connections:
            if not connection.has_reported_its_close:
                connection.breaks(False)
                connection.reports_its_close()

    def _reads(self, connection: Connection, is_willing: bool) -> None:
        assert connection.process is not None
        connection.process.reads(connection.unread.pop(0), is_willing)

    def _serves(self, connection: Connection) -> None:
        process = connection.process
        assert process is not None
        while connection.unread or process.owed:
            if connection.unread:
                self._reads(connection, True)
            else:
                owed: Message = process.owed.pop(0)
                self.promises.is_about_to_answer(connection, owed["request_id"])
                connection.says(owed)

    def _job(self, index: int) -> str:
        others = [
            "job-old-1",
            "job-nobody-1",
            *(call.request_id for call in self.promises.calls[-1:]),
        ]
        return (
            others[index - 5]
            if index >= 5 and index - 5 < len(others)
            else latest(self.promises.jobs or others, index)
        )

    def _new_editor(self, names_itself: bool, adopts: bool) -> EditorProcess:
        number = self.truth.number()
        process = EditorProcess(self.truth, f"editor-{number}" if names_itself else None, adopts)
        if not self.processes:
            process.has_run_before("job-old-1")
        self.processes.append(process)
        return process

    def _open_connections(self) -> List[Connection]:
        return [connection for connection in self.connections if connection.is_open]

    def _own_connections(self) -> List[Connection]:
        return [
            connection for connection in self._open_connections() if connection.process is not None
        ]

    def _submissions(self) -> List[Connection]:
        """Lines on which a submission is the next to be read."""
        return [
            connection
            for connection in self._own_connections()
            if connection.unread and connection.unread[0]["type"] == "submit_job"
        ]

    def _ended_connections(self) -> List[Connection]:
        return [
            connection
            for connection in self.connections
            if not connection.has_reported_its_close and not connection.is_open
        ]

    def _unread_connections(self) -> List[Connection]:
        return [
            connection
            for connection in self.connections
            if connection.process is not None and connection.unread and not connection.is_broken
        ]

    def _owing(self) -> List[EditorProcess]:
        """Editors with an answer to give, and a connection for it: maybe one that the server has
        closed by now.
        """
        able = {id(connection.process) for connection in self.connections if connection.can_speak}
        return [process for process in self.processes if process.owed and id(process) in able]


def latest(what: Sequence[T], index: int) -> T:
    return what[-1 - index % len(what)]
