"""``run_csharp``: consent, values, errors with their places."""

from __future__ import annotations

from unity_bridge.selftest.expected import AtLeast, Holds, Present, With
from unity_bridge.selftest.row import CallTool, Consent, Events, Expected, Row, done, faulty, refused

_ALLOWED = Consent(True)


def _code(text: str, expect: Expected, **arguments: Expected) -> CallTool:
    return CallTool("run_csharp", {"code": text, **arguments}, expect)


ROWS = (
    Row(
        "without consent nothing is run",
        "csharp",
        "§16.6",
        (Consent(False), _code("1 + 1", refused("not_allowed"))),
    ),
    Row("consent counts at once", "csharp", "§16.6", (_ALLOWED, _code("1 + 1", done(ok=True, value=2)))),
    Row(
        "consent that is taken back counts at once",
        "csharp",
        "§16.6",
        (_ALLOWED, _code("2", done(value=2)), Consent(False), _code("3", refused("not_allowed"))),
    ),
    Row(
        "a name that does not exist has its line and column",
        "csharp",
        "§16.6",
        (
            _ALLOWED,
            _code(
                'Debug.Log("x");\n  nowhere',
                faulty(ok=False, errors=With({"file": "snippet.cs", "line": 2, "column": 3, "code": "CS0103"})),
            ),
        ),
    ),
    Row(
        "what is logged is in the output",
        "csharp",
        "§16.6",
        (_ALLOWED, _code('Debug.Log("selftest output"); 6 * 7', done(value=42, output=Holds("selftest output")))),
    ),
    Row(
        "an exception says what and where",
        "csharp",
        "§16.6",
        (
            _ALLOWED,
            _code(
                'throw new System.Exception("by design");',
                {
                    "state": "failed",
                    "error": {"details": {"reason": "exception", "message": "by design", "stack": Present()}},
                },
            ),
        ),
    ),
    Row(
        "types of the project can be used",
        "csharp",
        "§16.6",
        (_ALLOWED, _code("Scratch.Value.Number", done(value=1))),
    ),
    Row(
        "types of Unity's editor can be used",
        "csharp",
        "§16.6",
        (_ALLOWED, _code("UnityEditor.EditorApplication.isPlaying", done(value=False))),
    ),
    Row(
        "await is followed until it finishes",
        "csharp",
        "§16.6",
        (_ALLOWED, _code("await System.Threading.Tasks.Task.Delay(200); 5", done(value=5))),
    ),
    Row(
        "a snippet loads no code of the project again",
        "csharp",
        "§16.6",
        (_ALLOWED, _code("1", done(value=1)), Events(never=("reload_begins", "compilation_started"))),
    ),
    Row(
        "statements and types of one's own",
        "csharp",
        "§16.6",
        (
            _ALLOWED,
            _code(
                "struct Pair { public int A; public int B; }\nvar pair = new Pair { A = 1, B = 2 };\npair",
                done(value={"A": 1, "B": AtLeast(2)}),
            ),
        ),
    ),
)
