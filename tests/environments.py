"""The environments of the tests, one a Python: made by uv, which takes a tenth of what pip takes for six of them."""

from __future__ import annotations

import os
from typing import Callable, Sequence, Tuple

from unity_bridge.launch import environment, environment_maker

Version = Tuple[int, int]
Say = Callable[[str], None]


def uv(say: Say) -> str:
    """The program, in an environment apart from those of the tests."""
    folder = environment_maker.make("lock", environment.requirements("lock"), say)
    return os.path.join(os.path.dirname(environment.python_of(folder)), "uv")


def make(kind: str, executable: str, version: Version, say: Say) -> str:
    """The folder of an environment with the packages of ``kind``. Raises ``CannotMake`` and ``OSError``."""
    found = environment.ready(kind, version)
    lines = environment.requirements(kind)
    return found or environment_maker.make(kind, lines, say, executable, version, _filled_by(uv(say)))


def _filled_by(program: str) -> Callable[[str, Sequence[str], str, Tuple[int, ...]], None]:
    def fill(folder: str, packages: Sequence[str], executable: str, handed_on: Tuple[int, ...]) -> None:
        # --seed: with pip, which fetches what tests use besides.
        environment_maker.run([program, "venv", "--quiet", "--seed", "--python", executable, folder], handed_on)
        inside = environment.python_of(folder)
        environment_maker.run([program, "pip", "install", "--quiet", "--python", inside, *packages], handed_on)

    return fill
