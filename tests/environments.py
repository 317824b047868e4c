"""The environments of the tests, one a Python: made by uv, which takes a tenth of what pip takes
for six of them.
"""

from __future__ import annotations

import os
import subprocess
from typing import Callable, List, Optional, Sequence, Tuple

from unity_bridge.launch import environment, environment_maker

Version = Tuple[int, int]
Say = Callable[[str], None]
# The newest of these that is found runs most of the tests.
PREFERRED: Tuple[Version, ...] = ((3, 14), (3, 13), (3, 12), (3, 11), (3, 10))


def uv(say: Say) -> str:
    """The program, in an environment apart from those of the tests."""
    folder = environment_maker.make("lock", environment.requirements("lock"), say)
    return os.path.join(os.path.dirname(environment.python_of(folder)), "uv")


def make(kind: str, executable: str, version: Version, say: Say) -> str:
    """The folder of an environment with the packages of ``kind``. Raises ``CannotMake`` and
    ``OSError``.
    """
    found = environment.ready(kind, version)
    lines = environment.requirements(kind)
    return found or environment_maker.make(
        kind, lines, say, executable, version, _filled_by(uv(say))
    )


def _filled_by(program: str) -> Callable[[str, Sequence[str], str, Tuple[int, ...]], None]:
    def fill(
        folder: str, packages: Sequence[str], executable: str, handed_on: Tuple[int, ...]
    ) -> None:
        # --seed: with pip, which fetches what tests use besides.
        environment_maker.run(
            [program, "venv", "--quiet", "--seed", "--python", executable, folder], handed_on
        )
        inside = environment.python_of(folder)
        environment_maker.run(
            [program, "pip", "install", "--quiet", "--python", inside, *packages], handed_on
        )

    return fill


# Which Pythons there are


def find(version: Version, folders: Sequence[str] = ()) -> Optional[str]:
    """A Python of that version that really runs and can make environments: on PATH, or in one of
    ``folders``.

    A name on PATH proves nothing: version managers put a stub there for versions that are not switched on.
    """
    name = f"python{environment.dotted(version)}"
    commands = [["py", f"-{environment.dotted(version)}"]] if os.name == "nt" else []
    commands.append([name])
    for folder in folders:
        commands += [[os.path.join(folder, "bin", name)], [os.path.join(folder, "python.exe")]]
    for command in commands:
        executable = command[0] if os.path.isfile(command[0]) else environment.on_path(command[0])
        if executable is not None:
            answer = _asked([executable, *command[1:]])
            if answer is not None and answer[0] == environment.dotted(version):
                return answer[1]
    return None


def _asked(command: List[str]) -> Optional[List[str]]:
    """``[version, path]`` in that Python's own words; None if it does not run or cannot make
    environments.
    """
    question = (
        "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
    )
    try:
        done = subprocess.run(
            [*command, "-I", "-c", question],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    return (
        [line.strip() for line in lines[:2]] if done.returncode == 0 and len(lines) >= 2 else None
    )
