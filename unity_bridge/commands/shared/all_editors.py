"""What ``status --all`` lists: every editor of this user that a bridge can know, whichever project
is meant here.
"""

from __future__ import annotations

from typing import Iterable, List, Optional, Sequence

from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, value_or
from unity_bridge.commands.shared.envelope import put_answer
from unity_bridge.commands.shared.options import NO_EDITOR, script_settings, with_those_before
from unity_bridge.config import Config
from unity_bridge.editor_life.probing import LifeProbe, started_with
from unity_bridge.editor_life.records import StartedEditor, editor_records
from unity_bridge.installation.checks import is_listening
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.editor_lock import is_open_in_unity
from unity_bridge.projects.open_editors import projects_of_editors
from unity_bridge.projects.port_files import port_of_project
from unity_bridge.projects.project_version import project_version
from unity_bridge.projects.unity_folder import project_here, projects_below
from unity_bridge.scripting.command_bridge import COMES_WITHIN_S, CommandBridge
from unity_bridge.scripting.output import note, put
from unity_bridge.text.foreign_text import visible_line
from unity_bridge.text.json_types import JsonDict, JsonObject


def run(options: JsonObject) -> int:
    """List the editors. Return the exit status."""
    settings = script_settings(options, has_project=False)
    project = with_those_before(options)["project"] or project_here()
    here = projects_below(".") if project is None else [project]
    rows = _all_editors(settings.config, here)
    put_answer(bool(rows), {"editors": rows}, map(_line, rows))
    if rows:
        return 0
    note(
        "No editor of this user is known here: no record of `open`, no locked project, no server that has one."
    )
    return NO_EDITOR


def list_projects(projects: Sequence[str]) -> None:
    """Print a line about each of these projects and its editor."""
    config = changed(Config(), log_level="error", log_file=None)
    rows = {
        canonical_path(row["project"]): row
        for row in _all_editors(config, projects)
        if row["project"]
    }
    for project in map(canonical_path, projects):
        put(_line(rows.get(project) or _unconnected(project, port_of(project, None, config))))


def _all_editors(config: Config, here: Iterable[str]) -> List[JsonDict]:
    """Return ``{project, version, port, state, clients}`` of each editor, as far as it is known.

    ``here``: projects that the command knows from where it runs. ``config``: with the port of an editor whose project
    names none.
    """
    records = editor_records()
    editors = [] if isinstance(records, Err) else records.value.all()
    living = {project.project: project for project in editors if project.is_alive}
    projects = [*(project.project for project in editors), *projects_of_editors(), *here]
    ports = {
        project: port_of(project, living.get(project), config)
        for project in sorted(set(map(canonical_path, projects)))
    }
    is_open = [project for project in ports if project in living or is_open_in_unity(project)]
    awaited = {ports[project] for project in is_open}
    rows: List[JsonDict] = []
    for port in sorted({config.unity_ws_port, *ports.values()}):
        if port in awaited or is_listening(port):
            rows += _connected(changed(config, unity_ws_port=port), port in awaited)
    listed = {canonical_path(row["project"]) for row in rows if row["project"]}
    return rows + [
        _unconnected(project, ports[project]) for project in is_open if project not in listed
    ]


def port_of(project: str, editor: Optional[StartedEditor], config: Config) -> int:
    """Return the port of the project's editor. ``editor``: the editor that ``open`` started for
    it.
    """
    settings = port_of_project(project).given
    return started_with(project, editor) or (
        config.unity_ws_port if settings is None else int(settings.value or 0)
    )


def _connected(config: Config, is_awaited: bool) -> List[JsonDict]:
    """Return the editor that has connected to the port, to the server there or to this command."""
    with CommandBridge(config) as life:
        # Without a wait too: it asks the server that owns the port.
        wait_s = COMES_WITHIN_S if is_awaited else 0.0
        life.wait_for_editor(wait_s)
        state = life.editor_state()
    if not state["connected"]:
        return []
    editor = state["editor"] or {}
    row = {
        "project": editor.get("project_path"),
        "version": editor.get("unity_version"),
        "port": config.unity_ws_port,
    }
    return [{**row, "state": state["editor_state"], "clients": state["clients"] - 1}]


def _unconnected(project: str, port: int) -> JsonDict:
    reason = LifeProbe(project, lambda: None, port)().reason
    return {
        "project": project,
        "version": value_or(project_version(project), None),
        "port": port,
        "state": "disconnected" if reason is None else reason.value,
    }


def _line(row: JsonDict) -> str:
    clients = f", {row['clients']} other clients" if row.get("clients") else ""
    project, version = row["project"] or "(unknown project)", row["version"] or "(unknown version)"
    return visible_line(
        f"{project}: {row['state'].replace('_', ' ')}, Unity {version}, port {row['port']}{clients}"
    )
