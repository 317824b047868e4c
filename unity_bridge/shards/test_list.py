"""The tests that a project has, as the plugin lists them, and the digest by which two lists are
compared.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Iterable, NamedTuple, Tuple


class Fixture(NamedTuple):
    """What is never split: the tests of one class, in one mode and assembly. ``name`` is its full
    name.
    """

    mode: str
    assembly: str
    name: str


class ListedTest(NamedTuple):
    """A row of ``list_tests``. ``name`` is the full name of the test, which begins with that of its
    fixture.
    """

    name: str
    mode: str
    fixture: str
    assembly: str
    categories: Tuple[str, ...] = ()

    @property
    def key(self) -> Fixture:
        return Fixture(self.mode, self.assembly, self.fixture)


def list_digest(tests: Iterable[ListedTest]) -> str:
    """SHA-256 over the lines ``mode TAB assembly TAB fixture TAB name``, sorted by code point, each
    once.
    """
    return digest_of(sorted({line_of(*test.key, test.name) for test in tests}))


def line_of(*fields: str) -> bytes:
    """Return the fields as UTF-8, whose bytes sort as code points do. Half a surrogate pair becomes
    U+FFFD.
    """
    text = "\t".join(fields)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return (
            text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")
        )


def digest_of(lines: Iterable[bytes]) -> str:
    """SHA-256 in lower-case hex over these lines, each with a line feed at its end."""
    return sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
