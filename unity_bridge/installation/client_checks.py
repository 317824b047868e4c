"""Whether the clients' configurations start this server, and at the port where the editor is awaited."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

from unity_bridge.base.result import Err
from unity_bridge.config import CONFIG_FILE_VARIABLE, Config
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.clients.client import ENTRY, Machine, Scope
from unity_bridge.installation.command_line import ours, quoted
from unity_bridge.installation.entries import Entry
from unity_bridge.installation.entry_environment import handed_on, secret_places
from unity_bridge.installation.findings import Finding, Verdict, bad, ok, worth_a_note
from unity_bridge.installation.safe_files import read_text
from unity_bridge.installation.skill import Skill
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.unity_folder import is_project
from unity_bridge.version import __version__


class _Found(NamedTuple):
    """An entry of ours, and the file that it stands in."""

    config: ClientConfig
    entry: Entry

    @property
    def rank(self) -> int:
        """Of two entries of one name the client starts the one with the lower rank."""
        if self.entry.folder is not None:
            return 0
        return 1 if self.config.scope is Scope.PROJECT else 2

    @property
    def place(self) -> str:
        for_one = f", for {self.entry.folder} only" if self.entry.folder is not None else ""
        return f"{self.config.client.name}: {self.config.path}{for_one}"

    def mend(self, port: Union[int, str, None]) -> str:
        """The command that writes it anew."""
        if self.entry.folder is not None:
            # A scope that only the client itself writes.
            return f"{quoted(['claude', 'mcp', 'remove', '--scope', 'local', self.entry.name])} in {self.entry.folder}"
        words = ["client", "add", self.config.client.name]
        words += [] if self.entry.name == ENTRY else ["--as", self.entry.name]
        words += [] if port is None else ["--port", str(port)]
        words += [] if self.config.scope is Scope.USER else ["--scope", self.config.scope.value]
        return ours(*words)


def clients(
    configs: Sequence[ClientConfig],
    wanted_port: int,
    default_port: int,
    folder: Optional[Path] = None,
    machine: Optional[Machine] = None,
) -> List[Finding]:
    """``wanted_port``: where the editor is awaited; ``default_port``: of an entry that names none; ``folder``: the
    project that a client would be started in, whose own entries win over the user's."""
    machine = machine or Machine()
    findings: List[Finding] = []
    started: Dict[str, List[_Found]] = {}
    for config in configs:
        entries = config.entries()
        if isinstance(entries, Err):
            findings.append(_unreadable(config, entries.error))
            continue
        counted = (entry for entry in entries.value if entry.folder is None or _holds(entry.folder, folder))
        started.setdefault(config.client.name, []).extend(_Found(config, entry) for entry in counted)
    for name, found in started.items():
        findings += _of_one_client(name, found, wanted_port, default_port, folder, machine)
    if not any(finding.verdict is not Verdict.NOTE for finding in findings):
        mend = f"{ours('client', 'list')} shows their names; then: {ours('client', 'add', 'NAME')}"
        findings.append(worth_a_note("client", "no MCP client is configured for unity-bridge", mend))
    return findings


def skill_findings(installed: Sequence[Skill]) -> List[Finding]:
    """Whether the skills that agents read are of this version; nothing where there are none."""
    findings = []
    for skill in installed:
        version, scope = skill.version(), f"--{skill.scope.value}"
        if version == __version__:
            findings.append(ok("skill", f"{version} in {skill.path}"))
        else:
            message = f"{skill.path} is of {version}, this is {__version__}"
            findings.append(worth_a_note("skill", message, ours("skill", "install", *skill.names, scope)))
    return findings


