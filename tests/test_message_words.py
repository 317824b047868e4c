"""Every text that a user or an agent can see uses plain words. ``python -m tests.messages`` lists them."""

from __future__ import annotations

import re
from typing import List

from tests.messages import Message, messages

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
LONGEST_SENTENCE = 45  # words


def test_messages_are_found_in_every_part() -> None:
    found = messages()
    for part in ("unity_bridge/core/errors.py", "unity_bridge/unity_package/Editor/Tools/", "unity-bridge client add"):
        assert any(message.place.startswith(part) for message in found), part


def test_no_message_has_a_word_that_stops_readers() -> None:
    assert [f"{message.place}: {better}: {message.text}" for message in messages() for better in _better(message)] == []


def test_no_sentence_is_too_long_to_be_read_once() -> None:
    sentences = [(each.place, part) for each in messages() for part in re.split(r"(?<=[.!?:;])\s+", each.text)]
    assert [each for each in sentences if len(each[1].split()) > LONGEST_SENTENCE] == []


def _better(message: Message) -> List[str]:
    return [better for word, better in REPLACED.items() if re.search(rf"\b({word})\b", message.text, re.I)]
