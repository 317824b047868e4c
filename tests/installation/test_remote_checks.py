"""``doctor`` on the wrong side of a border: recorded facts of systems, and what it says of each
(SPEC §23.5).
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

import pytest

from tests.installation.fake_windows import INTEROP, KERNEL, REGISTERED
from tests.installation.findings import only
from unity_bridge.installation.findings import Finding, Verdict
from unity_bridge.installation.host_environment import HostEnvironment, System, host_environment
from unity_bridge.installation.remote_checks import border_findings

DEBIAN = "6.1.0-18-amd64"
# As microsoft/WSL#8952, #8843 and #9381 show them.
WSL_1 = "4.4.0-19041-Microsoft"
LATE = INTEROP + "-late"


def system(
    release: str = DEBIAN,
    environ: Optional[Mapping[str, str]] = None,
    files: Optional[Mapping[str, str]] = None,
    there: Sequence[str] = (),
    networking: Optional[str] = None,
    platform: str = "linux",
    ssh: bool = True,
) -> System:
    def run(words: Sequence[str]) -> Optional[str]:
        if words[0] == "wslinfo":
            return networking
        if words[0] == "ssh":
            return "" if ssh else None
        assert words[:2] == ["wslpath", "-w"]
        path = words[2]
        is_drive = path.startswith("/mnt/c/")
        return (
            path.replace("/mnt/c", "C:")
            if is_drive
            else "\\\\wsl.localhost\\Debian" + path.replace("/", "\\")
        )

    return System(
        platform, release, environ or {}, (files or {}).get, lambda path: path in there, run
    )


def wsl(
    networking: Optional[str] = "nat", files: Optional[Mapping[str, str]] = None, **more: Any
) -> System:
    known: Dict[str, Any] = {
        "release": KERNEL,
        "files": {INTEROP: REGISTERED} if files is None else files,
        **more,
    }
    return system(networking=networking, **known)


def said(of: System, project: Optional[str] = None, is_served: bool = False) -> List[Finding]:
    findings = border_findings(project, is_served, of)
    assert all(finding.verdict is Verdict.NOTE and finding.remedy for finding in findings), (
        "each says what to do"
    )
    return findings


def _unquoted(finding: Finding) -> str:
    """The remedy without the quotation marks of the shell that runs the tests."""
    return re.sub("['\"]", "", finding.remedy or "")


@pytest.mark.parametrize(
    "of",
    [
        system(),
        system(platform="darwin"),
        system(platform="win32"),
        system(environ={"container": "flatpak"}),
        system(files={"/proc/1/cgroup": "0::/init.scope\n"}),
    ],
)
def test_the_machine_itself_is_no_border(of: System) -> None:
    assert host_environment(of) == HostEnvironment() and said(of, "/home/ada/Game") == []


@pytest.mark.parametrize(
    "networking, message",
    [
        (
            "nat",
            "with nat networking): an editor on Windows reaches a server here at most through WSL's relay",
        ),
        (
            "virtioproxy",
            "with virtioproxy networking): an editor on Windows reaches a server here at most through",
        ),
        (
            "mirrored",
            "with mirrored networking): an editor on Windows reaches a server here, but takes its secret",
        ),
        (
            "wsl1",
            "(wsl1): an editor on Windows reaches a server here, but takes its secret from Windows",
        ),
        ("none", "with none networking): an editor on Windows may not reach a server here"),
        (None, "(WSL): an editor on Windows may not reach a server here"),
    ],
)
def test_wsl_is_reported_with_its_network_and_with_the_way_out(
    networking: Optional[str], message: str
) -> None:
    finding = only(said(wsl(networking, release=WSL_1 if networking == "wsl1" else KERNEL)))
    assert message in finding.message and "client add NAME --via wsl" in (finding.remedy or "")


@pytest.mark.parametrize(
    "environ", [{"WSL_DISTRO_NAME": "Debian"}, {"WSL_INTEROP": "/run/WSL/8_interop"}]
)
def test_a_kernel_of_the_users_own_is_wsl_by_its_variables(environ: Dict[str, str]) -> None:
    of = wsl(release="6.6.0-custom", environ=environ, there=["/run/WSL/8_interop"])
    assert only(said(of)).check == "wsl"


@pytest.mark.parametrize(
    "files, more, why, remedy",
    [
        ({}, {}, "the kernel has no WSLInterop", "mask systemd-binfmt"),
        ({INTEROP: "disabled\n"}, {}, "the kernel has no WSLInterop", "wsl.exe --shutdown"),
        (
            {
                INTEROP: REGISTERED,
                "/etc/wsl.conf": "[boot]\nsystemd=true\n[interop]\n# off\nenabled = false\n",
            },
            {},
            "/etc/wsl.conf has enabled=false under [interop]",
            "Set it to true",
        ),
        (
            {INTEROP: REGISTERED, "/etc/wsl.conf": "[Interop]\n# not [boot]\nenabled = 0\n"},
            {},
            "/etc/wsl.conf has enabled=false under [interop]",
            "Set it to true",
        ),
        (
            {INTEROP: REGISTERED, "/proc/sys/fs/binfmt_misc/status": "disabled\n"},
            {},
            "status is disabled",
            "Write 1 into that file",
        ),
        (
            {INTEROP: REGISTERED},
            {"environ": {"WSL_INTEROP": "/run/WSL/8_interop"}},
            "WSL_INTEROP names /run/WSL/8_interop, which is gone",
            "Open a new shell of WSL",
        ),
    ],
)
def test_interop_that_is_off_is_reported_with_its_reason(
    files: Dict[str, str], more: Dict[str, Any], why: str, remedy: str
) -> None:
    finding = only(said(wsl("nat", files, **more)))
    assert why in finding.message and remedy in (finding.remedy or "")


@pytest.mark.parametrize(
    "files, more",
    [
        ({LATE: REGISTERED}, {}),
        (
            {
                INTEROP: REGISTERED,
                "/etc/wsl.conf": "[automount]\nenabled=false\n[interop]\nappendWindowsPath=no\n",
            },
            {},
        ),
        (
            {
                INTEROP: REGISTERED,
                "/etc/wsl.conf": "[interop]\nenabled=true\n[automount]\nenabled=false\n",
            },
            {},
        ),
        # WSL then takes the socket of a parent process, at last that of its init
        # (UtilConnectToInteropServer in microsoft/WSL, src/linux/init/util.cpp).
        (
            {INTEROP: REGISTERED},
            {"environ": {"WSL_INTEROP": "/run/WSL/8_interop"}, "there": ["/run/WSL/1_interop"]},
        ),
        (
            {INTEROP: REGISTERED},
            {"environ": {"WSL_INTEROP": "/run/WSL/8_interop"}, "there": ["/run/WSL/8_interop"]},
        ),
    ],
)
def test_interop_that_works_is_not_called_off(files: Dict[str, str], more: Dict[str, Any]) -> None:
    known = host_environment(wsl("nat", files, **more)).wsl
    assert known is not None and known.no_interop is None


@pytest.mark.parametrize(
    "of, project, message",
    [
        (wsl(), "/home/ada/Game", "/home/ada/Game is in the file system of Linux"),
        (wsl(), "/mnt/c/Game", None),
        (wsl("wsl1"), "/home/ada/Game", "/home/ada/Game is in the file system of Linux"),
        (
            system(platform="win32"),
            "\\\\wsl$\\Debian\\home\\ada\\Game",
            "is in the file system of WSL",
        ),
        (
            system(platform="win32"),
            "//WSL.localhost/Debian/home/ada/Game",
            "is in the file system of WSL",
        ),
        (system(platform="win32"), "\\\\server\\share\\wsl$\\Game", None),
        (system(platform="win32"), "C:\\wsl.localhost\\Game", None),
    ],
)
def test_a_project_in_the_files_of_wsl_is_reported_also_while_an_editor_is_connected(
    of: System, project: str, message: Optional[str]
) -> None:
    found = [finding for finding in said(of, project, is_served=True) if finding.check == "project"]
    assert all(message in finding.message for finding in found if message is not None)
    assert len(found) == (message is not None)


def test_variables_of_ours_that_wslenv_passes_on_are_named() -> None:
    of = wsl(environ={"WSLENV": "GOPATH/l:UNITY_BRIDGE_STATE_DIR/p:XDG_STATE_HOME:PYTHONPATH/l"})
    _, finding = said(of)
    assert "WSLENV passes PYTHONPATH, UNITY_BRIDGE_STATE_DIR, XDG_STATE_HOME" in finding.message


@pytest.mark.parametrize(
    "of, name, enter",
    [
        (system(there=["/.dockerenv"]), "docker", "docker exec -i CONTAINER unity-bridge"),
        (wsl(there=["/.dockerenv"]), "docker", "docker exec -i CONTAINER unity-bridge"),
        (system(there=["/run/.containerenv"]), "podman", "podman exec -i CONTAINER unity-bridge"),
        (system(environ={"container": "oci"}), "podman", "podman exec -i CONTAINER unity-bridge"),
        (system(environ={"container": "lxc"}), "lxc", "incus exec CONTAINER -- unity-bridge"),
        (
            system(environ={"container": "systemd-nspawn"}),
            "systemd-nspawn",
            "COMMAND ... unity-bridge",
        ),
        (
            system(environ={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, there=["/.dockerenv"]),
            "kubernetes",
            "kubectl exec -i POD -- unity-bridge",
        ),
        (
            system(files={"/proc/1/cgroup": "1:cpu:/docker/0f3a\n"}),
            None,
            "COMMAND ... unity-bridge",
        ),
    ],
)
def test_a_container_is_reported_with_both_ways_across(
    of: System, name: Optional[str], enter: str
) -> None:
    finding = only(said(of))
    assert finding.check == "container" and (f"({name})" in finding.message) is (name is not None)
    assert f'client add NAME --via "{enter}"' in (finding.remedy or "")
    assert "--via ssh:USER@" in _unquoted(finding)


def test_a_distribution_that_was_imported_from_docker_export_is_no_container() -> None:
    """Microsoft's page on importing a distribution exports a container, with its /.dockerenv."""
    known = host_environment(wsl(there=["/.dockerenv", "/run/WSL"]))
    assert known.wsl is not None and known.container is None


