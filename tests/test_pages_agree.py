"""What several pages say of one thing is what the program does: options, exit statuses, defaults and
numbers of tables.
"""

from __future__ import annotations

import re
from typing import Dict, Iterator, List, Set, Tuple

import click
import pytest

from tests.test_documents import NAME_COMMANDS, REPOSITORY, page
from unity_bridge import cli
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.installation.clients import CLIENTS

COMMAND_LINE = "docs/command-line.md"
ROWS = re.compile(r"^\|.*\|$", re.MULTILINE)
SPANS = re.compile(r"`([^`]+)`")
# The words of a heading or a sentence that tell what is counted, and how many there are.
COUNTS = {"tools": len(CATALOGUE), "clients": len(CLIENTS)}
WORDS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
# Each command may end with it, whatever its --help says of others.
INTERRUPTED = 130


def commands() -> Dict[str, click.Command]:
    """All commands by their words, as in ``plugin install``."""
    found: Dict[str, click.Command] = {}
    context = click.Context(cli.cli)
    for name in cli.cli.list_commands(context):
        command = cli.cli.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found.update({f"{name} {part}": inner for part, inner in command.commands.items()})
    return found


ALL = commands()


def options(name: str) -> Set[str]:
    """The long options of a command, or of all parts of a group."""
    parts = [command for words, command in ALL.items() if f"{words} ".startswith(f"{name} ")]
    params = [param for command in parts for param in command.params]
    return {option for param in params for option in (*param.opts, *param.secondary_opts)}


def help_of(name: str) -> str:
    context = click.Context(ALL[name], info_name=name)
    return re.sub(r"\s+", " ", ALL[name].get_help(context))


def rows(name: str) -> Iterator[List[str]]:
    for row in ROWS.findall(page(name)):
        cells = [cell.strip() for cell in row.replace("\\|", "\0").strip("|").split("|")]
        yield [cell.replace("\0", "|") for cell in cells]


def named_with_options(text: str) -> Iterator[Tuple[str, str]]:
    """The commands of a text in backticks, without the program's name, with an option behind them."""
    for span in SPANS.findall(text):
        words = re.sub(r"^(?:bin/)?unity-bridge ", "", span).split()
        name = words[0] if words else ""
        if name in ALL:
            for option in re.findall(r"(?:^|[\s\[|])(--[a-z][a-z-]+)", span):
                yield name, option


@pytest.mark.parametrize("name", [*NAME_COMMANDS, "docs/contract.md"])
def test_an_option_behind_a_command_is_one_of_its_options(name: str) -> None:
    # An argument of a command of the editor, and a guess that stands for another command.
    taken = {("run", "--kind"), ("console", "--clear")}
    wrong = [
        (command, option)
        for command, option in named_with_options(page(name))
        if option not in options(command) | {"--help"} and (command, option) not in taken
    ]
    assert wrong == []


@pytest.mark.parametrize("name", [*NAME_COMMANDS, "docs/contract.md"])
def test_an_option_in_the_row_of_a_command_is_one_of_its_options(name: str) -> None:
    """As in the table of commands, whose second column names options of the first."""
    for cells in rows(name):
        first = [span.split()[0] for span in SPANS.findall(cells[0]) if span.split()]
        row_commands = [word for word in first if word in ALL]
        if not row_commands or len(first) > len(row_commands):
            continue
        known = {option for command in row_commands for option in options(command)}
        for span in SPANS.findall(" ".join(cells[1:])):
            if span.startswith("--"):
                assert span.split()[0].rstrip(",") in known, (row_commands, span)


def tables_of_statuses(name: str) -> List[Set[int]]:
    """The numbers of each table whose first column is headed by the exit status."""
    text = page(name)
    tables = re.findall(r"^\| (?:exit )?status \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.M)
    return [set(map(int, re.findall(r"^\| (\d+) \|", table, re.M))) for table in tables]


def statuses_in_help(name: str) -> Set[int]:
    text = help_of(name)
    if "Exit status: " not in text:
        return set()
    sentence = text.partition("Exit status: ")[2].partition("Options:")[0]
    return {int(number) for number in re.findall(r"(?:^|; )(\d) ", sentence)}


def test_the_statuses_are_the_same_on_all_pages_and_in_every_help() -> None:
    (whole, of_open) = tables_of_statuses(COMMAND_LINE)
    assert whole == {0, 1, 2, 3, 4, INTERRUPTED}
    readme = page("README.md").partition("Exit status: ")[2].partition("[Every command]")[0]
    assert {int(number) for number in re.findall(r"(?:^|; )(\d+) ", readme)} == whole
    skill = (REPOSITORY / "unity_bridge/installation/skills/unity-bridge.md").read_text("utf-8")
    assert set(map(int, re.findall(r"^\| (\d) \|", skill, re.M))) == whole - {INTERRUPTED}
    assert of_open - {2, INTERRUPTED} == statuses_in_help("open")
    for name in ALL:
        assert statuses_in_help(name) <= whole, name


@pytest.mark.parametrize(
    "name", [name for name in ALL if "3 no editor" in help_of(name).partition("Options:")[0]]
)
def test_a_help_that_lists_statuses_lists_wrong_usage(name: str) -> None:
    assert 2 in statuses_in_help(name)


def test_a_default_in_a_table_is_that_of_every_help_but_for_the_named_ones() -> None:
    """As in: no editor within `--wait SECONDS` (default 10; `wait-ready`: `--timeout SECONDS`,
    default 120).
    """
    (row,) = [cells for cells in rows(COMMAND_LINE) if cells[0] == "3" and "(default" in cells[1]]
    default, exceptions = re.findall(r"\(default (\d+)(.*)\)", row[1])[0]
    named = dict(re.findall(r"`([a-z-]+)`: `(--[a-z]+) SECONDS`", exceptions))
    seconds = re.findall(r"default (\d+)", exceptions)
    assert len(named) == len(seconds)
    for (command, option), number in zip(named.items(), seconds):
        assert re.search(rf"{option} SECONDS [^-]*\(default {number}\)", help_of(command))
    followed = [name for name in ALL if 3 in statuses_in_help(name)]
    own_text = {"open", "close", "status"}  # the page says theirs below its table
    for name in set(followed) - own_text:
        if name in named:
            assert "--wait" not in options(name), name
        elif "--wait" in options(name) and name != "jobs":
            assert re.search(rf"--wait SECONDS [^-]*\(default {default}\)", help_of(name)), name


@pytest.mark.parametrize("noun", COUNTS)
@pytest.mark.parametrize("name", NAME_COMMANDS)
def test_a_number_of_tools_or_clients_is_that_of_the_code(name: str, noun: str) -> None:
    numbers = "|".join(WORDS[6:])
    for word in re.findall(rf"\b(?:all|the|these|our) ({numbers}) {noun}\b", page(name), re.I):
        assert WORDS.index(word.lower()) == COUNTS[noun], word


def test_the_page_of_commands_counts_none() -> None:
    """A number of commands was wrong on its first page, and would be with each new command."""
    section = page("docs/commands.md").partition("## Commands of the plugin")[2].split("\n## ")[0]
    numbers = "|".join(WORDS[4:])
    assert re.findall(rf"\b(?:{numbers}) (?:that|for|commands)\b", section) == []
