"""The clients' pages say what the program does: each client's snippet, places and command (more in
test_documents).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from unity_bridge.installation.client_plan import snippet
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import ENTRY, Launch, Machine, Scope, StartsIn
from unity_bridge.installation.command_line import Shell, quoted

DOCS = Path(__file__).resolve().parents[2] / "docs"
LAUNCH = Launch("/path/to/python", ("-I", "/path/to/unity-bridge/bin/unity-bridge"))
FOR_A_PROJECT = Launch("/path/to/python", (*LAUNCH.args, "--project", "/path/to/your/UnityProject"))
MACHINES = (
    Machine("linux", Path("~"), {}),
    Machine("darwin", Path("~"), {}),
    Machine("win32", Path("%USERPROFILE%"), {"APPDATA": "C:\\%APPDATA%"}),
)

each_client = pytest.mark.parametrize("name", CLIENTS)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def launch_of(name: str) -> Launch:
    return LAUNCH if CLIENTS[name].starts_in is StartsIn.PROJECT else FOR_A_PROJECT


@each_client
def test_a_page_shows_the_snippet_that_show_prints(name: str) -> None:
    assert f"\n{snippet(CLIENTS[name], ENTRY, launch_of(name)).rstrip()}\n```\n" in page(
        f"clients/{name}.md"
    )


@each_client
def test_a_page_says_where_the_client_starts_servers(name: str) -> None:
    says = f"own file {CLIENTS[name].starts_in.value}, so the entry names the project" in page(
        f"clients/{name}.md"
    )
    assert says == (launch_of(name) is FOR_A_PROJECT)


@each_client
def test_a_page_names_the_file_on_every_system(name: str) -> None:
    client, text = CLIENTS[name], page(f"clients/{name}.md")

    for machine in MACHINES:
        for path in client.user_files(machine):
            of_windows = str(path).replace("/", "\\").replace("C:\\%", "%")
            shown = of_windows if machine.platform == "win32" else path.as_posix()
            assert f"`{shown}`" in text
    assert (client.project_file is None) == ("one project" not in text)
    assert client.project_file is None or f"`{client.project_file}`" in text


@each_client
def test_a_page_names_the_clients_own_command_and_its_documentation(name: str) -> None:
    client, text = CLIENTS[name], page(f"clients/{name}.md")

    assert client.documentation in text and "Places and form were checked on 20" in text
    assert client.apply in text and client.success in text
    if client.own_command is not None:
        assert quoted(client.own_command(ENTRY, launch_of(name), Scope.USER), Shell.POSIX) in text
