"""The settings page: the connection in words, the port and its change with roll-back."""

from __future__ import annotations

import json
import re
import shutil
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest

from tests import client_entries
from tests.ports import free_port
from tests.scripted_server import ScriptedServer, Session
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor
from unity_bridge.installation.client_plan import snippet
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Launch
from unity_bridge.serve.server_command_file import note_command
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE
from unity_bridge.version import __version__

PAGES = "https://github.com/unity-bridge/unity-bridge"


@pytest.fixture
def other() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


def drawn_once(editor: HeadlessEditor, shows: Callable[[str], bool]) -> str:
    """The page as soon as it shows what is waited for."""
    pause = threading.Event()
    for _ in range(int(HANG_GUARD_S / 0.05)):
        page = "\n".join(editor.draw_settings())
        if shows(page):
            return page
        pause.wait(0.05)
    raise AssertionError(page)


def saved_port(editor: HeadlessEditor) -> int:
    text = (editor.project / "ProjectSettings" / "UnityBridge.json").read_text(encoding="utf-8")
    return int(json.loads(text)["port"])


@pytest.mark.parametrize(
    "options, held, why",
    [
        (
            ["--batch-mode"],
            [],
            "This editor runs in batch mode. Set UNITY_BRIDGE_BATCHMODE=1 before you start it.",
        ),
        (["--import-worker"], [], "This process helps another editor."),
        ([], ["quirk no-product-name"], "It could not start; Unity's console has the error."),
    ],
)
def test_the_page_says_why_the_bridge_does_not_run(
    options: List[str], held: List[str], why: str
) -> None:
    with HeadlessEditor(free_port(), options=options, held=held) as editor:
        assert why in "\n".join(editor.draw_settings())


