"""``run_csharp``: C# in the simulated editor, which knows a few statements (SPEC §16.6).

Arithmetic, ``Debug.Log("text");``, ``await Task.Delay(milliseconds);`` and ``throw new Exception("text");``. Anything
else is a compile error where it stands.
"""

from __future__ import annotations

import ast
import operator
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Type

from unity_bridge.base.errors import ErrorCode, Guarantee
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.simulator.job import Advance, End, Job, JobState, Refusal, Step, Wait, refused
from unity_bridge.simulator.project import Entry
from unity_bridge.simulator.unity_api import UnityApi

# In the session state: the switch in the project's settings.
CSHARP_IS_ALLOWED = "allow_csharp"
_COMPILER_S = 0.5
_STATEMENT = re.compile(
    r'Debug\.Log(?P<level>Warning|Error)?\("(?P<text>[^"\n]*)"\);?'
    r"|await Task\.Delay\((?P<delay>\d{1,9})\);"
    r'|throw new (?P<exception>\w+)\("(?P<message>[^"\n]*)"\);'
    r"|(?P<sum>\(*\d[\d\s.()+*/-]*);?"
)
_LEVELS: Mapping[Optional[str], str] = {None: "log", "Warning": "warning", "Error": "error"}
_OPERATORS: Mapping[Type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) else a / b,
}


class RunCSharp:
    """The tool. It writes down ``began``, then ``ran`` with the place of the statement that comes next."""

    name = "run_csharp"
    is_cancellable = False

    def __init__(self, editor: UnityApi) -> None:
        self._editor = editor

    def refusal(self, params: Mapping[str, Any]) -> Optional[Refusal]:
        code, usings = params.get("code"), params.get("usings", [])
        if not isinstance(code, str) or not code.strip():
            return Refusal(ErrorCode.INVALID_PARAMS, "code must be text")
        if not isinstance(usings, list) or any(not isinstance(name, str) for name in usings):
            return Refusal(ErrorCode.INVALID_PARAMS, "usings must be a list of namespaces")
        return None

    def advance(self, job: Job) -> Advance:
        if job.is_out_of_time:
            return End(JobState.TIMEOUT)
        if not job.notes:
            return self._compile(job)
        if "ran" not in job.notes:
            return self._start(job)
        if job.reloads > job.notes["reloads"]:
            lost = {"reason": "reloaded_while_running", "execution_guarantee": Guarantee.UNKNOWN.value}
            told = "Unity reloaded its scripts while run_csharp ran. Look at what it changed before you run it again."
            return End(JobState.FAILED, error=Refusal(ErrorCode.UNITY_EXECUTION, told, lost))
        left: float = job.notes["until"] - self._editor.now()
        return Wait(left) if left > 0 else self._run(job)

    def _compile(self, job: Job) -> Advance:
        if self._editor.session_state.get(CSHARP_IS_ALLOWED) != "true":
            told = "run_csharp is switched off. Its user switches it on in Project Settings > Unity Bridge."
            return End(JobState.FAILED, error=refused("not_allowed", told))
        job.notes["until"] = self._editor.now() + self._editor.paced(_COMPILER_S)
        job.enter(Step.COMPILING, self._editor.now())
        return Wait(self._editor.paced(_COMPILER_S))

    def _start(self, job: Job) -> Advance:
        left: float = job.notes["until"] - self._editor.now()
        if left > 0:
            return Wait(left)
        compiled = _statements(job.params["code"])
        if isinstance(compiled, Err):
            errors = [compiled.error]
            told = {"ok": False, "error_count": 1, "errors": errors, "truncated": False, "log_file": _log_file(job)}
            return End(JobState.FAILED, told)
        job.notes.update(ran=0, reloads=job.reloads, output="")
        job.enter(Step.RUNNING, self._editor.now())
        self._editor.emit("code_run", job_id=job.job_id)
        return self._run(job)

    def _run(self, job: Job) -> Advance:
        statements = _statements(job.params["code"])
        assert isinstance(statements, Ok)  # it has compiled
        value: Any = None
        for statement in statements.value[job.notes["ran"] :]:
            job.notes["ran"] += 1
            if statement.delay_ms:
                seconds = self._editor.paced(statement.delay_ms / 1000)
                job.notes["until"] = self._editor.now() + seconds
                return Wait(seconds)
            if statement.log is not None:
                self._editor.log(statement.log)
                prefix = "" if statement.log.type == "log" else f"{statement.log.type}: "
                job.notes["output"] += f"{prefix}{statement.log.message}\n"
            if statement.thrown is not None:
                return End(JobState.FAILED, _result(job, None, ok=False), _threw(*statement.thrown))
            value = statement.value
        return End(JobState.SUCCEEDED, _result(job, value))


class _Statement(NamedTuple):
    log: Optional[Entry] = None
    delay_ms: int = 0
    thrown: Optional[Tuple[str, str]] = None
    value: Any = None


def _statements(code: str) -> Result[List[_Statement], Dict[str, Any]]:
    """What the code does, in order; ``Err`` is a compile error, as ``compile`` tells them."""
    found: List[_Statement] = []
    place = len(code) - len(code.lstrip())
    while place < len(code):
        match = _STATEMENT.match(code, place)
        value = _value(match["sum"]) if match and match["sum"] else None
        if match is None or (match["sum"] and value is None):
            return Err(_unknown_name(code, place))
        if match["text"] is not None:
            found.append(_Statement(log=Entry(_LEVELS[match["level"]], match["text"], "Snippet:Run ()")))
        elif match["delay"] is not None:
            found.append(_Statement(delay_ms=int(match["delay"])))
        elif match["exception"] is not None:
            found.append(_Statement(thrown=(match["exception"], match["message"])))
        else:
            found.append(_Statement(value=value))
        rest = code[match.end() :]
        place = len(code) - len(rest.lstrip())
    return Ok(found)


def _unknown_name(code: str, place: int) -> Dict[str, Any]:
    before = code[:place]
    word = re.match(r"\w*", code[place:])
    assert word is not None  # it matches nothing, too
    return {
        "file": "snippet.cs",
        "line": before.count("\n") + 1,
        "column": place - (before.rfind("\n") + 1) + 1,
        "code": "CS0103",
        "message": f"The name '{word.group() or code[place]}' does not exist in the current context",
    }


def _value(text: str) -> Any:
    """The value of a sum, as C# has it; None for anything else."""
    try:
        return _evaluated(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _evaluated(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluated(node.left), _evaluated(node.right))
    raise ValueError


def _result(job: Job, value: Any, ok: bool = True) -> Dict[str, Any]:
    output = job.notes["output"]
    return {"ok": ok, "value": value, "output": output, "scenes_dirtied": [], "log_file": _log_file(job)}


def _threw(exception: str, message: str) -> Refusal:
    details = {
        "reason": "exception",
        "execution_guarantee": Guarantee.COMPLETED_ERROR.value,
        "exception": f"System.{exception}",
        "message": message,
        "stack": ["UnityBridgeSnippet.__Snippet.__Run"],
    }
    return Refusal(ErrorCode.UNITY_EXECUTION, f"run_csharp threw {exception}: {message}", details)


def _log_file(job: Job) -> str:
    return f"Library/UnityBridge/csharp/{job.job_id}.cs"
