"""A simulated Unity Editor: to try the bridge without Unity, and for tests.

It is a program of its own that connects as a plugin does and honours the contract as our plugin
does (SPEC §7, §11, §15, §16). It has its own code for the protocol; with the server it shares small
helpers such as results and the log.

    program.py ── values in, exit status out; owns the process's signals, stdin and stdout
      controls.py       a line of text -> an order to the editor
      event_log.py      what happened, as JSON lines, as sentences, or as a list to wait on
      editor.py         SimulatedEditor: every order there is, and the life across editor processes
        scripts.py      Disk: the scripts as they are on disk; it outlives every editor process
        editor_process.py  EditorProcess: the state of one editor process, and its domain reloads
          assemblies.py    Assemblies: import, compilation, reload; what obstructs them; why code is pending
          console.py       Console: entries, cursors, summaries
          jobs.py, job.py  Jobs: the ledger and the queue of jobs of any kind, across reloads
          tools/           one file a tool; they see the editor as unity_api.py
          chosen_tests.py  which tests a mode and a filter stand for
          commands.py, package_commands.py  the commands: the package's own, and three of the pretend game
          scene_commands.py  those that make and change things, alone and in batches
          change.py        Change: these commands, and the difference that they made
          world.py, pretend_game.json  World: scenes, objects and assets as data, with the fields of components
        plugin.py       Plugin: the answer to each message
        trust.py        ServerProof: what the plugin and a server prove to each other
        status.py       what the editor reports about itself, and what each session received last
        connection.py   ServerLink: connect, hello, receive, back off, for ever
        main_thread.py  MainThread: one piece of work at a time, and it can be stalled
        project.py, pictures/  the pretend project as data, and recorded pictures
    process.py ── SimulatorProcess: the program as a child process, for the demo

What only tests need, such as faults, obstacles and other makers' plugins, is in
``tests/faulty_editor``.

Threads: ``simulator main`` does the Unity work, ``simulator link`` owns the socket and answers what
must be answered while the main thread is busy. ``SimulatedEditor`` starts and joins both.

A domain reload is real as far as it goes: ``Jobs`` and the tools are thrown away, and the next domain begins with the
JSON that the last one saved. So a tool keeps what it needs in ``job.notes``, and continues from there.
"""
