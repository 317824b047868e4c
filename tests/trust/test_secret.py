"""The per-user secret: made once, whole and private; made again if it is broken (SPEC §17.1,
§20.7).
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import List

import pytest

from tests.full_disk import full_disk
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Err, Ok
from unity_bridge.trust import secret as secret_file
from unity_bridge.trust.secret import may_be_replaced_by_others, shared_secret
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")


def secret_of(folder: Path) -> bytes:
    made = shared_secret(folder)
    assert isinstance(made, Ok), made
    return made.value


def the_file(folder: Path) -> Path:
    """The one file that is there; no draft is left next to it."""
    (file,) = folder.iterdir()
    return file


def test_it_is_made_once_and_then_the_same(tmp_path: Path) -> None:
    first = secret_of(tmp_path / "new" / "folder")
    assert len(first) == 32
    assert secret_of(tmp_path / "new" / "folder") == first


def test_it_is_the_raw_bytes_of_the_file(tmp_path: Path) -> None:
    assert secret_of(tmp_path) == (tmp_path / "attach-secret").read_bytes()


@posix
def test_no_other_user_can_read_it(tmp_path: Path) -> None:
    secret_of(tmp_path / "state")
    assert stat.S_IMODE(the_file(tmp_path / "state").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


@posix
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o622])
def test_a_secret_that_other_users_could_read_or_write_is_replaced(
    tmp_path: Path, mode: int
) -> None:
    first = secret_of(tmp_path)
    the_file(tmp_path).chmod(mode)
    assert secret_of(tmp_path) != first
    assert stat.S_IMODE(the_file(tmp_path).stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path, target: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"x" * 32)
    elsewhere.chmod(0o600)
    state = tmp_path / "state"
    state.mkdir()
    (state / "attach-secret").symlink_to(tmp_path / target)
    made = secret_of(state)
    assert made != b"x" * 32 and secret_of(state) == made
    assert not the_file(state).is_symlink()
    assert elsewhere.read_bytes() == b"x" * 32 and not (tmp_path / "nowhere").exists()


@posix
def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "attach-secret", 0o600)
    assert len(secret_of(tmp_path)) == 32
    assert the_file(tmp_path).is_file()


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 2000])
def test_a_broken_one_is_replaced(tmp_path: Path, content: bytes) -> None:
    secret_of(tmp_path)
    the_file(tmp_path).write_bytes(content)
    made = secret_of(tmp_path)
    assert len(made) == 32
    assert secret_of(tmp_path) == made == the_file(tmp_path).read_bytes()


def test_a_secret_that_another_program_made_longer_is_taken_as_it_is(tmp_path: Path) -> None:
    secret_of(tmp_path)
    the_file(tmp_path).write_bytes(b"\0\n\xff" * 30)
    assert secret_of(tmp_path) == b"\0\n\xff" * 30


def test_a_full_disk_is_reported_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with full_disk():
        broken = shared_secret(tmp_path)
    assert isinstance(broken, Err)
    assert (
        str(tmp_path / "attach-secret") in broken.error and os.strerror(errno.EFBIG) in broken.error
    )
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    first = secret_of(tmp_path)
    assert secret_of(tmp_path) == first == the_file(tmp_path).read_bytes()


def test_makers_that_find_a_broken_one_at_the_same_moment_agree(tmp_path: Path) -> None:
    (tmp_path / "attach-secret").write_bytes(b"")
    start = threading.Barrier(8)

    def make() -> None:
        start.wait()
        secret_of(tmp_path)

    makers = [threading.Thread(target=make) for _ in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert the_file(tmp_path).read_bytes() == secret_of(tmp_path)


def test_makers_of_the_first_one_all_get_it(tmp_path: Path) -> None:
    made: List[bytes] = []
    start = threading.Barrier(8)

    def make() -> None:
        start.wait()
        made.append(secret_of(tmp_path))

    makers = [threading.Thread(target=make) for _ in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(made) == 8 and len(set(made)) == 1


@pytest.mark.parametrize("years", [-40, 40])
def test_a_wall_clock_that_jumps_costs_no_maker_the_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, years: int
) -> None:
    """Ahead: every maker takes the others' drafts for left-overs. Back: none is one. They agree all
    the same.
    """
    jumped = datetime.now(timezone.utc) + timedelta(days=365 * years)
    monkeypatch.setattr(SystemClock, "utc", lambda clock: jumped)
    test_makers_of_the_first_one_all_get_it(tmp_path)


def test_no_descriptor_left_is_reported_and_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = secret_of(tmp_path)

    def none_left(*_: object, **__: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as exhausted:
        exhausted.setattr(os, "open", none_left)
        refused = shared_secret(tmp_path)
    assert isinstance(refused, Err) and os.strerror(errno.EMFILE) in refused.error
    assert secret_of(tmp_path) == made, "it was not replaced"


def test_drafts_that_killed_makers_left_behind_go(tmp_path: Path) -> None:
    for name, age_s in (
        ("attach-secretab12cd34", 3600),
        ("attach-secret-x", 3600),
        ("attach-secret-now", 0),
    ):
        (tmp_path / name).write_bytes(b"x" * 32)
        then = SystemClock().utc().timestamp() - age_s
        os.utime(str(tmp_path / name), (then, then))
    assert isinstance(shared_secret(tmp_path), Ok)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "attach-secret",
        "attach-secret-now",
    ]


def test_a_file_that_keeps_changing_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_file, "_read", lambda path: None)
    monkeypatch.setattr(secret_file, "_ATTEMPTS", 3)
    broken = shared_secret(tmp_path)
    assert isinstance(broken, Err) and "keep replacing it" in broken.error


def test_a_folder_in_its_place_is_moved_aside_with_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "attach-secret").mkdir()
    (tmp_path / "attach-secret" / "kept").write_text("x")
    made = shared_secret(tmp_path)
    assert isinstance(made, Ok) and shared_secret(tmp_path) == made
    (aside,) = tmp_path.glob("attach-secret.folder-*")
    assert (aside / "kept").read_text() == "x"


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_a_state_folder_that_others_can_write_to_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    for mode, expected in ((0o700, False), (0o755, False), (0o777, True), (0o770, True)):
        tmp_path.chmod(mode)
        assert may_be_replaced_by_others() is expected
    tmp_path.chmod(0o700)


def test_an_impossible_state_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    broken = shared_secret(tmp_path / "file")
    assert isinstance(broken, Err) and str(tmp_path / "file") in broken.error


def test_without_a_folder_there_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, "state")
    broken = shared_secret()
    assert isinstance(broken, Err) and STATE_DIR_VARIABLE in broken.error
