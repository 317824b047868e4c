"""README and the pages of docs/: their links lead somewhere, their commands exist, their figures
are the code's.
"""

from __future__ import annotations

import ast
import json
import re
import runpy
from dataclasses import asdict
from pathlib import Path
from typing import List
from xml.etree import ElementTree

import click
import pytest

from unity_bridge import cli
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.config import SETTINGS, Config, allowed
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.launch import environment

REPOSITORY = Path(environment.ROOT)
DOCS = REPOSITORY / "docs"
PAGES = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for folder in (
        ".",
        "docs",
        "docs/adr",
        "docs/clients",
        "protocol",
        "plugins",
        "unity_bridge/unity_package",
    )
    for path in (REPOSITORY / folder).glob("*.md")
)

# The contract names commands that this version may not have yet (SPEC §19).
NAME_COMMANDS = [name for name in PAGES if name != "docs/contract.md"]

each_page = pytest.mark.parametrize("name", PAGES)


def page(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def anchors(text: str) -> List[str]:
    """What GitHub makes of the headings."""
    return [
        re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", text, re.M)
    ]


@each_page
def test_every_link_leads_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)|\b(?:src|href)=\"([^\"]+)\"", page(name)):
        target = "".join(link)
        if re.match(r"https?://", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (REPOSITORY / name).parent / file if file else REPOSITORY / name
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked.read_text(encoding="utf-8")), target


def commands_on(text: str) -> List[List[str]]:
    """The words behind ``unity-bridge`` in code spans and blocks."""
    text = text.replace("bin/unity-bridge", "unity-bridge")
    blocks = "".join(re.findall(r"^ *```sh\n(.*?)```", text, re.MULTILINE | re.DOTALL))
    spans = re.findall(r"`unity-bridge\s([^`]+)`", text) + re.findall(
        r"^ *unity-bridge (.+)$", blocks, re.MULTILINE
    )
    return [re.sub(r"[^\w\s-]", " ", span.split(" #")[0]).split() for span in spans]


@pytest.mark.parametrize("name", NAME_COMMANDS)
def test_every_command_exists_with_its_options(name: str) -> None:
    for words in commands_on(page(name)):
        command: click.Command = cli.cli
        context = click.Context(command)
        rest = [word for word in words if word != "..."]
        while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
            found = command.get_command(context, rest.pop(0))
            assert found is not None, words
            command = found
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
        assert {word for word in rest if word.startswith("--")} <= known | {
            "--help",
            "--version",
        }, words


def test_the_page_of_the_command_line_names_every_command() -> None:
    table = page("docs/command-line.md").split("## Commands")[1].split("\n\n`compile` and")[0]
    named = set(
        re.findall(
            r"`([a-z-]+)",
            "".join(row.split("|")[1] for row in table.splitlines() if row.startswith("|")),
        )
    )
    assert set(cli.cli.list_commands(click.Context(cli.cli))) - named == {"serve"}


# The README


def test_the_readme_can_be_read_in_five_minutes() -> None:
    text = re.sub(r"^```.*?^```$", "", page("README.md"), flags=re.M | re.S)
    assert len(text.split()) <= 1100


def test_the_readme_says_what_it_is_and_what_has_not_run_it() -> None:
    text = page("README.md")
    assert "MCP server and a command line for Unity" in text.split(".")[0]
    assert "not affiliated with Unity Technologies" in text
    assert text.index("No real Unity") > text.index("## Three ways in")
    first_screen = text.partition("\n## ")[0]
    assert "not the old Input Manager" in first_screen, "where keys do not work"
    assert [
        name for name in CLIENTS if f"[`{name}`](docs/clients/{name}.md)" not in first_screen
    ] == []


