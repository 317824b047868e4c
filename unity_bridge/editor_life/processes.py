"""Which process a pid is, whether it still lives, and starting one that outlives us (SPEC §22.2,
§22.3).
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import Any, Dict, List, Mapping, Optional, Sequence

_PROC = "/proc"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_VERSION_S = 10.0


def start_of(pid: int) -> Optional[str]:
    """When the process with this pid started, in a form that no later process with that pid has;
    None if none lives.

    On Linux in ticks since this boot: the wall clock can be set, and other start times are made of it.
    """
    if sys.platform == "linux":
        return _start_on_linux(pid)
    else:
        import psutil  # only here: it takes longer to load than most starts have

        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            return f"{process.create_time():.3f}"
        except (psutil.Error, OSError):
            return None


def lives(pid: Optional[int], start: Optional[str]) -> bool:
    """Whether the process with this pid that started then still lives. ``start``: None if it could
    not be read.
    """
    now = None if pid is None else start_of(pid)
    return now is not None and (start is None or now == start)


def _start_on_linux(pid: int) -> Optional[str]:
    try:
        with open(f"{_PROC}/{pid}/stat", "rb") as stream:
            # 4242 (a name with any character) S 1 ... and the start as the 22nd field.
            fields = stream.read(4096).rpartition(b")")[2].split()
        with open(_BOOT_ID, encoding="ascii") as boot:
            if fields[0] in (b"Z", b"X"):
                return None
            return f"{boot.read(64).strip()}:{int(fields[19])}"
    except (OSError, ValueError, IndexError):
        return None


def pid_with_arguments(words: Sequence[str]) -> Optional[int]:
    """Return the pid of a process of this user whose command line has these words next to each
    other.
    """
    import psutil

    arguments, own_pid, user = list(words), os.getpid(), psutil.Process().username()
    for process in psutil.process_iter(["pid"]):
        try:
            if process.username() != user:
                continue  # another user's may have any words in its command line
            line = process.cmdline()
            has_them = process.pid != own_pid and any(
                line[at : at + len(arguments)] == arguments for at in range(len(line))
            )
            if has_them and process.status() != psutil.STATUS_ZOMBIE:
                return int(process.pid)
        except (psutil.Error, OSError):
            continue  # it has ended, or is closed to us
    return None


def used_s(pid: int) -> Optional[float]:
    """Return the processor time of the process and its children in seconds; None if it cannot be
    read.
    """
    import psutil

    try:
        process = psutil.Process(pid)
        times = [
            times_of_process.cpu_times()
            for times_of_process in (process, *process.children(recursive=True))
        ]
    except (psutil.Error, OSError):
        return None
    return float(sum(times_of_process.user + times_of_process.system for times_of_process in times))


def argument_of(pid: int, name: str) -> Optional[str]:
    """Return the word behind ``name`` in the command line of a process of this user; nothing else
    of it.
    """
    import psutil

    try:
        process = psutil.Process(pid)
        line = process.cmdline() if process.username() == psutil.Process().username() else []
    except (psutil.Error, OSError):
        return None
    return next((word for before, word in zip(line, line[1:]) if before == name), None)


class TiedToThisProcess(OSError):
    """The system lets nothing that we start outlive us."""


def start_detached(
    arguments: Sequence[str], environment: Mapping[str, str], folder: str, errors: str
) -> subprocess.Popen[bytes]:
    """Start a program that no signal of our terminal reaches, and that keeps nothing of ours open. ``errors``: the file
    that gets what it writes to stderr. Raises ``OSError`` if the system cannot start it, ``TiedToThisProcess`` if it
    would end with us."""
    _close_in_children()
    with open(errors, "wb") as stream:
        options: Dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": stream,
            "cwd": folder,
            "env": dict(environment),
        }
        if sys.platform == "win32":
            return _started_on_windows(arguments, options)
        # Not close_fds: it would close the lock in the child before the program runs. Between the
        # two, the next `open` could take the lock and find no process with the program's arguments,
        # and it would start a second editor.
        return subprocess.Popen(arguments, start_new_session=True, close_fds=False, **options)


if sys.platform == "win32":
    from unity_bridge.launch import job_object

    def _started_on_windows(
        arguments: Sequence[str], options: Dict[str, Any]
    ) -> subprocess.Popen[bytes]:
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        if not job_object.is_in_job():
            return subprocess.Popen(arguments, creationflags=flags, **options)
        for leaving in (flags | subprocess.CREATE_BREAKAWAY_FROM_JOB, flags):
            if _outlives_us(leaving):
                return subprocess.Popen(arguments, creationflags=leaving, **options)
        raise TiedToThisProcess

    def _outlives_us(flags: int) -> bool:
        """Whether a process that is started with these flags leaves the jobs that end with this
        one.

        Jobs are nested, and only a process in a job can ask for the limits of that job: a small one asks first.
        """
        probe = [sys.executable, "-I", "-S", job_object.__file__]
        try:
            answer = subprocess.run(
                probe,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                creationflags=flags,
                timeout=_VERSION_S,
                check=False,
            )
            return answer.returncode == 0
        except (OSError, subprocess.SubprocessError):
            return False  # such as: the job does not let processes leave

    def _close_in_children() -> None:
        """Python's handles are not inherited; those named in ``options`` are."""

else:

    def _close_in_children() -> None:
        """Keep our descriptors out of children: an editor with our starter's pipe would keep it
        waiting for the end.
        """
        try:
            descriptors: List[str] = os.listdir("/dev/fd")
        except OSError:
            return
        for number in filter(str.isdigit, descriptors):
            if int(number) > 2:
                with suppress(OSError):
                    os.set_inheritable(int(number), False)


def let_go(process: subprocess.Popen[bytes]) -> None:
    """Keep Python from warning of the process, which goes on without us."""
    if process.poll() is None:
        process.returncode = 0


def printed_version(program: str) -> Optional[str]:
    """Return what ``PROGRAM -version`` prints within 10 s; None for anything else."""
    try:
        process = subprocess.run(
            [program, "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.dirname(program),
            timeout=_VERSION_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout[:4096].decode("utf-8", "replace")
