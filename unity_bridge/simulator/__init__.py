"""A simulated Unity Editor: a user's way to try the bridge without Unity, and the tests' second party.

It is a program of its own that connects as a plugin does and honours the contract as our plugin does (SPEC §7, §11,
§15, §16). It has its own code for the protocol; with the server it shares small helpers such as results and the log.

    program.py ── argv-like values in, exit status out; owns the process's signals, stdin and stdout
      controls.py       a line of text -> an order to the editor
      events.py         what happened, as JSON lines, as sentences, or as a list to wait on
      editor.py         SimulatedEditor: every order there is, and the life across editor processes
        scripts.py      Disk: the scripts, edited behind Unity's back; it outlives every editor process
        editor_process.py  EditorProcess: what lives and dies with one process; its domain reloads
          assemblies.py    Assemblies: import, compilation, reload; what stands in their way
          console.py       Console: entries, cursors, summaries
          parameters.py    which values a tool takes, and its defaults
          jobs.py, job.py  Jobs: the ledger and the queue of jobs of any kind, across reloads
          tools/           one file a tool: read_console, run_tests, compile; they see the editor as unity_api.py
        plugin.py       Plugin: what is answered to each message, with which faults
        dialects.py     Dialect: the ways in which plugins speak the protocol
        trust.py        Trust: what the plugin and a server prove to each other
        status.py       what the editor tells about itself, and what each session was told last
        connection.py   Link: connect, hello, receive, back off, for ever
        main_thread.py  MainThread: one piece of work at a time, and it can be stalled
        project.py, project_file.py  the pretend project as data: scripts, tests, first console entries
        test_filter.py  which tests a filter stands for
        scene_files.py  open scenes whose files another program changed
        scene.py        its scene, assets and selection, which commands change
        commands.py, package_commands.py  what run_command knows: the package's commands and three of the game
        faults.py       what may be made to go wrong with an answer
    process.py ── SimulatorProcess: the program as a child process, for the demo and the tests

Threads: ``simulator main`` does the Unity work, ``simulator link`` owns the socket and answers what must be answered
while the main thread is busy. ``SimulatedEditor`` starts and joins both.

A domain reload is real as far as it goes: ``Jobs`` and the tools are thrown away, and the next domain begins with the
JSON that the last one saved. So a tool keeps what it needs in ``job.notes``, and goes on from there.
"""
