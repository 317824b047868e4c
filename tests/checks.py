"""Runs one step of ``bin/test`` and counts it: a static check, a layer of tests, an audit."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple
from xml.etree import ElementTree

from tests.layers import LAYERS
from unity_bridge.launch import environment, environment_maker

ROOT = environment.ROOT
PROGRAM = ("unity_bridge", "setup.py", os.path.join("bin", "unity-bridge"))
SCRIPTS = [
    os.path.join("bin", name) for name in ("bundle", "lock", "release", "test", "unity-bridge")
]
STEP_LIMIT_S = 2400
NO_TESTS_COLLECTED = 5

Version = Tuple[int, int]


class Count(NamedTuple):
    """The result of one step, or the sum of several. ``checks`` counts the steps that are not test
    runs.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    checks: int = 0

    def plus(self, other: Count) -> Count:
        return Count(*(mine + its for mine, its in zip(self, other)))

    def __str__(self) -> str:
        return "{} passed, {} failed, {} skipped; {} other checks".format(*self)

    @classmethod
    def read(cls, text: str) -> Count:
        """Read the last line of what ``bin/test`` printed; a failure if it is no count."""
        numbers = re.fullmatch(
            r"(\d+) passed, (\d+) failed, (\d+) skipped; (\d+) other checks",
            text[-200:].rsplit("\n")[-1],
        )
        return cls(failed=1) if numbers is None else cls(*map(int, numbers.groups()))


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def surroundings(**more: str) -> Dict[str, str]:
    # Keep compiled files, also if the environment says not to: without them every process compiles
    # what it imports and pytest rewrites every test, which is half of a quick run.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **more}


def run(
    name: str, command: Sequence[str], limit_s: Optional[float] = STEP_LIMIT_S, **variables: str
) -> int:
    """Run a command in the repository, and return its exit status; 1 if it takes longer than
    ``limit_s``.
    """
    say("-- {}: {}".format(name, " ".join(command[1:])))
    with subprocess.Popen(
        command, cwd=ROOT, env=surroundings(**variables), stdin=subprocess.DEVNULL
    ) as process:
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            say(f"{name} did not end within {limit_s} s")
            return 1
        finally:
            process.kill()


def alongside(others: Sequence[str], steps: Callable[[], Count]) -> Count:
    """Run ``others``, a ``bin/test``, while the steps run: most tests wait for half of their time.

    What it prints is shown when both have ended.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        say("-- at the same time: {}".format(" ".join(others[1:])))
        with subprocess.Popen(
            others, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT
        ) as process:
            total = steps()
            process.wait()
        said.seek(0)
        text = said.read().rstrip()
    say(text)
    counted = Count.read(text)
    has_failed = process.returncode != 0 and counted.failed == 0
    return total.plus(counted).plus(Count(failed=int(has_failed)))


def static(python: str, version: Version, step: str = "static") -> Count:
    """The checks that run nothing, two at a time. Old Pythons have pip's only.

    ``step``: all, with mypy for this system; or mypy for the other systems (``platforms``); or ``ruff``.
    """
    steps = [
        ["pip", "check"],
        ["ruff", "check", ".", *SCRIPTS],
        ["ruff", "format", "--check", ".", *SCRIPTS],
        [
            "mypy",
            "--strict",
            "--explicit-package-bases",
            "unity_bridge",
            "tests",
            os.path.join("bin", "test"),
        ],
        # Twice: code that only the tests use is dead too.
        ["vulture", *PROGRAM],
        ["vulture", *PROGRAM, "tests", os.path.join("bin", "test")],
    ]
    if step == "platforms":
        # Shows what one system lacks where the other's code would use it. Code that only it never
        # reaches is no fault.
        steps = [
            [
                "mypy",
                "--strict",
                "--platform",
                system,
                "--no-warn-unreachable",
                "--cache-dir",
                ".mypy_cache/" + system,
            ]
            + ["unity_bridge"]
            for system in sorted({"linux", "win32", "darwin"} - {sys.platform})
        ]
    only = "pip" if version < environment.WITH_SDK else "ruff" if step == "ruff" else None
    total = Count()
    with ThreadPoolExecutor(2, "static check") as pool:
        for count in pool.map(
            _checked, [[python, "-m", *words] for words in steps if only in (None, words[0])]
        ):
            total = total.plus(count)
    return total


def _checked(command: List[str]) -> Count:
    """A check whose output is shown when it has ended, because others run at the same time."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=surroundings(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=STEP_LIMIT_S,
    )
    say("-- {}\n{}".format(" ".join(command[2:]), done.stdout.rstrip()))
    return Count(checks=1) if done.returncode == 0 else Count(failed=1)


def tested(start: Callable[..., int], layer: str, arguments: Sequence[str]) -> Count:
    """Run pytest, by ``start(arguments, **variables)``, and count its tests. ``arguments`` narrow
    the layer.
    """
    names_tests = any(os.path.exists(os.path.join(ROOT, one.split("::")[0])) for one in arguments)
    chosen = [one for one in LAYERS[layer] if not (names_tests and one.startswith("tests/"))]
    with _scratch_folder() as folder:
        report = os.path.join(folder, "report.xml")
        # Files of this run's own: another one may run at the same time in the same clone.
        own = ["--junitxml", report]
        own += [] if layer.startswith("windows") else ["--basetemp", os.path.join(folder, "tests")]
        status = start(
            ["-m", "pytest", *own, *chosen, *arguments],
            COVERAGE_FILE=os.path.join(folder, "coverage"),
        )
        counted = count(report)
    if status == NO_TESTS_COLLECTED and arguments:
        return Count()
    ran_well = status == 0 and counted.passed + counted.skipped > 0
    # A run that crashed, or that collected nothing, is a failure of its own.
    return counted if ran_well == (counted.failed == 0) else counted.plus(Count(failed=1))


@contextlib.contextmanager
def _scratch_folder() -> Iterator[str]:
    """What cannot be removed stays: it must not cost the count of the tests."""
    folder = tempfile.mkdtemp()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def count(report: str) -> Count:
    """The tests in a JUnit file. None, if pytest did not live to write it."""
    try:
        suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        return Count()
    tests, failures, errors, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites)
        for name in ("tests", "failures", "errors", "skipped")
    )
    return Count(tests - failures - errors - skipped, failures + errors, skipped)


def audited(python: str, executable: str, version: Version) -> Count:
    """Ask osv.dev about every package in the environment. Skipped if it cannot be reached."""
    folder = environment_maker.make(
        "audit", environment.requirements("audit"), say, executable, version
    )
    where = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    auditor = [environment.python_of(folder), "-m", "pip_audit", "--path", where.strip()]
    asked = [
        *auditor,
        "--vulnerability-service",
        "osv",
        "--progress-spinner",
        "off",
        "--format",
        "json",
    ]
    say("-- audit: {}".format(" ".join(asked[1:])))
    done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        say(f"skipped, pip-audit could not ask: {last}")
        return Count(skipped=1)
    known = [
        "{name} {version}: {vulns}".format(**package)
        for package in packages
        if package.get("vulns")
    ]
    unknown = [
        "{name}: {skip_reason}".format(**package)
        for package in packages
        if "skip_reason" in package
    ]
    for line in known + unknown:
        say(line)
    say(f"{len(packages)} packages, {len(known)} with known vulnerabilities")
    return Count(failed=1) if known else Count(checks=1)
