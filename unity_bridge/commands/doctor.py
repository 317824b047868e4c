"""``unity-bridge doctor``: Check for common problems, and say how to fix each one.

Exit status: 0 nothing is broken, 1 something is.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Optional

import click

from unity_bridge.base.errors import ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.program_command import with_own_command
from unity_bridge.base.result import Err, value_or
from unity_bridge.commands.shared.all_editors import list_projects, port_of
from unity_bridge.commands.shared.envelope import put_answer
from unity_bridge.commands.shared.options import (
    options_but_wait,
    prints_json,
    project_below,
    script_command,
    wait_option,
    with_those_before,
)
from unity_bridge.config import Config, ConfigLoader
from unity_bridge.editor_life.probing import LifeProbe
from unity_bridge.editor_life.records import editor_records
from unity_bridge.installation import checks
from unity_bridge.installation.client_checks import clients, skill_findings
from unity_bridge.installation.client_configs import all_configs, configs_around
from unity_bridge.installation.clients.client import Machine
from unity_bridge.installation.command_line import ours
from unity_bridge.installation.findings import Finding, Verdict
from unity_bridge.installation.remote_checks import border_findings
from unity_bridge.installation.skill import folders_with_skills
from unity_bridge.installation.unity_project import UnityProject, enclosing_project, open_project
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.projects.unity_folder import project_here
from unity_bridge.scripting.output import note, stop, value_or_stop
from unity_bridge.serve.settings import Options
from unity_bridge.system.loopback import is_closed_to_us
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject
from unity_bridge.trust.secret import is_read_by_others, may_be_replaced_by_others, shared_secret
from unity_bridge.version import __version__

_BLOCKED_S = 1.5
_COLOURS = {Verdict.OK: "green", Verdict.BAD: "red", Verdict.NOTE: "yellow"}


@script_command("doctor", "Example: unity-bridge doctor --project ~/Projects/MyGame")
@wait_option(3.0, "How long to wait for an editor ({}).")
@options_but_wait
def command(wait_s: float, **options: Any) -> int:
    """Check for common problems: Python, packages, the port and its holder, editor, plugin, client
    configurations.

    It changes nothing. While it looks for the editor, it acts as the server for a few seconds.

    Exit status: 0 nothing is broken; 1 something is.
    """
    all_options = with_those_before(options)
    project = _opened(all_options["project"], all_options["port"])
    findings = _findings(project, all_options, wait_s)
    is_well = all(finding.verdict is not Verdict.BAD for finding in findings)
    rows = [{**vars(finding), "verdict": finding.verdict.value} for finding in findings]
    report = {"version": __version__, "checks": rows}
    put_answer(is_well, report, _lines(findings))
    if not prints_json():
        verdict = "Something is broken; the arrows say how to fix it."
        if is_well:
            verdict = "Nothing is broken."
        note(verdict)
    return int(not is_well)


def _opened(folder: Optional[str], port: Optional[str]) -> Optional[UnityProject]:
    """Return the named project, else the one around here, else the only one below here (SPEC
    §18.1).
    """
    if folder is None:
        around = enclosing_project()
        if around is not None:
            return around
        several = None if prints_json() else list_projects
        folder = project_below(port, several)
        if folder is None:
            return None
    return value_or_stop(open_project(Path(folder)))


def _findings(project: Optional[UnityProject], options: Options, wait_s: float) -> List[Finding]:
    if project is None:
        root = project_here()
    else:
        root = str(project.root)
    configured = _configured(root, options)
    config = configured.config
    findings = [
        checks.python(sys.version_info[:2]),
        checks.packages(checks.unmet_requirements()),
        *configured.findings,
        checks.localhost(),
        checks.secret(shared_secret(), is_read_by_others(), may_be_replaced_by_others()),
        *_unused_headless_editors(),
    ]
    try:
        import unity_bridge.unity.wsproto_frames  # noqa: F401  # which the listener imports late

        # Findings report what is wrong; the log would repeat it.
        level = config.log_level if options["log_level"] else "error"
        state = _state(changed(config, log_level=level, log_file=None), wait_s)
    except ImportError as error:
        # The environment is incomplete: its own finding says how to repair it, and the other checks
        # still work.
        findings.append(
            Finding("port", Verdict.NOTE, f"port and editor cannot be checked: {error}")
        )
        state = {"connected": False, "editor": None}
    else:
        findings += _port_and_editor(state, project, wait_s)
    open_project = project or _project_of(state)
    is_served = bool(state["connected"] and state.get("trusted"))
    if open_project is None:
        open_root = None
    else:
        open_root = str(open_project.root)
    findings += border_findings(open_root, is_served)
    if open_project is not None:
        findings += checks.plugin(
            open_project, config.unity_ws_port, checks.is_open_in(state, open_project)
        )
        findings += checks.commands(open_project.root)
    folder = open_project.root if open_project is not None else Path.cwd()
    machine = Machine()
    configs = [*all_configs(machine, folder), *configs_around(machine, folder)]
    findings += clients(configs, config.unity_ws_port, configured.default_port, folder, machine)
    return findings + skill_findings(folders_with_skills(machine, folder))


def _unused_headless_editors() -> List[Finding]:
    """Report windowless editors that `open` started and whose port has no server, because no user
    sees them.
    """
    records = editor_records()
    if isinstance(records, Err):
        living = []
    else:
        living = [editor for editor in records.value.all_living() if editor.headless]
    return [
        Finding(
            "headless",
            Verdict.NOTE,
            f"an editor without a window runs on {editor.project} since {editor.at}"
            f" (pid {editor.pid}), and no server uses it",
            ours("close", editor.project),
        )
        for editor in living
        if not checks.is_listening(port_of(editor.project, editor, Config()))
    ]


def _port_and_editor(
    state: JsonDict, project: Optional[UnityProject], wait_s: float
) -> List[Finding]:
    answer = None
    if state["listener"].get("reason") == "port_in_use":
        answer = checks.http_answer(state["port"])
    probe = ProjectProbe(NoPlugin.SANDBOXED) if is_closed_to_us() else ProjectProbe()
    if project is not None:
        path = str(project.root)
        probe = LifeProbe(path, partial(ours, "open", path), state["port"])()
    return [checks.port(state, answer, project), *checks.editor(state, project, wait_s, probe)]


class _Configured(NamedTuple):
    """The server's configuration, the port that it has without options, and the remarks about both."""

    config: Config
    default_port: int
    findings: List[Finding]


