"""What the plugin adds to a domain reload: ``python -m tests.bench.reload_bench [RELOADS]
[--compiled]``.

Two headless editors on Mono reload in turn. One runs the plugin, connected to a server. The other one is in batch mode,
where the same assemblies are loaded and the plugin does not start. CPU is that of the editor's process from the order
of a reload until a second after the next answer, without what a second of an idle editor costs. ``--compiled`` lists
instead what Mono compiles in a reload (``mono -v``), which the load of the machine does not change.
"""

from __future__ import annotations

import os
import re
import statistics
import sys
import tempfile
import threading
from collections import Counter
from contextlib import contextmanager
from time import clock_gettime, perf_counter
from typing import Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from tests.bench.growth_bench import asked
from tests.bench.mcp_bench import Server
from tests.ports import free_port
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.launch.environment import isolated

RELOADS = 12
COMPILED_RELOADS = 5
IDLE_S = 1.0

_EMITTED = re.compile(r"^Method (.+) emitted at .*\(code length (\d+)\)")
# The first that is found in a method's name counts.
_PARTS = (
    (
        "stubs and host",
        r"xdomain|remoting-invoke|Headless|UnityE(ngine|ditor)\.|Runtime\.(Remoting|Serialization)",
    ),
    ("the plugin's code", r"UnityBridge"),
    ("tasks and threads", r"Threading|Runtime\.CompilerServices"),
    ("WebSockets", r"WebSockets"),
    ("sockets", r"System\.Net|System\.IO(Async|Selector)|Configuration"),
    ("cryptography", r"Cryptography"),
    ("reflection", r"Reflection|RuntimeType|System\.Type:|Delegate"),
    ("collections", r"Collections|Linq"),
)
_REST = "everything else"


class Reload(NamedTuple):
    cpu_ms: float
    answered_ms: float


class Editor:
    """An editor, and what it does once it is loaded again."""

    def __init__(self, headless: HeadlessEditor, answer: Callable[[], object]) -> None:
        self.headless = headless
        self._answer = answer
        self.reload()

    def reload(self) -> None:
        self.headless.reload()
        self._answer()

    def measured(self) -> Reload:
        began, spent = perf_counter(), self._cpu_s()
        self.reload()
        answered_ms = 1000 * (perf_counter() - began)
        spent = self._cpu_after_a_pause_s() - spent
        idle = self._cpu_s()
        return Reload(1000 * (spent - (self._cpu_after_a_pause_s() - idle)), answered_ms)

    def _cpu_after_a_pause_s(self) -> float:
        threading.Event().wait(IDLE_S)
        return self._cpu_s()

    # All threads of another process, as clock_getcpuclockid(3) names their clock.
    def _cpu_s(self) -> float:
        return clock_gettime(((~self.headless.pid) << 3) | 2)


@contextmanager
def connected() -> Iterator[Editor]:
    port = free_port()
    server = Server([*isolated(), "--port", str(port), "--log-level", "error"])
    with HeadlessEditor(port) as headless:
        yield Editor(headless, lambda: asked(server, "read_console", max_entries=1))
    server.close()


@contextmanager
def bare() -> Iterator[Editor]:
    with HeadlessEditor(free_port(), options=["--batch-mode"]) as headless:
        yield Editor(headless, headless.wait_until_idle)


def measure(reloads: int) -> None:
    with bare() as host, connected() as whole:
        rows = [(host.measured(), whole.measured()) for _ in range(reloads)]
    compare("CPU of a reload", [(first.cpu_ms, second.cpu_ms) for first, second in rows])
    compare(
        "order of a reload to the next answer",
        [(first.answered_ms, second.answered_ms) for first, second in rows],
    )


def compare(name: str, pairs: Sequence[Tuple[float, float]]) -> None:
    base = statistics.median(first for first, _ in pairs)
    print(f"{name}, ms: median of {len(pairs)} (least to most), ratio to the host")
    show("host", [first for first, _ in pairs], base)
    show("host and plugin", [second for _, second in pairs], base)
    show("the plugin's share", [second - first for first, second in pairs], base)


def show(name: str, values: Sequence[float], base: float) -> None:
    middle = statistics.median(values)
    print(
        f"    {name:20}{middle:6.0f} ({min(values):.0f} to {max(values):.0f}){middle / base:7.2f}"
    )


def compiled(editor: Editor) -> Dict[str, Tuple[int, int]]:
    """Methods and bytes by part, for one reload. Mono writes in blocks, so only whole histories can
    be compared.
    """
    for _ in range(COMPILED_RELOADS):
        editor.reload()
    threading.Event().wait(IDLE_S)
    editor.headless.stop()
    methods: Dict[str, int] = Counter()
    sizes: Dict[str, int] = Counter()
    for line in editor.headless.history:
        found = _EMITTED.match(line)
        if found:
            part = next((name for name, words in _PARTS if re.search(words, found.group(1))), _REST)
            methods[part] += 1
            sizes[part] += int(found.group(2))
    loads = COMPILED_RELOADS + 2  # with the first load, and with the reload of a new Editor
    return {part: (methods[part] // loads, sizes[part] // loads) for part in methods}


def list_compiled() -> None:
    os.environ["MONO_ENV_OPTIONS"] = "-v"
    with bare() as host:
        base = compiled(host)
    with connected() as whole:
        all_of_it = compiled(whole)
    print("compiled in a reload on top of the host: methods, KB")
    total = [0, 0]
    parts: List[str] = [*(name for name, _ in _PARTS), _REST]
    for part in parts:
        row = [
            after - before
            for before, after in zip(base.get(part, (0, 0)), all_of_it.get(part, (0, 0)))
        ]
        total = [sum(pair) for pair in zip(total, row)]
        print(f"    {part:20}{row[0]:6}{row[1] / 1000:8.0f}")
    print(f"    {'all':20}{total[0]:6}{total[1] / 1000:8.0f}")


def main(arguments: Sequence[str]) -> None:
    numbers = [int(word) for word in arguments if word.isdigit()]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["UNITY_BRIDGE_STATE_DIR"] = folder
        if "--compiled" in arguments:
            list_compiled()
        else:
            measure(*(numbers or [RELOADS]))


if __name__ == "__main__":
    main(sys.argv[1:])
