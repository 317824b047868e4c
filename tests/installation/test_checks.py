"""Make each broken set-up; the check must name it and its fix."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from tests.installation.findings import bad, only
from tests.installation.unity_projects import make_project, opened
from unity_bridge.base.result import Err, Ok
from unity_bridge.installation import checks, command_line
from unity_bridge.installation.command_line import ours
from unity_bridge.installation.findings import Verdict
from unity_bridge.installation.package_copy import PACKAGE_NAME
from unity_bridge.installation.plugin_package import embed, refer
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.projects.editor_log import LogContent
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.unity.handshake import Rejection
from unity_bridge.version import __version__

# This Python


def test_every_python_that_starts_this_can_serve_and_an_old_one_lacks_the_demo() -> None:
    assert checks.python((3, 8)).verdict is checks.python((3, 10)).verdict is Verdict.OK
    assert "demo" in checks.python((3, 8)).message and "3.10" in checks.python((3, 8)).message
    assert "demo" not in checks.python((3, 10)).message


def test_half_an_environment_is_completed_by_one_command() -> None:
    finding = checks.packages(["click>=8.1,<9", 'mcp>=2.3,<3; python_version >= "3.10"'])

    assert finding.verdict is Verdict.BAD
    assert "mcp>=2.3,<3" in finding.message
    assert (
        finding.remedy is not None
        and "-m pip install 'click>=8.1,<9' 'mcp>=2.3,<3'" in finding.remedy.replace('"', "'")
    )
    assert checks.packages([]).verdict is Verdict.OK


def test_a_configuration_that_stops_the_server_is_reported_in_its_own_words() -> None:
    assert (
        only(checks.configuration("ERR_CONFIG_PARSE: x", None, 8091, "")).message
        == "ERR_CONFIG_PARSE: x"
    )


def test_the_configuration_says_what_decided_on_the_port() -> None:
    found = only(checks.configuration(None, "c.json", 8092, "option --port"))
    assert (
        found.verdict is Verdict.OK and found.message == "c.json; the port is 8092 (option --port)"
    )

    broken = checks.configuration(
        None, None, 8091, "the default", ["X is not valid JSON, so it does not count"]
    )
    assert [finding.verdict for finding in broken] == [Verdict.OK, Verdict.BAD]


# The machine


@pytest.mark.parametrize(
    "addresses, verdict",
    [
        (["127.0.0.1"], Verdict.OK),
        (["127.0.0.1", "::1"], Verdict.OK),
        (["::1"], Verdict.BAD),
        ([], Verdict.BAD),
    ],
)
def test_localhost_must_mean_the_address_that_is_listened_on(
    addresses: List[str], verdict: Verdict
) -> None:
    assert checks.localhost(addresses).verdict is verdict


# The secret, and who has proved to have it


def test_a_missing_secret_is_reported_with_the_variable_that_moves_it() -> None:
    assert checks.secret(Ok(b"x" * 32)).verdict is Verdict.OK
    refused = checks.secret(Err("/home/me/.local/state cannot be used: Permission denied"))
    assert refused.verdict is Verdict.BAD and "Permission denied" in refused.message
    assert "UNITY_BRIDGE_STATE_DIR" in str(refused.remedy)
    shared = checks.secret(Ok(b"x" * 32), is_read_by_others=True)
    assert (
        shared.verdict is Verdict.BAD
        and "other users of this machine can read it" in shared.message
    )
    replaceable = checks.secret(Ok(b"x" * 32), is_replaceable=True)
    assert (
        replaceable.verdict is Verdict.BAD
        and "other users of this machine can remove it" in replaceable.message
    )


def test_an_untrusted_editor_is_reported_with_what_to_do() -> None:
    details = connected(untrusted="Update the plugin.")
    findings = checks.editor({**details, "trusted": False}, None, 3.0, NOTHING_SEEN)
    assert [finding.remedy for finding in bad(findings) if finding.check == "trust"] == [
        "Update the plugin."
    ]
    trusted = checks.editor({**connected(), "trusted": True}, None, 3.0, NOTHING_SEEN)
    assert [finding.verdict for finding in trusted if finding.check == "trust"] == [Verdict.OK]
    unknown = checks.editor({**connected(), "trusted": None}, None, 3.0, NOTHING_SEEN)
    assert [finding for finding in unknown if finding.check == "trust"] == []


# The port


def state(**fields: Any) -> Dict[str, Any]:
    return {
        "port": 8091,
        "connected": False,
        "editor_state": "ready",
        "editor": None,
        "plugin_version": None,
        "server_version": __version__,
        "listener": {"state": "listening"},
        **fields,
    }


IN_USE = {"state": "blocked", "reason": "port_in_use", "holder": "pid 7 (something)"}


def test_another_program_on_the_port_is_distinguished_from_another_unity_bridge() -> None:
    other = checks.port(state(listener=IN_USE), "HTTP/1.1 200 OK\r\n\r\nhello")
    by_itself = checks.port(
        state(listener=IN_USE), Rejection(426, "", "Only WebSocket").as_http().decode()
    )
    named = checks.port(
        state(listener=IN_USE), "HTTP/1.0 200 OK\r\n\r\n<a href='unity-bridge/'>unity-bridge/</a>"
    )
    silent = checks.port(state(listener={**IN_USE, "holder": "pid 7 (unity-bridge)"}), None)
    refusing = checks.port(
        state(listener={**IN_USE, "remark": "it is unity-bridge 9.9.9, which shares nothing"}), None
    )

    assert {one.verdict for one in (other, by_itself, named, silent, refusing)} == {Verdict.BAD}
    assert "not unity-bridge" in other.message and "pid 7 (something)" in other.message
    assert (
        "it is a unity-bridge by its own report" in by_itself.message
        and "not unity-bridge" in named.message
    )
    assert "unity-bridge 9.9.9" in refusing.message
    assert "does not answer" in silent.message
    assert other.remedy is not None and "--port 8092" in other.remedy


def test_the_command_for_another_port_names_the_project_that_is_known(tmp_path: Path) -> None:
    project = project_in(tmp_path / "my game")
    finding = checks.port(state(listener=IN_USE), None, project)
    assert ours("plugin", "install", str(project.root), "--port", "8092") in (finding.remedy or "")


def test_a_port_that_a_sandbox_keeps_from_us_is_reported() -> None:
    finding = checks.port(state(listener={"state": "blocked", "reason": "sandboxed"}), None)
    assert finding.verdict is Verdict.BAD and "runs in a sandbox" in finding.message


def test_a_port_that_the_system_reserves_is_reported() -> None:
    finding = checks.port(
        state(port=80, listener={"state": "blocked", "reason": "port_not_allowed"}), None
    )

    assert finding.verdict is Verdict.BAD and "does not let" in finding.message


ATTACHED = {"listener": {"state": "attached"}, "role": "attached"}


@pytest.mark.parametrize("fields", [{}, {"connected": True}, ATTACHED])
def test_a_port_that_serves_us_is_well(fields: Dict[str, Any]) -> None:
    assert checks.port(state(**fields), None).verdict is Verdict.OK


def test_a_port_that_is_not_yet_known_is_not_called_free() -> None:
    assert checks.port(state(port=None, listener={"state": "closed"}), None).verdict is Verdict.NOTE


def test_an_old_server_that_shares_the_port_is_recognized_by_its_version() -> None:
    finding = checks.port(state(server_version="0.0.1", **ATTACHED), None)

    assert finding.verdict is Verdict.BAD and "unity-bridge 0.0.1" in finding.message


@pytest.fixture
def chatterbox() -> Iterator[int]:
    """A server that says a byte and then nothing, for ever."""
    listener = socket.create_server(("127.0.0.1", 0))
    held = []

    def serve() -> None:
        try:
            while True:
                peer = listener.accept()[0]
                peer.sendall(b"x")
                held.append(peer)
        except OSError:
            return

    thread = threading.Thread(target=serve, name="chatterbox", daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR) if sys.platform != "win32" else None
    listener.close()
    thread.join(10)
    for peer in held:
        peer.close()


@pytest.mark.slow
def test_a_peer_that_never_finishes_does_not_delay_the_check(chatterbox: int) -> None:
    assert checks.http_answer(chatterbox) is None


def test_a_port_without_a_listener_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert checks.http_answer(port) is None


# The editor


def project_in(folder: Path) -> UnityProject:
    return opened(make_project(folder))


NOTHING_SEEN = ProjectProbe()


def connected(plugin_version: str = __version__, **details: Any) -> Dict[str, Any]:
    editor = {"unity_version": "2022.3.10f1", "project_name": "game", **details}
    return state(connected=True, plugin_version=plugin_version, editor=editor)


def test_a_project_never_opened_is_not_a_fault(tmp_path: Path) -> None:
    project = project_in(tmp_path / "game")

    finding = only(checks.editor(state(), project, 3.0, ProjectProbe(NoPlugin.UNITY_NOT_RUNNING)))

    assert finding.verdict is Verdict.NOTE and "within 3 s" in finding.message
    assert finding.remedy == f"`{ours('open', str(project.root))}` opens it."
    assert only(checks.editor(state(), None, 3.0, NOTHING_SEEN)).verdict is Verdict.NOTE


@pytest.mark.parametrize(
    "look, said, remedy",
    [
        (NOTHING_SEEN, "may be open", "Console"),
        (ProjectProbe(NoPlugin.PLUGIN_NOT_INSTALLED), "has no plugin", "plugin install"),
        (ProjectProbe(NoPlugin.SANDBOXED), "runs in a sandbox", "outside the sandbox"),
        (
            ProjectProbe(NoPlugin.OTHER_PORT, remark="port 1, not 8091"),
            "Port 1, not 8091",
            "--port 8091",
        ),
        (
            ProjectProbe(NoPlugin.SAFE_MODE, LogContent(errors=3)),
            "do not compile",
            "compile` lists",
        ),
    ],
)
def test_an_editor_that_is_open_and_stays_away(
    tmp_path: Path, look: ProjectProbe, said: str, remedy: str
) -> None:
    finding = only(checks.editor(state(), project_in(tmp_path / "game"), 3.0, look))

    assert finding.verdict is Verdict.BAD and said in finding.message
    assert finding.remedy is not None and remedy in finding.remedy


def test_an_editor_cannot_be_checked_through_another_programs_port() -> None:
    assert (
        only(checks.editor(state(listener=IN_USE), None, 3.0, NOTHING_SEEN)).verdict is Verdict.NOTE
    )


def test_a_refused_editor_is_reported() -> None:
    refused = {"state": "listening", "refused": "this server is for another project"}
    finding = only(bad(checks.editor(state(listener=refused), None, 3.0, NOTHING_SEEN)))
    assert "connected and was refused: this server is for another project" in finding.message


def test_a_healthy_editor_is_ok(tmp_path: Path) -> None:
    project = project_in(tmp_path / "game")

    assert (
        only(
            checks.editor(connected(project_path=str(project.root)), project, 3.0, NOTHING_SEEN)
        ).verdict
        is Verdict.OK
    )
    assert (
        only(
            checks.editor(
                state(connected=True, plugin_version=__version__), None, 3.0, NOTHING_SEEN
            )
        ).verdict
        is Verdict.OK
    )


@pytest.mark.parametrize(
    "editor, word",
    [
        (connected(plugin_version="0.0.1"), "plugin 0.0.1"),
        (connected(main_thread_stalled_ms=60_000), "60 s"),
        (connected(faulted_messages=7), "7 messages that this server cannot use"),
        (connected(project_path="/another/game"), "/another/game"),
    ],
)
def test_an_editor_that_is_not_well_is_bad_with_its_reason(
    tmp_path: Path, editor: Dict[str, Any], word: str
) -> None:
    finding = only(bad(checks.editor(editor, project_in(tmp_path / "game"), 3.0, NOTHING_SEEN)))

    assert word in finding.message
    assert finding.remedy


def test_compile_errors_are_the_projects_own_matter() -> None:
    findings = checks.editor(connected(compile_errors=3), None, 3.0, NOTHING_SEEN)

    assert [finding.verdict for finding in findings] == [Verdict.OK, Verdict.NOTE]


# The plugin


def set_version(project: UnityProject, version: str) -> None:
    file = project.packages / PACKAGE_NAME / "package.json"
    file.write_text(
        json.dumps({**json.loads(file.read_text(encoding="utf-8")), "version": version})
    )


def test_a_project_without_the_plugin(tmp_path: Path) -> None:
    project = project_in(tmp_path / "my game")

    finding = only(checks.plugin(project, 8091))

    assert finding.verdict is Verdict.BAD
    assert finding.remedy is not None and finding.remedy.startswith(
        command_line.ours("plugin", "install")
    )
    assert finding.remedy[-1] in "'\"", "a path with a space in it must be quoted"


@pytest.mark.slow
@pytest.mark.parametrize("put_there", [embed, refer])
def test_a_project_with_the_plugin_of_this_version(tmp_path: Path, put_there: Any) -> None:
    project = project_in(tmp_path / "game")
    put_there(project)

    assert [finding.verdict for finding in checks.plugin(project, 8091)] == [Verdict.OK, Verdict.OK]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["0.0.9", "99.0.0", "0.0.9-preview"])
def test_a_plugin_of_another_version(tmp_path: Path, version: str) -> None:
    project = project_in(tmp_path / "game")
    embed(project)
    set_version(project, version)

    finding = only(bad(checks.plugin(project, 8091)))

    assert finding.message.endswith(f"has {version}, the server is {__version__}")
    assert (finding.remedy or "").endswith(command_line.ours("plugin", "update", str(project.root)))


def test_a_plugin_that_was_changed_by_hand_is_worth_a_note(tmp_path: Path) -> None:
    project = project_in(tmp_path / "game")
    embed(project)
    (project.packages / PACKAGE_NAME / "Editor" / "Startup" / "Bootstrap.cs").write_text(
        "// changed"
    )

    assert checks.plugin(project, 8091)[0].verdict is Verdict.NOTE


def test_a_plugin_that_lacks_files_is_broken(tmp_path: Path) -> None:
    project = project_in(tmp_path / "game")
    embed(project)
    package = project.packages / PACKAGE_NAME
    (package / "Editor" / "Startup" / "Bootstrap.cs.meta").unlink()
    assert bad(checks.plugin(project, 8091)) == [], "Unity makes it again"
    (package / "Editor" / "Startup" / "Bootstrap.cs").unlink()

    finding = only(bad(checks.plugin(project, 8091)))

    assert finding.message.endswith("is incomplete: Editor/Startup/Bootstrap.cs")
    assert (finding.remedy or "").endswith(command_line.ours("plugin", "update", str(project.root)))


def test_a_manifest_that_is_not_json_is_broken_next_to_a_whole_copy_too(tmp_path: Path) -> None:
    project = project_in(tmp_path / "game")
    embed(project)
    project.manifest.write_text('{ "dependencies": {')

    finding = only(bad(checks.plugin(project, 8091)))

    assert finding.message.startswith(
        str(project.manifest)
    ) and "Unity cannot read it either" in str(finding.remedy)


def test_half_a_plugin(tmp_path: Path) -> None:
    project = project_in(tmp_path / "game")
    (project.packages / PACKAGE_NAME).mkdir()

    assert only(bad(checks.plugin(project, 8091))).check == "plugin"


def test_a_manifest_that_unity_cannot_read_either(tmp_path: Path) -> None:
    project = opened(make_project(tmp_path / "game", manifest="{"))

    assert only(checks.plugin(project, 8091)).verdict is Verdict.BAD


@pytest.mark.slow
@pytest.mark.parametrize("for_me", [False, True])
def test_a_plugin_on_another_port(tmp_path: Path, for_me: bool) -> None:
    project = project_in(tmp_path / "game")
    embed(project)
    settings = project.own_settings_file if for_me else project.settings_file
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"port": 9000}')

    found = only(bad(checks.plugin(project, 8091)))
    assert found.check == "plugin-port" and str(settings) in found.message
    assert found.remedy is not None and ("--for-me" in found.remedy) is for_me
    assert bad(checks.plugin(project, 9000)) == []


@pytest.mark.slow
def test_a_port_that_the_editor_of_this_project_has_come_to_is_right_whatever_the_files_say(
    tmp_path: Path,
) -> None:
    project = project_in(tmp_path / "game")
    embed(project)
    state = connected(project_path=str(project.root))

    assert checks.is_open_in(state, project)
    assert not bad(checks.plugin(project, 21743, has_come=True))
    assert bad(checks.plugin(project, 21743))


def test_the_script_of_an_environment_that_is_not_active_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / ("unity-bridge.exe" if sys.platform == "win32" else "unity-bridge")
    script.touch()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(
        "unity_bridge.installation.command_line.sysconfig.get_path", lambda name: str(tmp_path)
    )

    assert command_line.ours("doctor") == command_line.quoted([str(script), "doctor"])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_a_manifest_that_is_a_pipe_is_a_fault_and_not_no_project(tmp_path: Path) -> None:
    project = opened(make_project(tmp_path / "game"))
    project.manifest.unlink()
    os.mkfifo(str(project.manifest))
    (finding,) = checks.plugin(project, 8091)
    assert finding.verdict is Verdict.BAD and "it is not a file" in finding.message