@pytest.mark.parametrize(
    "environ, there",
    [
        ({"SSH_CONNECTION": "10.0.0.5 50022 10.0.0.9 22"}, "10.0.0.9"),
        ({"SSH_CONNECTION": "fe80::1%eth0 50022 fe80::2%eth0 22"}, "fe80::2%eth0"),
        ({"SSH_CLIENT": "10.0.0.5 50022 22"}, "HOST"),
    ],
)
def test_an_ssh_session_is_reported_with_both_ways_across(
    environ: Dict[str, str], there: str
) -> None:
    finding = only(said(system(environ=environ)))
    client = next(iter(environ.values())).split()[0]
    assert finding.check == "ssh" and f"from {client}" in finding.message
    assert f"--via ssh:USER@{client}" in _unquoted(finding)
    assert f"--via ssh:USER@{there}" in (finding.remedy or "")
    assert "install an ssh client here" in (
        only(said(system(environ=environ, ssh=False))).remedy or ""
    )


@pytest.mark.parametrize(
    "make",
    [
        wsl,
        lambda: system(there=["/.dockerenv"]),
        lambda: system(environ={"SSH_CLIENT": "10.0.0.5 1 22"}),
    ],
)
def test_nothing_is_said_of_a_border_while_a_trusted_editor_is_connected(
    make: Callable[[], System],
) -> None:
    assert said(make()) != [] and said(make(), is_served=True) == []


def test_the_real_system_can_be_asked() -> None:
    assert isinstance(host_environment(), HostEnvironment)
