"""A pretend project from a JSON file, or in the place of a Unity project's folder."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Dict, List, Sequence, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.project import LOG_TYPES, MODES, OUTCOMES, Entry, PretendTest, Project
from unity_bridge.text import json_reader


def load_project(path: str) -> Result[Project, str]:
    """A project from a JSON file; ``Err`` is one sentence that names the file and the field.

    ``{"name", "path", "unity_version", "import_s", "compile_s", "compile_reload_s", "play_reload_s", "tests": [{"name",
    "mode", "categories", "duration_s", "outcome", "message", "stack_trace", "logs"}], "console": [{"type", "message",
    "stack_trace"}]}``; everything but a test's ``name`` and an entry's ``message`` may be left out.
    """
    try:
        with open(path, encoding="utf-8-sig") as file:
            return Ok(_project(_Fields(json_reader.loads(file.read()), "the project")))
    except OSError as error:
        return Err(f"{path}: cannot be read: {error.strerror or error}")
    except _BadField as error:
        return Err(f"{path}: {error}")
    except ValueError as error:
        return Err(f"{path}: not JSON: {error}")


def opened(project: Project, folder: str) -> Project:
    """``project`` with the name and path of the Unity project in ``folder``, as the plugin reports them."""
    path = os.path.realpath(folder).replace(os.sep, "/")
    return replace(project, name=os.path.basename(path), path=path)


class _BadField(Exception):
    """Where the file is wrong; never leaves this module."""


class _Fields:
    """One JSON object, taken apart field by field; what is left over at the end is an error."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise _BadField(f"{where} must be an object")
        self._fields: Dict[str, Any] = dict(value)
        self._where = where

    def text(self, name: str, default: str = "", among: Sequence[str] = ()) -> str:
        value = self._fields.pop(name, default)
        if not isinstance(value, str):
            raise _BadField(f"{name} of {self._where} must be text")
        if among and value not in among:
            raise _BadField(f"{name} of {self._where} must be one of {', '.join(among)}")
        return value

    def required(self, name: str) -> str:
        if name not in self._fields:
            raise _BadField(f"{self._where} has no {name}")
        return self.text(name)

    def seconds(self, name: str, default: float) -> float:
        value = self._fields.pop(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e6:
            raise _BadField(f"{name} of {self._where} must be a number of seconds")
        return float(value)

    def items(self, name: str) -> List[Any]:
        value = self._fields.pop(name, [])
        if not isinstance(value, list):
            raise _BadField(f"{name} of {self._where} must be a list")
        return value

    def end(self) -> None:
        if self._fields:
            raise _BadField(f"{self._where} has an unknown field '{min(self._fields)}'")


def _project(fields: _Fields) -> Project:
    project = Project(
        name=fields.text("name", "Untitled"),
        path=fields.text("path", "/Projects/Untitled"),
        unity_version=fields.text("unity_version", "2022.3.20f1"),
        import_s=fields.seconds("import_s", 0.1),
        compile_s=fields.seconds("compile_s", 2.0),
        compile_reload_s=fields.seconds("compile_reload_s", 1.0),
        play_reload_s=fields.seconds("play_reload_s", 0.8),
        tests=tuple(_test(_Fields(item, f"test {n}")) for n, item in enumerate(fields.items("tests"), 1)),
        console=_entries(fields.items("console"), "console entry"),
    )
    fields.end()
    return project


def _test(fields: _Fields) -> PretendTest:
    test = PretendTest(
        name=fields.required("name"),
        mode=fields.text("mode", "edit", MODES),
        categories=tuple(str(category) for category in fields.items("categories")),
        duration_s=fields.seconds("duration_s", 0.1),
        outcome=fields.text("outcome", "passed", OUTCOMES),
        message=fields.text("message"),
        stack_trace=fields.text("stack_trace"),
        logs=_entries(fields.items("logs"), "log"),
    )
    fields.end()
    return test


def _entries(items: Sequence[Any], what: str) -> Tuple[Entry, ...]:
    return tuple(_entry(_Fields(item, f"{what} {n}")) for n, item in enumerate(items, 1))


def _entry(fields: _Fields) -> Entry:
    entry = Entry(fields.text("type", "log", LOG_TYPES), fields.required("message"), fields.text("stack_trace"))
    fields.end()
    return entry
