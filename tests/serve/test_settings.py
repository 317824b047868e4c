"""The command line of a server is read without click where it is plain, and means the same then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List, Mapping

import click
import pytest

from unity_bridge.base.result import Err
from unity_bridge.cli import cli
from unity_bridge.launch.environment import ROOT
from unity_bridge.serve.plain_options import OPTIONS, plain_options
from unity_bridge.serve.settings import meant_project


def test_the_plain_options_are_those_of_the_command_line() -> None:
    taken = {
        one.opts[0]: one.name
        for one in cli.params
        if isinstance(one, click.Option) and one.name != "version"
    }
    assert taken == OPTIONS


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["serve"], {}),
        (["--port", "8091"], {"port": "8091"}),
        (
            ["serve", "--port=8091", "--log-file", "a=b.log"],
            {"port": "8091", "log_file": "a=b.log"},
        ),
        (["--port", "1", "--port", "2"], {"port": "2"}),
        (["--project", "", "--config="], {"project": "", "config_file": ""}),
    ],
)
def test_a_plain_command_line_means_what_click_takes_it_for(
    words: List[str], options: Mapping[str, str]
) -> None:
    assert plain_options(words) == options
    rest = words[1:] if words[:1] == ["serve"] else words
    context = cli.make_context("unity-bridge", list(rest))
    assert {name: value for name, value in context.params.items() if value is not None} == options


@pytest.mark.parametrize(
    "words",
    [
        ["--port"],
        ["--prot", "1"],
        ["--port", "-1"],
        ["--port=-1"],
        ["--port", "1", "serve"],
        ["status"],
        ["-h"],
    ],
)
def test_any_other_command_line_is_left_to_click(words: List[str]) -> None:
    assert plain_options(words) is None


def test_a_folder_that_is_no_project_is_refused(tmp_path: Path) -> None:
    refused = meant_project(str(tmp_path))
    assert isinstance(refused, Err) and "is not a Unity project" in refused.error


INITIALIZE = ["click", "dataclasses", "inspect", "pathlib", "socket", "unity_bridge.catalogue"]
FIRST_RESULT = [
    *("click", "pathlib", "random", "shutil", "subprocess", "tempfile"),
    *("unity_bridge.commands", "unity_bridge.scripting", "wsproto"),
]


@pytest.mark.parametrize(
    ("modules", "left_out"),
    [
        ("unity_bridge.__main__, unity_bridge.serve.entry", INITIALIZE),
        ("unity_bridge.serve.app", FIRST_RESULT),
    ],
    ids=["initialize", "first result"],
)
def test_a_server_starts_without_what_takes_long_to_import(
    modules: str, left_out: List[str]
) -> None:
    code = f"import sys, {modules}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, timeout=60, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) & set(left_out) == set()


def test_the_loading_thread_imports_the_catalogue_as_a_client_that_asks_for_its_tools_does() -> (
    None
):
    """The package first. While one thread imports it and another one of its modules, each can need
    the other's lock.
    """
    code = (
        "import sys; from unity_bridge.__main__ import main\n"
        "def seen(event, about):\n"
        "    if event == 'import' and about[0].startswith('unity_bridge.catalogue'): print(about[0], file=sys.stderr)\n"
        "sys.addaudithook(seen)\n"
        "main(['--port', '0'])\n"
    )
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, encoding="utf-8", **pipes) as server:  # type: ignore[call-overload]
        first = server.stderr.readline()
        server.communicate(timeout=60)
    assert first == "unity_bridge.catalogue\n"
