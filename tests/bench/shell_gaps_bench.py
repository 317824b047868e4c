"""A command with and without a server, by the time since the last one: ``python
tests/bench/shell_gaps_bench.py``.

``console`` runs in a project's folder with a server and then without one, each back to back, 0.7 s, 2 s and 30 s after
the last one, and in a folder outside of any project, next to a bare program that makes one request. A program that
starts after a pause takes longer than one that follows the last one at once, so a ratio is to the command with a server
after the same pause. ``--runs N`` (30 s apart: a fifth of them), ``--mono`` for the plugin on Mono instead of the
simulated editor, ``--idle SECONDS`` for how long the processor time of the waiting editor is measured. Nothing else
should run on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Dict, Iterator, List

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.mcp_bench import ROOT, Server
from tests.bench.shell_bench import answer_lines
from tests.installation.unity_projects import make_project
from tests.ports import free_port
from unity_bridge.launch.environment import isolated

GAPS_S = (0.0, 0.7, 2.0, 30.0)
OUTSIDE_GAP_S = 0.7


def seconds_of(command: List[str], folder: str) -> float:
    begun = perf_counter()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode == 0, (command, done.stderr)
    return perf_counter() - begun


def times(command: List[str], folder: str, runs: int, gap_s: float = 0.0) -> List[float]:
    seconds_of(command, folder)
    taken = []
    for _ in range(runs):
        sleep(gap_s)
        taken.append(seconds_of(command, folder))
    return taken


def by_gap(name: str, command: List[str], folder: str, runs: int) -> Dict[str, List[float]]:
    return {
        f"{name}, {gap_s:g} s apart": times(
            command, folder, max(runs // 5, 3) if gap_s > 5 else runs, gap_s
        )
        for gap_s in GAPS_S
    }


@contextlib.contextmanager
def simulated_editor(port: int, game: str) -> Iterator[int]:
    words = [*isolated(), "simulate", "--events", "--port", str(port), "--project", game]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield process.pid
        process.kill()


@contextlib.contextmanager
def mono_editor(port: int, game: str) -> Iterator[int]:
    from tests.unity_headless.headless_editor import HeadlessEditor

    with HeadlessEditor(port) as editor:
        editor.wait_until_idle()
        version = editor.project / "ProjectSettings" / "ProjectVersion.txt"
        version.write_text("m_EditorVersion: 2022.3.10f1\n", encoding="utf-8")
        yield editor.pid


def idle(pid: int, seconds: float) -> str:
    """The editor's processor time while it waits, and how often its threads wake up."""
    process = psutil.Process(pid)
    before, switches = process.cpu_times(), process.num_ctx_switches().voluntary
    sleep(seconds)
    after = process.cpu_times()
    used = after.user - before.user + after.system - before.system
    woken = (process.num_ctx_switches().voluntary - switches) / seconds
    return (
        f"{used / seconds * 60_000:.0f} ms a minute ({used / seconds:.2%}), {woken:.0f} switches/s"
    )


def main(options: Any) -> None:
    editor_of = mono_editor if options.mono else simulated_editor
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        os.environ["UNITY_BRIDGE_STATE_DIR"] = os.path.join(folder, "state")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        game = str(make_project(Path(folder) / "a" / "b" / "c" / "Game"))
        outside = os.path.join(folder, "outside")
        os.mkdir(outside)
        port = free_port()
        command = [*isolated(), "console", "--port", str(port)]
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        threading.Thread(target=answer_lines, args=(listener,), daemon=True).start()
        bare = [sys.executable, str(ROOT / "tests" / "bench" / "bare_request.py")]
        bare.append(str(listener.getsockname()[1]))
        pid = stack.enter_context(editor_of(port, game))
        place = outside if options.mono else game  # the headless editor has a project of its own
        if options.mono:
            command += ["--project", _project_of(port, command, outside)]
        figures: Dict[str, List[float]] = {"bare program": times(bare, game, options.runs)}
        server = Server([*isolated(), "--port", str(port)])
        while b'"connected":true' not in server.call("get_editor_state"):
            sleep(0.1)
        figures.update(by_gap("with a server", command, place, options.runs))
        server.close()
        figures.update(by_gap("without", command, place, options.runs))
        alone = command[: len(isolated()) + 3]
        figures[f"outside a project, {OUTSIDE_GAP_S:g} s apart"] = times(
            alone, outside, options.runs, OUTSIDE_GAP_S
        )
        waiting = idle(pid, options.idle)
    report(figures, waiting)


def _project_of(port: int, command: List[str], folder: str) -> str:
    import json

    words = [*isolated(), "status", "--json", "--wait", "10", "--port", str(port)]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, check=True)
    return str(json.loads(done.stdout)["result"]["editor"]["project_path"])


def report(figures: Dict[str, List[float]], waiting: str) -> None:
    print(f"{'seconds':32}{'p50':>8}{'p95':>8}{'ratio':>8}")
    for name, taken in figures.items():
        p50 = statistics.median(taken)
        p95 = sorted(taken)[min(int(len(taken) * 0.95), len(taken) - 1)]
        _, _, gap = name.partition(", ")
        with_server = figures.get(f"with a server, {gap}")
        ratio = "" if with_server is None else f"{p50 / statistics.median(with_server):8.2f}"
        print(f"{name:32}{p50:8.3f}{p95:8.3f}{ratio}")
    print(f"the waiting editor: {waiting}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--idle", type=float, default=60.0)
    parser.add_argument("--mono", action="store_true")
    main(parser.parse_args())
