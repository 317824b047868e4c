"""How long the readers of other programs' files take for hostile texts: ``python -m
tests.bench.reader_bench``.

CPU seconds for each reader and text at 10 KiB, 100 KiB and 1 MiB, and how often the time of 100 KiB goes into that of
1 MiB: about ten times if reading is linear.
"""

from __future__ import annotations

import time
from typing import Any, Callable

from tests import hostile_texts
from unity_bridge.installation import json_comments, toml_tables

SIZES = (10 * 1024, 100 * 1024, 1024 * 1024)


def seconds(read: Callable[[str], Any], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


def main() -> None:
    worst = 0.0
    for name, read, texts in (
        ("JSON", json_comments.parse, hostile_texts.JSON),
        ("TOML", toml_tables.parse, hostile_texts.TOML),
    ):
        for kind, made in texts.items():
            took = [seconds(read, made(size)) for size in SIZES]
            worst = max(worst, took[-1])
            grows = f"x{took[2] / took[1]:5.1f}" if took[1] > 0.001 else ""
            print(f"{name} {kind:40} {'  '.join(f'{one:7.3f} s' for one in took)}  {grows}")
    print(f"worst: {worst:.2f} s for 1 MiB")


if __name__ == "__main__":
    main()
