"""Commands with the attributes of com.unity.pipeline 0.9 and 1.0 (SPEC §16.5), on stubs of that
package.

Those of 0.7 are in test_plugin_run_command.py. The stubs have the members that Unity's documentation shows.
"""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator

import pytest

from tests.scripted_server import Message, ScriptedServer, ended
from tests.unity_headless.headless_editor import HeadlessEditor


class Pipeline:
    def __init__(self, server: ScriptedServer, editor: HeadlessEditor) -> None:
        self.server, self.editor = server, editor
        self._numbers = itertools.count(1)

    def run(self, **params: Any) -> Message:
        job = f"job-{next(self._numbers)}"
        assert self.server.latest.submit(job, tool="run_command", **params)["status"] == "accepted"
        return ended(self.server, self.server.latest, job)

    def listed(self, query: str = "") -> Dict[str, Dict[str, Any]]:
        result = self.run(**({"query": query} if query else {}))["result"]
        return {command["name"]: command for command in result["commands"]}

    def error(self, name: str, **arguments: Any) -> Dict[str, Any]:
        status = self.run(name=name, arguments=arguments)
        assert status["state"] == "failed" and status["result"] is None, status
        return dict(status["error"])

    def value(self, name: str, **arguments: Any) -> Any:
        status = self.run(name=name, arguments=arguments)
        assert status["state"] == "succeeded", status
        return status["result"]["value"]


@pytest.fixture(scope="module")
def pipeline() -> Iterator[Pipeline]:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        server.ready_session()
        editor.arrange("quirk pipeline", "reload")
        server.ready_session()
        yield Pipeline(server, editor)
        assert editor.violations() == []


@pytest.mark.parametrize(
    ("name", "description", "signature"),
    [
        ("animation.animator.greet", "Greets.", 'animation.animator.greet(who: string = "world")'),
        ("animation.animator.fail_at_once", "Fails.", "animation.animator.fail_at_once()"),
        ("animation.animator.renamed", "Has a name of its own.", "animation.animator.renamed()"),
        (
            "game.level_tools.wave_commands.spawn_vector3_wave",
            "Says what it does, and has no name.",
            "game.level_tools.wave_commands.spawn_vector3_wave()",
        ),
        (
            "animation.skeleton.set_bone",
            "Has a dotted name.",
            "animation.skeleton.set_bone(bone: int)",
        ),
        (
            "prefab.create_url_prefab",
            "Is named as docs.unity.com has it.",
            "prefab.create_url_prefab()",
        ),
    ],
)
def test_names_and_descriptions_are_read_by_the_members_of_the_attribute(
    pipeline: Pipeline, name: str, description: str, signature: str
) -> None:
    command = pipeline.listed()[name]
    assert (command["description"], command["signature"]) == (description, signature)
    assert "fault" not in command


def test_an_effect_says_whether_a_command_writes(pipeline: Pipeline) -> None:
    commands = pipeline.listed()
    assert commands["animation.animator.greet"]["write"] is False
    assert commands["animation.animator.fail_at_once"]["write"] is True
    assert commands["animation.animator.fail_later"]["write"] is True


def test_a_result_that_is_written_to_the_context_is_the_value(pipeline: Pipeline) -> None:
    assert pipeline.value("animation.animator.greet", who="orcs") == "Hello orcs"
    assert pipeline.value("animation.animator.renamed") == "late"
    assert pipeline.value("animation.skeleton.set_bone", bone=4) == 4


def test_any_other_exit_code_than_success_is_a_failure(pipeline: Pipeline) -> None:
    error = pipeline.error("animation.animator.fail_at_once")
    assert error["code"] == "ERR_UNITY_EXECUTION" and "CommandFailure" in error["message"]
    assert error["details"] == {
        "reason": "exit_code",
        "execution_guarantee": "completed_error",
        "exit_code": "CommandFailure",
        "result": {"left": 3},
    }
    details = pipeline.error("animation.animator.fail_later")["details"]
    assert (details["exit_code"], details["result"]) == ("InvalidArguments", None)


def test_an_enum_of_the_project_with_that_name_is_a_value(pipeline: Pipeline) -> None:
    assert pipeline.value("exits_south") == "South"


def test_a_response_without_success_is_a_failure(pipeline: Pipeline) -> None:
    error = pipeline.error("responds")
    assert "There is no wave." in error["message"]
    assert (error["details"]["reason"], error["details"]["execution_guarantee"]) == (
        "response",
        "completed_error",
    )
    assert error["details"]["result"] == {"Success": False, "Error": "There is no wave."}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("game.level_tools.wave_commands.unreadable", "name, group or description"),
        ("sealed_context", "CommandContext cannot be created or read"),
        # Mono cannot read the attributes of such a method.
        ("game.level_tools.wave_commands.lost", "Missing"),
    ],
)
def test_a_command_that_cannot_be_read_is_listed_with_its_fault(
    pipeline: Pipeline, name: str, why: str
) -> None:
    commands = pipeline.listed()
    assert why in commands[name]["fault"]
    error = pipeline.error(name)
    assert (error["code"], error["details"]["reason"]) == ("ERR_INVALID_PARAMS", "faulty_command")
    # It takes no other command down.
    assert {"ping", "build", "responds"} <= set(commands)
    assert "internal error" not in "\n".join(pipeline.editor.history)


def test_a_command_with_the_tag_of_players_is_left_out(pipeline: Pipeline) -> None:
    assert "in_a_player" not in pipeline.listed() and "in_a_player" not in pipeline.listed("player")


def test_commands_of_unitys_own_assemblies_are_listed_with_a_query_only(pipeline: Pipeline) -> None:
    everything = pipeline.run()["result"]
    assert "pipeline.status" not in [command["name"] for command in everything["commands"]]
    assert everything["unlisted"] == 1
    found = pipeline.run(query="OWN work")["result"]
    assert [command["name"] for command in found["commands"]] == ["pipeline.status"]
    assert "unlisted" not in found
    assert list(pipeline.listed("bone dotted")) == ["animation.skeleton.set_bone"]
    assert pipeline.listed("bone nothing") == {}
    assert pipeline.value("pipeline.status") == "idle"


def test_a_query_goes_without_a_name_and_is_a_text(pipeline: Pipeline) -> None:
    for params in ({"name": "ping", "query": "x"}, {"query": 3}):
        answer = pipeline.server.latest.submit("bad", tool="run_command", **params)
        assert (
            answer["error"]["code"] == "ERR_INVALID_PARAMS"
            and "query" in answer["error"]["message"]
        )
