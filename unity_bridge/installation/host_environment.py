"""Where this process runs, if that is not simply the machine with Unity: WSL, a container, an ssh
session (SPEC §23.5).

``System`` is everything that is asked of the system, so that tests give it recorded answers.
"""

from __future__ import annotations

import os
import platform as machine
import subprocess
import sys
from typing import Callable, Mapping, NamedTuple, Optional, Sequence

from unity_bridge.base.result import Err, Ok, Result, value_or
from unity_bridge.launch import environment
from unity_bridge.text.foreign_text import quoted

_MOST_BYTES = 16384
_RUN_S = 5.0

_BINFMT = "/proc/sys/fs/binfmt_misc/"
# systemd may replace the first name; WSL then registers the second.
_INTEROP = ("WSLInterop", "WSLInterop-late")
# WSL's init makes it, for the sockets of interop. The second is init's own.
_WSL_FOLDER = "/run/WSL"
_SOCKET_OF_INIT = "/run/WSL/1_interop"
_RESTART = "run `wsl.exe --shutdown` in Windows, and open WSL again."
_CGROUPS = ("docker", "kubepods", "containerd", "lxc")
# Values of the variable ``container`` that are no border for us: WSL's systemd, and a sandbox of
# desktop programs.
_NO_CONTAINER = ("wsl", "flatpak", "snap")


def _read(path: str) -> Optional[str]:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def _is_interop_off(conf: str) -> bool:
    """Whether ``wsl.conf`` switches off that programs of Windows can be started."""
    section = ""
    for line in map(str.strip, conf.lower().splitlines()):
        name, _, value = line.partition("=")
        if line.startswith("["):
            section = line
        elif section.startswith("[interop]") and name.strip() == "enabled":
            return value.partition("#")[0].strip(' \t"') in ("false", "0")
    return False


def output(words: Sequence[str], seconds: float) -> Result[str, str]:
    """Return what a program prints, without the line end; ``Err`` says why it failed, in its own
    words if any.

    ``words``: the first is the program's absolute path."""
    try:
        # In its own folder, because Windows has no path for some folders of Linux.
        process = subprocess.run(
            words,
            cwd=os.path.dirname(words[0]),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return Err(f"no answer within {seconds:.0f} s")
    except (OSError, ValueError) as error:  # ValueError: a NUL in a word
        return Err(getattr(error, "strerror", None) or str(error))
    if process.returncode == 0:
        return Ok(process.stdout.decode("utf-8", "replace").rstrip("\r\n"))
    lines = process.stderr.decode("utf-8", "replace").strip().splitlines()
    if lines:
        reason = quoted(lines[-1])
    else:
        reason = f"exit status {process.returncode}"
    return Err(reason)


def _run(words: Sequence[str]) -> Optional[str]:
    program = environment.on_path(words[0])
    if program is None:
        return None
    return value_or(output([program, *words[1:]], _RUN_S), None)


class System(NamedTuple):
    """The system as it can be asked.

    ``read``: the beginning of a file, None if it cannot be read. ``run``: what a program prints, None if it fails.
    """

    platform: str = sys.platform
    release: str = machine.release()
    environ: Mapping[str, str] = os.environ
    read: Callable[[str], Optional[str]] = _read
    exists: Callable[[str], bool] = os.path.exists
    run: Callable[[Sequence[str]], Optional[str]] = _run


class NoInterop(NamedTuple):
    """Why WSL cannot start programs of Windows, and what to do."""

    why: str
    remedy: str


class Wsl(NamedTuple):
    """``networking``: nat, mirrored, ..., wsl1; None if WSL does not say it.

    ``no_interop``: if no program of Windows can be started.
    """

    networking: Optional[str]
    no_interop: Optional[NoInterop]


class HostEnvironment(NamedTuple):
    """``container``: the program that runs it, ``a container`` if that is not known.

    ``ssh_client``: the address of the machine from which the user came.
    """

    wsl: Optional[Wsl] = None
    container: Optional[str] = None
    ssh_client: Optional[str] = None


def host_environment(system: Optional[System] = None) -> HostEnvironment:
    system = system or System()
    connection = (
        system.environ.get("SSH_CONNECTION") or system.environ.get("SSH_CLIENT") or ""
    ).split()
    container = _container(system) if system.platform == "linux" else None
    # A container of WSL's kernel has no interop.
    wsl = _wsl(system) if system.platform == "linux" and container is None else None
    ssh_client = None
    if connection:
        ssh_client = connection[0]
    return HostEnvironment(wsl, container, ssh_client)


def _wsl(system: System) -> Optional[Wsl]:
    is_wsl = "microsoft" in system.release.lower() or any(
        system.environ.get(name) for name in ("WSL_DISTRO_NAME", "WSL_INTEROP")
    )
    if not is_wsl:
        return None
    networking = system.run(["wslinfo", "--networking-mode"])
    mode = None
    if networking:
        mode = networking.strip()
    return Wsl(mode, _no_interop(system))


def _no_interop(system: System) -> Optional[NoInterop]:
    if _is_interop_off(system.read("/etc/wsl.conf") or ""):
        return NoInterop(
            "/etc/wsl.conf has enabled=false under [interop]", f"Set it to true, then {_RESTART}"
        )
    registered = [system.read(_BINFMT + name) for name in _INTEROP]
    if not any(text is not None and text.startswith("enabled") for text in registered):
        why = "the kernel has no WSLInterop in /proc/sys/fs/binfmt_misc, which systemd-binfmt may have removed"
        return NoInterop(
            why, f"Run `sudo systemctl mask systemd-binfmt` if systemd is on, then {_RESTART}"
        )
    if (system.read(_BINFMT + "status") or "enabled").startswith("disabled"):
        return NoInterop(
            "/proc/sys/fs/binfmt_misc/status is disabled", f"Write 1 into that file, or {_RESTART}"
        )
    socket = system.environ.get("WSL_INTEROP")
    # WSL takes that of a parent process instead, at last that of init (UtilConnectToInteropServer
    # in its util.cpp).
    if socket and not system.exists(socket) and not system.exists(_SOCKET_OF_INIT):
        why = f"WSL_INTEROP names {socket}, which is gone: the session that set it has ended"
        return NoInterop(why, "Open a new shell of WSL, and start the client in it.")
    return None


def _container(system: System) -> Optional[str]:
    container = system.environ.get("container", "")
    if system.environ.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    if container and container not in _NO_CONTAINER:
        return {"oci": "podman"}.get(container, container)
    if system.exists(_WSL_FOLDER):
        return None  # WSL imports what `docker export` wrote, with its /.dockerenv
    if system.exists("/run/.containerenv"):
        return "podman"
    if system.exists("/.dockerenv"):
        return "docker"
    groups = system.read("/proc/1/cgroup") or ""
    if any(group in groups for group in _CGROUPS):
        return "a container"
    return None
