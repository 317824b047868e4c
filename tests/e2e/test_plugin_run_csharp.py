"""run_csharp, as the plugin carries it out (SPEC §16.6): from the text, through a real compiler, to
the result.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.leaks import Here, left_since
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless import roslyn
from tests.unity_headless.headless_editor import HeadlessEditor, require_mono
from unity_bridge.base.result import Ok
from unity_bridge.launch.file_lock import Locked
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.trust import consent
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

EVERYTHING = """using Random = System.Random;
struct Pair { public int A; }
Console.WriteLine("one"); Debug.LogWarning("two"); Console.Write("three");
var five = await Task.FromResult(5);
new {
    list = new List<int> { 1, 2 }.Select(x => x * 10), pair = new Pair { A = 3 },
    random = new Random(1) is System.Random, xml = new XmlDocument().Name, five,
}"""
SWITCH = "Allow clients to run C# (run_csharp)"


class Bench:
    """One editor for all tests of this file, with its user's permission and a compiler; a number
    for each job.
    """

    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server = server
        self.editor = editor
        self._jobs = 0

    @property
    def session(self) -> Session:
        return self.server.open_session()

    def allow(self, allowed: bool = True) -> None:
        assert consent.allow(canonical_path(self.editor.project), allowed) == Ok(None)

    def begin(self, code: str, **params: Any) -> str:
        self._jobs += 1
        answer = self.session.submit(f"job-{self._jobs}", tool="run_csharp", code=code, **params)
        assert answer["type"] == "submit_job_result", answer
        return f"job-{self._jobs}"

    def ended(self, job_id: str) -> Message:
        return ended(self.server, self.session, job_id)

    def run(self, code: str, **params: Any) -> Message:
        return self.ended(self.begin(code, **params))

    def value(self, code: str, **params: Any) -> Any:
        status = self.run(code, **params)
        assert status["state"] == "succeeded", json.dumps(status, indent=1)
        return status["result"]["value"]


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    """Each reload leaves another connection to the next test. The file as a whole leaves nothing."""


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    require_mono()
    if sys.platform != "linux":
        pytest.skip("the .NET that the compiler needs here is one for Linux")
    request.getfixturevalue("started_compiler")
    folder = tmp_path_factory.mktemp("Contents")
    roslyn.lay_out_editor(folder)
    return folder


@pytest.fixture(scope="module")
def shared(contents: Path) -> Iterator[Bench]:
    before = Here.now()
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        editor.arrange(f"contents {contents}")
        server.ready_session()
        yield Bench(server, editor)
        assert editor.violations() == []
    assert left_since(before) == []


@pytest.fixture
def bench(shared: Bench) -> Bench:
    shared.allow()
    return shared


def test_it_is_off_until_its_user_switches_it_on(bench: Bench) -> None:
    bench.allow(False)
    allowed = Path(os.environ[STATE_DIR_VARIABLE]) / consent.FILE
    project, secret = canonical_path(bench.editor.project), allowed.with_name("attach-secret")
    # No file of the project counts, and none that is not as we write it.
    for folder in ("UserSettings", "ProjectSettings"):
        file = bench.editor.project / folder / "UnityBridge.json"
        file.parent.mkdir(exist_ok=True)
        # The port stays: the editor reads it again after the reloads of later tests.
        settings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        file.write_text(
            json.dumps({**settings, "allow_csharp": True, "csharp": [project]}), encoding="utf-8"
        )
    for text, mode in (
        ("{}", 0o600),
        (json.dumps({"csharp": [project + "/Other"]}), 0o600),
        (json.dumps({"csharp": project}), 0o600),
        (json.dumps({"csharp": [project]}), 0o644),
        ("no JSON", 0o600),
    ):
        allowed.write_text(text, encoding="utf-8")
        allowed.chmod(mode)
        status = bench.run('UnityEngine.Debug.Log("ran");')
        assert status["state"] == "failed" and status["result"] is None
        assert status["error"]["code"] == "ERR_UNITY_EXECUTION"
        assert status["error"]["details"] == {
            "reason": "not_allowed",
            "execution_guarantee": "not_executed",
        }
        assert "Project Settings > Unity Bridge" in status["error"]["message"]
    assert "console ran" not in bench.editor.history
    assert secret.exists()
    allowed.unlink()


def test_the_list_of_assemblies_is_taken_once_in_a_domain(bench: Bench) -> None:
    assert bench.value("1") == 1
    before = bench.editor.history.count("get-assemblies")
    assert bench.value("2") == 2
    assert bench.editor.history.count("get-assemblies") == before
    bench.editor.reload()
    bench.server.ready_session()
    assert bench.value("3") == 3
    assert bench.editor.history.count("get-assemblies") == before + 1


def test_lines_that_unity_logs_while_code_awaits_go_to_its_log_and_not_the_output(
    bench: Bench,
) -> None:
    job = bench.begin(
        'Console.WriteLine("mine"); await Task.Delay(1500); Console.WriteLine("mine too"); return 1;'
    )
    while "mine" not in bench.editor.history:
        bench.editor.wait_until_idle()
    bench.editor.arrange("console-write Unity compiles because of a request")
    status = bench.ended(job)
    assert status["result"]["output"] == "mine\nmine too\n"
    assert "Unity compiles because of a request" in bench.editor.history


def test_the_switch_is_on_the_settings_page(bench: Bench) -> None:
    bench.allow(False)
    assert f"[ ] {SWITCH}" in bench.editor.draw_settings()
    bench.editor.draw_settings(click=SWITCH)
    assert f"[x] {SWITCH}" in bench.editor.draw_settings()
    assert consent.allowed_projects() == Ok([canonical_path(bench.editor.project)])
    assert (Path(os.environ[STATE_DIR_VARIABLE]) / consent.FILE).stat().st_mode & 0o077 == 0
    assert sum("Clients may run C# in this project" in line for line in bench.editor.history) == 1
    bench.editor.draw_settings(click=SWITCH)
    assert f"[ ] {SWITCH}" in bench.editor.draw_settings() and consent.allowed_projects() == Ok([])


def test_a_file_that_cannot_be_read_is_not_overwritten_by_the_switch(bench: Bench) -> None:
    allowed = Path(os.environ[STATE_DIR_VARIABLE]) / consent.FILE
    allowed.write_text('{"csharp": ["/mine",, ]}', encoding="utf-8")
    allowed.chmod(0o600)
    bench.editor.draw_settings(click=SWITCH)
    page = "\n".join(bench.editor.draw_settings())
    assert f"[ ] {SWITCH}" in page and "The switch could not be kept" in page
    assert allowed.read_text(encoding="utf-8") == '{"csharp": ["/mine",, ]}'
    allowed.unlink()


def test_the_switch_waits_for_another_program_and_loses_nothing(bench: Bench) -> None:
    lock = Path(os.environ[STATE_DIR_VARIABLE]) / f"{consent.FILE}.lock"
    bench.allow(False)
    assert consent.allow("/another", True) == Ok(None)
    with Locked(str(lock)):
        bench.editor.draw_settings(click=SWITCH)
        page = "\n".join(bench.editor.draw_settings())
        assert f"[ ] {SWITCH}" in page, page
        assert f"The switch could not be kept: another program holds {lock}" in page, page
    bench.editor.draw_settings(click=SWITCH)
    assert f"[x] {SWITCH}" in bench.editor.draw_settings()
    ours = canonical_path(bench.editor.project)
    assert consent.allowed_projects() == Ok(sorted(["/another", ours]))
    assert consent.allow("/another", False) == consent.allow(ours, False) == Ok(None)


def test_another_place_of_the_project_has_to_be_asked_for(bench: Bench) -> None:
    assert consent.allow(canonical_path(bench.editor.project) + "-moved", True) == Ok(None)
    bench.allow(False)
    assert bench.run("1")["error"]["details"]["reason"] == "not_allowed"


def test_statements_types_and_what_awaits_and_the_last_expressions_value(bench: Bench) -> None:
    bench.editor.arrange("scene Assets/Before.unity")
    status = bench.run(EVERYTHING, usings=["System.Xml"])
    assert status["state"] == "succeeded", status
    assert status["result"]["value"] == {
        "list": [10, 20],
        "pair": {"A": 3},
        "random": True,
        "xml": "#document",
        "five": 5,
    }
    assert status["result"]["output"] == "one\nwarning: two\nthree"
    assert status["console"]["warnings"] == 1
    assert status["result"]["scenes_dirtied"] == []
    group = bench.editor.wait_for(r"undo-group (\d+) run_csharp").group(1)
    bench.editor.wait_for(f"undo-collapsed {group}")
    file = bench.editor.project / status["result"]["log_file"]
    head, text = file.read_text(encoding="utf-8").split("\n", 1)
    assert head.startswith("// ") and text == EVERYTHING + "\n"
    assert list((file.parent / "build").iterdir()) == []
    bench.editor.arrange("save-scenes")


def test_an_end_without_a_value_and_a_value_behind_a_semicolon(bench: Bench) -> None:
    # The compiler says which it is.
    assert bench.value('Debug.Log("no value")') is None
    assert bench.value("6 * 7;") == 42


def test_a_whole_class_has_one_method_that_runs(bench: Bench) -> None:
    run = 'public static object Run() => new StringBuilder("whole").ToString();'
    assert bench.value(f"using System.Text;\npublic static class Job\n{{\n    {run}\n}}") == "whole"
    error = bench.run("class A { }")["error"]
    assert error["code"] == "ERR_INVALID_PARAMS" and "static method" in error["message"]


def test_errors_are_where_they_are_in_the_text(bench: Bench) -> None:
    code = "var a = 1; var b = a.Nothing;\r\n\tif (b) { int c = nowhere; }"
    status = bench.run(code)
    assert status["state"] == "failed" and "error" not in status
    result = status["result"]
    assert (result["ok"], result["error_count"], result["truncated"]) == (False, 2, False)
    assert [[error["line"], error["column"], error["code"]] for error in result["errors"]] == [
        [1, 22, "CS1061"],
        [2, 19, "CS0103"],
    ]
    assert {error["file"] for error in result["errors"]} == {"snippet.cs"}
    (unclosed,) = bench.run("if (true) {\n")["result"]["errors"]
    assert (unclosed["line"], unclosed["column"], unclosed["code"]) == (1, 12, "CS1513")


def test_code_that_throws_has_run_and_says_where(bench: Bench) -> None:
    # An update within the code, as from a progress bar, does not run it again.
    code = 'Debug.Log("before"); EditorApplication.update();\nthrow new InvalidOperationException("broken");'
    status = bench.run(code)
    details = status["error"]["details"]
    assert status["state"] == "failed" and details["reason"] == "exception"
    assert details["execution_guarantee"] == "completed_error"
    assert (details["exception"], details["message"]) == (
        "System.InvalidOperationException",
        "broken",
    )
    assert details["stack"] == [
        "UnityBridgeSnippet.__Snippet.__Run"
    ]  # Mono has line numbers only with --debug
    assert status["result"]["output"] == "before\n"
    assert bench.editor.history.count("console before") == 1


def test_a_missing_compiler_is_said_clearly(bench: Bench, contents: Path) -> None:
    bench.editor.arrange("contents /nowhere")
    error = bench.run("1")["error"]
    assert "compiler of this Unity was not found" in error["message"]
    assert (error["details"]["reason"], error["details"]["execution_guarantee"]) == (
        "compiler_missing",
        "not_executed",
    )
    assert error["details"]["looked_at"][0] == "/nowhere"
    bench.editor.arrange(f"contents {contents}")


def test_code_that_cannot_be_kept_does_not_run(bench: Bench) -> None:
    folder = bench.editor.project / "Library" / "UnityBridge"
    (folder / "csharp").rename(folder / "away")
    (folder / "csharp").touch()
    error = bench.run('Debug.Log("unkept");')["error"]["details"]
    assert (error["reason"], error["execution_guarantee"]) == ("compiler_failed", "not_executed")
    (folder / "csharp").unlink()
    (folder / "away").rename(folder / "csharp")
    assert "console unkept" not in bench.editor.history


def test_a_reload_in_the_midst_loses_it_and_never_runs_it_again(bench: Bench) -> None:
    job = bench.begin('Debug.Log("began"); await Task.Delay(600000);')
    bench.editor.wait_for("console began")
    # While it awaits: what a person does from now on is not undone with it.
    bench.editor.wait_for("undo-collapsed")
    bench.editor.reload()
    details = bench.ended(job)["error"]["details"]
    assert details == {"reason": "reloaded_while_running", "execution_guarantee": "unknown"}
    bench.editor.wait_until_idle()
    assert bench.editor.history.count("console began") == 1


def test_code_only_compiled_at_a_reload_runs_afterwards(bench: Bench) -> None:
    # A busy machine may ask too late, and then the next one has to do.
    for number in itertools.count():
        job = bench.begin(f'Debug.Log("afterwards {number}");')
        while (step := (bench.session.job(job)["progress"] or {}).get("step")) == "waiting":
            pass
        if step == "compiling":
            break
    bench.editor.reload()
    assert bench.ended(job)["state"] == "succeeded"
    assert bench.editor.history.count(f"console afterwards {number}") == 1


def test_code_that_awaits_for_too_long_is_left(bench: Bench) -> None:
    bench.session.submit(
        "late", tool="run_csharp", code="await Task.Delay(600000);", timeout_ms=2_000
    )
    status = bench.ended("late")
    # On a busy machine the compiler may still run at that time.
    assert status["state"] == "timeout" and (status["result"] or {"ok": True})["ok"] is True


def test_it_is_refused_during_a_build(bench: Bench) -> None:
    bench.editor.arrange("building on")
    assert bench.run("1")["error"]["details"]["reason"] == "building"
    bench.editor.arrange("building off")


@pytest.mark.parametrize(
    "params",
    [
        {"code": ""},
        {"code": 1},
        {"code": "1", "usings": "System"},
        {"code": "1", "usings": ["a;b"]},
    ],
    ids=str,
)
def test_bad_arguments_are_refused(bench: Bench, params: Any) -> None:
    answer = bench.session.ask("submit_job", job_id="bad", tool_name="run_csharp", params=params)
    assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS"
