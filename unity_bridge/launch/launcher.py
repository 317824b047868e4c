"""The launcher of a clone: runs the program in this Python if it has what is needed, else in an
environment made once.

``bin/unity-bridge`` asks it before anything else, on whatever Python it was started with.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from unity_bridge.launch import environment, environment_maker
from unity_bridge.launch.say import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, NoReturn, Optional, Sequence

    from unity_bridge.launch.first_start import FirstStart


def enter(script: str, only_serves: Callable[[Sequence[str]], bool]) -> Optional[FirstStart]:
    """Return if this Python has what the program needs; otherwise run ``script`` again in one that
    has, and exit.

    A server is run without it: making it takes longer than clients wait for their first answer. It
    gets the start that makes it.
    """
    if is_own_environment() or not environment.unmet(environment.requirements()):
        return None
    environment_folder = environment.ready(environment.LAUNCHER)
    if environment_folder is not None:
        _become(environment.python_of(environment_folder), script)
    if not only_serves(sys.argv[1:]):
        _become(_made_for_launch(), script)
    if not sys.flags.isolated:
        _become(sys.executable, script)
    from unity_bridge.launch.first_start import FirstStart

    return FirstStart(script)


def is_own_environment() -> bool:
    """Return whether the environment runs that this launcher made."""
    return os.path.basename(sys.prefix) == environment.folder_name(environment.LAUNCHER)


def _made_for_launch() -> str:
    """Make an environment and return its interpreter."""
    try:
        return _made()
    except KeyboardInterrupt:
        _stop("interrupted while preparing its environment; the next start begins again", 130)
    except (environment_maker.CannotMake, OSError) as error:
        _stop(str(error), 1)


def _made() -> str:
    """Make the launcher's environment. SIGTERM unwinds until it is made, so pip ends too, not only
    this process.
    """
    import signal

    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with _ending_pip_with_us():
            folder = environment_maker.make(environment.LAUNCHER, environment.requirements(), say)
        return environment.python_of(folder)
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _ending_pip_with_us() -> Iterator[None]:
    """On Windows a client that kills the launcher would leave pip running."""
    if sys.platform == "win32":
        from unity_bridge.launch import job_object

        job = job_object.EndsWithUs()
        job.take_children()
        try:
            yield
        finally:
            job.let_go()  # this process stays in it, and so do all later children
    else:
        yield


def _become(python: str, script: str) -> NoReturn:
    # -I: nothing on PYTHONPATH and no package of the user's may stand in for what belongs to the environment.
    command = [python, "-I", script, *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(python, command)
    else:
        # Windows has no exec: its namesake starts a child and ends, and the client takes that for
        # the end of the server. A client that kills the launcher means the server, and Windows
        # would leave that running.
        import signal
        import subprocess

        from unity_bridge.launch import job_object

        signal.signal(signal.SIGINT, signal.SIG_IGN)
        job = job_object.EndsWithUs()
        with subprocess.Popen(command) as child:
            job.take(int(child._handle))  # type: ignore[attr-defined]
            sys.exit(child.wait())


def _stop(text: str, status: int) -> NoReturn:
    say(text)
    sys.exit(status)
