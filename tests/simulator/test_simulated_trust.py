"""The simulated plugin proves who it is to a server that has, and does little for one that has not
(SPEC §17).
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import pytest

from tests.faulty_editor.dialects import DIALECTS
from tests.scripted_server import Session
from unity_bridge.base.result import Ok
from unity_bridge.trust.proof import OPENING, OPENING_HEADER, is_nonce, new_nonce, proof
from unity_bridge.trust.secret import shared_secret

Open = Callable[..., Any]


def asked(session: Session) -> str:
    """Greets the plugin as a server that proves who it is; the proof that it asks for."""
    assert is_nonce(session.hello["nonce"])
    session.greet()
    assert session.challenge is not None
    return session.challenge.expected


def refusal(session: Session, tool: str) -> Dict[str, Any]:
    answer = session.submit(f"job of {tool}", tool=tool)
    return dict(answer.get("error", {}))


def test_it_proves_who_it_is_in_its_first_message(server: Any, open_editor: Open) -> None:
    open_editor()
    session = server.session()
    assert session.expect("editor_status", seq=1, proof=asked(session))["state"] == "ready"
    assert refusal(session, "compile") == {}


def test_its_handshake_shows_whose_it_is(server: Any, open_editor: Open) -> None:
    open_editor()
    session, secret = server.session(), shared_secret()
    assert isinstance(secret, Ok)
    expected = proof(secret.value, OPENING, session.ends, "", "")
    assert session.headers[OPENING_HEADER] == expected


def test_every_session_has_its_own_nonce(server: Any, open_editor: Open) -> None:
    open_editor()
    first = server.session()
    first.accept()
    first.drop()
    assert server.session().hello["nonce"] != first.hello["nonce"]


@pytest.mark.parametrize(
    "said", [{}, {"nonce": new_nonce()}, {"nonce": new_nonce(), "proof": "0" * 64}]
)
def test_a_server_without_the_proof_gets_the_tools_of_version_1(
    server: Any, open_editor: Open, said: Dict[str, str]
) -> None:
    open_editor()
    session = server.session()
    session.send("hello", server_version="1", **said)
    error = refusal(session, "compile")
    assert error["code"] == "ERR_UNITY_EXECUTION"
    assert error["details"] == {"reason": "untrusted", "execution_guarantee": "not_executed"}
    # The run comes last: it enters play mode, and the reload ends this connection.
    assert session.read_console()["count"] >= 0 and refusal(session, "run_tests") == {}
    assert not any("proof" in status for status in session.heard("editor_status"))


def test_the_jobs_of_a_trusted_server_are_closed_to_one_without_proof(
    server: Any, open_editor: Open
) -> None:
    open_editor()
    first = server.session()
    asked(first)
    assert refusal(first, "compile") == {}
    first.drop()
    second = server.session()
    assert second.hello["nonce"]
    second.send("hello", server_version="1")
    for answer in (
        second.job("job of compile"),
        second.ask("cancel", target_job_id="job of compile"),
    ):
        assert answer["error"]["details"]["reason"] == "untrusted"


def test_the_dialect_without_a_proof_sends_none(server: Any, open_editor: Open) -> None:
    open_editor(dialect=DIALECTS["no-proof"])
    session = server.session()
    assert asked(session)
    assert refusal(session, "compile") == {} and session.heard("editor_status") == []


def test_the_dialect_with_a_wrong_proof_sends_another(server: Any, open_editor: Open) -> None:
    open_editor(dialect=DIALECTS["wrong-proof"])
    session = server.session()
    right = asked(session)
    assert session.expect("editor_status")["proof"] != right


@pytest.mark.parametrize("dialect", ["minimal", "versionless"])
def test_plugins_of_the_founding_protocol_ask_for_nothing(
    server: Any, open_editor: Open, dialect: str
) -> None:
    open_editor(dialect=DIALECTS[dialect])
    session = server.session()
    assert "nonce" not in session.accept()
    assert session.challenge is None
