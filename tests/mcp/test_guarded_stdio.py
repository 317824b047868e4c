"""Nothing but the wire reaches stdout, and nothing but the wire reads stdin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TAKE = "from unity_bridge.mcp.guarded_stdio import take_stdio; wire = take_stdio(); import os, subprocess, sys\n"


def ran(program: str, stdin: bytes = b"for the wire", **options: Any) -> Any:
    result = subprocess.run(
        [sys.executable, "-c", TAKE + program],
        cwd=str(ROOT),
        input=stdin,
        capture_output=True,
        timeout=60,
        **options,
    )
    assert result.returncode == 0, result.stderr
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        "print('stray')",
        "sys.__stdout__.write('stray'); sys.stdout.flush()",
        "os.write(1, b'stray')",
        "subprocess.check_call([sys.executable, '-c', 'print(\"stray\")'])",
        "os.system('echo stray')",
        "import warnings; warnings.warn('stray')",
        "sys.stderr.write('stray')",
    ],
)
def test_output_outside_the_wire_goes_to_stderr(program: str) -> None:
    result = ran(program + "\nos.write(wire.fd_out, b'wire')")
    assert result.stdout == b"wire"
    assert b"stray" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        "assert sys.stdin.read() == ''",
        "assert os.read(0, 10) == b''",
        "subprocess.check_call([sys.executable, '-c', 'import sys; sys.exit(len(sys.stdin.read()))'])",
    ],
)
def test_only_the_wire_reads_stdin(program: str) -> None:
    assert (
        ran(program + "\nos.write(wire.fd_out, os.read(wire.fd_in, 100))").stdout == b"for the wire"
    )


def test_no_child_inherits_the_wire() -> None:
    program = "assert not os.get_inheritable(wire.fd_in) and not os.get_inheritable(wire.fd_out) and min(wire) > 2"
    ran(program)


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are closed the POSIX way")
class TestStartedWithClosedStreams:
    def shell(self, redirection: str, program: str) -> Any:
        command = f'"$1" -c "$2" {redirection}'
        result = subprocess.run(
            ["sh", "-c", command, "sh", sys.executable, TAKE + program],
            cwd=str(ROOT),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    def test_no_stdin_is_end_of_file(self) -> None:
        assert (
            self.shell("<&-", "os.write(wire.fd_out, b'%d' % len(os.read(wire.fd_in, 1)))") == b"0"
        )

    def test_without_stdout_writes_fail_as_to_a_closed_pipe(self) -> None:
        broken = (
            "try: os.write(wire.fd_out, b'x')\nexcept BrokenPipeError: sys.exit(0)\nsys.exit(1)"
        )
        assert self.shell(">&-", broken) == b""

    def test_no_stderr_loses_only_what_would_go_there(self) -> None:
        assert self.shell("2>&-", "print('stray')\nos.write(wire.fd_out, b'wire')") == b"wire"

    @pytest.mark.slow
    def test_without_any_stream_stdin_is_end_of_file(self) -> None:
        assert self.shell("<&- >&- 2>&-", "assert os.read(wire.fd_in, 1) == b''") == b""
