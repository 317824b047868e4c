"""Plain words in every text that a user or an agent can see, and in names and comments.

``python -m tests.messages`` lists the texts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator, List

from tests.messages import Message, messages
from unity_bridge.launch import environment

# Words that stopped readers, and what is said in their place.
REPLACED = {
    "told|tells": "reports, returns, says, shows",
    "whoever": "the client, the caller, the process",
    "mends?|mended": "fix",
    "anew": "again",
    "beside": "next to, besides",
    "judges?|judged": "decides, checks",
    "strangers?": "an unknown peer",
    "astray": "the wrong project",
    "settles?|settled": "resolves, finishes",
    "meanwhile|by then": "while ..., until then: name the event",
    "to its end": "until it finishes",
    "of no use": "cannot be used",
}
# They have another meaning in code: "from its start to its end".
_ONLY_IN_MESSAGES = ("to its end", "of no use", "meanwhile|by then")
LONGEST_SENTENCE = 45  # words
_ROOT = Path(environment.ROOT)
_LISTS_OF_WORDS = (Path(__file__).name, "measures.py")
_WORD_ENDS = re.compile(r"_|(?<=[a-z0-9])(?=[A-Z])")


def test_messages_are_found_in_every_part() -> None:
    found = messages()
    for part in (
        "unity_bridge/core/errors.py",
        "unity_bridge/unity_package/Editor/Tools/",
        "unity-bridge client add",
    ):
        assert any(message.place.startswith(part) for message in found), part


def test_no_message_has_a_word_that_stops_readers() -> None:
    assert [
        f"{message.place}: {better}: {message.text}"
        for message in messages()
        for better in _better(message)
    ] == []


def test_no_name_or_comment_has_such_a_word() -> None:
    words = "|".join(word for word in REPLACED if word not in _ONLY_IN_MESSAGES)
    stops = re.compile(rf"\b({words})\b", re.I)
    lines = (
        (path, line)
        for path in _sources()
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    assert [
        f"{path.name}: {line.strip()}"
        for path, line in lines
        if stops.search(_WORD_ENDS.sub(" ", line))
    ] == []


def test_no_sentence_is_too_long_to_be_read_once() -> None:
    sentences = [
        (each.place, part)
        for each in messages()
        for part in re.split(r"(?<=[.!?:;])\s+", each.text)
    ]
    assert [each for each in sentences if len(each[1].split()) > LONGEST_SENTENCE] == []


def _sources() -> Iterator[Path]:
    for folder in ("unity_bridge", "tests"):
        for path in sorted((_ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".cs", ".c") and path.name not in _LISTS_OF_WORDS:
                yield path


def _better(message: Message) -> List[str]:
    return [
        better
        for word, better in REPLACED.items()
        if re.search(rf"\b({word})\b", message.text, re.I)
    ]
