"""An entry's command line is tried with the entry's variables before it is written."""

from __future__ import annotations

import json
import sys

from unity_bridge.base.result import Err, Ok
from unity_bridge.installation.trial import PROBE, first_that_starts, serves
from unity_bridge.launch.environment import ROOT

ANSWER = json.dumps(
    {"id": 1, "result": {"serverInfo": {"name": "unity-bridge"}, "instructions": PROBE}}
)
SERVES = (
    f"import sys; print({ANSWER!r}, flush=True); [input() for _ in '123']; "
    "print('{}', flush=True); sys.stdin.read()"
)
STARTS = [sys.executable, "-I", "-c", SERVES]
FAILS = [sys.executable, "-I", "-c", "import sys; sys.exit('gave\\nthe \\x1b reason')"]


def test_the_first_that_serves_is_taken() -> None:
    assert first_that_starts([["/no/such/program"], FAILS, STARTS, ["/never/tried"]], {}) == Ok(
        STARTS
    )


# The server answers ``initialize`` before it imports its packages.
LACKS_A_PACKAGE = f"""
import sys
sys.path.insert(0, {ROOT!r})
sys.modules["websocket_server"] = sys.modules["websocket_server.websocket_server"] = None
from unity_bridge.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_server_that_lacks_a_package_is_refused_with_the_package() -> None:
    refused = serves([sys.executable, "-c", LACKS_A_PACKAGE], {})
    assert isinstance(refused, Err) and "exit status 1" in refused.error
    assert "the package websocket_server" in refused.error


def test_a_server_that_leaves_without_an_answer_to_a_call_is_refused() -> None:
    leaves = f"import sys; print({ANSWER!r}, flush=True); input()"
    refused = serves([sys.executable, "-I", "-c", leaves], {})
    assert refused == Err("it ended with exit status 0 and no answer to a call")


def test_the_output_of_the_last_trial_is_shown_without_control_characters() -> None:
    refused = first_that_starts([STARTS[:1] + ["/no/such/file"], FAILS], {})
    assert isinstance(refused, Err)
    assert (
        refused.error.endswith("exit status 1 and no line: 'the reason'")
        and "\x1b" not in refused.error
    )


def test_it_is_tried_with_the_variables_of_the_entry() -> None:
    needs = [
        sys.executable,
        "-c",
        f"import os, sys; os.environ['PYTHONPATH'] == 'given' or sys.exit(1); {STARTS[3]}",
    ]
    assert first_that_starts([needs], {"PYTHONPATH": "given"}) == Ok(needs)
    refused = first_that_starts([needs], {"PYTHONPATH": ""})
    assert isinstance(refused, Err) and refused.error.endswith("exit status 1 and no line")


def test_there_must_be_one() -> None:
    assert first_that_starts([], {}) == Err("there is none")
