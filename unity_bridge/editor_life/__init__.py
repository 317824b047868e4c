"""Opening and closing the editor (SPEC §22). No tool starts an editor: a command does, or a person.

- ``versions``: the Unity version of a project, and of a program by its path.
- ``machine_layout`` and ``finding``: where Unity programs lie, and the one of a project's version.
- ``processes``: which process a pid is, whether it lives, and starting one that outlives its starter.
- ``variables``: the environment of an editor, and what it would lack there.
- ``records``: which editor ``open`` started for a project, in the user's state folder.
- ``opening``: checks, finds and starts, at most one editor for a project. It waits for nothing.
- ``editor_log_evidence`` and ``waiting``: what the editor does until it is ready, with the lines that show it.
- ``probing``: what a server reports of an editor that is starting.
- ``closing``: what a closed editor leaves, and how to see that it is gone.

``opening.prepared``, ``opening.start`` and ``waiting.Watch`` are what other programs call.
Nothing here writes or removes a file below a project, ends a process or answers a dialog.
"""
