"""Who speaks: the plugin proves itself, believes a server that has proved itself, and no other
(SPEC §17).
"""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from tests.e2e.bridge_process import BridgeProcess
from tests.ports import free_port
from tests.scripted_server import ScriptedServer, Session, ids
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.result import Ok
from unity_bridge.trust.plugin_challenge import ProofVerdict, challenge
from unity_bridge.trust.proof import OPENING, OPENING_HEADER, is_nonce, proof
from unity_bridge.trust.secret import shared_secret
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state folder of this file's servers and editor; nothing is in it yet."""
    folder = tmp_path_factory.mktemp("home") / "state"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(STATE_DIR_VARIABLE, str(folder))
        yield folder


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def editor(state: Path, port: int) -> Iterator[HeadlessEditor]:
    """One editor for all tests; each plays a server of its own on the editor's port."""
    with HeadlessEditor(port) as headless:
        yield headless
        assert headless.violations() == []


@pytest.fixture
def server(editor: HeadlessEditor, port: int) -> Iterator[ScriptedServer]:
    with ScriptedServer(port) as scripted:
        yield scripted


@pytest.fixture
def silent(editor: HeadlessEditor, port: int) -> Iterator[ScriptedServer]:
    """Greets when the test says so."""
    with ScriptedServer(port, greets=False) as scripted:
        yield scripted


def compile_of(session: Session, job_id: str) -> Dict[str, Any]:
    answer = session.submit(job_id, tool="compile")
    return dict(answer.get("error", answer))


def is_untrusted(error: Dict[str, Any]) -> bool:
    details = {"reason": "untrusted", "execution_guarantee": "not_executed"}
    return bool(error.get("code") == "ERR_UNITY_EXECUTION" and error["details"] == details)


def test_both_prove_themselves_and_all_tools_are_carried_out(server: ScriptedServer) -> None:
    session = server.session()
    secret = shared_secret()
    assert isinstance(secret, Ok)
    assert session.headers[OPENING_HEADER] == proof(secret.value, OPENING, session.ends, "", "")
    assert is_nonce(session.hello["nonce"]) and session.challenge is not None
    proved = session.expect_that(lambda heard: "proof" in heard, "a proof")
    assert session.challenge.verdict(proved["proof"]) is ProofVerdict.PROVEN
    assert proved["type"] == "editor_status"
    assert compile_of(session, "trusted-1")["status"] == "accepted"
    session.messages_in_console()
    assert len([heard for heard in session.heard("editor_status") if "proof" in heard]) == 1