def test_the_page_shows_the_connection_and_the_last_requests(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    session.read_console()
    page = "\n".join(editor.draw_settings())
    assert f"Connected to unity-bridge 0.1.0 on port {server.port}." in page
    assert re.search(r"Last calls\n\d\d:\d\d:\d\d  unknown  read_console  succeeded$", page)
    assert "Tools for clients: read_console, run_tests" in page


def calls_of(editor: HeadlessEditor) -> List[str]:
    """The calls of the page without their times, the newest first."""
    page = editor.draw_settings()
    return [re.sub(r"^\d\d:\d\d:\d\d  ", "", line) for line in page[page.index("Last calls") + 1 :]]


def run(session: Session, job_id: str, client: str, command: str, **arguments: Any) -> None:
    params = {"name": command, "arguments": arguments}
    asked: Dict[str, Any] = {
        "tool_name": "run_command",
        "params": params,
        "timeout_ms": 30_000,
        "client": {"id": "c", "name": client},
    }
    session.ask("submit_job", job_id=job_id, **asked)
    session.ask("submit_job", job_id=job_id, **asked)  # as after a lost answer
    while session.job(job_id)["state"] in ("queued", "running"):
        pass


def test_the_page_shows_whose_calls_did_what_also_after_a_reload(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    run(session, "job-1", "claude-code", "create_object", name="Lamp")
    run(session, "job-2", "\u202eevil\n<b>" + "x" * 500, "no\tsuch", path="/")
    session.ask(
        "execute",
        tool_name="inspect",
        params={"what": "object", "path": "Main/Nobody"},
        timeout_ms=10_000,
    )
    session.ask("execute", tool_name="nothing", params={}, timeout_ms=10_000)
    calls = calls_of(editor)
    assert calls[0].startswith(
        "unknown  nothing  ERR_UNKNOWN_COMMAND: This plugin has no tool 'nothing'"
    )
    assert calls[1].startswith("unknown  inspect  ERR_")
    assert (
        calls[2].startswith(" evil <b>xxx")
        and "  run_command no such  failed: There is no command no such." in calls[2]
    )
    assert len(calls[2]) < 700 and "\u202e" not in calls[2]
    assert calls[3].startswith("claude-code  run_command create_object  succeeded, changed ")
    editor.reload()
    server.ready_session()
    assert calls_of(editor) == calls
    for number in range(60):
        server.latest.read_console(max_entries=1 + number)
    assert calls_of(editor) == ["unknown  read_console  succeeded"] * 50


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home with Cursor in it, and a state folder, of an editor that is started in the test."""
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_a_button_adds_the_server_to_a_client_as_a_server_was_started(state: Path) -> None:
    note_command()
    with HeadlessEditor(free_port()) as editor:
        (editor.project / "Assets").mkdir(exist_ok=True)
        version = editor.project / "ProjectSettings" / "ProjectVersion.txt"
        version.write_text("m_EditorVersion: 2022.3.1f1\n", encoding="utf-8")
        drawn_once(editor, lambda text: "[Add to cursor]" in text)
        assert "[Add to zed]" not in "\n".join(editor.draw_settings())
        noted = json.loads((state / "server-command.json").read_text(encoding="utf-8"))
        assert json_of(copied(editor, "cursor")) == json_of(
            snippet_of("cursor", editor, *noted["command"])
        )
        editor.draw_settings(click="Add to cursor")
        page = drawn_once(editor, lambda text: "Info: Wrote" in text)
        entry = json.loads(
            (state.parent / "home" / ".cursor" / "mcp.json").read_text(encoding="utf-8")
        )
        assert entry["mcpServers"]["unity-bridge"]["args"][-2:] == [
            "--project",
            str(editor.project),
        ]
        assert "Cursor notices the change" in page
        assert editor.violations() == []


@pytest.mark.parametrize(
    "words, mode",
    [
        (None, 0o600),
        (["touch", "pwned"], 0o600),
        (["/bin/sh", "-c", 'touch "pwned"'], 0o600),
        (["/bin/sh", "-c", "touch $HOME/pwned"], 0o600),
        ([], 0o600),
        ("/bin/sh", 0o600),
        # Others could have changed it.
        (["/bin/true"], 0o666),
    ],
)
def test_without_a_note_of_a_server_the_page_shows_the_entry(
    state: Path, words: Any, mode: int
) -> None:
    if words is not None:
        state.mkdir(mode=0o700)
        note = state / "server-command.json"
        note.write_text(json.dumps({"command": words}), encoding="utf-8")
        note.chmod(mode)
    with HeadlessEditor(free_port()) as editor:
        # What a repository brings counts for nothing.
        (editor.project / "server-command.json").write_text(
            json.dumps({"command": ["/bin/true"]}), encoding="utf-8"
        )
        page = "\n".join(editor.draw_settings())
        assert "No server of unity-bridge has run on this machine." in page
        assert "[Add to" not in page
        entry = copied(editor, "cursor")
        assert json_of(entry) == json_of(snippet_of("cursor", editor, "unity-bridge"))
        assert not list(state.parent.rglob("pwned")) and not list(editor.project.rglob("pwned"))


def copied(editor: HeadlessEditor, client: str) -> str:
    editor.draw_settings(click=f"Copy the entry for {client}")
    (text,) = [line for line in editor.history if line.startswith("copies ")][-1:]
    return text.partition(" ")[2].replace("\\n", "\n")


def snippet_of(client: str, editor: HeadlessEditor, *command: str) -> str:
    words = [*command, "--project", str(editor.project)]
    return snippet(CLIENTS[client], "unity-bridge", Launch.of(words)).rstrip("\n")


def test_each_client_has_its_entry_and_its_page(state: Path) -> None:
    with HeadlessEditor(free_port()) as editor:
        page = "\n".join(editor.draw_settings())
        for client in CLIENTS:
            assert f"{client}\n[Copy the entry for {client}]\n[About {client}]" in page
            entry = copied(editor, client)
            assert json_of(entry) == json_of(snippet_of(client, editor, "unity-bridge"))
        editor.draw_settings(click="About zed")
        editor.draw_settings(click="Get the bundle for Claude Desktop")
        editor.draw_settings(click="Copy this project's folder")
        assert [line for line in editor.history if line.startswith(("opens ", "copies /"))] == [
            f"opens {PAGES}/blob/v{__version__}/docs/clients/zed.md",
            f"opens {PAGES}/releases/latest",
            f"copies {editor.project}",
        ]
        assert editor.violations() == []


def json_of(entry: str) -> str:
    """An entry without the spaces between its parts, in JSON and in TOML."""
    return re.sub(r"\s+", "", entry)


def test_the_generated_entries_are_those_of_the_table_of_clients() -> None:
    assert client_entries.FILE.read_text(encoding="utf-8") == client_entries.source(), (
        "write it again: python -m tests.client_entries"
    )


def test_without_python_the_page_leads_to_the_bundle(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = state.parent / "programs"
    programs.mkdir()
    for tool in ("mono", "mcs"):
        (programs / tool).symlink_to(str(shutil.which(tool)))
    monkeypatch.setenv("PATH", str(programs))
    with HeadlessEditor(free_port()) as editor:
        page = "\n".join(editor.draw_settings())
        assert "Warning: There is no Python on this machine. Claude Desktop needs none" in page
        assert "[Get the bundle for Claude Desktop]\n[Copy this project's folder]" in page


def test_the_page_says_when_no_client_is_found(state: Path) -> None:
    (state.parent / "home" / ".cursor").rmdir()
    note_command()
    with HeadlessEditor(free_port()) as editor:
        page = drawn_once(editor, lambda text: "No client was found on this machine." in text)
        assert "[Add to" not in page and "[About kiro]" in page


def test_the_page_says_when_no_server_answers(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    server.ready_session()
    server.stop()
    page = drawn_once(editor, lambda text: "No server answers" in text)
    assert "connects by itself" in page


def test_a_port_that_answers_is_taken_and_kept(
    server: ScriptedServer, other: ScriptedServer, editor: HeadlessEditor
) -> None:
    old = server.ready_session()
    editor.draw_settings(port=other.port, click="Apply")
    new = other.ready_session()
    old.wait_closed()
    assert old.close_code == 1000
    drawn_once(editor, lambda text: f"on port {other.port}" in text and "Trying" not in text)
    assert new.read_console()["count"] == 0
    editor.reload()
    other.ready_session()
    assert saved_port(editor) == other.port


def test_a_port_without_a_server_is_rolled_back(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    port = free_port()
    session = server.ready_session()
    assert any(
        "Trying the new port" in line for line in editor.draw_settings(port=port, click="Apply")
    )
    # During the change the old session works, and a second change has to wait.
    assert session.read_console()["count"] == 0
    page = "\n".join(editor.draw_settings(port=port + 1, click="Apply"))
    assert f"The change to port {port} is not finished" in page
    page = drawn_once(editor, lambda text: "stays on port" in text)
    assert not session.is_closed
    assert f"Connected to unity-bridge 0.1.0 on port {server.port}." in page
    assert saved_port(editor) == server.port


def test_a_server_that_refuses_the_hello_is_rolled_back(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.ready_session()
    with ScriptedServer(greets=False) as refusing:
        editor.draw_settings(port=refusing.port, click="Apply")
        refused = refusing.session()
        refused.send(
            "error", error={"code": "ERR_INVALID_REQUEST", "message": "another editor is here"}
        )
        refused.close()
        page = drawn_once(editor, lambda text: "stays on port" in text)
    assert "another editor is here" in page
    assert not session.is_closed and saved_port(editor) == server.port


def test_a_reload_in_the_middle_of_a_change_keeps_the_old_port(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    server.ready_session()
    with ScriptedServer(greets=False) as silent:
        editor.draw_settings(port=silent.port, click="Apply")
        silent.session()
        editor.reload()
        server.ready_session()
        assert saved_port(editor) == server.port


@pytest.mark.parametrize("port", [70000, -1])
def test_an_invalid_port_is_refused_at_once(
    server: ScriptedServer, editor: HeadlessEditor, port: int
) -> None:
    session = server.ready_session()
    editor.draw_settings(port=port, click="Apply")
    page = drawn_once(editor, lambda text: "from 1 to 65535" in text)
    assert f"on port {server.port}" in page and not session.is_closed


def test_settings_that_make_no_sense_fall_back_to_the_default() -> None:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        server.ready_session()
        for text in ("", "{", "[]", '{"port": "x"}', '{"port": 0}', '{"port": 65536}'):
            (editor.project / "ProjectSettings" / "UnityBridge.json").write_text(
                text, encoding="utf-8"
            )
            editor.reload()
            page: List[str] = editor.draw_settings()
            assert "Port <8091>" in page, text
