"""The tests on a Windows Python: of this machine, or one that is made of packages and run by wine."""

from __future__ import annotations

import os
from typing import Callable, Optional, Sequence

from tests import environments
from tests.checks import Count, Version, run, say, tested
from tests.windows import wine
from unity_bridge.launch import environment, environment_maker

# Everything on wine, which starts a Python in the time of five.
_LIMIT_S = 7200

Found = Callable[[Version], Optional[str]]


def on_windows(arguments: Sequence[str], executable: str, version: Version, found: Found) -> Count:
    """``executable``: the newest Python here. ``found`` looks for another. ``--all``: all tests
    that can run there.
    """
    layer = "windows all" if "--all" in arguments else "windows"
    try:
        start = _windows_python(executable, version, found)
    except wine.CannotMake as error:
        raise environment_maker.CannotMake(str(error)) from None
    if start is None:
        return Count(skipped=1)
    return tested(start, layer, [argument for argument in arguments if argument != "--all"])


def _windows_python(
    executable: str, version: Version, found: Found
) -> Optional[Callable[..., int]]:
    """Starts it with arguments and waits for its exit status; None, with a line that says why, if
    there is none.
    """
    if os.name == "nt":
        inside = environment.python_of(environments.make("dev", executable, version, say))
        return lambda arguments, **variables: run(
            "windows", [inside, *arguments], _LIMIT_S, **variables
        )
    hosts = [
        (version, path)
        for version, path in ((version, found(version)) for version in wine.VERSIONS)
        if path
    ]
    if wine.missing() or not hosts:
        lacking = wine.missing() or ["a Python that wine can run"]
        say("== Windows: skipped, not installed: {}".format(", ".join(lacking)))
        return None
    version, host = hosts[0]
    say("== Python {}.{} for Windows, on wine".format(*version))
    lines = environment.requirements("test")
    made = wine.location(os.path.join(environment.ROOT, environment.FOLDER), version, lines)
    if not made.is_ready:
        say("preparing it (once, about 30 s) ...")
        wine.make(made, environment.python_of(environments.make("test", host, version, say)), lines)
    return lambda arguments, **variables: made.run(arguments, environment.ROOT, _LIMIT_S)
