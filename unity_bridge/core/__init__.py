"""The core: what happens to a call between the client and Unity. One thread decides everything
here.

The rooms, lowest first. A room calls rooms below it, and informs those above it by
``Core.announce``::

    ledger/        the tables of states, frozen records behind one lock, the queue and the deadlines. It decides nothing
    editor/        sessions: which connection has the session slot, and how far it is trusted; status: what Unity says
                   of itself; why: the reasons why no editor is connected. ``Editor`` answers
                   questions about all of it
    round_trip.py  the one message that is under way, and how it ends
    jobs/          the records of jobs; submission (exactly once), polling, cancelling, and what Unity says of them
    calls/         the records of calls and their one answer; admission to the queue, reads, waiting for jobs
    sharing/       the port, the calls that go to its owner, and the servers attached to us. It hears each call first

Below all rooms: ``events`` (what other threads report), ``changes`` (what a room announces),
``context`` (``Core``, the argument that every class takes), ``errors`` and ``unity_errors`` (errors
as values), ``ids``. Above them: ``wiring`` (which room hears what, on one page), ``recovery``
(after an exception of ours), ``loop`` (the inbox and the thread).

The way of an event: another thread puts it into the inbox and goes on. The executor takes it, and
``Wiring.handle`` calls the handlers that stand in its table for this type. A handler writes its
room's records, calls down, and announces up; everything has been handled when it returns. Then the
queue moves on: the first turn becomes the round trip, and its message goes into an outbox, which
another thread empties. docs/walks.md shows three calls, function by function.
"""
