"""What usually goes wrong, each as a question with an answer in a sentence and, where it is bad, what mends it.

Every check takes what it looks at as arguments and answers with findings; none changes anything. ``doctor`` asks them
in order and tells the answers.
"""

from __future__ import annotations

import os
import platform
import re
import socket
import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from unity_bridge import environment
from unity_bridge.installation.client_configs import ClientConfig, Entry
from unity_bridge.installation.clients import ENTRY, Scope
from unity_bridge.installation.command_line import ours, quoted
from unity_bridge.installation.file_edit import read_text
from unity_bridge.installation.plugin_package import PluginForm, installed_plugin
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.result import Err
from unity_bridge.version import __version__

# A main thread that has not answered for so long is not merely busy with a frame.
_STALLED_MS = 5000
# The listener's state before it has the port, or somebody else is known to have it.
PORT_UNKNOWN = "closed"

_PROBE_S = 1.0
_PROBE_BYTES = 1024
_NUMBER = re.compile(r"[0-9]{1,9}")
_OUR_PROCESS = re.compile(r"-m unity_bridge\b|(bin|Scripts)[/\\]unity-bridge\b")


class Verdict(str, Enum):
    """``note``: worth knowing, but nothing is broken."""

    OK = "ok"
    BAD = "bad"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One line of the report. ``remedy``: what mends it, a command where there is one."""

    check: str
    verdict: Verdict
    message: str
    remedy: Optional[str] = None


def _ok(check: str, message: str) -> Finding:
    return Finding(check, Verdict.OK, message)


def _bad(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, Verdict.BAD, message, remedy)


def _note(check: str, message: str, remedy: Optional[str] = None) -> Finding:
    return Finding(check, Verdict.NOTE, message, remedy)


# This Python


def python(version: Tuple[int, int], serving_python: Callable[[], Optional[str]]) -> Finding:
    """``serving_python`` looks for another Python that the launcher would serve MCP with."""
    have = f"Python {_dotted(version)} ({sys.executable})"
    if version >= environment.SERVING:
        return _ok("python", have)
    other = serving_python()
    if other is not None:
        return _ok("python", f"{have}; MCP is served with {other}")
    return _bad(
        "python",
        f"{have} cannot serve MCP, which needs {_dotted(environment.SERVING)} or newer. The other commands work.",
        f"Install Python {_dotted(environment.PREFERRED[0])}, then start unity-bridge with it.",
    )


def serving_python() -> Optional[str]:
    """A Python new enough to serve, as the launcher in a clone finds it."""
    if not os.path.isfile(os.path.join(environment.ROOT, "bin", "unity-bridge")):
        return None
    for version in environment.PREFERRED:
        folder = environment.ready("env", version)
        if folder is not None:
            return environment.python_of(folder)
    return next((found for found in map(environment.find, environment.PREFERRED) if found is not None), None)


def packages(unmet: Sequence[str]) -> Finding:
    """``unmet``: requirement lines that this Python does not satisfy."""
    if not unmet:
        return _ok("packages", "everything that is needed is installed")
    missing = [line.partition(";")[0].strip() for line in unmet]
    return _bad(
        "packages",
        f"missing or of another version: {', '.join(missing)}",
        quoted([sys.executable, "-m", "pip", "install", *missing]),
    )


def unmet_requirements() -> List[str]:
    """What this Python lacks: by ``setup.py`` in a clone, by its own metadata when installed."""
    if os.path.isfile(os.path.join(environment.ROOT, "setup.py")):
        return environment.unmet(environment.requirements())
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("unity-bridge") or []
    except PackageNotFoundError:
        return []
    return environment.unmet([line for line in lines if "extra ==" not in line])


def configuration(problem: Optional[str], file: Optional[Path]) -> Finding:
    """``problem``: the line with which the server would refuse to start."""
    if problem is not None:
        return _bad("configuration", problem, "Correct that value, or remove it to use the default.")
    return _ok("configuration", str(file) if file is not None else "the defaults")


# The machine


def localhost(addresses: Optional[Sequence[str]] = None) -> Finding:
    """The plugin uses 127.0.0.1, but plugins of other makers and people's own tools say ``localhost``."""
    found = _addresses_of_localhost() if addresses is None else addresses
    if "127.0.0.1" in found:
        return _ok("localhost", f"localhost is {', '.join(found)}")
    hosts = r"C:\Windows\System32\drivers\etc\hosts" if sys.platform == "win32" else "/etc/hosts"
    means = f"is only {', '.join(found)}" if found else "means nothing"
    message = f"localhost {means} on this machine; unity-bridge listens on 127.0.0.1"
    return _bad("localhost", message, f"Add the line `127.0.0.1 localhost` to {hosts}.")


def _addresses_of_localhost() -> List[str]:
    try:
        found = socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return sorted({str(info[4][0]) for info in found})


