"""run_command, as the plugin carries it out (SPEC §16.5): the project's own commands, on stubs of
Unity.

The commands are those of tests/unity_headless/game. Each reports "did NAME" to the host, so that tests can count it.
"""

from __future__ import annotations

import itertools
import json
from typing import Any, Dict, Iterator

import pytest

from tests.scripted_server import Message, ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor

_ids = itertools.count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture(scope="module")
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        server.ready_session()
        yield headless
        assert headless.violations() == []


@pytest.fixture(autouse=True)
def quiet(server: ScriptedServer, editor: HeadlessEditor) -> None:
    """Each test finds only what it has caused."""
    editor.wait_until_idle()
    editor.forget_history()
    server.open_session()


def submit(server: ScriptedServer, command: str, timeout_ms: int = 60_000, **arguments: Any) -> str:
    job_id = f"job-{next(_ids)}"
    answer = server.latest.submit(
        job_id,
        tool="run_command",
        timeout_ms=timeout_ms,
        **{"name": command, "arguments": arguments},
    )
    assert answer["status"] == "accepted"
    return job_id


def run(server: ScriptedServer, command: str, **arguments: Any) -> Message:
    """The status of a command's job at its end."""
    return ended(server, server.latest, submit(server, command, **arguments))


def value(server: ScriptedServer, command: str, **arguments: Any) -> Any:
    status = run(server, command, **arguments)
    assert status["state"] == "succeeded", status
    return status["result"]["value"]


def refusal(server: ScriptedServer, command: str, **arguments: Any) -> str:
    """Why a command was not run."""
    status = run(server, command, **arguments)
    assert status["state"] == "failed" and status["result"] is None
    assert status["error"]["code"] == "ERR_INVALID_PARAMS"
    assert status["error"]["details"]["execution_guarantee"] == "not_executed"
    return str(status["error"]["message"])


def listed(server: ScriptedServer) -> Dict[str, Dict[str, Any]]:
    job_id = f"job-{next(_ids)}"
    server.latest.submit(job_id, tool="run_command")
    status = ended(server, server.latest, job_id)
    return {command["name"]: command for command in status["result"]["commands"]}


