"""``open`` in a process that is killed at a planned moment: ``python killed_open.py MOMENT
WORD...``.

The moments lie around the two writes of the record and the start between them.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, Callable, List

MOMENTS = (
    "before the first write",
    "after the first write",
    "after the start",
    "after the second write",
)


def main() -> int:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from unity_bridge import cli
    from unity_bridge.editor_life import processes
    from unity_bridge.editor_life.records import EditorRecords

    moment = sys.argv[1]
    written: List[bool] = []
    writes: Any = EditorRecords.write

    def at(name: str) -> None:
        if moment == name:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self: EditorRecords, *arguments: Any) -> None:
        if not written:
            at("before the first write")
        writes(self, *arguments)
        at("after the second write" if written else "after the first write")
        written.append(True)

    starts: Callable[..., Any] = processes.start_detached

    def start(*arguments: Any) -> Any:
        child = starts(*arguments)
        at("after the start")
        return child

    setattr(EditorRecords, "write", write)  # noqa: B010
    setattr(processes, "start_detached", start)  # noqa: B010
    return cli.run(sys.argv[2:], None)


if __name__ == "__main__":
    sys.exit(main())
