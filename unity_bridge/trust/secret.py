"""The secret by which one user's servers know each other: a file that only that user can read (SPEC §14.1)."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
import tempfile
from pathlib import Path
from typing import Optional

from unity_bridge.result import Err, Ok, Result

# Where the file is, for tests and for homes that cannot be written to.
STATE_DIR_VARIABLE = "UNITY_BRIDGE_STATE_DIR"

_NAME = "attach-secret"
_BYTES = 32


def state_dir() -> Path:
    """The user's own folder for what a program keeps between runs."""
    named = os.environ.get(STATE_DIR_VARIABLE)
    if named:
        return Path(named)
    # Not at the top: a server that never meets another does not need it.
    from platformdirs import user_state_dir

    return Path(user_state_dir("unity-bridge", appauthor=False))


def shared_secret(folder: Optional[Path] = None) -> Result[bytes, str]:
    """The user's secret; made now if there is none. ``Err`` says why there can be none.

    The file appears whole or not at all, and the first of several makers wins. One that others could read has lost its
    worth and is replaced.
    """
    path = (folder or state_dir()) / _NAME
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and not _is_private(path):
            path.unlink()
        if not path.exists():
            _make(path)
        secret = path.read_bytes()
    except OSError as error:
        return Err(f"{path} cannot be used: {error.strerror or error}")
    if len(secret) < _BYTES:
        return Err(f"{path} holds no secret; delete it, and a new one is made")
    return Ok(secret)


def proof(secret: bytes, role: str, own_nonce: str, other_nonce: str) -> str:
    """What only a holder of ``secret`` can say in ``role`` about these two nonces. Nothing of the secret leaves."""
    words = "\n".join((role, own_nonce, other_nonce)).encode("utf-8")
    return hmac.new(secret, words, hashlib.sha256).hexdigest()


def is_proof(given: str, expected: str) -> bool:
    """Compared in a time that says nothing of where they differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8"))


def nonce() -> str:
    return secrets.token_hex(16)


def _make(path: Path) -> None:
    handle, draft = tempfile.mkstemp(dir=str(path.parent), prefix=_NAME)  # readable by its owner alone
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(secrets.token_bytes(_BYTES))
        # A link, not a rename: it fails where another maker was faster, and its secret is the one that counts.
        os.link(draft, str(path))
    except FileExistsError:
        pass
    except OSError:  # a file system without links, as some network homes have
        if not path.exists():
            os.replace(draft, str(path))
            return
    finally:
        if os.path.exists(draft):
            os.unlink(draft)


def _is_private(path: Path) -> bool:
    if os.name != "posix":
        return True  # the folder is the user's own, and its access list says so
    found = os.lstat(str(path))
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077
