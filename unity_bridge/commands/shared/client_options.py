"""The options that the commands of ``unity-bridge client`` share."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Optional

import click

from unity_bridge.commands.shared.option_values import PortOrAuto
from unity_bridge.commands.shared.options import flag, with_options
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import ENTRY, Scope
from unity_bridge.installation.entries import ANY_PORT
from unity_bridge.text.spelling import nearest

_ANY_FILE = "--file PATH, and with --key where that file holds its servers"
# Qwen Code's file has Gemini CLI's form.
_BY_FILE = dict.fromkeys(("qwen", "qwen-code"), "--file ~/.qwen/settings.json")


class _Name(click.Choice):  # type: ignore[type-arg]  # not generic in every version
    """The name of a client. A title is mapped to the likely client: users have Rider, and its
    client is Junie.
    """

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> Any:
        if value in self.choices:
            return value
        names = {client.title: name for name, client in CLIENTS.items()}
        names.update({name: name for name in CLIENTS})
        near = nearest(str(value), names)
        hint = "" if near is None else f" Did you mean '{names[near]}'?"
        by_file = f"For another client name its file: {_BY_FILE.get(str(value).lower(), _ANY_FILE)}"
        self.fail(
            f"{value!r} is not a client that is known.{hint} {by_file}. They are: {', '.join(CLIENTS)}.",
            param,
            ctx,
        )


_names = click.argument("clients", metavar="[NAME]...", nargs=-1, type=_Name(list(CLIENTS)))
_all = flag("--all", "every", help="All clients found on this machine.")
_file = click.option(
    "--file",
    type=click.Path(dir_okay=False),
    metavar="PATH",
    help="The configuration file of a client without a NAME here: TOML if it ends in .toml, else JSON.",
)
_key = click.option(
    "--key",
    metavar="KEY",
    default="mcpServers",
    show_default=True,
    help="Where that file holds its servers; a.b is b inside a.",
)
_port = click.option(
    "--port",
    type=PortOrAuto(ANY_PORT),
    metavar="N|auto",
    help="The server's port. auto: the port of the project in which the server starts, else 8091.",
)


def _entry_name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not _ENTRY_NAME.fullmatch(value):
        raise click.BadParameter(
            f"{value!r} has to be 1 to 64 letters, digits, hyphens and underscores of ASCII."
        )
    return value


# Clients refuse other names, or fail to start a server that has one.
_ENTRY_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_entry_option = partial(
    click.option,
    "--as",
    "entry",
    metavar="ENTRY",
    default=ENTRY,
    show_default=True,
    help="The entry's name, for a second editor.",
)
_entry = _entry_option(callback=_entry_name)
# An entry can be removed whatever its name is.
_any_entry = _entry_option()
_scope = click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    default=Scope.USER.value,
    show_default=True,
    help="user: for all your projects. project: in a file of one project, which its team shares.",
)
_project = click.option(
    "--project",
    metavar="PATH",
    help="The Unity project of the server (default: the project that contains the folder in which the server starts).",
)
_project_of_files = click.option(
    "--project",
    metavar="PATH",
    help="The project whose files are meant, in the scope project (default: this folder).",
)
_folder = click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False),
    help="For --scope project: the folder that you open in the client (default: the project, else this folder).",
)
_via = click.option(
    "--via",
    metavar="COMMAND",
    help="The command that reaches a unity-bridge elsewhere, or ssh:HOST, or, in WSL, wsl for Windows. --project is a "
    "path of that machine then; with wsl, of either.",
)
_client_project = click.option(
    "--client-project",
    metavar="PATH",
    help="With --via: where the client sees the project. --via wsl fills it in.",
)
_yes = flag(
    "--yes",
    help="Keep variables of an existing entry that decide which code its server loads.",
)
_dry_run = flag("--dry-run", help="Show the change as a unified diff, and change nothing.")

_every_client = flag("--all", "every", help="List the clients that were not found here too.")

# Each command's options, in the order of its help.
list_options = with_options(_every_client, _folder, _project_of_files)
_of_an_entry = with_options(
    _file, _key, _port, _entry, _scope, _folder, _project, _via, _client_project
)
show_options = with_options(_names, _of_an_entry)
add_options = with_options(_names, _all, _of_an_entry, _yes, _dry_run)
remove_options = with_options(
    _names, _all, _file, _key, _any_entry, _scope, _folder, _project_of_files, _dry_run
)
