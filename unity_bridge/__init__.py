"""unity-bridge: AI coding agents and scripts at work with a running Unity Editor. This is the map of the house.

The journey of a call, from street door to street door; reading the folders in this order is reading it::

    client                     an MCP client, over stdin and stdout, or a command for scripts
      mcp_endpoint/            the agent's side: bytes -> MCP -> a validated Call                         [mcp-stdin]
        endpoint.py            serves what clients really send; sdk_fallback.py loads the SDK for anything else
    ---- inbox ----            execution/executor.py: the one queue between the threads
      execution/               the hall: a call takes its turn, waits, runs, ends, by table          [executor thread]
        state/                 the ledger on the hall table: records, tables, one lock
    ---- peer.send ----        a message is handed over; the peer's writer takes it from there
      unity/                   the editor's door: messages -> frames -> socket                          [peer threads]
    plugin                     unity_package/, in the editor; or simulator/, which behaves like one
    ... and back: an answer enters the inbox as an event, and leaves through the call's callback.

    attach/                    the side door: servers that share the port of the one that owns it
    commands/, cli.py          the command line; installation/ edits clients' files and Unity projects for it
    server.py                  the life of `serve`: loads the rest, waits for an end, stops in order    [main thread]
    app.py                     the composition root: the only file that knows every class behind the agent's door

Words. A *call* is what a client asks; as a *request* it has a record in the ledger. A *job* is a test run, which
outlives its call. A *turn* is a place in the line; a *round trip* is the one message to Unity and its answer that are
under way, and an *exchange* what that is for. A *peer* is a WebSocket connection; a *session* is the one that has
said hello and is the editor's. A call is *parked* while the editor is not ready. *Settling* is asking Unity whether a
submission arrived whose answer was lost. The *owner* has the port; other servers of the same user are *attached* to
it and forward their calls.

What always holds:

1. stdout carries MCP and nothing else.
2. The ledger's lock is never held across I/O or a callback: decide under the lock, act after it.
3. Only the executor thread decides, and it blocks on its inbox alone.
4. An expected failure is an ``Err``; an exception is a bug, caught once per thread.
5. Every thread has a name and an owner who joins it.
6. Time enters only through ``clock``.
7. A length from the network never sizes an allocation before it is checked.
8. Anything but a read reaches Unity at most once.
9. Every call gets exactly one answer, whatever dies.
"""
