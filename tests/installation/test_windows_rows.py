"""Rows that users on Windows met, each as far as it shows on any system."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import click
import pytest
from click.testing import CliRunner

from unity_bridge import cli
from unity_bridge.base.result import Err, Ok
from unity_bridge.installation import command_line, package_copy
from unity_bridge.installation.clients.client import Machine
from unity_bridge.installation.command_line import Shell, quoted
from unity_bridge.installation.plugin_package import embed, remove
from unity_bridge.installation.toml_tables import TOML, parse
from unity_bridge.installation.unity_project import UnityProject, open_project
from unity_bridge.launch import environment, user_folders
from unity_bridge.projects import open_editors
from unity_bridge.scripting import output
from unity_bridge.system import terminal
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE, location
from unity_bridge.version import __version__

PATH = ("mcp_servers", "unity-bridge")
MARK = "\ufeff"


# W1: a byte-order mark, as Notepad and Windows PowerShell write it


@pytest.mark.parametrize(
    "text", [MARK, MARK + 'model = "x"\r\n', MARK + "[mcp_servers.other]\ncommand = 'npx'\n"]
)
def test_a_toml_file_that_begins_with_a_byte_order_mark_is_edited_and_keeps_it(text: str) -> None:
    added = TOML.with_values(text, PATH, {"command": "x"})

    assert isinstance(added, Ok), added
    assert added.value.startswith(MARK) and added.value.count(MARK) == 1
    data = parse(added.value)
    assert isinstance(data, Ok) and data.value["mcp_servers"]["unity-bridge"] == {"command": "x"}
    removed = TOML.without(added.value, PATH)
    assert isinstance(removed, Ok) and removed.value.startswith(MARK)
    assert parse(removed.value) == parse(text)


def test_codex_with_a_byte_order_mark_does_not_keep_other_clients_from_being_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_bytes(b'\xef\xbb\xbfmodel = "x"\r\n')

    done = CliRunner().invoke(cli.cli, ["client", "add", "codex", "copilot"])

    assert done.exit_code == 0, done.output
    assert (tmp_path / ".copilot" / "mcp-config.json").is_file()


# W12: cmd counts every quotation mark, an escaped one too


def as_cmd_reads(line: str) -> List[str]:
    """The words that a program gets: cmd first, then the C runtime's rules."""
    text, is_quoted, index = "", False, 0
    while index < len(line):
        letter = line[index]
        if letter == '"':
            is_quoted = not is_quoted
        elif not is_quoted and letter == "^":
            index += 1
            letter = line[index]
        else:
            assert is_quoted or letter not in "&|<>", f"cmd ends the command at {line[index:]!r}"
        text += letter
        index += 1
    return _as_the_c_runtime_splits(text)


def _as_the_c_runtime_splits(text: str) -> List[str]:
    words, word, is_quoted, slashes = [], "", False, 0
    for letter in text + " ":
        if letter == "\\":
            slashes += 1
            continue
        if letter == '"':
            word += "\\" * (slashes // 2)
            if slashes % 2:
                word += '"'
            else:
                is_quoted = not is_quoted
        else:
            word += "\\" * slashes
            if letter == " " and not is_quoted:
                words.append(word)
                word = ""
            else:
                word += letter
        slashes = 0
    return words


@pytest.mark.parametrize("folder", ["R&D", "a^b", "a|b", "plain", "a b&c", "(x86)", "<y>"])
def test_json_with_what_cmd_gives_a_meaning_reaches_the_program(folder: str) -> None:
    words = [
        "claude",
        "mcp",
        "add-json",
        "x",
        f'{{"command": "C:\\\\{folder}\\\\python.exe", "args": ["a b"]}}',
        folder,
    ]

    assert as_cmd_reads(quoted(words, Shell.CMD)) == words


# W2: the skill is read by an agent, whose shell is not the one in which it was written


def test_a_skill_on_windows_names_a_form_for_each_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        command_line,
        "_program",
        lambda: ["C:\\Jörg M\\python.exe", "C:\\Jörg M\\bin\\unity-bridge"],
    )
    monkeypatch.setattr("unity_bridge.installation.command_line.os.name", "nt")

    words = command_line.ours_in_any_shell()

    assert words == (
        '`"C:/Jörg M/python.exe" "C:/Jörg M/bin/unity-bridge"` (in PowerShell with `& ` before it)'
    )


# W9: Perforce keeps files read-only


