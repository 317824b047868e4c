"""What switches a server off in a client's files is found, whichever member of which file it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pytest

from tests.installation.findings import only
from tests.installation.unity_projects import make_project
from unity_bridge.base.result import Ok
from unity_bridge.installation.client_checks import clients
from unity_bridge.installation.client_configs import ClientConfig, config_of
from unity_bridge.installation.client_plan import Wanted, plan_addition
from unity_bridge.installation.client_switches import switched_off
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import (
    ENTRY,
    OF_NAME,
    OF_PROJECT,
    Client,
    Listed,
    Machine,
    Scope,
    Switch,
)
from unity_bridge.installation.entries import NewEntry
from unity_bridge.installation.findings import Verdict
from unity_bridge.launch import environment

SWITCHES = [
    (client.name, place) for client in CLIENTS.values() for place in range(len(client.switches))
]


class Home:
    """A user and a project of whose clients the tests write the files."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine("linux", folder / "home", {})
        self.machine.home.mkdir()
        self.project = make_project(folder / "game")

    def added(self, client: Client, switch: Switch) -> ClientConfig:
        """Our entry in the file for which the switch counts."""
        scope = switch.scope or Scope.USER
        path = client.files(scope, self.machine, self.project)[0]
        config = config_of(client, scope, path, self.project)
        python, *words = environment.command()
        plan = plan_addition(
            config, Wanted(ENTRY, NewEntry([python, "-I", *words], 8091)), config.read()
        )
        assert isinstance(plan.edit.apply(), Ok)
        return config

    def switch(self, config: ClientConfig, switch: Switch, off: bool) -> Iterator[Path]:
        """Write the switch into each file that may have it, one after the other."""
        member = [
            part.replace(OF_PROJECT, str(self.project)).replace(OF_NAME, ENTRY.upper())
            for part in switch.path
        ]
        files = [config.path] if switch.files is None else switch.files(self.machine, self.project)
        path = [*config.client.table, ENTRY, *member] if switch.files is None else member
        for file in files:
            before = file.read_text(encoding="utf-8") if file.exists() else ""
            edited = config.client.form.with_values(
                before, path[:-1], {path[-1]: value_of(switch, off)}
            )
            assert isinstance(edited, Ok), edited
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(edited.value, encoding="utf-8")
            yield file
            file.write_text(before, encoding="utf-8")

    def off(self, config: ClientConfig) -> Tuple[str, ...]:
        return tuple(
            sentence
            for entry in config.entries()
            for sentence in switched_off(config, entry, self.machine, self.project)
        )


def value_of(switch: Switch, off: bool) -> Any:
    if isinstance(switch.off, Listed):
        has_name = (switch.off is Listed.IN) is off
        return ["another", ENTRY] if has_name else ["another"]
    return switch.off if off else not switch.off


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.mark.parametrize("name, place", SWITCHES)
def test_a_switch_is_found_where_it_is_and_named_with_the_way_back(
    home: Home, name: str, place: int
) -> None:
    client, switch = CLIENTS[name], CLIENTS[name].switches[place]
    config = home.added(client, switch)
    assert home.off(config) == ()

    for file in home.switch(config, switch, True):
        (sentence,) = home.off(config)
        assert sentence.startswith(f"{ENTRY} is switched off by ") and str(file) in sentence
        assert sentence.endswith(f"To switch it on: {switch.on}.")
        finding = only(clients([config], 8091, 8091, home.project, home.machine))
        assert finding.verdict is Verdict.NOTE and "is switched off by" in finding.message
    for _ in home.switch(config, switch, False):
        assert home.off(config) == ()
        assert only(clients([config], 8091, 8091, home.project, home.machine)).verdict is Verdict.OK


@pytest.mark.parametrize("name", ["claude-code", "copilot", "cursor"])
def test_a_flag_that_the_client_does_not_read_switches_nothing_off(home: Home, name: str) -> None:
    config = home.added(CLIENTS[name], Switch((), True, ""))
    text = config.path.read_text(encoding="utf-8").replace(
        '"command"', '"disabled": true, "enabled": false, "command"'
    )
    config.path.write_text(text, encoding="utf-8")
    assert home.off(config) == ()


def test_what_is_off_in_another_project_is_on_in_this_one(home: Home, tmp_path: Path) -> None:
    client = CLIENTS["claude-code"]
    config = home.added(client, client.switches[0])
    data: Dict[str, Any] = json.loads(config.path.read_text(encoding="utf-8"))
    data["projects"] = {str(tmp_path / "other"): {"disabledMcpServers": [ENTRY]}}
    config.path.write_text(json.dumps(data), encoding="utf-8")
    assert home.off(config) == ()
    assert switched_off(config, config.entries()[0], home.machine, None), "no project is known"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"disabledMcpServers": "unity-bridge"}', '{"disabledMcpServers": {}}']
)
def test_a_file_of_another_shape_switches_nothing_off(home: Home, text: str) -> None:
    client = CLIENTS["copilot"]
    config = home.added(client, client.switches[0])
    (config.path.parent / "settings.json").write_text(text, encoding="utf-8")
    assert home.off(config) == ()
