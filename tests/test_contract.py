"""``docs/contract.md`` is the contract: what refers to it resolves, and what it states is what the
code does.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.contract_tables import BLOCKS, CONTRACT, paragraphs, rewritten, type_in_code, words
from tests.fakes import InMemoryBridge, PendingCall
from tests.goldens import files
from unity_bridge.launch import environment
from unity_bridge.unity.close_codes import GOING_AWAY
from unity_bridge.unity.messages import TYPES

REPOSITORY = Path(environment.ROOT)

# Where paragraphs are referred to. A section of another document is not meant: `RFC 6455 §7.4`,
# `ADR-0003 §2`.
READ = ("unity_bridge", "tests", "docs", "bin", "protocol")
SUFFIXES = {".py", ".cs", ".md", ".toml", ".json", ""}
ELSEWHERE = re.compile(r"(?:RFC ?\d+|ADR-\d+)(?:\s*,?\s*§ ?\d+(?:\.\d+)*)+")
REFERENCE = re.compile(r"(?:SPEC(?:\s+|$)§? ?|§ ?)(\d+(?:\.\d+)?(?:(?:, | and |/)\d+\.\d+)*)")
RECORD = re.compile(r"ADR-\d{4}")

# How long a conversation waits for what the page shows next, on the bridge's own clock.
_STEP_S = 0.1
_PATIENCE_STEPS = 100


@lru_cache(maxsize=None)
def text() -> str:
    return CONTRACT.read_text(encoding="utf-8")


def sources() -> Iterator[Path]:
    tops = [path for path in REPOSITORY.glob("*.*") if path.is_file()]
    files = [path for folder in READ for path in (REPOSITORY / folder).rglob("*") if path.is_file()]
    for path in [*tops, *files]:
        # Not what tools leave behind, such as the data of coverage.
        if (
            path.suffix in SUFFIXES
            and "__pycache__" not in path.parts
            and not path.name.startswith(".")
        ):
            yield path


# References


def test_no_number_stands_twice() -> None:
    assert [number for number, count in Counter(paragraphs()).items() if count > 1] == []


def test_every_reference_to_a_paragraph_resolves() -> None:
    known = set(paragraphs())
    lost = []
    for path in sources():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for found in REFERENCE.findall(ELSEWHERE.sub("", line)):
                lost += [
                    (path.name, number, one)
                    for one in re.findall(r"\d+(?:\.\d+)?", found)
                    if one not in known
                ]
    assert lost == []


@pytest.mark.parametrize(
    "line, found",
    [
        ("# SPEC 7.1, and more", ["7.1"]),
        ('"""As it says (SPEC §3.2, §7.5)."""', ["3.2", "7.5"]),
        ("(SPEC 7.7, 7.9)", ["7.7", "7.9"]),
        ("SPEC §7.1-§7.5", ["7.1", "7.5"]),
        ("RFC 6455 §5.4 and RFC 6455 7.4.1", []),
        ("version 3.10 of Python", []),
    ],
)
def test_references_are_recognized(line: str, found: List[str]) -> None:
    assert re.findall(r"\d+\.\d+", " ".join(REFERENCE.findall(ELSEWHERE.sub("", line)))) == found


def test_every_decision_record_that_is_named_exists_or_is_described() -> None:
    folder = REPOSITORY / "docs" / "adr"
    described = {
        f"ADR-{number}"
        for number in re.findall(
            r"^\| ADR-(\d{4}) \|", (folder / "README.md").read_text("utf-8"), re.M
        )
    }
    written = {f"ADR-{path.name[:4]}" for path in folder.glob("0*.md")}
    assert described == {"ADR-0003", "ADR-0004", "ADR-0005", "ADR-0008", "ADR-0012"}
    named = {
        (path.name, one)
        for path in sources()
        for one in RECORD.findall(path.read_text(encoding="utf-8"))
    }
    assert {(name, one) for name, one in named if one not in described | written} == set()


# Facts

# A plugin may ping, too.
FROM_A_PLUGIN = {name for name, content in files().items() if "plugin" in content["sender"]} | {
    "ping"
}


def test_the_generated_parts_are_current() -> None:
    """If this fails: python -m tests.contract_tables"""
    assert rewritten(text()) == text()
    assert {name for name in BLOCKS if f"<!-- generated: {name} -->" in text()} == set(BLOCKS)


def test_the_contract_can_be_read_in_an_hour() -> None:
    """If this fails: say it shorter, or cut something else. A reason belongs in a comment or in
    docs/adr.
    """
    assert words(text()) <= 11_500


def test_a_text_with_an_unknown_block_cannot_be_written() -> None:
    with pytest.raises(KeyError):
        rewritten("<!-- generated: weather -->\n<!-- /generated -->")


def test_words_are_counted_outside_the_generated_parts() -> None:
    assert words("one two\n<!-- generated: tools -->\nthree\n<!-- /generated -->\nfour") == 3


@pytest.mark.parametrize("name", TYPES)
def test_a_message_is_described_with_every_field(name: str) -> None:
    content, known = files()[name], {field.name: field for field in fields(TYPES[name])}
    # Every message of a plugin may have it; only the server's hello describes it as a field of its
    # own.
    assert ("proof" in known) == (name in FROM_A_PLUGIN)
    assert set(content["fields"]) == (set(known) if name == "hello" else set(known) - {"proof"})
    assert set(content["required"]) == {
        field.name for field in known.values() if field.default is not None
    }
    for field, about in content["fields"].items():
        # A type that the codec knows is not written a second time.
        assert ("type" in about) == (type_in_code(name, field) is None) or about[
            "type"
        ] == "any value", field


def test_examples_of_json_are_json() -> None:
    blocks = re.findall(r"^```json\n(.*?)^```", text(), re.MULTILINE | re.DOTALL)
    assert blocks and all(json.loads(block) for block in blocks)


# Conversations


def conversations() -> List[Tuple[str, List[str]]]:
    page = (REPOSITORY / "protocol" / "conversations.md").read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- conversation: ([^>]+) -->\n```\n(.*?)```", page, re.DOTALL)
    return [(title, said.splitlines()) for title, said in blocks]


class Conversation:
    """Plays lines of ``protocol/conversations.md`` on the real core. What they show must be said,
    in that order.

    More may be said than the page shows: other fields, and other messages in between. So the plugin proves who it is
    (SPEC §17.1). An id on the page stands for
    whatever id is really given, and ``...`` for anything.
    """

    def __init__(self, bridge: InMemoryBridge) -> None:
        self._bridge = bridge
        self._ids: Dict[str, str] = {}
        self._heard = 0
        self._call = PendingCall()

    def plays(self, speaker: str, words: str) -> None:
        if (speaker, words) == ("plugin", "closes"):
            self._bridge.editor.vanishes(GOING_AWAY)
        elif speaker == "plugin":
            self._plugin(json.loads(words))
        elif speaker == "server":
            self._server(json.loads(words))
        elif speaker == "client":
            tool, arguments = words.split(" ", 1)
            self._call = self._bridge.agent.calls(tool, **json.loads(arguments))
        else:
            assert speaker == "answer"
            assert self._call.is_answered and self._matches(json.loads(words), self._call.answer), (
                self._call.answer
            )

    def _plugin(self, message: Dict[str, Any]) -> None:
        editor = self._bridge.editor
        if editor.peer is None or not editor.peer.is_open:
            editor.opens()
            self._heard = 0
        if message["type"] == "hello":
            message = {**message, "nonce": editor.nonce}
        editor.says_text(json.dumps(self._with_real_ids(message)))
        if message["type"] == "hello":
            editor.proves()

    def _with_real_ids(self, shown: Any) -> Any:
        if isinstance(shown, dict):
            return {
                self._ids.get(name, name): self._with_real_ids(value)
                for name, value in shown.items()
            }
        if isinstance(shown, list):
            return [self._with_real_ids(item) for item in shown]
        return self._ids.get(shown, shown) if isinstance(shown, str) else shown

    def _server(self, shown: Dict[str, Any]) -> None:
        peer = self._bridge.editor.peer
        assert peer is not None
        for _ in range(_PATIENCE_STEPS):
            for index in range(self._heard, len(peer.said)):
                if self._matches(shown, peer.said[index]):
                    self._heard = index + 1
                    return
            self._bridge.advance(_STEP_S)
        raise AssertionError(f"{shown} was not said, but {peer.said[self._heard :]}")

    def _matches(self, shown: Any, said: Any, name: str = "") -> bool:
        if shown == "...":
            return True
        if name in ("request_id", "job_id") and isinstance(said, str):
            if shown not in self._ids and said not in self._ids.values():
                self._ids[shown] = said
            return self._ids.get(shown) == said
        if isinstance(shown, dict):
            return isinstance(said, dict) and all(
                field in said and self._matches(value, said[field], field)
                for field, value in shown.items()
            )
        if isinstance(shown, list):
            # The beginning of a list is enough.
            return (
                isinstance(said, list)
                and len(said) >= len(shown)
                and all(map(self._matches, shown, said))
            )
        return bool(shown == said)


@pytest.mark.parametrize(
    "title, lines", conversations(), ids=[title for title, _ in conversations()]
)
def test_a_conversation_of_the_page_takes_place(
    bridge: InMemoryBridge, title: str, lines: List[str]
) -> None:
    # The fake editor must not answer in the page's place.
    bridge.editor.is_deaf = True
    conversation = Conversation(bridge)
    for line in lines:
        speaker, words = line.split(": ", 1)
        conversation.plays(speaker, words)
