"""Windows as a shell in WSL sees it: programs on a drive below ``mnt``, started by interop, and
``wslpath``.

As with interop, the far process is in no group of the near one, gets none of its variables, and lives until its stdin
ends, also if the near one was killed (microsoft/WSL, src/linux/init/binfmt.cpp). Text of Windows programs has CRLF.
``wslpath`` ends with status 1 for a path that it cannot translate (src/linux/init/wslpath.cpp), and ``wslinfo
--networking-mode`` prints one word (src/linux/init/wslinfo.cpp).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Dict, List, Optional, Sequence

from unity_bridge.installation.host_environment import System
from unity_bridge.launch.environment import ROOT

KERNEL = "5.15.153.1-microsoft-standard-WSL2"
INTEROP = "/proc/sys/fs/binfmt_misc/WSLInterop"
# Behind the Python of Windows in an entry.
SERVES = ["-I", "-m", "unity_bridge"]
REGISTERED = "enabled\ninterpreter /init\nflags: PF\noffset 0\nmagic 4d5a\n"

_NEAR = """\
#!{python} -I
import os, shutil, subprocess, sys, threading
far = subprocess.Popen(
    [{python!r}, "-I", {far!r}, {known_as!r}, *sys.argv[1:]],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    env={{"PATH": os.defpath, "HOME": {home!r}}}, bufsize=0,
)
open({pids!r}, "a").write("%d %d\\n" % (os.getpid(), far.pid))
def relay(source, target):
    try:
        for block in iter(lambda: os.read(source, 65536), b""):
            os.write(target, block)
    except OSError:
        pass
def feed():
    relay(0, far.stdin.fileno())
    far.stdin.close()
threading.Thread(target=feed, daemon=True).start()
errors = threading.Thread(target=relay, args=(far.stderr.fileno(), 2))
errors.start()
relay(far.stdout.fileno(), 1)
errors.join()
os._exit(far.wait())
"""

_FAR = """\
import io, json, os, runpy, sys
sys.executable, words = sys.argv[1], sys.argv[2:]
has_it, listed = {has_it!r}, {listed!r}
if words[:1] == ["-0p"]:
    for index, one in enumerate(listed):
        sys.stdout.buffer.write((" -V:3.%d *        %s\\r\\n" % (index, one)).encode())
    sys.stdout.flush()
    sys.exit(0)
if words[:1] == ["-3"]:
    sys.executable, words = {default!r}, words[1:]
assert words[0] == "-I", words
if has_it:
    sys.path.insert(0, {root!r})
if words[1] == "-c":
    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="cp1252", newline="\\r\\n")
    exec(words[2])
    sys.stdout.flush()
else:
    # Files of Windows are where this side has its drive.
    known = [{drive!r} + word[2:].replace("\\\\", "/") if word[:3] == "C:\\\\" else word for word in words]
    sys.argv[:] = known[2:]
    runpy.run_module(words[2], run_name="__main__", alter_sys=True)
"""

_WSLPATH = """\
#!{python} -I
import sys
mode, path = sys.argv[1:]
drive = {drive!r}
if mode == "-u" and path[1:3] == ":\\\\" and path[:1] in "cC":
    print(drive + path[2:].replace("\\\\", "/"))
elif mode == "-w" and (path == drive or path.startswith(drive + "/")):
    print("C:" + (path[len(drive):].replace("/", "\\\\") or "\\\\"))
elif mode == "-w" and path.startswith("/"):
    print("\\\\\\\\wsl.localhost\\\\Debian" + path.replace("/", "\\\\"))
else:
    sys.exit("wslpath: " + path + ": Invalid argument")
"""


class FakeWindows:
    """``environ``: of the shell in WSL. Programs are added one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.drive = folder / "mnt" / "c"
        self.profile = self.drive / "Users" / "Zoë"
        self.profile.mkdir(parents=True)
        self.pids = folder / "pids"
        self.files: Dict[str, str] = {INTEROP: REGISTERED}
        self.environ = {"WSL_DISTRO_NAME": "Debian"}
        self.networking: Optional[str] = "nat"
        self.path: List[str] = [str(folder / "bin")]
        self._script(
            folder / "bin" / "wslpath",
            _WSLPATH.format(python=sys.executable, drive=str(self.drive)),
        )

    @property
    def system(self) -> System:
        real = System()

        def run(words: Sequence[str]) -> Optional[str]:
            return self.networking if words[0] == "wslinfo" else real.run(words)

        known = self.environ.get("WSL_INTEROP")
        return System(
            "linux", KERNEL, self.environ, self.files.get, lambda path: path == known, run
        )

    def has_python(
        self, folder: str, name: str = "python.exe", has_it: bool = True, listed: Sequence[str] = ()
    ) -> str:
        """A Python in that folder of the drive, which is on PATH; its path on this side.
        ``has_it``: unity-bridge.
        """
        program = self.drive / folder / name
        known_as = "C:\\" + f"{folder}\\{name}".replace("/", "\\")
        far = self.folder / f"far-{len(list(self.folder.glob('far-*')))}.py"
        default = listed[0] if listed else known_as
        content = _FAR.format(
            has_it=has_it, listed=list(listed), default=default, root=ROOT, drive=str(self.drive)
        )
        far.write_bytes(content.encode())
        near = _NEAR.format(
            python=sys.executable,
            far=str(far),
            known_as=known_as,
            home=str(self.profile),
            pids=str(self.pids),
        )
        self._script(program, near)
        self.path.append(str(program.parent))
        return str(program)

    def has_program(self, folder: str, name: str, content: str) -> str:
        program = self.drive / folder / name
        self._script(program, content)
        self.path.append(str(program.parent))
        return str(program)

    @staticmethod
    def _script(path: Path, content: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        path.chmod(0o755)

    @property
    def path_variable(self) -> str:
        return os.pathsep.join([*self.path, os.defpath])

    def of_windows(self, path: Path) -> str:
        return "C:" + str(path)[len(str(self.drive)) :].replace("/", "\\")
