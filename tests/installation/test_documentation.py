"""The pages say what the program does: each client's snippet, places and command, and every command that they name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List

import click
import pytest

from unity_bridge import cli
from unity_bridge.installation.client_configs import snippet
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import ENTRY, Launch, Machine, Scope
from unity_bridge.installation.command_line import Shell, quoted

DOCS = Path(__file__).resolve().parents[2] / "docs"
LAUNCH = Launch("/path/to/python", ("/path/to/unity-bridge/bin/unity-bridge",))
MACHINES = (
    Machine("linux", Path("~"), {}),
    Machine("darwin", Path("~"), {}),
    Machine("win32", Path("%USERPROFILE%"), {"APPDATA": "%APPDATA%"}),
)
PAGES = [*(f"clients/{name}.md" for name in CLIENTS), "clients/other.md", "clients/shell.md", "troubleshooting.md"]

each_client = pytest.mark.parametrize("name", CLIENTS)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@each_client
def test_a_page_shows_the_snippet_that_show_prints(name: str) -> None:
    assert f"\n{snippet(CLIENTS[name], ENTRY, LAUNCH).rstrip()}\n```\n" in page(f"clients/{name}.md")


@each_client
def test_a_page_names_the_file_on_every_system(name: str) -> None:
    client, text = CLIENTS[name], page(f"clients/{name}.md")

    for machine in MACHINES:
        for path in client.user_files(machine):
            shown = str(path).replace("/", "\\") if machine.platform == "win32" else path.as_posix()
            assert f"`{shown}`" in text
    assert (client.project_file is None) == ("one project" not in text)
    assert client.project_file is None or f"`{client.project_file}`" in text


@each_client
def test_a_page_tells_the_clients_own_command_and_its_documentation(name: str) -> None:
    client, text = CLIENTS[name], page(f"clients/{name}.md")

    assert client.documentation in text and f"checked on {client.checked}." in text
    assert client.apply in text and client.success in text
    if client.own_command is not None:
        assert quoted(client.own_command(ENTRY, LAUNCH, Scope.USER), Shell.POSIX) in text


@pytest.mark.parametrize("name", PAGES)
def test_every_command_on_a_page_exists_with_its_options(name: str) -> None:
    named = commands_on(page(name))
    assert named

    for words in named:
        command: click.Command = cli.cli
        context = click.Context(command)
        rest = list(words)
        while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
            found = command.get_command(context, rest.pop(0))
            assert found is not None, words
            command = found
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
        known |= {"--help", "--version"}
        assert {word for word in rest if word.startswith("--")} <= known, words


def commands_on(text: str) -> List[List[str]]:
    """The words behind ``unity-bridge`` in code spans and blocks."""
    blocks = "".join(re.findall(r"^ *```sh\n(.*?)```", text, re.MULTILINE | re.DOTALL))
    spans = re.findall(r"`unity-bridge\s([^`]+)`", text) + re.findall(r"^ *unity-bridge (.+)$", blocks, re.MULTILINE)
    return [re.sub(r"[^\w\s-]", " ", span).split() for span in spans]


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    text = page(name)
    anchors = {
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", text, re.M)
    }

    for link in re.findall(r"\]\(([^)]+)\)", text):
        if link.startswith("#"):
            assert link[1:] in anchors, link
        else:
            assert (DOCS / name).parent.joinpath(link).exists(), link
