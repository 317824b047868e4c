"""An entry's command line is tried with the entry's variables before it is written."""

from __future__ import annotations

import sys

from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.trial import first_that_starts

STARTS = [sys.executable, "-I", "-c", "pass"]
FAILS = [sys.executable, "-I", "-c", "import sys; sys.exit('told\\nthe \\x1b reason')"]


def test_the_first_that_starts_is_taken() -> None:
    assert first_that_starts([["/no/such/program"], FAILS, STARTS, ["/never/tried"]], {}) == Ok(STARTS)


def test_what_the_last_one_said_is_shown_without_control_characters() -> None:
    refused = first_that_starts([STARTS[:1] + ["/no/such/file"], FAILS], {})
    assert isinstance(refused, Err)
    assert refused.error.endswith("the \\x1b reason") and "\x1b" not in refused.error


def test_it_is_tried_with_the_variables_of_the_entry() -> None:
    needs = [sys.executable, "-c", "import os, sys; sys.exit(os.environ['PYTHONPATH'] != 'given')"]
    assert first_that_starts([needs], {"PYTHONPATH": "given"}) == Ok(needs)
    refused = first_that_starts([needs], {"PYTHONPATH": ""})
    assert isinstance(refused, Err) and refused.error.endswith("exit status 1")


def test_there_must_be_one() -> None:
    assert first_that_starts([], {}) == Err("there is none")