def wsl(release: str = platform.release()) -> List[Finding]:
    """In WSL, 127.0.0.1 is Linux's own, unless both share their network."""
    if sys.platform != "linux" or "microsoft" not in release.lower():
        return []
    return [
        _note(
            "wsl",
            "this is WSL: a Unity Editor on Windows may not reach a server here",
            "Run unity-bridge with a Python on Windows, or set networkingMode=mirrored under [wsl2] in .wslconfig.",
        )
    ]


# The port and the editor


def port(state: Mapping[str, Any], answer: Optional[str]) -> Finding:
    """``state``: of ``get_editor_state``. ``answer``: what ``http_answer`` got, if the port is somebody else's."""
    number, listener = state["port"], state["listener"]
    if listener.get("state") == PORT_UNKNOWN:
        return _note("port", "whose it is was not known in time", ours("status"))
    if listener.get("reason") is None:
        if "attached" in (state.get("role"), listener.get("state")):
            return _shared(number, state["server_version"])
        return _ok(
            "port", f"{number} is free" if not state["connected"] else f"{number} was free, and Unity came to it"
        )
    if listener["reason"] != "port_in_use":
        message = f"this machine does not let this user listen on port {number}"
        return _bad("port", message, _another_port(number))
    holder = listener.get("holder") or "a program that this user may not see"
    remark = listener.get("remark")
    if remark is None and ("unity-bridge" in (answer or "") or _OUR_PROCESS.search(holder)):
        # By the page that a listener shows to web browsers, also one that is too old to share its port; or by its
        # command line, if it answers nobody any more.
        remark = "it is a unity-bridge that does not share its port"
    if remark is not None:
        message = f"{number} is held by {holder}: {remark}"
        return _bad("port", message, f"Close the client that started it, or end it; or: {_another_port(number)}")
    message = f"{number} is held by a program that is not unity-bridge: {holder}"
    return _bad("port", message, f"End that program; or: {_another_port(number)}")


def _shared(number: int, version: str) -> Finding:
    if version == __version__:
        return _ok("port", f"{number} is shared with the unity-bridge that has it")
    message = f"{number} is held by unity-bridge {version}; this is {__version__}"
    return _bad("port", message, "Restart the MCP clients, so that all of them start the same version.")


def _another_port(number: int) -> str:
    other = str(number + 1 if number < 65535 else number - 1)
    return (
        f"use another port on both sides: {ours('plugin', 'install', 'PROJECT', '--port', other)}"
        f" and {ours('client', 'add', 'NAME', '--port', other)}"
    )


def http_answer(number: int) -> Optional[str]:
    """The beginning of what the port says to a web browser. Bounded in time and size; a stranger may say anything."""
    try:
        with socket.create_connection(("127.0.0.1", number), timeout=_PROBE_S) as probe:
            probe.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{number}\r\nConnection: close\r\n\r\n".encode())
            said = b""
            # Head and body may come apart; a few pieces tell enough, and a stranger may drip.
            for _ in range(4):
                piece = probe.recv(_PROBE_BYTES)
                said += piece
                if not piece or len(said) >= _PROBE_BYTES:
                    break
    except OSError:
        return None
    return said.decode("latin-1")


def editor(state: Mapping[str, Any], project: Optional[UnityProject], waited_s: float) -> List[Finding]:
    """Whether an editor is there, the right one, and well."""
    if state["listener"].get("reason") is not None:
        return [_note("editor", "cannot be seen from here while the port is not ours")]
    if not state["connected"]:
        where = str(project.root) if project is not None else "PROJECT"
        return [
            _bad(
                "editor",
                f"no Unity Editor connected to port {state['port']} within {waited_s:g} s",
                f"Open the project in Unity; if it is open: {ours('plugin', 'status', where)}",
            )
        ]
    return _connected_editor(state, state["editor"] or {}, project)


def _connected_editor(
    state: Mapping[str, Any], told: Mapping[str, Any], project: Optional[UnityProject]
) -> List[Finding]:
    name = told.get("project_name") or told.get("project_path") or "a project"
    findings = [_ok("editor", f"Unity {told.get('unity_version', '?')} with {name} is {state['editor_state']}")]
    path = told.get("project_path")
    if project is not None and isinstance(path, str) and not _same_folder(Path(path), project.root):
        findings = [
            _bad(
                "editor",
                f"the editor on port {state['port']} has another project open: {path}",
                f"Give this one a port of its own: {ours('plugin', 'install', str(project.root), '--port', 'N')}",
            )
        ]
    if (told.get("main_thread_stalled_ms") or 0) >= _STALLED_MS:
        seconds = told["main_thread_stalled_ms"] / 1000
        message = f"Unity's main thread has not moved for {seconds:.0f} s"
        findings.append(_bad("editor", message, "Close the dialog that is open in Unity, or wait for its import."))
    if told.get("compile_errors"):
        message = f"the scripts have {told['compile_errors']} compile errors"
        findings.append(_note("editor", message, ours("console", "--type", "error")))
    if state["plugin_version"] != __version__:
        message = f"the editor runs plugin {state['plugin_version']}, the server is {__version__}"
        where = path if isinstance(path, str) else "PROJECT"
        findings.append(_bad("editor", message, ours("plugin", "update", where)))
    return findings