def test_it_proves_itself_again_after_a_reload(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    nonce = server.session().hello["nonce"]
    editor.reload()
    session = server.session()
    assert session.challenge is not None and session.hello["nonce"] != nonce
    proved = session.expect_that(lambda heard: "proof" in heard, "a proof")
    assert session.challenge.verdict(proved["proof"]) is ProofVerdict.PROVEN


def test_the_page_says_that_the_server_is_trusted(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    server.session().messages_in_console()
    page = "\n".join(editor.draw_settings())
    assert (
        "The server has proved that it runs as your user: trusted." in page
        and "Not trusted" not in page
    )


def test_a_trusted_servers_jobs_are_closed_to_one_without_proof(
    editor: HeadlessEditor, port: int
) -> None:
    with ScriptedServer(port) as trusted:
        assert compile_of(trusted.session(), "private-1")["status"] == "accepted"
        # Of a tool that is open to both.
        assert trusted.latest.submit("private-2", filter="Nothing")["status"] == "accepted"
    with ScriptedServer(port, proves=False) as other:
        session = other.session()
        for job in ("private-1", "private-2"):
            assert job in ids(session.hello)
            assert is_untrusted(session.job(job)["error"])
            assert is_untrusted(session.ask("cancel", target_job_id=job)["error"])
    with ScriptedServer(port) as trusted:
        assert trusted.session().job("private-1")["state"] in ("queued", "running", "succeeded")


def test_a_server_without_proof_reads_the_console_and_runs_tests_and_no_more(
    editor: HeadlessEditor, port: int
) -> None:
    with ScriptedServer(port, proves=False) as server:
        check_that_it_gets_no_more(server.session(), editor)


def check_that_it_gets_no_more(session: Session, editor: HeadlessEditor) -> None:
    assert is_untrusted(compile_of(session, "untrusted-1"))
    assert session.job("untrusted-1")["error"]["code"] == "ERR_JOB_NOT_FOUND"
    values = {"path": "/Lamp", "values": {"name": "Torch"}}
    change = session.submit("untrusted-3", tool="run_command", name="set_fields", arguments=values)
    assert is_untrusted(change["error"])
    session.messages_in_console()
    assert session.submit("untrusted-2", filter="Nothing")["status"] == "accepted"
    assert session.job("untrusted-2")["type"] == "job_status"
    assert session.ask("cancel", target_job_id="untrusted-2")["type"] == "cancel_result"
    assert not any("proof" in heard for heard in session.heard("editor_status"))
    page = "\n".join(editor.draw_settings())
    assert (
        "Not trusted: the server may read the console and run tests, and no more. It sent no proof"
        in page
    )


def test_a_server_that_requires_trust_takes_it_for_its_proof(
    editor: HeadlessEditor, port: int, state: Path, tmp_path: Path
) -> None:
    """Before that one of another user refuses it: neither can prove anything to the other."""
    strict = {
        "UNITY_BRIDGE_REQUIRE_TRUSTED_PLUGIN": "true",
        "UNITY_BRIDGE_REQUEST_RECONNECT_WAIT_MS": "200",
    }
    with BridgeProcess(port, tmp_path, **strict):
        editor.wait_for(
            "refused this editor: this server takes only a plugin that proves.*Its proof is wrong"
        )
    with BridgeProcess(port, state, **strict) as ours:
        while "error" in ours.call("read_console"):
            pass  # until it has come back and proved itself
        assert ours.call("get_editor_state")["trusted"] is True


def greeted(session: Session, **hello: Any) -> Session:
    session.expect("hello")
    session.send("hello", server_version="0.1.0", state="ready", **hello)
    session.send("capability", tools=[])
    session.messages_in_console()
    return session


@pytest.mark.parametrize(
    "wrong",
    [
        "another connection",
        "another port",
        "another secret",
        "capitals",
        "our own nonce",
        "no nonce",
        "a number",
    ],
)
def test_a_wrong_proof_is_refused(
    silent: ScriptedServer, editor: HeadlessEditor, wrong: str
) -> None:
    session = silent.session()
    secret = shared_secret()
    assert isinstance(secret, Ok)
    key = b"x" * 32 if wrong == "another secret" else secret.value
    nonce = session.expect("hello")["nonce"]
    ends = session.ends
    if wrong == "another connection":  # what a program in between has with the server
        ends = replace(ends, client="127.0.0.1:1")
    elif wrong == "another port":
        ends = replace(ends, server=f"127.0.0.1:{silent.port + 1}")
    made = challenge(nonce, key, ends)
    assert made is not None
    hello: Dict[str, Any] = {"nonce": made.nonce, "proof": made.proof}
    if wrong == "capitals":
        hello["proof"] = made.proof.upper()
    elif wrong == "our own nonce":
        hello["nonce"] = nonce
    elif wrong == "no nonce":
        hello["nonce"] = made.nonce + "!"
    elif wrong == "a number":
        hello["proof"] = 1
    greeted(session, **hello)
    assert is_untrusted(compile_of(session, "wrong"))
    assert not any("proof" in heard for heard in session.heard("editor_status"))
    page = "\n".join(editor.draw_settings())
    if wrong.startswith("another "):
        assert (
            "Its proof is wrong: another secret, or a program between" in page
            and os.environ[STATE_DIR_VARIABLE] in page
        )


def names_in(state: Path) -> List[str]:
    """What lies in the state folder next to the one where editors wait."""
    return sorted(path.name for path in state.iterdir() if path.name != "waiting")


def arranged(state: Path, what: str) -> None:
    """Something in the place of the secret's file."""
    state.mkdir(parents=True, exist_ok=True)
    file = state / "attach-secret"
    (state / "server-command.json").unlink(missing_ok=True)  # of a server of an earlier test
    if os.path.lexists(file):
        file.unlink()
    elsewhere = state.parent / "elsewhere"
    elsewhere.write_bytes(b"x" * 32)
    elsewhere.chmod(0o600)
    if what.startswith("mode "):
        file.write_bytes(b"x" * 32)
        file.chmod(int(what[5:], 8))
    elif what == "a link":
        file.symlink_to(elsewhere)
    elif what == "a link to nowhere":
        file.symlink_to(state.parent / "nowhere")
    elif what == "a pipe":
        os.mkfifo(file, 0o600)
    elif what == "empty":
        file.touch(0o600)


@pytest.mark.parametrize(
    "found",
    [
        "nothing",
        "no folder",
        "mode 644",
        "mode 622",
        "mode 0",
        "a link",
        "a link to nowhere",
        "a pipe",
        "empty",
    ],
)
def test_the_plugin_makes_the_secret_as_the_server_does(
    silent: ScriptedServer, state: Path, found: str
) -> None:
    session = silent.session()
    arranged(state, found)
    if found == "no folder":
        shutil.rmtree(state)
    # It looks at its secret when a server says that it has proved itself.
    greeted(session, nonce="0" * 32, proof="0" * 64)
    if not (
        found == "mode 0" and os.geteuid() == 0
    ):  # root can read what is closed to its owner, here as in Python
        made = (state / "attach-secret").read_bytes()
        assert len(made) == 32 and made != b"x" * 32
        assert stat.S_IMODE(os.lstat(state / "attach-secret").st_mode) == 0o600
    assert names_in(state) == ["attach-secret"]
    if found == "no folder":
        assert stat.S_IMODE(state.stat().st_mode) == 0o700
    silent.greets = True
    session.close()
    assert compile_of(silent.session(), f"after {found}")["status"] == "accepted"


def test_a_folder_in_the_place_of_the_secret_is_moved_aside(
    silent: ScriptedServer, state: Path
) -> None:
    session = silent.session()
    arranged(state, "nothing")
    (state / "attach-secret").mkdir()
    (state / "attach-secret" / "kept").write_text("x")
    greeted(session, nonce="0" * 32, proof="0" * 64)
    assert len((state / "attach-secret").read_bytes()) == 32
    (aside,) = state.glob("attach-secret.folder-*")
    assert (aside / "kept").read_text() == "x"
    shutil.rmtree(aside)


def test_a_link_to_a_folder_is_replaced_and_the_folder_stays(
    silent: ScriptedServer, state: Path
) -> None:
    session = silent.session()
    arranged(state, "nothing")
    target = state.parent / "linked"
    target.mkdir(exist_ok=True)
    (state / "attach-secret").symlink_to(target)
    greeted(session, nonce="0" * 32, proof="0" * 64)
    assert len((state / "attach-secret").read_bytes()) == 32
    assert target.is_dir() and names_in(state) == ["attach-secret"]


def test_a_file_in_the_place_of_the_state_folder_is_reported(
    silent: ScriptedServer, editor: HeadlessEditor, state: Path
) -> None:
    session = silent.session()
    aside = state.rename(state.parent / "aside")
    state.write_text("in the way")
    try:
        greeted(session, nonce="0" * 32, proof="0" * 64)
        assert is_untrusted(compile_of(session, "folder"))
        page = "\n".join(editor.draw_settings())
        assert (
            f"This editor has no secret to compare with: {state / 'attach-secret'} cannot be used: it cannot"
            in page
        )
    finally:
        state.unlink()
        aside.rename(state)
