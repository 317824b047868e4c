"""A server behind a real border: ssh to this machine, and a container made of namespaces (SPEC
§23).

The client is a program of its own with the MCP SDK. It starts the entry that ``client add --via`` has written, meets a
simulated editor on the far side, and is killed while a call is open.
"""

from __future__ import annotations

import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

import psutil
import pytest
from click.testing import CliRunner

from tests.faulty_editor.process import command as faulty_editor
from tests.ports import free_port
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.commands.client import command
from unity_bridge.installation.command_line import quoted
from unity_bridge.installation.remote_command import command_over
from unity_bridge.installation.trial import serves
from unity_bridge.launch.environment import isolated

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

GUARD_S = 120
ROOT = Path(__file__).parents[2]
SSHD = shutil.which("sshd", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
# ssh finds its settings by the account and not by HOME, so the tests name them.
SSH = shutil.which("ssh")
NAMESPACES = ["--user", "--map-root-user", "--net", "--pid", "--mount-proc"]

_HOUSE = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication yes
KbdInteractiveAuthentication no
SetEnv HOME={home} PATH={home}/bin:/usr/bin:/bin
"""
_GUEST = """\
Host *
  User {user}
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile none
  IdentitiesOnly yes
  IdentityAgent none
Host far asks
  HostName 127.0.0.1
  HostKeyAlias far
  Port {port}
Host far
  IdentityFile {folder}/key
Host silent
  HostName 127.0.0.1
  Port {silent}
Host closed
  HostName 127.0.0.1
  Port {closed}
"""
_EDITOR = """\
import fcntl, os, socket, struct, sys
with socket.socket() as one:  # a new network has its loopback down
    wanted = struct.pack("16sh22x", b"lo", 1)
    fcntl.ioctl(one, 0x8914, wanted)
print("ready", flush=True)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
os.execv(sys.argv[1], sys.argv[1:])
"""


def far_home(folder: Path) -> Path:
    """The far side's home: its PATH has the program, and its state folder the secret."""
    home = folder / "far"
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "unity-bridge"
    program.write_text(f'#!/bin/sh\nexec {quoted(isolated())} "$@"\n')
    program.chmod(0o755)
    return home


def of_far_home(home: Path) -> Dict[str, str]:
    kept = ("PATH", "LANG", "TMPDIR")
    return {**{name: os.environ[name] for name in kept if name in os.environ}, "HOME": str(home)}


def simulated(port: int) -> List[str]:
    return [*faulty_editor(), "--port", str(port), "--tests", "500", "--test-seconds", "1"]


class SshMachine:
    """An sshd of this test's own, and the ``ssh`` that knows it as the host ``far``."""

    def __init__(self, folder: Path) -> None:
        assert SSHD is not None and SSH is not None
        self.folder, self.home = folder, far_home(folder)
        self.port = free_port()
        # A host that accepts the connection and never says anything.
        self.silent = socket.create_server(("127.0.0.1", 0))
        self.closed = socket.socket()  # a port on which nobody listens
        self.closed.bind(("127.0.0.1", 0))
        for name in ("host_key", "key"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(words, check=True, timeout=GUARD_S)
        shutil.copy(folder / "key.pub", folder / "authorized_keys")
        (folder / "known_hosts").write_text("far " + (folder / "host_key.pub").read_text())
        (folder / "sshd_config").write_text(
            _HOUSE.format(port=self.port, folder=folder, home=self.home)
        )
        config = folder / "ssh_config"
        silent, closed = self.silent.getsockname()[1], self.closed.getsockname()[1]
        config.write_text(
            _GUEST.format(
                user=getpass.getuser(), folder=folder, port=self.port, silent=silent, closed=closed
            )
        )
        near = folder / "near" / "bin" / "ssh"
        near.parent.mkdir(parents=True)
        near.write_text(f'#!/bin/sh\nexec {quoted([SSH, "-F", str(config)])} "$@"\n')
        near.chmod(0o755)
        self.near = near.parent
        if os.getuid() == 0:
            os.makedirs("/run/sshd", 0o755, exist_ok=True)  # as the service of Debian does
        self.log = folder / "sshd.log"
        self._daemon = subprocess.Popen(
            [SSHD, "-D", "-f", str(folder / "sshd_config"), "-E", str(self.log)],
            stdin=subprocess.DEVNULL,
        )

    def wait(self) -> None:
        """Until it lets this user in; skips where the account is locked, as some build machines
        have it.
        """
        deadline = time.monotonic() + GUARD_S
        while time.monotonic() < deadline:
            done = subprocess.run(
                [str(self.near / "ssh"), "-o", "BatchMode=yes", "far", "true"],
                capture_output=True,
                timeout=GUARD_S,
            )
            if done.returncode == 0:
                return
            said = self.log.read_text() if self.log.exists() else ""
            if "account is locked" in said:
                pytest.skip(f"sshd does not let this account in: {said}")
            assert self._daemon.poll() is None and b"refused" in done.stderr, (said, done.stderr)
        raise AssertionError("sshd does not listen")

    def started(self) -> List[psutil.Process]:
        """What the far side runs for its clients."""
        return psutil.Process(self._daemon.pid).children(recursive=True)

    def close(self) -> None:
        self.silent.close()
        self.closed.close()
        of_clients = self.started()
        self._daemon.kill()
        self._daemon.wait()
        for process in of_clients:
            with suppress(psutil.NoSuchProcess):  # a client that was refused is gone by itself
                process.kill()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshMachine]:
    if os.name == "nt" or SSHD is None or SSH is None:
        pytest.skip("no sshd and ssh here: .ci/run installs them (Debian: openssh-server)")
    started = SshMachine(tmp_path)
    try:
        started.wait()
        monkeypatch.setenv("PATH", str(started.near), prepend=os.pathsep)
        yield started
    finally:
        started.close()


@pytest.fixture
def near_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "near"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


def added(*options: str) -> Tuple[int, str]:
    result = CliRunner().invoke(command, ["add", "cursor", *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def entry_in(home: Path) -> Dict[str, Any]:
    entry: Dict[str, Any] = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"][
        "unity-bridge"
    ]
    return entry


class Started(NamedTuple):
    """The processes that a client had started when it was killed, and the names that they had then."""

    processes: List[psutil.Process]
    names: Set[str]


def what_a_killed_client_finds(
    folder: Path, entry: Dict[str, Any]
) -> Tuple[Dict[str, Any], Started]:
    """What the client's program reports, and what it had started when it was killed."""
    words = folder / "entry.json"
    words.write_text(json.dumps(entry))
    client = subprocess.Popen(
        [sys.executable, "-I", str(ROOT / "tests" / "e2e" / "far_client.py"), str(words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert client.stdout is not None and client.stderr is not None
    try:
        line = client.stdout.readline()
        near = psutil.Process(client.pid).children(recursive=True) if line else []
        names = {process.name() for process in near}
    finally:
        client.send_signal(signal.SIGKILL)
        said = client.stderr.read()
        client.stdout.close()
        client.stderr.close()
        client.wait()
    assert line, said.decode(errors="replace")
    return json.loads(line), Started(near, names)


def check(found: Dict[str, Any], client_project: str) -> None:
    assert sorted(found["tools"]) == sorted(CATALOGUE)
    assert found["trusted"] is True, "editor and server share the far side's secret"
    assert found["picture"] == b"\x89PNG\r\n\x1a\n".hex()
    assert (found["console_works"], found["job"]) == (True, "cancelled")
    assert (
        found["client_project_path"] == client_project and client_project in found["instructions"]
    )


def all_gone(processes: List[psutil.Process]) -> bool:
    return psutil.wait_procs(processes, timeout=GUARD_S)[1] == []


def test_a_client_works_through_ssh_and_leaves_no_process(
    machine: SshMachine, near_home: Path
) -> None:
    port = free_port()
    options = ["--via", "ssh:far", "--port", str(port), "--client-project", "/mnt/game"]
    status, said = added(*options)
    assert status == 0, said
    with subprocess.Popen(
        simulated(port),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=of_far_home(machine.home),
    ) as editor:
        try:
            found, near = what_a_killed_client_finds(machine.folder, entry_in(near_home))
            check(found, "/mnt/game")
            assert near.names >= {"ssh"}
            assert all_gone(near.processes) and all_gone(machine.started())
            assert editor.poll() is None, "the editor is nobody's to end"
        finally:
            editor.kill()
    assert not (near_home / ".local").exists() and (machine.home / ".local" / "state").exists()


def test_a_host_that_asks_for_a_password_is_refused_and_nothing_is_written(
    machine: SshMachine, near_home: Path
) -> None:
    status, said = added("--via", "ssh:asks")
    assert status == 1 and "Permission denied (publickey,password)" in said
    assert not (near_home / ".cursor").exists()


def test_a_shell_profile_that_prints_is_quoted(machine: SshMachine, near_home: Path) -> None:
    for profile in (".bashrc", ".zshenv"):
        (machine.home / profile).write_text("echo Welcome to the far side\n")
    seen = subprocess.run(
        [str(machine.near / "ssh"), "far", "true"], capture_output=True, timeout=GUARD_S
    )
    if b"Welcome" not in seen.stdout:
        pytest.skip("this account's shell reads no profile without a terminal")
    status, said = added("--via", "ssh:far")
    assert (
        status == 1
        and "its first line is not the server's answer: 'Welcome to the far side'" in said
    )
    assert not (near_home / ".cursor").exists() and all_gone(machine.started())


def test_a_host_without_an_ssh_server_is_named(machine: SshMachine, near_home: Path) -> None:
    status, said = added("--via", "ssh:closed")
    assert status == 1 and "Connection refused" in said and not (near_home / ".cursor").exists()


def test_a_host_that_does_not_answer_is_given_up(machine: SshMachine) -> None:
    words = command_over("ssh:silent")
    assert not isinstance(words, Err)
    refused = serves(words.value, {}, seconds=1)
    assert isinstance(refused, Err) and "no line came within 1 s" in refused.error


def test_a_host_that_would_be_an_option_reaches_no_ssh(
    machine: SshMachine, near_home: Path
) -> None:
    witness = machine.folder / "witness"
    status, said = added("--via", f"ssh:-oProxyCommand=touch {witness}")
    assert status == 2 and "is not a host" in said and not witness.exists()


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Tuple[Path, int, int]]:
    """A simulated editor among its own processes and in its own network; its home, its port and its
    first process.
    """
    unshare, nsenter = shutil.which("unshare"), shutil.which("nsenter")
    if sys.platform != "linux" or unshare is None or nsenter is None:
        pytest.skip("needs unshare and nsenter of Linux")
    tried = subprocess.run(
        [unshare, *NAMESPACES, "--fork", "true"], capture_output=True, timeout=GUARD_S
    )
    if tried.returncode != 0:
        pytest.skip(
            f"namespaces are not allowed here: {tried.stderr.decode(errors='replace').strip()}"
        )
    home, port = far_home(tmp_path), free_port()
    words = [
        unshare,
        *NAMESPACES,
        "--fork",
        "--kill-child",
        sys.executable,
        "-I",
        "-c",
        _EDITOR,
        *simulated(port),
    ]
    outside = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=of_far_home(home)
    )
    assert outside.stdin is not None and outside.stdout is not None
    try:
        assert outside.stdout.readline(), "nothing could be started in it"
        (inside,) = psutil.Process(outside.pid).children()
        yield home, port, inside.pid
    finally:
        outside.kill()
        outside.stdin.close()
        outside.stdout.close()
        outside.wait()


def test_a_client_outside_a_container_works_with_the_editor_in_it(
    container: Tuple[Path, int, int], tmp_path: Path, near_home: Path
) -> None:
    home, port, inside = container
    crosses = [
        "nsenter",
        "--target",
        str(inside),
        "--user",
        "--net",
        "--pid",
        "--mount",
        "--preserve-credentials",
    ]
    program = [
        "env",
        "-i",
        f"HOME={home}",
        f"PATH={os.environ['PATH']}",
        str(home / "bin" / "unity-bridge"),
    ]
    via = quoted([*crosses, *program])
    status, said = added("--via", via, "--port", str(port), "--client-project", "/mnt/game")
    assert status == 0, said
    entry = entry_in(near_home)
    found, near = what_a_killed_client_finds(tmp_path, entry)
    check(found, "/mnt/game")
    assert near.names & {"nsenter", Path(sys.executable).name, "python"}
    assert all_gone(near.processes)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0, "its port is in the container alone"
    assert (
        "is configured in"
        in added("--via", via, "--port", str(port), "--client-project", "/mnt/game")[1]
    )
