"""A simulated Unity Editor: a user's way to try the bridge without Unity, and the tests' second party.

It is a program of its own that connects as a plugin does and honours the contract as our plugin does (SPEC §7, §11).

    program.py ── argv-like values in, exit status out; owns the process's signals, stdin and stdout
      controls.py     a line of text -> an order to the editor
      events.py       what happened, as JSON lines, as sentences, or as a list to wait on
      editor.py       SimulatedEditor: the life of an editor (compile, reload, stall, crash, restart)
        plugin.py     Plugin: what is answered to each message, in which dialect, with which faults
        status.py     what the editor tells about itself, and what each session was told last
        connection.py Link: connect, hello, receive, back off, for ever
        main_thread.py MainThread: one piece of work at a time, and it can be stalled
        runs.py       Runs: test runs as jobs, one run at a time, progress, cancel
        console.py    Console: entries, cursor, filters
        project.py    the pretend project: tests and first console entries, as data
        faults.py     what may be made to go wrong with an answer
    process.py ── SimulatorProcess: the program as a child process, for the demo and the tests

Threads: ``simulator main`` does the Unity work, ``simulator link`` owns the socket and answers what must be answered
while the main thread is busy. ``SimulatedEditor`` starts and joins both.
"""
