"""``unity-bridge plugin``: Put the Unity package into a project, or update or remove it.

Exit status: 0 done (``status``: present and of this version), 1 it could not be done (``status``: it is not so),
2 the folder is no Unity project that the plugin can work in.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, List, Optional, Tuple, Union

import click

from unity_bridge.base.result import Result, value_or
from unity_bridge.commands.shared import consent_question
from unity_bridge.commands.shared.envelope import LinesGroup
from unity_bridge.commands.shared.option_values import PortOrAuto
from unity_bridge.commands.shared.options import flag
from unity_bridge.installation.command_line import ours
from unity_bridge.installation.plugin_package import (
    InstalledPlugin,
    PluginForm,
    Report,
    embed,
    installed_plugin,
    refer,
    remove,
    renew,
)
from unity_bridge.installation.unity_project import ANY_UNITY, UnityProject, open_project
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.port_files import AUTO, automatic
from unity_bridge.projects.project_version import OLDEST_UNITY
from unity_bridge.scripting.output import note, put, put_result, stop, value_or_stop
from unity_bridge.text.foreign_text import visible
from unity_bridge.trust import consent
from unity_bridge.version import __version__

_FAILED = 1

_PortValue = Union[int, str, None]


class _ProjectFolder(click.Path):
    """A folder. On Windows, a quotation mark in it comes from a back-slash before one, which was
    read as escaped.
    """

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> Any:
        if os.name == "nt" and '"' in str(value):
            self.fail(
                f"{value} contains a quotation mark, because a backslash before it was read as an escape. "
                "Remove the last backslash of the path.",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


_project = click.argument("project", type=_ProjectFolder(exists=True, file_okay=False))

_port = click.option(
    "--port",
    type=PortOrAuto(AUTO),
    metavar="N|auto",
    help="Also set the port that server and plugin use in this project: a number, or auto, which follows from the "
    "project's path, so that clones and worktrees each have their own (default 8091).",
)
_for_me = flag(
    "--for-me",
    help="Write the port to UserSettings, which counts first and is not shared, instead of ProjectSettings.",
)


command = LinesGroup(
    "plugin",
    help="Put the Unity package into a project, or update, remove or compare it.\n\n"
    "Unity may be running: it imports the change when its window gets the focus.",
    epilog="Example: unity-bridge plugin install ~/Projects/MyGame",
)


@command.command(epilog="Example: unity-bridge plugin install ~/Projects/MyGame --port 8092")
@_project
@flag(
    "--reference",
    help="Write a file: reference to this installation into Packages/manifest.json instead of copying the package.",
)
@_port
@_for_me
@flag(
    "--allow-csharp",
    help="Ask on the terminal whether clients may run C# in this project.",
)
def install(
    project: str, reference: bool, port: _PortValue, for_me: bool, allow_csharp: bool
) -> None:
    """Install the plugin, as a copy in the project's folder Packages.

    A first installation on a terminal asks whether clients may run C#.
    """
    _check(port, for_me)
    if allow_csharp:
        consent_question.need_terminal()
    opened = _opened(project)
    is_new = _done(
        (refer if reference else embed)(opened), f"The plugin {__version__} is installed already."
    )
    _set_port(opened, port, for_me)
    if allow_csharp or (is_new and consent_question.can_ask()):
        _ask_for_csharp(canonical_path(str(opened.root)))


def _ask_for_csharp(project: str) -> None:
    if project in value_or(consent.allowed_projects(), ()):
        return
    if not consent_question.is_wanted(project):
        note("C# stays off in this project. `unity-bridge allow csharp` asks again.")
        return
    value_or_stop(consent.allow(project, True), ".", _FAILED)
    put(f"Clients may run C# in {visible(project)}.")


@command.command(
    epilog="Example: unity-bridge plugin update ~/Projects/MyGame",
    short_help="Update the plugin to this version.",
)
@_project
@_port
@_for_me
def update(project: str, port: _PortValue, for_me: bool) -> None:
    """Update an installed plugin to this version. A copy stays a copy, a reference a reference.

    In the manifest, a git URL gets the tag of this version. A place that this command cannot change to
    another version, such as a branch, is left as it is.
    """
    _check(port, for_me)
    opened = _opened(project)
    installed = _found(opened)
    if installed.form is PluginForm.ABSENT:
        stop(
            f"{project} has no plugin to update. Put it there: {ours('plugin', 'install', str(opened.root))}",
            _FAILED,
        )
    bring = renew if installed.form is PluginForm.REFERENCE else embed
    _done(bring(opened), f"The plugin is {__version__} already.")
    _set_port(opened, port, for_me)


@command.command(name="remove", epilog="Example: unity-bridge plugin remove ~/Projects/MyGame")
@_project
def remove_(project: str) -> None:
    """Take the plugin out of the project. The port's setting stays."""
    opened = _opened(project, ANY_UNITY)
    _done(remove(opened), "There is no plugin in this project.")


