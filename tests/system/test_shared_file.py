"""A file that we read is nobody's hindrance: Unity renames its log, and the plugin replaces its
files.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unity_bridge.system.shared_file import open_ordinary


def test_an_open_file_can_be_renamed_and_deleted(tmp_path: Path) -> None:
    log = tmp_path / "Editor.log"
    log.write_bytes(b"before\r\n\x1a")
    with open_ordinary(str(log)) as stream:
        os.rename(str(log), str(tmp_path / "Editor-prev.log"))
        (tmp_path / "Editor-prev.log").unlink()
        assert stream.read() == b"before\r\n\x1a"


@pytest.mark.skipif(sys.platform != "win32", reason="only Windows keeps others out")
def test_a_file_open_for_writing_elsewhere_can_be_read(tmp_path: Path) -> None:
    log = tmp_path / "Editor.log"
    hold = "import sys; log = open(sys.argv[1], 'wb', 0); log.write(b'line'); print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-I", "-c", hold, str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as unity:
        assert unity.stdout is not None and unity.stdin is not None
        unity.stdout.readline()
        with open_ordinary(str(log)) as stream:
            assert stream.read() == b"line"
        unity.stdin.close()


def test_a_missing_file_raises_as_in_python(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        open_ordinary(str(tmp_path / "nowhere"))
    assert missing.value.filename == str(tmp_path / "nowhere")
    with pytest.raises(OSError):
        open_ordinary(str(tmp_path))
