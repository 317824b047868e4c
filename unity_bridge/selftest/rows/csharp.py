"""``run_csharp``: consent, values, errors with their places."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, Holds, Present, With
from unity_bridge.selftest.row import (
    CallTool,
    Consent,
    Events,
    Expected,
    Group,
    Row,
    Step,
    done,
    faulty,
    refused,
)
from unity_bridge.selftest.rows.short_forms import calls

_NOT_ALLOWED = refused("not_allowed")
_NOWHERE = {"file": "snippet.cs", "line": 2, "column": 3, "code": "CS0103"}
_PAIR = "struct Pair { public int A; public int B; }\nvar pair = new Pair { A = 1, B = 2 };\npair"


_group = Group("csharp", "§16.6")


def _row(name: str, *steps: Step) -> Row:
    return _group.row(name, Consent(True), *steps)


def _code(text: str, expect: Expected) -> CallTool:
    return calls("run_csharp", expect, code=text)


def _is(text: str, value: Expected) -> CallTool:
    return _code(text, done(value=value))


ROWS = (
    _group.row("without consent nothing is run", Consent(False), _code("1 + 1", _NOT_ALLOWED)),
    _row("consent counts at once", _code("1 + 1", done(ok=True, value=2))),
    _row(
        "consent that is taken back counts at once",
        _is("2", 2),
        Consent(False),
        _code("3", _NOT_ALLOWED),
    ),
    _row(
        "a name that does not exist has its line and column",
        _code('Debug.Log("x");\n  nowhere', faulty(ok=False, errors=With(_NOWHERE))),
    ),
    _row(
        "what is logged is in the output",
        _code(
            'Debug.Log("selftest output"); 6 * 7', done(value=42, output=Holds("selftest output"))
        ),
    ),
    _row(
        "an exception says what and where",
        _code(
            'throw new System.Exception("by design");',
            refused("exception", message="by design", stack=Present()),
        ),
    ),
    _row("types of the project can be used", _is("Scratch.Value.Number", 1)),
    _row(
        "types of Unity's editor can be used", _is("UnityEditor.EditorApplication.isPlaying", False)
    ),
    _row(
        "await is followed until it finishes",
        _is("await System.Threading.Tasks.Task.Delay(200); 5", 5),
    ),
    _row(
        "a snippet loads no code of the project again",
        _is("1", 1),
        Events(never=("reload_begins", "compilation_started")),
    ),
    _row("statements and types of one's own", _is(_PAIR, {"A": 1, "B": AtLeast(2)})),
)