@command.command(
    epilog="Example: unity-bridge plugin status ~/Projects/MyGame",
    short_help="Say what the project has.",
)
@_project
def status(project: str) -> int:
    """Show which plugin the project has. Exit status 1 unless it is of this version."""
    opened = _opened(project)
    installed = _found(opened)
    port = opened.plugin_port()
    version = f"{installed.version or 'unknown'} ({installed.form.value})"
    if installed.form is PluginForm.ABSENT:
        version = "none"
    lines: List[Tuple[str, Any]] = [
        ("Project", opened.root),
        ("Unity", opened.unity_version),
        ("Plugin", version),
        ("Place", installed.place or "-"),
        ("Server", __version__),
        ("Port", f"{port.number} ({port.source})"),
    ]
    put_result(
        project=str(opened.root),
        unity_version=opened.unity_version,
        form=installed.form.value,
        plugin_version=installed.version,
        place=installed.place,
        server_version=__version__,
        port=port.number,
        port_source=str(port.source),
    )
    for name, value in lines:
        put(visible(f"{name + ':':<9}{value}"))
    for sentence in port.broken:
        note(f"{sentence}.")
    # Whole, because a relative path may begin with a hyphen.
    advice = _advice(installed, str(opened.root))
    if advice is not None:
        note(advice)
        return _FAILED
    return 0


def _advice(installed: InstalledPlugin, project: str) -> Optional[str]:
    if installed.form is PluginForm.ABSENT:
        return f"Install it: {ours('plugin', 'install', project)}"
    if installed.differs:
        return f"Bring it to the server's version: {ours('plugin', 'update', project)}"
    if not installed.is_ours and installed.form is PluginForm.EMBEDDED:
        return f"Its files were changed. Restore them (with a backup): {ours('plugin', 'update', project)}"
    return None


def _opened(folder: str, oldest: Tuple[int, int] = OLDEST_UNITY) -> UnityProject:
    return value_or_stop(open_project(Path(folder), oldest))


def _found(project: UnityProject) -> InstalledPlugin:
    return value_or_stop(installed_plugin(project), ". Nothing was changed.", _FAILED)


def _done(change: Result[Report, str], nothing_to_do: str) -> bool:
    """Print what was done. Return whether that is anything."""
    report = value_or_stop(change, ".", _FAILED)
    for sentence in report.done or [nothing_to_do]:
        put(sentence)
    for remark in report.remarks:
        note(remark)
    if report.done:
        note(
            "If Unity has the project open, give its window the focus: it imports the change then."
        )
    return bool(report.done)


def _check(port: _PortValue, for_me: bool) -> None:
    if for_me and port is None:
        raise click.UsageError("--for-me says where --port is written: give --port too")


def _set_port(project: UnityProject, port: _PortValue, for_me: bool) -> None:
    if port is None:
        return
    advice = ". It was left as it is; set the port in Unity's Project Settings > Unity Bridge."
    edit = value_or_stop(project.with_plugin_port(port, for_me), advice, _FAILED)
    if not edit.changes:
        put(f"The plugin uses port {_port_text(project, port)} already.")
        return
    outcome = edit.carried_out(f"Set the plugin's port to {_port_text(project, port)} in")
    put(f"{value_or_stop(outcome, '.', _FAILED)}.")
    used = project.plugin_port()
    if used.source != str(edit.path):
        note(
            f"{used.source} says {used.number} and takes precedence here. --for-me changes that file."
        )
    note(
        "An editor that is running takes it at its next start or script reload; at once in Project Settings."
    )


def _port_text(project: UnityProject, port: Union[int, str]) -> str:
    if port == AUTO:
        return f"auto (here {automatic(str(project.root))})"
    return str(port)
