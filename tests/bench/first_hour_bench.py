"""The walk of a new user, from the clone to a cube: ``python -m tests.bench.first_hour_bench
[--mono]``.

Types what the README shows, in a fresh clone of what is committed here, with a home and a project of its own. Then it
starts the entry that ``client add`` has written, as Claude Code does, asks for the console and has a cube made: the
first prompt of ``docs/commands.md``. The editor is the simulated one, or with ``--mono`` the plugin on stubs of Unity's
API. A stop is a step that fails; the exit status is then 1. The environment is made with packages of the index, so the
first start needs the network.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.first_prompts import prompts
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.clock import SystemClock
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
CLOCK = SystemClock()
# Unity's templates have it; without it there is no Rigidbody.
MANIFEST = '{"dependencies": {"com.unity.modules.physics": "1.0.0", "com.unity.ugui": "1.0.0"}}'
MOVED = ("CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "UNITY_BRIDGE_CONFIG")


def typed(readme: str) -> List[str]:
    """The lines of the README's blocks for POSIX up to the one that adds a client."""
    blocks = re.findall(r"^```sh\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).splitlines()
    return lines[: next(index for index, line in enumerate(lines) if "client add" in line) + 1]


class Walk:
    """Counts what is typed and called, and the steps that fail."""

    def __init__(self, folder: Path, environ: Dict[str, str]) -> None:
        self._home, self._environ, self._began = folder, environ, CLOCK.now()
        self.folder, self.typed, self.calls, self.stops = folder, 0, 0, 0

    def types(self, line: str) -> None:
        self.typed += 1
        if line.startswith("cd "):
            self.folder /= line[3:]
            return
        done = subprocess.run(
            shlex.split(line),
            cwd=self.folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        self.says(self._without_folder(line), done.returncode == 0, done.stdout + done.stderr)

    def _without_folder(self, line: str) -> str:
        return line.replace(f"{self._home}/", "").replace(ROOT.as_uri(), "REPOSITORY")

    def says(self, step: str, is_well: bool, output: str = "") -> None:
        self.stops += not is_well
        print(f"{CLOCK.now() - self._began:6.1f} s  {'' if is_well else 'STOP  '}{step[:90]}")
        if not is_well:
            print(output)


class Client:
    """A client that has read the entry, and starts its server in the project."""

    def __init__(self, entry: Dict[str, Any], project: Path, environ: Dict[str, str]) -> None:
        words = [entry["command"], *entry["args"]]
        variables = {**environ, **entry.get("env", {})}
        self._server = subprocess.Popen(
            words,
            cwd=project,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._id = 0

    def asks(self, method: str, **params: Any) -> Dict[str, Any]:
        assert self._server.stdin is not None and self._server.stdout is not None
        self._id += 1
        request = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self._server.stdin.write(json.dumps(request).encode() + b"\n")
        self._server.stdin.flush()
        for line in self._server.stdout:
            answer: Dict[str, Any] = json.loads(line)
            if answer.get("id") == self._id:
                return answer
        return {"error": "the server has ended"}

    def ends(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="first-hour-") as made, ExitStack() as stack:
        folder = Path(made)
        (folder / "home").mkdir()
        environ = {name: value for name, value in os.environ.items() if name not in MOVED}
        port = str(free_port())  # the README's 8091 may be taken on a machine of developers
        environ.update(HOME=str(folder / "home"), UNITY_BRIDGE_PORT=port)
        environ[STATE_DIR_VARIABLE] = os.environ[STATE_DIR_VARIABLE] = str(
            folder / "home" / "state"
        )
        game = make_project(folder / "MyGame", manifest=MANIFEST)
        walk = Walk(folder, environ)
        for line in typed((ROOT / "README.md").read_text(encoding="utf-8")):
            line = line.replace("PATH/TO/YOUR/UnityProject", str(game))
            walk.types(re.sub(r"https://github\.com/\S+", f"{ROOT.as_uri()} unity-bridge", line))
        if "--mono" in sys.argv:
            editor = stack.enter_context(HeadlessEditor(int(port), project=game))
            editor.arrange("open-scenes Assets/Main.unity")
            walk.says("(the editor has opened the project)", True)
        else:
            walk.types(f"bin/unity-bridge open {game} --unity simulate")
            stack.callback(walk.types, f"bin/unity-bridge close {game} --discard --yes")
        entry = json.loads((folder / "home" / ".claude.json").read_text())["mcpServers"][
            "unity-bridge"
        ]
        client = Client(entry, game, environ)
        stack.callback(client.ends)
        about = {"name": "first-hour", "version": "1"}
        client.asks("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
        prompt = prompts()[0]
        for tool, arguments in [
            ("read_console", {}),
            *(
                ("run_command", {"name": name, "arguments": given})
                for name, given in prompt.calls()
            ),
        ]:
            walk.calls += 1
            answer = client.asks("tools/call", name=tool, arguments=arguments)
            is_well = not answer.get("result", {"isError": True}).get("isError")
            walk.says(f"{tool} {json.dumps(arguments)}", is_well, json.dumps(answer))
        print(
            f"{walk.typed} lines typed, {walk.calls} calls for the console and a cube, {walk.stops} stops"
        )
        return int(walk.stops > 0)


if __name__ == "__main__":
    sys.exit(main())
