"""unity-bridge: AI coding agents and scripts at work with a running Unity Editor. This is the map.

The way of a call, from the client to Unity and back. Reading the packages in this order is
following it::

    client                     an MCP client, over stdin and stdout, or a command for scripts
      mcp/                     bytes on stdin become a validated Call                                     [mcp-stdin]
        endpoint.py            serves what clients really send; sdk/ asks the SDK about anything else
    ---- inbox ----            core/loop.py: the one queue between the threads
      core/                    a call is queued, waits, runs and ends, by table                      [executor thread]
        wiring.py              who hears what; below it sharing/, calls/, jobs/, editor/ and round_trip.py, ledger/
    ---- peer.send ----        a message is handed to the writer of the connection
      unity/                   messages -> frames -> socket                                       [connection threads]
    plugin                     unity_package/, in the editor; or simulator/, which behaves like it
    ... and back: an answer enters the inbox as an event, and leaves through the call's callback.

    catalogue/                 which tools exist, as data for every package
    attach/, trust/            servers that share a port, and the proof that they belong to the same user
    projects/                  which Unity project is meant, and its port
    commands/, cli.py          the command line; installation/ edits clients' files and Unity projects for it
    serve/                     server.py, the life of `serve`: loads the rest, waits, stops in order    [main thread]
                               app.py, the composition root: builds everything behind the MCP
                               endpoint
    base/, text/, log/,        values that every package uses, text of other programs, the log,
    system/, launch/           differences between operating systems, the environment that the program runs in

ARCHITECTURE.md has the threads, the words, the state diagrams and what is deliberately absent.
docs/contract.md is the contract; ``SPEC §7.3`` is its paragraph 7.3.

What always holds:

1. stdout carries MCP and nothing else.
2. The ledger's lock is never held during I/O or a callback: decide under the lock, act after it.
3. Only the executor thread decides, and it blocks on its inbox alone.
4. An expected failure is an ``Err``; an exception is a bug, caught once per thread.
5. Every thread has a name and an owner that joins it.
6. Time enters only through ``clock``.
7. A length from the network never sizes an allocation before it is checked.
8. Anything but a read reaches Unity at most once.
9. Every call gets exactly one answer, whatever dies.
"""
