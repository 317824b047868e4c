"""The per-user secret: made once, whole, private; and the proofs that are made with it (SPEC §14.1)."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import List

import pytest

from unity_bridge.result import Err, Ok
from unity_bridge.trust.secret import STATE_DIR_VARIABLE, is_proof, nonce, proof, shared_secret, state_dir

posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")


def secret_of(folder: Path) -> bytes:
    made = shared_secret(folder)
    assert isinstance(made, Ok), made
    return made.value


def test_it_is_made_once_and_then_the_same(tmp_path: Path) -> None:
    first = secret_of(tmp_path / "new" / "folder")
    assert len(first) == 32
    assert secret_of(tmp_path / "new" / "folder") == first


@posix
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    secret_of(tmp_path / "state")
    (file,) = (tmp_path / "state").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


@posix
def test_one_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    first = secret_of(tmp_path)
    (file,) = tmp_path.iterdir()
    file.chmod(0o644)
    assert secret_of(tmp_path) != first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@posix
def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"x" * 32)
    elsewhere.chmod(0o600)
    secret_of(tmp_path / "state")
    (file,) = (tmp_path / "state").iterdir()
    file.unlink()
    file.symlink_to(elsewhere)
    assert secret_of(tmp_path / "state") != b"x" * 32


def test_makers_at_the_same_moment_agree(tmp_path: Path) -> None:
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
    assert len(list(tmp_path.iterdir())) == 1, "no draft is left behind"


def test_an_empty_one_says_what_to_do(tmp_path: Path) -> None:
    secret_of(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"")
    broken = shared_secret(tmp_path)
    assert isinstance(broken, Err) and "delete it" in broken.error


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    broken = shared_secret(tmp_path / "file")
    assert isinstance(broken, Err) and str(tmp_path / "file") in broken.error


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    assert state_dir() == tmp_path
    monkeypatch.delenv(STATE_DIR_VARIABLE)
    assert "unity-bridge" in str(state_dir())


def test_a_proof_is_of_this_secret_this_role_and_these_nonces() -> None:
    right = proof(b"secret", "owner", "a", "b")
    assert is_proof(right, proof(b"secret", "owner", "a", "b"))
    for other in (
        proof(b"other", "owner", "a", "b"),
        proof(b"secret", "attached", "a", "b"),
        proof(b"secret", "owner", "b", "a"),
        proof(b"secret", "owner", "a\nb", ""),
        "",
        "\ud800",
    ):
        assert not is_proof(other, right)
    assert nonce() != nonce()
