"""Who speaks: what a plugin proves, and the report about one that does not (SPEC §17)."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Optional

import pytest

from tests.catalogue.samples import OPEN, samples
from tests.fakes import SECRET, FakeEditor, InMemoryBridge, PendingCall
from tests.tool_results import CONSOLE, PASSED
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.before_proof import what_is_closed
from unity_bridge.config import Config
from unity_bridge.trust.proof import PLUGIN, SERVER, Ends, is_nonce, proof
from unity_bridge.unity.close_codes import POLICY_VIOLATION


def trusted(bridge: InMemoryBridge) -> Optional[bool]:
    state: Optional[bool] = bridge.agent.calls("get_editor_state").answer["trusted"]
    return state


def advice(bridge: InMemoryBridge) -> str:
    return str(bridge.agent.calls("get_editor_state").answer["editor"]["untrusted"])


def with_nonce(bridge: InMemoryBridge) -> FakeEditor:
    """An editor whose hello has a nonce, and that has proved nothing yet."""
    editor = bridge.editor
    said = {
        "editor_instance_id": editor.instance_id,
        "project_path": editor.project,
        "tools": list(CATALOGUE),
    }
    return editor.opens().says(
        "hello", plugin_version="1.1.0", state="ready", nonce=editor.nonce, jobs=[], **said
    )


def ends_of(editor: FakeEditor) -> Ends:
    assert editor.peer is not None
    return editor.peer.ends


def the_proof(editor: FakeEditor, secret: bytes = SECRET, ends: Optional[Ends] = None) -> str:
    return proof(
        secret, PLUGIN, ends or ends_of(editor), editor.last("hello")["nonce"], editor.nonce
    )


def warnings(caplog: pytest.LogCaptureFixture) -> List[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_server_and_plugin_prove_to_each_other_who_they_are(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    hello = editor.last("hello")
    assert is_nonce(hello["nonce"]) and hello["nonce"] != editor.nonce
    assert hello["proof"] == proof(SECRET, SERVER, ends_of(editor), editor.nonce, hello["nonce"])
    assert trusted(bridge) is None
    editor.says("editor_status", state="ready", seq=1, proof=the_proof(editor))
    assert trusted(bridge) is True
    assert "untrusted" not in bridge.agent.calls("get_editor_state").answer["editor"]


@pytest.mark.parametrize(
    "kind, fields",
    [
        ("pong", {}),
        ("ping", {}),
        ("result", {"request_id": "r", "status": "ok"}),
        ("job_status", {"request_id": "r", "job_id": "j", "state": "running"}),
        ("error", {"error": {"code": "ERR_UNKNOWN_COMMAND", "message": "what is a capability?"}}),
    ],
)
def test_the_proof_may_come_in_any_message(
    bridge: InMemoryBridge, kind: str, fields: Dict[str, Any]
) -> None:
    editor = with_nonce(bridge)
    bridge.advance(1.9)
    editor.says(kind, **fields, proof=the_proof(editor))
    assert trusted(bridge) is True


def test_a_proof_is_not_lost_in_a_later_status(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    assert editor.peer is not None
    said = '{"type": "editor_status", "protocol_version": 1, "state": "compiling", "seq": %d%s}'
    for seq, more in (
        (1, ""),
        (3, f', "proof": "{the_proof(editor)}"'),
        (2, ""),
        (4, ', "proof": "again"'),
    ):
        bridge.unity.peer_said(editor.peer, said % (seq, more))
    bridge.drain()
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["trusted"], state["last_editor_status_seq"]) == (True, 4)


def test_no_editor_no_trust(bridge: InMemoryBridge) -> None:
    assert trusted(bridge) is None


def test_a_plugin_without_a_nonce_is_not_asked_for_anything(
    bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture
) -> None:
    bridge.editor.secret = None
    bridge.editor.connects()
    assert not {"nonce", "proof"} & set(bridge.editor.last("hello"))
    assert trusted(bridge) is False and "plugin update" in advice(bridge)
    bridge.editor.says("pong", proof="0" * 64)
    assert (
        trusted(bridge) is False and bridge.editor.peer is not None and bridge.editor.peer.is_open
    )
    # It reloads all day, and is doubted once.
    bridge.editor.reloads().connects().reloads().connects()
    assert len([text for text in warnings(caplog) if "prove" in text]) == 1


def test_a_plugin_without_a_proof_is_unproven_after_two_seconds(
    bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture
) -> None:
    editor = with_nonce(bridge)
    bridge.advance(1.9)
    assert "ask again" in advice(bridge) and not warnings(caplog)[1:]  # the versions differ
    bridge.advance(0.1)
    assert trusted(bridge) is False and "UNITY_BRIDGE_STATE_DIR" in advice(bridge)
    assert len([text for text in warnings(caplog) if "has not proved" in text]) == 1
    assert editor.peer is not None and editor.peer.is_open


def test_a_late_proof_still_counts(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    bridge.advance(4.0)
    assert trusted(bridge) is False
    editor.says("pong", proof=the_proof(editor))
    assert trusted(bridge) is True
    bridge.advance(4.0)
    assert trusted(bridge) is True


@pytest.mark.parametrize(
    "kind", ["another user", "another connection", "another port", "nothing", "our own"]
)
def test_a_wrong_proof_closes_the_session(
    bridge: InMemoryBridge, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    editor = with_nonce(bridge)
    given = {
        "another user": the_proof(editor, b"x" * 32),
        "another connection": the_proof(
            editor, ends=replace(ends_of(editor), client="127.0.0.1:1")
        ),
        "another port": the_proof(editor, ends=replace(ends_of(editor), server="127.0.0.1:1")),
        "nothing": "",
        "our own": editor.last("hello")["proof"],
    }[kind]
    editor.says("editor_status", state="compiling", seq=1, proof=given)
    assert editor.peer is not None and editor.peer.closed_with is not None
    assert editor.peer.closed_with[0] == POLICY_VIOLATION
    assert editor.last("error")["error"]["code"] == "ERR_INVALID_REQUEST"
    state = bridge.agent.calls("get_editor_state").answer
    assert (state["connected"], state["trusted"], state["editor_state"]) == (False, None, "unknown")
    assert len([text for text in warnings(caplog) if "the proof is wrong" in text]) == 1


def test_repeated_wrong_proofs_are_logged_now_and_then(
    bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(30):
        editor = with_nonce(bridge)
        editor.says("pong", proof="wrong").vanishes()
        bridge.advance(0.3)
    assert len([text for text in warnings(caplog) if "the proof is wrong" in text]) == 1


def test_a_proven_plugin_need_not_prove_itself_again(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().says("pong", proof="anything")
    assert trusted(bridge) is True


def test_each_connection_has_its_own_proof(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    old = the_proof(editor)
    editor.vanishes()
    with_nonce(bridge)
    editor.says("pong", proof=old)
    assert editor.peer is not None and not editor.peer.is_open


def test_a_second_hello_changes_nothing(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    asked = editor.last("hello")
    editor.says("hello", plugin_version="1.1.0", state="ready", nonce="f" * 16)
    assert editor.last("hello") == asked
    editor.says("pong", proof=the_proof(editor))
    assert trusted(bridge) is True


def test_a_server_without_a_secret_says_so(
    bridge: InMemoryBridge, caplog: pytest.LogCaptureFixture
) -> None:
    bridge.secret = Err("/state/attach-secret cannot be used: Permission denied")
    editor = with_nonce(bridge)
    assert not {"nonce", "proof"} & set(editor.last("hello"))
    assert trusted(bridge) is False and "no secret" in advice(bridge)
    assert any("Permission denied" in text for text in warnings(caplog))


def test_a_hello_that_is_refused_is_not_asked_for_a_proof(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    another = bridge.another_editor().connects()
    assert another.peer is not None and not another.heard("hello")
    assert trusted(bridge) is True


# What a plugin without a proof does not get (SPEC §17.2).


def old_plugin(bridge: InMemoryBridge) -> FakeEditor:
    bridge.editor.secret = None
    return bridge.editor


def was_refused_untrusted(call: PendingCall) -> bool:
    details = call.error["details"]
    return (call.code, call.guarantee, details["reason"]) == (
        "ERR_UNITY_EXECUTION",
        "not_executed",
        "untrusted",
    )


def test_a_plugin_without_a_proof_gets_the_tools_of_version_1_and_no_more(
    bridge: InMemoryBridge,
) -> None:
    old_plugin(bridge).connects()
    refused = bridge.agent.compiles()
    assert was_refused_untrusted(refused) and "plugin update" in refused.error["message"]
    assert refused.error["retryable"] is False and not bridge.stores.jobs.all()
    job = bridge.agent.runs_tests()
    assert bridge.editor.last("submit_job")["job_id"] == job
    bridge.editor.accepts_job()
    call = bridge.agent.calls("read_console")
    bridge.editor.answers(CONSOLE)
    assert call.answer["count"] == 0
    assert [sent["tool_name"] for sent in bridge.editor.heard("submit_job")] == ["run_tests"]


def test_what_is_not_in_the_list_is_closed() -> None:
    for tool in CATALOGUE.values():
        for name, schema in tool.input_schema["properties"].items():
            for value in samples(schema):
                opens = name in OPEN.get(tool.name, ()) or (tool.name, name, value) == (
                    "run_tests",
                    "refresh",
                    False,
                )
                assert (what_is_closed(tool.name, {name: value}, {}) is None) is opens, (
                    tool.name,
                    name,
                    value,
                )


@pytest.mark.parametrize(
    "wish",
    [{"unsaved": "save"}, {"changed_scenes": "disk"}, {"fixtures": [["edit", "Game", "Keep"]]}],
    ids=str,
)
def test_a_run_that_would_save_or_discard_is_refused(
    bridge: InMemoryBridge, wish: Dict[str, Any]
) -> None:
    old_plugin(bridge).connects()
    refused = bridge.agent.calls("run_tests", **wish)
    assert (
        was_refused_untrusted(refused)
        and f"run_tests with {next(iter(wish))}" in refused.error["message"]
    )
    assert not bridge.editor.heard("submit_job")


@pytest.mark.parametrize(
    "tools", [None, ["read_console", "run_tests"]], ids=["first plugins", "newer plugins"]
)
def test_nothing_is_compiled_before_the_tests_and_the_result_says_so(
    bridge: InMemoryBridge, tools: Optional[List[str]]
) -> None:
    old_plugin(bridge).connects(tools=tools)
    job = bridge.agent.runs_tests(filter="Keep", refresh=True)
    sent = bridge.editor.last("submit_job")["params"]
    fixed = {} if tools is None else {"refresh": False}
    assert sent == {"mode": "all", "filter": "Keep", "include_passed": False, **fixed}
    bridge.editor.accepts_job()
    bridge.advance(1)
    bridge.editor.reports_job(
        "succeeded", result={**PASSED, "code_fresh": True, "remarks": ["Slow."]}
    )
    result = bridge.agent.asks(job).answer["result"]
    assert (
        result["code_fresh"] is None
        and result["remarks"][0] == "Slow."
        and "Nothing was" in result["remarks"][1]
    )


def test_a_read_has_only_the_arguments_of_the_list(bridge: InMemoryBridge) -> None:
    old_plugin(bridge).connects()
    bridge.agent.calls("read_console", contains="x")
    assert set(bridge.editor.last("execute")["params"]) <= set(OPEN["read_console"])


def test_nothing_is_refused_in_the_moment_after_a_reload(bridge: InMemoryBridge) -> None:
    bridge.editor.connects().reloads()
    before = bridge.agent.compiles()
    editor = with_nonce(bridge)
    after = bridge.agent.compiles(force=True)
    bridge.advance(1.9)
    assert not before.is_answered and not after.is_answered and not editor.heard("submit_job")
    assert not bridge.stores.jobs.all(), "no job is issued before it is known whether it may run"
    editor.says("pong", proof=the_proof(editor))
    assert editor.last("submit_job")["params"] == {
        "force": False,
        "warnings": False,
        "changed_scenes": "refuse",
    }


def test_calls_that_need_trust_are_refused_once_no_proof_came(bridge: InMemoryBridge) -> None:
    editor = with_nonce(bridge)
    waiting, read = bridge.agent.compiles(), bridge.agent.calls("read_console")
    bridge.advance(1.9)
    assert not waiting.is_answered and not editor.heard("execute"), "nothing overtakes"
    bridge.advance(0.1)
    assert was_refused_untrusted(waiting) and "UNITY_BRIDGE_STATE_DIR" in waiting.error["message"]
    editor.answers(CONSOLE)
    assert read.is_answered
    assert was_refused_untrusted(bridge.agent.compiles())
    editor.says("pong", proof=the_proof(editor))
    bridge.agent.compiles()
    assert editor.heard("submit_job")


def test_questions_never_wait_for_a_proof(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
    job = bridge.agent.runs_tests()
    bridge.editor.accepts_job().vanishes()
    with_nonce(bridge)
    assert bridge.agent.asks(job).answer["stale"] is True
    assert bridge.agent.calls("cancel_job", job_id=job).answer["status"] == "cancel_requested"
    assert not bridge.editor.heard("cancel")
    bridge.editor.says("pong", proof=the_proof(bridge.editor))
    assert bridge.editor.heard("cancel")


def test_a_server_without_a_secret_refuses_calls_that_need_trust(bridge: InMemoryBridge) -> None:
    bridge.secret = Err("Permission denied")
    with_nonce(bridge)
    refused = bridge.agent.compiles()
    assert was_refused_untrusted(refused) and "doctor" in refused.error["message"]


def test_a_job_that_was_issued_does_not_reach_a_plugin_that_is_not_trusted(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    read, queued = bridge.agent.calls("read_console"), bridge.agent.compiles(wait_ms=0)
    bridge.editor.vanishes()
    bridge.advance(2.5)
    assert read.is_answered
    old_plugin(bridge).connects()
    assert not bridge.editor.heard("submit_job")
    status = bridge.agent.asks(queued.answer["job_id"]).answer
    assert status["state"] == "failed"


def test_a_submission_that_was_lost_is_not_repeated_to_a_plugin_that_is_not_trusted(
    bridge: InMemoryBridge,
) -> None:
    bridge.editor.connects()
    job = bridge.agent.compiles(wait_ms=0).answer["job_id"]
    bridge.editor.vanishes()
    bridge.advance(2.5)
    old_plugin(bridge).connects()
    bridge.editor.refuses("get_job_status", "ERR_JOB_NOT_FOUND")
    assert not bridge.editor.heard("submit_job")
    status = bridge.agent.asks(job).answer
    assert (status["state"], status["error"]["details"]["reason"]) == ("failed", "untrusted")


def test_an_unknown_tool_of_an_old_plugin_stays_an_unknown_tool(bridge: InMemoryBridge) -> None:
    old_plugin(bridge).connects(tools=None)
    assert bridge.agent.compiles().code == "ERR_UNKNOWN_COMMAND"


# require_trusted_plugin


@pytest.fixture
def strict() -> Iterator[InMemoryBridge]:
    """A server that takes trusted plugins only."""
    wired = InMemoryBridge(Config(require_trusted_plugin=True))
    yield wired
    wired.stop()
    assert wired.open_requests == []


def test_a_plugin_that_proves_it_is_served(strict: InMemoryBridge) -> None:
    strict.editor.connects()
    assert trusted(strict) is True


@pytest.mark.parametrize("kind", ["no nonce", "no secret", "no proof"])
def test_an_unproven_plugin_is_refused_if_trust_is_required(
    strict: InMemoryBridge, kind: str
) -> None:
    if kind == "no secret":
        strict.secret = Err("Permission denied")
    editor = old_plugin(strict).connects() if kind == "no nonce" else with_nonce(strict)
    call = strict.agent.calls("read_console")
    assert strict.agent.calls("get_editor_state").answer["connected"] is False
    strict.advance(2.0)
    assert editor.peer is not None and not editor.peer.is_open and not editor.heard("execute")
    assert "require_trusted_plugin" in editor.last("error")["error"]["message"]
    strict.advance(0.5)
    assert (
        call.code == "ERR_EDITOR_NOT_READY"
        and "connected and was refused: this server takes only" in call.error["message"]
    )
    state = strict.agent.calls("get_editor_state").answer
    assert "require_trusted_plugin" in state["listener"]["refused"]
    strict.advance(10)
    assert "refused" not in strict.agent.calls("get_editor_state").answer["listener"], (
        "it has gone since"
    )


def test_the_same_process_has_to_prove_it_again(strict: InMemoryBridge) -> None:
    strict.editor.connects()
    editor = strict.another_editor("editor-1")
    editor.secret = None
    editor.connects()
    assert editor.peer is not None and not editor.peer.is_open and trusted(strict) is True
