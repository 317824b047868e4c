"""``client`` as its user meets it: what it says, where it says it, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import pytest
from click.testing import CliRunner

from tests.commands.runner import runner
from tests.installation.fake_windows import SERVES, FakeWindows
from tests.installation.unity_projects import make_project
from unity_bridge.base.result import Err, Ok
from unity_bridge.cli import cli
from unity_bridge.commands import client
from unity_bridge.commands.client import command
from unity_bridge.commands.shared import client_request
from unity_bridge.installation import client_checks, toml_tables
from unity_bridge.installation.client_configs import all_configs
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Machine, StartsIn
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.findings import Verdict
from unity_bridge.installation.json_comments import JSON
from unity_bridge.installation.repository import SOURCE
from unity_bridge.installation.this_installation import Installation, Kind
from unity_bridge.installation.trial import first_that_starts
from unity_bridge.launch import environment
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

# Visual Studio runs on Windows only.
HERE = [name for name, client in CLIENTS.items() if client.user_files(Machine())]
ALL = pytest.mark.parametrize("name", HERE)


GUARD_S = 60
IN_A_SHELL = pytest.mark.skipif(
    os.name == "nt", reason="a script with a first line for its interpreter"
)


def files(folder: Path) -> List[Path]:
    """What commands wrote there, without the lock between them."""
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"]


@pytest.fixture(autouse=True)
def game(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user is in the folder of a project."""
    project = make_project(tmp_path_factory.mktemp("work") / "Game").resolve()
    monkeypatch.chdir(project)
    return project


def names_project(name: str) -> bool:
    return CLIENTS[name].starts_in is not StartsIn.PROJECT


def listed(name: str, game: Path) -> str:
    """The line of ``list`` about the entry that ``add`` writes in the project's folder."""
    return f"{name:<15}user     unity-bridge{f' for {game}' if names_project(name) else ''}\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose clients have no configuration yet."""
    for variable in (
        "CLAUDE_CONFIG_DIR",
        "CLINE_MCP_SETTINGS_PATH",
        "COPILOT_HOME",
        "CODEX_HOME",
        "GEMINI_CLI_HOME",
        "XDG_CONFIG_HOME",
        "APPDATA",
        "LOCALAPPDATA",
        "UNITY_BRIDGE_CONFIG",
        STATE_DIR_VARIABLE,
        "XDG_STATE_HOME",
    ):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    # A process for each command would take most of these tests' time; tests of the trial itself
    # undo it.
    monkeypatch.setattr(
        client_request, "first_that_starts", lambda programs, entrys: Ok(programs[0])
    )
    return tmp_path


