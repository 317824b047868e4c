"""Whether a border lies between this process and Unity, and what can cross it from here (SPEC
§23.5).
"""

from __future__ import annotations

import re
from typing import List, Optional

from unity_bridge.installation.command_line import ours
from unity_bridge.installation.entry_environment import decides_here
from unity_bridge.installation.findings import Finding, worth_a_note
from unity_bridge.installation.host_environment import System, Wsl, host_environment

_EXEC = {
    "docker": "docker exec -i CONTAINER unity-bridge",
    "podman": "podman exec -i CONTAINER unity-bridge",
    "kubernetes": "kubectl exec -i POD -- unity-bridge",
    "lxc": "incus exec CONTAINER -- unity-bridge",
}
# By the word of `wslinfo --networking-mode`: why an editor on Windows is not served by a server in
# WSL.
_OWN_SECRET = "an editor on Windows reaches a server here, but takes its secret from Windows, so it stays untrusted"
_RELAYED = (
    "an editor on Windows reaches a server here at most through WSL's relay, which no proof passes"
)
_BY_NETWORK = {
    "mirrored": _OWN_SECRET,
    "wsl1": _OWN_SECRET,
    "nat": _RELAYED,
    "virtioproxy": _RELAYED,
}
_UNKNOWN_NETWORK = (
    "an editor on Windows may not reach a server here, and stays untrusted if it does"
)
_OF_WSL = re.compile(r"[\\/]{2}(wsl\$|wsl\.localhost)[\\/]", re.IGNORECASE)


def border_findings(
    project: Optional[str], is_served: bool, system: Optional[System] = None
) -> List[Finding]:
    """``project``: the path of the Unity project, if one is known. ``is_served``: a trusted editor is connected, so no
    border lies between."""
    system = system or System()
    here = host_environment(system)
    findings = _project_in_wsl(project, here.wsl, system)
    if is_served:
        return findings
    if here.wsl is not None:
        findings += _wsl(here.wsl, system)
    if here.container is not None:
        findings.append(_container(here.container, system))
    if here.ssh_client is not None:
        message = f"this is an ssh session from {here.ssh_client}: a server here serves an editor on this machine only"
        findings.append(worth_a_note("ssh", message, _from_ssh(here.ssh_client, system)))
    return findings


def _wsl(wsl: Wsl, system: System) -> List[Finding]:
    if wsl.networking not in (None, "wsl1"):
        network = f"with {wsl.networking} networking"
    else:
        network = wsl.networking or "WSL"
    message = f"this is WSL ({network}): {_BY_NETWORK.get(wsl.networking or '', _UNKNOWN_NETWORK)}"
    crosses = ours("client", "add", "NAME", "--via", "wsl")
    if wsl.no_interop is None:
        findings = [worth_a_note("wsl", message, f"If Unity runs on Windows: {crosses}")]
    else:
        message += f". WSL cannot start programs of Windows: {wsl.no_interop.why}"
        findings = [worth_a_note("wsl", message, f"{wsl.no_interop.remedy} Then: {crosses}")]
    passed = [part.partition("/")[0] for part in system.environ.get("WSLENV", "").split(":")]
    lent = sorted({name for name in passed if decides_here(name)})
    if lent:
        message = f"WSLENV passes {', '.join(lent)} to programs of Windows, where it may name another folder"
        findings.append(worth_a_note("wsl", message, "Take it out of WSLENV."))
    return findings


def _project_in_wsl(project: Optional[str], wsl: Optional[Wsl], system: System) -> List[Finding]:
    """Unity does not support projects on network drives, and Windows sees the files of WSL as one."""
    if project is None:
        return []
    if wsl is not None and _OF_WSL.match(system.run(["wslpath", "-w", project]) or ""):
        message = f"{project} is in the file system of Linux: an editor on Windows is slow with it, or does not open it"
        return [
            worth_a_note(
                "project",
                message,
                "If Unity runs on Windows, move it to a Windows drive below /mnt.",
            )
        ]
    if system.platform == "win32" and _OF_WSL.match(project):
        message = (
            f"{project} is in the file system of WSL, where Unity is slow, or does not open it"
        )
        return [worth_a_note("project", message, "Move it to a Windows drive.")]
    return []


def _container(name: str, system: System) -> Finding:
    kind = name if name == "a container" else f"a container ({name})"
    message = f"this is {kind}: an editor outside cannot reach a server in it"
    enter = _EXEC.get(name, "COMMAND ... unity-bridge")
    host = "HOST"
    if name == "docker":
        host = "host.docker.internal"
    remedy = (
        f"If Unity runs outside: {_over_ssh(host, system)}. "
        f'If Unity runs here and the client outside, there: unity-bridge client add NAME --via "{enter}"'
    )
    return worth_a_note("container", message, remedy)


def _from_ssh(client: str, system: System) -> str:
    server = (system.environ.get("SSH_CONNECTION") or "").split()
    here = server[2] if len(server) == 4 else "HOST"
    return (
        f"If Unity runs there: {_over_ssh(client, system)}. "
        f"If Unity runs here and the client there, there: unity-bridge client add NAME --via ssh:USER@{here}"
    )


def _over_ssh(host: str, system: System) -> str:
    command = ours("client", "add", "NAME", "--via", f"ssh:USER@{host}")
    lacking = "" if system.run(["ssh", "-V"]) is not None else "install an ssh client here; "
    return f"{lacking}{command}, which needs an ssh server there that takes your key"
