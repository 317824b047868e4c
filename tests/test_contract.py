"""``docs/contract.md`` is the contract: what refers to it resolves, and what it states is what the code does."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

import pytest

from tests.fakes import InMemoryBridge, PendingCall
from tests.goldens import files
from unity_bridge.base.errors import ERRORS, Guarantee, Retry
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.tool import Cancellable
from unity_bridge.config import Config
from unity_bridge.launch import environment
from unity_bridge.unity.close_codes import GOING_AWAY
from unity_bridge.unity.messages import TYPES

REPOSITORY = Path(environment.ROOT)
CONTRACT = REPOSITORY / "docs" / "contract.md"

# Where paragraphs are referred to. A section of another document is not meant: `RFC 6455 §7.4`, `ADR-0003 §2`.
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


def section(number: int) -> str:
    found = re.search(rf"^## {number}\. .*?(?=^## |\Z)", text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]


def paragraphs() -> Set[str]:
    """The number of every section and paragraph: ``3``, ``3.2``, ``16.1``."""
    numbers = re.findall(r"^## (\d+)\. |^\*\*(\d+\.\d+)\*\*|^### (\d+\.\d+) ", text(), re.MULTILINE)
    return {number for found in numbers for number in found if number}


def sources() -> Iterator[Path]:
    tops = [path for path in REPOSITORY.glob("*.*") if path.is_file()]
    files = [path for folder in READ for path in (REPOSITORY / folder).rglob("*") if path.is_file()]
    for path in [*tops, *files]:
        # Not what tools leave behind, such as the data of coverage.
        if path.suffix in SUFFIXES and "__pycache__" not in path.parts and not path.name.startswith("."):
            yield path


def rows(markdown: str) -> Iterator[List[str]]:
    """The cells of every row of every table, without the rule below the heading."""
    for line in markdown.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            # `a\|b` is one cell.
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def code(cell: str) -> List[str]:
    return re.findall(r"`([^`]+)`", cell)


# References


def test_every_reference_to_a_paragraph_resolves() -> None:
    known = paragraphs()
    lost = []
    for path in sources():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for found in REFERENCE.findall(ELSEWHERE.sub("", line)):
                lost += [(path.name, number, one) for one in re.findall(r"\d+(?:\.\d+)?", found) if one not in known]
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
def test_what_counts_as_a_reference(line: str, found: List[str]) -> None:
    assert re.findall(r"\d+\.\d+", " ".join(REFERENCE.findall(ELSEWHERE.sub("", line)))) == found


def test_every_decision_record_that_is_named_exists_or_is_described() -> None:
    described = {record for cells in rows(text()) for record in RECORD.findall(cells[0])}
    written = {f"ADR-{path.name[:4]}" for path in (REPOSITORY / "docs" / "adr").glob("*.md")}
    assert described == {"ADR-0003", "ADR-0004", "ADR-0005", "ADR-0008", "ADR-0012"}
    named = {(path.name, one) for path in sources() for one in RECORD.findall(path.read_text(encoding="utf-8"))}
    assert {(name, one) for name, one in named if one not in described | written} == set()


# Facts

# A plugin may ping, too.
FROM_A_PLUGIN = {name for name, content in files().items() if "plugin" in content["sender"]} | {"ping"}


def documented_fields() -> Dict[str, Dict[str, bool]]:
    """For each message its fields, and whether each is required of whoever sends it."""
    messages = re.findall(r"^#### `(\w+)`\n(.*?)(?=^#### |^### )", section(7), re.MULTILINE | re.DOTALL)
    return {
        name: {code(cells[0])[0]: "required" in "".join(cells[1:3]) for cells in rows(body) if code(cells[0])}
        for name, body in messages
    }


def test_every_message_is_described_with_every_field() -> None:
    documented = documented_fields()
    assert set(documented) == set(TYPES)
    for name, message in TYPES.items():
        known = {field.name for field in fields(message)}
        # Of every message of a plugin; only the server's hello has one that is described with the message.
        assert ("proof" in known) == (name in FROM_A_PLUGIN), name
        assert set(documented[name]) == (known if name == "hello" else known - {"proof"}), name
        if name != "hello":  # whose two sides require different fields
            required = {field.name for field in fields(message) if field.default is not None}
            assert {field for field, is_required in documented[name].items() if is_required} == required, name


def test_the_error_table_is_the_codes() -> None:
    documented = {}
    for cells in rows(section(8)):
        if cells[0].startswith("`ERR_"):
            for name in code(cells[0]):
                documented[name] = (cells[1], cells[2].split(",")[0])
    words = {Retry.YES: "yes", Retry.NO: "no", Retry.READS_ONLY: "reads only", Retry.AS_THE_TOOL_SAYS: "reads only"}
    assert documented == {
        error.value: (words[meaning.retry], meaning.guarantee.value) for error, meaning in ERRORS.items()
    }
    assert all(f"`{guarantee.value}`" in section(8) for guarantee in Guarantee)


def test_the_operational_defaults_are_those_of_the_code() -> None:
    documented = {code(cells[0])[0]: json.loads(cells[1]) for cells in rows(section(9)) if code(cells[0])}
    assert {name: getattr(Config(), name) for name in documented} == documented
    assert len(documented) == 15


def test_what_is_shown_as_json_is_json() -> None:
    blocks = re.findall(r"^```json\n(.*?)^```", text(), re.MULTILINE | re.DOTALL)
    assert blocks and all(json.loads(block) for block in blocks)


# Conversations


def conversations() -> List[Tuple[str, List[str]]]:
    blocks = re.findall(r"<!-- conversation: ([^>]+) -->\n```\n(.*?)```", text(), re.DOTALL)
    return [(title, said.splitlines()) for title, said in blocks]


class Conversation:
    """Plays the lines of a page on a real coordinator. What the page shows must be said, in that order.

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
            assert self._call.is_answered and self._matches(json.loads(words), self._call.answer), self._call.answer

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
            return {self._ids.get(name, name): self._with_real_ids(value) for name, value in shown.items()}
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
                field in said and self._matches(value, said[field], field) for field, value in shown.items()
            )
        if isinstance(shown, list):
            # The beginning of a list is enough.
            return isinstance(said, list) and len(said) >= len(shown) and all(map(self._matches, shown, said))
        return bool(shown == said)