def run(*arguments: str) -> Tuple[int, str]:
    result = CliRunner().invoke(command, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@ALL
def test_an_entry_comes_once_and_goes_again(home: Path, game: Path, name: str) -> None:
    assert run("add", name)[0] == 0
    status, said = run("add", name)
    assert status == 0 and "is configured in" in said and "already" in said
    assert listed(name, game) in run("list")[1]

    assert run("remove", name)[0] == 0
    assert f"{name:<15}user     no unity-bridge\n" in run("list")[1]
    status, said = run("remove", name)
    assert status == 0 and "There is no unity-bridge" in said


@ALL
def test_a_dry_run_shows_the_change_and_makes_none(home: Path, name: str) -> None:
    status, said = run("add", name, "--port", "9000", "--dry-run")

    assert status == 0
    assert "+++ " in said and "9000" in said
    assert list(home.iterdir()) == []


def test_the_entry_starts_this_program_with_absolute_paths(home: Path) -> None:
    run("add", "copilot", "--port", "9000")

    entry = json.loads((home / ".copilot" / "mcp-config.json").read_text())["mcpServers"][
        "unity-bridge"
    ]

    words = [entry["command"], *entry["args"]]
    python, launcher = environment.command()
    assert words == [python, "-I", launcher, "--port", "9000"]
    assert Path(entry["command"]).is_absolute()


@ALL
def test_show_prints_what_add_writes(home: Path, tmp_path: Path, name: str) -> None:
    status, shown = run("show", name)
    assert status == 0
    run("add", name)

    written = next(iter(files(home)))

    assert written.read_text(encoding="utf-8").rstrip("\n") in shown
    assert str(written) in shown
    own = CLIENTS[name].own_command
    assert ("Its own command" in shown) == (own is not None)


def stdout_of(*arguments: str) -> str:
    """Without stderr, which click's releases for Python 3.8 mix into stdout by default."""
    return runner().invoke(command, arguments).stdout


@ALL
def test_a_clients_page_shows_what_show_prints(game: Path, name: str) -> None:
    shown, there = stdout_of("show", name), "/path/to/unity-bridge/bin/unity-bridge"
    for here, path in zip(environment.command(), ("/path/to/python", there)):
        shown = shown.replace(json.dumps(here), json.dumps(path))
    shown = shown.replace(json.dumps(str(game)), '"/path/to/your/UnityProject"')
    page = Path(environment.ROOT) / "docs" / "clients" / f"{name}.md"
    assert f"\n{shown.rstrip()}\n```\n" in page.read_text(encoding="utf-8")


@ALL
def test_a_redirected_snippet_is_whole_in_any_encoding(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows stdout is in the ANSI code page, unless it is a console."""
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(home / "Zoë \U0001f3ee"))
    shown = stdout_of("show", name)

    assert shown.isascii()
    form = CLIENTS[name].form
    read: Dict[str, Any] = json.loads(shown) if form is JSON else toml_data(shown)
    for key in CLIENTS[name].table:
        read = read[key]
    assert read["unity-bridge"][CLIENTS[name].environment_key][STATE_DIR_VARIABLE] == str(
        home / "Zoë \U0001f3ee"
    )


@pytest.mark.parametrize("entry", ["", "My Game", "a b/../c", "Zoë", "x" * 65])
def test_a_name_that_clients_refuse_is_not_written(home: Path, entry: str) -> None:
    status, said = run("add", "copilot", "--as", entry)

    assert status == 2 and "letters, digits, hyphens and underscores" in said
    assert list(home.iterdir()) == []
    assert run("remove", "copilot", "--as", entry)[0] == 0, (
        "an entry of that name can still be removed"
    )


def test_each_project_gets_its_own_file(home: Path) -> None:
    game = home / "game"
    game.mkdir()

    assert run("add", "vscode", "--scope", "project", "--project", str(game))[0] == 0

    assert list(json.loads((game / ".vscode" / "mcp.json").read_text())["servers"]) == [
        "unity-bridge"
    ]
    assert run("add", "windsurf", "--scope", "project")[0] == 2


def test_a_second_editor_gets_its_own_entry(home: Path) -> None:
    run("add", "gemini")
    run("add", "gemini", "--as", "other-game", "--port", "9000")
    assert "unity-bridge; other-game on port 9000" in run("list")[1]

    run("remove", "gemini", "--as", "other-game")
    assert "other-game" not in run("list")[1]


def test_all_clients_that_are_found_are_configured_at_once(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(home))
    assert run("add", "--all")[0] == 2
    (home / ".copilot").mkdir()
    (home / ".codex").mkdir()

    status, said = run("add", "--all", "--port", "9000")

    assert status == 0 and "Found: Codex, Copilot CLI." in said
    assert (home / ".copilot" / "mcp-config.json").exists() and (
        home / ".codex" / "config.toml"
    ).exists()
    assert not (home / ".kiro").exists()
    assert run("remove", "--all")[0] == 0
    assert "unity-bridge on port 9000" not in run("list")[1]


def test_add_all_is_one_line_a_client_and_one_for_all(
    home: Path,
    game: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    monkeypatch.setenv("PATH", str(home))
    for folder in (".cursor", ".codex", ".gemini"):
        (home / folder).mkdir()
    (home / ".gemini" / "settings.json").write_text(
        '{"mcpServers": {"unity-bridge": {"command": "/old"}}}'
    )

    done = runner().invoke(command, ["add", "--all"])

    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Cursor", "Codex", "Gemini CLI"]
    assert (
        f"Wrote unity-bridge to {home / '.codex' / 'config.toml'}. Start a new session." in lines[1]
    )
    said = done.stderr.splitlines()
    assert said[-1].startswith("Then open the project in Unity, and ask one of them")
    assert sum("Then open" in line for line in said) == 1 and any(
        line.startswith("Gemini CLI: ") for line in said
    )

    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    run("remove", "--all")
    done = runner().invoke(command, ["add", "--all"])
    assert done.exit_code == 1 and len(done.stdout.splitlines()) == 2
    assert (
        "Cursor starts servers in a folder that is not known, so the entry has to name the project"
        in done.stderr
    )


@pytest.mark.parametrize("name", [name for name in HERE if names_project(name)])
def test_a_client_that_starts_elsewhere_needs_the_project(
    home: Path,
    game: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    status, said = run("add", name)
    assert (
        status == 1
        and "the entry has to name the project: add --project PATH" in said
        and files(home) == []
    )
    assert run("show", name)[0] == 2

    assert run("add", name, "--project", str(game))[0] == 0
    assert run("add", name)[0] == 0, "the project of the entry stays"
    assert listed(name, game) in run("list")[1]
    run("remove", name)
    assert run("add", name, "--port", "9000")[0] == 0, "the port is enough"
    assert run("add", name, "--port", "auto")[0] == 1


def test_a_client_that_has_no_name_here_is_configured_by_its_file(home: Path) -> None:
    file = home / "settings.json"
    file.write_text('{"theme": "dark"} // mine\n')

    assert run("add", "--file", str(file), "--key", "ai.servers", "--port", "9000")[0] == 0
    written = file.read_text()
    assert written.endswith("// mine\n") and '"theme": "dark"' in written
    entry = json.loads(written.replace("// mine", ""))["ai"]["servers"]["unity-bridge"]
    assert entry["args"][-2:] == ["--port", "9000"]
    assert run("remove", "--file", str(file), "--key", "ai.servers")[0] == 0

    toml = home / "other.toml"
    assert run("add", "--file", str(toml), "--key", "servers")[0] == 0
    assert toml.read_text().startswith("[servers.unity-bridge]\n")


@pytest.mark.parametrize(
    "typed, meant",
    [
        ("claud-code", "claude-code"),
        ("rider", "junie"),
        ("vs-code", "vscode"),
        ("copilot-cli", "copilot"),
        ("qqq", None),
    ],
)
@pytest.mark.parametrize("command", ["add", "show"])
def test_an_unknown_client_is_refused_with_the_probable_name(
    command: str, typed: str, meant: Optional[str]
) -> None:
    status, said = run(command, typed)
    assert status == 2 and "They are: claude-code, claude-desktop" in " ".join(said.split())
    assert (f"Did you mean '{meant}'?" in " ".join(said.split())) is (meant is not None)


def test_which_client_is_meant_must_be_said_once(home: Path) -> None:
    for words in ([], ["copilot", "--all"], ["copilot", "--file", "x.json"]):
        status, said = run("add", *words)
        assert status == 2 and "--all, or --file PATH" in said


def test_adding_again_reports_what_changes_and_what_stays(home: Path) -> None:
    run("add", "copilot", "--port", "9000")
    assert "Kept: --port 9000" not in run("add", "copilot")[1], (
        "nothing changed, so there is nothing to report"
    )

    status, said = run("add", "copilot", "--port", "9100")
    assert status == 0 and "Its port was 9000; now 9100." in said


def test_a_port_can_be_taken_out_of_an_entry() -> None:
    run("add", "copilot", "--port", "9000")

    status, said = run("add", "copilot", "--port", "auto")

    assert status == 0 and "Its port was 9000; now the server finds that of its project." in said
    assert "9000" not in run("list")[1]
    assert "now the server" not in run("add", "copilot", "--port", "auto")[1], (
        "it has none to take out"
    )


def toml_data(text: str) -> Any:
    parsed = toml_tables.parse(text)
    assert isinstance(parsed, Ok), parsed
    return parsed.value


def variables_in(home: Path, name: str) -> Any:
    """What the entry sets, as the client's file has it."""
    written = next(path for path in files(home) if "backup" not in path.name)
    text = written.read_text(encoding="utf-8")
    read: Dict[str, Any] = json.loads(text) if CLIENTS[name].form is JSON else toml_data(text)
    for key in (*CLIENTS[name].table, "unity-bridge"):
        read = read[key]
    return read.get("environment" if name == "opencode" else "env")


@ALL
def test_an_entry_sets_what_decides_where_the_secret_lies(
    home: Path, game: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many clients start servers with a minimal environment."""
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(home / "state"))
    expected = {STATE_DIR_VARIABLE: str(home / "state")}
    shown = run("show", name)[1]
    status, said = run("add", name)

    assert (
        status == 0
        and f"It sets {STATE_DIR_VARIABLE} to {home / 'state'}, copied from this shell" in said
    )
    assert variables_in(home, name) == expected
    assert json.dumps(str(home / "state")) in shown and STATE_DIR_VARIABLE in shown
    assert "is configured in" in run("add", name)[1]
    assert listed(name, game) in run("list")[1]

    monkeypatch.delenv(STATE_DIR_VARIABLE)
    run("add", name, "--port", "9000")
    assert variables_in(home, name) == expected, "the user's from then on"
    assert run("remove", name)[0] == 0
    assert f"{name:<15}user     no unity-bridge\n" in run("list")[1]


@pytest.mark.parametrize("name", ["codex", "gemini", "vscode", "claude-code"])
def test_a_clients_own_command_sets_it_too(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(home / "state"))

    (own,) = [
        line for line in run("show", name)[1].splitlines() if line.startswith("Its own command")
    ]

    unescaped = own.replace('\\"', '"')  # Windows PowerShell wants the quotation marks of JSON so
    assert (
        f"{STATE_DIR_VARIABLE}={home / 'state'}" in own or f'"{STATE_DIR_VARIABLE}": ' in unescaped
    )


@pytest.mark.parametrize("name", ["copilot", "devin"])
def test_a_client_without_a_known_command_gets_none(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(home / "state"))
    assert "Its own command" not in run("show", name)[1]


@pytest.mark.parametrize("name", ["copilot", "codex", "opencode"])
def test_the_users_own_variables_stay_in_an_entry(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_BRIDGE_CONFIG", "one.json")
    run("add", name)
    file = next(iter(files(home)))
    file.write_text(file.read_text().replace("UNITY_BRIDGE_CONFIG", "LANG"))
    mine = str(Path("one.json").absolute())
    assert variables_in(home, name) == {"LANG": mine}

    monkeypatch.setenv("UNITY_BRIDGE_CONFIG", "two.json")
    run("add", name, "--dry-run")
    run("add", name)
    assert variables_in(home, name) == {
        "LANG": mine,
        "UNITY_BRIDGE_CONFIG": str(Path("two.json").absolute()),
    }

    monkeypatch.setenv("UNITY_BRIDGE_CONFIG", str(home / "three.json"))
    assert f"now {home / 'three.json'}." in run("add", name)[1]
    assert variables_in(home, name)["UNITY_BRIDGE_CONFIG"] == str(home / "three.json")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG is of Linux")
def test_fields_without_effect_are_not_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", "relative", str(home / ".local" / "state")):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        run("add", "copilot")
        assert variables_in(home, "copilot") in (None, {})
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "moved"))
    run("add", "copilot")
    assert variables_in(home, "copilot") == {"XDG_STATE_HOME": str(home / "moved")}


def test_an_option_of_the_entry_counts_before_the_variable(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("add", "copilot")
    file = home / ".copilot" / "mcp-config.json"
    entry = json.loads(file.read_text())
    entry["mcpServers"]["unity-bridge"]["args"] += ["--config", "/mine.json"]
    file.write_text(json.dumps(entry))

    monkeypatch.setenv("UNITY_BRIDGE_CONFIG", "/theirs.json")
    run("add", "copilot")

    assert variables_in(home, "copilot") in (None, {})


@ALL
def test_an_entry_sets_pythonpath_to_nothing(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty or relative part of it names the folder that the client was started in (SPEC §20.8)."""
    monkeypatch.setenv("PYTHONPATH", f"{os.pathsep}lib")
    run("add", name)
    assert variables_in(home, name) is None, "with -I Python does not read it"
    run("remove", name)
    monkeypatch.setattr(
        client_request, "first_that_starts", lambda programs, entrys: Ok(["/opt/bin/unity-bridge"])
    )
    status, said = run("add", name)

    assert status == 0 and variables_in(home, name) == {"PYTHONPATH": ""}
    assert (
        "It sets PYTHONPATH to nothing, so that the server runs no other folder's modules." in said
    )


def test_a_pythonpath_of_the_users_own_gives_way_and_is_named(home: Path) -> None:
    run("add", "copilot")
    file = home / ".copilot" / "mcp-config.json"
    file.write_text(
        file.read_text().replace(
            '"command":', '"env": {"PYTHONPATH": "lib", "LANG": "C"}, "command":'
        )
    )

    assert (
        "It no longer sets PYTHONPATH, which Python does not read with -I."
        in run("add", "copilot")[1]
    )
    assert variables_in(home, "copilot") == {"LANG": "C"}


@pytest.mark.parametrize("name", ["copilot", "devin", "gemini"])
def test_an_own_command_that_cannot_set_pythonpath_is_shown_with_that_remark_where_it_matters(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Its own command for the same: " in run("show", name)[1]  # Python's -I says it too
    monkeypatch.setattr(
        client_request, "first_that_starts", lambda programs, entrys: Ok(["/opt/bin/unity-bridge"])
    )
    assert (
        "Its own command for the same, except that it does not set PYTHONPATH: "
        in run("show", name)[1]
    )


def test_a_command_line_of_uvx_is_not_tried_because_it_would_ask_the_network(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_request, "first_that_starts", lambda *_: Err("it was tried"))
    monkeypatch.setattr(client_request, "this_installation", lambda: Installation(Kind.UVX))
    monkeypatch.setattr("unity_bridge.installation.this_installation._uvx", lambda: "/opt/uvx")
    assert run("add", "copilot")[0] == 0
    assert args_in(home / ".copilot" / "mcp-config.json") == ["--from", SOURCE, "unity-bridge"]


@pytest.mark.parametrize("words", [["add", "copilot"], ["show", "copilot"]])
def test_an_installation_that_needs_pythonpath_is_reported_and_nothing_is_written(
    home: Path, words: List[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``pip install --target``, whose packages are spread over folders that only PYTHONPATH names."""
    monkeypatch.setattr(client_request, "first_that_starts", first_that_starts)
    needs = [
        sys.executable,
        "-c",
        "import os, sys; sys.exit('No module named click' * (not os.environ['PYTHONPATH']))",
    ]
    monkeypatch.setattr(Installation, "lasting_commands", lambda self: Ok([needs]))
    monkeypatch.setenv("PYTHONPATH", str(home))
    status, said = run(*words)

    assert status == 1 and list(home.iterdir()) == []
    assert "A client could not start this program" in said and "No module named click" in said
    assert "An entry sets PYTHONPATH to nothing" in said and "pipx install" in said


def args_in(file: Path) -> List[str]:
    args: List[str] = json.loads(file.read_text())["mcpServers"]["unity-bridge"]["args"]
    return args


def test_an_entry_names_the_project_that_the_server_is_for(home: Path) -> None:
    game, other = make_project(home / "Game"), make_project(home / "Other")
    file = home / ".copilot" / "mcp-config.json"
    assert run("add", "copilot", "--project", str(game), "--port", "9000")[0] == 0
    assert args_in(file)[-4:] == ["--project", str(game.resolve()), "--port", "9000"]
    assert f"unity-bridge for {game.resolve()} on port 9000" in run("list")[1]

    run("add", "copilot", "--port", "auto")
    assert args_in(file)[-2:] == ["--project", str(game.resolve())], (
        "it stays until another is named"
    )

    status, said = run("add", "copilot", "--project", str(other))
    assert status == 0 and f"Its project was {game.resolve()}; now {other.resolve()}." in said
    assert args_in(file)[-2:] == ["--project", str(other.resolve())] and str(game) not in args_in(
        file
    )


@pytest.mark.parametrize("command", ["add", "show"])
def test_an_invalid_project_of_the_user_is_refused(home: Path, command: str) -> None:
    status, said = run(command, "copilot", "--project", str(home))
    assert (
        status == 2
        and "is not a Unity project: it has no file ProjectSettings/ProjectVersion.txt." in said
    )
    assert not (home / ".copilot").exists()


def test_a_folder_that_holds_the_unity_project_gets_the_file(home: Path) -> None:
    game, repository = make_project(home / "repository" / "Game"), home / "repository"
    words = ["add", "claude-code", "--scope", "project", "--project", str(game)]
    assert run(*words, "--folder", str(repository))[0] == 0
    assert args_in(repository / ".mcp.json")[-2:] == ["--project", str(game.resolve())]

    # There the server finds it by itself.
    assert run(*words)[0] == 0
    assert "--project" not in args_in(game / ".mcp.json")
    (game / "Tools").mkdir()
    assert run(*words, "--folder", str(game / "Tools"))[0] == 0
    assert "--project" not in args_in(game / "Tools" / ".mcp.json")


def test_an_entry_of_the_users_own_is_removed_by_its_name(home: Path) -> None:
    game = make_project(home / "Game")
    assert run("add", "copilot", "--project", str(game), "--as", "game")[0] == 0
    status, said = run("remove", "copilot", "--project", str(game))
    assert status == 2 and "differ by their names: see --as" in said
    assert run("remove", "copilot", "--as", "game")[0] == 0


def test_removing_all_names_the_entries_with_other_names(home: Path) -> None:
    run("add", "copilot")
    run("add", "copilot", "--as", "unity-bridge-other")

    status, said = run("remove", "--all")

    assert status == 0 and "still has unity-bridge-other" in said
    assert "client remove copilot --as unity-bridge-other" in said


def test_a_folder_is_asked_for_only_where_it_counts(home: Path) -> None:
    status, said = run("add", "copilot", "--folder", str(home))
    assert status == 2 and "--folder is for --scope project only" in said


def test_servers_that_claude_code_keeps_for_one_project_are_listed_apart(home: Path) -> None:
    local = {
        "projects": {"/game": {"mcpServers": {"unity-bridge": {"command": "/x/unity-bridge"}}}}
    }
    (home / ".claude.json").write_text(json.dumps(local))

    said = run("list")[1]

    assert "claude-code    user     no unity-bridge\n" in said
    assert (
        "               local    unity-bridge, but /x/unity-bridge does not exist\n" in said
        and "/game\n" in said
    )


def test_a_copy_that_will_not_last_is_not_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_request, "this_installation", lambda: Installation(Kind.PIPX_RUN))

    status, said = run("add", "copilot")

    assert (
        status == 1
        and f"run `{quoted(['pipx', 'install', SOURCE])}` first. Nothing was changed." in said
    )
    assert list(home.iterdir()) == []


def test_a_file_that_cannot_be_parsed_is_left_alone_and_the_snippet_given(home: Path) -> None:
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"mine": ')

    status, said = run("add", "copilot")

    assert status == 1
    assert "not valid JSON" in said and "It was left as it is" in said
    assert '"unity-bridge": {' in said, "what to paste by hand"
    assert file.read_text() == '{"mcpServers": {"mine": '
    assert run("remove", "copilot")[0] == 1
    assert "not valid JSON" in run("list")[1]


def test_the_list_reports_a_moved_installation(home: Path) -> None:
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {"unity-bridge": {"command": "/moved/unity-bridge"}}}')

    assert "but /moved/unity-bridge does not exist" in run("list")[1]


def test_a_newcomer_is_shown_the_clients_that_are_there(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With one client 28 places were listed."""
    monkeypatch.chdir(tmp_path_factory.mktemp("project"))
    monkeypatch.setenv("PATH", "")
    (home / ".copilot").mkdir()

    shown, every = run("list")[1], run("list", "--all")[1]

    assert [
        line.split()[0] for line in shown.splitlines() if " user " in line or " project " in line
    ] == ["copilot"]
    assert f"{len(CLIENTS) - 1} of {len(CLIENTS)} clients were not found on this machine" in shown
    assert "zed" in every and "--all" not in every


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a script with a first line for its interpreter")
@pytest.mark.parametrize("far", ["the server", "a banner"])
def test_an_entry_over_a_border_is_tried_before_it_is_written(
    home: Path, monkeypatch: pytest.MonkeyPatch, far: str
) -> None:
    """A border that drops its own words and runs the rest, as ssh does."""
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(home / "state"))
    ssh = home / "bin" / "ssh"
    ssh.parent.mkdir()
    line = "echo Welcome home" if far == "a banner" else "shift 6"
    ssh.write_text(f'#!/bin/sh\n{line}\nexec {quoted(environment.command())} "$@"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(ssh.parent), prepend=os.pathsep)
    words = ["add", "copilot", "--via", "ssh:ada@far", "--port", "8092"]
    file = home / ".copilot" / "mcp-config.json"

    shown = run(*words, "--dry-run")
    assert shown[0] == 0 and "BatchMode=yes" in shown[1] and not file.exists()
    status, said = run(*words)

    if far == "a banner":
        assert (
            status == 1
            and "not the server's answer: 'Welcome home'" in said
            and "was left as it is" in said
        )
        assert not file.exists()
        return
    assert status == 0, said
    entry = json.loads(file.read_text())["mcpServers"]["unity-bridge"]
    given = ["-T", "-o", "BatchMode=yes", "--", "ada@far", "unity-bridge", "--port", "8092"]
    assert entry == {
        "command": str(ssh),
        "args": given,
        **{key: entry[key] for key in ("type", "tools")},
    }
    assert "is configured in" in run(*words)[1], "it is known as ours, and not written again"
    (config,) = [one for one in all_configs(Machine(), home) if one.path == file]
    (finding,) = client_checks.clients([config], 8091, 8091)
    assert (
        finding.verdict is Verdict.OK and "starts a server elsewhere with ssh" in finding.message
    ), "its port is far away"
    refused = run(*words, "--project", "/home/ada/My Game")
    assert refused[0] == 1 and "far side's shell would read '/home/ada/My Game'" in refused[1]
    assert "My Game" not in file.read_text()


@pytest.mark.skipif(os.name == "nt", reason="a script with a first line for its interpreter")
def test_no_entry_is_shown_that_the_far_shell_would_read(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = home / "ssh"
    ssh.write_text("#!/bin/sh\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(home), prepend=os.pathsep)
    status, said = run("show", "copilot", "--via", "ssh:far", "--project", "/My Game")
    assert (
        status == 2
        and "the far side's shell would read '/My Game'" in said
        and "mcpServers" not in said
    )


def test_a_host_that_would_be_an_option_is_a_wrong_argument(home: Path) -> None:
    status, said = run("add", "copilot", "--via", "ssh:-oProxyCommand=id")
    assert status == 2 and "is not a host" in said and list(home.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a script with a first line for its interpreter")
@pytest.mark.parametrize("name", ["copilot", "codex", "opencode"])
def test_an_entry_that_moves_across_a_border_keeps_nothing_of_this_side(
    tmp_path_factory: pytest.TempPathFactory, home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    ssh, state = elsewhere / "ssh", str(elsewhere / "state")
    ssh.write_text(f'#!/bin/sh\nshift 6\nexec {quoted(environment.command())} "$@"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(elsewhere), prepend=os.pathsep)
    monkeypatch.setenv(STATE_DIR_VARIABLE, state)
    game, via = make_project(elsewhere / "Game"), ["--via", "ssh:far"]
    assert run("add", name, "--project", str(game), "--port", "9000")[0] == 0
    (file,) = files(home)
    assert state in file.read_text()

    status, said = run("add", name, *via, "--client-project", str(game))

    assert status == 0, said
    assert "Left out: --project" in said and f"no longer sets {STATE_DIR_VARIABLE}" in said
    written = file.read_text()
    assert "--client-project" in written and "BatchMode" in written
    assert not any(left in written for left in (state, "PYTHONPATH", "9000", '"--project"', "env"))
    assert '"--client-project"' in run("show", name, *via, "--client-project", "/x")[1]

    assert run("add", name)[0] == 0, "back on this side"
    assert "--client-project" not in file.read_text() and state in file.read_text()


def test_where_the_client_sees_the_project_is_for_a_server_elsewhere(home: Path) -> None:
    status, said = run("add", "copilot", "--client-project", "/game")
    assert status == 2 and "--client-project is for --via" in said and list(home.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="WSL is Linux")
@pytest.mark.parametrize("side", ["here", "windows"])
def test_a_server_of_windows_gets_the_project_as_each_side_sees_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    windows = FakeWindows(home)
    python = windows.has_python("Python312")
    game = make_project(windows.profile / "My Game")
    monkeypatch.setenv("PATH", windows.path_variable)
    monkeypatch.setattr("unity_bridge.installation.wsl.System", lambda: windows.system)
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(home / "state"))
    there, file = windows.of_windows(game), home / ".copilot" / "mcp-config.json"

    status, said = run(
        "add", "copilot", "--via", "wsl", "--project", str(game) if side == "here" else there
    )

    assert status == 0, said
    entry = json.loads(file.read_text())["mcpServers"]["unity-bridge"]
    options = ["--project", there, "--client-project", str(game)]
    assert (entry["command"], entry["args"]) == (python, [*SERVES, *options])
    assert not entry.get("env")
    (config,) = [one for one in all_configs(Machine(), home) if one.path == file]
    (finding,) = client_checks.clients([config], 8091, 8091)
    assert finding.verdict is Verdict.OK and "starts a server elsewhere with wsl" in finding.message
    refused = run("add", "copilot", "--via", "wsl", "--project", str(windows.profile))
    assert refused[0] == 2 and "is not a Unity project" in refused[1]

    assert (
        run("add", "copilot", "--via", "wsl", "--scope", "project", "--folder", str(game))[0] == 0
    )
    assert args_in(game / ".github" / "mcp.json")[3:] == ["--client-project", str(game)]


def test_wsl_is_asked_for_in_wsl_only(home: Path) -> None:
    status, said = run("add", "copilot", "--via", "wsl")
    assert status == 2 and "for a shell in WSL" in said and list(home.iterdir()) == []


def fake_ssh(folder: Path, monkeypatch: pytest.MonkeyPatch, before: str = ":") -> Path:
    """A border that drops its own words and runs the rest, as ssh does; each start is a line of the
    file returned.

    ``before``: a line of shell that it runs first."""
    folder.mkdir()
    ssh, starts = folder / "ssh", folder / "starts"
    serves = f'shift 6\nexec {quoted(environment.command())} "$@"'
    ssh.write_text(f"#!/bin/sh\necho started >> {starts}\n{before}\n{serves}\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(folder / "state"))
    return starts


@IN_A_SHELL
@pytest.mark.parametrize("before, status", [(":", 0), ("echo lost it >&2; exit 3", 1)])
def test_an_entry_for_several_clients_is_tried_once_and_that_is_said_on_stderr(
    home: Path, monkeypatch: pytest.MonkeyPatch, before: str, status: int
) -> None:
    starts = fake_ssh(home / "bin", monkeypatch, before)
    words = ["add", "copilot", "gemini", "--via", "ssh:far"]
    result = runner().invoke(command, words)
    assert result.exit_code == status and starts.read_text() == "started\n"
    assert (
        result.stderr.startswith(f"Trying {starts.with_name('ssh')} -T ")
        and "Trying" not in result.stdout
    )
    assert result.stderr.count("lost it") == (0 if status == 0 else 2), (
        "each file's refusal has its reason"
    )


@IN_A_SHELL
def test_what_a_client_writes_during_the_trial_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": {}}')
    other = '{"mcpServers": {"other": {"command": "/bin/true"}}}'
    fake_ssh(home / "bin", monkeypatch, f"echo '{other}' > {file}")
    assert run("add", "copilot", "--via", "ssh:far")[0] == 0
    assert list(json.loads(file.read_text())["mcpServers"]) == ["other", "unity-bridge"]


@pytest.mark.slow
@IN_A_SHELL
def test_a_trial_takes_no_variable_from_an_existing_entry(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_ssh(home / "bin", monkeypatch, '[ -z "$FAR_KEY" ] || exit 3')
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir()
    variables = {"FAR_KEY": "given", "FAR_HOME": "${HOME}"}
    file.write_text(
        json.dumps({"mcpServers": {"unity-bridge": {"command": "/old", "env": variables}}})
    )
    status, said = run("add", "copilot", "--via", "ssh:far")
    assert status == 0, said
    assert json.loads(file.read_text())["mcpServers"]["unity-bridge"]["env"] == variables


LOADING = {
    "LD_PRELOAD": "game/libgame.so",
    "NODE_OPTIONS": "--require x",
    "PYTHONUNBUFFERED": "",
    "KEY": "k",
}


@pytest.mark.parametrize("via", [(), ("--via", sys.executable + " unity-bridge")])
def test_variables_that_load_code_stay_in_an_entry_only_if_the_user_says_so(
    home: Path, monkeypatch: pytest.MonkeyPatch, via: Tuple[str, ...]
) -> None:
    monkeypatch.setattr(client, "serves", lambda words, entrys, say: Ok(None))
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir()
    before = json.dumps({"mcpServers": {"unity-bridge": {"command": "/old", "env": LOADING}}})
    file.write_text(before)

    status, said = run("add", "copilot", *via)
    assert status == 2 and "LD_PRELOAD would stay in the entry. Add --yes" in said
    assert (
        "sets LD_PRELOAD to 'game/libgame.so'" in said
        and "NODE_OPTIONS" in said
        and "KEY to" not in said
    )
    assert file.read_text() == before

    status, said = run("add", "copilot", "--yes", *via)
    assert status == 0 and "sets LD_PRELOAD" in said
    assert (
        LOADING.items() <= json.loads(file.read_text())["mcpServers"]["unity-bridge"]["env"].items()
    )
    assert run("add", "copilot", *via)[0] == 0, "nothing is written, so nothing is asked"


@pytest.mark.slow
def test_commands_at_once_lose_no_entry(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("other") / "servers.json"
    names = [f"editor-{number}" for number in range(4)]
    words = [*environment.isolated(), "client", "add", "--file", str(file), "--as"]
    added = [
        subprocess.Popen([*words, name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for name in names
    ]
    said = [process.communicate(timeout=GUARD_S)[0] for process in added]
    assert [process.returncode for process in added] == [0] * len(names), said
    assert sorted(json.loads(file.read_text())["mcpServers"]) == names


@pytest.mark.parametrize(
    "words, described",
    [
        (
            ["ssh", "-T", "-o", "BatchMode=yes", "--", "ada@far", "unity-bridge", "--port", "1"],
            "via ssh ada@far on port 1",
        ),
        (["ssh", "-Tp", "2222", "far", "unity-bridge"], "via ssh far"),
        (
            ["sudo", "docker", "exec", "-i", "dev", "unity-bridge", "--project", "/g"],
            "via docker for /g",
        ),
    ],
)
def test_the_list_says_over_which_border_an_entry_starts(
    home: Path, words: List[str], described: str
) -> None:
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir()
    entry = {"command": sys.executable, "args": words}
    file.write_text(json.dumps({"mcpServers": {"unity-bridge": entry}}))
    assert f"{'copilot':<15}user     unity-bridge {described}\n" in run("list")[1]


@pytest.mark.skipif(os.name == "nt", reason="Windows says that there is no such folder")
def test_a_folder_that_cannot_be_looked_into_stops_no_other_client(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a folder that a program of another user made; the administrator may look into every
    folder.
    """
    monkeypatch.setenv("CODEX_HOME", str(home / ("x" * 300)))
    (home / ".copilot").mkdir()
    (home / ".copilot" / "mcp-config.json").write_text("{}")
    status, said = run("list", "--all")
    assert (
        status == 0 and f"{'codex':<15}user     the file cannot be read: File name too long" in said
    )
    monkeypatch.setattr(environment, "on_path", lambda name: None)
    status, said = run("add", "--all")
    assert status == 0 and "Found: Copilot CLI." in said


OFF = {"command": "python3", "args": ["/old/bin/unity-bridge"], "disabled": True}


@pytest.mark.parametrize(
    "name, place, key, entry, way_back",
    [
        (
            "kiro",
            ".kiro/settings/mcp.json",
            "mcpServers",
            OFF,
            "set it to false, or press Enable in the Kiro panel",
        ),
        ("cline", ".cline/data/settings/cline_mcp_settings.json", "mcpServers", OFF, "take it out"),
        (
            *("opencode", ".config/opencode/opencode.json", "mcp"),
            {"type": "local", "command": ["python3", "/old/bin/unity-bridge"], "enabled": False},
            "set it to true",
        ),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="the places of Linux")
def test_an_entry_that_the_user_switched_off_is_said_to_be_off(
    home: Path, game: Path, name: str, place: str, key: str, entry: Dict[str, Any], way_back: str
) -> None:
    (home / place).parent.mkdir(parents=True)
    (home / place).write_text(json.dumps({key: {"unity-bridge": entry}}))

    status, said = run("add", name, "--project", str(game))

    assert status == 0 and f"unity-bridge is switched off by {key}.unity-bridge." in said
    assert f"To switch it on: {way_back}" in said and CLIENTS[name].success not in said
    assert ", switched off\n" in run("list")[1]
    diagnosis = runner().invoke(cli, ["doctor", "--project", str(game)]).output
    assert "is switched off by" in diagnosis and f"ok    client: {name}" not in " ".join(
        diagnosis.split(" ")
    )


def test_another_products_server_of_our_name_stays(home: Path) -> None:
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    entry = {"command": "npx", "args": ["-y", "@someone/other-server", "--stdio"]}
    before = json.dumps({"mcpServers": {"unity-bridge": entry}})
    file.write_text(before)

    for words in (["cursor"], ["--all"], ["--file", str(file)]):
        status, said = run("remove", *words)
        assert (
            status == 0
            and "starts npx -y @someone/other-server --stdio, which is not unity-bridge" in said
        )
        assert file.read_text() == before and "Removed" not in said


def test_a_removal_names_what_it_leaves_in_other_scopes(home: Path, game: Path) -> None:
    """``claude mcp add`` writes the scope local by default."""
    run("add", "claude-code")
    run("add", "claude-code", "--scope", "project")
    file = home / ".claude.json"
    data = json.loads(file.read_text())
    data["projects"] = {str(game): {"mcpServers": data["mcpServers"]}}
    file.write_text(json.dumps(data))

    status, added = run("add", "claude-code")
    assert (
        status == 0
        and f"Claude Code starts the one in claude-code: {file}, for {game} only instead" in added
    )
    assert CLIENTS["claude-code"].success not in added

    status, said = run("remove", "claude-code")
    assert status == 0 and "Removed unity-bridge from" in said
    assert f"{file}, for {game} only still has unity-bridge" in said
    assert "claude mcp remove --scope local unity-bridge" in said
    assert f"{game / '.mcp.json'} still has unity-bridge" in said
    assert f"client remove claude-code --scope project --folder {game}" in said


def test_a_client_that_starts_in_the_root_gets_no_entry_without_a_project(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zed did when the Dock started it."""
    (home / ".config" / "zed").mkdir(parents=True)
    monkeypatch.chdir(os.path.abspath(os.sep))
    status, said = run("add", "zed")
    assert status == 1 and "add --project PATH" in said and files(home) == []


@pytest.mark.parametrize(
    "name, way", [("amp", "--file PATH, and with --key"), ("qwen", "--file ~/.qwen/settings.json")]
)
def test_an_unknown_client_is_configured_by_its_file(home: Path, name: str, way: str) -> None:
    status, said = run("add", name)
    assert status == 2 and f"For another client name its file: {way}" in " ".join(said.split())
