"""``unity-bridge run``: what the shell's words mean, and what is printed of what comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

import pytest
from click.shell_completion import ShellComplete

from tests.commands.runner import runner
from unity_bridge.catalogue.plugin_commands import COMMANDS_OF_THE_PLUGIN
from unity_bridge.cli import cli
from unity_bridge.commands.run import _named
from unity_bridge.commands.shared.job_end import Followed, JobEnd

COMMANDS: List[Dict[str, Any]] = [
    {
        "name": "build",
        "description": "Builds the \x1b[31mplayer.",
        "signature": "build(target: Android|iOS, count: int = 1, label: string = null, flags: (A|B)[] = null)",
        "source": "Game.Commands.Build (Game)",
        "parameters": {
            "target": "Android|iOS",
            "count": "int",
            "label": "string",
            "flags": "(A|B)[]",
            "fast": "bool",
            "values": "object",
        },
    },
    {
        "name": "ping",
        "description": "",
        "signature": "ping()",
        "source": "UnityBridge.Commands.Ping.Run (U)",
    },
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ProjectSettings").mkdir()
    (tmp_path / "ProjectSettings" / "ProjectVersion.txt").write_text(
        "m_EditorVersion: 2022.3.1f1\n"
    )
    file = tmp_path / "Library" / "UnityBridge" / "commands.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"schema_version": 1, "commands": COMMANDS}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> List[Any]:
    """What Unity would have been asked; each job ends with what a test puts first into the list."""
    calls: List[Any] = []

    def run_job(settings: Any, tool: str, params: Any, *_: Any) -> Followed:
        end = (
            calls.pop()
            if calls and isinstance(calls[-1], JobEnd)
            else JobEnd("succeeded", {"value": None})
        )
        calls.append((tool, params))
        return Followed(end, {}, has_editor=True)

    monkeypatch.setattr("unity_bridge.commands.shared.job_follower.run_job", run_job)
    return calls


def run(*arguments: str) -> Any:
    # Before click 8.2, which needs Python 3.10, the two streams are one unless a test asks for two.
    return runner().invoke(cli, ["run", *arguments])


def test_words_mean_what_the_signature_says(project: Path, asked: List[Any]) -> None:
    values = 'values={"Light.intensity": 2}'
    ran = run("build", "target=iOS", "count=3", "label=007", 'flags=["A"]', "fast=true", values)
    assert ran.exit_code == 0, ran.output
    arguments = {"target": "iOS", "count": 3, "label": "007", "flags": ["A"], "fast": True}
    arguments["values"] = {"Light.intensity": 2}
    assert asked == [("run_command", {"name": "build", "arguments": arguments})]


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("keys=w", ["w"]),
        ("keys=w, leftShift", ["w", "leftShift"]),
        ("keys=1", ["1"]),
        ('keys=["a,b"]', ["a,b"]),
        ("keys=", []),
        ("keys=null", None),
        ("flags=A,B", ["A", "B"]),
        ("numbers=1,2", [1, 2]),
        ("rows={}", {}),
    ],
)
def test_a_list_may_be_written_with_commas(
    project: Path, asked: List[Any], pair: str, value: Any
) -> None:
    types = {"keys": "string[]", "flags": "(A|B)[]", "numbers": "int[]", "rows": "object[]"}
    command = {
        "name": "press",
        "description": "",
        "signature": "x",
        "source": "X",
        "parameters": types,
    }
    file = project / "Library" / "UnityBridge" / "commands.json"
    file.write_text(json.dumps({"schema_version": 1, "commands": [command]}))
    assert run("press", pair).exit_code == 0
    key, _, _ = pair.partition("=")
    assert asked == [("run_command", {"name": "press", "arguments": {key: value}})]


def test_a_value_without_a_known_type_is_read_as_json(tmp_path: Path, asked: List[Any]) -> None:
    run(
        "other",
        "a=3",
        "b=true",
        "c=text",
        'd={"e": 1}',
        "f=NaN",
        "g=",
        "--json-args",
        '{"a": 4, "h": "5"}',
    )
    arguments = {"a": 3, "b": True, "c": "text", "d": {"e": 1}, "f": "NaN", "g": "", "h": "5"}
    assert asked == [("run_command", {"name": "other", "arguments": arguments})]


@pytest.mark.parametrize(
    "words, arguments",
    [
        ("press keys=w", {"keys": ["w"]}),
        ("press keys=1,leftShift for_ms=500", {"keys": ["1", "leftShift"], "for_ms": 500}),
        ("ui_text path=Menu/Name text=42", {"path": "Menu/Name", "text": "42"}),
        ("build_player path=B options=Development", {"path": "B", "options": ["Development"]}),
    ],
)
def test_the_plugins_own_commands_have_their_types_without_the_projects_list(
    tmp_path: Path,
    asked: List[Any],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    arguments: Dict[str, Any],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*words.split()).exit_code == 0
    assert asked[0][1]["arguments"] == arguments


@pytest.mark.slow
def test_every_command_of_the_plugin_has_its_types() -> None:
    def types(name: str) -> Dict[str, str]:
        found = _named((), name)
        return {} if found is None else dict(found.parameters)

    lists = {
        name: [key for key, kind in types(name).items() if "[]" in kind]
        for name in COMMANDS_OF_THE_PLUGIN
    }
    assert (
        lists["press"] == ["keys"]
        and lists["select"] == ["paths"]
        and lists["import_assets_bulk"] == ["paths"]
    )
    assert _named((), "a_command_of_the_project") is None


def test_a_word_without_a_key_is_answered_with_the_signature(
    project: Path, asked: List[Any]
) -> None:
    ran = run("create_object", "/Cube")
    assert (ran.exit_code, asked) == (
        2,
        [],
    ) and "'/Cube' is not KEY=VALUE. The command is create_object(" in ran.stderr


@pytest.mark.parametrize(
    "words, meant",
    [
        (["press", "space"], "run press keys=space"),
        (["press", "space", "--port", "18191"], "run press keys=space --port 18191"),
        (["ui-text", "Menu/Name", "text=4", "--json"], "run ui_text path=Menu/Name text=4"),
        (["save_all"], "run save_all"),
    ],
)
def test_a_command_of_the_plugin_is_answered_with_its_run(words: List[str], meant: str) -> None:
    done = runner().invoke(cli, words)
    assert done.exit_code == 2 and f"`unity-bridge {meant}`" in done.stderr


def test_without_a_name_the_list_is_asked_for(project: Path, asked: List[Any]) -> None:
    asked.append(JobEnd("succeeded", {"commands": COMMANDS}))
    ran = run()
    assert asked == [("run_command", {})]
    assert ran.stdout == f'{COMMANDS[0]["signature"]}\n    "Builds the \\x1b[31mplayer."\nping()\n'


def test_the_list_of_the_last_load_needs_no_editor(project: Path, asked: List[Any]) -> None:
    assert run("--list").stdout.startswith("build(target: Android|iOS")
    assert '\n    "Builds the \\x1b[31mplayer."\n' in run("--list").stdout
    listed = json.loads(run("--list", "--json").stdout)
    assert [row["name"] for row in listed["result"]["commands"]] == ["build", "ping"]
    assert asked == []
    (project / "Library" / "UnityBridge" / "commands.json").unlink()
    gone = run("--list")
    assert (
        gone.exit_code == 1 and "not there yet" in gone.stderr and "Nothing was run" in gone.stderr
    )


def test_the_list_of_no_project_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    none = run("--list")
    assert none.exit_code == 2 and "name one with --project PATH" in none.stderr


def test_unitys_own_commands_are_listed_only_if_they_are_searched(
    project: Path, asked: List[Any]
) -> None:
    status = {
        "name": "pipeline.status",
        "description": "Reports Unity's work.",
        "signature": "pipeline.status()",
    }
    file = project / "Library" / "UnityBridge" / "commands.json"
    file.write_text(
        json.dumps({"schema_version": 1, "commands": [*COMMANDS, {**status, "of_unity": True}]})
    )
    ran = run("--list")
    assert "pipeline.status" not in ran.stdout
    assert ran.stderr.startswith("1 of Unity's own commands") and "run --list WORDS" in ran.stderr
    assert json.loads(run("--list", "--json").stdout)["result"]["unlisted"] == 1
    found = run("--list", "WORK", "pipeline")
    assert (found.stdout, found.stderr) == ('pipeline.status()\n    "Reports Unity\'s work."\n', "")
    assert "unlisted" not in json.loads(run("--list", "build", "--json").stdout)["result"]
    nothing = run("--list", "build", "setting")
    assert (
        nothing.stdout == ""
        and "The nearest is build_scenes, which is build_scenes(" in nothing.stderr
    )
    answer = json.loads(run("--list", "zzz", "--json").stdout)["result"]
    assert answer["commands"] == []
    assert answer["hint"].startswith(
        "No command has all these words. C# can do it: run_csharp, once"
    )
    asked.append(JobEnd("succeeded", {"commands": COMMANDS, "unlisted": 140}))
    assert "140 of Unity's own commands" in run().stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["build", "count"], "is not KEY=VALUE"),
        (["build", "count=1", "count=2"], "given twice"),
        (
            ["build", "values=3"],
            "values takes a JSON object, as in 'values={\"Light.intensity\": 2}'",
        ),
        (["build", "values={Light.intensity: 2}"], "values takes a JSON object"),
        (["build", "--json-args", "["], "not JSON"),
        (["build", "--json-args", "[]"], "must be a JSON object"),
        (["--json-args", '{"a": 1}'], "need the NAME"),
        (["build", "--timeout", "9000"], "from 1 to 1800"),
    ],
)
def test_wrong_usage_is_said_and_runs_nothing(
    project: Path, asked: List[Any], arguments: List[str], why: str
) -> None:
    ran = run(*arguments)
    assert ran.exit_code == 2 and why in ran.stderr
    assert asked == []


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("plain \x1b[2J", "plain \\x1b[2J\n"),
        ({"a": [1, None]}, '{\n  "a": [\n    1,\n    null\n  ]\n}\n'),
        (None, ""),
        (0, "0\n"),
    ],
)
def test_text_is_printed_as_it_is_and_the_rest_as_json(
    asked: List[Any], value: Any, printed: str
) -> None:
    asked.append(JobEnd("succeeded", {"value": value, "truncated": True}))
    ran = run("build")
    assert ran.stdout == printed and "was cut" in ran.stderr


def test_an_exception_comes_with_the_projects_stack(asked: List[Any]) -> None:
    details = {"reason": "exception", "stack": ["Game.Build (at Assets/A.cs:3)"]}
    error = {
        "code": "ERR_UNITY_EXECUTION",
        "message": "build threw",
        "retryable": False,
        "details": details,
    }
    asked.append(JobEnd("failed", error=error))
    ran = run("build")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == "build threw\n  at Game.Build (at Assets/A.cs:3)\n"
    asked.append(JobEnd("failed", error=error, job_id="J"))
    assert json.loads(run("build", "--json").stdout) == {"ok": False, "error": error, "job_id": "J"}


@pytest.mark.parametrize(
    ("words", "incomplete", "found"),
    [
        (["run"], "b", ["build"]),
        (["run", "build"], "", ["target=", "count=", "label=", "flags=", "fast=", "values="]),
        (["run", "build"], "target=", ["target=Android", "target=iOS"]),
        (["run", "build"], "fast=t", ["fast=true"]),
        (["run", "other"], "", []),
    ],
)
def test_names_and_arguments_are_completed(
    project: Path, words: List[str], incomplete: str, found: List[str]
) -> None:
    completed = ShellComplete(cli, {}, "unity-bridge", "_X").get_completions(words, incomplete)
    assert [item.value for item in completed] == found


def test_commands_of_unitys_packages_are_completed_only_if_no_other_begins_so(
    project: Path,
) -> None:
    ours, unitys = (
        {"name": name, "signature": "x", "source": "X"} for name in ("bake_all", "bake_lights")
    )
    rows = {
        "commands": [
            ours,
            {**unitys, "of_unity": True},
            {**unitys, "name": "assets.find", "of_unity": True},
        ]
    }
    (project / "Library" / "UnityBridge" / "commands.json").write_text(
        json.dumps(rows), encoding="utf-8"
    )

    def completed(word: str) -> List[str]:
        return [
            item.value
            for item in ShellComplete(cli, {}, "unity-bridge", "_X").get_completions(["run"], word)
        ]

    assert [completed(word) for word in ("", "bake", "bake_l", "as")] == [
        ["bake_all"],
        ["bake_all"],
        ["bake_lights"],
        ["assets.find"],
    ]


@pytest.mark.parametrize(
    "word",
    ["a;touch x", "a$(x)", "a`x`", "a\nb", "a b", "a\x1b[2J", "a'", "a&", "a>b", "!x", "\u202ea"],
)
def test_a_projects_file_writes_no_commands_into_the_shells_line(project: Path, word: str) -> None:
    command = {
        "name": word,
        "signature": "x",
        "source": "Game.X",
        "parameters": {word: "string", "kind": f"{word}|{word}"},
    }
    rows = {"commands": [command, {**command, "name": "plain"}]}
    (project / "Library" / "UnityBridge" / "commands.json").write_text(
        json.dumps(rows), encoding="utf-8"
    )
    complete = ShellComplete(cli, {}, "unity-bridge", "_X").get_completions
    assert [item.value for item in complete(["run"], "")] == ["plain"]
    assert [item.value for item in complete(["run", "plain"], "")] == ["kind="]
    assert complete(["run", "plain"], "kind=") == []


def test_without_a_list_nothing_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ShellComplete(cli, {}, "unity-bridge", "_X").get_completions(["run"], "b") == []