def test_the_list_has_the_projects_commands_and_ours_with_their_signatures(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    commands = listed(server)
    assert commands["build"] == {
        "name": "build",
        "description": "Six minutes of work, in the tests none.",
        "signature": "build(target: Android|iOS|WebGL, count: int = 1)",
        "source": "Game.Editor.GameCommands.Build (Game.Editor)",
        "write": True,
    }
    assert "source" not in commands["ping"]
    assert commands["look"]["write"] is False
    assert {"list_scenes", "clear_console"} <= set(commands)
    # What the bridge fills in is nobody's to give.
    assert commands["forever"]["signature"] == "forever()"
    assert commands["clear_console"]["signature"] == "clear_console()"


def test_unitys_own_kind_of_command_is_taken_as_it_is(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    commands = listed(server)
    assert commands["game.spawn-wave"]["signature"] == (
        "game.spawn-wave(lane: int = 7, wave_size: int = 3, name: string)"
    )
    assert "game.player_only" not in commands
    assert value(server, "game.spawn-wave", wave_size=5, name="orcs") == "5 orcs 7"


def test_the_list_is_in_a_file_for_use_without_an_editor(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    file = json.loads(
        (editor.project / "Library" / "UnityBridge" / "commands.json").read_text(encoding="utf-8")
    )
    assert file["schema_version"] == 1
    build = {command["name"]: command for command in file["commands"]}["build"]
    assert build["parameters"] == {"target": "Android|iOS|WebGL", "count": "int"}


def test_a_command_runs_once_and_gives_its_value(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    assert value(server, "build", target="iOS") == "iOS x1"
    assert editor.history.count("did build iOS") == 1


def test_arguments_become_what_the_method_takes(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    defaults = value(server, "convert")
    assert defaults == {
        "flag": False,
        "whole": 1,
        "big": 2,
        "single": 0.5,
        "real": 1.5,
        "text": "t",
        "target": "iOS",
        "options": "None",
        "numbers": None,
        "names": None,
        "targets": None,
        "maybe": None,
    }
    given = {
        "flag": True,
        "whole": -3.0,
        "big": 2**60,
        "single": 0.1,
        "real": 3,
        "text": "",
        "target": "webgl",
        "options": "Development, strict",
        "numbers": [1, 2],
        "names": ["a"],
        "targets": ["Android"],
        "maybe": 4,
    }
    assert value(server, "convert", **given) == {
        **given,
        "target": "WebGL",
        "options": "Development, Strict",
    }


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"whole": "3"}, 'whole must be int, not "3"'),
        ({"whole": 3.5}, "whole must be int, not 3.5"),
        ({"whole": 2**31}, "whole must be int, not 2147483648"),
        ({"whole": True}, "whole must be int, not true"),
        ({"whole": None}, "whole must be int, not null"),
        ({"flag": 1}, "flag must be bool, not 1"),
        ({"text": 5}, "text must be string, not 5"),
        ({"single": 1e300}, "single must be float"),
        ({"target": "Switch"}, 'target must be Android|iOS|WebGL, not "Switch"'),
        ({"target": 1}, "target must be Android|iOS|WebGL, not 1"),
        ({"numbers": 1}, "numbers must be an array, int[], not 1"),
        ({"numbers": [1, "x"]}, 'numbers[1] must be int, not "x"'),
        ({"names": {}}, "names must be an array, string[], not an object"),
        ({"tempo": 1}, "takes no argument tempo"),
    ],
    ids=str,
)
def test_arguments_that_do_not_fit_are_refused_with_the_signature(
    server: ScriptedServer, editor: HeadlessEditor, arguments: Dict[str, Any], why: str
) -> None:
    message = refusal(server, "convert", **arguments)
    # All of them where none has that name, else the one that is wrong, with its type.
    own = f"It is {next(iter(arguments))}: "
    assert why in message and ("It is convert(flag?, whole?" in message or own in message)


def test_a_missing_argument_is_named(server: ScriptedServer, editor: HeadlessEditor) -> None:
    assert refusal(server, "build") == "build: target is missing. It is target: Android|iOS|WebGL."
    assert "did build" not in "\n".join(editor.history)


def test_an_unknown_name_is_answered_with_the_nearest_ones(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    message = refusal(server, "clear_consol")
    hint = "Call run_command without a name for the list."
    assert message == f"There is no command clear_consol. The nearest is clear_console(). {hint}"
    assert "The nearest is open_scene(" in refusal(server, "opne_scene")
    # A word in common is no likeness: these do something else.
    for name in ("scenes", "copy_object", "remove_object", "get_fields", "xyzzy"):
        message = refusal(server, name)
        assert message.startswith(f"There is no command {name}. C# can do it: ")
        assert message.endswith(hint) and "nearest" not in message


def test_a_command_that_cannot_run_says_why(server: ScriptedServer, editor: HeadlessEditor) -> None:
    assert "GameCommands.TwiceOne" in refusal(server, "twice") and "TwiceOther" in refusal(
        server, "twice"
    )
    assert "did twice" not in editor.history
    assert "what is of a type" in refusal(server, "strange")
    assert "not static" in refusal(server, "of_an_object")
    assert "not static" in listed(server)["of_an_object"]["fault"]


def test_an_exception_is_reported_with_the_projects_stack(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    status = run(server, "throws", what="no water")
    error = status["error"]
    assert status["state"] == "failed" and error["code"] == "ERR_UNITY_EXECUTION"
    assert error["message"] == "throws threw InvalidOperationException: no water"
    details = error["details"]
    assert (details["reason"], details["execution_guarantee"]) == ("exception", "completed_error")
    assert (
        details["exception"] == "System.InvalidOperationException"
        and details["message"] == "no water"
    )
    assert len(details["stack"]) == 1 and details["stack"][0].startswith(
        "Game.Editor.GameCommands.Throws"
    )
    later = run(server, "throws_later")["error"]
    assert later["message"] == "throws_later threw ArgumentException: later"
    assert "ThrowsLater" in later["details"]["stack"][0]


def test_tasks_and_steps_are_followed_to_their_end(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    assert value(server, "answer") == 42
    assert value(server, "walk", steps=3) == "arrived"


def test_a_value_that_is_too_much_is_cut_and_says_so(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    result = run(server, "much")["result"]
    assert result["truncated"] is True and len(result["value"]) > 50


def test_a_command_that_takes_a_token_is_cancelled(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    job_id = submit(server, "forever")
    editor.wait_for("did forever")
    assert server.latest.ask("cancel", target_job_id=job_id)["status"] == "cancel_requested"
    assert ended(server, server.latest, job_id)["state"] == "cancelled"
    assert editor.history.count("did forever") == 1


def test_a_command_without_a_token_refuses_a_cancel_and_ends_at_its_deadline(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    job_id = submit(server, "deaf", timeout_ms=100)
    editor.wait_for("did deaf")
    assert server.latest.ask("cancel", target_job_id=job_id)["status"] == "rejected"
    assert ended(server, server.latest, job_id)["state"] == "timeout"
    # Its finally blocks have run, and the next one may.
    assert "did deaf ended" in editor.history
    assert value(server, "ping")["pong"] is True


def test_progress_is_reported_also_while_the_main_thread_is_held(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    job_id = submit(server, "hold", ms=60_000)
    editor.wait_for("did hold")
    progress = server.latest.job(job_id)["progress"]
    assert progress == {"completed": 50, "total": 100, "current_test": "hold"}
    editor.release()
    assert ended(server, server.latest, job_id)["state"] == "succeeded"


def test_a_reload_in_the_midst_ends_it_as_unknown_and_nothing_runs_twice() -> None:
    # With a server of its own: after a reload there is another connection.
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        server.ready_session()
        status = run(server, "reload")
        assert status["state"] == "failed"
        assert status["error"]["details"] == {
            "reason": "reloaded_while_running",
            "execution_guarantee": "unknown",
        }
        assert value(server, "build", target="iOS") == "iOS x1"
        assert editor.history.count("did reload") == 1
        assert editor.violations() == []


def test_a_read_runs_during_a_test_run_and_a_write_waits_for_it(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    editor.tests("edit|A.B.C|pass|60000")
    server.latest.submit("tests", mode="edit")
    editor.wait_for("test A.B.C")
    assert value(server, "look") == 1
    assert "build" in listed(server)
    writes = submit(server, "build", target="iOS")
    assert server.latest.job("tests")["state"] == "running"
    assert server.latest.job(writes)["state"] == "queued"
    # What only looks overtakes nothing that waits.
    looks = submit(server, "look")
    editor.wait_until_idle()
    assert server.latest.job(looks)["state"] == "queued"
    server.latest.ask("cancel", target_job_id="tests")
    assert ended(server, server.latest, looks)["result"] == {"value": 2}
    message = [line for line in editor.history if line.startswith("did")]
    assert message == ["did look", "did build iOS", "did look"]
    editor.arrange("forget-tests")


def test_a_submission_that_is_repeated_runs_nothing_again(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    job_id = submit(server, "build", target="iOS")
    ended(server, server.latest, job_id)
    again = server.latest.submit(
        job_id, tool="run_command", name="build", arguments={"target": "iOS"}
    )
    assert again["status"] == "accepted"
    editor.wait_until_idle()
    assert editor.history.count("did build iOS") == 1


def test_scenes_are_listed(server: ScriptedServer, editor: HeadlessEditor) -> None:
    editor.arrange("scene Assets/Level.unity")
    scenes = value(server, "list_scenes")
    assert scenes["open"][0] == {
        "name": "Level",
        "path": "Assets/Level.unity",
        "loaded": True,
        "dirty": True,
        "active": True,
    }
    assert scenes["build"] == [{"path": "Assets/Clean.unity", "enabled": True}]
    editor.arrange("save-scenes")


def test_the_console_is_emptied_except_for_errors_that_must_be_fixed(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    editor.arrange("log error it broke")
    assert "it broke" in server.latest.messages_in_console()
    assert value(server, "clear_console") is None
    assert server.latest.messages_in_console() == []


@pytest.mark.parametrize("params", [{"name": 3}, {"arguments": []}], ids=str)
def test_bad_parameters_are_refused(
    server: ScriptedServer, editor: HeadlessEditor, params: Dict[str, Any]
) -> None:
    answer = server.latest.ask(
        "submit_job", job_id=f"job-{next(_ids)}", tool_name="run_command", params=params
    )
    assert answer["type"] == "error" and answer["error"]["code"] == "ERR_INVALID_PARAMS"