@pytest.mark.slow
def test_an_update_that_is_refused_leaves_no_backup(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed(project)
    changed = project.packages / package_copy.PACKAGE_NAME / "package.json"
    changed.write_text("{}")
    monkeypatch.setattr(package_copy, "is_read_only", lambda path: True)

    for _ in range(3):
        refused = embed(project)
        assert isinstance(refused, Err) and "read-only" in refused.error

    assert not project.backups.exists() or list(project.backups.iterdir()) == []


def test_removing_a_read_only_copy_leaves_nothing(
    project: UnityProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed(project)
    folder = project.packages / package_copy.PACKAGE_NAME
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(stat.S_IREAD)
    _delete_nothing_that_is_read_only(monkeypatch)

    assert isinstance(remove(project), Ok)

    assert not folder.exists()
    assert [path.name for path in project.own_folder.iterdir()] == ["plugin.lock"]


def _delete_nothing_that_is_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Windows does; elsewhere the folder's rights decide."""
    unlink = os.unlink

    def guarded(path: Any, *, dir_fd: Any = None) -> None:
        mode = os.stat(path, dir_fd=dir_fd, follow_symlinks=False).st_mode
        if not mode & stat.S_IWRITE:
            raise PermissionError(13, "read-only", str(path))
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", guarded)


# W13, W14: homes and folders that are none


def test_without_a_home_no_file_is_written_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_folders, "_home_by_the_system", lambda: "")
    monkeypatch.setenv("HOME", "home")
    monkeypatch.delenv("USERPROFILE", raising=False)

    done = CliRunner().invoke(cli.cli, ["client", "add", "copilot"])

    assert done.exit_code == 1, done.output
    assert "no home folder" in done.output and list(tmp_path.iterdir()) == []


def test_a_machine_says_whether_the_user_has_a_home() -> None:
    assert Machine("win32", Path("~"), {}).has_home is False
    assert Machine("linux", Path("/home/me"), {}).has_home is True


@pytest.mark.parametrize("named", ["\\state", "state", "C:state"])
def test_a_state_folder_without_a_drive_is_refused(named: str) -> None:
    found = location({STATE_DIR_VARIABLE: named}, "win32", "C:\\Users\\me")

    assert isinstance(found, Err) and "not an absolute path" in found.error


@pytest.mark.parametrize("home", ["", ".", "~", "\\Users\\me"])
def test_an_invalid_home_holds_no_state_folder(home: str) -> None:
    assert isinstance(location({}, "win32", home), Err)


# W16: the ending of python3.12 is none of a program


def test_a_name_with_a_dot_is_found_with_the_ending_of_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python3.12.EXE").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PATHEXT", ".COM;.EXE".replace(";", os.pathsep))
    monkeypatch.setattr("unity_bridge.launch.environment.os.name", "nt")

    found = environment.on_path("python3.12")

    monkeypatch.undo()
    assert found == os.path.join(str(tmp_path), "python3.12.EXE")


# W17, W18: paths that are none


def test_a_quotation_mark_in_a_path_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unity_bridge.commands.plugin.os.name", "nt")
    done = CliRunner().invoke(cli.cli, ["plugin", "install", 'C:\\My Game" --port auto'])

    assert done.exit_code == 2
    assert "backslash before it was read as an escape" in done.output


def test_a_path_that_the_system_cannot_resolve_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: str) -> str:
        raise OSError(1231, "The network location cannot be reached")

    monkeypatch.setattr(os.path, "realpath", fails)

    opened = open_project(tmp_path)

    assert (
        isinstance(opened, Err)
        and "cannot be opened: The network location cannot be reached" in opened.error
    )


# W19: what runs next to an editor or a game is no editor


@pytest.mark.parametrize(
    "name, is_editor",
    [
        ("Unity", True),
        ("Unity.exe", True),
        ("Unity Hub.exe", False),
        ("Unity.Licensing.Client.exe", False),
        ("UnityCrashHandler64.exe", False),
        ("UnityPackageManager.exe", False),
    ],
)
def test_only_the_editor_itself_counts_as_one(name: str, is_editor: bool) -> None:
    assert open_editors._is_of_an_editor(name) is is_editor


# W5: the README's lines work in cmd as they stand


@pytest.mark.skipif(sys.platform != "win32", reason="needs Windows")
@pytest.mark.parametrize("line", ["bin\\unity-bridge --version", "bin\\unity-bridge.cmd --version"])
def test_cmd_starts_the_program_of_a_clone(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    done = subprocess.run(
        f"cmd /d /c {line}",
        cwd=environment.ROOT,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=120,
    )

    assert done.returncode == 0 and done.stdout.decode().strip() == f"unity-bridge {__version__}"


def test_both_scripts_of_cmd_pass_their_arguments_and_exit_status_on() -> None:
    for name in ("unity-bridge", "test"):
        lines = (
            (Path(environment.ROOT) / "bin" / f"{name}.cmd")
            .read_text(encoding="ascii")
            .splitlines()
        )
        for python in ("python", '"%launcher%" -3'):
            started = lines.index(f'{python} "%~dp0{name}" %*')
            assert lines[started + 1] == "exit /b %errorlevel%"


def test_cmd_starts_no_program_of_the_working_directory() -> None:
    for name in ("unity-bridge", "test"):
        lines = (
            (Path(environment.ROOT) / "bin" / f"{name}.cmd")
            .read_text(encoding="ascii")
            .splitlines()
        )
        starts = [
            number for number, line in enumerate(lines) if line.startswith(("py", '"%launcher%"'))
        ]
        assert lines.index('set "NoDefaultCurrentDirectoryInExePath=1"') < min(starts)
        assert 'set "launcher=%SystemRoot%\\py.exe"' in lines


# W6: the classic console prints escape codes unless a program enables them


def test_a_console_that_does_not_obey_escape_codes_gets_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(output, "shows_escape_codes", lambda stream: False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    context = click.Context(click.Command("x"), color=True)

    output.prepare_output(context)

    assert context.color is False


def test_a_pipe_is_not_asked_for_its_mode() -> None:
    with open(os.devnull, "w") as nowhere:
        assert terminal.shows_escape_codes(nowhere)
    assert terminal.shows_escape_codes(None)