def test_each_block_of_commands_in_the_readme_has_a_form_for_cmd_and_powershell() -> None:
    """Windows PowerShell 5.1 has no ``&&``; in cmd ``#`` begins no comment, and ``bin/x`` starts
    nothing.
    """
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page("README.md"), re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in blocks] == ["sh", "bat"] * (len(blocks) // 2) and blocks
    for (_, posix), (_, windows) in zip(blocks[::2], blocks[1::2]):
        assert not re.search(r"&&|#|bin/|\"|'", windows)
        as_posix = windows.replace("bin\\unity-bridge.cmd", "bin/unity-bridge").replace("\\", "/")
        assert as_posix.splitlines() == [
            line.split(" #")[0].rstrip() for line in posix.splitlines()
        ]


def test_the_recipe_for_a_tool_names_all_that_a_new_one_needs() -> None:
    """Each of these failed for a tool that was added by the recipe."""
    text = page("CONTRIBUTING.md")
    assert len(text.split()) <= 1400
    recipe = text.partition("## A new tool")[2].partition("\n## ")[0]
    for needed in (
        "tests/unity_headless/metas.py",
        "docs/command-line.md",
        "tests.contract_tables",
        "README",
        "1 100",
    ):
        assert needed in recipe
    folders = re.findall(
        r"`(catalogue|simulator|commands|unity_package|tests|unity_bridge)[^`]*/`?", recipe
    )
    assert {"unity_bridge", "unity_package", "simulator", "commands"} <= set(folders)


def test_the_readme_names_every_tool_there_is() -> None:
    table = page("README.md").split("| tool | what it is for |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.M)) == set(CATALOGUE)


def test_on_pypi_no_link_needs_the_repository_around_it() -> None:
    shown = runpy.run_path(str(REPOSITORY / "setup.py"))["for_pypi"](page("README.md"))
    links = re.findall(r"\]\(([^)]+)\)", shown)
    assert links and all(link.startswith("https://") for link in links)
    assert len(links) == len(re.findall(r"\]\(([^)]+)\)", page("README.md")))
    assert (
        "(https://raw.githubusercontent.com/unity-bridge/unity-bridge/main/docs/pictures/demo.svg)"
        in shown
    )


# Settings


def settings_table() -> str:
    defaults = asdict(Config())
    rows = ["| setting | default | variable | meaning |", "|---|---|---|---|"]
    for name, setting in SETTINGS.items():
        variables = " or ".join(f"`{variable}`" for variable in setting.variables)
        rows.append(
            f"| `{name}` | `{json.dumps(defaults[name])}` | {variables} | {setting.meaning}: {allowed(name)} |"
        )
    return "\n".join(rows)


def test_the_page_of_settings_has_all_of_them_as_they_are() -> None:
    shown = re.search(
        r"<!-- settings[^>]*-->\n(.*)\n<!-- /settings -->", page("docs/settings.md"), re.DOTALL
    )
    assert shown is not None and shown[1] == settings_table(), settings_table()
    file = json.loads((REPOSITORY / "conf" / "unity-bridge.json").read_text(encoding="utf-8"))
    assert {name: file[name] for name in SETTINGS} == {
        name: asdict(Config())[name] for name in SETTINGS
    }


# The picture


def steps_of_the_demo() -> List[str]:
    """The headings of the demo's steps, in order, off its source."""
    source = ast.parse(
        (REPOSITORY / "unity_bridge" / "commands" / "shared" / "demo_story.py").read_text(
            encoding="utf-8"
        )
    )
    calls = [
        node
        for node in ast.walk(source)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    steps = [
        call
        for call in calls
        if call.func.attr == "_step"  # type: ignore[attr-defined]
        and isinstance(call.args[0], ast.Constant)
    ]
    return [str(call.args[0].value) for call in sorted(steps, key=lambda call: call.lineno)]  # type: ignore[attr-defined]


def test_the_picture_shows_the_steps_of_the_demo() -> None:
    drawn = ElementTree.parse(str(DOCS / "pictures" / "demo.svg"))
    lines = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    numbered = [f"{number}. {step}" for number, step in enumerate(steps_of_the_demo(), 1)]
    everything = " ".join(" ".join(lines).split())
    places = [everything.find(step) for step in numbered]
    assert numbered and -1 not in places and places == sorted(places), (
        "run: python docs/pictures/draw_demo.py"
    )
    assert len([line for line in lines if re.match(r"\d+\. ", line)]) == len(numbered)


# The map


def test_the_map_shows_every_package() -> None:
    table = page("ARCHITECTURE.md").split("## Threads")[0]
    packages = {path.parent.name for path in (REPOSITORY / "unity_bridge").glob("*/__init__.py")}
    assert packages <= set(re.findall(r"`(\w+)/`", table))


def test_the_threads_are_the_started_ones() -> None:
    table = page("ARCHITECTURE.md").split("## Threads")[1].split("## ")[0]
    cells = re.findall(r"^\| (`[^|]+) \|", table, re.M)
    documented = {
        name.replace("-N-", "-{}-") for cell in cells for name in re.findall(r"`([^`]+)`", cell)
    }
    started = set()
    for path in (REPOSITORY / "unity_bridge").rglob("*.py"):
        if "simulator" not in path.parts and path.name != "demo_story.py":
            named = re.findall(
                r'Thread\([^()]*(?:\([^()]*\)[^()]*)*name=f?"([^"]+)"',
                path.read_text(encoding="utf-8"),
            )
            started |= {re.sub(r"{[^}]*}", "{}", name) for name in named}
    assert documented == started


def test_the_tests_that_the_security_page_names_exist() -> None:
    root = Path(environment.ROOT)
    page = (root / "SECURITY.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "`test_" in line]
    defended = page[page.index("## What is defended") : page.index("## What is not defended")]
    rows_in_all = [
        line
        for line in defended.splitlines()
        if line.startswith("| ") and not line.startswith(("| against", "| fault"))
    ]
    assert rows == rows_in_all, "each row names a test"
    names = set(re.findall(r"`(test_\w+)`", page))
    code = "\n".join(path.read_text("utf-8") for path in (root / "tests").rglob("test_*.py"))
    assert [name for name in sorted(names) if not re.search(rf"def {name}\(", code)] == []


def test_one_table_lists_the_sources_of_the_port_in_order() -> None:
    section = page("docs/settings.md").split("## Where a port comes from")[1].split("\n## ")[0]
    rows = [line.split("|")[2] for line in section.splitlines() if re.match(r"\| \d \|", line)]
    places = (
        "--port",
        "UNITY_BRIDGE_PORT",
        "UNITY_BRIDGE_CONFIG",
        "UserSettings",
        "ProjectSettings",
        "8091",
    )
    assert len(rows) == len(places) and all(place in row for place, row in zip(places, rows))
    assert "settings.md#where-a-port-comes-from" in page("README.md")