def _of_one_client(
    name: str, found: List[_Found], wanted_port: int, default_port: int, folder: Optional[Path], machine: Machine
) -> List[Finding]:
    findings: List[Finding] = []
    working: List[_Found] = []
    for one in found:
        winner = min((other for other in found if other.entry.name == one.entry.name), key=lambda other: other.rank)
        if winner.rank < one.rank:
            findings.append(
                worth_a_note("client", f"{one.place}: {one.entry.name} is hidden by the one in {winner.place}")
            )
            continue
        findings.append(_entry(one))
        if findings[-1].verdict is Verdict.OK:
            working.append(one)
    findings += [finding for one in working for finding in _secret_of(one, machine)]
    ports = sorted({_port_of(one.entry, default_port) for one in working})
    if working and wanted_port not in ports:
        message = f"{name} uses port {', '.join(map(str, ports))}, not {wanted_port}"
        # A number in an entry would hold for every project that the client works in.
        mend = working[0].mend("auto" if wanted_port == default_port else wanted_port)
        if folder is not None and all(one.entry.project is not None for one in working):
            message = f"{name} starts it for {working[0].entry.project}, not for this project"
            mend = ours("client", "add", name, "--project", str(folder), "--as", f"{ENTRY}-{folder.name}")
        findings.append(bad("client", message, mend))
    return findings


def _port_of(entry: Entry, default_port: int) -> int:
    """Where it awaits the editor. Files of the project that it names come after what it names itself (SPEC §18.1)."""
    if entry.port is not None or entry.project is None:
        return default_port if entry.port is None else entry.port
    given = port_of_project(entry.project).given
    return given.value if given is not None and isinstance(given.value, int) else Config().unity_ws_port


def _entry(found: _Found) -> Finding:
    entry = found.entry
    missing = entry.missing_path()
    if missing is not None:
        message = f"{found.place}: {entry.name} starts {missing}, which does not exist"
        return bad("client", message, found.mend(entry.port))
    if entry.project is not None and not is_project(entry.project):
        message = f"{found.place}: {entry.name} is for {entry.project}, which is not a Unity project"
        return bad("client", message, ours("client", "add", found.config.client.name, "--project", "PATH"))
    if entry.runs_code_of_its_folder:
        message = f"{found.place}: {entry.name} runs modules of the folder that the client is started in"
        return bad("client", message, found.mend(None))
    project = "" if entry.project is None else f" for {entry.project}"
    port = "" if entry.port is None else f" on port {entry.port}"
    return ok("client", f"{found.place}: {entry.name}{project}{port}")


def _secret_of(found: _Found, machine: Machine) -> List[Finding]:
    """Whether its server and commands in this terminal look for the secret in one folder, as they have to for sharing
    a port and for being trusted by the same plugin."""
    places = secret_places(found.entry.environ, machine)
    if places is None or places.with_all == places.with_none == places.here:
        return []
    server, here = f"{found.place}: the server of {found.entry.name} looks for the secret", handed_on(machine)
    if places.with_all == places.here:
        message = f"{server} in {places.with_none}, and not in {places.here}, unless the client hands on {_any(here)}"
        return [worth_a_note("client", message, found.mend(None))]
    message, decides = f"{server} in {places.with_all}, this terminal in {places.here}", places.decided_by
    if decides is None or decides in here:
        return [bad("client", message, found.mend(None))]
    mend = f"Set {decides} for this terminal and for Unity too, or take it out of the entry."
    return [bad("client", message, mend)]


def _any(names: Iterable[str]) -> str:
    return " and ".join(name for name in names if name != CONFIG_FILE_VARIABLE)


def _holds(folder: str, project: Optional[Path]) -> bool:
    """Whether servers for ``folder`` are started in ``project``."""
    if project is None:
        return True
    resolved = Path(folder).resolve()
    return resolved == project.resolve() or resolved in project.resolve().parents


def _unreadable(config: ClientConfig, problem: str) -> Finding:
    message = f"{config.client.name}: {config.path} {problem}"
    mend = "Correct that file; the client cannot read it either."
    text = read_text(config.path)
    is_about_us = isinstance(text, Err) or "unity-bridge" in (text.value or "")
    return bad("client", message, mend) if is_about_us else worth_a_note("client", message, mend)
