"""Searching by words."""

from __future__ import annotations


def has_words(query: str, *texts: str) -> bool:
    """Whether each word of ``query`` is in one of the texts, in any case. A query without words matches everything."""
    return all(any(word in text.lower() for text in texts) for word in query.lower().split())
