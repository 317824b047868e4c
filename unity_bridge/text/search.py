"""Searching by words."""

from __future__ import annotations

import re

_WORD = re.compile("[^\\W_]+")


def has_words(query: str, *texts: str) -> bool:
    """Whether each word of ``query`` is a word of the texts, or the beginning of one, in any case.

    A query without words matches everything.
    """
    words = [word for text in texts for word in _WORD.findall(text.lower())]
    return all(
        any(word.startswith(query_word) for word in words) for query_word in query.lower().split()
    )