def _same_folder(one: Path, other: Path) -> bool:
    return os.path.normcase(str(one.resolve())) == os.path.normcase(str(other.resolve()))


# The project


def plugin(project: UnityProject, server_port: int) -> List[Finding]:
    """The plugin on disk: there, of this version, unchanged, and on the server's port."""
    root = str(project.root)
    found = installed_plugin(project)
    if isinstance(found, Err):
        return [_bad("plugin", found.error, "Correct that file; Unity cannot read it either.")]
    installed = found.value
    if installed.form is PluginForm.ABSENT:
        return [_bad("plugin", f"{root} has no plugin", ours("plugin", "install", root))]
    update = ours("plugin", "update", root)
    if installed.version is None:
        findings = [_bad("plugin", f"{installed.place} is not the plugin, or a part of it", update)]
    elif installed.differs:
        age = _age(installed.version)
        findings = [_bad("plugin", f"{root} has {installed.version}, {age} the server's {__version__}", update)]
    elif installed.form is PluginForm.EMBEDDED and not installed.is_ours:
        message = f"{installed.version} in {root}, but its files are not as they were installed"
        findings = [_note("plugin", message, update)]
    else:
        findings = [_ok("plugin", f"{installed.version} in {root}")]
    return findings + _plugin_port(project, server_port)


def _plugin_port(project: UnityProject, server_port: int) -> List[Finding]:
    used = project.plugin_port()
    if isinstance(used, Err):
        return [_bad("plugin-port", used.error, "Set the port in Unity's Project Settings > Unity Bridge.")]
    if used.value == server_port:
        return [_ok("plugin-port", f"the plugin uses port {used.value}, as the server does")]
    mend = ours("plugin", "install", str(project.root), "--port", str(server_port))
    return [_bad("plugin-port", f"the plugin uses port {used.value}, the server {server_port}", mend)]


def _age(version: str) -> str:
    return "older than" if _numbers(version) < _numbers(__version__) else "newer than"


def _numbers(version: str) -> Tuple[int, ...]:
    return tuple(int(part) if _NUMBER.fullmatch(part) else 0 for part in version.split("."))


# The clients


def clients(configs: Sequence[ClientConfig], wanted_port: int, default_port: int) -> List[Finding]:
    """``wanted_port``: where the editor is awaited; ``default_port``: of an entry that names none."""
    findings: List[Finding] = []
    working: Dict[str, List[int]] = {}
    for config in configs:
        entries = config.entries()
        if isinstance(entries, Err):
            findings.append(_unreadable(config, entries.error))
            continue
        for entry in entries.value:
            finding = _entry(config, entry)
            findings.append(finding)
            if finding.verdict is Verdict.OK:
                ports = working.setdefault(config.client.name, [])
                ports.append(default_port if entry.port is None else entry.port)
    for name, ports in working.items():
        if wanted_port not in ports:
            used = ", ".join(str(one) for one in sorted(set(ports)))
            mend = ours("client", "add", name, "--port", str(wanted_port))
            findings.append(_bad("client", f"{name} uses port {used}, not {wanted_port}", mend))
    if not any(finding.verdict is not Verdict.NOTE for finding in findings):
        mend = f"{ours('client', 'list')} shows their names; then: {ours('client', 'add', 'NAME')}"
        findings.append(_note("client", "no MCP client is configured for unity-bridge", mend))
    return findings


def _entry(config: ClientConfig, entry: Entry) -> Finding:
    missing = entry.missing_path()
    place = f"{config.client.name}: {config.path}"
    if missing is None:
        return _ok("client", f"{place}: {entry.name}" + (f" on port {entry.port}" if entry.port is not None else ""))
    words = ["client", "add", config.client.name]
    words += [] if entry.name == ENTRY else ["--as", entry.name]
    words += [] if entry.port is None else ["--port", str(entry.port)]
    words += [] if config.scope is Scope.USER else ["--scope", config.scope.value]
    return _bad("client", f"{place}: {entry.name} starts {missing}, which does not exist", ours(*words))


def _unreadable(config: ClientConfig, problem: str) -> Finding:
    message = f"{config.client.name}: {config.path} {problem}"
    mend = "Correct that file; the client cannot read it either."
    text = read_text(config.path)
    is_about_us = isinstance(text, Err) or "unity-bridge" in (text.value or "")
    return _bad("client", message, mend) if is_about_us else _note("client", message, mend)


def _dotted(version: Tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