def _configured(project: Optional[str], all_options: Options) -> _Configured:
    files = port_of_project(project)
    loader, config_file = ConfigLoader(), all_options["config_file"]
    options = {"unity_ws_port": all_options["port"], "log_level": all_options["log_level"]}
    loaded = loader.load(options, config_file, files.given)
    if isinstance(loaded, Err):
        with_port_alone = ConfigLoader({}, None).load(options, project_port=files.given)
        if isinstance(
            with_port_alone, Err
        ):  # the fault is in an option: the command is wrongly used
            stop(with_port_alone.error)
        config = with_port_alone.value.config
        problem = checks.configuration(loaded.error, None, config.unity_ws_port, "", files.broken)
        return _Configured(config, Config().unity_ws_port, problem)
    config, source = loaded.value
    alone = loader.load({}, config_file, files.given)
    default_port = (
        Config().unity_ws_port if isinstance(alone, Err) else alone.value.config.unity_ws_port
    )
    findings = checks.configuration(
        None, loader.file(config_file), config.unity_ws_port, source, files.broken
    )
    return _Configured(config, default_port, findings)


def _state(config: Config, wait_s: float) -> JsonDict:
    """Return ``get_editor_state`` once an editor is connected, another process has the port, or the
    time is up.
    """
    # Not at the top: the bridge takes a while to load, and --help does not need it.
    from unity_bridge.base.clock import SystemClock
    from unity_bridge.scripting.command_bridge import CommandBridge, no_editor

    clock = SystemClock()
    blocked_at: Optional[float] = None

    def is_blocked(state: JsonObject) -> Optional[ToolError]:
        # A server that is just ending still has its port, so the bridge tries again every second.
        nonlocal blocked_at
        blocked_at = None if state["listener"].get("reason") is None else blocked_at or clock.now()
        if blocked_at is None or clock.now() - blocked_at < _BLOCKED_S:
            return None
        return no_editor(state, 0)

    with CommandBridge(config, is_named=False) as life:
        life.wait_for_editor(wait_s, is_blocked)
        return life.editor_state()


def _project_of(state: JsonDict) -> Optional[UnityProject]:
    path = (state["editor"] or {}).get("project_path")
    if not isinstance(path, str) or not os.path.isdir(path):
        return None
    return value_or(open_project(Path(path)), None)


def _lines(findings: List[Finding]) -> Iterator[str]:
    for finding in findings:
        verdict = click.style(
            f"{finding.verdict.value:<5}", fg=_COLOURS[finding.verdict], bold=True
        )
        yield f"{verdict}{finding.check:<15}{_one_line(finding.message)}"
        if finding.remedy is not None:
            yield f"{'':<20}-> {_one_line(finding.remedy)}"


def _one_line(text: str) -> str:
    """Escape another program's command line or a path, which may contain line ends and control
    sequences.
    """
    return visible_line(with_own_command(text))
