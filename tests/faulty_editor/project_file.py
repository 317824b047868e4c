"""Pretend projects of the tests: from a JSON file, or generated."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from tests.faulty_editor.parameters import (
    Parameter,
    Parameters,
    checked,
    choice,
    needed,
    text,
    texts,
)
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.project import LOG_TYPES, MODES, OUTCOMES, Entry, PretendTest, Project
from unity_bridge.text import json_reader


def _seconds(default: float) -> Parameter:
    def fits(value: Any) -> bool:
        return type(value) in (int, float) and 0 <= value < 1e6

    return Parameter("a number of seconds", fits, default)


_ROWS = Parameter("a list", lambda value: isinstance(value, list), [])
_ENTRY: Parameters = {"type": choice(*LOG_TYPES), "message": needed(text()), "stack_trace": text()}
_TEST: Parameters = {
    "name": needed(text()),
    "mode": choice(*MODES),
    "categories": texts(),
    "duration_s": _seconds(0.1),
    "outcome": choice(*OUTCOMES),
    "message": text(),
    "stack_trace": text(),
    "logs": _ROWS,
    "assembly": text(),
}
_PROJECT: Parameters = {
    "name": text("Untitled"),
    "path": text("/Projects/Untitled"),
    "unity_version": text("2022.3.20f1"),
    "import_s": _seconds(0.1),
    "compile_s": _seconds(2.0),
    "compile_reload_s": _seconds(1.0),
    "play_reload_s": _seconds(0.8),
    "tests": _ROWS,
    "console": _ROWS,
}


def load_project(path: str) -> Result[Project, str]:
    """Return a project from a JSON file with the fields of ``_PROJECT``, of which only a test's
    ``name`` and an entry's ``message`` are needed; ``Err`` is one sentence that names the file and
    the field.
    """
    try:
        with open(path, encoding="utf-8-sig") as file:
            return Ok(_project(json_reader.loads(file.read())))
    except OSError as error:
        return Err(f"{path}: cannot be read: {error.strerror or error}")
    except _BadField as error:
        return Err(f"{path}: {error}")
    except ValueError as error:
        return Err(f"{path}: not JSON: {error}")


class _BadField(Exception):
    """Where the file is wrong; never leaves this module."""


def _fields(parameters: Parameters, value: object, where: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise _BadField(f"{where} must be an object")
    unknown = set(value) - set(parameters)
    if unknown:
        raise _BadField(f"{where} has an unknown field '{min(unknown)}'")
    fields = checked(parameters, value)
    if isinstance(fields, Err):
        raise _BadField(f"{where}: {fields.error.message}")
    return fields.value


def _project(value: object) -> Project:
    fields = _fields(_PROJECT, value, "the project")
    tests = tuple(_test(row, f"test {n}") for n, row in enumerate(fields["tests"], 1))
    return Project(
        **{**fields, "tests": tests, "console": _entries(fields["console"], "console entry")}
    )


def _test(row: object, where: str) -> PretendTest:
    fields = _fields(_TEST, row, where)
    logs = _entries(fields["logs"], f"{where}, log")
    return PretendTest(**{**fields, "categories": tuple(fields["categories"]), "logs": logs})


def _entries(rows: List[Any], what: str) -> Tuple[Entry, ...]:
    return tuple(Entry(**_fields(_ENTRY, row, f"{what} {n}")) for n, row in enumerate(rows, 1))


def generated_project(
    tests: int, console_entries: int = 0, duration_s: float = 0.0, failing_every: int = 0
) -> Project:
    """Return a project of any size, for measuring: edit-mode tests in fixtures of a hundred,
    numbered entries.

    Every ``failing_every``-th test fails (0: none).
    """

    def test(number: int) -> PretendTest:
        name = f"Generated.Fixture{number // 100:04d}.Test{number:06d}"
        if failing_every and number % failing_every == failing_every - 1:
            place = f"at {name} () [0x00001] in Assets/Tests/Fixture{number // 100:04d}.cs:{number % 100 + 10}\n"
            return PretendTest(
                name,
                duration_s=duration_s,
                outcome="failed",
                message=f"test {number} fails by design",
                stack_trace=place,
            )
        return PretendTest(name, duration_s=duration_s)

    def entry(number: int) -> Entry:
        kind = LOG_TYPES[number % 3]
        return Entry(
            kind,
            f"generated entry {number}",
            f"Generated:Log (int) (at Assets/Generated.cs:{number % 500 + 1})",
        )

    return Project(
        name="Generated",
        path="/Projects/Generated",
        tests=tuple(test(number) for number in range(tests)),
        console=tuple(entry(number) for number in range(console_entries)),
    )
