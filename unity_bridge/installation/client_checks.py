"""Checks whether the clients' configurations start this server, and on the port that the editor
uses.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from unity_bridge.config import Config
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.client_switches import switched_off
from unity_bridge.installation.clients.client import ENTRY, Machine
from unity_bridge.installation.command_line import ours
from unity_bridge.installation.entry_environment import handed_on, named_variables, secret_places
from unity_bridge.installation.findings import Finding, bad, ok, worth_a_note
from unity_bridge.installation.placed_entries import PlacedEntry
from unity_bridge.installation.skill import NAMES, SkillFolder
from unity_bridge.projects.canonical_path import canonical_path, real_path
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.unity_folder import is_project
from unity_bridge.version import __version__

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")


class _Wanted(NamedTuple):
    """The port that the editor uses.

    ``default_port``: the port of an entry that names none and starts in the project.
    """

    port: int
    default_port: int
    project: Optional[Path]

    def port_of(self, placed: PlacedEntry) -> int:
        """Return the port on which the entry's server waits for the editor.

        The project's files count after the entry's own options (SPEC §18.1).
        """
        entry = placed.entry
        if entry.port is not None:
            return entry.port
        if entry.project is not None:
            settings = port_of_project(entry.project).given
            if settings is not None and isinstance(settings.value, int):
                return settings.value
            return Config().unity_ws_port
        if self.project is not None and placed.is_started_elsewhere:
            return Config().unity_ws_port
        return self.default_port

    def is_met_by(self, placed: PlacedEntry) -> bool:
        return self.port_of(placed) == self.port

    def is_project_of(self, placed: PlacedEntry) -> bool:
        """Return whether the entry names the project that is examined."""
        project = placed.entry.project
        return (
            project is not None
            and self.project is not None
            and canonical_path(project) == canonical_path(self.project)
        )

    @property
    def port_for_entries(self) -> Union[int, str]:
        if self.port == self.default_port:
            return "auto"
        return self.port


class _OtherPort(NamedTuple):
    """A client whose servers use other ports."""

    client: str
    ports: List[int]
    entry: PlacedEntry


def clients(
    configs: Sequence[ClientConfig],
    wanted_port: int,
    default_port: int,
    folder: Optional[Path] = None,
    machine: Optional[Machine] = None,
) -> List[Finding]:
    """Check all clients' configurations.

    ``wanted_port``: the port that the editor uses. ``default_port``: the port of an entry that names none. ``folder``:
    the project in which a client would be started, whose own entries have priority over the user's; another folder if
    no project is known.
    """
    machine = machine or Machine()
    project_folder = None
    if folder is not None and is_project(str(folder)):
        project_folder = folder
    need = _Wanted(
        wanted_port,
        default_port,
        project_folder,
    )
    findings: List[Finding] = []
    entries_of_client: Dict[str, List[PlacedEntry]] = {}
    for config in configs:
        content = config.read()
        if content.fault is not None:
            message = f"{config.client.name}: {config.path} {content.fault}"
            remedy = "Correct that file; the client cannot read it either."
            findings.append(bad("client", message, remedy))
            continue
        entries_of_client.setdefault(config.client.name, []).extend(
            PlacedEntry(config, entry)
            for entry in config.entries_in(content)
            if entry.folder is None or _holds(entry.folder, folder)
        )
    elsewhere: List[_OtherPort] = []
    for placed_entries in entries_of_client.values():
        findings += _of_one_client(placed_entries, need, machine, elsewhere)
    findings += _other_ports(elsewhere, need)
    if not findings:
        fix_command = (
            f"{ours('client', 'list')} shows their names; then: {ours('client', 'add', 'NAME')}"
        )
        findings.append(
            worth_a_note("client", "no MCP client is configured for unity-bridge", fix_command)
        )
    return findings


def skill_findings(folders: Sequence[SkillFolder]) -> List[Finding]:
    """Check whether all skills are installed and of this version; return nothing if none is installed."""
    findings = []
    for folder in folders:
        versions = folder.versions()
        lacking = [name for name in NAMES if versions.get(name) != __version__]
        if not lacking:
            findings.append(ok("skill", f"{len(NAMES)} of {__version__} in {folder.path}"))
            continue
        names = ", ".join(f"{name} ({versions.get(name, 'missing')})" for name in lacking)
        message = f"{folder.path} has not all skills of {__version__}: {names}"
        words = ("skill", "install", folder.clients[0].name, f"--{folder.scope.value}")
        findings.append(worth_a_note("skill", message, ours(*words)))
    return findings


def _of_one_client(
    placed_entries: List[PlacedEntry],
    need: _Wanted,
    machine: Machine,
    elsewhere: List[_OtherPort],
) -> Iterator[Finding]:
    """Yield the findings about one client. ``elsewhere`` gets the ports on which its servers wait
    in vain, if they do.
    """
    working: List[PlacedEntry] = []
    for placed in placed_entries:
        winner = min(
            (rival for rival in placed_entries if rival.entry.name == placed.entry.name),
            key=lambda rival: rival.rank,
        )
        if winner.rank < placed.rank:
            message = f"{placed.place}: {placed.entry.name} is hidden by the one in {winner.place}"
            yield worth_a_note("client", message)
            continue
        if placed.entry.border is not None:
            yield _elsewhere(placed)
            continue
        problem = _broken(placed, need)
        off = switched_off(placed.config, placed.entry, machine, need.project)
        if problem is not None:
            yield problem
        elif off:
            yield from (worth_a_note("client", f"{placed.place}: {sentence}") for sentence in off)
        else:
            working.append(placed)
    if working:
        yield from _of_working(working, need, elsewhere)
    for placed in working:
        yield from _secret_of(placed, machine)


def _of_working(
    working: List[PlacedEntry], need: _Wanted, elsewhere: List[_OtherPort]
) -> Iterator[Finding]:
    """Yield the findings about entries of one client that start a server."""
    name = working[0].config.client.name
    are_for_others = all(
        placed.entry.project is not None and not need.is_project_of(placed) for placed in working
    )
    is_met = any(need.is_met_by(placed) for placed in working)
    if is_met or (are_for_others and need.project is None):
        yield from (_works(placed, need) for placed in working)
    elif are_for_others and need.project is not None:
        message = f"{name} starts it for {working[0].entry.project}, not for this project"
        options = ("--project", str(need.project), "--as", entry_name_for(need.project))
        yield bad("client", message, ours("client", "add", name, *options))
    elif need.project is not None and all(placed.is_started_elsewhere for placed in working):
        message = f"{working[0].place}: {name} does not start the server in the project, so it waits on port "
        message += f"{need.port_of(working[0])}, not {need.port}"
        yield bad("client", message, working[0].fix_command(project=need.project))
    else:
        ports = sorted({need.port_of(placed) for placed in working})
        example = next((placed for placed in working if need.is_project_of(placed)), working[0])
        elsewhere.append(_OtherPort(name, ports, example))


def _other_ports(others_ports: Sequence[_OtherPort], need: _Wanted) -> List[Finding]:
    """Return one finding for all clients that one command fixes."""
    together: Dict[Tuple[str, ...], List[_OtherPort]] = {}
    for client_port in others_ports:
        # A port in an entry would apply to every project in which the client is used.
        together.setdefault(
            tuple(client_port.entry.words_after_name(need.port_for_entries)), []
        ).append(client_port)
    findings = []
    for words, clients_ in together.items():
        uses = "; ".join(
            f"{client_port.client} uses port {', '.join(map(str, client_port.ports))}"
            for client_port in clients_
        )
        numbers = sorted({port for client_port in clients_ for port in client_port.ports})
        message = f"{uses}, not {need.port}"
        if "auto" in words and any(
            client_port.entry.entry.port is not None for client_port in clients_
        ):
            message += (
                f". With --port auto the number goes out of the entry: another project that relies on it then needs "
                f"{ours('plugin', 'install', 'PROJECT', '--port', str(numbers[0]))}"
            )
        fix_command = ours(
            "client", "add", *(client_port.client for client_port in clients_), *words
        )
        if clients_[0].entry.entry.folder is not None:
            fix_command = clients_[0].entry.fix_command()
        findings.append(bad("client", message, fix_command))
    return findings


def entry_name_for(project: Path) -> str:
    """Return a name for a project's own entry.

    Clients accept letters, digits, hyphens and underscores (Claude Code, Codex).
    """
    plain = _NOT_IN_A_NAME.sub("-", project.name).strip("-")
    return f"{ENTRY}-{plain or 'project'}"


def _broken(placed: PlacedEntry, need: _Wanted) -> Optional[Finding]:
    entry = placed.entry
    port: Union[int, str, None] = None if need.is_met_by(placed) else need.port_for_entries
    missing = entry.missing_path()
    if missing is not None:
        message = f"{placed.place}: {entry.name} starts {missing}, which does not exist"
        return bad("client", message, placed.fix_command(port))
    if entry.project is not None and not is_project(entry.project):
        message = (
            f"{placed.place}: {entry.name} is for {entry.project}, which is not a Unity project"
        )
        return bad(
            "client", message, ours("client", "add", placed.config.client.name, "--project", "PATH")
        )
    if entry.runs_code_of_its_folder:
        message = (
            f"{placed.place}: {entry.name} runs modules of the folder that the client is started in"
        )
        return bad("client", message, placed.fix_command(port))
    return None


def _elsewhere(placed: PlacedEntry) -> Finding:
    """Of an entry across a border, this side sees the program that crosses; port, project and
    secret are far away.
    """
    entry = placed.entry
    missing = entry.missing_path()
    if missing is None:
        return ok(
            "client",
            f"{placed.place}: {entry.name} starts a server elsewhere with {entry.via}; run doctor there",
        )
    words = ["client", "add", placed.config.client.name, *placed.words_after_name(None)]
    program = "COMMAND"
    if entry.border == "wsl":
        program = "wsl"
    command = ours(*words, "--via", program)
    return bad(
        "client", f"{placed.place}: {entry.name} starts {missing}, which does not exist", command
    )


def _works(placed: PlacedEntry, need: _Wanted) -> Finding:
    entry = placed.entry
    if placed.is_started_elsewhere:
        if placed.config.project is None:
            where = placed.config.starts_in.value
        else:
            where = f"in {placed.config.project}"
        message = f"{placed.place}: {entry.name} names no project, and is started {where}"
        return worth_a_note(
            "client", message, placed.fix_command(project=need.project or Path("PATH"))
        )
    project = "" if entry.project is None else f" for {entry.project}"
    port = "" if entry.port is None else f" on port {entry.port}"
    variables = named_variables(entry.launch.environ)
    sets = ""
    if variables:
        sets = f"; it sets {', '.join(variables)}, which may load code into its server"
    return ok("client", f"{placed.place}: {entry.name}{project}{port}{sets}")


def _secret_of(placed: PlacedEntry, machine: Machine) -> List[Finding]:
    """Report whether the entry's server and commands in this terminal find the secret in the same
    folder.

    They must, to share a port and to be trusted by the same plugin.
    """
    places = secret_places(placed.entry.launch.environ, machine)
    if places is None or places.with_all == places.with_none == places.here:
        return []
    server, here = (
        f"{placed.place}: the server of {placed.entry.name} looks for the secret",
        handed_on(machine),
    )
    if places.with_all == places.here:
        unless = f"unless the client hands on {next(iter(here))}"
        message = f"{server} in {places.with_none}, and not in {places.here}, {unless}"
        return [worth_a_note("client", message, placed.fix_command())]
    message, decides = (
        f"{server} in {places.with_all}, this terminal in {places.here}",
        places.decided_by,
    )
    if decides is None or decides in here:
        return [bad("client", message, placed.fix_command())]
    fix_command = f"Set {decides} for this terminal and for Unity too, or take it out of the entry."
    return [bad("client", message, fix_command)]


def _holds(folder: str, project: Optional[Path]) -> bool:
    """Return whether servers for ``folder`` are started in ``project``."""
    if project is None:
        return True
    real, inside = Path(real_path(folder)), Path(real_path(str(project)))
    return real == inside or real in inside.parents
