"""Runs the faulty editor as a program; the first word is the folder whose ``unity_bridge`` it runs."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:1] = [sys.argv.pop(1), str(Path(__file__).resolve().parents[2])]
    runpy.run_module("tests.faulty_editor", run_name="__main__", alter_sys=True)
