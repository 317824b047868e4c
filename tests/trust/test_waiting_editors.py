"""The files of editors that wait for a server: they are found, removed and counted, and nobody else
can use them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE
from unity_bridge.trust.waiting_editors import WaitingFile, call_waiting_editors

PORT, OTHER_PORT = 8091, 8092
posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def made(port: int = PORT) -> WaitingFile:
    file = WaitingFile(port)
    file.make()
    return file


def names(state: Path) -> List[str]:
    return sorted(path.name for path in (state / "waiting").iterdir())


def test_a_server_removes_the_files_of_its_port_and_names_their_processes(state: Path) -> None:
    ours, others = made(), made(OTHER_PORT)

    assert call_waiting_editors(PORT) == (os.getpid(),)

    assert ours.take_call() and not others.take_call()
    assert [name.split("-")[0] for name in names(state)] == [str(OTHER_PORT)]


def test_an_editor_is_called_once_for_each_file(state: Path) -> None:
    file = made()
    call_waiting_editors(PORT)
    assert (file.take_call(), file.take_call()) == (True, False)
    file.make()
    assert not file.take_call()


def test_a_port_is_not_the_beginning_of_another(state: Path) -> None:
    file = made(80910)
    assert call_waiting_editors(PORT) == ()
    assert not file.take_call()


def test_an_editor_that_removes_its_file_is_not_called(state: Path) -> None:
    file = made()
    file.remove()
    assert names(state) == [] and not file.take_call()
    assert call_waiting_editors(PORT) == ()


def test_the_file_is_empty_and_its_name_has_port_process_and_boot(state: Path) -> None:
    made()
    (name,) = names(state)
    port, pid, pid_space = name.split("-")
    assert (port, pid, len(pid_space)) == (str(PORT), str(os.getpid()), 16)
    assert (state / "waiting" / name).read_bytes() == b""


@posix
def test_state_folder_and_files_are_the_users_own(state: Path) -> None:
    made()
    (name,) = names(state)
    paths = (state, state / "waiting", state / "waiting" / name)
    assert [path.stat().st_mode & 0o777 for path in paths] == [0o700, 0o700, 0o600]


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@posix
def test_the_file_of_a_dead_process_is_removed_and_does_not_count(state: Path) -> None:
    made()
    (name,) = names(state)
    pid_space = name.split("-")[2]
    for port in (PORT, OTHER_PORT):
        (state / "waiting" / f"{port}-{dead_pid()}-{pid_space}").touch()

    assert call_waiting_editors(PORT) == (os.getpid(),)

    assert names(state) == []


def test_a_process_of_another_machine_or_container_is_not_taken_for_dead(state: Path) -> None:
    pid = dead_pid()
    made().remove()
    for port in (PORT, OTHER_PORT):
        (state / "waiting" / f"{port}-{pid}-{'a' * 16}").touch()

    assert call_waiting_editors(PORT) == (pid,)

    assert names(state) == [f"{OTHER_PORT}-{pid}-{'a' * 16}"]


def test_a_name_of_another_form_counts_as_an_editor_that_is_not_known(state: Path) -> None:
    made()
    (state / "waiting" / f"{PORT}-plugin-of-others").touch()
    assert sorted(call_waiting_editors(PORT)) == [0, os.getpid()]


def test_a_folder_under_such_a_name_hides_no_editor(state: Path) -> None:
    made()
    for number in range(20):
        (state / "waiting" / f"{PORT}-{number}").mkdir()
    assert call_waiting_editors(PORT) == (os.getpid(),)


@posix
def test_files_in_a_folder_that_a_link_leads_to_stay(state: Path, tmp_path: Path) -> None:
    """Another user who may write to the state folder could have them removed."""
    documents = tmp_path / "documents"
    documents.mkdir(mode=0o700)
    (documents / f"{PORT}-receipt.txt").write_text("mine")
    state.mkdir()
    (state / "waiting").symlink_to(documents)

    file = made()

    assert not file.is_made
    assert call_waiting_editors(PORT) == ()
    assert [path.name for path in documents.iterdir()] == [f"{PORT}-receipt.txt"]


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_that_others_can_write_to_is_not_used(state: Path, mode: int) -> None:
    (state / "waiting").mkdir(parents=True)
    (state / "waiting").chmod(mode)
    for number in range(3):
        (state / "waiting" / f"{PORT}-{number}-{'a' * 16}").touch()

    assert not made().is_made
    assert call_waiting_editors(PORT) == ()
    assert len(names(state)) == 3


def test_more_files_than_editors_do_not_delay_a_server(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unity_bridge.trust.waiting_editors._MOST_FILES", 5)
    made().remove()
    for number in range(8):
        (state / "waiting" / f"{PORT}-{number}-{'a' * 16}").touch()
    assert len(call_waiting_editors(PORT)) == 5


def test_without_a_folder_nobody_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, "relative")
    file = made()
    assert not file.is_made and not file.take_call()
    assert call_waiting_editors(PORT) == ()


@posix
def test_where_no_folder_can_be_made_nobody_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "file" / "state"))
    assert not made().is_made
