"""Words that a shell's user guesses do what they mean (SPEC §13)."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

import pytest

from tests.commands.runner import runner
from unity_bridge.cli import cli
from unity_bridge.commands.run import run_arguments
from unity_bridge.commands.shared.job_end import Followed, JobEnd
from unity_bridge.projects.project_commands import KnownCommand


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> List[Any]:
    """What Unity would have been asked; each job ends with the result that a test puts first into
    the list.
    """
    monkeypatch.chdir(tmp_path)
    calls: List[Any] = []

    def run_job(settings: Any, tool: str, params: Any, *_: Any) -> Followed:
        result = calls.pop() if calls and isinstance(calls[-1], dict) else {"value": None}
        calls.append((tool, params))
        return Followed(JobEnd("succeeded", result), {}, has_editor=True)

    monkeypatch.setattr("unity_bridge.commands.shared.job_follower.run_job", run_job)
    return calls


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setattr("unity_bridge.commands.run.is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "80")


def run(*words: str) -> Any:
    return runner().invoke(cli, list(words))


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("--kind cube --name Box", {"kind": "cube", "name": "Box"}),
        ("--kind=cube name=Box", {"kind": "cube", "name": "Box"}),
        ("--copy-of Main/A", {"copy_of": "Main/A"}),
        ("position=0,1,0 --scale 2,2,2", {"position": [0, 1, 0], "scale": [2, 2, 2]}),
        ("--position=-1.5,0,0", {"position": [-1.5, 0, 0]}),
        ("--position -1.5,0,0", {"position": [-1.5, 0, 0]}),
        ("position=[0,1,0]", {"position": [0, 1, 0]}),
        ('position={"y":1}', {"position": {"y": 1}}),
        ("components=Rigidbody,AudioSource", {"components": ["Rigidbody", "AudioSource"]}),
        ("values.Rigidbody.mass=3", {"values": {"Rigidbody.mass": 3}}),
        ("--values.Rigidbody.mass 3 values.tag=A", {"values": {"Rigidbody.mass": 3, "tag": "A"}}),
        ('values={"a":1} values.b=2', {"values": {"a": 1, "b": 2}}),
    ],
)
def test_arguments_of_a_command_may_be_options_vectors_and_members(
    asked: List[Any], words: str, arguments: Dict[str, Any]
) -> None:
    done = run("run", "create_object", *words.split())
    assert done.exit_code == 0, done.output
    assert asked == [("run_command", {"name": "create_object", "arguments": arguments})]


def test_the_programs_own_options_win(asked: List[Any]) -> None:
    assert run("run", "mine", "--timeout", "5", "timeout=6", "--wait", "1").exit_code == 0
    assert asked == [("run_command", {"name": "mine", "arguments": {"timeout": 6}})]


COMMAND = KnownCommand(
    "mine",
    "",
    "mine(...)",
    "",
    {"text": "string", "fast": "bool", "at": "vector?", "values": "object"},
    None,
)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["text=Hello, world"], {"text": "Hello, world"}),
        (["--text", "1,2,3"], {"text": "1,2,3"}),
        (["--fast"], {"fast": True}),
        (["--fast", "text=a"], {"fast": True, "text": "a"}),
        (["--fast", "false"], {"fast": False}),
        (["--fast", "--text", "a"], {"fast": True, "text": "a"}),
        (["at=0, 1"], {"at": [0, 1]}),
        (["values.Text.text=Hello, world"], {"values": {"Text.text": "Hello, world"}}),
        (
            ["values.Transform.localPosition=0,1,0"],
            {"values": {"Transform.localPosition": "0,1,0"}},
        ),
        (["--un-known", "3"], {"un_known": 3}),
    ],
)
def test_a_word_means_what_the_signature_says(words: List[str], arguments: Dict[str, Any]) -> None:
    assert run_arguments(words, COMMAND) == arguments


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("text=a", "--text", "b"), "text is given twice"),
        (('values={"a":1}', "values.a=2"), "values.a is given twice"),
        (("-t", "a"), "'-t' is not KEY=VALUE"),
        (("values=3",), "values takes a JSON object, as in"),
    ],
)
def test_a_word_that_cannot_be_meant_is_wrong_usage(
    asked: List[Any], words: List[str], fault: str
) -> None:
    done = run("run", "set_fields", *words)
    assert (done.exit_code, asked) == (2, []) and fault in done.stderr


def test_options_before_the_name_are_wrong_usage(asked: List[Any]) -> None:
    done = run("run", "--kind", "cube", "create_object")
    assert (done.exit_code, asked) == (
        2,
        [],
    ) and "NAME of a command comes before --kind" in done.stderr


@pytest.mark.parametrize(
    "words", [("run", "create_object", "--help"), ("help", "run", "create_object")]
)
def test_the_help_of_a_command_has_its_arguments(asked: List[Any], words: List[str]) -> None:
    done = run(*words)
    assert done.exit_code == 0 and asked == []
    assert "run create_object [KEY=VALUE]..." in done.stdout
    assert any(line.split() == ["position", "vector"] for line in done.stdout.splitlines())
    set_fields = run("run", "-h", "set_fields").stdout
    assert any(line.split() == ["path", "string;", "required"] for line in set_fields.splitlines())


def test_the_help_of_a_command_that_is_in_no_list_is_asked_for(asked: List[Any]) -> None:
    row = {
        "name": "mine",
        "signature": 'mine(count: int, text: string = "a, b: c")',
        "description": "Does it.",
    }
    asked.append({"commands": [{**row, "name": "mine_too"}, row]})
    done = run("run", "mine", "--help")
    assert asked == [("run_command", {"query": "mine"})]
    assert (
        "run mine [KEY=VALUE]..." in done.stdout
        and "Does it." in done.stdout
        and "mine_too" not in done.stdout
    )
    asked[:] = [{"commands": []}]
    assert "There is no command mine" in run("run", "mine", "--help").stderr


def test_the_help_of_a_command_in_json(asked: List[Any]) -> None:
    result = json.loads(run("run", "press", "--help", "--json").stdout)["result"]
    assert result["signature"].startswith("press(keys: string[]")


@pytest.mark.parametrize("words", [("run", "--help"), ("help", "run"), ("run", "-h")])
def test_the_help_of_run_is_as_of_any_command(words: List[str]) -> None:
    done = run(*words)
    assert done.exit_code == 0 and "Options:" in done.stdout and "--json-args" in done.stdout


def test_help_is_a_word_too() -> None:
    assert run("help").stdout == run("--help").stdout
    assert run("help", "console").stdout == run("console", "--help").stdout
    assert run("help", "plugin", "install").stdout == run("plugin", "install", "--help").stdout


def test_list_shows_commands_and_runs_none(asked: List[Any]) -> None:
    asked.append({"commands": [{"name": "mine", "signature": "mine()"}]})
    assert run("list").stdout == "mine()\n"
    assert asked == [("run_command", {})]
    assert run("list", "lights").exit_code == 2  # as `run --list lights` outside of a project
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("words", "params"),
    [
        (["PlayerTests"], {"filter": "PlayerTests", "mode": "all"}),
        (["PlayerTests", "Enemies.Tests"], {"filter": "PlayerTests;Enemies.Tests"}),
        (["PlayMode"], {"mode": "play"}),
        (["edit"], {"mode": "edit"}),
        (["PlayerTests", "--mode", "edit"], {"filter": "PlayerTests", "mode": "edit"}),
    ],
)
def test_words_behind_test_name_tests(
    asked: List[Any], words: List[str], params: Dict[str, Any]
) -> None:
    summary = {"total": 1, "passed": 1, "failed": 0, "skipped": 0}
    asked.append({"summary": summary, "failed_tests": [], "code_fresh": True})
    assert run("test", *words).exit_code == 0
    assert params.items() <= asked[0][1].items()
    assert ("filter" in asked[0][1]) == ("filter" in params)


def test_tests_are_not_named_twice(asked: List[Any]) -> None:
    assert (
        run("test", "A", "--filter", "B").exit_code == run("test", "A", "--failed").exit_code == 2
    )


def test_console_clear_clears_it(asked: List[Any]) -> None:
    assert run("console", "--clear").exit_code == run("logs", "--clear", "--json").exit_code == 0
    assert asked == [("run_command", {"name": "clear_console", "arguments": {}})] * 2


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (["hierarchy", "t:Light"], {"what": "hierarchy", "query": "t:Light"}),
        (
            ["hierarchy", "Main/Player", "t:Light"],
            {"what": "hierarchy", "path": "Main/Player", "query": "t:Light"},
        ),
        (["assets", "t:Material", "wood"], {"what": "assets", "query": "t:Material wood"}),
        (
            ["assets", "Assets/Art", "t:Material"],
            {"what": "assets", "path": "Assets/Art", "query": "t:Material"},
        ),
        (["ui", "t=Button"], {"what": "ui", "query": "t=Button"}),
        (["assets", "C:/Game/Assets"], {"what": "assets", "path": "C:/Game/Assets"}),
    ],
)
def test_a_condition_behind_inspect_is_its_query(
    monkeypatch: pytest.MonkeyPatch, words: List[str], question: Dict[str, Any]
) -> None:
    questions: List[Any] = []

    def ask(question: Any) -> Any:
        questions.append(question)
        return {"items": [], "total": 0}

    def read(settings: Any, tool: str, reading: Any, *_: Any) -> int:
        reading(ask, None, {})
        return 0

    monkeypatch.setattr("unity_bridge.commands.shared.editor_probe.read", read)
    assert run("inspect", *words).exit_code == 0
    assert question.items() <= questions[0].items() and ("path" in questions[0]) == (
        "path" in question
    )


@pytest.mark.parametrize(
    "words", [["hierarchy", "Main", "Player"], ["assets", "t:Material", "--query", "wood"]]
)
def test_other_words_behind_inspect_are_wrong_usage(words: List[str]) -> None:
    assert run("inspect", *words).exit_code == 2


MADE = {"path": "Main/Box", "field": "path", "before": None, "after": "Main/Box"}
PARTS = {
    "path": "Main/Box",
    "field": "components",
    "before": None,
    "after": ["Transform", "BoxCollider"],
}
MOVED = {
    "path": "Main/Box",
    "field": "Transform.localPosition",
    "before": {"x": 0, "y": 0, "z": 0},
    "after": {"x": 0, "y": 1.5, "z": 0},
}
SCENES = [
    {"name": "Main", "file": "Assets/Main.unity", "loaded": True},
    {"name": "Cellar", "loaded": False},
]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (
            {"changed": [MADE, PARTS, MOVED], "undo": True},
            [
                "made Main/Box",
                "Main/Box  components: Transform, BoxCollider",
                "Main/Box  Transform.localPosition: (0, 0, 0) -> (0, 1.5, 0)",
                "undo: true",
            ],
        ),
        ({"changed": [{**MADE, "before": "Main/Box", "after": None}]}, ["deleted Main/Box"]),
        (
            {"open": SCENES, "windows": []},
            [
                "open:",
                "  name    file               loaded",
                "  Main    Assets/Main.unity  true",
                "  Cellar                     false",
                "windows: none",
            ],
        ),
        ([{"name": "A" * 60, "text": "b" * 30, "more": ""}], ["A" * 60, f"  text: {'b' * 30}"]),
        (["a", {"x": 1, "y": 2}, 3], ["a", "(1, 2)", "3"]),
        (
            {"met": True, "at": {"x": 1, "y": 2}, "in": {"a": [1, [2]]}},
            ["met: true", "at: (1, 2)", "in:", "  a:", "    1", "    [2]"],
        ),
        (7, ["7"]),
    ],
)
def test_a_value_on_a_terminal(
    asked: List[Any], terminal: None, value: Any, lines: List[str]
) -> None:
    asked.append({"value": value})
    assert run("run", "mine").stdout.splitlines() == lines


def test_a_value_in_a_pipe_is_json(asked: List[Any]) -> None:
    asked.append({"value": {"changed": [MADE], "undo": True}})
    assert json.loads(run("run", "mine").stdout) == {"changed": [MADE], "undo": True}


def test_a_value_cannot_command_a_terminal(asked: List[Any], terminal: None) -> None:
    asked.append({"value": {"\x1b[2J": [{"\x1b[2J": "\x1b[2J", "b": "x\ny"}]}})
    assert "\x1b" not in run("run", "mine").stdout


def test_the_list_on_a_terminal_has_a_sentence_for_each(asked: List[Any], terminal: None) -> None:
    rows = [
        {"name": "mine", "signature": "mine(a: int)", "description": "Does it. And more."},
        {
            "name": "broken",
            "signature": "broken()",
            "description": "x",
            "fault": "It has two overloads.",
        },
    ]
    asked.append({"commands": rows})
    done = run("run")
    assert [line.split(None, 1) for line in done.stdout.splitlines()] == [
        ["mine", "Does it"],
        ["broken", "It has two overloads"],
    ]
    assert "run NAME --help" in done.stderr


@pytest.mark.parametrize(
    "words, expected",
    [
        (["job-1"], ("job-1", 300)),
        (["job-1", "5"], ("job-1", 5.0)),
        (["5", "job-1"], ("job-1", 5.0)),
        (["job-1", "--timeout", "7"], ("job-1", 7.0)),
    ],
)
def test_jobs_wait_takes_seconds(
    words: List[str], expected: Tuple[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: List[Tuple[str, float]] = []

    def follow(settings: object, job_id: str, seconds: float) -> int:
        followed.append((job_id, seconds))
        return 0

    monkeypatch.setattr("unity_bridge.commands.jobs._follow", follow)
    done = runner().invoke(cli, ["jobs", "--wait", *words])
    assert (done.exit_code, followed) == (0, [expected]), done.output


@pytest.mark.parametrize("words", [["job-1", "job-2"], ["job-1", "5", "6"], ["5"], ["x", "0"]])
def test_jobs_wait_refuses_what_it_cannot_mean(words: List[str]) -> None:
    assert runner().invoke(cli, ["jobs", "--wait", *words]).exit_code == 2
