"""What a server without proof can do with the editor: read the console, run tests, and nothing else
(SPEC §17.2).
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Set, Tuple

import pytest

from tests.catalogue.samples import OPEN, samples
from tests.ports import free_port
from tests.scripted_server import Message, ScriptedServer, Session, ended
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.tool import Mode, Service

CAVE = "Assets/Cave.unity"


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def editor(port: int) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(port) as headless:
        yield headless
        assert headless.violations() == []


@pytest.fixture
def rogue(editor: HeadlessEditor, port: int) -> Iterator[ScriptedServer]:
    with ScriptedServer(port, proves=False) as scripted:
        yield scripted


@pytest.fixture
def session(rogue: ScriptedServer) -> Session:
    return rogue.ready_session()


def asked(session: Session, tool: str, params: Message) -> Message:
    """The answer to a call, of a kind that the tool has; what it starts is cancelled."""
    if tool in CATALOGUE and CATALOGUE[tool].mode is Mode.SYNC:
        return session.ask("execute", tool_name=tool, params=params, timeout_ms=10_000)
    answer = session.ask("submit_job", tool_name=tool, params=params, timeout_ms=10_000)
    if answer["type"] == "submit_job_result":
        session.ask("cancel", target_job_id=answer["job_id"])
    return answer


def is_closed(answer: Message, name: str) -> bool:
    error = answer.get("error") or {}
    reason = (error.get("details") or {}).get("reason")
    assert reason != "untrusted" or name in error["message"], error
    return bool(answer["type"] == "error" and reason == "untrusted")


def test_every_argument_of_the_catalogue_is_closed_but_for_those_of_the_list(
    session: Session,
) -> None:
    opened: Set[Tuple[str, str, str]] = set()
    for name, tool in CATALOGUE.items():
        arguments: Dict[str, Any] = tool.input_schema["properties"]
        if tool.service is Service.UNITY:
            for argument, schema in arguments.items():
                values = [
                    value
                    for value in samples(schema)
                    if not is_closed(asked(session, name, {argument: value}), name)
                ]
                opened.update((name, argument, repr(value)) for value in values)
    of_the_list = {
        (name, argument, repr(value))
        for name, arguments in OPEN.items()
        for argument in arguments
        for value in samples(CATALOGUE[name].input_schema["properties"][argument])
    }
    assert opened == of_the_list | {("run_tests", "refresh", "False")}


def test_every_tool_of_the_plugin_is_closed_but_for_two(session: Session) -> None:
    tools = session.hello["tools"]
    assert (
        {name for name in tools if not is_closed(asked(session, name, {}), name)}
        == set(OPEN)
        < set(tools)
    )


@pytest.mark.parametrize("value", [True, 1, "false", 0, [False]])
def test_nothing_but_false_is_no_refresh(session: Session, value: Any) -> None:
    assert is_closed(asked(session, "run_tests", {"refresh": value}), "refresh")


def test_a_name_that_no_tool_has_is_closed_too(session: Session) -> None:
    answer = asked(session, "run_tests", {"mode": "edit", "new\u202ename": 1})
    assert is_closed(answer, "run_tests with") and "\u202e" not in answer["error"]["message"]


def scene(editor: HeadlessEditor, on_disk: str = "%YAML first") -> None:
    """An open scene, and then what is on disk."""
    file = editor.project / CAVE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("%YAML first", encoding="utf-8")
    editor.arrange("save-scenes", f"open-scenes {CAVE}", "forget-tests")
    editor.tests("edit|A.Cave.Goes|pass|10")
    editor.wait_until_idle()
    file.write_text(on_disk, encoding="utf-8")
    editor.forget_history()


def is_as_it_was(editor: HeadlessEditor, on_disk: str = "%YAML first") -> bool:
    words = (
        "refresh",
        "lost",
        "open-scene",
        "close-scene",
        "new-scene",
        "save",
        "enter-play",
        "request-compilation",
    )
    assert [line for line in editor.history if line.startswith(words) and "-of" not in line] == []
    return (editor.project / CAVE).read_text(encoding="utf-8") == on_disk


@pytest.mark.parametrize(
    "params",
    [
        {"refresh": True, "changed_scenes": "disk"},
        {"refresh": True, "changed_scenes": "editor"},
        {"unsaved": "save"},
        {"fixtures": [["edit", "Game", "Cave"]]},
    ],
    ids=str,
)
def test_unsaved_work_survives_what_another_user_asks_for(
    rogue: ScriptedServer, session: Session, editor: HeadlessEditor, params: Message
) -> None:
    scene(editor, "%YAML by another program")
    editor.arrange(f"scene {CAVE}")
    assert is_closed(asked(session, "run_tests", params), "run_tests with")
    assert is_as_it_was(editor, "%YAML by another program")


@pytest.mark.parametrize("mode", ["edit", "play", "all"])
def test_tests_are_refused_while_a_scene_is_not_saved(
    rogue: ScriptedServer, session: Session, editor: HeadlessEditor, mode: str, job: str
) -> None:
    scene(editor)
    editor.arrange(f"scene {CAVE}")
    assert session.submit(job, mode=mode, refresh=False)["status"] == "accepted"
    assert ended(rogue, session, job)["error"]["details"]["reason"] == "unsaved_scenes"
    assert is_as_it_was(editor)


@pytest.mark.parametrize("params", [{}, {"refresh": False}], ids=str)
def test_tests_are_refused_while_a_scene_changed_on_disk(
    rogue: ScriptedServer, session: Session, editor: HeadlessEditor, params: Message, job: str
) -> None:
    scene(editor, "%YAML by git checkout")
    assert session.submit(job, mode="edit", **params)["status"] == "accepted"
    error = ended(rogue, session, job)["error"]
    assert (error["details"]["reason"], error["details"]["scenes"]) == (
        "scene_changed_on_disk",
        [CAVE],
    )
    assert is_as_it_was(editor, "%YAML by git checkout")


def test_a_run_of_its_own_compiles_and_saves_nothing(
    rogue: ScriptedServer, session: Session, editor: HeadlessEditor, job: str
) -> None:
    scene(editor)
    assert (
        session.submit(job, mode="edit", refresh=False, include_passed=True)["status"] == "accepted"
    )
    status = ended(rogue, session, job)
    assert status["state"] == "succeeded" and status["result"]["code_fresh"] is None, status.get(
        "error"
    )
    assert is_as_it_was(editor)
