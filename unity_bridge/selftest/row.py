"""Rows of the self-test as data: what is done, and what must come of it (SPEC §25.2)."""

from __future__ import annotations

from enum import Enum
from typing import Any, Mapping, Optional, Tuple, Union

from unity_bridge.base.frozen import frozen, made_by

GROUPS = (
    "install",
    "state",
    "reload",
    "compile",
    "tests",
    "play",
    "console",
    "inspect",
    "commands",
    "make",
    "project",
    "csharp",
    "picture",
    "ui",
    "life",
)

# A JSON value, or an object of expected.py in the place of one.
Expected = Any


class Requirement(Enum):
    """What a row cannot do without; the value is the reason to skip it."""

    SCRATCH = "it changes files or the scene, and runs only in a project of its own"
    SCRIPTS = "this editor does not run the scripts of the scratch project"
    EVENTS = "this plugin does not record events"
    WINDOW = "needs a window"


@frozen
class CallTool:
    """Call a tool and wait for its end. ``expect`` is matched with ``{state, result?, error?}``; ``keep`` names the
    path of a value in it, which later arguments take as ``KeptValue(path)``."""

    tool: str
    arguments: Mapping[str, Expected] = made_by(dict)
    expect: Expected = made_by(dict)
    keep: str = ""
    within_s: float = 120.0


@frozen
class Begin:
    """Call a tool, and do not wait for it."""

    name: str
    tool: str
    arguments: Mapping[str, Expected] = made_by(dict)


@frozen
class Finish:
    """Wait for the end of what was begun under that name."""

    name: str
    expect: Expected
    within_s: float = 120.0


@frozen
class Until:
    """Ask for the editor's state until it is as expected."""

    expect: Expected
    within_s: float = 30.0


@frozen
class Write:
    """Write a file of the scratch project; it is put back after the row."""

    path: str
    text: str


@frozen
class Replace:
    """Change a text in a file of the scratch project; the file is put back after the row."""

    path: str
    old: str
    new: str


@frozen
class Remove:
    """Remove a file of the scratch project; it is put back after the row."""

    path: str


@frozen
class PutBack:
    """Put every changed file back now."""


@frozen
class Consent:
    """Allow C# in the scratch project, or take it back; in the state folder of the self-test alone."""

    is_given: bool


@frozen
class Events:
    """These kinds of events came since the row began, in this order; others may lie between them. ``never``: kinds that
    did not come."""

    order: Tuple[str, ...] = ()
    never: Tuple[str, ...] = ()
    within_s: float = 10.0


@frozen
class Open:
    """Open the editor; if it is open, that is the answer."""

    expect: Expected


@frozen
class Close:
    """Close the editor, without saving."""

    expect: Expected


Step = Union[
    CallTool, Begin, Finish, Until, Write, Replace, Remove, PutBack, Consent, Events, Open, Close
]


@frozen
class Row:
    """``proves``: the paragraphs of the contract. ``seen_in``: the newest version of a real Unity that it has passed
    in, by a report that was sent."""

    name: str
    group: str
    proves: str
    steps: Tuple[Step, ...]
    needs: Tuple[Requirement, ...] = (Requirement.SCRATCH, Requirement.SCRIPTS)
    seen_in: str = ""

    @property
    def seen(self) -> str:
        """Whether a real Unity has carried it out, in words."""
        if self.seen_in:
            return f"passed in Unity {self.seen_in}"
        return "not yet run in Unity"


# What a row can need.
ANYWHERE: Tuple[Requirement, ...] = ()
SCRATCH = (Requirement.SCRATCH,)
SCRIPTS = (*SCRATCH, Requirement.SCRIPTS)
EVENTS = (*SCRIPTS, Requirement.EVENTS)


@frozen
class Group:
    """Makes the rows of one group. ``proves`` and ``needs`` hold for each row that has none of its
    own.
    """

    name: str
    proves: str
    needs: Tuple[Requirement, ...] = SCRIPTS

    def row(
        self,
        name: str,
        *steps: Step,
        proves: str = "",
        needs: Optional[Tuple[Requirement, ...]] = None,
        seen_in: str = "",
    ) -> Row:
        """Return a row of this group."""
        needs = self.needs if needs is None else needs
        return Row(name, self.name, proves or self.proves, steps, needs, seen_in)


@frozen
class KeptValue:
    """A value that an earlier step of the row has kept."""

    path: str


# Common expectations of steps.


def done(**result: Expected) -> Mapping[str, Expected]:
    """Expect success, with these members of the result."""
    if result:
        return {"state": "succeeded", "result": result}
    return {"state": "succeeded"}


def faulty(**result: Expected) -> Mapping[str, Expected]:
    """Expect that the call was carried out and found faults."""
    return {"state": "failed", "result": result}


def refused(reason: str, **details: Expected) -> Mapping[str, Expected]:
    """Expect a refusal or a failure with this ``details.reason``."""
    return {"state": "failed", "error": {"details": {"reason": reason, **details}}}


def wrong(code: str, **error: Expected) -> Mapping[str, Expected]:
    """Expect a failure with this code."""
    return {"state": "failed", "error": {"code": code, **error}}


def run(name: str, expect: Expected, /, **arguments: Expected) -> CallTool:
    """``run_command`` of a command by its name."""
    return CallTool("run_command", {"name": name, "arguments": arguments}, expect)
