"""Checks for the usual problems: each returns findings, one sentence each, with a fix where
something is broken.

Every check gets everything that it examines as arguments, and changes nothing. ``doctor`` runs them in order and prints
their findings.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from unity_bridge.base.result import Err, Result, value_or
from unity_bridge.installation.command_line import ours, quoted
from unity_bridge.installation.error_advice import happened_and_remedy
from unity_bridge.installation.findings import Finding, bad, ok, worth_a_note
from unity_bridge.installation.plugin_package import InstalledPlugin, PluginForm, installed_plugin
from unity_bridge.installation.this_installation import Installation, this_installation
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.launch import environment
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.projects.no_editor import reason_of
from unity_bridge.projects.port_files import files_with
from unity_bridge.projects.project_commands import commands_of
from unity_bridge.projects.project_probe import NoPlugin, ProjectProbe
from unity_bridge.text.foreign_text import quoted as quoted_text
from unity_bridge.text.json_types import JsonObject
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE, state_folder
from unity_bridge.version import __version__

# A main thread that has not answered for this long is blocked, and not only busy with a frame.
_STALLED_MS = 5000
# The listener's state until it has the port or knows that another process has it.
PORT_UNKNOWN = "closed"

# Of the project's own commands.
_MOST_NAMED = 12

_PROBE_S = 1.0
_PROBE_BYTES = 1024
# A listener's answer to a web browser, of any version. The name alone stands in a list of files
# too.
_OUR_ANSWER = re.compile(r"HTTP/1\.[01] 4\d\d ")
_OUR_PAGE = "\nThis port is the WebSocket listener of unity-bridge"


# This Python


def python(version: Tuple[int, int]) -> Finding:
    have = f"Python {environment.dotted(version)} ({sys.executable})"
    if version >= environment.WITH_SDK:
        return ok("python", have)
    minimum = environment.dotted(environment.WITH_SDK)
    return ok("python", f"{have}; the MCP package, which only the demo needs, wants {minimum}")


def packages(unmet: Sequence[str], installation: Optional[Installation] = None) -> Finding:
    """Report the requirements of this Python. ``unmet``: requirement lines that it does not
    satisfy.
    """
    if not unmet:
        return ok("packages", "everything that is needed is installed")
    missing = [line.partition(";")[0].strip() for line in unmet]
    return bad(
        "packages",
        f"missing or of another version: {', '.join(missing)}",
        quoted((installation or this_installation()).repair(missing)),
    )


def unmet_requirements() -> List[str]:
    """Return the requirements that this Python lacks: from ``setup.py`` in a clone, else from its
    metadata.
    """
    if os.path.isfile(os.path.join(environment.ROOT, "setup.py")):
        return environment.unmet(environment.requirements())
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("unity-bridge") or []
    except PackageNotFoundError:
        return []
    return environment.unmet([line for line in lines if "extra ==" not in line])


def configuration(
    problem: Optional[str],
    file: Optional[str],
    port: int,
    port_source: str,
    broken: Sequence[str] = (),
) -> List[Finding]:
    """Report the configuration.

    ``problem``: the line with which the server would refuse to start. ``port_source``: the setting that decided on the
    port. ``broken``: a sentence for each settings file of the project that is ignored.
    """
    if problem is not None:
        return [
            bad("configuration", problem, "Correct that value, or remove it to use the default.")
        ]
    origin = file if file is not None else "the defaults"
    unusable = [
        bad("configuration", sentence, 'Write {"port": "auto"} or a number into it.')
        for sentence in broken
    ]
    return [ok("configuration", f"{origin}; the port is {port} ({port_source})"), *unusable]


# The machine


def localhost(addresses: Optional[Sequence[str]] = None) -> Finding:
    """Check that ``localhost`` is 127.0.0.1: the plugin uses the number, but other plugins and
    tools use the name.
    """
    known_addresses = _addresses_of_localhost() if addresses is None else addresses
    if "127.0.0.1" in known_addresses:
        return ok("localhost", f"localhost is {', '.join(known_addresses)}")
    hosts = r"C:\Windows\System32\drivers\etc\hosts" if sys.platform == "win32" else "/etc/hosts"
    means = f"is only {', '.join(known_addresses)}" if known_addresses else "means nothing"
    message = f"localhost {means} on this machine; unity-bridge listens on 127.0.0.1"
    return bad("localhost", message, f"Add the line `127.0.0.1 localhost` to {hosts}.")


def _addresses_of_localhost() -> List[str]:
    try:
        infos = socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return sorted({str(info[4][0]) for info in infos})


def secret(
    key: Result[bytes, str], is_read_by_others: bool = False, is_replaceable: bool = False
) -> Finding:
    """Report the secret by which this user's plugins and servers recognise each other (SPEC §17.1).

    ``key``: the result of ``shared_secret``.
    """
    remedy = f"Set {STATE_DIR_VARIABLE}, for Unity and for the servers, to a folder of your own"
    if isinstance(key, Err):
        return bad("secret", key.error, f"{remedy}.")
    place = f"in {value_or(state_folder(), 'its folder')}"
    if is_read_by_others:
        return bad(
            "secret",
            f"{place}, where other users of this machine can read it",
            f"{remedy} in your profile.",
        )
    if is_replaceable:
        message = f"{place}, where other users of this machine can remove it or put another one"
        return bad(
            "secret",
            message,
            "Remove their permission to write to the folder, or set another folder.",
        )
    return ok("secret", place)


# The port and the editor


def port(
    state: JsonObject, answer: Optional[str], project: Optional[UnityProject] = None
) -> Finding:
    """Report which process has the port.

    ``state``: from ``get_editor_state``. ``answer``: from ``http_answer``, if the port belongs to another program.
    """
    number, listener = state["port"], state["listener"]
    if listener.get("state") == PORT_UNKNOWN:
        return worth_a_note("port", "its program was not found in time", ours("status"))
    if listener.get("reason") is None:
        if "attached" in (state.get("role"), listener.get("state")):
            return _shared(number, state["server_version"])
        use = "was free, and Unity connected" if state["connected"] else "is free"
        return ok("port", f"{number} {use}")
    if listener["reason"] == NoPlugin.SANDBOXED:
        happened, remedy = happened_and_remedy(listener["reason"], state)
        return bad("port", happened, f"{remedy}.")
    if listener["reason"] != "port_in_use":
        message = f"this machine does not let this user listen on port {number}"
        return bad("port", message, _another_port(number, project))
    holder = listener.get("holder") or "a program that this user may not see"
    remark = listener.get("remark")
    if remark is None and _is_our_page(answer or ""):
        # A listener identifies itself by the page that it shows to web browsers, even one too old
        # to share its port.
        remark = "it is a unity-bridge by its own report, which does not share its port"
    remedy = "End that program" if remark is None else "Close the client that started it, or end it"
    if remark is not None:
        by = f"{holder}: {remark}"
    elif answer is None:
        by = f"{holder}, which does not answer: a unity-bridge that hangs, or another program"
    else:
        by = f"a program that is not unity-bridge: {holder}"
    return bad(
        "port", f"{number} is held by {by}", f"{remedy}; or: {_another_port(number, project)}"
    )


def _shared(number: int, version: str) -> Finding:
    if version == __version__:
        return ok("port", f"{number} is shared with the unity-bridge that has it")
    message = f"{number} is held by unity-bridge {version}; this is {__version__}"
    return bad(
        "port", message, "Restart the MCP clients, so that all of them start the same version."
    )


def _another_port(number: int, project: Optional[UnityProject]) -> str:
    where = _path_or_placeholder(project)
    step = 1 if number < 65535 else -1
    candidate = str(number + step)
    return (
        f"use another port on both sides: {ours('plugin', 'install', where, '--port', candidate)}"
        f" and {ours('client', 'add', 'NAME', '--port', candidate)}"
    )


def _path_or_placeholder(project: Optional[UnityProject]) -> str:
    if project is None:
        return "PROJECT"
    return str(project.root)


def is_listening(number: int) -> bool:
    """Return whether any program accepts connections on this port."""
    try:
        with socket.create_connection(("127.0.0.1", number), timeout=_PROBE_S):
            return True
    except OSError:
        return False


def _is_our_page(answer: str) -> bool:
    head, _, page = answer.replace("\r\n", "\n").partition("\n\n")
    return _OUR_ANSWER.match(head) is not None and _OUR_PAGE in f"\n{page}"


def http_answer(number: int) -> Optional[str]:
    """Return the beginning of the port's answer to a web browser.

    Limited in time and size, because an unknown program may answer anything.
    """
    try:
        with socket.create_connection(("127.0.0.1", number), timeout=_PROBE_S) as probe:
            probe.sendall(
                f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{number}\r\nConnection: close\r\n\r\n".encode()
            )
            answer = b""
            # Head and body may arrive separately. A few pieces are enough, and an unknown program
            # may send them slowly.
            for _ in range(4):
                piece = probe.recv(_PROBE_BYTES)
                answer += piece
                if not piece or len(answer) >= _PROBE_BYTES:
                    break
    except OSError:
        return None
    return answer.decode("latin-1")


def editor(
    state: JsonObject, project: Optional[UnityProject], waited_s: float, probe: ProjectProbe
) -> List[Finding]:
    """Report whether an editor is connected, has the right project open, and works.

    ``probe``: the state of the project as it appears on disk.
    """
    if state["listener"].get("reason") is not None:
        return [worth_a_note("editor", "unknown, because this command does not have the port")]
    if not state["connected"]:
        return [_no_editor(state, project, waited_s, probe)]
    return list(_connected_editor(state, state["editor"] or {}, project))


def _no_editor(
    state: JsonObject, project: Optional[UnityProject], waited_s: float, probe: ProjectProbe
) -> Finding:
    """Report that no editor is connected.

    This is a fault only if an editor has the project open.
    """
    message = f"no Unity Editor connected to port {state['port']} within {waited_s:g} s"
    details = {
        **state,
        **probe.members(),
        "project": None if project is None else str(project.root),
    }
    reason = reason_of(details)
    if reason != "disconnected":
        happened, remedy = happened_and_remedy(reason, details)
        is_usual = reason in (NoPlugin.UNITY_NOT_RUNNING, NoPlugin.EDITOR_STARTING)
        return (worth_a_note if is_usual else bad)("editor", f"{message}: {happened}", f"{remedy}.")
    if project is None:
        return worth_a_note(
            "editor", f"{message}; none seems to run", "Open the project in Unity, then ask again."
        )
    why = "the plugin may use another port, its scripts may not compile, or a dialog is open"
    return bad(
        "editor",
        f"{message}, though {project.root} may be open: {why}",
        "Look at Unity's Console and dialogs.",
    )


def _connected_editor(
    state: JsonObject, reported: JsonObject, project: Optional[UnityProject]
) -> Iterator[Finding]:
    name = reported.get("project_name") or reported.get("project_path") or "a project"
    path = reported.get("project_path")
    if project is not None and isinstance(path, str) and not is_open_in(state, project):
        command = ours("plugin", "install", str(project.root), "--port", "auto")
        yield bad(
            "editor",
            f"the editor on port {state['port']} has another project open: {path}",
            f"Give this one a port of its own: {command}",
        )
    else:
        version = reported.get("unity_version", "?")
        yield ok("editor", f"Unity {version} with {name} is {state['editor_state']}")
        if state["listener"].get("refused") is not None:
            yield _competing_editors(state, path, project)
    if (reported.get("main_thread_stalled_ms") or 0) >= _STALLED_MS:
        seconds = reported["main_thread_stalled_ms"] / 1000
        message = f"Unity's main thread has not moved for {seconds:.0f} s"
        remedy = "Close the dialog that is open in Unity, or wait for its import."
        yield bad("editor", message, remedy)
    if state.get("trusted") is False:
        message = "the plugin is not trusted: it gets read_console and run_tests, and nothing else"
        yield bad("trust", message, reported.get("untrusted") or "Update plugin and server.")
    elif state.get("trusted"):
        yield ok("trust", "the plugin has proved that it runs as the same user")
    if reported.get("compile_errors"):
        message = f"the scripts have {reported['compile_errors']} compile errors"
        yield worth_a_note("editor", message, ours("console", "--type", "error"))
    if reported.get("faulted_messages"):
        message = f"the plugin has sent {reported['faulted_messages']} messages that this server cannot use"
        remedy = "Update the plugin or the server; the server's log has the messages."
        yield bad("editor", message, remedy)
    if state["plugin_version"] != __version__:
        message = f"the editor runs plugin {state['plugin_version']}, the server is {__version__}"
        where = path if isinstance(path, str) else "PROJECT"
        yield bad("editor", message, ours("plugin", "update", where))


def _competing_editors(state: JsonObject, path: Any, project: Optional[UnityProject]) -> Finding:
    where = _path_or_placeholder(project)
    if project is None and isinstance(path, str):
        where = path
    message = (
        f"two editors compete for port {state['port']}; "
        f"another editor was refused: {state['listener']['refused']}"
    )
    command = ours("plugin", "install", where, "--port", "auto")
    remedy = f"Give this project a port of its own, and restart its clients: {command}"
    return bad("editor", message, remedy)


def is_open_in(state: JsonObject, project: UnityProject) -> bool:
    """Return whether the connected editor has this project open."""
    path = (state["editor"] or {}).get("project_path") if state["connected"] else None
    return isinstance(path, str) and canonical_path(path) == canonical_path(project.root)


# The project


def plugin(project: UnityProject, server_port: int, has_come: bool = False) -> List[Finding]:
    """Report whether the plugin on disk is there, has this version, is unchanged, and uses the
    server's port.

    ``has_come``: the editor of this project has connected. Then it uses the port, whatever its files say: its command
    line or environment may set it.
    """
    root = str(project.root)
    # A repository could bring a file that switches run_csharp on, so it has no effect (SPEC §16.6).
    idle = [
        worth_a_note(
            "csharp",
            f'"allow_csharp" in {path} does nothing',
            ours("allow", "csharp", "--project", root),
        )
        for path in files_with("allow_csharp", root)
    ]
    return [*_plugin(project, server_port, has_come), *idle]


def _plugin(project: UnityProject, server_port: int, has_come: bool) -> List[Finding]:
    root = str(project.root)
    manifest = project.dependencies()
    opened = manifest if isinstance(manifest, Err) else installed_plugin(project)
    if isinstance(opened, Err):
        return [bad("plugin", opened.error, "Correct that file; Unity cannot read it either.")]
    installed = opened.value
    if installed.form is PluginForm.ABSENT:
        return [bad("plugin", f"{root} has no plugin", ours("plugin", "install", root))]
    finding = _installed(installed, root, ours("plugin", "update", root))
    if has_come:
        return [finding, ok("plugin-port", f"the editor has connected to port {server_port}")]
    return [finding, _plugin_port(project, server_port)]


def _installed(installed: InstalledPlugin, root: str, update: str) -> Finding:
    if installed.is_elsewhere:
        message = (
            f"{root} takes it from {installed.place}; Unity's Package Manager knows its version"
        )
        return ok("plugin", message)
    if installed.version is None:
        return bad("plugin", f"{installed.place} is not the plugin, or a part of it", update)
    if installed.differs:
        message = f"{root} has {installed.version}, the server is {__version__}"
        return bad("plugin", message, update)
    if installed.missing:
        more = len(installed.missing) - 1
        suffix = f" and {more} more files" if more else ""
        message = f"{installed.version} in {root} is incomplete: {installed.missing[0]}{suffix}"
        return bad("plugin", message, update)
    if installed.form is PluginForm.EMBEDDED and not installed.is_ours:
        message = f"{installed.version} in {root}, but its files are not as they were installed"
        return worth_a_note("plugin", message, update)
    return ok("plugin", f"{installed.version} in {root}")


def _plugin_port(project: UnityProject, server_port: int) -> Finding:
    used = project.plugin_port()
    uses = f"the plugin uses port {used.number} ({used.source})"
    if used.number == server_port:
        return ok("plugin-port", f"{uses}, as the server does")
    for_me = ["--for-me"] if used.source == str(project.own_settings_file) else []
    remedy = ours("plugin", "install", str(project.root), "--port", str(server_port), *for_me)
    return bad("plugin-port", f"{uses}, the server {server_port}", remedy)


def commands(project: Path) -> List[Finding]:
    """Report the commands as of the last load of the scripts; nothing if the project has none, or
    none are known.
    """
    commands = value_or(commands_of(str(project)), ())
    projects_commands = [command for command in commands if command.is_the_projects]
    findings = [
        worth_a_note(
            "commands",
            f'"{quoted_text(command.name, 60)}" cannot be run: "{quoted_text(command.fault)}"',
        )
        for command in projects_commands
        if command.fault is not None
    ][:_MOST_NAMED]
    names = [
        quoted_text(command.name, 60) for command in projects_commands if command.fault is None
    ]
    if names:
        suffix = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        count = "1 of the project" if len(names) == 1 else f"{len(names)} of the project"
        findings.append(
            ok(
                "commands",
                f"{count}: {', '.join(names[:_MOST_NAMED])}{suffix} (`unity-bridge run --list`)",
            )
        )
    return findings