@pytest.mark.parametrize("title, lines", conversations(), ids=[title for title, _ in conversations()])
def test_a_conversation_of_the_page_takes_place(bridge: InMemoryBridge, title: str, lines: List[str]) -> None:
    # The fake editor must not answer in the page's place.
    bridge.editor.is_deaf = True
    conversation = Conversation(bridge)
    for line in lines:
        speaker, words = line.split(": ", 1)
        conversation.plays(speaker, words)


# Tools


def tools_of(number: int, width: int) -> Dict[str, List[str]]:
    """The rows of a section's table of tools, by the tool's name."""
    table = [cells for cells in rows(section(number)) if len(cells) == width and code(cells[0])]
    return {code(cells[0])[0]: cells[1:] for cells in table}


CANCELS = {
    Cancellable.NEVER: {"no"},
    Cancellable.UNTIL_IT_BEGINS: {"while queued"},
    Cancellable.WHILE_IT_RUNS: {"yes", "if the command"},
}


def test_all_tools_are_described() -> None:
    assert set(tools_of(8, 6)) == set(tools_of(16, 3)) == set(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_tool_is_as_the_table_says(name: str) -> None:
    tool = CATALOGUE[name]
    _, mode, cancel, limits, hints = tools_of(8, 6)[name]
    assert (mode, limits) == (tool.mode.value, f"{tool.default_timeout_ms} / {tool.max_timeout_ms}")
    assert any(cancel.startswith(words) for words in CANCELS[tool.cancel])
    told = hints.split(", ")
    assert (("readOnly" in told), ("idempotent" in told)) == (tool.read_only, tool.idempotent)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_tools_arguments_and_result_are_described(name: str) -> None:
    tool = CATALOGUE[name]
    given, result = tools_of(16, 3)[name]
    own = {k: v for k, v in tool.input_schema["properties"].items() if k not in ("timeout_ms", "client_request_id")}
    assert set(code(given)) == set(own)
    for argument, schema in own.items():
        if "default" in schema and argument != "wait_ms":
            default = json.dumps(schema["default"]).strip('"')
            assert re.search(rf"`{argument}`[^;`]* = {re.escape(default)}(?!\w)", given), argument
    fields = set((tool.result_schema or tool.output_schema)["properties"])
    if "§" not in result:
        assert {field for field in fields if field not in result} == set()
