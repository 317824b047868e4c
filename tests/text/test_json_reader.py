"""JSON of others: its depth, its numbers, and that no text ends the process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unity_bridge.text import json_reader
from unity_bridge.text.json_reader import DEEPEST, TooDeep, is_deep, loads

# The collector runs at every depth of the parser, and finalizes something each time.
FINALIZED_WHILE_PARSING = """
import gc, threading
from unity_bridge.text import json_reader

class Garbage:
    def __init__(self):
        self.itself = self
    def __del__(self):
        try:
            called(3)
        except RecursionError:
            pass

def called(times):
    if times:
        called(times - 1)

def read():
    for turn in range(1000):
        gc.set_threshold(1 + turn, 10, 10)
        for _ in range(20):
            Garbage()
        try:
            json_reader.loads("[" * 9999)
        except json_reader.TooDeep:
            continue
        raise SystemExit("it was read")

reader = threading.Thread(target=read)
reader.start()
reader.join()
"""


@pytest.mark.slow
def test_no_depth_of_a_text_ends_the_process() -> None:
    command = [sys.executable, "-c", FINALIZED_WHILE_PARSING]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '[{"a":' * 50_000 + "1" + "}]" * 50_000]
)
def test_json_nested_too_deep_is_a_value_error_of_its_own_class(text: str) -> None:
    with pytest.raises(TooDeep):
        loads(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * DEEPEST + "]" * DEEPEST, False),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), True),
        ("[" * (DEEPEST + 1), True),
        ('{"a":' * (DEEPEST + 1), True),
        ('{"a":[' * (DEEPEST // 2) + '{"b":[]}', True),
        ("[" + "[]," * DEEPEST + "[]]", False),
        ('"' + "[" * 2 * DEEPEST + '"', False),
        ('"' + "[" * 2 * DEEPEST, False),
        ('["\\"' + "[" * 2 * DEEPEST + '"]', False),
        ('["\\\\",' + "[" * DEEPEST, True),
        ("", False),
    ],
)
def test_the_depth_counts_brackets_outside_of_strings(text: str, expected: bool) -> None:
    assert is_deep(text) is expected


json_values = st.recursive(
    st.none() | st.integers() | st.text(alphabet='[]{}"\\a\n'),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet='[]{}"\\'), inner, max_size=3)
    ),
    max_leaves=30,
)


def depth_of(value: Any) -> int:
    inner = (
        list(value.values())
        if isinstance(value, dict)
        else value
        if isinstance(value, list)
        else None
    )
    return 0 if inner is None else 1 + max(map(depth_of, inner), default=0)


@pytest.mark.hypothesis
@given(value=json_values, deepest=st.integers(0, 6))
def test_the_depth_is_that_of_the_value(value: Any, deepest: int) -> None:
    assert is_deep(json.dumps(value), deepest) is (depth_of(value) > deepest)


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "[-Infinity]", "1e999", '{"a": -1e400}', "", "{", "[1,]", "'a'"]
)
def test_json_outside_rfc_8259_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)


def test_a_hook_sees_the_members_of_each_object() -> None:
    assert json_reader.decoder(object_pairs_hook=tuple)('{"a": 1, "a": {"b": 2.5}}') == (
        ("a", 1),
        ("a", (("b", 2.5),)),
    )
